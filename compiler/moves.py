"""Actions → counting the legal moves, taking the k-th, and doing it; every set of moves is looked at once.

A section is what is counted at once: an action with all its choices but the last fixed, and the set of the last. The
sections of an action with known choices are written out; other actions are gone through a second time to find a move.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from domrules.compiler import ir
from domrules.compiler.bitsets import filtered
from domrules.compiler.blocks import Blocks
from domrules.compiler.store import LARGE
from domrules.compiler.values import UNROLL, One
from domrules.compiler.writer import Env, Words, each, kth, single, size, some
from domrules.grammar import core
from domrules.interpreter.names import chances, choices, tested

Leaf: TypeAlias = Callable[[Env, Words | None], None]
"""Is told of every section: its fixed choices, and the set of the last one (none: the section is one move)."""


@dataclass(frozen=True)
class Section:
    """Moves that are counted at once; everything in it is a local or a constant."""

    env: Mapping[str, ir.Expr]
    words: Words | None
    count: ir.Expr


@dataclass
class Plan:
    """An action in this state: how many moves, and where."""

    action: core.Action
    count: ir.Expr
    sections: list[Section] = field(default_factory=list)


class Moves:
    """Writes the moves of one instance."""

    def __init__(self, blocks: Blocks) -> None:
        self.blocks, self.ex, self.writer = blocks, blocks.ex, blocks.writer

    # ------------------------------------------------------------ looking

    def plan(self, action: core.Action) -> Plan:
        """Count the legal moves of an action."""
        writer = self.writer
        if not self.static(action):
            total = writer.fresh(ir.ZERO)

            def add(env: Env, words: Words | None) -> None:
                writer.emit(ir.Assign(total, ir.plus(total, ir.ONE if words is None else size(words))))

            self.visit(action, 0, {}, add)
            return Plan(action, total)
        plan = Plan(action, ir.ZERO)
        start = len(writer.body)

        def keep(env: Env, words: Words | None) -> None:
            count = writer.local()
            sets = None if words is None else tuple(writer.fresh(w) for w in words)
            writer.emit(ir.Assign(count, ir.ONE if sets is None else size(sets)))
            plan.sections.append(Section(dict(env), sets, count))

        self.visit(action, 0, {}, keep)
        # A section under a condition counts nothing where the condition fails.
        writer.body[start:start] = [ir.Assign(s.count, ir.ZERO) for s in plan.sections if isinstance(s.count, ir.Local)]
        for section in plan.sections:
            plan.count = ir.plus(plan.count, section.count)
        plan.count = writer.let(plan.count)
        return plan

    def static(self, action: core.Action) -> bool:
        """Are all choices but the last known beforehand?"""
        chosen = choices(action)
        return all(self.known(p) for p in chosen[:-1])

    def known(self, p: core.Param) -> bool:
        match p.domain:
            case None:
                return self.ex.instance.sorts[p.sort].size <= 2 * UNROLL
            case core.Lit(value=int(value)):
                return value.bit_count() <= 2 * UNROLL
            case core.Op(name="toset"):
                return True
            case _:
                return False

    def visit(self, action: core.Action, level: int, env: Env, leaf: Leaf) -> None:
        """Every section from here on, under the parts of the guard that can be tested by now."""
        chosen = choices(action)
        tests = tested(action)
        with self.writer.when(self.ex.junction(False, [partial(self.ex.scalar, e, env) for e in tests[level]])):
            if level == len(chosen):
                self.end(action, env, leaf)
                return
            param = chosen[level]
            over = self.ex.domain(param.domain, param.sort, env)
            if isinstance(over, One):
                x = self.writer.fresh(over.element)
                with self.writer.when(over.test):
                    self.visit(action, level + 1, {**env, param.name: x}, leaf)
            elif isinstance(over, list) and self.known(param):
                for i in over:
                    self.visit(action, level + 1, {**env, param.name: ir.Const(i)}, leaf)
            elif level == len(chosen) - 1:
                leaf(env, self.last(action, param, self.ex.domain_words(param.domain, param.sort, env), env))
            else:
                with each(self.writer, self.ex.domain_words(param.domain, param.sort, env)) as element:
                    self.visit(action, level + 1, {**env, param.name: element}, leaf)

    def end(self, action: core.Action, env: Env, leaf: Leaf) -> None:
        """All choices are made; with chance the move is legal when something can come of it."""
        if not chances(action):
            leaf(env, None)
            return
        outcomes = self.outcomes(action, env)
        with self.writer.when(outcomes.possible):
            leaf(env, None)

    def last(self, action: core.Action, param: core.Param, words: Words, env: Env) -> Words:
        """The values of the last choice for which the rest of the guard holds."""
        rest = tested(action)[len(choices(action))]
        words = tuple(self.writer.let(w) for w in words)
        chance = bool(chances(action))
        if not rest and not chance:
            return words
        guard = core.conjunction(rest)
        if not chance:
            found = filtered(self.ex, words, guard, param.name, param.sort, env)
            if found is not None:
                return tuple(self.writer.let(w) for w in found)
        return self.sieved(
            guard, param, words, env, lambda inner: self.outcomes(action, inner).possible if chance else ir.YES
        )

    # ------------------------------------------------------------ chance

    def outcomes(self, action: core.Action, env: Env) -> Outcomes:
        """What fate may add once the choices are made."""
        drawn = chances(action)
        first = len(action.params) - len(drawn)
        tests = tested(action)
        if len(drawn) == 1:
            (param,) = drawn
            words = tuple(self.writer.let(w) for w in self.ex.domain_words(param.domain, param.sort, env))
            if tests[first + 1]:
                guard = core.conjunction(tests[first + 1])
                found = filtered(self.ex, words, guard, param.name, param.sort, env)
                if found is None:
                    found = self.sieved(guard, param, words, env)
                words = tuple(self.writer.let(w) for w in found)
            return Outcomes(some(words), words, size(words))
        total = self.writer.fresh(ir.ZERO)

        def add(inner: Env) -> None:
            self.writer.emit(ir.Assign(total, ir.plus(total, ir.ONE)))

        self.fates(action, first, env, add)
        return Outcomes(ir.less(ir.ZERO, total), None, total)

    def sieved(
        self,
        guard: core.Expr,
        param: core.Param,
        words: Words,
        env: Env,
        more: Callable[[Env], ir.Expr] = lambda _: ir.YES,
    ) -> Words:
        """The elements for which a condition holds, and `more` once it does, one by one."""
        kept = tuple(self.writer.fresh(ir.ZERO) for _ in words)
        with each(self.writer, words) as element:
            inner = {**env, param.name: element}
            with self.writer.when(self.ex.scalar(guard, inner)), self.writer.when(more(inner)):
                for target, bit in zip(kept, single(element, len(kept)), strict=True):
                    self.writer.emit(ir.Assign(target, ir.binary("or", target, bit)))
        return kept

    def fates(self, action: core.Action, level: int, env: Env, leaf: Callable[[Env], None]) -> None:
        """Every outcome, one by one."""
        if level == len(action.params):
            leaf(env)
            return
        param = action.params[level]
        with each(self.writer, self.ex.domain_words(param.domain, param.sort, env)) as element:
            inner = {**env, param.name: element}
            guard = core.conjunction(tested(action)[level + 1])
            with self.writer.when(self.ex.scalar(guard, inner)):
                self.fates(action, level + 1, inner, leaf)

    def fate(self, action: core.Action, env: Env, draw: Callable[[ir.Expr], ir.Local]) -> Env:
        """Let chance decide; gives the choices and the outcome."""
        drawn = chances(action)
        if not drawn:
            return env
        outcomes = self.outcomes(action, env)
        k = draw(outcomes.count)
        if outcomes.words is not None:
            return {**env, drawn[0].name: kth(self.writer, outcomes.words, k)}
        targets = {p.name: self.writer.fresh(ir.ZERO) for p in drawn}
        left = self.writer.fresh(k)

        def find(inner: Env) -> None:
            with self.writer.when(ir.equal(left, ir.ZERO)):
                self.writer.emit(*(ir.Assign(target, inner[name]) for name, target in targets.items()))
            self.writer.emit(ir.Assign(left, ir.binary("sub", left, ir.ONE)))

        self.fates(action, len(action.params) - len(drawn), env, find)
        return {**env, **targets}

    # ------------------------------------------------------------ doing

    def choose(self, plans: list[Plan], k: ir.Local, act: Callable[[Plan, Env], None]) -> None:
        """Find the k-th move of all, and `act` with its plan and choices."""
        if not plans:
            return
        plan, rest = plans[0], plans[1:]
        with self.writer.inside() as here:
            act(plan, self.bind(plan, k))
        if not rest:
            self.writer.emit(*here)
            return
        with self.writer.inside() as there:
            self.writer.emit(ir.Assign(k, ir.binary("sub", k, plan.count)))
            self.choose(rest, k, act)
        self.writer.emit(ir.If(ir.less(k, plan.count), tuple(here), tuple(there)))

    def bind(self, plan: Plan, k: ir.Local) -> Env:
        """The choices of the k-th move of an action."""
        chosen = choices(plan.action)
        if len(plan.sections) == 1:
            return self.within(plan.sections[0], chosen, k)
        found = self.selected(plan.sections, chosen, k)
        if found is not None:
            return found
        targets = {p.name: self.writer.fresh(ir.ZERO) for p in chosen}
        if plan.sections:
            self.sections(plan.sections, chosen, k, targets)
        else:
            self.again(plan.action, chosen, k, targets)
        return targets

    def within(self, section: Section, chosen: Sequence[core.Param], k: ir.Expr) -> Env:
        """The k-th move of a section."""
        if section.words is None:
            return section.env
        return {**section.env, chosen[-1].name: kth(self.writer, section.words, k)}

    def selected(self, sections: list[Section], chosen: Sequence[core.Param], k: ir.Local) -> Env | None:
        """The k-th move of sections that are sets, without a branch; None where that costs too much."""
        sets = [s.words for s in sections if s.words is not None]
        if not sets or len(sets) < len(sections) or (len(sets) - 1) * (len(sets[0]) + len(chosen)) > self.ex.eager:
            return None
        left: list[ir.Expr] = [k]
        for section in sections[:-1]:
            left.append(self.writer.let(ir.binary("sub", left[-1], section.count)))
        words, env, place = sets.pop(), sections[-1].env, left.pop()
        for section in reversed(sections[:-1]):
            here, mine = left.pop(), sets.pop()
            test = self.writer.let(ir.less(here, section.count))
            words = tuple(self.writer.let(ir.pick(test, a, b)) for a, b in zip(mine, words, strict=True))
            env = {p.name: self.writer.let(ir.pick(test, section.env[p.name], env[p.name])) for p in chosen[:-1]}
            place = self.writer.let(ir.pick(test, here, place))
        return {**env, chosen[-1].name: kth(self.writer, words, place)}

    def sections(
        self, sections: list[Section], chosen: Sequence[core.Param], k: ir.Local, targets: Mapping[str, ir.Local]
    ) -> None:
        first, rest = sections[0], sections[1:]
        with self.writer.inside() as here:
            env = self.within(first, chosen, k)
            self.writer.emit(*(ir.Assign(targets[p.name], env[p.name]) for p in chosen))
        if not rest:
            self.writer.emit(*here)
            return
        with self.writer.inside() as there:
            self.writer.emit(ir.Assign(k, ir.binary("sub", k, first.count)))
            self.sections(rest, chosen, k, targets)
        self.writer.emit(ir.If(ir.less(k, first.count), tuple(here), tuple(there)))

    def again(
        self, action: core.Action, chosen: Sequence[core.Param], k: ir.Local, targets: Mapping[str, ir.Local]
    ) -> None:
        """Go through the sections once more, to the k-th move."""
        writer = self.writer

        def find(env: Env, words: Words | None) -> None:
            count = writer.let(ir.ONE if words is None else size(words))
            here = ir.both(ir.binary("le", ir.ZERO, k), ir.less(k, count))
            with writer.when(here):
                found = self.within(Section(env, words, count), chosen, k)
                writer.emit(*(ir.Assign(targets[p.name], found[p.name]) for p in chosen))
                writer.emit(ir.Assign(k, ir.Const(-LARGE)))
            with writer.when(ir.binary("le", count, k)):
                writer.emit(ir.Assign(k, ir.binary("sub", k, count)))

        self.visit(action, 0, {}, find)


@dataclass(frozen=True)
class Outcomes:
    """What fate may add to a move: whether anything, the set where one parameter says all, and how many."""

    possible: ir.Expr
    words: Words | None
    count: ir.Expr
