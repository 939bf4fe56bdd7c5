"""Statements about every position of a round: lemmas of the file, the partition of the tiles, computed invariants.

A fact helps a proof only once `induction.prove` has proved it for the instance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, permutations

from domrules.grammar import core
from domrules.grammar.instance import specialise_expr
from domrules.grammar.reads import Reads
from domrules.grammar.source import NOWHERE, Span
from domrules.verifier.dag import FALSE, Bit
from domrules.verifier.relation import Relation
from domrules.verifier.study import Study
from domrules.verifier.symbols import Symbols


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """A statement about positions; `holds` gives the bit that says it of one."""

    name: str
    holds: Callable[[Relation, Symbols], Bit]
    reads: frozenset[str]
    counts: bool = False
    """It compares sizes of zones: easier where sizes are numbers of their own."""
    guides: bool = True
    """Worth asserting of every position of an unrolled play; the types of named positions say the others anyway."""
    even: bool = False
    """It says that a sum is even."""
    doc: str = ""
    span: Span = NOWHERE


def partition(study: Study) -> Fact:
    """Every tile lies in exactly one zone."""
    zones = frozenset(v.name for v in study.instance.vars.values() if v.zone)
    return Fact("partition", Relation.partition, zones, guides=False, doc="Every tile lies in exactly one zone.")


def lemmas(study: Study) -> list[Fact]:
    """The lemmas of the file, for this instance."""
    found = []
    for lemma in study.instance.game.lemmas:
        body = specialise_expr(study.instance, lemma.body)
        found.append(stated(study, lemma.name, body, doc=lemma.doc, span=lemma.span))
    return found


def stated(study: Study, name: str, body: core.Expr, *, doc: str = "", span: Span = NOWHERE) -> Fact:
    """A fact written as an expression of the instance."""

    def holds(relation: Relation, state: Symbols) -> Bit:
        return relation.encoder.truth(body, state)

    return Fact(name, holds, study.reads.variables(body), measures(study.reads, body), doc=doc, span=span)


def located(study: Study) -> list[Fact]:
    """Guesses: a state that names a tile names one that lies in such and such a zone; two states are set at the same time.

    For `induction.prove` to judge.
    """
    variables = study.instance.vars.values()
    named = [v for v in variables if not v.zone and v.type in (core.Elem("tile"), core.Maybe("tile"))]
    zones = [v for v in variables if v.zone]
    pairs = combinations([v for v in variables if isinstance(v.type, core.Maybe) and v.life is core.Life.ROUND], 2)
    guesses = [_located(study, var, zone) for var in named if var.life is core.Life.ROUND for zone in zones]
    guesses += [_half(study, a, b) for a, b in permutations(variables, 2) if a.per == b.per and _shows(study, a, b)]
    return guesses + [_together(study, a, b) for a, b in pairs if a.per == b.per]


def naming(study: Study) -> frozenset[str]:
    """The states that name tiles."""
    kinds = (core.Elem("tile"), core.Maybe("tile"))
    return frozenset(v.name for v in study.instance.vars.values() if not v.zone and v.type in kinds)


def apart(study: Study) -> list[Fact]:
    """Guesses: two cells of a state that names tiles never name the same one."""
    found = list[Fact]()
    for var in study.instance.vars.values():
        if not var.zone and var.type == core.Maybe("tile") and var.life is core.Life.ROUND:
            found += [_apart(var.name, i, j) for i, j in combinations(study.instance.cells(var.name), 2)]
    return found


def _apart(name: str, i: int | None, j: int | None) -> Fact:
    def holds(relation: Relation, state: Symbols) -> Bit:
        dag, one, other = relation.dag, state.cells[name, i], state.cells[name, j]
        assert isinstance(one, Mapping)
        assert isinstance(other, Mapping)
        return dag.all(-dag.both(bit, other[tile]) for tile, bit in one.items() if tile in other)

    return Fact(f"{name} apart", holds, frozenset((name,)), guides=False)


def _shows(study: Study, half: core.Var, tile: core.Var) -> bool:
    """A state of halves and one of tiles, both of a round."""
    kinds = half.type == core.Maybe(study.instance.game.dominoes.half), tile.type == core.Maybe("tile")
    return all(kinds) and half.life is core.Life.ROUND and tile.life is core.Life.ROUND


def _half(study: Study, half: core.Var, tile: core.Var) -> Fact:
    """What one state holds is a half of the tile in another, where both hold something."""
    halves = study.instance.halves

    def holds(relation: Relation, state: Symbols) -> Bit:
        dag, bits = relation.dag, list[Bit]()
        for index in study.instance.cells(half.name):
            shown, named = state.cells[half.name, index], state.cells[tile.name, index]
            assert isinstance(shown, Mapping)
            assert isinstance(named, Mapping)
            for i, bit in named.items():
                bits += [-dag.both(bit, other) for pip, other in shown.items() if pip not in halves[i]]
        return dag.all(bits)

    return Fact(f"{half.name} of {tile.name}", holds, frozenset((half.name, tile.name)), guides=False)


def _together(study: Study, a: core.Var, b: core.Var) -> Fact:
    """Two states hold something at the same time."""

    def holds(relation: Relation, state: Symbols) -> Bit:
        dag, bits = relation.dag, list[Bit]()
        for index in study.instance.cells(a.name):
            some = []
            for name in (a.name, b.name):
                held = state.cells[name, index]
                assert isinstance(held, Mapping)
                some.append(dag.any(held.values()))
            bits.append(dag.same(*some))
        return dag.all(bits)

    return Fact(f"{a.name} with {b.name}", holds, frozenset((a.name, b.name)), guides=False)


def _located(study: Study, var: core.Var, zone: core.Var) -> Fact:
    cells = [(zone.name, index) for index in study.instance.cells(zone.name)]

    def holds(relation: Relation, state: Symbols) -> Bit:
        dag, bits = relation.dag, list[Bit]()
        for index in study.instance.cells(var.name):
            named = state.cells[var.name, index]
            assert isinstance(named, Mapping)
            for tile, bit in named.items():
                bits.append(dag.implies(bit, dag.any(state.zone(*cell).get(tile, FALSE) for cell in cells)))
        return dag.all(bits)

    return Fact(f"{var.name} in {zone.name}", holds, frozenset((var.name, zone.name)), guides=False)


def measures(reads: Reads, e: core.Expr, seen: set[str] | None = None) -> bool:
    """Does an expression take the size of a whole zone?"""
    seen = set() if seen is None else seen
    if isinstance(e, core.Op) and e.name == "size":
        (of,) = e.args
        return isinstance(of, core.Read) and reads.instance.vars[of.var].zone
    if isinstance(e, core.Call) and e.fn not in seen:
        seen.add(e.fn)
        if measures(reads, reads.instance.fns[e.fn].body, seen):
            return True
    return any(measures(reads, child, seen) for child in core.children(e))


def asked(facts: Iterable[Fact]) -> frozenset[str]:
    """All variables that facts read."""
    return frozenset[str]().union(*(fact.reads for fact in facts))
