"""What public domino programs got wrong, tried on every game that lays a line: ties, fish, what a round leaves behind.

The reference here is written anew from the tiles alone, without the rules of the files.
"""

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest
from tables import chance, game, written

from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.instance import instantiate
from domrules.grammar.passes import optimise
from domrules.interpreter.play import Round, play_match
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State, elements

NAMES = ["block", "draw", "klasicke", "koza_deti", "obrazkove", "parove", "petkove", "straight", "tactic"]
READINGS: dict[str, list[dict[str, core.Value]]] = {
    "klasicke": [{"fish_tie": 1}, {"difference": 1}, {"double_blank": 1}],
    "straight": [{"blocked_tie": 1}, {"blocked_tie": 2}],
    "petkove": [{"blocked_tie": 1}, {"blocked_tie": 2}],
    "tactic": [{"fish_tie": 1}],
    "obrazkove": [{"fish_tie": 1}],
    "parove": [{"double_six": 1}, {"double_six": 2}],
}
"""Other readings of what a tie or a tile is worth, as places in the lists of the options."""
TABLES = [(name, options) for name in NAMES for options in ({}, *READINGS.get(name, ()))]


def table(name: str, players: int, **options: core.Value) -> Rules:
    return Rules(optimise(instantiate(game(name), players, options)))


def ending(rules: Rules, role: str) -> int:
    """The place of the ending that has a role."""
    return next(i for i, e in enumerate(rules.instance.endings) if e.role == role)


@pytest.mark.parametrize(("name", "options"), TABLES, ids=str)
def test_seats_do_not_decide_what_a_round_pays(name: str, options: dict[str, core.Value]) -> None:
    """Two players exchange seats and hands: points go with the hands, for every two tiles they may be left with."""
    rules = table(name, 2, **options)
    for a, b in permutations(range(rules.instance.sorts["tile"].size), 2):
        for role, hands in (("out", (0, 1 << b)), ("fish", (1 << a, 1 << b))):
            assert paid(rules, role, hands, 0) == paid(rules, role, hands[::-1], 1)[::-1], (role, a, b)


def paid(rules: Rules, role: str, hands: tuple[int, ...], last: int) -> tuple[int, ...]:
    """The scores after a round that ended so, from nothing, when these tiles are left."""
    changes: dict[tuple[str, int | None], core.Value] = {("hand", p): hand for p, hand in enumerate(hands)}
    changes[("last_mover", None)] = changes[("mover", None)] = last
    changes[("layout", None)] = rules.instance.sorts["tile"].full - sum(hands)
    state = rules.layout.put(rules.new_match(), {("boneyard", None): 0, **changes})
    return rules.scores(rules.settle(rules.ended(state, ending(rules, role))))


@pytest.mark.parametrize("name", NAMES)
def test_a_round_ends_with_the_move_that_ends_it(name: str) -> None:
    """Neither late nor early: nobody has tiles of the open numbers and nothing can be drawn, or a hand is empty."""
    draws = name != "block"
    fish = 0
    for players in game(name).seats:
        rules = table(name, players)
        for index in range(15):
            for played in play_match(rules, chance(index), stop=2).rounds:
                *before, last = laid(rules, played)
                fish += stuck(rules, last, draws)
                assert over(rules, last, draws) or won_in_play(rules, last)
                assert not any(over(rules, state, draws) for state in before)
    assert fish


def laid(rules: Rules, played: Round) -> Iterator[State]:
    """The states of a round from the first tile on."""
    state = rules.begin(played.dealt)
    for ply in played.plies:
        state = rules.act(state, ply.move, ply.outcome)
        if rules.layout.get(state, "layout"):
            yield state


def over(rules: Rules, state: State, draws: bool) -> bool:
    hands = [rules.layout.tiles(state, "hand", p) for p in range(rules.instance.players)]
    return 0 in hands or stuck(rules, state, draws)


def stuck(rules: Rules, state: State, draws: bool) -> bool:
    layout, names = rules.layout, rules.instance.sorts["tile"].names
    if draws and layout.tiles(state, "boneyard"):
        return False
    numbers = rules.instance.sorts["pip"].names
    tips = [layout.get(state, "tip", side) for side in range(4)]
    open_numbers = {numbers[int(tip)] for tip in tips if tip is not None}
    spinner = layout.get(state, "spinner")
    if spinner is not None and layout.get(state, "covered", 0) and layout.get(state, "covered", 1) and None in tips:
        open_numbers.add(names[int(spinner)].split("|")[0])
    hands = [layout.tiles(state, "hand", p) for p in range(rules.instance.players)]
    return all(open_numbers.isdisjoint(names[t].split("|")) for hand in hands for t in elements(hand))


def won_in_play(rules: Rules, state: State) -> bool:
    return rules.instance.game.name in ("petkove", "straight") and rules.over(state)


def test_what_lasts_for_the_round_is_new_in_the_next() -> None:
    """Skips counted towards a fish, a tile drawn, who laid the last: nothing of it outlives its round."""
    rules = table("klasicke", 3, drawing=2)
    assert rules.instance.options["drawing"] == 2
    skipped = 0
    for index in range(30):
        for played in play_match(rules, chance(index), stop=4).rounds:
            first = rules.begin(played.dealt)
            assert [rules.layout.get(first, v) for v in ("skips", "stood", "drew", "last_mover")] == [0, 0, False, None]
            skipped += rules.layout.get(played.ended, "skips") == 3
    assert skipped, "no round ended because all skipped"


SUMS = {
    "a sum of halves": "define heavy(t: tile): int = t.low + t.high",
    "what a hand is worth": "instead settle each p in players\n  add sum(t in hand[p]: t.low) to score[p.team]",
    "an open end": "rule play_score = greatest(s in sides where tip[s] is not none: the(those(v in pips where tip[s] == v)))",
    "a comparison": "instead define lead_rank(t: tile): int\n  when t.low < t.high -> 1\n  otherwise -> 0",
}


@pytest.mark.parametrize("rule", SUMS.values(), ids=SUMS)
def test_a_picture_is_not_a_number(rule: str, tmp_path: Path) -> None:
    with pytest.raises(BadFile) as bad:
        written(tmp_path, f"game sums extends obrazkove\n{rule}\n", "sums")
    assert {(d.code, d.message) for d in bad.value.diagnostics} == {("DOM303", "a pip is not a number")}
    assert all(Path(d.span.source.name).name == "sums.dom" for d in bad.value.diagnostics)


def test_a_game_that_counts_pips_is_not_played_with_pictures(tmp_path: Path) -> None:
    """The family `line` is where pips are counted; its own sum is named."""
    with pytest.raises(BadFile) as bad:
        written(tmp_path, "game sums extends klasicke\ninstead enum pip = apple, pear, plum, fig\n", "sums")
    found = bad.value.diagnostics
    assert {(d.code, d.message) for d in found} == {("DOM303", "a pip is not a number")}
    assert ("line.dom", "t.low") in {(Path(d.span.source.name).name, d.span.text) for d in found}
