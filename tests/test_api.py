"""The Python API: states that do not change, views that hide, errors that name the choices, and an import that costs nothing."""

import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tables import SPECS, game

import domrules
from domrules.interpreter.chance import Chance


def play(state: domrules.State, seed: int, rounds: int = 2) -> domrules.State:
    """Random moves, until so many rounds are over."""
    chance = Chance.named(seed, 1)
    while not (state.over or (state.ending and state.round == rounds)):
        moves = state.legal_moves()
        state = state.next_round() if state.ending else state.apply(moves[chance.below(len(moves))])
    return state


@pytest.mark.parametrize("name", SPECS)
def test_every_game_is_played_written_and_replayed(name: str) -> None:
    rules = domrules.load(name)
    state = play(rules.new(seed=5), 5)
    again = domrules.replay(rules, state.transcript())
    assert again.rounds[-1].scores == state.scores
    assert again.rounds[-1].ending == state.ending
    assert again.winners == state.winners
    ElementTree.fromstring(state._repr_svg_())
    assert "<rect" in state._repr_svg_() or not state.board()


def test_import_is_instant() -> None:
    code = "import sys, domrules; print(sorted(m for m in sys.modules if m.startswith(('domrules.', 'lark', 'z3', 'typer'))))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_playing_needs_no_command_line_and_no_solver() -> None:
    code = "import sys, domrules; domrules.load('block').new()._repr_svg_(); print({'typer', 'rich', 'z3'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


def test_all_names_are_there() -> None:
    for name in dir(domrules):
        assert getattr(domrules, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        domrules.lode  # noqa: B018


def test_a_state_does_not_change() -> None:
    state = domrules.load("draw").new(seed=3)
    before = state.cells
    one, other = state.apply(state.legal_moves()[0]), state.apply(str(state.legal_moves()[-1]))
    assert state.cells == before
    assert one.cells != other.cells
    assert one.cells == state.apply(state.legal_moves()[0]).cells


def test_the_same_seed_is_the_same_match() -> None:
    rules = domrules.load("draw")
    assert play(rules.new(seed=4), 1).transcript() == play(rules.new(seed=4), 1).transcript()
    assert rules.new(seed=4).cells != rules.new(seed=5).cells


def test_fate_may_be_chosen() -> None:
    state = domrules.load("draw").new(seed=0)
    while not any(move.action == "draw" for move in state.legal_moves()):
        state = state.apply(state.legal_moves()[0]) if not state.ending else state.next_round()
    boneyard = state.cells["boneyard"]
    assert isinstance(boneyard, tuple)
    mover = state.mover
    assert boneyard[-1] in state.apply(f"draw({boneyard[-1]})").cells[f"hand[{mover}]"]  # type: ignore[operator]
    with pytest.raises(domrules.MoveError, match="cannot come about") as caught:
        state.apply(f"draw({state.cells['hand[p0]'][0]})")  # type: ignore[index]
    assert caught.value.choices == tuple(f"draw({tile})" for tile in boneyard)


def test_a_view_hides_the_other_hands() -> None:
    state = domrules.load("block").new(players=3, seed=1)
    view = state.view(1)
    assert view.player == "p1"
    assert view.cells["hand[p1]"] == state.cells["hand[p1]"]
    assert view.cells["hand[p0]"] == view.cells["hand[p2]"] == domrules.Hidden(7)
    assert view.cells["boneyard"] == domrules.Hidden(7)
    assert view.legal_moves == ()
    assert state.view("p0").legal_moves == state.legal_moves()
    assert "hand[p0]: 7 hidden" in str(view)
    others = state.cells["hand[p0]"]
    assert isinstance(others, tuple)
    assert not any(tile in str(view) for tile in others)


@pytest.mark.parametrize(
    ("wrong", "choices"),
    [
        ({"players": 9}, ("2", "3", "4")),
        ({"target": 0}, ("1..1000",)),
        ({"targt": 3}, ("tiles_each", "target")),
    ],
)
def test_settings_name_the_choices(wrong: dict[str, Any], choices: tuple[str, ...]) -> None:
    with pytest.raises(domrules.SettingError) as caught:
        domrules.load("block").new(**wrong)
    assert caught.value.choices == choices


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"players": "2"}, "players is a whole number, not '2'"),
        ({"players": 2.0}, "players is a whole number, not 2.0"),
        ({"seed": "x"}, "seed is a whole number, not 'x'"),
        ({"target": None}, "target is a number from 1 to 1000, not None"),
        ({"target": [3]}, "target is a number from 1 to 1000, not"),
    ],
)
def test_a_setting_of_another_type_is_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(domrules.SettingError) as caught:
        domrules.load("block").new(**wrong)
    assert said in str(caught.value)
    assert ("players" not in wrong) or caught.value.choices == ("2", "3", "4")
    with pytest.raises(domrules.SettingError):
        domrules.score(domrules.load("block"), "round 1\n", players="2")  # type: ignore[arg-type]


