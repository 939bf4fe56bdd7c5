"""Of very many random rounds the one with the fewest moves that is wanted, for each ending: looked for where they are played.

    found = sifted(instance, lambda scene: ..., seed=1)      # for each ending the number of a match, or none

Every match begins anew and is one round long. What the question says yes to can be played again by the interpreter:
match (seed, number).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from domrules.compiler import ir
from domrules.compiler.batch import Form, engine
from domrules.compiler.lower import Lowering
from domrules.compiler.writer import Unsupported, Words, some
from domrules.grammar import core
from domrules.interpreter.limits import Limits

ROUNDS = 200_000
"""Rounds that are looked through."""
CHUNK = 1_000
"""Rounds played without looking up."""
FAILURES = 20
"""Rounds that break a rule, or do not end, before the rest is left."""
FEWEST, NUMBERS = "fewest", "numbers"
Values = tuple[ir.Expr, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """What a question may ask of a round: the score cells in their order at its beginning, its end, and settled; who has no tiles left at its end."""

    begun: Values
    ended: Values
    settled: Values
    empty: Values
    """For every player, is his hand empty? Truths."""


Wanted = Callable[[Scene], ir.Expr]


def total(values: Values, cells: Sequence[int]) -> ir.Expr:
    """What some of the cells come to."""
    found: ir.Expr = ir.ZERO
    for cell in cells:
        found = ir.plus(found, values[cell])
    return found


class Sift:
    """A recorder that keeps, for every ending, the first of the wanted rounds with the fewest moves."""

    digest = False

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted

    def open(self, lowering: Lowering) -> None:
        self.lowering, writer = lowering, lowering.writer
        endings = max(1, len(lowering.instance.endings))
        self.fewest, self.numbers = writer.array(endings, FEWEST), writer.array(endings, NUMBERS)
        self.hands = [zone for zone in lowering.instance.role("zone", "hand") if zone in lowering.live]
        self.begun: Values = ()
        self.ended: Values = ()
        self.empty: Values = ()

    def kept(self, values: Sequence[ir.Expr]) -> Values:
        """What they are now."""
        return tuple(self.lowering.writer.fresh(value) for value in values)

    def match_begins(self) -> None:
        self.begun = self.kept(self.lowering.scores())

    def round_begins(self) -> None:
        pass

    def chosen(self, n: ir.Expr) -> None:
        pass

    def acted(self, action: core.Action) -> None:
        pass

    def round_ended(self) -> None:
        self.ended = self.kept(self.lowering.scores())
        self.empty = self.kept([self.no_tiles(p) for p in range(self.lowering.instance.players)])

    def no_tiles(self, player: int) -> ir.Expr:
        """Does he hold none?"""
        instance, slots = self.lowering.instance, self.lowering.ex.slots
        own = [name for name in self.hands if instance.vars[name].per == "player"]
        test: ir.Expr = ir.Truth(bool(own))
        for name in own:
            test = ir.both(test, ir.negated(some(slots[name].load(ir.Const(player)))))
        return test

    def settled(self) -> None:
        lowering, writer = self.lowering, self.lowering.writer
        scene = Scene(self.begun, self.ended, tuple(lowering.scores()), self.empty)
        ending = lowering.ending
        held = ir.Load(self.fewest, ending)
        fewer = ir.either(ir.equal(held, ir.ZERO), ir.less(lowering.plies, ir.binary("sub", held, ir.ONE)))
        keep = (
            ir.Store(self.fewest, ending, ir.plus(lowering.plies, ir.ONE)),
            ir.Store(self.numbers, ending, lowering.game),
        )
        writer.emit(ir.If(ir.both(fewer, self.wanted(scene)), keep))

    def match_ended(self, winners: Words) -> None:
        pass


def sifted(
    instance: core.Instance, wanted: Wanted, seed: int, limits: Limits, rounds: int = ROUNDS
) -> Sequence[int | None]:
    """For every ending of an (optimised) instance the first match of one round that is wanted and has the fewest moves.

    Rounds that break a rule or do not end are left out, with what follows when they are many. Raises Unsupported, Trap.
    """
    if instance.open:
        raise Unsupported("options are left open")
    single = replace(instance, over=replace(core.TRUE, span=instance.over.span))
    try:
        playing = engine(single, Sift(wanted), Form.WASM, limits)
    except ModuleNotFoundError as missing:
        raise Unsupported(f"{missing.name} is not installed") from None
    first = failures = 0
    while first < rounds and failures < FAILURES:
        last = min(first + CHUNK, rounds)
        if playing.run(first, last, seed):
            first = last
        else:
            first, failures = playing.read("at")[0] + 1, failures + 1
    kept = zip(playing.read(FEWEST), playing.read(NUMBERS), strict=True)
    return [number if fewest else None for fewest, number in kept][: len(instance.endings)]
