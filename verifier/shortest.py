"""The fewest tiles on the table, then the fewest moves, until something holds (a round ends in a given way): proved and played.

    answer = shortest(study, rules, ended(study, rules, endings), facts)        # facts: proved ones, see `induction.prove`

The bound comes from positions (`bound`), the play from a bounded search (`unroll`) that is first led to the layout of the
bound and then left free; more moves are tried before more tiles. Whatever is found is replayed by the interpreter.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.verifier.bound import Bound, bound, laid, table
from domrules.verifier.dag import Bit, Number
from domrules.verifier.facts import Fact, asked
from domrules.verifier.goal import Goal
from domrules.verifier.relation import Relation
from domrules.verifier.solver import Answer
from domrules.verifier.study import Study
from domrules.verifier.symbols import Symbols
from domrules.verifier.unroll import Play
from domrules.verifier.witness import Unreplayable, Witness


@dataclass(frozen=True, slots=True)
class Limits:
    """How long to look: seconds of one query, of the whole search; moves and tiles beyond the bound."""

    query: float = 60.0
    search: float = 180.0
    moves: int = 12
    tiles: int = 12


class Sooner(Enum):
    """What is known of plays with as few tiles and fewer moves."""

    NEVER = "in no round"
    NOT_FIRST = "in no first round of a match"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Shortest:
    """A lower bound, and a play if one was found; `tiles` are on the table at its end."""

    bound: Bound
    witness: Witness | None
    tiles: int
    tried: int
    """The most moves for which a play within the bound was sought."""
    open: bool
    """Some query had no answer, so that not finding a play says little."""
    disagreement: str = ""
    """The interpreter did not follow a play in which nothing was forgotten."""
    chosen: bool = False
    """The play is the one to be shown."""
    sooner: Sooner = Sooner.UNKNOWN
    """Of a play with as few tiles as the bound says: is there one with fewer moves?"""
    before: State | None = None
    """The match before the round that is played, if it is not the first."""

    @property
    def tight(self) -> bool:
        """The play has as few tiles as the bound says."""
        return self.witness is not None and self.tiles == self.bound.tiles


def shortest(
    study: Study,
    rules: Rules,
    goal: Goal,
    facts: Sequence[Fact],
    limits: Limits = Limits(),
) -> Shortest:
    """Bound, then play."""
    lower = bound(study, goal, facts, seconds=limits.query)
    return played(Search(study, rules, goal, lower, limits))


def played(search: Search, first: Callable[[Search], Witness | None] | None = None) -> Shortest:
    """A play for a bound that is known; `first` may know one just at the bound, before the search."""
    lower = search.lower
    if not lower.possible:
        return Shortest(lower, None, lower.tiles, 0, open=bool(lower.reason))
    known = None if first is None else first(search)
    if known is not None:
        sooner = Sooner.NEVER if lower.begins == lower.moves else Sooner.NOT_FIRST
        return Shortest(lower, known, lower.tiles, lower.begins, open=False, sooner=sooner, chosen=True)
    return search.run()


class Search:
    """Looks for a play that comes to the goal with few tiles, in the first round or in the one after `before`."""

    def __init__(
        self, study: Study, rules: Rules, goal: Goal, lower: Bound, limits: Limits, before: State | None = None
    ) -> None:
        self.study, self.rules, self.goal = study, rules, goal
        self.lower, self.limits, self.before = lower, limits, before
        self.deadline = time.process_time() + limits.search
        self.tried, self.open = 0, False
        self.left: list[int] = []
        """Moves for which the solver gave up on the layout of the bound, and other layouts are still to be looked at."""

    def run(self) -> Shortest:
        """A play that replays; if one does not, because something it needs was forgotten, again with all numbers."""
        trouble = ""
        for keep_numbers in (False, True):
            play = self.play(keep_numbers=keep_numbers)
            try:
                for tiles, depth, led in self.plan():
                    witness = self.attempt(play, tiles, depth, led=led)
                    if witness is not None:
                        return self.found(witness, depth, keep_numbers=keep_numbers)
            except Unreplayable as error:
                trouble = str(error)
            else:
                return Shortest(self.lower, None, self.lower.tiles, self.tried, self.open)
        return Shortest(self.lower, None, self.lower.tiles, self.tried, self.open, trouble)

    def play(self, *, keep_numbers: bool, any_match: bool = False) -> Play:
        """An unrolled round, in which the facts behind the bound lead the solver."""
        view = self.study.view(asked(self.lower.needed) | self.goal.reads, keep_numbers=keep_numbers)
        facts = [fact for fact in self.lower.needed if fact.guides]
        return Play(self.study, view, facts, any_match=any_match, before=None if any_match else self.before)

    def found(self, witness: Witness, depth: int, *, keep_numbers: bool) -> Shortest:
        """The answer, with what is known of plays that are shorter still."""
        tiles = self.rules.on_table(witness.reached)
        sooner = Sooner.UNKNOWN
        if tiles == self.lower.tiles and not self.open:
            first = Sooner.NOT_FIRST if self.before is None else Sooner.UNKNOWN
            sooner = Sooner.NEVER if self.in_no_round(depth, keep_numbers=keep_numbers) else first
        return Shortest(self.lower, witness, tiles, self.tried, self.open, sooner=sooner, before=self.before)

    def in_no_round(self, depth: int, *, keep_numbers: bool) -> bool:
        """Can no round of any match come to the goal in fewer moves? For first rounds that is known."""
        if depth == self.lower.moves:
            return True
        play = self.play(keep_numbers=keep_numbers, any_match=True)
        if not play.differs:
            return True
        for sooner in range(self.lower.moves, depth):
            play.extend(sooner)
            bits = play.reaching(self.holds(play))
            if play.solve([*bits, self.few(play, self.lower.tiles)], seconds=self.limits.query).answer is not Answer.NO:
                return False
        return True

    def plan(self) -> Iterator[tuple[int, int, bool]]:
        """Tiles and moves to try, within the limits, and whether to be led by the layout of the bound.

        For each number of tiles more and more moves; what was left of the first number, before there are more tiles.
        """
        self.left = []
        for more in range(self.limits.tiles + 1):
            fewest = self.lower.begins + more
            for depth in range(fewest, fewest + self.limits.moves + 1):
                if self.late:
                    return
                yield self.lower.tiles + more, depth, not more
            left, self.left = self.left, []
            for depth in left:
                if self.late:
                    return
                yield self.lower.tiles, depth, False

    @property
    def query(self) -> float:
        """Seconds for the next query."""
        return max(min(self.limits.query, self.deadline - time.process_time()), 0.1)

    @property
    def late(self) -> bool:
        return time.process_time() > self.deadline

    def attempt(self, play: Play, tiles: int, depth: int, *, led: bool) -> Witness | None:
        """Look for a play of just so many moves with at most so many tiles; raises `Unreplayable`."""
        play = play if len(play.steps) <= depth else self.again(play)
        play.extend(depth)
        self.tried = max(self.tried, depth)
        goal, few = self.holds(play), self.few(play, tiles)
        layout = self.led(play.relation, play.states[-1]) if led else []
        for extra in ([layout] if layout else []) + [[]]:
            result = play.solve([*play.reaching(goal), few, *extra], seconds=self.query)
            if result.model is not None:
                return self.checked(play.replay(self.rules, result.model), tiles)
            if result.answer is Answer.UNKNOWN:
                self.open = True
                if extra:
                    self.left.append(depth)
                    return None
        return None

    def holds(self, play: Play) -> Bit:
        """The goal, after its last move."""
        return self.goal.holds(play.relation, play.end)

    def few(self, play: Play, tiles: int) -> Bit:
        """At most so many tiles lie on the table then."""
        dag = play.relation.dag
        return dag.at_least_zero(dag.add(Number(tiles), laid(play.relation, play.states[-1]), -1))

    def again(self, play: Play) -> Play:
        """A shorter play cannot be had from a longer one."""
        return Play(self.study, play.encoder.view, play.facts, before=self.before)

    def led(self, relation: Relation, state: Symbols) -> list[Bit]:
        """Just the layout of the bound lies on the table."""
        held = {(cell, tile): bit for cell in table(relation.instance) for tile, bit in state.zone(*cell).items()}
        if not self.lower.layout <= held.keys():
            return []
        return [bit if place in self.lower.layout else -bit for place, bit in held.items()]

    def checked(self, witness: Witness, tiles: int) -> Witness:
        """The witness, when the interpreter agrees about its end. Raises `Unreplayable`."""
        if not self.goal.met(witness.reached):
            ending = self.rules.ending(witness.reached)
            name = "none" if ending is None else self.study.instance.endings[ending].name
            raise Unreplayable(f"the play does not come to what was sought; its ending there: {name}")
        if self.rules.on_table(witness.reached) > tiles:
            raise Unreplayable(f"{self.rules.on_table(witness.reached)} tiles lie on the table there, not {tiles}")
        return witness
