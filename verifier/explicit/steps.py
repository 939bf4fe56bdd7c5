"""From what is known of a position to all that may follow, by the interpreter: starts of rounds, moves, endings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from math import prod

from domrules.grammar import core
from domrules.grammar.reads import Reads
from domrules.interpreter.evaluate import Compiler
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.verifier.explicit.deeds import Deed, needed, only_needed
from domrules.verifier.explicit.explore import TooLarge
from domrules.verifier.explicit.naming import Naming
from domrules.verifier.explicit.renaming import Renaming
from domrules.verifier.explicit.symmetry import symmetry, turns
from domrules.verifier.explicit.unknown import Cells, Known, Places, paths

MATCHES = 1000
Found = tuple[Cells, Known, int | None]
"""A position: its known cells, what is known of the others, and the ending of the round if it is over."""


class Steps:
    """The steps of one table. `counted`: it is remembered how many tiles each player holds, and what passes tell."""

    def __init__(self, instance: core.Instance, *, counted: bool) -> None:
        self.instance, self.counted = instance, counted
        self.rules, compiler, reads = Rules(instance), Compiler(instance), Reads(instance)
        self.reads, self.layout = reads, compiler.layout
        self.kept = needed(instance)
        unknown = {instance.role("zone", "stock")[0], *(target for _, _, target in instance.deals)}
        self.open = [var.name in self.kept and var.name not in unknown for var, _, _ in self.layout.walk()]
        cells = tuple(cell for var, _, cell in self.layout.walk() if var.name in unknown)
        self.stock = cells.index(self.layout.cell(self.rules.stock))
        groups = tuple(range(len(cells))) if counted else tuple(int(zone != self.stock) for zone in range(len(cells)))
        self.places = Places(cells, groups)
        self.table = self.layout.select(instance.role("zone", "layout"))
        if set(self.table) & set(cells):
            raise TooLarge("tiles are dealt to the table, so which lie there is not known")
        self.matches = self._matches()
        self.endings = [compiler.closed(e.when) for e in instance.endings]
        actions = [only_needed(a, self.kept) for a in instance.actions]
        self.symmetry = symmetry(instance, actions)
        self.deeds = [Deed(compiler, reads, unknown, self.places, a) for a in actions]
        for deed, forms in zip(self.deeds, self.symmetry.forms, strict=True):
            deed.variants = [Deed(compiler, reads, unknown, self.places, a) for a in forms]
        known = [(var, cell) for var, _, cell in self.layout.walk() if self.open[cell]]
        self.naming = Naming(instance, self.layout, known, cells, self.symmetry.classes)
        self._come: dict[tuple[Cells, Known], Sequence[Found]] = {}

    def laid(self, cells: Cells) -> int:
        """Tiles on the table."""
        return sum(cells[cell].bit_count() for cell in self.table)

    # ------------------------------------------------------------ moves

    def after(self, cells: Cells, known: Known) -> Iterator[Found]:
        """All positions after one move, under their common names."""
        plain = State(cells)
        for deed in self.deeds:
            for form, frame, now in deed.moves(plain, known):
                for after, world in paths(cells, now, self.places, partial(form.perform, frame=frame)):
                    yield from self._ended(*self._named(after, world.known()))

    def _named(self, state: State, known: Known) -> tuple[Cells, Known]:
        return self.naming(self._settled(state), self._remembered(known))

    def _ended(self, cells: Cells, known: Known) -> Sequence[Found]:
        """A position after a move, with the ways the round may end there, or may go on."""
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
            now = self._remembered(world.known())
            if not any(other.covers(now) for other in on):
                on.append(now)
                yield (cells, now, None) if now == known else (*self.naming(cells, now), None)

    def _ending(self, state: State) -> int | None:
        return next((number for number, holds in enumerate(self.endings) if holds(state)), None)

    def _settled(self, state: State) -> Cells:
        """The cells that are kept."""
        return tuple([value if kept else None for value, kept in zip(state.cells, self.open, strict=True)])

    def _remembered(self, known: Known) -> Known:
        """What is known once a move is over: where hands are not counted only what they surely hold."""
        if self.counted:
            return known
        free = 0
        for mask, own in zip(known.may, known.sure, strict=True):
            free |= mask & ~own
        may = [own | free for own in known.sure]
        may[self.stock] = known.may[self.stock]
        return Known(known.count, tuple(may), known.sure)

    # ------------------------------------------------------------ starts

    def starts(self) -> Iterator[Found]:
        """All beginnings of all rounds: those that differ in seats only stand for one another where the rules allow it."""
        forms = [form.action for deed in self.deeds for form in (deed, *deed.variants)]
        turned, seen = turns(self.instance, forms), set[Found]()
        for match in self.matches:
            for cells, known, ending in self._begun(match):
                found = (*self.naming(cells, known), ending)
                if found not in seen:
                    images = [self.naming(*self._turned(r, cells, known)) for r in turned]
                    seen |= {found, *((c, k, ending) for c, k in images)}
                    yield found

    def _turned(self, renaming: Renaming, cells: Cells, known: Known) -> tuple[Cells, Known]:
        """A position with players in other seats."""
        goal = {source: target for source, target, _ in renaming.moved(self.layout)}
        order = [self.places.cells.index(goal[cell]) for cell in self.places.cells]
        back = sorted(range(len(order)), key=order.__getitem__)
        may, sure = (tuple(part[i] for i in back) for part in (known.may, known.sure))
        count = tuple(known.count[i] for i in back) if self.counted else known.count
        return renaming.cells(self.layout, cells), Known(count, may, sure)

    def _matches(self) -> Sequence[State]:
        """Every way a match may stand before a round, as far as rounds depend on it. Raises TooLarge."""
        exprs = [self.instance.redeal, *core.expressions(*self.instance.begin)]
        exprs += [v.init for v in self.instance.vars.values() if v.init is not None and v.life is core.Life.ROUND]
        used = self.kept.union(*map(self.reads.variables, exprs))
        names = [v.name for v in self.instance.vars.values() if v.life is core.Life.MATCH and v.name in used]
        cells = [(name, i) for name in names for i in self.instance.cells(name)]
        ranges = [self._values(self.instance.vars[name]) for name, _ in cells]
        if prod(map(len, ranges)) > MATCHES:
            raise TooLarge(f"there are more than {MATCHES} ways a match may stand before a round")
        put, first = self.layout.put, self.rules.new_match()
        return [put(first, dict(zip(cells, values, strict=True))) for values in product(*ranges)]

    def _values(self, var: core.Var) -> Sequence[core.Value]:
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
        """All beginnings of rounds when the match stands so."""

        def begin(state: State) -> State | None:
            return None if self.rules.wants_redeal(state) else self.rules.begin(state)

        for state, world in paths(self.rules.new_round(match).cells, self._dealt(), self.places, begin):
            if state is not None:
                yield self._settled(state), self._remembered(world.known()), self.rules.ending(state)

    def _dealt(self) -> Known:
        """Of a new deal only how many tiles went where is known."""
        full, cells = self.instance.sorts["tile"].full, self.places.cells
        size = dict.fromkeys(cells, 0)
        size[cells[self.stock]] = full.bit_count()
        for count, source, target in self.instance.deals:
            for cell in self.layout.cells(target):
                size[self.layout.cell(source)] -= count
                size[cell] += count
        rooms = [0] * (max(self.places.groups) + 1)
        for cell, group in zip(cells, self.places.groups, strict=True):
            rooms[group] += size[cell]
        return Known(tuple(rooms), tuple(full if size[cell] else 0 for cell in cells), (0,) * len(cells))
