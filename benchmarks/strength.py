"""From bots to a table of who beats whom: shares of won matches with their 95 % intervals, for every two bots.

    python benchmarks/strength.py [--game draw] [--matches 2000] [--set target=30] [--seed 1] [--jobs 2]

Every match is named by (seed, its number), and the bots change seats from match to match; so the table is the same
however the matches are spread over processes. A match that both win, or nobody, counts half.
"""

import argparse
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from multiprocessing import Pool

from domrules.grammar.instance import instantiate
from domrules.grammar.load import SHIPPED, load
from domrules.interpreter.bots import BOTS, swift
from domrules.interpreter.chance import Chance
from domrules.interpreter.play import Table
from domrules.interpreter.rules import Rules
from domrules.interpreter.samples import wilson

CHUNK = 10
"""Matches a process is given at a time."""


@dataclass(frozen=True)
class Task:
    """Some matches of two bots."""

    game: str
    options: tuple[tuple[str, str], ...]
    one: str
    other: str
    seed: int
    first: int
    count: int


@dataclass(frozen=True)
class Share:
    """What came of matches: how many, the points of the first bot (a half for a tie), and the CPU seconds they took."""

    matches: int
    points: float
    seconds: float

    def __add__(self, other: "Share") -> "Share":
        return Share(self.matches + other.matches, self.points + other.points, self.seconds + other.seconds)

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the share."""
        return wilson(self.points, self.matches)


@cache
def table_rules(game: str, options: tuple[tuple[str, str], ...]) -> Rules:
    return swift(Rules(instantiate(load(SHIPPED / f"{game}.dom"), 2, dict(options))))


def play(task: Task) -> Share:
    """The matches of a task, one after the other."""
    begun, rules = time.process_time(), table_rules(task.game, task.options)
    points = sum(one_match(rules, task, index) for index in range(task.first, task.first + task.count))
    return Share(task.count, points, time.process_time() - begun)


def one_match(rules: Rules, task: Task, index: int) -> float:
    """1 when the first bot wins, 0 when the other does, else a half."""
    seat = index % 2
    names = (task.other, task.one) if seat else (task.one, task.other)
    players = [BOTS[name](rules, Chance.named(task.seed, -1 - 2 * index - k)) for k, name in enumerate(names)]
    won = Table(rules, players, Chance.named(task.seed, index)).match(rules.new_match()).winners or 0
    mine, theirs = won >> seat & 1, won >> (1 - seat) & 1
    return 0.5 if mine == theirs else float(mine)


def main(args: Sequence[str] | None = None) -> None:
    reader = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    reader.add_argument("--game", action="append", help="a shipped game with a table for two; may be given again")
    reader.add_argument("--matches", type=int, default=2000)
    reader.add_argument(
        "--set", action="append", help="OPTION=VALUE; without it target=30, a match of one round or two"
    )
    reader.add_argument("--seed", type=int, default=1)
    reader.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    reader.add_argument("--bots", default=",".join(BOTS), help="names with commas between")
    told = reader.parse_args(args)
    words = [word.partition("=") for word in told.set or ["target=30"]]
    options = tuple(sorted((name, value) for name, _, value in words))
    with Pool(told.jobs) as pool:
        for game in told.game or ["block", "draw"]:
            pairs = list(combinations(reversed(told.bots.split(",")), 2))
            firsts = range(0, told.matches, CHUNK)
            tasks = [
                Task(game, options, a, b, told.seed, first, min(CHUNK, told.matches - first))
                for a, b in pairs
                for first in firsts
            ]
            found = dict.fromkeys(pairs, Share(0, 0, 0))
            for task, share in zip(tasks, pool.imap(play, tasks), strict=True):
                found[task.one, task.other] += share
            told_as = " ".join("=".join(pair) for pair in options)
            print(f"\n{game}, 2 players, {told_as}, {told.matches} matches a pair, seed {told.seed}")
            for (one, other), share in found.items():
                low, high = share.interval
                print(
                    f"  {one:>7} beats {other:<7} {share.points / share.matches:6.1%}"
                    f"   [{low:.1%}, {high:.1%}]   {share.seconds:7.1f} s CPU"
                )
            total = sum(share.seconds for share in found.values())
            print(f"  {total:.0f} s CPU in all", flush=True)


if __name__ == "__main__":
    main()
