"""Tables asked about: every player count, with options given, at their defaults, or at any value (`ANY`).

An option whose value is any is left open where it can be: a variable of the match that nothing writes, within its range. What
decides the set of tiles, the deal or the teams cannot be open; of such an option every value is a table of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product

from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.instance import SettingError, instantiate

ANY = "any"
"""A setting that leaves an option open; a word of the language, so no option has such a value."""


def every(game: core.Game, options: Mapping[str, object]) -> dict[str, object]:
    """The settings with any value of all options that are not given, but numbers that cannot be left open."""
    found = dict(options)
    for name, option in game.options.items():
        if name not in options and (_can_be_open(game, name) or not isinstance(option.type, core.IntType)):
            found[name] = ANY
    return found


def _can_be_open(game: core.Game, name: str) -> bool:
    """At every player count at which the game can be played at all?"""
    found = False
    for players in game.seats:
        try:
            instantiate(game, players)
        except (SettingError, BadFile):
            continue
        found = True
        if not _open(game, players, {}, [name]):
            return False
    return found


def tables(game: core.Game, players: int, options: Mapping[str, object]) -> Iterator[core.Instance]:
    """The tables of one player count. Raises SettingError when there is none, BadFile for a mistake of the file."""
    wanted = [name for name, value in options.items() if value == ANY]
    given = {name: value for name, value in options.items() if value != ANY}
    if not wanted:
        yield instantiate(game, players, given)
        return
    refused: SettingError | None = None
    found = False
    for chosen in _closed(game, players, given, wanted):
        settings = {**given, **chosen}
        open_ = [name for name in wanted if name not in chosen]
        try:
            instance = instantiate(game, players, settings, open_)
        except SettingError as error:
            refused = error
            continue
        found = True
        yield instance
    if not found and refused is not None:
        raise refused


def _closed(
    game: core.Game, players: int, given: Mapping[str, object], wanted: Sequence[str]
) -> Iterator[Mapping[str, object]]:
    """Values of the wanted options that cannot be left open. Raises SettingError for one with too many of them."""
    names = [name for name in wanted if name not in game.options or not _open(game, players, given, [name])]
    for name in names:
        if name not in game.options or isinstance(game.options[name].type, core.IntType):
            instantiate(game, players, given, [name])
    for chosen in product(*(values(game, players, game.options[name]) for name in names)):
        yield dict(zip(names, chosen, strict=True))


def _open(game: core.Game, players: int, given: Mapping[str, object], names: Collection[str]) -> bool:
    try:
        instantiate(game, players, given, names)
    except SettingError:
        return False
    return True


def values(game: core.Game, players: int, option: core.Option) -> Sequence[object]:
    """All values of a switch, or of an option that is one of several words."""
    if isinstance(option.type, core.Elem):
        return instantiate(game, players).sorts[option.type.sort].names
    return (False, True)
