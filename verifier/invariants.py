"""Linear invariants nobody wrote: guessed from random play, then thinned until they are inductive together.

    found = computed(study, rules, known)      # known: proved facts (the partition at least); gives proved facts

The kernel of a few thousand rows is guessed: beginnings, and differences from one position to the next. Then the solver
looks for a beginning or a move that breaks an equation; what it finds is one more row, and the kernel shrinks. At the
end all equations hold at every beginning and are kept together: they are proved. First over the rationals, then modulo 2
(parities), then for counters, where each action has a ghost counter; ghosts are never negative, which gives inequalities.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Protocol

from domrules.interpreter.chance import Chance
from domrules.interpreter.errors import RuleError, Unfinished
from domrules.interpreter.play import Limits, Round, Table
from domrules.interpreter.players import RandomPlayer
from domrules.interpreter.rules import Rules
from domrules.verifier.dag import FALSE, ZERO, Bit, Number
from domrules.verifier.facts import Fact
from domrules.verifier.features import Feature, Reader, counters, truths
from domrules.verifier.induction import StepView, prove
from domrules.verifier.kernel import Columns, Kernel, ParityKernel, Row, Vector, ones
from domrules.verifier.relation import Relation
from domrules.verifier.solver import Answer, Session
from domrules.verifier.study import Study
from domrules.verifier.symbols import Cell, Symbols
from domrules.verifier.valuation import Valuation

LONG = 60
"""Equations of more terms are sizes in disguise: the counters have them, and solvers stumble over them."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How many random rounds are looked at, with which seed."""

    rounds: int = 150
    seed: int = 1


class Clock:
    """Seconds of one query, and of all of them; what is not answered by then is left out."""

    def __init__(self, query: float, whole: float) -> None:
        self.query, self._end = query, time.process_time() + whole

    @property
    def late(self) -> bool:
        return time.process_time() > self._end


def computed(
    study: Study,
    rules: Rules,
    known: Sequence[Fact],
    *,
    sampling: Sampling = Sampling(),
    query: float = 1.0,
    whole: float = 30.0,
) -> list[Fact]:
    """Proved linear facts. `query`, `whole`: seconds; equations about which the solver cannot say are left out."""
    clock = Clock(query, whole)
    rounds = list(played(rules, sampling))
    if not rounds:
        return []
    bits = truths(study)
    columns = Columns.of(rows_of(rules, bits, rounds), len(bits))
    rational, parity = Kernel(len(bits)), ParityKernel(len(bits))
    rational.fit(columns)
    equations = Rational(bits, rational)
    thin(study, equations, known, clock)
    found = equations.facts()
    parity.fit(columns)
    parities = Parity(bits, parity, rational)
    thin(study, parities, [*known, *found], clock)
    found += parities.facts()
    return found + counted(study, rules, rounds, [*known, *found], query)


# ---------------------------------------------------------------- rows


def played(rules: Rules, sampling: Sampling) -> Iterable[Round]:
    """Rounds of random matches; a match that breaks a rule is left."""
    made = 0
    for index in range(10 * sampling.rounds):
        chance = Chance.named(sampling.seed, index)
        table = Table(rules, [RandomPlayer(chance)] * rules.instance.players, chance, Limits(moves=500, deals=1000))
        state = rules.new_match()
        try:
            for _ in range(3):
                found = table.round(state)
                yield found
                made += 1
                state = found.settled
                if made >= sampling.rounds or rules.over(state):
                    break
        except (RuleError, Unfinished):
            continue
        if made >= sampling.rounds:
            return


def rows_of(rules: Rules, features: Sequence[Feature], rounds: Iterable[Round]) -> list[Row]:
    """Differences first, for they are short; then the beginnings."""
    differences: dict[frozenset[tuple[int, int]], None] = {}
    starts: dict[frozenset[tuple[int, int]], None] = {}
    reader = Reader(rules, features)
    for found in rounds:
        before, *rest = map(reader.row, found.states)
        starts[frozenset(before.items())] = None
        for after in rest:
            differences[frozenset(change(before, after).items())] = None
            before = after
    return [dict(row) for row in (*differences, *starts)]


