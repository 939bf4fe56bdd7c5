"""Checks of a whole game that need no solver and no instance: missing parts, recursion, unset states."""

from __future__ import annotations

from collections.abc import Iterator

from domrules.grammar import core
from domrules.grammar.diagnostics import Note, Reporter
from domrules.grammar.source import NOWHERE, Span


def check_game(game: core.Game, report: Reporter) -> None:
    """Add a mistake for everything a game needs and this one lacks."""
    _recursion(game, report)
    _static_parts(game, report)
    if game.abstract:
        return
    at = Span(next(iter(game.fns.values())).span.source, 0, 1) if game.fns else NOWHERE
    _parts(game, report, at)
    _unset(game, report)
    _unbounded(game, report)


def _parts(game: core.Game, report: Reporter, at: Span) -> None:
    missing = [
        (not game.dominoes.parts, "what tiles there are", "dominoes in pips each a, b where a <= b"),
        (
            not any(v.role == "stock" for v in game.vars.values()),
            "where the tiles lie at first",
            "zone boneyard seen by nobody as stock",
        ),
        (not game.actions, "what a player may do", "action … do …"),
        (not game.endings, "how a round ends", "ending … when …"),
        (
            not any(v.role == "mover" for v in game.vars.values()),
            "whose turn it is",
            "state mover: player for the round as mover",
        ),
        (core.is_lit(game.over, False), "when the match is over", "over when …"),
    ]
    for lacking, what, fix in missing:
        if lacking:
            report.add("DOM421", f"the game does not say {what}", at, fix=f"write `{fix}`")
            return


def _unset(game: core.Game, report: Reporter) -> None:
    """A state without initial value must be set when a round begins."""
    begun = {s.var for block in game.begin for s in _writes(block)}
    for var in game.vars.values():
        if var.init is None and not (var.life is core.Life.ROUND and var.name in begun):
            where = "set it in `begin`, or " if var.life is core.Life.ROUND else ""
            report.add(
                "DOM422", f"`{var.name}` has no value to begin with", var.span, fix=f"{where}give one with `= …`"
            )


def _unbounded(game: core.Game, report: Reporter) -> None:
    """Numbers of a round have a range, so that every engine knows how large they get."""
    for var in game.vars.values():
        if isinstance(var.type, core.IntType) and var.life is core.Life.ROUND and var.low is None:
            report.add(
                "DOM425",
                f"`{var.name}` counts within a round and needs a range",
                var.span,
                fix="write `int 0..50`, or keep it `for the match`",
            )


def _writes(block: core.Block) -> Iterator[core.Set]:
    for s in block:
        match s:
            case core.Set():
                yield s
            case core.If(body=body) | core.Each(body=body):
                yield from _writes(body)
            case _:
                pass


def calls(e: core.Expr) -> Iterator[core.Call]:
    """Every call inside an expression."""
    if isinstance(e, core.Call):
        yield e
    for child in core.children(e):
        yield from calls(child)


def reads(e: core.Expr) -> Iterator[core.Read]:
    """Every read inside an expression, not looking into defines."""
    if isinstance(e, core.Read):
        yield e
    for child in core.children(e):
        yield from reads(child)


def _recursion(game: core.Game, report: Reporter) -> None:
    """A define may not need itself."""
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            loop = " → ".join([*path[path.index(name) :], name])
            fn = game.fns[name]
            report.add(
                "DOM423",
                f"`{name}` is explained by itself: {loop}",
                fn.span,
                Note("every define must end in states and numbers"),
            )
            return
        if name in done or name not in game.fns:
            return
        for call in calls(game.fns[name].body):
            visit(call.fn, (*path, name))
        done.add(name)

    for name in game.fns:
        visit(name, ())


def _static_parts(game: core.Game, report: Reporter) -> None:
    """Ranges, tile sets, teams and deals are fixed before the first move: they may read no state."""
    static = [e for d in game.enums for e in (d.low, d.high) if e is not None]
    static += [p.where for p in game.dominoes.parts if isinstance(p, core.EachPair)]
    static += [d.count for d in game.deals]
    static += [o.default for o in game.options.values()]
    static += [o.requires for o in game.options.values() if o.requires is not None]
    if game.teams is not None:
        static.append(game.fns[game.teams].body)
    for e in static:
        read = _first_state(game, e, ())
        if read is not None:
            report.add(
                "DOM424",
                f"this must be known before the first move, but depends on `{read.var}`",
                e.span,
                Note("read here", read.span),
            )


def _first_state(game: core.Game, e: core.Expr, seen: tuple[str, ...]) -> core.Read | None:
    for read in reads(e):
        if read.var not in game.options:
            return read
    for call in calls(e):
        if call.fn not in seen and call.fn in game.fns:
            found = _first_state(game, game.fns[call.fn].body, (*seen, call.fn))
            if found is not None:
                return found
    return None
