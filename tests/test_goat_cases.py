"""From the rule questions about the goat games to positions: each is set up, played or settled, and answered.

Nothing is read out of the specs but names: the facts stand in `data/koza_cases.json`. Every question is an example of its
spec, too, and where the source leaves the answer open each reading comes out under the option that the case names.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tables import game

from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.interpreter.chance import Chance
from domrules.interpreter.examples import run_example
from domrules.interpreter.names import Move, element, move_name
from domrules.interpreter.play import play_match
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import elements

Case = dict[str, Any]
CASES: list[Case] = json.loads((Path(__file__).parent / "data" / "koza_cases.json").read_text("utf-8"))
SEATS = "ABCD"
ASKED = [(case, case.get("with", {}), case["expect"]) for case in CASES] + [
    (case, case.get("with", {}) | other["with"], case["expect"] | other["expect"])
    for case in CASES
    for other in case.get("alternatives", ())
]
"""A case, the options it is asked under, and the answer."""


class Board:
    """A position of a game that is built cell by cell, and asked."""

    def __init__(self, spec: str, players: int, options: Mapping[str, object]) -> None:
        self.rules = Rules(instantiate(game(spec), players, options))
        self.players, self.all = players, self.rules.instance.sorts["tile"].full
        self.state = self.rules.new_round(self.rules.new_match())

    def put(self, var: str, value: core.Value, index: int | None = None) -> None:
        self.state = self.rules.layout.put(self.state, {(var, index): value})

    def ask(self, fn: str, *args: tuple[str, int]) -> Any:
        define = self.rules.instance.fns[fn]
        given = tuple(core.Lit(i, core.Elem(sort)) for sort, i in args)
        return self.rules.question(core.Call(fn, given, define.type))(self.state)

    def cell(self, var: str, index: int | None = None) -> Any:
        return self.rules.layout.get(self.state, var, index)

    def team(self, letter: str) -> int:
        """The team of a player, or of a pair that is named by its players."""
        (_, teams) = self.rules.instance.sorts["player"].attrs["team"]
        found = teams[SEATS.index(letter[0])]
        assert isinstance(found, int)
        return found

    def mask(self, tiles: list[str]) -> int:
        found = [element(self.rules.instance, "tile", t.replace("-", "|")) for t in tiles]
        assert None not in found
        return sum(1 << i for i in found if i is not None)

    def names(self, mask: int) -> list[str]:
        """Tiles as cases write them, the higher half first."""
        return ["-".join(reversed(self.rules.instance.sorts["tile"].names[i].split("|"))) for i in elements(mask)]

    def lay_out(
        self, zones: Mapping[tuple[str, int | None], int], rest: str = "layout", index: int | None = None
    ) -> None:
        """Tiles in these zones, all others in `rest`."""
        left = self.all & ~sum(zones.values())
        for var in ("boneyard", "layout"):
            self.put(var, zones.get((var, None), 0))
        for p in range(self.players):
            self.put("hand", zones.get(("hand", p), 0), p)
        self.put(rest, self.cell(rest, index) | left, index)

    def moves(self) -> dict[str, Move]:
        return {str(move_name(self.rules.instance, m)): m for m in self.rules.legal_moves(self.state)}

    def laid(self) -> dict[str, Move]:
        """The legal moves by the tile they lay."""
        found = {n: m for n, m in self.moves().items() if "|" in n}
        return {
            self.names(self.mask([n.rstrip(")").rpartition(",")[2].rpartition("(")[2]]))[0]: m for n, m in found.items()
        }

    def make(self, move: Move, outcome: tuple[int, ...] = ()) -> None:
        self.state = self.rules.act(self.state, move, outcome)

    def end(self, ending: str) -> None:
        names = [e.name for e in self.rules.instance.endings]
        self.state = self.rules.settle(self.rules.ended(self.state, names.index(ending)))


def hands(board: Board, given: Case) -> dict[tuple[str, int | None], int]:
    """The hands that are told, or some with as many pips as are told."""
    if "hands" in given:
        return {("hand", SEATS.index(who)): board.mask(tiles) for who, tiles in given["hands"].items()}
    found: dict[tuple[str, int | None], int] = {}
    free = [t for t in board.names(board.all) if t != "0-0"]
    for who, points in given["round_points"].items():
        chosen = worth(free, points)
        free = [t for t in free if t not in chosen]
        found["hand", SEATS.index(who)] = board.mask(chosen)
    return found


def pips(tile: str) -> int:
    return sum(map(int, tile.split("-")))


def worth(free: list[str], points: int) -> list[str]:
    """One or two free tiles with so many pips."""
    one = [[a] for a in free if pips(a) == points]
    two = [[a, b] for a in free for b in free if a < b and pips(a) + pips(b) == points]
    return [] if not points else (one + two)[0]


# ---------------------------------------------------------------- what is asked, kind by kind


def starter(board: Board, given: Case, expect: Case) -> None:
    if "hands" in given:
        board.lay_out(hands(board, given), rest="boneyard")
        assert not board.rules.wants_redeal(board.state)
        board.state = board.rules.begin(board.state)
        lots = [m for n, m in board.moves().items() if n == "draw_lot"]
        if lots:
            wanted = board.mask([expect["opening_tile"]]).bit_length() - 1
            assert (wanted,) in board.rules.outcomes(board.state, lots[0])
            board.make(lots[0], (wanted,))
        assert board.rules.mover(board.state) == SEATS.index(expect["starter"])
        assert list(board.laid()) == [expect["opening_tile"]]
        assert len(board.moves()) == 1
        return
    last = given["previous_round"]
    lightest = SEATS.index(last.get("lightest", last.get("winner", "A")))
    tiles = [board.mask([t]) for t in ("6-6", "5-5", "6-5", "4-4")]
    tiles[lightest] = board.mask(["1-0"]) if last["end"] != "out" else 0
    board.lay_out({("hand", p): tiles[p] for p in range(board.players)})
    by = last.get("winner") or last.get("blocked_by") or last["fish_by"]
    board.put("last_mover", SEATS.index(by))
    board.end("out" if last["end"] == "out" else "blocked")
    assert board.ask("leader") == SEATS.index(expect["starter"])


def redeal(board: Board, given: Case, expect: Case) -> None:
    for p in range(board.players):
        board.lay_out({("hand", p): board.mask(given["hand"])}, rest="boneyard")
        assert board.rules.wants_redeal(board.state) is expect["redeal"]


def deal(board: Board, given: Case, expect: Case) -> None:
    board.state = play_match(board.rules, Chance.named(1, 0), stop=1).rounds[0].dealt
    assert {board.cell("hand", p).bit_count() for p in range(board.players)} == {expect["hand_size"]}
    left = board.cell("boneyard").bit_count()
    assert left == expect["boneyard"]
    assert left - board.ask("reserve") == expect.get("drawable", left)


def in_play(board: Board, given: Case) -> None:
    """The mover's hand and the ends; everybody else holds a tile that fits, so that it is no fish."""
    told = hands(board, given) | {("boneyard", None): board.mask(given.get("boneyard", []))}
    ends, taken = given["ends"], sum(told.values())
    for p in range(board.players):
        if ("hand", p) not in told:
            fitting = [t for t in board.names(board.all & ~taken) if set(map(int, t.split("-"))) & set(ends)]
            told["hand", p] = board.mask(fitting[:1])
            taken |= told["hand", p]
    board.lay_out(told)
    board.put("mover", SEATS.index(given["to_move"]))
    for side, end in zip((0, 1), ends, strict=True):
        board.put("tip", end, side)


