"""What can go wrong while a checked game is played: a rule breaks a promise, or play does not come to an end."""

from __future__ import annotations

from domrules.grammar.source import NOWHERE, Span


class RuleError(Exception):
    """A rule of the file broke a promise in some state: `the` of nothing, two writes of a cell, no move and no ending.

    `sentence` says what happened, `span` where the rule stands, `state` is the text of the state it happened in.
    """

    def __init__(self, sentence: str, span: Span = NOWHERE, state: str = "") -> None:
        self.sentence, self.span, self.state = sentence, span, state
        place = f"{span}: " if span is not NOWHERE else ""
        super().__init__(f"{place}{sentence}" + (f"\nin this state:\n{state}" if state else ""))


class Unfinished(Exception):
    """Play went beyond a limit: too many deals, moves in a round, or rounds in a match. Says which, in a sentence."""


class IllegalMove(Exception):
    """Somebody asked for a move that is not among the legal ones, or that does not exist; says why in a sentence."""
