"""The terms of the typed core: types, ten expression forms, five statement forms.

Each form costs every engine a case, so none is added lightly. In an instance an element of a sort is its index (int),
an absent optional is `None`, a set is a bit mask (int), and every `Attr` has become a `Table`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from domrules.grammar.source import NOWHERE, Span

# ---------------------------------------------------------------- types


@dataclass(frozen=True, slots=True)
class IntType:
    """Whole numbers, without bounds."""

    def __str__(self) -> str:
        return "a number"


@dataclass(frozen=True, slots=True)
class BoolType:
    """True or false."""

    def __str__(self) -> str:
        return "true or false"


@dataclass(frozen=True, slots=True)
class Elem:
    """One element of a sort."""

    sort: str

    def __str__(self) -> str:
        return f"a {self.sort}"


@dataclass(frozen=True, slots=True)
class Maybe:
    """One element of a sort, or none."""

    sort: str

    def __str__(self) -> str:
        return f"a {self.sort} or none"


@dataclass(frozen=True, slots=True)
class SetOf:
    """A set of elements of a sort."""

    sort: str

    def __str__(self) -> str:
        return f"a set of {self.sort}s"


Type: TypeAlias = IntType | BoolType | Elem | Maybe | SetOf
INT, BOOL = IntType(), BoolType()

# ---------------------------------------------------------------- expressions

Value: TypeAlias = int | bool | None
"""A value of an instance: a number, a truth, an index, None, or a mask."""


@dataclass(frozen=True, slots=True, eq=False)
class Lit:
    """A constant. In a generic game an element may still be its name (`str`) and a tile the names of its halves."""

    value: int | bool | str | tuple[str, str] | None
    type: Type
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """A bound name: a parameter, a choice, the variable of a quantifier. Names are unique within a game."""

    name: str
    type: Type
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A state or a zone (a set of tiles), with an index where it is declared `per` a sort."""

    var: str
    index: Expr | None
    type: Type
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Attr:
    """A static attribute of an element: `low`, `high`, `copy`, `next`, `seat`, `team`, `position`, `number`. Generic games only."""

    name: str
    of: Expr
    type: Type
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A static function of an element: `values[index of element]`. Instances only."""

    values: tuple[Value, ...]
    of: Expr
    type: Type
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Op:
    """An operator. `name` is one of OPERATORS; `const` carries the static numbers of div, mod and round."""

    name: str
    args: tuple[Expr, ...]
    type: Type
    const: int = 0
    tie: str = ""
    span: Span = NOWHERE


OPERATORS: Mapping[str, str] = {
    "not": "logical no",
    "and": "both; the right side is looked at only when the left holds",
    "or": "either; the right side is looked at only when the left fails",
    "iff": "two truths are equal",
    "add": "sum of two numbers",
    "sub": "difference of two numbers",
    "mul": "product of two numbers",
    "lt": "less",
    "le": "less or equal",
    "numeq": "two numbers are equal",
    "odd": "a number is odd",
    "div": "floor of x / const",
    "mod": "x - const * floor(x / const)",
    "round": "nearest multiple of const; tie: up, down, even, away",
    "roundup": "least multiple of const that is not below x",
    "rounddown": "greatest multiple of const that is not above x",
    "eq": "two elements, optionals or sets are equal",
    "in": "an element (or optional: then none is in nothing) is in a set",
    "size": "number of elements of a set",
    "some": "a set is not empty",
    "toset": "an element or optional as a set of at most one",
    "union": "elements in either set",
    "inter": "elements in both sets",
    "minus": "elements of the left set that are not in the right",
}


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """A decision table: the value of the first row whose condition holds, else `otherwise`."""

    rows: tuple[tuple[Expr, Expr], ...]
    otherwise: Expr
    type: Type
    strict: bool = False
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Agg:
    """A quantifier over the elements of `domain` (whole sort when None) for which `guard` holds, in canonical order.

    kind: any, all (Boolean body); sum (number); set (no body: the elements themselves);
    pick (the body of the first such element, none when there is none: takes an optional apart).
    """

    kind: str
    var: str
    sort: str
    domain: Expr | None
    guard: Expr | None
    body: Expr | None
    type: Type
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Best:
    """The elements of `of` whose `key` is greatest (highest) or least; empty for an empty set."""

    highest: bool
    of: Expr
    var: str
    sort: str
    key: Expr
    type: Type
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Sole:
    """The one element of a set, or none. With `must` it is a promise: anything but exactly one is a rule error."""

    of: Expr
    must: bool
    type: Type
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A `define` or slot applied to elements. Kept, not inlined: memo, function, and place to forget."""

    fn: str
    args: tuple[Expr, ...]
    type: Type
    span: Span = NOWHERE


Expr: TypeAlias = Lit | Local | Read | Attr | Table | Op | Cases | Agg | Best | Sole | Call

# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True, eq=False)
class Set:
    """Write (or, with `add`, increase) one cell. Two writes of one cell in one block are a rule error; increases add up."""

    var: str
    index: Expr | None
    value: Expr
    add: bool
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Move:
    """Move a tile between zones. A tile that is not in `source`, or is moved twice in one block, is a rule error."""

    tile: Expr
    source: Read
    target: Read
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class If:
    """Statements under a condition."""

    condition: Expr
    body: tuple[Stmt, ...]
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Each:
    """Statements for every element of `domain` for which `guard` holds."""

    var: str
    sort: str
    domain: Expr | None
    guard: Expr | None
    body: tuple[Stmt, ...]
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True, eq=False)
class Attach:
    """Placement: `tile` lies against `to` (none: it opens the layout), touching with `touching`, growing towards `going`.

    Changes no state; boards are drawn from it alone.
    """

    tile: Expr
    to: Expr
    touching: Expr
    going: Expr
    across: Expr
    span: Span = NOWHERE