def draw(board: Board, given: Case, expect: Case) -> None:
    in_play(board, given)
    me, drawn = SEATS.index(given["to_move"]), 0
    while "draw" in board.moves():
        tile = board.mask([given["boneyard"][drawn]])
        board.make(board.moves()["draw"], (tile.bit_length() - 1,))
        drawn += 1
    assert drawn == expect["drawn"]
    assert sorted(board.laid()) == sorted(expect["may_play"])
    assert ("pass" in board.moves()) is expect["passes"]
    assert board.cell("boneyard").bit_count() == expect.get("boneyard_left", board.cell("boneyard").bit_count())
    board.make(next(iter(board.moves().values())))
    assert board.cell("hand", me).bit_count() == expect.get("hand_size_after_turn", board.cell("hand", me).bit_count())


def legal_moves(board: Board, given: Case, expect: Case) -> None:
    if "ends" in given:
        in_play(board, given)
    else:
        told, me = hands(board, given), SEATS.index(given["to_move"])
        free = board.names(board.all & ~sum(told.values()))
        for p in range(board.players):  # dealt one by one, so that nobody has six of a number
            told.setdefault(("hand", p), board.mask(free[p :: board.players][:7]))
        board.lay_out(told, rest="boneyard")
        if given["round"] > 1:
            board.put("starter", me)
        board.state = board.rules.begin(board.state)
        assert board.rules.mover(board.state) == me
    if "legal_tiles" in expect:
        assert sorted(board.laid()) == sorted(expect["legal_tiles"])
    assert ("pass" in board.moves()) is expect.get("may_pass", False)
    if "legal_turns" in expect:
        assert sorted([t] for t in board.laid()) == sorted(expect["legal_turns"])
        start = board.state
        for move in board.laid().values():
            board.state = board.rules.act(start, move)
            assert board.rules.mover(board.state) == (SEATS.index(given["to_move"]) + 1) % board.players


