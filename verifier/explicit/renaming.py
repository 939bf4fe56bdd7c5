"""Other names for elements (pips, players): what they make of values, terms and positions, and whether rules stay as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from domrules.grammar import core
from domrules.grammar.reads import statements
from domrules.interpreter.state import Layout, elements

Places = tuple[int, ...]
"""Where each element of a sort goes."""
NOWHERE: Mapping[str, int] = {}


@dataclass
class Renaming:
    """A permutation of the elements of some sorts; all others keep their names."""

    places: Mapping[str, Places]
    masks: dict[tuple[str, int], int] = field(default_factory=dict)
    """Sets that were renamed already."""

    def value(self, kind: core.Type, value: Any) -> Any:
        """A value of a type under its new name."""
        match kind:
            case core.SetOf(sort) if sort in self.places:
                return self.mask(sort, value)
            case core.Elem(sort) | core.Maybe(sort) if sort in self.places and value is not None:
                return self.places[sort][value]
            case _:
                return value

    def mask(self, sort: str, mask: int) -> int:
        found = self.masks.get((sort, mask))
        if found is None:
            places = self.places[sort]
            found = self.masks[sort, mask] = sum(1 << places[i] for i in elements(mask))
        return found

    def term(self, e: core.Expr) -> core.Expr:
        """An expression under the new names. Its defines are called as they are: see `Alike`."""
        match e:
            case core.Lit(value=value):
                return core.Lit(self.value(e.type, value), e.type)
            case core.Table(values=values, of=of):
                return core.Table(self.table(values, of.type, e.type), self.term(of), e.type)
            case _:
                return core.rebuild(e, self.term)

    def table(self, values: Sequence[core.Value], of: core.Type, to: core.Type) -> tuple[core.Value, ...]:
        assert isinstance(of, core.Elem | core.Maybe)
        places = self.places.get(of.sort, tuple(range(len(values))))
        out: list[core.Value] = [None] * len(values)
        for i, value in enumerate(values):
            out[places[i]] = self.value(to, value)
        return tuple(out)

    def changes(self, layout: Layout) -> list[tuple[int, int, core.Type]]:
        """From which cell to which, and what it holds; cells that always stay as they are are left out."""
        return [m for m in self.moved(layout) if m[0] != m[1] or self._renames(m[2])]

    def _renames(self, kind: core.Type) -> bool:
        return not isinstance(kind, core.IntType | core.BoolType) and kind.sort in self.places

    def moved(self, layout: Layout) -> list[tuple[int, int, core.Type]]:
        """From which cell to which, and what it holds."""
        found = []
        for var, index, cell in layout.walk():
            places = self.places.get(var.per) if var.per is not None else None
            goal = places[index] if places is not None and index is not None else index
            found.append((cell, layout.cell(var.name, goal), var.type))
        return found


def tiles(instance: core.Instance, halves: Places) -> Places | None:
    """Where tiles go when their halves are renamed; None when one would be no tile of the set."""
    _, copies = instance.sorts["tile"].attrs["copy"]
    names = list(zip(instance.halves, copies, strict=True))
    numbers = {(frozenset(pair), copy): i for i, (pair, copy) in enumerate(names)}
    found = [numbers.get((frozenset((halves[a], halves[b])), copy)) for (a, b), copy in names]
    return tuple(i for i in found if i is not None) if None not in found else None


def exchanged(instance: core.Instance, one: int, other: int) -> Renaming | None:
    """Two halves of tiles exchange their names, and the tiles with them."""
    sort = instance.game.dominoes.half
    halves = list(range(instance.sorts[sort].size))
    halves[one], halves[other] = other, one
    places = tiles(instance, tuple(halves))
    return None if places is None else Renaming({sort: tuple(halves), "tile": places})


def seated(instance: core.Instance, by: int) -> Renaming | None:
    """Every player moves on by so many seats, and takes the team along; None when teams are torn apart."""
    sort = instance.sorts["player"]
    places = tuple((p + by) % sort.size for p in range(sort.size))
    _, team = sort.attrs["team"]
    found = {team[p]: team[places[p]] for p in range(sort.size)}
    if any(found[team[p]] != team[places[p]] for p in range(sort.size)):
        return None
    return Renaming({"player": places, "team": tuple(int(found[g] or 0) for g in range(len(found)))})


class Alike:
    """Do expressions stay as they are under a renaming? `ranges`: the elements that a state can only be, under any name."""

    def __init__(self, instance: core.Instance, renaming: Renaming, ranges: Mapping[str, int] = NOWHERE) -> None:
        self.instance, self.renaming, self.ranges = instance, renaming, ranges
        self._fns: dict[str, bool] = {}

    def expr(self, e: core.Expr) -> bool:
        plain = self.plain(e, {}, {})
        return self.sound(plain) and shape(plain) == shape(self.renaming.term(plain))

    def sound(self, e: core.Expr) -> bool:
        """Does its meaning not depend on the order of elements, nor that of the defines it calls on their names?"""
        match e:
            case core.Agg(kind="pick", sort=sort, domain=domain) if sort in self.renaming.places:
                alone = isinstance(domain, core.Op) and domain.name == "toset"
            case core.Call(fn=fn):
                alone = self.fn(fn)
            case _:
                alone = True
        return alone and all(map(self.sound, core.children(e)))

    def fn(self, name: str) -> bool:
        """Does a define stay as it is?"""
        if name not in self._fns:
            self._fns[name] = self.expr(self.instance.fns[name].body)
        return self._fns[name]

    def plain(self, e: core.Expr, env: Mapping[str, core.Expr], ranges: Mapping[str, int]) -> core.Expr:
        """The expression with the bodies of defines that do not stay in place of their calls, and in tables only what is looked up."""
        match e:
            case core.Local(name=name):
                return env.get(name, e)
            case core.Call(fn=name) if not self.fn(name):
                fn = self.instance.fns[name]
                args = [self.plain(arg, env, ranges) for arg in e.args]
                return self.plain(fn.body, dict(zip((p for p, _ in fn.params), args, strict=True)), ranges)
            case core.Agg(var=var, domain=core.Op(name="toset", args=(core.Read(var=read),))) if read in self.ranges:
                ranges = {**ranges, var: self.ranges[read]}
            case core.Table(values=values):
                of = self.plain(e.of, env, ranges)
                if isinstance(of, core.Local) and of.name in ranges:
                    values = tuple(x if ranges[of.name] >> i & 1 else None for i, x in enumerate(values))
                return core.Table(values, of, e.type)
            case _:
                pass
        return core.rebuild(e, lambda part: self.plain(part, env, ranges))


def set_of(instance: core.Instance, var: str) -> core.SetOf:
    """The type of a set of what a state can be."""
    kind = instance.vars[var].type
    assert isinstance(kind, core.Elem | core.Maybe)
    return core.SetOf(kind.sort)


def ranges(instance: core.Instance, actions: Sequence[core.Action]) -> Mapping[str, int]:
    """For states of a round that begin with nothing: the elements that actions (without parameters) ever set them to."""
    begun = {s.var for block in instance.begin for s in statements(block) if isinstance(s, core.Set)}
    found = {
        v.name: 0
        for v in instance.vars.values()
        if isinstance(v.type, core.Maybe) and v.life is core.Life.ROUND and v.name not in begun
        if isinstance(v.init, core.Lit) and v.init.value is None
    }
    for s in (s for a in actions for block in a.blocks for s in statements(block)):
        if isinstance(s, core.Set) and s.var in found:
            if not isinstance(s.value, core.Lit):
                del found[s.var]
            elif isinstance(s.value.value, int):
                found[s.var] |= 1 << s.value.value
    return found


def shape(part: object) -> object:
    """A term as something to compare: all but the places it was written at."""
    match part:
        case tuple():
            return tuple(map(shape, part))
        case core.Lit(value=value, type=kind):
            return ("lit", value, type(value), str(kind))
        case core.Local(name=name):
            return name
        case core.Read(var=var, index=index):
            return ("read", var, shape(index))
        case core.Table(values=values, of=of):
            return ("table", values, shape(of))
        case core.Op(name=name, args=args, const=const, tie=tie):
            return ("op", name, const, tie, shape(args))
        case core.Cases(rows=rows, otherwise=otherwise, strict=strict):
            return ("cases", strict, shape(rows), shape(otherwise))
        case core.Agg(kind=kind, var=var, sort=sort, domain=domain, guard=guard, body=body):
            return (kind, var, sort, shape(domain), shape(guard), shape(body))
        case core.Best(highest=highest, of=of, var=var, sort=sort, key=key):
            return ("best", highest, shape(of), var, sort, shape(key))
        case core.Sole(of=of, must=must):
            return ("sole", must, shape(of))
        case core.Call(fn=fn, args=args):
            return ("call", fn, shape(args))
        case core.Set(var=var, index=index, value=value, add=add):
            return ("set", var, add, shape(index), shape(value))
        case core.Move(tile=tile, source=source, target=target):
            return ("move", shape(tile), shape(source), shape(target))
        case core.If(condition=condition, body=body):
            return ("if", shape(condition), shape(body))
        case core.Each(var=var, sort=sort, domain=domain, guard=guard, body=body):
            return ("each", var, sort, shape(domain), shape(guard), shape(body))
        case core.Attach():
            return "attach"
        case _:
            return part
