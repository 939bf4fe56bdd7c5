"""`dom simulate`: what it prints, in every form, and how it ends."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tables import TINY
from typer.testing import CliRunner

from domrules.cli import app, plots, progress, simulate
from domrules.compiler import watching
from domrules.compiler.engine import Trap, WasmEngine
from domrules.interpreter.coverage import Coverage


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
    assert "block against itself · 2 players · 40 matches · seed 0" in result.stdout


def test_a_comparison_says_what_is_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("variant.dom").write_text("game a_longer_name_than_usual extends block\nrule reserve = 2\n", encoding="utf-8")
    args = ("block", "-n", "30", "--seed", "4", "--players", "3", "--set", "target=60", "--compare", "variant.dom")
    result = dom(*args, "--policy", "greedy", "--jobs", "2")
    lines = result.stdout.splitlines()
    assert lines[0] == "block against a_longer_name_than_usual · 3 players · 30 matches · seed 4"
    assert lines[1].startswith(" block                   ")
    assert lines[1].endswith("block.dom, tiles_each = 7, target = 60")
    assert lines[2] == " a_longer_name_than_usual  variant.dom, tiles_each = 7, target = 60"
    assert lines[3:5] == [" p0 greedy · p1 greedy · p2 greedy", ""]
    assert lines[5].split()[:4] == ["same", "chance", "block", "a_longer_name_than_usual"]
    assert len({line.index("±") for line in lines[6:]}) == 1
    assert dom(*args, "--policy", "greedy", "--jobs", "1", "--engine", "python").stdout == result.stdout


def test_one_match_has_no_bounds_of_a_difference() -> None:
    result = dom("block", "-n", "1", "--compare", "draw")
    assert "±" not in result.stdout
    assert "1 match · seed 0" in result.stdout
    assert result.stdout.endswith("one match: how far the next may be from it cannot be estimated\n")
    data = json.loads(dom("block", "-n", "1", "--compare", "draw", "--format", "json").stdout)
    assert {one["within"] for one in data["differences"]} == {None}


def test_a_comparison_names_the_file_whose_match_was_stopped(tmp_path: Path) -> None:
    path = broken(tmp_path)
    result = dom("block", "--players", "2", "-n", "100", "--compare", path)
    assert result.exit_code == 1
    assert f" of seed 0 of {path} was stopped: " in result.stderr


def broken(folder: Path) -> Path:
    """A game that breaks a promise now and then."""
    path = folder / "tiny.dom"
    path.write_text(
        TINY.replace("lowest(p in players by p.seat)", "highest(p in players by sum(t in hand[p]: pips(t)))"),
        encoding="utf-8",
    )
    return path


def test_a_broken_promise_is_told_with_its_match(tmp_path: Path) -> None:
    result = dom(broken(tmp_path), "-n", "1000")
    assert result.exit_code == 1
    assert "match " in result.stderr
    assert "the(...) promises exactly one" in result.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--players", "many"), "a number, several with commas, or `all`, not many"),
        (("--players", "2,"), "a number, several with commas, or `all`, not 2,"),
        (("--players", "2,9"), "not 9"),
        (("--players", "9"), "not 9"),
        (("--set", "target=50,60", "--games", "x.csv"), "one table"),
        (("--set", "target=50,60", "--plot", "x.svg"), "one table"),
        (("--compare", "draw", "--cover"), "differences alone"),
        (("--set", "tiles_each=7,99"), "from 1 to 9"),
        (("-n", "0"), "at least 1"),
        (("--policy", "clever"), "there is no bot clever"),
        (("--policy", "heavy,greedy,first"), "3 seats; there are 2"),
        (("--bot", "p7=heavy"), "there is no seat p7"),
        (("--bot", "p7=heavy", "--players", "all"), "there is no seat p7; there are p0, p1, p2, p3."),
        (("--bot", "p2=clever", "--players", "all"), "there is no bot clever"),
        (("--policy", "heavy,greedy", "--players", "3,4"), "heavy,greedy is for 2 seats; there are 4"),
    ],
)
def test_what_cannot_be_asked(args: tuple[str, ...], said: str) -> None:
    result = dom("block", *args)
    assert result.exit_code == 2
    assert said in words(result.stderr)


def words(text: str) -> str:
    """Without the frame around a usage error."""
    return " ".join(text.replace("│", " ").split())


def test_tables_the_game_does_not_allow_are_left_out() -> None:
    result = dom("block", "-n", "5", "--players", "all", "--set", "tiles_each=7,9")
    assert result.exit_code == 0
    rows = [tuple(line.split()[:2]) for line in result.stdout.splitlines()[2:]]
    assert rows == [("2", "7"), ("2", "9"), ("3", "7"), ("3", "9"), ("4", "7")]
    assert "left out: tiles_each requires" in result.stderr


def test_several_player_counts_are_a_list_and_what_is_given_twice_is_played_once() -> None:
    result = dom("draw", "-n", "5", "--players", "3,2,3", "--set", "target=50,50, 60")
    rows = [tuple(line.split()[:2]) for line in result.stdout.splitlines()[2:]]
    assert rows == [("3", "50"), ("3", "60"), ("2", "50"), ("2", "60")]
    assert dom("draw", "-n", "5", "--set", "target=50,50").stdout == dom("draw", "-n", "5", "--set", "target=50").stdout


def test_a_table_without_the_seats_that_are_spoken_of_says_so_in_its_row() -> None:
    args = ("draw", "-n", "5", "--players", "all", "--set", "target=50,60", "--bot", "p2=heavy")
    result = dom(*args)
    assert result.exit_code == 0
    head, columns, *rows = result.stdout.splitlines()
    assert head == "draw · p0 random · p1 random · p2 heavy · p3 random"
    assert rows[:2] == [f"      2      {n}  left out: there is no seat p2; there are p0, p1" for n in (50, 60)]
    assert len(rows) == 6
    assert len({len(row) for row in [columns, *rows[2:]]}) == 1
    data = json.loads(dom(*args, "--format", "json").stdout)
    assert [table["players"] for table in data["tables"]] == [3, 3, 4, 4]
    assert [(row["players"], row["options"]["target"]) for row in data["left_out"]] == [(2, "50"), (2, "60")]


def test_policies_for_every_seat_are_for_tables_with_so_many() -> None:
    _, _, two, three = dom("draw", "-n", "5", "--players", "2,3", "--policy", "greedy,heavy").stdout.splitlines()
    assert two.split()[:2] == ["2", "5"]
    assert three == "      3  left out: greedy,heavy is for 2 seats; there are 3"


# ---------------------------------------------------------------- who plays


def test_bots_play_the_matches_of_dom_run(tmp_path: Path) -> None:
    path = tmp_path / "games.csv"
    result = dom("petkove", "-n", "6", "--seed", "4", "--bots", "greedy", "--bot", "1=heavy", "--games", path)
    assert " p0 greedy · p1 heavy" in result.stdout
    assert (
        dom("petkove", "-n", "6", "--seed", "4", "--policy", "greedy,heavy", "--engine", "python").stdout
        == result.stdout
    )
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    for index in (0, 5):
        args = ["run", "petkove", "--seed", "4", "--index", str(index), "--bots", "greedy,heavy"]
        again = CliRunner().invoke(app.build(), args).stdout
        assert again.count("scores") == int(rows[index]["rounds"]), again


GUESTS = """
def policy(view):
    return max(view.legal_moves, key=lambda move: sum(int(half) for half in move.args[-1].split("|")) if move.args else 0)