def settled(board: Board, given: Case, expect: Case) -> None:
    """A round ends, and is counted."""
    event = given.get("event", {})
    for who, account in (given.get("accounts") or given.get("accounts_before") or {}).items():
        points = account.get("total", account.get("points"))
        board.put("open", account["open"], board.team(who))
        board.put("score" if account["open"] else "remembered", points, board.team(who))
    if "carried_in" in given:
        board.put("carried", given["carried_in"])
    if "first_recorder" in given:
        board.put("recorder", board.team(given["first_recorder"]))
        board.put("challenger", SEATS.index(given["first_recorder"]))
    board.lay_out(
        hands(board, given) if "hands" in given or "round_points" in given else {("hand", 1): board.mask(["4-1"])}
    )
    winner = given.get("out") or given.get("winner") or event.get("winner") or event.get("round_winner") or "A"
    board.put("last_mover", SEATS.index(winner))
    if "last_tile" in event:
        board.put("last_tile", board.mask([event["last_tile"]]).bit_length() - 1)
    board.end("blocked" if given.get("end") in ("fish", "blocked") else "out")
    for key, value in expect.items():
        counted(board, given, key, value)


def counted(board: Board, given: Case, key: str, value: Any) -> None:
    """One answer about a round that was settled."""
    account = board.rules.layout.get
    alone = [*(given.get("accounts") or "B")][-1]
    each: dict[str, Any] = value if isinstance(value, dict) else {alone: value}
    match key:
        case "round_points":
            assert all(board.ask("charged", ("team", board.team(w))) == v for w, v in each.items())
        case "open":
            assert all(account(board.state, "open", board.team(w)) == v for w, v in each.items())
        case "total" | "points_after" | "recorded":
            assert all(account(board.state, "score", board.team(w)) == v for w, v in each.items())
        case "points":
            assert all(board.ask("points", ("player", SEATS.index(w))) == v for w, v in each.items())
        case "points_left" | "pips":
            assert all(board.ask("held", ("team", board.team(w))) == v for w, v in each.items())
        case "accounts_after":
            for w, after in each.items():
                team = board.team(w)
                assert account(board.state, "open", team) is after["open"]
                score, waiting = (account(board.state, s, team) for s in ("score", "remembered"))
                assert (score, waiting) == ((after["points"], 0) if after["open"] else (0, after["points"]))
        case "carry_out":
            assert board.cell("carried") == value
        case "carry_to_loser_of_next_round":
            assert board.cell("eggs") == value
        case "match_over":
            assert board.rules.over(board.state) is value
        case "bald_goat":
            assert (board.cell("last_tile") == 0) is value
        case "winner":
            team = board.team(str(value))
            assert board.ask("won", ("team", team))
            if given.get("event") and board.rules.over(board.state):
                assert board.rules.winners(board.state) == 1 << team
        case "loser" | "losers":
            losers = {board.team(w) for w in value or ()}
            assert {t for t in range(board.players) if board.ask("goat", ("team", t))} == losers
        case "scope":
            assert board.rules.over(board.state) is (value == "match")
        case _:
            pytest.fail(f"nobody answers {key}")


