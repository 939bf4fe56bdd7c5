"""Positions that differ in the names of pips only under one name: each pip is described by where it stands, and named in that order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from domrules.grammar import core
from domrules.interpreter.state import Layout, elements
from domrules.verifier.explicit.renaming import Renaming, tiles
from domrules.verifier.explicit.unknown import Cells, Known

ROUNDS = 2
"""How often a pip is described anew by the pips it lies beside."""


class Naming:
    """Renames positions. `classes`: the pips that may take each other's names. Not all that are alike get one name, but most."""

    def __init__(
        self,
        instance: core.Instance,
        layout: Layout,
        known: Sequence[tuple[core.Var, int]],
        zones: Sequence[int],
        classes: Sequence[Sequence[int]],
    ) -> None:
        self.instance, self.layout, self.zones = instance, layout, zones
        self.half = half = instance.game.dominoes.half
        self.size = instance.sorts[half].size
        self.classes = [c for c in classes if len(c) > 1]
        by_type = [(str(var.type), cell) for var, cell in known]
        self.pips = [c for kind, c in by_type if kind in (f"a {half}", f"a {half} or none")]
        self.tiles = [c for kind, c in by_type if kind in ("a tile", "a tile or none")]
        self.sets = [c for kind, c in by_type if kind == "a set of tiles"]
        self.halves = instance.halves
        self.having = [sum(1 << t for t, ab in enumerate(self.halves) if pip in ab) for pip in range(self.size)]
        self.double = [sum(1 << t for t, ab in enumerate(self.halves) if ab == (pip, pip)) for pip in range(self.size)]
        self._ranks: dict[Cells, list[int]] = {}
        self._plans: dict[tuple[int, ...], tuple[Renaming, list[tuple[int, int, core.Type]]] | None] = {}

    def __call__(self, cells: Cells, known: Known) -> tuple[Cells, Known]:
        """The position under its common name."""
        if not self.classes:
            return cells, known
        ranks = self._ranks.get(cells)
        if ranks is None:
            ranks = self._ranks[cells] = self.described(cells)
        if len(set(ranks)) < self.size:
            ranks = self.finer(ranks, known)
        places = list(range(self.size))
        for pips in self.classes:
            for name, pip in zip(pips, sorted(pips, key=ranks.__getitem__), strict=True):
                places[pip] = name
        return self.renamed(tuple(places), cells, known)

    def renamed(self, places: tuple[int, ...], cells: Cells, known: Known) -> tuple[Cells, Known]:
        if places not in self._plans:
            moved = tiles(self.instance, places)
            assert moved is not None
            renaming = Renaming({self.half: places, "tile": moved})
            plan = [m for m in renaming.changes(self.layout) if m[0] not in self.zones]
            self._plans[places] = renaming, plan
        found = self._plans[places]
        assert found is not None
        renaming, plan = found
        out = [*cells]
        for source, target, kind in plan:
            out[target] = None if cells[source] is None else renaming.value(kind, cells[source])
        may = tuple([renaming.mask("tile", m) for m in known.may])
        sure = tuple([renaming.mask("tile", m) for m in known.sure])
        return tuple(out), Known(known.count, may, sure)

    # ------------------------------------------------------------ descriptions

    def described(self, cells: Cells) -> list[int]:
        """A rank for each pip by what is known of it; equal ones may be exchanged, or nearly so."""
        lying = [cells[c] for c in self.sets if cells[c] is not None]
        ranks = ordered([self.described_alone(pip, cells, lying) for pip in range(self.size)])
        for _ in range(ROUNDS):
            ranks = ordered([(ranks[pip], *map(tuple, self.beside(pip, lying, ranks))) for pip in range(self.size)])
        return ranks

    def described_alone(self, pip: int, cells: Cells, lying: Sequence[int]) -> tuple[Any, ...]:
        having, double = self.having[pip], self.double[pip]
        return (
            *[cells[c] != pip for c in self.pips],
            *[-1 if cells[c] is None else self.halves[cells[c]].count(pip) for c in self.tiles],
            *[(-(m & having).bit_count(), m & double == 0) for m in lying],
        )

    def beside(self, pip: int, masks: Sequence[int], ranks: Sequence[int]) -> list[list[int]]:
        """The ranks of the pips that lie beside this one, for each set."""
        out = []
        for mask in masks:
            near = [self.halves[t] for t in elements(mask & self.having[pip])]
            out.append(sorted(ranks[b if a == pip else a] for a, b in near))
        return out

    def finer(self, ranks: Sequence[int], known: Known) -> list[int]:
        """The same order, and where it says nothing by what unknown zones may hold."""
        everything = 0
        for mask in known.may:
            everything |= mask
        masks = [m for m in (*known.may, *known.sure) if m not in (0, everything)]
        if not masks:
            return [*ranks]
        found = [
            (ranks[pip], *[((m & self.having[pip]).bit_count(), m & self.double[pip] == 0) for m in masks])
            for pip in range(self.size)
        ]
        ranks = ordered(found)
        return ordered([(ranks[pip], *map(tuple, self.beside(pip, masks, ranks))) for pip in range(self.size)])


def ordered(found: Sequence[Any]) -> list[int]:
    """The place of each value among them all."""
    places = {value: place for place, value in enumerate(sorted(set(found)))} if found else {}
    return [places[value] for value in found]
