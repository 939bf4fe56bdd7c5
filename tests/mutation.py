"""From a game to its mutants: the same game with one operator, constant, condition, row or statement of its rules changed.

Nothing here knows a game: every node of every term of `core` has its ways to be wrong, see `Ways`. Lemmas, claims and examples
are no rules, and stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from typing import TypeVar

from domrules.grammar import core
from domrules.grammar.core import BOOL, INT, Elem, Expr, Lit, Maybe, Op
from domrules.grammar.source import NOWHERE, Span

T = TypeVar("T")

FLIPPED = {
    "lt": "le", "le": "lt", "and": "or", "or": "and", "add": "sub", "sub": "add", "mul": "add", "union": "inter",
    "inter": "union", "minus": "inter", "roundup": "rounddown", "rounddown": "roundup",
}  # fmt: skip
NEGATED = ("numeq", "eq", "in", "odd", "some", "iff")
OTHER = {"low": "high", "high": "low"}


@dataclass(frozen=True)
class Mutant:
    """A game with one thing changed: where in the text, and what, in words."""

    game: core.Game
    span: Span
    what: str

    @property
    def name(self) -> str:
        """The same for all games that inherit the clause, and wherever in its file it stands."""
        file = self.span.source.name.rsplit("/", 1)[-1]
        return f"{file} | {self.what} | {' '.join(self.span.text.split())[:100]}"

    @property
    def place(self) -> tuple[str, int, int, str]:
        """One for each change of a text."""
        return self.span.source.name, self.span.start, self.span.end, self.what


def mutants(game: core.Game) -> Iterator[Mutant]:
    """All mutants with one change, in the order of the parts of a game. What no file says, as that nothing is dealt again, stays."""
    ways = Ways({enum.name: enum.members for enum in game.enums if enum.members is not None})
    for part in (_declared, _played, _counted):
        yield from (mutant for mutant in part(game, ways) if mutant.span != NOWHERE)


def _declared(game: core.Game, ways: Ways) -> Iterator[Mutant]:
    """The set, the options, what a state is at first, the defines."""
    for span, what, dominoes in ways.dominoes(game.dominoes):
        yield Mutant(replace(game, dominoes=dominoes), span, what)
    for name, option in game.options.items():
        for span, what, e in ways.expressions(option.default):
            yield Mutant(replace(game, options={**game.options, name: replace(option, default=e)}), span, what)
        for span, what, e in ways.expressions(option.requires) if option.requires is not None else ():
            yield Mutant(replace(game, options={**game.options, name: replace(option, requires=e)}), span, what)
    for name, var in game.vars.items():
        for span, what, e in ways.expressions(var.init) if var.init is not None and not var.zone else ():
            yield Mutant(replace(game, vars={**game.vars, name: replace(var, init=e)}), span, what)
    for name, fn in game.fns.items():
        if name not in ("match_over", "match_winners"):
            for span, what, body in ways.expressions(fn.body):
                yield Mutant(replace(game, fns={**game.fns, name: replace(fn, body=body)}), span, what)


def _played(game: core.Game, ways: Ways) -> Iterator[Mutant]:
    """The deal, the moves, the endings."""
    for i, deal in enumerate(game.deals):
        for span, what, count in ways.expressions(deal.count):
            yield Mutant(replace(game, deals=_put(game.deals, i, replace(deal, count=count))), span, what)
    for span, what, e in ways.expressions(game.redeal):
        yield Mutant(replace(game, redeal=e), span, what)
    for i, block in enumerate(game.begin):
        for span, what, b in ways.blocks(block):
            yield Mutant(replace(game, begin=_put(game.begin, i, b)), span, what)
    for i, action in enumerate(game.actions):
        for span, what, a in ways.actions(action):
            yield Mutant(replace(game, actions=_put(game.actions, i, a)), span, what)
    for i, event in enumerate(game.events):
        for span, what, a in ways.actions(event):
            yield Mutant(replace(game, events=_put(game.events, i, a)), span, what)
    for i, ending in enumerate(game.endings):
        for span, what, e in ways.expressions(ending.when):
            yield Mutant(replace(game, endings=_put(game.endings, i, replace(ending, when=e))), span, what)
        if i:
            swapped = _put(_put(game.endings, i, game.endings[i - 1]), i - 1, ending)
            yield Mutant(replace(game, endings=swapped), ending.span, "looked at before the one above")


def _counted(game: core.Game, ways: Ways) -> Iterator[Mutant]:
    """What a round is worth, and who wins."""
    for i, settle in enumerate(game.settles):
        for span, what, s in ways.settles(settle):
            yield Mutant(replace(game, settles=_put(game.settles, i, s)), span, what)
    for span, what, e in ways.expressions(game.over):
        yield Mutant(replace(game, over=e, fns=_pseudo(game, "match_over", e)), span, what)
    for span, what, e in ways.expressions(game.winners):
        yield Mutant(replace(game, winners=e, fns=_pseudo(game, "match_winners", e)), span, what)


def _pseudo(game: core.Game, name: str, body: Expr) -> dict[str, core.Fn]:
    """The defines of a game, with another body for one."""
    return {**game.fns, name: replace(game.fns[name], body=body)}


Changed = Iterator[tuple[Span, str, Expr]]


@dataclass(frozen=True)
class Ways:
    """All the ways in which the terms of a game can be wrong. `members`: the elements of the sorts that are declared by names."""

    members: Mapping[str, tuple[str, ...]]

    def expressions(self, e: Expr) -> Changed:
        """Every way one node of an expression can be wrong, with the whole expression then."""
        for what, wrong in self.wrong(e):
            yield e.span, what, wrong
        for i, child in enumerate(core.children(e)):
            for span, what, wrong in self.expressions(child):
                yield span, what, core.rebuild(e, _only(i, wrong))

    def wrong(self, e: Expr) -> Iterator[tuple[str, Expr]]:
        match e:
            case Lit(value=bool(value)):
                yield "a truth turned round", replace(e, value=not value)
            case Lit(value=int(value)) if e.type == INT:
                yield "one more", replace(e, value=value + 1)
                yield "one less", replace(e, value=value - 1)
            case Lit(value=str(value)) if value.isdigit():
                yield "one more", replace(e, value=str(int(value) + 1))
            case Lit(value=str(value), type=Elem(sort=sort) | Maybe(sort=sort)) if value in self.members.get(sort, ()):
                of_sort = self.members[sort]
                other = of_sort[(of_sort.index(value) + 1) % len(of_sort)]
                yield f"{other} for {value}", replace(e, value=other)
            case Lit(value=(low, high)) if high.isdigit():
                less = (low, str(int(high) - 1)) if low < high else ("0", "1")
                yield f"{'|'.join(less)} for {low}|{high}", replace(e, value=less)
            case core.Attr(name="next"):
                yield "same for next", e.of
            case core.Attr(name=name) if name in OTHER:
                yield f"{OTHER[name]} for {name}", replace(e, name=OTHER[name])
            case Op():
                yield from _operators(e)
            case core.Cases(rows=rows):
                for i in range(len(rows)):
                    kept = rows[:i] + rows[i + 1 :]
                    yield f"row {i + 1} left out", replace(e, rows=kept) if kept else e.otherwise
                    if i:
                        swapped = (*rows[: i - 1], rows[i], rows[i - 1], *rows[i + 1 :])
                        yield f"rows {i} and {i + 1} swapped", replace(e, rows=swapped)
            case core.Agg(kind="any" | "all" as kind):
                other = "all" if kind == "any" else "any"
                yield f"{other} for {kind}", replace(e, kind=other)
            case core.Best(highest=highest):
                yield "lowest for highest" if highest else "highest for lowest", replace(e, highest=not highest)
            case _:
                return
        if isinstance(e, core.Agg) and e.guard is not None:
            yield "where left out", replace(e, guard=None)

    def dominoes(self, dominoes: core.Dominoes) -> Iterator[tuple[Span, str, core.Dominoes]]:
        """Another number of copies, a tile less, other pairs of halves."""
        parts = dominoes.parts
        for i, part in enumerate(parts):
            more = replace(part, copies=part.copies + 1)
            yield dominoes.span, f"one more copy in part {i + 1}", replace(dominoes, parts=_put(parts, i, more))
            match part:
                case core.EachPair(where=where):
                    for span, what, e in self.expressions(where):
                        yield span, what, replace(dominoes, parts=_put(parts, i, replace(part, where=e)))
                case core.Listed(tiles=tiles):
                    for k, tile in enumerate(tiles):
                        fewer = replace(part, tiles=tiles[:k] + tiles[k + 1 :])
                        what = f"{'|'.join(tile)} left out"
                        yield dominoes.span, what, replace(dominoes, parts=_put(parts, i, fewer))

    def actions(self, action: core.Action) -> Iterator[tuple[Span, str, core.Action]]:
        for i, p in enumerate(action.params):
            for span, what, e in self.expressions(p.domain) if p.domain is not None else ():
                yield span, what, replace(action, params=_put(action.params, i, replace(p, domain=e)))
        for span, what, e in self.expressions(action.guard):
            yield span, what, replace(action, guard=e)
        for i, block in enumerate(action.blocks):
            for span, what, b in self.blocks(block):
                yield span, what, replace(action, blocks=_put(action.blocks, i, b))

    def settles(self, settle: core.Settle) -> Iterator[tuple[Span, str, core.Settle]]:
        rows = settle.rows
        for i, row in enumerate(rows):
            said = set(_spans(row.test))
            for span, what, e in self.expressions(row.test):
                if not core.is_lit(row.test, True):
                    bare = replace(row, test=e, body=_bare(row.body, said))
                    yield span, what, replace(settle, rows=_put(rows, i, bare))
            for span, what, b in self.within(row.body, said):
                yield span, what, replace(settle, rows=_put(rows, i, replace(row, body=b)))
            if len(rows) > 1 and (row.body or i < len(rows) - 1):
                yield row.span, "row left out", replace(settle, rows=rows[:i] + rows[i + 1 :])
            if i and not settle.strict:
                yield (
                    row.span,
                    "swapped with the row above",
                    replace(settle, rows=_put(_put(rows, i, rows[i - 1]), i - 1, row)),
                )

    def within(self, body: core.Block, said: Set[Span]) -> Iterator[tuple[Span, str, core.Block]]:
        """The statements of a row, without those that say its condition once more, to bind names."""
        match body:
            case (core.If(condition=condition, body=inner) as s,) if condition.span in said:
                yield from ((span, what, (replace(s, body=b),)) for span, what, b in self.within(inner, said))
            case (core.Each(domain=domain, body=inner) as s,) if domain is not None and domain.span in said:
                yield from ((span, what, (replace(s, body=b),)) for span, what, b in self.within(inner, said))
            case _:
                yield from self.blocks(body)

    def blocks(self, block: core.Block) -> Iterator[tuple[Span, str, core.Block]]:
        """Every way the statements of a block can be wrong."""
        for i, s in enumerate(block):
            yield s.span, "statement left out", block[:i] + block[i + 1 :]
            for span, what, wrong in self.statements(s):
                yield span, what, (*block[:i], *wrong, *block[i + 1 :])

    def statements(self, s: core.Stmt) -> Iterator[tuple[Span, str, core.Block]]:
        match s:
            case core.If(condition=condition, body=body):
                yield s.span, "condition left out", body
                for span, what, e in self.expressions(condition):
                    yield span, what, (replace(s, condition=e),)
                for span, what, b in self.blocks(body):
                    yield span, what, (replace(s, body=b),)
            case core.Each(domain=domain, guard=guard, body=body):
                for span, what, e in self.expressions(domain) if domain is not None else ():
                    yield span, what, (replace(s, domain=e),)
                for span, what, e in self.expressions(guard) if guard is not None else ():
                    yield span, what, (replace(s, guard=e),)
                for span, what, b in self.blocks(body):
                    yield span, what, (replace(s, body=b),)
            case core.Set(index=index, value=value, add=add):
                for span, what, e in self.expressions(index) if index is not None else ():
                    yield span, what, (replace(s, index=e),)
                for span, what, e in self.expressions(value):
                    yield span, what, (replace(s, value=e),)
                if add:
                    yield s.span, "set for add", (replace(s, add=False),)
            case core.Move(tile=tile):
                for span, what, e in self.expressions(tile):
                    yield span, what, (replace(s, tile=e),)
            case core.Attach():
                for span, what, e in self.expressions(s.to):
                    yield span, what, (replace(s, to=e),)
                for span, what, e in self.expressions(s.touching):
                    yield span, what, (replace(s, touching=e),)
                for span, what, e in self.expressions(s.going):
                    yield span, what, (replace(s, going=e),)
                for span, what, e in self.expressions(s.across):
                    yield span, what, (replace(s, across=e),)


def _operators(e: Op) -> Iterator[tuple[str, Expr]]:
    name = e.name
    if name in FLIPPED:
        yield f"{FLIPPED[name]} for {name}", replace(e, name=FLIPPED[name])
    if name in NEGATED:
        yield f"not {name}", Op("not", (e,), BOOL, span=e.span)
    if name == "not":
        yield "not left out", e.args[0]
    if name in ("and", "or"):
        yield f"left of {name} left out", e.args[1]
        yield f"right of {name} left out", e.args[0]
    if name == "numeq" and not any(isinstance(arg, Lit) and arg.value == 0 for arg in e.args):
        yield "le for numeq", replace(e, name="le")
    if e.const:
        yield "one more", replace(e, const=e.const + 1)
    if name == "round" and e.const % 2 == 0:
        yield "another tie", replace(e, tie="down" if e.tie == "up" else "up")


def _only(number: int, wrong: Expr) -> Callable[[Expr], Expr]:
    """Replaces the child of this number, in the order in which `rebuild` comes to them."""
    count = iter(range(10_000))
    return lambda child: wrong if next(count) == number else child


def _spans(e: Expr) -> Iterator[Span]:
    yield e.span
    for child in core.children(e):
        yield from _spans(child)


def _bare(body: core.Block, said: Set[Span]) -> core.Block:
    """The statements of a row without its condition; names stay bound."""
    match body:
        case (core.If(condition=condition, body=inner),) if condition.span in said:
            return _bare(inner, said)
        case (core.Each(domain=domain, body=inner) as s,) if domain is not None and domain.span in said:
            return (replace(s, guard=None, body=_bare(inner, said)),)
        case _:
            return body


def _put(items: tuple[T, ...], i: int, item: T) -> tuple[T, ...]:
    return (*items[:i], item, *items[i + 1 :])
