"""Where lowering writes: statements of the body that is open, new locals, arrays and tables, and what is known already."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeAlias

from domrules.compiler import ir

Words: TypeAlias = tuple[ir.Expr, ...]
"""A set: element i is bit i % 64 of word i // 64."""
Env: TypeAlias = Mapping[str, ir.Expr]
"""What the bound names stand for: locals or constants, never something a statement may change."""
WORD = 64


class Unsupported(Exception):
    """This game asks for something that is not compiled; the text says what. The interpreter plays it."""


@dataclass
class Writer:
    """Statements are appended to the open body. `known` remembers values for as long as no state is written."""

    locals: list[ir.Kind] = field(default_factory=list)
    arrays: list[ir.Array] = field(default_factory=list)
    tables: dict[tuple[int, ...], int] = field(default_factory=dict)
    pools: list[int] = field(default_factory=list)
    body: list[ir.Stmt] = field(default_factory=list)
    known: list[dict[Hashable, Words]] = field(default_factory=lambda: [{}])

    def local(self, kind: ir.Kind = ir.Kind.INT) -> ir.Local:
        """A new variable."""
        self.locals.append(kind)
        return ir.Local(len(self.locals) - 1, kind)

    def array(self, size: int, export: str = "") -> int:
        """A new array."""
        self.arrays.append(ir.Array(size, export))
        return len(self.arrays) - 1

    def table(self, values: tuple[int, ...]) -> int:
        """A static table; equal ones are one."""
        return self.tables.setdefault(values, len(self.tables))

    def pool(self, words: Words) -> int:
        """A new pool, filled with this set."""
        self.pools.append(len(words))
        self.emit(ir.Fill(len(self.pools) - 1, words))
        return len(self.pools) - 1

    def program(self) -> ir.Program:
        """All that was written."""
        return ir.Program(
            tuple(self.locals), tuple(self.arrays), tuple(self.tables), tuple(self.body), tuple(self.pools)
        )

    def emit(self, *statements: ir.Stmt) -> None:
        self.body += statements

    def fresh(self, value: ir.Expr) -> ir.Local:
        """A new variable with this value."""
        target = self.local(ir.kind(value))
        self.emit(ir.Assign(target, value))
        return target

    def let(self, value: ir.Expr, free: int = 0) -> ir.Expr:
        """The value, computed once: in a new variable, unless it costs at most `free` operations."""
        return value if ir.cost(value) <= free else self.fresh(value)

    def hold(self, value: ir.Expr) -> ir.Expr:
        """The value in a variable, and in the same one as long as no state is written."""
        if ir.atomic(value):
            return value
        held = self.recall(value)
        if held is None:
            held = (self.fresh(value),)
            self.remember(value, held)
        return held[0]

    @contextmanager
    def inside(self) -> Iterator[list[ir.Stmt]]:
        """A body of its own; what becomes known in it is forgotten after it."""
        outer, self.body = self.body, []
        self.known.append({})
        try:
            yield self.body
        finally:
            self.body = outer
            self.known.pop()

    @contextmanager
    def when(self, test: ir.Expr) -> Iterator[None]:
        """What is written here happens only if the test holds."""
        if isinstance(test, ir.Truth) and test.value:
            yield
            return
        with self.inside() as body:
            yield
        if body and not (isinstance(test, ir.Truth) and not test.value):
            self.emit(ir.If(test, tuple(body)))

    @contextmanager
    def loop(self, test: ir.Expr) -> Iterator[None]:
        """What is written here happens again and again."""
        with self.inside() as body:
            yield
        self.emit(ir.While(test, tuple(body)))

    def recall(self, key: Hashable) -> Words | None:
        """A value that was computed on every way to here."""
        return next((scope[key] for scope in reversed(self.known) if key in scope), None)

    def remember(self, key: Hashable, value: Words) -> None:
        self.known[-1][key] = value

    def forget(self) -> None:
        """A state is written: nothing is known any more."""
        for scope in self.known:
            scope.clear()

    def fail_if(self, test: ir.Expr) -> None:
        """A promise is broken when this holds."""
        if not (isinstance(test, ir.Truth) and not test.value):
            self.emit(ir.If(test, (ir.Fail(),)))


