"""Examples of a file are run as they are meant: tiles where the moves need them, and a clear word where they fail."""

from pathlib import Path

import pytest
from tables import HOUSE, SPECS, game, written

from domrules.interpreter.examples import Check, Result, run_example

BLOCK = "game some_block extends block\n"
WAR = """
game war
seats 2..2
enum pip = 0..1
dominoes in pips 2 of 0|0 0|1  1 of 1|1
zone box             seen by nobody as stock
zone hand per player seen by owner  as hand
zone pile            seen by all    as layout
state mover: player for the round as mover
state score per player: int = 0 for the match as score
deal 1 tiles from box to hand each player
redeal when any p in players: any t in hand[p]: t.low == 0 and t.high == 1
begin set mover to the(lowest(p in players by p.seat))
action lay(choose t in hand[mover]) as play
  do move t from hand[mover] to pile
     set mover to mover.next
action take(chance t in box) as draw
  do move t from box to hand[mover]
ending done as out when any p in players: size(hand[p]) == 0
settle add 1 to score[mover]
over when any p in players: score[p] >= 2
winners highest(g in teams by sum(p in players where p.team == g: score[p]))
"""


@pytest.mark.parametrize("name", [*SPECS, *HOUSE])
def test_the_examples_of_the_shipped_games_hold(name: str) -> None:
    for example in game(name).examples:
        result = run_example(game(name), example)
        assert result.ok, [check for check in result.checks if not check.ok]


@pytest.fixture
def run(tmp_path: Path) -> "Runner":
    return Runner(tmp_path)


