"""The verbs that play, test and show games: what they print and how they end."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tables import shipped
from typer.testing import CliRunner

from domrules.cli import app
from domrules.grammar.load import SHIPPED
from domrules.interpreter.names import Move
from domrules.interpreter.players import RandomPlayer
from domrules.interpreter.replay import replay
from domrules.interpreter.transcript import read
from domrules.interpreter.views import View

BROKEN = "game broken extends block\nrule hand_size = sevn\n"


def dom(*args: str | Path) -> Any:
    return CliRunner().invoke(app.build(), [str(arg) for arg in args])


@pytest.fixture
def file(tmp_path: Path) -> Any:
    def write(text: str) -> Path:
        path = tmp_path / "case.dom"
        path.write_text(text, encoding="utf-8")
        return path

    return write


# ---------------------------------------------------------------- run


def test_run_prints_a_transcript_that_can_be_played_again() -> None:
    result = dom("run", "draw", "--players", "3", "--seed", "5", "--index", "2")
    assert result.exit_code == 0
    transcript = read(result.stdout)
    assert (transcript.game, transcript.players, transcript.tags["Seed"]) == ("draw", 3, "5")
    assert len(replay(shipped("draw", 3), transcript)) == len(transcript.rounds)


def test_run_is_the_same_every_time_and_writes_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "match.txt"
    assert dom("run", "block", "--seed", "1", "-o", path).stdout == ""
    assert path.read_text(encoding="utf-8") == dom("run", SHIPPED / "block.dom", "--seed", "1").stdout


def test_run_sets_options_and_stops_after_so_many_rounds() -> None:
    transcript = read(dom("run", "block", "--set", "target=50", "--set", "tiles_each=4", "--rounds", "1").stdout)
    assert transcript.options == {"tiles_each": "4", "target": "50"}
    assert len(transcript.rounds) == 1
    assert transcript.winners is None


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--players", "9"], "block is for 2 to 4 players, not 9"),
        (["--set", "target=0"], "target is a number from 1 to 1000, not 0"),
        (["--set", "targt=5"], "did you mean `target`?"),
        (["--set", "target"], "not of the form OPTION=VALUE"),
    ],
)
def test_a_setting_that_cannot_be_is_a_usage_error(args: list[str], sentence: str) -> None:
    result = dom("run", "block", *args)
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.replace("│", " ").split())


@pytest.mark.parametrize("verb", ["run", "test", "show"])
def test_a_file_with_mistakes_is_drawn_and_ends_in_3(verb: str, file: Any) -> None:
    result = dom(verb, file(BROKEN))
    assert result.exit_code == 3
    assert "rule hand_size = sevn" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("verb", ["run", "test", "show"])
def test_a_file_that_is_not_there_ends_in_74(verb: str) -> None:
    assert dom(verb, "nowhere.dom").exit_code == 74


def test_a_family_is_not_played() -> None:
    result = dom("run", "line")
    assert result.exit_code == 2
    assert "is a family" in " ".join(result.stderr.replace("│", " ").split())


def test_a_match_that_does_not_end_is_a_finding_and_is_shown(tmp_path: Path) -> None:
    result = dom("run", "draw", "--max-moves", "3")
    assert result.exit_code == 1
    assert result.stderr == "dom: a round has not ended after 3 moves\n"
    transcript = read(result.stdout)
    assert transcript.tags["Unfinished"] == "a round has not ended after 3 moves"
    assert [len(played.plies) for played in transcript.rounds] == [3]
    assert len(replay(shipped("draw", 2), transcript)) == 1
    path = tmp_path / "match.txt"
    assert dom("run", "draw", "--max-moves", "3", "-o", path).exit_code == 1
    assert path.read_text(encoding="utf-8") == result.stdout


FAULTY = """game faulty extends block
instead settle
  when out -> add 1 to score[t0]
  otherwise -> add the(those(p in players where p.seat > 7)).seat to score[t0]
