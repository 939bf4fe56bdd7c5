"""From rows of speeds to a table: the median of three interleaved runs, and ratios to the first row.

All rows run in one process, one after another and three times over, so that a busy machine slows
them alike: the ratios carry over to other machines, the speeds do not.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean, median

import domrules_block
import openspiel_block
import verification
from openspiel_block import Sample

REPEATS = 3
ROUNDS = 2000


@dataclass(frozen=True)
class Row:
    """A line of the table: what runs, and one run with a seed."""

    name: str
    measure: Callable[[int], Sample]


def table(rows: Sequence[Row], repeats: int = REPEATS) -> str:
    """Measure the rows in turn, each time with another seed, and return the lines of the table."""
    runs = [[row.measure(seed) for row in rows] for seed in range(1, repeats + 1)]
    columns = list(zip(*runs, strict=True))
    first = median(sample.rounds_per_second for sample in columns[0])
    width = max(len(row.name) for row in rows)
    lines = [f"{'':<{width}}  {'a CPU second':>12}  {'ratio':>8}  {'blocked':>8}  {'plays':>6}"]
    for row, samples in zip(rows, columns, strict=True):
        speed = median(sample.rounds_per_second for sample in samples)
        blocked, plays = mean(s.blocked for s in samples), mean(s.plays for s in samples)
        lines.append(f"{row.name:<{width}}  {speed:>12,.0f}  {speed / first:>6.2f} x  {blocked:>8.1%}  {plays:>6.2f}")
    return "\n".join(lines)


def block_rows(rounds: int = ROUNDS) -> list[Row]:
    """Rows for block, OpenSpiel first."""
    return [
        Row("OpenSpiel python_block_dominoes", lambda seed: openspiel_block.play(rounds, seed)),
        Row("domrules specs/block.dom", lambda seed: domrules_block.play(rounds, seed)),
    ]


def main() -> None:
    print(f"Rounds of block, 2 players, random play, {REPEATS} x {ROUNDS}; at least 0.7 x wanted, 1 x aimed at")
    try:
        print(table(block_rows()))
    except ImportError as error:
        sys.exit(f"The other programs are not installed ({error}); `make bench` installs them.")
    print()
    verification.main()


if __name__ == "__main__":
    main()