def change(before: Row, after: Row) -> dict[int, int]:
    """after - before."""
    places = before.keys() | after.keys()
    return {place: value for place in places if (value := after.get(place, 0) - before.get(place, 0))}


# ---------------------------------------------------------------- equations


class Equations(Protocol):
    """Candidates, as facts; a row that some do not satisfy thins them."""

    features: Sequence[Feature]
    banned: set[str]
    """Names of candidates about which the solver cannot say."""
    together: int
    """How many are put to the solver in one query."""

    def facts(self) -> list[Fact]: ...

    def cut(self, row: Row) -> None: ...


class Rational:
    """Candidates over the rationals: sum(weight * feature) = 0."""

    together = 1000

    def __init__(self, features: Sequence[Feature], kernel: Kernel) -> None:
        self.features, self.kernel, self.banned = features, kernel, set[str]()

    def facts(self) -> list[Fact]:
        found = [equation(self.features, vector) for vector in self.kernel.basis if len(vector) <= LONG]
        return [fact for fact in found if fact.name not in self.banned]

    def cut(self, row: Row) -> None:
        self.kernel.cut(row)


class Parity:
    """Candidates modulo 2 that do not follow from the rational ones."""

    together = 1

    def __init__(self, features: Sequence[Feature], kernel: ParityKernel, rational: Kernel) -> None:
        self.features, self.kernel, self.rational, self.banned = features, kernel, rational, set[str]()

    def facts(self) -> list[Fact]:
        vectors = shortened(self.kernel.beyond(self.rational.basis), self.rational.basis)
        found = [evenness(self.features, vector) for vector in vectors if vector.bit_count() <= LONG]
        return [fact for fact in found if fact.name not in self.banned]

    def cut(self, row: Row) -> None:
        self.kernel.cut(row)


def shortened(vectors: Iterable[int], by: Iterable[Vector]) -> list[int]:
    """Parities made shorter by adding equations that hold anyway."""
    masks = [sum(1 << place for place, weight in vector.items() if weight & 1) for vector in by]
    return [shortest(vector, masks) for vector in vectors]


def shortest(vector: int, masks: Sequence[int]) -> int:
    while True:
        best = min((vector ^ mask for mask in masks), key=int.bit_count, default=vector)
        if best.bit_count() >= vector.bit_count():
            return vector
        vector = best


def equation(features: Sequence[Feature], vector: Mapping[int, int], *, counts: bool = False) -> Fact:
    """sum(weight * feature) = 0 as a fact."""

    def holds(relation: Relation, state: Symbols) -> Bit:
        return relation.dag.is_zero(total(features, vector, relation, state))

    return Fact(shown(features, vector), holds, read(features, vector), counts, guides=not conserves(features, vector))


def evenness(features: Sequence[Feature], vector: int) -> Fact:
    """The sum of some features is even."""
    places = ones(vector)

    def holds(relation: Relation, state: Symbols) -> Bit:
        return -relation.dag.odd(total(features, dict.fromkeys(places, 1), relation, state))

    return Fact(shown_even(features, vector), holds, read(features, places), even=True)


def total(features: Sequence[Feature], vector: Mapping[int, int], relation: Relation, state: Symbols) -> Number:
    found = ZERO
    for place, weight in vector.items():
        found = relation.dag.add(found, features[place].symbol(relation, state), weight)
    return found


def read(features: Sequence[Feature], places: Iterable[int]) -> frozenset[str]:
    return frozenset[str]().union(*(features[place].reads for place in places))


def conserves(features: Sequence[Feature], vector: Mapping[int, int]) -> bool:
    """Does it only say where one tile lies? The partition says so anyway."""
    named = [features[place].text for place in vector if place]
    return all(" in " in text for text in named) and len({text.split(" in ")[0] for text in named}) == 1


