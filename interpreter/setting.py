"""From what an example says of the table to a state: hands laid out, states given, the rest filled in order.

Without `given` a round is dealt: the cells get as many tiles as the rules deal, first those that are named or that later
moves need there (pins), then the others in canonical order. If that order asks for a new deal, the tiles begin further on.
With `given` nothing is dealt and nothing begins: unnamed tiles lie in the stock, or where `rest in` says, and a zone
that is given holds the named tiles and no others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from domrules.grammar import core
from domrules.grammar.instance import specialise_expr
from domrules.grammar.source import NOWHERE, Span
from domrules.interpreter.names import cell_name, may_be
from domrules.interpreter.play import deal_sizes
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State, elements

SetupStep = core.Assign | core.RestIn
Pins = Mapping[int, int]
"""Tiles that later moves need in a cell: tile to cell number."""


class BadSetup(Exception):
    """What an example says of the table cannot be: too many tiles, a tile named twice. A sentence and its place."""

    def __init__(self, sentence: str, span: Span) -> None:
        self.sentence, self.span = sentence, span
        super().__init__(sentence)


@dataclass
class Setting:
    """The steps of an example that say what lies on the table, read for one instance in a state between rounds."""

    rules: Rules
    between: State
    given: bool = False
    tiles: dict[int, int] = field(default_factory=dict)
    """Named tiles and the cells they lie in."""
    kept: set[int] = field(default_factory=set)
    """Tiles that some step names with a copy number: no other step gets them."""
    closed: set[int] = field(default_factory=set)
    """Zone cells that were given: they hold the named tiles and no others."""
    rest: int | None = None
    values: dict[int, core.Value] = field(default_factory=dict)
    """Given values of round states, by cell."""
    last: Span = NOWHERE

    def keep(self, step: SetupStep) -> None:
        """Note which copies a step asks for by number; before any step is taken."""
        numbered = (
            [halves for halves in (step.tiles or ()) if "*" in halves[1]] if isinstance(step, core.Assign) else []
        )
        for halves in numbered:
            self.kept.update(copies_of(self.rules.instance, "|".join(halves)))

    def take(self, step: SetupStep) -> None:
        """Read one step. Raises BadSetup."""
        self.last = step.span
        match step:
            case core.RestIn(zone=zone):
                self.rest = cell_of(self.rules, self.between, zone.var, zone.index)
                return
            case core.Assign(tiles=None):
                self.take_values(step)
            case core.Assign(tiles=tiles):
                assert tiles is not None
                cell = cell_of(self.rules, self.between, step.var, step.index)
                named = named_tiles(self.rules, tiles, self.tiles, step.span, self.kept)
                self.tiles.update(dict.fromkeys(named, cell))
                if step.what == "given":
                    self.closed.add(cell)
        self.given |= step.what == "given"

    def take_values(self, step: core.Assign) -> None:
        values = assigned(self.rules, self.between, step)
        if self.rules.instance.vars[step.var].life is core.Life.MATCH:
            self.between = with_cells(self.between, values)
        else:
            self.values.update(values)

    @property
    def unset(self) -> list[str]:
        """States without a first value that no step has given one."""
        layout, variables = self.rules.layout, self.rules.instance.vars.values()
        bare = [var.name for var in variables if var.init is None and not var.zone and var.life is core.Life.ROUND]
        return [name for name in bare if not self.values.keys() & set(layout.cells(name))]

    # ------------------------------------------------------------ the state

    def state(self, pins: Pins) -> State:
        """The state that all this describes, after the begin blocks if it was dealt. Raises BadSetup."""
        return self.position(pins) if self.given else self.rules.begin(self.dealt(pins))

    def position(self, pins: Pins) -> State:
        """A state in the middle of a round."""
        rules = self.rules
        cells = with_cells(rules.new_round(self.between), self.values).cells
        lying = {**pins, **self.tiles}
        rest = rules.layout.cell(rules.stock) if self.rest is None else self.rest
        return place(rules, cells, {tile: lying.get(tile, rest) for tile in range(tile_count(rules))})

    def dealt(self, pins: Pins) -> State:
        """A state after a deal: the first filling, in canonical order or shifted, that the rules keep."""
        rules, lying = self.rules, {**pins, **self.tiles}
        cells = rules.new_round(self.between).cells
        others = [tile for tile in range(tile_count(rules)) if tile not in lying]
        first: State | None = None
        for shift in range(len(others) or 1):
            state = place(rules, cells, self.fill(lying, others[shift:] + others[:shift]))
            if not rules.wants_redeal(state):
                return state
            first = first or state
        assert first is not None
        return first

    def fill(self, lying: Mapping[int, int], others: Sequence[int]) -> dict[int, int]:
        """Every tile with a cell: those that lie somewhere, then the others as long as there is room."""
        rooms = deal_sizes(self.rules)
        for tile, cell in lying.items():
            rooms[cell] = rooms.get(cell, 0) - 1
            if rooms[cell] < 0:
                raise BadSetup(self.too_many(cell, tile), self.last)
        places = [cell for cell, room in rooms.items() for _ in range(room)]
        if self.rest is not None and any(cell != self.rest for cell in places):
            raise BadSetup("with this rest, some hand gets fewer tiles than the rules deal", self.last)
        return {**lying, **dict(zip(others, places, strict=True))}

    def too_many(self, cell: int, tile: int) -> str:
        instance, size = self.rules.instance, deal_sizes(self.rules).get(cell, 0)
        where = next(cell_name(instance, var, i) for var, i, number in self.rules.layout.walk() if number == cell)
        return f"{where} is dealt {size} tiles, so {instance.sorts['tile'].names[tile]} has no room there"


def patched(rules: Rules, state: State, step: core.Assign) -> State:
    """A state in the middle of a round with something given anew; tiles it puts out of a zone go to the stock."""
    if step.tiles is None:
        return with_cells(state, assigned(rules, state, step))
    lying = {tile: cell for var, _, cell in rules.layout.walk() if var.zone for tile in tiles_in(state, cell)}
    cell = cell_of(rules, state, step.var, step.index)
    stock = rules.layout.cell(rules.stock)
    lying.update(dict.fromkeys(tiles_in(state, cell), stock))
    lying.update(dict.fromkeys(named_tiles(rules, step.tiles, {}, step.span), cell))
    return place(rules, state.cells, lying)


def assigned(rules: Rules, state: State, step: core.Assign) -> dict[int, core.Value]:
    """The values that a step gives to cells of a state: one for all of them, or one for each. Raises BadSetup."""
    layout = rules.layout
    cells = list(layout.cells(step.var)) if step.index is None else [cell_of(rules, state, step.var, step.index)]
    values = [value_of(rules, state, e) for e in step.values]
    if len(values) == 1:
        values *= len(cells)
    if len(values) != len(cells):
        raise BadSetup(f"{step.var} has {len(cells)} values here, not {len(values)}", step.span)
    return dict(zip(cells, values, strict=True))


def value_of(rules: Rules, state: State, e: core.Expr) -> core.Value:
    """The value of an expression of an example."""
    found: core.Value = rules.question(specialise_expr(rules.instance, e))(state)
    return found


def cell_of(rules: Rules, state: State, var: str, index: core.Expr | None) -> int:
    """The number of the cell that an example names."""
    return rules.layout.cell(var, None if index is None else value_of(rules, state, index))


def named_tiles(
    rules: Rules, tiles: Sequence[tuple[str, str]], taken: Collection[int], span: Span, kept: Collection[int] = ()
) -> list[int]:
    """The tiles of a list: copies with a number, then for each other tile the first that is not taken or `kept`.

    Raises BadSetup.
    """
    found: list[int] = []
    for halves in sorted(tiles, key=lambda halves: "*" not in halves[1]):
        written = "|".join(halves)
        copies = copies_of(rules.instance, written)
        busy = {*taken, *found, *(kept if "*" not in written else ())}
        free = [tile for tile in copies if tile not in busy]
        if not free:
            there = "lies in two places" if copies else "is no tile at this table"
            raise BadSetup(f"{written} {there}", span)
        found.append(free[0])
    return found


def with_cells(state: State, values: Mapping[int, core.Value]) -> State:
    """The state with other values in some cells."""
    return State(tuple(values.get(cell, value) for cell, value in enumerate(state.cells)))


def tiles_in(state: State, cell: int) -> Sequence[int]:
    return elements(int(state.cells[cell] or 0))


def tile_count(rules: Rules) -> int:
    return rules.instance.sorts["tile"].size


def place(rules: Rules, held: Sequence[core.Value], lying: Mapping[int, int]) -> State:
    """The state with these cells, and every tile where it lies."""
    cells = list(held)
    for var, _, cell in rules.layout.walk():
        if var.zone:
            cells[cell] = 0
    for tile, cell in lying.items():
        cells[cell] = int(cells[cell] or 0) | 1 << tile
    return State(tuple(cells))


def copies_of(instance: core.Instance, written: str) -> list[int]:
    """All tiles that are written so, copies included when none is named."""
    names = instance.sorts["tile"].names
    return [i for i, name in enumerate(names) if may_be(written, name)]
