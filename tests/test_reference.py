"""The C++ written by hand (benchmarks/reference.cpp) plays the same matches as rules that are compiled or interpreted."""

from collections.abc import Iterator

import pytest
import reference
from reference import GAMES, NATIVE, PLAIN, PLAYERS, Reference
from tables import of_file

from domrules.compiler.batch import Form, engine
from domrules.compiler.counts import Counts, Shape, Tally
from domrules.compiler.rows import CHUNK
from domrules.compiler.traces import COLUMNS, Traces
from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.grammar.load import SHIPPED
from domrules.grammar.passes import optimise
from domrules.interpreter.chance import WORD, Chance
from domrules.interpreter.play import play_match
from domrules.interpreter.rules import Rules

SEED = 3


@pytest.fixture(scope="module")
def by_hand(full: bool) -> Iterator[Reference]:
    with reference.compiled([NATIVE, PLAIN] if full else [PLAIN]) as made:
        if not made:
            pytest.skip("no C++ compiler")
        yield made[0]


def two_players(game: str) -> core.Instance:
    return optimise(instantiate(of_file(SHIPPED / f"{game}.dom"), PLAYERS))


@pytest.mark.parametrize("game", GAMES)
def test_every_decision_is_the_same(game: str, by_hand: Reference, full: bool) -> None:
    made = engine(two_players(game), Traces(), Form.WASM)
    for first in range(0, CHUNK * (25 if full else 1), CHUNK):
        assert made.run(first, first + CHUNK, SEED)
        rows = zip(*(made.read(name) for name in COLUMNS), strict=True)
        ours = [(winners, rounds, moves, digest & WORD) for winners, rounds, moves, digest in rows]
        assert by_hand.trace(game, first, first + CHUNK, SEED) == ours


@pytest.mark.parametrize("game", GAMES)
def test_the_interpreter_decides_the_same(game: str, by_hand: Reference, full: bool) -> None:
    rules = Rules(two_players(game))
    for index, (winners, rounds, moves, digest) in enumerate(by_hand.trace(game, 0, 500 if full else 4, SEED)):
        match = play_match(rules, Chance.named(SEED, index))
        played = (match.winners, len(match.rounds), sum(len(r.plies) for r in match.rounds), match.digest)
        assert played == (winners, rounds, moves, digest), index


@pytest.mark.parametrize("game", GAMES)
def test_the_same_things_are_counted(game: str, by_hand: Reference) -> None:
    instance, matches = two_players(game), 10_000
    made = engine(instance, Counts(), Form.WASM)
    assert made.run(0, matches, SEED)
    tally = Tally.read(made, Shape.of(instance))
    assert tally.matches == matches
    assert by_hand.count(game, 0, matches, SEED).arrays == reference.counted(tally)
