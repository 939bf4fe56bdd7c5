"""Players that know the rules and see what a player sees, nothing more: those that follow a policy, and one that looks ahead.

None of them knows a game. What a move brings is what the rules say it brings, in positions that may be true; whether
points are good is asked of the rule that says who has won.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from domrules.grammar.passes import optimise
from domrules.interpreter.chance import Chance
from domrules.interpreter.course import fate
from domrules.interpreter.errors import RuleError
from domrules.interpreter.names import Move
from domrules.interpreter.players import Player, RandomPlayer, Seating
from domrules.interpreter.policies import POLICIES, Follower, Worth, greatest, weight, weights
from domrules.interpreter.roster import RANDOM, SHARED
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.views import View
from domrules.interpreter.worlds import Worlds


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
        self.worlds, self.moves, self.weights = worlds, moves, weights(rules.instance)

    def choose(self, view: View, moves: Sequence[Move]) -> int:
        if len(moves) == 1:
            return 0
        best = greatest([one.mean for one in self.judge(view, moves)])
        return best[self.chance.below(len(best))]

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
        return max(moves, key=lambda move: weight(self.rules.instance, self.weights, move))


# ---------------------------------------------------------------- who there is


def follower(name: str, rules: Rules, chance: Chance) -> Player:
    """Who follows a policy."""
    return Follower(POLICIES[name](rules), chance)


BOTS: Mapping[str, Callable[[Rules, Chance], Player]] = {
    RANDOM: lambda _, chance: RandomPlayer(chance),
    **{name: partial(follower, name) for name in POLICIES},
    "ahead": Ahead,
}
"""The players there are by name; each takes what it needs to choose among equals from a generator."""


def swift(rules: Rules) -> Rules:
    """The same rules, quicker; cells and moves are the same. Make it once for all the bots of a table."""
    return Rules(optimise(rules.instance))


def seating(rules: Rules, names: Sequence[str]) -> Seating:
    """The bots of a table. Who follows a policy takes one number of the match for each move; others have generators of their own."""
    known = swift(rules) if set(names) - set(SHARED) else rules
    policies = {name: POLICIES[name](rules) for name in names if name in POLICIES}

    def seats(seed: int, index: int, chance: Chance) -> list[Player]:
        found = list[Player]()
        for place, name in enumerate(names):
            own = Chance.named(seed, -1 - index * len(names) - place)
            if name in policies:
                found.append(Follower(policies[name], chance))
            else:
                found.append(BOTS[name](known, chance if name == RANDOM else own))
        return found

    return seats
