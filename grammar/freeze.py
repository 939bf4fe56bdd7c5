"""Instance → instance: cells that nothing changes become constants, and quantifiers skip what they cannot reach.

In a game without spinner this removes the spinner and two of four sides; every engine gains.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from domrules.grammar import core
from domrules.grammar.core import Elem, Expr, Lit
from domrules.grammar.fold import Cell, Fold, bits
from domrules.grammar.instance import folder

SMALL = 12
"""Sorts up to this size are tried value by value."""


def freeze(instance: core.Instance) -> core.Instance:
    """The instance with frozen cells folded away and domains pruned."""
    fold = folder(instance)
    frozen = _frozen(instance, fold)
    if not frozen:
        return instance
    return _Pruned(instance, Fold(instance.sorts, fold.options, instance.fns, frozen, deep=True)).instance()


def _frozen(instance: core.Instance, plain: Fold) -> dict[Cell, Lit]:
    """The greatest set of cells that keep their first value: assume all, drop those something may write, repeat."""
    frozen = _candidates(instance)
    while True:
        fold = Fold(instance.sorts, plain.options, instance.fns, frozen, deep=True)
        written = set(_written(instance, fold)) & frozen.keys()
        if not written:
            return frozen
        frozen = {cell: value for cell, value in frozen.items() if cell not in written}


def _candidates(instance: core.Instance) -> dict[Cell, Lit]:
    out: dict[Cell, Lit] = {}
    for var in instance.vars.values():
        if var.zone or var.name in instance.open or var.name in ("ending", "moves") or not isinstance(var.init, Lit):
            continue
        for index in instance.cells(var.name):
            out[var.name, index] = var.init
    return out


def _written(instance: core.Instance, fold: Fold) -> Iterator[Cell]:
    """Cells that some action, event, `begin` or settlement may write, as far as `fold` can tell."""
    for action in instance.deeds:
        possible = possible_values(instance, action, fold)
        if all(possible.values()):
            for block in action.blocks:
                yield from _cells(instance, fold.block(block), possible)
    for block in (*instance.begin, *(s.block() for s in instance.settles)):
        yield from _cells(instance, fold.block(block), {})


def possible_values(instance: core.Instance, action: core.Action, fold: Fold) -> dict[str, tuple[int, ...]]:
    """For every parameter of a small sort, the values its domain and the guard do not exclude."""
    out: dict[str, tuple[int, ...]] = {}
    for p in action.params:
        sort = instance.sorts[p.sort]
        if sort.size > SMALL:
            continue
        domain = fold.maybe(p.domain)
        mask = domain.value if isinstance(domain, Lit) and isinstance(domain.value, int) else sort.full
        out[p.name] = tuple(
            i for i in bits(mask) if not core.is_lit(fold(action.guard, {p.name: Lit(i, Elem(p.sort))}), False)
        )
    return out


def _cells(instance: core.Instance, block: core.Block, possible: Mapping[str, tuple[int, ...]]) -> Iterator[Cell]:
    for s in block:
        match s:
            case core.Set():
                for index in _indices(instance, s, possible):
                    yield s.var, index
            case core.If() | core.Each():
                yield from _cells(instance, s.body, possible)
            case _:
                pass


def _indices(instance: core.Instance, s: core.Set, possible: Mapping[str, tuple[int, ...]]) -> tuple[int | None, ...]:
    match s.index:
        case Lit(value=int(value)):
            return (value,)
        case core.Local(name=name) if name in possible:
            return possible[name]
        case _:
            return instance.cells(s.var)


class _Pruned:
    """Rewrites an instance: folded with the frozen cells, quantifiers over small sorts without idle values."""

    def __init__(self, instance: core.Instance, fold: Fold) -> None:
        self.old, self.fold = instance, fold

    def instance(self) -> core.Instance:
        old = self.old
        fns = {name: replace(fn, body=self.expr(fn.body)) for name, fn in old.fns.items()}
        return replace(
            old,
            fns=fns,
            redeal=self.expr(old.redeal),
            begin=tuple(map(self.block, old.begin)),
            actions=tuple(self.action(a) for a in old.actions),
            events=tuple(self.action(a) for a in old.events),
            endings=tuple(replace(e, when=self.expr(e.when)) for e in old.endings),
            settles=tuple(self.settle(s) for s in old.settles),
            over=self.expr(old.over),
            winners=self.expr(old.winners),
        )

    def expr(self, e: Expr) -> Expr:
        return self.prune(self.fold(e))

    def block(self, block: core.Block) -> core.Block:
        return core.rebuild_block(self.fold.block(block), self.prune)

    def action(self, a: core.Action) -> core.Action:
        possible = possible_values(self.old, a, self.fold)
        params = tuple(self._param(p, possible) for p in a.params)
        return replace(a, params=params, guard=self.expr(a.guard), blocks=tuple(map(self.block, a.blocks)))

    def _param(self, p: core.Param, possible: Mapping[str, tuple[int, ...]]) -> core.Param:
        domain = None if p.domain is None else self.expr(p.domain)
        if p.name in possible and (domain is None or isinstance(domain, Lit)):
            domain = self._mask(p.sort, list(possible[p.name]))
        return core.Param(p.chance, p.name, p.sort, domain)

    def settle(self, s: core.Settle) -> core.Settle:
        rows = tuple(core.Row(self.expr(r.test), self.block(r.body), r.span) for r in s.rows)
        return replace(s, rows=rows)

    def prune(self, e: Expr) -> Expr:
        """Quantifiers inside, and this one, restricted to values that can matter."""
        e = core.rebuild(e, self.prune)
        if not isinstance(e, core.Agg) or self.old.sorts[e.sort].size > SMALL or e.body is None:
            return e
        if not (e.domain is None or isinstance(e.domain, Lit)):
            return e
        full = self.old.sorts[e.sort].full
        mask = e.domain.value if isinstance(e.domain, Lit) and isinstance(e.domain.value, int) else full
        useful = [i for i in bits(mask) if not self._idle(e, i)]
        if len(useful) == mask.bit_count():
            return e
        return self.fold(replace(e, domain=self._mask(e.sort, useful)))

    def _mask(self, sort: str, values: list[int]) -> Lit | None:
        mask = sum(1 << i for i in values)
        return None if mask == self.old.sorts[sort].full else Lit(mask, core.SetOf(sort))

    def _idle(self, e: core.Agg, value: int) -> bool:
        """Does this value contribute nothing to the quantifier?"""
        env = {e.var: Lit(value, Elem(e.sort))}
        if e.guard is not None and core.is_lit(self.fold(e.guard, env), False):
            return True
        assert e.body is not None
        body = self.fold(e.body, env)
        match e.kind:
            case "any":
                return core.is_lit(body, False)
            case "all":
                return core.is_lit(body, True)
            case "sum":
                return isinstance(body, Lit) and body.value == 0
            case _:
                return False
