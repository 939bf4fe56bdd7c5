"""Any position in which a round has just ended, before each of its settlements: questions about who gets how much.

Asked in stages, from little knowledge to much; a "no" of any stage is final. First every sum over tiles is any number (not
below 0, none for no tiles), then the proved facts help, then the tiles are what they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from domrules.grammar import core
from domrules.grammar.reads import statements
from domrules.verifier import symbols
from domrules.verifier.dag import TRUE, ZERO, Bit, Dag, Number
from domrules.verifier.effects import Fault, run
from domrules.verifier.encode import Encoder
from domrules.verifier.facts import Fact, asked
from domrules.verifier.relation import Relation
from domrules.verifier.solver import Answer, Engine, Result, Session, solve
from domrules.verifier.study import Study
from domrules.verifier.symbols import Cell, Symbols


@dataclass
class Stage:
    """One amount of knowledge: the position before each settlement and after the last, and a solver that knows them."""

    encoder: Encoder
    relation: Relation
    states: list[Symbols]
    faults: list[Fault]
    ends: tuple[Bit, ...]
    session: Session
    _told: int = 0

    def check(self, bits: Sequence[Bit], *, seconds: float) -> Result:
        """Can this hold?"""
        self._tell()
        return self.session.check(bits, seconds=seconds)

    def _tell(self) -> None:
        self.session.add(self.encoder.side[self._told :])
        self._told = len(self.encoder.side)

    def among(self, endings: Sequence[int] | None) -> Bit:
        """The round has ended in one of these ways."""
        return TRUE if endings is None else self.encoder.dag.any([self.ends[i] for i in endings])


@dataclass
class Ended:
    """The questions about ended rounds of one table."""

    study: Study
    facts: Sequence[Fact]
    partition: bool
    natural: frozenset[str] = frozenset()
    """Numbers of the match that are known never to be below 0."""
    stages: dict[int, Stage] = field(default_factory=dict)

    def ask(
        self, number: int, e: core.Expr, *, endings: Sequence[int] | None = None, seconds: float = 5.0
    ) -> tuple[Result, Stage]:
        """Can `e` hold before settlement `number` (or, after the last, when all is settled)? And the stage that says so."""
        if core.is_lit(e, False):
            return Result(Answer.NO, Engine.GENERAL, 0.0), self.stage(0)
        return self.check(lambda stage: stage.encoder.truth(e, stage.states[number]), endings=endings, seconds=seconds)

    def check(
        self, bit: Callable[[Stage], Bit], *, endings: Sequence[int] | None = None, seconds: float = 5.0
    ) -> tuple[Result, Stage]:
        """The same for any bit of a stage."""
        found = self._tried(0, bit, endings, seconds)
        for level in (1, 2):
            if found[0].answer is Answer.NO:
                break
            found = self._tried(level, bit, endings, seconds)
        result, stage, query = found
        if result.answer is Answer.UNKNOWN:
            result = solve(stage.encoder.dag, [*stage.session.base, *query], seconds=seconds)
        return result, stage

    def _tried(
        self, level: int, bit: Callable[[Stage], Bit], endings: Sequence[int] | None, seconds: float
    ) -> tuple[Result, Stage, Sequence[Bit]]:
        stage = self.stage(level)
        query = [stage.among(endings), bit(stage)]
        return stage.check(query, seconds=seconds), stage, query

    def in_play(self, e: core.Expr, *, facts: bool = False, seconds: float = 5.0) -> Result:
        """Can `e` hold in a well-typed position of a round that goes on? `facts`: one in which the proved facts hold."""
        if core.is_lit(e, False):
            return Result(Answer.NO, Engine.GENERAL, 0.0)
        # While a move is carried out, what it ends is not written down yet: of that nothing is known.
        known = [fact for fact in self.facts if facts and "ending" not in fact.reads]
        view = self.study.view(self.study.reads.variables(e) | asked(known), keep_numbers=True)
        encoder, relation = self.study.open(view)
        state = relation.any_state("s", partition=facts and self.partition)
        holding = [*self.not_below_zero(encoder.dag, state), *(fact.holds(relation, state) for fact in known)]
        bit = encoder.truth(e, state)
        return solve(encoder.dag, [*encoder.side, *holding, bit], seconds=seconds)

    @property
    def known(self) -> Stage:
        """All that is known."""
        return self.stage(2)

    def stage(self, level: int) -> Stage:
        """0: sums are any numbers; 1: and the proved facts hold; 2: and the tiles are what they are."""
        found = self.stages.get(level)
        if found is None:
            found = self.stages[level] = self._made(level)
        return found

    def _made(self, level: int) -> Stage:
        instance = self.study.instance
        view = self.study.view(asked(self.facts) | self.needed, keep_numbers=True)
        encoder, relation = self.study.open(replace(view, opaque=self.sums if level < 2 else frozenset()))
        state = relation.any_state("s", partition=self.partition)
        base = [-relation.goes_on(state), *self.not_below_zero(encoder.dag, state)]
        ends = relation.ends(state)
        states, faults = [relation.concluded(state)], list[Fault]()
        if level > 0:
            base += [fact.holds(relation, states[0]) for fact in self.facts]
        if level < 2:
            encoder.side += opened(encoder, self.sums, states[0], partition=self.partition)
        for settle in instance.settles:
            after, more = run(encoder, relation.promises, settle.block(), states[-1])
            after.memo.update({key: found for key, found in states[0].memo.items() if self._lasting(key)})
            states.append(after)
            faults += more
        session = Session(encoder.dag)
        session.add(base)
        return Stage(encoder, relation, states, faults, ends, session)

    def not_below_zero(self, dag: Dag, at: Symbols) -> list[Bit]:
        """What is known of the numbers of the match."""
        numbers = [at.cells.get((name, i)) for name in sorted(self.natural) for i in self.study.instance.cells(name)]
        return [dag.at_least_zero(number) for number in numbers if isinstance(number, Number)]

    def _lasting(self, key: object) -> bool:
        """Is this the value of a sum that no settlement changes?"""
        return isinstance(key, tuple) and key[0] == "opaque" and not self.study.reads.called(key[1]) & self.written

    @cached_property
    def sums(self) -> frozenset[str]:
        return sums(self.study.instance)

    @cached_property
    def written(self) -> frozenset[str]:
        """What settlements write."""
        blocks = [row.body for settle in self.study.instance.settles for row in settle.rows]
        return frozenset(s.var for block in blocks for s in statements(block) if isinstance(s, core.Set))

    @cached_property
    def needed(self) -> frozenset[str]:
        """What settlements, and the end of a match, read and write."""
        instance, reads = self.study.instance, self.study.reads
        exprs = [instance.over, instance.winners]
        for settle in instance.settles:
            exprs += [e for s in settle.block() for e in _parts(s)]
        exprs += [fn.body for fn in instance.fns.values() if fn.outcome]
        found = frozenset[str]().union(*map(reads.variables, exprs))
        return found | self.written


def _parts(s: core.Stmt) -> Iterator[core.Expr]:
    """Every outermost expression of a statement."""
    match s:
        case core.Set():
            yield from (x for x in (s.index, s.value) if x is not None)
        case core.Move():
            yield from (s.tile, s.source, s.target)
        case core.If():
            yield s.condition
            for inner in s.body:
                yield from _parts(inner)
        case core.Each():
            yield from (x for x in (s.domain, s.guard) if x is not None)
            for inner in s.body:
                yield from _parts(inner)
        case core.Attach():
            return


def opened(encoder: Encoder, names: frozenset[str], at: Symbols, *, partition: bool) -> Iterator[Bit]:
    """What is known of sums that are not looked into: their signs, their greatest value, and that no tiles make none.

    Where a tile lies in one place, sums over different places together are no more than the set has.
    """
    dag, instance = encoder.dag, encoder.instance
    for name in sorted(names):
        fn = instance.fns[name]
        sizes = [instance.sorts[kind.sort].size for _, kind in fn.params if isinstance(kind, core.Elem)]
        reals, all_of_them = list[Number](), ZERO
        for places in itertools.product(*map(range, sizes)):
            env: Mapping[str, int] = {n: i for (n, _), i in zip(fn.params, places, strict=True)}
            args = tuple(core.Lit(i, kind) for i, (_, kind) in zip(places, fn.params, strict=True))
            real, number = encoder.number(fn.body, at, env), encoder.number(core.Call(name, args, core.INT), at)
            reals.append(real)
            all_of_them = dag.add(all_of_them, number)
            if real.terms or min(real.bits.values(), default=0) < 0 or real.const < 0:
                continue
            most = real.const + sum(real.bits.values())
            yield dag.at_least_zero(dag.add(number, Number(-real.const)))
            yield dag.at_least_zero(dag.add(Number(most), number, -1))
            yield dag.any([*real.bits, dag.is_zero(dag.add(number, Number(-real.const)))])
        together = _together(reals, at, symbols.zones(instance)) if partition else None
        if together is not None:
            yield dag.at_least_zero(dag.add(Number(together), all_of_them, -1))


def _together(reals: Sequence[Number], at: Symbols, zones: Sequence[Cell]) -> int | None:
    """The most that several sums over tiles can be together, when every tile lies in one zone; None: not known."""
    tiles = {b: tile for cell in zones for tile, b in at.zone(*cell).items()}
    best: dict[int, int] = {}
    used = set[Bit]()
    for real in reals:
        if real.terms or real.const or used & real.bits.keys() or not real.bits.keys() <= tiles.keys():
            return None
        used |= real.bits.keys()
        for b, weight in real.bits.items():
            best[tiles[b]] = max(best.get(tiles[b], 0), weight)
    return sum(best.values())


def sums(instance: core.Instance) -> frozenset[str]:
    """Defines that add something up over tiles, read states, and call no other of their kind: pips of a hand, and such."""
    found = {fn.name for fn in instance.fns.values() if fn.type == core.INT and _adds_tiles(fn.body)}
    return frozenset(found)


def _adds_tiles(e: core.Expr) -> bool:
    if isinstance(e, core.Agg) and e.kind == "sum" and e.sort == "tile" and not isinstance(e.body, core.Lit):
        return True
    return any(_adds_tiles(child) for child in core.children(e))
