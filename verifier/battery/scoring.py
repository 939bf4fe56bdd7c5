"""C1: a settlement has a row for every ended round. C2: rows that overlap are ordered."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from domrules.grammar import core
from domrules.verifier import symbols
from domrules.verifier.battery.ended import sums
from domrules.verifier.battery.play import situations
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import TRUE, Bit
from domrules.verifier.encode import EMPTY, Encoder, Env
from domrules.verifier.facts import asked
from domrules.verifier.relation import Relation
from domrules.verifier.solver import Answer, solve
from domrules.verifier.symbols import Symbols
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import Witness

ROUNDS = 300
"""Random rounds looked through for a position that shows a gap."""


def c1(subject: Subject) -> Verdict:
    """Every ended round finds a row in every settlement."""
    return _tables(
        subject, "C1", lambda s: not s.complete, _uncovered, "every settlement ends in `otherwise` or has no rows"
    )


def c2(subject: Subject) -> Verdict:
    """No two rows of a strict settlement hold at once; in the others the first row decides."""
    return _tables(
        subject, "C2", lambda s: s.strict, _two_rows, "the first row that holds decides; no settlement is strict"
    )


Asks = Callable[[Encoder, core.Settle, Symbols, Env], Bit]


def _tables(subject: Subject, item: str, concerned: Callable[[core.Settle], bool], asks: Asks, none: str) -> Verdict:
    started = time.perf_counter()
    if not subject.instance.settles:
        return subject.verdict(item, Word.SKIPPED, since=started, reason="nothing is settled")
    concerned_ones = [s for s in subject.instance.settles if concerned(s)]
    for settle in concerned_ones:
        verdict = _table(subject, item, settle, asks, started)
        if verdict is not None:
            return verdict
    method = none if not concerned_ones else f"{len(concerned_ones)} settlements, any ended position"
    return subject.verdict(item, Word.CONFIGURED if not concerned_ones else Word.PROVED, method=method, since=started)


def _table(subject: Subject, item: str, settle: core.Settle, asks: Asks, started: float) -> Verdict | None:
    """None when the settlement is as it should be. Sums over tiles are first taken to be any numbers, then what they are."""
    result = None
    for opaque in (sums(subject.instance), frozenset[str]()):
        study = subject.study
        view = replace(study.view(asked(subject.proved), keep_numbers=True), opaque=opaque)
        encoder, relation = study.open(view)
        state, base = _ended(subject, relation)
        env: Env = EMPTY if settle.var is None else {settle.var: 0}
        bad = encoder.dag.any(asks(encoder, settle, state, e) for e in _elements(subject.instance, settle, env))
        result = solve(encoder.dag, [*encoder.side, *base, bad], seconds=subject.seconds)
        if result.answer is Answer.NO:
            return None
    assert result is not None
    if result.answer is Answer.UNKNOWN:
        return subject.verdict(item, Word.UNKNOWN, since=started, reason=result.reason, span=settle.span)
    found = _played(subject, settle, item)
    if found is not None:
        details, witness = found
        return subject.verdict(
            item,
            Word.REFUTED,
            method="a round, played",
            since=started,
            details=details,
            span=settle.span,
            witness=witness,
        )
    what = "no row holds" if item == "C1" else "two rows hold"
    reason = f"{what} in a position the proved facts allow; no play was found that reaches one"
    return subject.verdict(item, Word.UNKNOWN, since=started, reason=reason, span=settle.span)


def _elements(instance: core.Instance, settle: core.Settle, env: Env) -> Iterator[Env]:
    if settle.var is None or settle.sort is None:
        yield env
        return
    for i in range(instance.sorts[settle.sort].size):
        yield {settle.var: i}


def _ended(subject: Subject, relation: Relation) -> tuple[Symbols, list[Bit]]:
    """Any position in which the round has just ended."""
    state = subject.position(relation)
    closed = relation.concluded(state)
    assumed = [fact.holds(relation, closed) for fact in subject.proved]
    return closed, [*assumed, -relation.goes_on(state)]


def _uncovered(encoder: Encoder, settle: core.Settle, state: Symbols, env: Env) -> Bit:
    return -encoder.dag.any([encoder.truth(row.test, state, env) for row in settle.rows])


def _two_rows(encoder: Encoder, settle: core.Settle, state: Symbols, env: Env) -> Bit:
    rows = settle.rows[:-1] if settle.complete else settle.rows
    return -encoder.dag.at_most_one([encoder.truth(row.test, state, env) for row in rows])


def _played(subject: Subject, settle: core.Settle, item: str) -> tuple[list[str], Witness | None] | None:
    """A played round that shows it; None when random play finds none."""
    if item == "C2":
        return _collision(subject, settle)
    encoder = Encoder(subject.instance)
    for s in situations(subject.rules, ROUNDS, subject.seed):
        if s.kind != "played" or subject.rules.ending(s.state) is None:
            continue
        at = symbols.known(subject.instance, s.state)
        if any(_uncovered(encoder, settle, at, env) == TRUE for env in _elements(subject.instance, settle, EMPTY)):
            return [s.place(subject.seed)], s.witness
    return None


def _collision(subject: Subject, settle: core.Settle) -> tuple[list[str], Witness | None] | None:
    """A random match in which the interpreter stops at this settlement, for two of its rows hold."""
    for broken in subject.broken:
        if (broken.error.span.start, broken.error.span.end) == (settle.span.start, settle.span.end):
            return broken.lines(subject.seed), broken.witness
    return None
