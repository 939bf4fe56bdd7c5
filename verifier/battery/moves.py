"""M1: nobody is stuck. M2: who can play may not pass. M5: no move has two names."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

from domrules.grammar import core
from domrules.interpreter.errors import Rule, RuleError
from domrules.interpreter.names import Args, Move, move_name
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.verifier import symbols
from domrules.verifier.battery.asking import (
    GLANCE,
    after_a_move,
    enabled,
    guards,
    in_play,
    met,
    soon,
    with_role,
)
from domrules.verifier.battery.play import Broken, Situation, zones
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import Bit
from domrules.verifier.facts import Fact, asked
from domrules.verifier.relation import Choice, Relation, Step
from domrules.verifier.solver import Answer, Result, solve
from domrules.verifier.symbols import Symbols
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import Witness

Pairs: TypeAlias = Callable[[Relation, Step, Step], list[Bit]]
"""Which two moves of a position are asked about."""
IN_PLAY = ("dealt", "played")
"""Situations in which a move may be due."""
NO_PLAY = "a position the proved facts allow shows it, but no play was found that reaches one"

# ---------------------------------------------------------------- M1


def m1(subject: Subject) -> Verdict:
    """Whoever's turn it is can do something."""
    started = time.perf_counter()
    everything = range(len(subject.instance.actions))
    stuck = _stuck_by_chance(subject)
    if stuck is not None:
        return subject.verdict(
            "M1", Word.REFUTED, method="random play", since=started, details=stuck.lines(subject.seed),
            witness=stuck.witness,
        )  # fmt: skip
    reads = guards(subject, everything)

    def nothing(relation: Relation, state: Symbols) -> Bit:
        return -enabled(relation, state, everything)

    result = in_play(subject, reads, nothing)
    if result.answer is Answer.NO:
        return subject.verdict("M1", Word.PROVED, method="one position, proved facts", since=started)
    witness = soon(subject, reads, nothing) if result.answer is Answer.YES else None
    if witness is not None and not subject.rules.legal_moves(witness.reached):
        return subject.verdict(
            "M1", Word.REFUTED, method="bounded search, replayed", since=started, witness=witness,
            details=["nobody can do anything in the end, and no ending holds"],
        )  # fmt: skip
    return subject.verdict("M1", Word.UNKNOWN, since=started, reason=result.reason or NO_PLAY)


def _stuck_by_chance(subject: Subject) -> Broken | None:
    """A random match that stops because nothing can be done."""
    return next((found for found in subject.broken if found.error.rule is Rule.STUCK), None)


def told(subject: Subject, witness: Witness) -> list[str]:
    """A played witness for people."""
    moves = " ".join(witness.moves(subject.instance))
    deal = [f"  {line}" for line in zones(subject.instance, witness.dealt)]
    return [*deal, f"  played: {moves}" if moves else "  before the first move"]


# ---------------------------------------------------------------- M2


def m2(subject: Subject) -> Verdict:
    """A pass is legal only where nothing can be played and nothing drawn."""
    started = time.perf_counter()
    instance = subject.instance
    passes, others = with_role(instance, "pass"), with_role(instance, "play", "draw")
    if not passes or not others:
        missing = "no action is `as pass`" if not passes else "no action is `as play` or `as draw`"
        return subject.verdict("M2", Word.SKIPPED, since=started, reason=missing)
    span = instance.actions[passes[0]].span
    idle = {instance.actions[i].name for i in passes}
    busy = {instance.actions[i].name for i in others}

    def free(rules: Rules, s: Situation) -> bool:
        names = {instance.actions[move.action].name for move in rules.legal_moves(s.state)}
        return bool(names & idle and names & busy)

    found = met(subject, free, IN_PLAY)
    if found is not None:
        return subject.verdict(
            "M2", Word.REFUTED, method="random play", since=started, span=span, witness=found.witness,
            details=[found.place(subject.seed), _both(subject.rules, found.state)],
        )  # fmt: skip
    passed = met(subject, lambda _, s: any(instance.actions[p.move.action].name in idle for p in s.plies), IN_PLAY)

    def both(relation: Relation, state: Symbols) -> Bit:
        return relation.dag.both(enabled(relation, state, passes), enabled(relation, state, others))

    result = in_play(subject, guards(subject, [*passes, *others]), both)
    if result.answer is not Answer.NO:
        return subject.verdict("M2", Word.UNKNOWN, since=started, reason=result.reason or NO_PLAY, span=span)
    if passed is None:
        never = after_a_move(subject, subject.proved, guards(subject, passes), lambda r, s: enabled(r, s, passes))
        if never.answer is Answer.NO:
            return subject.verdict("M2", Word.HOLLOW, since=started, span=span, reason="nobody can ever pass")
    return subject.verdict("M2", Word.PROVED, method="one position, proved facts", since=started, span=span)


def _both(rules: Rules, state: State) -> str:
    """The moves of which too many are legal."""
    names = [str(move_name(rules.instance, move)) for move in rules.legal_moves(state)]
    return "legal in the end: " + " ".join(names[:8]) + (" …" if len(names) > 8 else "")


# ---------------------------------------------------------------- M5


