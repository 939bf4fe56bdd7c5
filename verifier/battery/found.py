"""What is looked for at a table, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from domrules.grammar import core
from domrules.verifier.solver import Answer
from domrules.verifier.study import Study
from domrules.verifier.witness import Witness


@dataclass(frozen=True, slots=True)
class Sought:
    """A state in which `e` holds. `when`: dealt (before the first move), played (at any time of a round), settled."""

    e: core.Expr
    when: str

    def reads(self, study: Study) -> frozenset[str]:
        return study.reads.variables(self.e)


@dataclass(frozen=True, slots=True)
class Found:
    """YES with a play that was replayed, NO when there is no such state, UNKNOWN with a reason, or how deep was searched."""

    answer: Answer
    method: str = ""
    witness: Witness | None = None
    lines: tuple[str, ...] = ()
    """Where the witness is from, or what else there is to say."""
    reason: str = ""
    depth: int | None = None
    road: str = ""
    """What decided, as a key of the table of roads."""
