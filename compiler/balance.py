"""Counts of many matches → what an author asks of a game: who wins, how rounds end, how long, how high, with what freedom."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from domrules.compiler.counts import Tally
from domrules.grammar import core
from domrules.interpreter.samples import Z, wilson


@dataclass(frozen=True)
class Share:
    """A part of all, with the bounds between which it lies with 95 % (Wilson)."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Spread:
    """A number of a match or round: mean, least, greatest."""

    mean: float
    least: int
    most: int


@dataclass(frozen=True)
class Side:
    """Who wins or loses together: seats, and how often they are among the winners (a shared win counts in parts)."""

    seats: tuple[str, ...]
    wins: Share
    alone: float
    """Share of matches that nobody else has won, too."""
    score: float
    """Mean final score, where each side has one."""


@dataclass(frozen=True)
class Balance:
    """The answers; numbers of moves, rounds and points are means."""

    matches: int
    sides: tuple[Side, ...]
    shared: float
    """Share of matches with several winners."""
    nobody: float
    first: Share
    """Share of matches won by the side of who was to move first in the first round."""
    even: float
    """What that share would be if the seat did not matter."""
    rounds: Spread
    moves: Spread
    """Moves of a round."""
    match_moves: Spread
    endings: Mapping[str, float]
    """Share of rounds that ended so."""
    fish: Share | None
    """Share of rounds that were blocked, where the game has such an ending."""
    actions: Mapping[str, float]
    """How many times a round."""
    in_play: float
    """Points of a round made before it ended."""
    at_end: Mapping[str, float]
    """Points of a round that ended so, brought by the settlement."""
    points: Mapping[str, float]
    """Points of a round by where they come from: made in play, or brought by an ending."""
    choice: float
    """Share of moves that were a choice."""
    offered: float
    """Possibilities of a move."""
    most_offered: int
    scores: tuple[int, int]
    """Least and greatest final score."""
    lengths: tuple[int, ...]
    """Rounds by moves; the last entry counts all longer ones."""
    match_rounds: tuple[int, ...]
    """Matches by rounds."""


def share(part: float, whole: int) -> Share:
    """A share with its Wilson interval."""
    if not whole:
        return Share(0.0, 0.0, 1.0)
    return Share(part / whole, *wilson(part, whole))


def balance(instance: core.Instance, tally: Tally) -> Balance:
    """The answers for one table."""
    matches, rounds = tally.matches, tally.rounds
    ended, arrays = tally.arrays["ended"], tally.arrays
    moves, names = tally.sum("moves"), [e.name for e in instance.endings]
    fish = [i for i, e in enumerate(instance.endings) if e.role == "fish"]
    sides = _sides(instance, tally)
    each = max(1, rounds)
    return Balance(
        matches=matches,
        sides=sides,
        shared=_part(tally, lambda mask: mask.bit_count() > 1),
        nobody=_part(tally, lambda mask: mask == 0),
        first=share(
            sum(n / m.bit_count() for (f, m), n in tally.outcomes().items() if m >> team(instance, f) & 1), matches
        ),
        even=_even(instance, tally),
        rounds=Spread(rounds / max(1, matches), tally.low("rounds"), tally.high("rounds")),
        moves=Spread(moves / each, tally.low("moves"), tally.high("moves")),
        match_moves=Spread(moves / max(1, matches), tally.low("match"), tally.high("match")),
        endings={name: ended[i] / each for i, name in enumerate(names)},
        fish=share(sum(ended[i] for i in fish), rounds) if fish else None,
        actions={a.name: arrays["acted"][i] / each for i, a in enumerate(instance.actions)},
        in_play=tally.sum("played") / each,
        points={
            "in play": tally.sum("played") / each,
            **{name: arrays["paid"][i] / each for i, name in enumerate(names)},
        },
        at_end={name: arrays["paid"][i] / ended[i] for i, name in enumerate(names) if ended[i]},
        choice=tally.sum("choices") / max(1, moves),
        offered=tally.sum("offered") / max(1, moves),
        most_offered=tally.high("offered"),
        scores=(tally.low("score"), tally.high("score")),
        lengths=arrays["lengths"],
        match_rounds=arrays["rounds"],
    )


def team(instance: core.Instance, player: int) -> int:
    """The team of a player."""
    value = instance.sorts["player"].attrs["team"][1][player]
    assert isinstance(value, int)
    return value


def _sides(instance: core.Instance, tally: Tally) -> tuple[Side, ...]:
    players, outcomes, scores = instance.sorts["player"], tally.outcomes(), tally.arrays["scores"]
    count = instance.sorts["team"].size
    found = []
    for t in range(count):
        seats = tuple(name for p, name in enumerate(players.names) if team(instance, p) == t)
        wins = sum(n / m.bit_count() for (_, m), n in outcomes.items() if m >> t & 1)
        alone = sum(n for (_, m), n in outcomes.items() if m == 1 << t)
        score = scores[t] / max(1, tally.matches) if tally.shape.scores == count else 0.0
        found.append(Side(seats, share(wins, tally.matches), alone / max(1, tally.matches), score))
    return tuple(found)


def _part(tally: Tally, test: Callable[[int], bool]) -> float:
    return sum(n for (_, m), n in tally.outcomes().items() if test(m)) / max(1, tally.matches)


def _even(instance: core.Instance, tally: Tally) -> float:
    """Everybody's mean share of wins."""
    won = sum(n for (_, m), n in tally.outcomes().items() if m)
    return won / max(1, tally.matches) / instance.sorts["team"].size


# ---------------------------------------------------------------- two variants on the same chance


@dataclass(frozen=True)
class Difference:
    """A number of a match under two variants: the means, the mean of their difference and its half-width at 95 %.

    One match alone does not tell how far the next may be from it: no half-width."""

    name: str
    first: float
    second: float
    difference: float
    within: float | None


@dataclass
class Paired:
    """A number of each match under two variants, `scale` times as great as it is shown: sums, which are exact in any order."""

    name: str
    scale: int = 1
    count: int = 0
    firsts: int = 0
    seconds: int = 0
    squares: int = 0
    """Of the differences."""

    def add(self, firsts: Sequence[int], seconds: Sequence[int]) -> None:
        """Some matches, in the same order under both."""
        self.count += len(firsts)
        self.firsts += sum(firsts)
        self.seconds += sum(seconds)
        self.squares += sum((b - a) ** 2 for a, b in zip(firsts, seconds, strict=True))

    def difference(self) -> Difference:
        """Second less first, over the matches so far."""
        n, gaps = max(1, self.count), self.seconds - self.firsts
        whole = n * self.scale
        means = self.firsts / whole, self.seconds / whole, gaps / whole
        if n < 2:
            return Difference(self.name, *means, None)
        error = sqrt((n * self.squares - gaps**2) / (n - 1)) / whole
        return Difference(self.name, *means, Z * error)
