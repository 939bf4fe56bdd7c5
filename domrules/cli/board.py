"""From the tiles that were laid to a drawing of the line and its arms in plain text.

The drawing knows nothing but the `attach` statements: which tile lies against which, with which half, growing where, and
whether it lies across. The line through the first tile is one row; every other arm is a row of its own.

    left [6|2][2|5][-][5|0] right
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domrules.grammar import core
from domrules.interpreter.step import Placement

WIDTH = 70
"""Columns of a row; longer ones go on below."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A tile as it lies in a row: what is seen first, then; `across` when it stands upright."""

    first: str
    second: str
    across: bool

    def rows(self) -> tuple[str, str, str]:
        if not self.across:
            text = f"[{self.first}|{self.second}]"
            return " " * len(text), text, " " * len(text)
        wide = max(len(self.first), len(self.second))
        return f"[{self.first:^{wide}}]", f"[{'-' * wide}]", f"[{self.second:^{wide}}]"


@dataclass(frozen=True, slots=True)
class Arm:
    """Tiles in a row, with what is written before and after them."""

    before: str
    pieces: list[Piece]
    after: str


class Board:
    """The tiles of an instance that were laid, by what they lie against."""

    def __init__(self, instance: core.Instance, laid: Sequence[Placement]) -> None:
        self.instance, self.laid = instance, laid
        self.halves, self.tiles = instance.sorts[instance.game.dominoes.half].names, instance.halves
        self.ways = instance.sorts[way.sort].names if (way := _ways(instance)) is not None else ()
        self.drawn: set[int] = set()

    def lines(self, width: int = WIDTH) -> list[str]:
        """The drawing, in so many columns but `WIDTH` at most; nothing when no tile was laid."""
        return drawn(self.arms(), min(width, WIDTH))

    def arms(self) -> list[Arm]:
        """The line of the first tile, then every other arm; each has a name before or after it."""
        out: list[Arm] = []
        for opener in (p for p in self.laid if p.to is None):
            out.append(self.main(opener))
        while rest := [p for p in self.laid if p.tile not in self.drawn]:
            start = next((p for p in rest if p.to in self.drawn), rest[0])
            pieces = [self.piece(p) for p in self.chain(start)]
            origin = "" if start.to is None else f" from {self.instance.sorts['tile'].names[start.to]}"
            out.append(Arm(f"{self.ways[start.going]}{origin} ", pieces, ""))
        return out

    def main(self, opener: Placement) -> Arm:
        """The row of the first tile: on one side the way it is open to, on the other the first of the ways against it."""
        self.drawn.add(opener.tile)
        forth = self.branch(opener.tile, [opener.going])
        back = self.branch(opener.tile, [way for way in range(len(self.ways)) if way != opener.going])
        left = [self.turned(p) for p in reversed(back)]
        pieces = [*left, self.piece(opener), *(self.piece(p) for p in forth)]
        names = (self.ways[back[0].going] if back else "", self.ways[opener.going])
        return Arm(f"{names[0]} " if names[0] else "", pieces, f" {names[1]}")

    def branch(self, tile: int, ways: Sequence[int]) -> list[Placement]:
        """The arm that begins at a tile in the first of these ways."""
        starts = (p for way in ways for p in self.laid if p.to == tile and p.going == way and p.tile not in self.drawn)
        start = next(starts, None)
        return [] if start is None else self.chain(start)

    def chain(self, start: Placement) -> list[Placement]:
        """A tile and what lies on beyond it, always in its direction."""
        found: list[Placement] = []
        now: Placement | None = start
        while now is not None and now.tile not in self.drawn:
            self.drawn.add(now.tile)
            found.append(now)
            now = next((p for p in self.laid if p.to == found[-1].tile and p.going == start.going), None)
        return found

    def piece(self, p: Placement) -> Piece:
        """A tile with the half that touches first."""
        near = p.touching
        low, high = self.tiles[p.tile]
        far = high if low == near else low
        return Piece(self.halves[near], self.halves[far], p.across)

    def turned(self, p: Placement) -> Piece:
        piece = self.piece(p)
        return Piece(piece.second, piece.first, piece.across)


def drawn(arms: Sequence[Arm], width: int = WIDTH) -> list[str]:
    """The arms of a board, one below the other."""
    return [line for arm in arms for line in rows(arm.pieces, arm.before, arm.after, width)]


def rows(pieces: Sequence[Piece], before: str, after: str, width: int) -> list[str]:
    """A row of tiles, on as many lines as it needs; three of them where a tile stands upright."""
    out: list[str] = []
    parts = list(_parts(pieces, width - len(before) - len(after)))
    for number, part in enumerate(parts):
        lead = before if number == 0 else " " * len(before)
        tail = after if number == len(parts) - 1 else ""
        upper, middle, lower = ("".join(texts) for texts in zip(*(p.rows() for p in part), strict=True))
        around = " " * len(lead)
        block = [around + upper, lead + middle + tail, around + lower]
        out += [line.rstrip() for line in block if line.strip()]
    return out


def _parts(pieces: Sequence[Piece], width: int) -> Iterator[list[Piece]]:
    """The tiles that fit on a line, again and again."""
    part, used = list[Piece](), 0
    for piece in pieces:
        size = len(piece.rows()[1])
        if part and used + size > width:
            yield part
            part, used = [], 0
        part.append(piece)
        used += size
    if part:
        yield part


def _ways(instance: core.Instance) -> core.Elem | None:
    """The sort of the directions in which tiles grow."""
    for statement in (s for action in instance.deeds for block in action.blocks for s in _attaches(block)):
        if isinstance(statement.going.type, core.Elem):
            return statement.going.type
    return None


def _attaches(block: core.Block) -> Iterator[core.Attach]:
    for s in block:
        match s:
            case core.Attach():
                yield s
            case core.If(body=body) | core.Each(body=body):
                yield from _attaches(body)
            case _:
                pass
