"""Match (seed, index) is the same match in the interpreter, in generated Python and in WebAssembly: winners, rounds,
moves, and the digest of every decision.

With `--full`, for every game and player count, compiled against compiled: 100,000 matches of one round, and whole matches until
they have 100,000 rounds, both divided among the settings of its options; some thousands of whole matches, divided among all,
against the interpreter. Else a few whole matches of the tables with default options.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby, islice
from math import ceil
from pathlib import Path

import pytest

from domrules.compiler.batch import Form, engine
from domrules.compiler.engine import Engine
from domrules.compiler.rows import CHUNK
from domrules.compiler.traces import COLUMNS, Traces
from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.grammar.load import SHIPPED, load
from domrules.grammar.passes import optimise
from domrules.interpreter.chance import WORD, Chance
from domrules.interpreter.play import play_match
from domrules.interpreter.rules import Rules
from domrules.interpreter.tables import tables

DATA = Path(__file__).parent / "data"
FILES = sorted([*SHIPPED.glob("*.dom"), *SHIPPED.glob("house/*.dom"), *DATA.glob("*.dom")])
ROUNDS, INTERPRETED = 100_000, 3_000
"""Of every game and player count; matches of all tables together."""
FEW = 12
TABLES = 55
"""About so many pairs of a game and a player count."""
SEED = 11


def chosen(path: Path, full: bool) -> Iterator[list[core.Instance]]:
    """For every player count of a file all its tables, or the one with default options."""
    for _, instances in groupby(tables(load(path)), key=lambda instance: instance.players):
        yield [optimise(instance) for instance in (instances if full else islice(instances, 1))]


def rows(compiled: Engine, first: int, last: int) -> list[tuple[int, ...]]:
    """A row of COLUMNS for each of these matches, at most CHUNK."""
    assert compiled.run(first, last, SEED)
    return list(zip(*(compiled.read(name)[: last - first] for name in COLUMNS), strict=True))


def short(instance: core.Instance) -> core.Instance:
    """The same table, at which one round makes a match."""
    return replace(instance, over=core.TRUE)


def alike(instance: core.Instance, rounds: int, least: int = FEW) -> list[tuple[int, ...]]:
    """Plays matches in both forms until they have so many rounds, `least` at least; they must be the same."""
    wasm, python = (engine(instance, Traces(), form) for form in (Form.WASM, Form.PYTHON))
    found, played, many = list[tuple[int, ...]](), 0, least
    while played < rounds or len(found) < least:
        first = len(found)
        found += rows(wasm, first, first + many)
        assert rows(python, first, first + many) == found[first:], (instance.players, instance.options)
        played += sum(row[1] for row in found[first:])
        many = min(CHUNK, max(1, (rounds - played) * len(found) // max(1, played)))
    return found


def interpreted(rules: Rules, index: int) -> tuple[int | None, ...]:
    match = play_match(rules, Chance.named(SEED, index))
    return match.winners, len(match.rounds), sum(len(r.plies) for r in match.rounds), match.digest


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_engine_plays_the_same_match(path: Path, full: bool) -> None:
    for instances in chosen(path, full):
        for instance in instances:
            share = ceil(ROUNDS / len(instances)) if full else 0
            found, rules = alike(instance, share), Rules(instance)
            for index in range(min(len(found), ceil(INTERPRETED / TABLES / len(instances))) if full else 1):
                winners, rounds, moves, digest = found[index]
                assert (winners, rounds, moves, digest & WORD) == interpreted(rules, index), (instance.options, index)
            if full:
                assert {row[1] for row in alike(short(instance), share)} == {1}


def test_a_match_does_not_depend_on_where_a_run_begins() -> None:
    instance = optimise(instantiate(load(SHIPPED / "block.dom"), 2))
    wasm = engine(instance, Traces(), Form.WASM)
    whole = rows(wasm, 0, 20)
    assert rows(wasm, 7, 15) == whole[7:15]
    assert rows(wasm.again(), 0, 20) == whole


@pytest.mark.parametrize(("top", "tiles"), [(9, 55), (12, 91), (15, 136)])
def test_large_sets_are_several_words(top: int, tiles: int, tmp_path: Path) -> None:
    path = tmp_path / "large.dom"
    path.write_text(f"game large extends draw\nrule top = {top}\n", encoding="utf-8")
    instance = optimise(instantiate(load(path), 3))
    assert instance.sorts["tile"].size == tiles
    wasm, python = (rows(engine(instance, Traces(), form), 0, 8) for form in Form)
    assert wasm == python
    assert (*wasm[0][:3], wasm[0][3] & WORD) == interpreted(Rules(instance), 0)
