"""Item F2 and its like: the fewest tiles on the table when a round ends in a given way, proved and played.

    answer = shortest(study, rules, endings, facts)        # facts: proved ones, see `induction.prove`

The bound comes from positions (`bound`), the play from a bounded search (`unroll`) that is first led to the layout of the
bound and then left free; more moves are tried before more tiles. Whatever is found is replayed by the interpreter.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domrules.interpreter.rules import Rules
from domrules.verifier.bound import Bound, bound, laid, table
from domrules.verifier.dag import Bit, Number
from domrules.verifier.facts import Fact, asked
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

    @property
    def tight(self) -> bool:
        """The play has as few tiles as the bound says."""
        return self.witness is not None and self.tiles == self.bound.tiles


def shortest(
    study: Study, rules: Rules, endings: Sequence[int], facts: Sequence[Fact], limits: Limits = Limits()
) -> Shortest:
    """Bound, then play."""
    lower = bound(study, endings, facts, seconds=limits.query)
    if not lower.possible:
        return Shortest(lower, None, lower.tiles, 0, open=bool(lower.reason))
    search = Search(study, rules, endings, lower, limits)
    return search.run()


class Search:
    """Looks for a play that ends in one of the given ways with few tiles."""

    def __init__(self, study: Study, rules: Rules, endings: Sequence[int], lower: Bound, limits: Limits) -> None:
        self.study, self.rules, self.endings = study, rules, endings
        self.lower, self.limits = lower, limits
        self.deadline = time.perf_counter() + limits.search
        self.tried, self.open = 0, False

    def run(self) -> Shortest:
        """A play that replays; if one does not, because something it needs was forgotten, again with all numbers."""
        trouble = ""
        for keep_numbers in (False, True):
            play = self.play(keep_numbers=keep_numbers)
            try:
                for tiles, depth in self.plan():
                    witness = self.attempt(play, tiles, depth)
                    if witness is not None:
                        return Shortest(self.lower, witness, self.tiles_laid(witness), self.tried, self.open)
            except Unreplayable as error:
                trouble = str(error)
            else:
                return Shortest(self.lower, None, self.lower.tiles, self.tried, self.open)
        return Shortest(self.lower, None, self.lower.tiles, self.tried, self.open, trouble)

    def play(self, *, keep_numbers: bool) -> Play:
        """An unrolled round, in which the facts behind the bound lead the solver."""
        view = self.study.view(asked(self.lower.needed), keep_numbers=keep_numbers)
        return Play(self.study, view, [fact for fact in self.lower.needed if fact.guides])

    def plan(self) -> Iterator[tuple[int, int]]:
        """Tiles and moves to try, within the limits: for each number of tiles more and more moves."""
        for more in range(self.limits.tiles + 1):
            for depth in range(self.lower.moves + more, self.lower.moves + more + self.limits.moves + 1):
                if time.perf_counter() > self.deadline:
                    return
                yield self.lower.tiles + more, depth

    def attempt(self, play: Play, tiles: int, depth: int) -> Witness | None:
        """Look for a play of just so many moves with at most so many tiles; raises `Unreplayable`."""
        play = play if len(play.steps) <= depth else self.again(play)
        play.extend(depth)
        self.tried = max(self.tried, depth)
        state, relation = play.states[-1], play.relation
        ends = relation.ends(state, at_start=depth == 0)
        goal = relation.dag.any([ends[i] for i in self.endings])
        few = relation.dag.at_least_zero(relation.dag.add(Number(tiles), laid(relation, state), -1))
        led = self.led(relation, state) if tiles == self.lower.tiles else []
        for extra in ([led] if led else []) + [[]]:
            result = play.solve([*play.reaching(goal), few, *extra], seconds=self.limits.query)
            if result.model is not None:
                return self.checked(play.replay(self.rules, result.model), tiles)
            if result.answer is Answer.UNKNOWN and not extra:
                self.open = True
        return None

    def again(self, play: Play) -> Play:
        """A shorter play cannot be had from a longer one."""
        return Play(self.study, play.encoder.view, play.facts)

    def led(self, relation: Relation, state: Symbols) -> list[Bit]:
        """Just the layout of the bound lies on the table."""
        held = {(cell, tile): bit for cell in table(relation.instance) for tile, bit in state.zone(*cell).items()}
        if not self.lower.layout <= held.keys():
            return []
        return [bit if place in self.lower.layout else -bit for place, bit in held.items()]

    def checked(self, witness: Witness, tiles: int) -> Witness:
        """The witness, when the interpreter agrees about its end. Raises `Unreplayable`."""
        ending = self.rules.ending(witness.reached)
        if ending not in self.endings:
            name = "none" if ending is None else self.study.instance.endings[ending].name
            raise Unreplayable(f"the play ends differently there: {name}")
        if self.tiles_laid(witness) > tiles:
            raise Unreplayable(f"{self.tiles_laid(witness)} tiles lie on the table there, not {tiles}")
        return witness

    def tiles_laid(self, witness: Witness) -> int:
        """Tiles on the table at the end of a play."""
        layout, state = self.rules.layout, witness.reached
        return sum(layout.tiles(state, *cell).bit_count() for cell in table(self.study.instance))
