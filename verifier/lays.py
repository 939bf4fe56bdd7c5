"""What the table may look like after so many tiles: plays of which only the laying of tiles is looked at.

Between two tiles the players may draw, pass and whatever else leaves the table alone; all that this may change is then taken
to be anything. So a play of any length with m tiles on the table is a play of m such steps. If there is none, no round has m
tiles on the table and the goal; one that is found says which table to look for, and may still be none of a real round.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

from domrules.grammar import core
from domrules.grammar.reads import statements
from domrules.verifier import symbols
from domrules.verifier.bound import Bound, table
from domrules.verifier.dag import FALSE, Bit, Number
from domrules.verifier.goal import Goal
from domrules.verifier.laying import drawn_singly, laying
from domrules.verifier.relation import ENDING, MOVES, Relation, Step
from domrules.verifier.solver import Answer, Engine, Formulas, Result, Session
from domrules.verifier.study import Study
from domrules.verifier.symbols import Cell, Symbol, Symbols

ROAD = "all ways to lay the tiles"


def writes(action: core.Action) -> set[str]:
    """The states and zones that an action may change."""
    found = {MOVES[0]}
    for s in (s for block in action.blocks for s in statements(block)):
        match s:
            case core.Set(var=var):
                found.add(var)
            case core.Move(source=source, target=target):
                found |= {source.var, target.var}
            case _:
                pass
    return found


def about_table(study: Study, goal: Goal, actions: Collection[int]) -> bool:
    """Does it speak of what only the laying of tiles changes, without numbers that add up?"""
    instance = study.instance
    others = (action for number, action in enumerate(instance.actions) if number not in actions)
    changed = {ENDING[0], MOVES[0]}.union(*map(writes, others))
    numbers = {var.name for var in instance.vars.values() if isinstance(var.type, core.IntType)}
    zones = {var.name for var in instance.vars.values() if var.zone} - set(instance.role("zone", "layout"))
    return not goal.ends and bool(goal.reads) and not goal.reads & (changed | numbers | zones)


def lowest(study: Study, goal: Goal, *, seconds: float) -> Bound | None:
    """The fewest tiles with which the table can be so, in any round, or that it never can; None when that is not found in time.

    The table it names is one of a first round, and one with as few draws as that needs, where there is one.
    """
    started = time.perf_counter()
    actions = laying(study.instance)
    if actions is None or not about_table(study, goal, actions):
        return None
    lays, most = Lays(study, goal, actions, any_match=True), symbols.tile_count(study.instance)
    for tiles in range(most + 1):
        lays.extend(tiles)
        left = started + seconds - time.process_time()
        result = lays.reached(seconds=left) if left > 0 else None
        if result is None or result.answer is Answer.UNKNOWN:
            return None
        if result.model is not None:
            layout, soonest = first_round(study, goal, actions, tiles, started + seconds)
            taken = time.perf_counter() - started
            return Bound(tiles, tiles, True, layout or lays.layout(result), (), taken, soonest=soonest)
    return Bound(most, 0, False, frozenset(), (), time.perf_counter() - started, road=ROAD)


def first_round(
    study: Study, goal: Goal, actions: Collection[int], tiles: int, deadline: float
) -> tuple[frozenset[tuple[Cell, int]], int]:
    """A table with so many tiles in the first round of a match, and how many moves it needs at least there.

    A tile that comes from the stock costs a move more.
    """
    lays = Lays(study, goal, actions, any_match=False)
    lays.extend(tiles)
    for drawn in range(tiles + 1 if drawn_singly(study.instance, actions) else 1):
        left = deadline - time.process_time()
        result = lays.reached([lays.taken_later(drawn)], seconds=left) if left > 0 else None
        if result is None or result.answer is Answer.UNKNOWN:
            return frozenset(), tiles + drawn
        if result.model is not None:
            return lays.layout(result), tiles + max(drawn, lays.waits)
    return frozenset(), tiles


class Lays:
    """A round of which only the tiles that are laid are looked at; it can be made longer.

    The first round of a match, or with `any_match` any.
    """

    def __init__(self, study: Study, goal: Goal, actions: Collection[int], *, any_match: bool) -> None:
        self.study, self.goal = study, goal
        self.encoder, _ = study.open(study.view(goal.reads))
        mine = [moves if number in actions else [] for number, moves in enumerate(study.moves)]
        self.relation = Relation(self.encoder, study.frozen, mine)
        self.rest = [number for number in range(len(study.moves)) if number not in actions]
        self.formulas = Formulas(self.encoder.dag)
        start = self.relation.start(any_match=any_match)
        self._begun = start.begun
        self.waits = int(not any(self.may(start.begun, number) for number in actions))
        """Moves that must come before the first tile."""
        self.steps: list[Step] = []
        self.states = [self.between(start.begun, "0", named=False)]
        self._bits: list[Bit] = [start.kept, *start.sound]

    def extend(self, tiles: int) -> None:
        """So many tiles are laid."""
        while len(self.steps) < tiles:
            tag = str(len(self.steps) + 1)
            step = self.relation.step(self.states[-1], tag)
            after = self.between(step.after, tag, named=True)
            self._bits += step.taken
            self.steps.append(step)
            self.states.append(after)

    def between(self, state: Symbols, tag: str, *, named: bool) -> Symbols:
        """Any position that moves which lay nothing may lead to."""
        loose, changed = set[str](), self.relation.named(state, tag) if named else state
        before = changed
        while True:
            more = set[str]()
            for number in self.rest:
                if self.may(changed, number):
                    more |= writes(self.study.instance.actions[number])
            if more <= loose:
                return changed
            loose |= more
            changed = self.loosened(before, loose, f"{tag}.{len(loose)}")

    def may(self, state: Symbols, number: int) -> bool:
        """Is an action not plainly impossible?"""
        action = self.study.instance.actions[number]
        return any(self.relation.may(state, action, number, args) for args in self.study.moves[number])

    def loosened(self, state: Symbols, loose: Collection[str], tag: str) -> Symbols:
        """The position with some of its variables taken to be anything."""
        cells: dict[Cell, Symbol] = {}
        for cell, symbol in state.cells.items():
            var = self.study.instance.vars[cell[0]]
            kept = cell[0] not in loose or cell in self.study.frozen
            cells[cell] = symbol if kept else self.relation.any_cell(var, cell, tag)
        out = Symbols(cells, state.sizes)
        self.encoder.side.append(self.relation.partition(out))
        return out

    @property
    def end(self) -> Symbols:
        """After the last tile, and what followed it."""
        state = self.states[-1]
        return self.relation.concluded(state) if self.goal.ends else self.study.closed(self.relation, state)

    def reached(self, more: Sequence[Bit] = (), *, seconds: float) -> Result:
        """May the goal hold after so many tiles, and these?"""
        goal = self.goal.holds(self.relation, self.end)
        bits = [*self.encoder.side, *self._bits, goal, *more]
        session = Session(self.encoder.dag, Engine.BITS, self.formulas)
        session.add(bits)
        if session.needs_integers:
            session = Session(self.encoder.dag, Engine.GENERAL, self.formulas)
            session.add(bits)
        return session.check(seconds=seconds)

    def layout(self, result: Result) -> frozenset[tuple[Cell, int]]:
        """The tiles on the table at the end."""
        assert result.model is not None
        held = [(cell, tile, bit) for cell in table(self.study.instance) for tile, bit in self.end.zone(*cell).items()]
        return frozenset((cell, tile) for cell, tile, bit in held if result.model.bit(bit))

    def taken_later(self, most: int) -> Bit:
        """At most so many of the tiles on the table came from the stock after the deal."""
        dag, stock = self.encoder.dag, self._begun.zone(*self.relation.stock)
        held = [(tile, bit) for cell in table(self.study.instance) for tile, bit in self.end.zone(*cell).items()]
        late = [dag.both(bit, stock.get(tile, FALSE)) for tile, bit in held]
        return dag.at_least_zero(dag.add(Number(most), dag.number((bit, 1) for bit in late), -1))
