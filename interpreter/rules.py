"""An instance made ready for play: the legal moves of a state, and the state after a move, a deal, a settlement.

`legal_moves` is the only truth about what is allowed; whoever plays, replays or proves asks here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

from domrules.grammar import core
from domrules.interpreter.actions import CompiledAction
from domrules.interpreter.errors import Rule, RuleError
from domrules.interpreter.evaluate import Compiler, Watch
from domrules.interpreter.foresight import foreseen
from domrules.interpreter.names import Args, Move
from domrules.interpreter.state import State
from domrules.interpreter.step import Placement, Stepper


class Rules:
    """The rules of one instance as functions from states to states. Holds no position; share it freely.

    All of them may raise `RuleError`. `watch` is told the spans of rows, conditional statements, actions and endings
    whenever one of them decides.
    """

    def __init__(self, instance: core.Instance, watch: Watch | None = None, compiler: Compiler | None = None) -> None:
        self.instance, self._watch = instance, watch
        self._compiler = compiler = compiler or Compiler(instance, watch)
        self.layout = compiler.layout
        self.stock = instance.role("zone", "stock")[0]
        stepper = Stepper(compiler)
        first = len(instance.actions)
        self._deeds = [CompiledAction(compiler, i, a, counts=i < first) for i, a in enumerate(instance.deeds)]
        self._actions, self._events = self._deeds[:first], self._deeds[first:]
        self._cleared = list(self._clear())
        self._inits = {life: self._computed(life) for life in core.Life}
        self._begin = [stepper.closed(block) for block in instance.begin]
        self._endings = [(e.at_start, compiler.closed(e.when)) for e in instance.endings]
        self._settles = [self._settlement(stepper, s) for s in instance.settles]
        self._redeal = compiler.closed(instance.redeal)
        self._over, self._winners = compiler.closed(instance.over), compiler.closed(instance.winners)
        self._ending = self.layout.cell("ending")
        self._mover = self.layout.select(instance.role("state", "mover"))
        self._scores = self.layout.select(instance.role("state", "score"))

    def _clear(self) -> Iterator[tuple[int, core.Value]]:
        """What cells hold when a round is set up: zones nothing but the stock, round states a constant or nothing."""
        tiles = self.instance.sorts["tile"].full
        for var, _, cell in self.layout.walk():
            if var.zone:
                yield cell, tiles if var.name == self.stock else 0
            elif var.life is core.Life.ROUND:
                yield cell, fixed(var.init)

    def _computed(self, life: core.Life) -> dict[str, Callable[[State], Any]]:
        """The initial values to be worked out when a round or match begins; those of a round only if not constant."""
        return {
            var.name: self._compiler.closed(var.init or core.Lit(None, var.type))
            for var in self.instance.vars.values()
            if not var.zone and var.life is life
            if life is core.Life.MATCH or not isinstance(var.init, core.Lit | None)
        }

    # ------------------------------------------------------------ between rounds

    def new_match(self, settings: Mapping[str, core.Value] | None = None) -> State:
        """The state before the first round: match states at their initial values, or at those of `settings`."""
        state = State((None,) * self.layout.size)
        return self._reset(state, core.Life.MATCH, settings or {})

    def new_round(self, state: State) -> State:
        """All tiles in the stock, round states at their initial values; match states stay."""
        cells = list(state.cells)
        for cell, value in self._cleared:
            cells[cell] = value
        return self._reset(State(tuple(cells)), core.Life.ROUND, {})

    def _reset(self, state: State, life: core.Life, settings: Mapping[str, core.Value]) -> State:
        """States of this lifetime at their initial values; these are looked at in order and may read earlier ones."""
        for name, init in self._inits[life].items():
            value = settings[name] if name in settings else init(state)
            state = self.layout.put(state, {(name, i): value for i in self.instance.cells(name)})
        return state

    def wants_redeal(self, state: State) -> bool:
        """After a deal: do the rules ask for a new one?"""
        return bool(self._redeal(state))

    def begin(self, state: State) -> State:
        """A round begins after its deal: the begin blocks, then the endings that may hold from the start."""
        return self._look(self.opened(state), at_start=True)

    def opened(self, state: State) -> State:
        """The state after the begin blocks alone."""
        for block in self._begin:
            state = block(state)
        return state

    def holds(self, state: State, ending: int) -> bool:
        """Does the condition of this ending hold?"""
        return bool(self._endings[ending][1](state))

    def settle(self, state: State, count: int | None = None) -> State:
        """A round has ended: the settlements (or only the first `count`), one after the other."""
        for settlement in self._settles[:count]:
            state = settlement(state)
        return state

    def _settlement(self, stepper: Stepper, settle: core.Settle) -> Callable[[State], State]:
        run = stepper.closed(settle.block())
        if not settle.strict:
            return run
        overlaps = self._compiler.closed(overlap(settle))

        def checked(state: State) -> State:
            if overlaps(state):
                raise self._compiler.fail(
                    state, Rule.PROMISE, settle.span, "two rows of a strict settlement hold at once"
                )
            return run(state)

        return checked

    def over(self, state: State) -> bool:
        """Is the match over? Asked after each settlement."""
        return bool(self._over(state))

    def winners(self, state: State) -> int:
        """The teams that have won the match, as a mask."""
        won: int = self._winners(state)
        return won

    # ------------------------------------------------------------ in a round

    def legal_moves(self, state: State) -> tuple[Move, ...]:
        """All moves, in canonical order; none once the round has ended."""
        found: list[Move] = []
        if state.cells[self._ending] is None:
            for action in self._actions:
                action.enumerate_moves(state, action.frame(()), found)
        return tuple(found)

    def possible_events(self, state: State) -> tuple[Move, ...]:
        """All that may come from outside now, in canonical order; nothing once the round has ended."""
        found: list[Move] = []
        if state.cells[self._ending] is None:
            for event in self._events:
                event.enumerate_moves(state, event.frame(()), found)
        return tuple(found)

    def outcomes(self, state: State, move: Move) -> tuple[Args, ...]:
        """What fate may add to a legal move, in canonical order; `((),)` when it has nothing to decide."""
        action = self._deeds[move.action]
        if not action.has_chance:
            return ((),)
        found: list[Args] = []
        action.enumerate_outcomes(state, action.frame(move.args), found)
        return tuple(found)

    def is_event(self, move: Move) -> bool:
        """Does this come from outside, rather than from a player?"""
        return move.action >= len(self._actions)

    def has_chance(self, move: Move) -> bool:
        """Does fate add something to this move?"""
        return self._deeds[move.action].has_chance

    def source_cell(self, state: State, action: int, parameter: int, args: Args) -> int | None:
        """The number of the zone cell that this parameter of an action is taken from; none if it is not from a zone."""
        compiled = self._deeds[action]
        source = compiled.sources[parameter]
        return None if source is None else int(source(state, compiled.frame(args)))

    def act(self, state: State, move: Move, outcome: Args = ()) -> State:
        """The state after a legal move or event; if an ending holds then, it stands in `ending`."""
        if self._watch:
            self._watch(self.instance.deeds[move.action].span)
        return self._look(self._deeds[move.action].perform(state, move.args + outcome), at_start=False)

    def effects(self, state: State, move: Move) -> State:
        """The state after a legal move to which fate adds nothing; endings are not looked at."""
        return self._deeds[move.action].perform(state, move.args)

    @cached_property
    def foreseen(self) -> frozenset[str]:
        """The names of the actions whose points are known to whoever chooses."""
        return foreseen(self.instance)

    def placements(self, state: State, move: Move, outcome: Args = ()) -> tuple[Placement, ...]:
        """The tiles that a legal move in this state lays on the table."""
        return self._deeds[move.action].placements(state, move.args + outcome)

    def _look(self, state: State, at_start: bool) -> State:
        """Endings in order; the first that holds is written down."""
        for number, (from_start, holds) in enumerate(self._endings):
            if (from_start or not at_start) and holds(state):
                if self._watch:
                    self._watch(self.instance.endings[number].span)
                return self.ended(state, number)
        return state

    def ended(self, state: State, ending: int) -> State:
        """The same position, with the round ended in this way."""
        cells = list(state.cells)
        cells[self._ending] = ending
        return State(tuple(cells))

    def stuck(self, state: State) -> RuleError:
        """The error of a state in which nobody can do anything although no ending holds."""
        span = self.instance.actions[-1].span
        return self._compiler.fail(state, Rule.STUCK, span, "no action is possible, and no ending holds")

    # ------------------------------------------------------------ questions

    def ending(self, state: State) -> int | None:
        """The index of the ending of this round, none while it is played."""
        found = state.cells[self._ending]
        assert found is None or isinstance(found, int)
        return found

    def mover(self, state: State) -> int | None:
        """The player whose turn it is; none where no state has that role."""
        found = state.cells[self._mover[0]] if self._mover else None
        assert found is None or isinstance(found, int)
        return found

    def on_table(self, state: State) -> int:
        """How many tiles lie on the table."""
        cells = self.layout.select(self.instance.role("zone", "layout"))
        return sum(int(state.cells[cell] or 0).bit_count() for cell in cells)

    def scores(self, state: State) -> tuple[int, ...]:
        """The cells of all states with the role score, in order."""
        return tuple(int(state.cells[cell] or 0) for cell in self._scores)

    def question(self, e: core.Expr) -> Callable[[State], Any]:
        """Any expression of the instance without free names, as a function of a state."""
        return self._compiler.closed(e)


def fixed(init: core.Expr | None) -> core.Value:
    """An initial value that is a constant; none for one that is not, or when there is none."""
    if isinstance(init, core.Lit):
        assert init.value is None or isinstance(init.value, int)
        return init.value
    return None


def overlap(settle: core.Settle) -> core.Expr:
    """Do two rows hold at once, for the table or for one of its elements? The last row, `otherwise`, does not count."""
    tests = [row.test for row in settle.rows if not core.is_lit(row.test, True)]
    pairs = [core.conjunction([a, b]) for i, a in enumerate(tests) for b in tests[i + 1 :]]
    some = core.negation(core.conjunction([core.negation(pair) for pair in pairs]))
    if settle.var is None or settle.sort is None:
        return some
    return core.Agg("any", settle.var, settle.sort, None, None, some, core.BOOL, settle.span)
