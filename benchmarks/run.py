"""From rows of speeds to a table: the median of three interleaved runs, and ratios to the first row.

All rows run in one process, one after another and three times over, so that a busy machine slows
them alike: the ratios carry over to other machines, the speeds do not.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import openspiel_block

REPEATS = 3


@dataclass(frozen=True)
class Row:
    """A line of the table: what runs, what is counted, and one run giving it per CPU second."""

    name: str
    unit: str
    measure: Callable[[], float]


def table(rows: Sequence[Row], repeats: int = REPEATS) -> str:
    """Measure the rows in turn and return the lines of the table."""
    runs = [[row.measure() for row in rows] for _ in range(repeats)]
    speeds = [median(run[i] for run in runs) for i in range(len(rows))]
    width = max(len(row.name) for row in rows)
    lines = [
        f"{row.name:<{width}}  {speed:>12,.0f}  {speed / speeds[0]:>8.2f} x  {row.unit}"
        for row, speed in zip(rows, speeds, strict=True)
    ]
    head = f"{'':<{width}}  {'a CPU second':>12}  {'ratio':>10}  of"
    return "\n".join([head, *lines])


def block_rows(ours: Callable[[int], float] | None = None, rounds: int = 1000) -> list[Row]:
    """Rows for block, OpenSpiel first; `ours` plays so many rounds and returns its speed."""
    theirs = Row(
        "OpenSpiel python_block_dominoes",
        "rounds of block, 2 players",
        lambda: openspiel_block.play(rounds).rounds_per_second,
    )
    if ours is None:
        return [theirs]
    return [theirs, Row("domrules", theirs.unit, lambda: ours(rounds))]


def main() -> None:
    try:
        print(table(block_rows()))
    except ImportError as error:
        sys.exit(f"The other programs are not installed ({error}); `make bench` installs them.")


if __name__ == "__main__":
    main()
