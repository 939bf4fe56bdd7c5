"""Who chooses by a policy, in the imperative language: the best legal moves, and one of them by chance.

The same as `interpreter.policies`: what a move is worth is looked at only where there is a choice, and one number of the
generator is taken in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import prod
from typing import TypeAlias

from domrules.compiler import ir
from domrules.compiler.blocks import lying
from domrules.compiler.moves import Moves, Plan
from domrules.compiler.store import writes
from domrules.compiler.writer import Env, Unsupported
from domrules.grammar import core
from domrules.interpreter.foresight import foreseen
from domrules.interpreter.names import choices
from domrules.interpreter.policies import LEAST, shares, weighed, weights
from domrules.interpreter.roster import SHARED
from domrules.interpreter.rules import Rules

MOST = 1 << 16
"""Moves among which one can be chosen by what it is worth."""
Value: TypeAlias = Callable[[core.Action, Env], ir.Expr]
"""What a move is worth."""


class Choosing:
    """Writes the choices of the seats of one instance; `names` has a policy for each."""

    def __init__(self, moves: Moves, names: Sequence[str]) -> None:
        self.moves, self.ex, self.writer = moves, moves.ex, moves.writer
        self.instance, self.names = moves.ex.instance, names
        missing = sorted(set(names) - set(SHARED))
        if missing:
            raise Unsupported(f"what {', '.join(missing)} would do is not compiled")
        possible = sum(prod(self.instance.sorts[p.sort].size for p in choices(a)) for a in self.instance.actions)
        if possible > MOST:
            raise Unsupported(f"there may be {possible:,} moves, and a policy chooses among {MOST:,} at most")
        self.values = self.writer.array(possible)
        self.tiles = self.writer.table(tuple(weights(self.instance)))
        self.rules = Rules(self.instance)
        self.foreseen = foreseen(self.instance)
        self.values_of: dict[str, Value] = {"heavy": self.weight}
        if self.foreseen:
            self.values_of["greedy"] = self.points

    def choose(self, plans: Sequence[Plan], n: ir.Expr) -> ir.Local:
        """The place of the move that is made, among all n."""
        writer, seat = self.writer, self.writer.let(self.seat())
        many, best, ranked = writer.fresh(n), writer.fresh(ir.ZERO), writer.fresh(ir.NO)
        for name in dict.fromkeys(self.names):
            mine = self.sits(seat, name)
            if name == "first":
                with writer.when(mine):
                    writer.emit(ir.Assign(many, ir.ONE))
            elif name in self.values_of:
                with writer.when(ir.both(mine, ir.less(ir.ONE, n))):
                    self.rank(plans, n, self.values_of[name], best, many)
                    writer.emit(ir.Assign(ranked, ir.YES))
        drawn = writer.local()
        writer.emit(ir.Draw(drawn, many))
        k = writer.fresh(drawn)
        with writer.when(ranked):
            self.find(drawn, best, k)
        return k

    def seat(self) -> ir.Expr:
        """Who is to move; the first seat where nobody is."""
        role = self.instance.role("state", "mover")
        if not role or self.instance.vars[role[0]].per is not None:
            return ir.ZERO
        (mover,) = self.ex.slots[role[0]].locals
        return ir.pick(ir.less(mover, ir.ZERO), ir.ZERO, mover)

    def sits(self, seat: ir.Expr, name: str) -> ir.Expr:
        """Does a player of this policy sit there?"""
        mask = sum(1 << i for i, other in enumerate(self.names) if other == name)
        return ir.YES if mask == (1 << len(self.names)) - 1 else ir.binary("has", ir.Const(mask), seat)

    # ------------------------------------------------------------ ranking

    def rank(self, plans: Sequence[Plan], n: ir.Expr, value: Value, best: ir.Local, many: ir.Local) -> None:
        """Note what every move is worth, the most, and how many are worth so much."""
        writer = self.writer
        t, worth = writer.fresh(ir.ZERO), writer.fresh(ir.ZERO)

        def rate(plan: Plan, env: Env) -> None:
            writer.emit(ir.Assign(worth, value(plan.action, env)))

        with writer.loop(ir.less(t, n)):
            self.moves.choose(list(plans), writer.fresh(t), rate)
            writer.emit(ir.Store(self.values, t, worth))
            better = ir.either(ir.equal(t, ir.ZERO), ir.less(best, worth))
            more = ir.If(ir.equal(best, worth), (ir.Assign(many, ir.plus(many, ir.ONE)),))
            writer.emit(ir.If(better, (ir.Assign(best, worth), ir.Assign(many, ir.ONE)), (more,)))
            writer.emit(ir.Assign(t, ir.plus(t, ir.ONE)))
        writer.forget()

    def find(self, drawn: ir.Local, best: ir.Local, k: ir.Local) -> None:
        """The place of the move that is the `drawn`-th of the best."""
        writer = self.writer
        left = writer.fresh(drawn)
        writer.emit(ir.Assign(k, ir.ZERO))
        here = ir.equal(ir.Load(self.values, k), best)
        with writer.loop(ir.negated(ir.both(here, ir.equal(left, ir.ZERO)))):
            writer.emit(ir.If(here, (ir.Assign(left, ir.binary("sub", left, ir.ONE)),)))
            writer.emit(ir.Assign(k, ir.plus(k, ir.ONE)))

    # ------------------------------------------------------------ what a move is worth

    def weight(self, action: core.Action, env: Env) -> ir.Expr:
        """The tiles it names."""
        named = [choices(action)[place].name for place in weighed(action)]
        total: ir.Expr = ir.ZERO
        for name in named:
            total = ir.plus(total, ir.Look(self.tiles, env[name]))
        return total if named else ir.Const(LEAST)

    def points(self, action: core.Action, env: Env) -> ir.Expr:
        """What it brings at once: the action is tried on a copy of what it writes."""
        if action.name not in self.foreseen:
            return ir.ZERO
        writer = self.writer
        before = self.scores()
        with self.copied({name for block in action.blocks for s in writes(block) for name in written(s)}):
            for i, block in enumerate(action.blocks):
                self.moves.blocks.block(block, env, frozenset() if i else lying(action))
            after = self.scores()
        table = [shares(self.rules, player) for player in range(self.instance.players)]
        flat = writer.table(tuple(share for row in table for share in row))
        start = writer.let(ir.binary("mul", self.seat(), ir.Const(len(before))))
        total: ir.Expr = ir.ZERO
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            share = ir.Look(flat, ir.plus(start, ir.Const(i)))
            if new != old:
                total = ir.plus(total, ir.binary("mul", share, ir.binary("sub", new, old)))
        return total

    def scores(self) -> list[ir.Expr]:
        """All score cells."""
        return [cell for name in self.instance.role("state", "score") for cell in self.ex.slots[name].cells()]

    @contextmanager
    def copied(self, names: set[str]) -> Iterator[None]:
        """What is written here to these variables is written elsewhere."""
        real, self.ex.trying = self.ex.slots, True
        self.ex.slots = {n: s.copy(self.writer) if n in names & self.moves.blocks.live else s for n, s in real.items()}
        try:
            yield
        finally:
            self.ex.slots, self.ex.trying = real, False


def written(s: core.Set | core.Move) -> tuple[str, ...]:
    """The variables that a statement writes."""
    return (s.var,) if isinstance(s, core.Set) else (s.source.var, s.target.var)
