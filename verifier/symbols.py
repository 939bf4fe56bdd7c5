"""A position in symbols: what a `State` of the interpreter holds in one value, here as bits and numbers.

A truth is a `Bit`; a number a `Number`; an element, an optional and a set are all `Members`: element -> the bit that
says it is (in) it. Elements that cannot be are left out. An element has exactly one member, an optional at most one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from domrules.grammar import core
from domrules.interpreter.state import Layout, State, elements
from domrules.verifier.dag import FALSE, TRUE, ZERO, Bit, Dag, Number
from domrules.verifier.valuation import Valuation

Members: TypeAlias = Mapping[int, Bit]
Symbol: TypeAlias = Bit | Number | Members
Cell: TypeAlias = tuple[str, int | None]
"""A variable and its index, None when it has none."""

NOTHING: Members = {}
S = TypeVar("S", Bit, Number, Members)


@dataclass(slots=True, eq=False)
class Symbols:
    """A symbolic position. Forgotten variables have no cells; `sizes` is there only in a counted view."""

    cells: Mapping[Cell, Symbol]
    sizes: Mapping[Cell, Number] | None = None
    memo: dict[object, Symbol] = field(default_factory=dict)
    """What expressions were found to be here."""

    def zone(self, var: str, index: int | None) -> Members:
        """The tiles of a zone."""
        held = self.cells[var, index]
        assert isinstance(held, Mapping)
        return held

    def put(self, changes: Mapping[Cell, Symbol], sizes: Mapping[Cell, Number] | None = None) -> Symbols:
        """The same position with some cells changed."""
        return Symbols({**self.cells, **changes}, self.sizes if sizes is None else sizes)


def zones(instance: core.Instance) -> list[Cell]:
    """All zone cells, in order."""
    return [(v.name, i) for v in instance.vars.values() if v.zone for i in instance.cells(v.name)]


def tile_count(instance: core.Instance) -> int:
    """How many tiles the set has."""
    kind = next(v.type for v in instance.vars.values() if v.zone)
    assert isinstance(kind, core.SetOf)
    return instance.sorts[kind.sort].size


# ---------------------------------------------------------------- constants


def constant(kind: core.Type, value: core.Value) -> Symbol:
    """A known value."""
    match kind:
        case core.BoolType():
            return TRUE if value else FALSE
        case core.IntType():
            return Number(value or 0)
        case core.SetOf():
            assert isinstance(value, int)
            return dict.fromkeys(elements(value), TRUE)
        case _:
            return NOTHING if value is None else {int(value): TRUE}


def known(instance: core.Instance, state: State, forgotten: frozenset[str] = frozenset()) -> Symbols:
    """A position of the interpreter: everything asked of it folds to constants."""
    walk = Layout.of(instance).walk()
    return Symbols({(v.name, i): constant(v.type, state.cells[c]) for v, i, c in walk if v.name not in forgotten})


def lasting(instance: core.Instance, state: State, forgotten: frozenset[str]) -> dict[Cell, Symbol]:
    """Of a position of the interpreter what lasts for the match."""
    mine = {v.name for v in instance.vars.values() if not v.zone and v.life is core.Life.MATCH}
    return {cell: symbol for cell, symbol in known(instance, state, forgotten).cells.items() if cell[0] in mine}


def value(valuation: Valuation, kind: core.Type, symbol: Symbol) -> core.Value:
    """What a symbol stands for under a model."""
    match symbol:
        case Number():
            return valuation.number(symbol)
        case int():
            return valuation.bit(symbol)
        case _:
            present = [i for i, bit in symbol.items() if valuation.bit(bit)]
            if isinstance(kind, core.SetOf):
                return sum(1 << i for i in present)
            return present[0] if present else None


def position(valuation: Valuation, instance: core.Instance, symbols: Symbols) -> dict[Cell, core.Value]:
    """The cells of a symbolic position under a model."""
    return {cell: value(valuation, instance.vars[cell[0]].type, symbol) for cell, symbol in symbols.cells.items()}


# ---------------------------------------------------------------- combining


def union(dag: Dag, parts: Iterable[tuple[Bit, Symbol]], kind: core.Type) -> Symbol:
    """The value of the one part whose bit holds (of sets: the union of all such parts)."""
    match kind:
        case core.BoolType():
            return dag.any([dag.both(bit, x) for bit, x in parts if isinstance(x, int)])
        case core.IntType():
            total = ZERO
            for bit, x in parts:
                assert isinstance(x, Number)
                total = dag.add(total, dag.guarded(bit, x))
            return total
        case _:
            found: dict[int, list[Bit]] = {}
            for bit, x in parts:
                assert isinstance(x, Mapping)
                for i, within in x.items():
                    found.setdefault(i, []).append(dag.both(bit, within))
            return members(dag, found)


def members(dag: Dag, found: Mapping[int, list[Bit]]) -> Members:
    """Elements that are there for any of their reasons."""
    return {i: bit for i, bits in found.items() if (bit := dag.any(bits)) != FALSE}


def same(dag: Dag, one: Symbol, two: Symbol) -> Bit:
    """Two symbols of one kind hold the same."""
    match one, two:
        case Number(), Number():
            return dag.is_zero(dag.add(one, two, -1))
        case int(), int():
            return dag.same(one, two)
        case Mapping(), Mapping():
            return dag.all(dag.same(one.get(i, FALSE), two.get(i, FALSE)) for i in one.keys() | two.keys())
        case _:
            raise AssertionError("symbols of two kinds")


def split(dag: Dag, cases: Members, kind: core.Type, branch: Callable[[int], Symbol]) -> Symbol:
    """The value of `branch` at the element that `cases` stands for."""
    if len(cases) == 1:
        ((only, bit),) = cases.items()
        if bit == TRUE:
            return branch(only)
    return union(dag, [(bit, branch(i)) for i, bit in cases.items()], kind)


def free(dag: Dag, side: list[Bit], instance: core.Instance, kind: core.Type, name: str, *, forgotten: bool) -> Symbol:
    """Anything of a type; what the type says goes to `side`."""
    match kind:
        case core.BoolType():
            return dag.var(name)
        case core.IntType():
            return dag.unknown(name, forgotten=forgotten)
        case _:
            found = {i: dag.var(f"{name}={i}") for i in range(instance.sorts[kind.sort].size)}
            side.append(well_formed(dag, kind, found))
            return found


def well_formed(dag: Dag, kind: core.Type, symbol: Symbol) -> Bit:
    """An element is one, an optional at most one."""
    if isinstance(symbol, Mapping):
        if isinstance(kind, core.Elem):
            return dag.exactly_one(symbol.values())
        if isinstance(kind, core.Maybe):
            return dag.at_most_one(symbol.values())
    return TRUE
