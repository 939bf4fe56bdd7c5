"""How `dom` starts and ends: lazily, and with one meaning for each exit code."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from domrules import cli
from domrules.cli import app, exits
from domrules.cli.exits import ExitCode


@pytest.fixture
def verb(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put a verb called `probe` into the table whose body raises or returns what it is given."""

    def install(result: BaseException | ExitCode) -> None:
        def command(count: Annotated[int, typer.Option(help="A number.")] = 1) -> ExitCode:
            print("count", count)
            if isinstance(result, BaseException):
                raise result
            return result

        module = ModuleType("domrules.cli.probe")
        vars(module)["command"] = command
        monkeypatch.setitem(sys.modules, "domrules.cli.probe", module)
        rows = (cli.Verb("probe", "Run", "Try something."), cli.Verb("absent", "Write", "Is not there."))
        monkeypatch.setattr(app, "VERBS", rows)

    return install


def run(*args: str) -> Any:
    return CliRunner().invoke(app.build(), list(args))


def dom(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "domrules", *args]
    return subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=False)


def test_the_weightiest_code_wins() -> None:
    order = [70, 6, 130, 2, 74, 3, 1, 5, 4, 0]
    assert [int(code) for code in ExitCode] == order
    assert exits.first([]) is ExitCode.OK
    assert exits.first([ExitCode.OK, ExitCode.UNDECIDED, ExitCode.FINDING, ExitCode.HOLLOW]) is ExitCode.FINDING
    assert exits.first(reversed(ExitCode)) is ExitCode.INTERNAL


@pytest.mark.parametrize("code", list(ExitCode))
def test_a_verb_ends_with_the_code_it_returns(verb: Any, code: ExitCode) -> None:
    verb(code)
    result = run("probe", "--count", "3")
    assert (result.exit_code, result.stdout, result.stderr) == (code, "count 3\n", "")


@pytest.mark.parametrize(
    ("failure", "code", "sentence"),
    [
        (FileNotFoundError(2, "No such file or directory", "x.dom"), 74, "dom: x.dom: no such file or directory.\n"),
        (OSError(28, "No space left on device"), 74, "dom: input or output failed, no space left on device.\n"),
        (BrokenPipeError(32, "Broken pipe"), 74, ""),
        (KeyboardInterrupt(), 130, "dom: interrupted.\n"),
        (
            KeyError("x"),
            70,
            "dom: internal error, KeyError: 'x'. This is a fault of dom, not of your files; "
            "DOM_TRACEBACK=1 shows where.\n",
        ),
    ],
)
def test_a_failure_becomes_a_sentence(verb: Any, failure: BaseException, code: int, sentence: str) -> None:
    verb(failure)
    result = run("probe")
    assert (result.exit_code, result.stderr) == (code, sentence)


def test_a_traceback_is_shown_when_asked_for(verb: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    verb(KeyError("x"))
    monkeypatch.setenv("DOM_TRACEBACK", "1")
    result = run("probe")
    assert result.exit_code == 70
    assert "Traceback" in result.stderr


def test_a_value_the_verb_rejects_is_a_usage_error(verb: Any) -> None:
    verb(typer.BadParameter("block is for 2 to 4 players"))
    assert run("probe").exit_code == 2


def test_the_list_of_verbs_loads_none_of_them(verb: Any) -> None:
    verb(ExitCode.OK)
    result = run("--help")
    assert result.exit_code == 0
    assert "Try something." in result.stdout
    assert "Is not there." in result.stdout


def test_a_verb_shows_its_own_help(verb: Any) -> None:
    verb(ExitCode.OK)
    result = run("probe", "--help")
    assert result.exit_code == 0
    assert "Try something." in result.stdout
    assert "--count" in result.stdout


def test_a_slip_in_a_verb_is_a_usage_error_with_a_suggestion(verb: Any) -> None:
    verb(ExitCode.OK)
    result = run("prob")
    assert result.exit_code == 2
    assert "probe" in result.stderr


@pytest.mark.parametrize("row", cli.VERBS, ids=lambda row: row.name)
def test_each_row_of_the_table_has_its_module(row: cli.Verb) -> None:
    assert import_module(f"domrules.cli.{row.name}").command.__annotations__["return"] in (ExitCode, "ExitCode")
    assert dom(row.name, "--help").returncode == 0


def test_the_process_reports_versions_and_usage_errors() -> None:
    version = dom("--version")
    assert version.returncode == 0
    assert version.stdout.startswith("dom 0.1.0 · lark 1.")
    assert dom("--nonsense").returncode == 2


def test_help_starts_neither_parser_nor_solver() -> None:
    listed = dom("--help", PYTHONPROFILEIMPORTTIME="1")
    assert listed.returncode == 0
    loaded = {line.rsplit("|", 1)[-1].strip() for line in listed.stderr.splitlines()}
    assert "typer" in loaded
    assert not loaded & {"lark", "z3", "pydantic", "domrules.grammar", "domrules.interpreter", "domrules.verifier"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_not_success() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "domrules", "--version"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (74, "dom: input or output failed, no space left on device.\n")


def test_a_reader_who_leaves_is_not_a_finding() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "domrules", "--help"], stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (74, "")
