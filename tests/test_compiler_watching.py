"""Clauses are watched in compiled code as in the interpreter, in the same matches, and watching changes no match."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import game as shipped
from tables import of_file

from domrules.compiler.batch import EAGER, Form, engine
from domrules.compiler.engine import WasmEngine
from domrules.compiler.lower import lower
from domrules.compiler.traces import COLUMNS, Traces
from domrules.compiler.watching import Watching, places, watched
from domrules.grammar.instance import instantiate
from domrules.grammar.load import SHIPPED
from domrules.grammar.passes import optimise
from domrules.interpreter.bots import seating
from domrules.interpreter.chance import Chance
from domrules.interpreter.coverage import Apart, Coverage, as_written
from domrules.interpreter.play import play_match
from domrules.interpreter.rules import Rules

SEED = 2
FILES = sorted([*SHIPPED.glob("*.dom"), *SHIPPED.glob("house/*.dom")])
SAMPLE = ("block", "koza", "petkove", "rybareni")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_clauses_are_those_of_the_interpreter(path: Path, full: bool) -> None:
    if not full and path.stem not in SAMPLE:
        pytest.skip("takes long: --full")
    matches, game = 25 if full else 3, of_file(path)
    for players in game.seats if full else game.seats[-1:]:
        instance = instantiate(game, players)
        names = ["greedy", "heavy", "random", "first"][:players]
        seen, plain = Coverage(), Rules(as_written(instance))
        rules, seats = Rules(as_written(instance), seen.watch), seating(plain, names)
        for index in range(matches):
            chance = Chance.named(SEED, index)
            play_match(rules, chance, [Apart(plain, player) for player in seats(SEED, index, chance)])
        *_, (_, found) = watched(instance, names, SEED, matches)
        assert found == seen.fired & places(game).keys()


@pytest.mark.parametrize("name", SAMPLE)
def test_watching_changes_no_match(name: str) -> None:
    instance, matches, names = instantiate(shipped(name), 2), 200, ("greedy", "heavy")
    watched = WasmEngine(lower(as_written(instance), Traces(), EAGER[Form.WASM], policies=names, kind=Watching))
    usual = engine(optimise(instance), Traces(), Form.WASM, policies=names)
    for made in (watched, usual):
        assert made.run(0, matches, SEED)
    for column in COLUMNS:
        assert list(watched.read(column)[:matches]) == list(usual.read(column)[:matches])
