"""Random matches of a table, played once for all items that look at them."""

from __future__ import annotations

from dataclasses import dataclass

from domrules.interpreter.chance import Chance
from domrules.interpreter.errors import RuleError, Unfinished
from domrules.interpreter.play import Round, Table
from domrules.interpreter.players import RandomPlayer
from domrules.verifier.battery.play import new_match, patience
from domrules.verifier.battery.subject import Subject
from domrules.verifier.battery.totals import Totals

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


def _match(subject: Subject, found: Totals, number: int) -> Played | None:
    rules, chance = subject.rules, Chance.named(subject.seed, number)
    table = Table(rules, [RandomPlayer(chance)] * rules.instance.players, chance, patience(rules, LONGEST))
    state, done = new_match(rules, subject.seed, number), list[Round]()
    try:
        while len(done) < LONGEST and not (done and rules.over(state)):
            done.append(table.round(state))
            state = done[-1].settled
        over = bool(done) and rules.over(state)
        after = tuple(found.of(subject, r.settled) for r in done)
        return Played(number, tuple(done), after, rules.winners(state) if over else None)
    except (RuleError, Unfinished):
        return None
