"""Generic expressions → expressions of an instance: names become indices, attributes tables, constants are computed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from domrules.grammar import core
from domrules.grammar.arithmetic import operate
from domrules.grammar.core import BOOL, Elem, Expr, Lit, Maybe, Op, SetOf, Value
from domrules.grammar.diagnostics import Diagnostic, did_you_mean

Env = Mapping[str, Lit]
Cell: TypeAlias = tuple[str, int | None]
NOTHING: Env = {}
MAX_COST = 150_000
"""Steps that a quantifier without state may take to be computed beforehand; beyond that the engines compute it."""
MAX_FACTOR = 10**18


class Unresolved(Exception):
    """A name that this instance has no element for (a tile that is not in the set, a fifth player of four)."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)


@dataclass
class Fold:
    """Folds expressions for given sorts and options. `fns` are generic; their folded forms are kept in `done`.

    Folding what is folded already changes nothing, so instance expressions may be folded again under an `env`.
    """

    sorts: Mapping[str, core.Sort]
    options: Mapping[str, Lit]
    fns: Mapping[str, core.Fn]
    frozen: Mapping[Cell, Lit] = field(default_factory=dict)
    """Cells that nothing changes, with their constant."""
    deep: bool = False
    """Look into defines for constants even where they read state."""
    missing: list[Diagnostic] | None = None
    done: dict[str, core.Fn] = field(default_factory=dict)
    _pure: dict[str, bool] = field(default_factory=dict)
    _failing: dict[str, bool] = field(default_factory=dict)
    _values: dict[tuple[str, tuple[object, ...]], Expr] = field(default_factory=dict)
    _costs: dict[Expr | str, int] = field(default_factory=dict)
    _seen: dict[tuple[str, tuple[Value | str, ...]], Lit | None] = field(default_factory=dict)

    # ------------------------------------------------------------ names

    def literal(self, e: Lit) -> Lit:
        """A constant with its element names looked up; what is not there is noted in `missing`, if there is such a list."""
        try:
            return self._literal(e)
        except Unresolved as unresolved:
            sort = "tile" if isinstance(e.value, tuple) else e.type.sort if isinstance(e.type, Elem | Maybe) else ""
            if self.missing is None or not self.sorts[sort].size:
                raise
            self.missing.append(unresolved.diagnostic)
            return Lit(0, e.type, e.span)

    def _literal(self, e: Lit) -> Lit:
        if isinstance(e.value, tuple):
            return Lit(self.tile(e.value, e), e.type, e.span)
        if isinstance(e.value, str) and isinstance(e.type, Elem | Maybe):
            sort = self.sorts[e.type.sort]
            if e.value not in sort.names:
                what = {"player": f"there is no player {e.value} at this table"}.get(
                    sort.name, f"there is no {sort.name} `{e.value}`"
                )
                raise Unresolved(Diagnostic("DOM431", what, e.span, fix=did_you_mean(e.value, sort.names)))
            return Lit(sort.names.index(e.value), e.type, e.span)
        return e

    def tile(self, halves: tuple[str, str], e: Lit) -> int:
        """The index of a tile literal, halves in any order."""
        names = self.sorts["tile"].names
        low, high = halves
        copy, first = "", False
        if "*" in high:
            high, number = high.split("*")
            first = number == "1"
            copy = "" if first else f"*{number}"
        for name in (f"{low}|{high}{copy}", f"{high}|{low}{copy}"):
            if name in names:
                if not copy and not first and f"{name}*2" in names:
                    raise Unresolved(
                        Diagnostic(
                            "DOM432",
                            f"there are several tiles {name} in this set",
                            e.span,
                            fix=f"write `{name}*1` for the first of them, or compare halves",
                        )
                    )
                return names.index(name)
        raise Unresolved(Diagnostic("DOM433", f"there is no tile {'|'.join(halves)} in this set", e.span))

    def table(self, e: core.Attr, of: Expr) -> Expr:
        """An attribute as a table over the elements of its sort."""
        assert isinstance(of.type, Elem | Maybe)
        _, values = self.sorts[of.type.sort].attrs[e.name]
        if isinstance(of, Lit) and isinstance(of.value, int):
            return Lit(values[of.value], e.type, e.span)
        return core.Table(values, of, e.type, e.span)

    # ------------------------------------------------------------ expressions

    def __call__(self, e: Expr, env: Env = NOTHING) -> Expr:
        """The folded expression; bound names in `env` are constants."""
        match e:
            case Lit():
                return self.literal(e)
            case core.Local():
                return env.get(e.name, e)
            case core.Read():
                return self._read(e, env)
            case core.Attr():
                return self.table(e, self(e.of, env))
            case core.Table():
                of = self(e.of, env)
                if isinstance(of, Lit) and isinstance(of.value, int):
                    return Lit(e.values[of.value], e.type, e.span)
                return core.Table(e.values, of, e.type, e.span)
            case Op():
                return self._op(e, env)
            case core.Cases():
                return self._cases(e, env)
            case core.Agg():
                return self._agg(e, env)
            case core.Best():
                return self._best(e, env)
            case core.Sole():
                return self._sole(e, env)
            case core.Call():
                return self._call(e, env)

    def maybe(self, e: Expr | None, env: Env = NOTHING) -> Expr | None:
        return None if e is None else self(e, env)

    def constant(self, e: Expr, env: Env = NOTHING) -> Value:
        """The value of an expression that must be constant. ValueError when it is not."""
        out = self(e, env)
        if not isinstance(out, Lit) or isinstance(out.value, str | tuple):
            raise ValueError("not constant")
        return out.value

    def _read(self, e: core.Read, env: Env) -> Expr:
        if e.var in self.options:
            return self.options[e.var]
        if e.index is None:
            return self.frozen.get((e.var, None), e)
        index = self(e.index, env)
        if isinstance(index, Lit) and isinstance(index.value, int):
            found = self.frozen.get((e.var, index.value))
            if found is not None:
                return found
        return core.Read(e.var, index, e.type, e.span)

    def _op(self, e: Op, env: Env) -> Expr:
        if e.name in ("and", "or"):
            return self._junction(e, env)
        args = tuple(self(a, env) for a in e.args)
        if all(isinstance(a, Lit) for a in args):
            self._bounded(e, args)
            values: list[Value] = [a.value for a in args if isinstance(a, Lit) and not isinstance(a.value, str | tuple)]
            return Lit(operate(e.name, values, e.const, e.tie), e.type, e.span)
        if e.name == "not":
            return core.negation(args[0])
        if e.name == "iff" and any(isinstance(a, Lit) for a in args):
            lit, other = (args[0], args[1]) if isinstance(args[0], Lit) else (args[1], args[0])
            return other if core.is_lit(lit, True) else core.negation(other)
        return Op(e.name, args, e.type, e.const, e.tie, e.span)

    def _bounded(self, e: Op, args: tuple[Expr, ...]) -> None:
        """Products of products grow without end; a game needs none that large."""
        if e.name == "mul" and any(
            isinstance(a, Lit) and isinstance(a.value, int) and abs(a.value) > MAX_FACTOR for a in args
        ):
            raise Unresolved(Diagnostic("DOM439", f"here a number above {MAX_FACTOR} is multiplied", e.span))

    def _junction(self, e: Op, env: Env) -> Expr:
        stop = e.name == "or"
        left = self(e.args[0], env)
        if isinstance(left, Lit):
            return Lit(stop, BOOL, e.span) if bool(left.value) == stop else self(e.args[1], env)
        right = self(e.args[1], env)
        if isinstance(right, Lit):
            if bool(right.value) != stop:
                return left
            if not self._may_fail(left):
                return Lit(stop, BOOL, e.span)
        return Op(e.name, (left, right), BOOL, span=e.span)

    def _may_fail(self, e: Expr) -> bool:
        """Could looking at this be a rule error (a promise not kept)?"""
        if isinstance(e, core.Sole) and e.must:
            return True
        if isinstance(e, core.Call):
            if e.fn not in self._failing:
                self._failing[e.fn] = self._may_fail(self.fns[e.fn].body)
            if self._failing[e.fn]:
                return True
        return any(self._may_fail(c) for c in core.children(e))

    def _cases(self, e: core.Cases, env: Env) -> Expr:
        rows: list[tuple[Expr, Expr]] = []
        for test, value in e.rows:
            t = self(test, env)
            if core.is_lit(t, False):
                continue
            v = self(value, env)
            if core.is_lit(t, True):
                return v if not rows else core.Cases(tuple(rows), v, e.type, e.strict, e.span)
            rows.append((t, v))
        otherwise = self(e.otherwise, env)
        if not rows:
            return otherwise
        if e.type == BOOL and len(rows) == 1 and core.is_lit(otherwise, False):
            return core.conjunction([rows[0][0], rows[0][1]])
        return core.Cases(tuple(rows), otherwise, e.type, e.strict, e.span)

    def _agg(self, e: core.Agg, env: Env) -> Expr:
        domain = self.maybe(e.domain, env)
        full = self.sorts[e.sort].full
        mask = full if domain is None else domain.value if isinstance(domain, Lit) else None
        if isinstance(mask, int):
            found = self._static_agg(e, mask, env)
            if found is not None:
                return found
        guard, body = self.maybe(e.guard, env), self.maybe(e.body, env)
        if core.is_lit(guard, True):
            guard = None
        if core.is_lit(guard, False) or (isinstance(domain, Lit) and domain.value == 0):
            return _empty(e)
        if (e.kind == "any" and core.is_lit(body, False)) or (e.kind == "all" and core.is_lit(body, True)):
            return Lit(e.kind == "all", BOOL, e.span)
        if e.kind == "sum" and isinstance(body, Lit) and body.value == 0:
            return body
        return core.Agg(e.kind, e.var, e.sort, domain, guard, body, e.type, e.span)

    def _static_agg(self, e: core.Agg, mask: int, env: Env) -> Expr | None:
        """The value of a quantifier that reads no state; None when it does, or binds something else unknown."""
        known = {*env, e.var}
        if any(x is not None and not self.pure(x, known) for x in (e.guard, e.body)) or self.cost(e) > MAX_COST:
            return None
        chosen: list[Lit] = []
        values: list[Value] = []
        for i in bits(mask):
            lit = Lit(i, Elem(e.sort))
            inner = {**env, e.var: lit}
            if e.guard is not None and not self.constant(e.guard, inner):
                continue
            chosen.append(lit)
            if e.body is not None:
                values.append(self.constant(e.body, inner))
        match e.kind:
            case "any":
                return Lit(any(values), BOOL, e.span)
            case "all":
                return Lit(all(values), BOOL, e.span)
            case "sum":
                return Lit(sum(v for v in values if v is not None), e.type, e.span)
            case "set":
                return Lit(sum(1 << int(lit.value) for lit in chosen if isinstance(lit.value, int)), e.type, e.span)
            case _:
                return Lit(values[0], e.type, e.span) if values else _empty(e)

    def _best(self, e: core.Best, env: Env) -> Expr:
        of = self(e.of, env)
        if isinstance(of, Lit) and isinstance(of.value, int) and self.pure(e.key, {*env, e.var}):
            keys = {i: self.constant(e.key, {**env, e.var: Lit(i, Elem(e.sort))}) or 0 for i in bits(of.value)}
            best = (max if e.highest else min)(keys.values(), default=0)
            return Lit(sum(1 << i for i, k in keys.items() if k == best), e.type, e.span)
        return core.Best(e.highest, of, e.var, e.sort, self(e.key, env), e.type, e.span)

    def _sole(self, e: core.Sole, env: Env) -> Expr:
        of = self(e.of, env)
        if isinstance(of, Lit):
            value = of.value
            if isinstance(of.type, SetOf) and isinstance(value, int):
                value = value.bit_length() - 1 if value.bit_count() == 1 else None
            if value is not None or not e.must:
                return Lit(value, e.type, e.span)
        if isinstance(of.type, Elem):
            return of
        return core.Sole(of, e.must, e.type, e.span)

    def _call(self, e: core.Call, env: Env) -> Expr:
        args = tuple(self(a, env) for a in e.args)
        fn = self.fn(e.fn)
        if isinstance(fn.body, Lit):
            return fn.body
        if self.pure_fn(e.fn) and all(isinstance(a, Lit) for a in args):
            return self._value(fn, args)
        if self.deep and any(isinstance(a, Lit) for a in args):
            found = self._look_into(fn, args)
            if found is not None:
                return found
        return core.Call(e.fn, args, e.type, e.span)

    def _value(self, fn: core.Fn, args: tuple[Expr, ...]) -> Expr:
        """A define that reads no state, applied to constants."""
        key = (fn.name, tuple(a.value for a in args if isinstance(a, Lit)))
        if key not in self._values:
            inner = {p: a for (p, _), a in zip(fn.params, args, strict=True) if isinstance(a, Lit)}
            self._values[key] = self(fn.body, inner)
        return self._values[key]

    def _look_into(self, fn: core.Fn, args: tuple[Expr, ...]) -> Lit | None:
        """The constant a call comes to when some arguments are known, if it comes to one."""
        key = (fn.name, tuple(a.value if isinstance(a, Lit) and not isinstance(a.value, tuple) else "?" for a in args))
        if key not in self._seen:
            self._seen[key] = None
            inner = {p: a for (p, _), a in zip(fn.params, args, strict=True) if isinstance(a, Lit)}
            body = self(fn.body, inner)
            self._seen[key] = body if isinstance(body, Lit) else None
        return self._seen[key]

    def fn(self, name: str) -> core.Fn:
        """The folded define."""
        if name not in self.done:
            fn = self.fns[name]
            body = self(fn.body)
            self.done[name] = replace(fn, body=body)
        return self.done[name]

    # ------------------------------------------------------------ purity

    def pure_fn(self, name: str) -> bool:
        """Does this define read no state?"""
        if name not in self._pure:
            fn = self.fns[name]
            self._pure[name] = self.pure(fn.body, {p for p, _ in fn.params})
        return self._pure[name]

    def pure(self, e: Expr, known: set[str]) -> bool:
        """Is this constant once the `known` names are?"""
        match e:
            case core.Local():
                return e.name in known
            case core.Read():
                return e.var in self.options or (e.index is None and (e.var, None) in self.frozen)
            case core.Call():
                return self.pure_fn(e.fn) and all(self.pure(a, known) for a in e.args)
            case core.Sole(must=True):
                return False
            case core.Agg() | core.Best():
                known = {*known, e.var}
            case _:
                pass
        return all(self.pure(c, known) for c in core.children(e))

    def cost(self, e: Expr) -> int:
        """About how many steps it takes to compute this when it is constant; defines are computed once an argument."""
        if e not in self._costs:
            own = 1 + sum(self.cost(c) for c in core.children(e))
            if isinstance(e, core.Agg | core.Best):
                own *= max(1, self.sorts[e.sort].size)
            elif isinstance(e, core.Call):
                own += self._cost_of_fn(e.fn)
            self._costs[e] = own
        return self._costs[e]

    def _cost_of_fn(self, name: str) -> int:
        if name not in self._costs:
            self._costs[name] = self.cost(self.fns[name].body)
        return self._costs[name]

    # ------------------------------------------------------------ statements

    def block(self, block: core.Block, env: Env = NOTHING) -> core.Block:
        """Folded statements; what can never happen is gone."""
        out: list[core.Stmt] = []
        for s in block:
            out += self._stmt(s, env)
        return tuple(out)

    def _stmt(self, s: core.Stmt, env: Env) -> core.Block:
        match s:
            case core.Set():
                return (core.Set(s.var, self.maybe(s.index, env), self(s.value, env), s.add, s.span),)
            case core.Move():
                return (core.Move(self(s.tile, env), self.cell(s.source, env), self.cell(s.target, env), s.span),)
            case core.If():
                test = self(s.condition, env)
                if core.is_lit(test, False):
                    return ()
                body = self.block(s.body, env)
                return body if core.is_lit(test, True) or not body else (core.If(test, body, s.span),)
            case core.Each():
                domain, guard = self.maybe(s.domain, env), self.maybe(s.guard, env)
                if core.is_lit(guard, False) or (isinstance(domain, Lit) and domain.value == 0):
                    return ()
                body = self.block(s.body, env)
                return (
                    (core.Each(s.var, s.sort, domain, None if core.is_lit(guard, True) else guard, body, s.span),)
                    if body
                    else ()
                )
            case core.Attach():
                tile, to, touching = (self(x, env) for x in (s.tile, s.to, s.touching))
                return (core.Attach(tile, to, touching, self(s.going, env), self(s.across, env), s.span),)

    def cell(self, e: core.Read, env: Env = NOTHING) -> core.Read:
        """A place to write: its index folded, the read itself kept."""
        return core.Read(e.var, self.maybe(e.index, env), e.type, e.span)


def bits(mask: int) -> list[int]:
    """The elements of a set, in canonical order."""
    out = []
    while mask:
        low = mask & -mask
        out.append(low.bit_length() - 1)
        mask ^= low
    return out


def _empty(e: core.Agg) -> Lit:
    """The value of a quantifier over nothing."""
    match e.kind:
        case "all":
            return Lit(True, BOOL, e.span)
        case "any":
            return Lit(False, BOOL, e.span)
        case "pick":
            return Lit(None, e.type, e.span)
        case _:
            return Lit(0, e.type, e.span)
