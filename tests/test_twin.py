"""`twin` before a declaration: what holds in the small twin of a game, and only there."""

from pathlib import Path

from tables import game, written

from domrules.grammar.instance import instantiate
from domrules.grammar.load import check

FAMILY = """
family small_steps extends row
twin rule reserve = 1
twin rule hand_size = 1
"""
VARIANT = """
game steps extends small_steps
seats 2..4
rule hand_size = 5
rule draws = single
rule leader = first_seat
twin rule hand_size = 2
twin seats 2
twin ending out as out when laid > 2
settle nothing
over when true
"""


def test_the_twin_differs_where_the_files_say_so(tmp_path: Path) -> None:
    written(tmp_path, FAMILY, "small_steps")
    variant = written(tmp_path, VARIANT.replace("settle nothing\n", ""), "steps")
    assert variant.seats == (2, 3, 4)
    assert instantiate(variant, 2).deals[0][0] == 5
    assert variant.twin is not None
    small = variant.twin
    assert small.seats == (2,)
    assert small.twin is None
    table = instantiate(small, 2)
    assert table.deals[0][0] == 2, "a younger twin counts more than an older one"
    assert table.sorts["tile"].names == ("0|0", "0|5", "0|6", "5|5", "5|6", "6|6")
    assert [e.span.text.split()[1] for e in small.endings] == ["out", "blocked"]
    assert "laid > 2" in small.endings[0].span.text
    assert "laid > 2" not in variant.endings[0].span.text


def test_the_twin_has_options_of_its_own_and_no_examples() -> None:
    block = game("block")
    assert block.twin is not None
    assert block.twin.examples == ()
    assert block.twin.options["tiles_each"].high == 3
    assert block.options["tiles_each"].high == 9


def test_a_mistake_that_only_the_twin_has_is_told(tmp_path: Path) -> None:
    path = tmp_path / "wrong.dom"
    path.write_text("game wrong extends block\ntwin rule hand_size = nobody_knows\n", encoding="utf-8")
    assert [d.code for d in check(path).diagnostics] == ["DOM201"]
