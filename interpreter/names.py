"""Between values and their names: elements, sets, cells, moves and whole states as text. No name depends on a state."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, assert_never

from domrules.grammar import core
from domrules.interpreter.errors import IllegalMove
from domrules.interpreter.state import Layout, State, elements
from domrules.interpreter.unknown import known

Args: TypeAlias = tuple[int, ...]
"""Arguments of an action, as indices: of its choices, or of its chances."""


class Move(NamedTuple):
    """A move: the index of its action and the arguments its player chose. What fate adds comes apart, as an outcome.

    Indices beyond the actions are those of events.
    """

    action: int
    args: Args = ()


# ---------------------------------------------------------------- values


def value_name(instance: core.Instance, kind: core.Type, value: core.Value) -> str:
    """A value as text: `6|4`, `none`, `{0|0, 0|1}`, `true`, `35`."""
    match kind:
        case core.IntType():
            return str(value)
        case core.BoolType():
            return "true" if value else "false"
        case core.Elem(sort=sort) | core.Maybe(sort=sort):
            return "none" if value is None else instance.sorts[sort].names[value]
        case core.SetOf(sort=sort):
            assert isinstance(value, int)
            return "{" + ", ".join(element_names(instance, sort, value)) + "}"
        case _:
            assert_never(kind)


def element_names(instance: core.Instance, sort: str, mask: int) -> list[str]:
    """The names of the elements of a set, in canonical order."""
    names = instance.sorts[sort].names
    return [names[i] for i in elements(mask)]


def element(instance: core.Instance, sort: str, name: str) -> int | None:
    """The index of an element by name; a tile may be written with either half first, and the first of its copies as `*1`."""
    names = instance.sorts[sort].names
    plain = name.removesuffix("*1") if sort == "tile" else name
    for spelling in (plain, turned(plain)):
        if spelling in names:
            return names.index(spelling)
    return None


def turned(tile: str) -> str:
    """A tile with its halves the other way round: `3|6*2` for `6|3*2`. Other names stay as they are."""
    pair, star, copy = tile.partition("*")
    first, bar, second = pair.partition("|")
    return f"{second}{bar}{first}{star}{copy}" if bar else tile


def may_be(written: str, name: str) -> bool:
    """May an element that is written so be the one of this name? A tile without a copy number is any copy."""
    pair, star, copy = written.partition("*")
    named, _, number = name.partition("*")
    return named in (pair, turned(pair)) and (not star or copy == (number or "1"))


def cell_name(instance: core.Instance, var: core.Var, index: int | None) -> str:
    """`mover`, `hand[2]`."""
    return var.name if index is None or var.per is None else f"{var.name}[{instance.sorts[var.per].names[index]}]"


def describe(layout: Layout, state: State) -> str:
    """A state as text: one line for every cell that does not hold nothing."""
    lines = []
    for var, index, cell in layout.walk():
        value = state.cells[cell]
        if known(value) and value is not None and value is not False and not (var.zone and not value):
            where = cell_name(layout.instance, var, index)
            lines.append(f"  {where} = {value_name(layout.instance, var.type, value)}")
    return "\n".join(lines)


# ---------------------------------------------------------------- moves


def choices(action: core.Action) -> tuple[core.Param, ...]:
    """The parameters the player chooses; they come first."""
    return tuple(p for p in action.params if not p.chance)


def chances(action: core.Action) -> tuple[core.Param, ...]:
    """The parameters that fate decides; they come last."""
    return tuple(p for p in action.params if p.chance)


def tested(action: core.Action) -> list[list[core.Expr]]:
    """At [k] the parts of the guard that can be tested once k parameters are known."""
    places = {p.name: place for place, p in enumerate(action.params)}
    parts: list[list[core.Expr]] = [[] for _ in range(len(places) + 1)]
    for part in core.conjuncts(action.guard):
        known = max((places[name] + 1 for name in core.free(part) if name in places), default=0)
        parts[known].append(part)
    return parts


def move_name(instance: core.Instance, move: Move, outcome: Args = ()) -> core.MoveName:
    """The name of a move or event, with what fate added to it."""
    action = instance.deeds[move.action]
    given = zip(action.params, move.args + outcome, strict=False)
    return core.MoveName(action.name, tuple(instance.sorts[p.sort].names[i] for p, i in given))


def find_move(instance: core.Instance, name: core.MoveName) -> tuple[Move, Args]:
    """The move or event of a name, and the outcome if the name has one. Raises `IllegalMove` when there is none."""
    for number, action in enumerate(instance.deeds):
        if action.name == name.action:
            args = arguments(instance, action, name)
            count = len(choices(action))
            return Move(number, args[:count]), args[count:]
    raise IllegalMove(f"there is no action {name.action}; there are {', '.join(a.name for a in instance.deeds)}")


def arguments(instance: core.Instance, action: core.Action, name: core.MoveName) -> Args:
    """The indices of the arguments of a move name: those of its choices, or of all parameters."""
    if len(name.args) not in (len(choices(action)), len(action.params)):
        wanted = ", ".join(p.name.partition("~")[0] for p in action.params) or "nothing"
        raise IllegalMove(f"{name}: {action.name} takes {wanted}")
    indices = []
    for param, arg in zip(action.params, name.args, strict=False):
        index = element(instance, param.sort, arg)
        if index is None:
            raise IllegalMove(f"{name}: {arg} is no {param.sort}")
        indices.append(index)
    return tuple(indices)


def parse_move(text: str) -> core.MoveName:
    """`play(right,3,3|6)` as a move name. Raises `IllegalMove` when it is not of this form."""
    action, opening, rest = text.partition("(")
    if not opening and action.isidentifier():
        return core.MoveName(action)
    if not action.isidentifier() or not rest.endswith(")") or rest == ")":
        raise IllegalMove(f"{text} is not a move: write pass, or play(right,3,3|6)")
    return core.MoveName(action, tuple(part.strip() for part in rest[:-1].split(",")))
