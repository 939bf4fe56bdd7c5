"""Among whom `begin` chooses: the set behind the outermost `sole` of an expression, worked out by the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from domrules.grammar import core
from domrules.grammar.instance import folder
from domrules.grammar.reads import statements
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State, elements


def named(instance: core.Instance, mover: str) -> Iterator[core.Expr]:
    """What `begin` sets the mover to, without the promise around it."""
    for block in instance.begin:
        for s in statements(block):
            if isinstance(s, core.Set) and s.var == mover:
                yield s.value.of if isinstance(s.value, core.Sole) and s.value.must else s.value


class Choosing:
    """Evaluates expressions of one instance to sets of candidates, as masks."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._fold = folder(rules.instance)
        self._questions: dict[core.Expr, Callable[[State], Any]] = {}
        self._bodies: dict[tuple[str, tuple[core.Value, ...]], core.Expr] = {}

    def of(self, e: core.Expr, state: State) -> int:
        """The candidates among which the outermost `sole` of an optional chooses."""
        match e:
            case core.Sole(of=of, must=False) if isinstance(of.type, core.SetOf):
                return int(self.value(of, state))
            case core.Cases(rows=rows, otherwise=otherwise):
                return self.of(next((value for test, value in rows if self.value(test, state)), otherwise), state)
            case core.Agg(kind="pick", body=body) if body is not None:
                return self.picked(e, body, state)
            case core.Call():
                return self.of(self.body(e, state), state)
            case _:
                return as_set(e.type, self.value(e, state))

    def picked(self, e: core.Agg, body: core.Expr, state: State) -> int:
        """The candidates of the body for every element that is looked at."""
        elem = core.Elem(e.sort)
        size = self.rules.instance.sorts[e.sort].size
        domain = (1 << size) - 1 if e.domain is None else as_set(e.domain.type, self.value(e.domain, state))
        found = 0
        for i in elements(domain):
            env = {e.var: core.Lit(i, elem)}
            if e.guard is None or self.value(self._fold(e.guard, env), state):
                found |= self.of(self._fold(body, env), state)
        return found

    def body(self, e: core.Call, state: State) -> core.Expr:
        """The body of a define with its arguments put in."""
        args = tuple(self.value(arg, state) for arg in e.args)
        if (e.fn, args) not in self._bodies:
            fn = self.rules.instance.fns[e.fn]
            env = {name: core.Lit(arg, kind) for (name, kind), arg in zip(fn.params, args, strict=True)}
            self._bodies[e.fn, args] = self._fold(fn.body, env)
        return self._bodies[e.fn, args]

    def value(self, e: core.Expr, state: State) -> Any:
        if e not in self._questions:
            self._questions[e] = self.rules.question(e)
        return self._questions[e](state)


def as_set(kind: core.Type, value: Any) -> int:
    """An element, an optional or a set as a mask."""
    if isinstance(kind, core.SetOf):
        return int(value)
    return 0 if value is None else 1 << int(value)
