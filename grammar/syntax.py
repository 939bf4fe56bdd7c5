"""The tree of a file as read: nodes named as in `dom.lark`, words as written. Places do not count in equality."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from domrules.grammar.source import Source, Span


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the text: `kind` is the terminal of the grammar."""

    kind: str
    text: str
    span: Span = field(compare=False)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Node:
    """A rule of the grammar with its parts; a part left out in the text is None."""

    kind: str
    parts: tuple[Part, ...]
    span: Span = field(compare=False)


Part: TypeAlias = Node | Word | None


@dataclass(frozen=True, slots=True)
class File:
    """The declarations of a file, in order, and the stretches that could not be read."""

    source: Source = field(compare=False)
    declarations: tuple[Node, ...]
    broken: tuple[Span, ...] = field(default=(), compare=False)


def node(part: Part) -> Node:
    """This part, known to be a node."""
    assert isinstance(part, Node), part
    return part


def word(part: Part) -> Word:
    """This part, known to be a word."""
    assert isinstance(part, Word), part
    return part


def nodes(parts: tuple[Part, ...], kind: str | None = None) -> list[Node]:
    """The nodes among parts, of a kind if given."""
    return [p for p in parts if isinstance(p, Node) and (kind is None or p.kind == kind)]


def words(parts: tuple[Part, ...], kind: str | None = None) -> list[Word]:
    """The words among parts, of a kind if given."""
    return [p for p in parts if isinstance(p, Word) and (kind is None or p.kind == kind)]


def string(part: Part) -> str:
    """The text of a quoted string; empty when left out."""
    return word(part).text[1:-1] if part is not None else ""
