"""The closures that expressions are made of: operators and quantifiers over closures of their parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from domrules.grammar import core
from domrules.interpreter.state import State

Frame: TypeAlias = list[Any]
"""The values of bound names, by place."""
# The checker has typed every expression; to say so again for each closure would only be noise, hence Any.
Code: TypeAlias = Callable[[State, Frame], Any]
Domain: TypeAlias = Callable[[State, Frame], Iterable[int]]
"""What a quantifier ranges over: indices in canonical order."""

# ---------------------------------------------------------------- operators


def unary(e: core.Op, x: Code) -> Code:
    """An operator of one argument. Division and rounding are floor division by a positive constant."""
    k = e.const
    match e.name:
        case "not":
            return lambda state, frame: not x(state, frame)
        case "odd":
            return lambda state, frame: x(state, frame) % 2 == 1
        case "div":
            return lambda state, frame: x(state, frame) // k
        case "mod":
            return lambda state, frame: x(state, frame) % k
        case "round":
            tie = e.tie
            return lambda state, frame: nearest(x(state, frame), k, tie)
        case "roundup":
            return lambda state, frame: -(-x(state, frame) // k) * k
        case "rounddown":
            return lambda state, frame: x(state, frame) // k * k
        case "size":
            return lambda state, frame: x(state, frame).bit_count()
        case "some":
            return lambda state, frame: x(state, frame) != 0
        case "toset":
            return lambda state, frame: 0 if (i := x(state, frame)) is None else 1 << i
        case name:
            raise AssertionError(f"{e.span}: no operator of one argument: {name}")


def binary(e: core.Op, x: Code, y: Code) -> Code:
    """An operator of two arguments."""
    match e.name:
        case "and":
            return lambda state, frame: x(state, frame) and y(state, frame)
        case "or":
            return lambda state, frame: x(state, frame) or y(state, frame)
        case "add":
            return lambda state, frame: x(state, frame) + y(state, frame)
        case "sub":
            return lambda state, frame: x(state, frame) - y(state, frame)
        case "mul":
            return lambda state, frame: x(state, frame) * y(state, frame)
        case "lt":
            return lambda state, frame: x(state, frame) < y(state, frame)
        case "le":
            return lambda state, frame: x(state, frame) <= y(state, frame)
        case "iff" | "numeq" | "eq":
            return lambda state, frame: x(state, frame) == y(state, frame)
        case "in":
            return lambda state, frame: (i := x(state, frame)) is not None and y(state, frame) >> i & 1 == 1
        case "union":
            return lambda state, frame: x(state, frame) | y(state, frame)
        case "inter":
            return lambda state, frame: x(state, frame) & y(state, frame)
        case "minus":
            return lambda state, frame: x(state, frame) & ~y(state, frame)
        case name:
            raise AssertionError(f"{e.span}: no operator of two arguments: {name}")


def nearest(x: int, k: int, tie: str) -> int:
    """The multiple of k nearest to x; `tie` (up, down, even, away from zero) decides when two are as near."""
    below, rest = divmod(x, k)
    if 2 * rest != k:
        return (below + (2 * rest > k)) * k
    return (below + {"up": True, "down": False, "even": below % 2 == 1, "away": x > 0}[tie]) * k


def single(mask: int) -> int | None:
    """The one element of a set, or none."""
    return mask.bit_length() - 1 if mask and not mask & (mask - 1) else None


def how_many(held: int | None) -> str:
    """`is none` or `are 3`: for a message about a set or an optional without its one element."""
    return f"are {held.bit_count()}" if held else "is none"


# ---------------------------------------------------------------- quantifiers


def aggregation(kind: str, place: int, over: Domain, guard: Code | None, body: Code | None) -> Code:
    """A quantifier from its parts; `place` is where the bound name lies in the frame."""
    match kind, body:
        case "any", body if body is not None:
            return exists(place, over, body if guard is None else both(guard, body))
        case "all", body if body is not None:
            found = exists(place, over, inverse(body) if guard is None else both(guard, inverse(body)))
            return inverse(found)
        case "sum", body if body is not None:
            return total(place, over, guard, body)
        case "set", None:
            return collect(place, over, guard)
        case "pick", body if body is not None:
            return pick(place, over, guard, body)
        case _:
            raise AssertionError(f"no quantifier {kind} {'without' if body is None else 'with'} a body")


def both(x: Code, y: Code) -> Code:
    return lambda state, frame: x(state, frame) and y(state, frame)


def inverse(x: Code) -> Code:
    return lambda state, frame: not x(state, frame)


def exists(place: int, over: Domain, test: Code) -> Code:
    def run(state: State, frame: Frame) -> bool:
        # A generator for any(...) would cost more than the tests themselves.
        for i in over(state, frame):
            frame[place] = i
            if test(state, frame):
                return True
        return False

    return run


def total(place: int, over: Domain, guard: Code | None, body: Code) -> Code:
    def run(state: State, frame: Frame) -> int:
        result = 0
        for i in over(state, frame):
            frame[place] = i
            if guard is None or guard(state, frame):
                result += body(state, frame)
        return result

    return run


def collect(place: int, over: Domain, guard: Code | None) -> Code:
    def run(state: State, frame: Frame) -> int:
        result = 0
        for i in over(state, frame):
            frame[place] = i
            if guard is None or guard(state, frame):
                result |= 1 << i
        return result

    return run


def pick(place: int, over: Domain, guard: Code | None, body: Code) -> Code:
    def run(state: State, frame: Frame) -> Any:
        for i in over(state, frame):
            frame[place] = i
            if guard is None or guard(state, frame):
                return body(state, frame)
        return None

    return run
