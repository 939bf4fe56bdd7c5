"""What is seldom met in random play: very many rounds are looked through while compiled code plays them.

    shortest(instance, lambda scene: ..., seed=1)      # for each ending, the round with the fewest moves that is wanted
    first(instance, [(0, e), ...], seed=1)             # for each question, the first round in which it holds
    most(instance, seed=1)                             # what one move pays at most, and what settlements pay

Every match begins anew and is one round long. What is found has the number of its match, so that the interpreter can play it
again: match (seed, number). Rounds that break a rule or do not end are left out, with what follows when they are many.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from domrules.compiler import ir
from domrules.compiler.batch import Form, engine
from domrules.compiler.engine import Engine
from domrules.compiler.lower import Lowering, Recorder
from domrules.compiler.writer import Unsupported, some
from domrules.grammar import core
from domrules.interpreter.limits import Limits

ROUNDS = 200_000
"""Rounds that are looked through."""
CHUNK = 1_000
"""Rounds played without looking up."""
SECONDS = 20.0
"""Of the processor, after which the rest is left: only rounds of thousands of moves take so long."""
FAILURES = 5_000
"""Rounds that break a rule, or do not end, before the rest is left."""
VALUES, NUMBERS = "values", "numbers"
Values = tuple[ir.Expr, ...]


class Sift(Recorder):
    """A recorder that looks for a few things, and keeps a number and the match it was found in for each of them.

    `note` belongs where a round is settled, so that nothing is kept of a round that breaks a rule later.
    """

    things = 1
    once = False
    """Is anything that was found enough?"""

    def open(self, lowering: Lowering) -> None:
        self.lowering, writer = lowering, lowering.writer
        self.values, self.numbers = (writer.array(max(1, self.things), name) for name in (VALUES, NUMBERS))

    def kept(self, values: Sequence[ir.Expr]) -> tuple[ir.Local, ...]:
        """What they are now."""
        return tuple(self.lowering.writer.fresh(value) for value in values)

    def note(
        self, thing: ir.Expr, value: ir.Expr, better: Callable[[ir.Expr, ir.Expr], ir.Expr], test: ir.Expr
    ) -> None:
        """Keep this value if the test holds and it is better than the one that was kept, if there is one."""
        held = ir.Load(self.values, thing)
        first = ir.equal(held, ir.ZERO)
        keep = (
            ir.Store(self.values, thing, ir.plus(value, ir.Const(SHIFT))),
            ir.Store(self.numbers, thing, self.lowering.game),
        )
        wanted = ir.either(first, better(value, ir.binary("sub", held, ir.Const(SHIFT))))
        self.lowering.writer.emit(ir.If(ir.both(wanted, test), keep))


SHIFT = 1 << 42
"""Added to what is kept, so that 0 stands for nothing."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What was found: its value, and the match it was found in."""

    value: int
    number: int


def sifted(instance: core.Instance, sift: Sift, seed: int, limits: Limits, rounds: int = ROUNDS) -> list[Kept | None]:
    """What is found of each thing in rounds of an (optimised) instance. Raises Unsupported, Trap."""
    if instance.open:
        raise Unsupported("options are left open")
    nobody = core.Lit(0, core.SetOf("team"), instance.winners.span)  # they are not asked for before the match is over
    single = replace(instance, over=replace(core.TRUE, span=instance.over.span), winners=nobody)
    try:
        playing = engine(single, sift, Form.WASM, limits)
    except ModuleNotFoundError as missing:
        raise Unsupported(f"{missing.name} is not installed") from None
    _play(playing, sift, seed, rounds)
    pairs = zip(playing.read(VALUES), playing.read(NUMBERS), strict=True)
    return [Kept(value - SHIFT, number) if value else None for value, number in pairs][: sift.things]


def _play(playing: Engine, sift: Sift, seed: int, rounds: int) -> None:
    first = failures = 0
    deadline = time.process_time() + SECONDS
    while first < rounds and failures < FAILURES and time.process_time() < deadline:
        if sift.once and all(playing.read(VALUES)):
            return
        last = min(first + CHUNK, rounds)
        if playing.run(first, last, seed):
            first = last
        else:
            first, failures = playing.read("at")[0] + 1, failures + 1


# ---------------------------------------------------------------- the shortest round


@dataclass(frozen=True, slots=True)
class Scene:
    """What may be asked of a round: score cells in their order as it begins, as it ends, and settled; who has no tiles left."""

    begun: Values
    ended: Values
    settled: Values
    empty: Values
    """For every player, is his hand empty at the end? Truths."""


Wanted = Callable[[Scene], ir.Expr]


def total(values: Values, cells: Sequence[int]) -> ir.Expr:
    """What some of the cells come to."""
    found: ir.Expr = ir.ZERO
    for cell in cells:
        found = ir.plus(found, values[cell])
    return found


