"""Texts and places in them: a `Source` is a file as read, a `Span` a stretch of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePath


@dataclass(frozen=True)
class Source:
    """A file as read: its name for messages and its text."""

    name: str
    text: str = field(repr=False)

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line (from 1), without its end."""
        start = self._starts[number - 1]
        end = self.text.find("\n", start)
        return self.text[start : len(self.text) if end < 0 else end].rstrip("\r")


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` (exclusive) of a source."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.place(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.place(self.start)[1]

    def first(self, words: int = 1) -> Span:
        """The first words of this stretch: with 2, the kind and the name of a declaration."""
        found = re.match(r"\w+" + r"\s+\w+" * (words - 1), self.text)
        return Span(self.source, self.start, self.start + found.end()) if found else self

    def find(self, *words: str) -> Span:
        """The last of some words that follow each other in this stretch; all of it when they do not."""
        pattern = r"\s+".join(rf"(?<!\w)({re.escape(word)})(?!\w)" for word in words)
        found = re.compile(pattern).search(self.source.text, self.start, self.end)
        return Span(self.source, *found.span(len(words))) if found is not None else self

    @property
    def short(self) -> str:
        """The file without its folder, and the line: `row.dom:131`."""
        return f"{PurePath(self.source.name).name}:{self.line}"

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}" if self.source.name else "somewhere"

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]


NOWHERE = Span(Source("", ""), 0, 0)
