"""The fewest tiles, then moves, with which a round of a full table ends in a given way: by the interpreter, over all deals at once.

Nobody's tiles are fixed beforehand: who holds a tile is left open until a move lays it or a question is asked (`unknown`). Where
the rules read pips by equality only, which is checked and not assumed, positions that differ in the names of pips are one
(`symmetry`, `naming`). Nothing that can happen is left out, and some things too many are kept, so what is found is a lower
bound: no round of any match ends so with fewer tiles, nor with as many in fewer moves. A solver has no part in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from domrules.grammar import core
from domrules.verifier.explicit.explore import TooLarge
from domrules.verifier.explicit.steps import Found, Steps
from domrules.verifier.explicit.unknown import Cells, Known

POSITIONS = 300_000
"""When to give up."""


@dataclass(frozen=True, slots=True)
class Least:
    """No round ends so with fewer tiles on the table, nor with as many in fewer moves; None: none ends so at all."""

    tiles: int | None
    moves: int | None
    positions: int
    classes: tuple[tuple[int, ...], ...]
    """Pips that may exchange their names."""


def least(instance: core.Instance, endings: Collection[int], *, counted: bool = False, most: int = POSITIONS) -> Least:
    """The search. `counted`: it is remembered how many tiles each player holds, and what passes tell. Raises TooLarge."""
    if not instance.role("zone", "stock") or not instance.role("zone", "layout"):
        raise TooLarge("no zone is `as layout`, or none is `as stock`")
    search = _Search(Steps(instance, counted=counted), endings, most)
    end = search.run()
    tiles, moves = (None, None) if end is None else end
    return Least(tiles, moves, search.positions, search.steps.symmetry.classes)


@dataclass
class _Search:
    """Positions with the fewest tiles first, of these those with the fewest moves."""

    steps: Steps
    goals: Collection[int]
    most: int
    positions: int = 0
    waiting: dict[tuple[int, int], dict[tuple[Cells, Known], None]] = field(default_factory=dict)
    """By (tiles, moves)."""
    seen: dict[tuple[Cells, tuple[int, ...]], list[Known]] = field(default_factory=dict)

    def run(self) -> tuple[int, int] | None:
        """The least (tiles, moves) of an end."""
        ends = set(self.note(self.steps.starts(), (0, 0)))
        while self.waiting:
            now = min(self.waiting)
            if ends and min(ends) <= now:
                break
            for cells, known in self.waiting.pop(now):
                if self.new(cells, known):
                    ends |= set(self.note(self.steps.after(cells, known), (now[0], now[1] + 1)))
        return min(ends, default=None)

    def note(self, found: Iterator[Found], least: tuple[int, int]) -> Iterator[tuple[int, int]]:
        """Positions for later; gives (tiles, moves) of those where the round has ended as is sought."""
        for cells, known, ending in found:
            place = self.steps.laid(cells), least[1]
            if place < least:
                raise TooLarge("tiles leave the table, so positions do not come in the order of tiles")
            if ending is None:
                self.waiting.setdefault(place, {})[cells, known] = None
            elif ending in self.goals:
                yield place

    def new(self, cells: Cells, known: Known) -> bool:
        """Is this position none that an earlier one stands for?"""
        alike = self.seen.setdefault((cells, known.count), [])
        if any(other.covers(known) for other in alike):
            return False
        alike.append(known)
        self.positions += 1
        if self.positions > self.most:
            raise TooLarge(f"there are more than {self.most} positions")
        return True
