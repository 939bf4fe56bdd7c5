"""Matches that the interpreter plays, counted as compiled code counts them: for what is not compiled, and as a second opinion."""

from __future__ import annotations

from collections.abc import Sequence

from domrules.compiler.counts import HIGHS, MOVES, SHIFT, SUMS, Shape
from domrules.compiler.rows import CHUNK, columns
from domrules.interpreter.chance import Chance
from domrules.interpreter.errors import RuleError, Unfinished
from domrules.interpreter.names import Move
from domrules.interpreter.play import Match, Round, play_match
from domrules.interpreter.players import Player, Seating
from domrules.interpreter.rules import Rules
from domrules.interpreter.views import View


class Interpreted:
    """An engine like those of compiled code."""

    def __init__(self, rules: Rules, seating: Seating, shape: Shape) -> None:
        self.rules, self.seating, self.shape = rules, seating, shape
        self.arrays = {name: [0] * size for name, size in shape.arrays().items()}
        self.columns = columns(shape.scores)
        self.arrays |= {f"row {name}": [0] * CHUNK for name in self.columns} | {"at": [0]}

    def run(self, first: int, last: int, seed: int) -> bool:
        for index in range(first, last):
            self.arrays["at"][0] = index
            chance = Chance.named(seed, index)
            watched = [_Watched(p, self) for p in self.seating(seed, index, chance)]
            try:
                match = play_match(self.rules, chance, watched)
            except (RuleError, Unfinished):
                return False
            self.match(match, index - first)
        return True

    def read(self, name: str) -> Sequence[int]:
        return self.arrays[name]

    def again(self) -> Interpreted:
        return Interpreted(self.rules, self.seating, self.shape)

    # ------------------------------------------------------------ counting

    def add(self, name: str, place: int, amount: int = 1) -> None:
        self.arrays[name][place] += amount

    def total(self, name: str, amount: int) -> None:
        self.add("sums", SUMS.index(name), amount)

    def extreme(self, name: str, value: int) -> None:
        place, shifted = HIGHS.index(name), value + SHIFT
        highs, lows = self.arrays["highs"], self.arrays["lows"]
        highs[place] = max(highs[place], shifted)
        lows[place] = min(lows[place] or shifted, shifted)

    def offered(self, n: int) -> None:
        """A move is chosen out of n."""
        self.total("offered", n)
        self.total("choices", int(n > 1))
        highs, place = self.arrays["highs"], HIGHS.index("offered")
        highs[place] = max(highs[place], n + SHIFT)

    def match(self, match: Match, row: int) -> None:
        rules, last = self.rules, match.rounds[-1].settled
        moves = sum(map(self.round, match.rounds))
        first = rules.mover(match.rounds[0].states[0]) or 0
        winners, scores = match.winners or 0, rules.scores(last)
        self.add("outcomes", (first << self.shape.teams) + winners)
        self.add("rounds", len(match.rounds))
        self.extreme("rounds", len(match.rounds))
        self.extreme("match", moves)
        self.total("moves", moves)
        for place, score in enumerate(scores):
            self.add("scores", place, score)
            self.extreme("score", score)
        values = (first, winners, len(match.rounds), moves, *scores)
        for name, value in zip(self.columns, values, strict=True):
            self.arrays[f"row {name}"][row % CHUNK] = value

    def round(self, played: Round) -> int:
        """Gives the number of its moves."""
        rules, plies = self.rules, len(played.plies)
        ending = rules.ending(played.ended)
        assert ending is not None
        self.add("ended", ending)
        self.add("lengths", min(plies, MOVES - 1))
        self.extreme("moves", plies)
        for ply in played.plies:
            self.add("acted", ply.move.action)
        begun, ended, settled = (sum(rules.scores(s)) for s in (played.states[0], played.ended, played.settled))
        self.total("played", ended - begun)
        self.add("paid", ending, settled - ended)
        return plies


class _Watched:
    """A player, and how many moves he could choose among."""

    def __init__(self, player: Player, engine: Interpreted) -> None:
        self.player, self.engine = player, engine

    def choose(self, view: View, moves: Sequence[Move]) -> int:
        self.engine.offered(len(moves))
        return self.player.choose(view, moves)
