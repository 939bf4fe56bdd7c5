"""Text → syntax.File, and a mistake for every declaration that cannot be read. The only module that runs the parser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from domrules.grammar import cut, explain, table
from domrules.grammar.diagnostics import Reporter
from domrules.grammar.explain import Place, Stop
from domrules.grammar.source import Source, Span
from domrules.grammar.syntax import File, Node, Part, Word

if TYPE_CHECKING:
    from lark import Lark, Token, Tree
    from lark.exceptions import UnexpectedInput

MAX_SIZE = 256 * 1024
MAX_NESTING = 100
_LONG = re.compile(r"\d{10}")
MAX_ERRORS = 20
"""Declarations of a file whose mistake is explained; the others are counted."""


@cache
def _parser() -> Lark:
    return table.load(Path(__file__).parent)


@cache
def _words() -> Mapping[str, str]:
    """The terminals that stand for themselves, with their text."""
    return {t.name: t.pattern.value for t in _parser().terminals if t.pattern.type == "str"}


def parse(source: Source, report: Reporter) -> File:
    """Read every declaration that can be read; report the others."""
    if not _fit_to_read(source, report):
        return File(source, (), (Span(source, 0, len(source.text)),))
    first, pieces = cut.pieces(source.text)
    broken: list[Span] = []
    torn = False
    if explain.leading_text(source, first, _words() if first else {}, report):
        broken.append(Span(source, 0, first))
        torn = "\n" not in cut.blanked(source.text, 0, first)
    out: list[Node] = []
    for i, piece in enumerate(pieces):
        span = Span(source, piece.start, piece.end)
        if torn:
            broken.append(span)
            torn = "\n" not in span.text
        elif piece.word in cut.PREFIXES:
            broken.append(span)
            explain.misplaced(source, piece, report)
        else:
            found = _declaration(source, piece)
            if isinstance(found, Node):
                out.append(found)
                continue
            broken.append(span)
            torn = _tears(source, piece, found, pieces[i + 1 : i + 2])
            if len(broken) > MAX_ERRORS:
                report.more += 1
            else:
                out += _explained(source, piece, replace(found, kind="TORN") if torn else found, report)
    return File(source, tuple(out), tuple(broken))


def _tears(source: Source, piece: cut.Piece, stop: Stop, following: list[cut.Piece]) -> bool:
    """Did a declaration word stand where a name was wanted, so that it began a piece of its own?"""
    rest = cut.blanked(source.text, piece.start, piece.end)
    if stop.kind != "$END" or not following or "\n" in rest[len(rest.rstrip()) :]:
        return False
    if stop.expected == {"NAME"}:
        return True
    head = re.compile(r"\w+\s+\w+").match(source.text, piece.end)
    found = _declaration(source, following[0])
    return isinstance(found, Stop) and (head is None or found.at < head.end())


def _explained(source: Source, piece: cut.Piece, stop: Stop, report: Reporter) -> list[Node]:
    """Report a mistake; the declaration before a line that lacks its declaration word is whole all the same."""
    before = source.text[piece.start : stop.at]
    begins_line = "\n" in before and not before.rsplit("\n", 1)[1].strip()
    statement = "SET" in stop.expected and source.place(stop.at)[1] > 1
    if stop.kind != "NAME" or "$END" not in stop.expected or not begins_line or statement:
        explain.explain(Place(source, piece, _words()), stop, report)
        return _salvaged(source, piece)
    explain.missing_words(source, stop.at, piece.end, _words(), report)
    whole = _declaration(source, cut.Piece(piece.start, stop.at, piece.word))
    return [whole] if isinstance(whole, Node) else []


def _salvaged(source: Source, piece: cut.Piece) -> list[Node]:
    """Of a head that cannot be read, what it extends: without that no name of the file has a meaning."""
    head = re.compile(r"(game|family)\s+\S+\s+extends\s+([a-z_][a-z0-9_]*)(?!\S)").match(
        source.text, piece.start, piece.end
    )
    if head is None:
        return []
    span = Span(source, piece.start, head.end())
    parts = (Word("NAME", "_", span), Word("NAME", head[2], Span(source, *head.span(2))), None)
    return [Node(head[1], parts, span)]


# ---------------------------------------------------------------- one declaration


class _Stopped(Exception):
    """A tree that is fine for the grammar and not for us."""

    def __init__(self, stop: Stop) -> None:
        self.stop = stop
        super().__init__(stop.text)


def _declaration(source: Source, piece: cut.Piece) -> Node | Stop:
    """The tree of a piece, or where it cannot be read on."""
    from lark import TextSlice
    from lark.exceptions import UnexpectedInput

    deep = _deep_bracket(source.text, piece)
    if deep is not None:
        return Stop("DEPTH", deep, f"brackets are nested deeper than {MAX_NESTING}")
    try:
        return _node(_parser().parse(TextSlice(source.text, piece.start, piece.end)), source, piece.start)
    except UnexpectedInput as wrong:
        return _stop(source, piece, wrong)
    except _Stopped as stopped:
        return stopped.stop


def _stop(source: Source, piece: cut.Piece, wrong: UnexpectedInput) -> Stop:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    if isinstance(wrong, UnexpectedToken):
        token, at = wrong.token, wrong.token.start_pos
        expected = frozenset(wrong.accepts or wrong.expected)
        if token.type == "$END" or at is None:
            return Stop("$END", piece.end, "", expected)
        return Stop(token.type, at, str(token), expected)
    assert isinstance(wrong, UnexpectedCharacters)
    at = wrong.pos_in_stream or 0
    return Stop("CHARACTER", at, source.text[at], frozenset(wrong.allowed or ()))


def _node(tree: Tree[Token], source: Source, start: int, depth: int = 0) -> Node:
    """A lark tree as a node; a tree without a place of its own stands at `start`."""
    if depth > MAX_NESTING:
        raise _Stopped(Stop("DEPTH", start, f"this is nested or chained deeper than {MAX_NESTING}"))
    at = start if tree.meta.empty else tree.meta.start_pos
    end = at if tree.meta.empty else tree.meta.end_pos
    parts: list[Part] = []
    children: list[Tree[Token] | Token | None] = list(tree.children)
    for child in children:
        if child is None:
            parts.append(None)
        elif not isinstance(child, str):
            parts.append(_node(child, source, at, depth + 1))
        else:
            here = child.start_pos if child.start_pos is not None else at
            if child.type == "NAME" and child in explain.KEYWORDS:
                raise _Stopped(Stop("KEYWORD", here, str(child)))
            if child.type in ("INT", "TILE") and _LONG.search(child):
                raise _Stopped(Stop("NUMBER", here, str(child)))
            text = str(child) if child.type == "STRING" else " ".join(child.split())
            parts.append(Word(child.type, text, Span(source, here, here + len(child))))
    return Node(str(tree.data), tuple(parts), Span(source, at, end))


# ---------------------------------------------------------------- before parsing


def _fit_to_read(source: Source, report: Reporter) -> bool:
    """Size and null bytes, by a quick look at the characters."""
    text = source.text
    if len(text.encode("utf-8", "surrogatepass")) > MAX_SIZE:
        report.add("DOM101", f"this file is larger than {MAX_SIZE // 1024} KiB", Span(source, 0, 1),
                   fix="split it with `extends`")  # fmt: skip
        return False
    if "\0" in text:
        at = text.index("\0")
        report.add("DOM102", "this file holds a null byte; it is not text", Span(source, at, at + 1))
        return False
    return True


def _deep_bracket(text: str, piece: cut.Piece) -> int | None:
    """Where brackets are nested too deep; few declarations have brackets enough to be looked at."""
    start, end = piece.start, piece.end
    if sum(text.count(bracket, start, end) for bracket in "([{") <= MAX_NESTING:
        return None
    depth = 0
    for m in re.compile(r'"[^"\n]*"?|#[^\n]*|[(\[{]|[)\]}]').finditer(text, start, end):
        if m[0] in ("(", "[", "{"):
            depth += 1
        elif m[0] in (")", "]", "}"):
            depth = max(0, depth - 1)
        if depth > MAX_NESTING:
            return m.start()
    return None
