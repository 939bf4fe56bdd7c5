"""syntax → typed core, for comparisons: equality, order, membership, and whether there is anything at all."""

from __future__ import annotations

from domrules.grammar import core
from domrules.grammar.core import BOOL, INT, Elem, Expr, Lit, Maybe, Op, SetOf
from domrules.grammar.functions import Elaborator, Env
from domrules.grammar.scope import ERROR, elem
from domrules.grammar.syntax import Node, node, word


def compare(to: Elaborator, n: Node, env: Env) -> Expr:
    """`a == b`, `a < b` and so on."""
    sign = word(n.parts[1]).text
    if sign not in ("==", "!="):
        a, b = to.number(n.parts[0], env), to.number(n.parts[2], env)
        if ERROR in (a.type, b.type):
            return Lit(False, ERROR, n.span)
        if sign in (">", ">="):
            a, b = b, a
        return Op("lt" if sign in ("<", ">") else "le", (a, b), BOOL, span=n.span)
    a, b = _both_sides(to, n, env)
    if ERROR in (a.type, b.type):
        return Lit(False, ERROR, n.span)
    if sign == "!=" and (isinstance(a.type, Maybe) or isinstance(b.type, Maybe)):
        return _unequal_maybe(to, a, b, n)
    e = equal(to, a, b, n)
    return core.negation(e) if sign == "!=" and e.type != ERROR else e


def _unequal_maybe(to: Elaborator, a: Expr, b: Expr, n: Node) -> Expr:
    """`!=` where one side may be none."""
    left, right = n.parts[0], n.parts[2]
    maybe, other = (left, right) if isinstance(a.type, Maybe) else (right, left)
    one, two = node(maybe).span.text, node(other).span.text
    nothing = next((x for x, e in ((one, b), (two, a)) if isinstance(e, Lit) and e.value is None), None)
    if nothing is not None:
        return to.bad("DOM306", "whether there is something is asked by `is`", n.span,
                      fix=f"write `{nothing} is not none`")  # fmt: skip
    return to.bad("DOM306", "`!=` with something that may be none hides a case", n.span,
                  fix=f"say what holds when there is none: `{one} is w and w != {two}`, or `not {one} == {two}`")  # fmt: skip


def _both_sides(to: Elaborator, n: Node, env: Env) -> tuple[Expr, Expr]:
    """The two sides of ==; a bare member takes its sort from the other side."""
    left, right = node(n.parts[0]), node(n.parts[2])
    if _is_member(to, left, env) and not _is_member(to, right, env):
        b = to.expr(right, env)
        return to.expr(left, env, b.type), b
    a = to.expr(left, env)
    return a, to.expr(right, env, a.type)


def _is_member(to: Elaborator, n: Node, env: Env) -> bool:
    return n.kind == "name" and word(n.parts[0]).text not in env and any(to.scope.members(word(n.parts[0])))


def equal(to: Elaborator, a: Expr, b: Expr, n: Node) -> Expr:
    """Are two values of one type, or two numbers, the same?"""
    if a.type == b.type == BOOL:
        return Op("iff", (a, b), BOOL, span=n.span)
    if isinstance(a, Lit) and a.value is None and isinstance(b.type, Maybe):
        return Op("eq", (Lit(None, b.type, a.span), b), BOOL, span=n.span)
    if isinstance(b, Lit) and b.value is None and isinstance(a.type, Maybe):
        return Op("eq", (a, Lit(None, a.type, b.span)), BOOL, span=n.span)
    sorts = elem(a.type), elem(b.type)
    if sorts[0] is not None and sorts[0] == sorts[1]:
        if isinstance(a.type, SetOf) == isinstance(b.type, SetOf):
            return Op("eq", (a, b), BOOL, span=n.span)
        return _never_equal(to, a, b, n, "write `in`: an element is in a set")
    if INT in (a.type, b.type) or (_numeric(to, a) and _numeric(to, b)):
        x, y = (to.coerce(e, INT, e.span) for e in (a, b))
        if ERROR in (x.type, y.type):
            return Lit(False, ERROR, n.span)
        return Op("numeq", (x, y), BOOL, span=n.span)
    return _never_equal(to, a, b, n)


def _never_equal(to: Elaborator, a: Expr, b: Expr, n: Node, fix: str = "") -> Expr:
    return to.bad("DOM307", f"{to.scope.told(a.type)} and {to.scope.told(b.type)} are never equal", n.span, fix=fix)


def _numeric(to: Elaborator, e: Expr) -> bool:
    return isinstance(e.type, Elem) and e.type != ERROR and to.scope.sorts[e.type.sort].numeric


def contains(to: Elaborator, n: Node, env: Env) -> Expr:
    """`a in S`."""
    right = node(n.parts[1])
    sort, domain = to.domain(right, env)
    if sort == ERROR.sort:
        return Lit(False, ERROR, n.span)
    a = to.expr(n.parts[0], env, Elem(sort))
    if a.type == ERROR:
        return a
    if a.type not in (Elem(sort), Maybe(sort)):
        return to.bad("DOM307", f"{to.scope.told(a.type)} is never in {to.scope.told(SetOf(sort))}", n.span)
    return Op("in", (a, domain if domain is not None else to.whole(sort, right.span)), BOOL, span=n.span)


def has(to: Elaborator, n: Node, env: Env) -> Expr:
    """`t has v`: one of the halves of t is v."""
    half = to.scope.half_type
    tile = to.typed(n.parts[0], env, Elem("tile"))
    v = to.expr(n.parts[1], env, half)
    if ERROR in (tile.type, v.type, half):
        return Lit(False, ERROR, n.span)
    low, high = (equal(to, core.Attr(name, tile, half, n.span), v, n) for name in ("low", "high"))
    return low if low.type == ERROR else Op("or", (low, high), BOOL, span=n.span)


def is_none(to: Elaborator, n: Node, env: Env) -> Expr:
    """`x is none`, `x is not none`."""
    e = to.expr(n.parts[0], env)
    if e.type == ERROR:
        return e
    if not isinstance(e.type, Maybe):
        fix = f"write `size({e.span.text}) == 0`" if isinstance(e.type, SetOf) and n.kind == "is_none" else ""
        return to.bad("DOM304", f"{to.scope.told(e.type)} is never none", n.span, fix=fix)
    absent = Op("eq", (e, Lit(None, e.type, n.span)), BOOL, span=n.span)
    return core.negation(absent) if n.kind == "is_not_none" else absent
