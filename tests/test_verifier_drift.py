"""Encoder and relation on known positions are a second interpreter: moves, faults and successors are the same."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tables import HOUSE, SPECS, chance, game, tables, written

from domrules.grammar.instance import instantiate
from domrules.grammar.passes import optimise
from domrules.interpreter.errors import RuleError
from domrules.interpreter.play import Table, deal
from domrules.interpreter.players import RandomPlayer
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State, kth
from domrules.verifier.drift import Drift
from domrules.verifier.study import Study


def looked_at(drift: Drift, rules: Rules, count: int, index: int) -> Iterator[str]:
    """Differences in `count` positions of random play and in all that lies between the rounds they are from."""
    rng, generator = random.Random(index), chance(index)
    table = Table(rules, [RandomPlayer(generator)] * rules.instance.players, generator)
    state = rules.new_match()
    while count > 0:
        dealt = table.deal(state)
        yield from drift.begin_differences(dealt)
        state = rules.begin(dealt)
        while rules.ending(state) is None:
            if rng.random() < 0.15:
                yield from drift.move_differences(state)
                count -= 1
            ply = table.ply(state)
            state = rules.act(state, ply.move, ply.outcome)
        yield from drift.settle_differences(state)
        state = rules.settle(state)
        if rules.over(state):
            state = rules.new_match()


@pytest.mark.parametrize(("name", "players"), tables(*SPECS, *HOUSE))
def test_a_known_position_folds_to_what_the_interpreter_says(name: str, players: int, full: bool) -> None:
    plain = instantiate(game(name), players)
    for number, instance in enumerate((plain, optimise(plain))):
        rules = Rules(instance)
        drift = Drift(Study(instance), rules)
        assert list(looked_at(drift, rules, 200 if full else 3, number)) == []


FAULTY = """
game faulty
seats 2
enum pip = 0..2
dominoes in pips each a, b where a <= b
zone box             seen by nobody as stock
zone hand per player seen by owner  as hand
zone pile            seen by all    as layout
state mover: player for the round as mover
state last: tile or none = none for the round
state mark per pip: int 0..2 = 0 for the round
state flag: bool = false for the round
define only(p: player): tile or none = sole(hand[p])
deal 2 tiles from box to hand each player
begin set mover to the(sole(lowest(p in players by p.seat)))
action stamp(choose v in pips, choose w in pips)
  when not flag
  do set flag to v == w
     add v.number to mark[v]
     add w.number to mark[w]
action twice(choose v in pips, choose w in pips)
  when not flag
  do set mark[v] to 1
     set mark[w] to 2 if v.number + w.number > 1
action bad(choose t in tiles)
  when not flag
  do move t from hand[mover] to pile
     set last to t
action both(choose t in hand[mover], choose u in hand[mover])
  do move t from hand[mover] to pile
     move u from hand[mover] to box if u.low == 0
action promise(choose v in pips)
  when flag and v.number < 2 and (v.number == 1 or any p in players: the(only(p)).low == v)
  do set last to the(only(mover))
     set mover to mover.next
ending done as out when any p in players: size(hand[p]) == 0
settle set flag to false
over when true
winners {}
"""


def test_faults_are_found_where_the_interpreter_stops(tmp_path: Path) -> None:
    instance = instantiate(written(tmp_path, FAULTY, "faulty"), 2)
    rules, rng, stopped = Rules(instance), random.Random(4), 0
    drift = Drift(Study(instance), rules)
    for _ in range(12):
        state: State = deal(rules, rules.new_round(rules.new_match()), lambda t: kth(t, rng.randrange(t.bit_count())))
        state = rules.begin(state)
        for _ in range(8):
            assert drift.move_differences(state) == []
            try:
                state = rules.act(state, rng.choice(rules.legal_moves(state)))
            except RuleError:
                stopped += 1
            if rules.ending(state) is not None:
                break
    assert stopped > 10
