"""C6: is it added first and then rounded, or the other way? What the file does, and the smallest sum that shows a difference."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from domrules.grammar import core
from domrules.verifier.battery.microscope import sums
from domrules.verifier.battery.roundings import Found, recognised, roots, rounding
from domrules.verifier.battery.subject import Subject
from domrules.verifier.verdict import Verdict, Word


def c6(subject: Subject) -> Verdict:
    """Every rounding of the file: what is added before it, and what after."""
    started = time.perf_counter()
    game = subject.instance.game
    walk = Walk(game)
    found = list(walk.all())
    if not found:
        return subject.verdict("C6", Word.SKIPPED, since=started, reason="nothing is rounded")
    lines: list[str] = []
    for place, after in found:
        r = rounding(place)
        if r is None:
            continue
        lines.append(f"{r.text} at {place.e.span}: {_order(walk.adds(place.of), after)}")
        lines.append(f"  {sums(r, subject.seconds)}")
    return subject.verdict(
        "C6", Word.PROVED_ANY_SIZE, method="as it is written; all integers", since=started, details=lines,
        span=found[0][0].e.span,
    )  # fmt: skip


def _order(before: bool, after: bool) -> str:
    match before, after:
        case True, True:
            return "adds, rounds the sum, and adds the result to more"
        case True, False:
            return "adds first, then rounds the sum"
        case False, True:
            return "rounds each number, then adds"
        case _:
            return "rounds one number; nothing is added to it"


@dataclass
class Walk:
    """From the roots of the rules to their roundings, through calls; `after`: a sum stands around."""

    game: core.Game
    _seen: set[tuple[str, bool]] = field(default_factory=set)
    _adds: dict[str, bool] = field(default_factory=dict)

    def all(self) -> Iterator[tuple[Found, bool]]:
        """Every rounding that the rules come to, of each place in the text the one with most around it."""
        found: dict[tuple[str, int, int], tuple[Found, bool]] = {}
        outcomes = [fn.body for fn in self.game.fns.values() if fn.outcome]
        for root in [*roots(self.game), *outcomes]:
            for place, after in self.within(root, after=False):
                span = place.e.span
                key = (span.source.name, span.start, span.end)
                found[key] = (place, after or (key in found and found[key][1]))
        yield from found.values()

    def within(self, e: core.Expr, *, after: bool) -> Iterator[tuple[Found, bool]]:
        place = recognised(e, self.game.fns)
        if place is not None:
            yield place, after
            yield from self.within(place.of, after=True)
            return
        if isinstance(e, core.Call) and (e.fn, after) not in self._seen:
            self._seen.add((e.fn, after))
            yield from self.within(self.game.fns[e.fn].body, after=after)
        summed = after or adds(e)
        for child in core.children(e):
            yield from self.within(child, after=summed if child.type == core.INT else False)

    def adds(self, e: core.Expr) -> bool:
        """Is a number made by adding?"""
        if adds(e):
            return True
        match e:
            case core.Call():
                if e.fn not in self._adds:
                    self._adds[e.fn] = False
                    self._adds[e.fn] = self.adds(self.game.fns[e.fn].body)
                return self._adds[e.fn]
            case core.Cases():
                return any(self.adds(value) for value in [*(value for _, value in e.rows), e.otherwise])
            case _:
                return False


def adds(e: core.Expr) -> bool:
    """Is this a sum or difference?"""
    return (isinstance(e, core.Op) and e.name in ("add", "sub")) or (isinstance(e, core.Agg) and e.kind == "sum")
