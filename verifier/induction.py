"""Which facts hold in every position of every round: at each beginning, and from one position to the next.

Base: after any deal the rules keep, in any round of any match. Step: one move from any well-typed position in which all
facts hold *together*. A fact that fails either is dropped, and the others are tried again without it, until none fails:
the greatest set that is inductive as a whole. A position that refutes a step may be one that no play reaches.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from domrules.grammar import core
from domrules.interpreter.names import Move, cell_name, choices, move_name, value_name
from domrules.verifier import symbols
from domrules.verifier.dag import TRUE
from domrules.verifier.facts import Fact, asked
from domrules.verifier.relation import Choice
from domrules.verifier.solver import Answer, Engine, Result, Session
from domrules.verifier.study import Study
from domrules.verifier.symbols import Symbols
from domrules.verifier.valuation import Valuation


class Outcome(Enum):
    """What became of a fact."""

    PROVED = "proved"
    CONFIGURED = "true by configuration"
    BASE_FAILS = "fails at a beginning"
    STEP_FAILS = "is not kept by a move"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One fact and what became of it. `example`: a deal, or a position and a move, that refutes the attempt."""

    fact: Fact
    outcome: Outcome
    seconds: float = 0.0
    example: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Induction:
    """The facts that hold in every position, and what became of each that was tried."""

    attempts: tuple[Attempt, ...]

    @property
    def proved(self) -> tuple[Fact, ...]:
        """Facts that may be assumed; those true by configuration say nothing new and are left out."""
        return tuple(attempt.fact for attempt in self.attempts if attempt.outcome is Outcome.PROVED)

    @property
    def established(self) -> tuple[Fact, ...]:
        good = (Outcome.PROVED, Outcome.CONFIGURED)
        return tuple(attempt.fact for attempt in self.attempts if attempt.outcome in good)


def prove(study: Study, facts: Sequence[Fact], *, known: Sequence[Fact] = (), seconds: float = 10.0) -> Induction:
    """Try to prove facts, all together; `known` ones are proved already and may help. `seconds`: of each query."""
    attempts: dict[Fact, Attempt] = {}
    configured = set(settled_by_types(study, facts))
    attempts.update({fact: Attempt(fact, Outcome.CONFIGURED) for fact in facts if fact in configured})
    attempts.update(bases(study, [fact for fact in facts if fact not in configured], seconds))
    while True:
        current = [fact for fact in facts if attempts[fact].outcome is Outcome.PROVED]
        steps = Steps(study, current, known, seconds)
        tried = [steps.attempt(fact) for fact in current]
        attempts.update({attempt.fact: longer(attempts[attempt.fact], attempt) for attempt in tried})
        if all(attempt.outcome is Outcome.PROVED for attempt in tried):
            return Induction(tuple(attempts[fact] for fact in facts))


def longer(before: Attempt, now: Attempt) -> Attempt:
    return Attempt(now.fact, now.outcome, before.seconds + now.seconds, now.example, now.reason)


def settled_by_types(study: Study, facts: Sequence[Fact]) -> Iterable[Fact]:
    """Facts that are true of every position of the types of this instance: its options and slots settle them."""
    _, relation = study.open(study.view(asked(facts)))
    state = relation.concluded(relation.any_state("s", partition=False))
    return [fact for fact in facts if fact.holds(relation, state) == TRUE]


def bases(study: Study, facts: Sequence[Fact], seconds: float) -> dict[Fact, Attempt]:
    """Which facts hold at every beginning. There the sizes of zones are known numbers, so counting them is exact."""
    found: dict[Fact, Attempt] = {}
    for counted in (False, True):
        mine = [fact for fact in facts if fact.counts == counted]
        encoder, relation = study.open(study.view(asked(mine), counted=counted))
        start = relation.start(any_match=True)
        begun = relation.concluded(start.begun, at_start=True)
        session = Session(encoder.dag)
        fails = {fact: -fact.holds(relation, begun) for fact in mine}
        session.add([*encoder.side, *start.sound])
        for fact in mine:
            result = session.check([fails[fact]], seconds=seconds)
            if result.answer is not Answer.NO and start.kept != TRUE:
                result = session.check([start.kept, fails[fact]], seconds=seconds)
            example = () if result.model is None else described(study.instance, result.model, start.dealt)
            found[fact] = Attempt(fact, judged(result, Outcome.BASE_FAILS), result.seconds, example, result.reason)
    return found


def judged(result: Result, failure: Outcome) -> Outcome:
    """The outcome that an answer to "can it fail?" means."""
    return {Answer.NO: Outcome.PROVED, Answer.YES: failure, Answer.UNKNOWN: Outcome.UNKNOWN}[result.answer]


