"""`dom list`: the shipped games with their titles, sources and options."""

from collections.abc import Iterator

from domrules.cli.exits import ExitCode
from domrules.cli.games import open_game
from domrules.grammar import core
from domrules.grammar.load import SHIPPED


def command() -> ExitCode:
    """List the shipped games: titles, players, sources and options."""
    for path in sorted([*SHIPPED.glob("*.dom"), *SHIPPED.glob("house/*.dom")]):
        name = path.relative_to(SHIPPED).with_suffix("").as_posix()
        print("\n".join(lines(name, open_game(path))))
    return ExitCode.OK


def lines(name: str, game: core.Game) -> Iterator[str]:
    """A game by its name, then a line each for source and options."""
    titles = ", ".join(f"{title} ({language})" for language, title in game.titles)
    yield f"{name}  {titles}  {', '.join(map(str, game.seats))} players"
    yield from (f"    source  {source}" for source in game.source.splitlines())
    yield from (f"    option  {option.name} = {shown(option)}  {option.doc}" for option in game.options.values())


def shown(option: core.Option) -> str:
    """The default of an option as written, with the range of a number."""
    default = option.default.span.text or "?"
    bounds = "" if option.low is None and option.high is None else f" of {option.low}..{option.high}"
    return default + bounds