def last(view):
    return str(view.legal_moves[-1])

def fails(view):
    return len(view.cells["nothing"])

def cheats(view):
    return "lead(9|9)"

number = 5
"""


@pytest.fixture
def guests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clever.py").write_text(GUESTS, encoding="utf-8")
    (tmp_path / "broken.py").write_text("def policy(view:\n", encoding="utf-8")
    (tmp_path / "ends.py").write_text("raise SystemExit(0)\n", encoding="utf-8")
    return tmp_path


def test_a_function_can_play(guests: Path) -> None:
    result = dom("block", "-n", "8", "--policy", "clever.py,random", "--format", "json")
    assert result.exit_code == 0, result.stderr
    (table,) = json.loads(result.stdout)["tables"]
    assert (table["policies"], table["engine"]) == (["clever.py", "random"], "interpreter")
    assert "functions that were brought along" in table["because"]
    told = dom("block", "-n", "8", "--policy", "clever:last")
    assert "p0 clever:last · p1 clever:last" in told.stdout
    assert "played by the interpreter" in told.stdout


@pytest.mark.parametrize(
    ("word", "code", "said"),
    [
        ("nowhere:policy", 2, "there is no module nowhere"),
        ("clever:nothing", 2, "clever has no function nothing; it has policy, last, fails, cheats"),
        ("clever:number", 2, "no function number"),
        ("clever:", 2, "not of the form"),
        ("nowhere.py", 74, "nowhere.py: no such file"),
        ("broken.py", 3, "broken.py cannot be loaded: SyntaxError"),
        ("ends.py", 3, "ends.py cannot be loaded: SystemExit"),
        ("clever:fails", 3, "clever:fails, as p0 of match 0, failed: KeyError: 'nothing' (clever.py, line 9)"),
        ("random,clever.py:cheats", 3, "as p1 of match 0, wants 'lead(9|9)', which is no legal move; there are"),
    ],
)
def test_what_is_wrong_with_a_function_is_said(guests: Path, word: str, code: int, said: str) -> None:
    result = dom("block", "-n", "5", "--policy", word)
    assert result.exit_code == code
    assert said in words(result.stderr)
    assert not result.stdout


# ---------------------------------------------------------------- what else is wanted


def test_clauses_that_decide_nothing_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulate, "SLOWLY", 12)
    slow = dom("block", "-n", "3", "--cover", "--policy", "greedy", "--engine", "interpreter")
    assert "decided something in the first 12 rounds" in slow.stdout
    result = dom("block", "-n", "40", "--cover", "--policy", "greedy,heavy")
    assert "decided something in the first 40 matches" in result.stdout
    assert "when arms == at_once -> true   (define arms_open)" in result.stdout
    data = json.loads(dom("block", "-n", "3", "--cover", "--format", "json", "--players", "all").stdout)["coverage"]
    assert data["watched"] == "the first 3 matches of each table"
    assert data["clauses"] > len(data["never"]) > 3
    assert {"owner", "text", "file", "line"} == data["never"][0].keys()


@pytest.mark.parametrize("engine", ["wasm", "interpreter"])
def test_an_interrupt_leaves_the_clauses_that_were_seen(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: Any) -> Iterator[int]:
        yield from itertools.islice(usual(*args), 1)
        raise KeyboardInterrupt

    usual = watching.cover if engine == "wasm" else Coverage.follow
    monkeypatch.setattr(watching, "CHUNK", 20)
    place, name = (watching, "cover") if engine == "wasm" else (Coverage, "follow")
    monkeypatch.setattr(place, name, interrupted)
    result = dom("block", "-n", "60", "--cover", "--players", "all", "--engine", engine)
    assert result.exit_code == 130
    assert re.search(r"^ PARTIAL: interrupted after \d+ (matches|rounds) of table 1 of 3$", result.stdout, re.MULTILINE)
    decided = re.search(r" clauses +(\d+) of \d+ decided something in the first", result.stdout)
    assert decided is not None
    assert int(decided[1]) > 10
    data = json.loads(dom("block", "-n", "60", "--cover", "--engine", engine, "--format", "json").stdout)["coverage"]
    assert data["partial"].startswith("interrupted after ")


def test_a_picture_has_shares_and_histograms(tmp_path: Path) -> None:
    path = tmp_path / "draw.svg"
    assert dom("draw", "-n", "300", "--plot", path).exit_code == 0
    drawn = ElementTree.parse(path).getroot()
    names = [e.text for e in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"p0", "p1", "to move first", "out", "blocked", "moves of a round", "rounds of a match"} <= set(names)
    tips = [e.text or "" for e in drawn.iter("{http://www.w3.org/2000/svg}title")]
    assert sum(int(tip.partition(": ")[2].replace(",", "")) for tip in tips) > 300
    assert dom("draw", "-n", "3", "--plot", tmp_path / "no" / "x.svg").exit_code == 74


def test_the_tail_of_a_histogram_is_one_bar() -> None:
    assert plots.bars([0, 0, 3, 4, 0, 2]) == [
        plots.Bar("2", 3),
        plots.Bar("3", 4),
        plots.Bar("4", 0),
        plots.Bar("5", 2),
    ]
    long = [0, 5000, *[1] * 9]
    assert [b.name for b in plots.bars(long)][-1].startswith(">")
    assert sum(b.count for b in plots.bars(long)) == sum(long)
    assert plots.bars([0, 0]) == []


def test_progress_is_a_bar_with_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    assert progress.bar(1_200, 4_800, 3) == " █████··············· 25 % · 1,200 of 4,800 · 400 a second · 9 s left"
    assert progress.bar(0, 10, 1).endswith("…")
    assert [progress.duration(s) for s in (59.6, 200, 7500)] == ["1 min 0 s", "3 min 20 s", "2 h 5 min"]
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    shown = progress.Progress(10)
    shown(1)
    assert not screen.getvalue()
    shown.begun -= 5
    shown(5)
    assert "50 %" in screen.getvalue()
    shown.close()
    assert screen.getvalue().endswith("\r\033[K")


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("more", [(), ("--format", "json"), ("--compare", "block"), ("--players", "all"), ("--cover",)])
def test_an_interrupt_prints_what_is_known(
    more: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(self: progress.Progress, done: int) -> None:
        if done and not self.said:
            self.said = True
            raise KeyboardInterrupt

    monkeypatch.setattr(progress.Progress, "__call__", interrupt)
    monkeypatch.setattr(progress.Progress, "close", lambda self: None)
    path = tmp_path / "games.csv"
    games = () if more[:1] in (("--compare",), ("--players",)) else ("--games", path)
    result = dom("block", "-n", "1000000", "--jobs", "1", *more, *games)
    assert result.exit_code == 130
    assert ("before clauses were watched" in result.stderr) == ("--cover" in more)
    if more[:1] == ("--format",):
        (table,) = json.loads(result.stdout)["tables"]
        assert table["partial"]
        assert 0 < table["matches"] < table["asked"] == 1_000_000
    else:
        assert "PARTIAL" in result.stdout
    if more[:1] == ("--compare",):
        said = re.search(r"PARTIAL: interrupted after ([\d,]+) of 1,000,000 matches", result.stdout)
        assert said is not None
        assert f"· {said[1]} matches ·" in result.stdout.splitlines()[0]
        assert result.stdout.count("+0.0000 ± 0.0000") == 6
    if games:
        rows = list(csv.DictReader(path.open(encoding="utf-8")))
        assert [int(row["match"]) for row in rows] == list(range(len(rows)))
        assert rows


# ---------------------------------------------------------------- what is not compiled, and faults of ours


def huge(folder: Path) -> Path:
    """A game with a product that could leave 62 bits."""
    path = folder / "tiny.dom"
    path.write_text(TINY.replace("score[p] >= goal", "score[p] * score[p] * score[p] >= goal"), encoding="utf-8")
    return path


def test_what_is_not_compiled_is_interpreted(tmp_path: Path) -> None:
    path = huge(tmp_path)
    result = dom(path, "-n", "20")
    assert result.exit_code == 0
    assert "played by the interpreter: " in result.stdout
    assert "a number here may become too large" in result.stdout
    (table,) = json.loads(dom(path, "-n", "20", "--format", "json").stdout)["tables"]
    assert table["engine"] == "interpreter"
    assert "too large" in table["because"]


def test_without_wasmtime_python_is_generated(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = dom("block", "-n", "20").stdout
    monkeypatch.setitem(sys.modules, "wasmtime", None)
    told = dom("block", "-n", "20").stdout
    note = " played by generated Python: wasmtime is not installed\n"
    assert note in told
    assert told.replace(note, "") == usual


def test_a_trap_is_our_fault_and_leaves_what_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def trap(self: WasmEngine, first: int, last: int, seed: int) -> bool:
        raise Trap("match 7 of seed 3: unreachable", 7)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(WasmEngine, "run", trap)
    result = dom("petkove", "-n", "20", "--seed", "3", "--set", "target=50", "--policy", "heavy", "--jobs", "1")
    assert result.exit_code == 70
    assert not result.stdout
    assert "internal error, compiled code was stopped, match 7 of seed 3: unreachable; please send us" in result.stderr
    data = json.loads((tmp_path / "dom-fault-petkove.json").read_text(encoding="utf-8"))
    assert (data["seed"], data["index"], data["policies"], data["players"]) == (3, 7, ["heavy", "heavy"], 2)
    assert data["options"]["target"] == "50"
    assert {Path(name).name for name in data["sources"]} == {"petkove.dom", "fives.dom", "line.dom", "row.dom"}
    assert data["versions"]["wasmtime"]


def test_engines_that_disagree_are_told_with_what_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(WasmEngine, "run", lambda self, first, last, seed: False)
    result = dom("block", "-n", "20", "--jobs", "1")
    assert (result.exit_code, result.stdout) == (6, "")
    assert "compiled code stops match 0 of seed 0" in result.stderr
    assert (tmp_path / "dom-fault-block.json").exists()


def test_a_number_that_grows_too_large_is_no_fault(tmp_path: Path) -> None:
    path = tmp_path / "tiny.dom"
    path.write_text(TINY.replace("then add pips(t)", "then add 250000 * 1000000 * pips(t)"), encoding="utf-8")
    result = dom(path, "-n", "200")
    assert result.exit_code == 4
    assert "a number comes to 2^40; --engine interpreter plays it" in result.stderr
    assert dom(path, "-n", "200", "--engine", "interpreter").exit_code == 0


def test_settings_hold_for_both_that_are_compared() -> None:
    result = dom("block", "-n", "20", "--compare", "draw", "--set", "target=30", "--format", "json")
    assert [table["options"]["target"] for table in json.loads(result.stdout)["tables"]] == ["30", "30"]
