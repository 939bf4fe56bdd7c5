"""What the verifier says of every shipped game: tests/verdicts.toml holds the words; `make verdicts` asks all of them.

`make test` asks some of the quick items of one table of each game; `make verdicts` asks everything of every table; with `--accept` as
well, and without `-n`, the words are written anew.
"""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tables import of_file

from domrules.grammar import core
from domrules.grammar.depth import expressions
from domrules.grammar.instance import instantiate
from domrules.grammar.passes import optimise
from domrules.grammar.reads import statements
from domrules.verifier.battery.run import TITLES, Request, verify
from domrules.verifier.verdict import Verdict

ROOT = Path(__file__).resolve().parent.parent
STORED = Path(__file__).with_name("verdicts.toml")
SPECS = sorted([*(ROOT / "specs").glob("*.dom"), *(ROOT / "specs" / "house").glob("*.dom")])
QUICK = ("D1", "D2", "D3", "D4", "S1", "S2", "S3", "C1", "C2", "C3", "C4", "C5", "C7", "C8", "W2")
"""Items asked of each game by `make full`; `make test` asks some of them of each …"""
SOME = 7
"""… so many."""
DECIDED = ("D", "S", "C", "W")
"""Groups of items in which UNKNOWN is not accepted, beside …"""
ALSO = ("F1", "F2", "F4", "E1", "E2", "E3", "E5")
"""… these."""
GREEN_ELSEWHERE: Mapping[str, Mapping[str, str]] = {
    # The article calls a fish as soon as all six plain tiles of a number lie, though its double could still be laid.
    "koza_online.F1": {"fish_is": "nobody_can_move"},
}
"""Findings of shipped games: the option under which the item holds."""
SHOWN = {"openspiel_block.E5", "openspiel_team.E5", "openspiel_team.R1"}
"""Findings for which the file is there: it keeps the rules of a program as they are."""

Words = dict[str, str]


def words(path: Path, players: int, only: tuple[str, ...] = ()) -> Words:
    """Item or claim → the word of its verdict, for one table."""
    return {v.item: told(v) for v in verify(of_file(path), Request([players], only=only))}


def told(v: Verdict) -> str:
    """The word, and for the shortest fish how many tiles."""
    tiles = f", {v.details[0].split(';')[0]}" if v.item == "F2" and v.details and v.witness is not None else ""
    return v.word.value + tiles


def tables() -> Iterator[tuple[Path, int]]:
    for path in SPECS:
        for players in of_file(path).seats:
            yield path, players


def stored() -> dict[str, dict[str, Words]]:
    return tomllib.loads(STORED.read_text(encoding="utf-8"))


def written(found: Mapping[str, Mapping[str, Words]]) -> str:
    """The words as a file."""
    lines = [
        "# What `dom verify` says of the shipped games at their default options; `make verdicts` asks all of them."
    ]
    for name, by_players in sorted(found.items()):
        for players, items in sorted(by_players.items()):
            lines += ["", f'["{name}".{players}]', *(f'{item} = "{word}"' for item, word in items.items())]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("path", SPECS, ids=lambda p: p.stem)
def test_one_table(path: Path, full: bool) -> None:
    """Quick items of the smallest table; every game has a sample of its own."""
    players, items = of_file(path).seats[0], QUICK if full else sample(path)
    expected = {item: word for item, word in stored()[path.stem][str(players)].items() if item in items}
    assert words(path, players, items) == expected


def sample(path: Path) -> tuple[str, ...]:
    return tuple(random.Random(path.stem).sample(QUICK, SOME))


def test_every_quick_item_is_asked_of_some_games() -> None:
    asked = Counter(item for path in SPECS for item in sample(path))
    assert min(asked[item] for item in QUICK) > 2


@pytest.mark.parametrize(("path", "players"), list(tables()), ids=lambda x: x.stem if isinstance(x, Path) else str(x))
def test_a_table(path: Path, players: int, all_verdicts: bool, accept: bool) -> None:
    """Everything."""
    if not all_verdicts:
        pytest.skip("make verdicts asks every table")
    found = words(path, players)
    if accept:
        known = stored() if STORED.exists() else {}
        known.setdefault(path.stem, {})[str(players)] = found
        STORED.write_text(written(known), encoding="utf-8")
    assert found == stored()[path.stem][str(players)]


def verdicts() -> Iterator[tuple[str, str, str, str]]:
    """(game, players, item, word) of all that is stored."""
    for name, by_players in stored().items():
        for players, items in by_players.items():
            for item, word in items.items():
                yield name, players, item, word


