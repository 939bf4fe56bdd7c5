"""What a file pays: every statement that adds to a score, and every row of a table that such an amount comes from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from domrules.grammar import core
from domrules.grammar.reads import statements
from domrules.grammar.source import Span
from domrules.verifier.battery.paths import Paths, Wanted, carried_out, some, valued


@dataclass(frozen=True, slots=True)
class Award:
    """`add … to score`: in a settlement (`settlement`: which), or in a block of an action."""

    add: core.Set
    block: core.Block
    settlement: int | None = None
    action: core.Action | None = None
    last: bool = True
    """It stands in the last block of its action."""

    @property
    def value(self) -> core.Expr:
        return self.add.value

    @property
    def span(self) -> Span:
        return self.add.span

    def paid(self, instance: core.Instance, amount: Wanted) -> core.Expr:
        """It is carried out, and `amount` (false of 0) says of what is added that it is so."""
        return self.closed(carried_out(self.block, self.add, valued(instance, self.value, amount)))

    def amounts(self, instance: core.Instance) -> list[core.Expr]:
        """The rows that the amount may come from; the whole amount where it comes from no table."""
        found: dict[core.Expr, None] = {}

        def noted(e: core.Expr) -> core.Expr:
            found[e] = None
            return core.TRUE

        valued(instance, self.value, noted)
        return list(found)

    def comes_to(self, instance: core.Instance, row: core.Expr) -> core.Expr:
        """It is carried out, and what is added comes from this row of a table."""
        paths = Paths(instance, frozenset({row}), lambda e: core.TRUE)
        return self.closed(carried_out(self.block, self.add, paths.within(self.value)))

    @property
    def binds(self) -> bool:
        """Does the amount depend on a choice of the action?"""
        names = {p.name for p in self.action.params} if self.action is not None else set[str]()
        return bool(names & core.free(self.value))

    def closed(self, e: core.Expr) -> core.Expr:
        """With the choices of the action bound: any at all, for where it stands they may have left their domains."""
        for p in reversed(self.action.params if self.action is not None else ()):
            e = some(p.name, p.sort, None, e)
        return e


def awards(instance: core.Instance) -> Iterator[Award]:
    """Every one of the rules, in order; what is the constant 0 at this table is none."""
    scores = instance.role("state", "score")

    def of(block: core.Block) -> Iterator[core.Set]:
        for s in statements(block):
            if isinstance(s, core.Set) and s.add and s.var in scores and not zero(instance, s.value):
                yield s

    for action in instance.actions:
        for place, block in enumerate(action.blocks):
            last = place == len(action.blocks) - 1
            yield from (Award(s, block, action=action, last=last) for s in of(block))
    for number, settle in enumerate(instance.settles):
        block = settle.block()
        yield from (Award(s, block, settlement=number) for s in of(block))


def given_at_start(instance: core.Instance) -> bool:
    """Is a score written as a round begins?"""
    scores = instance.role("state", "score")
    begun = (s for block in instance.begin for s in statements(block))
    return any(isinstance(s, core.Set) and s.var in scores for s in begun)


AT_START = "a score is written as a round begins, and that is not looked at"


def zero(instance: core.Instance, e: core.Expr) -> bool:
    """Is this plainly 0?"""
    while isinstance(e, core.Call):
        e = instance.fns[e.fn].body
    return isinstance(e, core.Lit) and e.value == 0


def rows(instance: core.Instance, e: core.Expr, seen: frozenset[str] = frozenset()) -> Iterator[core.Expr]:
    """The rows of tables that a number may come from, those that give 0 left out: each is a bonus of its own."""
    match e:
        case core.Cases():
            for value in [*(value for _, value in e.rows), e.otherwise]:
                if not zero(instance, value):
                    yield value
                yield from rows(instance, value, seen)
        case core.Call() if e.fn not in seen:
            yield from rows(instance, instance.fns[e.fn].body, seen | {e.fn})
        case core.Op(name="add" | "sub" | "mul" | "round" | "roundup" | "rounddown" | "div"):
            for arg in e.args:
                yield from rows(instance, arg, seen)
        case core.Agg(kind="sum", body=body) if body is not None:
            yield from rows(instance, body, seen)
        case _:
            return


def not_zero(e: core.Expr) -> core.Expr:
    """It is not 0."""
    return core.negation(core.Op("numeq", (e, core.Lit(0, core.INT)), core.BOOL, span=e.span))
