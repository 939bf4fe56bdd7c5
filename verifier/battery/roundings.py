"""The roundings of a file, each as a function of one number.

`nearest(5, …)`, `up(10, …)`, or by hand `quotient(… + 2, 5) * 5`. Its form keeps the operators of the file, so that encoder
and interpreter each compute what the file says, and not what we take it for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias

from domrules.grammar import core
from domrules.grammar.arithmetic import operate
from domrules.grammar.source import NOWHERE, Span
from domrules.verifier.dag import Dag, Number
from domrules.verifier.encode import arithmetic, combined

WORDS = {"round": "nearest", "roundup": "up", "rounddown": "down"}
X = core.Local("x", core.INT)
"""The number that is rounded, in the form of a rounding."""


@dataclass(frozen=True, slots=True)
class Rounding:
    """A rounding to multiples of `k`: `kind` round, roundup or rounddown, with the direction of ties."""

    kind: str
    k: int
    tie: str
    form: core.Expr = field(compare=False)
    """What the file computes, of `X`."""
    by_hand: str = ""
    """The text, where no word of the language says that this rounds."""
    parts: bool = False
    """The result is divided by k afterwards: x counts k-ths, and 75 stands for 7.5."""
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def text(self) -> str:
        if self.by_hand:
            return self.by_hand
        tie = f", …, {self.tie}" if self.kind == "round" and self.k % 2 == 0 else ", …"
        inner = f"{WORDS[self.kind]}({self.k}{tie})"
        return f"quotient({inner}, {self.k})" if self.parts else inner

    @property
    def says(self) -> str:
        """The word of the file that says where numbers go that are no multiples; none where a number must show it."""
        if self.by_hand:
            return ""
        return (
            self.tie if self.kind == "round" and self.k % 2 == 0 else "" if self.kind == "round" else WORDS[self.kind]
        )

    def of(self, dag: Dag, x: Number) -> Number:
        """The rounded number as the encoder has it."""
        return encoded(dag, self.form, x)

    def at(self, x: int) -> int:
        """The rounded number as the interpreter has it."""
        return computed(self.form, x)

    def shown(self, x: int) -> str:
        """A number as people write it: where k-ths are counted, with a point."""
        if not self.parts:
            return str(x)
        value = Fraction(x, self.k)
        exact = 10_000 % value.denominator == 0
        return f"{float(value):g}" if exact else str(value)


def named(kind: str, k: int, tie: str = "up") -> Rounding:
    """A rounding by a word of the language."""
    return Rounding(kind, k, tie if kind == "round" and k % 2 == 0 else "", core.Op(kind, (X,), core.INT, k, tie))


def encoded(dag: Dag, form: core.Expr, x: Number) -> Number:
    """A form in which `X` is the only name, as the encoder has it."""
    match form:
        case core.Local():
            return x
        case core.Lit(value=int(value)):
            return Number(value)
        case core.Op(args=(only,)):
            found = arithmetic(dag, form, encoded(dag, only, x))
        case core.Op(args=(left, right)):
            found = combined(dag, form, encoded(dag, left, x), encoded(dag, right, x))
        case _:
            raise AssertionError(f"{form.span}: no form of a rounding")
    assert isinstance(found, Number)
    return found


def computed(form: core.Expr, x: int) -> int:
    """The same as the interpreter has it."""
    match form:
        case core.Local():
            return x
        case core.Lit(value=int(value)):
            return value
        case core.Op():
            found = operate(form.name, [computed(arg, x) for arg in form.args], form.const, form.tie)
            assert isinstance(found, int)
            return found
        case _:
            raise AssertionError(f"{form.span}: no form of a rounding")


# ---------------------------------------------------------------- where a file rounds


@dataclass(frozen=True, slots=True)
class Found:
    """A place where a file rounds: the whole expression, what is rounded, and how; `shift` where it is done by hand."""

    e: core.Op
    of: core.Expr
    k: int
    shift: int | None
    parts: bool = False


Rules: TypeAlias = core.Game | core.Instance


def expressions(rules: Rules) -> Iterator[core.Expr]:
    """Every expression of the rules (not of claims and examples)."""
    for root in [*roots(rules), *(fn.body for fn in rules.fns.values())]:
        yield from inside(root)


def inside(e: core.Expr) -> Iterator[core.Expr]:
    """An expression and all in it."""
    yield e
    for child in core.children(e):
        yield from inside(child)


def roots(rules: Rules) -> list[core.Expr]:
    """The outermost expressions of the rules, without those of defines."""
    found: list[core.Expr] = [row.test for settle in rules.settles for row in settle.rows]
    blocks = [*rules.begin, *(b for a in rules.actions for b in a.blocks)]
    blocks += [r.body for s in rules.settles for r in s.rows]
    found += core.expressions(*blocks)
    found += [a.guard for a in rules.actions] + [e.when for e in rules.endings]
    return [*found, rules.over, rules.winners, rules.redeal]


def places(rules: Rules) -> Iterator[Found]:
    """Every rounding of the rules, the outermost form of each."""
    for root in [*roots(rules), *(fn.body for fn in rules.fns.values())]:
        yield from within(root, rules.fns)


def within(e: core.Expr, fns: Mapping[str, core.Fn]) -> Iterator[Found]:
    """Every rounding in an expression, calls not followed."""
    found = recognised(e, fns)
    if found is not None:
        yield found
    for child in core.children(e) if found is None else (found.of,):
        yield from within(child, fns)


def recognised(e: core.Expr, fns: Mapping[str, core.Fn]) -> Found | None:
    """The rounding that an expression is, if it is one."""
    if not isinstance(e, core.Op):
        return None
    match e.name, e.args:
        case ("round" | "roundup" | "rounddown", (of,)):
            return Found(e, of, e.const, None)
        case "div", (core.Op(name="round" | "roundup" | "rounddown") as inner,) if inner.const == e.const:
            return Found(e, inner.args[0], e.const, None, parts=True)
        case "mul", (a, b):
            return _multiplied(e, a, b, fns) or _multiplied(e, b, a, fns)
        case "sub", (a, core.Op(name="mod") as rest) if rest.args[0].span.text == a.span.text:
            return Found(e, a, rest.const, 0)
        case _:
            return None


def _multiplied(e: core.Op, a: core.Expr, b: core.Expr, fns: Mapping[str, core.Fn]) -> Found | None:
    """quotient(x + c, k) * k."""
    a = called(a, fns)
    if not (isinstance(a, core.Op) and a.name == "div" and isinstance(b, core.Lit) and b.value == a.const > 1):
        return None
    (x,) = a.args
    match x:
        case (
            core.Op(name="add", args=(of, core.Lit(value=int(c))))
            | core.Op(name="add", args=(core.Lit(value=int(c)), of))
        ):
            return Found(e, of, a.const, c)
        case core.Op(name="sub", args=(of, core.Lit(value=int(c)))):
            return Found(e, of, a.const, -c)
        case _:
            return Found(e, x, a.const, 0)


def called(e: core.Expr, fns: Mapping[str, core.Fn]) -> core.Expr:
    """What a call stands for, where that is one expression."""
    while isinstance(e, core.Call):
        e = fns[e.fn].body
    return e


def rounding(found: Found) -> Rounding | None:
    """The function of a place; none where it is no rounding anybody has a word for."""
    k, c, span = found.k, found.shift, found.e.span
    if c is None:
        op = found.e.args[0] if found.parts else found.e
        assert isinstance(op, core.Op)
        return replace(named(op.name, k, op.tie), parts=found.parts, span=span)
    kinds = {(k - 1) // 2: ("round", "down"), k // 2: ("round", "up"), k - 1: ("roundup", ""), 0: ("rounddown", "")}
    if c not in kinds:
        return None
    kind, tie = kinds[c]
    quotient = core.Op("div", (core.Op("add", (X, core.Lit(c, core.INT)), core.INT),), core.INT, k)
    form = core.Op("mul", (quotient, core.Lit(k, core.INT)), core.INT)
    return Rounding(kind, k, tie if k % 2 == 0 else "", form, by_hand=" ".join(span.text.split()), span=span)


def roundings(game: core.Game) -> list[Rounding]:
    """Each different rounding once, at its first place."""
    found: dict[Rounding, Rounding] = {}
    for place in places(game):
        r = rounding(place)
        if r is not None:
            found.setdefault(replace(r, by_hand=""), r)
    return list(found.values())
