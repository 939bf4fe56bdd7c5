"""C10: points in play count each open end once, and every double alike.

What lies open is read from where tiles are laid, not from what the rules remember: a tile against which nothing or only one
tile lies is an end. In games that pay the sum of the ends, a payment that counts an end twice is found by playing. What a sum is worth (only fives, only threes) is the affair of the file.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from domrules.grammar import core
from domrules.interpreter.play import Round, placements
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.step import Placement
from domrules.verifier.battery.bonuses import awards
from domrules.verifier.battery.conservation import tile_pips
from domrules.verifier.battery.play import Situation
from domrules.verifier.battery.subject import Subject
from domrules.verifier.verdict import Verdict, Word

ROUNDS = 150
"""Random rounds looked through."""
ENOUGH = 20
"""Plays that must have paid, to say what they pay."""
MOST = 0.6
"""Share of them that pays the sum, in a game that pays sums."""


@dataclass(frozen=True, slots=True)
class End:
    """An open end: what a double shows in full, and once; of others both are the same."""

    full: int
    once: int


@dataclass
class Table:
    """The tiles that lie, as they were laid."""

    halves: Sequence[tuple[int, int]]
    """Of every tile the pips of its halves."""
    elements: Sequence[tuple[int, int]]
    """And the elements these are."""
    laid: dict[int, Placement] = field(default_factory=dict)
    against: dict[int, list[Placement]] = field(default_factory=dict)

    def lay(self, p: Placement) -> None:
        self.laid[p.tile] = p
        self.against[p.tile] = []
        if p.to is not None:
            self.against[p.to].append(p)

    def clear(self, back: Mapping[int, int]) -> bool:
        """Is it sure what lies open? Not where a tile has neighbours, but perhaps not on both sides of its line."""
        for tile, own in self.laid.items():
            near = {p.going for p in self.against[tile]}
            behind = own.to is not None or back.get(own.going) in near
            if len(near) + (own.to is not None) > 1 and not (behind and own.going in near):
                return False
        return True

    def ends(self) -> Iterator[End]:
        """What lies open."""
        for tile, own in self.laid.items():
            low, high = self.halves[tile]
            near = self.against[tile]
            if len(near) + (own.to is not None) > 1:
                continue
            if low == high:
                yield End(low + high, low)
            elif own.to is not None:
                free = self.other(tile, own.touching)
                yield End(free, free)
            elif near:
                free = self.of(tile, own.touching) if near[0].going == own.going else self.other(tile, own.touching)
                yield End(free, free)
            else:
                yield from (End(low, low), End(high, high))

    def of(self, tile: int, half: int) -> int:
        """The pips of a half, by the element that it is."""
        return self.halves[tile][self.elements[tile].index(half)]

    def other(self, tile: int, half: int) -> int:
        """The pips of the other half."""
        return self.halves[tile][1 - self.elements[tile].index(half)]


@dataclass(frozen=True, slots=True)
class Paid:
    """A play that paid, what lay open after it, and where it is."""

    points: int
    ends: tuple[End, ...]
    at: Situation

    @property
    def full(self) -> int:
        return sum(e.full for e in self.ends)

    @property
    def once(self) -> int:
        return sum(e.once for e in self.ends)


def c10(subject: Subject) -> Verdict:
    """Is every open end counted once?"""
    started = time.perf_counter()
    reason = _not_asked(subject)
    if reason:
        return subject.verdict("C10", Word.SKIPPED, since=started, reason=reason)
    paid = list(_paid(subject))
    span = next(award.span for award in awards(subject.instance) if award.action is not None)
    if len(paid) < ENOUGH:
        return subject.verdict("C10", Word.SKIPPED, since=started, reason=f"only {len(paid)} plays scored", span=span)
    full, once = sum(p.points == p.full for p in paid), sum(p.points == p.once for p in paid)
    if max(full, once) < MOST * len(paid):
        reason = "points in play are not the sum of the open ends"
        return subject.verdict("C10", Word.SKIPPED, since=started, reason=reason, span=span)
    in_full = full >= once
    reading = "a double with all its dots" if in_full else "a double like one half"
    odd = [p for p in paid if p.points != (p.full if in_full else p.once)]
    if odd and all(_twice(p, in_full) for p in odd):
        return subject.verdict(
            "C10", Word.REFUTED, method="random play", since=started, span=span, witness=odd[0].at.witness,
            details=[f"an open end is counted twice: {_shown(odd[0])}", odd[0].at.place(subject.seed)],
        )  # fmt: skip
    if odd:
        details = [_shown(odd[0]), odd[0].at.place(subject.seed)]
        reason = f"{len(odd)} of {len(paid)} plays that scored paid something else than the sum of the open ends"
        return subject.verdict(
            "C10", Word.UNKNOWN, since=started, details=details, reason=reason, span=span, witness=odd[0].at.witness
        )
    details = [f"each open end counts once, {reading}, in every play that scored"]
    return subject.verdict(
        "C10", Word.HOLDS, method="random play", since=started, details=details, span=span, depth=len(paid)
    )


def _not_asked(subject: Subject) -> str:
    """Why there is nothing to ask."""
    instance = subject.instance
    if not instance.role("state", "score") or not any(a.action is not None for a in awards(instance)):
        return "nothing is scored in play"
    if tile_pips(instance) is None:
        return "the halves of tiles are no numbers"
    return ""


def _paid(subject: Subject) -> Iterator[Paid]:
    """Every play of the sample that paid somebody, where what lies open is clear."""
    rules = subject.rules
    halves, elements = _halves(subject.instance)
    looked_at = list(subject.matches.rounds(ROUNDS))
    back = _back(rules, [played for _, _, played in looked_at], halves)
    for match, number, played in looked_at:
        table = Table(halves, elements)
        for i, (laid, before, state) in enumerate(_followed(rules, played), 1):
            for p in laid:
                table.lay(p)
            points = max((b - a for a, b in zip(before, rules.scores(state), strict=True)), default=0)
            if laid and points > 0 and table.clear(back):
                at = Situation("played", state, played, played.plies[:i], match, number)
                yield Paid(points, tuple(table.ends()), at)


def _followed(rules: Rules, played: Round) -> Iterator[tuple[Sequence[Placement], Sequence[int], State]]:
    """For every move what it lays, the scores before it, and the state after it."""
    for laid, (before, after) in zip(placements(rules, played), pairwise(played.states), strict=True):
        yield laid, rules.scores(before), after


def _back(rules: Rules, looked_at: Sequence[Round], halves: Sequence[tuple[int, int]]) -> Mapping[int, int]:
    """For a first tile that grows one way the way at its other end, as plain first tiles show it; if they agree."""
    found: dict[int, set[int]] = {}
    for played in looked_at:
        first: Placement | None = None
        near: list[int] = []
        for laid, _, _ in _followed(rules, played):
            for p in laid:
                first = p if p.to is None else first
                if first is not None and p.to == first.tile and len(near) < 2:
                    near.append(p.going)
        if first is not None and halves[first.tile][0] != halves[first.tile][1] and first.going in near:
            found.setdefault(first.going, set()).update(g for g in near if g != first.going)
    return {going: next(iter(others)) for going, others in found.items() if len(others) == 1}


def _halves(instance: core.Instance) -> tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]]]:
    """Of every tile the pips of its halves, and the elements they are."""
    elements, kind = instance.halves, instance.sorts["tile"].attrs["low"][0]
    numbers = instance.sorts[kind.sort].numbers if isinstance(kind, core.Elem) else None
    assert numbers is not None, "asked only where halves are numbers"
    return [(numbers[a], numbers[b]) for a, b in elements], elements


def _twice(p: Paid, in_full: bool) -> bool:
    """Is just one end too much paid?"""
    wrong = p.points - (p.full if in_full else p.once)
    return any(wrong == (e.full if in_full else e.once) for e in p.ends)


def _shown(p: Paid) -> str:
    ends = " + ".join(str(e.full) for e in p.ends)
    return f"{ends} lie open, {p.points} were paid"
