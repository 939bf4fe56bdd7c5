"""A mistake as data and as an annotation of GitHub; `drawing.render` draws it for people."""

from __future__ import annotations

from domrules.grammar.codes import CODES
from domrules.grammar.diagnostics import Diagnostic
from domrules.grammar.source import Span


def as_data(d: Diagnostic) -> dict[str, object]:
    """Code, title, sentence, place, notes and fix; lines and columns from 1, the end exclusive."""
    notes = [{"message": note.text, "place": None if note.span is None else place(note.span)} for note in d.notes]
    return {
        "code": d.code,
        "title": CODES[d.code],
        "message": d.message,
        "place": place(d.span),
        "notes": notes,
        "fix": d.fix,
    }


def place(span: Span) -> dict[str, object] | None:
    """File, line and column of a span; None for one that is nowhere."""
    if not span.source.name:
        return None
    end_line, end_column = span.source.place(span.end)
    return {
        "file": span.source.name,
        "line": span.line,
        "column": span.column,
        "end_line": end_line,
        "end_column": end_column,
    }


def annotation(d: Diagnostic) -> str:
    """The line that makes GitHub show a mistake beside its place."""
    text = "\n".join([d.message, *(note.text for note in d.notes), *([f"help: {d.fix}"] if d.fix else [])])
    return annotated("error", d.span, d.span.source.name, f"{d.code} {CODES[d.code]}", text)


def annotated(kind: str, span: Span, file: str, title: str, text: str) -> str:
    """The line that makes GitHub show a text beside a place, or at the first line of `file`."""
    here = bool(span.source.name)
    where: dict[str, object] = {"file": span.source.name or file, "line": span.line if here else 1}
    if here:
        where["col"] = span.column
    where["title"] = title
    properties = ",".join(f"{key}={_escaped(str(value), ':,')}" for key, value in where.items())
    return f"::{kind} {properties}::{_escaped(text)}"


def _escaped(text: str, more: str = "") -> str:
    return "".join(f"%{ord(c):02X}" if c in "%\r\n" + more else c for c in text)
