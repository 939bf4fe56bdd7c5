"""C4: every rounding of the file obeys its laws, over all whole numbers; and what it does, number by number."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from domrules.verifier.battery import microscope
from domrules.verifier.battery.roundings import Found, Rounding, named, places, rounding, roundings
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import FALSE, ZERO, Bit, Dag, Number
from domrules.verifier.solver import Answer, Engine, solve
from domrules.verifier.verdict import Verdict, Word


@dataclass(frozen=True, slots=True)
class Law:
    """A law of rounding: its name and the bit that it is broken at x (and y)."""

    name: str
    broken: Callable[[Dag, Rounding, Number, Number], Bit]


def c4(subject: Subject) -> Verdict:
    """Every rounding of the file obeys its laws for every whole number, and the interpreter computes the same."""
    started = time.perf_counter()
    game = subject.instance.game
    for found in places(game):
        odd = _odd(found)
        if odd:
            return subject.verdict(
                "C4", Word.REFUTED, method="all integers", since=started, details=odd, span=found.e.span
            )
    known = roundings(game)
    if not known:
        return subject.verdict(
            "C4", Word.SKIPPED, since=started, reason="no `nearest`, `up` or `down`, and no quotient is multiplied up"
        )
    lines: list[str] = []
    for r in known:
        broken = _broken_law(r, subject.seconds)
        if broken is not None:
            word, reason = broken
            return subject.verdict("C4", word, since=started, reason=reason, span=r.span)
        lines += microscope.lines(r, subject.seconds)
    return subject.verdict(
        "C4", Word.PROVED_ANY_SIZE, method="all integers", since=started, details=lines, span=known[0].span
    )


def _odd(found: Found) -> list[str]:
    """Lines about a rounding that no word of the language says: it goes down unsaid, or neither here nor there."""
    k, c = found.k, found.shift
    if c is None or k < 2:
        return []
    r = rounding(found)
    if r is None:
        x = next(x for x in range(2 * k) if (x + (c or 0)) // k != (2 * x + k) // (2 * k))
        return [
            f"this rounds neither to the nearest nor up nor down: at {x} it gives {(x + c) // k * k}",
            f"help: write `nearest({k}, …)`, `up({k}, …)` or `down({k}, …)`",
        ]
    if r.kind != "rounddown":
        return []
    return [
        f"this rounds towards below: at {k - 1} it gives 0",
        f"nearest({k}, {k - 1}) would give {named('round', k).at(k - 1)}",
        f"help: write `nearest({k}, …)`, or `down({k}, …)` if this is meant",
    ]


def _broken_law(r: Rounding, seconds: float) -> tuple[Word, str] | None:
    """The law that some whole number breaks."""
    for law in LAWS:
        dag = Dag()
        x, y = dag.unknown("x"), dag.unknown("y")
        result = solve(dag, [law.broken(dag, r, x, y)], seconds=seconds, engines=(Engine.GENERAL,))
        if result.answer is Answer.UNKNOWN:
            return Word.UNKNOWN, f"{r.text} {law.name}: {result.reason}"
        if result.answer is Answer.YES and result.model is not None:
            return Word.REFUTED, f"{r.text} {law.name}: not at {result.model.number(x)}"
    return None


def _below(dag: Dag, a: Number, b: Number) -> Bit:
    """a < b."""
    return dag.at_least_zero(dag.add(dag.add(b, a, -1), Number(-1)))


def _is_multiple(dag: Dag, r: Rounding, x: Number, y: Number) -> Bit:
    value = r.of(dag, x)
    return -dag.is_zero(dag.add(value, dag.floor(value, r.k), -r.k))


def _is_near(dag: Dag, r: Rounding, x: Number, y: Number) -> Bit:
    """Further from x than its kind allows: nearest at most k/2 away, up and down less than k on their side."""
    gap = dag.add(r.of(dag, x), x, -1)
    match r.kind:
        case "round":
            twice = dag.add(ZERO, gap, 2)
            return dag.any((_below(dag, Number(r.k), twice), _below(dag, twice, Number(-r.k))))
        case "roundup":
            return dag.any((_below(dag, gap, ZERO), _below(dag, Number(r.k - 1), gap)))
        case _:
            return dag.any((_below(dag, ZERO, gap), _below(dag, gap, Number(1 - r.k))))


def _ties_as_said(dag: Dag, r: Rounding, x: Number, y: Number) -> Bit:
    """x = k*y + k/2 does not go where it should."""
    if r.kind != "round" or r.k % 2:
        return FALSE
    here = dag.is_zero(dag.add(dag.add(x, y, -r.k), Number(-(r.k // 2))))
    went_up = -dag.at_least_zero(dag.add(x, r.of(dag, x), -1))
    should = {"up": 1, "down": -1, "even": dag.odd(y), "away": dag.at_least_zero(y)}[r.tie]
    return dag.both(here, -dag.same(went_up, should))


def _is_monotone(dag: Dag, r: Rounding, x: Number, y: Number) -> Bit:
    return dag.both(_below(dag, x, y), _below(dag, r.of(dag, y), r.of(dag, x)))


def _is_fixed(dag: Dag, r: Rounding, x: Number, y: Number) -> Bit:
    multiple = dag.add(ZERO, y, r.k)
    return -dag.is_zero(dag.add(r.of(dag, multiple), multiple, -1))


LAWS = (
    Law("gives a multiple", _is_multiple),
    Law("is as near as it says", _is_near),
    Law("sends ties where it says", _ties_as_said),
    Law("keeps the order", _is_monotone),
    Law("leaves multiples alone", _is_fixed),
)
