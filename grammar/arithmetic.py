"""The one definition of every operator on constants: rounding is by floor, in every engine."""

from __future__ import annotations

from domrules.grammar.core import Value


def rounded(x: int, k: int, tie: str) -> int:
    """The nearest multiple of k; a number half way goes up, down, to the even multiple, or away from zero."""
    below = x // k * k
    twice = 2 * (x - below)
    if twice != k:
        return below if twice < k else below + k
    match tie:
        case "up":
            return below + k
        case "down":
            return below
        case "even":
            return below if x // k % 2 == 0 else below + k
        case "away":
            return below + k if x > 0 else below
        case _:
            raise ValueError(f"no such tie direction: {tie}")


def operate(name: str, args: list[Value], const: int, tie: str) -> Value:
    """The value of an operator of `core.OPERATORS` on constants. Sets are masks, an absent optional is None."""
    a: int = args[0] if args and args[0] is not None else 0
    b: int = args[1] if len(args) > 1 and args[1] is not None else 0
    match name:
        case "not":
            return not a
        case "and":
            return bool(a and b)
        case "or":
            return bool(a or b)
        case "iff" | "numeq":
            return a == b
        case "eq":
            return args[0] == args[1]
        case "add":
            return a + b
        case "sub":
            return a - b
        case "mul":
            return a * b
        case "lt":
            return a < b
        case "le":
            return a <= b
        case "odd":
            return a % 2 == 1
        case "div":
            return a // const
        case "mod":
            return a % const
        case "round":
            return rounded(a, const, tie)
        case "roundup":
            return -(-a // const) * const
        case "rounddown":
            return a // const * const
        case "in":
            return args[0] is not None and b >> a & 1 == 1
        case "size":
            return a.bit_count()
        case "some":
            return a != 0
        case "toset":
            return 0 if args[0] is None else 1 << a
        case "union":
            return a | b
        case "inter":
            return a & b
        case "minus":
            return a & ~b
        case _:
            raise ValueError(f"no such operator: {name}")
