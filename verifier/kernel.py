"""Linear equations that a set of rows satisfies, kept up to date row by row: over the rationals, and modulo 2.

A vector v is in the kernel when sum(v[i] * row[i]) is 0 for every row. The basis itself is kept, not the rows: equations
that are true of a game are short, so its vectors stay short (if short rows come first), and all arithmetic is exact.
Rows seen in play come packed by columns, one large integer a feature with a lane for every row, so that an equation is
checked on all rows at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import gcd
from typing import TypeAlias

Vector: TypeAlias = dict[int, int]
"""Weights by feature; those that are 0 are left out."""
Row: TypeAlias = Mapping[int, int]
"""Values by feature; those that are 0 are left out."""

LANE = 24
"""Bits of a lane; the sum of an equation over a row must stay within them."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Rows of small numbers, transposed and packed."""

    rows: Sequence[Row]
    packed: Sequence[int]
    parities: Sequence[int]

    @classmethod
    def of(cls, rows: Sequence[Row], width: int) -> Columns:
        """Values from -255 to 255; they lie in lanes of their own signs."""
        size = LANE // 8
        above, below = ([bytearray(size * len(rows)) for _ in range(width)] for _ in "+-")
        parities = [bytearray((len(rows) + 7) // 8) for _ in range(width)]
        for place, row in enumerate(rows):
            for feature, value in row.items():
                (above if value > 0 else below)[feature][place * size] = abs(value)
                parities[feature][place // 8] |= (value & 1) << place % 8
        packed = [number(up) - number(down) for up, down in zip(above, below, strict=True)]
        return cls(rows, packed, [number(parity) for parity in parities])

    def against(self, vector: Mapping[int, int]) -> Row | None:
        """A row that does not satisfy an equation; None when all do."""
        total = sum(weight * self.packed[feature] for feature, weight in vector.items())
        return None if total == 0 else self.rows[lowest(total) // LANE]

    def against_parity(self, features: Iterable[int]) -> Row | None:
        """A row in which an odd number of the features is odd; None when there is none."""
        total = 0
        for feature in features:
            total ^= self.parities[feature]
        return None if total == 0 else self.rows[lowest(total)]


def number(lanes: bytearray) -> int:
    return int.from_bytes(lanes, "little")


def lowest(bits: int) -> int:
    """The place of the lowest bit that is set."""
    return (bits & -bits).bit_length() - 1


class Kernel:
    """The equations over the rationals; weights are whole numbers without a common divisor."""

    def __init__(self, width: int) -> None:
        self.basis: list[Vector] = [{feature: 1} for feature in range(width)]

    def cut(self, row: Row) -> None:
        """Keep what holds of this row too: a short vector that does not is spent on mending the others."""
        sums = [sum(vector[f] * value for f, value in row.items() if f in vector) for vector in self.basis]
        wrong = [place for place, total in enumerate(sums) if total]
        if not wrong:
            return
        pivot = min(wrong, key=lambda place: (abs(sums[place]) > 1, len(self.basis[place])))
        for place in wrong:
            if place != pivot:
                self.basis[place] = mixed(self.basis[place], sums[pivot], self.basis[pivot], -sums[place])
        del self.basis[pivot]

    def fit(self, columns: Columns) -> None:
        """Keep what holds of all these rows."""
        place = 0
        while place < len(self.basis):
            row = columns.against(self.basis[place])
            if row is None:
                place += 1
            else:
                self.cut(row)  # changes no vector before `place`, for those hold of all rows


def mixed(left: Vector, by: int, right: Vector, and_by: int) -> Vector:
    """left * by + right * and_by, in lowest terms; `right` is the short one, and `by` mostly 1 or -1."""
    if by * by == 1:
        found, and_by = left, and_by * by
    else:
        found = {feature: weight * by for feature, weight in left.items()}
    for feature, weight in right.items():
        total = found.get(feature, 0) + weight * and_by
        if total:
            found[feature] = total
        else:
            del found[feature]
    divisor = 1 if by * by == 1 else gcd(*found.values())
    return found if divisor == 1 else {feature: weight // divisor for feature, weight in found.items()}


class ParityKernel:
    """The equations modulo 2; a vector is the mask of its features."""

    def __init__(self, width: int) -> None:
        self.basis = [1 << feature for feature in range(width)]

    def cut(self, row: Row) -> None:
        """Keep what holds of this row too."""
        mask = sum((value & 1) << feature for feature, value in row.items())
        wrong = [place for place, vector in enumerate(self.basis) if (vector & mask).bit_count() & 1]
        if not wrong:
            return
        pivot = min(wrong, key=lambda place: self.basis[place].bit_count())
        spent = self.basis[pivot]
        for place in wrong:
            self.basis[place] ^= spent
        del self.basis[pivot]

    def fit(self, columns: Columns) -> None:
        """Keep what holds of all these rows."""
        place = 0
        while place < len(self.basis):
            row = columns.against_parity(ones(self.basis[place]))
            if row is None:
                place += 1
            else:
                self.cut(row)

    def beyond(self, vectors: Iterable[Vector]) -> list[int]:
        """Basis vectors that do not follow from equations over the rationals, shortest first."""
        span: dict[int, int] = {}
        for vector in vectors:
            insert(span, sum(1 << feature for feature, weight in vector.items() if weight & 1))
        return [vector for vector in sorted(self.basis, key=int.bit_count) if insert(span, vector)]


def insert(span: dict[int, int], vector: int) -> bool:
    """Add a vector to a span (by leading bit); False when it was in it."""
    while vector:
        lead = vector.bit_length()
        if lead not in span:
            span[lead] = vector
            return True
        vector ^= span[lead]
    return False


def ones(mask: int) -> list[int]:
    """The places of the bits that are set."""
    found = []
    while mask:
        found.append(lowest(mask))
        mask &= mask - 1
    return found
