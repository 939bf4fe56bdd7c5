"""Beyond one table: when a failure of the deal hangs on nothing but how many tiles are dealt.

Some deals fail exactly when certain tiles all stay in the stock ("nobody holds a double"). If that is so however many
tiles each hand gets, it fails at just those tables at which the stock is large enough for them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.instance import SettingError, instantiate
from domrules.grammar.passes import optimise
from domrules.grammar.reads import evaluated, statements
from domrules.grammar.static import calls
from domrules.interpreter.names import value_name
from domrules.verifier import symbols
from domrules.verifier.battery.deal import deciding_options, options_read, tables
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import Bit
from domrules.verifier.relation import Relation
from domrules.verifier.solver import Answer, Engine, Result, Session
from domrules.verifier.symbols import Symbols

MAX_TABLES = 1_000
"""Tables looked at."""


@dataclass(frozen=True, slots=True)
class Sleepers:
    """A kept deal fails exactly when these tiles (by index) all stay in the stock; so for hands of any size."""

    tiles: tuple[int, ...]
    count: int
    """Of the whole set."""


@dataclass(frozen=True, slots=True)
class Place:
    """A table: players, options by name as given, and their words."""

    players: int
    options: Mapping[str, object]
    words: str
    instance: core.Instance

    def subject(self, like: Subject) -> Subject:
        """The same questions at this table."""
        return Subject(optimise(replace(self.instance, events=())), like.seconds, like.seed)


class Asked(Protocol):
    """A question about the deals of a first round: the bit that a kept one fails."""

    @property
    def relation(self) -> Relation: ...
    @property
    def dealt(self) -> Symbols: ...
    @property
    def fails(self) -> Bit: ...
    def result(self, seconds: float) -> Result: ...


def sleepers(subject: Subject, asked: Asked, first: Asked | None = None) -> Sleepers | None:
    """The tiles, if there are such and it can be proved. `asked` of hands of any size.

    Where it is asked of any match, `first` asks of its first round: there it must fail, when they stay.
    """
    if depends_on_size(subject.instance.game):
        return None
    encoder, fails = asked.relation.encoder, asked.fails
    stock = asked.dealt.zone(*asked.relation.stock)
    session = Session(encoder.dag, Engine.GENERAL)
    session.add([*encoder.side, fails])
    found = session.check(seconds=2.0)
    if found.model is None:
        return None
    asleep = [tile for tile, bit in stock.items() if found.model.bit(bit)]
    needed = list[int]()
    while asleep:
        tile = asleep.pop()
        other = session.check([-stock[tile]], seconds=2.0)
        if other.answer is Answer.NO:
            needed.append(tile)
        elif other.model is None:
            return None
        else:
            asleep = [t for t in asleep if other.model.bit(stock[t])]
    there = asked if first is None else first
    encoder, stock = there.relation.encoder, there.dealt.zone(*there.relation.stock)
    converse = Session(encoder.dag, Engine.GENERAL)
    converse.add([*encoder.side, *(stock[tile] for tile in needed), -there.fails])
    if converse.check(seconds=2.0).answer is not Answer.NO:
        return None
    return Sleepers(tuple(sorted(needed)), symbols.tile_count(subject.instance))


def depends_on_size(game: core.Game) -> bool:
    """Does what begins a round read an option that decides how much is dealt, or the set, or call what decides it?"""
    read: list[core.Expr] = [game.redeal, *(v.init for v in game.vars.values() if v.init is not None)]
    for block in game.begin:
        read += [e for s in statements(block) for e in evaluated(s)]
    if set(deciding_options(game)) & set(options_read(game, read)):
        return True
    return bool(called(game, [d.count for d in game.deals]) & called(game, read))


def called(game: core.Game, exprs: Iterable[core.Expr]) -> set[str]:
    """The defines that expressions call, by themselves or in what they call."""
    waiting, found = list(exprs), set[str]()
    while waiting:
        for call in calls(waiting.pop()):
            if call.fn not in found:
                found.add(call.fn)
                waiting.append(game.fns[call.fn].body)
    return found


def places(subject: Subject) -> Iterator[Place]:
    """The tables of the game that deal well, small ones first; options that do not decide the deal as at this table."""
    game = subject.instance.game
    here: dict[str, object] = {}
    for name, value in subject.instance.options.items():
        option = game.options[name]
        named = isinstance(option.type, core.Elem)
        here[name] = value_name(subject.instance, option.type, value) if named else value
    names = deciding_options(game)
    for players, values in itertools.islice(tables(game, names), MAX_TABLES):
        try:
            instance = instantiate(game, players, {**here, **values})
        except (SettingError, BadFile):
            continue
        words = " ".join([f"players={players}", *(f"{k}={str(v).lower()}" for k, v in values.items())])
        yield Place(players, values, words, instance)


def left(instance: core.Instance) -> int:
    """Tiles in the stock after the deal."""
    dealt = sum(n * len(instance.cells(target)) for n, source, target in instance.deals if source == stock_of(instance))
    return symbols.tile_count(instance) - dealt


def same_set(one: core.Instance, other: core.Instance) -> bool:
    """Have two tables the same set of tiles?"""
    return one.sorts["tile"].names == other.sorts["tile"].names


def stock_of(instance: core.Instance) -> str:
    return instance.role("zone", "stock")[0]


def hands_text(game: core.Game) -> str:
    """What is dealt, in the words of the file: `players × hand_size`."""
    parts = []
    for d in game.deals:
        if game.vars[d.source].role == "stock":
            per = game.vars[d.target].per
            times = "" if per is None else "players × " if per == "player" else f"{per}s × "
            parts.append(times + (d.count.span.text.strip() or "tiles"))
    return " + ".join(parts)
