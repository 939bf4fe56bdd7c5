"""Matches: the same in every form of an instance, tiles conserved, limits kept, nothing hidden shown."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import HOUSE, SPECS, TINY, chance, names, shipped, tables, written

from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.interpreter.errors import RuleError, Unfinished
from domrules.interpreter.play import Limits, Round, placements, play_match
from domrules.interpreter.players import RandomPlayer
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State, elements
from domrules.interpreter.views import Hidden, View

TABLES = tables(*SPECS, *HOUSE)


def states(rules: Rules, played: Round) -> list[State]:
    """Every state of a round."""
    found = [rules.new_round(played.dealt), played.dealt, rules.begin(played.dealt)]
    for ply in played.plies:
        found.append(rules.act(found[-1], ply.move, ply.outcome))
    return [*found, played.settled]


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_the_optimised_form_plays_the_same(name: str, players: int) -> None:
    plain, fast = shipped(name, players), shipped(name, players, optimised=True)
    for index in range(4):
        ours, theirs = play_match(plain, chance(index)), play_match(fast, chance(index))
        assert ours.digest == theirs.digest
        assert names(plain, ours) == names(fast, theirs)
        assert ours.winners == theirs.winners


@given(table=st.sampled_from(TABLES), index=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_every_tile_lies_in_one_zone_of_every_state(table: tuple[str, int], index: int) -> None:
    rules = shipped(*table, optimised=True)
    zones = [cell for var, _, cell in rules.layout.walk() if var.zone]
    for played in play_match(rules, chance(index), stop=2).rounds:
        for state in states(rules, played):
            lying = [tile for cell in zones for tile in elements(int(state.cells[cell] or 0))]
            assert sorted(lying) == list(range(rules.instance.sorts["tile"].size))


@given(table=st.sampled_from(TABLES), index=st.integers(0, 2**32))
@settings(max_examples=10, deadline=None)
def test_a_state_gives_the_same_moves_without_its_memo(table: tuple[str, int], index: int) -> None:
    rules = shipped(*table, optimised=True)
    for state in states(rules, play_match(rules, chance(index), stop=1).rounds[0])[2:-1]:
        assert rules.legal_moves(state) == rules.legal_moves(State(state.cells))


def test_a_match_is_named_by_seed_and_index() -> None:
    rules = shipped("block", 2)
    assert play_match(rules, chance(3)) == play_match(rules, chance(3))
    assert play_match(rules, chance(3)).digest != play_match(rules, chance(4)).digest


def test_a_match_may_be_broken_off_and_taken_up() -> None:
    rules = shipped("draw", 3)
    whole, part = play_match(rules, chance(1)), play_match(rules, chance(1), stop=1)
    assert part.rounds == whole.rounds[:1]
    assert part.winners is None
    later = play_match(rules, chance(2), before=part.rounds[0].settled, stop=1)
    assert rules.scores(later.rounds[0].dealt) == rules.scores(part.rounds[0].settled)


@pytest.fixture
def tiny(tmp_path: Path) -> core.Instance:
    return instantiate(written(tmp_path, TINY), 2)


def test_play_that_does_not_end_is_stopped(tiny: core.Instance) -> None:
    never = replace(tiny, endings=(replace(tiny.endings[0], when=core.FALSE),))
    still = replace(tiny.actions[0], params=(), blocks=((),))
    with pytest.raises(Unfinished, match="not ended after 50 moves"):
        play_match(Rules(replace(never, actions=(still,))), chance(0), limits=Limits(moves=50))
    with pytest.raises(Unfinished, match="not over after 7 rounds"):
        play_match(Rules(replace(tiny, over=core.FALSE)), chance(0), limits=Limits(rounds=7))
    with pytest.raises(Unfinished, match="new deal 9 times"):
        play_match(Rules(replace(tiny, redeal=core.TRUE)), chance(0), limits=Limits(deals=9))


def test_a_state_without_move_and_ending_is_a_rule_error(tiny: core.Instance) -> None:
    nothing = replace(tiny, actions=tuple(replace(a, guard=core.FALSE) for a in tiny.actions))
    with pytest.raises(RuleError, match="no action is possible"):
        play_match(Rules(nothing), chance(0))


def test_a_deal_of_too_many_tiles_is_a_rule_error(tiny: core.Instance) -> None:
    with pytest.raises(RuleError, match="box has too few tiles to deal 4 to hand"):
        play_match(Rules(replace(tiny, deals=((4, "box", "hand"),))), chance(0))


def test_a_round_state_begins_anew_and_may_be_worked_out(tiny: core.Instance) -> None:
    """An initial value may read states of the match."""
    first = core.Read("score", core.Lit(0, core.Elem("player")), core.INT)
    extra = replace(tiny.vars["score"], name="seen", per=None, life=core.Life.ROUND, init=first, role=None)
    rules = Rules(replace(tiny, vars={**tiny.vars, "seen": extra}))
    before = rules.layout.put(rules.new_match(), {("score", 0): 4})
    assert rules.layout.get(rules.new_round(before), "seen") == 4


def test_settings_stand_before_a_match(tiny: core.Instance) -> None:
    rules = Rules(tiny)
    assert rules.scores(rules.new_match({"score": 3})) == (3, 3)


# ---------------------------------------------------------------- players and views


class Watcher(RandomPlayer):
    """Chooses at random, and looks at everything it can."""

    def choose(self, view: View, moves: object) -> int:
        for (name, index), value in view.cells().items():
            hidden = name == "boneyard" or (name == "hand" and index != view.player)
            assert isinstance(value, Hidden) is hidden
        assert str(view).count("hidden") == 3
        return super().choose(view, moves)  # type: ignore[arg-type]


def test_a_player_sees_his_own_hand_only() -> None:
    generator = chance(0)
    play_match(shipped("draw", 3), generator, [Watcher(generator)] * 3, stop=1)


def test_a_zone_of_a_team_is_seen_by_its_members(tiny: core.Instance) -> None:
    hands = replace(tiny.vars["hand"], per="team")
    player = tiny.sorts["player"]
    pairs = replace(player, attrs={**player.attrs, "team": (core.Elem("team"), (1, 0))})
    instance = replace(tiny, vars={**tiny.vars, "hand": hands}, sorts={**tiny.sorts, "player": pairs})
    rules = Rules(replace(instance, actions=(), endings=(), begin=()))
    state = rules.layout.put(rules.new_round(rules.new_match()), {("hand", 1): 0b11})
    assert View(rules, state, 0).get("hand", 1) == 0b11
    assert View(rules, state, 1).get("hand", 1) == Hidden(2)
    assert View(rules, state, 1).get("box") == Hidden(6)


# ---------------------------------------------------------------- placements


@pytest.mark.parametrize(("name", "players"), tables("block", "petkove"))
def test_every_tile_that_is_laid_touches_one_that_lies(name: str, players: int) -> None:
    rules = shipped(name, players)
    layout = rules.instance.vars["layout"].name
    for played in play_match(rules, chance(5), stop=3).rounds:
        laid = [p for found in placements(rules, played) for p in found]
        assert laid[0].to is None
        for number, placement in enumerate(laid[1:], 1):
            assert placement.to in [before.tile for before in laid[:number]]
        assert {p.tile for p in laid} == set(elements(rules.layout.tiles(played.ended, layout)))