Stmt: TypeAlias = Set | Move | If | Each | Attach
Block: TypeAlias = tuple[Stmt, ...]
"""Simultaneous statements: all see the state before the block."""

# ---------------------------------------------------------------- small builders and walks

TRUE, FALSE = Lit(True, BOOL), Lit(False, BOOL)


def is_lit(e: Expr | None, value: bool) -> bool:
    """Is this the constant `value` (a truth)?"""
    return isinstance(e, Lit) and e.value is value


def negation(e: Expr) -> Expr:
    """not e, without a double no."""
    if isinstance(e, Lit) and isinstance(e.value, bool):
        return FALSE if e.value else TRUE
    return e.args[0] if isinstance(e, Op) and e.name == "not" else Op("not", (e,), BOOL, span=e.span)


def conjunction(parts: list[Expr]) -> Expr:
    """All of `parts`, in order; true when there are none."""
    parts = [p for p in parts if not is_lit(p, True)]
    if not parts:
        return TRUE
    out = parts[-1]
    for p in reversed(parts[:-1]):
        out = Op("and", (p, out), BOOL, span=p.span)
    return out


def conjuncts(e: Expr | None) -> list[Expr]:
    """The parts of a conjunction, in order."""
    if e is None or is_lit(e, True):
        return []
    if isinstance(e, Op) and e.name == "and":
        return [*conjuncts(e.args[0]), *conjuncts(e.args[1])]
    return [e]


def children(e: Expr) -> Iterator[Expr]:
    """The expressions directly inside an expression."""
    match e:
        case Lit() | Local():
            return
        case Read(index=index):
            if index is not None:
                yield index
        case Attr(of=of) | Table(of=of) | Sole(of=of):
            yield of
        case Op(args=args) | Call(args=args):
            yield from args
        case Cases(rows=rows, otherwise=otherwise):
            for test, value in rows:
                yield test
                yield value
            yield otherwise
        case Agg(domain=domain, guard=guard, body=body):
            yield from (x for x in (domain, guard, body) if x is not None)
        case Best(of=of, key=key):
            yield of
            yield key


def bound(e: Expr) -> str | None:
    """The name an expression binds inside itself."""
    return e.var if isinstance(e, Agg | Best) else None


def rebuild(e: Expr, f: Callable[[Expr], Expr]) -> Expr:
    """The same form with `f` applied to the expressions directly inside."""

    def maybe(x: Expr | None) -> Expr | None:
        return None if x is None else f(x)

    match e:
        case Lit() | Local():
            return e
        case Read():
            return e if e.index is None else Read(e.var, f(e.index), e.type, e.span)
        case Attr():
            return Attr(e.name, f(e.of), e.type, e.span)
        case Table():
            return Table(e.values, f(e.of), e.type, e.span)
        case Op():
            return Op(e.name, tuple(map(f, e.args)), e.type, e.const, e.tie, e.span)
        case Cases():
            rows = tuple((f(test), f(value)) for test, value in e.rows)
            return Cases(rows, f(e.otherwise), e.type, e.strict, e.span)
        case Agg():
            return Agg(e.kind, e.var, e.sort, maybe(e.domain), maybe(e.guard), maybe(e.body), e.type, e.span)
        case Best():
            return Best(e.highest, f(e.of), e.var, e.sort, f(e.key), e.type, e.span)
        case Sole():
            return Sole(f(e.of), e.must, e.type, e.span)
        case Call():
            return Call(e.fn, tuple(map(f, e.args)), e.type, e.span)


def rebuild_block(block: Block, f: Callable[[Expr], Expr]) -> Block:
    """The same statements with `f` applied to every expression directly inside them (places to write included)."""
    out: list[Stmt] = []
    for s in block:
        match s:
            case Set():
                out.append(Set(s.var, None if s.index is None else f(s.index), f(s.value), s.add, s.span))
            case Move():
                out.append(Move(f(s.tile), _place(s.source, f), _place(s.target, f), s.span))
            case If():
                out.append(If(f(s.condition), rebuild_block(s.body, f), s.span))
            case Each():
                domain, guard = (None if x is None else f(x) for x in (s.domain, s.guard))
                out.append(Each(s.var, s.sort, domain, guard, rebuild_block(s.body, f), s.span))
            case Attach():
                out.append(Attach(f(s.tile), f(s.to), f(s.touching), f(s.going), f(s.across), s.span))
    return tuple(out)


def expressions(*blocks: Block) -> list[Expr]:
    """The expressions directly inside all statements of some blocks, in order."""
    found: list[Expr] = []

    def keep(e: Expr) -> Expr:
        found.append(e)
        return e

    for block in blocks:
        rebuild_block(block, keep)
    return found


def _place(e: Read, f: Callable[[Expr], Expr]) -> Read:
    return Read(e.var, None if e.index is None else f(e.index), e.type, e.span)


def free(e: Expr) -> frozenset[str]:
    """The names an expression uses but does not bind."""
    if isinstance(e, Local):
        return frozenset((e.name,))
    match e:
        case Agg():
            inside = (free(e.guard) if e.guard else frozenset()) | (free(e.body) if e.body else frozenset())
            return (free(e.domain) if e.domain else frozenset()) | (inside - {e.var})
        case Best():
            return free(e.of) | (free(e.key) - {e.var})
        case _:
            return frozenset().union(*(free(c) for c in children(e)))