def shown(features: Sequence[Feature], vector: Mapping[int, int], sign: str = "=") -> str:
    """`[0|0 in layout] + [0|0 in hand[p1]] = 1`."""
    terms = [(weight, features[place].text) for place, weight in sorted(vector.items()) if place]
    factor = -1 if sign == "=" and terms[0][0] < 0 else 1
    left = " ".join(term(factor * weight, text) for weight, text in terms).removeprefix("+ ")
    return f"{left} {sign} {-factor * vector.get(0, 0)}"


def term(weight: int, text: str) -> str:
    sign = "-" if weight < 0 else "+"
    return f"{sign} {text}" if abs(weight) == 1 else f"{sign} {abs(weight)} {text}"


def shown_even(features: Sequence[Feature], vector: int) -> str:
    places = ones(vector)
    named = " + ".join(features[place].text for place in places if place)
    return f"{named} is {'odd' if 0 in places else 'even'}"


# ---------------------------------------------------------------- thinning


def thin(study: Study, equations: Equations, known: Sequence[Fact], clock: Clock) -> None:
    """Drop what fails at a beginning or is not kept by a move, until all that is left passes both as it stands.

    Beginnings are asked about each time: a mended equation may have got a part of one that was never decided there.
    """
    at_beginnings(study, equations, clock)
    while one_pass(study, equations, known, clock):
        at_beginnings(study, equations, clock)


def at_beginnings(study: Study, equations: Equations, clock: Clock) -> None:
    encoder, relation = study.open(study.view(read(equations.features, range(len(equations.features)))))
    start = relation.start(any_match=True)
    begun = relation.concluded(start.begun, at_start=True)
    session = Session(encoder.dag)
    session.add([*encoder.side, *start.sound, start.kept])

    def row(model: Valuation) -> Row:
        return measured(equations.features, relation, model, begun)

    weed(equations, session, lambda fact: -fact.holds(relation, begun), row, clock)


def one_pass(study: Study, equations: Equations, known: Sequence[Fact], clock: Clock) -> bool:
    """One move under all candidates; was any lost? Rows found on the way stay right when fewer are assumed."""
    before = equations.facts()
    step = StepView(study, before, known, counted=False)

    def row(model: Valuation) -> Row:
        before, after = (
            measured(equations.features, step.relation, model, state) for state in (step.before, step.after)
        )
        return change(before, after)

    weed(equations, step.session, lambda fact: -fact.holds(step.relation, step.after), row, clock)
    return {fact.name for fact in before} != {fact.name for fact in equations.facts()}


def measured(features: Sequence[Feature], relation: Relation, model: Valuation, state: Symbols) -> dict[int, int]:
    """The features of a position under a model."""
    values = [model.number(feature.symbol(relation, state)) for feature in features]
    return {place: value for place, value in enumerate(values) if value}


def weed(
    equations: Equations,
    session: Session,
    fails: Callable[[Fact], Bit],
    row: Callable[[Valuation], Row],
    clock: Clock,
) -> None:
    """Cut by every model in which a candidate fails, until there is none."""
    bits: dict[str, Bit] = {}
    while True:
        facts = equations.facts()
        for fact in facts:
            if fact.name not in bits:
                bits[fact.name] = fails(fact)
        found = None
        for place in range(0, len(facts), equations.together):
            some = facts[place : place + equations.together]
            found = found or failing(session, [(fact.name, bits[fact.name]) for fact in some], clock)
        match found:
            case None:
                return
            case str():
                equations.banned.add(found)
            case Valuation():
                equations.cut(row(found))


