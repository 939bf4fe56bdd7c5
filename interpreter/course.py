"""A match in progress as an immutable value: what was played, where it stands, and what comes of a move.

The chance of round N is that of match N - 1 of the seed; the deals take from it, then whatever fate adds to a move. What
players choose takes nothing: a match that is taken back and played on in another way meets the same fate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from domrules.interpreter.chance import Chance
from domrules.interpreter.names import Args, Move
from domrules.interpreter.play import Match, Ply, Round, Table
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.step import Placement
from domrules.interpreter.views import Past, View


@dataclass(frozen=True)
class Course:
    """A match as far as it has come. When a round has ended it is settled, and the last of `rounds`."""

    rules: Rules
    seed: int
    dealt: State
    """The round that was begun last, after its deal."""
    position: State
    chance: tuple[int, int]
    """Where the generator stands."""
    past: tuple[Past, ...] = ()
    """The plies of that round, each with the position before it."""
    rounds: tuple[Round, ...] = ()
    """The rounds that are settled."""

    @property
    def number(self) -> int:
        """The number of the round, from 1."""
        return len(self.rounds) + (self.ending is None)

    @property
    def ending(self) -> int | None:
        """The index of the ending of the round; none while it is played."""
        return self.rules.ending(self.position)

    @property
    def over(self) -> bool:
        """Is the match over?"""
        return self.ending is not None and self.rules.over(self.position)

    @property
    def plies(self) -> tuple[Ply, ...]:
        """The plies of the round that was begun last."""
        return tuple(Ply(one.mover, one.move, one.outcome) for one in self.past)

    @property
    def laid(self) -> list[Placement]:
        """What lies on the table, in the order it was laid."""
        return [p for one in self.past for p in self.rules.placements(one.state, one.move, one.outcome)]

    def view(self, player: int) -> View:
        """What a player sees."""
        return View(self.rules, self.position, player, self.past)

    def fate(self, move: Move) -> tuple[Args, tuple[int, int]]:
        """What the generator adds to a move, and where it stands then."""
        chance = Chance(*self.chance)
        return fate(self.rules, self.position, move, chance), (chance.s0, chance.s1)

    def play(self, move: Move, outcome: Args | None = None) -> Course:
        """After a legal move or event; without an outcome the generator decides it. Raises RuleError.

        The generator goes on by one number where fate has a say, also when the outcome is given.
        """
        drawn, chance = self.fate(move)
        added = drawn if outcome is None else outcome
        mover = None if self.rules.is_event(move) else self.rules.mover(self.position)
        after = self.rules.act(self.position, move, added)
        past = (*self.past, Past(self.position, mover, move, added))
        return replace(self, position=after, past=past, chance=chance)._settled()

    def next_round(self) -> Course:
        """After the next deal. Raises RuleError, Unfinished."""
        return dealt(self.rules, self.seed, self.position, self.rounds)

    def match(self) -> Match:
        """The match so far; the round that is being played is broken off."""
        rounds = self.rounds
        if self.ending is None:
            rounds = (*rounds, Round(self.dealt, self.plies, self._states, self.position, broken_off=True))
        return Match(rounds, self.rules.winners(self.position) if self.over else None, 0)

    @property
    def _states(self) -> tuple[State, ...]:
        return (*(one.state for one in self.past), self.position)

    def _settled(self) -> Course:
        if self.ending is None:
            return self
        settled = self.rules.settle(self.position)
        played = Round(self.dealt, self.plies, self._states, settled)
        return replace(self, position=settled, rounds=(*self.rounds, played))


def fate(rules: Rules, state: State, move: Move, chance: Chance) -> Args:
    """What a generator adds to a move; nothing where fate has no say, or nothing to give."""
    possible = rules.outcomes(state, move) if rules.has_chance(move) else ()
    return possible[chance.below(len(possible))] if possible else ()


def started(rules: Rules, seed: int) -> Course:
    """A match whose first round is dealt. Raises RuleError, Unfinished."""
    return dealt(rules, seed, rules.new_match())


def dealt(rules: Rules, seed: int, before: State, rounds: tuple[Round, ...] = ()) -> Course:
    """The next round of a match: a deal that the rules keep, and the begin blocks. Raises RuleError, Unfinished."""
    chance = Chance.named(seed, len(rounds))
    kept = Table(rules, (), chance).deal(before)
    return Course(rules, seed, kept, rules.begin(kept), (chance.s0, chance.s1), (), rounds)._settled()


def followed(rules: Rules, seed: int, rounds: Sequence[Round]) -> list[Course]:
    """A match that was played elsewhere: where it stood before every ply, after every round, and at last. Raises RuleError, Unfinished.

    Where nothing was played yet it begins with a deal of the seed.
    """
    found, settled = list[Course](), tuple[Round, ...]()
    for played in rounds:
        anew = dealt(rules, seed, played.dealt, settled)
        now = replace(anew, dealt=played.dealt, position=rules.begin(played.dealt), rounds=settled)._settled()
        found.append(now)
        for ply in played.plies:
            now = now.play(ply.move, ply.outcome)
            found.append(now)
        settled = now.rounds
    return found or [started(rules, seed)]
