"""From what is known of a position to all that may follow, by the interpreter: starts of rounds, moves, endings."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property, partial
from itertools import product
from math import inf, prod

from domrules.grammar import core
from domrules.grammar.reads import Reads, statements
from domrules.grammar.source import Span
from domrules.interpreter.errors import Rule, RuleError
from domrules.interpreter.evaluate import Compiler
from domrules.interpreter.play import deal_sizes
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import Layout, State
from domrules.verifier.explicit.deeds import Deed, needed, only_needed, open_numbers
from domrules.verifier.explicit.explore import OutOfTime, TooLarge
from domrules.verifier.explicit.naming import Naming
from domrules.verifier.explicit.renaming import Renaming
from domrules.verifier.explicit.symmetry import Symmetry, loosened, symmetry, turns
from domrules.verifier.explicit.unknown import Cells, Known, Places, TooManyAnswers, paths

MATCHES = 1000
Found = tuple[Cells, Known, int | None]
"""A position: its known cells, what is known of the others, and the ending of the round if it is over."""


class Memory(Enum):
    """What is remembered of unknown zones from move to move, each more than the one before."""

    NOTHING = "nothing"
    STOCK = "stock"
    """How many tiles the stock holds, and tiles that are found to be in a hand."""
    HANDS = "hands"
    """How many tiles every hand holds, and what passes tell."""


class Silent(Compiler):
    """Makes closures whose errors do not describe the position: it is not known."""

    def fail(self, state: State, rule: Rule, span: Span, sentence: str) -> RuleError:
        return RuleError(rule, sentence, span, "")


class Table:
    """What all searches of an instance share: its actions as far as they matter, which names may be exchanged, and a clock.

    `until`: when to give up, as time.process_time has it.
    """

    def __init__(self, instance: core.Instance, until: float = inf) -> None:
        self.until = until
        if not instance.role("zone", "stock") or not instance.role("zone", "layout"):
            raise TooLarge("no zone is `as layout`, or none is `as stock`")
        self.instance, self.reads = instance, Reads(instance)
        self.compiler = Silent(instance)
        self.rules, self.layout = Rules(instance, compiler=self.compiler), self.compiler.layout
        self.stock, *_ = instance.role("zone", "stock")
        self.unknown = frozenset({self.stock, *(target for _, _, target in instance.deals)})
        if self.unknown & set(instance.role("zone", "layout")):
            raise TooLarge("tiles are dealt to the table, so which lie there is not known")
        self.numbers = open_numbers(instance, self.unknown)
        self._fit(instance)
        self.left_out: tuple[str, ...] = ()
        """Actions of which a condition is left out."""
        loose, fewer = loosened(instance, self.unknown)
        classes = len(self.symmetry.classes)
        if fewer:
            self._fit(loose)
            if len(self.symmetry.classes) < classes:
                self.left_out = fewer
            else:
                self._fit(instance)

    def look_up(self) -> None:
        """Raises OutOfTime when it is."""
        if time.process_time() > self.until:
            raise OutOfTime("there is no more time")

    @cached_property
    def dealt(self) -> Mapping[int, int]:
        """How many tiles each unknown cell holds after the deal."""
        return deal_sizes(self.rules)

    @cached_property
    def bare(self) -> bool:
        """Does the stock hold nothing in any round?"""
        blocks = [*self.instance.begin, *(block for a in self.instance.actions for block in a.blocks)]
        moves = [s for block in blocks for s in statements(block) if isinstance(s, core.Move)]
        return not self.dealt[self.layout.cell(self.stock)] and all(s.target.var != self.stock for s in moves)

    def _fit(self, instance: core.Instance) -> None:
        self.kept = needed(instance, self.numbers)
        self.actions = [only_needed(a, self.kept) for a in instance.actions]
        self.symmetry: Symmetry = symmetry(self.instance, self.actions)

    @cached_property
    def turned(self) -> Sequence[Renaming]:
        """Ways to move all players on that no rule notices."""
        forms = [form for a, more in zip(self.actions, self.symmetry.forms, strict=True) for form in (a, *more)]
        return turns(self.instance, forms)


class Turn:
    """Moves the players of positions on by some seats."""

    def __init__(self, renaming: Renaming, layout: Layout, places: Places, memory: Memory) -> None:
        self.renaming, self.seats = renaming, renaming.places["player"]
        goal = {source: target for source, target, _ in renaming.moved(layout)}
        order = [places.cells.index(goal[cell]) for cell in places.cells]
        self.back = sorted(range(len(order)), key=order.__getitem__)
        self.groups = self.back if memory is Memory.HANDS else range(max(places.groups) + 1)
        self.moved = renaming.changes(layout)

    def __call__(self, cells: Cells, known: Known) -> tuple[Cells, Known]:
        out = [*cells]
        for source, target, kind in self.moved:
            value = cells[source]
            out[target] = None if value is None else self.renaming.value(kind, value)
        may, sure, count = (
            tuple([part[i] for i in order])
            for part, order in ((known.may, self.back), (known.sure, self.back), (known.count, self.groups))
        )
        return tuple(out), Known(count, may, sure)


class Steps:
    """The steps of one table, with so much memory."""

    def __init__(self, table: Table, memory: Memory) -> None:
        self.table, self.memory, self.instance = table, memory, table.instance
        self.rules, self.layout, compiler = table.rules, table.layout, table.compiler
        unknown = table.unknown
        self.open = [var.name in table.kept and var.name not in unknown for var, _, _ in self.layout.walk()]
        cells = tuple(cell for var, _, cell in self.layout.walk() if var.name in unknown)
        self.stock = cells.index(self.layout.cell(table.stock))
        self.places = Places(cells, self._groups(len(cells)), self.layout.select(sorted(table.numbers)))
        self.in_sight = [cell for var, _, cell in self.layout.walk() if var.zone and cell not in cells]
        self.laid_on = self.layout.select(self.instance.role("zone", "layout"))
        self.endings = [compiler.closed(e.when) for e in self.instance.endings]
        asks = unknown | table.numbers
        self.deeds = [Deed(compiler, table.reads, asks, self.places, a) for a in table.actions]
        for deed, forms in zip(self.deeds, table.symmetry.forms, strict=True):
            deed.variants = [Deed(compiler, table.reads, asks, self.places, a) for a in forms]
        self.idle = [deed for deed in self.deeds if not deed.lays(self.instance.role("zone", "layout"))]
        """What can be done without a tile for the table."""
        known = [(var, cell) for var, _, cell in self.layout.walk() if self.open[cell]]
        self.naming = Naming(self.instance, self.layout, known, cells, table.symmetry.classes)
        movers = [cell for cell in self.layout.select(self.instance.role("state", "mover")) if self.open[cell]]
        self.mover = movers[0] if len(movers) == 1 else None
        self.turns = [Turn(r, self.layout, self.places, memory) for r in table.turned]
        self.anyhow = False
        """Are there beginnings of rounds that no deal may lead to?"""
        self._come: dict[tuple[Cells, Known], Sequence[Found]] = {}

    def _groups(self, zones: int) -> tuple[int, ...]:
        match self.memory:
            case Memory.NOTHING:
                return (0,) * zones
            case Memory.STOCK:
                return tuple(int(zone != self.stock) for zone in range(zones))
            case Memory.HANDS:
                return tuple(range(zones))

    def laid(self, cells: Cells) -> int:
        """Tiles on the table."""
        return sum(cells[cell].bit_count() for cell in self.laid_on)

    # ------------------------------------------------------------ moves

    def after(self, cells: Cells, known: Known, *, most: int | None = None) -> Iterator[Found]:
        """All positions after one move with so many tiles on the table at most, under their common names. Raises TooLarge."""
        plain = State(cells)
        for deed in self.deeds if most is None or self.laid(cells) < most else self.idle:
            for form, frame, now in deed.moves(plain, known):
                for after, world in paths(cells, now, self.places, partial(form.perform, frame=frame)):
                    self.table.look_up()
                    yield from self._ended(self._settled(after), world.known())

    def named(self, cells: Cells, known: Known) -> tuple[Cells, Known]:
        """The position under its common name: players and pips that no rule tells apart exchange theirs."""
        return self.naming(*self._seated(cells, known))

    def _seated(self, cells: Cells, known: Known) -> tuple[Cells, Known]:
        """Players move on until the mover sits in the first seat that he may sit in."""
        place = None if self.mover is None else cells[self.mover]
        if not place:
            return cells, known
        best = min(self.turns, key=lambda turn: turn.seats[place], default=None)
        return (cells, known) if best is None or best.seats[place] > place else best(cells, known)

    def _ended(self, cells: Cells, known: Known) -> Sequence[Found]:
        """A position after a move, with the ways the round may end there, or may go on."""
        cells, known = self.named(cells, self._remembered(cells, known))
        found = self._come.get((cells, known))
        if found is None:
            found = self._come[cells, known] = list(self._looked(cells, known))
        return found

    def _looked(self, cells: Cells, known: Known) -> Iterator[Found]:
        on: list[Known] = []
        for ending, world in paths(cells, known, self.places, self._ending):
            if ending is not None:
                yield cells, world.known(), ending
                continue
            now = self._remembered(cells, world.known())
            if not any(other.covers(now) for other in on):
                on.append(now)
                yield (cells, now, None) if now == known else (*self.named(cells, now), None)

    def _ending(self, state: State) -> int | None:
        return next((number for number, holds in enumerate(self.endings) if holds(state)), None)

    def _settled(self, state: State) -> Cells:
        """The cells that are kept."""
        return tuple([value if kept else None for value, kept in zip(state.cells, self.open, strict=True)])

    def _remembered(self, cells: Cells, known: Known) -> Known:
        """What is known once a move is over: where hands are not counted only what they surely hold, or nothing at all."""
        match self.memory:
            case Memory.HANDS:
                return known
            case Memory.NOTHING:
                return self.nothing(cells)
            case Memory.STOCK:
                free = 0
                for mask, own in zip(known.may, known.sure, strict=True):
                    free |= mask & ~own
                may = [own | free for own in known.sure]
                may[self.stock] = known.may[self.stock]
                return Known(known.count, tuple(may), known.sure)

    def nothing(self, cells: Cells) -> Known:
        """Every tile that is not in sight may be in any zone, but for a stock that never holds one."""
        seen = 0
        for cell in self.in_sight:
            seen |= cells[cell]
        hidden = self.instance.sorts["tile"].full & ~seen
        may = [hidden] * len(self.places.cells)
        if self.table.bare:
            may[self.stock] = 0
        return Known((hidden.bit_count(),), tuple(may), (0,) * len(may))

    # ------------------------------------------------------------ starts

    def starts(self) -> Iterator[Found]:
        """All beginnings of all rounds."""
        seen = set[Found]()
        for match in self._matches():
            for cells, known, ending in self._begun(match):
                self.table.look_up()
                found = (*self.named(cells, known), ending)
                if found not in seen:
                    seen.add(found)
                    yield found

    def _matches(self) -> Sequence[State]:
        """Every way a match may stand before a round, as far as rounds depend on it. Raises TooLarge."""
        exprs = [self.instance.redeal, *core.expressions(*self.instance.begin)]
        exprs += [v.init for v in self.instance.vars.values() if v.init is not None and v.life is core.Life.ROUND]
        used = self.table.kept.union(*map(self.table.reads.variables, exprs)) - self.table.numbers
        names = [v.name for v in self.instance.vars.values() if v.life is core.Life.MATCH and v.name in used]
        put, first = self.layout.put, self.rules.new_match()
        return [put(first, values) for values in self._values(names)]

    def _values(self, names: Sequence[str]) -> Iterator[dict[tuple[str, int | None], core.Value]]:
        """All values of all cells of these variables. Raises TooLarge."""
        cells = [(name, i) for name in names for i in self.instance.cells(name)]
        ranges = [self._range(self.instance.vars[name]) for name, _ in cells]
        if prod(map(len, ranges)) > MATCHES:
            raise TooLarge(f"there are more than {MATCHES} ways a match may stand before a round")
        for values in product(*ranges):
            yield dict(zip(cells, values, strict=True))

    def _range(self, var: core.Var) -> Sequence[core.Value]:
        match var.type:
            case core.BoolType():
                return (False, True)
            case core.Elem(sort):
                return range(self.instance.sorts[sort].size)
            case core.Maybe(sort):
                return (None, *range(self.instance.sorts[sort].size))
            case _:
                raise TooLarge(f"rounds depend on `{var.name}`, which may be more than can be gone through")

    def _begun(self, match: State) -> Iterator[Found]:
        """All beginnings of rounds when the match stands so; any at all where the rules ask too much of the deal."""
        fresh = self.rules.new_round(match)

        def begin(state: State) -> State | None:
            return None if self.rules.wants_redeal(state) else self.rules.begin(state)

        try:
            begun = list(paths(fresh.cells, self._dealt(), self.places, begin))
        except TooManyAnswers as too_many:
            yield from self._begun_anyhow(fresh, too_many)
            return
        for state, world in begun:
            if state is not None:
                cells = self._settled(state)
                yield cells, self._remembered(cells, world.known()), self.rules.ending(state)

    def _begun_anyhow(self, fresh: State, too_many: TooManyAnswers) -> Iterator[Found]:
        """Every deal, and whatever `begin` might set to whatever it might be."""
        made = [s for block in self.instance.begin for s in statements(block)]
        if any(isinstance(s, core.Move) for s in made):
            raise too_many
        self.anyhow = True
        names = {s.var: None for s in made if isinstance(s, core.Set) and s.var in self.table.kept}
        at_start = [(i, self.endings[i]) for i, e in enumerate(self.instance.endings) if e.at_start]
        for values in self._values(list(names)):
            state = self.layout.put(fresh, values)

            def ended(asked: State) -> int | None:
                return next((number for number, holds in at_start if holds(asked)), None)

            for ending, world in paths(state.cells, self._dealt(), self.places, ended):
                cells = self._settled(state)
                yield cells, self._remembered(cells, world.known()), ending

    def _dealt(self) -> Known:
        """Of a new deal only how many tiles went where is known."""
        full, cells = self.instance.sorts["tile"].full, self.places.cells
        size = self.table.dealt
        rooms = [0] * (max(self.places.groups) + 1)
        for cell, group in zip(cells, self.places.groups, strict=True):
            rooms[group] += size[cell]
        return Known(tuple(rooms), tuple(full if size[cell] else 0 for cell in cells), (0,) * len(cells))
