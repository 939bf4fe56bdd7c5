"""core.Instance → what would take too long to look at once, however few tiles there are in the sets it ranges over.

Engines remember the calls of defines in a position, so a define costs its own steps once for each of its arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from domrules.grammar import core
from domrules.grammar.depth import claimed
from domrules.grammar.diagnostics import Reporter
from domrules.grammar.source import Span

MAX_STEPS = 10**9
"""Shipped games need 150,000."""


def check_effort(instance: core.Instance, report: Reporter) -> None:
    """Add a mistake for everything that may take more steps than anyone will wait for."""
    for span, steps in _efforts(instance, _Steps(instance)):
        if steps > MAX_STEPS:
            report.add("DOM428", f"to look at this may take {_shown(steps)} steps", span,
                       fix="range over fewer things at once, or over smaller sets")  # fmt: skip


def _shown(steps: int) -> str:
    return f"{steps:,}" if steps < 10**15 else f"10^{len(str(steps)) - 1}"


def _efforts(instance: core.Instance, steps: _Steps) -> Iterator[tuple[Span, int]]:
    for fn in instance.fns.values():
        yield (
            fn.span.first(2),
            steps.choices(t.sort for _, t in fn.params if isinstance(t, core.Elem)) * steps.expr(fn.body),
        )
    for action in (*instance.actions, *instance.events):
        ways = steps.choices(p.sort for p in action.params)
        yield (
            action.span.first(2),
            ways * (1 + steps.expr(action.guard) + sum(steps.expr(p.domain) for p in action.params)),
        )
    for action in (*instance.actions, *instance.events):
        yield from ((action.span.first(2), steps.block(b)) for b in action.blocks)
    yield from ((s.span.first(), steps.block(s.block())) for s in instance.settles)
    yield from ((b[0].span, steps.block(b)) for b in instance.begin if b)
    yield from ((e.span.first(2), steps.expr(e.when)) for e in instance.endings)
    for e in (instance.redeal, instance.over, instance.winners, *claimed(instance.game)):
        yield e.span, steps.expr(e)


class _Steps:
    """Counts steps; sets are taken to be whole sorts."""

    def __init__(self, instance: core.Instance) -> None:
        self.sorts = instance.sorts

    def choices(self, sorts: Iterator[str]) -> int:
        return prod(self.sorts[sort].size for sort in sorts)

    def expr(self, e: core.Expr | None) -> int:
        match e:
            case None:
                return 0
            case core.Agg():
                inside = 1 + self.expr(e.guard) + self.expr(e.body)
                return 1 + self.expr(e.domain) + self.sorts[e.sort].size * inside
            case core.Best():
                return 1 + self.expr(e.of) + self.sorts[e.sort].size * self.expr(e.key)
            case _:
                return 1 + sum(self.expr(child) for child in core.children(e))

    def block(self, block: core.Block) -> int:
        return sum(map(self.statement, block))

    def statement(self, s: core.Stmt) -> int:
        match s:
            case core.Each():
                inside = 1 + self.expr(s.guard) + self.block(s.body)
                return 1 + self.expr(s.domain) + self.sorts[s.sort].size * inside
            case core.If():
                return 1 + self.expr(s.condition) + self.block(s.body)
            case core.Set():
                return 1 + self.expr(s.index) + self.expr(s.value)
            case core.Move():
                return 1 + sum(map(self.expr, (s.tile, s.source, s.target)))
            case core.Attach():
                return 1 + sum(map(self.expr, (s.tile, s.to, s.touching, s.going, s.across)))
