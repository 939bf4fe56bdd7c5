"""Small points of the command line: near names, what is refused instead of ignored, counts of one thing, whose fault it is."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from domrules.cli import app
from domrules.grammar.diagnostics import counted


def dom(*args: str | Path, answers: str | None = None) -> Any:
    return CliRunner().invoke(app.build(), [str(arg) for arg in args], input=answers)


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("drow", "draw"),
        ("nines", "house/nines"),
        ("house/nine", "house/nines"),
        ("ninse", "house/nines"),
        ("liine", "line"),
        ("rows", "row"),
        ("blok", "block"),
        ("openspiel_teem", "house/openspiel_team"),
    ],
)
def test_the_nearest_name_is_a_game_that_can_be_played(word: str, meant: str) -> None:
    result = dom("check", word)
    assert result.exit_code == 74
    assert f"did you mean `{meant}`?" in result.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("simulate", "block", "--plot", "a.png"), "write a name that ends in .svg"),
        (("simulate", "block", "--plot", "-"), "write a name that ends in .svg"),
        (("simulate", "block", "--games", "-", "--format", "json"), "write the matches to a file"),
        (("simulate", "block", "--policy", ""), "the name of a bot is missing"),
        (("run", "block", "--bot", "p0="), "the name of a bot is missing"),
        (("simulate", "petkove", "--set", "pairs=yes"), "with 2 players and pairs = true it does not hold"),
        (("run", "block", "--set", "target=50", "--set", "target=9"), "target is set twice, to 50 and to 9"),
        (("simulate", "block", "--set", "target=50", "--set", "target=9"), "target is set twice, to 50 and to 9"),
        (("verify", "block", "--set", "target=50", "--set", "target=9", "S1"), "target is set twice, to 50 and to 9"),
        (("verify", "block", "--confirm", "S1"), "--confirm is about F2 alone"),
        (("verify", "block", "--confirm", "--skip", "f2"), "--confirm is about F2 alone"),
    ],
)
def test_what_would_be_ignored_is_refused(arguments: tuple[str, ...], sentence: str) -> None:
    result = dom(*arguments)
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.replace("│", " ").split())


def test_matches_go_to_the_output_without_the_report() -> None:
    result = dom("simulate", "block", "-n", "3", "--games", "-")
    assert result.exit_code == 0
    assert [line.partition(",")[0] for line in result.stdout.split()] == ["match", "0", "1", "2"]


def test_items_are_known_in_small_letters() -> None:
    listed = dom("verify", "block", "--list", "f2,s1").stdout
    assert listed == dom("verify", "block", "--list", "F2", "S1").stdout
    assert "F2" in listed


def test_nobody_to_be_asked_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "nobody can be asked here" in dom("new", "mine").stderr
    assert not dom("new", "other", "--yes").stderr


@pytest.mark.parametrize(
    ("number", "thing", "told"),
    [(1, "match", "1 match"), (2, "match", "2 matches"), (0, "ply", "0 plies"), (3, "play", "3 plays"), (2, "box", "2 boxes"), (1000, "round", "1,000 rounds")],
)  # fmt: skip
def test_words_are_counted(number: int, thing: str, told: str) -> None:
    assert counted(number, thing) == told


# ---------------------------------------------------------------- functions of one's own


def test_a_function_plays_a_match_as_it_does_in_simulations(tmp_path: Path) -> None:
    own = tmp_path / "own.py"
    own.write_text("def policy(view):\n    return view.legal_moves[0]\n", encoding="utf-8")
    result = dom("run", "block", "--rounds", "1", "--bots", own)
    assert result.exit_code == 0
    first = dom("run", "block", "--rounds", "1", "--bots", "random")
    assert f"p0={own}" in result.stdout
    assert first.stdout != result.stdout


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("def policy():\n    return None\n", "own.py, line 1: it is given one thing, a view)"),
        ("\n\ndef policy(view, more):\n    return None\n", "own.py, line 3: it is given one thing, a view)"),
        ("def policy(view):\n    return view.nothing\n", "own.py, line 2)"),
        ("def inner():\n    pass\n\ndef policy(view):\n    return inner(view)\n", "own.py, line 5)"),
    ],
)
@pytest.mark.parametrize("verb", [("run",), ("simulate", "-n", "1")])
def test_what_fails_in_a_function_is_named_with_its_own_line(
    verb: tuple[str, ...], text: str, sentence: str, tmp_path: Path
) -> None:
    own = tmp_path / "own.py"
    own.write_text(text, encoding="utf-8")
    result = dom(verb[0], "block", *verb[1:], "--bots", own)
    assert result.exit_code == 3
    assert sentence in " ".join(result.stderr.split())
