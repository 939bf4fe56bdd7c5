"""D2: the deal fits the set, at every table. D3: the zones always hold every tile exactly once."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace

from domrules.grammar import core
from domrules.grammar.codes import OF_THE_DEAL
from domrules.grammar.diagnostics import BadFile, counted
from domrules.grammar.instance import SettingError, instantiate, told_seats
from domrules.grammar.static import calls, reads
from domrules.verifier.battery.anydeal import dealt
from domrules.verifier.battery.subject import Subject
from domrules.verifier.induction import Outcome
from domrules.verifier.verdict import Verdict, Word

MAX_TABLES = 20_000
"""Tables tried for D2; beyond, the verdict is about those tried only."""


def d2(game: core.Game) -> Verdict:
    """All deals together, and the reserve, take no more tiles than there are: for all whole numbers where that is so.

    Else every table the file allows is tried, and the formula, if there is one, says when it fits. Raises BadFile for a
    mistake of another kind.
    """
    started = time.perf_counter()
    every = dealt(game)
    tried = _every_table(game)
    details = list(tried.details)
    if every is not None:
        details.append(f"fits exactly when {every.condition}")
        if every.first_failure and not every.any_size:
            details.append(f"with the defaults first not for {every.first_failure}")
    tried = replace(tried, details=tuple(details))
    if tried.word is not Word.REFUTED and every is not None:
        if every.any_size:
            method = "all integers: any number of players, any values that `requires` allows"
            tried = replace(tried, word=Word.PROVED_ANY_SIZE, scope="all tables", method=method, depth=None)
        elif every.at_all_tables:
            method = "all integers, with the exact condition"
            tried = replace(tried, word=Word.PROVED_ANY_SIZE, scope="all tables", method=method, depth=None)
    return replace(tried, seconds=time.perf_counter() - started)


def _every_table(game: core.Game) -> Verdict:
    """The verdict of trying the tables, small ones first."""
    names = deciding_options(game)
    tried = refused = 0
    for players, options in tables(game, names):
        if tried + refused >= MAX_TABLES:
            return Verdict("D2", Word.HOLDS, counted(tried, "table"), "every table", depth=tried)
        scope = " ".join([f"players={players}", *(f"{k}={str(v).lower()}" for k, v in options.items())])
        try:
            instance = instantiate(game, players, options)
        except SettingError:
            refused += 1
            continue
        except BadFile as wrong:
            if any(d.code not in OF_THE_DEAL for d in wrong.diagnostics):
                raise
            mistake = wrong.diagnostics[0]
            lines = (mistake.message, f"help: {mistake.fix}" if mistake.fix else "")
            found = tuple(filter(None, lines))
            return Verdict("D2", Word.REFUTED, scope, "the smallest such table", details=found, span=mistake.span)
        tried += 1
        short = _reserve_missing(instance)
        if short is not None:
            return Verdict("D2", Word.REFUTED, scope, "the smallest such table", details=(short,))
    details = [f"{counted(tried, 'table')}: {told_seats(game.seats)} players" + _options_text(names)]
    if refused:
        details.append(f"{refused} more are refused by `requires`")
    return Verdict("D2", Word.PROVED, "all tables", "every table", details=tuple(details))


def _options_text(names: tuple[str, ...]) -> str:
    if not names:
        return "; no option changes the deal"
    return ", every value of " + ", ".join(names)


def deciding_options(game: core.Game) -> tuple[str, ...]:
    """Options that the set, the deal or the reserve depend on."""
    static = [d.count for d in game.deals]
    static += [e for d in game.enums for e in (d.low, d.high) if e is not None]
    static += [p.where for p in game.dominoes.parts if isinstance(p, core.EachPair)]
    static += [fn.body for fn in game.fns.values() if fn.role == "reserve"]
    return options_read(game, static)


def options_read(game: core.Game, exprs: Iterable[core.Expr]) -> tuple[str, ...]:
    """Options that expressions of the game read, by themselves or in what they call."""
    waiting, found, seen = list(exprs), set[str](), set[str]()
    while waiting:
        e = waiting.pop()
        found |= {r.var for r in reads(e) if r.var in game.options}
        for call in calls(e):
            if call.fn not in seen:
                seen.add(call.fn)
                waiting.append(game.fns[call.fn].body)
    return tuple(name for name in game.options if name in found)


def tables(game: core.Game, names: tuple[str, ...]) -> Iterator[tuple[int, dict[str, object]]]:
    """Player counts and values of the deciding options, small ones first."""
    ranges = [_values(game, game.options[name]) for name in names]
    for players in game.seats:
        for values in itertools.product(*ranges):
            yield players, dict(zip(names, values, strict=True))


def _values(game: core.Game, option: core.Option) -> list[object]:
    match option.type:
        case core.BoolType():
            return [False, True]
        case core.Elem(sort=sort):
            members = next((d.members for d in game.enums if d.name == sort), None)
            return list(members or ())
        case _:
            return list(range(option.low or 0, (option.high or 0) + 1))


def _reserve_missing(instance: core.Instance) -> str | None:
    """A sentence when the deal leaves fewer tiles in the stock than must stay there."""
    kept = [fn.body.value for fn in instance.fns.values() if fn.role == "reserve" and isinstance(fn.body, core.Lit)]
    reserve = sum(value for value in kept if isinstance(value, int))
    taken = 0
    stock = instance.role("zone", "stock")
    for count, source, target in instance.deals:
        taken += count * len(instance.cells(target)) * (source in stock)
    left = instance.sorts["tile"].size - taken
    return f"{left} tiles are left, {reserve} must stay" if 0 <= left < reserve else None


def d3(subject: Subject) -> Verdict:
    """Every tile lies in exactly one zone, in every position: proved by induction, one move at a time."""
    started = time.perf_counter()
    attempt = subject.induction.attempts[0]
    match attempt.outcome:
        case Outcome.PROVED | Outcome.CONFIGURED:
            return subject.verdict("D3", Word.PROVED, method="induction over moves", since=started)
        case Outcome.UNKNOWN:
            return subject.verdict("D3", Word.UNKNOWN, since=started, reason=attempt.reason or "the solver gave up")
        case _:
            return subject.verdict(
                "D3", Word.REFUTED, method="induction over moves", since=started, details=attempt.example,
                doesnt_say="that a play reaches this position",
            )  # fmt: skip
