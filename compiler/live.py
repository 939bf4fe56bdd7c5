"""Which variables matter: those that something reads on which a move, an ending, a score or a promise depends."""

from __future__ import annotations

from collections.abc import Iterator

from domrules.compiler.expressions import Expressions
from domrules.compiler.store import all_blocks
from domrules.grammar import core


def live(ex: Expressions) -> frozenset[str]:
    """The variables whose values must be kept. The others are only ever written."""
    instance = ex.instance
    found = {v.name for v in instance.vars.values() if v.role == "score" or v.low is not None or v.high is not None}
    found |= {"ending", *(source for _, source, _ in instance.deals)}
    found |= {v.name for v in instance.vars.values() if v.role in ("mover", "stock")}
    for e in _questions(instance):
        found |= ex.reads.variables(e)
    while True:
        more = {name for block in all_blocks(instance) for name in _needed(ex, block, found)}
        if more <= found:
            return frozenset(found)
        found |= more


def _questions(instance: core.Instance) -> Iterator[core.Expr]:
    """What is asked in any case."""
    yield from (instance.redeal, instance.over, instance.winners)
    yield from (e.when for e in instance.endings)
    for action in instance.actions:
        yield action.guard
        yield from (p.domain for p in action.params if p.domain is not None)
    yield from (v.init for v in instance.vars.values() if v.init is not None)
    for settle in instance.settles:
        yield from (row.test for row in settle.rows)


def _needed(ex: Expressions, block: core.Block, live: set[str]) -> Iterator[str]:
    """What the statements of a block need to be known, if these variables matter."""
    for s in block:
        match s:
            case core.Set():
                if s.var in live or ex.may_fail(s.value):
                    yield from ex.reads.variables(s.value)
                yield from ex.reads.variables(s.index)
            case core.Move():
                yield s.source.var
                yield from ex.reads.evaluating(s)
            case core.If() | core.Each():
                yield from ex.reads.evaluating(s)
                yield from _needed(ex, s.body, live)
            case core.Attach():
                pass
