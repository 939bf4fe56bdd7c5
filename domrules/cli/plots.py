"""What simulated matches come to as one picture: shares with their intervals, and histograms, as SVG text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate

from domrules.cli.balances import Told
from domrules.grammar.diagnostics import counted

WIDTH, ROW, CHART, LEFT, RIGHT = 760, 24, 150, 130, 24
BARS = 60
"""Bars of a histogram at most; the tail beyond them is one."""
STYLE = (
    "text{font:13px sans-serif;fill:#222}.s{font-size:11px;fill:#555}.b{fill:#4878a8}.g{stroke:#222;stroke-width:1.5}"
    ".a{stroke:#999}.e{stroke:#c33;stroke-dasharray:4 3}"
)


@dataclass(frozen=True)
class Bar:
    """A bar of a histogram: what it stands for, and how many."""

    name: str
    count: int


def svg(told: Told) -> str:
    """The picture of one table."""
    parts, y = list[str](), 30.0
    b = told.balance
    partial = " · PARTIAL" if told.partial else ""
    head = f"{told.instance.game.name} · {told.instance.players} players · {counted(b.matches, 'match')} · seed {told.seed}{partial}"
    parts.append(_text(LEFT, y, head))
    shares = [("+".join(s.seats), s.wins.value, s.wins.low, s.wins.high) for s in b.sides]
    shares.append(("to move first", b.first.value, b.first.low, b.first.high))
    parts += _shares("wins, with 95 % intervals; dashed: even", shares, b.even, y + 34)
    y += 34 + ROW * (len(shares) + 1)
    endings = [(name, part, part, part) for name, part in b.endings.items()]
    parts += _shares("how rounds end", endings, None, y + 30)
    y += 30 + ROW * (len(endings) + 1)
    for title, counts in (("moves of a round", b.lengths), ("rounds of a match", b.match_rounds)):
        parts += _histogram(title, bars(counts), y + 30)
        y += 30 + CHART + 60
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y:.0f}" width="{WIDTH}" height="{y:.0f}">\n'
        f'<style>{STYLE}</style>\n<rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n'
    )


def bars(counts: Sequence[int]) -> list[Bar]:
    """A histogram from the first number that occurs to the last; what is beyond all but 1 in 1,000 is one bar."""
    seen = [i for i, n in enumerate(counts) if n]
    if not seen:
        return []
    first, last, total = seen[0], seen[-1], sum(counts)
    so_far = list(accumulate(counts))
    cut = next(i for i in range(first, last + 1) if 1000 * (total - so_far[i]) <= total)
    step = max(1, -(-(cut + 1 - first) // BARS))
    starts = range(first, cut + 1, step)
    found = [Bar(str(i), sum(counts[i : min(i + step, cut + 1)])) for i in starts]
    beyond = total - so_far[cut]
    return [*found, Bar(f">{cut}", beyond)] if beyond else found


# ---------------------------------------------------------------- drawing


def _shares(title: str, rows: Sequence[tuple[str, float, float, float]], even: float | None, y: float) -> Iterator[str]:
    """Horizontal bars from 0 to 1; a whisker where the bounds differ."""
    room = WIDTH - LEFT - RIGHT - 70
    yield _text(LEFT, y, title, "s")
    for i, (name, value, low, high) in enumerate(rows):
        top = y + 10 + ROW * i
        yield _text(LEFT - 8, top + 13, name, anchor="end")
        yield f'<rect class="b" x="{LEFT}" y="{top:.1f}" width="{room * value:.1f}" height="{ROW - 8}"/>'
        if low < high:
            middle = top + (ROW - 8) / 2
            yield _line("g", LEFT + room * low, middle, LEFT + room * high, middle)
        yield _text(LEFT + room * max(value, high) + 6, top + 13, f"{100 * value:.2f} %", "s")
    if even is not None:
        yield _line("e", LEFT + room * even, y + 6, LEFT + room * even, y + 10 + ROW * len(rows))


def _histogram(title: str, found: Sequence[Bar], y: float) -> Iterator[str]:
    """Upright bars, the highest as high as the chart."""
    yield _text(LEFT, y, title, "s")
    base, room = y + 10 + CHART, WIDTH - LEFT - RIGHT
    yield _line("a", LEFT, base, WIDTH - RIGHT, base)
    if not found:
        return
    most, total = max(b.count for b in found), sum(b.count for b in found)
    width, every = room / len(found), -(-len(found) // 15)
    yield _text(LEFT - 8, y + 20, f"{100 * most / total:.1f} %", "s", "end")
    for i, one in enumerate(found):
        height, x = CHART * one.count / most, LEFT + width * i
        tip = f"<title>{escape(one.name)}: {one.count:,}</title>"
        yield (
            f'<rect class="b" x="{x:.1f}" y="{base - height:.1f}" width="{max(width - 1, 1):.1f}" height="{height:.1f}">{tip}</rect>'
        )
        if i % every == 0 or one.name.startswith(">"):
            yield _text(x + width / 2, base + 16, one.name, "s", "middle")


def _text(x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> str:
    style = f' class="{kind}"' if kind else ""
    return f'<text{style} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'
