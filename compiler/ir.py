"""The imperative language between the core and the printers: 64-bit integers, truths, locals, arrays, static tables.

It knows no games. Expressions are total: they have no effect and never fail (an index of -1 reads something harmless
from an array, and 0 from a table), so a printer may look at both sides of `both` and `either`. What can fail is a statement.

Numbers are signed; sets are unsigned words and meet only the operations for sets. The builders fold constants.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias, assert_never


class Kind(Enum):
    """What a value is."""

    INT = "i64"
    TRUTH = "i32"


@dataclass(frozen=True, slots=True)
class Const:
    """A number, the index of an element (-1 for none), or one word of a set."""

    value: int


@dataclass(frozen=True, slots=True)
class Truth:
    """True or false."""

    value: bool


@dataclass(frozen=True, slots=True)
class Local:
    """A variable of the program, by number."""

    number: int
    kind: Kind = Kind.INT


@dataclass(frozen=True, slots=True)
class Load:
    """A place of an array."""

    array: int
    index: Expr


@dataclass(frozen=True, slots=True)
class Look:
    """An entry of a static table."""

    table: int
    index: Expr


@dataclass(frozen=True, slots=True)
class Unary:
    """An operator of UNARY."""

    op: str
    of: Expr


@dataclass(frozen=True, slots=True)
class Binary:
    """An operator of BINARY."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Pick:
    """`yes` where the test holds, else `no`; both may be looked at."""

    test: Expr
    yes: Expr
    no: Expr


Expr: TypeAlias = Const | Truth | Local | Load | Look | Unary | Binary | Pick

UNARY = {
    "popcount": "number of elements of a word",
    "ctz": "least element of a word that is not empty",
    "bit": "the word with one element, 0 to 63",
    "drop": "the word without its least element",
    "not": "of a truth",
    "int": "1 or 0 of a truth",
    "truth": "is a number not 0",
}
BINARY = {
    "add": "numbers",
    "sub": "numbers",
    "mul": "numbers",
    "div": "floor, by a positive constant",
    "mod": "what floor division leaves",
    "lt": "less",
    "le": "less or equal",
    "eq": "two numbers or words are equal",
    "ne": "they are not",
    "and": "words",
    "or": "words",
    "xor": "words",
    "minus": "words: in the left, not in the right",
    "has": "is element (right, 0 to 63; of -1 it is as of 63) in word (left)",
    "both": "truths",
    "either": "truths",
    "same": "truths",
}
TRUTHS = {"not", "truth", "lt", "le", "eq", "ne", "has", "both", "either", "same"}

# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True)
class Assign:
    """Give a local a value."""

    target: Local
    value: Expr


@dataclass(frozen=True, slots=True)
class Store:
    """Give a place of an array a value."""

    array: int
    index: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class If:
    """One of two ways."""

    test: Expr
    then: Body
    otherwise: Body = ()


@dataclass(frozen=True, slots=True)
class While:
    """As long as the test holds."""

    test: Expr
    body: Body


@dataclass(frozen=True, slots=True)
class Seed:
    """The generator of the match with this index."""

    index: Expr


@dataclass(frozen=True, slots=True)
class Draw:
    """A number from 0 to n - 1 from the generator."""

    target: Local
    n: Expr


@dataclass(frozen=True, slots=True)
class Find:
    """The k-th element, from 0, of a word that has so many."""

    target: Local
    word: Expr
    k: Expr


@dataclass(frozen=True, slots=True)
class Fill:
    """Put the elements of a set into a pool."""

    pool: int
    words: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Take:
    """Take the k-th element, from 0, out of a pool, which has so many."""

    target: Local
    pool: int
    k: Expr


@dataclass(frozen=True, slots=True)
class Feed:
    """A number for the digest."""

    value: Expr


@dataclass(frozen=True, slots=True)
class Clear:
    """A new digest."""


@dataclass(frozen=True, slots=True)
class Keep:
    """The digest, into a place of an array."""

    array: int
    index: Expr


@dataclass(frozen=True, slots=True)
class Fail:
    """Stop here: the interpreter, playing the same match, says why."""


Stmt: TypeAlias = Assign | Store | If | While | Seed | Draw | Find | Fill | Take | Feed | Clear | Keep | Fail
Body: TypeAlias = tuple[Stmt, ...]


