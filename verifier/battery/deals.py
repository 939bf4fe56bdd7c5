"""Is there a deal after which something holds, before the first move?"""

from __future__ import annotations

from domrules.interpreter.errors import RuleError
from domrules.verifier.battery.found import Found, Sought
from domrules.verifier.battery.subject import Subject
from domrules.verifier.encode import Encoder
from domrules.verifier.relation import Relation
from domrules.verifier.solver import Answer, Result, solve
from domrules.verifier.symbols import Symbols
from domrules.verifier.witness import Unreplayable, Witness, dealt_state, replay


def deals(subject: Subject, sought: Sought) -> Found | None:
    """Every deal that is kept, in any match; a deal is shown of the first round."""
    result, _ = _asked(subject, sought, any_match=True)
    if result.answer is Answer.NO:
        return Found(Answer.NO, "every deal that is kept, any match")
    first, dealt = _asked(subject, sought, any_match=False)
    if first.model is not None:
        return _replayed(subject, sought, first, dealt)
    if first.answer is Answer.NO and result.answer is Answer.YES:
        return Found(Answer.UNKNOWN, reason="no deal of a first round shows it; a later round might")
    return Found(Answer.UNKNOWN, reason=first.reason or result.reason)


def _asked(subject: Subject, sought: Sought, *, any_match: bool) -> tuple[Result, Symbols]:
    """Of a deal after which the round cannot begin, the position before it is looked at."""
    study = subject.study
    encoder = Encoder(study.instance, study.view(sought.reads(study), keep_numbers=True), study.reads)
    relation, dag = Relation(encoder), encoder.dag
    start = relation.start(any_match=any_match)
    begun = relation.concluded(start.begun, at_start=True)
    stuck = dag.any([fault.bit for fault in start.faults])
    after, before = encoder.truth(sought.e, begun), encoder.truth(sought.e, start.dealt)
    found = dag.any((dag.both(-stuck, after), dag.both(stuck, before)))
    result = solve(dag, [*encoder.side, start.kept, found], seconds=subject.seconds)
    return result, start.dealt


def _replayed(subject: Subject, sought: Sought, result: Result, dealt: Symbols) -> Found | None:
    """The deal of a model, once the interpreter agrees."""
    assert result.model is not None
    holds = subject.rules.question(sought.e)
    try:
        witness = replay(subject.rules, result.model, dealt, [])
    except Unreplayable as error:
        if not isinstance(error.__cause__, RuleError):
            return None
        state = dealt_state(subject.rules, result.model, dealt)
        if not holds(state):
            return None
        told = f"the round cannot begin: {error.__cause__.sentence}"
        return Found(Answer.YES, "a deal, replayed", Witness(state, (), state), (told,))
    return Found(Answer.YES, "a deal, replayed", witness) if holds(witness.reached) else None
