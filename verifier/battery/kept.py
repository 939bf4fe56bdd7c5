"""What no move and no settlement changes about the numbers of a match: not negative, multiples of k, never less than before.

Guessed from random play, proved by induction over beginnings, moves and settlements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd

from domrules.grammar import core
from domrules.verifier.battery.closing import Change, Closing, Law, beginning, closings, move
from domrules.verifier.battery.ended import sums
from domrules.verifier.battery.subject import Subject
from domrules.verifier.battery.totals import Totals
from domrules.verifier.dag import Bit, Dag, Number
from domrules.verifier.encode import Encoder
from domrules.verifier.forget import match_number
from domrules.verifier.solver import Answer, solve
from domrules.verifier.symbols import Symbols

Test = Callable[[Dag, Number], Bit]
PATIENCE = 0.25
"""Part of the time of a query for a guess about settlements: it is one of many, and may be wrong."""


@dataclass(frozen=True, slots=True)
class Guess:
    """Something said of every cell of a number."""

    name: str
    var: str
    test: Test

    def holds(self, encoder: Encoder, at: Symbols) -> Bit:
        if self.var in encoder.view.forgotten:
            return 1
        instance = encoder.instance
        cells = [at.cells[self.var, i] for i in instance.cells(self.var)]
        return encoder.dag.all([self.test(encoder.dag, cell) for cell in cells if isinstance(cell, Number)])


@dataclass(frozen=True, slots=True)
class Kept:
    """What is proved of the numbers of a match."""

    guesses: tuple[Guess, ...]

    @property
    def laws(self) -> tuple[Law, ...]:
        return tuple(guess.holds for guess in self.guesses)

    @property
    def text(self) -> str:
        return ", ".join(guess.name for guess in self.guesses)


def kept(subject: Subject, found: Totals) -> Kept:
    """What is proved of the numbers of this table's matches."""
    return subject.once("kept", lambda: _kept(subject, found))


def _kept(subject: Subject, found: Totals) -> Kept:
    """Guess, then prove what can be proved."""
    guesses = guessed(subject, found)
    good = 0
    while good < len(guesses):
        if _inductive(subject, guesses[0], guesses):
            guesses = [*guesses[1:], guesses[0]]
            good += 1
        else:  # the others were proved under what does not hold
            guesses, good = guesses[1:], 0
    return Kept(tuple(guesses))


def guessed(subject: Subject, found: Totals) -> list[Guess]:
    """What random play does not contradict."""
    numbers = [v for v in subject.instance.vars.values() if match_number(v) and v.name not in subject.instance.open]
    seen: dict[str, set[int]] = {v.name: set(_initial(v)) for v in numbers}
    layout = subject.rules.layout
    for _, _, played in subject.sample:
        for state in (played.ended, played.settled):
            for name, values in seen.items():
                values.update(int(state.cells[cell] or 0) for cell in layout.cells(name))
    out = [Guess(f"{name} >= 0", name, not_negative) for name, values in seen.items() if min(values, default=0) >= 0]
    k = reduce(gcd, seen[found.var], 0)
    if k > 1:
        out.append(Guess(f"{found.var} is a multiple of {k}", found.var, lambda dag, x: multiple(dag, x, k)))
    return out


def _initial(var: core.Var) -> list[int]:
    return [int(var.init.value or 0)] if isinstance(var.init, core.Lit) and isinstance(var.init.value, int) else [-1]


def not_negative(dag: Dag, x: Number) -> Bit:
    return dag.at_least_zero(x)


def multiple(dag: Dag, x: Number, k: int) -> Bit:
    return dag.is_zero(dag.add(x, dag.floor(x, k), -k))


