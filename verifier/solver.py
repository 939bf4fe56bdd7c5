"""The only place that knows Z3: from bits to its formulas, from its models back to valuations, and how long it may take.

    result = solve(encoder.dag, [*encoder.side, ...], seconds=10)      # one question, several engines in turn
    session = Session(dag, Engine.GENERAL); session.add(bits)          # many questions over one base
    session.check([more], seconds=1)

Z3's own timeout overshoots, so a timer of ours interrupts it. All seeds are Z3's fixed ones: a run repeats itself.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, assert_never

import z3

from domrules.verifier.dag import (
    FALSE,
    TRUE,
    AtLeast,
    Bit,
    Compare,
    Dag,
    Floor,
    Guarded,
    Number,
    Odd,
    Or,
    Product,
    TermId,
    Unknown,
    Var,
    Xor,
)
from domrules.verifier.valuation import Valuation


class Answer(Enum):
    """What a solver says; UNKNOWN is no answer and never counts as one."""

    YES = "sat"
    NO = "unsat"
    UNKNOWN = "unknown"


class Engine(Enum):
    """Ways to ask Z3. The first two know no integers."""

    FINITE = "finite domains"
    BITS = "bits"
    GENERAL = "general"
    CORE = "core"
    """What `general` ends with, without the strategies before it, which take a quarter of a second where they do not help."""

    @property
    def knows_integers(self) -> bool:
        return self in (Engine.GENERAL, Engine.CORE)


@dataclass(frozen=True, slots=True)
class Result:
    """An answer, with a model when it is YES and a reason when it is UNKNOWN."""

    answer: Answer
    engine: Engine
    seconds: float
    model: Valuation | None = None
    reason: str = ""


class Formulas:
    """The formulas of one graph, made when asked for; `loose`: a comparison of integers may be whatever it likes."""

    def __init__(self, dag: Dag, *, loose: bool = False) -> None:
        self.dag, self.loose = dag, loose
        self.variables: dict[Bit, Any] = {}
        self.unknowns: dict[TermId, Any] = {}
        self.arithmetic = False
        """Is an integer comparison among the formulas made so far?"""
        self.context = z3.Context()
        """A room of its own in Z3: what was asked before, and in which order, must not change an answer."""
        self._context = self.context.ref()
        self._bits: dict[Bit, Any] = {}
        self._bits |= {TRUE: self._kept(z3.Z3_mk_true(self._context)), FALSE: self._kept(z3.Z3_mk_false(self._context))}
        self._terms: dict[TermId, Any] = {}

    def bit(self, bit: Bit) -> Any:
        """The formula of a bit, as Z3's Python objects."""
        return z3.BoolRef(self.ast(bit), self.context)

    def ast(self, bit: Bit) -> Any:
        """The same as Z3's own node, at a third of the cost. Works through the graph with a stack of its own, for graphs are deep."""
        done, waiting = self._bits, [abs(bit)]
        while waiting:
            node = waiting[-1]
            if node in done:
                waiting.pop()
                continue
            missing = [part for part in self._parts(node) if part not in done]
            if missing:
                waiting += missing
            else:
                done[node] = self._make(node)
                waiting.pop()
        return self._signed(bit)

    def _parts(self, bit: Bit) -> list[Bit]:
        match self.dag.nodes[bit]:
            case Or(parts) | Xor(parts):
                return [abs(part) for part in parts]
            case AtLeast(weights):
                return [abs(part) for part, _ in weights]
            case _:
                return []

    def _signed(self, bit: Bit) -> Any:
        found = self._bits.get(bit)
        if found is None:
            found = self._bits[bit] = self._kept(z3.Z3_mk_not(self._context, self._bits[-bit]))
        return found

    def _make(self, bit: Bit) -> Any:
        match self.dag.nodes[bit]:
            case Var(name):
                self.variables[bit] = made = z3.Bool(name, self.context)
                return made.as_ast()
            case Or(parts):
                return self._kept(z3.Z3_mk_or(self._context, len(parts), self._array(sorted(parts))))
            case Xor(parts):
                first, *rest = [self._signed(part) for part in sorted(parts)]
                for part in rest:
                    first = self._kept(z3.Z3_mk_xor(self._context, first, part))
                return first
            case AtLeast(weights, bound):
                return self._at_least(sorted(weights), bound)
            case Compare() | Odd() if self.loose:
                return self._kept(z3.Bool(f"any.{bit}", self.context).as_ast())
            case Compare(number, equal):
                self.arithmetic = True
                compared = self.number(number) == 0 if equal else self.number(number) >= 0
                return self._kept(compared.as_ast())
            case Odd(term):
                self.arithmetic = True
                return self._kept((self.term(term) % 2 == 1).as_ast())
            case never:
                assert_never(never)

    def _at_least(self, weights: Sequence[tuple[Bit, int]], bound: int) -> Any:
        """A sum of weights of bits is no less than the bound."""
        factors = (ctypes.c_int * len(weights))(*[weight for _, weight in weights])
        array = self._array([bit for bit, _ in weights])
        return self._kept(z3.Z3_mk_pbge(self._context, len(weights), array, factors, bound))

    def _array(self, bits: Sequence[Bit]) -> Any:
        return (z3.Ast * len(bits))(*[self._signed(bit) for bit in bits])

    def _kept(self, ast: Any) -> Any:
        """Z3 throws nodes away that nobody holds; these live as long as their context."""
        z3.Z3_inc_ref(self._context, ast)
        return ast

    def _number(self, value: int) -> Any:
        return z3.IntVal(value, self.context)

    def number(self, number: Number) -> Any:
        """The formula of a number."""
        parts = [z3.If(self.bit(bit), self._number(weight), self._number(0)) for bit, weight in number.bits.items()]
        parts += [factor * self.term(term) for term, factor in number.terms.items()]
        return z3.Sum([*parts, self._number(number.const)])

    def term(self, term: TermId) -> Any:
        found = self._terms.get(term)
        if found is None:
            found = self._terms[term] = self._term(term)
        return found

    def _term(self, term: TermId) -> Any:
        match self.dag.terms[term]:
            case Unknown(name):
                self.unknowns[term] = made = z3.Int(name, self.context)
                return made
            case Guarded(bit, number):
                return z3.If(self.bit(bit), self.number(number), self._number(0))
            case Floor(number, divisor):
                return self.number(number) / divisor
            case Product(left, right):
                return self.number(left) * self.number(right)
            case never:
                assert_never(never)

    def valuation(self, model: Any) -> Valuation:
        """A model in terms of the graph."""
        bits = {bit: self.holds(model, bit) for bit in self.variables}
        numbers = {term: model.eval(made, True).as_long() for term, made in self.unknowns.items()}
        return Valuation(self.dag, bits, numbers)

    def holds(self, model: Any, bit: Bit) -> bool:
        """Does a bit hold in a model?"""
        found = (z3.Ast * 1)()
        z3.Z3_model_eval(self._context, model.model, self.ast(bit), True, found)
        return bool(z3.Z3_get_bool_value(self._context, found[0]) == z3.Z3_L_TRUE)

    def assume(self, solver: Any, bits: Iterable[Bit]) -> None:
        """Assert that all of these hold."""
        for bit in bits:
            z3.Z3_solver_assert(self._context, solver.solver, self.ast(bit))