instead over when score[t0] > 99
"""


def test_a_rule_that_fails_leaves_what_was_played(file: Any) -> None:
    result = dom("run", file(FAULTY))
    assert result.exit_code == 1
    transcript = read(result.stdout)
    assert transcript.tags["Unfinished"] == "the(...) promises exactly one, but there is none"
    assert all(played.ending == "out" for played in transcript.rounds[:-1])
    assert transcript.rounds[-1].plies
    assert transcript.rounds[-1].ending is None


def test_an_interrupted_match_leaves_what_was_played(monkeypatch: pytest.MonkeyPatch) -> None:
    choose = RandomPlayer.choose

    def interrupted(self: RandomPlayer, view: View, moves: Sequence[Move]) -> int:
        if len(moves) < 3:
            raise KeyboardInterrupt
        return choose(self, view, moves)

    monkeypatch.setattr(RandomPlayer, "choose", interrupted)
    result = dom("run", "block")
    assert (result.exit_code, result.stderr) == (130, "dom: interrupted.\n")
    assert read(result.stdout).tags["Unfinished"] == "interrupted"


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["run", "block", "--seed", "9" * 20], "is too large; write at most 19 digits."),
        (["run", "block", "--rounds", "9" * 20], "is too large; write at most 19 digits."),
        (["run", "block", "--seed", "x"], "'x' is not a whole number."),
        (["run", "block", "-o", ""], "the name of the file is empty."),
        (["check", ""], "the name of the file is empty."),
    ],
)
def test_a_value_that_cannot_be_read_is_a_usage_error(args: list[str], sentence: str) -> None:
    result = dom(*args)
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.replace("│", " ").split())


# ---------------------------------------------------------------- test

EXAMPLES = """game case extends block
example right "a rule book, page 3"
  played lead(6|6)
  expect tip[left] == 6
example wrong
  before score = 7, 9
  expect score[p1.team] == 8
"""


def test_test_shows_expected_and_got_side_by_side(file: Any) -> None:
    path = file(EXAMPLES)
    result = dom("test", path)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f"{path} · 2 examples",
        " ok   right                    a rule book, page 3",
        " FAIL wrong",
        f"      {path}:7:3",
        "        expected  score[p1.team] == 8",
        "        got       score[p1.team] is 9",
        "2 examples · 1 passed · 1 failed",
    ]


def test_test_runs_the_chosen_examples(file: Any) -> None:
    result = dom("test", file(EXAMPLES), "-k", "righ", "--quiet")
    assert result.exit_code == 0
    assert "right" not in result.stdout
    assert "1 example · 1 passed · 0 failed" in result.stdout


def test_a_run_of_no_examples_is_hollow(file: Any) -> None:
    result = dom("test", file(EXAMPLES), "-k", "left")
    assert result.exit_code == 5
    assert "nothing was tested" in result.stderr


# ---------------------------------------------------------------- show and list


def test_show_tells_where_the_rules_are_from() -> None:
    result = dom("show", "draw")
    assert result.exit_code == 0
    assert "  extends  block, which extends line" in result.stdout
    assert "  draws = until_playable\n      What a player who cannot play takes" in result.stdout
    assert "(draw.dom:5)" in result.stdout
    assert ", default)" in result.stdout
    assert ", inherited)" in result.stdout
    assert "settle when winner is w ->" in result.stdout
    assert "to be filled" not in result.stdout


def test_show_tells_what_a_family_leaves_open() -> None:
    shown = dom("show", "line").stdout
    assert re.search(r"  hand_size: int\n.*\(row\.dom:\d+, to be filled\)", shown)
    assert re.search(r"  reserve: int as reserve = 0\n.*, default\)", shown)
    assert "over" not in re.findall(r"^  (\w+)", shown, re.M)
    assert "(:1" not in shown


def test_show_prints_a_rule_as_it_is_written() -> None:
    result = dom("show", "block", "winner")
    assert result.exit_code == 0
    assert "block.dom:" in result.stdout
    assert "\ndefine winner: player or none\n  when out" in result.stdout


def test_show_names_the_nearest_rule() -> None:
    result = dom("show", "block", "winer")
    assert result.exit_code == 2
    assert "did you mean `winner`?" in " ".join(result.stderr.replace("│", " ").split())


def test_list_names_every_shipped_game_and_option() -> None:
    result = dom("list")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines() if not line.startswith(" ")] == sorted(
        path.relative_to(SHIPPED).with_suffix("").as_posix()
        for pattern in ("*.dom", "house/*.dom")
        for path in SHIPPED.glob(pattern)
    )
    assert "    option  target = 100 of 1..1000  Who has this many points wins the match." in result.stdout
