"""What can go wrong while a checked game is played: a rule breaks a promise, or play does not come to an end."""

from __future__ import annotations

from enum import Enum

from domrules.grammar.diagnostics import printable
from domrules.grammar.source import NOWHERE, Span

LONGEST = 400
"""Characters of a sentence that quotes a text."""


class Rule(Enum):
    """What a rule of a file can break in play."""

    PROMISE = "a promise is broken"
    WRITTEN_TWICE = "a cell is written twice in one step"
    MOVED_TWICE = "a tile is moved twice in one step"
    NOT_THERE = "a tile to be moved is not in its source"
    RANGE = "a number leaves its declared range"
    UNSET = "a state is looked at before it has a value"
    STUCK = "nothing can be done, and no ending holds"


class RuleError(Exception):
    """A rule of the file broke a promise in some state: `the` of nothing, two writes of a cell, no move and no ending.

    `rule` is what was broken, `sentence` says what happened, `span` where the rule stands, `state` is the text of the state it happened in.
    """

    def __init__(self, rule: Rule, sentence: str, span: Span = NOWHERE, state: str = "") -> None:
        self.rule, self.sentence, self.span, self.state = rule, sentence, span, state
        place = f"{span}: " if span.source.name else ""
        super().__init__(f"{place}{sentence}" + (f"\nin this state:\n{state}" if state else ""))


class Unfinished(Exception):
    """Play went beyond a limit: too many deals, moves in a round, or rounds in a match. Says which, in a sentence."""


class BadText(Exception):
    """A text that cannot be read, or cannot be so: `line` (from 1, 0 for all of it) and a sentence, which may quote it."""

    def __init__(self, line: int, sentence: str) -> None:
        self.line, self.sentence = line, printable(sentence, LONGEST)
        super().__init__(f"line {line}: {self.sentence}" if line else self.sentence)


class IllegalMove(Exception):
    """Somebody asked for a move that is not among the legal ones, or that does not exist; says why in a sentence."""


class BadPlayer(Exception):
    """A player that was brought along cannot be loaded, failed, or wants what is not legal; says who, when and what, in a sentence."""
