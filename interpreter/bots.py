"""Players that know the rules and see what a player sees, nothing more: random, greedy, heavy, and one that looks ahead.

None of them knows a game. What a move brings is what the rules say it brings, in positions that may be true; whether
points are good is asked of the rule that says who has won.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from domrules.grammar.passes import optimise
from domrules.interpreter.chance import Chance
from domrules.interpreter.course import fate
from domrules.interpreter.errors import RuleError
from domrules.interpreter.names import Move
from domrules.interpreter.players import Player, RandomPlayer
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.views import View
from domrules.interpreter.worlds import Worlds

MANY = 10**6
"""More points than any match brings; nothing is computed with them but who would have won."""


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

    def points(self, state: State, player: int) -> int:
        """What the player's team has, times the number of others, less what these have. More is more, good or bad."""
        mine, own, others = self.team_of[player], 0, 0
        for cell, team in self.owners.items():
            if team == mine:
                own += int(state.cells[cell] or 0)
            else:
                others += int(state.cells[cell] or 0)
        return own * max(self.teams - 1, 1) - others

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


class Greedy:
    """Takes what brings most points at once, the settlement included when the round ends with it; else any move."""

    WORLDS = 3

    def __init__(self, rules: Rules, chance: Chance) -> None:
        self.rules, self.chance, self.worth = rules, chance, Worth(rules)

    def choose(self, view: View, moves: Sequence[Move]) -> int:
        if len(moves) == 1:
            return 0
        worlds = Worlds(self.rules, view)
        totals = [0] * len(moves)
        for _ in range(self.WORLDS):
            world = worlds.world(self.chance)
            sign = self.worth.sign(world, view.player)
            for number, move in enumerate(moves):
                after = tried(self.rules, world, move, self.chance)
                if after is not None:
                    totals[number] += sign * self.worth.points(after, view.player)
        return any_best(totals, self.chance)


class Heavy:
    """Lays the heaviest tile first: the one whose halves have the highest numbers or, without numbers, come last in their list."""

    def __init__(self, rules: Rules, chance: Chance) -> None:
        self.rules, self.chance = rules, chance
        self.weights = weights(rules)

    def choose(self, view: View, moves: Sequence[Move]) -> int:
        return any_best([weight(self.rules, self.weights, move) for move in moves], self.chance)


@dataclass(frozen=True)
class Judged:
    """What a move comes to: `mean` points against the others at the end of the round."""

    move: Move
    mean: float


class Ahead:
    """Imagines where hidden tiles may lie, plays every move on to the end of the round there, and takes the best on average."""

    def __init__(self, rules: Rules, chance: Chance, worlds: int = 48, moves: int = 200) -> None:
        """`worlds`: how many positions are imagined; `moves`: how long a round is followed."""
        self.rules, self.chance, self.worth = rules, chance, Worth(rules)
        self.worlds, self.moves, self.weights = worlds, moves, weights(rules)

    def choose(self, view: View, moves: Sequence[Move]) -> int:
        if len(moves) == 1:
            return 0
        return any_best([one.mean for one in self.judge(view, moves)], self.chance)

    def judge(self, view: View, moves: Sequence[Move]) -> list[Judged]:
        """What every move comes to."""
        guesses, totals = Worlds(self.rules, view), [0] * len(moves)
        for _ in range(self.worlds):
            world = guesses.world(self.chance)
            sign = self.worth.sign(world, view.player)
            start = self.worth.points(world, view.player)
            seed = self.chance.word()
            for number, move in enumerate(moves):
                end = self.played_out(world, move, Chance.named(seed, 0))
                totals[number] += sign * (self.worth.points(end, view.player) - start) + self.bonus(end, view.player)
        scale = self.worlds * max(self.worth.teams - 1, 1)
        return [Judged(move, total / scale) for move, total in zip(moves, totals, strict=True)]

    def bonus(self, end: State, player: int) -> int:
        """To win the match is worth something beyond its points."""
        try:
            if self.rules.ending(end) is None or not self.rules.over(end):
                return 0
        except RuleError:
            return 0
        prize = 50 * max(self.worth.teams - 1, 1)
        return prize if self.worth.won(end, player) else -prize

    def played_out(self, world: State, move: Move, chance: Chance) -> State:
        """A move, then the round to its end, everyone half by weight and half at random; with its settlement."""
        rules, state = self.rules, world
        try:
            for _ in range(self.moves):
                state = rules.act(state, move, fate(rules, state, move, chance))
                if rules.ending(state) is not None:
                    return rules.settle(state)
                moves = rules.legal_moves(state)
                if not moves:
                    break
                move = moves[0] if len(moves) == 1 else self.likely(moves, chance)
        except RuleError:
            pass
        return state

    def likely(self, moves: Sequence[Move], chance: Chance) -> Move:
        """What somebody might do."""
        if chance.below(2):
            return moves[chance.below(len(moves))]
        return max(moves, key=lambda move: weight(self.rules, self.weights, move))


# ---------------------------------------------------------------- what they share


def tried(rules: Rules, state: State, move: Move, chance: Chance) -> State | None:
    """The state after a move, settled when the round ends with it; nothing when a rule fails."""
    try:
        after = rules.act(state, move, fate(rules, state, move, chance))
        return after if rules.ending(after) is None else rules.settle(after)
    except RuleError:
        return None


def any_best(values: Sequence[float], chance: Chance) -> int:
    """The place of the greatest value; of several, any."""
    top = max(values)
    best = [number for number, value in enumerate(values) if value == top]
    return best[chance.below(len(best))]


def weights(rules: Rules) -> list[int]:
    """Of every tile the sum of its halves: their numbers, or their places where they are no numbers."""
    instance = rules.instance
    names = instance.sorts[instance.game.dominoes.half].names
    values = [int(n) for n in names] if all(n.isdecimal() for n in names) else list(range(len(names)))
    return [values[a] + values[b] for a, b in instance.halves]


def weight(rules: Rules, tiles: Sequence[int], move: Move) -> int:
    """The tiles that a move names; less than nothing for one that names none."""
    params = rules.instance.deeds[move.action].params
    named = [tiles[i] for param, i in zip(params, move.args, strict=False) if param.sort == "tile"]
    return sum(named) if named else -1


def swift(rules: Rules) -> Rules:
    """The same rules, quicker; cells and moves are the same. Make it once for all the bots of a table."""
    return Rules(optimise(rules.instance))


BOTS: Mapping[str, Callable[[Rules, Chance], Player]] = {
    "random": lambda _, chance: RandomPlayer(chance),
    "greedy": Greedy,
    "heavy": Heavy,
    "ahead": Ahead,
}
"""The players there are by name; each takes what it needs to choose among equals from a generator of its own."""
