"""What is kept of every single match: who was to move first, winners, rounds, moves, final scores."""

from __future__ import annotations

from collections.abc import Sequence

from domrules.compiler import ir
from domrules.compiler.counts import Counts
from domrules.compiler.writer import Words

CHUNK = 4096
"""Matches of one run at most."""
COLUMNS = ("first", "winners", "rounds", "moves")


class Rows(Counts):
    """A recorder that counts and keeps a row for each match of a run."""

    def match_ended(self, winners: Words) -> None:
        super().match_ended(winners)
        lowering, writer = self.lowering, self.lowering.writer
        row = writer.let(ir.binary("sub", lowering.game, lowering.first))
        values = (self.first, winners[0], lowering.rounds, self.match_moves, *lowering.scores())
        for name, value in zip(columns(len(self.before)), values, strict=True):
            writer.emit(ir.Store(writer.array(CHUNK, f"row {name}"), row, value))


def columns(scores: int) -> Sequence[str]:
    """Names of the columns with so many score cells."""
    return (*COLUMNS, *(f"score{i}" for i in range(scores)))
