"""R1: no row of a table or settlement is dead. Asked of the file's own rows, over all its tables, with options left open.

Random play shows most rows alive. Of the rest the solver is asked, wherever the rules look at the table: as tiles are dealt,
in play, after a round. A row is called dead only when it is impossible in all of these.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product

from domrules.compiler.batch import Disagreement
from domrules.compiler.watching import watched
from domrules.compiler.writer import Unsupported
from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.instance import SettingError, instantiate
from domrules.grammar.reads import statements
from domrules.grammar.source import Span
from domrules.grammar.static import calls
from domrules.interpreter.coverage import Clause, Coverage, Place, as_written, clauses, place, written
from domrules.interpreter.errors import RuleError, Unfinished
from domrules.verifier import symbols
from domrules.verifier.battery.deal import deciding_options
from domrules.verifier.battery.rare import trusted
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import Bit
from domrules.verifier.encode import Encoder, Env
from domrules.verifier.facts import asked
from domrules.verifier.relation import ENDING, NoDeal, Relation
from domrules.verifier.solver import Answer, solve
from domrules.verifier.symbols import Symbols
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import Unreplayable

FIRST, MATCHES, ROUNDS = 3, 500, 400
"""What shows rows alive: random rounds at each table, then matches at the first one, then more rounds up to so many."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table: its define (none: a settlement), its test, the tests before it, and the names bound around it."""

    fn: str | None
    test: core.Expr
    before: tuple[core.Expr, ...]
    bound: tuple[tuple[str, str], ...]
    """Names with their sorts."""
    clause: Clause


def r1(subject: Subject) -> Verdict:
    """No row of the file is dead."""
    started = time.perf_counter()
    game = subject.instance.game
    unmet = _unmet(game, subject.seed)
    rows = [row for row in _rows(game) if place(row.clause.span) in unmet]
    tables = [_Table(subject, instance) for instance in _open_tables(game)] if rows else []
    dead, open_, events, rare = list[str](), list[str](), list[str](), list[str]()
    span: Span | None = None
    for row in rows:
        answer, why = _judged(tables, row)
        if answer is Answer.NO:
            dead.append(f"{row.clause}: {why}")
            span = span or row.clause.span
        elif game.events:
            events.append(f"{row.clause}: perhaps for an event to bring")
        elif answer is Answer.YES:
            rare.append(f"{row.clause}: not met; a position the proved facts allow makes it decide")
        else:
            open_.append(f"{row.clause}: not met, and the solver gave up")
    if span is not None:
        return subject.verdict(
            "R1", Word.REFUTED, method="every place where the row is looked at, options open", since=started,
            details=[*dead, *rare, *open_], span=span,
        )  # fmt: skip
    if open_:
        reason = "some rows were not met"
        return subject.verdict("R1", Word.UNKNOWN, since=started, details=[*open_, *rare], reason=reason)
    if rare:
        return subject.verdict(
            "R1", Word.HOLDS, method="random play over all tables", since=started, details=[*rare, *events], depth=ROUNDS,
            doesnt_say="that a play reaches the rows that were not met",
        )  # fmt: skip
    return subject.verdict("R1", Word.WITNESSED, method="random play over all tables", since=started, details=events)


def _unmet(game: core.Game, seed: int) -> set[Place]:
    """Places of the rows that random play did not show alive."""
    coverage, rows = Coverage(), {place(row.clause.span) for row in _rows(game)}
    with suppress(RuleError, Unfinished, BadFile):
        at = coverage.tables(game)
        coverage.play_at(at, FIRST * len(at), seed, rows)
        if not rows <= coverage.fired:
            for number, found in _watched(at[0].instance, seed, rows - coverage.fired):
                coverage.again(at[0], seed, number)
                if not found <= coverage.fired:
                    raise Unreplayable(f"compiled code plays match {number} of seed {seed} as written in another way")
            coverage.play_at(at, max(1, ROUNDS - FIRST * len(at)), seed + 1, rows)
    return rows - coverage.fired


def _watched(instance: core.Instance, seed: int, wanted: set[Place]) -> list[tuple[int, set[Place]]]:
    """Matches of some hundred at one table in which compiled code sees some of these decide, each in the first one."""
    out: list[tuple[int, set[Place]]] = []
    with trusted(), suppress(Unsupported, ModuleNotFoundError, Disagreement):
        for done, seen in watched(instance, (), seed, MATCHES, chunk=1):
            found = seen & wanted
            if found:
                out.append((done - 1, found))
                wanted = wanted - found
            if not wanted:
                break
    return out


def _rows(game: core.Game) -> Iterator[Row]:
    """The rows with a condition, of the game's own file."""
    told = {place(clause.span): clause for clause in clauses(game)}
    for fn in game.fns.values():
        if isinstance(fn.body, core.Cases) and fn.body.span.source.name == game.file:
            bound = tuple((name, kind.sort) for name, kind in fn.params if isinstance(kind, core.Elem))
            tests = [test for test, _ in fn.body.rows]
            for i, (test, value) in enumerate(fn.body.rows):
                yield Row(fn.name, test, tuple(tests[:i]), bound, told[place(value.span)])
    for settle in game.settles:
        if settle.span.source.name != game.file:
            continue
        around = () if settle.var is None or settle.sort is None else ((settle.var, settle.sort),)
        tests = [row.test for row in settle.rows]
        for i, row in enumerate(settle.rows):
            if not core.is_lit(row.test, value=True):
                yield Row(None, row.test, tuple(tests[:i]), around, told[place(row.span)])


