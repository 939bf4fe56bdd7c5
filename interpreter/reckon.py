"""From how a round ended and what is left to what it is worth, without the moves: the scorekeeper's part of the rules.

What the settlement looks at is either known (match states, what the ending says, what was told) or asked for, by `Unknown`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from domrules.grammar import core
from domrules.interpreter.errors import RuleError
from domrules.interpreter.possible import Impossible as Impossible
from domrules.interpreter.possible import Possible
from domrules.interpreter.replay import outcomes
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.unknown import Blank, Unknown, known

Facts = Mapping[int, core.Value]
"""What was told of the end of a round, by number of cell."""


@dataclass(frozen=True)
class Reckoned:
    """A round that is counted. `ended`: as it was told, before the settlement; `settled`: after it. Cells may be blank."""

    before: State
    ended: State
    settled: State
    over: bool
    winners: int | None
    """The teams that have won, as a mask, if the match is over."""
    outcomes: tuple[tuple[str, str], ...]


@dataclass
class Reckoner:
    """Counts rounds of one instance."""

    rules: Rules
    written: frozenset[str] = field(init=False)
    """States that moves or events write."""
    begun: frozenset[str] = field(init=False)
    """States that the begin blocks write, and nothing after them."""
    last: frozenset[str] = field(init=False)
    """States that hold whoever played last."""
    possible: Possible = field(init=False)

    def __post_init__(self) -> None:
        instance = self.rules.instance
        deeds = {name for deed in instance.deeds for block in deed.blocks for name in changed(instance, block)}
        begun = {name for block in instance.begin for name in changed(instance, block)}
        self.written, self.begun = frozenset(deeds), frozenset(begun - deeds)
        self.last = frozenset(last_players(instance))
        self.possible = Possible(self.rules, self.written)

    # ------------------------------------------------------------ what is known

    def ended(self, before: State, ending: int, by: int | None, facts: Facts) -> State:
        """The state before the settlement, with blanks."""
        rules, known = self.rules, self.inferred(before, ending, by, facts)
        fresh, cells = rules.new_round(before), list[Any]()
        for var, _, cell in rules.layout.walk():
            open_ = var.zone or var.name in self.written or var.name in self.begun or var.name == "moves"
            plain = Blank(cell) if open_ else fresh.cells[cell]
            cells.append(known.get(cell, plain))
        cells[rules.layout.cell("ending")] = ending
        return State(tuple(cells))

    def inferred(self, before: State, ending: int, by: int | None, facts: Facts) -> dict[int, core.Value]:
        """The facts, and what follows from the ending, from who moved last, and from how a round begins."""
        layout, instance, known = self.rules.layout, self.rules.instance, dict[int, core.Value]()
        known.update(self.from_the_start(before))
        known.update(self.untouched(before, ending))
        if by is not None:
            known.update({layout.cell(name): by for name in self.last})
            if instance.endings[ending].role == "out":
                known.update(dict.fromkeys(self.possible.of_player(by), 0))
        known.update(facts)
        return known

    def from_the_start(self, before: State) -> Iterator[tuple[int, core.Value]]:
        """What the begin blocks write, where that does not depend on the deal."""
        rules, fresh = self.rules, self.rules.new_round(before)
        cells: list[Any] = [Blank(cell) if var.zone else fresh.cells[cell] for var, _, cell in rules.layout.walk()]
        with suppress(Unknown, RuleError):
            opened = rules.opened(State(tuple(cells)))
            for name in self.begun:
                yield from ((c, opened.cells[c]) for c in rules.layout.cells(name) if not blank(opened, c))

    def untouched(self, before: State, ending: int) -> Iterator[tuple[int, core.Value]]:
        """Match states that would have ended the round in another way, had they changed: an ending that is looked at before holds then."""
        rules = self.rules
        for var, _, cell in rules.layout.walk():
            if var.zone or var.life is not core.Life.MATCH or var.name not in self.written:
                continue
            if any(self.ends_if_changed(before, cell, var, other) for other in range(ending)):
                yield cell, before.cells[cell]

    def ends_if_changed(self, before: State, cell: int, var: core.Var, ending: int) -> bool:
        """Does this ending hold for every other value of the cell, whatever else is so?"""
        cells: list[Any] = [Blank(c) for c in range(self.rules.layout.size)]
        values = domain(self.rules.instance, var.type)
        try:
            for value in values:
                cells[cell] = value
                if value != before.cells[cell] and not self.rules.holds(State(tuple(cells)), ending):
                    return False
        except (Unknown, RuleError):
            return False
        return len(values) > 1

    # ------------------------------------------------------------ what it is worth

    def round(self, before: State, ending: int, by: int | None, facts: Facts) -> Reckoned:
        """The round, counted. Raises `Unknown` for what has to be asked, `Impossible`, RuleError."""
        rules = self.rules
        ended = self.ended(before, ending, by, facts)
        last = all(ended.cells[rules.layout.cell(name)] == by for name in self.last) if by is not None else False
        self.possible.check(ended, ending, by if last else None)
        settled = rules.settle(ended)
        for var, _, cell in rules.layout.walk():
            if var.life is core.Life.MATCH and not var.zone and blank(settled, cell):
                raise Unknown(getattr(settled.cells[cell], "cell", cell))
        over = rules.over(settled)
        winners = rules.winners(settled) if over else None
        return Reckoned(before, ended, settled, over, winners, outcomes(rules, settled) if over else ())

    def start(self, values: Facts) -> State:
        """The match before its first round, with some states as they were told."""
        cells = list(self.rules.new_match().cells)
        for cell, value in values.items():
            cells[cell] = value
        return State(tuple(cells))


def blank(state: State, cell: int) -> bool:
    return not known(state.cells[cell])


def domain(instance: core.Instance, kind: core.Type) -> list[core.Value]:
    """All values of a type, where they are few; nothing for numbers and sets."""
    match kind:
        case core.BoolType():
            return [False, True]
        case core.Elem(sort=sort):
            return list(range(instance.sorts[sort].size))
        case core.Maybe(sort=sort):
            return [None, *range(instance.sorts[sort].size)]
        case _:
            return []


# ---------------------------------------------------------------- what the rules write


def changed(instance: core.Instance, block: core.Block) -> Iterator[str]:
    """The states a block writes, but for those it adds a constant nothing to."""
    for s in block:
        match s:
            case core.Set(var=var, value=value, add=add):
                if not (add and is_nothing(instance, value)):
                    yield var
            case core.If(body=body) | core.Each(body=body):
                yield from changed(instance, body)
            case _:
                pass


def is_nothing(instance: core.Instance, e: core.Expr) -> bool:
    """Is this number always 0?"""
    match e:
        case core.Lit(value=value):
            return value == 0
        case core.Call(fn=fn):
            return is_nothing(instance, instance.fns[fn].body)
        case _:
            return False


def last_players(instance: core.Instance) -> Iterator[str]:
    """States that every play sets to the mover, and nothing else writes."""
    plays, movers = instance.role("action", "play"), instance.role("state", "mover")
    for var in instance.vars.values():
        writers = {d.name for d in instance.deeds for b in d.blocks if var.name in changed(instance, b)}
        sets = [
            any(
                isinstance(s, core.Set) and s.var == var.name and s.index is None and not s.add
                and isinstance(s.value, core.Read) and s.value.var in movers
                for s in deed.blocks[0]
            )
            for deed in instance.deeds if deed.name in plays and deed.blocks
        ]  # fmt: skip
        if sets and all(sets) and writers <= set(plays):
            yield var.name
