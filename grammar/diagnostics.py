"""Mistakes as data: code, place, one sentence, notes, and what to write instead. `drawing` shows them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from domrules.grammar.source import Span


@dataclass(frozen=True, slots=True)
class Note:
    """A further place, or a remark without one."""

    text: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake. `code` is one of `codes.CODES`; `fix` says what to write instead."""

    code: str
    message: str
    span: Span
    notes: tuple[Note, ...] = ()
    fix: str = ""


class BadFile(Exception):
    """A file that cannot be used; carries all its mistakes."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n".join(f"{d.span}: {d.code} {d.message}" for d in self.diagnostics))


class Enough(Exception):
    """There are so many mistakes that nobody will read more; raised by Reporter.add, caught by whoever made it."""


@dataclass
class Reporter:
    """Gathers mistakes; every pass adds to the same one."""

    found: list[Diagnostic] = field(default_factory=list)
    most: int = 100
    more: int = 0
    """Mistakes that are there but not described."""
    _places: set[tuple[str, str, int]] = field(default_factory=set)
    _unwanted: Callable[[Diagnostic], bool] | None = None

    def add(self, code: str, message: str, span: Span, *notes: Note, fix: str = "") -> None:
        """Report once: a second mistake with the same code at the same place is dropped. Raises Enough."""
        place, d = (code, span.source.name, span.start), Diagnostic(code, message, span, notes, fix)
        if place in self._places or (self._unwanted is not None and self._unwanted(d)):
            return
        if len(self.found) >= self.most:
            self.more += 1
            raise Enough
        self._places.add(place)
        self.found.append(d)

    def mute(self, unwanted: Callable[[Diagnostic], bool]) -> None:
        """From now on drop what is `unwanted`."""
        self._unwanted = unwanted

    def in_order(self, files: Sequence[str] = ()) -> tuple[Diagnostic, ...]:
        """The mistakes in the order of `files`, and of the text in each."""
        rank = {name: i for i, name in enumerate(files)}
        return tuple(sorted(self.found, key=lambda d: (rank.get(d.span.source.name, len(rank)), d.span.start)))


LONGEST = 40
"""Names above that are not compared with others."""


def nearest(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """The known name most like this one; empty when none is."""
    import difflib

    pool = sorted({k for k in known if k != name and len(k) <= LONGEST}) if len(name) <= LONGEST else []
    if len(name) == 1:
        return ""
    close = difflib.get_close_matches(name, pool, 1, likeness)
    return close[0] if close else ""


def did_you_mean(name: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """A fix sentence, empty when no name is near."""
    near = nearest(name, known, likeness)
    return f"did you mean `{near}`?" if near else ""


def counted(number: int, thing: str) -> str:
    """`1 option`, `3 options`, `12 matches`, `2,000 plies`; the last word is the one that changes."""
    many = re.sub(r"([^aeiou])y$", r"\1ie", thing) + "s" if not re.search(r"(s|x|ch|sh)$", thing) else thing + "es"
    return f"{number:,} {thing if number == 1 else many}"


def printable(text: str, width: int = 40) -> str:
    """Text of a file as it may be shown: on one line, without control characters, cut when long."""
    out = "".join(c if c.isprintable() or c == " " else "\ufffd" for c in text)
    return out if len(out) <= width else out[: width - 1] + "…"