def test_nothing_that_must_be_decided_is_open() -> None:
    """No UNKNOWN where none is accepted."""
    for name, players, item, word in verdicts():
        if item in TITLES and (item[0] in DECIDED or item in ALSO):
            assert not word.startswith(("UNKNOWN", "NOT FOUND", "HOLLOW")), (name, players, item)


def test_every_game_is_there() -> None:
    assert sorted(stored()) == sorted(p.stem for p in SPECS)
    assert all(sorted(stored()[p.stem]) == sorted(map(str, of_file(p).seats)) for p in SPECS)


def test_what_is_red_is_known() -> None:
    """A finding about a shipped game is listed with the option under which it is none; nothing else is red."""
    red = {
        f"{name}.{item}" for name, _, item, word in verdicts() if word.startswith(("REFUTED", "IMPOSSIBLE", "DISAGREE"))
    }
    assert red == set(GREEN_ELSEWHERE) | SHOWN


@pytest.mark.parametrize("finding", sorted(GREEN_ELSEWHERE))
def test_it_is_green_under_another_option(finding: str, full: bool) -> None:
    if not full:
        pytest.skip("make full asks")
    name, item = finding.split(".")
    path = next(p for p in SPECS if p.stem == name)
    for players in of_file(path).seats:
        (verdict,) = verify(of_file(path), Request([players], GREEN_ELSEWHERE[finding], only=(item,)))
        assert verdict.word.value.startswith(("PROVED", "TRUE")), (players, verdict.text)


def without(kind: str, role: str) -> Callable[[core.Instance], bool]:
    return lambda instance: not instance.role(kind, role)


def names_of_operators(instance: core.Instance) -> set[str]:
    """All operators of a file, at whatever table."""
    found, waiting = set[str](), [*expressions(instance.game)]
    while waiting:
        e = waiting.pop()
        waiting += core.children(e)
        if isinstance(e, core.Op):
            found.add(e.name)
    return found


def unrounded(instance: core.Instance) -> bool:
    return not names_of_operators(instance) & {"round", "roundup", "rounddown"}


def undivided(instance: core.Instance) -> bool:
    return unrounded(instance) and "div" not in names_of_operators(instance)


def zero(e: core.Expr) -> bool:
    return isinstance(e, core.Lit) and e.value == 0


def written_in(blocks: Iterable[core.Block], role: str, instance: core.Instance) -> bool:
    names = instance.role("state", role)
    sets = [s for block in blocks for s in statements(block) if isinstance(s, core.Set)]
    return any(s.var in names and not (s.add and zero(s.value)) for s in sets)


def without_ends(instance: core.Instance) -> bool:
    """Does no state tell per side which number lies open?"""
    half = instance.game.dominoes.half
    return not any(v.per is not None and v.type == core.Maybe(half) for v in instance.vars.values())


ABSENT: Mapping[str, Callable[[core.Instance], bool]] = {
    "C3": lambda i: not all(name.isdigit() for name in i.sorts[i.game.dominoes.half].names),
    "C4": unrounded,
    "C5": undivided,
    "C6": unrounded,
    "C7": lambda i: undivided(i) and "mod" not in names_of_operators(i),
    "C10": lambda i: not written_in((b for a in i.actions for b in a.blocks), "score", i),
    "D4": lambda i: core.is_lit(i.redeal, False),
    "D5": lambda i: not i.role("action", "draw") or all(
        zero(i.fns[name].body) for name in i.role("slot", "reserve")
    ),
    "E5": without("ending", "out"),
    "F1": without("ending", "fish"),
    "F2": without("ending", "fish"),
    "F3": without("ending", "fish"),
    "F4": without("ending", "fish"),
    "F5": without("ending", "fish"),
    "M2": without("action", "pass"),
    "M3": without_ends,
    "M4": lambda i: without_ends(i) or i.fns["joins"].body.span.text != "e == v",
    "S4": lambda i: core.is_lit(i.over, True) or not written_in(i.begin, "mover", i),
    "W3": lambda i: all(v.low is None and v.high is None for v in i.vars.values()),
}  # fmt: skip
"""For each item how a table looks at which it is SKIPPED: without what it is about."""
WITHOUT_A_BOUND = "T5"
"""SKIPPED, too, where the match may never end (T2): then there is no greatest number of rounds."""


def test_what_is_skipped_is_not_there() -> None:
    """Every SKIPPED is of a table without what the item is about."""
    tables: dict[tuple[str, str], core.Instance] = {}
    for name, players, item, word in verdicts():
        if word != "SKIPPED" or item == WITHOUT_A_BOUND:
            continue
        if (name, players) not in tables:
            game = of_file(next(p for p in SPECS if p.stem == name))
            tables[name, players] = optimise(replace(instantiate(game, int(players)), events=()))
        assert ABSENT[item](tables[name, players]), (name, players, item)
