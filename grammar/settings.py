"""core.Game → the mistakes that show only at a table: an element, tile or deal that is not there for some players or options."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from domrules.grammar import core
from domrules.grammar.core import Elem, Expr
from domrules.grammar.depth import decided_by, expressions, parts, shaping_parts
from domrules.grammar.diagnostics import BadFile, Diagnostic, Note, Reporter, did_you_mean
from domrules.grammar.effort import check_effort
from domrules.grammar.instance import SettingError, allow, instantiate, specialise_expr, told_seats
from domrules.grammar.source import Span

Setting = Mapping[str, object]
DEFAULTS: Setting = {}
MAX_TABLES = 200
"""Tables that are looked at."""


def check_settings(game: core.Game, report: Reporter) -> None:
    """Add the mistakes of every player count, with default options and each option that matters at its extremes."""
    if game.abstract:
        return
    tables = Tables(game, report, _shaping(game))
    for players in game.seats:
        default = tables.instance(players, DEFAULTS)
        if default is None:
            continue
        shaky = any(not _exists(lit, default) for lit in _names(game))
        options = game.options if shaky else tables.shaping
        for name in options:
            for value in _extremes(game.options[name], default):
                tables.instance(players, {name: value})
        for body in (*(lemma.body for lemma in game.lemmas), *(claim.body for claim in game.claims)):
            tables.expr(body, default, DEFAULTS)
    largest = tables.instance(max(game.seats), DEFAULTS)
    if largest is not None:
        check_effort(largest, report)
    if tables.made and all(isinstance(made, SettingError) for made in tables.made.values()):
        _never_allowed(game, next(iter(tables.made.values())), report)
    for example in game.examples:
        _example(tables, example)


def _never_allowed(game: core.Game, refused: object, report: Reporter) -> None:
    """No table of the file can be played with the options as they are."""
    demanding = game.options[str(refused).split()[0]]
    report.add("DOM438", f"with the default options no table is allowed: {refused}", demanding.span.first(2))


@dataclass
class Tables:
    """Instances by setting, each made once; what is wrong with one is reported with its setting."""

    game: core.Game
    report: Reporter
    shaping: tuple[str, ...]
    """Options on which the sorts, the tiles, the teams or the deals depend."""
    made: dict[tuple[int, tuple[tuple[str, object], ...]], core.Instance | SettingError | None] = field(
        default_factory=dict
    )

    def instance(self, players: int, options: Setting) -> core.Instance | None:
        """The instance; None when the file is wrong there. A setting that the game refuses is no mistake."""
        key = (players, tuple(options.items()))
        if key not in self.made and len(self.made) < MAX_TABLES:
            self.made[key] = None
            try:
                self.made[key] = instantiate(self.game, players, options)
            except SettingError as refused:
                self.made[key] = refused
            except BadFile as bad:
                self.add(bad.diagnostics, players, options)
        made = self.made.get(key)
        return made if isinstance(made, core.Instance) else None

    def expr(self, e: Expr, instance: core.Instance, options: Setting) -> None:
        """Report what an expression names that this instance has not."""
        if all(_exists(lit, instance) for lit in _names_in(e)):
            return
        try:
            specialise_expr(instance, e)
        except BadFile as bad:
            self.add(bad.diagnostics, instance.players, options)

    def add(self, found: Sequence[Diagnostic], players: int, options: Setting) -> None:
        for d in found:
            values = "".join(f", {name} = {str(value).lower()}" for name, value in options.items())
            several = len(self.game.seats) > 1 or values
            notes = (Note(f"this shows with {players} player{'s' if players > 1 else ''}{values}"),) if several else ()
            self.report.add(d.code, d.message, d.span, *d.notes, *notes, fix=d.fix)


# ---------------------------------------------------------------- which settings matter


def _shaping(game: core.Game) -> tuple[str, ...]:
    """Options on which the sorts, the tiles, the teams or the deals depend."""
    return tuple(d.name for d in decided_by(game, shaping_parts(game)) if isinstance(d, core.Option))


def _extremes(option: core.Option, default: core.Instance) -> tuple[object, ...]:
    """The values of an option at its limits, but not the one that this table has."""
    now = default.options[option.name]
    match option.type:
        case core.BoolType():
            return (not now,)
        case core.IntType():
            return tuple(v for v in (option.low, option.high) if v is not None and v != now)
        case Elem(sort=sort):
            return tuple(name for i, name in enumerate(default.sorts[sort].names) if i != now)
        case _:
            return ()


def _names(game: core.Game) -> Iterator[core.Lit]:
    """Every constant of the rules that is the name of an element or tile."""
    for e in expressions(game):
        yield from _names_in(e)


def _names_in(e: Expr) -> Iterator[core.Lit]:
    return (p for p in parts(e) if isinstance(p, core.Lit) and isinstance(p.value, str | tuple))


def _exists(lit: core.Lit, instance: core.Instance) -> bool:
    """Is this name there, and only once?"""
    if isinstance(lit.value, tuple):
        return _copies(lit.value, instance) == 1 and "*" not in lit.value[1]
    return not isinstance(lit.type, Elem | core.Maybe) or lit.value in instance.sorts[lit.type.sort].names


def _copies(halves: tuple[str, str], instance: core.Instance) -> int:
    """How many tiles with these halves there are."""
    low, high = halves[0], halves[1].split("*")[0]
    return _counts(instance.sorts["tile"].names).get(frozenset((low, high)), 0)


@lru_cache(maxsize=8)
def _counts(tiles: tuple[str, ...]) -> Mapping[frozenset[str], int]:
    """How often each pair of halves occurs."""
    return Counter(frozenset(name.split("*")[0].split("|")) for name in tiles)


# ---------------------------------------------------------------- examples


def _example(tables: Tables, example: core.Example) -> None:
    game, report = tables.game, tables.report
    players = example.players if example.players is not None else min(game.seats)
    if players not in game.seats:
        seats = told_seats(game.seats)
        place = example.span.find("players", str(players))
        report.add("DOM437", f"this game is for {seats} players, not {players}", place)
        return
    options = {name: e.value for name, e in example.options if isinstance(e, core.Lit)}
    shaping = {name: value for name, value in options.items() if name in tables.shaping}
    instance = tables.instance(players, shaping)
    try:
        if instance is None:
            instantiate(game, players, options)
        elif len(options) > len(shaping):
            allow(instance, options)
    except SettingError as refused:
        place = next((example.span.find("with", name) for name in options), example.span)
        report.add("DOM438", f"this table is not allowed: {refused}", place)
        return
    except BadFile:
        return
    if instance is not None:
        for step in example.steps:
            _step(tables, step, instance, options)


def _step(tables: Tables, step: core.Step, instance: core.Instance, options: Setting) -> None:
    match step:
        case core.Assign():
            for e in (step.index, *step.values):
                if e is not None:
                    tables.expr(e, instance, options)
            for tile in step.tiles or ():
                _tile(tables, tile, step.span, instance, options)
        case core.RestIn(zone=zone):
            tables.expr(zone, instance, options)
        case core.Played(moves=moves) | core.Allows(moves=moves) | core.Happened(events=moves):
            for move in moves:
                _move(tables, move, step.span, instance, options)
        case core.Expect():
            tables.expr(step.body, instance, options)
        case core.Ended():
            pass


def _move(tables: Tables, move: core.MoveName, span: Span, instance: core.Instance, options: Setting) -> None:
    action = next(a for a in (*tables.game.actions, *tables.game.events) if a.name == move.action)
    for param, arg in zip(action.params, move.args, strict=False):
        names = instance.sorts[param.sort].names
        if param.sort == "tile" and "|" in arg:
            low, high = arg.split("|")
            _tile(tables, (low, high), span, instance, options)
        elif arg not in names:
            missing = Diagnostic(
                "DOM431", f"there is no {param.sort} `{arg}`", span.find(arg), fix=did_you_mean(arg, names)
            )
            tables.add([missing], instance.players, options)


def _tile(tables: Tables, halves: tuple[str, str], span: Span, instance: core.Instance, options: Setting) -> None:
    copies, (_, star, number) = _copies(halves, instance), halves[1].partition("*")
    if not copies or (star and not 1 <= int(number) <= copies):
        text = "|".join(halves)
        missing = Diagnostic("DOM433", f"there is no tile {text} in this set", span.find(text))
        tables.add([missing], instance.players, options)
