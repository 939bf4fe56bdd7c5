"""Every block of README and manual is true: whole files check and pass, pieces fit into a game, commands run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from domrules.grammar.drawing import render
from domrules.grammar.instance import instantiate
from domrules.grammar.load import check
from domrules.interpreter.examples import run_example
from domrules.verifier.battery.run import TITLES
from domrules.verifier.verdict import Word

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = (
    "README.md",
    "grammar/README.md",
    "specs/README.md",
    "docs/play.md",
    "docs/python.md",
    "docs/score.md",
    "docs/simulate.md",
    "docs/transcripts.md",
    "docs/verdicts.md",
)
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
HEAD = "game manual extends block\n"


def blocks(kind: str) -> list[object]:
    """The blocks of a kind, each under its place."""
    return list(_blocks(kind))


def _blocks(kind: str) -> Iterator[object]:
    for name in DOCUMENTS:
        text = (ROOT / name).read_text(encoding="utf-8")
        for m in BLOCK.finditer(text):
            if m[1] == kind:
                yield pytest.param(m[2], id=f"{name}:{text.count(chr(10), 0, m.start()) + 1}")


@pytest.mark.parametrize("text", blocks("dom"))
def test_rules_check_and_their_examples_pass(text: str, tmp_path: Path) -> None:
    whole = text.startswith(("game ", "family "))
    name = text.split()[1] if whole else "manual"
    path = tmp_path / f"{name}.dom"
    path.write_text(text if whole else HEAD + text, encoding="utf-8")
    loaded = check(path)
    assert loaded.game is not None, "\n".join(map(render, loaded.diagnostics))
    instantiate(loaded.game, loaded.game.seats[0])
    for result in (run_example(loaded.game, e) for e in loaded.game.examples):
        assert result.ok, result


@pytest.mark.parametrize("text", blocks("console"))
def test_commands_do_what_is_shown(text: str, tmp_path: Path) -> None:
    """Lines after `$ dom …` are what it prints: `…` stands for anything, a last `# exit N` for the exit code."""
    (tmp_path / "specs").symlink_to(ROOT / "specs")
    write_files(tmp_path)
    for kind, game in (m.groups() for d in DOCUMENTS for m in BLOCK.finditer((ROOT / d).read_text(encoding="utf-8"))):
        if kind == "dom" and game.startswith("game "):
            (tmp_path / f"{game.split()[1]}.dom").write_text(game, encoding="utf-8")
    for command, shown in sessions(text):
        code = int(m[1]) if (m := re.search(r"#\s*exit (\d+)$", command)) else 0
        words = shlex.split(command, comments=True)
        assert words[0] == "dom"
        run = subprocess.run(
            [sys.executable, "-m", "domrules", *words[1:]],
            cwd=tmp_path, capture_output=True, text=True, check=False, env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120"},
        )  # fmt: skip
        assert run.returncode == code, run.stdout + run.stderr
        pattern = ".*".join(re.escape(part) for part in re.split("…", shown.strip("\n")))
        printed = run.stdout + run.stderr
        assert re.search(pattern, printed, re.S), f"{command}\n{printed}"


def python(text: str) -> str:
    """The Python blocks of a page as one program; a line `expression  # → value` says what it is."""
    code = "\n".join(m[2] for m in BLOCK.finditer(text) if m[1] == "python")
    shown = re.sub(r"^(\S.*?)  # → (.*)$", lambda m: f"shown({m[1]}, {m[2]!r})", code, flags=re.M)
    head = "def shown(found, wanted): assert repr(found) == wanted, f'{found!r}, not {wanted}'\n"
    return head + shown if code else ""


@pytest.mark.parametrize("name", DOCUMENTS)
def test_python_does_what_is_shown(name: str, tmp_path: Path) -> None:
    program = python((ROOT / name).read_text(encoding="utf-8"))
    if program:
        write_files(tmp_path)
        command = [sys.executable, "-X", "utf8", "-c", program]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr


def write_files(folder: Path) -> None:
    """Blocks of hands and transcripts are files; their first line is a remark that names them."""
    for name in DOCUMENTS:
        for m in BLOCK.finditer((ROOT / name).read_text(encoding="utf-8")):
            if m[1] in ("hands", "transcript"):
                (folder / m[2].partition("\n")[0].removeprefix("; ")).write_text(m[2], encoding="utf-8")


def sessions(text: str) -> Iterator[tuple[str, str]]:
    """Commands and what is shown after each."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def test_all_words_and_questions_are_in_a_table(accept: bool) -> None:
    page = ROOT / "docs" / "verdicts.md"
    head, row, table = page.read_text(encoding="utf-8").partition("| name | what must be so |\n|---|---|\n")
    questions = "".join(f"| {name} | {title} |\n" for name, title in sorted(TITLES.items()))
    if accept:
        page.write_text(head + row + questions, encoding="utf-8")
    else:
        assert table == questions, "pytest --accept writes the table anew"
    assert re.findall(r"^\| ([A-Z][A-Za-z ]+?)(?: \(\w+\))? \|", head, re.M) == [word.value for word in Word]


def test_there_is_something_to_test() -> None:
    assert len(list(blocks("dom"))) > 3
