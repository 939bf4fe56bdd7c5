"""A file or request that is wrong gets the same answer from every verb, before anything is played or asked."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from domrules.cli import app

GAME = """game small extends line
title en "Small"
seats {seats}
rule top = 2
rule hand_size = {hand}
rule draws = nothing
rule leader = first_seat
settle
  when out and last_mover is w -> add against(w.team) to score[w.team]
  otherwise                    -> nothing
over when any g in teams: score[g] >= 6
winners highest(g in teams by score[g])
"""
WRONG = {
    "DOM433": "define odd_one: bool = 5|5 in hand[p1]",
    "DOM438": 'option n: int 1..9 = 2 requires n * size(players) <= 6 and n > 20 "n"',
    "DOM431": "claim c: never 0|0 in hand[p1] and p7 == p0",
    "DOM442": "claim c: for all n: n > 0 and laid == 2",
    "DOM437": "example e players 4 expect laid == 0",
}


def dom(*args: str | Path) -> Any:
    return CliRunner().invoke(app.build(), [str(arg) for arg in args])


@pytest.fixture
def file(tmp_path: Path) -> Any:
    def write(more: str = "", seats: str = "2", hand: str = "2") -> Path:
        path = tmp_path / "small.dom"
        path.write_text(f"{GAME.format(seats=seats, hand=hand)}{more}\n", encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize("verb", ["check", "test", "run", "verify"])
@pytest.mark.parametrize("code", WRONG)
def test_a_mistake_of_the_file_is_told_by_every_verb(verb: str, code: str, file: Any) -> None:
    result = dom(verb, file(WRONG[code]))
    assert result.exit_code == 3
    assert f"error[{code}]" in (result.stdout if verb == "check" else result.stderr)
    assert "D2" not in result.stdout


def test_only_what_is_wrong_with_the_deal_is_a_finding_of_d2(file: Any) -> None:
    path = file(seats="2..4")
    assert dom("check", path).exit_code == 3
    result = dom("verify", path, "D2")
    assert result.exit_code == 1
    assert "REFUTED" in result.stdout
    assert "8 tiles are dealt, but `boneyard` holds 6" in result.stdout
    result = dom("verify", file(WRONG["DOM431"], seats="2..4"), "D2")
    assert (result.exit_code, result.stdout) == (3, "")


@pytest.mark.parametrize(
    "args", [["--players", "9"], ["--players", "0"], ["--players", "-1"], ["--set", "absent=1"], ["--set", "n=7"]]
)
@pytest.mark.parametrize("verb", ["run", "verify"])
def test_a_request_that_cannot_be_is_refused_at_once(verb: str, args: list[str], file: Any) -> None:
    result = dom(verb, file('option n: int 1..3 = 2 "n"'), *args)
    assert result.exit_code == 2
    assert "D2" not in result.stdout


@pytest.mark.parametrize("verb", ["check", "test", "run", "show", "verify", "simulate", "play", "score", "replay"])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("blok", "blok: no such file or directory; did you mean `block`?"),
        ("mine", "mine: no such file or directory; did you mean `mine.dom`?"),
        ("mime.dom", "mime.dom: no such file or directory; did you mean `mine.dom`?"),
        ("house/nine", "house/nine: no such file or directory; did you mean `house/nines`?"),
        ("qqq", "qqq: no such file or directory; `dom list` lists the games that are here."),
        ("qqq.dom", "qqq.dom: no such file or directory."),
    ],
)
def test_a_file_that_is_not_there_is_told_with_the_nearest(
    verb: str, name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.dom").touch()
    result = dom(verb, name, *(["a.log"] if verb == "replay" else []))
    assert (result.exit_code, result.stderr) == (74, f"dom: {said}\n")