def _inductive(subject: Subject, guess: Guess, known: Sequence[Guess]) -> bool:
    """Does every beginning, move and settlement keep it, if all the others hold too? (A first value was looked at.)"""
    laws = tuple(g.holds for g in known)
    return any(
        _begins(subject, guess, laws, opaque)
        and _moves(subject, guess, laws, opaque)
        and all(_settles(subject, guess, closing) for closing in closings(subject, opaque, laws))
        for opaque in dict.fromkeys((sums(subject.instance), frozenset[str]()))
    )


def _begins(subject: Subject, guess: Guess, laws: tuple[Law, ...], opaque: frozenset[str]) -> bool:
    start = beginning(subject, opaque)
    return _never(subject, start, laws, [-guess.holds(start.encoder, start.after)])


def _moves(subject: Subject, guess: Guess, laws: tuple[Law, ...], opaque: frozenset[str]) -> bool:
    step = move(subject, opaque)
    return _never(subject, step, laws, [-guess.holds(step.encoder, step.after)])


def _never(subject: Subject, change: Change, laws: tuple[Law, ...], bad: Sequence[Bit]) -> bool:
    """Does no such change, from where the laws hold, come to this?"""
    encoder = change.encoder
    known = [law(encoder, change.before) for law in laws]
    query = [*encoder.side, *change.bits, *known, *bad]
    return solve(encoder.dag, query, seconds=subject.seconds).answer is Answer.NO


def _settles(subject: Subject, guess: Guess, closing: Closing) -> bool:
    bad = -guess.holds(closing.encoder, closing.settled)
    query = [*closing.encoder.side, *closing.bits, bad]
    return solve(closing.encoder.dag, query, seconds=PATIENCE * subject.seconds).answer is Answer.NO


def rises(subject: Subject, found: Totals) -> bool:
    """Is no total ever less after a beginning, a move, or a settlement, than before?"""
    return subject.once("rises", lambda: _rises(subject, found))


def _rises(subject: Subject, found: Totals) -> bool:
    laws = kept(subject, found).laws
    for opaque in dict.fromkeys((sums(subject.instance), frozenset[str]())):
        changes = (beginning(subject, opaque), move(subject, opaque))
        if not all(_never(subject, c, laws, [_less(found, c.encoder, c.before, c.after)]) for c in changes):
            continue
        ends = list(closings(subject, opaque, laws))
        queries = [[*e.encoder.side, *e.bits, _less(found, e.encoder, e.ended, e.settled)] for e in ends]
        answers = [solve(e.encoder.dag, q, seconds=subject.seconds).answer for e, q in zip(ends, queries, strict=True)]
        if all(answer is Answer.NO for answer in answers):
            return True
    return False


def _less(found: Totals, encoder: Encoder, before: Symbols, after: Symbols) -> Bit:
    """Is some total less than before?"""
    dag = encoder.dag
    pairs = zip(found.symbols(encoder, before), found.symbols(encoder, after), strict=True)
    return dag.any([-dag.at_least_zero(dag.add(y, x, -1)) for x, y in pairs])


def goes_on(subject: Subject, found: Totals) -> str:
    """Is it proved that a match is not over while a round is played: `all round`, `until the last move`, or nothing?"""
    return subject.once("goes on", lambda: _goes_on(subject, found))


def _goes_on(subject: Subject, found: Totals) -> str:
    instance, laws = subject.instance, kept(subject, found).laws
    if subject.rules.over(subject.rules.new_match()):
        return ""
    for opaque in dict.fromkeys((sums(instance), frozenset[str]())):
        start, step = beginning(subject, opaque), move(subject, opaque)
        if not _never(subject, start, (), _becomes_over(instance, start)):
            continue
        over = _becomes_over(instance, step)
        for word, more in (("all round", []), ("until the last move", [step.relation.goes_on(step.after)])):
            if _never(subject, step, laws, [*over, *more]):
                return word
    return ""


def _becomes_over(instance: core.Instance, change: Change) -> list[Bit]:
    """The match is over after it, and was not before."""
    truth = change.encoder.truth
    return [-truth(instance.over, change.before), truth(instance.over, change.after)]
