"""How often something comes about in random play: an estimate with its interval, and nothing more than that."""

from __future__ import annotations

from collections.abc import Iterable

from domrules.interpreter.samples import wilson
from domrules.verifier.battery.play import Situation
from domrules.verifier.battery.subject import Subject
from domrules.verifier.goal import Goal


def frequency(subject: Subject, goal: Goal) -> list[str]:
    """A line about the share of random rounds in which the goal is met before they are settled; none where options are open."""
    if subject.instance.open:
        return []
    met, rounds = counted(subject.random, goal)
    if not rounds:
        return []
    low, high = wilson(met, rounds)
    share = f"in {met} of {rounds} rounds of random play (seed {subject.seed})"
    return [f"{share}: about {percent(low)} to {percent(high)} %, an estimate; people do not play at random"]


def counted(situations: Iterable[Situation], goal: Goal) -> tuple[int, int]:
    """Rounds in which the goal is met, and all rounds that came to an end."""
    met, rounds = set[tuple[int, int]](), set[tuple[int, int]]()
    for s in (s for s in situations if not s.played.broken_off):
        name = (s.match, s.round)
        rounds.add(name)
        if name not in met and s.kind != "settled" and goal.met(s.state):
            met.add(name)
    return len(met), len(rounds)


def percent(share: float) -> str:
    """`27`, `0.4`, `0`."""
    number = 100 * share
    return f"{number:.0f}" if number >= 10 or number < 0.05 else f"{number:.1f}"