def _open_tables(game: core.Game) -> Iterator[core.Instance]:
    """Every player count, all options open that do not change the deal."""
    fixed = deciding_options(game)
    for players in game.seats:
        try:
            yield instantiate(game, players, {}, [name for name in game.options if name not in fixed])
        except (SettingError, BadFile):
            continue


class _Table:
    """A table of the game as it is written, on which rows are looked at."""

    def __init__(self, subject: Subject, instance: core.Instance) -> None:
        self.events, self.written = bool(instance.events), written(instance)
        self.instance = replace(as_written(instance), events=())
        self.used = _uses(self.instance)
        self.inner = Subject(self.instance, subject.seconds / 3, subject.seed)

    def places(self, row: Row) -> Iterator[tuple[Encoder, Symbols, list[Bit]]]:
        """Wherever the rules look at the row: a position with what is known of it."""
        used = self.used
        study = self.inner.study
        if row.fn in used["deal"]:
            encoder, relation = study.open(study.view(study.instance.vars, keep_numbers=True))
            try:
                start = relation.start(any_match=True)
            except NoDeal:
                return
            yield encoder, start.dealt, []
            yield encoder, start.begun, [start.kept]
        if row.fn in used["play"]:
            yield from self.play()
        if row.fn is None or row.fn in used["after"]:
            yield self.after()

    def play(self) -> Iterator[tuple[Encoder, Symbols, list[Bit]]]:
        known = () if self.events else self.inner.proved
        study = self.inner.study
        for ended in (False, True):
            encoder, relation = study.open(study.view({*study.instance.vars, *asked(known)}, keep_numbers=True))
            state = relation.any_state("s", partition=self.inner.conserved)
            closed = relation.concluded(state)
            yield encoder, closed if ended else state, [fact.holds(relation, closed) for fact in known]

    def after(self) -> tuple[Encoder, Symbols, list[Bit]]:
        """After a round, between settlements too: what they write may be anything."""
        known = () if self.events else self.inner.proved
        study = self.inner.study
        encoder, relation = study.open(study.view({*study.instance.vars, *asked(known)}, keep_numbers=True))
        state = relation.any_state("s", partition=self.inner.conserved)
        closed = relation.concluded(state)
        bits = [fact.holds(relation, closed) for fact in known]
        if not self.events:
            bits.append(-relation.goes_on(state))
        return encoder, self.rewritten(relation, closed), bits

    def rewritten(self, relation: Relation, state: Symbols) -> Symbols:
        """The position with anything in the cells that settlements write, and (with events) any ending."""
        written = {
            s.var for settle in self.instance.settles for s in statements(settle.block()) if isinstance(s, core.Set)
        }
        changes = {}
        for name in written:
            var = self.instance.vars[name]
            for index in self.instance.cells(name):
                changes[name, index] = relation.any_cell(var, (name, index), "after")
        if self.events:
            kind = self.instance.vars[ENDING[0]].type
            encoder = relation.encoder
            changes[ENDING] = symbols.free(encoder.dag, encoder.side, self.instance, kind, "ended", forgotten=False)
        return state.put(changes)


def _judged(tables: Iterable[_Table], row: Row) -> tuple[Answer, str]:
    """Can the row decide anywhere? And why not."""
    alone = looked_at = False
    for table in tables:
        test = table.written(row.test)
        before = [table.written(e) for e in row.before]
        for encoder, state, bits in table.places(row):
            looked_at = True
            for with_others in (True, False):
                dag = encoder.dag
                found = []
                for env in _elements(table.instance, row.bound):
                    here = encoder.truth(test, state, env)
                    earlier = dag.any(encoder.truth(e, state, env) for e in before) if with_others else -1
                    found.append(dag.both(here, -earlier))
                result = solve(dag, [*encoder.side, *bits, dag.any(found)], seconds=table.inner.seconds)
                if result.answer is Answer.NO:
                    continue
                if with_others:
                    return result.answer, ""
                alone = True
    if not looked_at:
        return Answer.UNKNOWN, ""
    return Answer.NO, "the rows before it take all it matches" if alone else "nothing ever matches it"


def _elements(instance: core.Instance, bound: tuple[tuple[str, str], ...]) -> Iterator[Env]:
    sizes = [range(instance.sorts[sort].size) for _, sort in bound]
    for values in product(*sizes):
        yield dict(zip((name for name, _ in bound), values, strict=True))


def _uses(instance: core.Instance) -> dict[str, set[str]]:
    """Which defines the rules look at as tiles are dealt, in play, and after a round."""
    actions = [*instance.actions, *instance.events]
    roots = {
        "deal": [instance.redeal, *core.expressions(*instance.begin), *(v.init for v in instance.vars.values() if v.init)],
        "play": [
            *(a.guard for a in actions), *(p.domain for a in actions for p in a.params if p.domain is not None),
            *core.expressions(*(block for a in actions for block in a.blocks)), *(e.when for e in instance.endings),
        ],
        "after": [
            instance.over, instance.winners, *core.expressions(*(s.block() for s in instance.settles)),
            *(fn.body for fn in instance.fns.values() if fn.outcome),
        ],
    }  # fmt: skip
    called = {where: _called(instance, found) for where, found in roots.items()}
    called["after"] |= {fn.name for fn in instance.fns.values() if fn.outcome}
    return called


def _called(instance: core.Instance, roots: Iterable[core.Expr]) -> set[str]:
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        for call in calls(waiting.pop()):
            if call.fn not in found:
                found.add(call.fn)
                waiting.append(instance.fns[call.fn].body)
    return found
