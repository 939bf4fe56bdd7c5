"""`dom run`: random players play a match; prints its transcript."""

from pathlib import Path
from typing import Annotated

import typer

from domrules.cli.exits import ExitCode, failed
from domrules.cli.games import File, Players, Settings, open_game, open_instance
from domrules.cli.rounds import shown
from domrules.grammar.instance import SettingError
from domrules.interpreter.chance import Chance
from domrules.interpreter.errors import RuleError, Unfinished
from domrules.interpreter.play import Limits, play_match
from domrules.interpreter.replay import record
from domrules.interpreter.rules import Rules
from domrules.interpreter.transcript import BadTranscript, read, write


def command(
    file: File,
    players: Players = None,
    seed: Annotated[int, typer.Option(help="Names the chance: the same seed, the same match.")] = 0,
    index: Annotated[int, typer.Option(help="Which match of the seed.")] = 0,
    settings: Settings = [],  # noqa: B006  (Typer copies it)
    rounds: Annotated[int | None, typer.Option(min=1, help="Stop after so many rounds.")] = None,
    max_moves: Annotated[int, typer.Option(min=1, help="Give up a round that is longer.")] = 10_000,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
    replay: Annotated[Path | None, typer.Option(metavar="TRANSCRIPT", help="Play this again, and draw it.")] = None,
) -> ExitCode:
    """Let random players play a match and print its transcript, or play a transcript again."""
    if replay is not None:
        return _again(file, replay)
    rules = Rules(open_instance(open_game(file), players, settings))
    try:
        match = play_match(rules, Chance.named(seed, index), limits=Limits(moves=max_moves), stop=rounds)
    except (RuleError, Unfinished) as error:
        return failed(ExitCode.FINDING, f"{error}")
    tags = {"Seed": str(seed), "Index": str(index), "Trace": f"{match.digest:016x}"}
    text = write(record(rules, match, tags))
    if output is None:
        print(text, end="")
    else:
        output.write_text(text, encoding="utf-8")
    return ExitCode.OK


def _again(file: Path, path: Path) -> ExitCode:
    """Make every move of a transcript again and draw what lies on the table after each round."""
    game = open_game(file)
    try:
        transcript = read(path.read_text(encoding="utf-8"))
        if transcript.game != game.name:
            raise BadTranscript(0, f"this is a match of {transcript.game}, not of {game.name}")
        rounds = shown(game, transcript)
    except BadTranscript as bad:
        return failed(ExitCode.INVALID, f"{path}: {bad}")
    except (UnicodeDecodeError, SettingError) as bad:
        return failed(ExitCode.INVALID, f"{path}: {bad}")
    except RuleError as error:
        return failed(ExitCode.FINDING, f"{path}: {error}")
    for number, one in enumerate(rounds, 1):
        print("\n".join([f"round {number}", *(f"  {line}" for line in one.lines())]))
    print(f"{path}: played again, as written")
    return ExitCode.OK
