"""From an action to whether its points can be known before it is done: fate and hidden tiles have no say in them."""

from __future__ import annotations

from collections.abc import Iterator

from domrules.grammar import core
from domrules.grammar.passes import optimise
from domrules.grammar.reads import evaluated, statements
from domrules.interpreter.names import chances


def foreseen(instance: core.Instance) -> frozenset[str]:
    """The names of the actions that may bring points, where whoever chooses can tell how many.

    A zone that not all may see counts as hidden, also the own hand; how many tiles lie in it does not.
    """
    plain = optimise(instance)
    hidden = {v.name for v in plain.vars.values() if v.zone and v.seen is not core.Seen.ALL}
    looks = Looks(plain)
    return frozenset(
        action.name
        for action in plain.actions
        if scores(plain, action) and not chances(action) and not hidden & looks.decide(action)
    )


def scores(instance: core.Instance, action: core.Action) -> bool:
    """May the action change a score?"""
    names = instance.role("state", "score")
    return any(
        isinstance(s, core.Set)
        and s.var in names
        and not (s.add and isinstance(s.value, core.Lit) and s.value.value == 0)
        for block in action.blocks
        for s in statements(block)
    )


class Looks:
    """What is looked at in an instance, beyond how many tiles lie somewhere."""

    def __init__(self, instance: core.Instance) -> None:
        self.instance = instance
        self.defines: dict[str, frozenset[str]] = {}

    def decide(self, action: core.Action) -> frozenset[str]:
        """The variables on which it depends what an action does to the scores."""
        wanted = frozenset(self.instance.role("state", "score"))
        for block in reversed(action.blocks):
            wanted |= frozenset[str]().union(*map(self.at, deciding(block, wanted)))
        return wanted

    def at(self, e: core.Expr) -> frozenset[str]:
        """The variables an expression looks at."""
        match e:
            case core.Op(name="size" | "some", args=(core.Read(index=index),)):
                return frozenset() if index is None else self.at(index)
            case core.Read(var=var):
                found = frozenset({var})
            case core.Call(fn=fn):
                if fn not in self.defines:
                    self.defines[fn] = self.at(self.instance.fns[fn].body)
                found = self.defines[fn]
            case _:
                found = frozenset()
        return found.union(*map(self.at, core.children(e)))


def deciding(block: core.Block, wanted: frozenset[str]) -> Iterator[core.Expr]:
    """The expressions that decide what a block writes into these variables."""
    for s in block:
        match s:
            case core.Set() if s.var in wanted:
                yield from evaluated(s)
            case core.Move() if wanted & {s.source.var, s.target.var}:
                yield from evaluated(s)
            case core.If() | core.Each():
                inside = list(deciding(s.body, wanted))
                if inside:
                    yield from evaluated(s)
                    yield from inside
            case _:
                pass
