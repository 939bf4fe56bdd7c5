"""Every single simulated match: as a line of a CSV file, and two variants match by match."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO

from domrules.compiler.balance import Difference, paired, team
from domrules.compiler.rows import columns
from domrules.compiler.simulate import Keep, Row
from domrules.grammar import core


def rows_to(stream: TextIO, instance: core.Instance) -> Keep:
    """Writes rows to a stream as CSV: numbers, and seats as they are named in transcripts."""
    out = csv.writer(stream)
    seats = instance.sorts["player"].names
    scores = sum(len(instance.cells(name)) for name in instance.role("state", "score"))
    out.writerow(["match", *columns(scores)])
    names = [
        "+".join(s for p, s in enumerate(seats) if mask >> team(instance, p) & 1)
        for mask in range(1 << instance.sorts["team"].size)
    ]

    def keep(first: int, rows: Sequence[Row]) -> None:
        out.writerows((first + i, seats[row[0]], names[row[1]], *row[2:]) for i, row in enumerate(rows))

    return keep


def adder(rows: list[Row]) -> Keep:
    return lambda first, more: rows.extend(more)


def differences(instances: Sequence[core.Instance], kept: Sequence[Sequence[Row]]) -> Iterator[Difference]:
    """The paired differences of what both variants have."""

    def of(name: str, number: Callable[[core.Instance, Row], float]) -> Difference:
        columns = [[number(i, row) for row in rows] for i, rows in zip(instances, kept, strict=True)]
        return paired(name, list(zip(*columns, strict=False)))

    for p, seat in enumerate(instances[0].sorts["player"].names):
        yield of(f"{seat} wins", lambda i, row, p=p: part(i, row, p))  # type: ignore[misc]
    yield of("first wins", lambda i, row: part(i, row, row[0]))
    yield of("rounds", lambda i, row: row[2])
    yield of("moves", lambda i, row: row[3])
    yield of("top score", lambda i, row: max(row[4:], default=0))


def part(instance: core.Instance, row: Row, player: int) -> float:
    """What this player has of the win of a match."""
    mask = row[1]
    return 1 / mask.bit_count() if mask >> team(instance, player) & 1 else 0.0
