"""Every clause of the shipped rules matters: changed, it changes an example, the trace of seeded play, or a verdict.

All ways in which a term can be wrong are made (`mutation`), each at the games that have the clause, until one of them shows it.
What neither examples nor play show is listed with the reason in `data/mutants_alive.txt`: `REASON: FILE | CHANGE | TEXT`. That a
verdict changes is a reason which is looked into here.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

import pytest
from mutation import Mutant, mutants
from tables import HOUSE, SPECS, chance, game

from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.instance import SettingError, instantiate
from domrules.grammar.load import SHIPPED
from domrules.interpreter.errors import RuleError, Unfinished
from domrules.interpreter.examples import run_example
from domrules.interpreter.play import Limits, play_match
from domrules.interpreter.rules import Rules
from domrules.interpreter.tables import tables
from domrules.verifier.battery.run import Request, verify

ALIVE = Path(__file__).parent / "data" / "mutants_alive.txt"
FILES = sorted(path.name for path in SHIPPED.rglob("*.dom") if path.parent.name != "new")
"""All files with rules; those in `new` are texts from which `dom new` makes games."""
SAMPLE = 2
"""So many changes of each file are tried by `make test`; a full run tries them all."""
SEEDS = range(3)
OTHERS = 12
LATELY = 8
LIMITS = Limits(moves=300, rounds=60, deals=60)
CHEAP = ("D1", "D2", "D4", "S1", "S2", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "T4", "S3", "F4", "W2", "D3", "M3", "R1")  # fmt: skip
"""Verdicts that are asked about a change that nothing else shows, from the cheapest."""
BY_VERDICT = re.compile(r"the verdict (\w+) of (\S+) changes")


@dataclass(frozen=True)
class Change:
    """A change of a text: a mutant of each game that has the clause, by number."""

    name: str
    games: tuple[tuple[str, int], ...]

    @property
    def file(self) -> str:
        return self.name.partition(" | ")[0]


@cache
def of(name: str) -> list[Mutant]:
    return list(mutants(game(name)))


@cache
def changes() -> Mapping[str, Change]:
    """All of them by name, in the order of the files."""
    found: dict[tuple[str, int, int, str], list[tuple[str, int]]] = {}
    names: dict[tuple[str, int, int, str], str] = {}
    for name in (*SPECS, *HOUSE):
        for i, mutant in enumerate(of(name)):
            found.setdefault(mutant.place, []).append((name, i))
            names[mutant.place] = mutant.name
    count, out = Counter[str](), dict[str, Change]()
    for place, games in sorted(found.items()):
        count[names[place]] += 1
        again = f" #{count[names[place]]}" if count[names[place]] > 1 else ""
        out[names[place] + again] = Change(names[place] + again, tuple(games))
    return out


def reasons() -> Mapping[str, str]:
    """Why a change may go unnoticed, by its name."""
    lines = ALIVE.read_text(encoding="utf-8").splitlines()
    entries = [line.partition(": ") for line in lines if line.strip() and not line.startswith("#")]
    return {name: reason for reason, _, name in entries}


# ---------------------------------------------------------------- what shows a change: examples and play


@dataclass(frozen=True)
class Trial:
    """A game with one change, and its tables, each made once."""

    name: str
    game: core.Game
    made: dict[tuple[int, tuple[tuple[str, object], ...]], core.Instance] = field(default_factory=dict)
    rules: dict[int, Rules] = field(default_factory=dict)

    def table(self, players: int, options: Mapping[str, object]) -> core.Instance:
        """Raises BadFile, SettingError."""
        key = players, tuple(options.items())
        if key not in self.made:
            self.made[key] = instantiate(self.game, players, options)
        return self.made[key]

    def rules_of(self, table: core.Instance) -> Rules:
        if id(table) not in self.rules:
            self.rules[id(table)] = Rules(table)
        return self.rules[id(table)]

    def table_of(self, changed: core.Game, example: core.Example) -> core.Instance:
        options = {name: e.value for name, e in example.options if isinstance(e, core.Lit)}
        return self.table(min(changed.seats) if example.players is None else example.players, options)


def trace(rules: Rules, seed: int, rounds: int | None) -> tuple[object, ...]:
    """What happens in a seeded match, as far as anybody could see; or how it fails."""
    try:
        match = play_match(rules, chance(seed), limits=LIMITS, stop=rounds)
    except (RuleError, Unfinished) as error:
        return (type(error), getattr(error, "sentence", ""))
    return match.digest, match.winners, len(match.rounds)


@cache
def known(name: str, players: int, seed: int, rounds: int | None) -> tuple[object, ...]:
    return trace(Rules(instantiate(game(name), players)), seed, rounds)


def shown_by_play(trial: Trial, rounds: int | None = 1) -> str:
    """The table at which a seeded round, or a whole match, goes otherwise."""
    for players in game(trial.name).seats:
        try:
            rules = trial.rules_of(trial.table(players, {}))
        except (BadFile, SettingError):
            return f"play: {trial.name} has no table"
        for seed in SEEDS if rounds else SEEDS[:1]:
            if trace(rules, seed, rounds) != known(trial.name, players, seed, rounds):
                return f"play: {trial.name} {players} match {seed}"
    return ""


def shown_by_examples(trials: Sequence[Trial], lately: list[tuple[str, str]], again: bool) -> str:
    """An example that fails; either (`again`) one that has just shown a change nearby, or any."""
    recent = lately[:LATELY]
    for trial in trials:
        for example in trial.game.examples:
            asked = not again or (trial.name, example.name) in recent
            if asked and not run_example(trial.game, example, trial.rules_of, trial.table_of).ok:
                lately.insert(0, (trial.name, example.name))
                return f"example: {trial.name} {example.name}"
    return ""


def shown_by_options(trial: Trial) -> str:
    """A table with other options at which a seeded match goes otherwise."""
    for ours in other_tables(trial.name):
        try:
            theirs = trial.rules_of(trial.table(ours.players, ours.options))
        except (BadFile, SettingError):
            return f"play: {trial.name} has no table {ours.options}"
        for seed in SEEDS:
            if trace(theirs, seed, 1) != trace(Rules(ours), seed, 1):
                return f"play: {trial.name} {ours.options}"
    return ""


def shown_by_settings(trial: Trial) -> str:
    """Other options are allowed than before."""
    ours, theirs = game(trial.name), trial.game
    if all(theirs.options[name] is option for name, option in ours.options.items()):
        return ""
    try:
        same = list(settings_of(ours)) == list(settings_of(theirs))
    except (BadFile, SettingError):
        same = False
    return "" if same else f"play: {trial.name} has other tables"


def settings_of(played: core.Game) -> Iterator[tuple[int, Mapping[str, int | bool]]]:
    return ((table.players, table.options) for table in tables(played))


@cache
def other_tables(name: str) -> list[core.Instance]:
    """Some of the tables with other options."""
    every = list(tables(game(name)))
    return every[:: len(every) // OTHERS + 1]


@cache
def lately(file: str) -> list[tuple[str, str]]:
    """Games and examples that have shown a change of this file, the last ones first: they are tried first."""
    return []


def shown(change: Change) -> str:
    """What shows it; empty when nothing does. The cheapest is tried first."""
    trials = [Trial(name, of(name)[i].game) for name, i in change.games]
    ways = [
        partial(shown_by_examples, trials, lately(change.file), again=True),
        *(partial(shown_by_play, trial) for trial in trials[-2:]),
        partial(shown_by_examples, trials, lately(change.file), again=False),
        partial(shown_by_settings, trials[0]),
        *(partial(shown_by_play, trial) for trial in trials[:-2]),
        partial(shown_by_play, trials[0], None),
        partial(shown_by_options, trials[0]),
    ]
    return next(filter(None, (way() for way in ways)), "")


# ---------------------------------------------------------------- what shows a change: verdicts


def words(asked: core.Game, *items: str) -> dict[str, str]:
    """What the verifier says of the smallest table."""
    return {v.item: v.word.value for v in verify(asked, Request([min(asked.seats)], only=items))}


@cache
def known_word(name: str, item: str) -> str:
    return words(game(name), item)[item]


def differs(change: Change, name: str, item: str) -> bool:
    """Does the verdict on this game change? One that is open says nothing."""
    try:
        word = words(of(name)[dict(change.games)[name]].game, item)[item]
    except (BadFile, SettingError):
        return True
    return word != known_word(name, item) and "UNKNOWN" not in (word, known_word(name, item))


def reason_found(change: Change) -> str:
    """The reason to list: the first verdict of the first game that changes, if one does."""
    name = change.games[0][0]
    item = next((item for item in CHEAP if differs(change, name, item)), "")
    return f"the verdict {item} of {name} changes" if item else "not looked into"


# ---------------------------------------------------------------- tests


def chosen(every: Sequence[str], full: bool) -> Sequence[str]:
    return every if full or len(every) <= SAMPLE else random.Random(5).sample(every, SAMPLE)


@pytest.mark.parametrize("file", FILES)
def test_every_change_is_noticed_or_has_a_reason(file: str, full: bool, accept: bool) -> None:
    """`--accept` lists what is new, with a verdict that changes or as not looked into."""
    listed, every = reasons(), [name for name, change in changes().items() if change.file == file]
    assert every, "a file of which nothing can be wrong has no rules"
    tried = [changes()[name] for name in chosen(every, full)]
    unnoticed = [change for change in tried if change.name not in listed and not shown(change)]
    if accept:
        with ALIVE.open("a", encoding="utf-8") as stream:
            stream.writelines(f"{reason_found(change)}: {change.name}\n" for change in unnoticed)
        return
    assert [change.name for change in unnoticed] == []


def test_no_reason_is_given_for_nothing() -> None:
    assert [name for name in reasons() if name not in changes()] == []
    assert "not looked into" not in reasons().values()


def test_verdicts_that_are_reasons_change(full: bool) -> None:
    found = {name: match for name, reason in reasons().items() if (match := BY_VERDICT.fullmatch(reason))}
    for name in list(found) if full else list(found)[:1]:
        item, of_game = found[name].groups()
        assert differs(changes()[name], of_game, item), name


def test_there_are_mutants_of_every_kind() -> None:
    whats = {name.split(" | ")[1] for name in changes()}
    assert len(changes()) > 1800
    assert {"one more", "one less", "le for lt", "or for and", "sub for add", "same for next", "statement left out",
            "row 1 left out", "rows 1 and 2 swapped", "condition left out", "looked at before the one above",
            "single for nothing", "0|1 for 6|6", "one more copy in part 1"} <= whats  # fmt: skip


@pytest.mark.parametrize("name", ["draw"])
def test_the_game_itself_is_no_mutant(name: str) -> None:
    same = Trial(name, game(name))
    assert not shown_by_play(same)
    assert not shown_by_examples([same], [], again=False)
    assert not shown_by_settings(same)
