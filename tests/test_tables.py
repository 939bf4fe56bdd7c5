"""The tables a game is tried at: all settings where they are few, else every two values that may stand together."""

from itertools import combinations, product
from pathlib import Path

from tables import TINY, game, written

from domrules.grammar import core
from domrules.interpreter.tables import FEW, nearest, table, tables, values

MANY = (
    "\n".join(f"option with_{c}: bool = false" for c in "abcdefg") + "\noption bare: bool = false requires not with_b\n"
)


def test_few_settings_are_all_tried() -> None:
    found = [tuple(i.options.values()) for i in tables(game("rybareni")) if i.players == 3]
    assert found[0] == (True, 0)
    assert sorted(found) == sorted(product((False, True), (0, 1)))


def test_a_number_is_tried_at_its_ends_as_far_as_the_table_allows() -> None:
    block = game("block")
    assert [values(block, players, block.options["tiles_each"]) for players in (3, 4)] == [[1, 5, 9], [1, 4, 7]]
    assert nearest(block, 4, block.options["tiles_each"], 9) == 7
    assert values(block, 2, block.options["target"]) == [1, 500, 1000]


def test_a_value_that_no_table_of_so_many_allows_is_left_out() -> None:
    petkove = game("petkove")
    assert values(petkove, 3, petkove.options["pairs"]) == [False]
    assert values(petkove, 4, petkove.options["pairs"]) == [False, True]


def test_of_many_settings_every_two_values_meet(tmp_path: Path) -> None:
    tried = [i for i in tables(written(tmp_path, TINY + MANY)) if i.players == 2]
    assert len(tried) < FEW < 2**8
    options = tried[0].game.options
    for a, b in combinations([name for name in options if name != "goal"], 2):
        met = {(i.options[a], i.options[b]) for i in tried}
        refused = {(True, True)} if {a, b} == {"with_b", "bare"} else set[tuple[bool, bool]]()
        assert met == set(product((False, True), repeat=2)) - refused
    assert {i.options["goal"] for i in tried} == {1, 5, 10, 20}


def test_the_defaults_come_first_and_no_table_twice() -> None:
    found = list(tables(game("petkove")))
    for players in game("petkove").seats:
        mine = [i for i in found if i.players == players]
        assert mine[0].options == default(game("petkove"), players).options
        assert len({tuple(i.options.values()) for i in mine}) == len(mine)


def default(of: core.Game, players: int) -> core.Instance:
    instance = table(of, players, {})
    assert instance is not None
    return instance