class Session:
    """A solver with a base of assertions.

    Z3 is not to be trusted after an interrupt: asked again it has said "unsat" of what it could satisfy. So a solver
    that gave up is thrown away, and every model is looked through before it counts.
    """

    def __init__(self, dag: Dag, engine: Engine = Engine.GENERAL, formulas: Formulas | None = None) -> None:
        self.dag, self.engine = dag, engine
        self.formulas = Formulas(dag) if formulas is None else formulas
        self._base: list[Bit] = []
        self._solver: Any = None

    def add(self, bits: Iterable[Bit]) -> None:
        """Assert that all of these hold."""
        parts = [part for bit in bits for part in self.conjuncts(bit)]
        self._base += parts
        if self._solver is not None:
            self.formulas.assume(self._solver, parts)

    def check(self, bits: Sequence[Bit] = (), *, seconds: float) -> Result:
        """Can all that was added hold together with these? They are forgotten afterwards."""
        more = [part for bit in bits for part in self.conjuncts(bit)]
        if FALSE in self._base or FALSE in more:
            return Result(Answer.NO, self.engine, 0.0)
        solver = self._ready()
        if not more:
            return self._check(solver, self._base, seconds)
        solver.push()
        self.formulas.assume(solver, more)
        result = self._check(solver, [*self._base, *more], seconds)
        if self._solver is not None:
            solver.pop()
        return result

    @property
    def base(self) -> Sequence[Bit]:
        """All that was added."""
        return self._base

    @property
    def needs_integers(self) -> bool:
        """Is a comparison of integers in it, which only the general engine knows?"""
        for part in self._base:
            self.formulas.ast(part)
        return self.formulas.arithmetic

    def conjuncts(self, bit: Bit) -> Iterator[Bit]:
        """A conjunction part by part, without what is true anyway."""
        node = self.dag.nodes[-bit] if bit < 0 else None
        if isinstance(node, Or):
            for part in sorted(node.parts):
                yield from self.conjuncts(-part)
        elif bit != TRUE:
            yield bit

    def _ready(self) -> Any:
        if self._solver is None:
            self._solver = make(self.engine, self.formulas.context)
            self.formulas.assume(self._solver, self._base)
        return self._solver

    def _check(self, solver: Any, asserted: Sequence[Bit], seconds: float) -> Result:
        started = time.process_time()
        answer = guarded(solver, seconds)
        taken = time.process_time() - started
        match answer:
            case Answer.NO:
                return Result(answer, self.engine, taken)
            case Answer.YES:
                model = self.formulas.valuation(solver.model())
                if all(map(model.bit, asserted)):
                    return Result(answer, self.engine, taken, model)
                reason = "the solver gave a model that is none"
            case Answer.UNKNOWN:
                late = taken >= 0.9 * seconds
                reason = f"no answer within {seconds:g} s" if late else str(solver.reason_unknown())
            case never:
                assert_never(never)
        self._solver = None
        return Result(Answer.UNKNOWN, self.engine, taken, None, reason)


