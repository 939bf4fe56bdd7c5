"""A deal that becomes known as rules ask about it: in place of a zone's tiles stands a `Held`, which answers for them.

Of every zone it is known which tiles it may hold and which it surely does, and of every group of zones how many they hold.
A question that this does not settle is answered in both ways, one after the other: `paths` runs the same closure again with
other answers. "None of these tiles is here" is remembered; of "some of them are" only what concerns a single tile, so a few
positions too many are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, TypeAlias, TypeVar

from domrules.interpreter.errors import RuleError
from domrules.interpreter.state import State, elements
from domrules.verifier.explicit.amounts import Amount, Anything
from domrules.verifier.explicit.explore import TooLarge

FORKS = 4_000
"""A rule that may come to more results than this in one position asks for more than is gone through."""

T = TypeVar("T")
Cells: TypeAlias = tuple[Any, ...]
"""The cells of a position; what stands where a zone is not known does not matter."""
Masks: TypeAlias = tuple[int, ...]
"""A set of tiles for each unknown zone."""


@dataclass(frozen=True, slots=True)
class Places:
    """The unknown zones: the cell and the group of each. And what else is not known."""

    cells: tuple[int, ...]
    groups: tuple[int, ...]
    numbers: tuple[int, ...] = ()
    """Cells that hold numbers of which nothing is known."""

    def alone(self, zone: int) -> bool:
        """Is it known how many tiles just this zone holds?"""
        return self.groups.count(self.groups[zone]) == 1


class TooManyAnswers(TooLarge):
    """A rule asks too much of tiles that are not known."""


class Contradiction(Exception):
    """No deal is as the answers say."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of the unknown zones, in their order."""

    count: tuple[int, ...]
    """How many tiles each group of zones holds."""
    may: Masks
    """Those it may hold. What it surely holds no other zone may."""
    sure: Masks

    def covers(self, other: Known) -> bool:
        """Is every deal that the other allows allowed here? Both hold as many tiles in each group."""
        return all(b & ~a == 0 for a, b in zip(self.may, other.may, strict=True)) and all(
            a & ~b == 0 for a, b in zip(self.sure, other.sure, strict=True)
        )