def test_a_choice_of_names_is_named() -> None:
    with pytest.raises(domrules.SettingError) as caught:
        domrules.load("koza_online").new(fish_for="two")
    assert caught.value.choices == ("everyone", "one")


def test_moves_name_the_choices_and_the_rules() -> None:
    state = domrules.load("block").new(seed=1)
    for wrong in ("pass", "lead(6|6)", "lead(9|9)", "jump", "lead(", domrules.Move("pass")):
        with pytest.raises(domrules.MoveError) as caught:
            state.apply(wrong)
        assert caught.value.choices == tuple(map(str, state.legal_moves()))
    assert "row.dom:" in state.why_not("pass")[1]
    assert state.why_not(state.legal_moves()[0]) == []


def test_who_is_not_there_and_what_is_over() -> None:
    state = domrules.load("block").new(seed=1)
    for player in ("p5", 5, -1):
        with pytest.raises(domrules.PlayerError) as caught:
            state.view(player)
        assert caught.value.choices == ("p0", "p1")
    with pytest.raises(domrules.OverError):
        state.next_round()
    ended = play(state, 2, rounds=1)
    with pytest.raises(domrules.OverError):
        ended.apply("pass")
    assert ended.mover is None
    assert ended.round == 1
    assert ended.legal_moves() == ()


def test_a_wrong_file_says_everything(tmp_path: Path) -> None:
    path = tmp_path / "bad.dom"
    path.write_text("game bad extends block\nrule hand_size = sevn\n", encoding="utf-8")
    with pytest.raises(domrules.GameError, match="rule hand_size = sevn") as caught:
        domrules.load(path)
    assert caught.value.codes == ("DOM201",) or caught.value.codes
    with pytest.raises(domrules.GameError, match="is a family"):
        domrules.load("line").new()
    with pytest.raises(OSError, match="did you mean `block`"):
        domrules.load("blok")
    with pytest.raises(OSError, match="nowhere"):
        domrules.load("nowhere.dom")


def test_transcripts_and_hands_are_judged() -> None:
    rules = domrules.load("block")
    text = play(rules.new(seed=2), 2).transcript()
    line = next(line for line in text.splitlines() if line.startswith("p0:lead("))
    with pytest.raises(domrules.TranscriptError) as caught:
        domrules.replay(rules, text.replace(line.split()[1], "p1:pass", 1))
    assert (caught.value.round, caught.value.ply) == (1, 2)
    with pytest.raises(domrules.TranscriptError):
        domrules.replay(domrules.load("draw"), text)
    sheet = domrules.score(rules, "round 1\nended out by p0\np1: 66 12\n", target=15)
    assert (sheet.standing["score[t0]"], sheet.over, sheet.winners) == (15, True, ("t0",))
    with pytest.raises(domrules.HandsError) as missing:
        domrules.score(rules, "round 1\n")
    assert (missing.value.missing, missing.value.choices) == ("ended", ("out", "blocked"))
    with pytest.raises(domrules.HandsError, match=r"8\|8 is no tile"):
        domrules.score(rules, "round 1\nended out by p0\np1: 8|8\n")
    with pytest.raises(domrules.SettingError):
        domrules.score(rules, "players 9\n")


def test_options_are_told() -> None:
    options = domrules.load("koza_online").options
    assert options["fish_for"].choices == ("everyone", "one")
    assert (options["target"].low, options["target"].high) == (20, 1000)
    assert list(options) == [option.name for option in game("koza_online").options.values()]
