"""Who decides: a player gets a view and the legal moves, and says which."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from domrules.interpreter.chance import Chance
from domrules.interpreter.names import Move
from domrules.interpreter.views import View


class Player(Protocol):
    """Anything that can choose."""

    def choose(self, view: View, moves: Sequence[Move]) -> int:
        """The index of the move it makes; `moves` is not empty and in canonical order."""
        ...


Seating: TypeAlias = Callable[[int, int, Chance], Sequence[Player]]
"""Who plays a match: is given its seed, its index, and its chance."""


class RandomPlayer:
    """Takes any legal move with equal chance, and one number of the generator for it, even when there is one move."""

    def __init__(self, chance: Chance) -> None:
        self.chance = chance

    def choose(self, view: View, moves: Sequence[Move]) -> int:
        return self.chance.below(len(moves))