class World:
    """What is known while a rule is looked at: answers are taken from `script` as far as it goes, then they are yes."""

    __slots__ = ("count", "may", "most", "places", "said", "script", "sure", "taken")

    def __init__(self, known: Known, places: Places, script: Sequence[bool] = ()) -> None:
        self.places = places
        self.count, self.may, self.sure = list(known.count), list(known.may), list(known.sure)
        self.script, self.taken = script, list[bool]()
        self.said = set[tuple[int, int]]()
        self.most = dict[int, int]()
        """How many tiles some zones hold at most."""

    def state(self, cells: Cells) -> State:
        """The position, with zones that ask here."""
        held: list[Any] = [*cells]
        for zone, cell in enumerate(self.places.cells):
            held[cell] = Held(self, zone, -1)
        for cell in self.places.numbers:
            held[cell] = Anything(self)
        return State(tuple(held))

    def known(self) -> Known:
        return Known(tuple(self.count), tuple(self.may), tuple(self.sure))

    # ------------------------------------------------------------ questions

    def some(self, zone: int, mask: int) -> bool:
        """Does the zone hold any of these tiles?"""
        may = self.may[zone] & mask
        if not may:
            return False
        if self.sure[zone] & mask or self.crowded(zone, mask) or (zone, may) in self.said:
            return True
        answer = self.guess()
        if not answer:
            self.may[zone] &= ~may
            self.settle()
        elif may & (may - 1):
            self.said.add((zone, may))
        else:
            self.put(zone, may)
        return answer

    def crowded(self, zone: int, mask: int) -> bool:
        """Has the zone more tiles than the others that it may hold?"""
        rest = (self.may[zone] & ~mask).bit_count()
        return self.places.alone(zone) and self.count[self.places.groups[zone]] > rest

    def guess(self) -> bool:
        """The next answer, to whatever question."""
        place = len(self.taken)
        answer = self.script[place] if place < len(self.script) else True
        self.taken.append(answer)
        return answer

    def exactly(self, zone: int, mask: int) -> int:
        """Which of these tiles the zone holds, asked one by one."""
        return sum(1 << tile for tile in elements(self.may[zone] & mask) if self.some(zone, 1 << tile))

    def size(self, zone: int, mask: int) -> int | Amount:
        """How many of these tiles the zone holds."""
        if not self.may[zone] & ~mask:
            return self.count[self.places.groups[zone]] if self.places.alone(zone) else Amount(self, zone)
        return self.exactly(zone, mask).bit_count()

    def between(self, zone: int) -> tuple[int, int]:
        """The least and the most tiles that the zone can hold."""
        most = min(self.may[zone].bit_count(), self.count[self.places.groups[zone]])
        return self.sure[zone].bit_count(), min(most, self.most.get(zone, most))

    # ------------------------------------------------------------ changes

    def put(self, zone: int, tile: int) -> None:
        """The tile (a mask) is found to be here."""
        if not self.sure[zone] & tile:
            self.sure[zone] |= tile
            for other in range(len(self.may)):
                if other != zone:
                    self.may[other] &= ~tile
            self.settle()

    def hold(self, zone: int, most: int) -> None:
        """The zone is found to hold no more tiles than this. Raises Contradiction."""
        self.most[zone] = min(most, self.most.get(zone, most))
        self.settle()

    def leave(self, zone: int, tile: int) -> None:
        """A tile that is surely here goes away."""
        self.count[self.places.groups[zone]] -= 1
        self.may[zone] &= ~tile
        self.sure[zone] &= ~tile

    def enter(self, zone: int, tile: int) -> None:
        """A tile that lay where all is known comes here."""
        self.count[self.places.groups[zone]] += 1
        self.may[zone] |= tile
        self.sure[zone] |= tile

    def pass_on(self, source: int, target: int) -> None:
        """A tile goes from one zone to another, and nobody asks which."""
        self.count[self.places.groups[source]] -= 1
        self.count[self.places.groups[target]] += 1
        self.may[target] |= self.may[source]
        self.sure[source] = 0
        self.settle()

    def settle(self) -> None:
        """Draw the conclusions from how many tiles there are. Raises Contradiction."""
        groups = self.places.groups
        if len(self.count) == 1:
            if not self.fits_together():
                raise Contradiction
            return
        for group, room in enumerate(self.count):
            may = sure = 0
            for zone, mine in enumerate(groups):
                if mine == group:
                    may |= self.may[zone]
                    sure |= self.sure[zone]
            if may == sure:
                continue
            if sure.bit_count() == room:
                for zone, mine in enumerate(groups):
                    if mine == group:
                        self.may[zone] = self.sure[zone]
            elif may.bit_count() == room:
                for zone, mine in enumerate(groups):
                    if mine != group:
                        self.may[zone] &= ~may
                    elif self.places.alone(zone):
                        self.sure[zone] = may
        if not self.fits():
            raise Contradiction

    def alone_in(self, zone: int) -> int:
        """How many tiles no other zone may hold."""
        rest = 0
        for other, may in enumerate(self.may):
            if other != zone:
                rest |= may
        return (self.may[zone] & ~rest).bit_count()

    def fits_together(self) -> bool:
        """Is there room for every tile, as far as only the tiles of all zones are counted?"""
        everything = 0
        for may in self.may:
            everything |= may
        enough = everything.bit_count() >= sum(self.count)
        return enough and all(self.alone_in(zone) <= most for zone, most in self.most.items())

    def fits(self) -> bool:
        """Is there a deal? By the marriage theorem: together any groups may hold at least as many tiles as they do."""
        free, room = [0] * len(self.count), [*self.count]
        everything = taken = 0
        for zone, group in enumerate(self.places.groups):
            free[group] |= self.may[zone] & ~self.sure[zone]
            room[group] -= self.sure[zone].bit_count()
            everything |= self.may[zone]
            taken |= self.sure[zone]
        if not self.fits_together():
            return False
        narrow = [part for part in zip(free, room, strict=True) if part[0] != everything & ~taken]
        for size in range(1, len(narrow) + 1):
            for some in combinations(narrow, size):
                union = needed = 0
                for mask, count in some:
                    union |= mask
                    needed += count
                if union.bit_count() < needed:
                    return False
        return min(room) >= 0


