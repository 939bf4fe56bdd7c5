"""A rounding under the microscope: where it jumps, where it differs from others, what it does to sums; proved, then shown.

Whatever is said to be the same everywhere is proved over all whole numbers; whatever differs is shown at the smallest number,
and it is proved that no smaller one would do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from domrules.verifier.battery.roundings import WORDS, Rounding, named
from domrules.verifier.dag import Bit, Dag, Number
from domrules.verifier.solver import Answer, Engine, Session, solve

JUMPS = 4
"""How many steps of the table are shown."""
ASKED = (12, 23)
"""Numbers that everybody asks for, and where k-ths are counted the halves 6.5 and 7.5."""


def lines(r: Rounding, seconds: float) -> Iterator[str]:
    """What there is to say of a rounding: a headline, then indented lines."""
    yield f"{r.text}: {table(r)}"
    yield f"  half way: {ties(r)}"
    yield f"  below 0: {below_zero(r)}"
    yield "  against " + "; ".join(f"{name}: {compared(r, other, seconds)}" for name, other in others(r))
    yield f"  sums: {sums(r, seconds)}"


def table(r: Rounding) -> str:
    """The numbers before and after the first steps, and those that people ask for."""
    found: list[int] = []
    x = 0
    while len(found) < 2 * JUMPS:
        if r.at(x) != r.at(x + 1):
            found += [x, x + 1]
        x = step(r, x + 1)
    halves = [65, 75] if r.parts and r.k == 10 else [] if r.parts else [x for x in ASKED if r.k <= x]
    return ", ".join(rounded(r, x) for x in sorted({*found, *halves}))


def step(r: Rounding, x: int) -> int:
    """The next number from x on at which the result may change: after multiples and half way."""
    near = [x // r.k * r.k + r.k // 2 * i + d for i in (0, 1, 2) for d in (-1, 0)]
    return next((n for n in sorted(near) if n >= x and r.at(n) != r.at(n + 1)), (x // r.k + 1) * r.k)


def rounded(r: Rounding, x: int) -> str:
    """12 → 10."""
    result = r.at(x) // r.k if r.parts else r.at(x)
    return f"{r.shown(x)} → {result}"


def ties(r: Rounding) -> str:
    """The numbers half way."""
    if r.kind != "round":
        return f"all that is no multiple goes {WORDS[r.kind]}"
    if r.k % 2:
        return "no whole number is"
    half = r.k // 2
    said = f" ({r.says})" if r.says else ""
    return ", ".join(rounded(r, x) for x in (half, half + r.k, half + 2 * r.k, -half)) + said


def below_zero(r: Rounding) -> str:
    half = r.k // 2
    xs = sorted({-1, -half, -half - 1, -r.k - 1} - {0}, reverse=True)
    return ", ".join(rounded(r, x) for x in xs)


def others(r: Rounding) -> Iterator[tuple[str, Rounding]]:
    """What else a rule could mean."""
    yield "half up", named("round", r.k, "up")
    yield "half to even", named("round", r.k, "even")
    yield "down", named("rounddown", r.k)
    yield "up", named("roundup", r.k)


def compared(r: Rounding, other: Rounding, seconds: float) -> str:
    """Where another rounding differs."""
    dag = Dag()
    x = dag.unknown("x")
    differs = -dag.is_zero(dag.add(r.of(dag, x), other.of(dag, x), -1))
    natural, negative = dag.at_least_zero(x), -dag.at_least_zero(x)
    least_natural = least(dag, [differs, natural], x, seconds)
    if least_natural.value is not None:
        at = least_natural.value
        return f"differs first at {rounded(r, at)}, not {shown(r, other, at)}"
    least_negative = least(dag, [differs, negative], dag.add(Number(), x, -1), seconds)
    if least_negative.value is not None:
        at = -least_negative.value
        return f"differs below 0 only, first at {rounded(r, at)}, not {shown(r, other, at)}"
    known = least_natural.proved and least_negative.proved
    return "the same everywhere" if known else "not known"


def shown(r: Rounding, other: Rounding, x: int) -> str:
    """What another rounding gives, as this one shows it."""
    return str(other.at(x) // r.k if r.parts else other.at(x))


def sums(r: Rounding, seconds: float) -> str:
    """Rounding each and then adding, against adding and then rounding."""
    pair = split_sum(r, seconds)
    if pair is None:
        return "not known whether rounding first makes a difference"
    if pair == ():
        return "rounding first or adding first is the same everywhere"
    x, y = pair
    first, last = r.at(x) + r.at(y), r.at(x + y)
    if r.parts:
        first, last = first // r.k, last // r.k
    return f"adding first matters: {r.shown(x)} + {r.shown(y)} = {r.shown(x + y)} → {last}, but rounded first {first}"


def split_sum(r: Rounding, seconds: float) -> Sequence[int] | None:
    """The two smallest numbers whose sum is rounded differently than they are; () when there are none, None: not known."""
    dag = Dag()
    x, y = dag.unknown("x"), dag.unknown("y")
    total = dag.add(x, y)
    differs = -dag.is_zero(dag.add(r.of(dag, total), dag.add(r.of(dag, x), r.of(dag, y)), -1))
    ordered = [dag.at_least_zero(x), dag.at_least_zero(dag.add(y, x, -1))]
    found = least(dag, [differs, *ordered], total, seconds)
    if found.value is None:
        free = solve(dag, [differs], seconds=seconds, engines=(Engine.GENERAL,))
        return () if found.proved and free.answer is Answer.NO else None
    for small in range(found.value // 2 + 1):
        if r.at(small) + r.at(found.value - small) != r.at(found.value):
            return small, found.value - small
    return None


@dataclass(frozen=True, slots=True)
class Least:
    """The least value of a number, or none at all. `proved`: it is sure."""

    value: int | None
    proved: bool


def least(dag: Dag, bits: Sequence[Bit], number: Number, seconds: float) -> Least:
    """The least value, at least 0, that a number can have where all these bits hold."""
    session = Session(dag, Engine.GENERAL)
    session.add([*bits, dag.at_least_zero(number)])
    result = session.check(seconds=seconds)
    if result.model is None:
        return Least(None, result.answer is Answer.NO)
    low, high = 0, result.model.number(number)
    while low < high:
        middle = (low + high) // 2
        under = dag.at_least_zero(dag.add(Number(middle), number, -1))
        result = session.check([under], seconds=seconds)
        if result.answer is Answer.UNKNOWN:
            return Least(high, False)
        if result.model is None:
            low = middle + 1
        else:
            high = result.model.number(number)
    return Least(high, True)
