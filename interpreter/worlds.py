"""From what one player has seen to positions he may take for true: hidden tiles where they can lie, and what cannot be.

A pass says something of a hand: with a tile that could be played it would not have been legal. So for every pass or draw
that was seen, and every tile, the rules are asked whether that move would have been legal with this tile alone in the
hand. Tiles that came to the hand later are not bound by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from domrules.grammar import core
from domrules.interpreter.chance import Chance
from domrules.interpreter.errors import RuleError
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State, elements
from domrules.interpreter.views import Glimpse, Hidden, View

TRIES = 8
"""So often hidden tiles are spread anew when they do not fit; the last time they lie anyhow."""


@dataclass
class Limit:
    """Of these tiles at most so many lie in this cell."""

    cell: int
    tiles: int
    most: int = 0


@dataclass(frozen=True)
class Sight:
    """A position as one player sees it: cells (None where tiles are hidden), how many lie there, and which these may be."""

    cells: tuple[core.Value, ...]
    sizes: Mapping[int, int]
    unseen: int

    @classmethod
    def of(cls, rules: Rules, view: View) -> Sight:
        cells, sizes, unseen = list[core.Value](), dict[int, int](), rules.instance.sorts["tile"].full
        for var, index, cell in rules.layout.walk():
            value = view.get(var.name, index)
            if isinstance(value, Hidden):
                sizes[cell] = value.size
                cells.append(None)
            else:
                cells.append(value)
                unseen &= ~int(value or 0) if var.zone else -1
        return cls(tuple(cells), sizes, unseen)

    def filled(self, lying: Mapping[int, int]) -> State:
        """The position with these tiles in its hidden cells."""
        return State(tuple(lying.get(c, value) for c, value in enumerate(self.cells)))


class Worlds:
    """The positions that are possible for one player."""

    def __init__(self, rules: Rules, view: View) -> None:
        self.rules, self.player = rules, view.player
        self.now = Sight.of(rules, view)
        instance = rules.instance
        self.telling = {
            number
            for number, action in enumerate(instance.actions)
            if action.name in (*instance.role("action", "pass"), *instance.role("action", "draw"))
        }
        self.limits = list(self.learn(list(view.glimpses())))

    # ------------------------------------------------------------ what was learnt

    def learn(self, glimpses: list[Glimpse]) -> Iterator[Limit]:
        """What every pass and draw of others says of the hand that is hidden now."""
        sights = [*(Sight.of(self.rules, one.before) for one in glimpses), self.now]
        limits = list[Limit]()
        for one, (before, after) in zip(glimpses, pairwise(sights), strict=True):
            if one.mover not in (None, self.player) and one.action in self.telling:
                limits += self.barred(before, one)
            shown = before.unseen & ~after.unseen
            for limit in limits:
                more = after.sizes.get(limit.cell, 0) - before.sizes.get(limit.cell, 0)
                gone = (shown & limit.tiles).bit_count() if more < 0 else 0
                limit.most = max(0, limit.most + max(more, 0) - gone)
        return (limit for limit in limits if limit.tiles & self.now.unseen and limit.cell in self.now.sizes)

    def barred(self, sight: Sight, one: Glimpse) -> Iterator[Limit]:
        """The tiles with which the move would not have been legal."""
        for name in self.rules.instance.role("zone", "hand"):
            owners = self.rules.instance.cells(name)
            cell = self.rules.layout.cell(name, one.mover if one.mover in owners else None)
            if cell in sight.sizes:
                found = sum(1 << t for t in elements(sight.unseen) if not self.legal(sight, cell, t, one.action))
                if found != sight.unseen:  # else it says nothing of single tiles
                    yield Limit(cell, found)

    def legal(self, sight: Sight, cell: int, tile: int, action: int) -> bool:
        """With this tile alone in a hidden cell, is there a move of this action?"""
        rest, lying = [t for t in elements(sight.unseen) if t != tile], {cell: 1 << tile}
        for other, size in sight.sizes.items():
            if other != cell:
                lying[other] = sum(1 << t for t in rest[:size])
                rest = rest[size:]
        try:
            return any(move.action == action for move in self.rules.legal_moves(sight.filled(lying)))
        except RuleError:
            return True

    def never(self) -> dict[int, int]:
        """By hidden cell the tiles that cannot lie there."""
        found = dict[int, int]()
        for limit in self.limits:
            if not limit.most:
                found[limit.cell] = found.get(limit.cell, 0) | limit.tiles & self.now.unseen
        return found

    # ------------------------------------------------------------ what may be

    def world(self, chance: Chance) -> State:
        """A position that agrees with all that was seen, taken at random; as well as it can be done in a few tries."""
        for _ in range(TRIES):
            lying = self.spread(chance, strict=True)
            if lying is not None:
                return self.now.filled(lying)
        lying = self.spread(chance, strict=False)
        assert lying is not None
        return self.now.filled(lying)

    def spread(self, chance: Chance, strict: bool) -> dict[int, int] | None:
        """The unseen tiles in the hidden cells; those first that fit in the fewest of them."""
        rooms, lying = dict(self.now.sizes), dict.fromkeys(self.now.sizes, 0)
        left = [limit.most for limit in self.limits]
        barring = self.never()
        tiles = list(elements(self.now.unseen))
        for i in reversed(range(1, len(tiles))):
            j = chance.below(i + 1)
            tiles[i], tiles[j] = tiles[j], tiles[i]
        tiles.sort(key=lambda t: -sum(mask >> t & 1 for mask in barring.values()))
        for tile in tiles:
            fit = [c for c in rooms if rooms[c] and self.fits(c, tile, left)]
            if not fit and strict:
                return None
            fit = fit or [c for c in rooms if rooms[c]]
            k = chance.below(sum(rooms[c] for c in fit))
            cell = next(c for n, c in enumerate(fit) if k < sum(rooms[d] for d in fit[: n + 1]))
            rooms[cell] -= 1
            lying[cell] |= 1 << tile
            for number, limit in enumerate(self.limits):
                if limit.cell == cell and limit.tiles >> tile & 1:
                    left[number] -= 1
        return lying

    def fits(self, cell: int, tile: int, left: list[int]) -> bool:
        """Does no limit forbid the tile there?"""
        limits = zip(self.limits, left, strict=True)
        return all(n > 0 for limit, n in limits if limit.cell == cell and limit.tiles >> tile & 1)
