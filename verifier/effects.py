"""From the statements of a block to the symbolic position after it: mirrors `interpreter/step.py`.

A block is simultaneous. The statements of many moves are collected side by side, each under the bit that says "a move
is made that this statement belongs to"; `commit` then writes everything at once. What would be a rule error in the
interpreter becomes a `Fault`, with the bit that says that it happens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import assert_never

from domrules.grammar import core
from domrules.grammar.source import Span
from domrules.interpreter.errors import Rule
from domrules.verifier import symbols
from domrules.verifier.dag import FALSE, TRUE, Bit, Dag, Number
from domrules.verifier.encode import Encoder, Env
from domrules.verifier.promises import Promises
from domrules.verifier.symbols import Cell, Members, Symbol, Symbols


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule error that may happen, where in the text, and the bit that says it does."""

    rule: Rule
    span: Span
    bit: Bit


@dataclass(frozen=True, slots=True)
class Occasion:
    """When a statement is carried out: with moves of one action that agree in the parameters it mentions.

    Two occasions of different actions, or that differ in a shared parameter, exclude each other.
    """

    action: int
    choice: Mapping[str, int]
    bit: Bit

    def excludes(self, other: Occasion) -> bool:
        shared = self.choice.keys() & other.choice.keys()
        return self.action != other.action or any(self.choice[name] != other.choice[name] for name in shared)


ALWAYS = Occasion(-1, {}, TRUE)


@dataclass(frozen=True, slots=True)
class Write:
    """A statement that writes a cell (or moves a tile) when `bit` holds. `place`: the statement, and what encloses it."""

    bit: Bit
    occasion: Occasion
    place: tuple[object, ...]
    span: Span
    value: Symbol = TRUE


@dataclass(slots=True)
class Flow:
    """Tiles that leave and come to a zone, each with the bits of its reasons; and how many, by statement."""

    leaves: dict[int, list[Bit]] = field(default_factory=dict)
    comes: dict[int, list[Bit]] = field(default_factory=dict)
    counts: dict[tuple[object, ...], list[Bit]] = field(default_factory=dict)
    """Keys: the place of a statement, then +1 or -1. A statement moves one tile, and for one move of the players."""


