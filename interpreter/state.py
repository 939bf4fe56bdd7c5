"""A position of a game: one immutable tuple with a cell for every state and zone, and how those cells are numbered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from domrules.grammar import core
from domrules.grammar.core import Value


@dataclass(frozen=True, slots=True)
class State:
    """A position. `cells` is everything there is; `memo` remembers calls of defines here and is no part of equality."""

    cells: tuple[Value, ...]
    memo: dict[int, Value] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True)
class Layout:
    """Where the cells of a variable lie: `bases[var]`, or with an index `bases[var] + index`."""

    instance: core.Instance
    bases: Mapping[str, int]
    size: int

    @classmethod
    def of(cls, instance: core.Instance) -> Layout:
        bases, size = {}, 0
        for name in instance.vars:
            bases[name] = size
            size += len(instance.cells(name))
        return cls(instance, bases, size)

    def cell(self, var: str, index: int | None = None) -> int:
        """The number of a cell."""
        return self.bases[var] + (index or 0)

    def cells(self, var: str) -> range:
        """The numbers of all cells of a variable."""
        return range(self.bases[var], self.bases[var] + len(self.instance.cells(var)))

    def get(self, state: State, var: str, index: int | None = None) -> Value:
        """What a cell holds."""
        return state.cells[self.cell(var, index)]

    def tiles(self, state: State, var: str, index: int | None = None) -> int:
        """The tiles of a zone, as a mask."""
        held = self.get(state, var, index)
        assert isinstance(held, int)
        return held

    def put(self, state: State, changes: Mapping[tuple[str, int | None], Value]) -> State:
        """The same position with some cells changed."""
        cells = list(state.cells)
        for (var, index), value in changes.items():
            cells[self.cell(var, index)] = value
        return State(tuple(cells))

    def walk(self) -> Iterator[tuple[core.Var, int | None, int]]:
        """Every cell as variable, index and number, in order."""
        for var in self.instance.vars.values():
            for index in self.instance.cells(var.name):
                yield var, index, self.cell(var.name, index)

    def select(self, names: Iterable[str]) -> tuple[int, ...]:
        """The cell numbers of several variables, in order."""
        return tuple(cell for name in names for cell in self.cells(name))


# ---------------------------------------------------------------- sets as masks

_SMALL = tuple(tuple(i for i in range(8) if mask >> i & 1) for mask in range(256))


def elements(mask: int) -> tuple[int, ...] | list[int]:
    """The elements of a set in canonical (index) order."""
    if mask < 256:
        return _SMALL[mask]
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def kth(mask: int, k: int) -> int:
    """The k-th element (from 0) of a set in canonical order."""
    for _ in range(k):
        mask &= mask - 1
    return (mask & -mask).bit_length() - 1
