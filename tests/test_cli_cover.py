"""`dom test --cover`: a row, a statement, an action and an ending that can never be used are named with their places."""

import re
from pathlib import Path
from typing import Any

import pytest
from tables import written
from typer.testing import CliRunner

from domrules.cli import app
from domrules.grammar import core
from domrules.interpreter.chance import Chance
from domrules.interpreter.coverage import Coverage, as_written, clauses
from domrules.interpreter.examples import run_example
from domrules.interpreter.play import play_match
from domrules.interpreter.rules import Rules
from domrules.interpreter.tables import tables

PLANTED = """game case extends block
option double_pay: bool = false
define pay(p: player): int
  when size(hand[p]) > 99 and not   # this never happens
    double_pay                          -> 7
  when p.seat == 0                      -> factor
  otherwise                             -> 1
define factor: int
  when double_pay -> 2
  otherwise       -> 1
state luck: int 0..9 = 0 for the round
instead settle
  when winner is w -> add pay(w) to score[w.team]
                      set starter to w
                      set luck to 9 if moves > 9000
  otherwise        -> nothing
action wait
  when moves > 9000
  do set mover to mover.next
ending tired when moves > 9000
instead rule hand_size
  when size(players) == 2 -> 3
  otherwise               -> 4
example lone "the first seat is paid one"
  given hand[p1] = {6|6}
  given last_mover = p0
  rest in layout
  ended out
  expect score[p0.team] == 1
"""
DEAD = {
    "define pay: when size(hand[p]) > 99 and not double_pay -> 7",
    "settle: set luck to 9 if moves > 9000",
    "action wait: action wait",
    "ending tired: ending tired when moves > 9000",
}


@pytest.fixture
def game(tmp_path: Path) -> core.Game:
    return written(tmp_path, PLANTED, "case")


def dom(*args: str | Path) -> Any:
    return CliRunner().invoke(app.build(), [str(arg) for arg in args])


def own(game: core.Game, coverage: Coverage) -> set[str]:
    """What is missed of the file itself."""
    return {str(clause) for clause in coverage.never(game) if clause.span.source.name == game.file}


def test_what_can_never_be_used_is_missed_by_play(game: core.Game) -> None:
    coverage = Coverage()
    coverage.play(game, 200)
    assert own(game, coverage) == DEAD


def test_an_example_uses_what_it_needs(game: core.Game) -> None:
    coverage = Coverage()
    assert run_example(game, game.examples[0], coverage.rules).ok
    assert own(game, coverage) == DEAD | {
        "define pay: otherwise -> 1",
        "define factor: when double_pay -> 2",
        "settle: otherwise -> nothing",
        "rule hand_size: otherwise -> 4",
    }


def test_every_clause_has_a_place_of_its_own(game: core.Game) -> None:
    found = list(clauses(game))
    assert len({clause.span for clause in found}) == len(found)
    assert all("#" not in str(clause) for clause in found)


def test_watched_rules_play_the_same(game: core.Game) -> None:
    for instance in list(tables(game))[::6]:
        plain, watched = Rules(instance), Rules(as_written(instance))
        for index in range(5):
            match, again = (play_match(rules, Chance.named(3, index), stop=2) for rules in (plain, watched))
            assert match.digest == again.digest


def test_the_verb_lists_them_after_the_examples(game: core.Game) -> None:
    result = dom("test", game.file, "--cover")
    assert result.exit_code == 0
    head, _, rest = result.stdout.partition(" used in no example: ")
    assert re.search(r"ok   lone .*\n\d+ clauses of the rules · 400 random rounds played\n$", head)
    untried, _, dead = rest.partition(" used nowhere: ")
    assert untried.startswith("4 of this file, ")
    assert "\n   case.dom:7      otherwise -> 1   (define pay)\n" in untried
    assert dead.startswith("4 of this file, ")
    assert "\n   case.dom:5      when size(hand[p]) > 99 and not double_pay -> 7   (define pay)\n" in dead
    assert "\n   case.dom:15     set luck to 9 if moves > 9000   (settle)\n" in dead
    assert "\n   case.dom:17     action wait\n" in dead
    assert dead.index("case.dom") < dead.index("row.dom")
    assert dead.endswith("1 example · 1 passed · 0 failed\n")


def test_a_family_has_no_tables_to_play_at() -> None:
    result = dom("test", "line", "--cover")
    assert result.exit_code == 5
    assert "clauses" not in result.stdout


def test_rules_that_break_in_play_are_a_finding(tmp_path: Path) -> None:
    broken = written(tmp_path, PLANTED.replace("moves > 9000\n  otherwise", "moves > 0\n  otherwise"), "case")
    path = Path(broken.file)
    path.write_text(path.read_text("utf-8").replace("set luck to 9 if", "set luck to 10 if"), "utf-8")
    result = dom("test", path, "--cover")
    assert result.exit_code == 1
    assert "luck becomes 10, outside 0..9" in result.stderr
