"""`dom score`: what the rounds of a match at a real table are worth, and why. Asks line by line, or reads a hands file."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from domrules.cli.asking import ask
from domrules.cli.exits import ExitCode, failed
from domrules.cli.games import File, Players, Settings, open_sound
from domrules.cli.sheets import counted, sheet, table
from domrules.cli.texts import NoText, read_text
from domrules.interpreter.errors import RuleError
from domrules.interpreter.hands import BadHands, Hands, read
from domrules.interpreter.sheet import as_data


def command(
    file: File,
    hands: Annotated[
        Path | None, typer.Argument(help="A hands file; - is the input. Without it you are asked.")
    ] = None,
    players: Players = None,
    settings: Settings = [],  # noqa: B006  (Typer copies it)
    keep: Annotated[Path | None, typer.Option(metavar="PATH", help="Where a match that is asked for is kept.")] = None,
    form: Annotated[Literal["text", "json"], typer.Option("--format", help="How the sheet is printed.")] = "text",
    brief: Annotated[bool, typer.Option("--brief", help="Leave out why.")] = False,
) -> ExitCode:
    """Keep the score of a match at a real table: asks how each round ended and what is left, and says why it counts so."""
    game = open_sound(file)
    if hands is None:
        return ask(game, keep or Path(f"{game.name}.hands"), players, settings, brief)
    try:
        told = without_open(read(read_text(hands)))
        scorer = table(game, told, players, settings)
        rounds, problem = counted(scorer, told)
    except (BadHands, NoText) as bad:
        return failed(ExitCode.INVALID, f"{hands}: {bad}")
    if problem is not None and form == "json":
        return failed(*_told(hands, problem))
    if form == "json":
        print(json.dumps(as_data(scorer, told, rounds), ensure_ascii=False, indent=1))
    else:
        print("\n".join(sheet(scorer, rounds, brief)))
    return ExitCode.OK if problem is None else failed(*_told(hands, problem))


def _told(path: Path, problem: Exception) -> tuple[ExitCode, str]:
    return (ExitCode.FINDING if isinstance(problem, RuleError) else ExitCode.INVALID), f"{path}: {problem}"


def without_open(told: Hands) -> Hands:
    """Without a last round of which nothing is told yet: a match that is being kept has one."""
    last = told.rounds[-1] if told.rounds else None
    return told if last is None or last.ending or last.facts else replace(told, rounds=told.rounds[:-1])
