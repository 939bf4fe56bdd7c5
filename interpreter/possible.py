"""What is told of the end of a round, against what the rules let happen: what cannot be is refused, and only that.

Whatever the game is, of a position in which a round has ended it is certain that

* a tile lies in one place, and a number is in its range;
* a zone holds no more tiles than were dealt to it and moves could bring;
* the ending is the first in the order of the rules whose condition holds;
* before the last move none held.

What hangs on a cell that is not known is let pass.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import Any

from domrules.grammar import core
from domrules.grammar.diagnostics import counted
from domrules.grammar.reads import statements
from domrules.interpreter.errors import RuleError
from domrules.interpreter.names import cell_name, element_names
from domrules.interpreter.play import deal_sizes
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State, elements
from domrules.interpreter.unknown import Blank, Unknown, known


class Impossible(Exception):
    """What was told of a round cannot be so; a sentence, and the cell it is about."""

    def __init__(self, sentence: str, cell: int | None = None) -> None:
        self.cell = cell
        super().__init__(sentence)


@dataclass
class Possible:
    """Looks at the ends of rounds of one instance. `written`: the states that moves or events write."""

    rules: Rules
    written: frozenset[str]
    names: Mapping[int, str] = field(init=False)
    dealt: Mapping[int, int] = field(init=False)
    """By cell of a zone: how many tiles it holds when the moves begin, if the begin blocks move none."""
    comes: Mapping[str, int | None] = field(init=False)
    """By zone: how many tiles moves can bring to all of its cells; None where those that leave it may come back."""
    still: frozenset[int] = field(init=False)
    """The cells of zones that hold what was dealt to them until the round ends."""
    hands: frozenset[int] = field(init=False)
    """The cells of hands, if a move changes one of them at most, by one tile; else none."""

    def __post_init__(self) -> None:
        rules, instance = self.rules, self.rules.instance
        self.names = {cell: cell_name(instance, var, index) for var, index, cell in rules.layout.walk()}
        sizes = deal_sizes(rules)
        self.dealt = {cell: sizes.get(cell, 0) for var, _, cell in rules.layout.walk() if var.zone}
        flows = set(moved(instance))
        self.comes = {var.name: self.reaching(var.name, flows) for var in instance.vars.values() if var.zone}
        touched_zones = {zone for flow in flows for zone in flow}
        self.still = frozenset(c for var, _, c in rules.layout.walk() if var.zone and var.name not in touched_zones)
        zones = instance.role("zone", "hand")
        single = all(sum(touched(block, zones) for block in deed.blocks) <= 1 for deed in instance.deeds)
        untouched = not any(touched(block, zones) for block in instance.begin)
        self.hands = frozenset(rules.layout.select(zones) if single and untouched else ())

    def check(self, ended: State, ending: int, by: int | None = None) -> None:
        """Raise `Impossible` for a position that no round ends in, so; `by`: who went out."""
        self.places(ended)
        self.ranges(ended)
        self.room(ended)
        ended = self.elsewhere(ended)
        looked_at = self.rules.layout.put(ended, {("ending", None): None})
        self.first(looked_at, ending, by)
        self.before(looked_at, ending, by)

    # ------------------------------------------------------------ tiles and numbers

    def places(self, state: State) -> None:
        """A tile lies in one place."""
        seen = 0
        for cell, tiles in self.known_zones(state):
            if twice := seen & tiles:
                several = ", ".join(element_names(self.rules.instance, "tile", twice))
                raise Impossible(f"{several} cannot lie in two places", cell)
            seen |= tiles

    def known_zones(self, state: State) -> Iterator[tuple[int, int]]:
        """The zones of which it is known what they hold, with their tiles."""
        for cell in self.dealt:
            if known(state.cells[cell]):
                yield cell, int(state.cells[cell] or 0)

    def ranges(self, state: State) -> None:
        """A number is in its range."""
        for var, _, cell in self.rules.layout.walk():
            value = state.cells[cell]
            if known(value) and isinstance(var.type, core.IntType) and value is not None:
                if var.low is not None and value < var.low:
                    raise Impossible(f"{self.names[cell]} cannot be {value}: it is {var.low} at least", cell)
                if var.high is not None and value > var.high:
                    raise Impossible(f"{self.names[cell]} cannot be {value}: it is {var.high} at most", cell)

    def room(self, state: State) -> None:
        """What the cells of a zone hold beyond the deal came there by moves, from zones that had as many tiles."""
        for zone, limit in self.comes.items():
            cells = [cell for cell in self.rules.layout.cells(zone) if known(state.cells[cell])]
            over = {cell: int(state.cells[cell] or 0).bit_count() - self.dealt[cell] for cell in cells}
            over = {cell: more for cell, more in over.items() if more > 0}
            if limit is None or sum(over.values()) <= limit:
                continue
            *_, last = over
            held = ", ".join(f"{self.names[c]} {self.dealt[c] + more}" for c, more in over.items())
            dealt = ", ".join(sorted({str(self.dealt[c]) for c in over}))
            brought = f"{limit} more at most can come there" if limit else "none can come there later"
            raise Impossible(f"too many tiles ({held}): {dealt} are dealt, and {brought}; write what was left", last)

    def elsewhere(self, state: State) -> State:
        """With empty zones where all tiles lie in others: in those that are known, or that no move touches."""
        certain = {cell: self.dealt[cell] for cell in self.still}
        certain |= {cell: tiles.bit_count() for cell, tiles in self.known_zones(state)}
        held = sum(certain.values())
        size = self.rules.instance.sorts["tile"].size
        if held > size:
            raise Impossible(
                f"there are {counted(size, 'tile')} in all, and {held} would lie somewhere; write what was left"
            )
        if held < size:
            return state
        cells = (0 if c in self.dealt and c not in certain else value for c, value in enumerate(state.cells))
        return State(tuple(cells))

    def reaching(self, zone: str, flows: set[tuple[str, str]]) -> int | None:
        """How many tiles lie where they may be moved to a zone from; None where those that leave it are among them."""
        found, new = set[str](), {zone}
        while new:
            new = {source for source, target in flows if target in new} - found
            found |= new
        return None if zone in found else sum(self.dealt[cell] for cell in self.rules.layout.select(found))

    # ------------------------------------------------------------ how it ended

    def holds(self, state: State, ending: int) -> bool | None:
        """Does this ending hold? None where that hangs on what is not known."""
        try:
            return self.rules.holds(state, ending)
        except (Unknown, RuleError):
            return None

    def first(self, state: State, ending: int, by: int | None) -> None:
        """The ending holds, and none that is looked at before."""
        endings = self.rules.instance.endings
        told = endings[ending]
        if self.holds(state, ending) is False:
            raise self.other_player(state, ending, by) or Impossible(
                f"it cannot have ended so: `{told.name}` ({told.span.short}) does not hold;"
                " write another ending, or what was left instead"
            )
        for number, other in enumerate(endings[:ending]):
            if (other.at_start or not told.at_start or not self.as_dealt(state)) and self.holds(state, number):
                raise Impossible(
                    f"it ended as {other.name}: {self.empty(state, number)}`{other.name}` ({other.span.short}) holds,"
                    f" and is looked at before `{told.name}`; write `ended {other.name}`, or what was left instead"
                )

    def before(self, state: State, ending: int, by: int | None) -> None:
        """Before the last move the round went on, in whatever way that move changed a hand."""
        if not self.hands or self.as_dealt(state):
            return
        by = by if self.rules.instance.endings[ending].role == "out" else None
        found = 0
        for position in self.earlier(state, by):
            over = self.over(position)
            if over is None:
                return
            found = over
        other = self.rules.instance.endings[found]
        raise self.other_player(state, ending, by) or Impossible(
            f"it was over before the last move: {self.empty(state, found)}`{other.name}` ({other.span.short}) held already;"
            " write what was left instead"
        )

    def over(self, position: State) -> int | None:
        """An ending that is known to hold in a position of play; those that are not looked at as a round begins do not count there."""
        begins = self.as_dealt(position)
        for number, ending in enumerate(self.rules.instance.endings):
            if (ending.at_start or not begins) and self.holds(position, number):
                return number
        return None

    def as_dealt(self, state: State) -> bool:
        """May this be how a round begins, as far as hands are known?"""
        held = {cell: state.cells[cell] for cell in self.hands if known(state.cells[cell])}
        return all(int(tiles or 0).bit_count() == self.dealt[cell] for cell, tiles in held.items())

    def earlier(self, state: State, by: int | None) -> Iterator[State]:
        """The positions before the last move, with blanks for all that it may have written; of hands `by` is the only one it changed."""
        layout, instance = self.rules.layout, self.rules.instance
        cells: list[Any] = [
            Blank(cell) if (var.zone and cell not in self.hands) or var.name in self.written or var.name == "moves"
            else state.cells[cell]
            for var, _, cell in layout.walk()
        ]  # fmt: skip
        yield State(tuple(cells))
        held = {cell: int(cells[cell] or 0) for cell in sorted(self.hands) if known(cells[cell])}
        other = instance.sorts["tile"].full & ~reduce(or_, held.values(), 0)
        for cell in held if by is None else held.keys() & self.of_player(by):
            for tile in elements(held[cell] | other):
                yield State((*cells[:cell], held[cell] ^ 1 << tile, *cells[cell + 1 :]))

    def of_player(self, player: int) -> frozenset[int]:
        """The hands of a player."""
        instance = self.rules.instance
        zones = [name for name in instance.role("zone", "hand") if instance.vars[name].per == "player"]
        return frozenset(self.rules.layout.cell(name, player) for name in zones)

    # ------------------------------------------------------------ words

    def empty(self, state: State, ending: int) -> str:
        """The hands that are known to be empty, as the beginning of a sentence; nothing where the ending holds without them."""
        zones = self.rules.layout.select(self.rules.instance.role("zone", "hand"))
        found = [self.names[c] for c in zones if known(state.cells[c]) and not state.cells[c]]
        cells: list[Any] = [Blank(c) if c in zones else value for c, value in enumerate(state.cells)]
        if not found or self.holds(State(tuple(cells)), ending):
            return ""
        return f"{' and '.join(found)} {'is' if len(found) == 1 else 'are'} empty, "

    def other_player(self, state: State, ending: int, by: int | None) -> Impossible | None:
        """Who is said to be out holds tiles."""
        if by is None or self.rules.instance.endings[ending].role != "out":
            return None
        for cell in sorted(self.of_player(by)):
            if known(state.cells[cell]) and (tiles := int(state.cells[cell] or 0)):
                who = self.rules.instance.sorts["player"].names[by]
                held = counted(tiles.bit_count(), "tile")
                return Impossible(
                    f"{who} cannot be out with {held} in {self.names[cell]}: write `{self.names[cell]}: -`,"
                    " or who went out instead",
                    cell,
                )
        return None


def touched(block: core.Block, zones: tuple[str, ...]) -> int:
    """How often a block takes a tile from such a zone or lays one there, at most; 2 stands for any number more."""
    total = 0
    for s in block:
        match s:
            case core.Move(source=source, target=target):
                total += (source.var in zones) + (target.var in zones)
            case core.If(body=body):
                total += touched(body, zones)
            case core.Each(body=body):
                total += 2 * touched(body, zones)
            case _:
                pass
    return total


def moved(instance: core.Instance) -> Iterator[tuple[str, str]]:
    """From which zone to which tiles are moved in a round, by its begin blocks, moves and events."""
    for block in (*instance.begin, *(block for deed in instance.deeds for block in deed.blocks)):
        for s in statements(block):
            if isinstance(s, core.Move):
                yield s.source.var, s.target.var
