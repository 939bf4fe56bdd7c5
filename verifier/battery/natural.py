"""Which numbers of a match are never below 0: scores, remembered points, eggs. Found by trying all of them together.

A match begins with them at least 0, nothing that a move or a beginning writes is less, and settlements, which may use what
is not below 0 before, keep it so. Those that fail are dropped, and the rest is tried again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from domrules.grammar import core
from domrules.grammar.reads import statements
from domrules.verifier.battery.ended import Ended, Stage
from domrules.verifier.battery.paths import below, carried_out, some, valued
from domrules.verifier.dag import TRUE, Bit, Number
from domrules.verifier.solver import Answer

SECONDS = 2.0
"""Of each query: these facts help, nothing depends on them."""


def naturals(ended: Ended) -> frozenset[str]:
    """Variables that are at least 0 before every round and after every settlement."""
    instance = ended.study.instance
    names = [v.name for v in instance.vars.values() if isinstance(v.type, core.IntType) and v.life is core.Life.MATCH]
    kept = frozenset(name for name in names if name not in instance.open and _begins(instance.vars[name]))
    while kept:
        tried = replace(ended, natural=kept, stages={})
        lost = {name for name in kept if not (_written(tried, name) and _settled(tried, name))}
        if not lost:
            return kept
        kept -= lost
    return kept


def _begins(var: core.Var) -> bool:
    return isinstance(var.init, core.Lit) and isinstance(var.init.value, int) and var.init.value >= 0


def _written(ended: Ended, name: str) -> bool:
    """Is nothing below 0 written, or added, in a round?"""
    return all(ended.in_play(e, seconds=SECONDS).answer is Answer.NO for e in _below(ended.study.instance, name))


def _below(instance: core.Instance, name: str) -> Iterator[core.Expr]:
    """For each statement of a round that writes it: what is written is below 0."""
    blocks: list[tuple[core.Block, tuple[core.Param, ...]]] = [(block, ()) for block in instance.begin]
    blocks += [(block, action.params) for action in instance.actions for block in action.blocks]
    for block, params in blocks:
        for s in statements(block):
            if isinstance(s, core.Set) and s.var == name:
                e = carried_out(block, s, valued(instance, s.value, lambda value: below(value, 0)))
                for p in reversed(params):
                    e = some(p.name, p.sort, None, e)
                yield e


def _settled(ended: Ended, name: str) -> bool:
    """Is it at least 0 after the settlements?"""
    cells = [(name, index) for index in ended.study.instance.cells(name)]

    def fails(stage: Stage) -> Bit:
        dag, found = stage.encoder.dag, list[Bit]()
        for cell in cells:
            number = stage.states[-1].cells.get(cell)
            if not isinstance(number, Number):  # it is forgotten: nothing is known of it
                return TRUE
            if number is not stage.states[0].cells[cell]:
                found.append(-dag.at_least_zero(number))
        return dag.any(found)

    return ended.check(fails, seconds=SECONDS)[0].answer is Answer.NO
