"""`dom replay`: a transcript is played again by the rules of a file, and the first thing in it that they do not give is named."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from domrules.cli.exits import ExitCode, failed
from domrules.cli.games import File, open_game, refused
from domrules.cli.rounds import Shown
from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.instance import SettingError, instantiate
from domrules.interpreter.errors import RuleError
from domrules.interpreter.refusal import forbids, instead, told
from domrules.interpreter.replay import finish, player_name, replay_round
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.transcript import EVENT, BadPly, BadTranscript, Transcript, write
from domrules.interpreter.twin import as_json, read_any

MEANT = ("Unfinished", "Verdict")
"""Tags that say that a match was broken off on purpose."""


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
        written = read_any(_text(transcript))
        again = Again(game, written)
        for lines in again.rounds():
            if form == "text":
                print("\n".join(lines), flush=True)
        again.complete()
    except BadTranscript as bad:
        return failed(ExitCode.INVALID, f"{transcript}: {bad}")
    except (UnicodeDecodeError, SettingError) as bad:
        return failed(ExitCode.INVALID, f"{transcript}: {bad}")
    except BadFile as bad:
        raise refused(bad) from None
    except RuleError as error:
        return failed(ExitCode.FINDING, f"{transcript}: {error}")
    if form == "text":
        print(f"{transcript}: played again, as written; {again.outcome()}")
    else:
        print(as_json(written) if form == "json" else write(written), end="")
    return ExitCode.OK


def _text(path: Path) -> str:
    data = typer.get_binary_stream("stdin").read() if str(path) == "-" else path.read_bytes()
    return data.decode("utf-8")


class Again:
    """A transcript while it is played again. Raises BadTranscript, SettingError, BadFile, RuleError."""

    def __init__(self, game: core.Game, transcript: Transcript) -> None:
        if transcript.game != game.name:
            raise BadTranscript(0, f"this is a match of {transcript.game}, not of {game.name or 'a family'}")
        self.transcript = transcript
        self.rules = Rules(instantiate(game, transcript.players, transcript.options))
        self.state = self.rules.new_match()

    def rounds(self) -> Iterator[list[str]]:
        """The lines of each round, as far as all is well."""
        for number, text in enumerate(self.transcript.rounds, 1):
            if number > 1 and self.rules.over(self.state):
                raise BadTranscript(text.line, f"round {number}: the match is over")
            try:
                played = replay_round(self.rules, self.state, number, text)
            except BadPly as bad:
                yield self.before(bad)
                raise BadTranscript(bad.line, "\n".join([_sentence(bad), *self.reasons(bad)])) from None
            shown = Shown(self.rules, text, self.state, played)
            yield _titled(number, shown)
            self.state = played.settled

    def before(self, bad: BadPly) -> list[str]:
        """The round up to the ply that is not legal."""
        text = self.transcript.rounds[bad.round - 1]
        good = replace(text, plies=text.plies[: bad.ply - 1], ending=None, scores=None)
        try:
            played = replay_round(self.rules, self.state, bad.round, good)
        except BadTranscript:  # the ply comes after an ending
            return [f"round {bad.round}"]
        return _titled(bad.round, Shown(self.rules, good, self.state, played))

    def reasons(self, bad: BadPly) -> list[str]:
        """The rules that forbid a ply, each with its place; of a pass what could be played."""
        state = self.reached(bad)
        if state is None or self.rules.ending(state) is not None:
            return []
        if bad.text.player not in (EVENT, player_name(self.rules, self.rules.mover(state))):
            return []
        could = instead(self.rules, state, bad.text.move)
        lines = told(lambda: forbids(self.rules, state, bad.text.move))
        return [f"  {line}" for line in [*([could] if could else []), *lines]]

    def reached(self, bad: BadPly) -> State | None:
        """The state in which a ply was not legal."""
        text = self.transcript.rounds[bad.round - 1]
        good = replace(text, plies=text.plies[: bad.ply - 1], ending=None, scores=None)
        try:
            return replay_round(self.rules, self.state, bad.round, good).ended
        except BadTranscript:
            return None

    def complete(self) -> None:
        """Does the match end where the transcript does, or is it said that it was broken off?"""
        finish(self.rules, self.state, self.transcript)
        rounds = self.transcript.rounds
        if self.transcript.winners is not None or any(tag in self.transcript.tags for tag in MEANT):
            return
        where = f"after round {len(rounds)}"
        if rounds and rounds[-1].ending is None:
            where = f"in round {len(rounds)}, after ply {len(rounds[-1].plies)}"
        elif rounds and self.rules.over(self.state):
            raise BadTranscript(0, f"the log ends {where}; the match is over, but its winners are not written")
        tag = '[Unfinished "why"]'
        raise BadTranscript(0, f"the log ends {where}, but the match goes on; if that is meant, give it a tag {tag}")

    def outcome(self) -> str:
        """How the match stands at the end."""
        winners = self.transcript.winners
        return "the match goes on" if winners is None else f"winners: {', '.join(winners) or 'none'}"


def _sentence(bad: BadPly) -> str:
    return str(bad).partition(": ")[2] if bad.line else str(bad)


def _titled(number: int, shown: Shown) -> list[str]:
    return [f"round {number}", *(f"  {line}" for line in shown.lines())]
