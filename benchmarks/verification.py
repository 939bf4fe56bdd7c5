"""From questions to the seconds their answers take: the median of three, beside the time that is allowed.

Building and solving are counted, imports are not, and nothing is kept from one run to the next. Commands run as new
processes without a cache of the user's; of those the CPU seconds are counted, imports and all.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from domrules.grammar.load import load
from domrules.verifier.battery.run import Request, verify

ROOT = Path(__file__).resolve().parent.parent
REPEATS = 3


@dataclass(frozen=True)
class Row:
    """A line of the table: what is asked, the seconds allowed, and a function that asks once and says how long it took."""

    name: str
    bar: float
    measure: Callable[[], float]


def timed(ask: Callable[[], object]) -> Callable[[], float]:
    """The wall seconds of a call in this process."""

    def measure() -> float:
        start = time.perf_counter()
        ask()
        return time.perf_counter() - start

    return measure


def command(*arguments: str) -> Callable[[], float]:
    """The CPU seconds of `dom …` as a new process. Raises CalledProcessError when it fails."""

    def measure() -> float:
        before = children()
        with tempfile.TemporaryDirectory() as home:
            environment = {**os.environ, "HOME": home, "XDG_CACHE_HOME": home}
            line = [sys.executable, "-m", "domrules", *arguments]
            subprocess.run(line, cwd=ROOT, env=environment, check=True, capture_output=True)
        return children() - before

    return measure


def children() -> float:
    """CPU seconds of all processes started so far that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def answer(file: str, players: int, item: str, word: str, tiles: str = "") -> Callable[[], float]:
    """The wall seconds of one item of the battery from the checked file: instance, lemmas, solving, replay.

    Raises AssertionError when the answer is not the expected one.
    """
    game = load(ROOT / "specs" / file)

    def measure() -> float:
        start = time.perf_counter()
        verdicts = list(verify(game, Request([players], only=(item,))))
        taken = time.perf_counter() - start
        (verdict,) = verdicts
        assert verdict.word.value == word, verdict
        assert not tiles or verdict.details[0].startswith(tiles), verdict.details
        return taken

    return measure


def starters(file: str, players: int) -> Callable[[], float]:
    """S1 and S2 together."""
    game = load(ROOT / "specs" / file)

    def measure() -> float:
        start = time.perf_counter()
        words = [v.word.value for v in verify(game, Request([players], only=("S1", "S2")))]
        taken = time.perf_counter() - start
        assert words == ["PROVED this table"] * 2, words
        return taken

    return measure


ROWS: Sequence[Row] = (
    Row("shortest fish, block 4x7: 10 tiles", 5.0, answer("block.dom", 4, "F2", "WITNESSED", "10 tiles")),
    Row("shortest fish, block 2x7: 1 tile", 1.0, answer("block.dom", 2, "F2", "WITNESSED", "1 tile")),
    Row("shortest fish, draw 2x7: 10 tiles", 15.0, answer("draw.dom", 2, "F2", "WITNESSED", "10 tiles")),
    Row("petkove: rounding, all integers", 1.0, answer("petkove.dom", 2, "C4", "PROVED any size")),
    Row("petkove 4x5: a starter, and only one", 1.0, starters("petkove.dom", 4)),
    Row("dom check specs/petkove.dom, new process", 0.35, command("check", "specs/petkove.dom")),
    Row("dom --help, new process", 0.2, command("--help")),
)


def table(rows: Sequence[Row], repeats: int = REPEATS) -> str:
    """Measure each row several times and return the lines of the table."""
    width = max(len(row.name) for row in rows)
    lines = [f"{'':<{width}}  {'seconds':>8}  {'allowed':>8}"]
    for row in rows:
        seconds = median(row.measure() for _ in range(repeats))
        lines.append(
            f"{row.name:<{width}}  {seconds:>8.2f}  {row.bar:>8.2f}  {'' if seconds <= row.bar else 'TOO LONG'}"
        )
    return "\n".join(line.rstrip() for line in lines)


def main() -> None:
    print(f"Answers, median of {REPEATS}")
    print(table(ROWS))


if __name__ == "__main__":
    main()