def failing(session: Session, fails: Sequence[tuple[str, Bit]], clock: Clock) -> Valuation | str | None:
    """A model in which some candidate fails, or the name of one about which there is no answer."""
    possible = [(name, bit) for name, bit in fails if bit != FALSE]
    if not possible:
        return None
    together = session.dag.any([bit for _, bit in possible])
    result = session.check([together], seconds=clock.query)
    if result.answer is not Answer.UNKNOWN:
        return result.model
    for name, bit in possible:
        if clock.late:
            return name
        result = session.check([bit], seconds=clock.query)
        if result.answer is not Answer.NO:
            return name if result.model is None else result.model
    return None


# ---------------------------------------------------------------- counters


def counted(study: Study, rules: Rules, rounds: Sequence[Round], known: Sequence[Fact], seconds: float) -> list[Fact]:
    """Equations and inequalities of moves and sizes of zones. Ghosts: how often each action was done in the round."""
    features, ghosts = counters(study), len(study.instance.actions)
    width = len(features) + ghosts
    kernel = Kernel(width)
    kernel.fit(Columns.of(ghostly_rows(rules, features, rounds), width))
    order = [*range(len(features), width), *(place for place, f in enumerate(features) if f.cells and is_part(f.cells))]
    found = [bounded(features, vector) for vector in apart(kernel.basis, order)]
    attempts = prove(study, [fact for fact in found if fact is not None], known=known, seconds=seconds)
    return list(attempts.proved)


def is_part(cells: Sequence[Cell]) -> bool:
    """Is it one of several like it (a hand)? Equations of the whole table say more, and help solvers more."""
    return any(index is not None for _, index in cells)


def ghostly_rows(rules: Rules, features: Sequence[Feature], rounds: Iterable[Round]) -> list[Row]:
    """Positions with the ghost counters, each different one once."""
    seen: dict[frozenset[tuple[int, int]], None] = {}
    reader = Reader(rules, features)
    for found in rounds:
        made: dict[int, int] = {}
        seen[frozenset(reader.row(found.states[0]).items())] = None
        for ply, state in zip(found.plies, found.states[1:], strict=True):
            ghost = len(features) + ply.move.action
            made[ghost] = made.get(ghost, 0) + 1
            seen[frozenset({**reader.row(state), **made}.items())] = None
    return [dict(row) for row in seen]


def apart(basis: Iterable[Vector], order: Iterable[int]) -> list[Vector]:
    """The same equations, solved for the features in `order` as far as can be: each stays in one equation only."""
    rows = [{place: Fraction(weight) for place, weight in vector.items()} for vector in basis]
    done: list[dict[int, Fraction]] = []
    for place in order:
        pivot = next((row for row in rows if place in row), None)
        if pivot is not None:
            rows.remove(pivot)
            rows, done = ([without(row, pivot, place) for row in some] for some in (rows, done))
            done.append(pivot)
    return [whole(row) for row in (*done, *rows) if row]


def without(row: dict[int, Fraction], pivot: Mapping[int, Fraction], place: int) -> dict[int, Fraction]:
    if place not in row:
        return row
    factor = row[place] / pivot[place]
    found = {p: row.get(p, Fraction(0)) - factor * pivot.get(p, Fraction(0)) for p in {**row, **pivot}}
    return {p: weight for p, weight in found.items() if weight}


def whole(row: Mapping[int, Fraction]) -> Vector:
    factor = lcm(*(weight.denominator for weight in row.values()))
    return {place: int(weight * factor) for place, weight in row.items()}


def bounded(features: Sequence[Feature], vector: Mapping[int, int]) -> Fact | None:
    """What an equation says without its ghosts: itself if it has none, an inequality if all pull one way."""
    seen = {place: weight for place, weight in vector.items() if place < len(features)}
    signs = {weight > 0 for place, weight in vector.items() if place >= len(features)}
    if not seen or len(signs) > 1:
        return None
    if not signs:
        return equation(features, seen, counts=True)
    above = {place: -weight if signs == {True} else weight for place, weight in seen.items()}

    def holds(relation: Relation, state: Symbols) -> Bit:
        return relation.dag.at_least_zero(total(features, above, relation, state))

    return Fact(shown(features, above, ">="), holds, read(features, above), counts=True)
