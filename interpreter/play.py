"""From rules, players and a seed to a match: deals, rounds, their settlement, and the digest of all that was decided.

A round: all tiles lie in the stock and round states are at their initial values; the deals in written order, every
cell of the target in turn, tile by tile; if `redeal` holds then, all of this again; the begin blocks; the endings that
may hold from the start; then moves, after each of which the endings are looked at in order, until one holds; then the
settlements. A match: rounds until `over` holds after a settlement.

Everything that is decided is an event with n possibilities of which one, k, comes about: the tile that is dealt (the
k-th lowest of its source), the move that is made (the k-th legal one), what fate adds to it (the k-th outcome).
The digest takes n and k of every event, and the score cells after each round; it knows no names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from domrules.grammar.source import NOWHERE
from domrules.interpreter.chance import Chance, Digest
from domrules.interpreter.errors import BadPlayer, Rule, RuleError, Unfinished
from domrules.interpreter.limits import LIMITS
from domrules.interpreter.limits import Limits as Limits
from domrules.interpreter.names import Args, Move, describe
from domrules.interpreter.players import Player, RandomPlayer
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State, kth
from domrules.interpreter.step import Placement
from domrules.interpreter.views import Past, View


@dataclass(frozen=True, slots=True)
class Ply:
    """A move as it was made: by whom (none where the game has no mover), and what fate added."""

    mover: int | None
    move: Move
    outcome: Args = ()


@dataclass(frozen=True, slots=True)
class Round:
    """A round as it was played. `dealt`: after the deal that was kept, before the begin blocks.

    A round that was broken off has no ending; `ended` and `settled` are both the last state.
    """

    dealt: State
    plies: tuple[Ply, ...]
    states: tuple[State, ...]
    """After the begin blocks, and after every ply; none where a begin block broke a rule."""
    settled: State
    broken_off: bool = False

    @property
    def ended(self) -> State:
        """As it stood before the settlement."""
        return self.states[-1] if self.states else self.dealt


@dataclass(frozen=True, slots=True)
class Match:
    """A match as it was played; `winners` is a mask of teams, none when it was broken off; `digest` see above."""

    rounds: tuple[Round, ...]
    winners: int | None
    digest: int


@dataclass
class Table:
    """Where a match is played: the rules, who decides, and what was decided so far."""

    rules: Rules
    players: Sequence[Player]
    chance: Chance
    limits: Limits = LIMITS
    digest: Digest = field(default_factory=Digest)
    played: list[Round] = field(default_factory=list)
    """The rounds of this match that are over."""
    now: Round | None = None
    """The round that is being played, as far as it has come."""

    def draw(self, n: int) -> int:
        """An event that chance decides."""
        return self.note(n, self.chance.below(n))

    def take(self, tiles: int) -> int:
        """Draw one of these tiles."""
        return kth(tiles, self.draw(tiles.bit_count()))

    def note(self, n: int, k: int) -> int:
        """Write down an event; gives its k back."""
        self.digest.feed(n, k)
        return k

    def match(self, state: State, stop: int | None = None) -> Match:
        """Rounds until the match is over, or until `stop` of them are played."""
        self.played = []
        while not self.played or not self.rules.over(state):
            if len(self.played) == stop:
                return self.so_far()
            if len(self.played) == self.limits.rounds:
                raise Unfinished(f"the match is not over after {self.limits.rounds} rounds")
            played = self.round(state)
            self.played.append(played)
            state = played.settled
        return Match(tuple(self.played), self.rules.winners(state), self.digest.value)

    def so_far(self) -> Match:
        """The match as far as it has come: its rounds, and the moves of the one that was broken off."""
        now = () if self.now is None else (self.now,)
        return Match((*self.played, *now), None, self.digest.value)

    def round(self, state: State) -> Round:
        """Deal, begin, moves until an ending, settlement."""
        rules, plies, states, past = self.rules, list[Ply](), list[State](), list[Past]()
        self.now = None
        dealt = state = self.deal(state)
        try:
            state = rules.begin(dealt)
            states.append(state)
            while rules.ending(state) is None:
                if len(plies) == self.limits.moves:
                    raise Unfinished(f"a round has not ended after {self.limits.moves} moves")
                ply = self.ply(state, past)
                after = rules.act(state, ply.move, ply.outcome)
                plies.append(ply)
                past.append(Past(state, ply.mover, ply.move, ply.outcome))
                state = after
                states.append(state)
            settled = rules.settle(state)
        except (RuleError, Unfinished, BadPlayer, KeyboardInterrupt):
            self.now = Round(dealt, tuple(plies), tuple(states), state, broken_off=True)
            raise
        self.digest.feed(*rules.scores(settled))
        return Round(dealt, tuple(plies), tuple(states), settled)

    def ply(self, state: State, past: Sequence[Past] = ()) -> Ply:
        """The move that the player to move makes, and what fate adds; `past` are the plies before."""
        rules, moves = self.rules, self.rules.legal_moves(state)
        if not moves:
            raise rules.stuck(state)
        mover = rules.mover(state)
        seat = mover or 0
        move = moves[self.note(len(moves), self.players[seat].choose(View(rules, state, seat, past), moves))]
        if not rules.has_chance(move):
            return Ply(mover, move)
        outcomes = rules.outcomes(state, move)
        return Ply(mover, move, outcomes[self.draw(len(outcomes))])

    def deal(self, state: State) -> State:
        """Mix and deal until the rules keep it."""
        for _ in range(self.limits.deals):
            dealt = deal(self.rules, self.rules.new_round(state), self.take)
            if not self.rules.wants_redeal(dealt):
                return dealt
        raise Unfinished(f"the rules ask for a new deal {self.limits.deals} times running")


def deal(rules: Rules, state: State, take: Callable[[int], int]) -> State:
    """Deal in written order, every cell of the target in turn, tile by tile; `take` picks one of the source's tiles."""
    instance, layout, cells = rules.instance, rules.layout, list(state.cells)
    for number, (count, source, target) in enumerate(instance.deals):
        origin = layout.cell(source)
        for goal in layout.cells(target):
            for _ in range(count):
                tiles = int(cells[origin] or 0)
                if not tiles:
                    raise out_of_tiles(rules, state, number)
                tile = 1 << take(tiles)
                cells[origin] = tiles ^ tile
                cells[goal] = int(cells[goal] or 0) | tile
    return State(tuple(cells))


