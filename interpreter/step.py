"""From statements to the next state: blocks, moves, endings and settlement of one instance.

A block is simultaneous: all its statements see the state before it, and only then is everything written. What must
not be is a rule error, found here at run time until it is proved: a cell set twice, or set and increased; a tile moved
twice, or from a zone where it does not lie; a number outside its declared range.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, assert_never

from domrules.grammar import core
from domrules.grammar.source import Span
from domrules.interpreter.closures import Code, Domain, Frame
from domrules.interpreter.errors import Rule
from domrules.interpreter.evaluate import Compiler, Scope, bind, nesting
from domrules.interpreter.state import State


class Effects:
    """What a block is going to do: values set and amounts added, by cell; tiles moved, as (from, to, mask)."""

    __slots__ = ("adds", "moved", "moves", "sets")

    def __init__(self) -> None:
        self.sets: dict[int, core.Value] = {}
        self.adds: dict[int, int] = {}
        self.moves: list[tuple[int, int, int]] = []
        self.moved = 0
        """All tiles moved."""


Effect: TypeAlias = Callable[[State, Frame, Effects], None]


@dataclass(frozen=True, slots=True)
class Placement:
    """A tile laid on the table; all values are indices. `to` None: it opens the layout; `across`: it lies crosswise."""

    tile: int
    to: int | None
    touching: int
    going: int
    across: bool


Placing: TypeAlias = Callable[[State, Frame, list[Placement]], None]


class Stepper:
    """Makes functions from state to state out of the blocks of an instance."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler, self.layout = compiler, compiler.layout
        self.zones = {var.name for var in compiler.instance.vars.values() if var.zone}

    # ------------------------------------------------------------ blocks

    def block(self, block: core.Block, scope: Scope) -> Callable[[State, Frame], State]:
        """A block as a function; the frame must have `room(block)` places beyond the scope."""
        effects, bounded = self.statements(block, scope), self.bounded(block)

        def run(state: State, frame: Frame) -> State:
            found = Effects()
            for effect in effects:
                effect(state, frame, found)
            after = commit(state, found)
            for var, span in bounded.items():
                self.check_range(after, var, span)
            return after

        return run

    def closed(self, block: core.Block) -> Callable[[State], State]:
        """A block without free names, as a function of the state alone."""
        run, size = self.block(block, {}), room(block)
        return lambda state: run(state, [None] * size)

    def bounded(self, block: core.Block) -> dict[str, Span]:
        """Variables with a declared range that a block writes, and where."""
        found: dict[str, Span] = {}
        for s in block:
            if isinstance(s, core.If | core.Each):
                found.update(self.bounded(s.body))
            elif isinstance(s, core.Set):
                var = self.compiler.instance.vars[s.var]
                if var.low is not None or var.high is not None:
                    found[s.var] = s.span
        return found

    def check_range(self, state: State, name: str, span: Span) -> None:
        """A declared range is a promise."""
        var = self.compiler.instance.vars[name]
        for cell in self.layout.cells(name):
            value = state.cells[cell]
            if value is None:
                continue
            if (var.low is not None and value < var.low) or (var.high is not None and value > var.high):
                bounds = f"{'' if var.low is None else var.low}..{'' if var.high is None else var.high}"
                raise self.compiler.fail(state, Rule.RANGE, span, f"{name} becomes {value}, outside {bounds}")

    # ------------------------------------------------------------ statements, in the order of core.Stmt

    def statements(self, block: core.Block, scope: Scope) -> list[Effect]:
        """The effects of statements in order; placements change nothing and are left out."""
        return [self.statement(s, scope) for s in block if not isinstance(s, core.Attach)]

    def statement(self, s: core.Set | core.Move | core.If | core.Each, scope: Scope) -> Effect:
        match s:
            case core.Set():
                return self.add(s, scope) if s.add else self.set(s, scope)
            case core.Move():
                return self.move(s, scope)
            case core.If(condition=condition, body=body):
                return self.when(self.compiler.expr(condition, scope), self.statements(body, scope), s.span)
            case core.Each():
                return self.each(s, scope)
            case _:
                assert_never(s)

    def cell(self, var: str, index: core.Expr | None, scope: Scope) -> Code:
        """The number of the cell that a statement names."""
        base = self.layout.bases[var]
        if index is None:
            return lambda state, frame: base
        code = self.compiler.expr(index, scope)
        return lambda state, frame: base + code(state, frame)

    def set(self, s: core.Set, scope: Scope) -> Effect:
        where, value = self.cell(s.var, s.index, scope), self.compiler.expr(s.value, scope)

        def run(state: State, frame: Frame, effects: Effects) -> None:
            cell = where(state, frame)
            if cell in effects.sets or cell in effects.adds:
                raise self.compiler.fail(state, Rule.WRITTEN_TWICE, s.span, f"{s.var} is written twice in one step")
            effects.sets[cell] = value(state, frame)

        return run

    def add(self, s: core.Set, scope: Scope) -> Effect:
        where, value = self.cell(s.var, s.index, scope), self.compiler.expr(s.value, scope)

        def run(state: State, frame: Frame, effects: Effects) -> None:
            cell = where(state, frame)
            if cell in effects.sets:
                raise self.compiler.fail(state, Rule.WRITTEN_TWICE, s.span, f"{s.var} is set and added to in one step")
            effects.adds[cell] = effects.adds.get(cell, 0) + value(state, frame)

        return run

    def move(self, s: core.Move, scope: Scope) -> Effect:
        tile = self.compiler.expr(s.tile, scope)
        source = self.cell(s.source.var, s.source.index, scope)
        target = self.cell(s.target.var, s.target.index, scope)

        def run(state: State, frame: Frame, effects: Effects) -> None:
            mask, origin, goal = 1 << tile(state, frame), source(state, frame), target(state, frame)
            if effects.moved & mask:
                raise self.compiler.fail(state, Rule.MOVED_TWICE, s.span, "a tile is moved twice in one step")
            if not state.cells[origin] & mask:
                raise self.compiler.fail(
                    state, Rule.NOT_THERE, s.span, f"the tile to be moved is not in {s.source.var}"
                )
            effects.moved |= mask
            effects.moves.append((origin, goal, mask))

        return run

    def when(self, condition: Code, body: list[Effect], span: Span) -> Effect:
        watch = self.compiler.watch

        def run(state: State, frame: Frame, effects: Effects) -> None:
            if condition(state, frame):
                if watch:
                    watch(span)
                for effect in body:
                    effect(state, frame, effects)

        return run

    def each(self, s: core.Each, scope: Scope) -> Effect:
        over, inner, place = self.range(s, scope)
        body = self.statements(s.body, inner)

        def run(state: State, frame: Frame, effects: Effects) -> None:
            for i in over(state, frame):
                frame[place] = i
                for effect in body:
                    effect(state, frame, effects)

        return run

    def range(self, s: core.Each, scope: Scope) -> tuple[Domain, Scope, int]:
        """The elements an `each` runs over: those of its domain for which its guard holds."""
        inner, place = bind(scope, s.var)
        chosen = core.Agg("set", s.var, s.sort, s.domain, s.guard, None, core.SetOf(s.sort), s.span)
        domain = s.domain if s.guard is None else chosen
        return self.compiler.domain(domain, s.sort, scope), inner, place

    # ------------------------------------------------------------ placements

    def placing(self, block: core.Block, scope: Scope) -> Placing:
        """What a block lays on the table, in order; nothing else of it is looked at."""
        parts = [self.place(s, scope) for s in block if not isinstance(s, core.Set | core.Move)]

        def run(state: State, frame: Frame, found: list[Placement]) -> None:
            for part in parts:
                part(state, frame, found)

        return run

    def place(self, s: core.Attach | core.If | core.Each, scope: Scope) -> Placing:
        match s:
            case core.If(condition=condition, body=body):
                test, inside = self.compiler.expr(condition, scope), self.placing(body, scope)

                def conditional(state: State, frame: Frame, found: list[Placement]) -> None:
                    if test(state, frame):
                        inside(state, frame, found)

                return conditional
            case core.Each():
                over, inner, place = self.range(s, scope)
                repeated = self.placing(s.body, inner)

                def every(state: State, frame: Frame, found: list[Placement]) -> None:
                    for i in over(state, frame):
                        frame[place] = i
                        repeated(state, frame, found)

                return every
            case core.Attach():
                parts = [self.compiler.expr(e, scope) for e in (s.tile, s.to, s.touching, s.going, s.across)]
                return lambda state, frame, found: found.append(Placement(*[part(state, frame) for part in parts]))
            case _:
                assert_never(s)


def commit(state: State, effects: Effects) -> State:
    """The state after all effects at once."""
    cells: list[Any] = [*state.cells]
    for cell, value in effects.sets.items():
        cells[cell] = value
    for cell, amount in effects.adds.items():
        cells[cell] += amount
    for origin, goal, tile in effects.moves:
        cells[origin] ^= tile
        cells[goal] ^= tile
    return State(tuple(cells))


def room(block: core.Block) -> int:
    """How many places of a frame a block needs for the names it binds."""
    return max((needed(s) for s in block), default=0)


def needed(s: core.Stmt) -> int:
    match s:
        case core.Set(index=index, value=value):
            return widest(index, value)
        case core.Move(tile=tile, source=source, target=target):
            return widest(tile, source, target)
        case core.If(condition=condition, body=body):
            return max(nesting(condition), room(body))
        case core.Each(domain=domain, guard=guard, body=body):
            return max(widest(domain), 1 + widest(guard), 1 + room(body))
        case core.Attach(tile=tile, to=to, touching=touching, going=going, across=across):
            return widest(tile, to, touching, going, across)
        case _:
            assert_never(s)


def widest(*parts: core.Expr | None) -> int:
    return max((nesting(e) for e in parts if e is not None), default=0)
