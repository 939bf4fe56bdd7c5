"""Quantifiers of the core in the imperative language: written out, looped over, or about one element at most."""

from __future__ import annotations

from functools import partial

from domrules.compiler import ir
from domrules.compiler.bitsets import comprehension, weighed
from domrules.compiler.store import literal
from domrules.compiler.values import UNROLL, One, Values
from domrules.compiler.writer import Env, Words, each, least, single, size, some, split
from domrules.grammar import core


def aggregate(ex: Values, e: core.Agg, env: Env) -> Words:
    """The value of a quantifier."""
    chosen = comprehension(ex, e, env) if e.kind == "set" else None
    if chosen is not None:
        return chosen
    ex.bounds.of(e)
    total = weighed(ex, e, env) if e.kind == "sum" else None
    if total is not None:
        return (total,)
    over = ex.domain(e.domain, e.sort, env)
    elements = [ir.Const(i) for i in over] if isinstance(over, list) else None
    if elements is not None and len(elements) <= (UNROLL if ex.hot else 1):
        return unrolled(ex, e, env, elements)
    if elements is not None:
        over = split(sum(1 << i.value for i in elements), ex.count(e.sort))
    assert not isinstance(over, list)
    if isinstance(over, One):
        return at_most_one(ex, e, env, over)
    return looped(ex, e, env, over)


def guarded(ex: Values, e: core.Agg, env: Env, element: ir.Expr) -> ir.Expr:
    """Does the guard hold for this element?"""
    return ir.YES if e.guard is None else ex.scalar(e.guard, {**env, e.var: element})


def inside(ex: Values, e: core.Agg, env: Env, element: ir.Expr) -> Words:
    """The value of the body for this element."""
    if e.body is None:
        return single(element, ex.count(e.sort))
    return ex.words(e.body, {**env, e.var: element})


def nothing(ex: Values, e: core.Agg) -> Words:
    """The value over nothing, of sum, set and pick."""
    if e.kind == "set":
        return split(0, ex.count(e.sort))
    kind = core.INT if e.body is None else e.body.type
    return literal(ex.instance, None if e.kind == "pick" else 0, kind)


def test(ex: Values, e: core.Agg, env: Env, element: ir.Expr) -> ir.Expr:
    """any: guard and body; all: guard and not body."""

    def body() -> ir.Expr:
        (value,) = inside(ex, e, env, element)
        return value if e.kind == "any" else ir.negated(value)

    return ex.junction(False, [partial(guarded, ex, e, env, element), body])


def at_most_one(ex: Values, e: core.Agg, env: Env, one: One) -> Words:
    """Over an element or an optional."""
    here, x = one.test, one.element
    if e.kind in ("any", "all"):
        found = ex.junction(False, [lambda: here, lambda: test(ex, e, env, x)])
        return (found if e.kind == "any" else ir.negated(found),)
    whether = ex.junction(False, [lambda: here, lambda: guarded(ex, e, env, x)])
    optional = isinstance(e.type, core.Elem | core.Maybe)
    return ex.rows([(lambda: whether, lambda: inside(ex, e, env, x))], partial(nothing, ex, e), optional)


def unrolled(ex: Values, e: core.Agg, env: Env, elements: list[ir.Const]) -> Words:
    """Over known elements, written out."""
    if e.kind in ("any", "all"):
        found = ex.junction(True, [partial(test, ex, e, env, i) for i in elements])
        return (found if e.kind == "any" else ir.negated(found),)
    if e.kind == "pick":
        return ex.rows(
            [(partial(guarded, ex, e, env, i), partial(inside, ex, e, env, i)) for i in elements],
            partial(nothing, ex, e),
            isinstance(e.type, core.Elem | core.Maybe),
        )
    total = nothing(ex, e)
    for i in elements:
        one = ex.rows([(partial(guarded, ex, e, env, i), partial(inside, ex, e, env, i))], partial(nothing, ex, e))
        total = tuple(ir.binary("or" if e.kind == "set" else "add", a, b) for a, b in zip(total, one, strict=True))
    return total


def looped(ex: Values, e: core.Agg, env: Env, over: Words) -> Words:
    """Over any set."""
    writer = ex.writer
    if e.kind in ("any", "all"):
        found = writer.fresh(ir.NO)
        with each(writer, over, found) as element:
            prepare_inside(ex, e, env, element)
            writer.emit(ir.Assign(found, test(ex, e, env, element)))
        return (found if e.kind == "any" else ir.negated(found),)
    result = tuple(writer.fresh(x) for x in nothing(ex, e))
    done = writer.fresh(ir.NO) if e.kind == "pick" else None
    with each(writer, over, done) as element:
        prepare_inside(ex, e, env, element)
        with writer.when(guarded(ex, e, env, element)):
            for target, value in zip(result, inside(ex, e, env, element), strict=True):
                op = {"sum": "add", "set": "or"}.get(e.kind)
                writer.emit(ir.Assign(target, ir.binary(op, target, value) if op else value))
            if done is not None:
                writer.emit(ir.Assign(done, ir.YES))
    return result


def prepare_inside(ex: Values, e: core.Agg, env: Env, element: ir.Expr) -> None:
    for part in (e.guard, e.body):
        ex.prepare(part, {**env, e.var: element})


def best(ex: Values, e: core.Best, env: Env) -> Words:
    """The elements with the greatest or least key."""
    writer = ex.writer
    ex.bounds.of(e.key)
    over = ex.domain(e.of, e.sort, env)
    if isinstance(over, list):
        over = split(sum(1 << i for i in over), ex.count(e.sort))
    if isinstance(over, One):
        return ex.words(e.of, env)
    most, chosen = writer.fresh(ir.ZERO), tuple(writer.fresh(ir.ZERO) for _ in over)
    with each(writer, over) as element:
        key = writer.let(ex.scalar(e.key, {**env, e.var: element}))
        better = ir.less(most, key) if e.highest else ir.less(key, most)
        first = ir.negated(some(chosen))
        bit = single(element, len(over))
        with writer.inside() as fresh:
            writer.emit(ir.Assign(most, key), *(ir.Assign(c, b) for c, b in zip(chosen, bit, strict=True)))
        with writer.inside() as more:
            writer.emit(*(ir.Assign(c, ir.binary("or", c, b)) for c, b in zip(chosen, bit, strict=True)))
        writer.emit(ir.If(ir.either(first, better), tuple(fresh), (ir.If(ir.equal(key, most), tuple(more)),)))
    return chosen


def sole(ex: Values, e: core.Sole, env: Env) -> ir.Expr:
    """The one element of a set, or none."""
    writer = ex.writer
    if isinstance(e.of.type, core.SetOf):
        words = tuple(writer.let(w) for w in ex.words(e.of, env))
        one = writer.let(ir.equal(size(words), ir.ONE))
        only = least(words)
        if not e.must:
            return ir.pick(one, only, ir.NONE)
        writer.fail_if(ir.negated(one))
        return only
    only = writer.let(ex.scalar(e.of, env))
    if e.must and not isinstance(e.of.type, core.Elem):
        writer.fail_if(ir.less(only, ir.ZERO))
    return only
