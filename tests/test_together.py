"""Draws taken together: the same plays as draw by draw, and only where that is proved."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import game

from domrules.grammar.instance import instantiate
from domrules.grammar.load import load
from domrules.grammar.passes import optimise
from domrules.verifier.battery.subject import Subject
from domrules.verifier.bound import bound
from domrules.verifier.drawing import drawing
from domrules.verifier.goal import Goal, ended
from domrules.verifier.least import Least, roads
from domrules.verifier.shortest import Limits, Search
from domrules.verifier.study import Study
from domrules.verifier.together import Together

DRAW = """game small extends draw
rule top = {top}
rule reserve = {reserve}
"""
ACTION = """instead action draw(chance t in boneyard) as draw
  when laid > 0 and may_draw and not can_play(mover){when}
  do move t from boneyard to hand[mover]
     set drew to true{do}
"""


def subject(path: Path, text: str, each: int = 2, players: int = 2) -> Subject:
    path.write_text(text, encoding="utf-8")
    return Subject(optimise(instantiate(load(path), players, {"tiles_each": each})))


def fish(table: Subject) -> Goal:
    ways = [i for i, e in enumerate(table.instance.endings) if e.role == "fish"]
    return ended(table.study, table.rules, ways)


@pytest.mark.parametrize(
    ("top", "reserve", "each", "players"),
    [(2, 0, 2, 2), (3, 0, 2, 2), (3, 0, 3, 2), (3, 0, 1, 2), (3, 1, 2, 2), (3, 1, 3, 2), (3, 2, 2, 2), (3, 0, 2, 3)],
)
def test_the_same_play_is_the_least(tmp_path: Path, top: int, reserve: int, each: int, players: int) -> None:
    """Its moves and its deal, or that there is none with so few moves."""
    table = subject(tmp_path / "small.dom", DRAW.format(top=top, reserve=reserve), each, players)
    goal = fish(table)
    lower = bound(table.study, goal, table.proved)
    search = Search(table.study, table.rules, goal, lower, Limits())
    drawn, single = roads(search, lower.tiles, lower.begins)
    assert isinstance(drawn, Together)
    one, two = (Least(search, lower.tiles, play, lower.begins).witness(free=False) for play in (drawn, single))
    assert one == two
    assert one is None or one.canonical


REFUSED = {
    "a draw costs a point": ACTION.format(when="", do="\n     add 0 - 1 to score[mover.team]"),
    "a draw costs a point, and who has too few may not draw": ACTION.format(
        when=" and score[mover.team] > 0 - 2", do="\n     add 0 - 1 to score[mover.team]"
    ),
    "two draws a turn": "state taken_so_far: int 0..14 = 0 for the round\n"
    + ACTION.format(when=" and taken_so_far < 2", do="\n     add 1 to taken_so_far"),
    "one draw a turn": "instead rule draws = single\n",
    "the turn is over": ACTION.format(when="", do="\n     set mover to mover.next"),
    "only with few tiles": ACTION.format(when=" and not odd(size(hand[mover]))", do=""),
    "only a full hand draws": ACTION.format(when=" and size(hand[mover]) >= 3", do=""),
    "the round ends between": "ending few when size(boneyard) == 2\n" + ACTION.format(when="", do=""),
    "what was drawn before decides": "state twice: bool = false for the round\n"
    + ACTION.format(when=" and not twice", do="\n     set twice to drew"),
    "only some tiles": ACTION.replace("in boneyard)", "in those(x in boneyard where x.double))").format(when="", do=""),
    "it depends on the tile": ACTION.format(when=" and t.low < 2", do=""),
    "another is drawn for": ACTION.replace("hand[mover]\n", "hand[mover.next]\n").format(when="", do=""),
}


@pytest.mark.parametrize("rules", REFUSED.values(), ids=REFUSED.keys())
def test_draws_that_count_are_not_taken_together(tmp_path: Path, rules: str) -> None:
    table = subject(tmp_path / "small.dom", DRAW.format(top=3, reserve=0) + rules)
    assert drawing(table.study) is None


@pytest.mark.parametrize("rules", ["", "rule fish = stuck and laid > 1\n", ACTION.format(when=" and laid < 9", do="")])
def test_draws_that_only_draw_are(tmp_path: Path, rules: str) -> None:
    table = subject(tmp_path / "small.dom", DRAW.format(top=3, reserve=1) + rules)
    assert drawing(table.study) is not None


@pytest.mark.parametrize("name", ["draw", "petkove", "straight", "koza_online"])
def test_shipped_games_draw_together(name: str) -> None:
    assert drawing(Study(optimise(instantiate(game(name), 2)))) is not None
