"""When evaluating an expression breaks no promise: `the(...)` has exactly one, a strict table no two rows at once.

Mirrors the interpreter's order exactly: `and`, `or`, tables and quantifiers stop looking as soon as they know.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from domrules.grammar import core
from domrules.verifier import symbols
from domrules.verifier.dag import FALSE, TRUE, Bit
from domrules.verifier.encode import EMPTY, Encoder, Env
from domrules.verifier.symbols import Symbols


class Promises:
    """Says of the expressions an encoder evaluates whether they can be evaluated."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder, self.dag = encoder, encoder.dag

    def kept(self, e: core.Expr | None, at: Symbols, env: Env = EMPTY) -> Bit:
        """Is no promise broken when the expression is evaluated here?"""
        if e is None or not self.encoder.reads.promises(e):
            return TRUE
        key = ("kept", e, *[env[name] for name in self.encoder.reads.names(e)])
        found = at.memo.get(key)
        if found is None:
            found = at.memo[key] = self._kept(e, at, env)
        assert isinstance(found, int)
        return found

    def all_kept(self, parts: Iterable[core.Expr], at: Symbols, env: Env) -> Bit:
        return self.dag.all([self.kept(part, at, env) for part in parts])

    # ------------------------------------------------------------ expressions, in the order of core.Expr

    def _kept(self, e: core.Expr, at: Symbols, env: Env) -> Bit:
        match e:
            case core.Lit() | core.Local():
                return TRUE
            case core.Read() | core.Attr() | core.Table():
                return self.all_kept(core.children(e), at, env)
            case core.Op():
                return self.operator(e, at, env)
            case core.Cases():
                return self.cases(e, at, env)
            case core.Agg():
                return self.aggregate(e, at, env)
            case core.Best():
                keys = [self.kept(e.key, at, {**env, e.var: i}) for i in self.encoder.members(e.of, at, env)]
                held = self.encoder.members(e.of, at, env)
                keys = [self.dag.implies(bit, key) for bit, key in zip(held.values(), keys, strict=True)]
                return self.dag.all([self.kept(e.of, at, env), *keys])
            case core.Sole():
                return self.sole(e, at, env)
            case core.Call():
                return self.call(e, at, env)
            case _:
                assert_never(e)

    def operator(self, e: core.Op, at: Symbols, env: Env) -> Bit:
        if e.name not in ("and", "or", "in"):
            return self.all_kept(e.args, at, env)
        left, right = e.args
        match e.name:
            case "and":
                looked_at = self.encoder.truth(left, at, env)
            case "or":
                looked_at = -self.encoder.truth(left, at, env)
            case _:
                looked_at = self.dag.any(self.encoder.members(left, at, env).values())
        after = TRUE if looked_at == FALSE else self.kept(right, at, env)
        return self.dag.both(self.kept(left, at, env), self.dag.implies(looked_at, after))

    def cases(self, e: core.Cases, at: Symbols, env: Env) -> Bit:
        dag, rest, parts = self.dag, TRUE, list[Bit]()
        tests = [self.encoder.truth(test, at, env) for test, _ in e.rows]
        if e.strict:
            parts += [dag.at_most_one(tests), *(self.kept(test, at, env) for test, _ in e.rows)]
        for (test, value), holds in zip(e.rows, tests, strict=True):
            here = dag.both(rest, holds)
            parts.append(dag.implies(rest, self.kept(test, at, env)))
            parts.append(dag.implies(here, self.kept(value, at, env)))
            rest = dag.both(rest, -holds)
        return dag.all([*parts, dag.implies(rest, self.kept(e.otherwise, at, env))])

    def aggregate(self, e: core.Agg, at: Symbols, env: Env) -> Bit:
        dag, rest, parts = self.dag, TRUE, [self.kept(e.domain, at, env)]
        for i, there in self.encoder.domain(e.domain, e.sort, at, env):
            inner = {**env, e.var: i}
            looked_at = dag.both(rest, there)
            within = TRUE if e.guard is None else self.encoder.truth(e.guard, at, inner)
            parts.append(dag.implies(looked_at, self.kept(e.guard, at, inner)))
            parts.append(dag.implies(dag.both(looked_at, within), self.kept(e.body, at, inner)))
            stops = self.stops(e, at, inner)
            rest = dag.both(rest, -dag.all([there, within, stops]))
        return dag.all(parts)

    def stops(self, e: core.Agg, at: Symbols, env: Env) -> Bit:
        """Does the quantifier look no further than this element?"""
        match e.kind, e.body:
            case "any", body if body is not None:
                return self.encoder.truth(body, at, env)
            case "all", body if body is not None:
                return -self.encoder.truth(body, at, env)
            case "pick", _:
                return TRUE
            case _:
                return FALSE

    def sole(self, e: core.Sole, at: Symbols, env: Env) -> Bit:
        inside = self.kept(e.of, at, env)
        if not e.must:
            return inside
        return self.dag.both(inside, self.dag.exactly_one(self.encoder.members(e.of, at, env).values()))

    def call(self, e: core.Call, at: Symbols, env: Env) -> Bit:
        fn = self.encoder.instance.fns[e.fn]
        args = [self.encoder.members(arg, at, env) for arg in e.args]

        def bind(k: int, inner: dict[str, int]) -> Bit:
            if k == len(args):
                return self.kept(fn.body, at, inner)
            name = fn.params[k][0]
            branches = {i: bind(k + 1, {**inner, name: i}) for i in args[k]}
            found = symbols.split(self.dag, args[k], core.BOOL, branches.__getitem__)
            assert isinstance(found, int)
            return found

        return self.dag.both(self.all_kept(e.args, at, env), bind(0, {}))


def broken(parts: Iterable[Bit]) -> Iterator[Bit]:
    """The opposite of each, without those that cannot be."""
    return (-part for part in parts if part != TRUE)
