"""The interpreter plays what an independent simulator plays, move for move."""

import pytest
import simulator
from tables import names, shipped

from domrules.interpreter.chance import Chance
from domrules.interpreter.play import play_match

GAMES: list[tuple[str, simulator.Name]] = [("block", "block"), ("draw", "draw"), ("petkove", "fives")]


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("spec", "name"), GAMES)
def test_every_move_is_that_of_the_simulator(spec: str, name: simulator.Name, players: int, full: bool) -> None:
    rules = shipped(spec, players, optimised=True)
    for index in range(560 if full else 25):
        theirs = simulator.play(name, 7, index, players=players)
        ours = play_match(rules, Chance.named(7, index))
        assert names(rules, ours) == theirs.moves
        assert ours.digest == theirs.digest
        assert [rules.scores(played.settled) for played in ours.rounds] == [r.scores for r in theirs.rounds]
