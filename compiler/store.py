"""Where the states of an instance live: one local (or one a word of a set) for each variable, an array for each `per` a sort."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from domrules.compiler import ir
from domrules.compiler.writer import Unsupported, Words, Writer, count_words, split
from domrules.grammar import core
from domrules.grammar.reads import statements

LARGE = 1 << 40
"""No number of a game may come to this; it is checked wherever one is written."""
UNSET = -(1 << 41)
"""A number that was given no value yet."""

Place: TypeAlias = tuple[ir.Local, ...] | tuple[int, ...]


@dataclass(frozen=True)
class Slot:
    """Where a variable lives: locals, or arrays (`size` places) with a place for each element it is `per`."""

    locals: tuple[ir.Local, ...]
    arrays: tuple[int, ...]
    size: int

    def load(self, index: ir.Expr | None) -> Words:
        """What it holds now; truths are truths."""
        if index is None:
            return self.locals
        return tuple(ir.Load(a, index) for a in self.arrays)

    def cells(self) -> list[ir.Expr]:
        """What all its places hold, for numbers."""
        return [self.load(None if self.locals else ir.Const(i))[0] for i in range(self.size)]

    def store(self, writer: Writer, index: ir.Expr | None, value: Words) -> None:
        """Give it a value."""
        for i, word in enumerate(value):
            if index is None:
                writer.emit(ir.Assign(self.locals[i], word))
            else:
                flat = ir.unary("int", word) if ir.kind(word) is ir.Kind.TRUTH else word
                writer.emit(ir.Store(self.arrays[i], index, flat))

    def copy(self, writer: Writer) -> Slot:
        """Another place with the same values."""
        other = Slot(
            tuple(writer.local(x.kind) for x in self.locals),
            tuple(writer.array(self.size) for _ in self.arrays),
            self.size,
        )
        self.into(writer, other)
        return other

    def into(self, writer: Writer, other: Slot) -> None:
        """Copy all values to another place."""
        for a, b in zip(self.locals, other.locals, strict=True):
            writer.emit(ir.Assign(b, a))
        for here, there in zip(self.arrays, other.arrays, strict=True):
            for i in range(self.size):
                writer.emit(ir.Store(there, ir.Const(i), ir.Load(here, ir.Const(i))))


def slots(instance: core.Instance, writer: Writer) -> Mapping[str, Slot]:
    """A place for every variable."""
    return {name: _slot(instance, writer, var) for name, var in instance.vars.items()}


def _slot(instance: core.Instance, writer: Writer, var: core.Var) -> Slot:
    words = count_words(instance.sorts[var.type.sort].size) if isinstance(var.type, core.SetOf) else 1
    if var.per is not None:
        size = instance.sorts[var.per].size
        return Slot((), tuple(writer.array(size) for _ in range(words)), size)
    kind = ir.Kind.TRUTH if isinstance(var.type, core.BoolType) else ir.Kind.INT
    return Slot(tuple(writer.local(kind) for _ in range(words)), (), 1)


def unset(var: core.Var) -> ir.Expr:
    """What stands for no value in a state that is none of these: an optional."""
    match var.type:
        case core.Elem() | core.Maybe():
            return ir.NONE
        case core.IntType():
            return ir.Const(UNSET)
        case _:
            raise Unsupported(f"`{var.name}` has no first value and is {var.type}")


def is_unset(var: core.Var, value: ir.Expr) -> ir.Expr:
    """Has this state no value yet?"""
    return ir.equal(value, ir.Const(UNSET)) if isinstance(var.type, core.IntType) else ir.less(value, ir.ZERO)


def literal(instance: core.Instance, value: core.Value, type_: core.Type) -> Words:
    """A constant."""
    match type_:
        case core.BoolType():
            return (ir.Truth(bool(value)),)
        case core.SetOf(sort=sort):
            return split(value or 0, count_words(instance.sorts[sort].size))
        case core.Elem() | core.Maybe():
            return (ir.NONE if value is None else ir.Const(value),)
        case core.IntType():
            number = value or 0
            if abs(number) >= LARGE:
                raise Unsupported(f"the number {number} is too large")
            return (ir.Const(number),)


# ---------------------------------------------------------------- what is written


def writes(block: core.Block) -> Iterator[core.Set | core.Move]:
    """The statements of a block that write, wherever in it they stand."""
    return (s for s in statements(block) if isinstance(s, core.Set | core.Move))


def all_blocks(instance: core.Instance) -> Iterator[core.Block]:
    """Every block that is run in random play."""
    yield from instance.begin
    for action in instance.actions:
        yield from action.blocks
    for settle in instance.settles:
        yield settle.block()
