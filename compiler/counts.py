"""What is counted of all matches while they are played: inside the compiled code, so that a million of them cost nothing to keep."""

from __future__ import annotations

from dataclasses import dataclass

from domrules.compiler import ir
from domrules.compiler.engine import Engine
from domrules.compiler.lower import Lowering, Recorder
from domrules.compiler.writer import Unsupported, Words
from domrules.grammar import core
from domrules.interpreter.limits import LIMITS

MOVES = 512
"""Rounds of so many moves or more are counted together."""
MAX_TEAMS = 8
"""In compiled code."""
MOST_TEAMS = 16


@dataclass(frozen=True)
class Shape:
    """What is counted, as names of arrays and their sizes."""

    players: int
    teams: int
    endings: int
    actions: int
    scores: int

    @classmethod
    def of(cls, instance: core.Instance) -> Shape:
        teams = instance.sorts["team"].size
        if teams > MOST_TEAMS:
            raise Unsupported(f"{teams} teams; at most {MOST_TEAMS} are counted")
        scores = sum(len(instance.cells(name)) for name in instance.role("state", "score"))
        return cls(instance.players, teams, len(instance.endings), len(instance.actions), scores)

    def arrays(self) -> dict[str, int]:
        return {
            "outcomes": self.players << self.teams,
            "rounds": LIMITS.rounds + 1,
            "lengths": MOVES,
            "ended": max(1, self.endings),
            "paid": max(1, self.endings),
            "acted": max(1, self.actions),
            "scores": max(1, self.scores),
            "sums": len(SUMS),
            "highs": len(HIGHS),
            "lows": len(HIGHS),
        }


SUMS = ("moves", "choices", "offered", "played")
"""Moves; those with more than one possibility; all possibilities; points made in play."""
HIGHS = ("moves", "rounds", "match", "offered", "score")
"""Greatest and least: moves of a round, rounds of a match, moves of a match, possibilities of a move, final score."""


class Counts(Recorder):
    """A recorder that counts."""

    def open(self, lowering: Lowering) -> None:
        self.lowering, writer = lowering, lowering.writer
        instance = lowering.instance
        self.shape = Shape.of(instance)
        if self.shape.teams > MAX_TEAMS:
            raise Unsupported(f"{self.shape.teams} teams; at most {MAX_TEAMS} are counted")
        self.arrays = {name: writer.array(size, name) for name, size in self.shape.arrays().items()}
        self.first, self.match_moves, self.choices, self.offered = (writer.local() for _ in range(4))
        self.before = [writer.local() for _ in range(self.shape.scores)]
        self.numbers = {a.name: i for i, a in enumerate(instance.actions)}

    # ------------------------------------------------------------ writing

    def add(self, array: str, index: ir.Expr, amount: ir.Expr) -> None:
        a = self.arrays[array]
        self.lowering.writer.emit(ir.Store(a, index, ir.plus(ir.Load(a, index), amount)))

    def extreme(self, name: str, value: ir.Expr) -> None:
        """Keep the greatest and the least; before anything was seen both are 0, so they hold value + 1 until they are read."""
        writer, index = self.lowering.writer, ir.Const(HIGHS.index(name))
        value = writer.let(value)
        shifted = writer.let(ir.plus(value, ir.Const(SHIFT)))
        for array, better in (("highs", True), ("lows", False)):
            a = self.arrays[array]
            old = ir.Load(a, index)
            test = ir.less(old, shifted) if better else ir.less(shifted, old)
            writer.emit(ir.If(ir.either(ir.equal(old, ir.ZERO), test), (ir.Store(a, index, shifted),)))

    def gained(self) -> ir.Expr:
        """Points since the last look; looks again."""
        writer = self.lowering.writer
        gain: ir.Expr = ir.ZERO
        for old, now in zip(self.before, self.lowering.scores(), strict=True):
            gain = ir.plus(gain, ir.binary("sub", now, old))
        gain = writer.let(gain)
        self.look()
        return gain

    def look(self) -> None:
        for old, now in zip(self.before, self.lowering.scores(), strict=True):
            self.lowering.writer.emit(ir.Assign(old, now))

    def match_begins(self) -> None:
        for local in (self.match_moves, self.choices, self.offered, self.first):
            self.lowering.writer.emit(ir.Assign(local, ir.ZERO))

    def round_begins(self) -> None:
        lowering, mover = self.lowering, self.lowering.instance.role("state", "mover")
        if mover and lowering.instance.vars[mover[0]].per is None:
            (now,) = lowering.ex.slots[mover[0]].locals
            seen = ir.pick(ir.less(now, ir.ZERO), ir.ZERO, now)
            lowering.writer.emit(ir.If(ir.equal(lowering.rounds, ir.ZERO), (ir.Assign(self.first, seen),)))
        self.look()

    def chosen(self, n: ir.Expr) -> None:
        writer = self.lowering.writer
        writer.emit(ir.Assign(self.offered, ir.plus(self.offered, n)))
        writer.emit(ir.Assign(self.choices, ir.plus(self.choices, ir.unary("int", ir.less(ir.ONE, n)))))
        a, index = self.arrays["highs"], ir.Const(HIGHS.index("offered"))
        shifted = ir.plus(n, ir.Const(SHIFT))
        writer.emit(ir.If(ir.less(ir.Load(a, index), shifted), (ir.Store(a, index, shifted),)))

    def acted(self, action: core.Action) -> None:
        self.add("acted", ir.Const(self.numbers[action.name]), ir.ONE)

    def round_ended(self) -> None:
        lowering, writer = self.lowering, self.lowering.writer
        plies = lowering.plies
        self.add("ended", lowering.ending, ir.ONE)
        self.add("lengths", ir.pick(ir.less(plies, ir.Const(MOVES)), plies, ir.Const(MOVES - 1)), ir.ONE)
        self.extreme("moves", plies)
        writer.emit(ir.Assign(self.match_moves, ir.plus(self.match_moves, plies)))
        if self.before:
            self.add("sums", ir.Const(SUMS.index("played")), self.gained())

    def settled(self) -> None:
        if self.before:
            self.add("paid", self.lowering.ending, self.gained())

    def match_ended(self, winners: Words) -> None:
        rounds = self.lowering.rounds
        place = ir.plus(ir.binary("mul", self.first, ir.Const(1 << self.shape.teams)), winners[0])
        self.add("outcomes", self.lowering.writer.let(place), ir.ONE)
        self.add("rounds", rounds, ir.ONE)
        self.extreme("rounds", rounds)
        self.extreme("match", self.match_moves)
        for name, value in (("moves", self.match_moves), ("choices", self.choices), ("offered", self.offered)):
            self.add("sums", ir.Const(SUMS.index(name)), value)
        for i, score in enumerate(self.lowering.scores()):
            self.add("scores", ir.Const(i), score)
            self.extreme("score", score)


