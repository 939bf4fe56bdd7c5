"""`dom replay`: a transcript is played again by the rules of a file, and the first thing in it that they do not give is named."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from domrules.cli.exits import ExitCode, failed
from domrules.cli.games import File, open_game, refused
from domrules.cli.rounds import Shown
from domrules.cli.texts import NoText, read_text
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.instance import SettingError
from domrules.interpreter.errors import RuleError
from domrules.interpreter.judge import Judge, Refused, Replayed
from domrules.interpreter.transcript import BadTranscript, Transcript, write
from domrules.interpreter.twin import as_json, read_any


def command(
    file: File,
    transcript: Annotated[Path, typer.Argument(help="A transcript, as text or JSON; - is the input.")],
    form: Annotated[
        Literal["text", "json", "log"],
        typer.Option("--format", help="Drawn rounds; or the transcript itself, as JSON or in its text form."),
    ] = "text",
) -> ExitCode:
    """Play a transcript again: its rounds, or the first ply that is not legal and the rule that forbids it."""
    game = open_game(file)
    try:
        written = read_any(read_text(transcript))
        judge = Judge(game, written)
        for one in judge.rounds():
            if form == "text":
                _draw(one)
        judge.complete()
    except Refused as bad:
        if form == "text" and bad.so_far is not None:
            _draw(bad.so_far)
        return failed(ExitCode.INVALID, "\n  ".join([f"{transcript}: {bad}", *bad.reasons]))
    except (BadTranscript, NoText, SettingError) as problem:
        return failed(ExitCode.INVALID, f"{transcript}: {problem}")
    except BadFile as bad_file:
        raise refused(bad_file) from None
    except RuleError as error:
        return failed(ExitCode.FINDING, f"{transcript}: {error}")
    if form == "text":
        print(f"{transcript}: played again, as written; {_outcome(written)}")
    else:
        print(as_json(written) if form == "json" else write(written), end="")
    return ExitCode.OK


def _draw(one: Replayed) -> None:
    shown = Shown(one.rules, one.text, one.before, one.played)
    print("\n".join([f"round {one.number}", *(f"  {line}" for line in shown.lines())]), flush=True)


def _outcome(transcript: Transcript) -> str:
    winners = transcript.winners
    return "the match goes on" if winners is None else f"winners: {', '.join(winners) or 'none'}"
