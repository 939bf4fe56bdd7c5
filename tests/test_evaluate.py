"""Each form of expression means what it should, in a state of a small game."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import TINY, written

from domrules.grammar import core
from domrules.grammar.arithmetic import operate
from domrules.grammar.core import BOOL, INT, Elem, Lit, Local, Maybe, Op, SetOf
from domrules.grammar.instance import instantiate
from domrules.interpreter.errors import RuleError
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State, elements, kth

PLAYER, TILE = Elem("player"), SetOf("tile")


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return Rules(instantiate(written(tmp_path_factory.mktemp("tiny"), TINY), 3))


@pytest.fixture(scope="module")
def state(rules: Rules) -> State:
    """Scores 3, 5, 3; the first player has two tiles; nobody has moved."""
    return rules.layout.put(
        rules.new_round(rules.new_match()),
        {("score", 0): 3, ("score", 1): 5, ("score", 2): 3, ("hand", 0): 0b11, ("mover", None): 1},
    )


def number(n: int) -> Lit:
    return Lit(n, INT)


def tiles(mask: int) -> Lit:
    return Lit(mask, TILE)


def score(index: core.Expr) -> core.Read:
    return core.Read("score", index, INT)


def local(name: str, sort: str = "player") -> Local:
    return Local(name, Elem(sort))


def over(kind: str, body: core.Expr | None, **parts: core.Expr) -> core.Agg:
    kinds: dict[str, core.Type] = {
        "any": BOOL,
        "all": BOOL,
        "sum": INT,
        "set": SetOf("player"),
        "pick": Maybe("player"),
    }
    return core.Agg(kind, "p", "player", parts.get("domain"), parts.get("guard"), body, kinds[kind])


def below(limit: int) -> Op:
    return Op("lt", (score(local("p")), number(limit)), BOOL)


MOVER = core.Read("mover", None, PLAYER)
SCORE = score(local("p"))

CASES: list[tuple[core.Expr, Any]] = [
    (number(7), 7),
    (MOVER, 1),
    (score(MOVER), 5),
    (score(Lit(2, PLAYER)), 3),
    (core.Table((10, 20, 30), MOVER, INT), 20),
    (core.Cases(((Op("lt", (score(MOVER), number(4)), BOOL), number(1)),), number(2), INT), 2),
    (core.Cases(((core.TRUE, number(1)), (core.TRUE, number(2))), number(3), INT), 1),
    (over("any", below(4)), True),
    (over("any", below(3)), False),
    (over("any", below(4), domain=Lit(0b010, SetOf("player"))), False),
    (over("any", below(4), guard=Op("eq", (local("p"), MOVER), BOOL)), False),
    (over("all", below(6)), True),
    (over("all", below(5)), False),
    (over("all", below(5), guard=below(4)), True),
    (over("sum", SCORE), 11),
    (over("sum", SCORE, guard=below(4)), 6),
    (over("set", None, guard=below(4)), 0b101),
    (over("pick", local("p"), guard=below(4)), 0),
    (over("pick", local("p"), guard=below(1)), None),
    (over("any", core.TRUE, domain=Op("toset", (Lit(None, Maybe("player")),), SetOf("player"))), False),
    (core.Best(False, Lit(0b111, SetOf("player")), "p", "player", SCORE, SetOf("player")), 0b101),
    (core.Best(True, Lit(0b111, SetOf("player")), "p", "player", SCORE, SetOf("player")), 0b010),
    (core.Best(True, Lit(0, SetOf("player")), "p", "player", SCORE, SetOf("player")), 0),
    (core.Sole(tiles(0b100), False, Maybe("tile")), 2),
    (core.Sole(tiles(0b110), False, Maybe("tile")), None),
    (core.Sole(tiles(0), False, Maybe("tile")), None),
    (core.Sole(tiles(0b100), True, Elem("tile")), 2),
    (core.Sole(Lit(1, Maybe("tile")), True, Elem("tile")), 1),
    (core.Call("pips", (Lit(4, Elem("tile")),), INT), 3),
    (Op("in", (Lit(None, Maybe("tile")), tiles(0b111)), BOOL), False),
    (Op("in", (Lit(1, Elem("tile")), core.Read("hand", Lit(0, PLAYER), TILE)), BOOL), True),
    (Op("eq", (Lit(None, Maybe("tile")), core.Read("last", None, Maybe("tile"))), BOOL), True),
    (Op("iff", (core.FALSE, core.FALSE), BOOL), True),
]


@pytest.mark.parametrize(("e", "value"), CASES)
def test_a_form_has_its_value(rules: Rules, state: State, e: core.Expr, value: Any) -> None:
    assert rules.question(e)(state) == value


@pytest.mark.parametrize("held", [tiles(0), tiles(0b11), Lit(None, Maybe("tile"))])
def test_a_promise_that_is_not_kept_is_a_rule_error(rules: Rules, state: State, held: Lit) -> None:
    with pytest.raises(RuleError, match="promises exactly one") as caught:
        rules.question(core.Sole(held, True, Elem("tile")))(state)
    assert "score[p1] = 5" in caught.value.state


def test_a_strict_table_has_one_row_that_holds(rules: Rules, state: State) -> None:
    rows = ((core.TRUE, number(1)), (core.TRUE, number(2)))
    with pytest.raises(RuleError, match="strict"):
        rules.question(core.Cases(rows, number(3), INT, strict=True))(state)


def test_a_state_without_value_is_not_looked_at(rules: Rules, state: State) -> None:
    unset = rules.layout.put(state, {("mover", None): None})
    with pytest.raises(RuleError, match="mover is looked at before it has a value"):
        rules.question(score(MOVER))(unset)


def test_and_looks_right_only_when_the_left_holds(rules: Rules, state: State) -> None:
    broken = Op("some", (core.Sole(tiles(0), True, Elem("tile")),), BOOL)
    assert rules.question(Op("and", (core.FALSE, broken), BOOL))(state) is False
    assert rules.question(Op("or", (core.TRUE, broken), BOOL))(state) is True


def test_the_same_name_may_be_bound_inside_itself(rules: Rules, state: State) -> None:
    inner = over("any", below(4))
    outer = over("sum", SCORE, guard=inner)
    assert rules.question(over("all", Op("lt", (SCORE, outer), BOOL), guard=inner))(state) is True


def test_calls_are_remembered_in_the_state_only(rules: Rules, state: State) -> None:
    fn = core.Fn("richest", (("p", PLAYER),), INT, over("sum", SCORE), False, None, "", "", "")
    instance = replace(rules.instance, fns={**rules.instance.fns, "richest": fn})
    ask = Rules(instance).question(core.Call("richest", (MOVER,), INT))
    assert ask(state) == 11
    assert ask(state) == 11
    assert ask(rules.layout.put(state, {("score", 0): 4})) == 12


NUMBERS = st.integers(-60, 60)


@given(NUMBERS, NUMBERS, st.integers(1, 12), st.sampled_from(["up", "down", "even", "away"]))
def test_operators_agree_with_constant_folding(rules: Rules, x: int, y: int, k: int, tie: str) -> None:
    binary = ["add", "sub", "mul", "lt", "le", "numeq"]
    unary = ["odd", "div", "mod", "round", "roundup", "rounddown"]
    state = State(())
    for name in binary:
        assert rules.question(Op(name, (number(x), number(y)), INT))(state) == operate(name, [x, y], 0, "")
    for name in unary:
        ours = rules.question(Op(name, (number(x),), INT, k, tie))(state)
        assert ours == operate(name, [x], k, tie)
    assert rules.question(Op("round", (number(x),), INT, k, tie))(state) in (x // k * k, -(-x // k) * k)


@given(st.integers(0, 63), st.integers(0, 63))
def test_set_operators_agree_with_python(rules: Rules, x: int, y: int) -> None:
    a, b = set(elements(x)), set(elements(y))
    found = {
        name: rules.question(Op(name, (tiles(x), tiles(y)), TILE))(State(())) for name in ("union", "inter", "minus")
    }
    assert {name: set(elements(mask)) for name, mask in found.items()} == {
        "union": a | b,
        "inter": a & b,
        "minus": a - b,
    }
    assert rules.question(Op("size", (tiles(x),), INT))(State(())) == len(a)
    assert rules.question(Op("some", (tiles(x),), BOOL))(State(())) is bool(a)


@given(st.sets(st.integers(0, 90), min_size=1))
def test_elements_and_kth_follow_the_canonical_order(held: set[int]) -> None:
    mask = sum(1 << i for i in held)
    assert list(elements(mask)) == sorted(held)
    assert [kth(mask, k) for k in range(len(held))] == sorted(held)
