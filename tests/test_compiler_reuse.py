"""A program says the same after what is computed twice was taken out of it: random programs before and after."""

from __future__ import annotations

import random

import pytest

from domrules.compiler import ir
from domrules.compiler.engine import PythonEngine
from domrules.compiler.prune import prune
from domrules.compiler.python import source
from domrules.compiler.reuse import reuse
from domrules.compiler.writer import Writer

SIZE = 3
LOCALS = 4


class Chance:
    """Writes random programs over few locals and one array, so that much is computed twice and much is overwritten."""

    def __init__(self, seed: int) -> None:
        self.random, self.writer = random.Random(seed), Writer()
        self.locals = [self.writer.local() for _ in range(LOCALS)][2:]
        self.truths = [self.writer.local(ir.Kind.TRUTH) for _ in range(2)]
        self.out, _ = self.writer.array(SIZE, "out"), self.writer.array(1, "at")
        self.table = self.writer.table((2, 0, 1))
        self.numbers, self.tests = list[ir.Expr](), list[ir.Expr]()

    def said(self, before: list[ir.Expr], new: ir.Expr) -> ir.Expr:
        """This, or what was said before."""
        before.append(new)
        return self.random.choice([new, self.random.choice(before)])

    def number(self, depth: int = 1) -> ir.Expr:
        match self.random.randrange(8 if depth else 2):
            case 0:
                return ir.Const(self.random.randrange(-1, SIZE))
            case 1:
                return self.random.choice(self.locals)
            case 2:
                return ir.Load(self.out, self.index())
            case 3:
                return ir.Look(self.table, self.index())
            case 4:
                return ir.pick(self.truth(depth - 1), self.number(depth - 1), self.number(depth - 1))
            case 5:
                return ir.unary("int", self.truth(depth - 1))
            case 6:
                return ir.binary("mod", ir.plus(self.random.choice(self.locals), ir.ONE), ir.Const(SIZE))
            case _:
                return self.sum(self.number(depth - 1), self.number(depth - 1))

    def sum(self, a: ir.Expr, b: ir.Expr) -> ir.Expr:
        """Small again, so that it may be an index."""
        return ir.binary("mod", ir.binary(self.random.choice(("add", "sub")), a, b), ir.Const(SIZE))

    def index(self) -> ir.Expr:
        """0 to SIZE - 1."""
        if self.random.randrange(2):
            return ir.Const(self.random.randrange(SIZE))
        return self.sum(self.number(0), ir.ZERO)

    def truth(self, depth: int = 1) -> ir.Expr:
        match self.random.randrange(4 if depth else 2):
            case 0:
                return self.random.choice(self.truths)
            case 1:
                op = self.random.choice(("lt", "le", "eq", "ne"))
                return ir.binary(op, self.number(depth), self.number(depth))
            case 2:
                return ir.negated(self.truth(depth - 1))
            case _:
                return ir.binary(self.random.choice(("both", "either", "same")), self.truth(0), self.truth(0))

    def body(self, depth: int) -> None:
        for _ in range(self.random.randrange(1, 9)):
            self.statement(depth)

    def statement(self, depth: int) -> None:
        writer = self.writer
        match self.random.randrange(7 if depth else 4):
            case 0 | 1:
                target = self.random.choice([*self.locals, writer.local()])
                writer.emit(ir.Assign(target, self.said(self.numbers, self.number())))
            case 2:
                writer.emit(ir.Assign(self.random.choice(self.truths), self.truth()))
            case 3:
                writer.emit(ir.Store(self.out, self.index(), self.said(self.numbers, self.number())))
            case 4:
                turns = writer.fresh(ir.ZERO)
                with writer.loop(ir.less(turns, ir.Const(self.random.randrange(3)))):
                    self.body(depth - 1)
                    writer.emit(ir.Assign(turns, ir.plus(turns, ir.ONE)))
            case _:
                bodies: list[ir.Body] = []
                for _ in range(2):
                    with writer.inside() as inside:
                        self.body(depth - 1)
                    bodies.append(tuple(inside))
                writer.emit(ir.If(self.said(self.tests, self.truth()), *bodies))

    def program(self) -> ir.Program:
        self.body(3)
        for i, local in enumerate(self.locals):
            self.writer.emit(ir.Store(self.out, ir.Const(i), ir.plus(local, ir.Load(self.out, ir.Const(i)))))
        return self.writer.program()


def result(program: ir.Program) -> list[int]:
    engine = PythonEngine(program)
    assert engine.run(0, 0, 1)
    return list(engine.read("out"))


def size(body: ir.Body) -> int:
    """How many statements a program has."""
    total = len(body)
    for s in body:
        match s:
            case ir.If():
                total += size(s.then) + size(s.otherwise)
            case ir.While():
                total += size(s.body)
            case _:
                pass
    return total


@pytest.mark.parametrize("part", range(4))
def test_a_program_says_the_same_as_before(part: int) -> None:
    shorter = 0
    for seed in range(15 * part, 15 * part + 15):
        program = Chance(seed).program()
        once = prune(reuse(program))
        assert result(once) == result(program), seed
        assert result(prune(reuse(once))) == result(program), seed
        shorter += size(once.body) < size(program.body)
    assert shorter > 7


@pytest.mark.parametrize(("written", "products"), [("", 1), ("factor", 2), ("test", 2)])
def test_what_one_way_knows_is_known_where_it_was_gone(written: str, products: int) -> None:
    writer = Writer()
    a, b = writer.local(), writer.local()
    out = writer.array(2, "out")
    writer.array(1, "at")
    product, asked = ir.binary("mul", a, b), writer.fresh(ir.less(a, b))
    with writer.when(asked):
        writer.emit(ir.Store(out, ir.ONE, writer.let(product)))
    match written:
        case "factor":
            writer.emit(ir.Assign(a, ir.plus(a, ir.ONE)))
        case "test":
            writer.emit(ir.Assign(asked, ir.less(b, a)))
        case _:
            pass
    both = writer.let(ir.both(asked, ir.less(ir.ZERO, b)))
    with writer.when(both):
        writer.emit(ir.Store(out, ir.ZERO, product))
    program = writer.program()
    again = prune(reuse(program))
    assert source(again).count(" * ") == products
    for first, last in ((2, 7), (7, 2)):
        found = [PythonEngine(p) for p in (program, again)]
        assert all(engine.run(first, last, 1) for engine in found)
        assert found[0].read("out") == found[1].read("out")
