"""From the arguments all verbs share to games and instances; what is wrong with them is said here, once for all verbs."""

import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from domrules.cli.exits import ExitCode
from domrules.cli.streams import coloured
from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.drawing import render
from domrules.grammar.instance import SettingError, instantiate
from domrules.grammar.load import Loaded, check, find, look

File: TypeAlias = Annotated[Path, typer.Argument(help="A .dom file, the name of a shipped game, or - for the input.")]
Files: TypeAlias = Annotated[list[Path], typer.Argument(help=".dom files, names of shipped games, or - for the input.")]
Players: TypeAlias = Annotated[int | None, typer.Option(help="Players at the table; without it the fewest allowed.")]
Settings: TypeAlias = Annotated[list[str], typer.Option("--set", metavar="OPTION=VALUE", help="Set an option.")]


def open_game(file: Path) -> core.Game:
    """The game of a file, to be looked at. Prints its mistakes and leaves with INVALID; OSError when it cannot be read."""
    return _game(look(find(file)))


def open_sound(file: Path, spared: Collection[str] = ()) -> core.Game:
    """The game of a file, to be played: what `dom check` refuses is refused, but for mistakes with a `spared` code."""
    return _game(check(find(file), spared))


def _game(loaded: Loaded) -> core.Game:
    tell_shadows(loaded)
    if loaded.game is None:
        raise refused(BadFile(loaded.diagnostics))
    return loaded.game


def tell_shadows(loaded: Loaded) -> None:
    """Say on stderr which ancestors are not those that are shipped."""
    for sentence in loaded.shadows:
        print(f"dom: note: {sentence}.", file=sys.stderr)


def refused(bad: BadFile) -> typer.Exit:
    """Print the mistakes of a file; the exit to be raised."""
    print("\n\n".join(render(d, coloured(sys.stderr)) for d in bad.diagnostics), file=sys.stderr)
    return typer.Exit(ExitCode.INVALID)


def open_instance(game: core.Game, players: int | None, settings: Sequence[str]) -> core.Instance:
    """A table of the game. Raises `typer.BadParameter` for a setting the game does not allow."""
    if game.abstract:
        raise typer.BadParameter(f"{game.file} is a family: it is not played itself, a game `extends` it.")
    try:
        return instantiate(game, min(game.seats) if players is None else players, options_of(settings))
    except SettingError as error:
        raise typer.BadParameter(str(error)) from None
    except BadFile as bad:
        raise refused(bad) from None


def options_of(settings: Iterable[str]) -> dict[str, str]:
    """What is set, by option. Raises `typer.BadParameter` for one that is set twice."""
    found = dict[str, str]()
    for name, value in map(setting, settings):
        if found.setdefault(name, value) != value:
            raise typer.BadParameter(f"{name} is set twice, to {found[name]} and to {value}: leave one out")
    return found


def setting(text: str) -> tuple[str, str]:
    """`target=50` as a pair."""
    name, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"{text} is not of the form OPTION=VALUE")
    return name.strip(), value.strip()
