"""Random matches of a table, played once for all items that look at them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from domrules.interpreter.errors import RuleError
from domrules.interpreter.play import Round
from domrules.verifier.battery.subject import Subject
from domrules.verifier.battery.totals import Totals, totals

MATCHES = 60
"""Random matches looked at."""
FEW = 12
"""Matches that do not end before the others are left out."""
LONGEST = 150
"""Rounds after which a match is left."""


@dataclass(frozen=True, slots=True)
class Played:
    """A random match: its rounds, the totals after each, and its winners as a mask; none when it is not over."""

    number: int
    rounds: tuple[Round, ...]
    totals: tuple[tuple[int, ...], ...]
    winners: int | None


def matches(subject: Subject, found: Totals) -> list[Played]:
    """The first matches of the seed; those that break a rule are left out."""
    return subject.once("matches", lambda: _matches(subject, found))


def _matches(subject: Subject, found: Totals) -> list[Played]:
    out: list[Played] = []
    for number in range(MATCHES):
        played = _match(subject, found, number)
        out += [] if played is None else [played]
        if sum(m.winners is None for m in out) >= FEW:
            break
    return out


def whole(subject: Subject) -> Iterator[Round]:
    """All rounds of these matches; of fewer where no score tells how they stand."""
    found = totals(subject.instance)
    if isinstance(found, Totals):
        yield from (one for played in matches(subject, found) for one in played.rounds)
    else:
        for number in range(FEW):
            yield from _rounds(subject, number) or ()


def _match(subject: Subject, found: Totals, number: int) -> Played | None:
    done, rules = _rounds(subject, number), subject.rules
    if done is None:
        return None
    over = bool(done) and rules.over(done[-1].settled)
    after = tuple(found.of(subject, r.settled) for r in done)
    return Played(number, tuple(done), after, rules.winners(done[-1].settled) if over else None)


def _rounds(subject: Subject, number: int) -> list[Round] | None:
    """The rounds of a random match; None when a rule breaks in it."""
    course = subject.matches.match(number)
    try:
        done = list(course.rounds(LONGEST))
    except RuleError:
        return None
    return None if course.stopped is not None else done