class Held:
    """Some of the tiles of an unknown zone, in place of a mask: those among `mask`."""

    __slots__ = ("mask", "world", "zone")

    def __init__(self, world: World, zone: int, mask: int) -> None:
        self.world, self.zone, self.mask = world, zone, mask

    def pinned(self) -> int:
        """The mask itself."""
        return self.world.exactly(self.zone, self.mask)

    def options(self) -> Iterator[int]:
        """The tiles that may be here."""
        yield from elements(self.world.may[self.zone] & self.mask)

    def __and__(self, other: Any) -> Any:
        if isinstance(other, int):
            return Held(self.world, self.zone, self.mask & other)
        return 1 if isinstance(other, Drawn) else self.pinned() & other

    def __rshift__(self, tile: int) -> int:
        return int(bool(self.mask >> tile & 1) and self.world.some(self.zone, 1 << tile))

    def __bool__(self) -> bool:
        return self.world.some(self.zone, self.mask)

    def __eq__(self, other: object) -> bool:
        return not self if isinstance(other, int) and other == 0 else self.pinned() == other

    def __xor__(self, other: Any) -> Any:
        """What the end of a step does: the tile leaves, or comes."""
        if isinstance(other, Drawn):
            return other.moved(self)
        if self.mask != -1:
            return self.pinned() ^ other
        if self.world.sure[self.zone] & other:
            self.world.leave(self.zone, other)
        else:
            self.world.enter(self.zone, other)
        return self

    def bit_count(self) -> int | Amount:
        return self.world.size(self.zone, self.mask)

    def __hash__(self) -> int:
        return hash(self.pinned())

    def __index__(self) -> int:
        return self.pinned()

    def __lt__(self, other: int) -> bool:
        return self.pinned() < other

    def __neg__(self) -> int:
        return -self.pinned()

    def __invert__(self) -> int:
        return ~self.pinned()

    def __sub__(self, other: int) -> int:
        return self.pinned() - other

    def __or__(self, other: Any) -> Any:
        return self.pinned() | other

    def bit_length(self) -> int:
        return self.pinned().bit_length()

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__


class Drawn:
    """A tile that is moved without being looked at; as good as its mask as long as nobody asks which it is."""

    def __init__(self) -> None:
        self.source: Held | None = None

    def __rlshift__(self, one: int) -> Drawn:
        return self

    def __rand__(self, moved: int) -> int:
        return 0

    def __ror__(self, moved: int) -> int:
        return moved

    def moved(self, zone: Held) -> Held:
        """First it leaves a zone, then it comes to another."""
        if self.source is None:
            self.source = zone
        else:
            zone.world.pass_on(self.source.zone, zone.zone)
        return zone


def put(known: Known, places: Places, zone: int, tile: int) -> Known | None:
    """What is known when this tile is in this zone; None when it cannot be."""
    world = World(known, places)
    try:
        world.put(zone, 1 << tile)
    except Contradiction:
        return None
    return world.known()


def paths(cells: Cells, known: Known, places: Places, code: Callable[[State], T]) -> Iterator[tuple[T, World]]:
    """All that a closure may come to, each with what is known then. Where a rule breaks there is nothing.

    Raises TooManyAnswers.
    """
    script: list[bool] = []
    for _ in range(FORKS):
        world = World(known, places, script)
        try:
            found = code(world.state(cells))
        except (Contradiction, RuleError):
            pass
        else:
            yield found, world
        script = world.taken
        while script and not script[-1]:
            script.pop()
        if not script:
            return
        script[-1] = False
    raise TooManyAnswers(f"a rule can come to more than {FORKS} results, by tiles that are not known")
