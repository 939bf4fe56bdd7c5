"""From a settlement to why every number is what it is: the row that decided, its place, and how its amount comes about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from domrules.grammar import core
from domrules.grammar.source import Span
from domrules.interpreter.coverage import one_line, rows, written
from domrules.interpreter.errors import RuleError
from domrules.interpreter.names import cell_name, element_names, value_name
from domrules.interpreter.reckon import blank
from domrules.interpreter.refusal import bound_to
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State, elements
from domrules.interpreter.unknown import Unknown

Given = Mapping[str, core.Expr]
DEEP = 6
MANY = 16
"""So many steps are told of one number."""


@dataclass(frozen=True)
class Step:
    """A value on the way to an amount: `what` is `value`, by this clause at this place (None: a state)."""

    depth: int
    what: str
    value: str
    clause: str = ""
    span: Span | None = None


@dataclass(frozen=True)
class Because:
    """A cell that a row of a settlement writes: what it was, what it is, the row and its place, and the steps.

    `cell` is None for a row that decides that nothing is written; `of` is then whom it is about.
    """

    cell: int | None
    of: str
    before: core.Value
    after: core.Value
    clause: str
    span: Span
    steps: tuple[Step, ...] = ()


def because(rules: Rules, ended: State) -> list[Because]:
    """Why the settlement of a round writes what it writes, in the order of the rules. All that it looks at is known."""
    found: list[Because] = []
    for number, settle in enumerate(rules.instance.game.settles):
        found += Rows(rules, rules.settle(ended, number), settle).decided()
    return found


class Rows:
    """One settlement in the state before it."""

    def __init__(self, rules: Rules, state: State, settle: core.Settle) -> None:
        self.rules, self.state, self.settle = rules, state, settle
        self.instance, self.plain = rules.instance, written(rules.instance)

    def value(self, e: core.Expr, given: Given) -> core.Value:
        found: core.Value = self.rules.question(self.plain(bound_to(e, given)))(self.state)
        return found

    def named(self, e: core.Expr, given: Given) -> str:
        return value_name(self.instance, e.type, self.value(e, given))

    def decided(self) -> Iterator[Because]:
        """What the rows write, for every element the settlement is for."""
        var, sort = self.settle.var, self.settle.sort
        if var is None or sort is None:
            yield from self.first({}, "all")
            return
        for index, name in enumerate(self.instance.sorts[sort].names):
            yield from self.first({var: core.Lit(index, core.Elem(sort))}, name)

    def first(self, given: Given, of: str) -> Iterator[Because]:
        """The first row whose condition holds."""
        for row in self.settle.rows:
            if self.value(row.test, given):
                span = row.span if row.span.source.name else self.settle.span
                written = list(self.statements(row.body, given))
                clause = one_line(span.text)
                if not written:
                    yield Because(None, of, None, None, clause, span)
                for s, inner in written:
                    test, arrow, _ = clause.partition("->")
                    own = f"{test}-> {one_line(s.span.text)}" if arrow else clause
                    yield self.change(s, inner, of, own, s.span)
                return

    def statements(self, block: core.Block, given: Given) -> Iterator[tuple[core.Set, Given]]:
        """The writes that happen, with the names that are bound there."""
        for s in block:
            match s:
                case core.Set():
                    yield s, given
                case core.If(condition=condition, body=body):
                    if self.value(condition, given):
                        yield from self.statements(body, given)
                case core.Each():
                    chosen = core.Agg("set", s.var, s.sort, s.domain, s.guard, None, core.SetOf(s.sort), s.span)
                    for i in elements(int(self.value(chosen, given) or 0)):
                        yield from self.statements(s.body, {**given, s.var: core.Lit(i, core.Elem(s.sort))})
                case _:
                    pass

    def change(self, s: core.Set, given: Given, of: str, clause: str, span: Span) -> Because:
        index = None if s.index is None else self.value(s.index, given)
        assert index is None or isinstance(index, int)
        cell = self.rules.layout.cell(s.var, index)
        was, value = None if blank(self.state, cell) else self.state.cells[cell], self.value(s.value, given)
        after = int(was or 0) + int(value or 0) if s.add else value
        steps = list[Step]()
        with suppress(Unknown, RuleError):  # a step may look at more than the settlement did
            for step in self.steps(s.value, given, 0):
                steps.append(step)
        return Because(cell, of, was, after, clause, span, tuple(steps[:MANY]))

    # ------------------------------------------------------------ how an amount comes about

    def steps(self, e: core.Expr, given: Given, depth: int) -> Iterator[Step]:
        """The values an expression is made of: calls with the clause that decided, states, sums over tiles."""
        if depth > DEEP:
            return
        match e:
            case core.Lit() | core.Local() | core.Attr():
                return
            case core.Read():
                if not self.instance.vars[e.var].zone:
                    yield Step(depth, self.cell(e, given), self.named(e, given))
            case core.Call():
                yield from self.call(e, given, depth)
            case core.Cases():
                yield from self.steps(self.row(e, given), given, depth)
            case core.Agg(kind="sum"):
                yield from self.sum(e, given, depth)
            case core.Agg() | core.Best():
                return
            case _:
                for part in core.children(e):
                    yield from self.steps(part, given, depth)

    def cell(self, e: core.Read, given: Given) -> str:
        index = None if e.index is None else self.value(e.index, given)
        assert index is None or isinstance(index, int)
        return cell_name(self.instance, self.instance.vars[e.var], index)

    def row(self, e: core.Cases, given: Given) -> core.Expr:
        """The value of the row that decides."""
        return next((value for test, value in e.rows if self.value(test, given)), e.otherwise)

    def call(self, e: core.Call, given: Given, depth: int) -> Iterator[Step]:
        fn = self.instance.game.fns[e.fn]
        args = {name: core.Lit(self.value(a, given), a.type) for (name, _), a in zip(fn.params, e.args, strict=True)}
        told = ", ".join(self.named(a, {}) for a in args.values())
        what = f"{fn.name}({told})" if told else fn.name
        body, clause = fn.body, one_line(fn.span.text)
        if isinstance(body, core.Cases):
            values = [*(value for _, value in body.rows), body.otherwise]
            place = next(i for i, value in enumerate(values) if value is self.row(body, args))
            clause, body = list(rows(fn.name, body))[place].text, values[place]
        span = body.span if body.span.source.name else fn.span
        yield Step(depth, what, self.named(e, given), clause, span)
        yield from self.steps(body, args, depth + 1)

    def sum(self, e: core.Agg, given: Given, depth: int) -> Iterator[Step]:
        """A sum: over tiles in one line, over others term by term."""
        assert e.body is not None
        chosen = core.Agg("set", e.var, e.sort, e.domain, e.guard, None, core.SetOf(e.sort), e.span)
        mask = int(self.value(chosen, given) or 0)
        terms = [{**given, e.var: core.Lit(i, core.Elem(e.sort))} for i in elements(mask)]
        if e.sort == "tile":
            names = element_names(self.instance, e.sort, mask)
            worth = [f"{name} ({self.named(e.body, term)})" for name, term in zip(names, terms, strict=True)]
            yield Step(depth, " + ".join(worth) or "no tiles", self.named(e, given))
            return
        for term in terms:
            yield from self.steps(e.body, term, depth)
