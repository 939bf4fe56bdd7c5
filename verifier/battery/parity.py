"""M4: the parity of a line. Number by number: an odd count among the plain tiles laid exactly when an odd count of ends shows it.

First for one unknown number, whatever the set, the players and the hands (`anyset`), perhaps with a term for the sides of
a spinner that have begun. What is needed beside it (an empty table has no ends) is guessed and thinned: every "this or that"
about what the rules look at that holds as a round begins and that no move breaks, all together. Then for this table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TypeAlias

from domrules.grammar import core
from domrules.interpreter.names import cell_name
from domrules.verifier.anymove import AnyMove
from domrules.verifier.anyset import AnySet, Perhaps, Position, Tile
from domrules.verifier.battery.chain import Ends, ends_of
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import FALSE, TRUE, Bit, Dag, Number
from domrules.verifier.facts import Fact
from domrules.verifier.induction import Outcome, prove
from domrules.verifier.relation import Relation
from domrules.verifier.solver import Answer, Engine, Formulas, Session
from domrules.verifier.symbols import Cell, Symbols
from domrules.verifier.verdict import Verdict, Word

LAW = "it stands on an odd number of plain tiles laid exactly when an odd number of ends shows it"
SECONDS = 2.0
"""Of each query about any set; they take milliseconds."""
MANY = 60
"""More things than this that are so or not are too many to pair."""


def m4(subject: Subject) -> Verdict:
    """The parity of a line."""
    started = time.perf_counter()
    ends = ends_of(subject.instance)
    tables = subject.instance.role("zone", "layout")
    if ends is None or not tables:
        missing = "no zone is `as layout`" if ends is not None else "no one state tells which halves lie open"
        return subject.verdict("M4", Word.SKIPPED, since=started, reason=missing)
    law = any_size(subject.instance, ends.var, tables)
    if law is not None:
        how = "induction over moves, of any set of tiles, any number of players and hands of any size"
        return subject.verdict(
            "M4", Word.PROVED_ANY_SIZE, method=how, since=started, details=[law.told(subject.instance)]
        )
    return _of_this_table(subject, ends, tables, started)


def _of_this_table(subject: Subject, ends: Ends, tables: Sequence[str], started: float) -> Verdict:
    law = _law(ends, tables)
    found = prove(subject.study, [law], known=subject.proved, seconds=subject.seconds).attempts[0]
    only = "that it is so with other sets: the rules do more with numbers than to compare them for being equal"
    if found.outcome in (Outcome.PROVED, Outcome.CONFIGURED):
        return subject.verdict(
            "M4", Word.PROVED, method="induction over moves", since=started, details=[f"for every number: {LAW}"],
            doesnt_say=only,
        )  # fmt: skip
    others = [fact.name for fact in subject.invariants if fact.even and {ends.var, *tables} <= fact.reads]
    pips = len(subject.instance.sorts[subject.instance.game.dominoes.half].names)
    if others:
        details = [
            f"the law of this table, {len(others)} equations for {pips} numbers, computed and proved; the first:",
            others[0],
        ]
        return subject.verdict(
            "M4", Word.PROVED, method="induction over moves", since=started, details=details,
            doesnt_say="that other sets have such a law: it was computed from this one",
        )  # fmt: skip
    reason = (
        "no law of parity ties the ends of this table to its tiles: halves are joined by another rule than equality"
    )
    if found.outcome is Outcome.UNKNOWN:
        return subject.verdict("M4", Word.UNKNOWN, since=started, reason=found.reason)
    return subject.verdict("M4", Word.SKIPPED, since=started, reason=reason)


def _law(ends: Ends, tables: Sequence[str]) -> Fact:
    """The parity law of a plain line, at one table."""

    def holds(relation: Relation, state: Symbols) -> Bit:
        dag, instance = relation.dag, relation.instance
        laid = [state.zone(zone, i) for zone in tables for i in instance.cells(zone)]
        shown = [state.cells[ends.var, way] for way in instance.cells(ends.var) if way is not None]
        bits = []
        for pip in range(len(instance.sorts[instance.game.dominoes.half].names)):
            terms = [held.get(pip, FALSE) for held in shown if isinstance(held, Mapping)]
            for tile, (low, high) in enumerate(ends.halves):
                if low != high and pip in (low, high):
                    terms += [held.get(tile, FALSE) for held in laid]
            bits.append(-dag.odd(dag.number((term, 1) for term in terms)))
        return dag.all(bits)

    return Fact("parity of a line", holds, frozenset((ends.var, *tables)), guides=False)


# ---------------------------------------------------------------- whatever the set


Says: TypeAlias = Callable[[Position], Bit]
"""Something that is so of a position, or not."""


@dataclass(frozen=True, slots=True)
class Spinner:
    """A term of the law: sides that have begun count once more for this half of the tile that a state names."""

    cell: Cell
    half: str
    sides: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """From one position to the next (or to the first): what must hold for it, and both positions."""

    name: str
    given: Bit
    before: Position | None
    after: Position


class Induction:
    """The law of one number, as a round begins and move by move. `facts`: what else is known of every position."""

    def __init__(self, moves: AnyMove, begun: Position, var: str, number: Number) -> None:
        self.game, self.tables, self.dag, self.var, self.number = moves.game, moves.tables, moves.dag, var, number
        self.formulas = Formulas(self.dag)
        before = self.game.anywhere()
        deeds = [moves.deed(action, before) for action in self.game.game.actions]
        self.changes = [Change("", TRUE, None, begun)]
        self.changes += [Change(deed.name, deed.guard, before, deed.after) for deed in deeds]
        self.sides = sorted(i for name, i in before.cells if name == var and i is not None)
        self.facts = self.thinned(self.guesses(before))

    def law(self, at: Position, spinner: Spinner | None) -> Bit:
        """It stands on an even number of plain tiles, open ends counted once more."""
        odd = [at.odd]
        for i in self.sides:
            end = self.end(at, i)
            odd.append(self.dag.both(end.some, self.shows(end.held)))
        if spinner is not None:
            named = at.cells[spinner.cell]
            assert isinstance(named, Perhaps)
            assert isinstance(named.held, Tile)
            half = named.held.low if spinner.half == "low" else named.held.high
            odd += [self.dag.all((named.some, self.end(at, i).some, self.shows(half))) for i in spinner.sides]
        return -self.dag.xor(odd)

    def end(self, at: Position, side: int) -> Perhaps:
        found = at.cells[self.var, side]
        assert isinstance(found, Perhaps)
        return found

    def shows(self, half: object) -> Bit:
        assert isinstance(half, Number)
        return self.dag.is_zero(self.dag.add(half, self.number, -1))

    def kept(self, spinner: Spinner | None) -> bool:
        """Does the law hold at the beginning, and does every move keep it?"""
        return all(self.keeps(change, spinner) for change in self.changes)

    def keeps(self, change: Change, spinner: Spinner | None) -> bool:
        known = [] if change.before is None else [self.law(change.before, spinner)]
        bits = [*self.given(change, self.facts), *known, -self.law(change.after, spinner)]
        session = Session(self.dag, Engine.GENERAL, self.formulas)
        session.add([*self.game.side, *bits])
        return session.check(seconds=SECONDS).answer is Answer.NO

    def given(self, change: Change, facts: Sequence[Says]) -> list[Bit]:
        before = change.before
        return [change.given, *([] if before is None else [fact(before) for fact in facts])]

    # ------------------------------------------------------------ what is known beside the law

    def guesses(self, at: Position) -> list[Says]:
        """Everything of the form "this or that", of what the rules have looked at."""
        things = [self.literal(thing, sign) for thing in self.things(at) for sign in (1, -1)]
        if len(things) > 2 * MANY:
            return []
        return [self.either(a, b) for a, b in combinations(things, 2)] + things

    def things(self, at: Position) -> Iterator[Says]:
        """What may be so or not: a table is empty, a state holds something, or a double."""
        for zone in self.tables:
            if zone in at.sizes:
                yield self.empty(zone)
        for cell in sorted(self.game.looked_at & at.cells.keys(), key=str):
            held = at.cells[cell]
            yield self.holding(cell)
            if isinstance(held, Perhaps) and isinstance(held.held, Tile):
                yield self.double(cell)

    def empty(self, zone: str) -> Says:
        return lambda at: self.dag.is_zero(at.sizes[zone])

    def holding(self, cell: Cell) -> Says:
        def holds(at: Position) -> Bit:
            match at.cells[cell]:
                case int() as bit:
                    return bit
                case Perhaps(some=some):
                    return some
                case Mapping() as held:
                    return self.dag.any(held.values())
                case _:
                    return TRUE

        return holds

    def double(self, cell: Cell) -> Says:
        def holds(at: Position) -> Bit:
            named = at.cells[cell]
            assert isinstance(named, Perhaps)
            assert isinstance(named.held, Tile)
            return self.dag.is_zero(self.dag.add(named.held.low, named.held.high, -1))

        return holds

    def literal(self, thing: Says, sign: int) -> Says:
        return lambda at: sign * thing(at)

    def either(self, a: Says, b: Says) -> Says:
        return lambda at: self.dag.any((a(at), b(at)))

    def thinned(self, facts: list[Says]) -> list[Says]:
        """Those that hold at the beginning and that are kept, all together; none where the solver cannot say."""
        while True:
            before = len(facts)
            for change in self.changes:
                facts = self.surviving(change, facts)
            if len(facts) == before:
                return facts

    def surviving(self, change: Change, facts: list[Says]) -> list[Says]:
        """Those that are kept by a change, under all of them."""
        while facts:
            session = Session(self.dag, Engine.GENERAL, self.formulas)
            after = [fact(change.after) for fact in facts]
            session.add([*self.game.side, *self.given(change, facts), -self.dag.all(after)])
            result = session.check(seconds=SECONDS)
            if result.answer is Answer.NO:
                break
            model = result.model
            facts = [] if model is None else [f for f, bit in zip(facts, after, strict=True) if model.bit(bit)]
        return facts


@dataclass(frozen=True, slots=True)
class Law:
    """What is proved for every number of any set: ends, and perhaps a spinner, make up for the tiles on the tables."""

    ends: str
    spinner: Spinner | None

    def told(self, instance: core.Instance) -> str:
        text = f"for every number: {LAW}"
        if self.spinner is None:
            return text
        var = instance.vars[self.ends]
        sides = _listed(cell_name(instance, var, i) for i in self.spinner.sides)
        more = f"once more for the {self.spinner.half} half of {self.spinner.cell[0]} as soon as a tile lies there"
        return f"{text}, {sides} counted {more}"


def any_size(instance: core.Instance, var: str, tables: Sequence[str]) -> Law | None:
    """The law, if it is proved whatever the set, the players and the hands."""
    dag = Dag()
    number = dag.unknown("number")
    game = AnySet(instance, dag)
    moves = AnyMove(game, tables, lambda tile: plain(dag, tile, number))
    begun = moves.begun()
    state = game.game.vars[var]
    if begun is None or not game.followed(state) or state.type != core.Maybe(game.half):
        return None
    induction = Induction(moves, begun, var, number)
    for spinner in (None, *spinners(induction)):
        if induction.kept(spinner):
            return Law(var, spinner)
    return None


def plain(dag: Dag, tile: Tile, number: Number) -> Bit:
    """No double, and one of its halves is the number."""
    low, high = (dag.is_zero(dag.add(half, number, -1)) for half in (tile.low, tile.high))
    return dag.xor((low, high))


def spinners(induction: Induction) -> Iterator[Spinner]:
    """Terms that may be missing, short ones first."""
    begun = induction.changes[0].after
    named = [
        cell for cell in sorted(induction.game.looked_at, key=str)
        if cell[1] is None and isinstance(held := begun.cells.get(cell), Perhaps) and isinstance(held.held, Tile)
    ]  # fmt: skip
    for count in range(1, len(induction.sides) + 1):
        for cell, half, sides in product(named, ("low", "high"), combinations(induction.sides, count)):
            yield Spinner(cell, half, sides)


def _listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
