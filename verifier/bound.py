"""How few tiles can lie on the table where something holds (a round ends in a given way), and after how few moves.

Lower bounds, asked of positions, not of plays: is there a position, with all proved facts, where it holds, with m tiles on the
table? No unrolling is needed, and a "no" is final. A "yes" may be a position no play reaches; its layout guides the
search for a play. Tiles are counted as members of sets, moves where sizes of zones are numbers of their own.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from domrules.grammar import core
from domrules.verifier.dag import ZERO, Bit, Number
from domrules.verifier.facts import Fact, asked
from domrules.verifier.goal import Goal
from domrules.verifier.laying import laying
from domrules.verifier.relation import MOVES, Relation
from domrules.verifier.solver import Answer, Marked, Session
from domrules.verifier.study import Study
from domrules.verifier.symbols import Cell, Symbols
from domrules.verifier.waits import waits

MANY = 40
"""More facts than this are first thinned by what the solver used."""


@dataclass(frozen=True, slots=True)
class Bound:
    """It never holds with fewer tiles than `tiles`, nor, with just as many, after fewer moves than `moves`."""

    tiles: int
    moves: int
    possible: bool
    """A position with as many tiles was found; else there is none at all, or (`reason`) the solver gave up."""
    layout: frozenset[tuple[Cell, int]]
    """The tiles on the table in that position."""
    needed: tuple[Fact, ...]
    """A minimal set of facts that gives both bounds."""
    seconds: float
    reason: str = ""
    soonest: int = 0
    """In the first round of a match it never holds with just as many tiles after fewer moves than this."""
    waits: int = 0
    """Moves with which the first round of a match begins before a tile is moved; they are counted in `soonest`."""

    road: str = "no position the proved facts allow"
    """What says so where it holds in no position at all."""

    @property
    def begins(self) -> int:
        """With how many moves a search in first rounds begins."""
        return max(self.moves, self.soonest)

    @property
    def impossible(self) -> bool:
        """It holds in no position at all."""
        return not self.possible and not self.reason


def table(instance: core.Instance) -> list[Cell]:
    """The zones where tiles are laid."""
    names = instance.role("zone", "layout")
    return [(name, index) for name in names for index in instance.cells(name)]


def laid(relation: Relation, state: Symbols) -> Number:
    """How many tiles lie on the table."""
    cells = table(relation.instance)
    if state.sizes is None:
        return relation.dag.number((bit, 1) for cell in cells for bit in state.zone(*cell).values())
    total = ZERO
    for cell in cells:
        total = relation.dag.add(total, state.sizes[cell])
    return total


class Position:
    """Any position in which the goal holds."""

    def __init__(self, study: Study, goal: Goal, facts: Sequence[Fact], *, counted: bool) -> None:
        encoder, relation = study.open(study.view(asked(facts) | goal.reads | {MOVES[0]}, counted=counted))
        self.dag = encoder.dag
        self.state = relation.any_state("s", partition=False)
        self.laid, moves = laid(relation, self.state), self.state.cells[MOVES]
        assert isinstance(moves, Number)
        self.moves = moves
        closed = relation.concluded(self.state) if goal.ends else study.closed(relation, self.state)
        self.facts = {fact: fact.holds(relation, closed) for fact in facts}
        holds = goal.holds(relation, closed)
        self.base = [*encoder.side, holds, self.dag.at_least_zero(moves)]

    def session(self, facts: Sequence[Fact]) -> Session:
        """A solver that knows that the goal holds, and these facts."""
        session = Session(self.dag)
        session.add([*self.base, *(self.facts[fact] for fact in facts)])
        return session

    def at_most(self, number: Number, limit: int) -> Bit:
        return self.dag.at_least_zero(self.dag.add(Number(limit), number, -1))


def bound(study: Study, goal: Goal, facts: Sequence[Fact], *, seconds: float = 10.0) -> Bound:
    """Raise the number of tiles, then of moves, until a position allows them. `seconds`: of each query."""
    started = time.perf_counter()
    sets = Position(study, goal, facts, counted=False)
    session, tiles, most = sets.session(facts), 0, len(sets.laid.bits)
    while (result := session.check([sets.at_most(sets.laid, tiles)], seconds=seconds)).answer is Answer.NO:
        if tiles == most:
            return Bound(tiles, 0, False, frozenset(), (), time.perf_counter() - started)
        tiles += 1
    if result.model is None:
        return Bound(tiles, 0, False, frozenset(), (), time.perf_counter() - started, result.reason)
    layout = least_layout(study, sets, session, tiles, seconds)
    fewer = [sets.at_most(sets.laid, tiles - 1)] if tiles else []
    needed = minimal(sets, facts, fewer, seconds)
    moves, for_moves = fewest_moves(study, goal, facts, tiles, seconds)
    needed += [fact for fact in for_moves if fact not in needed]
    moves = max(moves, 0 if laying(study.instance) is None else tiles)
    lower = Bound(tiles, moves, True, layout, tuple(needed), time.perf_counter() - started)
    return lower if MOVES[0] in goal.reads else waited(study, lower, facts, seconds)


def waited(study: Study, lower: Bound, facts: Sequence[Fact], seconds: float) -> Bound:
    """The bound with the moves that must come first: in the first round of a match, and those of them that any round has."""
    first = waits(study, facts, lower.moves, any_match=False, seconds=seconds)
    every = waits(study, facts, first, any_match=True, seconds=seconds)
    return replace(lower, moves=lower.moves + every, soonest=lower.moves + first, waits=first) if first else lower


def least_layout(
    study: Study, sets: Position, session: Session, tiles: int, seconds: float
) -> frozenset[tuple[Cell, int]]:
    """Of the layouts with so few tiles the one that has the first tile if any has, then the second, and so on."""
    few, chosen = sets.at_most(sets.laid, tiles), dict[tuple[Cell, int], Bit]()
    for cell in table(study.instance):
        for tile, bit in sorted(sets.state.zone(*cell).items()):
            if len(chosen) < tiles:
                answer = session.check([few, *chosen.values(), bit], seconds=seconds).answer
                if answer is Answer.YES:
                    chosen[cell, tile] = bit
    return frozenset(chosen)


def fewest_moves(study: Study, goal: Goal, facts: Sequence[Fact], tiles: int, seconds: float) -> tuple[int, list[Fact]]:
    """It holds with this many tiles after no fewer moves; and the facts that say so."""
    counted = Position(study, goal, facts, counted=True)
    just = counted.dag.is_zero(counted.dag.add(counted.laid, Number(tiles), -1))
    counted.base.append(just)
    session, moves = counted.session(facts), 0
    while session.check([counted.at_most(counted.moves, moves)], seconds=seconds).answer is Answer.NO:
        moves += 1
        if moves > 1000:
            break
    sooner = [counted.at_most(counted.moves, moves - 1)] if moves else []
    return moves, minimal(counted, facts, sooner, seconds)


def minimal(position: Position, facts: Sequence[Fact], claims: Sequence[Bit], seconds: float) -> list[Fact]:
    """Facts none of which can be left out, that together refute the claims."""
    if not claims:
        return []
    session = position.session([])
    session.add(claims)
    marked = Marked(session, [position.facts[fact] for fact in facts])
    needed = list(range(len(facts)))
    if len(facts) > MANY and marked.check(needed, seconds=seconds) is Answer.NO:
        needed = marked.core()
    for place in list(needed):
        rest = [other for other in needed if other != place]
        if marked.check(rest, seconds=min(seconds, 2)) is Answer.NO:
            needed = rest
    return [facts[place] for place in needed]
