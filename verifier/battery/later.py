"""S3: who begins can make a move. S4: later rounds too have somebody to begin, however the round before ended.

S4 asks of any round that any settlement leaves behind. Both are refuted by matches that were played: some random rounds,
then the deal after them that fails, found by the solver and dealt by the interpreter.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from domrules.interpreter.errors import RuleError
from domrules.interpreter.state import State
from domrules.verifier.battery import start
from domrules.verifier.battery.asking import enabled
from domrules.verifier.battery.between import Search, nothing_played, one_round
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import Bit
from domrules.verifier.relation import Relation, Start
from domrules.verifier.solver import Answer
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import Witness

# ---------------------------------------------------------------- S3


def s3(subject: Subject) -> Verdict:
    """After every deal that is kept somebody can move."""
    started = time.perf_counter()
    if nothing_played(subject, _begins):
        return subject.verdict("S3", Word.HOLLOW, since=started, reason="no round can begin")
    search = Search(subject, frozenset(), _no_move, lambda state: _stands_still(subject, state))
    for opaque in (True, False):
        result, _, _ = search.ask(any_match=True, opaque=opaque, seconds=subject.seconds)
        if result.answer is Answer.NO:
            if _never_moves(subject):
                reason = "every round ends as it begins"
                return subject.verdict("S3", Word.HOLLOW, since=started, reason=reason)
            return subject.verdict("S3", Word.PROVED, method="every deal that is kept, any match", since=started)
    state, before = search.first(), None
    if state is None:
        found = search.later()
        if found is not None:
            before, state = found
    if state is not None:
        after = "" if before is None else f", after {before.words}"
        lines = [f"no move is legal after this deal{after}", *_seat(subject, state)]
        method = "a deal, replayed" if before is None else "a match, played, and a deal after it, replayed"
        return subject.verdict(
            "S3", Word.REFUTED, method=method, since=started, details=lines, witness=Witness(state, (), state)
        )
    reason = result.reason or "no move may be legal in a match state that no match may come to"
    return subject.verdict("S3", Word.UNKNOWN, since=started, reason=reason)


def _begins(_: Relation, begun: Start) -> Sequence[Bit]:
    return [begun.kept, *begun.sound]


def _no_move(relation: Relation, begun: Start) -> Sequence[Bit]:
    goes_on = relation.goes_on(begun.begun, at_start=True)
    return [begun.kept, *begun.sound, goes_on, -enabled(relation, begun.begun, range(len(relation.instance.actions)))]


def _never_moves(subject: Subject) -> bool:
    """Does no round that begins go on?"""
    found = [played.plies for _, _, played in subject.matches.rounds(20)]
    return bool(found) and not any(found)


def _stands_still(subject: Subject, state: State) -> bool:
    rules = subject.rules
    try:
        if rules.wants_redeal(state):
            return False
        begun = rules.begin(state)
        return rules.ending(begun) is None and not rules.legal_moves(begun)
    except RuleError:
        return False


def _seat(subject: Subject, state: State) -> list[str]:
    mover = subject.rules.mover(subject.rules.begin(state))
    return [] if mover is None else [f"to move: {subject.instance.sorts['player'].names[mover]}"]


# ---------------------------------------------------------------- S4


def s4(subject: Subject) -> Verdict:
    """However a round ends, the next one has exactly one player to begin it."""
    started = time.perf_counter()
    expressions = start.sets_mover(subject.instance)
    if not expressions:
        return subject.verdict("S4", Word.SKIPPED, since=started, reason="`begin` does not set the mover")
    span = expressions[0].span
    if one_round(subject):
        reason = "a match is one round: it is over after every settlement"
        return subject.verdict("S4", Word.SKIPPED, since=started, reason=reason, span=span)
    if nothing_played(subject, _begins):
        return subject.verdict("S4", Word.HOLLOW, since=started, reason="no round can begin", span=span)
    search = Search(subject, start.reads(subject), _no_leader, lambda state: _nobody(subject, state))
    if any(search.ask(any_match=True, opaque=o, seconds=subject.seconds)[0].answer is Answer.NO for o in (True, False)):
        return subject.verdict("S4", Word.PROVED, method="every deal that is kept, any match", since=started, span=span)
    result = search.after_any_round()
    if result.answer is Answer.NO:
        method = "any settlement of any ended round, then every deal that is kept"
        return subject.verdict("S4", Word.PROVED, method=method, since=started, span=span)
    found = search.later()
    if found is not None:
        before, state = found
        method = "a match, played, and a deal after it, replayed"
        return subject.verdict(
            "S4", Word.REFUTED, method=method, since=started, span=span, witness=Witness(state, (), state),
            details=[f"not exactly one player begins after {before.words}"],
        )  # fmt: skip
    reason = result.reason or "a settlement may leave nobody to begin, in a position that no play may reach"
    return subject.verdict("S4", Word.UNKNOWN, since=started, reason=reason, span=span)


def _no_leader(relation: Relation, begun: Start) -> Sequence[Bit]:
    parts = [bit for item in ("S1", "S2") for _, bit in start.failures(relation, begun.dealt, item)]
    return [begun.kept, relation.dag.any(parts)]


def _nobody(subject: Subject, state: State) -> bool:
    return any(start.confirmed(subject, item, state) for item in ("S1", "S2"))
