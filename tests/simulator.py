"""From (game, seed, index) to a random match of block, draw or fives, written from the rules alone.

A second opinion on the interpreter: it shares no code with the package, and has to play the same
games move for move. Every chance event and every choice, forced ones included, takes one random
number and with it the k-th of n things in their canonical order.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

T = TypeVar("T")
Name = Literal["block", "draw", "fives"]
Ending = Literal["out", "blocked", "score"]
Tile = tuple[int, int]

MASK = 2**64 - 1
TILES: list[Tile] = [(low, high) for low in range(7) for high in range(low, 7)]
TARGET = {"block": 100, "draw": 100, "fives": 150}


@dataclass(frozen=True)
class Round:
    """What a round came to; `moves` counts leads, plays, draws and passes, `plays` the tiles laid."""

    leader: int
    ending: Ending
    winner: int | None
    moves: int
    plays: int
    scores: tuple[int, ...]


@dataclass(frozen=True)
class Game:
    """A match: the names of the moves of all its rounds in one list, and the digest of its trace."""

    moves: list[str]
    rounds: list[Round]
    digest: int


def splitmix64(state: int) -> Callable[[], int]:
    """Return the function that gives the next output."""

    def output() -> int:
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    return output


def rotl(x: int, bits: int) -> int:
    return ((x << bits) | (x >> (64 - bits))) & MASK


class Chance:
    """The random numbers of one game (xoroshiro128+), and the digest (FNV-1a by words) of its trace."""

    def __init__(self, seed: int, index: int) -> None:
        output = splitmix64((splitmix64(seed & MASK)() ^ index) & MASK)
        self.s0, self.s1 = output(), output()
        self.digest = 0xCBF29CE484222325

    def feed(self, *numbers: int) -> None:
        for x in numbers:
            self.digest = ((self.digest ^ (x & MASK)) * 0x100000001B3) & MASK

    def below(self, n: int) -> int:
        result = (self.s0 + self.s1) & MASK
        self.s1 ^= self.s0
        self.s0 = rotl(self.s0, 24) ^ self.s1 ^ ((self.s1 << 16) & MASK)
        self.s1 = rotl(self.s1, 37)
        return ((result >> 32) * n) >> 32

    def pick(self, things: Sequence[T]) -> T:
        k = self.below(len(things))
        self.feed(len(things), k)
        return things[k]


class Layout:
    """The tiles as they lie: the line from left to right, the arms of the spinner from it outwards."""

    def __init__(self, cross: bool) -> None:
        self.cross = cross
        self.line: list[Tile] = []
        self.arms: dict[str, list[Tile]] = {"up": [], "down": []}
        self.spinner: Tile | None = None

    def sides(self) -> list[tuple[str, int]]:
        """The open sides in canonical order, each with the number to match."""
        ends = [("left", self.line[0][0]), ("right", self.line[-1][1])]
        if not self.cross:
            return ends[:1] if ends[0][1] == ends[1][1] else ends
        spinner = self.spinner
        if spinner and spinner in self.line[1:-1]:
            ends += [(side, arm[-1][1] if arm else spinner[1]) for side, arm in self.arms.items()]
        return ends

    def lay(self, tile: Tile, side: str, number: int) -> None:
        if self.spinner is None and tile[0] == tile[1]:
            self.spinner = tile
        outwards = tile if tile[0] == number else (tile[1], tile[0])
        if side == "left":
            self.line.insert(0, (outwards[1], outwards[0]))
        else:
            self.arms.get(side, self.line).append(outwards)

    def total(self) -> int:
        """The sum of the open ends, all pips of a double among them."""
        if len(self.line) == 1:
            return sum(self.line[0])
        outer = [(self.line[0][1], self.line[0][0]), self.line[-1]]
        outer += [arm[-1] for arm in self.arms.values() if arm]
        return sum(2 * b if a == b else b for a, b in outer)


class Match:
    """A match under way; `play_round` is the rules of all three games."""

    def __init__(self, name: Name, players: int, hand: int, chance: Chance) -> None:
        self.name, self.players, self.hand, self.chance = name, players, hand, chance
        self.fives, self.drawing = name == "fives", name != "block"
        self.scores = [0] * players
        self.starter: int | None = None if self.fives else 0
        self.moves: list[str] = []
        self.rounds: list[Round] = []

    def over(self) -> bool:
        return max(self.scores) >= TARGET[self.name]

    def take(self, player: int) -> Tile:
        tile = self.chance.pick(self.boneyard)
        self.boneyard.remove(tile)
        self.hands[player] = sorted([*self.hands[player], tile])
        return tile

    def playable(self, player: int) -> list[tuple[str, int, Tile]]:
        sides, hand = self.layout.sides(), self.hands[player]
        return [(side, number, tile) for side, number in sides for tile in hand if number in tile]

    def lead(self) -> Tile:
        """Settle who leads, and let him choose the tile."""
        forced = None
        if self.starter is None:
            forced = max((t for hand in self.hands for t in hand), key=lambda t: (sum(t), t[1]))
            self.starter = next(p for p, hand in enumerate(self.hands) if forced in hand)
        return self.chance.pick([forced] if forced else self.hands[self.starter])

    def move(self, player: int) -> str:
        """Make one move and return its name."""
        plays = self.playable(player)
        if plays:
            side, number, tile = self.chance.pick(plays)
            self.put(player, tile, side, number)
            return f"play({side},{number},{tile[0]}|{tile[1]})"
        if self.drawing and self.boneyard:
            self.chance.pick(["draw"])
            low, high = self.take(player)
            return f"draw({low}|{high})"
        return self.chance.pick(["pass"])

    def put(self, player: int, tile: Tile, side: str, number: int) -> None:
        self.hands[player].remove(tile)
        self.layout.lay(tile, side, number)
        if self.fives and self.layout.total() % 5 == 0:
            self.scores[player] += self.layout.total()

    def ending(self, player: int) -> Ending | None:
        """Whether the move just made ends the round; the order of the three is part of the rules."""
        if self.fives and self.over():
            return "score"
        if not self.hands[player]:
            return "out"
        stuck = not any(self.playable(p) for p in range(self.players))
        return "blocked" if stuck and not (self.drawing and self.boneyard) else None

    def play_round(self) -> None:
        self.boneyard = list(TILES)
        self.hands: list[list[Tile]] = [[] for _ in range(self.players)]
        self.layout = Layout(cross=self.fives)
        for player in range(self.players):
            for _ in range(self.hand):
                self.take(player)

        tile = self.lead()
        assert self.starter is not None
        leader = player = self.starter
        self.put(player, tile, "right", tile[0])
        names = [f"lead({tile[0]}|{tile[1]})"]
        while (ending := self.ending(player)) is None:
            if not names[-1].startswith("draw"):  # who draws stays on turn
                player = (player + 1) % self.players
            names.append(self.move(player))

        winner = self.settle(ending, player)
        self.chance.feed(*self.scores)
        self.moves += names
        plays = sum(name.startswith(("lead", "play")) for name in names)
        self.rounds.append(Round(leader, ending, winner, len(names), plays, tuple(self.scores)))

    def settle(self, ending: Ending, player: int) -> int | None:
        """Book the round and say who won it; who leads the next is kept in `starter`."""
        pips = [sum(map(sum, hand)) for hand in self.hands]
        if ending == "score":
            return player
        lowest = [p for p in range(self.players) if pips[p] == min(pips)]
        if ending == "blocked" and len(lowest) > 1:
            return None
        winner = player if ending == "out" else lowest[0]
        others = sum(pips) - pips[winner]
        self.scores[winner] += (others + 2) // 5 * 5 if self.fives else others
        if ending == "out" or not self.fives:
            self.starter = winner
        return winner


def play(
    name: Name, seed: int, index: int = 0, *, players: int = 2, hand: int | None = None, one_round: bool = False
) -> Game:
    """Play a match, or its first round only; `hand` is 7, in fives with three or four players 5."""
    dealt = hand or (5 if name == "fives" and players > 2 else 7)
    chance = Chance(seed, index)
    match = Match(name, players, dealt, chance)
    match.play_round()
    while not (one_round or match.over()):
        match.play_round()
    return Game(match.moves, match.rounds, chance.digest)
