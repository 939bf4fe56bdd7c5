"""As many rounds end in a fish as is known: the first rounds of 20,000 matches, each within 1.2 percent.

20,000 rounds with p blocked scatter by 100 · √(p(1-p) / 20,000), 0.32 percent at most: 1.2 are nearly four times that.
A smaller sample is given the same multiple, so that its band widens with the root of how much smaller it is.
"""

from itertools import pairwise
from math import sqrt

import pytest
from tables import chance, shipped

from domrules.interpreter.play import play_match
from domrules.interpreter.rules import Rules

ROUNDS, BAND = 20_000, 1.2
RATES = [("block", 2, 70.5), ("block", 4, 26.9), ("draw", 2, 20.1)]


@pytest.mark.parametrize(("name", "players", "percent"), RATES)
def test_as_many_rounds_are_blocked_as_is_known(name: str, players: int, percent: float, full: bool) -> None:
    rules, rounds = shipped(name, players, optimised=True), ROUNDS if full else 2_000
    blocked = sum(is_fish(rules, index) for index in range(rounds))
    assert 100 * blocked / rounds == pytest.approx(percent, abs=BAND * sqrt(ROUNDS / rounds))


def test_the_band_tells_the_games_apart() -> None:
    """Even that of the small sample."""
    rates = sorted(percent for _, _, percent in RATES)
    assert min(b - a for a, b in pairwise(rates)) > BAND * sqrt(ROUNDS / 2_000)


def is_fish(rules: Rules, index: int) -> bool:
    """Does the first round of a match end in a fish?"""
    (played,) = play_match(rules, chance(index), stop=1).rounds
    ending = rules.ending(played.ended)
    return ending is not None and rules.instance.endings[ending].role == "fish"
