"""`dom simulate`: what it prints, in every form, and how it ends."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from tables import TINY
from typer.testing import CliRunner

from domrules.cli import app


def dom(*args: str | Path) -> Any:
    return CliRunner().invoke(app.build(), ["simulate", *map(str, args)])


def test_the_report_has_who_wins_and_how_rounds_end() -> None:
    result = dom("block", "-n", "200", "--seed", "3")
    assert result.exit_code == 0
    assert "block · 2 players · 200 matches · seed 3" in result.stdout
    for word in ("p0 wins", "p1 wins", "to move first", "out", "blocked", "fish", "rounds", "choice", "final scores"):
        assert word in result.stdout
    assert dom("block", "-n", "200", "--seed", "3", "--jobs", "2").stdout == result.stdout
    assert dom("block", "-n", "200", "--seed", "3", "--engine", "python").stdout == result.stdout


def test_several_tables_make_one_table() -> None:
    result = dom("draw", "-n", "50", "--players", "all", "--set", "target=50,100")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[1].split()[:3] == ["players", "target", "matches"]
    assert [tuple(line.split()[:2]) for line in lines[2:]] == [(p, t) for p in "234" for t in ("50", "100")]


def test_data_is_the_same_report() -> None:
    result = dom("petkove", "-n", "30", "--players", "3", "--format", "json")
    (table,) = json.loads(result.stdout)["tables"]
    assert (table["game"], table["players"], table["matches"], table["partial"]) == ("petkove", 3, 30, False)
    assert sum(table["match_rounds"]) == 30
    assert sum(table["endings"].values()) == pytest.approx(1)


def test_every_match_can_be_written_and_played_again(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    assert dom("block", "-n", "20", "--games", path).exit_code == 0
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    assert [row["match"] for row in rows] == [str(i) for i in range(20)]
    again = CliRunner().invoke(app.build(), ["run", "block", "--index", "7"]).stdout
    assert again.count("[Round ") == int(rows[7]["rounds"]) or f"round {rows[7]['rounds']}" in again.lower()


def test_a_variant_against_itself_makes_no_difference() -> None:
    result = dom("block", "-n", "40", "--compare", "block")
    assert result.exit_code == 0
    assert result.stdout.count("+0.0000 ± 0.0000") == 6


def test_a_broken_promise_is_told_with_its_match(tmp_path: Path) -> None:
    path = tmp_path / "tiny.dom"
    path.write_text(
        TINY.replace("lowest(p in players by p.seat)", "highest(p in players by sum(t in hand[p]: pips(t)))"),
        encoding="utf-8",
    )
    result = dom(path, "-n", "1000")
    assert result.exit_code == 1
    assert "match " in result.stderr
    assert "the(...) promises exactly one" in result.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--players", "many"), "a number or `all`"),
        (("--players", "9"), "not 9"),
        (("--set", "target=50,60", "--games", "x.csv"), "one table"),
        (("-n", "0"), "at least 1"),
    ],
)
def test_what_cannot_be_asked(args: tuple[str, ...], said: str) -> None:
    result = dom("block", *args)
    assert result.exit_code == 2
    assert said in result.stderr
