"""Which clauses of the rules ever decide: rows of tables and settlements, guarded statements, actions and endings.

Constants are worked out before play, and with them clauses vanish; so the clauses are watched in a form of the instance
in which nothing is worked out in advance. It plays the same, only slower.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TypeAlias

from domrules.grammar import core
from domrules.grammar.instance import folder
from domrules.grammar.source import Span
from domrules.interpreter.chance import Chance
from domrules.interpreter.names import Move
from domrules.interpreter.play import Match, placements, play_match
from domrules.interpreter.players import Player, Seating
from domrules.interpreter.replay import outcomes
from domrules.interpreter.rules import Rules
from domrules.interpreter.tables import tables
from domrules.interpreter.views import View

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

    def play(self, game: core.Game, rounds: int, seed: int = 1, wanted: Collection[Place] | None = None) -> None:
        """Play random matches of so many rounds, as many at each table, and lay out their boards.

        A match at each table in turn, until the `wanted` clauses have decided. Raises RuleError, Unfinished.
        """
        self.play_at(self.tables(game), rounds, seed, wanted)

    def tables(self, game: core.Game) -> list[Rules]:
        """The tables that a game is tried at, watched."""
        return list(map(self.rules, tables(game)))

    def play_at(
        self, rules: Sequence[Rules], rounds: int, seed: int = 1, wanted: Collection[Place] | None = None
    ) -> None:
        """The same at given tables."""
        left, index = [ceil(rounds / len(rules)) for _ in rules], 0
        while any(left) and (wanted is None or not self.fired.issuperset(wanted)):
            for number, stop in enumerate(left):
                if stop:
                    left[number] -= self.again(rules[number], seed, (number << 32) + index, stop)
            index += 1

    def again(self, rules: Rules, seed: int, index: int, stop: int | None = None) -> int:
        """Play one match, or so many rounds of it; gives how many they were. Raises RuleError, Unfinished."""
        match = play_match(rules, Chance.named(seed, index), stop=stop)
        look_back(rules, match)
        return len(match.rounds)

    def follow(
        self, instance: core.Instance, seats: Callable[[Rules], Seating], seed: int, rounds: int
    ) -> Iterator[int]:
        """Play the first rounds of a seed at a table, whoever sits there; says after each match how many they were.

        What players only think of does not count.

        Raises RuleError, Unfinished, BadPlayer.
        """
        rules, plain = self.rules(instance), Rules(as_written(instance))
        seating, index, done = seats(plain), 0, 0
        while done < rounds:
            chance = Chance.named(seed, index)
            players = [Apart(plain, player) for player in seating(seed, index, chance)]
            match = play_match(rules, chance, players, stop=rounds - done)
            look_back(rules, match)
            index, done = index + 1, done + len(match.rounds)
            yield done

    def never(self, game: core.Game) -> list[Clause]:
        """The clauses of a game that have not decided anything."""
        return [clause for clause in clauses(game) if place(clause.span) not in self.fired]


def look_back(rules: Rules, match: Match) -> None:
    """What is asked of a match that was played: where its tiles lie, and what else it was worth."""
    for played in match.rounds:
        placements(rules, played)
    if match.winners is not None:
        outcomes(rules, match.rounds[-1].settled)


class Apart:
    """A player who thinks with rules of his own, which nobody watches."""

    def __init__(self, rules: Rules, player: Player) -> None:
        self.rules, self.player = rules, player

    def choose(self, view: View, moves: Sequence[Move]) -> int:
        return self.player.choose(view.by(self.rules), moves)


@dataclass(frozen=True)
class Clause:
    """A part of the rules that decides now and then: the declaration it stands in, how it is written, its place."""

    owner: str
    """`define worth`, `action play`, `settle`"""
    text: str
    """In one line, without comments."""
    span: Span

    def __str__(self) -> str:
        return f"{self.owner}: {self.text}"


def clauses(game: core.Game) -> Iterator[Clause]:
    """All clauses of a game, those it inherits included."""
    for fn in game.fns.values():
        if isinstance(fn.body, core.Cases):
            kind = "rule" if fn.slot else "outcome" if fn.outcome else "define"
            yield from rows(f"{kind} {fn.name}", fn.body)
    for kind, deeds in {"action": game.actions, "event": game.events}.items():
        for deed in deeds:
            yield Clause(f"{kind} {deed.name}", one_line(deed.span.text.partition("\n")[0]), deed.span)
            yield from (c for block in deed.blocks for c in guarded(f"{kind} {deed.name}", block))
    for ending in game.endings:
        yield Clause(f"ending {ending.name}", one_line(ending.span.text), ending.span)
    for block in game.begin:
        yield from guarded("begin", block)
    for settle in game.settles:
        for row in settle.rows:
            yield Clause("settle", one_line(row.span.text), row.span)
            yield from guarded("settle", row.body)


def rows(owner: str, table: core.Cases) -> Iterator[Clause]:
    """The rows of a table. (No name is called `when` or `otherwise`.)"""
    texts = re.split(r"\b(?=when\b|otherwise\b)", one_line(table.span.text))
    values = [*(value for _, value in table.rows), table.otherwise]
    for text, value in zip(texts[-len(values) :], values, strict=True):
        yield Clause(owner, text.strip(), value.span)


def guarded(owner: str, block: core.Block, around: tuple[Span, ...] = ()) -> Iterator[Clause]:
    """Statements with a condition of their own or for each element of a set; those of a row are the row's."""
    for s in block:
        if isinstance(s, core.If | core.Each):
            yield from guarded(owner, s.body, (*around, s.span))
        elif not isinstance(s, core.Attach) and any(within(a, s.span) or within(s.span, a) for a in around):
            yield Clause(owner, one_line(s.span.text), s.span)


