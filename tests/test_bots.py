"""Bots: always legal, the same every time, blind for what their seat does not see; and what they make of a pass."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import HOUSE, SPECS, chance, game, shipped, tables

from domrules.grammar.instance import instantiate
from domrules.interpreter import roster
from domrules.interpreter.bots import BOTS, Ahead, swift
from domrules.interpreter.chance import Chance
from domrules.interpreter.course import Course, started
from domrules.interpreter.names import Move, element_names, find_move, parse_move
from domrules.interpreter.play import Match, Table
from domrules.interpreter.players import Player
from domrules.interpreter.policies import POLICIES, Worth
from domrules.interpreter.replay import record, replay
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State, elements
from domrules.interpreter.views import Past, View
from domrules.interpreter.worlds import Worlds


def bot(name: str, rules: Rules, seed: int) -> Player:
    own = Chance.named(seed, -1)
    return Ahead(rules, own, worlds=2) if name == "ahead" else BOTS[name](rules, own)


def played(rules: Rules, name: str, seed: int = 1) -> Match:
    known = swift(rules)
    seats = [bot(name, known, seed + seat) for seat in range(rules.instance.players)]
    return Table(rules, seats, chance(seed)).match(rules.new_match(), 1)


@pytest.mark.parametrize(("name", "players"), [(n, k) for n, k in tables(*SPECS, *HOUSE) if k == game(n).seats[-1]])
def test_every_bot_plays_every_game_by_its_rules(name: str, players: int) -> None:
    rules = shipped(name, players)
    for kind in BOTS:
        replay(rules, record(rules, played(rules, kind)))


def test_the_names_are_known_without_the_bots() -> None:
    assert tuple(BOTS) == roster.BOTS
    assert tuple(POLICIES) == roster.POLICIES


@pytest.mark.parametrize("name", BOTS)
def test_a_bot_plays_the_same_every_time(name: str) -> None:
    rules = shipped("draw", 2)
    assert played(rules, name) == played(rules, name)
    assert played(rules, name) != played(rules, name, seed=2)


# ---------------------------------------------------------------- what they see


def middle(rules: Rules, seed: int, plies: int) -> Course:
    """A round after random plies, if it lasts so long."""
    course, any_ = started(rules, seed), Chance.named(seed, 9)
    for _ in range(plies):
        moves = rules.legal_moves(course.position)
        after = course.play(moves[any_.below(len(moves))])
        if after.ending is not None:
            break
        course = after
    return course


def blind(course: Course, seat: int, any_: Chance) -> Course:
    """The same round with other tiles wherever this seat has never seen any."""
    rules, view = course.rules, course.view(seat)
    shown = view.shown
    for one in view.glimpses():
        shown |= one.before.shown
    unseen = [t for t in range(rules.instance.sorts["tile"].size) if not shown >> t & 1]
    others = list(unseen)
    for i in reversed(range(1, len(others))):
        j = any_.below(i + 1)
        others[i], others[j] = others[j], others[i]
    new = dict(zip(unseen, others, strict=True))
    zones = {cell for var, _, cell in rules.layout.walk() if var.zone}

    def other(state: State) -> State:
        cells = list(state.cells)
        for cell in zones:
            cells[cell] = sum(1 << new.get(t, t) for t in elements(int(cells[cell] or 0)))
        return State(tuple(cells))

    def fated(one: Past) -> Past:
        params = rules.instance.deeds[one.move.action].params
        args = [
            new.get(i, i) if p.sort == "tile" else i for p, i in zip(params, one.move.args + one.outcome, strict=True)
        ]
        count = len(one.move.args)
        return Past(other(one.state), one.mover, Move(one.move.action, tuple(args[:count])), tuple(args[count:]))

    past = tuple(map(fated, course.past))
    return replace(course, dealt=other(course.dealt), position=other(course.position), past=past)


@pytest.mark.parametrize("name", ["draw", "petkove", "rybareni", "koza"])
@settings(max_examples=3)
@given(seed=st.integers(0, 10**6), plies=st.integers(0, 14))
def test_a_bot_sees_nothing_but_its_view(name: str, seed: int, plies: int) -> None:
    rules = shipped(name, 2)
    course = middle(rules, seed, plies)
    seat, moves = rules.mover(course.position) or 0, rules.legal_moves(course.position)
    one, other = course.view(seat), blind(course, seat, Chance.named(seed, 3)).view(seat)
    assert str(one) == str(other)
    assert [g.args for g in one.glimpses()] == [g.args for g in other.glimpses()]
    known = swift(rules)
    for kind in BOTS:
        assert bot(kind, known, seed).choose(one, moves) == bot(kind, known, seed).choose(other, moves)


def test_what_others_draw_is_not_shown() -> None:
    rules = shipped("draw", 2)
    draw = next(i for i, action in enumerate(rules.instance.actions) if action.name == "draw")
    seen = set()
    for seed in range(8):
        course = middle(rules, seed, 12)
        for seat in (0, 1):
            seen |= {(g.mover == seat, g.args[0] is None) for g in course.view(seat).glimpses() if g.action == draw}
    assert seen == {(True, False), (False, True)}


# ---------------------------------------------------------------- what they make of it


def told(rules: Rules, course: Course, *moves: str) -> Course:
    for text in moves:
        move, outcome = find_move(rules.instance, parse_move(text))
        course = course.play(move, outcome or None)
    return course


def test_who_passes_has_no_tile_that_fits() -> None:
    rules = shipped("block", 2)
    seed = next(s for s in range(99) if "pass" in moves_after_lead(rules, s))
    course = middle_until_pass(rules, seed)
    mover = course.past[-1].mover
    assert mover is not None
    worlds = Worlds(swift(rules), course.view(1 - mover))
    hand = rules.layout.cell("hand", mover)
    ends = {rules.layout.get(course.position, "tip", side) for side in (0, 1)}
    attrs = rules.instance.sorts["tile"].attrs
    fitting = {t for t in elements(worlds.now.unseen) if {attrs["low"][1][t], attrs["high"][1][t]} & ends}
    assert set(elements(worlds.never()[hand])) == fitting
    for number in range(20):
        world = worlds.world(Chance.named(1, number))
        assert not fitting & set(elements(int(world.cells[hand] or 0)))
        assert str(View(rules, world, 1 - mover)) == str(course.view(1 - mover))


def middle_until_pass(rules: Rules, seed: int) -> Course:
    course = started(rules, seed)
    while not course.past or rules.instance.actions[course.past[-1].move.action].name != "pass":
        course = course.play(rules.legal_moves(course.position)[0])
    return course


def moves_after_lead(rules: Rules, seed: int) -> list[str]:
    course, found = started(rules, seed), list[str]()
    while course.ending is None:
        move = rules.legal_moves(course.position)[0]
        found.append(rules.instance.actions[move.action].name)
        course = course.play(move)
    return found


def test_a_draw_binds_what_was_in_the_hand_before_it() -> None:
    """Every true position is one that is possible for who looks on."""
    rules = shipped("draw", 2)
    for seed in range(12):
        course = middle(rules, seed, 16)
        for seat in (0, 1):
            worlds = Worlds(swift(rules), course.view(seat))
            for limit in worlds.limits:
                held = int(course.position.cells[limit.cell] or 0)
                names = element_names(rules.instance, "tile", held & limit.tiles)
                assert len(names) <= limit.most, (seed, seat, names)


@pytest.mark.parametrize(("name", "sign"), [("block", 1), ("petkove", 1), ("rybareni", 1), ("obrazkove", 1), ("koza", -1), ("parove", -1), ("morska_koza", 1)])  # fmt: skip
def test_whether_points_are_good_is_asked_of_the_rules(name: str, sign: int) -> None:
    rules = shipped(name, 2)
    assert Worth(rules).sign(started(rules, 1).position, 0) == sign


def test_greedy_takes_points_and_heavy_the_heaviest() -> None:
    rules = Rules(instantiate(game("petkove"), 2))
    points, most = 0, 0
    for seed in range(10):
        course = middle(rules, seed, 4)
        seat, moves = rules.mover(course.position) or 0, rules.legal_moves(course.position)
        worth = Worth(rules)
        gains = [worth.points(course.play(move).position, seat) for move in moves if not rules.has_chance(move)]
        if len(moves) == len(gains) > 1:
            greedy = bot("greedy", swift(rules), seed).choose(course.view(seat), moves)
            points += gains[greedy]
            most += max(gains)
    assert points == most > 0