class Shortest(Sift):
    """Of each ending the wanted round with the fewest moves, the first of them."""

    def __init__(self, instance: core.Instance, wanted: Wanted) -> None:
        self.wanted, self.things = wanted, len(instance.endings)
        self.begun: Values = ()
        self.ended: Values = ()
        self.empty: Values = ()

    def open(self, lowering: Lowering) -> None:
        super().open(lowering)
        zones = lowering.instance.role("zone", "hand")
        self.hands = [zone for zone in zones if lowering.instance.vars[zone].per == "player"]
        if not lowering.live.issuperset(self.hands):
            raise Unsupported("no rule reads what a hand holds")

    def match_begins(self) -> None:
        self.begun = self.kept(self.lowering.scores())

    def round_ended(self) -> None:
        self.ended = self.kept(self.lowering.scores())
        self.empty = self.kept([self.no_tiles(p) for p in range(self.lowering.instance.players)])

    def no_tiles(self, player: int) -> ir.Expr:
        """Does he hold none?"""
        test: ir.Expr = ir.Truth(bool(self.hands))
        for name in self.hands:
            test = ir.both(test, ir.negated(some(self.lowering.ex.slots[name].load(ir.Const(player)))))
        return test

    def settled(self) -> None:
        lowering = self.lowering
        scene = Scene(self.begun, self.ended, tuple(lowering.scores()), self.empty)
        self.note(lowering.ending, lowering.plies, ir.less, self.wanted(scene))


def shortest(
    instance: core.Instance, wanted: Wanted, seed: int, limits: Limits, rounds: int = ROUNDS
) -> Sequence[Kept | None]:
    """For every ending the first of the shortest rounds that are wanted; the value is its number of moves."""
    return sifted(instance, Shortest(instance, wanted), seed, limits, rounds)


# ---------------------------------------------------------------- the first round


class First(Sift):
    """Of each question the first round in which it holds before a settlement."""

    once = True

    def __init__(self, asked: Sequence[tuple[int, core.Expr]]) -> None:
        self.asked, self.things = asked, len(asked)
        self.held: tuple[ir.Local, ...] = ()

    def open(self, lowering: Lowering) -> None:
        super().open(lowering)
        for _, e in self.asked:
            if not lowering.ex.reads.variables(e) <= lowering.live:
                raise Unsupported("it is asked for what no rule reads")

    def match_begins(self) -> None:
        self.held = self.kept([ir.NO] * self.things)

    def settling(self, number: int) -> None:
        for held, (when, e) in zip(self.held, self.asked, strict=True):
            if when == number:
                self.lowering.writer.emit(ir.Assign(held, self.lowering.ex.scalar(e, {})))

    def settled(self) -> None:
        for thing, held in enumerate(self.held):
            self.note(ir.Const(thing), ir.ZERO, lambda *_: ir.NO, held)


def first(
    instance: core.Instance, asked: Sequence[tuple[int, core.Expr]], seed: int, limits: Limits, rounds: int = ROUNDS
) -> Sequence[Kept | None]:
    """For every question the first round in which it holds just before this settlement."""
    return sifted(instance, First(asked), seed, limits, rounds)


# ---------------------------------------------------------------- the most points


class Most(Sift):
    """The most that a move adds to a score, and the most that the settlements of a round add to one."""

    things = 2

    def __init__(self) -> None:
        self.before: Values = ()

    def open(self, lowering: Lowering) -> None:
        super().open(lowering)
        self.paid = lowering.writer.local()

    def match_begins(self) -> None:
        self.lowering.writer.emit(ir.Assign(self.paid, ir.Const(-SHIFT + 1)))

    def chosen(self, n: ir.Expr) -> None:
        self.before = self.kept(self.lowering.scores())

    def acted(self, action: core.Action) -> None:
        writer = self.lowering.writer
        for gain in self.gains():
            writer.emit(ir.If(ir.less(self.paid, gain), (ir.Assign(self.paid, gain),)))

    def round_ended(self) -> None:
        self.before = self.kept(self.lowering.scores())

    def settled(self) -> None:
        moved = ir.less(ir.ZERO, self.lowering.plies)
        self.note(ir.ZERO, self.paid, more, ir.both(moved, ir.Truth(bool(self.before))))
        for gain in self.gains():
            self.note(ir.ONE, gain, more, ir.YES)

    def gains(self) -> Values:
        """What was added to each cell since they were looked at."""
        pairs = zip(self.before, self.lowering.scores(), strict=True)
        return self.kept([ir.binary("sub", now, before) for before, now in pairs])


def more(a: ir.Expr, b: ir.Expr) -> ir.Expr:
    return ir.less(b, a)


def most(instance: core.Instance, seed: int, limits: Limits, rounds: int = ROUNDS) -> Sequence[Kept | None]:
    """The most that one move adds to a score cell, and that the settlements of a round do."""
    return sifted(instance, Most(), seed, limits, rounds)
