"""The second opinion is itself checked: its numbers, its layout, and base rates known from elsewhere."""

import re
from itertools import pairwise

import pytest
import simulator
from simulator import Chance, Layout, Name

NAMES: tuple[Name, ...] = ("block", "draw", "fives")


def test_the_random_numbers_are_the_published_ones() -> None:
    assert simulator.splitmix64(0)() == 0xE220A8397B1DCDAF
    chance = Chance(0, 0)
    chance.s0, chance.s1 = 1, 2
    sums = []
    for _ in range(4):
        sums.append((chance.s0 + chance.s1) & simulator.MASK)
        chance.below(1)
    assert sums == [3, 412333834243, 2360170716294286339, 9295852285959843169]


def test_the_digest_takes_negative_scores() -> None:
    chance, other = Chance(0, 0), Chance(0, 0)
    chance.feed(-1)
    other.feed(2**64 - 1)
    assert chance.digest == other.digest == 0x509C41B379FE466E


def lay(*steps: tuple[tuple[int, int], str, int]) -> Layout:
    layout = Layout(cross=True)
    for step in steps:
        layout.lay(*step)
    return layout


def test_equal_ends_are_one_move_on_a_line_and_two_on_a_cross() -> None:
    line = Layout(cross=False)
    line.lay((3, 3), "right", 3)
    assert line.sides() == [("left", 3)]
    assert lay(((3, 3), "right", 3)).sides() == [("left", 3), ("right", 3)]


def test_arms_open_when_both_long_sides_of_the_spinner_are_covered() -> None:
    steps = [((5, 5), "right", 5), ((3, 5), "right", 5), ((0, 5), "left", 5), ((5, 6), "up", 5)]
    layouts = [lay(*steps[: n + 1]) for n in range(4)]
    assert [layout.total() for layout in layouts] == [10, 13, 3, 9]
    assert layouts[1].sides() == [("left", 5), ("right", 3)]
    assert layouts[2].sides() == [("left", 0), ("right", 3), ("up", 5), ("down", 5)]
    assert layouts[3].sides() == [("left", 0), ("right", 3), ("up", 6), ("down", 5)]


def test_a_spinner_laid_later_needs_one_more_tile_and_a_second_double_is_none() -> None:
    steps = [((1, 4), "right", 1), ((4, 4), "right", 4), ((1, 1), "left", 1), ((2, 4), "right", 4)]
    layouts = [lay(*steps[: n + 1]) for n in range(4)]
    assert [layout.total() for layout in layouts] == [5, 9, 10, 4]
    assert [len(layout.sides()) for layout in layouts] == [2, 2, 2, 4]
    assert layouts[3].sides()[2:] == [("up", 4), ("down", 4)]


@pytest.mark.parametrize(
    ("name", "players", "blocked", "plays"),
    [("block", 2, 0.705, 10.3), ("block", 4, 0.269, 22.4), ("draw", 2, 0.201, 18.7)],
)
def test_base_rates(name: Name, players: int, blocked: float, plays: float) -> None:
    n = 3000
    rounds = [simulator.play(name, 7, index, players=players, one_round=True).rounds[0] for index in range(n)]
    assert sum(r.ending == "blocked" for r in rounds) / n == pytest.approx(blocked, abs=0.025)
    assert sum(r.plays for r in rounds) / n == pytest.approx(plays, abs=0.25)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_matches_end_at_the_target_and_are_named_by_seed_and_index(name: Name, players: int) -> None:
    game = simulator.play(name, 1, 5, players=players)
    assert game == simulator.play(name, 1, 5, players=players)
    assert game.digest != simulator.play(name, 1, 6, players=players).digest
    assert max(game.rounds[-1].scores) >= simulator.TARGET[name]
    assert len(game.moves) == sum(r.moves for r in game.rounds)
    pattern = r"(lead|draw)\(\d\|\d\)|play\((left|right|up|down),\d,\d\|\d\)|pass"
    assert all(re.fullmatch(pattern, move) for move in game.moves)


@pytest.mark.parametrize("name", NAMES)
def test_no_tile_is_laid_twice_and_no_score_falls(name: Name) -> None:
    for index in range(50):
        game = simulator.play(name, 2, index, players=2)
        start = 0
        for played in game.rounds:
            moves = game.moves[start : start + played.moves]
            tiles = [move[-4:-1] for move in moves if move.startswith(("lead", "play"))]
            assert len(tiles) == len(set(tiles)) == played.plays
            start += played.moves
        for before, after in pairwise(r.scores for r in game.rounds):
            assert all(a <= b for a, b in zip(before, after, strict=True))
        if name == "fives":
            assert all(score % 5 == 0 for r in game.rounds for score in r.scores)
        else:
            assert all(a.winner in (None, b.leader) for a, b in pairwise(game.rounds))
