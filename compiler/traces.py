"""What is kept of every match for comparing engines: winners, rounds, moves, and the digest of all that was decided."""

from __future__ import annotations

from domrules.compiler import ir
from domrules.compiler.lower import Lowering, Recorder
from domrules.compiler.rows import CHUNK
from domrules.compiler.writer import Words

COLUMNS = ("winners", "rounds", "moves", "digest")


class Traces(Recorder):
    """A recorder of one row a match."""

    digest = True

    def open(self, lowering: Lowering) -> None:
        self.lowering = lowering
        writer = lowering.writer
        self.columns = [writer.array(CHUNK, name) for name in COLUMNS]
        self.moves = writer.local()

    def match_begins(self) -> None:
        self.lowering.writer.emit(ir.Assign(self.moves, ir.ZERO))

    def round_ended(self) -> None:
        self.lowering.writer.emit(ir.Assign(self.moves, ir.plus(self.moves, self.lowering.plies)))

    def match_ended(self, winners: Words) -> None:
        writer, lowering = self.lowering.writer, self.lowering
        row = writer.let(ir.binary("sub", lowering.game, lowering.first))
        won, rounds, moves, digest = self.columns
        writer.emit(ir.Store(won, row, winners[0]), ir.Store(rounds, row, lowering.rounds))
        writer.emit(ir.Store(moves, row, self.moves), ir.Keep(digest, row))
