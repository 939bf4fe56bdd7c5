"""Is there a state after a settlement in which something holds? No, if it never holds before and no settlement brings it about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from domrules.grammar import core
from domrules.verifier import facts
from domrules.verifier.battery.ended import sums
from domrules.verifier.battery.found import Found, Sought
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import FALSE, TRUE
from domrules.verifier.facts import Fact
from domrules.verifier.relation import ENDING
from domrules.verifier.solver import Answer, Result, solve
from domrules.verifier.view import View


class Settling:
    """One question about settlements under known facts."""

    def __init__(self, subject: Subject, sought: Sought, known: Sequence[Fact]) -> None:
        self.subject, self.study, self.known = subject, subject.study, known
        self.body, self.reads = core.negation(sought.e), sought.reads(subject.study)

    def found(self) -> Found:
        """NO, or why not: held from the start, kept by every move and by every settlement, it is an invariant of the match."""
        kept = self.of_the_match() and self.kept_by_moves()
        reason = ""
        for opaque in self.views():
            result = self.after_settling(opaque, kept=kept)
            if result.answer is Answer.NO:
                return Found(Answer.NO, "induction over moves and settlements" if kept else "any settlement")
            reason = result.reason
        return Found(
            Answer.UNKNOWN, reason=reason or "a settlement may bring it about in a position that no play may reach"
        )

    def views(self) -> Sequence[View]:
        """Sums over tiles are first taken to be any numbers, then what they are."""
        view = self.study.view(self.reads | facts.asked(self.known), keep_numbers=True)
        return [replace(view, opaque=o) for o in dict.fromkeys((sums(self.subject.instance), frozenset[str]()))]

    def of_the_match(self) -> bool:
        """Does it speak only of what lasts for the match?"""
        variables = self.subject.instance.vars
        return all(variables[v].life is core.Life.MATCH for v in self.reads)

    def kept_by_moves(self) -> bool:
        """Does it hold as a match begins, and do every beginning of a round and every move keep it?"""
        return any(
            self.begins(view, first=True) and self.begins(view, first=False) and self.step(view)
            for view in self.views()
        )

    def begins(self, view: View, *, first: bool) -> bool:
        """Does it hold when the first round begins; or when any round begins, if it held before?"""
        encoder, relation = self.study.open(view)
        start = relation.start(any_match=not first)
        before = TRUE if first else encoder.truth(self.body, start.dealt)
        query = [*encoder.side, start.kept, *start.sound, before, -encoder.truth(self.body, start.begun)]
        return solve(encoder.dag, query, seconds=self.subject.seconds).answer is Answer.NO

    def step(self, view: View) -> bool:
        encoder, relation = self.study.open(view)
        state = self.subject.position(relation)
        assumed = [fact.holds(relation, state) for fact in self.known]
        step = relation.step(state, "x")
        before, after = encoder.truth(self.body, state), encoder.truth(self.body, step.after)
        query = [*encoder.side, *assumed, self.study.resting(relation, state), before, *step.taken, -after]
        return -after == FALSE or solve(encoder.dag, query, seconds=self.subject.seconds).answer is Answer.NO

    def after_settling(self, view: View, *, kept: bool) -> Result:
        """Can it fail after the settlements of a round in which (when it is `kept`) it still held?"""
        encoder, relation = self.study.open(view)
        state = self.subject.position(relation)
        over = self.study.closed(relation, state)
        assumed = [fact.holds(relation, over) for fact in self.known]
        settled, faults = relation.settle(over)
        ending = over.cells[ENDING]
        assert isinstance(ending, Mapping)
        query = [*encoder.side, *assumed, encoder.dag.any(ending.values())]
        if kept:
            query.append(encoder.truth(self.body, over))
        query += [-fault.bit for fault in faults]
        query.append(-encoder.truth(self.body, settled))
        return solve(encoder.dag, query, seconds=self.subject.seconds)
