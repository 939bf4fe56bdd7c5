"""What can go wrong when a program uses domrules: every exception says what there is to choose from."""

from __future__ import annotations

from collections.abc import Sequence


class DomError(Exception):
    """The base of all that is raised on purpose. `choices`: what would have been right, as names; may be empty."""

    def __init__(self, sentence: str, choices: Sequence[str] = ()) -> None:
        self.choices = tuple(choices)
        super().__init__(sentence)


class GameError(DomError, ValueError):
    """A `.dom` file is wrong. The text shows every mistake with its place; `codes` are their codes."""

    def __init__(self, sentence: str, codes: Sequence[str]) -> None:
        self.codes = tuple(codes)
        super().__init__(sentence)


class SettingError(DomError, ValueError):
    """A number of players, or an option, that the game does not allow; `choices` are the ones it does."""


class MoveError(DomError, ValueError):
    """A move that is not legal, or that does not exist. `choices` are the legal moves by name, `reasons` the rules that forbid it."""

    def __init__(self, sentence: str, choices: Sequence[str], reasons: Sequence[str] = ()) -> None:
        self.reasons = tuple(reasons)
        super().__init__("\n  ".join([sentence, *self.reasons]), choices)


class PlayerError(DomError, KeyError):
    """There is no such player; `choices` are the seats."""

    def __str__(self) -> str:
        return str(self.args[0])


class OverError(DomError):
    """The round is over and nothing can be moved, or it is not and no new one can begin, or the match is over."""


class TranscriptError(DomError, ValueError):
    """A transcript that cannot be: its line (from 1, 0 for all of it); `round` and `ply` from 1, or None; `reasons` as in MoveError."""

    def __init__(
        self, sentence: str, line: int, round: int | None = None, ply: int | None = None, reasons: Sequence[str] = ()
    ) -> None:
        self.line, self.round, self.ply, self.reasons = line, round, ply, tuple(reasons)
        super().__init__("\n  ".join([sentence, *self.reasons]))


class HandsError(DomError, ValueError):
    """Hands that cannot be, or of which something is missing: `missing` is the cell that is needed, `choices` its values."""

    def __init__(self, sentence: str, line: int = 0, missing: str | None = None, choices: Sequence[str] = ()) -> None:
        self.line, self.missing = line, missing
        super().__init__(sentence, choices)


class RuleFault(DomError):
    """A rule of the file broke a promise in play (`the` of nothing, a number out of range); the text says where and in which state."""
