"""Every .dom file that is shipped or lies in tests/data: its examples pass, and it can be played at every table."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import every_table, of_file

from domrules.grammar import core
from domrules.grammar.instance import specialise_expr
from domrules.grammar.load import SHIPPED
from domrules.interpreter.chance import Chance
from domrules.interpreter.examples import run_example
from domrules.interpreter.play import Round, play_match
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State

DATA = Path(__file__).parent / "data"
FILES = sorted(p for p in [*SHIPPED.rglob("*.dom"), *DATA.glob("*.dom")] if p.parent.name != "families")
NOT_THEIRS = {(name, "parity") for name in ("nines", "sevens", "matador")}
"""Lemmas of a family that do not hold for a variant: where touching halves are not equal there is no parity."""


def test_there_are_files() -> None:
    assert {"petkove", "tactic", "rybareni", "nines", "sevens", "matador"} <= {p.stem for p in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_examples_pass(path: Path) -> None:
    for example in of_file(path).examples:
        result = run_example(of_file(path), example)
        wrong = [f"{c.span}: expected {c.expected}, got {c.got}" for c in result.checks if not c.ok]
        assert result.ok, wrong


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_is_played_at_every_table(path: Path, full: bool) -> None:
    """Random rounds at the shared list of tables (without `--full` every second of them) end; tiles stay; lemmas and
    claims hold in every state seen.
    """
    seen = 0
    for instance in every_table(path)[:: 1 if full else 2]:
        rules, promises = Rules(instance), Promises(instance)
        for index in range(3 if full else 1):
            match = play_match(rules, Chance.named(5, index), stop=10 if full else 2)
            for played in match.rounds:
                promises.check(played, rules)
        seen += 1
    assert seen


class Promises:
    """What a file promises of every state, as functions of a state."""

    def __init__(self, instance: core.Instance) -> None:
        rules, source = Rules(instance), instance.game
        self.zones = [cell for var, _, cell in rules.layout.walk() if var.zone]
        self.tiles = instance.sorts["tile"].full
        asked = {(c.kind, c.name): c.body for c in source.claims if c.kind in ("always", "never", "dealt", "settled")}
        asked |= {("always", m.name): m.body for m in source.lemmas if (source.name, m.name) not in NOT_THEIRS}
        self.asked = {k: rules.question(specialise_expr(instance, body)) for k, body in asked.items()}

    def check(self, played: Round, rules: Rules) -> None:
        state = rules.begin(played.dealt)
        self.hold("dealt", played.dealt)
        self.lie_once(state)
        for ply in played.plies:
            state = rules.act(state, ply.move, ply.outcome)
            self.hold("always", state)
            self.lie_once(state)
        self.hold("settled", played.settled)

    def hold(self, kind: str, state: State) -> None:
        for (its_kind, name), holds in self.asked.items():
            if its_kind == kind:
                assert holds(state), name
            if its_kind == "never" and kind == "always":
                assert not holds(state), name

    def lie_once(self, state: State) -> None:
        """Every tile lies in exactly one zone."""
        masks = [int(state.cells[cell] or 0) for cell in self.zones]
        assert sum(masks) == self.tiles
        assert sum(m.bit_count() for m in masks) == self.tiles.bit_count()


def test_the_house_game_is_short() -> None:
    """Rules, without examples and claims, in fewer than 40 lines."""
    text = (SHIPPED / "house" / "nines.dom").read_text("utf-8")
    rules = text.partition("\nclaim ")[0].splitlines()
    assert len([line for line in rules if line.strip() and not line.startswith("#")]) < 40
