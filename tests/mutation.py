"""From a game to its mutants: the same game with one operator, constant, condition, row or statement of its rules changed.

Nothing here knows a game: every node of every term of `core` has its ways to be wrong, see `_wrong` and `_statements`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

from domrules.grammar import core
from domrules.grammar.core import BOOL, INT, Expr, Lit, Op
from domrules.grammar.source import Span

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
    """All mutants with one change, in the order of the parts of a game."""
    for name, fn in game.fns.items():
        if name not in ("match_over", "match_winners"):
            for span, what, body in expressions(fn.body):
                yield Mutant(replace(game, fns={**game.fns, name: replace(fn, body=body)}), span, what)
    for i, deal in enumerate(game.deals):
        for span, what, count in expressions(deal.count):
            yield Mutant(replace(game, deals=_put(game.deals, i, replace(deal, count=count))), span, what)
    for span, what, e in expressions(game.redeal):
        yield Mutant(replace(game, redeal=e), span, what)
    for i, block in enumerate(game.begin):
        for span, what, b in blocks(block):
            yield Mutant(replace(game, begin=_put(game.begin, i, b)), span, what)
    for i, action in enumerate(game.actions):
        for span, what, a in _actions(action):
            yield Mutant(replace(game, actions=_put(game.actions, i, a)), span, what)
    for i, ending in enumerate(game.endings):
        for span, what, e in expressions(ending.when):
            yield Mutant(replace(game, endings=_put(game.endings, i, replace(ending, when=e))), span, what)
        if i:
            swapped = _put(_put(game.endings, i, game.endings[i - 1]), i - 1, ending)
            yield Mutant(replace(game, endings=swapped), ending.span, "looked at before the one above")
    for i, settle in enumerate(game.settles):
        for span, what, s in _settles(settle):
            yield Mutant(replace(game, settles=_put(game.settles, i, s)), span, what)
    for span, what, e in expressions(game.over):
        yield Mutant(replace(game, over=e, fns=_pseudo(game, "match_over", e)), span, what)
    for span, what, e in expressions(game.winners):
        yield Mutant(replace(game, winners=e, fns=_pseudo(game, "match_winners", e)), span, what)


def _pseudo(game: core.Game, name: str, body: Expr) -> dict[str, core.Fn]:
    """The defines of a game, with another body for one."""
    return {**game.fns, name: replace(game.fns[name], body=body)}


Changed = Iterator[tuple[Span, str, Expr]]


def expressions(e: Expr) -> Changed:
    """Every way one node of an expression can be wrong, with the whole expression then."""
    for what, wrong in _wrong(e):
        yield e.span, what, wrong
    for i, child in enumerate(core.children(e)):
        for span, what, wrong in expressions(child):
            yield span, what, core.rebuild(e, _only(i, wrong))


def _only(number: int, wrong: Expr) -> Callable[[Expr], Expr]:
    """Replaces the child of this number, in the order in which `rebuild` comes to them."""
    count = iter(range(10_000))
    return lambda child: wrong if next(count) == number else child


def _wrong(e: Expr) -> Iterator[tuple[str, Expr]]:
    match e:
        case Lit(value=bool(value)):
            yield "a truth turned round", replace(e, value=not value)
        case Lit(value=int(value)) if e.type == INT:
            yield "one more", replace(e, value=value + 1)
            yield "one less", replace(e, value=value - 1)
        case Lit(value=str(value)) if value.isdigit():
            yield "one more", replace(e, value=str(int(value) + 1))
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


def _actions(action: core.Action) -> Iterator[tuple[Span, str, core.Action]]:
    for i, p in enumerate(action.params):
        for span, what, e in expressions(p.domain) if p.domain is not None else ():
            yield span, what, replace(action, params=_put(action.params, i, replace(p, domain=e)))
    for span, what, e in expressions(action.guard):
        yield span, what, replace(action, guard=e)
    for i, block in enumerate(action.blocks):
        for span, what, b in blocks(block):
            yield span, what, replace(action, blocks=_put(action.blocks, i, b))


def _settles(settle: core.Settle) -> Iterator[tuple[Span, str, core.Settle]]:
    rows = settle.rows
    for i, row in enumerate(rows):
        for span, what, e in expressions(row.test):
            if not core.is_lit(row.test, True):
                yield span, what, replace(settle, rows=_put(rows, i, replace(row, test=e)))
        for span, what, b in _row_bodies(row):
            yield span, what, replace(settle, rows=_put(rows, i, replace(row, body=b)))
        if len(rows) > 1 and (row.body or i < len(rows) - 1):
            yield row.span, "row left out", replace(settle, rows=rows[:i] + rows[i + 1 :])
        if i and not settle.strict:
            yield (
                row.span,
                "swapped with the row above",
                replace(settle, rows=_put(_put(rows, i, rows[i - 1]), i - 1, row)),
            )


def _row_bodies(row: core.Row) -> Iterator[tuple[Span, str, core.Block]]:
    """The statements of a row; what wraps them says the condition of the row once more, to bind names."""
    for i, s in enumerate(row.body):
        if isinstance(s, core.If) and s.condition.span == row.test.span:
            for span, what, b in blocks(s.body):
                yield span, what, _put(row.body, i, replace(s, body=b))
        else:
            yield from ((span, what, _spliced(row.body, i, b)) for span, what, b in blocks((s,)))


def _spliced(block: core.Block, i: int, part: core.Block) -> core.Block:
    return (*block[:i], *part, *block[i + 1 :])


def blocks(block: core.Block) -> Iterator[tuple[Span, str, core.Block]]:
    """Every way the statements of a block can be wrong."""
    for i, s in enumerate(block):
        if isinstance(s, core.Attach):
            continue
        yield s.span, "statement left out", block[:i] + block[i + 1 :]
        for span, what, wrong in _statements(s):
            yield span, what, (*block[:i], *wrong, *block[i + 1 :])


def _statements(s: core.Stmt) -> Iterator[tuple[Span, str, core.Block]]:
    match s:
        case core.If(condition=condition, body=body):
            yield s.span, "condition left out", body
            for span, what, e in expressions(condition):
                yield span, what, (replace(s, condition=e),)
            for span, what, b in blocks(body):
                yield span, what, (replace(s, body=b),)
        case core.Each(body=body):
            for span, what, b in blocks(body):
                yield span, what, (replace(s, body=b),)
        case core.Set(value=value, add=add):
            for span, what, e in expressions(value):
                yield span, what, (replace(s, value=e),)
            if add:
                yield s.span, "set for add", (replace(s, add=False),)
        case core.Move(tile=tile):
            for span, what, e in expressions(tile):
                yield span, what, (replace(s, tile=e),)
        case core.Attach():
            return


def _put(items: tuple[T, ...], i: int, item: T) -> tuple[T, ...]:
    return (*items[:i], item, *items[i + 1 :])
