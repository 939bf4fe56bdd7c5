"""The claims of the file: each by the cheapest road that decides it, and the answer says which.

Random play may refute (or witness) at once. Then numbers alone, the deal, one state under the proved facts, induction, and a
bounded search from the deal. What none of these decides is UNKNOWN.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from domrules.grammar import core
from domrules.grammar.instance import folder, specialise_expr
from domrules.interpreter.errors import RuleError
from domrules.verifier import facts
from domrules.verifier.battery.ended import sums
from domrules.verifier.battery.play import Situation, lines, situations, zones
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import FALSE, TRUE, Bit
from domrules.verifier.encode import Encoder
from domrules.verifier.induction import Outcome, prove
from domrules.verifier.relation import Choice, Relation
from domrules.verifier.solver import Answer, Engine, Result, solve
from domrules.verifier.symbols import Symbols
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.view import View
from domrules.verifier.witness import Unreplayable, dealt_state, replay

ROUNDS = 200
"""Random rounds looked at first."""
SOON = 8
"""Moves of the bounded search for small witnesses."""


def claims(subject: Subject) -> list[Verdict]:
    """All claims of the file."""
    return [claim(subject, c) for c in subject.instance.game.claims]


def claim(subject: Subject, c: core.Claim) -> Verdict:
    """One claim."""
    if c.kind == "numbers":
        return _numbers(subject, c)
    body = specialise_expr(subject.instance, c.body)
    return _Claim(subject, c, body).verdict()


def _numbers(subject: Subject, c: core.Claim) -> Verdict:
    """for all n: over all whole numbers."""
    started = time.perf_counter()
    body = folder(subject.instance)(c.body)
    encoder = Encoder(subject.instance)
    unknowns = {name: encoder.dag.unknown(name) for name in c.vars}
    broken = -encoder.truth(body, Symbols({}), unknowns)
    result = solve(encoder.dag, [broken], seconds=subject.seconds, engines=(Engine.GENERAL,))
    match result.answer:
        case Answer.NO:
            return subject.verdict(c.name, Word.PROVED_ANY_SIZE, method="all integers", since=started, span=c.span)
        case Answer.UNKNOWN:
            return subject.verdict(c.name, Word.UNKNOWN, since=started, span=c.span, reason=result.reason)
        case _:
            assert result.model is not None
            at = ", ".join(f"{name.split('~')[0]} = {result.model.number(n)}" for name, n in unknowns.items())
            return subject.verdict(
                c.name, Word.REFUTED, method="all integers", since=started, span=c.span, details=[f"not for {at}"]
            )


class _Claim:
    """A claim about states on its way to a verdict."""

    def __init__(self, subject: Subject, c: core.Claim, body: core.Expr) -> None:
        self.subject, self.c = subject, c
        self.body = core.negation(body) if c.kind == "never" else body
        self.started = time.perf_counter()

    def verdict(self) -> Verdict:
        found = self._played()
        if found is not None:
            return found
        roads: Sequence[Callable[[], Verdict | None]] = {
            "always": (self._state_query, self._induction, self._search),
            "never": (self._state_query, self._induction, self._search),
            "reachable": (self._impossible, self._search),
            "dealt": (self._deal,),
            "settled": (self._settlement,),
        }[self.c.kind]
        for road in roads:
            found = road()
            if found is not None:
                return self._hollow(found)
        return self.say(
            Word.UNKNOWN, reason="neither random play, nor one state, nor induction, nor a short search decides it"
        )

    def _hollow(self, found: Verdict) -> Verdict:
        """A proved `A implies B` in which A never holds is no pass."""
        premise = self._premise()
        if found.word not in (Word.PROVED, Word.CONFIGURED) or premise is None:
            return found
        holds = self.subject.rules.question(premise)
        if any(
            self._looked_at(s) and holds(s.state) for s in situations(self.subject.rules, ROUNDS, self.subject.seed)
        ):
            return found
        if self._query(premise, lambda encoder, _, state: encoder.truth(premise, state)).answer is Answer.NO:
            return replace(found, word=Word.HOLLOW, reason="what stands before `implies` never holds")
        return found

    def _premise(self) -> core.Expr | None:
        """The left side of `implies`."""
        body = self.body
        if (
            self.c.kind == "always"
            and isinstance(body, core.Op)
            and body.name == "or"
            and " implies " in body.span.text
        ):
            return core.negation(body.args[0])
        return None

    def say(
        self, word: Word, *, method: str = "", reason: str = "", details: Sequence[str] = (), depth: int | None = None
    ) -> Verdict:
        return self.subject.verdict(
            self.c.name,
            word,
            method=method,
            since=self.started,
            details=details,
            span=self.c.span,
            reason=reason,
            depth=depth,
        )

    # ------------------------------------------------------------ random play

    def _played(self) -> Verdict | None:
        """Refuted, or (reachable) witnessed, by a state of random play."""
        rules = self.subject.rules
        holds = rules.question(self.body)
        wanted = self.c.kind == "reachable"
        for s in situations(rules, ROUNDS, self.subject.seed):
            if self._looked_at(s) and bool(holds(s.state)) == wanted:
                word = Word.WITNESSED if wanted else Word.REFUTED
                return self.say(word, method="random play", details=lines(rules, s, self.subject.seed))
        return None

    def _looked_at(self, s: Situation) -> bool:
        match self.c.kind:
            case "dealt":
                return s.kind == "dealt"
            case "settled":
                return s.kind == "settled"
            case _:
                return s.kind != "settled"

    # ------------------------------------------------------------ one state

    def _query(self, e: core.Expr, wanted: Callable[[Encoder, Relation, Symbols], Bit]) -> Result:
        """Is there a position the proved facts allow, and in which this holds? Sums over tiles first as any numbers."""
        result: Result | None = None
        study = self.subject.study
        asked = study.reads.variables(e) | facts.asked(self.subject.proved)
        for opaque in dict.fromkeys((sums(self.subject.instance), frozenset[str]())):
            view = replace(study.view(asked, keep_numbers=True), opaque=opaque)
            encoder, relation = study.open(view)
            state = self.subject.position(relation)
            assumed = [fact.holds(relation, state) for fact in self.subject.proved]
            bit = wanted(encoder, relation, relation.concluded(state))
            result = solve(encoder.dag, [*encoder.side, *assumed, bit], seconds=self.subject.seconds)
            if result.answer is Answer.NO:
                return result
        assert result is not None
        return result

    def _state_query(self) -> Verdict | None:
        result = self._query(self.body, lambda encoder, _, state: -encoder.truth(self.body, state))
        return self.say(Word.PROVED, method="one position, proved facts") if result.answer is Answer.NO else None

    def _impossible(self) -> Verdict | None:
        result = self._query(self.body, lambda encoder, _, state: encoder.truth(self.body, state))
        return self.say(Word.IMPOSSIBLE, method="one position, proved facts") if result.answer is Answer.NO else None

    # ------------------------------------------------------------ induction

    def _induction(self) -> Verdict | None:
        fact = facts.stated(self.subject.study, self.c.name, self.body)
        found = prove(self.subject.study, [fact], known=self.subject.proved, seconds=self.subject.seconds)
        match found.attempts[0].outcome:
            case Outcome.PROVED:
                return self.say(Word.PROVED, method="induction over moves")
            case Outcome.CONFIGURED:
                return self.say(Word.CONFIGURED)
            case _:
                return None

    # ------------------------------------------------------------ from the deal

    def _deal(self) -> Verdict | None:
        """every deal that is kept, in any match; a counterexample is looked for in the first round."""
        for any_match in (True, False):
            result, verdict = self._deals(any_match=any_match)
            if result.answer is Answer.NO and any_match:
                return self.say(Word.PROVED, method="every deal that is kept, any match")
            if verdict is not None:
                return verdict
        return None

    def _deals(self, *, any_match: bool) -> tuple[Result, Verdict | None]:
        study = self.subject.study
        encoder = Encoder(study.instance, study.view(study.reads.variables(self.body), keep_numbers=True), study.reads)
        relation = Relation(encoder)
        start = relation.start(any_match=any_match)
        begun = relation.concluded(start.begun, at_start=True)
        dag, stuck = encoder.dag, encoder.dag.any([fault.bit for fault in start.faults])
        after, before = encoder.truth(self.body, begun), encoder.truth(self.body, start.dealt)
        broken = dag.any((dag.both(-stuck, -after), dag.both(stuck, -before)))
        query = [*encoder.side, start.kept, broken]
        result = solve(encoder.dag, query, seconds=self.subject.seconds)
        if any_match or result.answer is not Answer.YES or result.model is None:
            return result, None
        return result, self._replayed(result, start.dealt, [])

    def _search(self) -> Verdict | None:
        """A bounded search: up to SOON moves from the deal of a first round."""
        study = self.subject.study
        for depth in range(SOON + 1):
            encoder, relation = study.open(study.view(study.reads.variables(self.body)))
            start = relation.start()
            query = [start.kept, *start.sound]
            state, steps = start.begun, list[Sequence[Choice]]()
            for k in range(depth):
                query.append(relation.goes_on(state, at_start=k == 0))
                step = relation.step(state, str(k))
                query += step.taken
                steps.append(step.choices)
                state = relation.named(step.after, f"n{k}")
            state = relation.concluded(state, at_start=depth == 0)
            holds = encoder.truth(self.body, state)
            goal = holds if self.c.kind == "reachable" else -holds
            if goal == FALSE:
                continue
            result = solve(encoder.dag, [*encoder.side, *query, goal], seconds=self.subject.seconds)
            if result.answer is Answer.UNKNOWN:
                return None
            if result.answer is Answer.YES:
                return self._replayed(result, start.dealt, steps)
        if self.c.kind == "reachable":
            return self.say(Word.NOT_FOUND, method="bounded search", depth=SOON)
        return None

    def _replayed(self, result: Result, dealt: Symbols, steps: Sequence[Sequence[Choice]]) -> Verdict | None:
        """The verdict a model gives, once the interpreter has played it."""
        assert result.model is not None
        wanted = self.c.kind == "reachable"
        try:
            witness = replay(self.subject.rules, result.model, dealt, steps)
        except Unreplayable as error:
            if self.c.kind == "dealt" and isinstance(error.__cause__, RuleError):
                return self._cannot_begin(result, dealt, error.__cause__)
            return None
        if bool(self.subject.rules.question(self.body)(witness.reached)) != wanted:
            return None
        moves = " ".join(witness.moves(self.subject.instance))
        details = [f"played: {moves}"] if moves else ["before the first move"]
        details = [*(f"  {line}" for line in zones(self.subject.instance, witness.dealt)), *details]
        word = Word.WITNESSED if wanted else Word.REFUTED
        return self.say(word, method="bounded search, replayed", details=details)

    def _cannot_begin(self, result: Result, dealt: Symbols, error: RuleError) -> Verdict | None:
        """The claim fails of a deal after which the round cannot even begin."""
        assert result.model is not None
        state = dealt_state(self.subject.rules, result.model, dealt)
        if self.subject.rules.question(self.body)(state):
            return None
        details = [
            *(f"  {line}" for line in zones(self.subject.instance, state)),
            f"the round cannot begin: {error.sentence}",
        ]
        return self.say(Word.REFUTED, method="a deal, replayed", details=details)

    # ------------------------------------------------------------ settlements

    def _settlement(self) -> Verdict | None:
        """Held from the start, kept by every move and by every settlement: an invariant of the match."""
        kept = self._of_the_match() and self._kept_by_moves()
        reason = ""
        for opaque in dict.fromkeys((sums(self.subject.instance), frozenset[str]())):
            result = self._after_settling(opaque, kept)
            if result.answer is Answer.NO:
                method = "induction over moves and settlements" if kept else "any settlement"
                return self.say(Word.PROVED, method=method)
            reason = result.reason
        return self.say(Word.UNKNOWN, reason=reason or "a settlement may break it in a position that no play may reach")

    def _of_the_match(self) -> bool:
        """Does it speak only of what lasts for the match?"""
        instance = self.subject.instance
        return all(instance.vars[v].life is core.Life.MATCH for v in self.subject.study.reads.variables(self.body))

    def _kept_by_moves(self) -> bool:
        """Does it hold as a match begins, and do every beginning of a round and every move keep it?"""
        study = self.subject.study
        reads = study.reads.variables(self.body)
        for opaque in dict.fromkeys((sums(self.subject.instance), frozenset[str]())):
            view = replace(study.view(reads | facts.asked(self.subject.proved), keep_numbers=True), opaque=opaque)
            if self._begins(view, first=True) and self._begins(view, first=False) and self._step(view):
                return True
        return False

    def _begins(self, view: View, *, first: bool) -> bool:
        """Does it hold when the first round begins; or when any round begins, if it held before?"""
        encoder, relation = self.subject.study.open(view)
        start = relation.start(any_match=not first)
        before = TRUE if first else encoder.truth(self.body, start.dealt)
        query = [*encoder.side, start.kept, *start.sound, before, -encoder.truth(self.body, start.begun)]
        return solve(encoder.dag, query, seconds=self.subject.seconds).answer is Answer.NO

    def _step(self, view: View) -> bool:
        encoder, relation = self.subject.study.open(view)
        state = self.subject.position(relation)
        assumed = [fact.holds(relation, state) for fact in self.subject.proved]
        step = relation.step(state, "x")
        before, after = encoder.truth(self.body, state), encoder.truth(self.body, step.after)
        query = [*encoder.side, *assumed, self.subject.study.resting(relation, state), before, *step.taken, -after]
        return -after == FALSE or solve(encoder.dag, query, seconds=self.subject.seconds).answer is Answer.NO

    def _after_settling(self, opaque: frozenset[str], kept: bool) -> Result:
        """Can it fail after the settlements of a round in which (when it is `kept`) it still held?"""
        study = self.subject.study
        reads = study.reads.variables(self.body) | facts.asked(self.subject.proved)
        view = replace(study.view(reads, keep_numbers=True), opaque=opaque)
        encoder, relation = study.open(view)
        state = self.subject.position(relation)
        assumed = [fact.holds(relation, state) for fact in self.subject.proved]
        over = relation.concluded(state)
        settled, faults = relation.settle(over)
        query = [*encoder.side, *assumed, -relation.goes_on(state)]
        if kept:
            query.append(encoder.truth(self.body, over))
        query += [-fault.bit for fault in faults]
        query.append(-encoder.truth(self.body, settled))
        return solve(encoder.dag, query, seconds=self.subject.seconds)