class Marked:
    """A base, and bits of which now these, now those are supposed: one solver for all of these questions."""

    def __init__(self, session: Session, bits: Sequence[Bit]) -> None:
        self._session, self._bits = session, bits
        self._marks = [z3.Bool(f"mark.{place}", session.formulas.context) for place in range(len(bits))]
        self._solver: Any = None

    def check(self, places: Iterable[int], *, seconds: float) -> Answer:
        """Can the base hold together with the bits at these places? A YES is not looked through."""
        if self._solver is None:
            self._solver = self._made()
        answer = guarded(self._solver, seconds, [self._marks[place] for place in places])
        if answer is Answer.UNKNOWN:
            self._solver = None
        return answer

    def core(self) -> list[int]:
        """Places that were enough for the NO that was just said."""
        places = {str(mark): place for place, mark in enumerate(self._marks)}
        return sorted(places[str(mark)] for mark in self._solver.unsat_core())

    def _made(self) -> Any:
        formulas = self._session.formulas
        solver = make(Engine.GENERAL, formulas.context)
        formulas.assume(solver, self._session.base)
        for mark, bit in zip(self._marks, self._bits, strict=True):
            solver.add(z3.Implies(mark, formulas.bit(bit)))
        return solver


FAR = 600.0
"""Seconds after which also an engine whose steps are counted is stopped."""


