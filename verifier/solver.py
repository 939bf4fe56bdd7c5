"""The only place that knows Z3: from bits to its formulas, from its models back to valuations, and how long it may take.

    result = solve(encoder.dag, [*encoder.side, ...], seconds=10)      # one question, several engines in turn
    session = Session(dag, Engine.GENERAL); session.add(bits)          # many questions over one base
    session.check([more], seconds=1)

Z3's own timeout overshoots, so a timer of ours interrupts it. All seeds are Z3's fixed ones: a run repeats itself.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Result:
    """An answer, with a model when it is YES and a reason when it is UNKNOWN."""

    answer: Answer
    engine: Engine
    seconds: float
    model: Valuation | None = None
    reason: str = ""


class Formulas:
    """The formulas of one graph, made when asked for."""

    def __init__(self, dag: Dag) -> None:
        self.dag = dag
        self.variables: dict[Bit, Any] = {}
        self.unknowns: dict[TermId, Any] = {}
        self.arithmetic = False
        """Is an integer comparison among the formulas made so far?"""
        self._context = z3.main_ctx().ref()
        self._bits: dict[Bit, Any] = {TRUE: z3.BoolVal(True), FALSE: z3.BoolVal(False)}
        self._terms: dict[TermId, Any] = {}

    def bit(self, bit: Bit) -> Any:
        """The formula of a bit. Works through the graph with a stack of its own, for graphs are deep."""
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
            found = self._bits[bit] = z3.BoolRef(z3.Z3_mk_not(self._context, self._bits[-bit].as_ast()))
        return found

    def _make(self, bit: Bit) -> Any:
        match self.dag.nodes[bit]:
            case Var(name):
                self.variables[bit] = made = z3.Bool(name)
                return made
            case Or(parts):
                return self._or([self._signed(part) for part in sorted(parts)])
            case Xor(parts):
                first, *rest = [self._signed(part) for part in sorted(parts)]
                for part in rest:
                    first = z3.BoolRef(z3.Z3_mk_xor(self._context, first.as_ast(), part.as_ast()))
                return first
            case AtLeast(weights, bound):
                return z3.PbGe([(self._signed(part), weight) for part, weight in sorted(weights)], bound)
            case Compare(number, equal):
                self.arithmetic = True
                return self.number(number) == 0 if equal else self.number(number) >= 0
            case Odd(term):
                self.arithmetic = True
                return self.term(term) % 2 == 1
            case never:
                assert_never(never)

    def _or(self, parts: list[Any]) -> Any:
        """Like z3.Or, without its checks: most nodes are these."""
        array = (z3.Ast * len(parts))(*[part.as_ast() for part in parts])
        return z3.BoolRef(z3.Z3_mk_or(self._context, len(parts), array))

    def number(self, number: Number) -> Any:
        """The formula of a number."""
        parts = [z3.If(self.bit(bit), z3.IntVal(weight), z3.IntVal(0)) for bit, weight in number.bits.items()]
        parts += [factor * self.term(term) for term, factor in number.terms.items()]
        return z3.Sum([*parts, z3.IntVal(number.const)])

    def term(self, term: TermId) -> Any:
        found = self._terms.get(term)
        if found is None:
            found = self._terms[term] = self._term(term)
        return found

    def _term(self, term: TermId) -> Any:
        match self.dag.terms[term]:
            case Unknown(name):
                self.unknowns[term] = made = z3.Int(name)
                return made
            case Guarded(bit, number):
                return z3.If(self.bit(bit), self.number(number), z3.IntVal(0))
            case Floor(number, divisor):
                return self.number(number) / divisor
            case Product(left, right):
                return self.number(left) * self.number(right)
            case never:
                assert_never(never)

    def valuation(self, model: Any) -> Valuation:
        """A model in terms of the graph."""
        bits = {bit: z3.is_true(model.eval(made, True)) for bit, made in self.variables.items()}
        numbers = {term: model.eval(made, True).as_long() for term, made in self.unknowns.items()}
        return Valuation(self.dag, bits, numbers)


class Session:
    """A solver with a base of assertions."""

    def __init__(self, dag: Dag, engine: Engine = Engine.GENERAL, formulas: Formulas | None = None) -> None:
        self.dag, self.engine = dag, engine
        self.formulas = Formulas(dag) if formulas is None else formulas
        self._solver = make(engine)
        self._contradiction = False

    def add(self, bits: Iterable[Bit]) -> None:
        """Assert that all of these hold."""
        for bit in bits:
            for part in self.conjuncts(bit):
                self._contradiction |= part == FALSE
                if part != TRUE:
                    self._solver.add(self.formulas.bit(part))

    def conjuncts(self, bit: Bit) -> Iterable[Bit]:
        """A conjunction part by part."""
        node = self.dag.nodes[-bit] if bit < 0 else None
        if not isinstance(node, Or):
            return (bit,)
        return (part for inner in sorted(node.parts) for part in self.conjuncts(-inner))

    def check(self, bits: Sequence[Bit] = (), *, seconds: float) -> Result:
        """Can all that was added hold together with these? They are forgotten afterwards."""
        if bits:
            self._solver.push()
            before = self._contradiction
            try:
                self.add(bits)
                return self._check(seconds)
            finally:
                self._contradiction = before
                self._solver.pop()
        return self._check(seconds)

    def _check(self, seconds: float) -> Result:
        started = time.perf_counter()
        if self._contradiction:
            return Result(Answer.NO, self.engine, 0.0)
        timer = threading.Timer(seconds, self._solver.interrupt)
        timer.start()
        try:
            answer = Answer(str(self._solver.check()))
        finally:
            timer.cancel()
        taken = time.perf_counter() - started
        if answer is Answer.YES:
            return Result(answer, self.engine, taken, self.formulas.valuation(self._solver.model()))
        reason = ""
        if answer is Answer.UNKNOWN:
            late = taken >= 0.9 * seconds
            reason = f"no answer within {seconds:g} s" if late else str(self._solver.reason_unknown())
        return Result(answer, self.engine, taken, None, reason)


def make(engine: Engine) -> Any:
    """A fresh solver."""
    match engine:
        case Engine.FINITE:
            return z3.SolverFor("QF_FD")
        case Engine.BITS:
            return z3.Then("simplify", "pb2bv", "bit-blast", "sat").solver()
        case Engine.GENERAL:
            return z3.Solver()
        case never:
            assert_never(never)


def solve(
    dag: Dag,
    bits: Sequence[Bit],
    *,
    seconds: float,
    engines: Sequence[Engine] = (Engine.GENERAL, Engine.FINITE, Engine.BITS),
) -> Result:
    """One question, put to several engines in turn with an equal part of the time each."""
    formulas = Formulas(dag)
    result = None
    for engine in engines:
        session = Session(dag, engine, formulas)
        session.add(bits)
        if formulas.arithmetic and engine is not Engine.GENERAL:
            continue
        result = session.check(seconds=seconds / len(engines))
        if result.answer is not Answer.UNKNOWN:
            return result
    assert result is not None, "the general engine is among the engines"
    return result
