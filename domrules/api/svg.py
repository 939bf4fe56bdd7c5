"""From the arms of a board to an SVG drawing: tiles with pips, upright where they lie across."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from domrules.cli.board import Arm, Piece

SIDE, GAP, WIDE = 30, 3, 700
"""Pixels: the side of half a tile, the space between tiles, the width of the drawing at most."""
SPOTS = {
    0: "", 1: "e", 2: "ai", 3: "aei", 4: "acgi", 5: "acegi", 6: "acdfgi", 7: "acdefgi", 8: "abcdfghi", 9: "abcdefghi",
}  # fmt: skip
"""Which of the nine places of half a tile, a to i from the top left, have a pip."""


def draw(arms: Sequence[Arm]) -> str:
    """The drawing, one arm below the other; a long one goes on in the next row. An empty table is an empty drawing."""
    parts, top, right = list[str](), GAP, 2 * SIDE
    for arm in arms:
        rows = list(split(arm))
        for number, row in enumerate(rows):
            before = arm.before.strip() if number == 0 else ""
            after = arm.after.strip() if number == len(rows) - 1 else ""
            x = GAP + 8 * len(before)
            parts += label(GAP, top, before)
            for piece in row:
                parts += tile(piece, x, top)
                x += width(piece)
            parts += label(x, top, after)
            right = max(right, x + 8 * len(after) + GAP)
            top += 2 * SIDE + 2 * GAP
    size = f'width="{right}" height="{top}" viewBox="0 0 {right} {top}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13">{"".join(parts)}</svg>'
    )


def split(arm: Arm) -> Iterator[list[Piece]]:
    """The tiles of an arm, row by row."""
    row, used = list[Piece](), 8 * (len(arm.before) + len(arm.after))
    for piece in arm.pieces:
        if row and used + width(piece) > WIDE:
            yield row
            row, used = [], 0
        row.append(piece)
        used += width(piece)
    yield row


def width(piece: Piece) -> int:
    return (SIDE if piece.across else 2 * SIDE) + GAP


def label(x: int, top: int, text: str) -> list[str]:
    return [f'<text x="{x}" y="{top + SIDE + 4}">{escape(text)}</text>'] if text else []


def tile(piece: Piece, x: int, top: int) -> Iterator[str]:
    """A tile in its row; one that lies across stands upright and reaches over both halves of the row."""
    if piece.across:
        yield box(x, top, SIDE, 2 * SIDE)
        yield from half(piece.first, x, top)
        yield from half(piece.second, x, top + SIDE)
    else:
        yield box(x, top + SIDE // 2, 2 * SIDE, SIDE)
        yield from half(piece.first, x, top + SIDE // 2)
        yield from half(piece.second, x + SIDE, top + SIDE // 2)


def box(x: int, y: int, wide: int, high: int) -> str:
    return f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" rx="4" fill="#fffdf5" stroke="#333"/>'


def half(name: str, x: int, y: int) -> Iterator[str]:
    """Half a tile: pips for the numbers up to nine, else its name; and a thin frame between the halves."""
    yield f'<rect x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" fill="none" stroke="#bbb" stroke-width="0.5"/>'
    if name.isdecimal() and int(name) in SPOTS:
        for spot in SPOTS[int(name)]:
            row, column = divmod("abcdefghi".index(spot), 3)
            yield f'<circle cx="{x + 7 + 8 * column}" cy="{y + 7 + 8 * row}" r="2.6" fill="#222"/>'
    else:
        yield f'<text x="{x + SIDE // 2}" y="{y + SIDE // 2 + 4}" text-anchor="middle">{escape(name[:4])}</text>'
