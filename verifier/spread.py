"""Small numbers as the values they may have, each with the bit that says it is that one: sums that are rounded, without integers.

    Spread(encoder).compare(e, at, env)     # the bit of a comparison `e`; None where its numbers are not small

Just one of the bits of a number holds. A sum of a few small numbers is added up one after the other, value by value; what
is left after a division is the same bits under other values. So points for open ends need no solver of integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol, TypeAlias

from domrules.grammar import core
from domrules.grammar.arithmetic import operate
from domrules.grammar.reads import Reads
from domrules.verifier.dag import FALSE, TRUE, Bit, Dag, Number
from domrules.verifier.symbols import Members, Symbols
from domrules.verifier.view import View

MANY = 64
"""A number with more values than this is not small."""
PARTS = 8
"""A sum of more parts than this is not tried."""
ROUNDING = frozenset({"div", "mod", "round", "roundup", "rounddown"})

Values: TypeAlias = Mapping[int, Bit]
Env: TypeAlias = Mapping[str, int | Number]


class Evaluator(Protocol):
    """What an encoder knows of everything else."""

    instance: core.Instance
    view: View
    reads: Reads
    dag: Dag

    def members(self, e: core.Expr, at: Symbols, env: Env) -> Members: ...

    def rows(self, e: core.Cases, at: Symbols, env: Env) -> Iterator[tuple[Bit, core.Expr]]: ...

    def range(
        self, domain: core.Expr | None, sort: str, var: str, guard: core.Expr | None, at: Symbols, env: Env
    ) -> Iterator[tuple[int, Bit, Env]]: ...


class Large(Exception):
    """The number is not small, or is not known by bits alone."""


class Spread:
    """Small numbers of one encoder."""

    def __init__(self, encoder: Evaluator) -> None:
        self.encoder, self.dag, self.instance = encoder, encoder.dag, encoder.instance
        self._rounds: dict[core.Expr | str, bool] = {}

    def compare(self, e: core.Op, at: Symbols, env: Env) -> Bit | None:
        """A comparison of two numbers one of which is rounded on the way."""
        if not self.rounds(e):
            return None
        try:
            left, right = (self.values(arg, at, env) for arg in e.args)
        except Large:
            return None
        pairs = ((self.dag.both(a, b), x, y) for x, a in left.items() for y, b in right.items())
        return self.dag.any(bit for bit, x, y in pairs if operate(e.name, [x, y], 0, ""))

    def rounds(self, e: core.Expr) -> bool:
        """Is something divided or rounded in an expression?"""
        found = self._rounds.get(e)
        if found is None:
            own = isinstance(e, core.Op) and e.name in ROUNDING
            called = isinstance(e, core.Call) and self._body(e.fn)
            found = self._rounds[e] = own or called or any(map(self.rounds, core.children(e)))
        return found

    def _body(self, fn: str) -> bool:
        if fn not in self._rounds:
            self._rounds[fn] = False
            self._rounds[fn] = self.rounds(self.instance.fns[fn].body)
        return self._rounds[fn]

    # ------------------------------------------------------------ values

    def values(self, e: core.Expr, at: Symbols, env: Env) -> Values:
        """The values of a number. Raises `Large`."""
        names = self.encoder.reads.names(e)
        key = ("spread", e, *[env[name] for name in names])
        found = at.memo.get(key)
        if found is None:
            found = at.memo[key] = self._values(e, at, env)
        assert isinstance(found, Mapping)
        return found

    def _values(self, e: core.Expr, at: Symbols, env: Env) -> Values:
        match e:
            case core.Lit(value=int(value)):
                return {value: TRUE}
            case core.Table(values=values, of=of):
                members = self.encoder.members(of, at, env)
                return self.gathered([(bit, {int(values[i] or 0): TRUE}) for i, bit in members.items()])
            case core.Op(args=args) if e.name != "size":
                return self.combined(e, [self.values(arg, at, env) for arg in args])
            case core.Cases():
                return self.gathered([(bit, self.values(row, at, env)) for bit, row in self.encoder.rows(e, at, env)])
            case core.Agg(kind="sum" | "pick", domain=core.Op(name="toset"), body=body) if body is not None:
                found = self.encoder.range(e.domain, e.sort, e.var, e.guard, at, env)
                return self.gathered([(bit, self.values(body, at, inner)) for _, bit, inner in found])
            case core.Agg(kind="sum", body=body) if body is not None:
                return self.sum(e, body, at, env)
            case core.Call():
                return self.call(e, at, env)
            case _:
                raise Large

    def combined(self, e: core.Op, args: list[Values]) -> Values:
        """An operator of one or two numbers."""
        cases: list[tuple[Bit, list[int]]] = [(TRUE, [])]
        for values in args:
            cases = [(self.dag.both(bit, b), [*xs, x]) for bit, xs in cases for x, b in values.items()]
        return self.collected((int(operate(e.name, [*xs], e.const, e.tie) or 0), bit) for bit, xs in cases)

    def sum(self, e: core.Agg, body: core.Expr, at: Symbols, env: Env) -> Values:
        total: Values = {0: TRUE}
        for number, (_, bit, inner) in enumerate(self.encoder.range(e.domain, e.sort, e.var, e.guard, at, env)):
            if number == PARTS:
                raise Large
            part = self.gathered([(bit, self.values(body, at, inner))])
            pairs = ((x + y, self.dag.both(a, b)) for x, a in total.items() for y, b in part.items())
            total = self.collected(pairs)
        return total

    def call(self, e: core.Call, at: Symbols, env: Env) -> Values:
        """A define, at whichever elements its arguments are."""
        fn = self.instance.fns[e.fn]
        if fn.name in self.encoder.view.opaque:
            raise Large
        cases: list[tuple[Bit, dict[str, int]]] = [(TRUE, {})]
        for (name, _), arg in zip(fn.params, e.args, strict=True):
            members = self.encoder.members(arg, at, env)
            cases = [(self.dag.both(bit, b), {**bound, name: i}) for bit, bound in cases for i, b in members.items()]
        return self.gathered([(bit, self.values(fn.body, at, bound)) for bit, bound in cases if bit != FALSE])

    def gathered(self, parts: list[tuple[Bit, Values]]) -> Values:
        """The values where the bits hold, of which at most one does; else 0."""
        rest = -self.dag.any([bit for bit, _ in parts])
        return self.collected(self._gathered(parts, rest))

    def _gathered(self, parts: list[tuple[Bit, Values]], rest: Bit) -> Iterator[tuple[int, Bit]]:
        yield 0, rest
        for bit, values in parts:
            for value, b in values.items():
                yield value, self.dag.both(bit, b)

    def collected(self, found: Iterable[tuple[int, Bit]]) -> Values:
        """Reasons for the same value made one. Raises `Large`."""
        reasons: dict[int, list[Bit]] = {}
        for value, bit in found:
            if bit != FALSE:
                reasons.setdefault(value, []).append(bit)
        if len(reasons) > MANY:
            raise Large
        return {value: self.dag.any(bits) for value, bits in reasons.items()}
