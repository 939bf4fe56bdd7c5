"""A mistake as people read it: sentence, place, the lines it is about with marks below, notes, and what to write instead.

    error[DOM202]: `laid` is declared twice
      --> night.dom:3:8
       |
     3 | define laid: int = 1
       |        ^^^^
      ::: row.dom:61:8
       |
    61 | define laid: int                = size(layout)
       |        ---- the first is here
       = help: rename this define

Places in one file share a drawing, in the order of its lines. Columns are those of a terminal: some letters take two,
accents that follow their letter none. Colour adds nothing that is not there without it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from domrules.grammar.diagnostics import Diagnostic, printable
from domrules.grammar.source import Source, Span

WINDOW = 120
"""Columns of a line that are shown; of a longer one those around the first mark."""
BEFORE = 60
"""Columns that are shown before a mark in a long line."""
LONGEST = 300
"""Characters of a sentence."""
PATH = 4096
"""Characters of a place."""
TAB = 4

Style: TypeAlias = Literal["red", "blue", "bold"]
PAINT: Mapping[Style, str] = {"red": "\x1b[1;31m", "blue": "\x1b[34m", "bold": "\x1b[1m"}


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch to be marked, with what is said of it: the mistake itself, or a further place."""

    span: Span
    label: str = ""
    main: bool = False


def render(d: Diagnostic, colour: bool = False) -> str:
    """The mistake, without a line end after it."""
    return "\n".join(_Drawing(colour).lines(d))


@dataclass(frozen=True)
class _Drawing:
    colour: bool

    def lines(self, d: Diagnostic) -> Iterator[str]:
        yield f"{self.paint(f'error[{d.code}]', 'red')}: {self.paint(printable(d.message, LONGEST), 'bold')}"
        marks = [Mark(d.span, main=True)]
        marks += [Mark(n.span, printable(n.text, LONGEST)) for n in d.notes if n.span is not None]
        files = _by_file([mark for mark in marks if mark.span.source.name])
        margin = max((len(str(mark.span.line)) for several in files for mark in several), default=1)
        for several in files:
            yield from self.quoted(several, margin)
        bar = f" {' ' * margin} {self.paint('=', 'blue')}"
        yield from (f"{bar} note: {printable(n.text, LONGEST)}" for n in d.notes if n.span is None)
        yield from ([f"{bar} help: {printable(d.fix, LONGEST)}"] if d.fix else [])

    def quoted(self, marks: Sequence[Mark], margin: int) -> Iterator[str]:
        """The lines of one file, with its marks."""
        first = marks[0]
        arrow = "-->" if first.main else ":::"
        yield f" {' ' * margin}{self.paint(arrow, 'blue')} {printable(str(first.span), PATH)}"
        bar = f" {' ' * margin} {self.paint('|', 'blue')}"
        row, last = None, 0
        for mark in sorted(marks, key=lambda m: (m.span.line, m.span.start, not m.main)):
            number = mark.span.line
            if row is None or number != last or not row.holds(mark.span):
                row = Row(mark.span.source, number, mark.span.column - 1)
                if not last:
                    yield bar
                elif number != last + 1:
                    yield self.paint("...", "blue")
                last = number
                if not row.unreadable:
                    yield f" {self.paint(str(number).rjust(margin), 'blue')} {self.paint('|', 'blue')} {row.text}".rstrip()
            column, width = (0, 0) if row.unreadable else row.columns(mark.span)
            text = f"{('^' if mark.main else '-') * width} {mark.label}".rstrip()
            if text:
                yield f"{bar} {' ' * column}{self.paint(text, 'red' if mark.main else 'blue')}"

    def paint(self, text: str, style: Style) -> str:
        return f"{PAINT[style]}{text}\x1b[0m" if self.colour else text


def _by_file(marks: Sequence[Mark]) -> list[list[Mark]]:
    """The marks of each file, in the order in which the files are spoken of."""
    files: dict[str, list[Mark]] = {}
    for mark in marks:
        files.setdefault(mark.span.source.name, []).append(mark)
    return list(files.values())


class Row:
    """A line as shown: which letters of it, and the column each begins at."""

    def __init__(self, source: Source, number: int, around: int) -> None:
        line = source.line(number)
        widths = [_width(c) for c in line]
        self.begin = 0
        if sum(widths) > WINDOW:
            before = sum(widths[:around])
            while before > BEFORE:
                before -= widths[self.begin]
                self.begin += 1
        end, room = self.begin, WINDOW
        while end < len(line) and widths[end] <= room:
            room -= widths[end]
            end += 1
        shown = [_shown(c) for c in line[self.begin : end]]
        self.unreadable = len(shown) > TAB and shown.count("\ufffd") > len(shown) // 2
        """Is it no text that anybody could read?"""
        left = "…" if self.begin else ""
        self.text = left + "".join(shown) + ("…" if end < len(line) else "")
        self.starts = [len(left)]
        for width in widths[self.begin : end]:
            self.starts.append(self.starts[-1] + width)

    def holds(self, span: Span) -> bool:
        """Is the beginning of a stretch among what is shown?"""
        return 0 <= span.column - 1 - self.begin < len(self.starts)

    def columns(self, span: Span) -> tuple[int, int]:
        """Where a stretch begins, and how many columns it takes: one at least, and none after what is shown."""
        first = span.column - 1 - self.begin
        last = min(first + max(span.end - span.start, 0), len(self.starts) - 1)
        first = max(0, min(first, len(self.starts) - 1))
        column, width = self.starts[first], self.starts[max(first, last)] - self.starts[first]
        alone = width == 0 and last > first and column > 0
        return (column - 1 if alone else column), max(width, 1)


def _shown(c: str) -> str:
    """A letter as it may be printed."""
    return " " * TAB if c == "\t" else c if c.isprintable() else "\ufffd"


def _width(c: str) -> int:
    """Columns of a letter."""
    if c.isascii():
        return TAB if c == "\t" else 1
    if unicodedata.category(c) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in ("W", "F") else 1
