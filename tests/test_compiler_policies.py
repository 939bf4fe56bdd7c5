"""Policies: the same match in every engine and for the bots of `dom run`, seat by seat; and what they prefer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tables import TINY, game, of_file, written

from domrules.compiler.batch import Form, engine
from domrules.compiler.rows import CHUNK
from domrules.compiler.traces import COLUMNS, Traces
from domrules.compiler.writer import Unsupported
from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.grammar.load import SHIPPED
from domrules.grammar.passes import optimise
from domrules.interpreter.bots import seating
from domrules.interpreter.chance import WORD, Chance
from domrules.interpreter.course import started
from domrules.interpreter.foresight import foreseen
from domrules.interpreter.play import play_match
from domrules.interpreter.policies import POLICIES, Greedy, Worth, shares, weight, weights
from domrules.interpreter.roster import SHARED
from domrules.interpreter.rules import Rules

SEED = 5
FILES = sorted([*SHIPPED.glob("*.dom"), *SHIPPED.glob("house/*.dom")])
SAMPLE = ("koza", "nines", "petkove", "rybareni", "straight")


def table(name: str, players: int) -> core.Instance:
    return instantiate(game(name), players)


def compiled(instance: core.Instance, form: Form, names: Sequence[str], matches: int) -> list[tuple[int, ...]]:
    made = engine(optimise(instance), Traces(), form, policies=names)
    assert matches <= CHUNK
    assert made.run(0, matches, SEED)
    return list(zip(*(list(made.read(name)[:matches]) for name in COLUMNS), strict=True))


def interpreted(rules: Rules, names: Sequence[str], index: int) -> tuple[int | None, ...]:
    chance = Chance.named(SEED, index)
    match = play_match(rules, chance, seating(rules, names)(SEED, index, chance))
    return match.winners, len(match.rounds), sum(len(r.plies) for r in match.rounds), match.digest


def mixed(players: int) -> Sequence[str]:
    """All policies, as far as there are seats."""
    return ["greedy", "heavy", "first", "random"][:players]


def agree(instance: core.Instance, names: Sequence[str], matches: int, checked: int) -> None:
    wasm, python = (compiled(instance, form, names, matches) for form in (Form.WASM, Form.PYTHON))
    assert wasm == python
    rules = Rules(instance)
    for index in range(checked):
        assert (*wasm[index][:3], wasm[index][3] & WORD) == interpreted(rules, names, index), (names, index)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_engine_plays_the_same_match(path: Path, full: bool) -> None:
    if not full and path.stem not in SAMPLE:
        pytest.skip("takes long: --full")
    seats = of_file(path).seats
    for players in seats if full else seats[-1:]:
        instance = instantiate(of_file(path), players)
        agree(instance, mixed(players), 200 if full else 4, 20 if full else 1)
        if full:
            for name in SHARED:
                agree(instance, [name] * players, 100, 5)


def test_all_random_is_the_match_without_policies() -> None:
    instance = table("draw", 2)
    assert compiled(instance, Form.PYTHON, ["random"] * 2, 5) == compiled(instance, Form.PYTHON, (), 5)


def test_several_words_of_tiles(tmp_path: Path) -> None:
    agree(instantiate(written(tmp_path, "game large extends petkove\nrule top = 12\n", "large"), 2), ["greedy", "heavy"], 4, 1)  # fmt: skip


# ---------------------------------------------------------------- what they prefer


@pytest.mark.parametrize("name", ["heavy", "greedy", "first"])
def test_a_move_is_one_of_the_best(name: str) -> None:
    rules = Rules(table("petkove", 2))
    policy = POLICIES[name](rules)
    tiles = weights(rules.instance)
    worth, several = Worth(rules), 0
    for seed in range(6):
        course = started(rules, seed)
        while course.ending is None:
            moves, view = rules.legal_moves(course.position), course.view(rules.mover(course.position) or 0)
            best = policy.best(view, moves)
            several += len(best) > 1
            match name:
                case "heavy":
                    values = [weight(rules.instance, tiles, move) for move in moves]
                case "greedy":
                    chance = rules.has_chance(moves[0])
                    after = [course.position if chance else rules.effects(course.position, move) for move in moves]
                    values = [worth.points(state, view.player) for state in after]
                case _:
                    values = [-i for i in range(len(moves))]
            assert list(best) == [i for i, v in enumerate(values) if v == max(values)]
            course = course.play(moves[best[-1]])
    assert several or name == "first"


@pytest.mark.parametrize(("name", "sign"), [("block", 1), ("petkove", 1), ("koza", -1), ("parove", -1)])
def test_points_are_good_or_bad_by_the_rule_that_says_who_has_won(name: str, sign: int) -> None:
    rules = Rules(table(name, 2))
    assert shares(rules, 0) == (sign, -sign)
    assert shares(rules, 1) == (-sign, sign)


def test_points_that_hidden_tiles_decide_are_not_foreseen(tmp_path: Path) -> None:
    def known(amount: str) -> set[str]:
        text = TINY.replace("add pips(t) to", f"add {amount} to")
        instance = instantiate(written(tmp_path, text), 2)
        return set(foreseen(instance))

    assert known("pips(t)") == known("pips(t) + size(hand[p1])") == {"lay"}
    assert known("size(box)") == {"lay"}
    assert known("sum(x in hand[p1]: pips(x))") == set()
    assert known("0") == set()


def test_a_move_that_is_tried_and_breaks_a_promise_stops_the_match(tmp_path: Path) -> None:
    text = TINY.replace(
        "  then add pips(t)", "  then set last to the(those(x in pile where x.low == x.high))\n  then add pips(t)"
    )
    instance = instantiate(written(tmp_path, text.replace("deal 1", "deal 2")), 2)
    for form in Form:
        made = engine(optimise(instance), Traces(), form, policies=["greedy"] * 2)
        assert not made.run(0, 50, SEED)


def test_what_is_not_compiled_is_said() -> None:
    with pytest.raises(Unsupported, match="what ahead would do"):
        engine(optimise(table("block", 2)), Traces(), Form.PYTHON, policies=["ahead", "random"])


def test_greedy_is_blind() -> None:
    """What greedy knows of a move is what its view says; `test_bots` changes what it cannot see."""
    rules = Rules(table("block", 2))
    course = started(rules, 1)
    moves = rules.legal_moves(course.position)
    assert list(Greedy(rules).best(course.view(rules.mover(course.position) or 0), moves)) == list(range(len(moves)))
