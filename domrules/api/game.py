"""From a file to a game, and from a game to the first state of a match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import index
from pathlib import Path

from domrules.api.errors import GameError, SettingError
from domrules.api.state import State, first
from domrules.grammar import core, instance
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.drawing import render
from domrules.grammar.load import check, find
from domrules.interpreter.rules import Rules


@dataclass(frozen=True)
class Option:
    """A setting of a game: the names of its values (empty for numbers), or its least and greatest number; what it is for."""

    name: str
    choices: tuple[str, ...]
    low: int | None
    high: int | None
    doc: str


class Game:
    """The rules of a checked file. Immutable; one game makes any number of matches."""

    def __init__(self, core: core.Game) -> None:
        self.core = core
        """The meaning of the file, for those who need more than what is here."""

    @property
    def name(self) -> str:
        """The name in the file, `koza_online`."""
        return self.core.name

    @property
    def titles(self) -> dict[str, str]:
        """Titles by language."""
        return dict(self.core.titles)

    @property
    def seats(self) -> tuple[int, ...]:
        """How many may play."""
        return self.core.seats

    @property
    def options(self) -> dict[str, Option]:
        """The options by name, in the order of the file."""
        return {option.name: _option(self.core, option) for option in self.core.options.values()}

    def rules(self, players: int | None = None, options: Mapping[str, object] | None = None) -> Rules:
        """The rules of a table. Raises SettingError, GameError (a family, or a mistake that shows at this table only)."""
        if self.core.abstract:
            raise GameError(f"{self.core.file} is a family: it is not played itself, a game extends it", ())
        seats = min(self.seats) if players is None else whole("players", players, tuple(map(str, self.seats)))
        try:
            return Rules(instance.instantiate(self.core, seats, options or {}))
        except instance.SettingError as error:
            raise SettingError(str(error), _choices(self, seats, options or {})) from None
        except BadFile as bad:
            raise wrong(bad) from None

    def new(self, players: int | None = None, seed: int = 0, **options: object) -> State:
        """The first state of a match: dealt, and begun. `seed` names the chance: the same seed, the same match.

        Options are given by name; names of values as texts (`fish_for="one"`). Raises SettingError, GameError, RuleFault.
        """
        return first(self.rules(players, options), whole("seed", seed))

    def __repr__(self) -> str:
        return f"<Game {self.name or self.core.file}>"


def load(path: str | Path) -> Game:
    """The game of a `.dom` file, or the shipped game of a name (`"block"`). Raises GameError, OSError."""
    loaded = check(find(Path(path)))
    if loaded.game is None:
        raise wrong(BadFile(loaded.diagnostics))
    return Game(loaded.game)


def whole(name: str, value: object, choices: tuple[str, ...] = ()) -> int:
    """The value as a whole number, also one of another library. Raises SettingError."""
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        raise SettingError(f"{name} is a whole number, not {value!r}", choices) from None


def wrong(bad: BadFile) -> GameError:
    """The mistakes of a file as an exception."""
    return GameError("\n\n".join(map(render, bad.diagnostics)), [d.code for d in bad.diagnostics])


def _option(game: core.Game, option: core.Option) -> Option:
    choices: tuple[str, ...] = ()
    match option.type:
        case core.BoolType():
            choices = ("true", "false")
        case core.Elem(sort=sort):
            choices = next(enum.members or () for enum in game.enums if enum.name == sort)
        case _:
            pass
    return Option(option.name, choices, option.low, option.high, option.doc)


def _choices(game: Game, players: int, options: Mapping[str, object]) -> tuple[str, ...]:
    """What there is to choose from in the place of what is wrong."""
    if players not in game.seats:
        return tuple(map(str, game.seats))
    known = game.options
    if any(name not in known for name in options):
        return tuple(known)
    for name in options:
        try:
            instance.instantiate(game.core, players, {name: options[name]})
        except instance.SettingError:
            one = known[name]
            return one.choices or (f"{one.low}..{one.high}",)
    return ()
