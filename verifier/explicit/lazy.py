"""The fewest tiles, then moves, with which a round of a full table ends in a given way: by the interpreter, over all deals at once.

Nobody's tiles are fixed beforehand: who holds a tile is left open until a move lays it or a question is asked (`unknown`). Where
the rules read pips by equality only, which is checked and not assumed, positions that differ in the names of pips are one
(`symmetry`, `naming`). Nothing that can happen is left out, and some things too many are kept, so what is found is a lower
bound: no round of any match ends so with fewer tiles, nor with as many in fewer moves. A solver has no part in it.

First with nothing remembered of hands (`outline`); then with more, but only where that gives hope.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from math import inf

from domrules.grammar import core
from domrules.verifier.explicit.explore import TooLarge
from domrules.verifier.explicit.outline import Outline
from domrules.verifier.explicit.steps import Found, Memory, Steps, Table
from domrules.verifier.explicit.unknown import Cells, Known

POSITIONS = 300_000
"""When to give up."""


@dataclass(frozen=True, slots=True)
class Least:
    """No round ends so with fewer tiles on the table, nor with as many in fewer moves; None: none ends so at all."""

    tiles: int | None
    moves: int | None
    """None, too, where moves were not counted."""
    positions: int
    memory: Memory
    classes: tuple[tuple[int, ...], ...]
    """Pips that may exchange their names."""
    numbers: tuple[str, ...] = ()
    """Numbers that may be any, whenever a rule asks."""
    left_out: tuple[str, ...] = ()
    """Actions of which a condition was left out."""
    anyhow: bool = False
    """Do rounds begin in all ways, whatever the deal?"""


def least(instance: core.Instance, endings: Collection[int], memory: Memory, most: int = POSITIONS) -> Least:
    """The search with so much memory. Raises TooLarge."""
    return Searches(instance, endings).least(memory, most)


class Searches:
    """The searches for some endings of a table, until it is `until` (of time.process_time). Raises TooLarge."""

    def __init__(self, instance: core.Instance, endings: Collection[int], until: float = inf) -> None:
        self.table, self.endings = Table(instance, until), endings
        self.outline = Outline(Steps(self.table, Memory.NOTHING), endings)

    def least(self, memory: Memory, most: int = POSITIONS) -> Least:
        """What it finds with so much memory. Raises TooLarge."""
        tiles = self.outline.least()
        if memory is Memory.NOTHING or tiles is None:
            return self.found(self.outline.steps, tiles, None, len(self.outline.before))
        steps, positions = Steps(self.table, memory), 0
        while tiles is not None:
            self.outline.limit(tiles)
            search = _Search(steps, self.outline, tiles, self.endings, most - positions)
            end = search.run()
            positions += search.positions
            if end is not None:
                return self.found(steps, *end, positions)
            tiles = self.outline.least(tiles + 1)
        return self.found(steps, None, None, positions)

    def found(self, steps: Steps, tiles: int | None, moves: int | None, positions: int) -> Least:
        table = self.table
        return Least(
            tiles, moves, positions, steps.memory, table.symmetry.classes, tuple(sorted(table.numbers)), table.left_out,
            steps.anyhow,
        )  # fmt: skip


@dataclass
class _Search:
    """Positions with the fewest tiles first, of these those with the fewest moves."""

    steps: Steps
    outline: Outline
    limit: int
    """Tiles on the table, at most."""
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
                if self.outline.hopes(cells) and self.new(cells, known):
                    after = self.steps.after(cells, known, most=self.limit)
                    ends |= set(self.note(after, (now[0], now[1] + 1)))
        return min(ends, default=None)

    def note(self, found: Iterator[Found], least: tuple[int, int]) -> Iterator[tuple[int, int]]:
        """Positions for later; gives (tiles, moves) of those where the round has ended as is sought."""
        for cells, known, ending in found:
            place = self.steps.laid(cells), least[1]
            if place < least:
                raise TooLarge("tiles leave the table, so positions do not come in the order of tiles")
            if place[0] > self.limit:
                continue
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
