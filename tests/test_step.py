"""Blocks are simultaneous, what must not be is a rule error, and moves are found in canonical order."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tables import TINY, written

from domrules.grammar import core
from domrules.grammar.core import BOOL, INT, Elem, Lit, Op, SetOf
from domrules.grammar.instance import instantiate
from domrules.interpreter.errors import IllegalMove, RuleError
from domrules.interpreter.names import Move, find_move, move_name, parse_move
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.step import Placement

PLAYER, TILE = Elem("player"), Elem("tile")
FIRST = Lit(0, PLAYER)
MOVER = core.Read("mover", None, PLAYER)
BOX, PILE = core.Read("box", None, SetOf("tile")), core.Read("pile", None, SetOf("tile"))
NEXT = core.Table((1, 0), MOVER, PLAYER)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> core.Instance:
    return instantiate(written(tmp_path_factory.mktemp("tiny"), TINY), 2)


@pytest.fixture(scope="module")
def run(tiny: core.Instance) -> Callable[..., dict[str, Any]]:
    """Runs blocks from a state with mover p0 and scores 10 and 20; gives the cells by name."""

    def run(*blocks: core.Block, **changes: Any) -> dict[str, Any]:
        # No ending, so that looking for one cannot interfere.
        rules = Rules(replace(tiny, begin=blocks, endings=(), **changes))
        before = rules.new_round(rules.new_match())
        before = rules.layout.put(before, {("mover", None): 0, ("score", 0): 10, ("score", 1): 20})
        return cells(rules, rules.begin(before))

    return run


def cells(rules: Rules, state: State) -> dict[str, Any]:
    return {f"{var.name}{'' if i is None else i}": state.cells[cell] for var, i, cell in rules.layout.walk()}


def number(n: int) -> Lit:
    return Lit(n, INT)


def write(value: core.Expr, index: core.Expr | None = FIRST, add: bool = False) -> core.Set:
    return core.Set("score", index, value, add)


def score(index: int) -> core.Read:
    return core.Read("score", Lit(index, PLAYER), INT)


def tile(i: int) -> Lit:
    return Lit(i, TILE)


def test_all_statements_see_the_state_before(run: Callable[..., dict[str, Any]]) -> None:
    swapped = run(
        (write(score(1), Lit(0, PLAYER)), write(score(0), Lit(1, PLAYER)), core.Set("mover", None, NEXT, False))
    )
    assert (swapped["score0"], swapped["score1"], swapped["mover"]) == (20, 10, 1)


def test_the_next_block_sees_the_result(run: Callable[..., dict[str, Any]]) -> None:
    after = run((core.Set("mover", None, NEXT, False),), (write(number(5), MOVER),))
    assert (after["score0"], after["score1"]) == (10, 5)


def test_increases_add_up(run: Callable[..., dict[str, Any]]) -> None:
    every = core.Each("p", "player", None, None, (write(number(2), Lit(1, PLAYER), add=True),))
    assert run((every, write(number(1), Lit(1, PLAYER), add=True)))["score1"] == 25


def test_each_runs_over_those_its_guard_holds_for(run: Callable[..., dict[str, Any]]) -> None:
    local = core.Local("p", PLAYER)
    rich = Op("lt", (number(15), core.Read("score", local, INT)), BOOL)
    after = run((core.Each("p", "player", None, rich, (write(number(0), local),)),))
    assert (after["score0"], after["score1"]) == (10, 0)


def test_if_decides_by_the_state_before(run: Callable[..., dict[str, Any]]) -> None:
    condition = Op("numeq", (score(0), number(10)), BOOL)
    assert run((write(number(1)), core.If(condition, (write(number(2), Lit(1, PLAYER)),))))["score1"] == 2


@pytest.mark.parametrize(
    ("block", "sentence"),
    [
        ((write(number(1)), write(number(1))), "score is written twice"),
        ((write(number(1), add=True), write(number(1))), "score is written twice"),
        ((write(number(1)), write(number(1), add=True)), "score is set and added to"),
        ((core.Move(tile(0), BOX, PILE), core.Move(tile(0), BOX, PILE)), "a tile is moved twice"),
        ((core.Move(tile(0), PILE, BOX),), "the tile to be moved is not in pile"),
    ],
)
def test_what_must_not_be_is_a_rule_error(run: Callable[..., dict[str, Any]], block: core.Block, sentence: str) -> None:
    with pytest.raises(RuleError, match=sentence) as caught:
        run(block)
    assert "score[p1] = 20" in str(caught.value)


def test_a_tile_moved_to_where_it_lies_stays(run: Callable[..., dict[str, Any]]) -> None:
    assert run((core.Move(tile(0), BOX, BOX),))["box"] == 0b111111


def test_a_declared_range_is_a_promise(run: Callable[..., dict[str, Any]], tiny: core.Instance) -> None:
    variables = {**tiny.vars, "score": replace(tiny.vars["score"], low=0, high=15)}
    with pytest.raises(RuleError, match=r"score becomes 20, outside 0\.\.15"):
        run((write(number(5)), write(number(0), Lit(1, PLAYER), add=True)), vars=variables)
    assert run((write(number(15)), write(number(2), Lit(1, PLAYER))), vars=variables)["score1"] == 2


# ---------------------------------------------------------------- moves


@pytest.fixture(scope="module")
def rules(tiny: core.Instance) -> Rules:
    return Rules(tiny)


@pytest.fixture(scope="module")
def state(rules: Rules) -> State:
    """The first player holds 0|1 and 1|2, the second 2|2; the others are in the box."""
    hands = {("hand", 0): 0b10010, ("hand", 1): 0b100000, ("box", None): 0b001101, ("mover", None): 0}
    return rules.layout.put(rules.new_round(rules.new_match()), hands)


def test_moves_come_in_canonical_order_and_chance_is_one_move(rules: Rules, state: State) -> None:
    assert [str(move_name(rules.instance, m)) for m in rules.legal_moves(state)] == ["lay(0|1)", "lay(1|2)", "take"]
    take = rules.legal_moves(state)[2]
    assert [str(move_name(rules.instance, take, o)) for o in rules.outcomes(state, take)] == [
        "take(0|0)",
        "take(0|2)",
        "take(1|1)",
    ]


def test_a_move_without_outcome_is_not_legal(rules: Rules, state: State) -> None:
    empty = rules.layout.put(state, {("box", None): 0, ("pile", None): 0b001101})
    assert [m.action for m in rules.legal_moves(empty)] == [0, 0]


def test_a_move_is_counted_and_endings_are_looked_at(rules: Rules, state: State) -> None:
    once = rules.act(state, Move(0, (1,)))
    assert (rules.layout.get(once, "moves"), rules.ending(once), rules.mover(once)) == (1, None, 1)
    out = rules.act(once, Move(0, (5,)))
    assert rules.ending(out) == 0
    assert rules.legal_moves(out) == ()


def test_an_ending_holds_at_the_start_only_where_it_says_so(tiny: core.Instance, state: State) -> None:
    empty = Rules(tiny).layout.put(state, {("hand", 1): 0, ("box", None): 0b101101})
    assert Rules(tiny).ending(Rules(tiny).begin(empty)) is None
    early = replace(tiny, endings=tuple(replace(e, at_start=True) for e in tiny.endings))
    assert Rules(early).ending(Rules(early).begin(empty)) == 0


def test_the_first_ending_that_holds_is_the_ending(tiny: core.Instance, state: State) -> None:
    always = core.Ending("always", core.TRUE, None, False)
    both = Rules(replace(tiny, endings=(always, *tiny.endings)))
    assert both.ending(both.act(both.act(state, Move(0, (1,))), Move(0, (5,)))) == 0


def test_guards_are_tested_for_each_choice(tiny: core.Instance, state: State) -> None:
    lay, take = tiny.actions
    (param,) = lay.params
    high = Op("lt", (number(2), core.Call("pips", (core.Local(param.name, TILE),), INT)), BOOL)
    heavy = Rules(replace(tiny, actions=(replace(lay, guard=high), take)))
    assert [str(move_name(tiny, m)) for m in heavy.legal_moves(state)] == ["lay(1|2)", "take"]


def test_a_strict_settlement_has_one_row_that_holds(tiny: core.Instance, state: State) -> None:
    row = core.Row(Op("lt", (core.Read("score", core.Local("p", PLAYER), INT), number(5)), BOOL), ())
    settle = core.Settle("p", "player", (row, row, core.Row(core.TRUE, ())), strict=True, complete=True)
    strict = Rules(replace(tiny, settles=(settle,)))
    with pytest.raises(RuleError, match="strict"):
        strict.settle(state)
    assert strict.settle(strict.layout.put(state, {("score", 0): 5, ("score", 1): 9}))


def test_a_move_lays_tiles_on_the_table(rules: Rules, state: State) -> None:
    first, second = Move(0, (1,)), Move(0, (5,))
    assert rules.placements(state, first) == (Placement(1, None, 0, 0, False),)
    assert rules.placements(rules.act(state, first), second) == (Placement(5, 1, 2, 0, True),)


@pytest.mark.parametrize("text", ["lay(1|2)", "take", "take(0|0)"])
def test_a_move_is_found_by_its_name(rules: Rules, text: str) -> None:
    move, outcome = find_move(rules.instance, parse_move(text))
    assert str(move_name(rules.instance, move, outcome)) == text


def test_either_half_of_a_tile_may_come_first(rules: Rules) -> None:
    assert find_move(rules.instance, parse_move("lay(2|1)")) == find_move(rules.instance, parse_move("lay(1|2)"))


@pytest.mark.parametrize("text", ["lay", "lay(7|7)", "lay(0|0,0|1)", "fly", "lay(", "lay()", "lay 0|0", ""])
def test_what_is_no_move_is_refused(rules: Rules, text: str) -> None:
    with pytest.raises(IllegalMove):
        find_move(rules.instance, parse_move(text))