def fish(board: Board, given: Case, expect: Case) -> None:
    """The last tile of a chain goes down."""
    if "chain" not in given:
        settled(board, given, expect)
        return
    chain = board.mask(given["chain"])
    last = given["chain"][-1]
    told = {("hand", 0): board.mask([last]), ("layout", None): chain & ~board.mask([last])}
    if "never_drawn" in given:
        told["boneyard", None] = board.mask(given["never_drawn"])
    elif given["where_2-2"] == "in the bazaar":
        told["boneyard", None] = board.mask(["2-2"])
    free = board.names(board.all & ~sum(told.values()))
    told["hand", 0] |= board.mask(free[:1])
    for p in range(1, board.players):
        told["hand", p] = board.mask(free[p :: board.players])
    board.lay_out(told, rest="hand", index=1)
    board.put("mover", 0)
    board.put("tip", int(given["chain"][0].split("-")[0]), 0)
    board.put("tip", int(last.split("-")[0]), 1)
    board.make(next(m for n, m in board.moves().items() if n.startswith("play(right")))
    ending = board.rules.ending(board.state)
    assert (ending is not None and board.rules.instance.endings[ending].role == "fish") is expect["fish"]
    assert [board.cell("tip", 0), board.cell("tip", 1)] == expect["open_ends"]


def rating(board: Board, given: Case, expect: Case) -> None:
    for who, points in given["match_points"].items():
        board.put("score", points, board.team(who))
    if "left" in given:
        events = board.rules.possible_events(board.rules.layout.put(board.state, {("mover", None): 0}))
        board.make(events[SEATS.index(given["left"])])
        board.state = board.rules.settle(board.state)
        assert board.rules.over(board.state)
    for who, gain in expect["rating_gain"].items():
        assert board.ask("rating", ("player", SEATS.index(who))) == gain


KINDS = {
    "starter": starter,
    "redeal": redeal,
    "deal": deal,
    "draw": draw,
    "legal-moves": legal_moves,
    "fish": fish,
    "rating": rating,
    **dict.fromkeys(("round-score", "carry", "match-end", "tile-value"), settled),
}


@pytest.mark.parametrize(("case", "options", "expect"), ASKED, ids=lambda part: part.get("id", ""))
def test_a_case_is_answered(case: Case, options: Mapping[str, object], expect: Case) -> None:
    given = case["given"]
    board = Board(case["spec"], max(2, len(given["players"])), options)
    KINDS[case["kind"]](board, given, expect)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_case_is_an_example_of_its_spec(case: Case) -> None:
    examples = {e.name: e for e in game(case["spec"]).examples}
    asked = [(case["id"].replace("-", "_"), case.get("with", {}))]
    asked += [(r["example"], case.get("with", {}) | r["with"]) for r in case.get("alternatives", ())]
    for name, options in asked:
        assert examples[name].source
        assert {n for n, _ in examples[name].options} == set(options)
        assert run_example(game(case["spec"]), examples[name]).ok


def test_every_reading_has_an_option_that_is_not_the_default() -> None:
    assert {c["id"] for c in CASES if not c["certain"]} <= {c["id"] for c in CASES if c.get("alternatives")}
    for case in CASES:
        for reading in case.get("alternatives", ()):
            usual = instantiate(game(case["spec"]), 2 if case["spec"] == "morska_koza" else 3).options
            chosen = instantiate(game(case["spec"]), 2 if case["spec"] == "morska_koza" else 3, reading["with"]).options
            assert all(usual[name] != chosen[name] for name in reading["with"])
