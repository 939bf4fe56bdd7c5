"""Which clauses of the rules ever decide: rows of tables, conditional statements, actions and endings.

Constants are worked out before play, and with them clauses vanish; so the clauses are watched in a form of the instance
in which nothing is worked out in advance. It plays the same, only slower.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from domrules.grammar import core
from domrules.grammar.instance import folder
from domrules.grammar.source import Span
from domrules.interpreter.rules import Rules

Place: TypeAlias = tuple[str, int, int]


def place(span: Span) -> Place:
    """A span without its text: quick to compare, and equal for a file that was read twice."""
    return span.source.name, span.start, span.end


class Coverage:
    """Gathers which clauses decide, over any number of games and tables."""

    def __init__(self) -> None:
        self.fired: set[Place] = set()

    def watch(self, span: Span) -> None:
        self.fired.add(place(span))

    def rules(self, instance: core.Instance) -> Rules:
        """The rules of a table, watched. What is settled before play (deals, teams) is looked at here."""
        rules = Rules(as_written(instance), self.watch)
        state = rules.new_match()
        for deal in instance.game.deals:
            rules.question(written(instance)(deal.count))(state)
        if instance.game.teams is not None:
            fn = instance.fns[instance.game.teams]
            for player in range(instance.players):
                rules.question(core.Call(fn.name, (core.Lit(player, core.Elem("player")),), fn.type))(state)
        return rules

    def never(self, game: core.Game) -> list[Clause]:
        """The clauses of a game that have not decided anything."""
        return [clause for clause in clauses(game) if place(clause.span) not in self.fired]


@dataclass(frozen=True)
class Clause:
    """A part of the rules that decides now and then: the declaration it stands in, how it is written, its place."""

    owner: str
    text: str
    span: Span

    def __str__(self) -> str:
        return f"{self.owner}: {' '.join(self.text.split())}"


def clauses(game: core.Game) -> Iterator[Clause]:
    """All clauses of a game, those it inherits included."""
    for fn in game.fns.values():
        yield from rows(fn.name, [fn.body])
    for action in game.actions:
        yield Clause(action.name, "action", action.span)
        yield from rows(action.name, [action.guard, *(p.domain for p in action.params if p.domain is not None)])
        yield from (c for block in action.blocks for c in conditional(action.name, block))
    for ending in game.endings:
        yield Clause(ending.name, "ending", ending.span)
    for block in game.begin:
        yield from conditional("begin", block)
    for settle in game.settles:
        yield from conditional("settle", settle.block())


def rows(owner: str, parts: Iterable[core.Expr]) -> Iterator[Clause]:
    """The rows of all tables inside expressions."""
    for e in parts:
        if isinstance(e, core.Cases):
            yield from (Clause(owner, f"{test.span.text} -> {value.span.text}", value.span) for test, value in e.rows)
            yield Clause(owner, f"otherwise -> {e.otherwise.span.text}", e.otherwise.span)
        yield from rows(owner, core.children(e))


def conditional(owner: str, block: core.Block) -> Iterator[Clause]:
    """The statements under a condition."""
    for s in block:
        if isinstance(s, core.If):
            yield Clause(owner, s.span.text, s.span)
        if isinstance(s, core.If | core.Each):
            yield from conditional(owner, s.body)


# ---------------------------------------------------------------- an instance as it is written


def written(instance: core.Instance) -> Callable[[core.Expr], core.Expr]:
    """From a generic expression to one of the instance in which nothing is worked out."""
    fold = folder(instance)

    def plain(e: core.Expr) -> core.Expr:
        match e:
            case core.Lit():
                return fold.literal(e)
            case core.Attr():
                return fold.table(e, plain(e.of))
            case core.Read(var=var) if var in fold.options:
                return fold.options[var]
            case _:
                return core.rebuild(e, plain)

    return plain


def as_written(instance: core.Instance) -> core.Instance:
    """The same instance, made of its game's own expressions: only names and attributes are looked up."""
    game, plain = instance.game, written(instance)

    def block(statements: core.Block) -> core.Block:
        return core.rebuild_block(statements, plain)

    def action(a: core.Action) -> core.Action:
        params = tuple(replace(p, domain=None if p.domain is None else plain(p.domain)) for p in a.params)
        return replace(a, params=params, guard=plain(a.guard), blocks=tuple(map(block, a.blocks)))

    return replace(
        instance,
        fns={name: replace(fn, body=plain(fn.body)) for name, fn in game.fns.items()},
        redeal=plain(game.redeal),
        begin=tuple(map(block, game.begin)),
        actions=tuple(map(action, game.actions)),
        endings=tuple(replace(e, when=plain(e.when)) for e in game.endings),
        settles=tuple(
            replace(s, rows=tuple(replace(r, test=plain(r.test), body=block(r.body)) for r in s.rows))
            for s in game.settles
        ),
        over=plain(game.over),
        winners=plain(game.winners),
    )
