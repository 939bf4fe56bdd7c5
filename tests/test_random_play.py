"""Random play at every table: all player counts, all values of the options, without an error and without losing a tile.

With `--full` 20,000 whole matches in all, divided among the files and their tables; else two rounds of one match each.
"""

from collections.abc import Iterator
from math import ceil
from pathlib import Path

import pytest
from tables import chance, every_table

from domrules.grammar import core
from domrules.grammar.load import SHIPPED
from domrules.grammar.passes import optimise
from domrules.interpreter.play import Round, play_match
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State

MATCHES = 20_000
DATA = Path(__file__).parent / "data"
FILES = sorted([*SHIPPED.glob("*.dom"), *SHIPPED.glob("house/*.dom"), *DATA.glob("*.dom")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_both_forms_of_every_table_play_the_same(path: Path, full: bool) -> None:
    """Without `--full` every third table."""
    for number, instance in enumerate(every_table(path)[:: 1 if full else 3]):
        plain, fast = Rules(instance), Rules(optimise(instance))
        match, again = (play_match(rules, chance(number), stop=2) for rules in (plain, fast))
        assert match.digest == again.digest, (instance.players, instance.options)
        assert match.winners == again.winners
        for played in again.rounds:
            conserved(fast, played)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_matches_end_at_every_table(path: Path, full: bool) -> None:
    """The default table of every player count; all of them, and many matches, with `--full`."""
    chosen = [i for i in every_table(path) if full or is_default(i)]
    for instance in chosen:
        rules = Rules(optimise(instance))
        for index in range(ceil(MATCHES / len(FILES) / len(chosen)) if full else 2):
            match = play_match(rules, chance(index))
            assert match.winners is not None
            assert rules.over(match.rounds[-1].settled)


def is_default(instance: core.Instance) -> bool:
    """Is this the first of the tables for so many players?"""
    first = next(i for i in every_table(Path(instance.game.file)) if i.players == instance.players)
    return instance is first


def conserved(rules: Rules, played: Round) -> None:
    """Every tile lies in exactly one zone of every state of a round."""
    zones = [cell for var, _, cell in rules.layout.walk() if var.zone]
    tiles = rules.instance.sorts["tile"]
    for state in states(rules, played):
        masks = [int(state.cells[cell] or 0) for cell in zones]
        assert sum(masks) == tiles.full
        assert sum(mask.bit_count() for mask in masks) == tiles.size


def states(rules: Rules, played: Round) -> Iterator[State]:
    """Every state of a round, from the deal to the settlement."""
    yield played.dealt
    state = rules.begin(played.dealt)
    for ply in played.plies:
        yield state
        state = rules.act(state, ply.move, ply.outcome)
    assert state == played.ended
    yield from (state, played.settled)
