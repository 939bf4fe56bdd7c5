"""What computed invariants are made of: numbers read off a position, found mechanically from the declarations.

Two tables, kept apart because a solver cannot relate a size to its set: truths about cells (0 or 1) and counters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from domrules.grammar import core
from domrules.interpreter.names import cell_name
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.verifier import symbols
from domrules.verifier.dag import FALSE, Bit, Number
from domrules.verifier.relation import ENDING, MOVES, Relation
from domrules.verifier.study import Study
from domrules.verifier.symbols import Cell, Symbols


@dataclass(frozen=True, slots=True)
class Feature:
    """A number of a position that depends on some cells, for the interpreter and in symbols."""

    text: str
    cells: tuple[Cell, ...]
    value: Callable[[Rules, State], int]
    symbol: Callable[[Relation, Symbols], Number]

    @property
    def reads(self) -> frozenset[str]:
        """The variables it depends on."""
        return frozenset(var for var, _ in self.cells)


ONE = Feature("1", (), lambda rules, state: 1, lambda relation, state: Number(1))


class Reader:
    """Reads all features off positions; what a cell gives is remembered, for a move changes few of them."""

    def __init__(self, rules: Rules, features: Sequence[Feature]) -> None:
        self.rules = rules
        self.groups: dict[tuple[Cell, ...], list[tuple[int, Feature]]] = {}
        for place, feature in enumerate(features):
            self.groups.setdefault(feature.cells, []).append((place, feature))
        self._known: dict[tuple[object, ...], dict[int, int]] = {}

    def row(self, state: State) -> dict[int, int]:
        """Values by place, without those that are 0."""
        found: dict[int, int] = {}
        for cells, features in self.groups.items():
            key = (cells, *(self.rules.layout.get(state, *cell) for cell in cells))
            values = self._known.get(key)
            if values is None:
                read = ((place, feature.value(self.rules, state)) for place, feature in features)
                values = self._known[key] = {place: value for place, value in read if value}
            found.update(values)
        return found


def truth(
    text: str, cells: tuple[Cell, ...], value: Callable[[Rules, State], bool], bit: Callable[[Relation, Symbols], Bit]
) -> Feature:
    """A feature that is 0 or 1."""
    return Feature(
        f"[{text}]",
        cells,
        lambda rules, state: int(value(rules, state)),
        lambda relation, state: relation.dag.number([(bit(relation, state), 1)]),
    )


# ---------------------------------------------------------------- truths about cells


def truths(study: Study) -> list[Feature]:
    """The constant 1; each tile in each zone; zones not empty; Boolean cells; cells with each value; and pairs.

    A pair is "tile state A is this tile, and cell B of an indexed optional holds something": it couples what a special
    tile opens (a spinner and its arms) with what grows there.
    """
    found, instance = [ONE], study.instance
    cells = list(varying(study))
    for var, cell in cells:
        match var.type:
            case core.SetOf() if var.zone:
                found += [inside(study, cell, tile) for tile in range(symbols.tile_count(instance))]
                found.append(filled(study, cell))
            case core.BoolType():
                found.append(flag(study, cell))
            case core.Elem(sort=sort) | core.Maybe(sort=sort):
                found += [equals(study, cell, i) for i in range(instance.sorts[sort].size)]
            case _:
                pass
    lone = [cell for var, cell in cells if var.per is None and var.type == core.Maybe("tile")]
    many = [cell for var, cell in cells if var.per is not None and isinstance(var.type, core.Maybe)]
    tiles = range(symbols.tile_count(instance))
    return found + [pair(study, a, tile, b) for a in lone for b in many for tile in tiles]


def varying(study: Study) -> Iterator[tuple[core.Var, Cell]]:
    """Cells of a round that some move may change and that moves and endings depend on."""
    forgotten = study.view().forgotten
    for var in study.instance.vars.values():
        if var.name in forgotten or var.name == ENDING[0] or (var.life is core.Life.MATCH and not var.zone):
            continue
        for index in study.instance.cells(var.name):
            if (var.name, index) not in study.frozen:
                yield var, (var.name, index)


def name(study: Study, cell: Cell) -> str:
    return cell_name(study.instance, study.instance.vars[cell[0]], cell[1])


def inside(study: Study, cell: Cell, tile: int) -> Feature:
    text = f"{study.instance.sorts['tile'].names[tile]} in {name(study, cell)}"
    return truth(
        text,
        (cell,),
        lambda rules, state: bool(rules.layout.tiles(state, *cell) >> tile & 1),
        lambda relation, state: state.zone(*cell).get(tile, FALSE),
    )


def filled(study: Study, cell: Cell) -> Feature:
    return truth(
        f"{name(study, cell)} not empty",
        (cell,),
        lambda rules, state: rules.layout.tiles(state, *cell) != 0,
        lambda relation, state: relation.dag.any(state.zone(*cell).values()),
    )


def flag(study: Study, cell: Cell) -> Feature:
    def bit(relation: Relation, state: Symbols) -> Bit:
        held = state.cells[cell]
        assert isinstance(held, int)
        return held

    return truth(name(study, cell), (cell,), lambda rules, state: bool(rules.layout.get(state, *cell)), bit)


def equals(study: Study, cell: Cell, value: int) -> Feature:
    kind = study.instance.vars[cell[0]].type
    assert isinstance(kind, core.Elem | core.Maybe)
    return truth(
        f"{name(study, cell)} = {study.instance.sorts[kind.sort].names[value]}",
        (cell,),
        lambda rules, state: rules.layout.get(state, *cell) == value,
        lambda relation, state: state.zone(*cell).get(value, FALSE),
    )


def pair(study: Study, one: Cell, tile: int, other: Cell) -> Feature:
    text = f"{name(study, one)} = {study.instance.sorts['tile'].names[tile]}, {name(study, other)} set"
    return truth(
        text,
        (one, other),
        lambda rules, state: rules.layout.get(state, *one) == tile and rules.layout.get(state, *other) is not None,
        lambda relation, state: relation.dag.both(
            state.zone(*one).get(tile, FALSE), relation.dag.any(state.zone(*other).values())
        ),
    )


# ---------------------------------------------------------------- counters


def counters(study: Study) -> list[Feature]:
    """The constant 1; the number of moves; the size of each zone, and whether it is empty."""
    moves = Feature(MOVES[0], (MOVES,), moves_made, moves_symbol)
    zones = symbols.zones(study.instance)
    return [ONE, moves, *(size(study, cell) for cell in zones), *(filled(study, cell) for cell in zones)]


def moves_made(rules: Rules, state: State) -> int:
    made = rules.layout.get(state, *MOVES)
    assert isinstance(made, int)
    return made


def moves_symbol(relation: Relation, state: Symbols) -> Number:
    made = state.cells[MOVES]
    assert isinstance(made, Number)
    return made


def size(study: Study, cell: Cell) -> Feature:
    def symbol(relation: Relation, state: Symbols) -> Number:
        if state.sizes is not None:
            return state.sizes[cell]
        return relation.encoder.popcount(state.zone(*cell))

    return Feature(
        f"|{name(study, cell)}|",
        (cell,),
        lambda rules, state: rules.layout.tiles(state, *cell).bit_count(),
        symbol,
    )
