"""What the score of a game is, side by side: cells in states and symbols, and which way it counts.

A side is a team. Its total is the score it has, or (a score per player) what its players have together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from domrules.grammar import core
from domrules.interpreter.state import State
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import FALSE, ZERO, Bit, Number
from domrules.verifier.encode import Encoder
from domrules.verifier.forget import written
from domrules.verifier.solver import Answer, solve
from domrules.verifier.symbols import Symbols

UNSAID = "the solver does not say which way the score counts"


class Better(Enum):
    """Which total is better for its side; the value is the factor that makes more of it better."""

    MORE = 1
    LESS = -1


@dataclass(frozen=True, slots=True)
class Totals:
    """The score of every side: for each the indices of its cells in one state."""

    var: str
    cells: Sequence[Sequence[int]]

    def of(self, subject: Subject, state: State) -> tuple[int, ...]:
        """The totals in a position."""
        get = subject.rules.layout.get
        return tuple(sum(int(get(state, self.var, i) or 0) for i in indices) for indices in self.cells)

    def symbols(self, encoder: Encoder, at: Symbols) -> tuple[Number, ...]:
        """The same in symbols."""
        out = []
        for indices in self.cells:
            total = ZERO
            for i in indices:
                held = at.cells[self.var, i]
                assert isinstance(held, Number)
                total = encoder.dag.add(total, held)
            out.append(total)
        return tuple(out)


def totals(instance: core.Instance) -> Totals | str:
    """The score; or why there is none, in words."""
    names = instance.role("state", "score")
    if len(names) != 1:
        return "no state is `as score`" if not names else "several states are `as score`"
    var = instance.vars[names[0]]
    if var.life is not core.Life.MATCH or not isinstance(var.type, core.IntType):
        return f"{var.name} is no number that lasts for the match"
    match var.per:
        case "team":
            return Totals(var.name, [[i] for i in range(sides(instance))])
        case "player":
            team = side_of(instance)
            return Totals(var.name, [[p for p, g in enumerate(team) if g == side] for side in range(sides(instance))])
        case _:
            return f"{var.name} is neither per team nor per player"


def sides(instance: core.Instance) -> int:
    """How many sides there are."""
    return instance.sorts["team"].size


def side_of(instance: core.Instance) -> tuple[int, ...]:
    """The side of every player."""
    return tuple(int(team or 0) for team in instance.sorts["player"].attrs["team"][1])


def side_name(instance: core.Instance, side: int) -> str:
    """The players of a side."""
    names = instance.sorts["player"].names
    return " and ".join(names[p] for p, g in enumerate(side_of(instance)) if g == side)


def counting(subject: Subject, found: Totals) -> Better | str:
    """Can more points make a winner of a side that has not won, or only fewer? Why it is neither, in words."""
    helps, harms = (_changes(subject, found, gained=gained) for gained in (True, False))
    if "" in (helps, harms):
        return UNSAID
    match helps, harms:
        case "yes", "no":
            return Better.MORE
        case "no", "yes":
            return Better.LESS
        case "no", "no":
            return "who wins does not depend on the score"
        case _:
            return "more points can win a match, and lose it"


def _changes(subject: Subject, found: Totals, *, gained: bool) -> str:
    """Can more points alone end the match with this side among the winners (or not among them), where it did not end so?

    `yes`, `no`, or nothing when unknown.
    """
    study, instance = subject.study, subject.instance
    asked = study.reads.variables(instance.winners) | study.reads.variables(instance.over) | {found.var}
    encoder, relation = study.open(study.view(asked, keep_numbers=True))
    dag, state = encoder.dag, relation.any_state("s", partition=False)
    more = dag.unknown("more")
    ways: list[Bit] = []
    for side, indices in enumerate(found.cells):
        held = state.cells[found.var, indices[0]]
        assert isinstance(held, Number)
        richer = state.put({(found.var, indices[0]): dag.add(held, more)})
        before, after = (_ended_so(encoder, instance, at, side, won=gained) for at in (state, richer))
        ways.append(dag.both(-before, after))
    query = [*encoder.side, dag.at_least_zero(dag.add(more, Number(-1))), dag.any(ways)]
    answer = solve(dag, query, seconds=subject.seconds).answer
    return {Answer.YES: "yes", Answer.NO: "no", Answer.UNKNOWN: ""}[answer]


def _ended_so(encoder: Encoder, instance: core.Instance, at: Symbols, side: int, *, won: bool) -> Bit:
    wins = wins_in(encoder, instance, at, side)
    return encoder.dag.both(encoder.truth(instance.over, at), wins if won else -wins)


def wins_in(encoder: Encoder, instance: core.Instance, at: Symbols, side: int) -> Bit:
    """Is this side among the winners?"""
    return encoder.members(instance.winners, at).get(side, FALSE)


def settled_reads(subject: Subject) -> frozenset[str]:
    """All that settlements and the end of the match read or write."""
    reads, instance = subject.study.reads, subject.instance
    found = set(reads.variables(instance.over) | reads.variables(instance.winners))
    found.update(instance.role("state", "score"))
    for settle in instance.settles:
        for row in settle.rows:
            found |= reads.variables(row.test)
            for statement in row.body:
                for target, sources in written(reads, statement, frozenset()):
                    found |= {target} | sources
    return frozenset(found)
