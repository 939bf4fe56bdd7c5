"""How many deals have a property: counted exactly where that is possible, else estimated from a sample, which is said.

A deal lays n tiles into zones of fixed sizes. A property is a bit over "tile t lies in zone z". Zones that it cannot tell
apart are first taken together (often all hands: then a deal is a set of sleeping tiles). The rest is a walk over the
tiles: what is left of the property once some tiles have their place, and how many places are left, is a subproblem.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import factorial, prod

from domrules.interpreter.chance import Chance
from domrules.interpreter.play import deal
from domrules.interpreter.rules import Rules
from domrules.interpreter.samples import wilson
from domrules.interpreter.state import State, kth
from domrules.verifier import symbols
from domrules.verifier.dag import FALSE, TRUE, AtLeast, Bit, Dag, Or, Var, Xor
from domrules.verifier.relation import Relation
from domrules.verifier.solver import Answer, solve
from domrules.verifier.symbols import Cell, Members, Symbols
from domrules.verifier.valuation import Valuation

STEPS = 4_000
"""Subproblems of one count; what is left then is sampled. No clock decides, so that an answer repeats itself."""
SAMPLE = 1_000
"""Deals of a sample."""


@dataclass(frozen=True, slots=True)
class Rarity:
    """`some` of `all`; of a sample (`exact` false) the interval of the share is `low..high`."""

    some: int
    all: int
    exact: bool
    what: str
    """What was counted: deals, or sets of sleeping tiles."""
    low: float = 0.0
    high: float = 1.0

    @property
    def text(self) -> str:
        """In words."""
        if not self.exact:
            return self._sampled()
        if not self.some or self.some == self.all:
            return f"{'no' if not self.some else 'every'} deal ({self.all:,} {self.what}, counted)"
        share = Fraction(self.some, self.all)
        one = f"{share.denominator:,}" if share.numerator == 1 else f"about {told(self.all / self.some)}"
        return f"1 deal in {one} ({self.some:,} of {self.all:,} {self.what}, counted)"

    def _sampled(self) -> str:
        if not self.some:
            return f"rarer than 1 deal in {told(1 / self.high)} (none of {self.all:,} sampled, 95 %)"
        between = f"between 1 in {told(1 / self.high)} and 1 in {told(1 / self.low)}"
        return f"about 1 deal in {told(self.all / self.some)} ({between}: {self.some:,} of {self.all:,} sampled, 95 %)"


def told(number: float) -> str:
    """A number of deals, to be read."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


def rarity(rules: Rules, relation: Relation, dealt: Symbols, bit: Bit, *, seed: int = 1, steps: int = STEPS) -> Rarity:
    """How many of all deals of a first round have a property of `dealt`; those count too that are mixed again."""
    found = counted(relation, dealt, bit, steps)
    return sampled(rules, relation, dealt, bit, seed) if found is None else found


# ---------------------------------------------------------------- counting


def counted(relation: Relation, dealt: Symbols, bit: Bit, steps: int = STEPS) -> Rarity | None:
    """An exact count, or None: it depends on more than the deal, or takes too long."""
    dag, tiles = relation.dag, range(symbols.tile_count(relation.instance))
    sizes = {cell: count for cell, count in relation.counts().items() if count}
    held = {cell: dealt.zone(*cell) for cell in sizes}
    if not leaves(dag, bit) <= {b for zone in held.values() for b in zone.values()}:
        return None
    groups, bit = together(dag, held, len(tiles), bit)
    room = [sum(sizes[cell] for cell in group) for group in groups]
    rows = [[held[group[0]].get(tile, FALSE) for group in groups] for tile in tiles]
    try:
        some = Walk(dag, rows, steps).count(bit, tuple(tiles), tuple(room))
    except TooMany:
        return None
    two = len(groups) == 2 < len(held)
    return Rarity(some, ways(room), True, "sets of tiles that are not dealt" if two else "deals")


def ways(counts: Sequence[int]) -> int:
    """How many ways there are to lay tiles into zones of these sizes."""
    return factorial(sum(counts)) // prod(map(factorial, counts))


def leaves(dag: Dag, bit: Bit) -> set[int]:
    """The free Booleans of a formula; 0 stands for anything else it depends on."""
    found, seen, waiting = set[int](), set[int](), [abs(bit)]
    while waiting:
        node = waiting.pop()
        if node in seen or node == TRUE:
            continue
        seen.add(node)
        match dag.nodes[node]:
            case Var():
                found.add(node)
            case Or(parts) | Xor(parts):
                waiting += [abs(part) for part in parts]
            case AtLeast(weights):
                waiting += [abs(part) for part, _ in weights]
            case _:
                found.add(0)
    return found


