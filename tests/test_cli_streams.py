"""Files and streams that cannot be used, and interrupts: every verb ends with a sentence and its code, never in a traceback."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from domrules.cli import app
from domrules.grammar.load import SHIPPED

READERS = ("check", "show", "test", "run", "verify")
"""Verbs that read a file."""
GAME = "game x extends block\n"


def run(*args: str | Path, given: str = "") -> Any:
    return CliRunner().invoke(app.build(), [str(arg) for arg in args], input=given)


def process(shell: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    """What a shell makes of a line in which `dom` is our command."""
    line = shell.replace("dom ", f"'{sys.executable}' -m domrules ")
    return subprocess.run(["sh", "-c", line], input=given, capture_output=True, text=True, check=False)


# ---------------------------------------------------------------- paths


@pytest.fixture
def strange(tmp_path: Path) -> dict[str, Path]:
    """Paths that lead nowhere, and what is said of them."""
    loop, file, folder = tmp_path / "loop.dom", tmp_path / "file.dom", tmp_path / "folder"
    loop.symlink_to(loop.name)
    file.write_text(GAME)
    folder.mkdir()
    return {
        "too many levels of symbolic links": loop,
        "file name too long": tmp_path / ("a" * 300),
        "not a directory": file / "below",
        "is a directory": folder,
    }


@pytest.mark.parametrize("verb", READERS)
def test_a_path_that_leads_nowhere_is_an_error_of_input(verb: str, strange: dict[str, Path]) -> None:
    for reason, path in strange.items():
        result = run(verb, path)
        assert (result.exit_code, result.stderr) == (74, f"dom: {path}: {reason}.\n")


def test_a_path_that_leads_nowhere_is_an_error_of_output(strange: dict[str, Path]) -> None:
    for reason, path in strange.items():
        result = run("run", "block", "--rounds", "1", "-o", path)
        assert (result.exit_code, result.stderr) == (74, f"dom: {path}: {reason}.\n")


def test_what_cannot_be_looked_for_hides_nothing_else(strange: dict[str, Path]) -> None:
    result = run("check", *strange.values(), "block")
    assert result.exit_code == 74
    assert len(result.stderr.splitlines()) == len(strange)
    assert result.stdout == "block: ok (2 options, 3 tables)\n"


def test_an_ancestor_that_cannot_be_looked_for_is_not_there(tmp_path: Path) -> None:
    name = "a" * 300
    (tmp_path / "x.dom").write_text(f"game x extends {name}\n")
    (tmp_path / "y.dom").write_text("game y extends loop\n")
    (tmp_path / "loop.dom").symlink_to("loop.dom")
    for file in ("x.dom", "y.dom"):
        result = run("check", tmp_path / file)
        assert result.exit_code == 3
        assert "error[DOM215]" in result.stdout


def test_an_ancestor_of_ones_own_is_told_of(tmp_path: Path) -> None:
    path, family = tmp_path / "x.dom", tmp_path / "line.dom"
    path.write_text("game x extends block\n")
    assert run("check", path).stderr == ""
    shipped = (SHIPPED / "families" / "line.dom").read_text(encoding="utf-8")
    path.write_text((SHIPPED / "block.dom").read_text(encoding="utf-8"))
    family.write_text(shipped, encoding="utf-8")
    assert run("check", path).stderr == ""
    family.write_text(f"{shipped}\ndefine more: int = 1\n", encoding="utf-8")
    note = f"dom: note: {family} is extended, not the shipped line.\n"
    for verb in READERS:
        args = ["D2"] if verb == "verify" else []
        assert run(verb, path, *args).stderr == note
    assert run("check", path, "--quiet").stderr == ""
    assert note[11:-2] in run("check", path, "--format", "json").stdout


# ---------------------------------------------------------------- the standard input and output


@pytest.mark.parametrize("verb", READERS)
def test_a_verb_reads_the_standard_input(verb: str) -> None:
    given = f"{GAME}example e\n  expect laid == 0\n"
    args = {"verify": ["D2"], "run": ["--rounds", "1", "-o", "-"]}.get(verb, [])
    result = run(verb, "-", *args, given=given)
    assert result.exit_code == 0, result.stderr
    assert "x" in result.stdout or "-" in result.stdout
    assert run(verb, "-", *args, given="game x extends blok\n").exit_code == 3


@pytest.mark.parametrize("args", ["check block", "run block", "show block", "--help", "--version"])
def test_output_to_a_closed_stream_is_not_success(args: str) -> None:
    done = process(f"dom {args} >&-")
    assert (done.returncode, done.stderr) == (74, "dom: the standard input or output is closed.\n")


def test_who_prints_nothing_needs_no_output() -> None:
    assert process("dom check -q block >&-").returncode == 0


def test_what_is_said_to_a_closed_stream_goes_nowhere() -> None:
    done = process("dom check absent block 2>&-")
    assert (done.returncode, done.stdout) == (74, "block: ok (2 options, 3 tables)\n")


def test_a_closed_input_is_needed_by_those_who_read_it() -> None:
    assert process("dom check block <&-").returncode == 0
    done = process("dom check - <&-")
    assert (done.returncode, done.stderr) == (74, "dom: the standard input or output is closed.\n")


# ---------------------------------------------------------------- interrupts

INTERRUPTS = """
import os, signal, sys
from domrules.__main__ import main

class Interrupts:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.argv = ["dom", "check", "block"]
sys.meta_path.insert(0, Interrupts())
main()
"""


@pytest.mark.parametrize("module", ["typer", "domrules.cli.check", "lark"])
def test_an_interrupt_while_modules_are_loaded_is_quiet(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTS.format(module=module)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert done.stderr in ("", "dom: interrupted.\n")


def test_an_interrupt_that_python_wraps_is_one() -> None:
    exits = import_module("domrules.cli.exits")

    def action() -> Any:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as interrupt:
            raise RuntimeError("Error calling __set_name__") from interrupt

    assert exits.outcome(action) == 130


def test_an_ignored_interrupt_stays_ignored() -> None:
    code = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n" + INTERRUPTS.format(module="typer")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0
