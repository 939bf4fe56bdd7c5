"""From one round to the next: what rounds leave behind, in play and by any settlement, and the deal after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from domrules.grammar import core
from domrules.interpreter.state import State
from domrules.verifier import symbols
from domrules.verifier.battery.ended import sums
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import Bit
from domrules.verifier.encode import Encoder
from domrules.verifier.facts import asked
from domrules.verifier.relation import Relation, Start
from domrules.verifier.solver import Answer, Result, solve
from domrules.verifier.symbols import Cell, Symbol, Symbols
from domrules.verifier.witness import dealt_state

ROUNDS = 200
"""Random rounds after which a deal is looked for that fails."""
SOON = 3.0
"""Seconds of a query that looks for one deal that fails."""
STATES = 12
"""Different match states among them that are tried."""


@dataclass(frozen=True, slots=True)
class Before:
    """A match state that play left behind."""

    state: State
    words: str


def settled(subject: Subject, names: frozenset[str]) -> Iterator[Before]:
    """What random rounds leave behind, matches that are over apart; each once, as far as these variables tell."""
    instance, rules, seen = subject.instance, subject.rules, set[tuple[core.Value, ...]]()
    cells = [(v.name, i) for v in instance.vars.values() if v.name in names for i in instance.cells(v.name)]
    for match, number, played in subject.matches.rounds(ROUNDS):
        key = tuple(rules.layout.get(played.settled, *cell) for cell in cells)
        if key in seen or rules.over(played.settled):
            continue
        seen.add(key)
        ending = rules.ending(played.ended)
        how = "" if ending is None else f", which ended {instance.endings[ending].name}"
        yield Before(played.settled, f"round {number} of match {match} of seed {subject.seed}{how}")
        if len(seen) == STATES:
            return


def match_names(subject: Subject, encoder: Encoder) -> frozenset[str]:
    """The match states that a question looks at."""
    mine = (v for v in subject.instance.vars.values() if not v.zone and v.life is core.Life.MATCH)
    return frozenset(v.name for v in mine if v.name not in encoder.view.forgotten)


Fails = Callable[[Relation, Start], Sequence[Bit]]
"""From a round that begins to what must hold for it to begin badly."""


@dataclass(frozen=True, slots=True)
class Search:
    """A way a round may begin badly, to be looked for in first and in later rounds."""

    subject: Subject
    reads: frozenset[str]
    fails: Fails
    confirms: Callable[[State], bool]
    """Does the interpreter find the same after a deal?"""

    def ask(
        self,
        *,
        any_match: bool = False,
        before: State | None = None,
        opaque: bool = False,
        seconds: float = SOON,
    ) -> tuple[Result, Start, Encoder]:
        """Can a round begin badly: the first, any, or the one after a state? `opaque`: sums over tiles are any numbers."""
        study = self.subject.study
        hidden = sums(self.subject.instance) if opaque else frozenset[str]()
        view = replace(study.view(self.reads, keep_numbers=not opaque), opaque=hidden)
        encoder, relation = study.open(view)
        known: dict[Cell, Symbol] | None = None
        if before is not None:
            known = symbols.lasting(self.subject.instance, before, encoder.view.forgotten)
        begun = relation.start(any_match=any_match, before=known)
        bits = self.fails(relation, begun)
        limit = min(seconds, self.subject.seconds)
        return solve(encoder.dag, [*encoder.side, *bits], seconds=limit), begun, encoder

    def first(self) -> State | None:
        """A first deal that begins badly."""
        result, begun, _ = self.ask()
        if result.model is None:
            return None
        state = dealt_state(self.subject.rules, result.model, begun.dealt)
        return state if self.confirms(state) else None

    def later(self) -> tuple[Before, State] | None:
        """A deal that begins badly after rounds that were played."""
        names = match_names(
            self.subject, self.subject.study.open(self.subject.study.view(self.reads, keep_numbers=True))[0]
        )
        for before in settled(self.subject, names):
            result, begun, _ = self.ask(before=before.state)
            if result.model is not None:
                state = dealt_state(self.subject.rules, result.model, begun.dealt, before.state)
                if self.confirms(state):
                    return before, state
        return None

    def after_any_round(self) -> Result:
        """Can the round after any settlement begin badly? Sums over tiles are any numbers first, then what they are."""

        def next_round(relation: Relation, state: Symbols) -> Sequence[Bit]:
            names = match_names(self.subject, relation.encoder)
            before = {cell: value for cell, value in state.cells.items() if cell[0] in names}
            return self.fails(relation, relation.start(before=before, tag="next"))

        result = settlement(self.subject, self.reads, sums(self.subject.instance), next_round)
        if result.answer is Answer.NO:
            return result
        return settlement(self.subject, self.reads, frozenset(), next_round)


def settlement(
    subject: Subject,
    asks: frozenset[str],
    opaque: frozenset[str],
    wanted: Callable[[Relation, Symbols], Sequence[Bit]],
) -> Result:
    """Any round that has ended and is settled, with which the match is not over, and what is wanted of it."""
    study = subject.study
    reads = asks | asked(subject.proved) | study.reads.variables(subject.instance.over)
    encoder, relation = study.open(replace(study.view(reads, keep_numbers=True), opaque=opaque))
    state = subject.position(relation)
    over = relation.concluded(state)
    assumed = [fact.holds(relation, over) for fact in subject.proved]
    after, faults = relation.settle(over)
    query = [*assumed, -relation.goes_on(state), *(-fault.bit for fault in faults)]
    query += [-encoder.truth(subject.instance.over, after), *wanted(relation, after)]
    return solve(encoder.dag, [*encoder.side, *query], seconds=subject.seconds)


def one_round(subject: Subject) -> bool:
    """Is a match over after every settlement?"""
    if any(not subject.rules.over(played.settled) for _, _, played in subject.matches.rounds(20)):
        return False
    return settlement(subject, frozenset(), sums(subject.instance), lambda *_: []).answer is Answer.NO


def nothing_played(subject: Subject, begins: Callable[[Relation, Start], Sequence[Bit]]) -> bool:
    """Can no first round begin?"""
    if next(subject.matches.rounds(1), None) is not None:
        return False
    search = Search(subject, frozenset(), begins, lambda _: True)
    return search.ask(seconds=subject.seconds)[0].answer is Answer.NO
