"""Questions about any position in which a round goes on: what the items about moves, turns and endings share.

A "no" is final. A "yes" may be a position that no play reaches; it becomes a finding only when a play is found that does.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeAlias

from domrules.grammar import core
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.verifier.battery.play import FEW_LEFT, Situation
from domrules.verifier.battery.play import ROUNDS as ROUNDS
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import FALSE, Bit
from domrules.verifier.facts import Fact, asked
from domrules.verifier.relation import Relation, bound
from domrules.verifier.solver import Answer, Result, solve
from domrules.verifier.symbols import Symbols
from domrules.verifier.unroll import Play
from domrules.verifier.witness import Unreplayable, Witness

Wish: TypeAlias = Callable[[Relation, Symbols], Bit]
"""What is asked of a position."""
GLANCE = 40
"""Rounds looked at before a proof is tried; all others only where there is none."""
SOON = 4
"""Moves of the search for a short play."""


def met(
    subject: Subject, test: Callable[[Rules, Situation], bool], kinds: Collection[str], *, rounds: int | None = None
) -> Situation | None:
    """The first position of random play that passes a test: of so many rounds, or of all."""
    rules, round_ = subject.rules, (-1, -1)
    left = ROUNDS + FEW_LEFT if rounds is None else rounds
    for s in subject.random:
        if (s.match, s.round) != round_:
            left, round_ = left - 1, (s.match, s.round)
            if left < 0:
                return None
        if s.kind in kinds and test(rules, s):
            return s
    return None


def in_play(subject: Subject, reads: Collection[str], wish: Wish, *, begins: bool = True) -> Result:
    """Can it hold of a position whose round goes on: after some move, or (`begins`) as a round begins?

    Of a position after a move all that is known are the facts of the file; or, too, that a legal move led to it; or the facts
    that are computed.
    """
    if begins:
        result = beginning(subject, reads, wish)
        if result.answer is not Answer.NO:
            return result
    result = after_a_move(subject, subject.proved, reads, wish)
    if result.answer is not Answer.NO:
        result = after_a_move(subject, subject.proved, reads, wish, stepped=True)
    if result.answer is not Answer.NO:
        result = after_a_move(subject, (*subject.proved, *subject.invariants), reads, wish, stepped=True)
    return result


def after_a_move(
    subject: Subject, known: Sequence[Fact], reads: Collection[str], wish: Wish, *, stepped: bool = False
) -> Result:
    """Can it hold after a move that ends nothing? `stepped`: the move is looked at, too."""
    study = subject.study
    encoder, relation = study.open(study.view({*reads, *asked(known)}))
    state, bits = subject.position(relation), list[Bit]()
    if stepped:
        bits = [study.resting(relation, state), *(fact.holds(relation, state) for fact in known)]
        step = relation.step(state, "x")
        bits += step.taken
        state = step.after
    bits += [relation.goes_on(state), wish(relation, state), *(fact.holds(relation, state) for fact in known)]
    return solve(encoder.dag, [*encoder.side, *bits], seconds=subject.seconds)


def beginning(subject: Subject, reads: Collection[str], wish: Wish) -> Result:
    """Can it hold before the first move of a round, in any round of any match?"""
    study = subject.study
    encoder, relation = study.open(study.view(reads))
    start = relation.start(any_match=True)
    bits = [start.kept, *start.sound, relation.goes_on(start.begun, at_start=True), wish(relation, start.begun)]
    return solve(encoder.dag, [*encoder.side, *bits], seconds=subject.seconds)


def soon(
    subject: Subject, reads: Collection[str], wish: Wish, depth: int = SOON, before: State | None = None
) -> Witness | None:
    """A short play of a first round to a position that goes on and grants the wish, as the interpreter played it.

    Of the round after `before`, if that is given.
    """
    study = subject.study
    play = Play(study, study.view(reads, keep_numbers=True), before=before)
    for moves in range(depth + 1):
        play.extend(moves)
        state, relation = play.states[-1], play.relation
        goal = relation.dag.both(relation.goes_on(state, at_start=moves == 0), wish(relation, state))
        if goal == FALSE:
            continue
        result = play.solve(play.reaching(goal), seconds=subject.seconds / 3)
        if result.answer is Answer.UNKNOWN:
            return None
        if result.model is not None:
            try:
                return play.replay(subject.rules, result.model)
            except Unreplayable:
                return None
    return None


def enabled(relation: Relation, state: Symbols, actions: Collection[int]) -> Bit:
    """Can one of these actions (by index) be done?"""
    return relation.dag.any(bit for action in actions for _, bit in legal(relation, state, action))


def legal(relation: Relation, state: Symbols, action: int) -> Iterator[tuple[tuple[int, ...], Bit]]:
    """All arguments of an action with the bit that it is legal with them."""
    rule = relation.instance.actions[action]
    known = relation.possible(state, rule, action) if relation.moves is None else relation.moves[action]
    tests = [test for level in relation.tests[action] for test in level]
    for args in known:
        env = bound(rule, args)
        bit = relation.dag.all(relation.encoder.truth(test, state, env) for test in tests)
        if bit != FALSE:
            yield args, bit


def with_role(instance: core.Instance, *roles: str) -> list[int]:
    """Indices of the actions that have one of these roles."""
    return [i for i, action in enumerate(instance.actions) if action.role in roles]


def guards(subject: Subject, actions: Collection[int]) -> frozenset[str]:
    """What decides whether these actions are legal."""
    reads = subject.study.reads
    found = frozenset[str]()
    for i in actions:
        action = subject.instance.actions[i]
        found |= reads.variables(action.guard)
        found = found.union(*(reads.variables(p.domain) for p in action.params))
    return found
