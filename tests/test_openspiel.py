"""Two house games are those of OpenSpiel, move for move: needs the extra `bench`, skipped without it."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

import pytest
from tables import shipped

from domrules.interpreter.names import Move
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State

FULL, FEW = 2_000, 40
"""Games in a full run and in a short one."""


@pytest.mark.parametrize(("name", "players"), [("block", 2), ("team", 4)])
def test_agrees_with_openspiel(name: str, players: int, full: bool) -> None:
    """The same choices for everyone all the way, and the same points at the end."""
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed (extra `bench`)")
    import_module(f"open_spiel.python.games.{name}_dominoes")  # registers the game
    game = pyspiel.load_game(f"python_{name}_dominoes")
    rules = shipped(f"house/openspiel_{name}", players, optimised=True)
    choice = random.Random(26).choice
    for number in range(FULL if full else FEW):
        theirs = game.new_initial_state()
        while theirs.is_chance_node():
            theirs.apply_action(choice(theirs.chance_outcomes())[0])
        ours = rules.begin(dealt(rules, theirs.hands))
        ours = played(rules, ours, theirs, choice)
        assert rules.ending(ours) is not None, f"game {number}: only theirs is over"
        scores = rules.scores(rules.settle(ours))
        member = rules.instance.sorts["player"].attrs["team"][1]
        assert [scores[int(team or 0)] for team in member] == theirs.returns(), f"game {number}"


def dealt(rules: Rules, hands: Any) -> State:
    """Our position after the deal of theirs."""
    held: dict[tuple[str, int | None], int] = {
        ("hand", p): sum(1 << tile(rules, pair) for pair in hand) for p, hand in enumerate(hands)
    }
    held["boneyard", None] = rules.instance.sorts["tile"].full ^ sum(held.values())
    return rules.layout.put(rules.new_round(rules.new_match()), held)


def tile(rules: Rules, pair: tuple[float, float]) -> int:
    """Our number of one of their tiles."""
    low, high = sorted(map(int, pair))
    return rules.instance.sorts["tile"].names.index(f"{low}|{high}")


def played(rules: Rules, ours: State, theirs: Any, choice: Any) -> State:
    """Both games to the end of theirs. They leave out who cannot play; with us he passes, for he can do nothing else."""
    while True:
        ours = passed(rules, ours)
        if theirs.is_terminal():
            return ours
        assert rules.mover(ours) == theirs.current_player()
        mine = {name(rules, move): move for move in rules.legal_moves(ours)}
        action = {theirs.action_to_string(theirs.current_player(), a): a for a in theirs.legal_actions()}
        assert set(mine) == {said(text) for text in action}
        assert len(mine) == len(action)
        text = choice(sorted(action))
        theirs.apply_action(action[text])
        ours = rules.act(ours, mine[said(text)])


def passed(rules: Rules, ours: State) -> State:
    """After all the passes that are due."""
    while rules.ending(ours) is None:
        (first, *others) = rules.legal_moves(ours)
        if rules.instance.actions[first.action].role != "pass":
            break
        assert not others
        ours = rules.act(ours, first)
    return ours


def name(rules: Rules, move: Move) -> tuple[str, int | None]:
    """Tile and number it touches (none: it is led) of one of our moves."""
    at = {param.sort: arg for param, arg in zip(rules.instance.actions[move.action].params, move.args, strict=True)}
    return rules.instance.sorts["tile"].names[at["tile"]], at.get("pip")


def said(text: str) -> tuple[str, int | None]:
    """The same of `p0 tile:(1.0, 2.0) pip:1.0`."""
    low, high = (int(float(part)) for part in text.partition("(")[2].partition(")")[0].split(","))
    pip = text.rpartition(":")[2]
    return f"{low}|{high}", None if pip == "None" else int(float(pip))