def m5(subject: Subject) -> Verdict:
    """No two legal moves lead to the same position, as far as anything later depends on it."""
    started = time.perf_counter()
    shown, reason = _twins_by_chance(subject, GLANCE), ""
    if shown is None:
        result = _never_twins(subject)
        if result.answer is Answer.NO:
            return subject.verdict("M5", Word.PROVED, method="any two moves of one position", since=started)
        shown, reason = _twins_by_chance(subject), result.reason
    if shown is None:
        return subject.verdict("M5", Word.UNKNOWN, since=started, reason=reason or NO_PLAY)
    found, names = shown
    details = [f"{' and '.join(names)} are the same move in the end", found.place(subject.seed)]
    return subject.verdict(
        "M5", Word.REFUTED, method="random play", since=started, details=details, witness=found.witness
    )


def _never_twins(subject: Subject) -> Result:
    """Are there no two moves of one position that do the same? Asked under more and more that is known."""
    stages = [(False, _differ), (True, _differ), (True, _alike_pairs)]
    result: Result | None = None
    for further, pairs in stages:
        known = [*subject.proved, *(subject.located if further else ())]
        result = _two_moves(subject, known, pairs, keep_numbers=further)
        if result.answer is Answer.NO:
            break
    assert result is not None
    return result


def _two_moves(subject: Subject, known: Sequence[Fact], pairs: Pairs, *, keep_numbers: bool) -> Result:
    """Are there two moves of one position that do the same?"""
    study = subject.study
    encoder, relation = study.open(study.view({*_lasting(subject), *asked(known)}, keep_numbers=keep_numbers))
    state = subject.position(relation)
    one, two = relation.step(state, "a"), relation.step(state, "b")
    bits = [fact.holds(relation, state) for fact in known]
    bits += [study.resting(relation, state), *one.taken, *two.taken, *pairs(relation, one, two)]
    bits += [symbols.same(encoder.dag, a, two.after.cells[cell]) for cell, a in one.after.cells.items()]
    return solve(encoder.dag, [*encoder.side, *bits], seconds=subject.seconds)


def _lasting(subject: Subject) -> frozenset[str]:
    """What settlements, the end of a match and its outcomes read, beside what play itself needs."""
    instance, reads = subject.instance, subject.study.reads
    exprs = [instance.over, instance.winners, *(row.test for s in instance.settles for row in s.rows)]
    exprs += core.expressions(*(row.body for s in instance.settles for row in s.rows))
    exprs += [fn.body for fn in instance.fns.values() if fn.outcome]
    return frozenset[str]().union(*map(reads.variables, exprs))


def _twins_by_chance(subject: Subject, rounds: int | None = None) -> tuple[Situation, list[str]] | None:
    """A position of so many random rounds, or of all, with two moves that do the same."""
    instance, layout = subject.instance, subject.rules.layout
    kept = set(instance.vars) - subject.study.view(_lasting(subject), keep_numbers=True).forgotten
    cells = [cell for var, _, cell in layout.walk() if var.name in kept]
    twins: list[str] = []

    def doubled(rules: Rules, s: Situation) -> bool:
        results: dict[tuple[core.Value, ...], list[Move]] = {}
        for move in rules.legal_moves(s.state):
            if rules.has_chance(move):
                continue
            try:
                after = rules.act(s.state, move)
            except RuleError:
                continue
            same = results.setdefault(tuple(after.cells[cell] for cell in cells), [])
            twin = next((m for m in same if _alike(m.action, m.args, move.action, move.args)), None)
            if twin is not None:
                twins[:] = [str(move_name(instance, m)) for m in (twin, move)]
                return True
            same.append(move)
        return False

    found = met(subject, doubled, IN_PLAY, rounds=rounds)
    return None if found is None else (found, twins)


def _alike(action: int, args: Args, other: int, others: Args) -> bool:
    """May two moves be one under two names? Those of one action that differ in two choices are two at the table, too."""
    return action != other or sum(a != b for a, b in zip(args, others, strict=True)) == 1


def _differ(relation: Relation, one: Step, two: Step) -> list[Bit]:
    """The two moves are not one and the same, whatever fate adds to them."""
    dag, first, second = relation.dag, _by_name(relation, one), _by_name(relation, two)
    return [-dag.both(dag.any(bits), dag.any(second[name])) for name, bits in first.items() if name in second]


def _alike_pairs(relation: Relation, one: Step, two: Step) -> list[Bit]:
    """The two moves are not one and the same, but may be one under two names."""
    groups = [_by_name(relation, step) for step in (one, two)]
    dag = relation.dag
    bits = {key: [dag.any(found) for found in (groups[0].get(key, []), groups[1].get(key, []))] for key in groups[0]}
    out = []
    for (action, args), (first, _) in bits.items():
        partners = [second for (other, others), (_, second) in bits.items() if _alike(action, args, other, others)]
        out.append(dag.implies(first, dag.any(partners)))
    return out


def _by_name(relation: Relation, step: Step) -> dict[tuple[int, Args], list[Bit]]:
    """The ground moves of a step, those together to which fate adds something different."""
    found: dict[tuple[int, Args], list[Bit]] = {}
    for choice in step.choices:
        found.setdefault(_chosen(relation, choice), []).append(choice.bit)
    return found


def _chosen(relation: Relation, choice: Choice) -> tuple[int, Args]:
    """A ground move without what fate adds."""
    count = sum(not p.chance for p in relation.instance.actions[choice.action].params)
    return choice.action, choice.args[:count]
