"""What is said of the table alone: the bound from laying tiles is compared with every deal and every play of small tables."""

from pathlib import Path

import pytest
from tables import written
from test_verifier_small import deals

from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.grammar.passes import optimise
from domrules.interpreter.rules import Rules
from domrules.verifier.battery.subject import Subject
from domrules.verifier.battery.tabled import tabled
from domrules.verifier.goal import Goal, stated
from domrules.verifier.lays import lowest

GAMES = ("straight", "petkove")
VALUES = (4, 5, 10, 15)


def every_score(rules: Rules, score: core.Expr) -> dict[int, tuple[int, int]]:
    """For each number the fewest tiles, and then the fewest moves, with which it comes about in a first round."""
    table, worth = rules.instance.role("zone", "layout")[0], rules.question(score)
    states, found = {rules.begin(dealt) for dealt in deals(rules)}, dict[int, tuple[int, int]]()
    moves = 0
    while states:
        for state in states:
            value, size = int(worth(state)), (rules.layout.tiles(state, table).bit_count(), moves)
            found[value] = min(found.get(value, size), size)
        going = [state for state in states if rules.ending(state) is None]
        states = {
            rules.act(state, move, outcome)
            for state in going
            for move in rules.legal_moves(state)
            for outcome in rules.outcomes(state, move)
        }
        moves += 1
    return found


def just(subject: Subject, score: core.Expr, value: int) -> Goal:
    e = core.Op("numeq", (score, core.Lit(value, core.INT)), core.BOOL)
    return stated(subject.study, subject.rules, e)


@pytest.mark.parametrize("name", GAMES)
def test_bounds_hold_for_all_plays_and_are_met(name: str, tmp_path: Path) -> None:
    text = f"game small extends {name}\nrule top = 2\ninstead rule hand_size = 2\n"
    subject = Subject(optimise(instantiate(written(tmp_path, text, "small"), 2)))
    score = core.Call("play_score", (), core.INT)
    found = every_score(subject.rules, score)
    assert found.keys() & set(VALUES), "no score is met, so nothing is compared"
    for value in VALUES:
        goal = just(subject, score, value)
        lower = lowest(subject.study, goal, seconds=60)
        assert lower is not None, "the score of a play is said of the table alone"
        if lower.impossible:
            assert value not in found
        elif value in found:
            assert (lower.tiles, lower.begins) <= found[value]
            shortest = tabled(subject, goal)
            if shortest is not None and shortest.witness is not None:
                assert (shortest.tiles, len(shortest.witness.plies)) == found[value]
            else:
                assert lower.tiles < found[value][0]