SHIFT = 1 << 42
"""Added to greatest and least values, so that 0 stands for nothing seen."""


@dataclass(frozen=True)
class Tally:
    """Counts of some matches; those of other matches can be added."""

    shape: Shape
    arrays: dict[str, tuple[int, ...]]

    @classmethod
    def nothing(cls, shape: Shape) -> Tally:
        """The counts of no matches."""
        return cls(shape, {name: (0,) * size for name, size in shape.arrays().items()})

    @classmethod
    def read(cls, engine: Engine, shape: Shape) -> Tally:
        return cls(shape, {name: tuple(engine.read(name)) for name in shape.arrays()})

    def __add__(self, other: Tally) -> Tally:
        pairs = {name: zip(mine, other.arrays[name], strict=True) for name, mine in self.arrays.items()}
        return Tally(self.shape, {name: tuple(_merge(name, a, b) for a, b in pair) for name, pair in pairs.items()})

    @property
    def matches(self) -> int:
        return sum(self.arrays["outcomes"])

    @property
    def rounds(self) -> int:
        return sum(self.arrays["ended"])

    def sum(self, name: str) -> int:
        return self.arrays["sums"][SUMS.index(name)]

    def high(self, name: str) -> int:
        return self._extreme("highs", name)

    def low(self, name: str) -> int:
        return self._extreme("lows", name)

    def _extreme(self, array: str, name: str) -> int:
        held = self.arrays[array][HIGHS.index(name)]
        return held - SHIFT if held else 0

    def outcomes(self) -> dict[tuple[int, int], int]:
        """How many matches by who was to move first and which teams won (a mask)."""
        found = self.arrays["outcomes"]
        return {(i >> self.shape.teams, i & (1 << self.shape.teams) - 1): n for i, n in enumerate(found) if n}


def _merge(name: str, a: int, b: int) -> int:
    match name:
        case "highs":
            return max(a, b)
        case "lows":
            return min(a, b) if a and b else a or b
        case _:
            return a + b
