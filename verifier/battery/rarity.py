"""How often something comes about in random play: an estimate with its interval, and nothing more than that."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt

from domrules.verifier.battery.play import Situation
from domrules.verifier.battery.subject import Subject
from domrules.verifier.goal import Goal

Z = 1.96
"""Of an interval that holds the truth 95 times in 100."""


def rarity(subject: Subject, goal: Goal) -> list[str]:
    """A line about the share of random rounds in which the goal is met before they are settled."""
    met, rounds = counted(subject.random, goal)
    if not rounds:
        return []
    low, high = wilson(met, rounds)
    share = f"in {met} of {rounds} rounds of random play (seed {subject.seed})"
    return [f"{share}: about {percent(low)} to {percent(high)} %, an estimate; people do not play at random"]


def counted(situations: Iterable[Situation], goal: Goal) -> tuple[int, int]:
    """Rounds in which the goal is met, and all rounds."""
    met, rounds = set[tuple[int, int]](), set[tuple[int, int]]()
    for s in situations:
        name = (s.match, s.round)
        rounds.add(name)
        if name not in met and s.kind != "settled" and goal.met(s.state):
            met.add(name)
    return len(met), len(rounds)


def wilson(met: int, rounds: int) -> tuple[float, float]:
    """The interval of Wilson for a share, from 0 to 1; sensible also where nothing, or everything, was met."""
    share, spread = met / rounds, Z * Z / rounds
    middle = (share + spread / 2) / (1 + spread)
    half = Z * sqrt(share * (1 - share) / rounds + spread / (4 * rounds)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def percent(share: float) -> str:
    """`27`, `0.4`, `0`."""
    number = 100 * share
    return f"{number:.0f}" if number >= 10 or number < 0.05 else f"{number:.1f}"
