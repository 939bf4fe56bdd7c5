"""Conditions of `when` and `if`: conjuncts from left to right, in which `x is w` takes an optional apart and binds w."""

from __future__ import annotations

from dataclasses import dataclass

from domrules.grammar import core
from domrules.grammar.core import BOOL, INT, Expr, Local
from domrules.grammar.functions import Env
from domrules.grammar.syntax import Node, node


@dataclass(frozen=True, slots=True)
class Binding:
    """`x is w`: `var` is the one element of `domain`, if it has one."""

    var: Local
    sort: str
    domain: Expr


@dataclass(frozen=True, slots=True)
class Condition:
    """A conjunction whose bindings reach to its right and into what it guards."""

    parts: tuple[Expr | Binding, ...]
    env: Env

    def test(self) -> Expr:
        """The condition alone, as a truth."""
        out: Expr = core.TRUE
        for part in reversed(self.parts):
            if isinstance(part, Binding):
                out = core.Agg("any", part.var.name, part.sort, part.domain, None, out, BOOL, part.domain.span)
            else:
                out = core.conjunction([part, out])
        return out

    def value(self, body: Expr) -> Expr:
        """The value under the bindings; only asked for where `test` holds."""
        kind = "sum" if body.type == INT else "any" if body.type == BOOL else "pick"
        for part in reversed(self.parts):
            if isinstance(part, Binding):
                body = core.Agg(kind, part.var.name, part.sort, part.domain, None, body, body.type, body.span)
        return body

    def guard(self, body: core.Block) -> core.Block:
        """Statements under the condition."""
        for part in reversed(self.parts):
            if isinstance(part, Binding):
                body = (core.Each(part.var.name, part.sort, part.domain, None, body, part.domain.span),)
            elif not core.is_lit(part, True):
                body = (core.If(part, body, part.span),)
        return body


def conjuncts(n: Node) -> list[Node]:
    if n.kind == "and":
        return [*conjuncts(node(n.parts[0])), *conjuncts(node(n.parts[1]))]
    return [n]
