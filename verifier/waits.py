"""Moves with which every round, or every first one, begins before a tile is moved: they count on top of a bound on moves.

Proved facts hold at every beginning and every move keeps them, so they say after how many moves something can hold. Where they
hold still once the first moves are made, and those are not counted, they say the same of the moves after these. A lot
that must be drawn before the first tile is laid is such a move.
"""

from __future__ import annotations

from collections.abc import Sequence

from domrules.grammar import core
from domrules.grammar.reads import statements
from domrules.verifier.dag import Number
from domrules.verifier.facts import Fact, asked
from domrules.verifier.relation import MOVES
from domrules.verifier.solver import Answer, Session
from domrules.verifier.study import Study

MOST = 4
"""It looks no further than this."""


def waits(study: Study, facts: Sequence[Fact], most: int, *, any_match: bool, seconds: float) -> int:
    """How many such moves there are, no more than `most`; 0 where the rules themselves look at how many were made.

    `facts`: proved ones, with all that their proofs rest on. `any_match`: in any round, else in the first. `seconds`: of each query.
    """
    if not most or counts_moves(study):
        return 0
    counting = [fact for fact in facts if MOVES[0] in fact.reads]
    encoder, relation = study.open(study.view(asked(facts) | {MOVES[0]}, counted=True))
    start = relation.start(any_match=any_match)
    session, state = Session(encoder.dag), start.begun
    session.add([start.kept, *start.sound])
    for made in range(min(most, MOST)):
        choices = relation.choices(state, "any")
        if not choices or any(moves_tiles(study.instance.actions[choice.action]) for choice in choices):
            return made
        step = relation.step(state, str(made))
        session.add([relation.goes_on(state, at_start=not made), *step.taken])
        state = relation.named(step.after, str(made))
        anew = relation.concluded(state.put({MOVES: Number(0)}))
        fails = [-fact.holds(relation, anew) for fact in counting]
        if session.check([*encoder.side, encoder.dag.any(fails)], seconds=seconds).answer is not Answer.NO:
            return made
    return min(most, MOST)


def counts_moves(study: Study) -> bool:
    """May what happens in a round depend on the number of moves made in it?"""
    return MOVES[0] not in study.view(study.instance.vars.keys() - {MOVES[0]}).forgotten


def moves_tiles(action: core.Action) -> bool:
    """Does it move a tile from one zone to another?"""
    return any(isinstance(s, core.Move) for block in action.blocks for s in statements(block))
