"""From an expression of an instance to bits and numbers over a symbolic position: mirrors `interpreter/evaluate.py`.

An `Encoder` belongs to one question: its graph, its view, and `side`, the bits that hold by what types promise and
that every query has to assert. Results are remembered per expression, values of its bound names, and position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias, TypeVar, assert_never

from domrules.grammar import core
from domrules.grammar.reads import Reads
from domrules.verifier import symbols
from domrules.verifier.dag import FALSE, TRUE, ZERO, Bit, Dag, Number
from domrules.verifier.spread import Spread
from domrules.verifier.symbols import Members, Symbol, Symbols
from domrules.verifier.view import FULL, View

Env: TypeAlias = Mapping[str, int | Number]
"""Bound names: elements by index, the numbers of a `for all` as numbers."""

EMPTY: Env = {}
E = TypeVar("E")
N = TypeVar("N")
COMPARISONS = frozenset({"lt", "le", "numeq"})


class Encoder:
    """Evaluates the expressions of one instance in symbols."""

    def __init__(self, instance: core.Instance, view: View = FULL, reads: Reads | None = None) -> None:
        self.instance, self.view = instance, view
        self.reads = Reads(instance) if reads is None else reads
        self.dag = Dag()
        self.side: list[Bit] = []
        self.spread = Spread(self)
        self._fresh = 0

    def fresh(self, what: str) -> str:
        """A name nothing else has."""
        self._fresh += 1
        return f"{what}#{self._fresh}"

    def truth(self, e: core.Expr, at: Symbols, env: Env = EMPTY) -> Bit:
        found = self.value(e, at, env)
        assert isinstance(found, int)
        return found

    def number(self, e: core.Expr, at: Symbols, env: Env = EMPTY) -> Number:
        found = self.value(e, at, env)
        assert isinstance(found, Number)
        return found

    def members(self, e: core.Expr, at: Symbols, env: Env = EMPTY) -> Members:
        found = self.value(e, at, env)
        assert isinstance(found, Mapping)
        return found

    def value(self, e: core.Expr, at: Symbols, env: Env = EMPTY) -> Symbol:
        """What an expression is in a position."""
        key = (e, *[env[name] for name in self.reads.names(e)])
        found = at.memo.get(key)
        if found is None:
            found = at.memo[key] = self._value(e, at, env)
        return found

    # ------------------------------------------------------------ expressions, in the order of core.Expr

    def _value(self, e: core.Expr, at: Symbols, env: Env) -> Symbol:
        match e:
            case core.Lit(value=value, type=kind):
                assert not isinstance(value, str | tuple), "an instance has indices, no names"
                return symbols.constant(kind, value)
            case core.Local(name=name):
                bound = env[name]
                return bound if isinstance(bound, Number) else {bound: TRUE}
            case core.Read():
                return self.read(e, at, env)
            case core.Attr():
                raise AssertionError(f"{e.span}: an instance has tables, no attributes ({e.name})")
            case core.Table(values=values, of=of, type=kind):
                return self.split(of, at, env, kind, lambda i: symbols.constant(kind, values[i]))
            case core.Op():
                return self.operator(e, at, env)
            case core.Cases():
                return self.cases(e, at, env)
            case core.Agg():
                return self.aggregate(e, at, env)
            case core.Best():
                return self.best(e, at, env)
            case core.Sole():
                return self.sole(e, at, env)
            case core.Call():
                return self.call(e, at, env)
            case _:
                assert_never(e)

    def split(self, of: core.Expr, at: Symbols, env: Env, kind: core.Type, branch: Callable[[int], Symbol]) -> Symbol:
        """The value of `branch` at the element that `of` is."""
        return symbols.split(self.dag, self.members(of, at, env), kind, branch)

    def read(self, e: core.Read, at: Symbols, env: Env) -> Symbol:
        if e.index is None:
            return self.cell(at, e.var, None, e.type)
        return self.split(e.index, at, env, e.type, lambda i: self.cell(at, e.var, i, e.type))

    def cell(self, at: Symbols, var: str, index: int | None, kind: core.Type) -> Symbol:
        """What a cell holds; of a forgotten variable anything, but in one position always the same."""
        if var in self.view.forgotten:
            return self.anything(at, ("forgotten", var, index), kind, forgotten=True)
        return at.cells[var, index]

    def anything(self, at: Symbols, key: object, kind: core.Type, *, forgotten: bool) -> Symbol:
        """An unknown of a type, remembered in the position under a key."""
        found = at.memo.get(key)
        if found is None:
            name = self.fresh("any")
            found = symbols.free(self.dag, self.side, self.instance, kind, name, forgotten=forgotten)
            at.memo[key] = found
        return found

    def operator(self, e: core.Op, at: Symbols, env: Env) -> Symbol:
        match e.args:
            case (x,):
                match x.type:
                    case core.BoolType():
                        assert e.name == "not"
                        return -self.truth(x, at, env)
                    case core.IntType():
                        return arithmetic(self.dag, e, self.number(x, at, env))
                    case _:
                        return self.of_set(e, x, at, env)
            case (x, y):
                match x.type:
                    case core.BoolType():
                        return self.connective(e, x, y, at, env)
                    case core.IntType():
                        small = self.spread.compare(e, at, env) if e.name in COMPARISONS else None
                        if small is not None:
                            return small
                        return combined(self.dag, e, self.number(x, at, env), self.number(y, at, env))
                    case _:
                        return self.of_two(e, x, y, at, env)
            case _:
                raise AssertionError(f"{e.span}: {e.name} of {len(e.args)} arguments")

    def connective(self, e: core.Op, x: core.Expr, y: core.Expr, at: Symbols, env: Env) -> Bit:
        left = self.truth(x, at, env)
        match e.name:
            case "and":
                return FALSE if left == FALSE else self.dag.both(left, self.truth(y, at, env))
            case "or":
                return TRUE if left == TRUE else self.dag.any((left, self.truth(y, at, env)))
            case "iff":
                return self.dag.same(left, self.truth(y, at, env))
            case name:
                raise AssertionError(f"{e.span}: no operator of two truths: {name}")

    def of_set(self, e: core.Op, x: core.Expr, at: Symbols, env: Env) -> Symbol:
        match e.name:
            case "size":
                counted = self.counter(x, at, env)
                return self.popcount(self.members(x, at, env)) if counted is None else counted
            case "some":
                return self.dag.any(self.members(x, at, env).values())
            case "toset":
                return self.members(x, at, env)
            case name:
                raise AssertionError(f"{e.span}: no operator of one set: {name}")

    def counter(self, x: core.Expr, at: Symbols, env: Env) -> Number | None:
        """The size of a zone where sizes are counters of their own."""
        sizes = at.sizes
        if sizes is None or not isinstance(x, core.Read) or (var := x.var) in self.view.forgotten:
            return None
        if not self.instance.vars[var].zone:
            return None
        found = sizes[var, None] if x.index is None else self.split(x.index, at, env, core.INT, lambda i: sizes[var, i])
        assert isinstance(found, Number)
        return found

    def popcount(self, held: Members) -> Number:
        """How many elements a set has."""
        return self.dag.number((bit, 1) for bit in held.values())

    def of_two(self, e: core.Op, x: core.Expr, y: core.Expr, at: Symbols, env: Env) -> Symbol:
        dag, left, right = self.dag, self.members(x, at, env), self.members(y, at, env)
        shared = nonempty({i: dag.both(bit, right.get(i, FALSE)) for i, bit in left.items()})
        match e.name:
            case "eq" if isinstance(x.type, core.SetOf):
                return dag.all(dag.same(left.get(i, FALSE), right.get(i, FALSE)) for i in {**left, **right})
            case "eq":
                absent = [-bit for bit in (*left.values(), *right.values())]
                neither = (
                    dag.all(absent) if isinstance(x.type, core.Maybe) and isinstance(y.type, core.Maybe) else FALSE
                )
                return dag.any((*shared.values(), neither))
            case "in":
                return dag.any(shared.values())
            case "union":
                both = {**left, **right}
                return {i: dag.any((left.get(i, FALSE), right.get(i, FALSE))) for i in both}
            case "inter":
                return shared
            case "minus":
                return nonempty({i: dag.both(bit, -right.get(i, FALSE)) for i, bit in left.items()})
            case name:
                raise AssertionError(f"{e.span}: no operator of two sets: {name}")

    def cases(self, e: core.Cases, at: Symbols, env: Env) -> Symbol:
        return symbols.union(
            self.dag,
            [(here, self.value(row, at, env)) for here, row in self.rows(e, at, env)],
            e.type,
        )

    def rows(self, e: core.Cases, at: Symbols, env: Env) -> Iterator[tuple[Bit, core.Expr]]:
        """The values of a table that can be chosen, each with the bit that says it is."""
        rest = TRUE
        for test, value in e.rows:
            holds = self.truth(test, at, env)
            here, rest = self.dag.both(rest, holds), self.dag.both(rest, -holds)
            if here != FALSE:
                yield here, value
            if rest == FALSE:
                return
        yield rest, e.otherwise

    def aggregate(self, e: core.Agg, at: Symbols, env: Env) -> Symbol:
        dag, found = self.dag, self.range(e.domain, e.sort, e.var, e.guard, at, env)
        match e.kind, e.body:
            case "any", body if body is not None:
                return dag.any([dag.both(bit, self.truth(body, at, inner)) for _, bit, inner in found])
            case "all", body if body is not None:
                return dag.all([dag.implies(bit, self.truth(body, at, inner)) for _, bit, inner in found])
            case "sum", body if body is not None:
                return symbols.union(dag, [(bit, self.value(body, at, inner)) for _, bit, inner in found], core.INT)
            case "set", None:
                return {i: bit for i, bit, _ in found}
            case "pick", body if body is not None:
                chosen = found if at_most_one(e.domain) else first(dag, found)
                return symbols.union(dag, [(bit, self.value(body, at, inner)) for _, bit, inner in chosen], e.type)
            case _:
                raise AssertionError(f"{e.span}: no quantifier {e.kind}")

    def range(
        self, domain: core.Expr | None, sort: str, var: str, guard: core.Expr | None, at: Symbols, env: Env
    ) -> Iterator[tuple[int, Bit, Env]]:
        """What a quantifier ranges over, in canonical order: element, the bit that it is in, names with it bound."""
        for i, bit in self.domain(domain, sort, at, env):
            inner = {**env, var: i}
            within = bit if guard is None else self.dag.both(bit, self.truth(guard, at, inner))
            if within != FALSE:
                yield i, within, inner

    def domain(self, domain: core.Expr | None, sort: str, at: Symbols, env: Env) -> list[tuple[int, Bit]]:
        """Elements that may be in a domain, in canonical order."""
        if domain is None:
            return [(i, TRUE) for i in range(self.instance.sorts[sort].size)]
        return sorted(self.members(domain, at, env).items())

    def best(self, e: core.Best, at: Symbols, env: Env) -> Members:
        dag, held = self.dag, self.members(e.of, at, env)
        keys = {i: self.number(e.key, at, {**env, e.var: i}) for i in held}

        def reaches(i: int, j: int) -> Bit:
            return dag.at_least_zero(dag.add(keys[i], keys[j], -1) if e.highest else dag.add(keys[j], keys[i], -1))

        return nonempty(
            {
                i: dag.all([bit, *(dag.implies(held[j], reaches(i, j)) for j in held if j != i)])
                for i, bit in held.items()
            }
        )

    def sole(self, e: core.Sole, at: Symbols, env: Env) -> Members:
        """A broken promise gives nothing useful here; `promises.kept` says when it is."""
        held = self.members(e.of, at, env)
        if e.must or not isinstance(e.of.type, core.SetOf):
            return held
        return nonempty(
            {i: self.dag.all([bit, *(-other for j, other in held.items() if j != i)]) for i, bit in held.items()}
        )

    def call(self, e: core.Call, at: Symbols, env: Env) -> Symbol:
        fn = self.instance.fns[e.fn]
        args = [self.members(arg, at, env) for arg in e.args]

        def bind(k: int, inner: dict[str, int]) -> Symbol:
            if k < len(args):
                name = fn.params[k][0]
                return symbols.split(self.dag, args[k], e.type, lambda i: bind(k + 1, {**inner, name: i}))
            if fn.name in self.view.opaque:
                return self.unseen(fn, at, inner)
            return self.value(fn.body, at, inner)

        return bind(0, {})

    def unseen(self, fn: core.Fn, at: Symbols, env: Env) -> Symbol:
        """An opaque call. Of a sum of numbers that are known and not negative it is known when it is 0."""
        key = ("opaque", fn.name, *env.values())
        found = at.memo.get(key)
        if found is None:
            found = self.anything(at, key, fn.type, forgotten=False)
            parts = list(self.summands(fn.body, at, env))
            if isinstance(found, Number) and all(isinstance(n, Number) and n.constant for _, n in parts):
                worth = [(bit, n.const) for bit, n in parts if isinstance(n, Number)]
                if worth and min(n for _, n in worth) >= 0:
                    nothing = -self.dag.any([bit for bit, n in worth if n])
                    self.side += [self.dag.at_least_zero(found), self.dag.same(nothing, self.dag.is_zero(found))]
        return found

    def summands(self, e: core.Expr, at: Symbols, env: Env) -> Iterator[tuple[Bit, Symbol]]:
        """What a sum over tiles may add up, each with the bit that it does."""
        if isinstance(e, core.Agg) and e.kind == "sum" and e.sort == "tile" and e.body is not None:
            for _, bit, inner in self.range(e.domain, e.sort, e.var, e.guard, at, env):
                yield bit, self.value(e.body, at, inner)


# ---------------------------------------------------------------- parts of the above


def nonempty(found: Members) -> Members:
    """Without the elements that cannot be there."""
    return {i: bit for i, bit in found.items() if bit != FALSE}


def at_most_one(domain: core.Expr | None) -> bool:
    """Is the domain an optional seen as a set?"""
    return isinstance(domain, core.Op) and domain.name == "toset"


def first(dag: Dag, found: Iterable[tuple[E, Bit, N]]) -> Iterator[tuple[E, Bit, N]]:
    """Each element of a range with the bit that it is there and no earlier one is."""
    rest = TRUE
    for i, bit, inner in found:
        yield i, dag.both(rest, bit), inner
        rest = dag.both(rest, -bit)


def arithmetic(dag: Dag, e: core.Op, x: Number) -> Bit | Number:
    """An operator of one number. Division and rounding are floor division by a positive constant."""
    k = e.const
    match e.name:
        case "odd":
            return dag.odd(x)
        case "div":
            return dag.floor(x, k)
        case "mod":
            return dag.add(x, dag.floor(x, k), -k)
        case "round":
            return nearest(dag, x, k, e.tie)
        case "roundup":
            return dag.add(ZERO, dag.floor(dag.add(ZERO, x, -1), k), -k)
        case "rounddown":
            return dag.add(ZERO, dag.floor(x, k), k)
        case name:
            raise AssertionError(f"{e.span}: no operator of one number: {name}")


def nearest(dag: Dag, x: Number, k: int, tie: str) -> Number:
    """The multiple of k nearest to x; `tie` (up, down, even, away from zero) decides when two are as near."""
    up = dag.floor(dag.add(Number(k), x, 2), 2 * k)
    if tie == "up" or k % 2:
        return dag.add(ZERO, up, k)
    below = dag.floor(x, k)
    tied = dag.is_zero(dag.add(dag.add(dag.add(ZERO, x, 2), below, -2 * k), Number(k), -1))
    match tie:
        case "down":
            steps_back = tied
        case "even":
            steps_back = dag.both(tied, -dag.odd(below))
        case "away":
            steps_back = dag.both(tied, -dag.at_least_zero(x))
        case _:
            raise AssertionError(f"no way to break a tie: {tie}")
    return dag.add(ZERO, dag.add(up, dag.number([(steps_back, 1)]), -1), k)


def combined(dag: Dag, e: core.Op, x: Number, y: Number) -> Bit | Number:
    """An operator of two numbers."""
    match e.name:
        case "add":
            return dag.add(x, y)
        case "sub":
            return dag.add(x, y, -1)
        case "mul":
            return dag.times(x, y)
        case "lt":
            return dag.at_least_zero(dag.add(dag.add(y, x, -1), Number(-1)))
        case "le":
            return dag.at_least_zero(dag.add(y, x, -1))
        case "numeq":
            return dag.is_zero(dag.add(x, y, -1))
        case name:
            raise AssertionError(f"{e.span}: no operator of two numbers: {name}")
