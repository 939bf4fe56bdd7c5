"""Of all plays with the proved numbers of tiles and moves the one that is shown: the same on every machine.

The portfolio of `solver` settles the numbers; which play it happens to meet depends on the clock. The play that is shown is
therefore sought by one engine, before the portfolio if it may be found at the bound itself, else again: the least in the
canonical order of moves, then in that of deals (tile by tile the first zone it can lie in), among those that leave the table
of the bound, where there is one. At the bound, where draws may be taken together (`together`), it is the least of the plays
in which every move lays a tile but the draws and as many as must come first (`waits`), if there are such. How far the engine may go is measured in its own steps,
never in time. Where they run out the play is what was found by then, and is not called canonical.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from domrules.interpreter.rules import Rules
from domrules.verifier import symbols
from domrules.verifier.dag import Bit
from domrules.verifier.goal import Goal
from domrules.verifier.relation import Choice
from domrules.verifier.shortest import Limits, Search, Shortest
from domrules.verifier.solver import Answer, Steady
from domrules.verifier.study import Study
from domrules.verifier.together import Together, together
from domrules.verifier.unroll import Play
from domrules.verifier.witness import Unreplayable, Witness

UNITS = 6_000_000
"""Steps of the engine, a few seconds of work."""
FEW = 3_000_000
"""Steps after which a first play with draws taken together is given up: where there is one it takes a third of that."""


def least(study: Study, rules: Rules, goal: Goal, found: Shortest) -> Witness:
    """The canonical play with as many tiles and moves as the one that was found; that one when the steps run out."""
    assert found.witness is not None
    search, depth = Search(study, rules, goal, found.bound, Limits(), found.before), len(found.witness.plies)
    for keep_numbers in (False, True):
        try:
            play = search.play(keep_numbers=keep_numbers)
            play.extend(depth)
            witness = Least(search, found.tiles, play, depth).witness()
        except Unreplayable:
            continue
        return found.witness if witness is None else witness
    return found.witness


def at_bound(search: Search) -> Witness | None:
    """The canonical play with just the tiles, the table and the moves of the bound, if there is one."""
    if not search.lower.layout:
        return None
    tiles, depth = search.lower.tiles, search.lower.begins
    for play in roads(search, tiles, depth):
        with suppress(Unreplayable):
            few = FEW if isinstance(play, Together) else UNITS
            witness = Least(search, tiles, play, depth, few).witness(free=False)
            if witness is not None:
                return witness
    return None


def roads(search: Search, tiles: int, depth: int) -> Iterator[Play]:
    """Plays of so many moves: draws taken together, where that is proved to be the same; then move by move."""
    drawn = together(search.study, search.play(keep_numbers=False), tiles + search.lower.waits, depth)
    if drawn is not None:
        yield drawn
    play = search.play(keep_numbers=False)
    play.extend(depth)
    yield play


class Least:
    """Makes choice after choice the least that still leads to the goal."""

    def __init__(self, search: Search, tiles: int, play: Play, depth: int, first: int | None = None) -> None:
        self.search, self.rules, self.tiles, self.play, self.depth = search, search.rules, tiles, play, depth
        self.later = 0 if first is None else UNITS - first
        """Steps that are left for the choices once there is a first play."""
        self.engine = Steady(self.play.formulas, UNITS - self.later)
        self.engine.add(self.play.reaching(search.holds(self.play)))
        self.engine.add([search.few(self.play, tiles)])

    def witness(self, *, free: bool = True) -> Witness | None:
        """None when not even a first play was found; `free`: it may leave another table than that of the bound. Raises `Unreplayable`."""
        if not self.begin(free=free):
            return None
        complete, made = True, list[Choice]()
        for _ in range(self.depth):
            ways = self.play.ways(made)
            complete &= self.settle([bit for _, bit in ways])
            made.append(next(choice for choice, bit in ways if self.engine.holds(bit)))
        for way in self.deals():
            complete &= self.settle(way)
        witness = self.search.checked(self.play.replay(self.rules, self.engine.model()), self.tiles)
        return replace(witness, canonical=complete)

    def begin(self, *, free: bool) -> bool:
        """Some play: one that leaves the table of the bound, if there is one."""
        tight = self.tiles == self.search.lower.tiles
        led = self.search.led(self.play.relation, self.play.states[-1]) if tight else []
        for extra in ([led] if led else []) + ([[]] if free else []):
            if self.engine.look(extra) is Answer.YES:
                self.engine.left += self.later
                self.engine.add(extra)
                return True
        return False

    def deals(self) -> list[list[Bit]]:
        """For every tile the zones in which it may be dealt, in order."""
        instance, dealt = self.play.relation.instance, self.play.start.dealt
        cells = sorted(symbols.zones(instance), key=lambda cell: cell[0] == self.rules.stock)
        held = [dealt.zone(*cell) for cell in cells]
        return [[zone[tile] for zone in held if tile in zone] for tile in range(symbols.tile_count(instance))]

    def settle(self, way: Sequence[Bit]) -> bool:
        """Fix the first of these bits that can hold; False when the engine gives up, and the one that holds is kept.

        The first of those that are left is asked of alone, then all below the one that holds: of both an answer is cheap.
        """
        place, low, alone, complete = self.first(way), 0, True, True
        while place is not None and low < place:
            high = low + 1 if alone else place
            answer = self.engine.look([self.play.relation.dag.any(way[low:high])])
            if answer is Answer.UNKNOWN:
                complete = False
                break
            if answer is Answer.YES:
                place, alone = self.first(way), True
            else:
                low, alone = high, False
        if place is not None:
            self.engine.add([way[place]])
        return complete

    def first(self, way: Sequence[Bit]) -> int | None:
        """The place of the first bit that holds in the last model, if one does."""
        return next((i for i, bit in enumerate(way) if self.engine.holds(bit)), None)
