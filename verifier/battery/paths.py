"""When a part of the rules is looked at: as an expression of its own, so that engines can be asked about it.

    looked_at(instance, body, target, wanted)     # "evaluating `body` comes to `target`, and there `wanted` holds"
    carried_out(instance, block, target, wanted)  # the same for a statement of a block

Conditions on the way are part of it: rows of tables that come earlier fail, quantifiers and calls bind what they bind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from domrules.grammar import core

Wanted = Callable[[core.Expr], core.Expr]


@dataclass
class Paths:
    """The ways to one expression (or one of several); `wanted` says of it what must hold there."""

    rules: core.Game | core.Instance
    targets: frozenset[core.Expr]
    wanted: Wanted
    _calls: dict[str, core.Expr] = field(default_factory=dict)

    def within(self, e: core.Expr | None) -> core.Expr:
        """Evaluating `e` comes to a target where `wanted` holds."""
        if e is None:
            return core.FALSE
        here = self.wanted(e) if e in self.targets else core.FALSE
        return either([here, self._inside(e)])

    def _inside(self, e: core.Expr) -> core.Expr:
        match e:
            case core.Op(name="and" | "or", args=(left, right)):
                goes_on = left if e.name == "and" else core.negation(left)
                return either([self.within(left), both(goes_on, self.within(right))])
            case core.Cases():
                return self._rows(e)
            case core.Agg():
                inner = either([self.within(e.guard), both(e.guard or core.TRUE, self.within(e.body))])
                return either([self.within(e.domain), some(e.var, e.sort, e.domain, inner)])
            case core.Best():
                return either([self.within(e.of), some(e.var, e.sort, e.of, self.within(e.key))])
            case core.Call():
                return either([*map(self.within, e.args), self._call(e)])
            case _:
                return either(list(map(self.within, core.children(e))))

    def _rows(self, e: core.Cases) -> core.Expr:
        rest = self.within(e.otherwise)
        for test, value in reversed(e.rows):
            later = both(core.negation(test), rest)
            rest = either([self.within(test), both(test, self.within(value)), later])
        return rest

    def _call(self, e: core.Call) -> core.Expr:
        fn = self.rules.fns[e.fn]
        if fn.name not in self._calls:
            self._calls[fn.name] = self.within(fn.body)
        return called(fn, e, self._calls[fn.name])

    def statement(self, s: core.Stmt) -> core.Expr:
        """Carrying out a statement comes to a target."""
        match s:
            case core.Set():
                return either([self.within(s.index), self.within(s.value)])
            case core.Move():
                return either(list(map(self.within, (s.tile, s.source, s.target))))
            case core.If():
                return either([self.within(s.condition), both(s.condition, self.block(s.body))])
            case core.Each():
                inner = either([self.within(s.guard), both(s.guard or core.TRUE, self.block(s.body))])
                return either([self.within(s.domain), some(s.var, s.sort, s.domain, inner)])
            case core.Attach():
                return core.FALSE

    def block(self, block: core.Block) -> core.Expr:
        """Carrying out a block comes to a target."""
        return either(list(map(self.statement, block)))


def carried_out(block: core.Block, target: core.Stmt, wanted: core.Expr) -> core.Expr:
    """A statement of a block is carried out, and `wanted` (which may use the names bound around it) holds there."""
    return either([_carried(s, target, wanted) for s in block])


def _carried(s: core.Stmt, target: core.Stmt, wanted: core.Expr) -> core.Expr:
    if s is target:
        return wanted
    match s:
        case core.If():
            return both(s.condition, carried_out(s.body, target, wanted))
        case core.Each():
            inner = both(s.guard or core.TRUE, carried_out(s.body, target, wanted))
            return some(s.var, s.sort, s.domain, inner)
        case _:
            return core.FALSE


def valued(instance: core.Instance, e: core.Expr, wanted: Wanted) -> core.Expr:
    """The number `e` is what `wanted` says, which is false of 0: asked row by row where it comes from a table."""
    match e:
        case core.Cases():
            found = valued(instance, e.otherwise, wanted)
            for test, value in reversed(e.rows):
                found = either([both(test, valued(instance, value, wanted)), both(core.negation(test), found)])
            return found
        case core.Call() if isinstance(instance.fns[e.fn].body, core.Cases | core.Call):
            found = valued(instance, instance.fns[e.fn].body, wanted)
            return called(instance.fns[e.fn], e, found)
        case core.Agg(kind="sum", domain=core.Op(name="toset"), body=body) if body is not None:
            return some(e.var, e.sort, e.domain, both(e.guard or core.TRUE, valued(instance, body, wanted)))
        case core.Lit(value=0):
            return core.FALSE
        case _:
            return wanted(e)


def called(fn: core.Fn, e: core.Call, body: core.Expr) -> core.Expr:
    """Something about the body of a function, where it is called so."""
    for (name, kind), arg in zip(reversed(fn.params), reversed(e.args), strict=True):
        assert isinstance(kind, core.Elem)
        body = some(name, kind.sort, core.Op("toset", (arg,), core.SetOf(kind.sort), span=arg.span), body)
    return body


def both(left: core.Expr, right: core.Expr) -> core.Expr:
    """left and right; false when one of them plainly is."""
    if core.is_lit(left, False) or core.is_lit(right, False):
        return core.FALSE
    return core.conjunction([left, right])


def either(parts: list[core.Expr]) -> core.Expr:
    """At least one of the parts."""
    kept = [part for part in parts if not core.is_lit(part, False)]
    if not kept:
        return core.FALSE
    out = kept[-1]
    for part in reversed(kept[:-1]):
        out = core.Op("or", (part, out), core.BOOL, span=part.span)
    return out


def some(var: str, sort: str, domain: core.Expr | None, body: core.Expr) -> core.Expr:
    """any var in domain: body."""
    if core.is_lit(body, False):
        return body
    return core.Agg("any", var, sort, domain, None, body, core.BOOL, body.span)


def below(e: core.Expr, limit: int) -> core.Expr:
    """e < limit."""
    return core.Op("lt", (e, core.Lit(limit, core.INT)), core.BOOL, span=e.span)


def above(e: core.Expr, limit: int) -> core.Expr:
    """e > limit."""
    return core.Op("lt", (core.Lit(limit, core.INT), e), core.BOOL, span=e.span)
