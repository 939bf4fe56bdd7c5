"""What a play may lead to: the same question in symbols, for the solver, and of a state, for the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from domrules.grammar import core
from domrules.grammar.source import NOWHERE
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.verifier.dag import FALSE, Bit
from domrules.verifier.relation import ENDING, Relation
from domrules.verifier.study import Study
from domrules.verifier.symbols import Symbols


@dataclass(frozen=True, slots=True, eq=False)
class Goal:
    """Something that holds in some positions of a round. A position has its ending, if it has one, written down."""

    holds: Callable[[Relation, Symbols], Bit]
    met: Callable[[State], bool]
    reads: frozenset[str]
    """What it needs to know beside what every question about rounds needs."""
    ends: bool = False
    """It holds only where the round has ended."""
    said: str = ""
    """The expression that says it, without places."""


def ended(study: Study, rules: Rules, endings: Sequence[int]) -> Goal:
    """The round has ended in one of these ways."""

    def holds(relation: Relation, state: Symbols) -> Bit:
        way = state.cells[ENDING]
        assert isinstance(way, Mapping)
        return relation.dag.any([way.get(i, FALSE) for i in endings])

    ways = frozenset(endings)
    starts = any(study.instance.endings[i].at_start for i in ways)
    return Goal(holds, lambda state: rules.ending(state) in ways, frozenset(), ends=not starts)


def stated(study: Study, rules: Rules, e: core.Expr) -> Goal:
    """An expression of the instance holds."""
    question = rules.question(e)

    def holds(relation: Relation, state: Symbols) -> Bit:
        return relation.encoder.truth(e, state)

    return Goal(holds, lambda state: bool(question(state)), study.reads.variables(e), said=repr(unplaced(e)))


def unplaced(e: core.Expr) -> core.Expr:
    """The same expression from nowhere."""
    return replace(core.rebuild(e, unplaced), span=NOWHERE)
