"""Program → the same program in which nothing is computed again that a local holds already, nor asked what is known by then."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias, assert_never

from domrules.compiler import ir

Leaf: TypeAlias = tuple[int, int | None]
"""What an expression depends on: a local (LOCALS and its number), or a place of an array (number and index, none: any)."""
LOCALS = -1
Values: TypeAlias = dict[int, int]
"""Numbers of expressions, and of the local or constant that has the same value."""


@dataclass
class Known:
    """What is known at a place of the program.

    `ways`: what is known besides where a truth (by number) came out so, because the program went another way otherwise.
    """

    values: Values = field(default_factory=dict)
    ways: dict[tuple[int, bool], Values] = field(default_factory=dict)

    def copy(self) -> Known:
        return Known(dict(self.values), dict(self.ways))


def reuse(program: ir.Program) -> ir.Program:
    """The same program with fewer operations."""
    return replace(program, body=_Pass().body(program.body, Known())[0])


class Numbers:
    """Equal expressions have one number, and what is asked of them is asked once."""

    def __init__(self) -> None:
        self.numbers: dict[object, int] = {}
        self.expressions: list[ir.Expr] = []
        self.leaves: list[frozenset[Leaf]] = []
        self.places: dict[int, set[Leaf]] = {}
        """The places of each array that occur."""

    def of(self, e: ir.Expr) -> int:
        """The number of an expression."""
        match e:
            case ir.Const() | ir.Truth() | ir.Local():
                return self.number(e, e, ())
            case ir.Load():
                index = self.of(e.index)
                return self.number(("load", e.array, index), e, (index,))
            case ir.Look():
                index = self.of(e.index)
                return self.number(("look", e.table, index), e, (index,))
            case ir.Unary():
                x = self.of(e.of)
                return self.number((e.op, x), e, (x,))
            case ir.Binary():
                x, y = self.of(e.left), self.of(e.right)
                return self.number((e.op, x, y), e, (x, y))
            case ir.Pick():
                test, x, y = self.of(e.test), self.of(e.yes), self.of(e.no)
                return self.number(("pick", test, x, y), e, (test, x, y))
            case _:
                assert_never(e)

    def number(self, key: object, e: ir.Expr, inside: tuple[int, ...]) -> int:
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self.expressions)
            self.expressions.append(e)
            own: frozenset[Leaf] = frozenset()
            if isinstance(e, ir.Local):
                own = frozenset([(LOCALS, e.number)])
            elif isinstance(e, ir.Load):
                own = frozenset([place(e.array, e.index)])
                self.places.setdefault(e.array, set()).update(own)
            self.leaves.append(own.union(*(self.leaves[i] for i in inside)))
        return found


class _Pass:
    """Goes through the statements once, with what is known before each of them."""

    def __init__(self) -> None:
        self.numbers = Numbers()

    # ------------------------------------------------------------ expressions

    def see(self, e: ir.Expr, known: Known) -> ir.Expr:
        """The shortest expression known to have this value."""
        match e:
            case ir.Const() | ir.Truth():
                return e
            case ir.Local():
                pass
            case ir.Load() | ir.Look():
                index = self.see(e.index, known)
                e = e if index is e.index else replace(e, index=index)
            case ir.Unary():
                of = self.see(e.of, known)
                e = e if of is e.of else ir.unary(e.op, of)
            case ir.Binary():
                left, right = self.see(e.left, known), self.see(e.right, known)
                e = e if left is e.left and right is e.right else ir.binary(e.op, left, right)
            case ir.Pick():
                test, yes, no = (self.see(x, known) for x in (e.test, e.yes, e.no))
                e = e if test is e.test and yes is e.yes and no is e.no else ir.pick(test, yes, no)
            case _:
                assert_never(e)
        found = known.values.get(self.numbers.of(e))
        return e if found is None else self.numbers.expressions[found]

    def learn(self, known: Known, e: ir.Expr, value: ir.Expr) -> None:
        """From here on this expression has the value of a local or constant."""
        number, held = self.numbers.of(e), self.numbers.of(value)
        if not self.numbers.leaves[held] & self.numbers.leaves[number]:
            known.values[number] = held

    def holds(self, known: Known, test: ir.Expr, truth: bool) -> None:
        """On this way a test came out so."""
        match test:
            case ir.Truth():
                return
            case ir.Unary(op="not", of=inner):
                self.holds(known, inner, not truth)
            case ir.Binary(op="both", left=a, right=b) if truth:
                self.holds(known, a, truth)
                self.holds(known, b, truth)
            case ir.Binary(op="either", left=a, right=b) if not truth:
                self.holds(known, a, truth)
                self.holds(known, b, truth)
            case ir.Local():
                number = self.numbers.of(test)
                for n in [n for n, v in known.values.items() if v == number]:
                    self.holds(known, self.numbers.expressions[n], truth)
            case _:
                pass
        for e, value in ((test, truth), (ir.negated(test), not truth)):
            number = self.numbers.of(e)
            known.values[number] = self.numbers.of(ir.Truth(value))
            known.values = {**known.ways.get((number, value), {}), **known.values}

    def forget(self, known: Known, written: frozenset[Leaf]) -> None:
        """These have other values now."""
        if not written:
            return
        of = self.numbers.leaves
        changed = written.union(*(self.numbers.places.get(a, ()) for a, index in written if index is None))
        changed |= {(a, None) for a, index in written if a != LOCALS and index is not None}

        def lost(values: Values) -> set[int]:
            return {n for n, v in values.items() if not (changed.isdisjoint(of[n]) and changed.isdisjoint(of[v]))}

        for n in lost(known.values):
            del known.values[n]
        shorter: dict[int, Values] = {}
        for key, values in list(known.ways.items()):
            if id(values) not in shorter:
                gone = lost(values)
                shorter[id(values)] = {n: v for n, v in values.items() if n not in gone} if gone else values
            if shorter[id(values)] and changed.isdisjoint(of[key[0]]):
                known.ways[key] = shorter[id(values)]
            else:
                del known.ways[key]

    # ------------------------------------------------------------ statements

    def body(self, body: ir.Body, known: Known) -> tuple[ir.Body, bool]:
        """The statements, and whether one of them stops; `known` becomes what is known after them."""
        out: list[ir.Stmt] = []
        for s in body:
            match s:
                case ir.If():
                    stops = self.branch(s, known, out)
                case ir.While():
                    stops = False
                    self.loop(s, known, out)
                case ir.Fail():
                    stops = True
                    out.append(s)
                case _:
                    stops = False
                    out.append(self.plain(s, known))
            if stops:
                return tuple(out), True
        return tuple(out), False

    def branch(self, s: ir.If, known: Known, out: list[ir.Stmt]) -> bool:
        test = self.see(s.test, known)
        if isinstance(test, ir.Truth):
            body, stops = self.body(s.then if test.value else s.otherwise, known)
            out += body
            return stops
        ways = [known.copy(), known.copy()]
        bodies, stopped = [], []
        for way, truth, body in zip(ways, (True, False), (s.then, s.otherwise), strict=True):
            self.holds(way, test, truth)
            shorter, stops = self.body(body, way)
            bodies.append(shorter)
            stopped.append(stops)
        out.append(ir.If(test, *bodies))
        left = [way for way, stops in zip(ways, stopped, strict=True) if not stops]
        if left:
            self.meet(known, left[0], left[-1])
        return not left

    def meet(self, known: Known, one: Known, other: Known) -> None:
        """One of two ways was gone to here."""
        known.values = {n: v for n in one.values if (v := same(one.values, other.values, n)) is not None}
        known.ways = {key: values for key, values in one.ways.items() if other.ways.get(key) is values}
        if one is other:
            return
        for here, there in ((one, other), (other, one)):
            more = {n: v for n, v in here.values.items() if n not in known.values}
            for truth in (True, False):
                held = self.numbers.of(ir.Truth(truth))
                for n in [n for n, v in there.values.items() if v == held and here.values.get(n) != held]:
                    known.ways[n, not truth] = more

    def loop(self, s: ir.While, known: Known, out: list[ir.Stmt]) -> None:
        self.forget(known, written(s.body))
        inside = known.copy()
        test = self.see(s.test, known)
        self.holds(inside, test, True)
        out.append(ir.While(test, self.body(s.body, inside)[0]))
        self.holds(known, test, False)

    def plain(self, s: ir.Stmt, known: Known) -> ir.Stmt:
        """A statement without others inside."""
        seen = self.within(s, known)
        self.forget(known, written((seen,)))
        match seen:
            case ir.Assign(target=target, value=value) if ir.atomic(value):
                self.learn(known, target, value)
            case ir.Assign(target=target, value=value):
                self.learn(known, value, target)
            case ir.Store(array=array, index=index, value=value) if ir.atomic(value):
                self.learn(known, ir.Load(array, index), value)
            case _:
                pass
        return seen

    def within(self, s: ir.Stmt, known: Known) -> ir.Stmt:
        """The statement with shorter expressions."""
        see = partial(self.see, known=known)
        match s:
            case ir.Assign():
                return ir.Assign(s.target, see(s.value))
            case ir.Store():
                return ir.Store(s.array, see(s.index), see(s.value))
            case ir.Draw():
                return ir.Draw(s.target, see(s.n))
            case ir.Find():
                return ir.Find(s.target, see(s.word), see(s.k))
            case ir.Take():
                return ir.Take(s.target, s.pool, see(s.k))
            case ir.Fill():
                return ir.Fill(s.pool, tuple(map(see, s.words)))
            case ir.Feed():
                return ir.Feed(see(s.value))
            case ir.Seed() | ir.Keep():
                return replace(s, index=see(s.index))
            case ir.Clear() | ir.Fail():
                return s
            case ir.If() | ir.While():
                raise AssertionError("not a plain statement")
            case _:
                assert_never(s)


def same(one: Values, other: Values, n: int) -> int | None:
    """What an expression equals on both ways: on one of them its value may be known, and that a local has it, too."""
    a, b = one[n], other.get(n)
    if b is None:
        return None
    if a == b or other.get(a) == b:
        return a
    return b if one.get(b) == a else None


def place(array: int, index: ir.Expr) -> Leaf:
    """A place of an array."""
    return array, index.value if isinstance(index, ir.Const) else None


def written(body: ir.Body) -> frozenset[Leaf]:
    """What these statements write, at most."""
    found: set[Leaf] = set()
    for s in ir.statements(body):
        match s:
            case ir.Assign() | ir.Draw() | ir.Find() | ir.Take():
                found.add((LOCALS, s.target.number))
            case ir.Store() | ir.Keep():
                found.add(place(s.array, s.index))
            case ir.If() | ir.While() | ir.Fill() | ir.Feed() | ir.Seed() | ir.Clear() | ir.Fail():
                pass
            case _:
                assert_never(s)
    return frozenset(found)