def within(inner: Span, outer: Span) -> bool:
    return inner.source.name == outer.source.name and outer.start <= inner.start and inner.end <= outer.end


def one_line(text: str) -> str:
    return " ".join(re.sub(r"#[^\n]*", "", text).split())


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
                return replace(fold.options[var], span=e.span)
            case _:
                return core.rebuild(e, plain)

    return plain


def as_written(instance: core.Instance) -> core.Instance:
    """The same instance, made of its game's own expressions: only names and attributes are looked up.

    Every statement stands under a condition that always holds, so that whoever watches is told of it.
    """
    game, plain = instance.game, written(instance)

    def block(statements: core.Block) -> core.Block:
        return told(core.rebuild_block(statements, plain))

    def action(a: core.Action) -> core.Action:
        params = tuple(replace(p, domain=None if p.domain is None else plain(p.domain)) for p in a.params)
        return replace(a, params=params, guard=plain(a.guard), blocks=tuple(map(block, a.blocks)))

    return replace(
        instance,
        fns={name: replace(fn, body=plain(fn.body)) for name, fn in game.fns.items()},
        redeal=plain(game.redeal),
        begin=tuple(map(block, game.begin)),
        actions=tuple(map(action, game.actions)),
        events=tuple(map(action, game.events)),
        endings=tuple(replace(e, when=plain(e.when)) for e in game.endings),
        settles=tuple(
            replace(s, rows=tuple(replace(r, test=plain(r.test), body=block(r.body)) for r in s.rows))
            for s in game.settles
        ),
        over=plain(game.over),
        winners=plain(game.winners),
    )


def told(block: core.Block) -> core.Block:
    """The statements, each that writes or moves under a condition with its own span."""
    out: list[core.Stmt] = []
    for s in block:
        match s:
            case core.Set() | core.Move():
                out.append(core.If(core.TRUE, (s,), s.span))
            case core.If() | core.Each():
                out.append(replace(s, body=told(s.body)))
            case core.Attach():
                out.append(s)
    return tuple(out)
