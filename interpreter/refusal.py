"""From a move that is not legal to the rules that forbid it: whose domain it is not in, which part of the guard fails, and why.

The parts are those of the file as it is written, so that each has its place. A part that fails is followed into the
defines it calls, down to what was decided there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from domrules.grammar import core
from domrules.grammar.source import Span
from domrules.interpreter.coverage import one_line, written
from domrules.interpreter.errors import IllegalMove, RuleError
from domrules.interpreter.names import Args, Move, element_names, find_move, move_name, value_name
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State

DEEP = 6
"""So many calls inside each other are followed."""
LONG = 100


@dataclass(frozen=True)
class Reason:
    """A rule that forbids something: `declaration` it stands in, `what` of it decides, where, and how deep it is called."""

    declaration: str
    what: str
    span: Span
    depth: int = 0

    def __str__(self) -> str:
        return f"{'  ' * self.depth}{self.declaration}: {self.what}  ({self.span})"


def bound_to(e: core.Expr, values: Mapping[str, core.Expr]) -> core.Expr:
    """The expression with fixed values in the place of free names."""
    if isinstance(e, core.Local):
        return values.get(e.name, e)
    if (name := core.bound(e)) in values:
        values = {n: v for n, v in values.items() if n != name}
    return core.rebuild(e, lambda part: bound_to(part, values))


def forbids(rules: Rules, state: State, name: core.MoveName) -> list[Reason]:
    """Why a move of this name is not legal here; nothing when it is. Raises IllegalMove when there is no such move."""
    move, outcome = find_move(rules.instance, name)
    return list(Refusal(rules, state).reasons(move, outcome))


def instead(rules: Rules, state: State, name: core.MoveName) -> str:
    """Of a pass that is not legal: what could be played, or has to be drawn. Empty for other moves."""
    instance = rules.instance
    if name.action not in instance.role("action", "pass"):
        return ""
    moves = rules.legal_moves(state)
    for role, verb in (("play", "can play"), ("draw", "has to draw")):
        actions = instance.role("action", role)
        could = [m for m in moves if instance.deeds[m.action].name in actions]
        if could:
            told = ", ".join(str(move_name(instance, m)) for m in could)
            return f"the player {verb}: {told}"
    return ""


class Refusal:
    """Looks into the guard of one move in one state."""

    def __init__(self, rules: Rules, state: State) -> None:
        self.rules, self.state, self.plain = rules, state, written(rules.instance)

    def value(self, e: core.Expr) -> core.Value:
        found: core.Value = self.rules.question(e)(self.state)
        return found

    def reasons(self, move: Move, outcome: Args) -> Iterator[Reason]:
        """The first domain an argument is not in; else all parts of the guard that fail."""
        game, name = self.rules.instance.game, self.rules.instance.deeds[move.action].name
        deed = next(deed for deed in game.actions + game.events if deed.name == name)
        owner = f"{'event' if self.rules.is_event(move) else 'action'} {deed.name}"
        given: dict[str, core.Expr] = {}
        for param, index in zip(deed.params, move.args + outcome, strict=False):
            literal = core.Lit(index, core.Elem(param.sort))
            if param.domain is not None:
                domain = self.closed(param.domain, given)
                inside = core.Op("in", (literal, domain), core.BOOL)
                if not self.value(inside):
                    named = value_name(self.rules.instance, literal.type, index)
                    yield Reason(owner, f"{named} is not in {self.shown(param.domain, domain)}", param.domain.span)
                    return
            given[param.name] = literal
        yield from self.failing(owner, deed.guard, given)

    def failing(self, owner: str, guard: core.Expr, given: Mapping[str, core.Expr]) -> Iterator[Reason]:
        for part in core.conjuncts(guard):
            if core.free(part) <= given.keys() and not self.value(self.closed(part, given)):
                yield from self.explain(owner, part, given, True, 0)

    def closed(self, e: core.Expr, given: Mapping[str, core.Expr]) -> core.Expr:
        return self.plain(bound_to(e, given))

    def shown(self, e: core.Expr, closed: core.Expr) -> str:
        """`hand[mover], which is {1|2, 3|3}`."""
        text = one_line(e.span.text)
        return f"{text}, which is {value_name(self.rules.instance, closed.type, self.value(closed))}"

    def explain(
        self, owner: str, e: core.Expr, given: Mapping[str, core.Expr], wanted: bool, depth: int
    ) -> Iterator[Reason]:
        """Why a truth is not what is `wanted`."""
        match e:
            case core.Op(name="not", args=(inner,)):
                yield from self.explain(owner, inner, given, not wanted, depth)
            case core.Op(name="and", args=args) if wanted:
                for part in args:
                    if not self.value(self.closed(part, given)):
                        yield from self.explain(owner, part, given, True, depth)
                        return
            case core.Op(name="or", args=args) if not wanted:
                for part in args:
                    if self.value(self.closed(part, given)):
                        yield from self.explain(owner, part, given, False, depth)
                        return
            case _:
                yield Reason(owner, f"{self.said(e, given)} {'fails' if wanted else 'holds'}", e.span, depth)
                if isinstance(e, core.Call) and depth < DEEP:
                    yield from self.inside(e, given, wanted, depth + 1)

    def said(self, e: core.Expr, given: Mapping[str, core.Expr]) -> str:
        """The text of a condition with the values of what it compares and of its parameters."""
        text, told = one_line(e.span.text), list[str]()
        instance = self.rules.instance
        parts = e.args if isinstance(e, core.Op) and e.type == core.BOOL else ()
        names = sorted(core.free(e) & given.keys())
        for part in [*parts, *(core.Local(n, given[n].type) for n in names)]:
            if isinstance(part, core.Lit) or not core.free(part) <= given.keys():
                continue
            word = part.name.partition("~")[0] if isinstance(part, core.Local) else one_line(part.span.text)
            told.append(f"{word} is {value_name(instance, part.type, self.value(self.closed(part, given)))}")
        if isinstance(e, core.Agg) and (case := self.case(e, given)):
            told.append(case)
        text = text if len(text) <= LONG else text[: LONG - 1] + "…"
        return f"`{text}`" + (f" ({', '.join(dict.fromkeys(told))})" if told else "")

    def case(self, e: core.Agg, given: Mapping[str, core.Expr]) -> str:
        """The first element for which an `any` holds, or for which an `all` fails."""
        if e.kind not in ("any", "all") or e.body is None:
            return ""
        body = e.body if e.kind == "any" else core.negation(e.body)
        guard = core.conjunction([*([e.guard] if e.guard is not None else []), body])
        cases = core.Agg("set", e.var, e.sort, e.domain, guard, None, core.SetOf(e.sort), e.span)
        found = element_names(self.rules.instance, e.sort, int(self.value(self.closed(cases, given)) or 0))
        return f"{e.var.partition('~')[0]} is {found[0]}" if found else ""

    def inside(self, e: core.Call, given: Mapping[str, core.Expr], wanted: bool, depth: int) -> Iterator[Reason]:
        """What decided in the define that is called."""
        fn = self.rules.instance.game.fns[e.fn]
        args = [core.Lit(self.value(self.closed(a, given)), a.type) for a in e.args]
        values = {name: arg for (name, _), arg in zip(fn.params, args, strict=True)}
        owner = f"{'rule' if fn.slot else 'define'} {fn.name}"
        body = fn.body
        if isinstance(body, core.Cases):
            row = next((value for test, value in body.rows if self.value(self.closed(test, values))), body.otherwise)
            body = row
        if not body.span.source.name:
            return
        if isinstance(body, core.Lit):
            yield Reason(owner, f"`{one_line(body.span.text)}` is decided here", body.span, depth)
        else:
            yield from self.explain(owner, body, values, wanted, depth)


def told(find: Callable[[], list[Reason]]) -> list[str]:
    """The reasons as lines; nothing when the rules themselves fail while they are looked at."""
    try:
        return [str(reason) for reason in find()]
    except (IllegalMove, RuleError):
        return []
