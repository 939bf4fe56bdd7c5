"""W1: no cell is written twice in one block. W2: a moved tile is where it is moved from, and moved once.
W3: a number stays in its range. W4: what `the(…)` and `strict` promise is kept.

Asked of every block of every action, of `begin`, of endings and settlements, from any position the proved facts allow.
Nothing is forgotten here: a cell that nothing reads may be written twice, too.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from itertools import product

from domrules.grammar import core
from domrules.interpreter.errors import Rule
from domrules.verifier.battery.play import Broken
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import FALSE, Bit
from domrules.verifier.effects import Fault
from domrules.verifier.encode import Encoder
from domrules.verifier.relation import Relation
from domrules.verifier.solver import Answer, solve
from domrules.verifier.symbols import Symbols
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.view import FULL

RULES = {
    "W1": (Rule.WRITTEN_TWICE,),
    "W2": (Rule.NOT_THERE, Rule.MOVED_TWICE),
    "W3": (Rule.RANGE,),
    "W4": (Rule.PROMISE, Rule.UNSET),
}


def w1(subject: Subject) -> Verdict:
    """No cell is written twice."""
    return _faultless(subject, "W1")


def w2(subject: Subject) -> Verdict:
    """A moved tile is where it is moved from."""
    return _faultless(subject, "W2")


def w3(subject: Subject) -> Verdict:
    """A number that has a range stays in it."""
    if not any(v.low is not None or v.high is not None for v in subject.instance.vars.values()):
        return subject.verdict("W3", Word.SKIPPED, since=time.perf_counter(), reason="no state has a range")
    return _faultless(subject, "W3")


def w4(subject: Subject) -> Verdict:
    """Every promise is kept."""
    return _faultless(subject, "W4")


def _faultless(subject: Subject, item: str) -> Verdict:
    started = time.perf_counter()
    rules = RULES[item]
    broken = _in_play(subject, rules)
    if broken is not None:
        return subject.verdict(
            item, Word.REFUTED, method="random play", since=started, details=broken.lines(subject.seed),
            span=broken.error.span, witness=broken.witness,
        )  # fmt: skip
    for where, encoder, base, faults in subject.once("blocks", lambda: list(_situations(subject))):
        mine = [fault for fault in faults if fault.rule in rules and fault.bit != FALSE]
        if not mine:
            continue
        result = solve(
            encoder.dag, [*encoder.side, *base, encoder.dag.any(f.bit for f in mine)], seconds=subject.seconds
        )
        if result.answer is Answer.NO:
            continue
        if result.answer is Answer.UNKNOWN or result.model is None:
            return subject.verdict(
                item, Word.UNKNOWN, since=started, reason=f"{where}: {result.reason}", span=mine[0].span
            )
        model = result.model
        fault = next(f for f in mine if model.bit(f.bit))
        reason = f"{where}: {fault.rule.value} in a position that the proved facts allow, but that no play may reach"
        return subject.verdict(item, Word.UNKNOWN, since=started, reason=reason, span=fault.span)
    return subject.verdict(item, Word.PROVED, method="any position the proved facts allow, one step", since=started)


def _in_play(subject: Subject, rules: Collection[Rule]) -> Broken | None:
    """A random match that breaks one of these."""
    return next((broken for broken in subject.broken if broken.error.rule in rules), None)


def _situations(subject: Subject) -> Iterable[tuple[str, Encoder, Sequence[Bit], Sequence[Fault]]]:
    """Where blocks are carried out, each as a question of its own."""
    study = subject.study
    facts, view = subject.proved, FULL
    encoder, relation = study.open(view)
    start = relation.start(any_match=True)
    yield "begin", encoder, [start.kept], start.faults
    encoder, relation = study.open(view)
    state = subject.position(relation)
    assumed = [fact.holds(relation, state) for fact in facts]
    step = relation.step(state, "x")
    yield "a move", encoder, [*assumed, study.resting(relation, state), *step.chosen], step.faults
    encoder, relation = study.open(view)
    state = subject.position(relation)
    over = relation.concluded(state)
    assumed = [fact.holds(relation, over) for fact in facts]
    settled, faults = relation.settle(over)
    yield "a settlement", encoder, [*assumed, -relation.goes_on(state)], faults
    yield "the end of a match", encoder, *_match_over(relation, settled, [*assumed, -relation.goes_on(state)], faults)
    yield "an outcome", *_outcomes(subject)


def _match_over(
    relation: Relation, settled: Symbols, assumed: Sequence[Bit], faults: Sequence[Fault]
) -> tuple[Sequence[Bit], Sequence[Fault]]:
    """Is the match over after a settlement, and who has won it if it is?"""
    instance, keeps, encoder = relation.instance, relation.promises.kept, relation.encoder
    over, winners = keeps(instance.over, settled, {}), keeps(instance.winners, settled, {})
    won = encoder.dag.both(encoder.truth(instance.over, settled), -winners)
    found = [Fault(Rule.PROMISE, instance.over.span, -over), Fault(Rule.PROMISE, instance.winners.span, won)]
    return [*assumed, *(-fault.bit for fault in faults)], found


def _outcomes(subject: Subject) -> tuple[Encoder, Sequence[Bit], Sequence[Fault]]:
    """What is worked out when a match is over."""
    instance = subject.instance
    encoder, relation = subject.study.open(FULL)
    state = subject.position(relation)
    over = relation.concluded(state)
    assumed = [fact.holds(relation, over) for fact in subject.proved]
    settled, faults = relation.settle(over)
    found = []
    for fn in instance.fns.values():
        if fn.outcome:
            sorts = [(name, kind.sort) for name, kind in fn.params if isinstance(kind, core.Elem)]
            for args in product(*(range(instance.sorts[sort].size) for _, sort in sorts)):
                env = {name: i for (name, _), i in zip(sorts, args, strict=True)}
                found.append(Fault(Rule.PROMISE, fn.span, -relation.promises.kept(fn.body, settled, env)))
    ended = [-relation.goes_on(state), encoder.truth(instance.over, settled), *(-fault.bit for fault in faults)]
    return encoder, [*assumed, *ended], found
