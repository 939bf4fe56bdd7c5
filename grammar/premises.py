"""A claim as written → its premises: what must hold somewhere, or the claim says nothing.

`A implies B` has the premise A; `all x in S where A: …` has the premise that such an x exists. Inside each other they add up.
"""

from __future__ import annotations

from domrules.grammar import core
from domrules.grammar.conditions import conjuncts
from domrules.grammar.core import BOOL, Agg, Expr, Op
from domrules.grammar.syntax import Node, node, word


def premises(n: Node, e: Expr) -> tuple[Expr, ...]:
    """The premises of a statement; `e` is what the node means."""
    match n.kind, e:
        case "implies", Op(name="or", args=(left, right)):
            before = core.negation(left)
            inner = premises(node(n.parts[1]), right)
            return tuple(core.conjunction([before, p]) for p in inner) or (before,)
        case "quant", Agg(kind="all", body=body) if body is not None:
            inner = premises(node(n.parts[2]), body)
            return tuple(_some(e, p) for p in inner) or _restricted(e)
        case "quant", Op(name="not", args=(Agg(kind="any") as some,)) if word(n.parts[0]).text == "no":
            return _restricted(some)
        case "and", Op(name="and"):
            return _each(conjuncts(n), e)
        case _:
            return ()


def _restricted(e: Agg) -> tuple[Expr, ...]:
    """That a quantifier ranges over anything, where that is not plain."""
    return () if e.domain is None and e.guard is None else (_some(e, core.TRUE),)


def _some(e: Agg, body: Expr) -> Expr:
    span = e.span if core.is_lit(body, True) else body.span
    return Agg("any", e.var, e.sort, e.domain, e.guard, body, BOOL, span)


def _each(parts: list[Node], e: Expr) -> tuple[Expr, ...]:
    """Those of every part of a conjunction, one after the other."""
    found: list[Expr] = []
    for n in parts[:-1]:
        if n.kind == "is_bind" or not (isinstance(e, Op) and e.name == "and"):
            return tuple(found)
        found += premises(n, e.args[0])
        e = e.args[1]
    return (*found, *premises(parts[-1], e))
