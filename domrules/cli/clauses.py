"""Clauses of the rules that decided nothing, as lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from domrules.grammar import core
from domrules.interpreter.coverage import Clause, clauses

WIDTH = 90


@dataclass(frozen=True)
class Covered:
    """Which clauses of a game decided nothing in what was watched."""

    game: core.Game
    never: tuple[Clause, ...]
    watched: str
    broken_off: str = ""
    """Why it is less, if it is, and how much."""

    @property
    def partial(self) -> bool:
        return bool(self.broken_off)

    @property
    def total(self) -> int:
        return sum(1 for _ in clauses(self.game))

    def text(self) -> str:
        decided = f" clauses         {self.total - len(self.never)} of {self.total} decided something"
        lines = [f"{decided} in the first {self.watched}"]
        lines += [f" PARTIAL: {self.broken_off}"] if self.partial else []
        return "\n".join([*lines, *(listed("nowhere", self.game, self.never) if self.never else ())]) + "\n"

    def data(self) -> Mapping[str, Any]:
        """The same as data."""
        never = [
            {"owner": c.owner, "text": c.text, "file": c.span.source.name, "line": c.span.line} for c in self.never
        ]
        found = {"watched": f"the first {self.watched}", "clauses": self.total, "never": never}
        return found | {"partial": self.broken_off} if self.partial else found


def listed(where: str, game: core.Game, found: Sequence[Clause]) -> Iterator[str]:
    """A head and a line for each clause; those of the file itself come before those it inherits."""
    own = [clause for clause in found if clause.span.source.name == game.file]
    inherited = [clause for clause in found if clause not in own]
    yield f" used {where}: {len(own)} of this file, {len(inherited)} inherited"
    yield from (f"   {located(clause)}" for clause in [*own, *inherited])


def located(clause: Clause) -> str:
    """`petkove.dom:52  when piece[s] is t and … -> 0   (define worth)`"""
    place = clause.span.short
    condition, arrow, value = clause.text.partition(" -> ")
    room = WIDTH - len(arrow) - min(len(value), WIDTH // 2)
    text = shortened(condition, room) + arrow + shortened(value, WIDTH // 2)
    return f"{place:<15} {text}" + ("" if clause.text.startswith(clause.owner) else f"   ({clause.owner})")


def shortened(text: str, width: int) -> str:
    return textwrap.shorten(text, width, placeholder=" …")
