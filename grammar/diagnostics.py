"""Mistakes as data, and their drawing as text: code, place, one sentence, notes, and what to write instead."""

from __future__ import annotations

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
    """`1 option`, `3 options`."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def printable(text: str, width: int = 40) -> str:
    """Text of a file as it may be shown: on one line, without control characters, cut when long."""
    out = "".join(c if c.isprintable() or c == " " else "\ufffd" for c in text)
    return out if len(out) <= width else out[: width - 1] + "…"


WINDOW = 120
"""Characters of a line that are quoted."""
_HIGHLIGHT = {"red": "\x1b[1;31m", "blue": "\x1b[34m", "bold": "\x1b[1m"}


def _paint(text: str, style: str, colour: bool) -> str:
    return f"{_HIGHLIGHT[style]}{text}\x1b[0m" if colour else text


def _quote(span: Span, colour: bool, style: str) -> list[str]:
    """The source line with carets below; of a long line the part around the place."""
    if not span.source.name:
        return []
    number, column = span.source.place(span.start)
    line = span.source.line(number)
    left = max(0, column - 1 - WINDOW // 2) if len(line) > WINDOW else 0
    text = printable(line[left:].replace("\t", " "), WINDOW)
    if left:
        text = "…" + text[1:]
    width = max(1, min(span.end - span.start, len(text) - (column - 1 - left)))
    margin = str(number)
    blank = " " * len(margin)
    bar = _paint("|", "blue", colour)
    return [
        f" {blank} {bar}",
        f" {_paint(margin, 'blue', colour)} {bar} {text}",
        f" {blank} {bar} {' ' * (column - 1 - left)}{_paint('^' * width, style, colour)}",
    ]


def render(d: Diagnostic, colour: bool = False) -> str:
    """The mistake as a person reads it: sentence, place, quoted line, notes, fix."""
    out = [f"{_paint(f'error[{d.code}]', 'red', colour)}: {_paint(printable(d.message, 300), 'bold', colour)}"]
    if d.span.source.name:
        out.append(f"  {_paint('-->', 'blue', colour)} {d.span}")
    out += _quote(d.span, colour, "red")
    for note in d.notes:
        place = f" ({note.span})" if note.span is not None and note.span.source.name else ""
        out.append(f"  {_paint('=', 'blue', colour)} note: {printable(note.text, 300)}{place}")
    if d.fix:
        out.append(f"  {_paint('=', 'blue', colour)} help: {printable(d.fix, 300)}")
    return "\n".join(out)
