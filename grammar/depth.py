"""core.Game → defines that need themselves, and expressions too deep for engines that walk them by recursion.

This runs before every other walk over a game, so it takes no recursion itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from domrules.grammar import core
from domrules.grammar.diagnostics import Note, Reporter

MAX_DEPTH = 150
"""Steps from an expression down to its states and numbers, through defines. Shipped games need 26."""
MAX_SIZE = 20_000
"""Parts of an expression. Sugar may double what it holds, so a short text can become a large expression."""
MAX_ROWS = 100
"""Rows of a settlement: each also says that none before it holds."""

MAX_CIRCLES = 20
"""Circles that are told of."""


def check_depth(game: core.Game, report: Reporter) -> bool:
    """Add a mistake for each circle of defines and each expression no engine can take; True when there is none."""
    sizes = Sizes()
    for e in (*expressions(game), *fixed_parts(game), *claimed(game)):
        if sizes.of(e)[1] > MAX_SIZE:
            report.add("DOM427", "this says too much at once", e.span, fix="name parts with `define`")
            return False
    order, circles = in_order(game)
    for circle in circles:
        loop = " → ".join([*circle[:8], *["…"] * (len(circle) > 8), circle[0]])
        report.add("DOM423", f"`{circle[0]}` is explained by itself: {loop}", game.fns[circle[0]].span.first(2),
                   Note("every define must end in states and numbers"))  # fmt: skip
    if circles:
        return False
    sizes = Sizes()
    for name in order:
        sizes.depths[name] = sizes.of(game.fns[name].body)[0]
        if sizes.depths[name] > MAX_DEPTH:
            report.add("DOM427", f"`{name}` is explained in more than {MAX_DEPTH} steps", game.fns[name].span.first(2),
                       fix="say it in fewer steps, or keep a part of it in a state")  # fmt: skip
            return False
    return _shallow(game, sizes, report)


def _shallow(game: core.Game, sizes: Sizes, report: Reporter) -> bool:
    """No expression too deep, no settlement too long."""
    for e in (*expressions(game), *fixed_parts(game), *claimed(game)):
        if sizes.of(e)[0] > MAX_DEPTH:
            report.add("DOM427", f"this takes more than {MAX_DEPTH} steps to its end", e.span,
                       fix="name parts with `define`")  # fmt: skip
            return False
    for s in game.settles:
        if len(s.rows) > MAX_ROWS:
            report.add(
                "DOM427",
                f"this settlement has more than {MAX_ROWS} rows",
                s.span.first(),
                fix="name parts with `define`",
            )
            return False
    return True


class Sizes:
    """Depth and size of expressions; parts that occur twice are walked once and counted twice."""

    def __init__(self) -> None:
        self.depths: dict[str, int] = {}
        """Depths of defines, as far as they are known."""
        self.known: dict[core.Expr, tuple[int, int]] = {}

    def of(self, e: core.Expr) -> tuple[int, int]:
        """Depth (through the defines whose depth is known) and size."""
        known, waiting = self.known, [e]
        while waiting:
            part = waiting[-1]
            inside = [*core.children(part)]
            new = [child for child in inside if child not in known]
            if new:
                waiting += new
                continue
            waiting.pop()
            depth, size = self.depths.get(part.fn, 0) if isinstance(part, core.Call) else 0, 1
            for child in inside:
                below, more = known[child]
                depth, size = max(depth, below), size + more
            known[part] = (1 + depth, size)
        return self.known[e]


def in_order(game: core.Game) -> tuple[list[str], list[list[str]]]:
    """The defines, each after those it calls; and some circles of defines that call each other."""
    order: list[str] = []
    circles: list[list[str]] = []
    done: set[str] = set()
    for first in game.fns:
        path: dict[str, None] = {}
        waiting: list[Iterator[str]] = [iter((first,))]
        while waiting and len(circles) < MAX_CIRCLES:
            name = next(waiting[-1], None)
            if name is None:
                waiting.pop()
                if path:
                    finished, _ = path.popitem()
                    order.append(finished)
                    done.add(finished)
            elif name in path:
                circles.append(list(path)[list(path).index(name) :])
            elif name not in done and name in game.fns:
                path[name] = None
                waiting.append(iter(dict.fromkeys(call.fn for call in calls(game.fns[name].body))))
    return order, circles


# ---------------------------------------------------------------- walks


def parts(e: core.Expr) -> Iterator[core.Expr]:
    """An expression and everything inside it, not looking into defines."""
    waiting = [e]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += reversed(list(core.children(part)))


def calls(e: core.Expr) -> Iterator[core.Call]:
    """Every call inside an expression."""
    return (part for part in parts(e) if isinstance(part, core.Call))


def reads(e: core.Expr) -> Iterator[core.Read]:
    """Every read inside an expression, not looking into defines."""
    return (part for part in parts(e) if isinstance(part, core.Read))


def decided_by(game: core.Game, asked: Iterable[core.Expr]) -> list[core.Option | core.Fn]:
    """The options that expressions read, by themselves or in what they call; then the slots among what they call."""
    waiting, options, called = list(asked), set[str](), set[str]()
    while waiting:
        e = waiting.pop()
        options |= {read.var for read in reads(e)} & game.options.keys()
        new = {call.fn for call in calls(e)} & game.fns.keys() - called
        called |= new
        waiting += (game.fns[name].body for name in sorted(new))
    slots = [fn for name, fn in game.fns.items() if name in called and fn.slot]
    return [*(option for name, option in game.options.items() if name in options), *slots]


def expressions(game: core.Game) -> Iterator[core.Expr]:
    """Every expression of the rules; those of `fixed_parts` and `claimed` apart."""
    yield from (fn.body for fn in game.fns.values())
    yield from (v.init for v in game.vars.values() if v.init is not None)
    yield from (game.redeal, game.over, game.winners, *(e.when for e in game.endings))
    for action in (*game.actions, *game.events):
        yield from (p.domain for p in action.params if p.domain is not None)
        yield action.guard
    yield from (row.test for s in game.settles for row in s.rows)
    blocks = [
        *game.begin,
        *(b for a in (*game.actions, *game.events) for b in a.blocks),
        *(r.body for s in game.settles for r in s.rows),
    ]
    for block in blocks:
        yield from in_block(block)


def in_block(block: core.Block) -> Iterator[core.Expr]:
    """Every expression of a block's statements, places to write included."""
    for s in block:
        match s:
            case core.Set():
                yield from (x for x in (s.index, s.value) if x is not None)
            case core.Move():
                yield from (s.tile, s.source, s.target)
            case core.If():
                yield s.condition
                yield from in_block(s.body)
            case core.Each():
                yield from (x for x in (s.domain, s.guard) if x is not None)
                yield from in_block(s.body)
            case core.Attach():
                yield from (s.tile, s.to, s.touching, s.going, s.across)


def fixed_parts(game: core.Game) -> Iterator[core.Expr]:
    """Expressions that are fixed before the first move."""
    yield from shaping_parts(game)
    yield from (o.default for o in game.options.values())
    yield from (o.requires for o in game.options.values() if o.requires is not None)
    yield from (claim.measured[1] for claim in game.claims if claim.measured is not None)


def shaping_parts(game: core.Game) -> Iterator[core.Expr]:
    """Expressions that say what there is at a table: ranges, the tiles, deals, the teams."""
    yield from (e for d in game.enums for e in (d.low, d.high) if e is not None)
    yield from (p.where for p in game.dominoes.parts if isinstance(p, core.EachPair))
    yield from (d.count for d in game.deals)
    if game.teams is not None and game.teams in game.fns:
        yield game.fns[game.teams].body


def claimed(game: core.Game) -> Iterator[core.Expr]:
    """What the file says of the game: its lemmas, claims and expectations."""
    yield from (lemma.body for lemma in game.lemmas)
    yield from (claim.body for claim in game.claims)
    for step in (step for example in game.examples for step in example.steps):
        match step:
            case core.Expect():
                yield step.body
            case core.Assign():
                yield from step.values
            case _:
                pass
