"""F2: a fish can happen; the fewest tiles it takes, proved; and a hand that shows it, played.

First with nothing but the tiles being somewhere, then with the lemmas of the file, then with invariants that are computed, until
bound and hand meet. Where they do not, the verdict says between what the truth lies.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from domrules.grammar.source import Span
from domrules.interpreter.state import State
from domrules.verifier import facts
from domrules.verifier.battery.play import rounds, zones
from domrules.verifier.battery.subject import Subject
from domrules.verifier.facts import Fact
from domrules.verifier.induction import prove
from domrules.verifier.shortest import Limits, Shortest, shortest
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import Witness

ROUNDS = 300
"""Random rounds looked through when the search finds nothing."""
AT_ONCE = Limits(query=1.0, search=2.0, moves=2, tiles=0)
"""For the try without lemmas: just the bound, met within a few moves or not."""


def f2(subject: Subject) -> Verdict:
    """Can a fish happen, with how few tiles?"""
    started = time.perf_counter()
    instance = subject.instance
    fish = instance.role("ending", "fish")
    if not fish or not instance.role("zone", "layout"):
        missing = "no ending is `as fish`" if not fish else "no zone is `as layout`"
        return subject.verdict("F2", Word.SKIPPED, since=started, reason=missing)
    endings = [i for i, e in enumerate(instance.endings) if e.name in fish]
    span = instance.endings[endings[0]].span
    found = None
    for known, limits in _stages(subject):
        found = shortest(subject.study, subject.rules, endings, known, limits)
        if found.tight or found.bound.impossible:
            break
    assert found is not None
    return _judged(subject, found, endings, started, span)


def _stages(subject: Subject) -> Iterator[tuple[Sequence[Fact], Limits]]:
    """What may be assumed, from least to most, and how long to look each time."""
    where = facts.partition(subject.study)
    alone = prove(subject.study, [where], seconds=subject.seconds).established
    if alone:
        yield alone, AT_ONCE
    long = Limits(query=subject.seconds, search=4 * subject.seconds)
    if subject.lost:
        yield subject.proved, replace(long, search=min(5.0, subject.seconds), moves=2, tiles=0)
    else:
        yield subject.proved, long
    yield [*subject.proved, *subject.invariants], long


def _judged(subject: Subject, found: Shortest, endings: Sequence[int], started: float, span: Span) -> Verdict:
    bound = found.bound
    if found.disagreement:
        return subject.verdict("F2", Word.DISAGREE, since=started, reason=found.disagreement, span=span)
    if bound.impossible:
        method = "no position the proved facts allow"
        return subject.verdict("F2", Word.IMPOSSIBLE, method=method, since=started, span=span)
    because = ", ".join(fact.name for fact in bound.needed) or "nothing but the rules"
    below = f"fewer than {_count(bound.tiles, 'tile')}: impossible, proved with {because}"
    if found.witness is None:
        return _by_chance(subject, found, endings, below, started, span)
    first = f"{_count(found.tiles, 'tile')}, {_count(len(found.witness.plies), 'move')}; {below}"
    says = "" if found.tight else f"what the fewest tiles are: between {bound.tiles} and {found.tiles}"
    return subject.verdict(
        "F2", Word.WITNESSED, method="one position for the bound, a search for the hand, replayed", since=started,
        details=[first, *_shown(subject, found.witness)], span=span, witness=found.witness, doesnt_say=says,
    )  # fmt: skip


def _by_chance(
    subject: Subject, found: Shortest, endings: Sequence[int], below: str, started: float, span: Span
) -> Verdict:
    """The search found nothing: the fewest tiles of random play, and what is proved."""
    best: Witness | None = None
    tiles = 0
    for _, _, played in rounds(subject.rules, ROUNDS, subject.seed):
        if subject.rules.ending(played.ended) in endings:
            laid = _laid(subject, played.ended)
            if best is None or laid < tiles:
                best, tiles = Witness(played.dealt, played.plies, played.ended), laid
    if best is None and found.open:
        reason = found.bound.reason or "the search for a hand ran out of time"
        return subject.verdict("F2", Word.UNKNOWN, since=started, details=[below], span=span, reason=reason)
    if best is None:
        return subject.verdict(
            "F2", Word.NOT_FOUND, method="bounded search", since=started, details=[below], span=span, depth=found.tried
        )
    says = f"what the fewest tiles are: between {found.bound.tiles} and {tiles}"
    details = [f"{_count(tiles, 'tile')}, {_count(len(best.plies), 'move')}; {below}", *_shown(subject, best)]
    return subject.verdict(
        "F2",
        Word.WITNESSED,
        method="random play",
        since=started,
        details=details,
        span=span,
        witness=best,
        doesnt_say=says,
    )


def _laid(subject: Subject, state: State) -> int:
    """Tiles on the table."""
    names = subject.instance.role("zone", "layout")
    layout = subject.rules.layout
    return sum(layout.tiles(state, name, i).bit_count() for name in names for i in subject.instance.cells(name))


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _shown(subject: Subject, found: Witness) -> list[str]:
    deal = [f"  {line}" for line in zones(subject.instance, found.dealt)]
    return [*deal, "  played: " + " ".join(found.moves(subject.instance))]
