"""Instance → instance: searches for a tile become set operations.

"any t in S: P(t, v)" with static P becomes `S & table[v]`; "any t: any s: …" becomes "any s: any t: …"; a value that
must be in a set ranges over that set. The meaning stays; the interpreter runs both forms and tests compare them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from domrules.grammar import core
from domrules.grammar.core import BOOL, INT, Agg, Elem, Expr, Lit, Local, Op, SetOf
from domrules.grammar.fold import Fold
from domrules.grammar.instance import folder

MAX_TABLE = 5000
"""Entries (values of the other name × tiles) of a table of sets."""


def mask(instance: core.Instance) -> core.Instance:
    """The instance with tile searches as set operations."""
    return _Masks(instance, folder(instance)).instance()


class _Masks:
    def __init__(self, instance: core.Instance, fold: Fold) -> None:
        self.old, self.fold = instance, fold
        self.tables: dict[tuple[int, str, str | None], Expr] = {}
        self.kept: list[Expr] = []
        self.count = 0

    def instance(self) -> core.Instance:
        old = self.old
        return replace(
            old,
            fns={name: replace(fn, body=self.expr(fn.body)) for name, fn in old.fns.items()},
            redeal=self.expr(old.redeal),
            begin=tuple(core.rebuild_block(b, self.expr) for b in old.begin),
            actions=tuple(self.action(a) for a in old.actions),
            events=tuple(self.action(a) for a in old.events),
            endings=tuple(replace(e, when=self.expr(e.when)) for e in old.endings),
            settles=tuple(self.settle(s) for s in old.settles),
            over=self.expr(old.over),
            winners=self.expr(old.winners),
        )

    def settle(self, s: core.Settle) -> core.Settle:
        rows = tuple(core.Row(self.expr(r.test), core.rebuild_block(r.body, self.expr), r.span) for r in s.rows)
        return replace(s, rows=rows)

    # ------------------------------------------------------------ actions

    def action(self, a: core.Action) -> core.Action:
        """Guards that say what a parameter is in move into its domain."""
        tiles = {p.name for p in a.params if p.sort == "tile"}
        parts = [q for part in core.conjuncts(a.guard) for q in self.opened(part, tiles)]
        params: list[core.Param] = []
        for i, p in enumerate(a.params):
            later = {q.name for q in a.params[i + 1 :]}
            mine = [x for x in parts if p.name in core.free(x) and not core.free(x) & later]
            domain, rest = self.cut(p.name, p.sort, p.domain, mine)
            parts = [x for x in parts if x not in mine or x in rest]
            params.append(core.Param(p.chance, p.name, p.sort, None if domain is None else self.expr(domain)))
        guard = core.conjunction([self.expr(x) for x in parts])
        blocks = tuple(core.rebuild_block(b, self.expr) for b in a.blocks)
        return replace(a, params=tuple(params), guard=guard, blocks=blocks)

    # ------------------------------------------------------------ expressions

    def expr(self, e: Expr) -> Expr:
        """Rewritten from the outside in, so that a search sees the conditions inside it."""
        if isinstance(e, Agg):
            found = self.agg(e)
            if found is not None:
                return found
        return core.rebuild(e, self.expr)

    def agg(self, e: Agg) -> Expr | None:
        """The quantifier rewritten; None when its form stays."""
        match e.kind:
            case "any":
                return self.exists(e, [*core.conjuncts(e.guard), *core.conjuncts(e.body)])
            case "all" if e.body is not None:
                return self._all(e, e.body)
            case "sum" | "set":
                return self._collected(e)
            case _:
                return None

    def _all(self, e: Agg, body: Expr) -> Expr:
        counter = [*core.conjuncts(e.guard), *core.conjuncts(core.negation(body))]
        return core.negation(self.exists(Agg("any", e.var, e.sort, e.domain, None, None, BOOL, e.span), counter))

    def exists(self, e: Agg, parts: Sequence[Expr]) -> Expr:
        """any e.var: parts."""
        known = [q for part in parts for q in self.opened(part, {e.var}, e.sort == "tile")]
        pinned = self._pinned(e, known)
        if pinned is not None:
            return self.expr(pinned)
        inner = self._exchanged(e, known)
        if inner is not None:
            return self.expr(inner)
        if e.sort != "tile":
            known = [q for part in known for q in core.conjuncts(self.expr(part))]
        outside = [x for x in known if e.var not in core.free(x)]
        mine = [x for x in known if e.var in core.free(x)]
        domain, rest = self.cut(e.var, e.sort, e.domain, mine)
        domain = None if domain is None else self.expr(domain)
        if e.sort == "tile":
            rest, outside = [self.expr(x) for x in rest], [self.expr(x) for x in outside]
        if rest or domain is None:
            found: Expr = Agg("any", e.var, e.sort, domain, None, core.conjunction(rest), BOOL, e.span)
        else:
            found = Op("some", (domain,), BOOL, span=e.span)
        return core.conjunction([*outside, found])

    def _pinned(self, e: Agg, parts: Sequence[Expr]) -> Expr | None:
        """any x in S: x == y and P(x)  →  y in S and P(y)."""
        for part in parts:
            y = _equal_to(part, e.var)
            if y is None or e.domain is None:
                continue
            rest = [substitute(x, {e.var: y}, self.fresh) for x in parts if x is not part]
            return core.conjunction([Op("in", (y, e.domain), BOOL, span=e.span), *rest])
        return None

    def _exchanged(self, e: Agg, parts: Sequence[Expr]) -> Expr | None:
        """any t: any s: P  →  any s: any t: P, tiles innermost."""
        if e.sort != "tile" or len(parts) != 1:
            return None
        inner = parts[0]
        if not isinstance(inner, Agg) or inner.kind != "any" or inner.sort == "tile":
            return None
        if inner.domain is not None and e.var in core.free(inner.domain):
            return None
        body = core.conjunction([*core.conjuncts(inner.guard), *core.conjuncts(inner.body)])
        return replace(inner, guard=None, body=Agg("any", e.var, e.sort, e.domain, None, body, BOOL, e.span))

    def _collected(self, e: Agg) -> Expr | None:
        """Counts and sets of tiles: the guard moves into the domain."""
        if (
            e.guard is None
            and e.kind == "sum"
            and isinstance(e.body, Lit)
            and e.body.value == 1
            and e.domain is not None
        ):
            return Op("size", (self.expr(e.domain),), INT, span=e.span)
        if e.guard is None:
            return None
        parts = [q for part in core.conjuncts(e.guard) for q in self.opened(part, {e.var})]
        domain, rest = self.cut(e.var, e.sort, e.domain, [x for x in parts if e.var in core.free(x)])
        rest = [*(x for x in parts if e.var not in core.free(x)), *rest]
        if domain is e.domain or domain is None:
            return None
        domain = self.expr(domain)
        if not rest and e.kind == "set":
            return domain
        if not rest and isinstance(e.body, Lit) and e.body.value == 1:
            return Op("size", (domain,), INT, span=e.span)
        guard = core.conjunction([self.expr(x) for x in rest]) if rest else None
        return Agg(e.kind, e.var, e.sort, domain, guard, None if e.body is None else self.expr(e.body), e.type, e.span)

    # ------------------------------------------------------------ conditions as sets

    def cut(self, var: str, sort: str, domain: Expr | None, parts: Sequence[Expr]) -> tuple[Expr | None, list[Expr]]:
        """The elements of `domain` for which as many of `parts` hold as can be said by sets; and the other parts."""
        rest: list[Expr] = []
        for part in parts:
            cut = self._as_set(var, sort, part)
            if cut is None:
                rest.append(part)
                continue
            name, other = cut
            if domain is None:
                domain = (
                    other if name == "inter" else Op("minus", (self._whole(sort), other), SetOf(sort), span=part.span)
                )
            else:
                domain = Op(name, (domain, other), SetOf(sort), span=part.span)
        return domain, rest

    def _whole(self, sort: str) -> Expr:
        return Lit(self.old.sorts[sort].full, SetOf(sort))

    def _as_set(self, var: str, sort: str, part: Expr) -> tuple[str, Expr] | None:
        """`part` as (inter | minus, set): "var in set", or the opposite."""
        inside = _membership(part, var)
        if inside is not None:
            return "inter", inside
        if isinstance(part, Op) and part.name == "not":
            outside = _membership(part.args[0], var)
            if outside is not None:
                return "minus", outside
        if sort != "tile":
            return None
        table = self._table(var, part)
        return None if table is None else ("inter", table)

    def _table(self, var: str, part: Expr) -> Expr | None:
        """The tiles for which a static condition holds, as a function of the one other name it uses."""
        others = sorted(core.free(part) - {var})
        if len(others) > 1 or not self.fold.pure(part, {var, *others}):
            return None
        other = next((x for x in _locals(part) if x.name != var), None)
        if other is None:
            values = self._holds(var, part, {})
            return Lit(values, SetOf("tile"), part.span)
        if not isinstance(other.type, Elem):
            return None
        size = self.old.sorts[other.type.sort].size
        if size * self.old.sorts["tile"].size > MAX_TABLE:
            return None
        masks = tuple(self._holds(var, part, {other.name: Lit(i, other.type)}) for i in range(size))
        return core.Table(masks, other, SetOf("tile"), part.span)

    def _holds(self, var: str, part: Expr, env: dict[str, Lit]) -> int:
        tiles = range(self.old.sorts["tile"].size)
        return sum(1 << t for t in tiles if self.fold.constant(part, {**env, var: Lit(t, Elem("tile"))}))

    # ------------------------------------------------------------ defines

    def opened(self, e: Expr, names: set[str], state: bool = True) -> list[Expr]:
        """The conjuncts of `e`, with calls replaced by their text where that shows what they ask of `names`.

        Without `state`, calls that read state stay: their values are remembered.
        """
        if (
            isinstance(e, core.Call)
            and core.free(e) & names
            and not self._settled(e)
            and (state or self.fold.pure_fn(e.fn))
        ):
            fn = self.old.fns[e.fn]
            body = substitute(fn.body, {p: a for (p, _), a in zip(fn.params, e.args, strict=True)}, self.fresh)
            return [q for part in core.conjuncts(self.fold(body)) for q in self.opened(part, names, state)]
        if isinstance(e, Agg) and e.kind == "any" and core.free(e) & names and e.domain is not None:
            parts = [
                q
                for part in [*core.conjuncts(e.guard), *core.conjuncts(e.body)]
                for q in self.opened(part, {*names, e.var}, state)
            ]
            pinned = self._pinned(e, parts)
            if pinned is not None:
                return [q for part in core.conjuncts(pinned) for q in self.opened(part, names, state)]
        return [e]

    def _settled(self, e: core.Call) -> bool:
        """Is this call a table already: static, of at most two names?"""
        return self.fold.pure_fn(e.fn) and len(core.free(e)) <= 2

    def fresh(self, name: str) -> str:
        self.count += 1
        return f"{name.split('^')[0]}^{self.count}"


def _membership(e: Expr, var: str) -> Expr | None:
    """The set of "var in set", when the set does not depend on var."""
    if isinstance(e, Op) and e.name == "in" and isinstance(e.args[0], Local) and e.args[0].name == var:
        return e.args[1] if var not in core.free(e.args[1]) else None
    return None


def _equal_to(e: Expr, var: str) -> Expr | None:
    """The other side of "var == element"."""
    if isinstance(e, Op) and e.name == "eq":
        for a, b in (e.args, e.args[::-1]):
            if isinstance(a, Local) and a.name == var and isinstance(b.type, Elem) and var not in core.free(b):
                return b
    return None


def _locals(e: Expr) -> list[Local]:
    """Uses of names bound outside."""
    names = core.free(e)
    out: list[Local] = []

    def walk(x: Expr) -> None:
        if isinstance(x, Local) and x.name in names:
            out.append(x)
        for child in core.children(x):
            walk(child)

    walk(e)
    return out


def substitute(e: Expr, values: dict[str, Expr], fresh: Callable[[str], str]) -> Expr:
    """`e` with names replaced by expressions; names bound inside get new ones, so that nothing is captured."""
    match e:
        case Local():
            return values.get(e.name, e)
        case Agg() | core.Best():
            name = fresh(e.var)
            inner = {**values, e.var: Local(name, Elem(e.sort), e.span)}
            if isinstance(e, core.Best):
                of = substitute(e.of, values, fresh)
                return core.Best(e.highest, of, name, e.sort, substitute(e.key, inner, fresh), e.type, e.span)
            domain = None if e.domain is None else substitute(e.domain, values, fresh)
            guard, body = (None if x is None else substitute(x, inner, fresh) for x in (e.guard, e.body))
            return Agg(e.kind, name, e.sort, domain, guard, body, e.type, e.span)
        case _:
            return core.rebuild(e, lambda x: substitute(x, values, fresh))
