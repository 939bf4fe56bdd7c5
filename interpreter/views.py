"""What a player may see of a position: all states, open zones, the own hand; of the rest only the number of tiles.

And of how it came about: who did what before, without the tiles that were not shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from domrules.grammar import core
from domrules.interpreter.names import Args, Move, cell_name, element_names, value_name
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State


@dataclass(frozen=True)
class Hidden:
    """Tiles that may not be seen, only counted."""

    size: int


class Past(NamedTuple):
    """A ply with the position before it."""

    state: State
    mover: int | None
    move: Move
    outcome: Args = ()


@dataclass(frozen=True)
class Glimpse:
    """A ply as a player saw it: the view before it, who moved, and the arguments; None for a tile that was not shown."""

    before: View
    mover: int | None
    action: int
    args: tuple[int | None, ...]


class View:
    """A position through the eyes of one player. Gives out nothing that this player may not see.

    `past` are the plies of the round that led to it, as far as they are known.
    """

    __slots__ = ("_past", "_rules", "_state", "player")

    def __init__(self, rules: Rules, state: State, player: int, past: Sequence[Past] = ()) -> None:
        self._rules, self._state, self.player, self._past = rules, state, player, past

    def get(self, name: str, index: int | None = None) -> core.Value | Hidden:
        """A cell: the value of a state, the tiles of a zone as a mask, or `Hidden`."""
        instance, value = self._rules.instance, self._rules.layout.get(self._state, name, index)
        var = instance.vars[name]
        if not var.zone or seen(instance, var, index, self.player):
            return value
        assert isinstance(value, int)
        return Hidden(value.bit_count())

    def cells(self) -> dict[tuple[str, int | None], core.Value | Hidden]:
        """All cells by variable and index."""
        return {(var.name, index): self.get(var.name, index) for var, index, _ in self._rules.layout.walk()}

    def glimpses(self) -> Iterator[Glimpse]:
        """The plies of this round, as this player saw them."""
        afters = [*(one.state for one in self._past[1:]), self._state]
        for number, (one, after) in enumerate(zip(self._past, afters, strict=False)):
            before = View(self._rules, one.state, self.player, self._past[:number])
            shown = before.shown | View(self._rules, after, self.player).shown
            params = self._rules.instance.deeds[one.move.action].params
            given = zip(params, one.move.args + one.outcome, strict=True)
            args = tuple(i if p.sort != "tile" or shown >> i & 1 else None for p, i in given)
            yield Glimpse(before, one.mover, one.move.action, args)

    def by(self, rules: Rules) -> View:
        """The same, looked at with rules in another form, in which cells and moves have the same numbers."""
        return View(rules, self._state, self.player, self._past)

    def brings(self, move: Move) -> Sequence[int]:
        """What a legal move of this player adds to each score cell at once; nothing where fate or hidden tiles have a say. Raises RuleError."""
        rules, before = self._rules, self._rules.scores(self._state)
        if rules.instance.deeds[move.action].name not in rules.foreseen:
            return (0,) * len(before)
        after = rules.scores(rules.effects(self._state, move))
        return [b - a for a, b in zip(before, after, strict=True)]

    @property
    def shown(self) -> int:
        """The tiles that this player sees, as a mask."""
        instance, found = self._rules.instance, 0
        for var, index, cell in self._rules.layout.walk():
            if var.zone and seen(instance, var, index, self.player):
                found |= int(self._state.cells[cell] or 0)
        return found

    def __str__(self) -> str:
        instance, lines = self._rules.instance, []
        for (name, index), value in self.cells().items():
            var = instance.vars[name]
            match value:
                case Hidden(size=size):
                    text = f"{size} hidden"
                case int() if var.zone:
                    text = " ".join(element_names(instance, "tile", value))
                case _:
                    text = value_name(instance, var.type, value)
            lines.append(f"{cell_name(instance, var, index)}: {text}")
        return "\n".join(lines)


def seen(instance: core.Instance, zone: core.Var, index: int | None, player: int) -> bool:
    """May the player see the tiles of this cell? Its owner is a player or, for a zone per team, each of its members."""
    match zone.seen:
        case core.Seen.ALL:
            return True
        case core.Seen.OWNER if zone.per == "player":
            return index == player
        case core.Seen.OWNER if zone.per == "team":
            return index == instance.sorts["player"].attrs["team"][1][player]
        case _:
            return False
