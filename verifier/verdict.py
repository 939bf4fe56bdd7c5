"""The words a verdict may have, what each counts as, and the exit code of a run. The set is closed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from domrules.grammar.source import NOWHERE, Span
from domrules.interpreter.transcript import Transcript
from domrules.verifier.witness import Witness


class Standing(Enum):
    """What a verdict counts as, with its exit code; the first that applies to a run decides."""

    DISAGREE = 6
    FINDING = 1
    HOLLOW = 5
    UNDECIDED = 4
    ESTABLISHED = 0


class Word(Enum):
    """The words, the strongest of each standing first. `k` stands for the depth of the verdict."""

    PROVED_ANY_SIZE = "PROVED any size"
    PROVED = "PROVED this table"
    EXHAUSTED = "EXHAUSTED small table"
    CONFIGURED = "TRUE by configuration"
    WITNESSED = "WITNESSED"
    HOLDS = "HOLDS up to k"
    REFUTED = "REFUTED"
    IMPOSSIBLE = "IMPOSSIBLE"
    HOLLOW = "HOLLOW"
    NOT_FOUND = "NOT FOUND up to k"
    UNKNOWN = "UNKNOWN"
    SKIPPED = "SKIPPED"
    DISAGREE = "DISAGREE"

    @property
    def standing(self) -> Standing | None:
        """What it counts as; None: it does not count."""
        match self:
            case Word.PROVED_ANY_SIZE | Word.PROVED | Word.EXHAUSTED | Word.CONFIGURED | Word.WITNESSED | Word.HOLDS:
                return Standing.ESTABLISHED
            case Word.REFUTED | Word.IMPOSSIBLE:
                return Standing.FINDING
            case Word.HOLLOW:
                return Standing.HOLLOW
            case Word.NOT_FOUND | Word.UNKNOWN:
                return Standing.UNDECIDED
            case Word.DISAGREE:
                return Standing.DISAGREE
            case Word.SKIPPED:
                return None
            case never:
                assert_never(never)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to one question about one table."""

    item: str
    """A battery item, or the name of a lemma or claim."""
    word: Word
    scope: str = ""
    """The table: players, options."""
    method: str = ""
    """What decided: in words, for people."""
    seconds: float = 0.0
    details: tuple[str, ...] = ()
    span: Span = NOWHERE
    witness: Witness | None = None
    doesnt_say: str = ""
    """What must not be read into it."""
    reason: str = ""
    """Of UNKNOWN and SKIPPED: why."""
    depth: int | None = None
    """The k of HOLDS and NOT FOUND."""
    transcript: Transcript | None = None
    """The witness in words, to be shown, kept and played again without this table."""
    cached: bool = False
    """It is that of an earlier run; `seconds` are those it took then."""

    @property
    def text(self) -> str:
        """The word as shown: `NOT FOUND up to 30`, `SKIPPED (no role fish)`."""
        words = self.word.value if self.depth is None else self.word.value.replace(" k", f" {self.depth}")
        return f"{words} ({self.reason})" if self.reason else words


def exit_code(verdicts: Iterable[Verdict]) -> int:
    """0 when all that was asked is established, else the code of the weightiest standing."""
    found = {verdict.word.standing for verdict in verdicts}
    return next((standing.value for standing in Standing if standing in found), 0)
