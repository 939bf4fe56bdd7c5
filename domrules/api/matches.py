"""Matches that were played elsewhere: transcripts played again, and hands at a real table counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from domrules.api.errors import GameError, HandsError, RuleFault, SettingError, TranscriptError
from domrules.api.game import Game, wrong
from domrules.api.svg import draw
from domrules.cli.board import Board
from domrules.grammar import instance
from domrules.grammar.diagnostics import BadFile
from domrules.interpreter.errors import RuleError
from domrules.interpreter.hands import BadHands, read
from domrules.interpreter.judge import Judge, Refused, Replayed
from domrules.interpreter.names import cell_name, element_names
from domrules.interpreter.play import placements
from domrules.interpreter.rules import Rules
from domrules.interpreter.sheet import Missing, Scorer, as_data
from domrules.interpreter.transcript import BadTranscript
from domrules.interpreter.twin import read_any


@dataclass(frozen=True)
class ReplayedRound:
    """A round of a transcript: its number from 1, its moves by name (`p0:lead(6|6)`), how it ended, the points after it by cell."""

    number: int
    moves: tuple[str, ...]
    ending: str | None
    scores: Mapping[str, int]
    svg: str

    def _repr_svg_(self) -> str:
        return self.svg


@dataclass(frozen=True)
class Replay:
    """A transcript that was played again, as written. `winners` None: it was broken off."""

    rounds: tuple[ReplayedRound, ...]
    winners: tuple[str, ...] | None


def replay(game: Game, text: str) -> Replay:
    """Play a transcript again, given as text or JSON. Raises TranscriptError at the first thing that cannot be, RuleFault, GameError."""
    try:
        transcript = read_any(text)
        judge = Judge(game.core, transcript)
        rounds = tuple(_round(judge.rules, one) for one in judge.rounds())
        judge.complete()
    except Refused as bad:
        raise TranscriptError(str(bad), bad.line, bad.round, bad.ply, bad.reasons) from None
    except BadTranscript as bad:
        raise TranscriptError(str(bad), bad.line) from None
    except instance.SettingError as error:
        raise TranscriptError(str(error), 0) from None
    except BadFile as bad_file:
        raise wrong(bad_file) from None
    except RuleError as error:
        raise RuleFault(str(error)) from None
    return Replay(rounds, transcript.winners)


def _round(rules: Rules, one: Replayed) -> ReplayedRound:
    scores = {
        cell_name(rules.instance, var, index): int(one.played.settled.cells[cell] or 0)
        for var, index, cell in rules.layout.walk()
        if var.role == "score"
    }
    laid = [p for several in placements(rules, one.played) for p in several]
    moves = tuple(map(str, one.text.plies))
    return ReplayedRound(one.number, moves, one.text.ending, scores, draw(Board(rules.instance, laid).arms()))


@dataclass(frozen=True)
class Sheet:
    """A match at a real table, counted. `data` is all of it, as `dom score --format json` prints it (docs/score.md)."""

    standing: Mapping[str, Any]
    """Every match state after the last round, by cell: numbers and truths as such, others by name."""
    over: bool
    winners: tuple[str, ...] | None
    data: Mapping[str, Any]


def score(game: Game, text: str, players: int | None = None, **options: object) -> Sheet:
    """Count the rounds of a hands file (docs/score.md), given as text. What is passed here wins over what the text says.

    Raises HandsError for what cannot be or is missing, SettingError, RuleFault, GameError.
    """
    try:
        hands = read(text)
        if hands.game and hands.game != game.name:
            raise HandsError(f"these are hands of {hands.game}, not of {game.name}")
        rules = game.rules(
            hands.players if players is None else players, {**{one.key: one.value for one in hands.options}, **options}
        )
        scorer = Scorer(rules, hands.names)
        rounds = list(scorer.rounds(hands))
    except BadHands as bad:
        raise HandsError(str(bad), bad.line) from None
    except Missing as missing:
        raise HandsError(str(missing), 0, missing.question.key, missing.question.choices) from None
    except RuleError as error:
        raise RuleFault(str(error)) from None
    data = as_data(scorer, hands, rounds)
    last = rounds[-1].reckoned if rounds else None
    won = None if last is None or last.winners is None else tuple(element_names(rules.instance, "team", last.winners))
    return Sheet(data["standing"], last is not None and last.over, won, data)


__all__ = ["GameError", "Replay", "ReplayedRound", "SettingError", "Sheet", "replay", "score"]
