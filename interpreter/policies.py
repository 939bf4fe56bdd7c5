"""What players value in a move, in a way that every engine can follow: first, greedy, heavy. (To random players all are equal.)

A policy says which legal moves are best; of these one is taken with equal chance, by exactly one number of a generator,
also when there is only one. So a match is named by policies, seed and index alone, and compiled code (`compiler.choosing`)
plays the same one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from domrules.grammar import core
from domrules.interpreter.chance import Chance
from domrules.interpreter.errors import RuleError
from domrules.interpreter.names import Move, choices
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.views import View

MANY = 10**6
"""More points than any match brings; nothing is computed with them but who would have won."""
LEAST = -1
"""What a move weighs that names no tile."""


class Policy(Protocol):
    """Says which moves are best."""

    def best(self, view: View, moves: Sequence[Move]) -> Sequence[int]:
        """Their places among the legal moves, in order; not empty. Raises RuleError."""
        ...


class Follower:
    """Takes any of the moves that its policy calls best."""

    def __init__(self, policy: Policy, chance: Chance) -> None:
        self.policy, self.chance = policy, chance

    def choose(self, view: View, moves: Sequence[Move]) -> int:
        best = self.policy.best(view, moves)
        return best[self.chance.below(len(best))]


class First:
    """The first in canonical order."""

    def best(self, view: View, moves: Sequence[Move]) -> Sequence[int]:
        return range(1)


class Greedy:
    """What brings most points at once: the mover's, times the number of others, less what it brings these.

    Whether points are good is asked of the rule that says who has won. What the settlement of a round will bring is not
    looked at: it lies in hands that are not shown.
    """

    def __init__(self, rules: Rules) -> None:
        self.shares = [shares(rules, player) for player in range(rules.instance.players)]

    def best(self, view: View, moves: Sequence[Move]) -> Sequence[int]:
        if len(moves) == 1:
            return (0,)
        weights = self.shares[view.player]
        brought = [view.brings(move) for move in moves]
        return greatest([sum(w * n for w, n in zip(weights, points, strict=True)) for points in brought])


class Heavy:
    """The heaviest tile: the one whose halves have the highest numbers or, without numbers, come last in their list."""

    def __init__(self, rules: Rules) -> None:
        self.instance, self.weights = rules.instance, weights(rules.instance)

    def best(self, view: View, moves: Sequence[Move]) -> Sequence[int]:
        return greatest([weight(self.instance, self.weights, move) for move in moves])


POLICIES: Mapping[str, Callable[[Rules], Policy]] = {
    "first": lambda _: First(),
    "greedy": Greedy,
    "heavy": Heavy,
}


def greatest(values: Sequence[float]) -> list[int]:
    """The places of the greatest value."""
    top = max(values)
    return [number for number, value in enumerate(values) if value == top]


# ---------------------------------------------------------------- what tiles weigh


def weights(instance: core.Instance) -> list[int]:
    """Of every tile the sum of its halves: their numbers, or their places where they are no numbers."""
    names = instance.sorts[instance.game.dominoes.half].names
    values = [int(n) for n in names] if all(n.isdecimal() for n in names) else list(range(len(names)))
    return [values[a] + values[b] for a, b in instance.halves]


def weighed(action: core.Action) -> list[int]:
    """The places of the choices of an action that are tiles."""
    return [place for place, param in enumerate(choices(action)) if param.sort == "tile"]


def weight(instance: core.Instance, tiles: Sequence[int], move: Move) -> int:
    """The tiles that a move names; less than nothing for one that names none."""
    named = [tiles[move.args[place]] for place in weighed(instance.deeds[move.action])]
    return sum(named) if named else LEAST


# ---------------------------------------------------------------- what points are worth


class Worth:
    """What a position is worth to a player: his points against those of the others, as the winners' rule values them."""

    def __init__(self, rules: Rules) -> None:
        self.rules, instance = rules, rules.instance
        self.team_of = [int(team or 0) for team in instance.sorts["player"].attrs["team"][1]]
        self.teams = instance.sorts["team"].size
        self.owners: dict[int, int] = {}
        for var, index, cell in rules.layout.walk():
            if var.role == "score" and index is not None and var.per in ("team", "player"):
                self.owners[cell] = index if var.per == "team" else self.team_of[index]

    def share(self, cell: int, player: int) -> int:
        """What a point in this cell counts for the player: the number of others in one of his own, else -1."""
        if cell not in self.owners:
            return 0
        return max(self.teams - 1, 1) if self.owners[cell] == self.team_of[player] else -1

    def points(self, state: State, player: int) -> int:
        """What the player's team has, times the number of others, less what these have. More is more, good or bad."""
        return sum(self.share(cell, player) * int(state.cells[cell] or 0) for cell in self.owners)

    def sign(self, state: State, player: int) -> int:
        """Are points good (1) or bad (-1) for who wants to win?"""
        return -1 if self.wins(state, player, -MANY) and not self.wins(state, player, MANY) else 1

    def wins(self, state: State, player: int, points: int) -> bool:
        """Would the player's team have won with these points, while the others have none?"""
        cells, mine = list(state.cells), self.team_of[player]
        for cell, team in self.owners.items():
            cells[cell] = points if team == mine else 0
        return self.won(State(tuple(cells)), player)

    def won(self, state: State, player: int) -> bool:
        try:
            return bool(self.rules.winners(state) >> self.team_of[player] & 1)
        except RuleError:
            return False


def shares(rules: Rules, player: int) -> tuple[int, ...]:
    """What a point in each score cell is worth to a player, before the first round of a match. Raises RuleError."""
    worth = Worth(rules)
    sign = worth.sign(rules.new_round(rules.new_match()), player)
    cells = rules.layout.select(rules.instance.role("state", "score"))
    return tuple(sign * worth.share(cell, player) for cell in cells)
