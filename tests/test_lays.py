"""What is said of the table alone: the bound from laying tiles is compared with every deal and every play of small tables."""

from pathlib import Path

import pytest
from tables import written

from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.grammar.load import load
from domrules.grammar.passes import optimise
from domrules.interpreter.rules import Rules
from domrules.verifier.battery.run import Request, verify
from domrules.verifier.battery.subject import Subject
from domrules.verifier.battery.tabled import tabled
from domrules.verifier.explicit.explore import Limits, explore
from domrules.verifier.goal import Goal, stated
from domrules.verifier.lays import lowest
from domrules.verifier.verdict import Word

BENCHMARKS = Path(__file__).parent.parent / "benchmarks" / "games"
GAMES = ("straight", "petkove")
VALUES = (4, 5, 10, 15)


def every_score(rules: Rules, score: core.Expr) -> dict[int, tuple[int, int]]:
    """For each number the fewest tiles, and then the fewest moves, with which it comes about in a first round."""
    table, worth = rules.instance.role("zone", "layout")[0], rules.question(score)
    explored, found = explore(rules, limits=Limits(matches=1)), dict[int, tuple[int, int]]()
    for state, moves in zip(explored.states, explored.depths, strict=True):
        value, size = int(worth(state)), (rules.layout.tiles(state, table).bit_count(), moves)
        found[value] = min(found.get(value, size), size)
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


@pytest.mark.parametrize("file", ["fives", "fives_led"])
def test_the_most_points_of_a_play_of_fives(file: str, full: bool) -> None:
    if not full:
        pytest.skip("takes long: --full")
    found = list(verify(load(BENCHMARKS / f"{file}.dom"), Request([2], only=["most", "soon"], seconds=300)))
    assert [verdict.word for verdict in found] == [Word.PROVED, Word.WITNESSED]
    assert found[0].details[0].startswith("the greatest value is 35: it is met")
    assert found[1].details[0].startswith("9 tiles, ")
