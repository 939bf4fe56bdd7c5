"""How near a state is to making a condition hold: numbers that are compared say by how much they fail.

near = nearness(rules, condition)      # near(state): 0 or more where it holds; None when it compares no numbers
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from domrules.grammar import core
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State

Near = Callable[[State], float]


def nearness(rules: Rules, e: core.Expr) -> Near | None:
    """The measure of a condition without free names."""
    return _near(rules, e, wanted=True) if any(compares(part) for part in _parts(e)) else None


def compares(e: core.Expr) -> bool:
    """Does it compare numbers of a state?"""
    return (
        isinstance(e, core.Op) and e.name in ("le", "lt", "numeq") and not all(isinstance(a, core.Lit) for a in e.args)
    )


def _parts(e: core.Expr) -> Iterator[core.Expr]:
    yield e
    for child in core.children(e):
        yield from _parts(child)


def _near(rules: Rules, e: core.Expr, *, wanted: bool) -> Near:
    match e:
        case core.Op(name="not", args=(inner,)):
            return _near(rules, inner, wanted=not wanted)
        case core.Op(name="and" | "or", args=args):
            return _some([_near(rules, a, wanted=wanted) for a in args], every=(e.name == "and") == wanted)
        case core.Op(name="le" | "lt" | "numeq", args=(x, y)):
            return _compared(rules, e.name, x, y, wanted)
        case core.Agg(kind="any" | "all") if e.body is not None:
            return _some(list(_elements(rules, e, wanted)), every=(e.kind == "all") == wanted)
        case _:
            holds = rules.question(e)
            return lambda state: 0.0 if bool(holds(state)) == wanted else -1.0


def _some(parts: list[Near], *, every: bool) -> Near:
    """All of the parts, or one of them."""
    if not parts:
        return lambda state: 0.0 if every else -1_000.0
    return lambda state: (min if every else max)(part(state) for part in parts)


def _compared(rules: Rules, name: str, x: core.Expr, y: core.Expr, wanted: bool) -> Near:
    left, right = rules.question(x), rules.question(y)

    def measure(state: State) -> float:
        gap = float(right(state) - left(state))
        match name, wanted:
            case "le", True:
                return gap
            case "le", False:
                return -gap - 1
            case "lt", True:
                return gap - 1
            case "lt", False:
                return -gap
            case _, True:
                return -abs(gap)
            case _:
                return 0.0 if gap else -1.0

    return measure


def _elements(rules: Rules, e: core.Agg, wanted: bool) -> Iterator[Near]:
    """The measure of the body for every element, put together with that it is in the range at all.

    `all` wanted: outside or the body. `any` wanted: inside and the body. Not wanted: the other way round.
    """
    assert e.body is not None
    for i in range(rules.instance.sorts[e.sort].size):
        this = core.Lit(i, core.Elem(e.sort))
        inside: list[core.Expr] = []
        if e.domain is not None:
            inside.append(core.Op("in", (this, e.domain), core.BOOL))
        if e.guard is not None:
            inside.append(put(e.guard, e.var, this))
        every = (e.kind == "all") == wanted
        within = [_near(rules, part, wanted=not every) for part in inside]
        yield _some([*within, _near(rules, put(e.body, e.var, this), wanted=wanted)], every=not every)


def put(e: core.Expr, name: str, value: core.Expr) -> core.Expr:
    """The expression with a name replaced."""
    if isinstance(e, core.Local) and e.name == name:
        return value
    if core.bound(e) == name:
        return e
    return core.rebuild(e, lambda child: put(child, name, value))
