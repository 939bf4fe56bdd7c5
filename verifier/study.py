"""One instance under study: what is found once and then used by every question about it.

study = Study(instance)
encoder, relation = study.open(study.view(asked={"score"}))
state = relation.any_state("s")                    # or relation.start(), relation.step(...)
solve(encoder, [*bits that must hold])             # see `solver`; `encoder.side` is added there
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from domrules.grammar import core
from domrules.grammar.reads import Reads, statements
from domrules.verifier import symbols
from domrules.verifier.dag import Bit, Number
from domrules.verifier.encode import Encoder
from domrules.verifier.forget import forgettable
from domrules.verifier.relation import ENDING, MOVES, Relation
from domrules.verifier.solver import Answer, Session
from domrules.verifier.symbols import Cell, Symbol, Symbols
from domrules.verifier.view import View


class Study:
    """An instance, with what its variant freezes and which moves it has at all."""

    def __init__(self, instance: core.Instance) -> None:
        self.instance, self.reads = instance, Reads(instance)

    def view(self, asked: Iterable[str] = (), *, keep_numbers: bool = False, counted: bool = False) -> View:
        """The smallest view for a question that reads these variables."""
        return View(forgettable(self.reads, asked, keep_numbers=keep_numbers), frozenset(), counted)

    def open(self, view: View) -> tuple[Encoder, Relation]:
        """An empty question."""
        encoder = Encoder(self.instance, view, self.reads)
        return encoder, Relation(encoder, self.frozen, self.moves)

    @cached_property
    def frozen(self) -> Mapping[Cell, Symbol]:
        """The greatest set of cells that provably keep their first value in every round.

        Found by steps: all that may be frozen is taken to be, those that some move changes are dropped, again and again.
        """
        frozen = self.first_values()
        while frozen:
            view = self.view(asked={var for var, _ in frozen})
            relation = Relation(Encoder(self.instance, view, self.reads), frozen)
            after = relation.step(relation.any_state("s"), "x").after
            changed = [cell for cell, value in frozen.items() if after.cells[cell] != value]
            if not changed:
                break
            frozen = {cell: value for cell, value in frozen.items() if cell not in changed}
        return frozen

    @cached_property
    def quiet(self) -> frozenset[int]:
        """Endings (by index) that can hold at no beginning at which they are not looked at.

        So none of them holds in any position of a round that goes on; of the others that is sure after a move only.
        """
        encoder, relation = self.open(self.view())
        start = relation.start(any_match=True)
        session = Session(encoder.dag)
        holds = {i: encoder.truth(e.when, start.begun) for i, e in enumerate(self.instance.endings) if not e.at_start}
        session.add([*encoder.side, *start.sound, start.kept])
        loud = [i for i, bit in holds.items() if session.check([bit], seconds=5).answer is not Answer.NO]
        return frozenset(range(len(self.instance.endings))) - set(loud)

    def resting(self, relation: Relation, state: Symbols) -> Bit:
        """What is known of endings in any position whose round goes on."""
        return -relation.dag.any(relation.encoder.truth(self.instance.endings[i].when, state) for i in self.quiet)

    def closed(self, relation: Relation, state: Symbols) -> Symbols:
        """Any position with its ending written down: at the start of a round those that are not looked at may hold unseen."""
        later, first = relation.concluded(state), relation.concluded(state, at_start=True)
        if later is state or len(self.quiet) == len(self.instance.endings):
            return later
        dag, moves = relation.dag, state.cells.get(MOVES)
        starts = dag.var("starts")
        if isinstance(moves, Number):
            relation.encoder.side.append(dag.implies(starts, dag.is_zero(moves)))
        parts = [(starts, first.cells[ENDING]), (-starts, later.cells[ENDING])]
        return state.put({ENDING: symbols.union(dag, parts, core.Maybe("ending"))})

    def first_values(self) -> dict[Cell, Symbol]:
        """Round states that start with a constant and that no begin block sets."""
        encoder = Encoder(self.instance, View(), self.reads)
        begun = {s.var for block in self.instance.begin for s in statements(block) if isinstance(s, core.Set)}
        found: dict[Cell, Symbol] = {}
        for var in self.instance.vars.values():
            number = isinstance(var.type, core.IntType)
            if var.zone or number or var.life is core.Life.MATCH or var.init is None or var.name in begun:
                continue
            if (var.name, None) == ENDING or self.reads.variables(var.init):
                continue
            value = encoder.value(var.init, Symbols({}))
            found.update({(var.name, index): value for index in self.instance.cells(var.name)})
        return found

    @cached_property
    def moves(self) -> list[list[tuple[int, ...]]]:
        """For each action the arguments with which it can be legal in some well-typed position."""
        encoder = Encoder(self.instance, self.view(), self.reads)
        relation = Relation(encoder, self.frozen)
        state = relation.any_state("s")
        actions = enumerate(self.instance.actions)
        return [relation.possible(state, action, number) for number, action in actions]
