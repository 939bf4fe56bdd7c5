"""The interpreter plays what an independent simulator plays, move for move, and as often blocked as is known."""

import pytest
import simulator
from tables import chance, names, shipped

from domrules.interpreter.chance import Chance
from domrules.interpreter.play import play_match
from domrules.interpreter.rules import Rules

GAMES: list[tuple[str, simulator.Name]] = [("block", "block"), ("draw", "draw"), ("petkove", "fives")]


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("spec", "name"), GAMES)
def test_every_move_is_that_of_the_simulator(spec: str, name: simulator.Name, players: int, full: bool) -> None:
    rules = shipped(spec, players, optimised=True)
    for index in range(1700 if full else 25):
        theirs = simulator.play(name, 7, index, players=players)
        ours = play_match(rules, Chance.named(7, index))
        assert names(rules, ours) == theirs.moves
        assert ours.digest == theirs.digest
        assert [rules.scores(played.settled) for played in ours.rounds] == [r.scores for r in theirs.rounds]


@pytest.mark.parametrize(("spec", "players", "percent"), [("block", 2, 70.5), ("block", 4, 26.9), ("draw", 2, 20.1)])
def test_as_many_rounds_are_blocked_as_is_known(spec: str, players: int, percent: float, full: bool) -> None:
    rules = shipped(spec, players, optimised=True)
    rounds = 20_000 if full else 1_000
    blocked = sum(is_fish(rules, index) for index in range(rounds))
    # A sample of 1,000 has a standard error of 1.4 percent.
    assert 100 * blocked / rounds == pytest.approx(percent, abs=1.2 if full else 5)


def is_fish(rules: Rules, index: int) -> bool:
    """Does the first round of a match end in a fish?"""
    (played,) = play_match(rules, chance(index), stop=1).rounds
    ending = rules.ending(played.ended)
    return ending is not None and rules.instance.endings[ending].role == "fish"
