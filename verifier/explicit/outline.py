"""What may lie on the table, and from where a round can still come to an end with so many tiles: with nothing remembered of hands.

These are few positions, for they are one whoever holds what and however many were drawn. A search that remembers more leaves
out what has nothing to hope for here: whatever it can do can be done here, too.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from domrules.verifier.explicit.explore import TooLarge
from domrules.verifier.explicit.steps import Steps
from domrules.verifier.explicit.unknown import Cells

POSITIONS = 150_000
"""When to give up."""


@dataclass
class Outline:
    """Positions by number, found in the order of tiles. `goals`: the endings that are sought."""

    steps: Steps
    goals: Collection[int]
    most: int = POSITIONS
    numbers: dict[Cells, int] = field(default_factory=dict)
    before: list[list[int]] = field(default_factory=list)
    """The positions that lead to each."""
    levels: dict[int, list[Cells]] = field(default_factory=dict)
    """Positions by tiles."""
    ends: dict[int, list[int]] = field(default_factory=dict)
    """By tiles: the positions from which one move comes to an end that is sought."""
    done: int = -1
    """With so many tiles all positions were followed."""
    hopeful: frozenset[int] = frozenset()
    begun: bool = False

    def least(self, tiles: int = 0) -> int | None:
        """The fewest tiles, so many at least, with which the round may end so; None: it does not. Raises TooLarge."""
        if not self.begun:
            self.begin()
        while not any(tiles <= t <= self.done + 1 for t in self.ends):
            if self.done >= max(self.levels, default=-1):
                return None
            self.done += 1
            self.follow(self.done, None)
        return min(t for t in self.ends if t >= tiles)

    def limit(self, tiles: int) -> None:
        """From now on only what comes to an end with so many tiles at most has hope."""
        while self.done < tiles - 1:
            self.done += 1
            self.follow(self.done, None)
        if self.done < tiles:
            self.follow(tiles, tiles)
        waiting = [number for t, numbers in self.ends.items() if t <= tiles for number in numbers]
        found = set(waiting)
        while waiting:
            for number in self.before[waiting.pop()]:
                if number not in found:
                    found.add(number)
                    waiting.append(number)
        self.hopeful = frozenset(found)

    def hopes(self, cells: Cells) -> bool:
        """Can a position with more memory come to an end within the limit? Yes, where this one was not met."""
        name, _ = self.steps.named(cells, self.steps.nothing(cells))
        number = self.numbers.get(name)
        return number is None or number in self.hopeful

    def begin(self) -> None:
        self.begun = True
        for cells, _, ending in self.steps.starts():
            if ending is None:
                self.number(cells)
            elif ending in self.goals:
                self.ends.setdefault(self.steps.laid(cells), [])

    def follow(self, tiles: int, most: int | None) -> None:
        """All positions with so many tiles, and what comes of them with `most` tiles at most."""
        for cells in self.levels.get(tiles, []):
            number = self.numbers[cells]
            for after, _, ending in self.steps.after(cells, self.steps.nothing(cells), most=most):
                laid = self.steps.laid(after)
                if laid < tiles:
                    raise TooLarge("tiles leave the table, so positions do not come in the order of tiles")
                if ending is None:
                    self.before[self.number(after)].append(number)
                elif ending in self.goals:
                    self.ends.setdefault(laid, []).append(number)

    def number(self, cells: Cells) -> int:
        """The number of a position."""
        number = self.numbers.get(cells)
        if number is None:
            number = self.numbers[cells] = len(self.before)
            if number >= self.most:
                raise TooLarge(f"there are more than {self.most} positions")
            self.before.append([])
            self.levels.setdefault(self.steps.laid(cells), []).append(cells)
        return number
