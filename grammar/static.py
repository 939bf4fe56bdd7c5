"""Checks of a whole game that need no solver and no instance: missing parts, recursion, unset states."""

from __future__ import annotations

from collections.abc import Iterator

from domrules.grammar import core
from domrules.grammar.depth import calls as calls
from domrules.grammar.depth import check_depth, fixed_parts, parts
from domrules.grammar.depth import reads as reads
from domrules.grammar.diagnostics import Note, Reporter
from domrules.grammar.source import Span


def check_game(game: core.Game, head: Span, report: Reporter) -> None:
    """Add a mistake for everything a game needs and this one lacks; `head` is the place of what is not there."""
    if not check_depth(game, report):
        return
    _static_parts(game, report)
    _numbers_only(game, report)
    if game.abstract:
        return
    _parts(game, report, head.first(2))
    _roles(game, report)
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
        (_undeclared(game.over), "when the match is over", "over when …"),
    ]
    lacks = [(what, fix) for lacking, what, fix in missing if lacking]
    if lacks:
        notes = [Note(f"nor {what}: `{fix}`") for what, fix in lacks[1:]]
        report.add("DOM421", f"the game does not say {lacks[0][0]}", at, *notes, fix=f"write `{lacks[0][1]}`")

    if core.is_lit(game.over, False) and not _undeclared(game.over):
        report.add("DOM421", "no match would ever be over", game.over.span,
                   fix="write `over when any g in teams: score[g] >= 100`")  # fmt: skip


def _undeclared(e: core.Expr) -> bool:
    """Does this stand for a declaration that is not there?"""
    return e.span.source.name == ""


SHAPES = {
    "stock": ("one zone", "zone boneyard seen by nobody as stock"),
    "layout": ("one zone", "zone layout seen by all as layout"),
    "hand": ("a zone per player", "zone hand per player seen by owner as hand"),
    "mover": ("one player, in a state for the round", "state mover: player for the round as mover"),
    "score": ("a number, in a state for the match", "state score per team: int = 0 for the match as score"),
    "reserve": ("a number, in a slot without parameters", 'slot reserve: int as reserve = 0 "…"'),
}
"""Roles: what has them, and an example."""


def _fits(role: str, var: core.Var) -> bool:
    """Is a zone or state what its role says?"""
    match role:
        case "stock" | "layout":
            return var.per is None
        case "hand":
            return var.per == "player"
        case "mover":
            return var.type == core.Elem("player") and var.per is None and var.life is core.Life.ROUND
        case "score":
            return isinstance(var.type, core.IntType) and var.life is core.Life.MATCH
        case _:
            return True


def _roles(game: core.Game, report: Reporter) -> None:
    """What has a role is of its kind, and the roles that only one can have are taken once."""
    taken: dict[str, core.Var | core.Fn] = {}
    owners: list[core.Var | core.Fn] = [*game.vars.values(), *game.fns.values()]
    for owner in owners:
        role = owner.role
        if role not in SHAPES:
            continue
        what, example = SHAPES[role]
        fits = _fits(role, owner) if isinstance(owner, core.Var) else owner.type == core.INT and not owner.params
        if not fits:
            report.add("DOM426", f"the {role} is {what}", owner.span.first(2), fix=f"write `{example}`")
        elif role in ("stock", "mover", "reserve") and role in taken:
            report.add(
                "DOM430", f"a game has one {role}", owner.span.first(2), Note("the first is here", taken[role].span)
            )
        taken.setdefault(role, owner)


def _unset(game: core.Game, report: Reporter) -> None:
    """A state without initial value must be set when a round begins."""
    begun = {s.var for block in game.begin for s in _writes(block)}
    for var in game.vars.values():
        if var.init is None and not (var.life is core.Life.ROUND and var.name in begun):
            where = "set it in `begin`, or " if var.life is core.Life.ROUND else ""
            report.add(
                "DOM422",
                f"`{var.name}` has no value to begin with",
                var.span.first(2),
                fix=f"{where}give one with `= …`",
            )


def _unbounded(game: core.Game, report: Reporter) -> None:
    """Numbers of a round have a range, so that every engine knows how large they get."""
    for var in game.vars.values():
        if isinstance(var.type, core.IntType) and var.life is core.Life.ROUND and var.low is None:
            report.add(
                "DOM425",
                f"`{var.name}` counts within a round and needs a range",
                var.span.first(2),
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


def _static_parts(game: core.Game, report: Reporter) -> None:
    """What is fixed before the first move may read no state."""
    for e in fixed_parts(game):
        read = first_state(game, e)
        if read is not None:
            report.add(
                "DOM424",
                f"this must be known before the first move, but depends on `{told(read)}`",
                e.span,
                Note("read here", read.span),
            )


def _numbers_only(game: core.Game, report: Reporter) -> None:
    """A claim about all numbers speaks of no position, so it may read no state."""
    for claim in game.claims:
        read = first_state(game, claim.body) if claim.kind == "numbers" else None
        if read is not None:
            report.add(
                "DOM442",
                f"a claim `for all` speaks of numbers only, but `{claim.name}` depends on `{told(read)}`",
                claim.span.first(2),
                Note("read here", read.span),
                fix="write `always …` for what is so in every position",
            )


def of_numbers_alone(game: core.Game, e: core.Expr) -> bool:
    """Is this about numbers and nothing that a table has, so that it means the same at every one?"""
    waiting, seen = [e], set[str]()
    for body in waiting:
        for part in parts(body):
            if isinstance(part, core.Call) and part.fn not in seen:
                seen.add(part.fn)
                waiting.append(game.fns[part.fn].body)
            if not isinstance(part.type, core.IntType | core.BoolType):
                return False
            if not isinstance(part, core.Lit | core.Local | core.Op | core.Cases | core.Call):
                return False
    return True


def told(read: core.Read) -> str:
    """What is read, by the name it has in the file; the endings are one state of ours."""
    return read.span.text or read.var if read.var == "ending" else read.var


def first_state(game: core.Game, e: core.Expr) -> core.Read | None:
    """The first read of a state in an expression or the defines it needs."""
    waiting, seen = [e], set[str]()
    for body in waiting:
        for read in reads(body):
            if read.var not in game.options:
                return read
        for call in calls(body):
            if call.fn not in seen and call.fn in game.fns:
                seen.add(call.fn)
                waiting.append(game.fns[call.fn].body)
    return None
