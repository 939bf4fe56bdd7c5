"""`dom check` as people, programs and GitHub read it, and how it ends."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from domrules.cli import app
from domrules.grammar.codes import CODES
from domrules.grammar.load import SHIPPED

GAMES = sorted(path.relative_to(SHIPPED) for path in SHIPPED.rglob("*.dom"))


def run(*args: str | Path, **environment: str) -> Any:
    return CliRunner(env=environment).invoke(app.build(), ["check", *map(str, args)])


def process(*args: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "domrules", "check", *args]
    return subprocess.run(command, input=stdin, env=os.environ | environment, capture_output=True, check=False)


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    path = tmp_path / "wrong.dom"
    path.write_text("game x extends block\ndefine a: int = layd\ndefine b: int = 1 +\n")
    return path


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_shipped_file_is_fine(game: Path) -> None:
    result = run(SHIPPED / game)
    assert result.exit_code == 0, result.stdout
    assert result.stdout.startswith(f"{SHIPPED / game}: ok (")


def test_mistakes_are_told_and_counted(wrong: Path) -> None:
    result = run(wrong, "block")
    assert result.exit_code == 3
    assert result.stdout == (
        f"error[DOM201]: nothing is called `layd`\n  --> {wrong}:2:17\n   |\n 2 | define a: int = layd\n"
        "   |                 ^^^^\n   = help: did you mean `laid`?\n\n"
        f"error[DOM121]: this declaration is not finished: an expression is missing\n  --> {wrong}:3:19\n   |\n"
        " 3 | define b: int = 1 +\n   |                   ^\n\n"
        f"{wrong}: 2 mistakes\nblock: ok (2 options, 3 tables)\ndom explain DOM201 says more\n"
    )


def test_only_what_is_wrong_on_request(wrong: Path) -> None:
    assert run("block", "draw", "--quiet").stdout == ""
    assert run("block", wrong, "-q").stdout.endswith(f"{wrong}: 2 mistakes\n")


def test_of_many_mistakes_the_first_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "many.dom"
    path.write_text("game x extends block\n" + "".join(f"define d{i}: int = x{i}\n" for i in range(50)))
    result = run(path)
    assert result.stdout.count("error[") == 20
    assert result.stdout.endswith(f"{path}: 50 mistakes, the first 20 are shown\ndom explain DOM201 says more\n")
    assert len(json.loads(run(path, "--format", "json").stdout)["files"][0]["diagnostics"]) == 50
    path.write_text("game x extends block\n" + "".join(f"define d{i}: int = x{i}\n" for i in range(500)))
    assert run(path, "-q").stdout.endswith(f"{path}: at least 101 mistakes, the first 20 are shown\n")


def test_what_cannot_be_read_hides_nothing_else(wrong: Path, tmp_path: Path) -> None:
    result = run(tmp_path / "absent.dom", wrong, tmp_path, "-q")
    assert result.exit_code == 74
    assert result.stderr == (
        f"dom: {tmp_path / 'absent.dom'}: no such file or directory.\ndom: {tmp_path}: is a directory.\n"
    )
    assert result.stdout.endswith(f"{wrong}: 2 mistakes\n")


def test_a_slip_in_the_arguments_is_a_usage_error() -> None:
    assert run().exit_code == 2
    result = run("block", "--format", "yaml")
    assert result.exit_code == 2
    assert "is not one of text, json, sarif, github" in " ".join(result.stderr.replace("│", " ").split())


def test_data_has_everything(wrong: Path, tmp_path: Path) -> None:
    result = run("--format", "json", wrong, tmp_path / "absent.dom", "block")
    told = json.loads(result.stdout)
    assert (told["schema"], told["verb"], told["exit"]) == (1, "check", 74)
    assert [file["exit"] for file in told["files"]] == [3, 74, 0]
    assert told["files"][1]["failure"] == f"{tmp_path / 'absent.dom'}: no such file or directory."
    first = told["files"][0]["diagnostics"][0]
    assert first == {
        "code": "DOM201",
        "title": CODES["DOM201"],
        "message": "nothing is called `layd`",
        "place": {"file": str(wrong), "line": 2, "column": 17, "end_line": 2, "end_column": 21},
        "notes": [],
        "fix": "did you mean `laid`?",
    }


def test_annotations_are_escaped(tmp_path: Path) -> None:
    path = tmp_path / "a,b:c%.dom"
    path.write_text("game x extends block\ndefine a: int = layd\n")
    result = run("--format", "github", path)
    assert result.exit_code == 3
    name = str(path).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    assert result.stdout == (
        f"::error file={name},line=2,col=17,title=DOM201 unknown name::"
        "nothing is called `layd`%0Ahelp: did you mean `laid`?\n"
    )


def test_colour_is_for_terminals_and_those_who_ask(wrong: Path) -> None:
    assert "\x1b" not in run(wrong).stdout
    assert "\x1b" not in run(wrong, "--color", "never").stdout
    assert "\x1b[1;31merror[DOM201]\x1b[0m" in run(wrong, "--color", "always").output
    plain = run(wrong, "--color", "always").output.replace("\x1b[1;31m", "").replace("\x1b[34m", "")
    assert plain.replace("\x1b[1m", "").replace("\x1b[0m", "") == run(wrong).output


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_the_standard_input_is_a_file(name: str) -> None:
    done = process(name, stdin="game x extends block\ndefine ž: int = 1\n".encode())
    assert done.returncode == 3
    assert f"{name}:2:8".encode() in done.stdout
    assert process(name, stdin=b"game x extends block\n").stdout == f"{name}: ok (2 options, 3 tables)\n".encode()


def test_a_name_that_is_no_text_is_shown_all_the_same(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff\xfe.dom"
    try:
        Path(os.fsdecode(name)).write_text("game x extends block\ndefine a: int = layd\n")
    except OSError:
        pytest.skip("names of files are text here")
    done = process(os.fsdecode(name))
    assert (done.returncode, done.stderr) == (3, b"")
    assert b"2:17" in done.stdout


def test_a_terminal_without_our_letters_is_served(tmp_path: Path) -> None:
    path = tmp_path / "x.dom"
    path.write_text("game x extends block\ndefine a: int = ž + layd\n", encoding="utf-8")
    done = process(str(path), PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (done.returncode, done.stderr) == (3, b"")
    assert b"define a: int = " in done.stdout


def test_checking_starts_neither_solver_nor_pydantic() -> None:
    done = process("block", PYTHONPROFILEIMPORTTIME="1")
    loaded = {line.rsplit("|", 1)[-1].strip() for line in done.stderr.decode().splitlines()}
    assert {"lark", "domrules.grammar.load"} <= loaded
    assert not {name.split(".")[0] for name in loaded} & {"z3", "pydantic", "rich", "unittest"}
    assert not {name for name in loaded if name.startswith(("domrules.interpreter", "domrules.verifier"))}
