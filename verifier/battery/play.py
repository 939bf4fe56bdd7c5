"""Random play as the cheapest falsifier: what happens in the rounds of the first matches of a seed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from domrules.grammar import core
from domrules.interpreter.chance import Chance
from domrules.interpreter.errors import RuleError, Unfinished
from domrules.interpreter.names import move_name
from domrules.interpreter.play import Limits, Ply, Round, Table
from domrules.interpreter.players import RandomPlayer
from domrules.interpreter.replay import outcomes
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import Layout, State
from domrules.verifier import symbols
from domrules.verifier.witness import Witness

T = TypeVar("T")
MATCH = 5
"""Rounds of a match looked through for rule errors."""
ROUNDS_OF_ONE = 100
"""Rounds of a match that are looked at."""
ROUNDS = 200
"""Random rounds that are looked at."""
MATCHES = 200
"""Random matches looked through for a rule that breaks."""
FEW = 20
"""Whole random matches of which the outcomes are worked out."""
LONG = 20
"""Moves for each tile after which a random round is taken for one that does not end."""
LEAST = 500
"""As long every round may be."""
BARREN = 20
"""Matches without a round that can be played, one after the other, before giving up."""
TRIES = 50
"""Settings of open options that are drawn until the rules allow them."""
FEW_LEFT, FIRST_MOVES = 3, 300
"""Rounds that break a rule or do not end: how many are looked at, and how many of their moves."""


@dataclass(frozen=True, slots=True)
class Situation:
    """A state met in play. `kind`: dealt (before the first move), played, settled; `plies` are those of its round so far."""

    kind: str
    state: State
    played: Round
    plies: tuple[Ply, ...]
    match: int
    round: int

    @property
    def witness(self) -> Witness:
        """The round so far."""
        return Witness(self.played.dealt, self.plies, self.state)

    def place(self, seed: int = 1) -> str:
        """Where it was met."""
        return f"match {self.match} of seed {seed}, round {self.round}"


@dataclass(frozen=True, slots=True)
class Broken:
    """A match that a rule broke: its number, what broke, and the round as far as it had come, if it was dealt."""

    match: int
    error: RuleError
    now: Round | None = None

    @property
    def witness(self) -> Witness | None:
        """The round, up to where it broke."""
        return None if self.now is None else Witness(self.now.dealt, self.now.plies, self.now.ended)

    def lines(self, seed: int = 1) -> list[str]:
        """What broke, and where; the state only where there is no round to be shown."""
        state = self.error.state.splitlines() if self.now is None else []
        return [f"{self.error.sentence}: match {self.match} of seed {seed}", *(f"  {line}" for line in state)]


class Remembered(Iterable[T]):
    """What is found only when it is looked at, and then kept for whoever looks next."""

    def __init__(self, source: Iterator[T]) -> None:
        self._source, self._found = source, list[T]()

    def __iter__(self) -> Iterator[T]:
        place = 0
        while True:
            if place == len(self._found):
                more = next(self._source, None)
                if more is None:
                    return
                self._found.append(more)
            yield self._found[place]
            place += 1


def patience(rules: Rules) -> Limits:
    """How long a random round goes on."""
    return Limits(moves=max(LEAST, LONG * symbols.tile_count(rules.instance)), deals=200)


def new_match(rules: Rules, seed: int, index: int) -> State:
    """The state before a random match; options that are open have their defaults in the first one, then any values."""
    instance = rules.instance
    state = rules.new_match()
    if not instance.open or not index:
        return state
    chance = Chance.named(seed, index)
    for _ in range(TRIES):
        settings = {name: _setting(instance, instance.vars[name], chance) for name in instance.open}
        drawn = rules.new_match(settings)
        if all(rules.question(axiom)(drawn) for axiom in instance.axioms):
            return drawn
    return state


def _setting(instance: core.Instance, var: core.Var, chance: Chance) -> core.Value:
    """Some value of an open option; of a number often the least, the greatest, or one near the least."""
    match var.type:
        case core.BoolType():
            return bool(chance.below(2))
        case core.Elem(sort=sort):
            return chance.below(instance.sorts[sort].size)
        case _:
            low, high = var.low or 0, var.high if var.high is not None else (var.low or 0)
            some = (low, high, low + chance.below(high - low + 1), min(high, low + chance.below(50)))
            return some[chance.below(len(some))]


class Course:
    """A random match, played as far as somebody looks."""

    def __init__(self, rules: Rules, seed: int, index: int) -> None:
        chance = Chance.named(seed, index)
        self.table = Table(rules, [RandomPlayer(chance)] * rules.instance.players, chance, patience(rules))
        self.rules, self.state = rules, new_match(rules, seed, index)
        self.done: list[Round] = []
        self.stopped: RuleError | Unfinished | None = None
        """What broke, or did not end."""

    @property
    def left(self) -> Round | None:
        """The round in which it stopped, as far as that had come."""
        return None if self.stopped is None else self.table.now

    def rounds(self, most: int) -> Iterator[Round]:
        """So many at most, until the match is over or stops."""
        for number in range(most):
            if number == len(self.done) and not self.further():
                return
            yield self.done[number]

    def further(self) -> bool:
        """Play one more round, if there is one."""
        if self.stopped is not None or (self.done and self.rules.over(self.state)):
            return False
        try:
            self.done.append(self.table.round(self.state))
        except (RuleError, Unfinished) as stopped:
            self.stopped = stopped
            return False
        self.state = self.done[-1].settled
        return True


@dataclass
class Matches:
    """The random matches of a seed. What was looked at once is not played again."""

    rules: Rules
    seed: int = 1
    begun: list[Course] = field(default_factory=list)

    def match(self, index: int) -> Course:
        while index >= len(self.begun):
            self.begun.append(Course(self.rules, self.seed, len(self.begun)))
        return self.begun[index]

    def rounds(self, count: int) -> Iterator[tuple[int, int, Round]]:
        """(match, number from 1, round) of the first rounds that end.

        A match that breaks a rule or does not end is left there; `errors` says what broke.
        """
        return (found for found in self._begun(count) if not found[2].broken_off)

    def _begun(self, count: int) -> Iterator[tuple[int, int, Round]]:
        """The same, and what there is of the rounds that are left, which do not count."""
        index = done = barren = 0
        while done < count and barren < BARREN:
            course, number = self.match(index), 0
            for number, played in enumerate(course.rounds(min(ROUNDS_OF_ONE, count - done)), 1):
                yield index, number, played
            done += number
            if done < count and course.left is not None and len(course.done) == number:
                yield index, number + 1, course.left
            index += 1
            barren = 0 if number else barren + 1

    def situations(self, count: int) -> Iterator[Situation]:
        """Every state of so many rounds; and the first ones of a few that broke a rule or did not end."""
        left = 0
        for match, number, played in self._begun(count):
            left += played.broken_off
            if played.broken_off and left > FEW_LEFT:
                continue
            for i, state in enumerate(played.states[: FIRST_MOVES + 1 if played.broken_off else None]):
                yield Situation("played" if i else "dealt", state, played, played.plies[:i], match, number)
            if not played.broken_off:
                yield Situation("settled", played.settled, played, played.plies, match, number)

    def errors(self, count: int) -> Iterator[Broken]:
        """Those of the first matches whose first rounds break a rule."""
        for index in range(count):
            course = self.match(index)
            try:
                played = list(course.rounds(MATCH))
                if played:
                    self.rules.over(played[-1].settled)
            except RuleError as error:
                yield Broken(index, error)
            if isinstance(course.stopped, RuleError) and len(course.done) < MATCH:
                yield Broken(index, course.stopped, course.left)

    def outcome_errors(self, count: int) -> Iterator[Broken]:
        """Those of the first matches whose outcomes break a rule; none are played without outcomes."""
        rules = self.rules
        for index in range(count) if any(fn.outcome for fn in rules.instance.fns.values()) else ():
            course = self.match(index)
            try:
                played = list(course.rounds(ROUNDS_OF_ONE))
                if played and rules.over(played[-1].settled):
                    outcomes(rules, played[-1].settled)
            except RuleError as error:
                yield Broken(index, error)


def zones(instance: core.Instance, state: State) -> Iterator[str]:
    """One line for every zone that holds tiles."""
    names = instance.sorts["tile"].names
    for var, index, cell in Layout.of(instance).walk():
        held = state.cells[cell]
        if var.zone and isinstance(held, int) and held:
            where = (
                var.name if var.per is None or index is None else f"{var.name}[{instance.sorts[var.per].names[index]}]"
            )
            yield f"{where}: " + " ".join(t for i, t in enumerate(names) if held >> i & 1)


def round_lines(rules: Rules, before: Sequence[int], played: Round) -> list[str]:
    """A round for people: what stood before, the deal, the moves, the score after."""
    instance = rules.instance
    out = [f"  {line}" for line in zones(instance, played.dealt)]
    if any(before):
        out.insert(0, f"  score before: {', '.join(map(str, before))}")
    moves = " ".join(str(move_name(instance, ply.move, ply.outcome)) for ply in played.plies)
    ending = rules.ending(played.ended)
    name = "" if ending is None else instance.endings[ending].name
    return [
        *out,
        f"  played: {moves or 'nothing'}: {name}",
        f"  score: {', '.join(map(str, rules.scores(played.settled)))}",
    ]
