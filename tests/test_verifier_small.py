"""On small tables every deal and every play is gone through by the interpreter; bound and search find the same."""

from pathlib import Path

import pytest
from tables import written

from domrules.grammar.instance import instantiate
from domrules.grammar.passes import optimise
from domrules.interpreter.rules import Rules
from domrules.verifier import facts
from domrules.verifier import shortest as search
from domrules.verifier.explicit.explore import Limits, explore
from domrules.verifier.goal import ended
from domrules.verifier.induction import prove
from domrules.verifier.shortest import Shortest, shortest
from domrules.verifier.study import Study

GAMES = {
    "block 2x2": ("extends block", "2"),
    "draw 2x2": ("extends draw", "2"),
    "draw 2x1": ("extends draw", "1"),
    "draw 2x2, one reserved": ("extends draw\nrule reserve = 1", "2"),
    "spinner 2x2": ("extends draw\nrule arms = after_both_sides", "2"),
    "spinner at once 2x1": ("extends draw\nrule arms = at_once", "1"),
    "sums to two 2x2": ("extends draw\nrule joins(e, v, t) = e.number + v.number == 2", "2"),
}
LONG = ("draw 2x1", "spinner at once 2x1")


def every_end(rules: Rules) -> dict[int, set[tuple[int, int]]]:
    """For each ending the tiles on the table and the fewest moves with which it comes about in a first round."""
    table = rules.instance.role("zone", "layout")[0]
    explored, found = explore(rules, limits=Limits(matches=1)), dict[int, set[tuple[int, int]]]()
    for number, state, ending in explored.ended:
        laid = rules.layout.tiles(state, table).bit_count()
        found.setdefault(ending, set()).add((laid, explored.depths[number]))
    return found


def searched(study: Study, rules: Rules, ending: int, seconds: float) -> Shortest:
    proved = prove(study, [facts.partition(study), *facts.lemmas(study)]).proved
    limits = search.Limits(query=seconds, search=seconds, moves=12, tiles=5)
    return shortest(study, rules, ended(study, rules, [ending]), proved, limits)


@pytest.mark.parametrize("name", GAMES)
def test_the_search_finds_the_least_of_all_plays(name: str, tmp_path: Path, full: bool) -> None:
    if name in LONG and not full:
        pytest.skip("takes long: --full")
    text, hand = GAMES[name]
    small = written(tmp_path, f"game small {text}\nrule top = 2\n", "small")
    instance = optimise(instantiate(small, 2, {"tiles_each": hand}))
    rules, study = Rules(instance), Study(instance)
    ends = every_end(rules)
    for ending in range(len(instance.endings)):
        answer = searched(study, rules, ending, 60 if ending in ends else 4)
        if ending not in ends:
            assert answer.witness is None
            assert not answer.disagreement
            continue
        tiles, moves = min(ends[ending])
        assert answer.bound.tiles <= tiles
        assert answer.witness is not None
        assert (answer.tiles, len(answer.witness.plies)) == (tiles, moves)
        assert not answer.open