def together(dag: Dag, held: Mapping[Cell, Members], count: int, bit: Bit) -> tuple[list[list[Cell]], Bit]:
    """Zones grouped so that the property does not ask which of a group a tile is in; the first of each stands for it."""
    side = [dag.exactly_one([zone.get(tile, FALSE) for zone in held.values()]) for tile in range(count)]
    groups = list[list[Cell]]()
    for name in dict.fromkeys(name for name, _ in held):
        cells = [cell for cell in held if cell[0] == name]
        first, *others = cells
        nowhere = {b: FALSE for cell in others for b in held[cell].values()}
        any_of = {b: dag.any([held[cell][tile] for cell in cells]) for tile, b in held[first].items()}
        same = dag.same(bit, substituted(dag, bit, {**nowhere, **any_of})) if others else TRUE
        if same == TRUE or solve(dag, [*side, -same], seconds=1.0).answer is Answer.NO:
            groups.append(cells)
            bit = substituted(dag, bit, nowhere)
        else:
            groups += [[cell] for cell in cells]
    return groups, bit


def substituted(dag: Dag, bit: Bit, values: Mapping[Bit, Bit], memo: dict[Bit, Bit] | None = None) -> Bit:
    """A formula with other formulas in place of some of its free Booleans. Works with a stack of its own."""
    done = {} if memo is None else memo
    waiting = [abs(bit)]
    while waiting:
        at = waiting[-1]
        if at in done:
            waiting.pop()
            continue
        node = dag.nodes[at]
        match node:
            case Or(parts) | Xor(parts):
                inside: Sequence[Bit] = list(parts)
            case AtLeast(weights):
                inside = [part for part, _ in weights]
            case _:
                done[at] = values.get(at, at)
                continue
        missing = [abs(part) for part in inside if abs(part) not in done]
        if missing:
            waiting += missing
            continue
        new = {part: done[abs(part)] if part > 0 else -done[abs(part)] for part in inside}
        match node:
            case Or():
                done[at] = dag.any(new.values())
            case Xor():
                done[at] = dag.xor(new.values())
            case _:
                total: dict[Bit, int] = {}
                bound = node.bound
                for part, weight in node.weights:
                    total[new[part]] = total.get(new[part], 0) + weight
                for part in [p for p in total if p < 0 and -p in total and p != FALSE]:
                    both = min(total[part], total[-part])
                    bound -= both
                    total[part] -= both
                    total[-part] -= both
                done[at] = dag.at_least(total, bound)
    return done[abs(bit)] if bit > 0 else -done[abs(bit)]


class TooMany(Exception):
    """More subproblems than allowed."""


class Walk:
    """Counts the placings of tiles that have a property. `rows[tile][place]`: the bit that the tile lies there."""

    def __init__(self, dag: Dag, rows: Sequence[Sequence[Bit]], steps: int) -> None:
        self.dag, self.rows, self.steps = dag, rows, steps
        self._leaves: dict[Bit, set[int]] = {}
        self._after: dict[tuple[Bit, int, int], Bit] = {}
        self._counts: dict[tuple[Bit, tuple[int, ...]], int] = {}

    def count(self, bit: Bit, tiles: tuple[int, ...], room: tuple[int, ...]) -> int:
        """Ways to lay the tiles into the room there is so that the property holds. Raises `TooMany`."""
        if bit == FALSE:
            return 0
        if bit == TRUE:
            return ways(room)
        found = self._counts.get((bit, room))
        if found is not None:
            return found
        if len(self._after) >= self.steps or len(self._counts) >= 20 * self.steps:
            raise TooMany
        tile = self.next(bit, tiles)
        rest = tuple(t for t in tiles if t != tile)
        total = 0
        for place, left in enumerate(room):
            if left:
                fewer = (*room[:place], left - 1, *room[place + 1 :])
                total += self.count(self.after(bit, tile, place), rest, fewer)
        self._counts[bit, room] = total
        return total

    def next(self, bit: Bit, tiles: Sequence[int]) -> int:
        """The first tile that the property still asks for."""
        if bit not in self._leaves:
            self._leaves[bit] = leaves(self.dag, bit)
        asked = self._leaves[bit]
        return next(tile for tile in tiles if any(b in asked for b in self.rows[tile]))

    def after(self, bit: Bit, tile: int, place: int) -> Bit:
        """What is left of the property once this tile lies there."""
        found = self._after.get((bit, tile, place))
        if found is None:
            values = {b: TRUE if k == place else FALSE for k, b in enumerate(self.rows[tile]) if b not in (TRUE, FALSE)}
            found = self._after[bit, tile, place] = substituted(self.dag, bit, values)
        return found


# ---------------------------------------------------------------- sampling


def sampled(rules: Rules, relation: Relation, dealt: Symbols, bit: Bit, seed: int) -> Rarity:
    """The share of random deals that have the property, and where the true share lies."""
    some = 0
    places = {cell: dealt.zone(*cell) for cell, n in relation.counts().items() if n}
    for state in islice(deals(rules, seed), SAMPLE):
        held = {cell: rules.layout.tiles(state, *cell) for cell in places}
        values = {b: bool(held[cell] >> t & 1) for cell, zone in places.items() for t, b in zone.items() if b != TRUE}
        some += Valuation(relation.dag, values, {}).bit(bit)
    return Rarity(some, SAMPLE, False, "deals", *wilson(some, SAMPLE))


def deals(rules: Rules, seed: int) -> Iterator[State]:
    """Random deals of a first round, those too that are mixed again."""
    chance, fresh = Chance.named(seed, 0), rules.new_round(rules.new_match())
    while True:
        yield deal(rules, fresh, lambda tiles: kth(tiles, chance.below(tiles.bit_count())))
