"""C7: division and rounding are computed alike by solver, encoder and interpreter, and as the language defines them.

The encoding of every operator, with the constants of the file, is proved to be what the language says, over all whole
numbers. At the numbers where implementations go wrong (around multiples and halves, below zero, beyond 64 bits) the rules as
they are played, the folding of constants and the solver are asked for the same result.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from domrules.grammar import core
from domrules.grammar.arithmetic import operate
from domrules.verifier.battery.roundings import X, encoded, expressions
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import Bit, Dag, Number
from domrules.verifier.solver import Answer, Engine, solve
from domrules.verifier.verdict import Verdict, Word

NAMES = {"div": "quotient", "mod": "remainder", "round": "nearest", "roundup": "up", "rounddown": "down"}
LARGE = (2**31, 2**63, 2**64, 10**30)
"""Sizes at which the numbers of some machines end."""


def c7(subject: Subject) -> Verdict:
    """Does everybody compute the same?"""
    started = time.perf_counter()
    operators = list(_operators(subject.instance.game))
    if not operators:
        return subject.verdict("C7", Word.SKIPPED, since=started, reason="nothing is divided or rounded")
    lines = []
    for op in operators:
        undefined = _undefined(op, subject.seconds)
        if undefined is not None:
            word, reason = undefined
            return subject.verdict("C7", word, since=started, reason=reason, span=op.span)
        xs = boundaries(op.const)
        differs = _differs(subject, op, xs)
        if differs is not None:
            return subject.verdict("C7", Word.DISAGREE, since=started, reason=differs, span=op.span)
        lines.append(
            f"{_text(op)}: as defined for all whole numbers; alike at {len(xs)} numbers, up to 10^30 and below 0"
        )
    return subject.verdict(
        "C7",
        Word.PROVED,
        method="all integers; boundaries replayed",
        since=started,
        details=lines,
        span=operators[0].span,
    )


def _operators(game: core.Game) -> Iterator[core.Op]:
    """Each division and rounding by each constant once, as an operator of `X`."""
    seen = set()
    for e in expressions(game):
        if isinstance(e, core.Op) and e.name in NAMES:
            key = (e.name, e.const, e.tie if e.const % 2 == 0 else "")
            if key not in seen:
                seen.add(key)
                yield core.Op(e.name, (X,), core.INT, e.const, e.tie, e.span)


def _text(op: core.Op) -> str:
    if op.name in ("div", "mod"):
        return f"{NAMES[op.name]}(…, {op.const})"
    tie = f", {op.tie}" if op.name == "round" and op.const % 2 == 0 else ""
    return f"{NAMES[op.name]}({op.const}, …{tie})"


def boundaries(k: int) -> list[int]:
    """Numbers around multiples and halves of k: small, beyond 32 and 64 bits, and below zero."""
    near = {m * k + part + d for m in range(-3, 4) for part in (0, k // 2) for d in (-1, 0, 1)}
    far = {sign * (n // k * k) + x for n in LARGE for sign in (1, -1) for x in (-1, 0, 1, k // 2, k // 2 + 1, k)}
    exact = {sign * n + d for n in LARGE for sign in (1, -1) for d in (-1, 0, 1)}
    return sorted(near | far | exact)


def _undefined(op: core.Op, seconds: float) -> tuple[Word, str] | None:
    """Where the encoding is not what the language defines."""
    dag = Dag()
    x, half = dag.unknown("x"), dag.unknown("half")
    result = solve(dag, [_wrong(dag, op, x, half)], seconds=seconds, engines=(Engine.GENERAL,))
    match result.answer:
        case Answer.NO:
            return None
        case Answer.UNKNOWN:
            return Word.UNKNOWN, f"{_text(op)}: {result.reason}"
        case _:
            assert result.model is not None
            return Word.DISAGREE, f"{_text(op)} is not as defined at {result.model.number(x)}"


def _wrong(dag: Dag, op: core.Op, x: Number, m: Number) -> Bit:
    """The result at x breaks the definition; `m` is any whole number."""
    k, y = op.const, encoded(dag, op, x)

    def between(low: int, number: Number, high: int) -> Bit:
        under = dag.at_least_zero(dag.add(Number(high), number, -1))
        return dag.both(dag.at_least_zero(dag.add(number, Number(-low))), under)

    def multiple(number: Number) -> Bit:
        return dag.is_zero(dag.add(number, dag.floor(number, k), -k))

    match op.name:
        case "div":
            return -between(0, dag.add(x, y, -k), k - 1)
        case "mod":
            return -dag.both(between(0, y, k - 1), multiple(dag.add(x, y, -1)))
        case "rounddown":
            return -dag.both(multiple(y), between(0, dag.add(x, y, -1), k - 1))
        case "roundup":
            return -dag.both(multiple(y), between(0, dag.add(y, x, -1), k - 1))
        case _:
            twice = dag.add(dag.add(y, y), dag.add(x, x), -1)
            near = dag.both(multiple(y), between(-k, twice, k))
            return dag.any((-near, _tie_wrong(dag, op, x, y, m)))


def _tie_wrong(dag: Dag, op: core.Op, x: Number, y: Number, m: Number) -> Bit:
    """x lies half way above k*m, and goes the wrong way."""
    k = op.const
    if k % 2:
        return -1
    here = dag.is_zero(dag.add(dag.add(x, m, -k), Number(-(k // 2))))
    above = dag.is_zero(dag.add(dag.add(y, m, -k), Number(-k)))
    should = {"up": 1, "down": -1, "even": dag.odd(m), "away": dag.at_least_zero(m)}[op.tie]
    return dag.both(here, -dag.same(above, should))


def _differs(subject: Subject, op: core.Op, xs: list[int]) -> str | None:
    """A number at which some engine has another result than the rules in play."""
    dag = Dag()
    unknown = dag.unknown("x")
    y, apart = encoded(dag, op, unknown), list[Bit]()
    state = subject.rules.new_match()
    for x in xs:
        number = core.Op(op.name, (core.Lit(x, core.INT),), core.INT, op.const, op.tie)
        played = subject.rules.question(number)(state)
        folded, constant = operate(op.name, [x], op.const, op.tie), encoded(Dag(), op, Number(x)).const
        if not played == folded == constant:
            return f"{_text(op)} at {x}: play has {played}, folding {folded}, the encoder {constant}"
        same = dag.is_zero(dag.add(y, Number(-played)))
        apart.append(dag.both(dag.is_zero(dag.add(unknown, Number(-x))), -same))
    result = solve(dag, [dag.any(apart)], seconds=subject.seconds, engines=(Engine.GENERAL,))
    if result.answer is Answer.NO:
        return None
    at = "" if result.model is None else f" at {result.model.number(unknown)}"
    return f"{_text(op)}: the solver differs{at}{result.reason}"
