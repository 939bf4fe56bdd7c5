"""Every single simulated match: as a line of a CSV file, and two variants match by match."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import partial
from math import lcm
from typing import TextIO

from domrules.compiler.balance import Difference, Paired, team
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


class Pairs:
    """What both variants have of the matches that both have played, added up as they come."""

    def __init__(self, instances: Sequence[core.Instance]) -> None:
        self.waiting: tuple[dict[int, Sequence[Row]], ...] = ({}, {})
        """By variant: rows of matches that the other has not played yet, by the number of the first."""
        shares = lcm(*range(1, max(i.sorts["team"].size for i in instances) + 1))
        self.parts = [parts(instance, shares) for instance in instances]
        """By variant what each player has of a win, by the mask of the winners; `shares` times as much."""
        seats = instances[0].sorts["player"].names
        wins = [Paired(f"{name} wins", shares) for name in (*seats, "first")]
        self.numbers = [*wins, Paired("rounds"), Paired("moves"), Paired("top score")]

    def keep(self, variant: int) -> Keep:
        """Takes the rows of a variant."""
        return partial(self.take, variant)

    def take(self, variant: int, first: int, rows: Sequence[Row]) -> None:
        other = self.waiting[1 - variant].pop(first, None)
        if other is None:
            self.waiting[variant][first] = rows
            return
        both = (rows, other) if variant == 0 else (other, rows)
        columns = [columns_of(*one) for one in zip(self.parts, both, strict=True)]
        for number, here, there in zip(self.numbers, *columns, strict=True):
            number.add(here, there)

    def differences(self) -> list[Difference]:
        """Over the matches that both have played; nothing without any."""
        return [number.difference() for number in self.numbers if number.count]


def columns_of(parts: Sequence[Sequence[int]], rows: Sequence[Row]) -> list[list[int]]:
    """For every number what it is in each match."""
    return [
        *([part[row[1]] for row in rows] for part in parts),
        [parts[row[0]][row[1]] for row in rows],
        [row[2] for row in rows],
        [row[3] for row in rows],
        [max(row[4:], default=0) for row in rows],
    ]


def parts(instance: core.Instance, shares: int) -> list[list[int]]:
    """By player and mask of winners: what he has of the win of a match, times `shares`."""
    masks = range(1 << instance.sorts["team"].size)
    return [
        [shares // mask.bit_count() if mask >> team(instance, player) & 1 else 0 for mask in masks]
        for player in range(instance.players)
    ]
