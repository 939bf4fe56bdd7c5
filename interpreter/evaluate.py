"""From an expression of an instance to a function of a state: one closure for every node, made once, called often.

A closure gets the state and a frame: the list of the values of bound names, whose places are fixed when it is made.
Every call of a define has a frame of its own and is remembered in the memo of the state; what does not depend on
the state at all is remembered for good.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, assert_never

from domrules.grammar import core
from domrules.grammar.source import Span
from domrules.interpreter.closures import Code, Domain, Frame, aggregation, binary, how_many, single, unary
from domrules.interpreter.errors import Rule, RuleError
from domrules.interpreter.names import describe
from domrules.interpreter.state import Layout, State, elements

Scope: TypeAlias = Mapping[str, int]
"""Bound names and their places in the frame."""
Watch: TypeAlias = Callable[[Span], None]
"""Is told of every row of a table that decides."""


def nesting(e: core.Expr) -> int:
    """How many names an expression binds at most at one place: the room it needs in a frame."""
    inner = max(map(nesting, core.children(e)), default=0)
    return inner + 1 if core.bound(e) else inner


def bind(scope: Scope, name: str) -> tuple[Scope, int]:
    """The scope with one more name, and the place of that name."""
    place = max(scope.values(), default=-1) + 1
    return {**scope, name: place}, place


class Compiler:
    """Makes closures for the expressions of one instance."""

    def __init__(self, instance: core.Instance, watch: Watch | None = None) -> None:
        self.instance, self.watch = instance, watch
        self.layout = Layout.of(instance)
        self.bodies: dict[str, Code] = {}
        self.keys = self.number_calls()

    def number_calls(self) -> dict[str, int]:
        """The first memo key of every function; the key of a call is that plus its arguments as one number."""
        keys, free = {}, 0
        for fn in self.instance.fns.values():
            keys[fn.name] = free
            room = 1
            for _, kind in fn.params:
                room *= self.size(kind)
            free += room
        return keys

    def size(self, kind: core.Type) -> int:
        """How many elements a parameter of this type ranges over."""
        assert isinstance(kind, core.Elem), f"a parameter is an element of a sort, not {kind}"
        return self.instance.sorts[kind.sort].size

    def closed(self, e: core.Expr) -> Callable[[State], Any]:
        """An expression without free names, as a function of the state alone."""
        code, room = self.expr(e, {}), nesting(e)
        return lambda state: code(state, [None] * room)

    def fail(self, state: State, rule: Rule, span: Span, sentence: str) -> RuleError:
        """The error for a promise broken in this state, to be raised."""
        return RuleError(rule, sentence, span, describe(self.layout, state))

    # ------------------------------------------------------------ expressions, in the order of core.Expr

    def expr(self, e: core.Expr, scope: Scope) -> Code:
        match e:
            case core.Lit(value=value):
                return lambda state, frame: value
            case core.Local(name=name):
                place = scope[name]
                return lambda state, frame: frame[place]
            case core.Read():
                return self.read(e, scope)
            case core.Attr():
                raise AssertionError(f"{e.span}: an instance has tables, no attributes ({e.name})")
            case core.Table(values=values, of=of):
                return self.table(values, of, scope)
            case core.Op():
                return self.operator(e, scope)
            case core.Cases():
                return self.cases(e, scope)
            case core.Agg():
                return self.aggregate(e, scope)
            case core.Best():
                return self.best(e, scope)
            case core.Sole():
                return self.sole(e, scope)
            case core.Call():
                return self.call(e, scope)
            case _:
                assert_never(e)

    def read(self, e: core.Read, scope: Scope) -> Code:
        code, var = self.cell(e, scope), self.instance.vars[e.var]
        if var.init is not None or var.zone:
            return code

        def promised(state: State, frame: Frame) -> Any:
            value = code(state, frame)
            if value is None and not isinstance(var.type, core.Maybe):
                raise self.fail(state, Rule.UNSET, e.span, f"{var.name} is looked at before it has a value")
            return value

        return promised

    def cell(self, e: core.Read, scope: Scope) -> Code:
        """What a cell holds."""
        base = self.layout.bases[e.var]
        match e.index:
            case None:
                return lambda state, frame: state.cells[base]
            case core.Lit(value=int(fixed)):
                cell = base + fixed
                return lambda state, frame: state.cells[cell]
            case core.Local(name=name):
                place = scope[name]
                return lambda state, frame: state.cells[base + frame[place]]
            case index:
                code = self.expr(index, scope)
                return lambda state, frame: state.cells[base + code(state, frame)]

    def table(self, values: tuple[core.Value, ...], of: core.Expr, scope: Scope) -> Code:
        if isinstance(of, core.Local):
            place = scope[of.name]
            return lambda state, frame: values[frame[place]]
        code = self.expr(of, scope)
        return lambda state, frame: values[code(state, frame)]

    def operator(self, e: core.Op, scope: Scope) -> Code:
        match [self.expr(a, scope) for a in e.args]:
            case [x]:
                return unary(e, x)
            case [x, y]:
                return binary(e, x, y)
            case _:
                raise AssertionError(f"{e.span}: {e.name} of {len(e.args)} arguments")

    def cases(self, e: core.Cases, scope: Scope) -> Code:
        rows = [(self.expr(test, scope), self.watched(value, scope)) for test, value in e.rows]
        otherwise = self.watched(e.otherwise, scope)

        def first(state: State, frame: Frame) -> Any:
            for test, value in rows:
                if test(state, frame):
                    return value(state, frame)
            return otherwise(state, frame)

        return self.strictly([test for test, _ in rows], first, e.span) if e.strict else first

    def strictly(self, tests: list[Code], code: Code, span: Span) -> Code:
        """The code, behind the promise that at most one row of the table holds."""

        def checked(state: State, frame: Frame) -> Any:
            if sum(bool(test(state, frame)) for test in tests) > 1:
                raise self.fail(state, Rule.PROMISE, span, "two rows of a strict table hold at once")
            return code(state, frame)

        return checked

    def watched(self, value: core.Expr, scope: Scope) -> Code:
        """The value of a row; whoever watches is told when it decides."""
        code, watch, span = self.expr(value, scope), self.watch, value.span
        if watch is None:
            return code

        def told(state: State, frame: Frame) -> Any:
            watch(span)
            return code(state, frame)

        return told

    def aggregate(self, e: core.Agg, scope: Scope) -> Code:
        inner, place = bind(scope, e.var)
        over = self.domain(e.domain, e.sort, scope)
        guard = None if e.guard is None else self.expr(e.guard, inner)
        body = None if e.body is None else self.expr(e.body, inner)
        return aggregation(e.kind, place, over, guard, body)

    def domain(self, domain: core.Expr | None, sort: str, scope: Scope) -> Domain:
        """What a quantifier ranges over, as indices in canonical order."""
        match domain:
            case None:
                everything = tuple(range(self.instance.sorts[sort].size))
                return lambda state, frame: everything
            case core.Op(name="toset", args=(one,)):
                code = self.expr(one, scope)
                return lambda state, frame: () if (x := code(state, frame)) is None else (x,)
            case _:
                code = self.expr(domain, scope)
                return lambda state, frame: elements(code(state, frame))

    def best(self, e: core.Best, scope: Scope) -> Code:
        inner, place = bind(scope, e.var)
        over, key = self.domain(e.of, e.sort, scope), self.expr(e.key, inner)
        sign = 1 if e.highest else -1

        def run(state: State, frame: Frame) -> int:
            chosen, most = 0, None
            for i in over(state, frame):
                frame[place] = i
                reached = sign * key(state, frame)
                if most is None or reached > most:
                    chosen, most = 1 << i, reached
                elif reached == most:
                    chosen |= 1 << i
            return chosen

        return run

    def sole(self, e: core.Sole, scope: Scope) -> Code:
        code = self.expr(e.of, scope)
        if isinstance(e.of.type, core.SetOf):
            only: Code = lambda state, frame: single(code(state, frame))  # noqa: E731  (a closure like the others)
        else:
            only = code
        if not e.must:
            return only

        def promised(state: State, frame: Frame) -> int:
            x: int | None = only(state, frame)
            if x is None:
                held = code(state, frame)
                raise self.fail(
                    state, Rule.PROMISE, e.span, f"the(...) promises exactly one, but there {how_many(held)}"
                )
            return x

        return promised

    def call(self, e: core.Call, scope: Scope) -> Code:
        fn = self.instance.fns[e.fn]
        args = [self.expr(a, scope) for a in e.args]
        key, body, room = self.keys[fn.name], self.body(fn), [None] * nesting(fn.body)
        if self.static(fn.body):
            return self.static_call(args, body, room)
        match args:
            case []:

                def nullary(state: State, frame: Frame) -> Any:
                    memo = state.memo
                    if key in memo:
                        return memo[key]
                    value = memo[key] = body(state, room.copy())
                    return value

                return nullary
            case [only]:

                def unary_call(state: State, frame: Frame) -> Any:
                    x = only(state, frame)
                    memo, known = state.memo, key + x
                    if known in memo:
                        return memo[known]
                    value = memo[known] = body(state, [x, *room])
                    return value

                return unary_call
            case [first, second]:
                size = self.size(fn.params[1][1])

                def binary_call(state: State, frame: Frame) -> Any:
                    x, y = first(state, frame), second(state, frame)
                    memo, known = state.memo, key + x * size + y
                    if known in memo:
                        return memo[known]
                    value = memo[known] = body(state, [x, y, *room])
                    return value

                return binary_call
            case [first, second, third]:
                middle, last = self.size(fn.params[1][1]), self.size(fn.params[2][1])

                def ternary_call(state: State, frame: Frame) -> Any:
                    x, y, z = first(state, frame), second(state, frame), third(state, frame)
                    memo, known = state.memo, key + (x * middle + y) * last + z
                    if known in memo:
                        return memo[known]
                    value = memo[known] = body(state, [x, y, z, *room])
                    return value

                return ternary_call
            case _:
                sizes = [self.size(kind) for _, kind in fn.params]

                def call(state: State, frame: Frame) -> Any:
                    inner = [code(state, frame) for code in args]
                    number = 0
                    for x, size in zip(inner, sizes, strict=True):
                        number = number * size + x
                    memo, known = state.memo, key + number
                    if known in memo:
                        return memo[known]
                    value = memo[known] = body(state, [*inner, *room])
                    return value

                return call

    def static_call(self, args: list[Code], body: Code, room: list[None]) -> Code:
        """A call of a define that does not depend on the state: remembered for good."""
        known: dict[tuple[int, ...], Any] = {}

        def call(state: State, frame: Frame) -> Any:
            inner = tuple([code(state, frame) for code in args])
            if inner in known:
                return known[inner]
            value = known[inner] = body(state, [*inner, *room])
            return value

        return call

    def body(self, fn: core.Fn) -> Code:
        """The body of a define, made once however often it is called. (Defines do not call themselves.)"""
        if fn.name not in self.bodies:
            scope = {name: place for place, (name, _) in enumerate(fn.params)}
            self.bodies[fn.name] = self.expr(fn.body, scope)
        return self.bodies[fn.name]

    def static(self, e: core.Expr) -> bool:
        """Does the value not depend on the state?"""
        match e:
            case core.Read():
                return False
            case core.Call(fn=fn) if not self.static(self.instance.fns[fn].body):
                return False
            case _:
                return all(map(self.static, core.children(e)))
