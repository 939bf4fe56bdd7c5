"""Any round's end in symbols: a position, the last move from it, and the settlement; and the same of rounds played.

Numbers of a match are known only so far as `kept` says: what every settlement and every move leaves true of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from domrules.grammar import core
from domrules.interpreter.play import Round
from domrules.interpreter.state import State
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
    lawful: tuple[Symbols, ...]
    """The positions of it in which laws hold."""

    def under(self, laws: tuple[Law, ...]) -> Closing:
        """The same, where these hold."""
        known = (law(self.encoder, at) for at in self.lawful for law in laws)
        return replace(self, bits=(*self.bits, *known))

    def ends_so(self, role: str) -> Bit:
        """Does it end in a way that has this role?"""
        names = self.relation.instance.role("ending", role)
        ends = self.relation.ends(self.ended)
        return self.encoder.dag.any(
            [bit for bit, e in zip(ends, self.relation.instance.endings, strict=True) if e.name in names]
        )


Asks = Callable[[Closing], Bit]


@dataclass(frozen=True, slots=True)
class Change:
    """The beginning of any round, or any move of it: what it makes of a position, and what must hold for it to be one."""

    encoder: Encoder
    relation: Relation
    before: Symbols
    after: Symbols
    bits: tuple[Bit, ...]


def beginning(subject: Subject, opaque: frozenset[str]) -> Change:
    """From the deal to the first move. It is written down once, whatever is asked about it."""
    return subject.once(f"beginning, {sorted(opaque)}", lambda: _beginning(*opened(subject, opaque)))


def _beginning(encoder: Encoder, relation: Relation) -> Change:
    start = relation.start(any_match=True)
    return Change(encoder, relation, start.dealt, start.begun, (start.kept, *start.sound))


def move(subject: Subject, opaque: frozenset[str]) -> Change:
    """From a position the proved facts allow. It is written down once, whatever is asked about it."""
    return subject.once(f"move, {sorted(opaque)}", lambda: _move(subject, *opened(subject, opaque)))


def _move(subject: Subject, encoder: Encoder, relation: Relation) -> Change:
    before = subject.position(relation)
    known = [fact.holds(relation, before) for fact in subject.proved]
    step = relation.step(before, "x")
    return Change(encoder, relation, before, step.after, (*known, *step.taken))


def closings(subject: Subject, opaque: frozenset[str], laws: tuple[Law, ...] = ()) -> Iterator[Closing]:
    """Every way a round may end: by a move, and (where an ending is looked at there) as it begins."""
    yield subject.once(f"by a move, {sorted(opaque)}", lambda: _by_move(subject, move(subject, opaque))).under(laws)
    if any(e.at_start for e in subject.instance.endings):
        found = subject.once(f"at the start, {sorted(opaque)}", lambda: _at_start(beginning(subject, opaque)))
        yield found.under(laws)


def opened(subject: Subject, opaque: frozenset[str]) -> tuple[Encoder, Relation]:
    """A question about settlements."""
    wanted = settled_reads(subject) | asked(subject.proved)
    view = replace(subject.study.view(wanted, keep_numbers=True), opaque=opaque)
    return subject.study.open(view)


def _by_move(subject: Subject, last: Change) -> Closing:
    relation = last.relation
    ended = relation.concluded(last.after)
    known = [fact.holds(relation, ended) for fact in subject.proved]
    known += [subject.study.resting(relation, last.before), -relation.goes_on(last.after)]
    return _settled(last, ended, known, (last.before, ended))


def _at_start(start: Change) -> Closing:
    relation = start.relation
    ended = relation.concluded(start.after, at_start=True)
    return _settled(start, ended, [-relation.goes_on(start.after, at_start=True)], (start.before,))


def _settled(last: Change, ended: Symbols, known: Sequence[Bit], lawful: tuple[Symbols, ...]) -> Closing:
    settled, faults = last.relation.settle(ended)
    bits = (*last.bits, *known, *(-fault.bit for fault in faults))
    return Closing(last.encoder, last.relation, last.before, ended, settled, bits, lawful)


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
    empty, mover = without_tiles(subject, played.ended), played.plies[-1].mover
    return mover if mover in empty else empty[0] if len(empty) == 1 else None


def without_tiles(subject: Subject, state: State) -> list[int]:
    """The players whose hands are empty."""
    instance, layout = subject.instance, subject.rules.layout
    found = []
    for player in range(instance.players):
        own = hands(instance, player)
        if own and not any(layout.tiles(state, *cell) for cell in own):
            found.append(player)
    return found