class Steps:
    """One step under a set of facts, in two views: sizes of zones as what they are, and as numbers of their own.

    A fact that does not count is first tried without those that do: then there is no arithmetic.
    """

    def __init__(self, study: Study, facts: Sequence[Fact], known: Sequence[Fact], seconds: float) -> None:
        self.study, self.facts, self.known, self.seconds = study, facts, known, seconds
        self._views: dict[bool, StepView] = {}

    @cached_property
    def lean(self) -> StepView | None:
        """The step without facts that count; none where there are none."""
        plain = [fact for fact in self.facts if not fact.counts]
        if len(plain) == len(self.facts):
            return None
        return StepView(self.study, plain, [fact for fact in self.known if not fact.counts], counted=False)

    def view(self, counted: bool) -> StepView:
        found = self._views.get(counted)
        if found is None:
            found = self._views[counted] = StepView(self.study, self.facts, self.known, counted=counted)
        return found

    def attempt(self, fact: Fact) -> Attempt:
        """Is a fact kept? A "no" in the view of counters proves nothing, for there sizes are loose."""
        started = time.perf_counter()
        lean = None if fact.counts else self.lean
        if lean is not None and lean.alone(fact, self.seconds).answer is Answer.NO:
            return Attempt(fact, Outcome.PROVED, time.perf_counter() - started)
        first, second = (True, False) if fact.counts else (False, True)
        result, view = self.view(first).check(fact, self.seconds), self.view(first)
        if result.answer is Answer.UNKNOWN or (first and result.answer is Answer.YES):
            again = self.view(second).check(fact, self.seconds)
            if again.answer is Answer.NO or not second:
                result, view = again, self.view(second)
        example = () if result.model is None else view.example(result.model)
        outcome = judged(result, Outcome.STEP_FAILS)
        return Attempt(fact, outcome, time.perf_counter() - started, example, result.reason)


class StepView:
    """One step in one view, ready to be asked about."""

    def __init__(self, study: Study, facts: Sequence[Fact], known: Sequence[Fact], *, counted: bool) -> None:
        self.study = study
        encoder, self.relation = study.open(study.view(asked([*facts, *known]), counted=counted))
        self.before = self.relation.any_state("s", partition=False)
        step = self.relation.step(self.before, "x")
        self.choices = step.choices
        self.after = self.relation.concluded(step.after)
        assumed = [fact.holds(self.relation, self.before) for fact in (*known, *facts)]
        self.session = Session(encoder.dag)
        self.base = [*assumed, study.resting(self.relation, self.before), *step.taken]
        self.session.add([*encoder.side, *self.base])
        self.asserted = len(encoder.side)

    def check(self, fact: Fact, seconds: float) -> Result:
        """Can the fact fail after the step?"""
        fails = -fact.holds(self.relation, self.after)
        self.session.add(self.relation.encoder.side[self.asserted :])
        self.asserted = len(self.relation.encoder.side)
        return self.session.check([fails], seconds=seconds)

    def alone(self, fact: Fact, seconds: float) -> Result:
        """The same, of a solver of its own: without arithmetic the one for finite domains is the steadiest."""
        fails = -fact.holds(self.relation, self.after)
        for engine in (Engine.FINITE, Engine.GENERAL):
            session = Session(self.session.dag, engine, self.session.formulas)
            session.add([*self.base, *self.relation.encoder.side, fails])
            if engine is Engine.GENERAL or not session.needs_integers:
                return session.check(seconds=seconds)
        raise AssertionError("the general engine knows integers")

    def example(self, model: Valuation) -> tuple[str, ...]:
        """The position and the move of a model."""
        move = next(choice for choice in self.choices if model.bit(choice.bit))
        return (*described(self.study.instance, model, self.before), move_text(self.study.instance, move))


def move_text(instance: core.Instance, choice: Choice) -> str:
    """A ground move by name."""
    count = len(choices(instance.actions[choice.action]))
    return str(move_name(instance, Move(choice.action, choice.args[:count]), choice.args[count:]))


def described(instance: core.Instance, model: Valuation, state: Symbols) -> tuple[str, ...]:
    """A position under a model: one line for every cell that does not hold nothing."""
    lines = []
    for (name, index), held in symbols.position(model, instance, state).items():
        var = instance.vars[name]
        if held is not None and held is not False and not (var.zone and not held):
            lines.append(f"{cell_name(instance, var, index)} = {value_name(instance, var.type, held)}")
    return tuple(lines)
