"""All elements of a set at once, as operations on words: "those t in S where P(t)", and sums of what each t is worth."""

from __future__ import annotations

from domrules.compiler import ir
from domrules.compiler.values import Values
from domrules.compiler.writer import Env, Words, single, size, split, zipped
from domrules.grammar import core

WIDE = 8
"""A search inside the condition, over at most so many known elements, is written out."""
DIGITS = 8
"""A sum of numbers of at most so many binary digits is put together from them."""


def comprehension(ex: Values, e: core.Agg, env: Env) -> Words | None:
    """The value of a quantifier that collects elements; None where they must be looked at one by one."""
    if e.guard is not None and ex.may_fail(e.guard):
        return None
    every = _full(ex, e.sort)
    if e.domain is not None:
        every = ex.words(e.domain, env)
    if e.guard is None:
        return every
    chosen = bitwise(ex, e.guard, e.var, e.sort, env)
    return None if chosen is None else zipped("and", every, chosen)


def weighed(ex: Values, e: core.Agg, env: Env) -> ir.Expr | None:
    """The sum over a set of numbers that each element has beforehand: for every binary digit, how many have it.

    None where the numbers depend on a state, or the elements must be looked at one by one.
    """
    if e.body is None or e.domain is None or isinstance(e.domain, core.Lit):
        return None
    if isinstance(e.domain, core.Op) and e.domain.name == "toset":
        return None
    worth = ex.worth(e.body, e.var, e.sort)
    low = min(worth, default=0)
    digits = max((value - low for value in worth), default=0).bit_length()
    chosen = comprehension(ex, e, env) if worth and digits <= DIGITS else None
    if chosen is None:
        return None
    words = tuple(ex.writer.let(word) for word in chosen)
    total = ir.binary("mul", size(words), ir.Const(low))
    for digit in range(digits):
        having = split(sum(1 << i for i, value in enumerate(worth) if value - low >> digit & 1), len(words))
        total = ir.plus(total, ir.binary("mul", size(zipped("and", words, having)), ir.Const(1 << digit)))
    return total


def filtered(ex: Values, words: Words, guard: core.Expr, var: str, sort: str, env: Env) -> Words | None:
    """The elements of a set for which a condition holds, if that can be said with words."""
    if ex.may_fail(guard):
        return None
    chosen = bitwise(ex, guard, var, sort, env)
    return None if chosen is None else zipped("and", words, chosen)


def _full(ex: Values, sort: str) -> Words:
    return split(ex.instance.sorts[sort].full, ex.count(sort))


def bitwise(ex: Values, e: core.Expr, var: str, sort: str, env: Env) -> Words | None:
    """The set of all elements for which a condition holds, which cannot fail."""
    full = _full(ex, sort)
    if var not in core.free(e):
        test = ex.writer.let(ex.scalar(e, env))
        return tuple(ir.pick(test, word, ir.ZERO) for word in full)
    if core.free(e) == {var} and ex.fold.pure(e, {var}):
        lits = [core.Lit(i, core.Elem(sort)) for i in range(ex.instance.sorts[sort].size)]
        return split(sum(1 << i for i, lit in enumerate(lits) if ex.fold.constant(e, {var: lit})), len(full))
    match e:
        case core.Op(name="in", args=(core.Local(name=name), of)) if name == var and var not in core.free(of):
            return ex.words(of, env)
        case core.Op(name="not", args=(of,)):
            inner = bitwise(ex, of, var, sort, env)
            return None if inner is None else zipped("minus", full, inner)
        case core.Op(name="and" | "or" as name, args=(a, b)) if var not in core.free(a):
            return _decided(ex, name == "or", ex.writer.let(ex.scalar(a, env)), b, var, sort, env)
        case core.Op(name="and" | "or" as name, args=(a, b)):
            left = bitwise(ex, a, var, sort, env)
            right = None if left is None else bitwise(ex, b, var, sort, env)
            return None if left is None or right is None else zipped(name, left, right)
        case core.Op(name="eq", args=(a, b)):
            return _equal(ex, a, b, var, len(full), env)
        case core.Agg(kind="any" | "all"):
            return _quantified(ex, e, var, sort, env)
        case core.Call():
            return _opened(ex, e, var, sort, env)
        case _:
            return None


def _decided(ex: Values, stop: bool, test: ir.Expr, e: core.Expr, var: str, sort: str, env: Env) -> Words | None:
    """All (`stop`) or none where a test comes out so, else those for which the rest of a condition holds."""
    every = _full(ex, sort) if stop else split(0, ex.count(sort))
    with ex.writer.inside() as body:
        rest = bitwise(ex, e, var, sort, env)
    if rest is None:
        return None
    here, there = ex.priced([], every), ex.priced(body, rest)
    return ex.either(test, *((here, there) if stop else (there, here)))


def _equal(ex: Values, a: core.Expr, b: core.Expr, var: str, count: int, env: Env) -> Words | None:
    """t == x, with x an element or an optional."""
    for one, other in ((a, b), (b, a)):
        if isinstance(one, core.Local) and one.name == var and var not in core.free(other):
            x = ex.writer.let(ex.scalar(other, env))
            words = single(x, count)
            if isinstance(other.type, core.Elem):
                return words
            return tuple(ir.pick(ir.present(x), word, ir.ZERO) for word in words)
    return None


def _quantified(ex: Values, e: core.Agg, var: str, sort: str, env: Env) -> Words | None:
    """any or all over a few known elements."""
    if e.domain is not None and not isinstance(e.domain, core.Lit):
        return None
    over = ex.domain(e.domain, e.sort, env)
    if not isinstance(over, list) or len(over) > WIDE:
        return None
    assert e.body is not None
    full = _full(ex, sort)
    total = split(0, len(full)) if e.kind == "any" else full
    for i in over:
        inner = {**env, e.var: ir.Const(i)}
        here = bitwise(ex, e.body, var, sort, inner)
        if here is None:
            return None
        if e.guard is not None:
            guard = bitwise(ex, e.guard, var, sort, inner)
            if guard is None:
                return None
            here = zipped("and", here, guard) if e.kind == "any" else zipped("or", here, zipped("minus", full, guard))
        total = zipped("or" if e.kind == "any" else "and", total, here)
    return total


def _opened(ex: Values, e: core.Call, var: str, sort: str, env: Env) -> Words | None:
    """A call whose arguments are the element itself or do not depend on it."""
    fn = ex.instance.fns[e.fn]
    inner, name = dict[str, ir.Expr](), ""
    for (param, _), arg in zip(fn.params, e.args, strict=True):
        if isinstance(arg, core.Local) and arg.name == var:
            if name:
                return None
            name = param
        elif var in core.free(arg):
            return None
        else:
            inner[param] = ex.writer.let(ex.scalar(arg, env))
    return bitwise(ex, fn.body, name, sort, inner) if name else None
