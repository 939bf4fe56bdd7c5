"""From a game to its tables: every player count with so many settings of the options that two of any value meet.

All settings, where they are few. A number is tried at its least, middle and greatest value that the game allows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from typing import TypeAlias

from domrules.grammar import core
from domrules.grammar.instance import SettingError, instantiate

FEW = 40
"""So many settings of a player count are all tried."""
Settings: TypeAlias = Mapping[str, int | bool]
Pair: TypeAlias = frozenset[tuple[str, int | bool]]
"""One option and its value, or two."""


def tables(game: core.Game) -> Iterator[core.Instance]:
    """The tables to try a game at, in a fixed order: for every player count first the one with the defaults."""
    for players in game.seats:
        found = [{}, *settings(game, players)]
        instances = (instance for chosen in found if (instance := table(game, players, chosen)) is not None)
        yield from {tuple(instance.options.values()): instance for instance in instances}.values()


def table(game: core.Game, players: int, chosen: Settings) -> core.Instance | None:
    """The table with these settings, if the game allows it. Raises BadFile."""
    try:
        return instantiate(game, players, chosen)
    except SettingError:
        return None


def settings(game: core.Game, players: int) -> Iterator[Settings]:
    """Settings to try with so many players; some may not be allowed."""
    choices = {name: tuple(values(game, players, option)) for name, option in game.options.items()}
    if prod(map(len, choices.values())) <= FEW:
        return (dict(zip(choices, chosen, strict=True)) for chosen in product(*choices.values()))
    return Pairs(game, players, choices).settings()


def values(game: core.Game, players: int, option: core.Option) -> list[int | bool]:
    """The values of an option that are tried: those allowed while all other options have their defaults, if any are."""
    every: list[int | bool]
    match option.type:
        case core.BoolType():
            every = [False, True]
        case core.Elem(sort=sort):
            members = next(enum.members for enum in game.enums if enum.name == sort)
            every = list(range(len(members or ())))
        case _:
            low, high = (nearest(game, players, option, far) for far in (option.low or 0, option.high or 0))
            every = sorted({low, (low + high) // 2, high})
    return [value for value in every if table(game, players, {option.name: value}) is not None] or every


def nearest(game: core.Game, players: int, option: core.Option, far: int) -> int:
    """The number nearest to `far` that is allowed when all other options have their defaults."""
    plain = table(game, players, {})
    near = far if plain is None else int(plain.options[option.name])
    while near != far:
        middle = (near + far + (far > near)) // 2
        if table(game, players, {option.name: middle}) is not None:
            near = middle
        else:
            far = middle - 1 if far > near else middle + 1
    return near


@dataclass(frozen=True)
class Pairs:
    """Settings in which any two values of two options meet, as far as the game allows it."""

    game: core.Game
    players: int
    choices: Mapping[str, Sequence[int | bool]]

    def settings(self) -> Iterator[Settings]:
        """For every pair not met so far, a setting with it and with as many other such pairs as it can hold."""
        waiting = self.pairs()
        while waiting:
            pair = next(iter(waiting))
            chosen = self.allowed(dict(pair), waiting)
            waiting = [other for other in waiting if other != pair and not other <= chosen.items()]
            yield chosen

    def pairs(self) -> list[Pair]:
        sides = [[(name, value) for value in some] for name, some in self.choices.items()]
        return [frozenset(pair) for a, b in combinations(sides, 2) for pair in product(a, b)]

    def allowed(self, start: Settings, waiting: Sequence[Pair]) -> Settings:
        """The start filled up; where that is not allowed, the start with the defaults."""
        full = self.filled(start, waiting)
        return start if table(self.game, self.players, full) is None else full

    def filled(self, start: Settings, waiting: Sequence[Pair]) -> Settings:
        """Option by option the value with which most of the waiting pairs are met."""
        chosen = dict(start)
        for name, some in self.choices.items():
            if name not in chosen:
                met = {value: {**chosen, name: value}.items() for value in some}
                chosen[name] = max(some, key=lambda value: sum(pair <= met[value] for pair in waiting))
        return chosen
