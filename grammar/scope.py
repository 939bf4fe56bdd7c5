"""What the names of a game mean: sorts, members, options, states, defines. Filled by `declare`, read by `expressions`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from domrules.grammar import core
from domrules.grammar.diagnostics import Note, Reporter
from domrules.grammar.source import NOWHERE, Span
from domrules.grammar.syntax import Word

ERROR = core.Elem("?")
"""The type of what could not be understood; nothing more is said about it."""

FUNCTIONS = (
    "size", "sole", "the", "odd", "nearest", "up", "down", "quotient", "remainder",
    "low", "high", "copy", "next", "seat", "team", "position", "number",
)  # fmt: skip
"""Names of built-in functions; no define may take them."""
PSEUDO = ("match_over", "match_winners", "moves", "ending")
"""What every game has; no declaration may take these names."""
PLAYER, TEAM = re.compile(r"p\d$"), re.compile(r"t\d$")
PLURALS = (("y", "ies"), ("f", "ves"))
"""Endings of sorts, and of their plurals; all others take s or es."""


@dataclass(frozen=True, slots=True)
class SortInfo:
    """A sort by name: its members when they are names, and whether its elements are numbers."""

    name: str
    members: tuple[str, ...] | None
    numeric: bool
    span: Span = NOWHERE


@dataclass(slots=True)
class FnInfo:
    """The head of a define or slot."""

    name: str
    params: tuple[tuple[str, core.Type], ...]
    type: core.Type
    slot: bool
    role: str | None
    doc: str
    span: Span


@dataclass
class Scope:
    """All names of a game. `fresh` makes names of bound variables unique."""

    report: Reporter
    sorts: dict[str, SortInfo] = field(default_factory=dict)
    half: str = ""
    options: dict[str, core.Type] = field(default_factory=dict)
    vars: dict[str, core.Var] = field(default_factory=dict)
    fns: dict[str, FnInfo] = field(default_factory=dict)
    endings: dict[str, Span] = field(default_factory=dict)
    actions: dict[str, core.Action] = field(default_factory=dict)
    events: dict[str, core.Action] = field(default_factory=dict)
    places: dict[str, Span] = field(default_factory=dict)
    since: dict[str, int] = field(default_factory=dict)
    """In which file of the chain a name was declared first; files before that do not see it."""
    order: dict[str, int] = field(default_factory=dict)
    """The files of the chain by name, the oldest ancestor first."""
    meant: set[str] = field(default_factory=set)
    """Slots that a rule of a misspelt name is for."""
    counter: int = 0

    def fresh(self, name: str) -> str:
        self.counter += 1
        return f"{name}~{self.counter}"

    def claim_name(self, name: Word, what: str) -> bool:
        """Take a name for a declaration; False (and a mistake) when it is taken."""
        if name.text in FUNCTIONS or name.text in PSEUDO or PLAYER.match(name.text):
            self.report.add("DOM203", f"`{name}` {self.built_in(name.text)}", name.span, fix="choose another name")
            return False
        if name.text in self.places:
            self.report.add(
                "DOM202",
                f"`{name}` is declared twice",
                name.span,
                Note("the first is here", self.places[name.text]),
                fix=f"rename this {what}, or write `instead` before it where it replaces the first",
            )
            return False
        self.places[name.text] = name.span
        return True

    def built_in(self, name: str) -> str:
        """What a name of the language is, after `…`."""
        if name in FUNCTIONS:
            return "is a function of the language"
        return "is a player: p0 sits first, p1 next" if PLAYER.match(name) else "exists in every game"

    def sees(self, use: Span, name: str) -> bool:
        """Was this name declared when the file was written in which it is used?"""
        return self.since.get(name, 0) <= self.order.get(use.source.name, 0)

    def members(self, w: Word) -> Iterator[SortInfo]:
        """Sorts that have this member, as far as the place of the word sees them."""
        found = (s for s in self.sorts.values() if s.members is not None and w.text in s.members)
        return (s for s in found if self.sees(w.span, s.name))

    def plural(self, name: str) -> SortInfo | None:
        """The sort whose plural this is."""
        for singular, ending in (*PLURALS, ("", "es"), ("", "s")):
            if name.endswith(ending):
                found = self.sorts.get(name[: -len(ending)] + singular)
                if found is not None:
                    return found
        return None

    def plural_of(self, sort: str) -> str:
        """How the set of all elements of a sort is written."""
        for singular, ending in PLURALS:
            if sort.endswith(singular) and sort[-2:-1] not in "aeou":
                return sort.removesuffix(singular) + ending
        return f"{sort}es" if sort.endswith(("s", "x", "z", "ch", "sh")) else f"{sort}s"

    def told(self, type_: core.Type) -> str:
        """A type in words, with an article."""
        match type_:
            case core.Elem(sort=sort):
                return self._one(sort)
            case core.Maybe(sort=sort):
                return "none" if sort == ERROR.sort else f"{self._one(sort)} or none"
            case core.SetOf(sort=sort):
                return f"a set of {self.plural_of(sort)}"
            case _:
                return str(type_)

    def _one(self, sort: str) -> str:
        info = self.sorts.get(sort)
        if info is not None and info.members and (sort in self.options or sort in self.vars or sort in self.fns):
            return f"one of {' | '.join(info.members[:6])}"
        return article(sort)

    @property
    def half_type(self) -> core.Type:
        """The type of the halves of tiles; unknown in a game without dominoes."""
        return core.Elem(self.half) if self.half else ERROR

    def known(self) -> list[str]:
        """All names an expression may use."""
        members = [m for s in self.sorts.values() for m in s.members or ()]
        plurals = [self.plural_of(s) for s in self.sorts]
        return [*self.options, *self.vars, *self.fns, *self.endings, *members, *plurals]


def built_in_sorts() -> dict[str, SortInfo]:
    """Player, team, tile and ending exist in every game."""
    return {
        "player": SortInfo("player", None, False),
        "team": SortInfo("team", None, False),
        "tile": SortInfo("tile", None, False),
    }


def article(noun: str) -> str:
    """The noun with its `a` or `an`."""
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"


def elem(type_: core.Type) -> str | None:
    """The sort of an element, optional or set."""
    return type_.sort if isinstance(type_, core.Elem | core.Maybe | core.SetOf) else None