def fails(body: ir.Body | list[ir.Stmt]) -> bool:
    """Can this stop the program, or run for long?"""
    return any(not isinstance(s, ir.Assign) for s in body)


# ---------------------------------------------------------------- sets


def count_words(size: int) -> int:
    """How many words a set over so many elements has."""
    return max(1, -(-size // WORD))


def split(mask: int, count: int) -> Words:
    """A constant set."""
    return tuple(ir.Const(mask >> WORD * i & (1 << WORD) - 1) for i in range(count))


def zipped(op: str, a: Words, b: Words) -> Words:
    """union (`or`), intersection (`and`), difference (`minus`) or symmetric difference (`xor`)."""
    return tuple(ir.binary(op, x, y) for x, y in zip(a, b, strict=True))


def some(words: Words) -> ir.Expr:
    """Is a set not empty?"""
    test: ir.Expr = ir.NO
    for word in words:
        test = ir.either(test, ir.unary("truth", word))
    return test


def size(words: Words) -> ir.Expr:
    """How many elements a set has."""
    total: ir.Expr = ir.ZERO
    for word in words:
        total = ir.plus(total, ir.unary("popcount", word))
    return total


def has(words: Words, element: ir.Expr) -> ir.Expr:
    """Is this element in a set?"""
    if len(words) == 1:
        return ir.binary("has", words[0], element)
    if isinstance(element, ir.Const):
        return ir.binary("has", words[element.value // WORD], ir.Const(element.value % WORD))
    found: ir.Expr = ir.NO
    high, low = ir.binary("div", element, ir.Const(WORD)), ir.binary("mod", element, ir.Const(WORD))
    for i, word in enumerate(words):
        found = ir.either(found, ir.both(ir.equal(high, ir.Const(i)), ir.binary("has", word, low)))
    return found


def single(element: ir.Expr, count: int) -> Words:
    """The set of one element."""
    if count == 1:
        return (ir.unary("bit", element),)
    high, low = ir.binary("div", element, ir.Const(WORD)), ir.binary("mod", element, ir.Const(WORD))
    bit = ir.unary("bit", low)
    return tuple(ir.pick(ir.equal(high, ir.Const(i)), bit, ir.ZERO) for i in range(count))


def least(words: Words) -> ir.Expr:
    """The least element of a set that has one."""
    found = ir.plus(ir.Const(WORD * (len(words) - 1)), ir.unary("ctz", words[-1]))
    for i in reversed(range(len(words) - 1)):
        here = ir.plus(ir.Const(WORD * i), ir.unary("ctz", words[i]))
        found = ir.pick(ir.unary("truth", words[i]), here, found)
    return found


def kth(writer: Writer, words: Words, k: ir.Expr) -> ir.Local:
    """The k-th element of a set that has more than k."""
    found = writer.local()
    if len(words) == 1:
        writer.emit(ir.Find(found, words[0], k))
        return found
    left = writer.fresh(k)
    rest = tuple(writer.let(word) for word in words)

    def here(i: int) -> ir.Body:
        take = ir.Find(found, rest[i], left), ir.Assign(found, ir.plus(ir.Const(WORD * i), found))
        if i == len(rest) - 1:
            return take
        many = ir.unary("popcount", rest[i])
        return (ir.If(ir.less(left, many), take, (ir.Assign(left, ir.binary("sub", left, many)), *here(i + 1))),)

    writer.emit(*here(0))
    return found


@contextmanager
def each(writer: Writer, words: Words, unless: ir.Local | None = None) -> Iterator[ir.Local]:
    """A loop over the elements of a set in order; it stops early once `unless` holds."""
    rest = [writer.fresh(word) for word in words]
    more = some(tuple(rest))
    element = writer.local()
    with writer.loop(more if unless is None else ir.both(more, ir.negated(unless))):
        writer.emit(*_next(rest, element, 0))
        yield element


def _next(rest: list[ir.Local], element: ir.Local, i: int) -> ir.Body:
    """Take the least element out of a set that has one."""
    word = rest[i]
    take: ir.Body = (
        ir.Assign(element, ir.plus(ir.Const(WORD * i), ir.unary("ctz", word))),
        ir.Assign(word, ir.unary("drop", word)),
    )
    if i == len(rest) - 1:
        return take
    return (ir.If(ir.unary("truth", word), take, _next(rest, element, i + 1)),)
