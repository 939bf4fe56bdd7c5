"""How large numbers can get, from their form alone: what cannot be said within 62 bits is not compiled."""

from __future__ import annotations

from domrules.compiler.store import LARGE
from domrules.compiler.writer import Unsupported
from domrules.grammar import core

MOST = 1 << 61


class Bounds:
    """An upper bound of the absolute value of every number of an instance."""

    def __init__(self, instance: core.Instance) -> None:
        self.instance = instance
        self.done: dict[core.Expr | str, int] = {}

    def of(self, e: core.Expr) -> int:
        """The bound of an expression. Raises Unsupported if it, or something inside, may not fit."""
        if e not in self.done:
            bound = self._of(e)
            if bound > MOST:
                raise Unsupported(f"{e.span}: a number here may become too large")
            self.done[e] = bound
        return self.done[e]

    def _of(self, e: core.Expr) -> int:
        inside = [self.of(c) for c in core.children(e)]
        match e:
            case core.Lit(value=int(value)) if isinstance(e.type, core.IntType):
                return abs(int(value))
            case core.Read() if isinstance(e.type, core.IntType):
                return LARGE
            case core.Table() if isinstance(e.type, core.IntType):
                return max((abs(v) for v in e.values if v is not None), default=0)
            case core.Op():
                return self._op(e, inside)
            case core.Cases():
                return max(self.of(x) for x in (*(v for _, v in e.rows), e.otherwise))
            case core.Agg() if e.body is not None:
                times = self.instance.sorts[e.sort].size if e.kind == "sum" else 1
                return times * self.of(e.body)
            case core.Call():
                return self.fn(e.fn)
            case _:
                return 0

    def _op(self, e: core.Op, inside: list[int]) -> int:
        match e.name:
            case "add" | "sub":
                return sum(inside)
            case "mul":
                return inside[0] * inside[1]
            case "div" | "mod":
                return max(inside[0], e.const)
            case "round" | "roundup" | "rounddown":
                return inside[0] + 2 * e.const
            case "size":
                return 1 << 20
            case _:
                return 0

    def fn(self, name: str) -> int:
        if name not in self.done:
            self.done[name] = self.of(self.instance.fns[name].body)
        return self.done[name]