def deal_sizes(rules: Rules) -> dict[int, int]:
    """How many tiles each cell holds after the deal, of the cells that are dealt to; the stock comes last, with what is left."""
    layout, stock = rules.layout, rules.layout.cell(rules.stock)
    sizes = {stock: rules.instance.sorts["tile"].size}
    for count, source, target in rules.instance.deals:
        for cell in layout.cells(target):
            sizes[cell] = sizes.get(cell, 0) + count
            sizes[layout.cell(source)] = sizes.get(layout.cell(source), 0) - count
    left = sizes.pop(stock)
    return {**sizes, stock: left}


def out_of_tiles(rules: Rules, state: State, number: int) -> RuleError:
    """The error of a deal that needs more tiles than there are."""
    count, source, target = rules.instance.deals[number]
    spans = [d.span for d in rules.instance.game.deals]
    span = spans[number] if number < len(spans) else NOWHERE
    sentence = f"{source} has too few tiles to deal {count} to {target}"
    return RuleError(Rule.NOT_THERE, sentence, span, describe(rules.layout, state))


def play_match(
    rules: Rules,
    chance: Chance,
    players: Sequence[Player] | None = None,
    limits: Limits = LIMITS,
    before: State | None = None,
    stop: int | None = None,
) -> Match:
    """Play a match; without `players` all are random, `before` is the state it starts from, `stop` a number of rounds.

    Raises `RuleError` and `Unfinished`.
    """
    seats = players if players is not None else [RandomPlayer(chance)] * rules.instance.players
    return Table(rules, seats, chance, limits).match(rules.new_match() if before is None else before, stop)


def placements(rules: Rules, played: Round) -> tuple[tuple[Placement, ...], ...]:
    """For every ply of a round, the tiles it laid on the table; boards are drawn from this alone."""
    each = zip(played.states, played.plies, strict=False)
    return tuple(rules.placements(state, ply.move, ply.outcome) for state, ply in each)
