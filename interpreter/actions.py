"""From an action to its legal moves: parameters in order, each over its domain, guards tested as early as possible.

A move is an action with the arguments that are chosen. Chance parameters come last and make one set of outcomes, in
canonical order; the move is legal when that set is not empty.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from domrules.grammar import core
from domrules.interpreter.closures import Code, Frame
from domrules.interpreter.evaluate import Compiler, nesting
from domrules.interpreter.names import Args, Move, chances, choices, tested
from domrules.interpreter.state import State
from domrules.interpreter.step import Placement, Stepper, room

Visit: TypeAlias = Callable[[State, Frame, list[Any]], None]
"""Appends something for every way on from here to a list."""


class CompiledAction:
    """One action, or an event, which is not counted among the moves, as functions. Its frame holds all parameters in order, then room for what is bound inside."""

    def __init__(self, compiler: Compiler, number: int, action: core.Action, counts: bool = True) -> None:
        self.number, self.action = number, action
        self.scope = {p.name: place for place, p in enumerate(action.params)}
        self.size = len(action.params) + room_needed(action)
        self.chosen, self.has_chance = len(choices(action)), bool(chances(action))
        self.enumerate_moves = self.moves(compiler)
        self.enumerate_outcomes = self.fate(compiler)
        stepper = Stepper(compiler)
        self.blocks = [stepper.block(b, self.scope) for b in (counting(action.blocks) if counts else action.blocks)]
        self.placings = [stepper.placing(b, self.scope) for b in action.blocks]
        self.sources = [self.source(stepper, p.domain) for p in action.params]

    def frame(self, args: Args) -> Frame:
        """A frame that holds the first arguments."""
        frame: Frame = [None] * self.size
        frame[: len(args)] = args
        return frame

    def source(self, stepper: Stepper, domain: core.Expr | None) -> Code | None:
        """The number of the zone cell that a parameter is taken from, if its domain is (a part of) one."""
        match domain:
            case core.Read(var=var, index=index) if var in stepper.zones:
                return stepper.cell(var, index, self.scope)
            case core.Op(name="inter" | "minus", args=(part, _)) | core.Agg(kind="set", domain=part):
                return self.source(stepper, part)
            case core.Call(fn=fn, args=()):
                return self.source(stepper, stepper.compiler.instance.fns[fn].body)
            case _:
                return None

    # ------------------------------------------------------------ enumeration

    def moves(self, compiler: Compiler) -> Visit:
        """Every legal move: the choices for which the guard holds, if need be with some outcome."""
        number, chosen = self.number, self.chosen

        def plain(state: State, frame: Frame, found: list[Any]) -> None:
            found.append(Move(number, tuple(frame[:chosen])))

        def with_chance(state: State, frame: Frame, found: list[Any]) -> None:
            outcomes: list[Args] = []
            self.enumerate_outcomes(state, frame, outcomes)
            if outcomes:
                found.append(Move(number, tuple(frame[:chosen])))

        return self.chain(compiler, 0, chosen, with_chance if self.has_chance else plain)

    def fate(self, compiler: Compiler) -> Visit:
        """Every outcome of a move whose choices stand in the frame: the chances for which the guard holds."""
        chosen, count = self.chosen, len(self.action.params)
        last: Visit = lambda state, frame, found: found.append(tuple(frame[chosen:count]))  # noqa: E731
        return self.chain(compiler, chosen, count, last)

    def chain(self, compiler: Compiler, start: int, stop: int, last: Visit) -> Visit:
        """Loops over the parameters from `start` to before `stop`, one inside the other, and inmost `last`."""
        tests = [[compiler.expr(part, self.scope) for part in parts] for parts in tested(self.action)]
        visit = last
        for place in reversed(range(start, stop)):
            param = self.action.params[place]
            over = compiler.domain(param.domain, param.sort, self.scope)
            visit = loop(place, over, tests[place + 1], visit)
        return guarded(tests[0], visit) if start == 0 else visit

    # ------------------------------------------------------------ effects

    def perform(self, state: State, args: Args) -> State:
        """The state after the action; `args` are all its arguments. Endings are not looked at here."""
        frame = self.frame(args)
        for block in self.blocks:
            state = block(state, frame)
        return state

    def placements(self, state: State, args: Args) -> tuple[Placement, ...]:
        """The tiles the action lays on the table, in order."""
        frame, found = self.frame(args), list[Placement]()
        for block, placing in zip(self.blocks, self.placings, strict=True):
            placing(state, frame, found)
            state = block(state, frame)
        return tuple(found)


def counting(blocks: Sequence[core.Block]) -> list[core.Block]:
    """The blocks of an action, the last of which also counts it."""
    count = core.Set("moves", None, core.Lit(1, core.INT), add=True)
    return [*blocks[:-1], (*blocks[-1], count)]


def room_needed(action: core.Action) -> int:
    """Places for what is bound inside an action, beyond its parameters."""
    domains = [nesting(p.domain) for p in action.params if p.domain is not None]
    return max(nesting(action.guard), *map(room, action.blocks), *domains)


def loop(place: int, over: Callable[[State, Frame], Any], guards: list[Code], visit: Visit) -> Visit:
    """For every element: put it in its place, test the guards, go on."""
    inner = guarded(guards, visit)

    def run(state: State, frame: Frame, found: list[Any]) -> None:
        for i in over(state, frame):
            frame[place] = i
            inner(state, frame, found)

    return run


def guarded(guards: list[Code], visit: Visit) -> Visit:
    """Go on only where all the guards hold."""
    match guards:
        case []:
            return visit
        case [only]:

            def one(state: State, frame: Frame, found: list[Any]) -> None:
                if only(state, frame):
                    visit(state, frame, found)

            return one
        case _:

            def several(state: State, frame: Frame, found: list[Any]) -> None:
                if all(guard(state, frame) for guard in guards):
                    visit(state, frame, found)

            return several
