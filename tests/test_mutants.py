"""Every clause of the shipped rules matters: changed, it changes an example or the trace of seeded play.

All ways in which a term can be wrong are made (`mutation`), each at the games that have the clause, until one of them shows it.
What nothing shows is listed with the reason in `data/mutants_alive.txt`: `REASON: FILE | CHANGE | TEXT`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import pytest
from mutation import Mutant, mutants
from tables import HOUSE, SPECS, chance, game

from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.instance import SettingError, instantiate
from domrules.interpreter.errors import RuleError, Unfinished
from domrules.interpreter.examples import run_example
from domrules.interpreter.play import Limits, play_match
from domrules.interpreter.rules import Rules
from domrules.interpreter.tables import tables

ALIVE = Path(__file__).parent / "data" / "mutants_alive.txt"
SAMPLE = 24
DONE = ("block.dom", "draw.dom", "fishing.dom", "fives.dom", "goat.dom", "line.dom",
        "klasicke.dom", "koza.dom", "kozel.dom", "parove.dom", "petkove.dom", "tactic.dom")  # fmt: skip
"""Files of which every change has been looked into; a full run tries them all."""
SEEDS = range(3)
OTHERS = 12
LIMITS = Limits(moves=300, rounds=60, deals=60)


@dataclass(frozen=True)
class Change:
    """A change of a text: a mutant of each game that has the clause, by number."""

    name: str
    games: tuple[tuple[str, int], ...]


@cache
def of(name: str) -> list[Mutant]:
    return list(mutants(game(name)))


@cache
def changes() -> list[Change]:
    """All of them, in the order of the files."""
    found: dict[tuple[str, int, int, str], list[tuple[str, int]]] = {}
    names: dict[tuple[str, int, int, str], str] = {}
    for name in (*SPECS, *HOUSE):
        for i, mutant in enumerate(of(name)):
            found.setdefault(mutant.place, []).append((name, i))
            names[mutant.place] = mutant.name
    count, out = Counter[str](), list[Change]()
    for place, games in sorted(found.items()):
        count[names[place]] += 1
        again = f" #{count[names[place]]}" if count[names[place]] > 1 else ""
        out.append(Change(names[place] + again, tuple(games)))
    return out


def reasons() -> Mapping[str, str]:
    """Why a change may go unnoticed, by its name."""
    lines = ALIVE.read_text(encoding="utf-8").splitlines()
    entries = [line.partition(": ") for line in lines if line.strip() and not line.startswith("#")]
    return {name: reason for reason, _, name in entries}


# ---------------------------------------------------------------- what shows a change


def trace(table: core.Instance, seed: int, rounds: int | None) -> tuple[object, ...]:
    """What happens in a seeded match, as far as anybody could see; or how it fails."""
    try:
        match = play_match(Rules(table), chance(seed), limits=LIMITS, stop=rounds)
    except (RuleError, Unfinished) as error:
        return (type(error), getattr(error, "sentence", ""))
    return match.digest, match.winners, len(match.rounds)


@cache
def known(name: str, players: int, seed: int, rounds: int | None) -> tuple[object, ...]:
    return trace(instantiate(game(name), players), seed, rounds)


def shown_by_play(mutant: Mutant, name: str, rounds: int | None = 1) -> str:
    """The table at which a seeded round, or a whole match, goes otherwise."""
    for players in game(name).seats:
        try:
            table = instantiate(mutant.game, players)
        except (BadFile, SettingError):
            return "no table"
        for seed in SEEDS if rounds else SEEDS[:1]:
            if trace(table, seed, rounds) != known(name, players, seed, rounds):
                return f"{name} {players} match {seed}"
    return ""


def shown_by_examples(mutant: Mutant) -> str:
    """An example that fails."""
    for example in mutant.game.examples:
        if not run_example(mutant.game, example).ok:
            return example.name
    return ""


def shown_by_options(mutant: Mutant, name: str) -> str:
    """A table with other options at which a seeded match goes otherwise."""
    for ours in other_tables(name):
        try:
            theirs = instantiate(mutant.game, ours.players, ours.options)
        except (BadFile, SettingError):
            return "no table"
        for seed in SEEDS:
            if trace(theirs, seed, 1) != trace(ours, seed, 1):
                return f"{name} {ours.options}"
    return ""


@cache
def other_tables(name: str) -> list[core.Instance]:
    """Some of the tables with other options."""
    every = list(tables(game(name)))
    return every[:: len(every) // OTHERS + 1]


def shown(change: Change) -> str:
    """What shows it; empty when nothing does. The cheapest is tried first."""
    some = [(name, of(name)[i]) for name, i in change.games]
    (first, mutant), *_ = some
    ways = [
        *(partial(shown_by_play, m, name) for name, m in some[-2:]),
        *(partial(shown_by_examples, m) for _, m in some),
        *(partial(shown_by_play, m, name) for name, m in some[:-2]),
        partial(shown_by_play, mutant, first, None),
        partial(shown_by_options, mutant, first),
    ]
    return next(filter(None, (way() for way in ways)), "")


# ---------------------------------------------------------------- tests


def chosen(full: bool) -> Iterator[Change]:
    looked_into = [change for change in changes() if change.name.startswith(DONE)]
    yield from looked_into if full else random.Random(5).sample(looked_into, SAMPLE)


def test_every_change_is_noticed_or_has_a_reason(full: bool, accept: bool) -> None:
    """`--accept` lists what is new as not looked into."""
    listed = reasons()
    unnoticed = [change.name for change in chosen(full) if change.name not in listed and not shown(change)]
    if accept:
        with ALIVE.open("a", encoding="utf-8") as stream:
            stream.writelines(f"not looked into: {name}\n" for name in dict.fromkeys(unnoticed))
        return
    assert unnoticed == []


def test_no_reason_is_given_for_nothing() -> None:
    names = {change.name for change in changes()}
    assert [name for name in reasons() if name not in names] == []


def test_there_are_mutants_of_every_kind() -> None:
    whats = {change.name.split(" | ")[1] for change in changes()}
    assert len(changes()) > 1500
    assert {"one more", "one less", "le for lt", "or for and", "sub for add", "same for next", "statement left out",
            "row 1 left out", "rows 1 and 2 swapped", "condition left out", "looked at before the one above"} <= whats  # fmt: skip


@pytest.mark.parametrize("name", ["draw"])
def test_the_game_itself_is_no_mutant(name: str) -> None:
    same = Mutant(game(name), game(name).over.span, "nothing")
    assert not shown_by_play(same, name)
    assert not shown_by_examples(same)