class Effects:
    """What one block does in one position."""

    def __init__(self, encoder: Encoder, promises: Promises, at: Symbols) -> None:
        self.encoder, self.promises, self.at, self.dag = encoder, promises, at, encoder.dag
        self.sets: dict[Cell, list[Write]] = {}
        self.adds: dict[Cell, list[Write]] = {}
        self.moves: dict[int, list[Write]] = {}
        self.flows: dict[Cell, Flow] = {}
        self._broken: dict[tuple[Rule, Span], list[Bit]] = {}

    # ------------------------------------------------------------ statements, in the order of core.Stmt

    def collect(self, s: core.Stmt, occasion: Occasion) -> None:
        """Note what a statement does on an occasion."""
        self._collect(s, occasion.choice, occasion.bit, (), occasion)

    def _collect(self, s: core.Stmt, env: Env, bit: Bit, around: tuple[object, ...], occasion: Occasion) -> None:
        if bit == FALSE:
            return
        match s:
            case core.Set():
                self.set(s, env, bit, Write(bit, occasion, (*around, s), s.span))
            case core.Move():
                self.move(s, env, bit, Write(bit, occasion, (*around, s), s.span))
            case core.If(condition=condition, body=body):
                self.promised(s.span, bit, condition, env)
                inside = self.dag.both(bit, self.encoder.truth(condition, self.at, env))
                for inner in body:
                    self._collect(inner, env, inside, around, occasion)
            case core.Each():
                over = core.Agg("set", s.var, s.sort, s.domain, s.guard, None, core.SetOf(s.sort), s.span)
                self.promised(s.span, bit, over, env)
                for i, there, bound in self.encoder.range(s.domain, s.sort, s.var, s.guard, self.at, env):
                    for inner in s.body:
                        self._collect(inner, bound, self.dag.both(bit, there), (*around, s, i), occasion)
            case core.Attach():
                pass
            case _:
                assert_never(s)

    def promised(self, span: Span, bit: Bit, e: core.Expr | None, env: Env) -> None:
        """The statement evaluates this expression."""
        self.fault(
            Rule.PROMISE, span if e is None else e.span, self.dag.both(bit, -self.promises.kept(e, self.at, env))
        )

    def fault(self, rule: Rule, span: Span, bit: Bit) -> None:
        if bit != FALSE:
            self._broken.setdefault((rule, span), []).append(bit)

    @property
    def faults(self) -> list[Fault]:
        """What may go wrong, by rule and statement; complete after `commit`."""
        return [Fault(rule, span, self.dag.any(bits)) for (rule, span), bits in self._broken.items()]

    def cells(self, var: str, index: core.Expr | None, env: Env) -> Iterator[tuple[Cell, Bit]]:
        """The cells a statement may name."""
        if index is None:
            yield (var, None), TRUE
            return
        for i, bit in self.encoder.members(index, self.at, env).items():
            yield (var, i), bit

    def set(self, s: core.Set, env: Env, bit: Bit, write: Write) -> None:
        if s.var in self.encoder.view.forgotten:
            return
        self.promised(s.span, bit, s.index, env)
        self.promised(s.span, bit, s.value, env)
        value = self.encoder.value(s.value, self.at, env)
        written = self.adds if s.add else self.sets
        for cell, named in self.cells(s.var, s.index, env):
            here = self.dag.both(bit, named)
            written.setdefault(cell, []).append(Write(here, write.occasion, write.place, write.span, value))

    def move(self, s: core.Move, env: Env, bit: Bit, write: Write) -> None:
        for e in (s.tile, s.source.index, s.target.index):
            self.promised(s.span, bit, e, env)
        sources = list(self.cells(s.source.var, s.source.index, env))
        targets = list(self.cells(s.target.var, s.target.index, env))
        for tile, named in self.encoder.members(s.tile, self.at, env).items():
            here = self.dag.both(bit, named)
            there = self.dag.any([self.dag.both(at, self.at.zone(*c).get(tile, FALSE)) for c, at in sources])
            self.fault(Rule.NOT_THERE, s.span, self.dag.both(here, -there))
            self.moves.setdefault(tile, []).append(Write(here, write.occasion, write.place, write.span))
            for cell, at in sources:
                self.flow(cell).leaves.setdefault(tile, []).append(self.dag.both(here, at))
            for cell, at in targets:
                self.flow(cell).comes.setdefault(tile, []).append(self.dag.both(here, at))
        for change, cells in ((-1, sources), (1, targets)):
            for cell, at in cells:
                self.flow(cell).counts.setdefault((*write.place, change), []).append(self.dag.both(bit, at))

    def flow(self, cell: Cell) -> Flow:
        return self.flows.setdefault(cell, Flow())

    # ------------------------------------------------------------ all at once

    def commit(self) -> Symbols:
        """The position after the block."""
        changes: dict[Cell, Symbol] = {}
        for cell in {**self.sets, **self.adds}:
            changes[cell] = self.written(cell, self.sets.get(cell, []), self.adds.get(cell, []))
        for cell, flow in self.flows.items():
            changes[cell] = self.flowed(self.at.zone(*cell), flow)
        for writes in self.moves.values():
            self.clashes(Rule.MOVED_TWICE, writes, writes)
        return self.at.put(changes, self.counted())

    def written(self, cell: Cell, sets: list[Write], adds: list[Write]) -> Symbol:
        """The new value of a cell."""
        dag, var, old = self.dag, self.encoder.instance.vars[cell[0]], self.at.cells[cell]
        self.clashes(Rule.WRITTEN_TWICE, sets, sets)
        self.clashes(Rule.WRITTEN_TWICE, sets, adds)
        if adds:
            old = symbols.union(dag, [(TRUE, old), *distinct(dag, adds)], var.type)
        if sets:
            rest = -dag.any([write.bit for write in sets])
            old = symbols.union(dag, [*distinct(dag, sets), (rest, old)], var.type)
        if isinstance(old, Number) and (var.low is not None or var.high is not None):
            outside = -within(dag, var, old)
            for write in (*sets, *adds):
                self.fault(Rule.RANGE, write.span, dag.both(write.bit, outside))
        return old

    def flowed(self, old: Members, flow: Flow) -> Members:
        """The new tiles of a zone."""
        found: dict[int, list[Bit]] = {tile: [bit] for tile, bit in old.items()}
        for tile, bits in flow.leaves.items():
            if tile in old:
                found[tile] = [self.dag.both(old[tile], -self.dag.any(bits))]
        for tile, bits in flow.comes.items():
            found.setdefault(tile, []).extend(bits)
        return symbols.members(self.dag, found)

    def counted(self) -> Mapping[Cell, Number] | None:
        """The new sizes of the zones, where they are counted."""
        if self.at.sizes is None:
            return None
        sizes = dict(self.at.sizes)
        for cell, flow in self.flows.items():
            changes = [(self.dag.any(bits), change) for (*_, change), bits in flow.counts.items()]
            sizes[cell] = self.dag.add(sizes[cell], self.dag.number((b, 1 if c == 1 else -1) for b, c in changes))
        return sizes

    def clashes(self, rule: Rule, some: list[Write], others: list[Write]) -> None:
        """Faults of two different statements that meet on one cell or tile."""
        if len({write.place for write in (*some, *others)}) < 2:
            return
        pairs = combinations(some, 2) if some is others else ((a, b) for a in some for b in others)
        for a, b in pairs:
            if a.place != b.place and not a.occasion.excludes(b.occasion):
                self.fault(rule, b.span, self.dag.both(a.bit, b.bit))


def distinct(dag: Dag, writes: Iterable[Write]) -> list[tuple[Bit, Symbol]]:
    """Writes as (bit, value), equal values that exclude each other made one: what is the same for all moves folds.

    Occasions of one statement exclude each other, and so do different actions; two statements of one action do not.
    """
    statements: dict[tuple[int, object], dict[object, int]] = {}
    found: dict[object, tuple[list[Bit], Symbol]] = {}
    for write in writes:
        value = content(write.value)
        numbers = statements.setdefault((write.occasion.action, value), {})
        number = numbers.setdefault(write.place, len(numbers))
        found.setdefault((number, value), ([], write.value))[0].append(write.bit)
    return [(dag.any(bits), value) for bits, value in found.values()]


def content(symbol: Symbol) -> object:
    """Equal for equal values."""
    match symbol:
        case Number():
            return symbol.key
        case int():
            return symbol
        case _:
            return frozenset(symbol.items())


def within(dag: Dag, var: core.Var, number: Number) -> Bit:
    """Is a number in the range its variable declares?"""
    parts = [] if var.low is None else [dag.at_least_zero(dag.add(number, Number(-var.low)))]
    if var.high is not None:
        parts.append(dag.at_least_zero(dag.add(Number(var.high), number, -1)))
    return dag.all(parts)


def run(encoder: Encoder, promises: Promises, block: core.Block, at: Symbols) -> tuple[Symbols, list[Fault]]:
    """A block without free names: the position after it, and what it may break."""
    effects = Effects(encoder, promises, at)
    for statement in block:
        effects.collect(statement, ALWAYS)
    return effects.commit(), effects.faults
