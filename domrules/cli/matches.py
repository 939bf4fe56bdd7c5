"""Every single simulated match: as a line of a CSV file, and two variants match by match."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO, TypeAlias

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


Chunks: TypeAlias = dict[int, Sequence[Row]]
"""Rows of matches, by the number of the first."""


def adder(chunks: Chunks) -> Keep:
    return chunks.__setitem__


def differences(instances: Sequence[core.Instance], kept: Sequence[Chunks]) -> Iterator[Difference]:
    """The paired differences of what both variants have, over the matches that both have played; nothing without any."""
    both = sorted(set.intersection(*map(set, kept)))
    rows = [[row for first in both for row in chunks[first]] for chunks in kept]
    if not both:
        return

    def of(name: str, number: Callable[[core.Instance, Row], float]) -> Difference:
        columns = [[number(i, row) for row in own] for i, own in zip(instances, rows, strict=True)]
        return paired(name, list(zip(*columns, strict=True)))

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
