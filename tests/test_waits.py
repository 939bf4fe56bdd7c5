"""Moves that must come before the first tile: counted where they must, compared with every deal and every play of small tables."""

from pathlib import Path

import pytest
from tables import written

from domrules.grammar.instance import instantiate
from domrules.grammar.passes import optimise
from domrules.verifier.battery.subject import Subject
from domrules.verifier.bound import bound
from domrules.verifier.explicit.explore import Limits, explore
from domrules.verifier.goal import Goal, ended
from domrules.verifier.least import Least, at_bound, roads
from domrules.verifier.shortest import Limits as Patience
from domrules.verifier.shortest import Search, Sooner, played
from domrules.verifier.together import Together

SMALL = "game small extends straight\nrule top = 2\ninstead rule hand_size = 2\n"
OF_A_ROUND = "instead state starter: player or none = none for the round\n"
TWO = """state coin: player or none = none for the round
instead rule may_lead(t) = coin is not none
action toss(chance p in players)
  when laid == 0 and starter is not none and coin is none
  do set coin to p
"""
FREE = "instead rule may_lead(t) = true\n"
COUNTED = "rule fish = stuck and moves > 6\n"
FACT = """lemma led: laid == 0 or starter is not none
lemma lot_too:
    size(tiles) - size(boneyard) + laid + count(p in players where starter == p) <= size(players) * hand_size + moves
"""


def small(folder: Path, rules: str) -> tuple[Subject, Goal]:
    table = Subject(optimise(instantiate(written(folder, SMALL + rules, "small"), 2)))
    ways = [i for i, e in enumerate(table.instance.endings) if e.role == "fish"]
    return table, ended(table.study, table.rules, ways)


def fewest(table: Subject, goal: Goal) -> tuple[int, int]:
    """Tiles and moves of the shortest fish of all first rounds."""
    explored = explore(table.rules, limits=Limits(matches=1))
    found = zip(explored.states, explored.depths, strict=True)
    return min((table.rules.on_table(state), depth) for state, depth in found if goal.met(state))


CASES = {
    "a lot where nobody is named": ("", 1, Sooner.NOT_FIRST),
    "a lot for each round": (OF_A_ROUND, 1, Sooner.NEVER),
    "a lot and a coin": (TWO, 2, Sooner.NOT_FIRST),
    "a lot that may be left out": (FREE, 0, Sooner.NEVER),
    "moves that rules look at": (COUNTED, 0, None),
    "a fact that counts the lot already": (OF_A_ROUND + FACT, 0, None),
}


@pytest.mark.parametrize(("rules", "waits", "sooner"), CASES.values(), ids=CASES.keys())
def test_first_moves_are_counted(tmp_path: Path, rules: str, waits: int, sooner: Sooner | None) -> None:
    table, goal = small(tmp_path, rules)
    lower = bound(table.study, goal, table.proved)
    least = fewest(table, goal)
    assert not table.lost
    assert lower.waits == waits
    assert (lower.tiles, lower.begins) <= least
    if sooner is not None:
        search = Search(table.study, table.rules, goal, lower, Patience())
        drawn, single = roads(search, lower.tiles, lower.begins)
        assert isinstance(drawn, Together)
        one, two = (Least(search, lower.tiles, play, lower.begins).witness(free=False) for play in (drawn, single))
        found = played(search, at_bound)
        assert found.witness is not None
        assert one == two == found.witness
        assert (found.tiles, len(found.witness.plies), found.sooner) == (*least, sooner)
