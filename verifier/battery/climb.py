"""From a wish to a round that fulfils it: a round, changed a little again and again, as long as it gets hardly worse.

    found = climb(rules, wish, tries=3_000)      # wish(round): 0 or more when it is what is looked for

A round is decided by a script: the order in which tiles come off the stock, and a weight for every move, of which the
heaviest that is legal is made. To change it is to exchange two tiles or to weigh a move anew; where that does not matter
the round stays as it was. Now and then it begins afresh. Nothing here knows a game. What is found was played by the
interpreter, so it is a witness; what is not found says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import exp
from random import Random

from domrules.interpreter.errors import RuleError
from domrules.interpreter.names import Args, Move
from domrules.interpreter.play import Ply, Round, deal
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State

Wish = Callable[[Round], float | None]
"""How near a round is: 0 or more is there, None is nowhere."""

MOVES = 500
"""A longer round is none."""
FIRST = 500
"""Tries of the first run; each later one is twice as long as the one before."""
SLACK = 0.7
"""A round that is worse by so much replaces the last one in 1 of e cases."""
AGAIN = 0.4
"""How often one change is followed by another."""


@dataclass(frozen=True, slots=True)
class Script:
    """What decides a round."""

    order: tuple[int, ...]
    """Tiles as they come off the stock."""
    weights: dict[Move, float]
    """Of moves, with what fate adds. Not to be changed."""


@dataclass
class Author:
    """Writes scripts. All that is random about a climb comes from `random`."""

    random: Random
    tiles: int
    known: list[Move] = field(default_factory=list)
    """Moves that were legal somewhere."""
    base: dict[Move, float] = field(default_factory=dict)
    """The weight of a move whose weight no script has changed."""

    def fresh(self) -> Script:
        order = list(range(self.tiles))
        self.random.shuffle(order)
        return Script(tuple(order), {move: self.random.random() for move in self.known})

    def changed(self, script: Script) -> Script:
        order, weights = list(script.order), dict(script.weights)
        while True:
            if self.random.random() < 0.5 or not self.known:
                a, b = self.random.randrange(self.tiles), self.random.randrange(self.tiles)
                order[a], order[b] = order[b], order[a]
            else:
                weights[self.random.choice(self.known)] = self.random.random()
            if self.random.random() >= AGAIN:
                return Script(tuple(order), weights)

    def weight(self, script: Script, move: Move) -> float:
        found = script.weights.get(move)
        if found is None:
            found = self.base.get(move)
        if found is None:
            found = self.base[move] = self.random.random()
            self.known.append(move)
        return found

    # ------------------------------------------------------------ playing

    def play(self, rules: Rules, script: Script, before: State) -> Round | None:
        """The round of a script; none where it is dealt again, breaks a rule or does not end."""
        try:
            dealt = deal(rules, rules.new_round(before), lambda tiles: next(t for t in script.order if tiles >> t & 1))
            if rules.wants_redeal(dealt):
                return None
            state, plies = rules.begin(dealt), list[Ply]()
            states = [state]
            while rules.ending(state) is None:
                moves = rules.legal_moves(state)
                if not moves or len(plies) == MOVES:
                    return None
                move = moves[0] if len(moves) == 1 else max(moves, key=lambda m: self.weight(script, m))
                outcome = self.outcome(rules, script, state, move)
                plies.append(Ply(rules.mover(state), move, outcome))
                state = rules.act(state, move, outcome)
                states.append(state)
            return Round(dealt, tuple(plies), tuple(states), rules.settle(state))
        except RuleError:
            return None

    def outcome(self, rules: Rules, script: Script, state: State, move: Move) -> Args:
        """What fate adds."""
        if not rules.has_chance(move):
            return ()
        outcomes: Sequence[Args] = rules.outcomes(state, move)
        return max(outcomes, key=lambda more: self.weight(script, Move(move.action, move.args + more)))


def climb(rules: Rules, wish: Wish, *, tries: int, seed: int = 1, before: State | None = None) -> Round | None:
    """A round that fulfils the wish, if one is found within so many tries. `before`: where it starts from."""
    author = Author(Random(seed), rules.instance.sorts["tile"].size)
    state = rules.new_match() if before is None else before
    script, here = author.fresh(), None
    length = left = FIRST
    for _ in range(tries):
        if not left:
            script, here, length = author.fresh(), None, 2 * length
            left = length
        left -= 1
        new = author.fresh() if here is None else author.changed(script)
        played = author.play(rules, new, state)
        value = None if played is None else wish(played)
        if value is None:
            continue
        if value >= 0:
            return played
        if here is None or value >= here or author.random.random() < exp((value - here) / SLACK):
            script, here = new, value
    return None
