"""Clauses of the rules that never decide anything, at no table and in no example, are known by name.

They are listed in `data/never_fired.txt`: rows of tables, conditional statements, actions and endings. With `--full
--accept` the list is written anew. The watched rules have nothing worked out in advance, and yet play the same.
"""

import random
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import pytest
from tables import HOUSE, SPECS, chance, game

from domrules.grammar.load import SHIPPED
from domrules.grammar.passes import optimise
from domrules.interpreter.coverage import Clause, Coverage, clauses
from domrules.interpreter.examples import run_example
from domrules.interpreter.play import placements, play_match
from domrules.interpreter.rules import Rules
from domrules.interpreter.tables import tables

NEVER = Path(__file__).with_name("data") / "never_fired.txt"
NAMES = [*SPECS, *HOUSE]


SAMPLE = random.Random(3).sample(NAMES, 6)
"""Games of a short run; what has never decided anything in all has not in them."""


def watch(name: str, coverage: Coverage, full: bool) -> None:
    """Play at the tables of a game, lay out the boards, and run its examples."""
    rounds = 4 if full else 1
    for number, instance in enumerate(islice(tables(game(name)), None if full else 2)):
        watched, fast = coverage.rules(instance), Rules(optimise(instance))
        for index in range(1000 * number, 1000 * number + rounds):
            match = play_match(watched, chance(index), stop=rounds)
            same = play_match(fast, chance(index), stop=rounds).digest == match.digest
            assert same, (name, instance.players, instance.options, index)
            for played in match.rounds:
                placements(watched, played)
    for example in game(name).examples:
        assert run_example(game(name), example, coverage.rules).ok


def named(clauses: Iterable[Clause]) -> list[str]:
    return list(dict.fromkeys(f"{short(c.span.source.name)} {c}" for c in clauses))


def known() -> list[str]:
    return NEVER.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", SAMPLE)
def test_a_clause_that_decides_something_is_not_listed(name: str, full: bool) -> None:
    if full:
        pytest.skip("all games at once do it")
    coverage = Coverage()
    watch(name, coverage, full)
    fired = {*named(clauses(game(name)))} - {*named(coverage.never(game(name)))}
    assert fired
    assert fired.isdisjoint(known())


def test_clauses_that_never_decide_are_known(full: bool, accept: bool) -> None:
    if not full:
        pytest.skip("takes long: --full")
    coverage = Coverage()
    for name in NAMES:
        watch(name, coverage, full)
    found = named(c for name in NAMES for c in coverage.never(game(name)))
    if accept:
        NEVER.write_text("".join(f"{line}\n" for line in found), encoding="utf-8")
    assert found == known()


def short(file: str) -> str:
    return Path(file).relative_to(SHIPPED).as_posix()
