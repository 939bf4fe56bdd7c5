"""D1: the set of tiles is the one the file declares: no pair stands there twice except by `copies`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from domrules.grammar import core
from domrules.grammar.core import Elem, Lit
from domrules.grammar.diagnostics import counted
from domrules.grammar.instance import folder
from domrules.verifier.battery.subject import Subject
from domrules.verifier.verdict import Verdict, Word

SHOWN = 6
"""Pairs named in a line."""


def d1(subject: Subject) -> Verdict:
    """Every pair stands in the declaration once, halves in any order, and the instance has just those tiles."""
    started = time.perf_counter()
    instance, span = subject.instance, subject.instance.game.dominoes.span
    declared = list(_declared(instance))
    tiles = instance.sorts["tile"]
    if sum(copies for copies, _, _ in declared) != tiles.size:
        reason = f"the set has {tiles.size} tiles, its declaration {sum(c for c, _, _ in declared)}"
        return subject.verdict("D1", Word.DISAGREE, since=started, reason=reason, span=span)
    twice = _twice(instance, declared)
    method = "every pair of the declaration"
    if twice:
        details = [*twice, f"so the set has {tiles.size} tiles", "help: write `2 of` for tiles that are there twice"]
        return subject.verdict("D1", Word.REFUTED, method=method, since=started, details=details, span=span)
    details = _told(instance, declared)
    return subject.verdict("D1", Word.PROVED, method=method, since=started, details=details, span=span)


def _declared(instance: core.Instance) -> Iterator[tuple[int, int, int]]:
    """(copies, first half, second half) in the order and with the halves as written."""
    half = instance.sorts[instance.game.dominoes.half]
    fold = folder(instance)
    for part in instance.game.dominoes.parts:
        match part:
            case core.Listed(copies=copies, tiles=tiles):
                yield from ((copies, half.names.index(a), half.names.index(b)) for a, b in tiles)
            case core.EachPair(copies=copies, first=first, second=second, where=where):
                for a in range(half.size):
                    for b in range(half.size):
                        env = {first: Lit(a, Elem(half.name)), second: Lit(b, Elem(half.name))}
                        if fold.constant(where, env):
                            yield copies, a, b


def _twice(instance: core.Instance, declared: Sequence[tuple[int, int, int]]) -> list[str]:
    """Sentences about pairs that are declared more than once."""
    names = instance.sorts[instance.game.dominoes.half].names
    first: dict[tuple[int, int], tuple[int, int]] = {}
    swapped, again = list[str](), list[str]()
    for k, (_, a, b) in enumerate(declared):
        before = first.setdefault((min(a, b), max(a, b)), (a, b))
        if before != (a, b):
            swapped.append(f"{names[before[0]]}|{names[before[1]]} and {names[a]}|{names[b]}")
        elif (a, b) in ((c, d) for _, c, d in declared[:k]):
            again.append(f"{names[a]}|{names[b]}")
    lines = [f"both listed: {_some(swapped)}"] if swapped else []
    if again:
        lines.append(f"listed twice: {_some(again)}")
    return lines


def _told(instance: core.Instance, declared: Sequence[tuple[int, int, int]]) -> list[str]:
    """How many tiles there are, and what they are compared with all pairs of their halves."""
    half, count = instance.sorts[instance.game.dominoes.half], instance.sorts["tile"].size
    copies = sorted({copies for copies, _, _ in declared})
    pairs, full = len(declared), half.size * (half.size + 1) // 2
    each = f" × {copies[0]}" if copies[0] > 1 else ""
    if pairs == full and len(copies) == 1:
        kind = (
            f"a full double-{half.names[-1]} set" if half.numbers and half.numbers[0] == 0 else "every pair of halves"
        )
        return [f"{counted(count, 'tile')}: {kind}, {half.size} × {half.size + 1} / 2{each} = {count}"]
    have = {(min(a, b), max(a, b)) for _, a, b in declared}
    missing = [
        f"{half.names[a]}|{half.names[b]}" for a in range(half.size) for b in range(a, half.size) if (a, b) not in have
    ]
    lines = [f"{counted(count, 'tile')}: {pairs} of the {full} pairs of {half.size} halves"]
    if len(copies) > 1 or copies[0] > 1:
        lines[0] += ", " + " or ".join(map(str, copies)) + " of each"
    if missing:
        lines.append(f"not in it: {_some(missing)}")
    return lines


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
