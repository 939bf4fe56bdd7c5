"""`dom new`: whatever is answered, the file checks and its examples pass; names and answers that cannot be are refused."""

from __future__ import annotations

import inspect
import os
import pty
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from domrules.cli import app, new
from domrules.cli.templates import BadAnswer, Question, Template, holds, templates
from domrules.grammar.drawing import render
from domrules.grammar.load import check, load
from domrules.interpreter.examples import run_example
from domrules.verifier.battery.run import Request, verify
from domrules.verifier.verdict import Standing

TEMPLATES = templates()
VALUES: Mapping[str, Sequence[str]] = {
    "players": ("2-4", "2", "3", "4"),
    "set": ("6", "9"),
    "hand": ("1", "5"),
    "table": ("2", "5"),
    "target": ("1", "1000"),
}
"""Some answers to questions about numbers, and to those with many answers."""

Row = dict[str, str]


def dom(*args: str | Path) -> Any:
    return CliRunner().invoke(app.build(), ["new", *map(str, args)])


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def rows(template: Template) -> list[Row]:
    """All combinations of answers that are words, with numbers in turn; what would not be asked has its first answer."""
    words = [q for q in template.questions if q.key not in VALUES]
    numbers = [q.key for q in template.questions if q.key in VALUES]
    out: list[Row] = []
    for values in product(*(q.answers for q in words)):
        row = {q.key: value for q, value in zip(words, values, strict=True)}
        if all(q.wanted(row) or row[q.key] == next(iter(q.answers)) for q in words):
            turn = len(out)
            out.append({**row, **{key: VALUES[key][(turn + turn // 7) % len(VALUES[key])] for key in numbers}})
    return out


def pairwise(template: Template) -> Iterator[Row]:
    """Few rows in which all two answers meet that ever do."""
    pairs = [(row, set(map(frozenset, combinations(row.items(), 2)))) for row in rows(template)]
    left = {pair for _, met in pairs for pair in met}
    while left:
        row, met = max(pairs, key=lambda one: len(left & one[1]))
        left -= met
        yield row


def is_sound(path: Path) -> None:
    loaded = check(path)
    assert loaded.game is not None, "\n".join(map(render, loaded.diagnostics))
    assert loaded.game.examples
    assert any(claim.span.source.name == str(path) for claim in loaded.game.claims)
    for result in (run_example(loaded.game, e) for e in loaded.game.examples if e.span.source.name == str(path)):
        assert result.ok, result


# ---------------------------------------------------------------- the files


@pytest.mark.parametrize("family", TEMPLATES)
def test_a_template_is_a_sound_game_with_the_usual_answers(family: str) -> None:
    template = TEMPLATES[family]
    is_sound(template.path)
    Path("mine.dom").write_text(template.compose("mine", {}), encoding="utf-8")
    is_sound(Path("mine.dom"))


@pytest.mark.parametrize("family", TEMPLATES)
def test_whatever_is_answered_the_file_checks_and_its_examples_pass(family: str, full: bool) -> None:
    template = TEMPLATES[family]
    for row in rows(template) if full else pairwise(template):
        text = template.compose("mine", row)
        assert not any(line.startswith(("#?", "#:", "#|")) for line in text.splitlines())
        assert "\n\n\n" not in text
        Path("mine.dom").write_text(text, encoding="utf-8")
        is_sound(Path("mine.dom"))


@pytest.mark.parametrize("family", TEMPLATES)
def test_nothing_is_red_with_the_usual_answers(family: str, full: bool) -> None:
    assert dom("mine", "--family", family, "--players", "2").exit_code == 0
    only = ("D2", "S1", "S2", "S3", "F4", "C1", "C2", "C8", "T4", *(["T3"] if full else []))
    found = {v.item: v.word.standing for v in verify(load(Path("mine.dom")), Request([2], only=only))}
    assert set(found) == set(only)
    assert set(found.values()) <= {Standing.ESTABLISHED, None}


def test_the_flags_are_the_questions() -> None:
    asked = {question.key for template in TEMPLATES.values() for question in template.questions}
    flags = set(inspect.signature(new.command).parameters) - {"name", "family", "output", "force", "yes"}
    assert {"set" if flag == "top" else flag for flag in flags} == asked
    told = CliRunner().invoke(app.build(), ["new", "--help"], env={"COLUMNS": "200"}).output
    assert all(f"--{key}" in told for key in asked)


@pytest.mark.parametrize("family", TEMPLATES)
def test_every_question_says_why_and_every_default_is_an_answer(family: str) -> None:
    for question in TEMPLATES[family].questions:
        assert question.text.endswith(("?", ":"))
        assert question.why.endswith(".")
        assert question.read(question.default) == question.default
        assert (question.kind == "ask") == bool(question.answers)


# ---------------------------------------------------------------- the verb


def test_it_says_what_to_do_next() -> None:
    told = dom("our_night")
    assert told.exit_code == 0
    assert [line.split("   ")[0].strip() for line in told.stdout.splitlines()[1:]] == [
        "dom check our_night.dom", "dom test our_night.dom", "dom verify our_night.dom", "dom play our_night.dom"
    ]  # fmt: skip
    is_sound(Path("our_night.dom"))
    assert load(Path("our_night.dom")).name == "our_night"


def test_flags_are_answers() -> None:
    args = ["--players", "3", "--set", "9", "--hand", "4", "--draw", "one", "--fish", "last", "--target", "50"]
    told = dom("our_night", *args, "-o", "-")
    assert told.exit_code == 0
    lines = [line.split("  ")[0].rstrip() for line in told.stdout.splitlines()]
    for wanted in ("seats 3", "rule hand_size = 4", "rule draws = single"):
        assert wanted in lines
    assert "int 1..1000 = 50" in told.stdout
    assert not Path("our_night.dom").exists()


def test_nothing_is_overwritten_unasked() -> None:
    Path("mine.dom").write_text("precious")
    refused = dom("mine")
    assert refused.exit_code == 2
    assert "--force" in refused.stderr
    assert Path("mine.dom").read_text() == "precious"
    assert dom("mine", "--force").exit_code == 0
    is_sound(Path("mine.dom"))
    Path("link.dom").symlink_to("absent.dom")
    assert dom("other", "-o", "link.dom").exit_code == 2
    assert dom("other", "-o", "absent/other.dom").exit_code == 74


@pytest.mark.parametrize(
    "name",
    ["", "Our", "9nine", "a-b", "../up", "a b", 'a"\nrule top = 9', "a;b", "$(id)", "ž", "rule", "instead", "sum",
     "block", "line", "row", "x" * 41],
)  # fmt: skip
def test_a_name_that_cannot_be_is_refused(name: str) -> None:
    refused = dom(name)
    assert refused.exit_code == 2
    assert not list(Path().iterdir())


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--draw", "nune"], "did you mean `none`?"),
        (["--hand", "x"], "is not a number from 1 to 30"),
        (["--hand", "31"], "is not a number from 1 to 30"),
        (["--players", "4-2"], "begins with the larger number"),
        (["--target", "0"], "is not a number from 1 to 1000"),
        (["--family", "lime"], "did you mean `line`?"),
        (["--family", "fishing", "--draw", "one"], "does not ask for it"),
        (["--table", "4"], "does not ask for it"),
        (
            ["--fish", "last", "--tie", "share"],
            "this matters only with --fish lightest, not with --fish last; leave it out",
        ),
        (["--nobody", "again", "--start", "seat"], "this matters only with --start double, not with --start seat"),
        (["--hand", "9"], "these answers do not go together: with 4 players 4 × 9 = 36 tiles are dealt"),
    ],
)
def test_an_answer_that_cannot_be_is_refused(args: list[str], said: str) -> None:
    refused = dom("mine", *args)
    assert refused.exit_code == 2
    assert said in " ".join(refused.stderr.replace("│", " ").split())
    assert not Path("mine.dom").exists()


def test_on_a_terminal_it_asks(tmp_path: Path) -> None:
    number, keyboard = pty.fork()
    if number == 0:
        os.environ |= {"TERM": "dumb", "COLUMNS": "100"}
        os.execv(sys.executable, [sys.executable, "-m", "domrules", "new", "mine", "--draw", "none", "--set", "9"])
    told = b""
    for typed in ("2", "x", "5", "2", "", "nobody", "", "50"):
        os.write(keyboard, typed.encode() + b"\n")
    while True:
        try:
            some = os.read(keyboard, 4096)
        except OSError:
            break
        if not some:
            break
        told += some
    assert os.waitpid(number, 0)[1] == 0
    text = told.decode().replace("\r", "")
    assert "Who wins a round in which nobody can move (a fish)?\n  It is the case people argue about most.\n" in text
    assert "'x' is not a number from 1 to 30" in text
    assert "And if" not in text, "questions that do not matter are not asked"
    assert "What does somebody do who cannot lay" not in text, "what was given is not asked"
    written = Path("mine.dom").read_text(encoding="utf-8")
    assert "heaviest tile that was dealt" in written
    assert "otherwise -> false" in written
    assert "int 1..1000 = 50" in written
    assert "seats 2 " in written or "seats 2\n" in written


# ---------------------------------------------------------------- templates


def test_conditions() -> None:
    told = {"fish": "last", "tie": "share"}
    assert holds("", told)
    assert holds("fish=last|nobody tie=share", told)
    assert not holds("fish=nobody tie=share", told)


def test_a_range_is_read_as_people_write_it() -> None:
    question = Question("range", "players", "2-4", 2, 6, "")
    assert [question.read(told) for told in ("2-4", "2..4", " 3 ", "3-3", "2 - 6")] == ["2-4", "2-4", "3", "3", "2-6"]
    for told in ("", "-", "2-", "1-4", "2-7", "4-2", "²"):
        with pytest.raises(BadAnswer):
            question.read(told)
