"""Operators of the core in the imperative language: numbers, comparisons, membership."""

from __future__ import annotations

from domrules.compiler import ir, writer
from domrules.compiler.values import Values
from domrules.compiler.writer import Env, Words, has, single
from domrules.grammar import core


def arithmetic(ex: Values, e: core.Op, args: list[ir.Expr]) -> ir.Expr:
    """Operators on numbers, truths and elements."""
    ex.bounds.of(e)
    k = ir.Const(e.const)
    match e.name, args:
        case "not", [x]:
            return ir.negated(x)
        case "iff", [x, y]:
            return ir.binary("same", x, y)
        case "eq", [x, ir.NONE]:
            return ir.negated(ir.present(x))
        case "eq", [x, y]:
            return ir.binary("same" if ir.kind(x) is ir.Kind.TRUTH else "eq", x, y)
        case (("add" | "sub" | "mul" | "le"), [x, y]):
            return ir.binary(e.name, x, y)
        case "odd", [x]:
            return ir.equal(ir.binary("mod", x, ir.Const(2)), ir.ONE)
        case (("div" | "mod"), [x]):
            return ir.binary(e.name, ex.writer.let(x), k)
        case "rounddown", [x]:
            return ir.binary("mul", ir.binary("div", ex.writer.let(x), k), k)
        case "roundup", [x]:
            up = ir.plus(x, ir.Const(e.const - 1))
            return ir.binary("mul", ir.binary("div", ex.writer.let(up), k), k)
        case "round", [x]:
            return nearest(ex, ex.writer.let(x), e.const, e.tie)
        case name, _:
            raise AssertionError(f"{e.span}: no such operator: {name}")


def nearest(ex: Values, x: ir.Expr, k: int, tie: str) -> ir.Expr:
    """The nearest multiple of k; `tie` decides half way."""
    below = ex.writer.let(ir.binary("div", x, ir.Const(k)))
    twice = ex.writer.let(ir.binary("mul", ir.Const(2), ir.binary("mod", x, ir.Const(k))))
    ties: dict[str, ir.Expr] = {
        "up": ir.YES,
        "down": ir.NO,
        "even": ir.equal(ir.binary("mod", below, ir.Const(2)), ir.ONE),
        "away": ir.less(ir.ZERO, x),
    }
    up = ir.either(ir.less(ir.Const(k), twice), ir.both(ir.equal(twice, ir.Const(k)), ties[tie]))
    return ir.binary("mul", ir.plus(below, ir.unary("int", up)), ir.Const(k))


def compare(ex: Values, e: core.Op, env: Env) -> ir.Expr:
    """Comparisons; with the size of a set and 0 they ask whether it is empty."""
    match e.name, e.args:
        case "numeq", (core.Op(name="size", args=(of,)), core.Lit(value=0)):
            return ir.negated(some(ex, of, env))
        case "lt", (core.Lit(value=0), core.Op(name="size", args=(of,))):
            return some(ex, of, env)
        case _, (core.Lit(value=0), core.Call(fn=fn, args=())) | (core.Call(fn=fn, args=()), core.Lit(value=0)):
            body = ex.instance.fns[fn].body
            if isinstance(body, core.Op) and body.name == "size":
                return compare(
                    ex, core.Op(e.name, tuple(body if isinstance(x, core.Call) else x for x in e.args), e.type), env
                )
        case _:
            pass
    ex.bounds.of(e)
    x, y = (ex.scalar(a, env) for a in e.args)
    return ir.binary("lt" if e.name == "lt" else "eq", x, y)


def some(ex: Values, of: core.Expr, env: Env) -> ir.Expr:
    """Is a set not empty?"""
    match of:
        case core.Op(name="toset", args=(one,)):
            return ir.present(ex.writer.hold(ex.scalar(one, env))) if isinstance(one.type, core.Maybe) else ir.YES
        case core.Op(name="inter", args=(core.Op(name="toset", args=(one,)), other)):
            return member(ex, core.Op("in", (one, other), core.BOOL), env)
        case _:
            return writer.some(ex.words(of, env))


def member(ex: Values, e: core.Op, env: Env) -> ir.Expr:
    """Is an element, or optional, in a set?"""
    one, of = e.args
    return inside(ex, ex.writer.hold(ex.scalar(one, env)), one.type, of, env)


def inside(ex: Values, x: ir.Expr, type_: core.Type, of: core.Expr, env: Env) -> ir.Expr:
    """Is this element, or optional, in a set?"""
    if isinstance(of, core.Op) and of.name == "toset":
        y = ex.writer.let(ex.scalar(of.args[0], env))
        both_none = isinstance(type_, core.Maybe) and isinstance(of.args[0].type, core.Maybe)
        return ir.both(ir.present(x), ir.equal(x, y)) if both_none else ir.equal(x, y)
    found = has(ex.words(of, env), x)
    return ir.both(ir.present(x), found) if isinstance(type_, core.Maybe) else found


def toset(ex: Values, e: core.Op, env: Env) -> Words:
    (one,) = e.args
    assert isinstance(one.type, core.Elem | core.Maybe)
    x = ex.writer.let(ex.scalar(one, env), 1)
    words = single(x, ex.count(one.type.sort))
    if isinstance(one.type, core.Elem):
        return words
    return tuple(ir.pick(ir.present(x), word, ir.ZERO) for word in words)
