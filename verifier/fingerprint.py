"""From core terms to a text without lines: comments, formatting, titles and notes of a file do not change it.

canonical = canon(game, claim)
canonical.text            # the same for files that mean the same in the same words
canonical.places(span)    # where a place stands among those passed on the way, so that it can be found in another file
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property
from typing import Any

from domrules.grammar import core
from domrules.grammar.source import Source, Span

UNSAID: Mapping[Any, frozenset[str]] = {
    core.Game: frozenset({"titles", "source", "claims", "examples"}),
    core.Option: frozenset({"doc"}),
    core.Var: frozenset({"doc"}),
    core.Fn: frozenset({"doc", "source"}),
    core.Action: frozenset({"source"}),
    core.Ending: frozenset({"source"}),
    core.Settle: frozenset({"source"}),
    core.Claim: frozenset({"doc"}),
}
"""Fields for people only. Claims and examples are left out of a game, so that a new one changes no other answer."""

UNIQUE = re.compile(r"~\d+")
COMMENT = re.compile(r"#[^\n]*")


@dataclass(frozen=True)
class Canonical:
    """The text of some terms, and the places of their parts in the order of the text."""

    text: str
    spans: Sequence[Span]

    @cached_property
    def _order(self) -> Mapping[tuple[str, int, int], list[int]]:
        found: dict[tuple[str, int, int], list[int]] = {}
        for number, span in enumerate(self.spans):
            found.setdefault(_key(span), []).append(number)
        return found

    def places(self, span: Span) -> list[int]:
        """All numbers of a place; none when no part has just this place."""
        return self._order.get(_key(span), []) if span.source.name else []

    def place(self, numbers: Sequence[int]) -> Span | None:
        """The place with these numbers, if they all mean the same one here."""
        if not numbers or not all(0 <= number < len(self.spans) for number in numbers):
            return None
        found = {_key(self.spans[number]): self.spans[number] for number in numbers}
        return next(iter(found.values())) if len(found) == 1 else None

    @cached_property
    def files(self) -> Mapping[str, Source]:
        """The files by name."""
        return {span.source.name: span.source for span in self.spans if span.source.name}

    @cached_property
    def sources(self) -> str:
        """A digest of the files themselves."""
        return digest(*(part for name in sorted(self.files) for part in (name, self.files[name].text)))


def canon(game: core.Game, claim: core.Claim | None = None, *, examples: bool = False) -> Canonical:
    """A game, with its examples if they decide, and what is claimed of it.

    Whether a claim says `implies` shows in its words only, so they are added.
    """
    printer = _Printer(game.file)
    printer.value(game)
    if examples:
        printer.value(game.examples)
    if claim is not None:
        printer.value(claim)
        printer.out.append(" ".join(COMMENT.sub(" ", claim.span.text).split()))
    seen: dict[str, str] = {}
    text = UNIQUE.sub(lambda m: seen.setdefault(m[0], f"~{len(seen)}"), "".join(printer.out))
    return Canonical(text, printer.spans)


def digest(*parts: str) -> str:
    """One short name for some texts."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _key(span: Span) -> tuple[str, int, int]:
    return span.source.name, span.start, span.end


class _Printer:
    """Prints dataclasses field by field."""

    def __init__(self, file: str) -> None:
        self.out: list[str] = []
        self.spans: list[Span] = []
        self.files: dict[str, int] = {file: 0}

    def value(self, value: object) -> None:
        match value:
            case Span():
                self.spans.append(value)
                self.out.append(f"@{self.file(value.source.name)} ")  # inherited or not may decide
            case Enum():
                self.out.append(f"{value.name} ")
            case tuple():
                self.many("(", value, ")")
            case Mapping():
                self.many("{", [part for pair in value.items() for part in pair], "}")
            case None | bool() | int() | str():
                self.out.append(f"{value!r} ")
            case _:
                self.record(value)

    def file(self, name: str) -> int:
        """Files are told apart, but not named."""
        return self.files.setdefault(name, len(self.files))

    def many(self, opening: str, values: Sequence[object], closing: str) -> None:
        self.out.append(opening)
        for value in values:
            self.value(value)
        self.out.append(closing)

    def record(self, value: object) -> None:
        self.out.append(type(value).__name__ + "(")
        kind: Any = type(value)
        for name in _said(kind):
            part = getattr(value, name)
            self.value(self.file(part) if name == "file" else part)
        self.out.append(")")


@cache
def _said(kind: Any) -> tuple[str, ...]:
    if not dataclasses.is_dataclass(kind):
        raise TypeError(f"a game has no {kind.__name__}")
    return tuple(field.name for field in dataclasses.fields(kind) if field.name not in UNSAID.get(kind, frozenset()))
