"""Match (seed, index) is the same match in the interpreter, in generated Python and in WebAssembly: winners, rounds,
moves, and the digest of every decision.

With `--full` every table: 100,000 matches compiled against compiled and some thousands against the interpreter, divided
among them; else the tables with default options.
"""

from collections.abc import Iterator
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
COMPILED, INTERPRETED = 100_000, 3_000
SEED = 11


def chosen(path: Path, full: bool) -> Iterator[core.Instance]:
    """All tables of a file, or one for every player count."""
    seen: set[int] = set()
    for instance in tables(load(path)):
        if full or instance.players not in seen:
            seen.add(instance.players)
            yield optimise(instance)


def rows(compiled: Engine, matches: int) -> list[tuple[int, ...]]:
    """A row of COLUMNS for each of the first matches."""
    found: list[tuple[int, ...]] = []
    while len(found) < matches:
        many = min(CHUNK, matches - len(found))
        assert compiled.run(len(found), len(found) + many, SEED)
        found += zip(*(compiled.read(name)[:many] for name in COLUMNS), strict=True)
    return found


def interpreted(rules: Rules, index: int) -> tuple[int | None, ...]:
    match = play_match(rules, Chance.named(SEED, index))
    return match.winners, len(match.rounds), sum(len(r.plies) for r in match.rounds), match.digest


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_engine_plays_the_same_match(path: Path, full: bool) -> None:
    instances = list(chosen(path, full))
    matches = ceil(COMPILED / len(FILES) / len(instances)) if full else 12
    checked = ceil(INTERPRETED / len(FILES) / len(instances)) if full else 1
    for instance in instances:
        wasm, python = (engine(instance, Traces(), form) for form in (Form.WASM, Form.PYTHON))
        found = rows(wasm, matches)
        assert rows(python, matches) == found, (instance.players, instance.options)
        rules = Rules(instance)
        for index in range(checked):
            winners, rounds, moves, digest = found[index]
            assert (winners, rounds, moves, digest & WORD) == interpreted(rules, index), (instance.options, index)


def test_a_match_does_not_depend_on_where_a_run_begins() -> None:
    (instance,) = (i for i in chosen(SHIPPED / "block.dom", False) if i.players == 2)
    wasm = engine(instance, Traces(), Form.WASM)
    whole = rows(wasm, 20)
    assert wasm.run(7, 15, SEED)
    assert [list(wasm.read(name)[:8]) for name in COLUMNS] == [list(c[7:15]) for c in zip(*whole, strict=True)]
    other = wasm.again()
    assert rows(other, 20) == whole


@pytest.mark.parametrize(("top", "tiles"), [(9, 55), (12, 91), (15, 136)])
def test_large_sets_are_several_words(top: int, tiles: int, tmp_path: Path) -> None:
    path = tmp_path / "large.dom"
    path.write_text(f"game large extends draw\nrule top = {top}\n", encoding="utf-8")
    instance = optimise(instantiate(load(path), 3))
    assert instance.sorts["tile"].size == tiles
    wasm, python = (rows(engine(instance, Traces(), form), 8) for form in Form)
    assert wasm == python
    assert (*wasm[0][:3], wasm[0][3] & WORD) == interpreted(Rules(instance), 0)
