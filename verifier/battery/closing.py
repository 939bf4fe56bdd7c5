"""Any round's end in symbols: a position, the last move from it, and the settlement; and the same of rounds played.

Numbers of a match are known only so far as `kept` says: what every settlement and every move leaves true of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from domrules.grammar import core
from domrules.interpreter.play import Round
from domrules.verifier.battery.ended import sums
from domrules.verifier.battery.subject import Subject
from domrules.verifier.battery.totals import settled_reads
from domrules.verifier.dag import Bit
from domrules.verifier.encode import Encoder
from domrules.verifier.facts import asked
from domrules.verifier.relation import Relation
from domrules.verifier.solver import Answer, Result, solve
from domrules.verifier.symbols import Symbols

Law = Callable[[Encoder, Symbols], Bit]
"""What is known of every position of every match."""


@dataclass(frozen=True, slots=True)
class Closing:
    """The end of a round: before its last move, after it (the ending written down), and settled."""

    encoder: Encoder
    relation: Relation
    before: Symbols
    ended: Symbols
    settled: Symbols
    bits: tuple[Bit, ...]
    """What must hold for this to be one; `encoder.side` comes to it."""

    def ends_so(self, role: str) -> Bit:
        """Does it end in a way that has this role?"""
        names = self.relation.instance.role("ending", role)
        ends = self.relation.ends(self.ended)
        return self.encoder.dag.any(
            [bit for bit, e in zip(ends, self.relation.instance.endings, strict=True) if e.name in names]
        )


Asks = Callable[[Closing], Bit]


def closings(subject: Subject, opaque: frozenset[str], laws: tuple[Law, ...] = ()) -> Iterator[Closing]:
    """Every way a round may end: by a move, and (where an ending is looked at there) as it begins."""
    yield by_move(subject, opaque, laws)
    if any(e.at_start for e in subject.instance.endings):
        yield at_start(subject, opaque, laws)


def opened(subject: Subject, opaque: frozenset[str]) -> tuple[Encoder, Relation]:
    """A question about settlements."""
    wanted = settled_reads(subject) | asked(subject.proved)
    view = replace(subject.study.view(wanted, keep_numbers=True), opaque=opaque)
    return subject.study.open(view)


def by_move(subject: Subject, opaque: frozenset[str], laws: tuple[Law, ...]) -> Closing:
    encoder, relation = opened(subject, opaque)
    before = subject.position(relation)
    known = [fact.holds(relation, before) for fact in subject.proved] + [law(encoder, before) for law in laws]
    step = relation.step(before, "x")
    ended = relation.concluded(step.after)
    known += [fact.holds(relation, ended) for fact in subject.proved] + [law(encoder, ended) for law in laws]
    settled, faults = relation.settle(ended)
    bits = [*known, subject.study.resting(relation, before), *step.taken, -relation.goes_on(step.after)]
    return Closing(encoder, relation, before, ended, settled, (*bits, *(-fault.bit for fault in faults)))


def at_start(subject: Subject, opaque: frozenset[str], laws: tuple[Law, ...]) -> Closing:
    encoder, relation = opened(subject, opaque)
    start = relation.start(any_match=True)
    ended = relation.concluded(start.begun, at_start=True)
    settled, faults = relation.settle(ended)
    bits = [start.kept, *start.sound, *(law(encoder, start.dealt) for law in laws)]
    bits.append(-relation.goes_on(start.begun, at_start=True))
    return Closing(encoder, relation, start.dealt, ended, settled, (*bits, *(-fault.bit for fault in faults)))


def possible(subject: Subject, asks: Asks, laws: tuple[Law, ...] = ()) -> Result:
    """Can a round end so? Sums over tiles are first any numbers, then what they are. "No" is final, "yes" may be unplayable."""
    result: Result | None = None
    for opaque in dict.fromkeys((sums(subject.instance), frozenset[str]())):
        for closing in closings(subject, opaque, laws):
            bit = asks(closing)
            query = [*closing.encoder.side, *closing.bits, bit]
            result = solve(closing.encoder.dag, query, seconds=subject.seconds)
            if result.answer is not Answer.NO:
                break
        else:
            break
    assert result is not None
    return result


def went_out(instance: core.Instance, before: Symbols, after: Symbols, encoder: Encoder) -> list[Bit]:
    """For every player: did his hand become empty with the last move?"""
    dag = encoder.dag
    found = []
    for player in range(instance.players):
        cells = hands(instance, player)
        empty = [-dag.any([bit for cell in cells for bit in at.zone(*cell).values()]) for at in (before, after)]
        found.append(dag.both(-empty[0], empty[1]))
    return found


def hands(instance: core.Instance, player: int) -> list[tuple[str, int | None]]:
    """The zones in which a player holds his tiles."""
    return [(name, player) for name in instance.role("zone", "hand") if instance.vars[name].per == "player"]


def emptied(subject: Subject, played: Round) -> int | None:
    """The player who went out with the last move of a round that ended by going out."""
    rules, instance = subject.rules, subject.instance
    ending = rules.ending(played.ended)
    if ending is None or instance.endings[ending].role != "out" or not played.plies:
        return None
    empty = [
        p
        for p in range(instance.players)
        if hands(instance, p) and not any(rules.layout.tiles(played.ended, *cell) for cell in hands(instance, p))
    ]
    mover = played.plies[-1].mover
    return mover if mover in empty else empty[0] if len(empty) == 1 else None
