"""`--set OPTION=any`: what is said of all values of an option agrees with what is said of each."""

import random
from itertools import product
from pathlib import Path

import pytest
from tables import game
from typer.testing import CliRunner

from domrules.cli import app
from domrules.verifier.battery import opened
from domrules.verifier.battery.run import Request, verify
from domrules.verifier.verdict import Standing, Word

ITEMS = ("S1", "S2", "S3", "D4", "M2", "F1", "C1", "C2", "C5", "C8", "W1", "W2", "W3", "W4")
"""Items that say of every position that nothing is wrong."""
SOME = random.Random(0).sample(ITEMS, 6)
"""Those of a short run."""


@pytest.mark.parametrize("name", ["petkove", "koza"])
def test_what_holds_with_any_value_holds_with_each(name: str, full: bool) -> None:
    """One value of each option, and some items; with `--full` all values of all options that are words or switches."""
    if name == "petkove" and not full:
        pytest.skip("takes long: --full")
    rules, players, items = game(name), game(name).seats[0], ITEMS if full else SOME
    any_value = opened.every(rules, {})
    (table,) = opened.tables(rules, players, any_value)
    listed = [n for n in table.open if n not in rules.options or rules.options[n].high is None]
    found = {v.item: v for v in verify(rules, Request([players], any_value, only=tuple(items)))}
    assert {v.scope for v in found.values()} == {" ".join([f"players={players}", *(f"{n}=any" for n in table.open)])}
    values = {n: opened.values(rules, players, rules.options[n]) for n in listed}
    chosen = product(*values.values()) if full else zip(*(v[-1:] for v in values.values()), strict=True)
    for choice in chosen:
        one = dict(zip(listed, choice, strict=True))
        for verdict in verify(rules, Request([players], one, only=tuple(items))):
            if found[verdict.item].word is Word.PROVED:
                assert verdict.word.standing in (Standing.ESTABLISHED, Standing.HOLLOW, None), (one, verdict)
            if verdict.word is Word.REFUTED:
                assert found[verdict.item].word in (Word.REFUTED, Word.UNKNOWN), (one, verdict)


def test_values_that_cannot_be_open_are_tables_of_their_own() -> None:
    """Who plays together decides the teams: with four players there is a table with pairs and one without."""
    rules = game("petkove")
    options = opened.every(rules, {})
    assert [len(list(opened.tables(rules, n, options))) for n in (2, 3, 4)] == [1, 1, 2]
    pairs, *_ = (t.options["pairs"] for t in reversed(list(opened.tables(rules, 4, options))))
    assert pairs is True
    assert "tiles_each" not in opened.every(game("block"), {})


SHORT = """game short extends block
title en "An option that breaks the start"
option bug: bool = false "Nobody begins."
instead rule leader
  when bug  -> none
  otherwise -> first_seat
"""


@pytest.fixture
def short(tmp_path: Path) -> Path:
    path = tmp_path / "short.dom"
    path.write_text(SHORT, encoding="utf-8")
    return path


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app.build(), ["verify", *arguments, "--no-cache"])
    return result.exit_code, result.output


def test_a_finding_names_the_values_it_has(short: Path) -> None:
    code, text = run(str(short), "S1", "--players", "2", "--set", "any")
    assert code == 1
    assert "players=2 target=any bug=any" in text
    assert "with    target=" in text
    assert "bug=true" in text
    assert "asked at the defaults of tiles_each" in text
    assert run(str(short), "S1", "--players", "2", "--set", "any", "--set", "bug=false")[0] == 0


def test_what_is_shown_with_some_values_says_so(short: Path) -> None:
    code, text = run(str(short), "out_happens", "--players", "2", "--set", "target=any")
    assert code == 0
    assert "does not say that it is so with every value of target" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "tiles_each=any"], "give it a value"),
        (["--set", "bgu=any"], "did you mean `bug`"),
        (["--set", "any", "--small"], "--small asks of no others"),
    ],
)
def test_what_cannot_be_open_is_refused(short: Path, arguments: list[str], message: str) -> None:
    code, text = run(str(short), "S1", "--players", "2", *arguments)
    assert code == 2
    assert message in " ".join(text.replace("│", " ").split())