@dataclass(frozen=True, slots=True)
class Array:
    """Numbers in memory. An `export` is read by the host after a run."""

    size: int
    export: str = ""


@dataclass(frozen=True, slots=True)
class Program:
    """A function of two numbers, which are the first two locals: the first match and the first one after the last.

    A pool holds a set from which one element after another is taken; `pools` says how many words its sets have.
    """

    locals: tuple[Kind, ...]
    arrays: tuple[Array, ...]
    tables: tuple[tuple[int, ...], ...]
    body: Body
    pools: tuple[int, ...] = ()


# ---------------------------------------------------------------- builders

ZERO, ONE, NONE = Const(0), Const(1), Const(-1)
YES, NO = Truth(True), Truth(False)
NOWHERE = 63
"""The bit of a word that is looked at for the element -1."""


def kind(e: Expr) -> Kind:
    """What the value of an expression is."""
    match e:
        case Const() | Load() | Look():
            return Kind.INT
        case Truth():
            return Kind.TRUTH
        case Local():
            return e.kind
        case Unary() | Binary():
            return Kind.TRUTH if e.op in TRUTHS else Kind.INT
        case Pick():
            return kind(e.yes)
        case _:
            assert_never(e)


def atomic(e: Expr) -> bool:
    """Is there nothing to compute?"""
    return isinstance(e, Const | Truth | Local)


def parts(e: Expr) -> Iterator[Expr]:
    """The expressions directly inside."""
    match e:
        case Const() | Truth() | Local():
            return
        case Load() | Look():
            yield e.index
        case Unary():
            yield e.of
        case Binary():
            yield e.left
            yield e.right
        case Pick():
            yield e.test
            yield e.yes
            yield e.no
        case _:
            assert_never(e)


def cost(e: Expr) -> int:
    """How many operations."""
    return 0 if atomic(e) else 1 + sum(map(cost, parts(e)))


def statements(body: Body) -> Iterator[Stmt]:
    """All statements, those inside others too."""
    for s in body:
        yield s
        match s:
            case If():
                yield from statements(s.then)
                yield from statements(s.otherwise)
            case While():
                yield from statements(s.body)
            case _:
                pass


def unary(op: str, of: Expr) -> Expr:
    """An operator of one argument."""
    match op, of:
        case "not", Truth():
            return Truth(not of.value)
        case "not", Unary("not", inner):
            return inner
        case "not", Unary("truth", inner):
            return Binary("eq", inner, ZERO)
        case "not", Binary("lt" | "le" as name, a, b):
            return Binary("le" if name == "lt" else "lt", b, a)
        case "not", Binary("eq" | "ne" as name, a, b):
            return Binary("ne" if name == "eq" else "eq", a, b)
        case "int", Truth():
            return Const(int(of.value))
        case "truth", Const():
            return Truth(of.value != 0)
        case "truth", Unary("int", inner):
            return inner
        case "popcount", Const():
            return Const(of.value.bit_count())
        case "ctz", Const() if of.value > 0:
            return Const((of.value & -of.value).bit_length() - 1)
        case "bit", Const() if of.value >= 0:
            return Const(1 << of.value)
        case _:
            return Unary(op, of)


def binary(op: str, left: Expr, right: Expr) -> Expr:
    """An operator of two arguments."""
    if isinstance(left, Const) and isinstance(right, Const):
        return constant(op, left.value, right.value)
    match op, left, right:
        case (("both" | "either" | "or"), _, _):
            return junction(op, left, right)
        case "same", Truth(), _:
            return right if left.value else unary("not", right)
        case "same", _, Truth():
            return left if right.value else unary("not", left)
        case (("add" | "xor"), Const(0), _):
            return right
        case (("add" | "sub" | "xor" | "minus"), _, Const(0)):
            return left
        case (("and" | "mul"), Const(0), _):
            return ZERO
        case (("and" | "mul"), _, Const(0)):
            return ZERO
        case "minus", Const(0), _:
            return ZERO
        case (("sub" | "xor" | "minus"), _, _) if left == right:
            return ZERO
        case "eq", _, _ if left == right:
            return YES
        case "mul", Const(1), _:
            return right
        case (("mul" | "div"), _, Const(1)):
            return left
        case "has", Const(0), _:
            return NO
        case _:
            return Binary(op, left, right)