class Steady:
    """One engine whose patience is measured in its own steps: the same answers on every machine, and an end in any case.

    Models are not looked through: whoever uses one has the interpreter play it.
    """

    def __init__(self, formulas: Formulas, units: int) -> None:
        self.formulas, self.left = formulas, units
        self._solver: Any = z3.Solver(ctx=self.formulas.context)
        self._model: Any = None
        self._asked = 0

    def add(self, bits: Iterable[Bit]) -> None:
        """Assert that all of these hold."""
        self.formulas.assume(self._solver, bits)

    def look(self, bits: Sequence[Bit]) -> Answer:
        """Can all that was added hold together with these? UNKNOWN for ever once the steps have run out."""
        if self.left <= 0:
            return Answer.UNKNOWN
        before = self._count()
        self._solver.set("rlimit", self.left)
        answer = guarded(self._solver, FAR, [self._supposed(bit) for bit in bits])
        if answer is Answer.YES:
            self._model = self._solver.model()
        self.left = 0 if answer is Answer.UNKNOWN else self.left - (self._count() - before)
        return answer

    def _supposed(self, bit: Bit) -> Any:
        """A literal that implies the bit: to suppose it costs far less than to assert the bit and take it back."""
        self._asked += 1
        literal = z3.Bool(f"asked.{self._asked}", self.formulas.context)
        self._solver.add(z3.Implies(literal, self.formulas.bit(bit)))
        return literal

    def holds(self, bit: Bit) -> bool:
        """Does it hold in the last model?"""
        return self.formulas.holds(self._model, bit)

    def model(self) -> Valuation:
        """The last model."""
        return self.formulas.valuation(self._model)

    def _count(self) -> int:
        statistics = self._solver.statistics()
        return int(statistics.get_key_value("rlimit count")) if "rlimit count" in statistics.keys() else 0  # noqa: SIM118


def guarded(solver: Any, seconds: float, assumptions: Sequence[Any] = ()) -> Answer:
    """An answer within so many seconds of the processor, or UNKNOWN."""
    done, end = threading.Event(), time.process_time() + seconds

    def watch() -> None:
        while (left := end - time.process_time()) > 0:  # more than that by the clock, where others are at work
            if done.wait(max(left, 0.001)):
                return
        solver.interrupt()
        while not done.wait(0.2):  # some parts of Z3 forget that they were interrupted
            solver.interrupt()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        return Answer(str(solver.check(*assumptions)))
    finally:
        done.set()
        watcher.join()


def make(engine: Engine, context: Any) -> Any:
    """A fresh solver for the formulas of a context."""
    match engine:
        case Engine.FINITE:
            return z3.SolverFor("QF_FD", context)
        case Engine.BITS:
            return z3.Then("simplify", "pb2bv", "bit-blast", "sat", ctx=context).solver()
        case Engine.GENERAL:
            return z3.Solver(ctx=context)
        case Engine.CORE:
            return z3.SimpleSolver(ctx=context)
        case never:
            assert_never(never)


ENGINES = (Engine.GENERAL, Engine.BITS, Engine.FINITE)
OF_DEALS = (Engine.FINITE, Engine.BITS, Engine.GENERAL)
"""Their order for questions without moves."""
OF_TABLES = (Engine.FINITE, Engine.GENERAL, Engine.BITS)
"""Their order where a "no" is expected of any move at any table."""
GLANCE = 0.05
"""Part of the time for a first look."""
SHARES = (0.1, 0.85)
"""Parts of the time for two turns of all engines: which is best changes from question to question, by a factor 10."""


def solve(
    dag: Dag,
    bits: Sequence[Bit],
    *,
    seconds: float,
    engines: Sequence[Engine] = ENGINES,
    formulas: Formulas | None = None,
    loose: bool = False,
) -> Result:
    """One question, put to fresh solvers of several engines in turn, for longer each time.

    With `loose` an engine that knows no integers is asked too: their comparisons may then be whatever it likes, so that a NO
    is one, and a model counts where it holds nevertheless.
    """
    formulas = Formulas(dag) if formulas is None else formulas
    freed: Formulas | None = None
    result, spent = None, 0.0
    turns = [(share / len(engines), engine) for share in SHARES for engine in engines]
    if engines[0] is Engine.GENERAL:
        turns.insert(0, (GLANCE, Engine.CORE))
    for share, engine in turns:
        session = _session(bits, engine, formulas)
        if not engine.knows_integers and session.needs_integers:
            if not loose:
                continue
            freed = Formulas(dag, loose=True) if freed is None else freed
            session = _session(bits, engine, freed)
        result = session.check(seconds=seconds * share)
        spent += result.seconds
        if result.answer is not Answer.UNKNOWN:
            return replace(result, seconds=spent)
    assert result is not None, "the general engine is among the engines"
    return replace(result, seconds=spent, reason=f"no answer within {seconds:g} s")


def _session(bits: Sequence[Bit], engine: Engine, formulas: Formulas) -> Session:
    session = Session(formulas.dag, engine, formulas)
    session.add(bits)
    return session
