"""A round whose draws are taken together: each time the mover draws as many tiles as he has to, and then makes another move.

    drawn = together(study, play, turns, moves)     # `play`: a round in which nothing was done yet

Moves are still counted, shown and put in order one by one: of
the tiles a player draws the last is the one after which he stops, and the others come in their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from domrules.interpreter.rules import Rules
from domrules.verifier.dag import FALSE, TRUE, Bit, Number
from domrules.verifier.drawing import Drawing, drawing
from domrules.verifier.facts import Fact
from domrules.verifier.relation import MOVES, Choice, NoDeal, Relation, Step
from domrules.verifier.study import Study
from domrules.verifier.unroll import Play
from domrules.verifier.valuation import Valuation
from domrules.verifier.view import View
from domrules.verifier.witness import Witness, replay


@dataclass(frozen=True, slots=True)
class Turn:
    """The draws before a move, and the move; the last turn may be nothing but draws."""

    taken: Mapping[int, Bit]
    """The tiles that are drawn before the last one."""
    last: Mapping[int, Bit]
    """The last tile that is drawn."""
    move: Step | None

    @property
    def draws(self) -> list[Bit]:
        return [*self.taken.values(), *self.last.values()]


def together(study: Study, play: Play, turns: int, moves: int) -> Together | None:
    """A round of so many moves, all but `turns` of which are draws; None where draws do not go together."""
    try:
        stock = play.relation.counts()[play.relation.stock]
    except NoDeal:
        return None
    if not 1 < moves - turns <= stock:
        return None
    found = drawing(study)
    return None if found is None else Together(study, play.encoder.view, play.facts, found, turns, moves)


class Together(Play):
    """A round of so many turns that each end with a move, and perhaps draws after the last."""

    def __init__(self, study: Study, view: View, facts: Sequence[Fact], draw: Drawing, turns: int, moves: int) -> None:
        super().__init__(study, view, [fact for fact in facts if MOVES[0] not in fact.reads])
        self.draw, self.turns, self._moves = draw, list[Turn](), moves
        mine = [m if i == draw.action else [] for i, m in enumerate(study.moves)]
        others = [[] if i == draw.action else m for i, m in enumerate(study.moves)]
        self._draws = Relation(self.encoder, study.frozen, mine)
        self._others = Relation(self.encoder, study.frozen, others)
        for number in range(turns):
            self.turn(number)
        self.finish(turns)

    def turn(self, number: int) -> None:
        """Draws, and a move after them."""
        taken, last = self.drawn(number, then=True)
        before = self.states[-1]
        step = self._others.step(before, f"m{number}")
        after = self.relation.named(step.after, f"m{number}")
        self._bits += [*step.taken, *(fact.holds(self.relation, after) for fact in self.facts)]
        self.steps.append(step)
        self.states.append(after)
        self.turns.append(Turn(taken, last, step))

    def finish(self, number: int) -> None:
        """Draws after the last move, if the round goes on; and as many in all as there must be."""
        taken, last = self.drawn(number, then=False)
        self.turns.append(Turn(taken, last, None))
        drawn = self.relation.dag.number((bit, 1) for turn in self.turns for bit in turn.draws)
        wanted = Number(self._moves - number)
        self._bits.append(self.relation.dag.is_zero(self.relation.dag.add(drawn, wanted, -1)))

    def drawn(self, number: int, *, then: bool) -> tuple[Mapping[int, Bit], Mapping[int, Bit]]:
        """Add draws: the tiles before the last one, and the last one. `then`: the round goes on after them."""
        dag, before = self.relation.dag, self.states[-1]
        on = self.relation.goes_on(before, at_start=number == 0)
        if not self._draws.choices(before, f"d{number}", sure=False):
            self._bits += [on] if then else []
            return {}, {}
        idle = dag.var(f"d{number}:idle")
        self._bits.append(on if then else dag.any((idle, on)))
        most, taken = self.draw.taken(self._draws, before, f"t{number}")
        step = self._draws.step(self.relation.named(most, f"t{number}"), f"d{number}", idle=idle)
        after = self.relation.named(step.after, f"d{number}")
        self._bits += [*step.taken, *(dag.any((-idle, -bit)) for bit in taken.values())]
        self._bits += [dag.any((idle, self.relation.goes_on(after)))] if then else []
        self.states.append(after)
        return taken, {choice.args[0]: choice.bit for choice in step.choices}

    def extend(self, depth: int) -> None:
        """It has the length it was made with."""
        assert depth == self._moves

    # ------------------------------------------------------------ move by move

    def ways(self, made: Sequence[Choice]) -> Sequence[tuple[Choice, Bit]]:
        """After these moves the next ones, in canonical order, each with the bit that it is made."""
        number, drawn = self.place(made)
        turn, dag = self.turns[number], self.relation.dag
        out = [(Choice(self.draw.action, (tile,), bit), bit) for tile, bit in self.more(turn, drawn)]
        stops = self.stops(turn, drawn)
        if turn.move is not None:
            out += [(choice, dag.both(stops, choice.bit)) for choice in turn.move.choices]
        return sorted(out, key=lambda way: (way[0].action, way[0].args))

    def place(self, made: Sequence[Choice]) -> tuple[int, list[int]]:
        """In which turn, and which tiles were drawn in it."""
        number, drawn = 0, list[int]()
        for choice in made:
            if choice.action == self.draw.action:
                drawn.append(choice.args[0])
            else:
                number, drawn = number + 1, []
        return number, drawn

    def stops(self, turn: Turn, drawn: Sequence[int]) -> Bit:
        """Just these tiles are drawn in this turn, in this order."""
        if not drawn:
            return -self.relation.dag.any(turn.draws)
        return self.relation.dag.all((self.first(turn, drawn[:-1], drawn[-1]), turn.last.get(drawn[-1], FALSE)))

    def first(self, turn: Turn, drawn: Sequence[int], last: int) -> Bit:
        """Before the last tile just these are drawn."""
        others = [-bit for tile, bit in turn.taken.items() if tile not in drawn]
        return self.relation.dag.all([*(turn.taken.get(tile, FALSE) for tile in drawn), *others])

    def more(self, turn: Turn, drawn: Sequence[int]) -> Iterator[tuple[int, Bit]]:
        """The tiles that may be drawn after these, each with the bit that it is: before the last one, or as the last."""
        dag = self.relation.dag
        if [*drawn] != sorted(drawn):
            return
        base = dag.all(turn.taken.get(tile, FALSE) for tile in drawn)
        for tile in sorted({*turn.taken, *turn.last} - {*drawn}):
            skipped = [-bit for t, bit in turn.taken.items() if t < tile and t not in drawn]
            goes_on = dag.all([turn.taken.get(tile, FALSE), *skipped]) if not drawn or tile > drawn[-1] else FALSE
            ends = dag.both(self.first(turn, drawn, tile), turn.last.get(tile, FALSE))
            yield tile, dag.both(base, dag.any((goes_on, ends)))

    def replay(self, rules: Rules, model: Valuation) -> Witness:
        """Let the interpreter play it, move by move. Raises `Unreplayable`."""
        return replay(rules, model, self.start.dealt, [*self.made(model)])

    def made(self, model: Valuation) -> Iterator[Sequence[Choice]]:
        """The moves of a model."""
        for turn in self.turns:
            for some in (turn.taken, turn.last):
                for tile in sorted(tile for tile, bit in some.items() if model.bit(bit)):
                    yield [Choice(self.draw.action, (tile,), TRUE)]
            if turn.move is not None:
                yield turn.move.choices
