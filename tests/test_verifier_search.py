"""The search for rounds: what it takes for near is true, and what it finds was played by the rules."""

from __future__ import annotations

from pathlib import Path

from tables import shipped, written

from domrules.grammar import core
from domrules.grammar.instance import instantiate, specialise_expr
from domrules.interpreter.play import Round
from domrules.interpreter.rules import Rules
from domrules.verifier.battery.climb import climb
from domrules.verifier.battery.nearness import nearness
from domrules.verifier.battery.play import Matches

CONDITIONS = """
game conditions extends block
claim a: always all p in players: size(hand[p]) <= 5
claim b: always not (any p in players where p.seat == 1: total(p) < 20)
claim c: always size(layout) == 3 or (any t in hand[the(first_seat)]: t.pips > 10)
claim d: always moves > 4 implies all s in sides where s == left: tip[s] is not none
claim e: always not size(boneyard) == 14 and (all p in players where p.seat < 0: size(hand[p]) > 99)
"""


def test_near_is_there_just_when_it_holds(tmp_path: Path) -> None:
    game = written(tmp_path, CONDITIONS.replace(" moves > 4", " size(layout) > 4"), "conditions")
    rules = Rules(instantiate(game, 2))
    bodies = [specialise_expr(rules.instance, claim.body) for claim in game.claims if len(claim.name) == 1]
    assert len(bodies) == 5
    seen = set[tuple[int, bool]]()
    for body in bodies:
        for e in (body, core.negation(body)):
            near, holds = nearness(rules, e), rules.question(e)
            assert near is not None
            for s in Matches(rules).situations(6):
                assert (near(s.state) >= 0) == bool(holds(s.state)), e
                seen.add((bodies.index(body), bool(holds(s.state))))
    assert len(seen) == 10


def test_a_condition_without_numbers_has_no_measure() -> None:
    rules = shipped("block", 2)
    assert nearness(rules, core.TRUE) is None


def test_what_is_found_was_played(tmp_path: Path) -> None:
    """The same seed finds the same round, each of whose moves was legal."""
    rules = shipped("draw", 2, optimised=True)

    def wish(played: Round) -> float:
        return float(max(rules.scores(played.settled)) - 80)

    found = climb(rules, wish, tries=3_000)
    assert found is not None
    assert found == climb(rules, wish, tries=3_000)
    state = rules.begin(found.dealt)
    for ply in found.plies:
        assert ply.move in rules.legal_moves(state)
        assert ply.outcome in rules.outcomes(state, ply.move)
        state = rules.act(state, ply.move, ply.outcome)
    assert state == found.ended
    assert rules.settle(state) == found.settled
    assert max(rules.scores(found.settled)) >= 80