class Runner:
    """Runs the one example of a text."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, steps: str, game: str = BLOCK) -> Result:
        (example,) = written(self.folder, f"{game}\nexample e\n{steps}", "case").examples
        return run_example(written(self.folder, f"{game}\nexample e\n{steps}", "case"), example)


def failure(result: Result) -> Check:
    """The only check that failed, the last one."""
    assert not result.ok
    assert all(check.ok for check in result.checks[:-1])
    return result.checks[-1]


GOOD = [
    # A tile lies where a later move needs it, the rest of the deal is filled in order.
    "played lead(6|6), play(left, 6, 6|1) expect 6|6 in layout and size(hand[p1]) == 6 and 0|0 in hand[p0]",
    # Halves in any order; what is drawn was in the stock.
    "dealt hand[p0] = {6|6, 5|5} played lead(5|5) expect 6|6 in hand[p0] and size(hand[p0]) == 6",
    # Nothing is dealt when a position is given; a zone holds what it is given.
    "given hand[p0] = {1|1} given mover = p1 expect hand[p0] == {1|1} and size(hand[p1]) == 0 and size(boneyard) == 27",
    "given hand[p0] = {1|1} rest in layout expect size(layout) == 27",
    # One value for all cells, or one for each.
    "before score = 7 expect score[p0.team] == 7 and score[p1.team] == 7",
    "before score = 7, 8 expect score[p0.team] == 7 and score[p1.team] == 8",
    "before score[p1.team] = 8 expect score[p0.team] == 0 and score[p1.team] == 8",
    # A round that ends is settled at once; the next one is dealt, with what was settled.
    "given hand[p0] = {6|6} given hand[p1] = {1|2} given mover = p0 played lead(6|6)"
    " expect out and score[p0.team] == 3 played lead(0|0) expect score[p0.team] == 3 and mover == p1 and not out",
    "before score = 99, 0 dealt hand[p1] = {6|6} ended blocked expect blocked",
    # In the middle of a round the position may be changed.
    "played lead(6|6) given score[p0.team] = 5 given tip[left] = 3 given hand[p1] = {3|3}"
    " expect score[p0.team] == 5 allows play(left, 3, 3|3)",
    # Players and options.
    "players 4 with target = 9 before score = 9 expect match_over and size(players) == 4",
    "with tiles_each = 3 expect size(hand[p1]) == 3",
    "dealt hand[p1] = {6|5} played lead(6|6) refuses pass allows play(left, 6, 6|5), play(left, 6, 6|0)",
]


@pytest.mark.parametrize("steps", GOOD)
def test_an_example_holds(run: Runner, steps: str) -> None:
    result = run(steps)
    assert result.ok, failure(result)


@pytest.mark.parametrize(
    ("steps", "expected", "got"),
    [
        ("before score = 7, 9 expect score[p0.team] == 8", "score[p0.team] == 8", "score[p0.team] is 7"),
        ("before score = 7, 9 expect score[p0.team] != 7", "score[p0.team] != 7", "score[p0.team] is 7"),
        ("expect mover == p0 and hand[p0] == {6|6}", "mover == p0 and hand[p0] == {6|6}", "hand[p0] is {0|0, 0|1"),
        ("expect not match_over and drawable", "not match_over and drawable", "drawable is false"),
        ("expect not can_play(p0) and not new_deal and drawable", "", "drawable is false"),
        ("expect the(last_mover) == p0", "the(last_mover) == p0", "promises exactly one"),
        ("played lead(6|6) allows pass", "legal: pass", "legal: "),
        (
            "played lead(6|6), play(left, 6, 6|5) refuses pass, play(left, 5, 0|5)",
            "not legal: pass",
            "legal: play(left,5,0|5)",
        ),
        ("played lead(6|6), lead(5|5) expect mover == p0", "lead(5|5) is legal", "legal: "),
        (
            "dealt hand[p1] = {6|6} played lead(6|6) expect true",
            "lead(6|6): 6|6 lies in hand[p0]",
            "6|6 lies in hand[p1]",
        ),
        (
            "dealt hand[p0] = {6|6} dealt hand[p1] = {6|6} expect true",
            "a position that can be",
            "6|6 lies in two places",
        ),
        ("dealt hand[p0] = {9|9} expect true", "a position that can be", "9|9"),
        ("dealt layout = {6|6} expect true", "a position that can be", "layout is dealt 0 tiles"),
        ("rest in boneyard dealt hand[p0] = {6|6} expect true", "a position that can be", "fewer tiles"),
        ("before score = 1, 2, 3 expect true", "a position that can be", "score has 2 values here, not 3"),
        ("players 5 expect true", "a position that can be", "for 2 to 4 players"),
        (
            "given hand[p0] = {6|6} allows lead(6|6)",
            "a position that can be",
            "mover is looked at before it has a value: a position needs `given mover = …`",
        ),
        ("ended out played lead(6|6), lead(6|6) expect true", "lead(6|6): 6|6 lies in hand[p1]", "6|6 lies in layout"),
    ],
)
def test_an_example_fails_with_a_clear_word(run: Runner, steps: str, expected: str, got: str) -> None:
    check = failure(run(steps))
    assert expected in check.expected
    assert got in check.got


def test_a_move_after_the_end_of_the_round_cannot_be_made(run: Runner) -> None:
    start = "given hand[p0] = {6|6} given hand[p1] = {1|2} given mover = p0 "
    check = failure(run(start + "played lead(6|6), play(left, 6, 6|5) expect true"))
    assert check.got == "the round is over"


@pytest.mark.parametrize(
    "steps",
    [
        # Of a tile there twice the next free copy is taken, and any copy is the move.
        "dealt hand[p0] = {0|0} dealt hand[p1] = {0|0} expect size(box) == 3",
        "dealt hand[p0] = {0|0} dealt hand[p1] = {0|0} allows lay(0|0), take(0|1), take(1|1)",
        "dealt hand[p1] = {0|0} played lay(0|0) expect done and score[p1] == 1",
        # A move of chance by name, with or without its outcome.
        "played take(1|1) expect 1|1 in hand[p0] and size(hand[p0]) == 2",
        # A deal that would be mixed again is filled another way.
        "dealt hand[p0] = {0|0} dealt box = {0|0} expect 1|1 in hand[p1]",
    ],
)
def test_examples_of_a_game_with_copies_and_new_deals(run: Runner, steps: str) -> None:
    result = run(steps, WAR)
    assert result.ok, failure(result)


# ---------------------------------------------------------------- copies

TWICE = """
game twice extends block
instead dominoes in pips each a, b where a.position <= b.position  1 of 0|1
"""
COPIES = [
    "dealt hand[p0] = {0|1*1, 1|1} allows lead(1|0*1), lead(1|1) refuses lead(0|1*2)",
    "dealt hand[p0] = {0|1, 1|1} dealt hand[p1] = {0|1*1, 1|2} expect 0|1*1 in hand[p1] and 0|1*2 in hand[p0]",
    "dealt hand[p0] = {0|1, 0|1*1} expect 0|1*1 in hand[p0] and 0|1*2 in hand[p0]",
    "given hand[p0] = {1|0*1} given layout = {0|1*2} given mover = p0 expect 0|1*1 in hand[p0]",
    "given mover = p0 given last_tile = 0|1*1 given hand[p0] = {0|1*2} rest in layout expect 0|1*1 in layout",
    "dealt hand[p0] = {0|1, 1|1} played lead(0|1*1) expect 0|1*1 in layout",
    "dealt hand[p0] = {0|1*2, 1|1} played lead(1|0) expect 0|1*2 in layout",
]


@pytest.mark.parametrize("steps", COPIES)
def test_a_tile_is_named_with_its_copy_wherever_it_is_written(run: Runner, steps: str) -> None:
    result = run(f"with tiles_each = 2 {steps}", TWICE)
    assert result.ok, result.checks


def test_a_copy_lies_in_one_place(run: Runner) -> None:
    steps = "dealt hand[p0] = {0|1*1} dealt hand[p1] = {1|0*1} expect moves == 0"
    assert failure(run(steps, TWICE)).got == "1|0*1 lies in two places"
