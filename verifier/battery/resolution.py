"""F4: a fish has exactly one outcome, whatever the hands count.

Of every settlement some row holds, no two rows of a strict one, and no promise breaks: asked of all positions in which a round
has ended in a fish, the counts of the hands first as any numbers, then as what tiles make them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from domrules.grammar import core
from domrules.grammar.diagnostics import counted
from domrules.grammar.source import Span
from domrules.interpreter.errors import RuleError
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.verifier.battery.ended import Stage
from domrules.verifier.battery.paths import both, some
from domrules.verifier.battery.play import Matches, Situation
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import Bit
from domrules.verifier.effects import Fault
from domrules.verifier.solver import Answer
from domrules.verifier.verdict import Verdict, Word

ROUNDS = 3_000
"""Random rounds looked through for a fish that shows what is wrong."""
PATIENCE = 10.0
"""Seconds for these."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What may be wrong with a fish: in words, where, the bit that it is, and (when the rules do not break) the expression."""

    text: str
    span: Span
    settlement: int
    e: core.Expr | None
    bit: Callable[[Stage], Bit]


def f4(subject: Subject) -> Verdict:
    """Does every fish have exactly one outcome?"""
    started = time.perf_counter()
    instance = subject.instance
    names = instance.role("ending", "fish")
    if not names:
        return subject.verdict("F4", Word.SKIPPED, since=started, reason="no ending is `as fish`")
    if not instance.settles:
        return subject.verdict("F4", Word.SKIPPED, since=started, reason="nothing is settled")
    fish = [i for i, e in enumerate(instance.endings) if e.name in names]
    span = instance.endings[fish[0]].span
    if subject.ended.ask(0, core.TRUE, endings=fish, seconds=subject.seconds)[0].answer is Answer.NO:
        return subject.verdict("F4", Word.HOLLOW, since=started, reason="no fish can happen", span=span)
    counts = True
    for trouble in _troubles(subject):
        result, stage = subject.ended.check(trouble.bit, endings=fish, seconds=subject.seconds)
        if result.answer is not Answer.NO:
            return _finding(subject, trouble, fish, result.answer, result.reason, started)
        counts = counts and stage is not subject.ended.known
    method = "any counts of the hands" if counts else "any position the proved facts allow"
    details = [f"{counted(len(instance.settles), 'settlement')}, each with one outcome"]
    return subject.verdict("F4", Word.PROVED, method=method, since=started, details=details, span=span)


def _troubles(subject: Subject) -> Iterator[Trouble]:
    for number, settle in enumerate(subject.instance.settles):
        if not settle.complete:
            gap = _closed(settle, core.conjunction([core.negation(row.test) for row in settle.rows]))
            yield Trouble("no row says what happens", settle.span, number, gap, _bit(number, gap))
        for text, row, e in _collisions(settle):
            yield Trouble(text, row.span, number, e, _bit(number, e))
    for fault in subject.ended.known.faults:
        yield Trouble(fault.rule.value, fault.span, 0, None, _fault(fault))


def _collisions(settle: core.Settle) -> Iterator[tuple[str, core.Row, core.Expr]]:
    """Each pair of rows of a strict settlement, `otherwise` left out."""
    rows = settle.rows[:-1] if settle.complete else settle.rows
    for later in range(len(rows) if settle.strict else 0):
        for earlier in range(later):
            text = f"this row and the one in line {rows[earlier].span.line} both hold"
            yield text, rows[later], _closed(settle, both(rows[earlier].test, rows[later].test))


def _closed(settle: core.Settle, e: core.Expr) -> core.Expr:
    """For some element that is settled."""
    return e if settle.var is None or settle.sort is None else some(settle.var, settle.sort, None, e)


def _bit(number: int, e: core.Expr) -> Callable[[Stage], Bit]:
    return lambda stage: stage.encoder.truth(e, stage.states[number])


def _fault(fault: Fault) -> Callable[[Stage], Bit]:
    """The same fault in any stage; where it has folded away it cannot be."""

    def bit(stage: Stage) -> Bit:
        return stage.encoder.dag.any(f.bit for f in stage.faults if (f.span, f.rule) == (fault.span, fault.rule))

    return bit


# ---------------------------------------------------------------- the finding


def _finding(
    subject: Subject, trouble: Trouble, fish: Sequence[int], answer: Answer, reason: str, started: float
) -> Verdict:
    found = _shown(subject, trouble, fish)
    if found is not None:
        span, at, details = found
        return subject.verdict(
            "F4", Word.REFUTED, method="a fish, played", since=started, details=[trouble.text, *details], span=span,
            witness=at.witness,
        )  # fmt: skip
    why = f"{trouble.text} in a position the proved facts allow; no play was found that reaches one"
    return subject.verdict(
        "F4", Word.UNKNOWN, since=started, reason=reason if answer is Answer.UNKNOWN else why, span=trouble.span
    )


def _shown(subject: Subject, trouble: Trouble, fish: Sequence[int]) -> tuple[Span, Situation, list[str]] | None:
    """A played fish of this kind, with what the hands count: in the first round of a match, before it is settled."""
    rules = Rules(replace(subject.instance, settles=(), over=core.TRUE))
    shows = _shows(subject.rules, trouble)
    deadline = time.process_time() + PATIENCE
    for match, number, played in Matches(rules, subject.seed).rounds(ROUNDS):
        found = shows(played.ended) if rules.ending(played.ended) in fish else None
        if found is not None:
            at = Situation("settled", played.ended, played, played.plies, match, number)
            span, said = found
            return span, at, [*said, at.place(subject.seed), *counts(subject, played.ended)]
        if time.process_time() > deadline:
            break
    return None


def _shows(rules: Rules, trouble: Trouble) -> Callable[[State], tuple[Span, list[str]] | None]:
    """Where, and what, the interpreter says of a state that shows the trouble; None of any other.

    A promise is named by the encoder where it is evaluated, by the interpreter where it stands: that is shown.
    """
    holds = None if trouble.e is None else rules.question(trouble.e)

    def shows(state: State) -> tuple[Span, list[str]] | None:
        try:
            if holds is not None:
                return (trouble.span, []) if holds(rules.settle(state, trouble.settlement)) else None
            rules.settle(state)
        except RuleError as error:
            return (error.span, [error.sentence]) if holds is None else None
        return None

    return shows


def counts(subject: Subject, state: State) -> Iterator[str]:
    """What the sums over tiles are for each player."""
    instance = subject.instance
    for name in sorted(subject.ended.sums):
        fn = instance.fns[name]
        if [kind for _, kind in fn.params] == [core.Elem("player")]:
            names = instance.sorts["player"].names
            values = [
                f"{who} {subject.rules.question(core.Call(name, (core.Lit(i, core.Elem('player')),), core.INT))(state)}"
                for i, who in enumerate(names)
            ]
            yield f"  {name}: " + ", ".join(values)
