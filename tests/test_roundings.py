"""What is said of roundings, against plain counting; and the examples that everybody asks for, of the games that have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from domrules.grammar.load import load
from domrules.verifier.battery import microscope
from domrules.verifier.battery.roundings import Rounding, named, roundings

SPECS = Path(__file__).parent.parent / "specs"
ROUNDINGS = [
    *(named("round", k, tie) for k in (2, 4, 5, 10) for tie in ("up", "down", "even", "away")),
    *(named(kind, k) for k in (2, 5, 10) for kind in ("roundup", "rounddown")),
]


@pytest.mark.parametrize("r", ROUNDINGS, ids=lambda r: r.text)
def test_differences_and_sums_are_the_smallest(r: Rounding) -> None:
    for _, other in microscope.others(r):
        apart = [x for x in range(100) if r.at(x) != other.at(x)]
        below = [x for x in range(-1, -100, -1) if r.at(x) != other.at(x)]
        said = microscope.compared(r, other, 5.0)
        if apart:
            assert said == f"differs first at {apart[0]} → {r.at(apart[0])}, not {other.at(apart[0])}"
        elif below:
            assert said.startswith(f"differs below 0 only, first at {below[0]} →")
        else:
            assert said == "the same everywhere"
    pairs = [(x + y, x, y) for x in range(30) for y in range(x, 30) if r.at(x) + r.at(y) != r.at(x + y)]
    assert microscope.split_sum(r, 5.0) == (min(pairs)[1:] if pairs else ())


def test_a_table_shows_where_the_result_jumps() -> None:
    for r in ROUNDINGS:
        for step in microscope.table(r).split(", "):
            x, result = map(int, step.split(" → "))
            assert r.at(x) == result


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        ("petkove", ["12 → 10", "23 → 25"]),
        ("straight", ["12 → 10", "23 → 25"]),
        ("koza_online", ["7.5 → 8", "6.5 → 7"]),
        ("rybareni", ["11 → 20", "10 → 10"]),
    ],
)
def test_the_games_show_what_their_documents_say(spec: str, shown: list[str]) -> None:
    (r,) = roundings(load(SPECS / f"{spec}.dom"))
    steps = microscope.table(r).split(", ")
    assert [step for step in shown if step not in steps] == []
