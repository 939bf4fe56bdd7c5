"""C1: a settlement has a row for every ended round. C2: rows that overlap are ordered.

Asked first of all tables at once, where nothing is known of what a round comes to; then of this table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from domrules.grammar import core
from domrules.verifier import symbols
from domrules.verifier.anyset import AnySet
from domrules.verifier.battery.ended import sums
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import TRUE, Bit, Dag
from domrules.verifier.encode import EMPTY, Encoder, Env
from domrules.verifier.facts import asked
from domrules.verifier.relation import Relation
from domrules.verifier.solver import Answer, Engine, solve
from domrules.verifier.symbols import Symbols
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import Witness

SOON = 2.0
"""Seconds for the question about all tables at once; it takes milliseconds, or finds nothing."""
ROUNDS = 300
"""Random rounds looked through for a position that shows a gap."""


def c1(subject: Subject) -> Verdict:
    """Every ended round finds a row in every settlement."""
    none = "every settlement ends in `otherwise` or has no rows, at any table"
    return _tables(subject, "C1", lambda s: not s.complete, uncovered, none)


def c2(subject: Subject) -> Verdict:
    """No two rows of a strict settlement hold at once; in the others the first row decides."""
    none = "the first row that holds decides, at any table; no settlement is strict"
    return _tables(subject, "C2", lambda s: s.strict, two_rows, none)


Asks = Callable[[Dag, core.Settle, Sequence[Bit]], Bit]
"""From the bits that say of each row whether its condition holds."""


def _tables(subject: Subject, item: str, concerned: Callable[[core.Settle], bool], asks: Asks, none: str) -> Verdict:
    started = time.perf_counter()
    if not subject.instance.settles:
        return subject.verdict(item, Word.SKIPPED, since=started, reason="nothing is settled")
    concerned_ones = [s for s in subject.instance.settles if concerned(s)]
    if not concerned_ones:
        return subject.verdict(item, Word.PROVED_ANY_SIZE, method=none, since=started)
    count = f"{len(concerned_ones)} settlement{'s' * (len(concerned_ones) > 1)}"
    if all(any_size(subject.instance, s, asks) for s in subject.instance.game.settles if concerned(s)):
        how = f"{count}, any position, whatever the set, the players and the hands"
        return subject.verdict(item, Word.PROVED_ANY_SIZE, method=how, since=started)
    for settle in concerned_ones:
        verdict = of_table(subject, item, settle, asks, started)
        if verdict is not None:
            return verdict
    silent = "that it is so at other tables: what rounds come to there is not known"
    return subject.verdict(
        item, Word.PROVED, method=f"{count}, any ended position", since=started, doesnt_say=silent
    )  # fmt: skip


def any_size(instance: core.Instance, settle: core.Settle, asks: Asks) -> bool:
    """Is it so in any position at all in which some ending holds, whatever the set, the players and the hands?"""
    game = AnySet(instance, Dag(), shows=True)
    at = game.ended()
    env = {} if settle.var is None or settle.sort is None else {settle.var: game.unknown(core.Elem(settle.sort))}
    bad = asks(game.dag, settle, [game.truth(row.test, at, env) for row in settle.rows])
    query = [*game.side, *game.ranges, bad]
    return solve(game.dag, query, seconds=SOON, engines=(Engine.GENERAL,)).answer is Answer.NO


def of_table(subject: Subject, item: str, settle: core.Settle, asks: Asks, started: float) -> Verdict | None:
    """None when the settlement is as it should be. Sums over tiles are first taken to be any numbers, then what they are."""
    result = None
    for opaque in (sums(subject.instance), frozenset[str]()):
        study = subject.study
        view = replace(study.view(asked(subject.proved), keep_numbers=True), opaque=opaque)
        encoder, relation = study.open(view)
        state, base = _ended(subject, relation)
        env: Env = EMPTY if settle.var is None else {settle.var: 0}
        rows = [
            [encoder.truth(row.test, state, e) for row in settle.rows] for e in _elements(subject.instance, settle, env)
        ]
        bad = encoder.dag.any(asks(encoder.dag, settle, tests) for tests in rows)
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


def uncovered(dag: Dag, _: core.Settle, tests: Sequence[Bit]) -> Bit:
    return -dag.any(tests)


def two_rows(dag: Dag, settle: core.Settle, tests: Sequence[Bit]) -> Bit:
    return -dag.at_most_one(tests[:-1] if settle.complete else tests)


def _played(subject: Subject, settle: core.Settle, item: str) -> tuple[list[str], Witness | None] | None:
    """A played round that shows it; None when random play finds none."""
    if item == "C2":
        return _collision(subject, settle)
    encoder = Encoder(subject.instance)
    for s in subject.matches.situations(ROUNDS):
        if s.kind != "played" or subject.rules.ending(s.state) is None:
            continue
        at = symbols.known(subject.instance, s.state)
        elements = _elements(subject.instance, settle, EMPTY)
        if any(not any(encoder.truth(row.test, at, env) == TRUE for row in settle.rows) for env in elements):
            return [s.place(subject.seed)], s.witness
    return None


def _collision(subject: Subject, settle: core.Settle) -> tuple[list[str], Witness | None] | None:
    """A random match in which the interpreter stops at this settlement, for two of its rows hold."""
    for broken in subject.broken:
        if (broken.error.span.start, broken.error.span.end) == (settle.span.start, settle.span.end):
            return broken.lines(subject.seed), broken.witness
    return None
