"""From the list of rule questions to the examples of the specs: every question is asked there, and answered alike.

A case `s000-30` is the example `s000_30` of its spec. Where a source leaves the answer open, each other reading has an
example of its own under an option that is not the default. That an example passes is what the interpreter says; here
the facts of the case are looked for in it: hands, layout and scores in what it sets up, the answer in what it expects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tables import game

from domrules.grammar import core
from domrules.interpreter.examples import run_example

Case = dict[str, Any]
LISTS = sorted((Path(__file__).parent / "data").glob("cases*.json"))
CASES: list[Case] = [case for path in LISTS for case in json.loads(path.read_text("utf-8"))]
READINGS = [(case, reading) for case in CASES for reading in case.get("alternatives", ())]
SIDES = {"W", "E", "N", "S"}


@dataclass(frozen=True)
class Told:
    """What an example sets up, plays and expects, as far as a case can be compared with it."""

    example: core.Example

    @property
    def expected(self) -> str:
        """All that is expected, in one text."""
        return " and ".join(
            s.span.text.removeprefix("expect") for s in self.example.steps if isinstance(s, core.Expect)
        )

    @property
    def played(self) -> list[core.MoveName]:
        return [move for s in self.example.steps if isinstance(s, core.Played) for move in s.moves]

    @property
    def allowed(self) -> list[core.MoveName]:
        """The last list of legal moves."""
        lists = [list(s.moves) for s in self.example.steps if isinstance(s, core.Allows) and s.only]
        return lists[-1] if lists else []

    def says(self, pattern: str) -> bool:
        return re.search(pattern, self.expected) is not None

    def numbers(self) -> set[int]:
        return {int(n) for n in re.findall(r"(?<![\w|])\d+(?![\w|])", self.expected)}

    def lying(self, zone: str, player: str | None = None) -> list[str]:
        """The tiles that the example puts somewhere."""
        found: list[str] = []
        for s in self.example.steps:
            if isinstance(s, core.Assign) and s.var == zone and s.tiles is not None:
                owner = s.index.value if isinstance(s.index, core.Lit) else None
                if player is None or owner == player:
                    found += ["|".join(t) for t in s.tiles]
        return sorted(map(tile, found))


def tile(text: str) -> str:
    """A tile, however it is written, low half first."""
    return "|".join(sorted(re.split(r"[-|]", text)))


def tiles(texts: list[str]) -> list[str]:
    return sorted(map(tile, texts))


def seat(letter: str) -> str:
    return f"p{'ABCD'.index(letter)}"


def tiles_of(moves: list[core.MoveName]) -> list[str]:
    """The tiles that moves lay: of a move with several tiles the last, the one that is taken."""
    return [tile([a for a in m.args if "|" in a][-1]) for m in moves if any("|" in a for a in m.args)]


# ---------------------------------------------------------------- answers: key of a case → is it in the example?


def score(told: Told, value: Any) -> bool:
    if isinstance(value, dict):
        return all(told.says(rf"score\[{seat(who)}\.team\] == {points}\b") for who, points in value.items())
    return told.says(rf"(score\[.{{1,10}}\]|play_score) == {value}\b")


def winner(told: Told, value: Any) -> bool:
    """One who wins the match is named; of a round, who is paid."""
    if "match_over" in told.expected or "match_winners" in told.expected:
        return told.says(rf"match_winners == \{{{seat(value)}\.team\}}")
    if value == "last mover":
        (last,) = [s.values[0] for s in told.example.steps if isinstance(s, core.Assign) and s.var == "last_mover"]
        return isinstance(last, core.Lit) and told.says(rf"score\[{last.value}\.team\] == [1-9]")
    paid = [seat(letter) for letter in value or []]
    named = re.findall(r"score\[(p\d)\.team\] == [1-9]", told.expected)
    return sorted(paid) == sorted(named)


def starter(told: Told, value: str | None) -> bool:
    return told.says(r"leader is none" if value is None else rf"leader == {seat(value)}\b")


def all_legal(told: Told, value: list[str]) -> bool:
    return set(tiles_of([m for m in told.allowed if m.action not in ("turn", "draw")])) == set(tiles(value))


def playable(told: Told, value: list[str]) -> bool:
    """After the draws: exactly these can be laid."""
    return all_legal(told, value) and bool(value) == ("pass" not in {m.action for m in told.allowed})


def places(told: Told, value: dict[str, list[str]]) -> bool:
    names = {"W": "right", "E": "left", "N": "up", "S": "down"}
    wanted = {(names[side], tile(t)) for t, sides in value.items() for side in sides}
    return {(m.args[0], tile(m.args[-1])) for m in told.allowed} == wanted


def rounded(told: Told, value: list[int], given: Case) -> bool:
    return all(told.says(rf"nearest\(5, {n}\) == {r}\b") for n, r in zip(given["values"], value, strict=True))


def drawn(told: Told, value: int | str) -> bool:
    """How many tiles are drawn, or which one is turned up."""
    drawn = tiles_of([m for m in told.played if m.action in ("draw", "turn")])
    return len(drawn) == value if isinstance(value, int) else drawn == [tile(value)]


def hand_pair(told: Told, value: list[str] | None) -> bool:
    moves = [m for m in told.played if m.action == "catch"]
    return moves == [] if value is None else [tiles(list(m.args)) for m in moves] == [tiles(value)]


def drawn_takes(told: Told, value: str | None) -> bool:
    moves = [m for m in told.played if m.action in ("catch_turned", "leave")]
    return tiles_of(moves)[-1] == tile(value) if value else [m.action for m in moves] == ["leave"]


def left_in(zone: str) -> Callable[[Told, list[str]], bool]:
    def check(told: Told, value: list[str]) -> bool:
        return told.says(rf"size\({re.escape(zone)}\) == {len(value)}\b")

    return check


def number(told: Told, value: int | dict[str, int]) -> bool:
    """A number is named, or one for each side."""
    return {*value.values()} <= told.numbers() if isinstance(value, dict) else value in told.numbers()


def loser(told: Told, value: str | None) -> bool:
    """Of two players: who loses the match has not won it."""
    return told.says("not match_over") if value is None else winner(told, "AB".replace(value, ""))


def has_move(action: str) -> Callable[[Told, Any], bool]:
    """Whether there is a move of this kind among those that are allowed."""
    return lambda told, value: value == (action in {m.action for m in told.allowed})


ANSWERS: dict[str, Callable[[Told, Any], bool]] = {
    "score": score,
    "scores": score,
    "winner": winner,
    "starter": starter,
    "legal_tiles": all_legal,
    "can_take": all_legal,
    "may_play": lambda told, value: playable(told, value) or tiles_of(told.played)[-1:] == tiles(value),
    "places_for": places,
    "passes": lambda told, value: value == ("pass" in {m.action for m in told.played}),
    "drawn": drawn,
    "hand_pair": hand_pair,
    "drawn_takes": drawn_takes,
    "table_after": left_in("table"),
    "hand_after": left_in("hand[p0]"),
    "next": lambda told, value: told.says(rf"mover == {seat(value)}\b"),
    "redeal": lambda told, value: told.says(r"(?<!not )\bnew_deal" if value else r"not new_deal"),
    "opening_tile": lambda told, value: [str(m) for m in told.allowed] == [f"lead({value.replace('-', '|')})"],
    "match_over": lambda told, value: told.says(r"(?<!not )\bmatch_over" if value else r"not match_over"),
    "round_scored": lambda told, value: told.says("target_reached") is not value,
    "values": lambda told, value: all(number(told, v) for v in value),
    "recorded": score,
    "total": score,
    "loser": loser,
    "may_pass": has_move("pass"),
    "may_draw": has_move("draw"),
    "must_play": lambda told, value: value == ({m.action for m in told.allowed} == {"play"}),
    "drawn_for_double": lambda told, value: value == 0 and told.played == [] and told.says(r"size\(boneyard\)"),
    "spinner": lambda told, value: told.says(rf"spinner == {re.escape(value.replace('-', '|'))}"),
    **dict.fromkeys(
        "open_total pips hand_size boneyard hand_size_after_turn boneyard_left tiles wall_columns face_up wall_left "
        "big small_raw small".split(),
        number,
    ),
}


def set_up(told: Told, given: Case) -> None:
    """The position of the example is that of the case."""
    for letter, hand in given.get("hands", {}).items():
        assert set(tiles(hand)) <= set(told.lying("hand", seat(letter)))
    if "layout" in given:
        assert tiles_of(told.played)[: len(given["layout"])] == [tile(laid["tile"]) for laid in given["layout"]]
    if "ends" in given:
        tips = [s.values[0] for s in told.example.steps if isinstance(s, core.Assign) and s.var == "tip"]
        assert [int(str(e.value)) for e in tips if isinstance(e, core.Lit)] == given["ends"]
    for key, zone in {"boneyard": "boneyard", "hand": "hand", "table": "table", "caught": "caught"}.items():
        if key in given:
            assert told.lying(zone) == tiles(given[key])
    points = given.get("scores") or given.get("totals")
    if points:
        assert before(told) == list(points.values())
    for letter, account in given.get("accounts", {}).items():
        assert before(told)["AB".index(letter)] == account["total"]
    assert told.example.players in (None, len(given.get("players", "AB")), 2)
    assert len(given.get("players", "AB")) < 3 or told.example.players == len(given["players"])
    if "end" in given:
        assert [s.ending for s in told.example.steps if isinstance(s, core.Ended)] == [given["end"]]


def before(told: Told) -> list[object]:
    """The scores that earlier rounds left."""
    scores = [s for s in told.example.steps if isinstance(s, core.Assign) and s.var == "score"]
    return [e.value for s in scores for e in s.values if isinstance(e, core.Lit)]


def answered(told: Told, expect: Case, given: Case) -> None:
    for key, value in expect.items():
        if key == "reading":
            continue
        ok = rounded(told, value, given) if key == "rounded" else ANSWERS[key](told, value)
        assert ok, f"{told.example.name}: {key} {value} is not what the example says: {told.expected}"


def example(spec: str, name: str) -> core.Example:
    found = [e for e in game(spec).examples if e.name == name]
    assert found, f"{spec}.dom has no example {name}"
    return found[0]


def passes(spec: str, e: core.Example) -> None:
    result = run_example(game(spec), e)
    assert result.ok, [f"{c.span}: expected {c.expected}, got {c.got}" for c in result.checks if not c.ok]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_case_is_an_example_of_its_spec(case: Case) -> None:
    e = example(case["spec"], case["id"].replace("-", "_"))
    assert e.source
    answered(Told(e), case["expect"], case["given"])
    if case["kind"] not in ("tile-value", "rounding"):
        set_up(Told(e), case["given"])
    passes(case["spec"], e)


@pytest.mark.parametrize(("case", "reading"), READINGS, ids=lambda part: part.get("example", part.get("id")))
def test_another_reading_is_an_example_under_an_option(case: Case, reading: Case) -> None:
    e = example(case["spec"], reading["example"])
    answered(Told(e), {k: v for k, v in reading.items() if k != "example"}, case["given"])
    set_up(Told(e), case["given"])
    options = game(case["spec"]).options
    assert e.options, "a reading needs an option"
    for name, value in e.options:
        default = options[name].default
        assert isinstance(value, core.Lit)
        assert isinstance(default, core.Lit)
        assert value.value != default.value, f"{name} has its default"
        assert options[name].doc
    passes(case["spec"], e)


def test_uncertain_cases_have_readings() -> None:
    assert [c["id"] for c in CASES if not c["certain"]] == [c["id"] for c in CASES if c.get("alternatives")]
    assert all(
        side in SIDES
        for c in CASES
        for laid in c["given"].get("layout", ())
        for side in [laid["at"]]
        if side != "start"
    )
