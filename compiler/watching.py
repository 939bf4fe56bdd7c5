"""Which clauses decide, in compiled code: rows and conditional statements leave a mark when they do.

It is the notion of `interpreter.coverage`, and its form of an instance, in which nothing is worked out in advance. Nothing that
holds a row is computed where it is not needed, or beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from domrules.compiler import ir
from domrules.compiler.batch import EAGER, Disagreement, Form
from domrules.compiler.counts import Counts
from domrules.compiler.engine import WasmEngine
from domrules.compiler.expressions import Expressions
from domrules.compiler.lower import lower
from domrules.compiler.simulate import Job
from domrules.compiler.writer import Env, Words, Writer
from domrules.grammar import core
from domrules.grammar.source import Span
from domrules.interpreter.coverage import Coverage, Place, as_written, clauses, place

MARKS = "marks"
CHUNK = 500
"""Matches that are played without looking up."""
LOOKED_BACK = 20
"""Rounds in which is asked, too, where tiles lie on the table, and what a match was worth: nothing that is compiled."""


class Watching(Expressions):
    """Expressions that say when a row decides."""

    def __init__(self, instance: core.Instance, writer: Writer, eager: int) -> None:
        super().__init__(instance, writer, eager)
        self.places = places(instance.game)
        self.marks = writer.array(max(1, len(self.places)), MARKS)
        self.deciding: dict[str, bool] = {}

    def mark(self, span: Span) -> None:
        number = self.places.get(place(span))
        if number is not None and not self.trying:
            self.writer.emit(ir.Store(self.marks, ir.Const(number), ir.ONE))

    def decided(self, value: core.Expr, env: Env) -> Words:
        self.mark(value.span)
        return super().decided(value, env)

    def may_fail(self, e: core.Expr) -> bool:
        """What leaves a mark must be looked at where the interpreter does, like what may stop a match."""
        return self.decides(e) or super().may_fail(e)

    def tabulate(self, e: core.Expr) -> tuple[str, tuple[core.Value, ...]] | None:
        return None if self.decides(e) else super().tabulate(e)

    def decides(self, e: core.Expr) -> bool:
        """Does it hold a row, here or in a define?"""
        match e:
            case core.Cases():
                return True
            case core.Call(fn=fn):
                if fn not in self.deciding:
                    self.deciding[fn] = self.decides(self.instance.fns[fn].body)
                if self.deciding[fn]:
                    return True
            case _:
                pass
        return any(map(self.decides, core.children(e)))


def cover(seen: Coverage, instance: core.Instance, job: Job, matches: int) -> Iterator[int]:
    """Add the clauses that decide something in the first matches of a job at a table; says now and then how many they are.

    Raises Unsupported, Disagreement, Trap.
    """
    for done, found in watched(instance, job.policies, job.seed, matches):
        seen.fired |= found
        yield done
    for _ in seen.follow(instance, job.seats, job.seed, LOOKED_BACK):
        pass


def places(game: core.Game) -> dict[Place, int]:
    """The clauses of a game, numbered."""
    return {where: i for i, where in enumerate(dict.fromkeys(place(c.span) for c in clauses(game)))}


def watched(
    instance: core.Instance, policies: Sequence[str], seed: int, matches: int, chunk: int = CHUNK
) -> Iterator[tuple[int, set[Place]]]:
    """How many matches of a seed were played, and the clauses that decided something in them; said again after each chunk.

    Raises Unsupported, Disagreement, Trap.
    """
    written = as_written(instance)
    engine = WasmEngine(lower(written, Counts(), EAGER[Form.WASM], policies=policies, kind=Watching))
    numbers = places(instance.game)
    for first in range(0, matches, chunk):
        last = min(first + chunk, matches)
        if not engine.run(first, last, seed):
            index = engine.read("at")[0]
            raise Disagreement(f"{instance.game.file}: match {index} of seed {seed} stops as written", index)
        marks, acted, ended = (engine.read(name) for name in (MARKS, "acted", "ended"))
        found = {where for where, number in numbers.items() if marks[number]}
        found |= {place(a.span) for a, n in zip(written.actions, acted, strict=False) if n}
        yield last, found | {place(e.span) for e, n in zip(written.endings, ended, strict=False) if n}
