"""From a table to its small twin: the same game as its files say it is made small, small enough to be gone through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.instance import SettingError, instantiate, specialise_expr, told_seats
from domrules.grammar.passes import optimise
from domrules.verifier.battery.subject import Subject


class NoTwin(Exception):
    """There is no twin of a table; says why, in a few words."""


def twin(game: core.Game, players: int, options: Mapping[str, object]) -> core.Instance:
    """The twin of a table. Options that the twin declares anew keep its values. Raises NoTwin."""
    small = game.twin
    if small is None:
        raise NoTwin("no `twin` says how the game is made small")
    try:
        if players not in small.seats:
            raise NoTwin(f"the twin is for {told_seats(small.seats)} players")
        kept = {name: value for name, value in options.items() if _same(game, small, name)}
        instance = instantiate(small, players, kept)
        for lemma in small.lemmas:
            specialise_expr(instance, lemma.body)
    except BadFile as wrong:
        raise NoTwin(f"the twin cannot be made: {wrong.diagnostics[0].message}") from None
    except SettingError as wrong:
        raise NoTwin(f"the twin cannot be made: {wrong}") from None
    return instance


def _same(game: core.Game, small: core.Game, option: str) -> bool:
    """Does the twin leave this option as it is?"""
    return option not in game.options or game.options[option].span == small.options[option].span


def made(table: core.Instance) -> core.Instance | str:
    """The twin of a table, or why there is none."""
    try:
        small = twin(table.game, table.players, table.options)
    except NoTwin as why:
        return str(why)
    foreign = set(small.sorts["tile"].names) - set(table.sorts["tile"].names)
    return f"the twin has the tile {min(foreign)}, which the game has not" if foreign else small


def twin_of(subject: Subject) -> Subject:
    """The twin of a table under study, optimised, without events. Raises NoTwin."""
    small = made(subject.instance)
    if isinstance(small, str):
        raise NoTwin(small)
    return Subject(optimise(replace(small, events=())), subject.seconds, subject.seed)


def told(instance: core.Instance) -> str:
    """How small a twin is, for people."""
    dealt = ", ".join(f"{count} to each {target}" for count, _, target in instance.deals)
    return f"{instance.sorts['tile'].size} tiles, {dealt}"
