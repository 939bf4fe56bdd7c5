"""From bots to a table of who beats whom: shares of won matches with their 95 % intervals, for every two bots.

    python benchmarks/strength.py [--game draw] [--matches 2000] [--set target=30] [--seed 1] [--jobs 2] [--keep FILE] [--seconds 600]

Every match is named by (seed, its number), and the bots change seats from match to match; so the table is the same
however the matches are spread over processes and runs. `--keep` writes down what has been played, and a run with the same
file plays only the rest. After `--seconds` the table is of what there is. A match that both win, or nobody, counts half.
"""

import argparse
import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import combinations
from multiprocessing import Pool
from pathlib import Path

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


class Kept:
    """What has been played, as lines of a file: the task, then its share."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else []
        self.shares = dict(map(read, lines))

    def __setitem__(self, task: Task, share: Share) -> None:
        self.shares[task] = share
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as out:
                print(json.dumps([asdict(task), asdict(share)]), file=out)


def read(line: str) -> tuple[Task, Share]:
    task, share = json.loads(line)
    return Task(**{**task, "options": tuple(map(tuple, task["options"]))}), Share(**share)


def tasks(game: str, options: tuple[tuple[str, str], ...], bots: Sequence[str], seed: int, matches: int) -> list[Task]:
    """Some matches of every two bots in turn, so that all have as many whenever it stops."""
    pairs = list(combinations(reversed(bots), 2))
    return [
        Task(game, options, one, other, seed, first, min(CHUNK, matches - first))
        for first in range(0, matches, CHUNK)
        for one, other in pairs
    ]


def table(wanted: Sequence[Task], kept: Kept) -> Iterator[str]:
    """A line for every two bots."""
    found: dict[tuple[str, str], Share] = {}
    for task in wanted:
        if task in kept.shares:
            pair = task.one, task.other
            found[pair] = found.get(pair, Share(0, 0, 0)) + kept.shares[task]
    for (one, other), share in found.items():
        low, high = share.interval
        yield (
            f"  {one:>7} beats {other:<7} {share.points / share.matches:6.1%}   [{low:.1%}, {high:.1%}]"
            f"   {share.matches:5} matches   {share.seconds:7.1f} s CPU"
        )
    yield f"  {sum(share.seconds for share in found.values()):.0f} s CPU in all"


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
    reader.add_argument("--keep", type=Path, help="where what has been played is written down")
    reader.add_argument("--seconds", type=float, default=float("inf"), help="begin no more after so long")
    told = reader.parse_args(args)
    words = [word.partition("=") for word in told.set or ["target=30"]]
    options = tuple(sorted((name, value) for name, _, value in words))
    until, kept = time.monotonic() + told.seconds, Kept(told.keep)
    with Pool(told.jobs) as pool:
        for game in told.game or ["block", "draw"]:
            wanted = tasks(game, options, told.bots.split(","), told.seed, told.matches)
            left = [task for task in wanted if task not in kept.shares]
            for task, share in zip(left, pool.imap(play, left), strict=True):
                kept[task] = share
                if time.monotonic() > until:
                    break
            told_as = " ".join("=".join(pair) for pair in options)
            print(f"\n{game}, 2 players, {told_as}, seed {told.seed}", *table(wanted, kept), sep="\n", flush=True)


if __name__ == "__main__":
    main()
