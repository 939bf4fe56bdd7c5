"""What a player may see of a position: all states, open zones, the own hand; of the rest only the number of tiles."""

from __future__ import annotations

from dataclasses import dataclass

from domrules.grammar import core
from domrules.interpreter.names import cell_name, element_names, value_name
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State


@dataclass(frozen=True)
class Hidden:
    """Tiles that may not be seen, only counted."""

    size: int


class View:
    """A position through the eyes of one player. Gives out nothing that this player may not see."""

    __slots__ = ("_rules", "_state", "player")

    def __init__(self, rules: Rules, state: State, player: int) -> None:
        self._rules, self._state, self.player = rules, state, player

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