def junction(op: str, left: Expr, right: Expr) -> Expr:
    """both and either of truths, or of words; sets are joined before they are looked at."""
    match op, left, right:
        case "both", Truth(), _:
            return right if left.value else NO
        case "both", _, Truth():
            return left if right.value else NO
        case "both", Binary("le", Const(0), x), _ if vanishes(right, x):
            return right
        case "both", _, _ if left == right:
            return left
        case "either", Truth(), _:
            return YES if left.value else right
        case "either", _, Truth():
            return YES if right.value else left
        case "either", Unary("truth", x), Unary("truth", y):
            return unary("truth", binary("or", x, y))
        case "or", Const(0), _:
            return right
        case "or", _, Const(0):
            return left
        case "or", Binary("and", a, b), Binary("and", c, d):
            if a in (c, d):
                return binary("and", a, binary("or", b, d if a == c else c))
            if b in (c, d):
                return binary("and", binary("or", a, d if b == c else c), b)
            return Binary(op, left, right)
        case _:
            return Binary(op, left, right)


def constant(op: str, a: int, b: int) -> Expr:
    """The value of an operator on constants."""
    match op:
        case "add":
            return Const(a + b)
        case "sub":
            return Const(a - b)
        case "mul":
            return Const(a * b)
        case "div":
            return Const(a // b)
        case "mod":
            return Const(a % b)
        case "lt":
            return Truth(a < b)
        case "le":
            return Truth(a <= b)
        case "eq":
            return Truth(a == b)
        case "ne":
            return Truth(a != b)
        case "and":
            return Const(a & b)
        case "or":
            return Const(a | b)
        case "xor":
            return Const(a ^ b)
        case "minus":
            return Const(a & ~b)
        case "has":
            return Truth(b >= 0 and a >> b & 1 == 1)
        case _:
            return Binary(op, Const(a), Const(b))


def pick(test: Expr, yes: Expr, no: Expr) -> Expr:
    """One of two values."""
    if isinstance(test, Truth):
        return yes if test.value else no
    if yes == no:
        return yes
    if kind(yes) is Kind.TRUTH:
        return either(both(test, yes), both(unary("not", test), no))
    match test, yes, no:
        case Unary("not", inner), _, _:
            return pick(inner, no, yes)
        case Binary("le", Const(0), x), _, Const(-1) if x == yes:
            return yes
        case Binary("le", Const(0), x), _, Const(0) if vanishes(yes, x):
            return yes
        case _, Pick(inner, first, _), _ if inner == test:
            return pick(test, first, no)
        case _, _, Pick(inner, _, last) if inner == test:
            return pick(test, yes, last)
        case _, Pick(inner, first, last), _ if last == no:
            return pick(both(test, inner), first, no)
        case _:
            return Pick(test, yes, no)


def vanishes(e: Expr, x: Expr) -> bool:
    """Is this 0, or false, where an optional is none? So are its entry of a table, and its bit in a constant word."""
    match e:
        case Const():
            return e.value == 0
        case Look():
            return e.index == x
        case Unary("truth" | "popcount" | "int"):
            return vanishes(e.of, x)
        case Binary("has", Const(word), index):
            return index == x and word >> NOWHERE & 1 == 0
        case Binary("and" | "mul" | "both"):
            return vanishes(e.left, x) or vanishes(e.right, x)
        case Binary("add" | "or" | "xor" | "either"):
            return vanishes(e.left, x) and vanishes(e.right, x)
        case Binary("minus"):
            return vanishes(e.left, x)
        case _:
            return False


def negated(e: Expr) -> Expr:
    return unary("not", e)


def both(a: Expr, b: Expr) -> Expr:
    return binary("both", a, b)


def either(a: Expr, b: Expr) -> Expr:
    return binary("either", a, b)


def less(a: Expr, b: Expr) -> Expr:
    return binary("lt", a, b)


def equal(a: Expr, b: Expr) -> Expr:
    return binary("eq", a, b)


def plus(a: Expr, b: Expr) -> Expr:
    return binary("add", a, b)


def present(a: Expr) -> Expr:
    """Is this optional an element?"""
    return binary("le", ZERO, a)
