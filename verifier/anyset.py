"""A game whatever its set, its players and its hands: a half is a whole number, a player somebody, of whom nothing is known.

Mirrors `encode` and `effects` for a `core.Game` at the options of one table. It follows the states of a round that hold
truths, tiles, halves or names the file lists, and the sizes of zones there is one of. All else may be anything, the same
whenever it is looked at in one position. So a "no" is one at every table that the rules could be played at; a "yes" says
nothing. Moves are in `anymove`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, assert_never

from domrules.grammar import core
from domrules.verifier import symbols
from domrules.verifier.dag import FALSE, TRUE, ZERO, Bit, Dag, Number
from domrules.verifier.effects import within
from domrules.verifier.encode import arithmetic, combined, first
from domrules.verifier.relation import ENDING
from domrules.verifier.solver import Answer, Session
from domrules.verifier.symbols import Cell, Members


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """A tile by its halves. Two tiles may have the same."""

    low: Number
    high: Number


@dataclass(frozen=True, slots=True, eq=False)
class Perhaps:
    """An optional, or a set of at most one; `held` is anything where there is none."""

    some: Bit
    held: Value


@dataclass(frozen=True, slots=True, eq=False)
class Opaque:
    """A player, a team, a set: of what it is nothing is known."""


Value: TypeAlias = Bit | Number | Members | Tile | Perhaps | Opaque
"""Truths; numbers and halves; elements, optionals and sets of the sorts the file lists; the rest."""
Env: TypeAlias = Mapping[str, Value]
SECONDS = 2.0
"""Of each query about the sign of a number."""


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """What is followed of a position."""

    cells: Mapping[Cell, Value]
    sizes: Mapping[str, Number]
    odd: Bit
    """Whatever `anymove` counts is odd in number."""
    memo: dict[object, Value] = field(default_factory=dict)
    """What expressions were found to be here."""


class AnySet:
    """The expressions of one game at the options of a table, over unknown tiles.

    `shows`: where something is so of some element that is not known, an element is looked at that shows it.
    """

    def __init__(self, instance: core.Instance, dag: Dag, *, shows: bool = False) -> None:
        self.instance, self.game, self.dag, self.shows = instance, instance.game, dag, shows
        self.side: list[Bit] = []
        """What types promise; every query asserts it."""
        self.ranges: list[Bit] = []
        """What is known of numbers beside: of a use where signs matter."""
        self.looked_at: set[Cell] = set()
        """Cells that were read so far."""
        self.half = self.game.dominoes.half
        self.named = {d.name: d.members for d in self.game.enums if d.members is not None}
        self.named["ending"] = tuple(ending.name for ending in self.game.endings)
        self.listed = {name: len(members) for name, members in self.named.items() if name != self.half}
        self._known: dict[object, Value] = {}
        """Options that are open, names, and attributes."""
        self._same: dict[frozenset[Value], Bit] = {}
        self._names: dict[core.Expr, tuple[str, ...]] = {}
        self._fresh = 0

    # ------------------------------------------------------------ unknowns

    def fresh(self, what: str) -> str:
        self._fresh += 1
        return f"{what}#{self._fresh}"

    def maybe(self) -> Bit:
        """A truth of which nothing is known."""
        return self.dag.var(self.fresh("any"))

    def size(self) -> Number:
        """A number that is not below 0."""
        found = self.dag.unknown(self.fresh("size"))
        self.side.append(self.dag.at_least_zero(found))
        return found

    def unknown(self, kind: core.Type) -> Value:
        """Anything of a type."""
        match kind:
            case core.BoolType():
                return self.maybe()
            case core.IntType():
                return self.dag.unknown(self.fresh("any"))
            case core.Elem(sort=sort) | core.Maybe(sort=sort) | core.SetOf(sort=sort) if sort in self.listed:
                found = {i: self.maybe() for i in range(self.listed[sort])}
                self.side.append(symbols.well_formed(self.dag, kind, found))
                return found
            case core.Elem(sort=sort):
                return self.element(sort)
            case core.Maybe(sort=sort):
                return Perhaps(self.maybe(), self.element(sort))
            case core.SetOf():
                return Opaque()
            case _:
                assert_never(kind)

    def element(self, sort: str) -> Value:
        if sort == "tile":
            return Tile(self.some_half(), self.some_half())
        return self.some_half() if sort == self.half else Opaque()

    def some_half(self) -> Number:
        """The number of a half, or (where the file names them) its place."""
        found = self.dag.unknown(self.fresh("half"))
        least = next((d.low for d in self.game.enums if d.name == self.half), None)
        if self.half in self.named:
            self.ranges.append(self.dag.at_least_zero(found))
        elif isinstance(least, core.Lit) and isinstance(least.value, int):
            self.ranges.append(self.dag.at_least_zero(self.dag.add(found, Number(-least.value))))
        return found

    # ------------------------------------------------------------ positions

    def followed(self, var: core.Var) -> bool:
        """Is this state followed?"""
        kind = var.type
        sorts = {"tile", self.half, *self.listed}
        held = isinstance(kind, core.BoolType) or (isinstance(kind, core.Elem | core.Maybe) and kind.sort in sorts)
        return not var.zone and var.life is core.Life.ROUND and held and (var.per is None or var.per in self.listed)

    def cells(self) -> Iterator[tuple[core.Var, Cell]]:
        """The cells that are followed."""
        for var in self.game.vars.values():
            if self.followed(var):
                for i in [None] if var.per is None else range(self.listed[var.per]):
                    yield var, (var.name, i)

    def zones(self) -> list[str]:
        return [v.name for v in self.game.vars.values() if v.zone and v.per is None]

    def anywhere(self) -> Position:
        """Any position of a round that goes on."""
        cells = {cell: self.unknown(var.type) for var, cell in self.cells()}
        cells[ENDING] = {}
        return Position(cells, {zone: self.size() for zone in self.zones()}, self.maybe())

    def ended(self) -> Position:
        """Any position in which a round has ended."""
        at = self.anywhere()
        return replace(at, cells={**at.cells, ENDING: self.unknown(core.Elem("ending"))}, memo={})

    def nothing(self, kind: core.Type) -> Value:
        """What a state holds before it is first set."""
        if isinstance(kind, core.BoolType):
            return FALSE
        if isinstance(kind, core.Maybe):
            return {} if kind.sort in self.listed else Perhaps(FALSE, self.element(kind.sort))
        return self.unknown(kind)

    # ------------------------------------------------------------ expressions, in the order of core.Expr

    def truth(self, e: core.Expr, at: Position, env: Env) -> Bit:
        found = self.value(e, at, env)
        assert isinstance(found, int)
        return found

    def number(self, e: core.Expr, at: Position, env: Env) -> Number:
        found = self.value(e, at, env)
        assert isinstance(found, Number)
        return found

    def value(self, e: core.Expr, at: Position, env: Env) -> Value:
        """What an expression is in a position."""
        if e not in self._names:
            self._names[e] = tuple(sorted(core.free(e)))
        return self.once(at.memo, (e, *(mark(env[name]) for name in self._names[e])), lambda: self._value(e, at, env))

    def once(self, known: dict[object, Value], key: object, find: Callable[[], Value]) -> Value:
        if key not in known:
            known[key] = find()
        return known[key]

    def _value(self, e: core.Expr, at: Position, env: Env) -> Value:
        match e:
            case core.Lit():
                return self.literal(e)
            case core.Local(name=name):
                return env[name]
            case core.Read():
                return self.read(e, at, env)
            case core.Attr():
                return self.attribute(e, self.value(e.of, at, env))
            case core.Table():
                raise AssertionError(f"{e.span}: a game has attributes, no tables")
            case core.Op():
                return self.operator(e, at, env)
            case core.Cases():
                return self.cases(e, at, env)
            case core.Agg():
                return self.aggregate(e, at, env)
            case core.Best():
                return self.unknown(e.type)
            case core.Sole(of=of):
                found = self.value(of, at, env)
                return found if isinstance(found, Perhaps) and isinstance(e.type, core.Maybe) else self.unknown(e.type)
            case core.Call(fn=name, args=args):
                fn, given = self.game.fns[name], [self.value(arg, at, env) for arg in args]
                bound = {n: value for (n, _), value in zip(fn.params, given, strict=True)}
                return self.once(at.memo, ("call", name, *map(mark, given)), lambda: self.value(fn.body, at, bound))
            case _:
                assert_never(e)

    def literal(self, e: core.Lit) -> Value:
        match e.type, e.value:
            case core.BoolType(), value:
                return TRUE if value else FALSE
            case core.IntType(), int(value):
                return Number(value)
            case core.Maybe(), None:
                return self.nothing(e.type)
            case core.Elem(sort=sort) | core.Maybe(sort=sort), str(name) if sort in self.listed:
                return {self.named[sort].index(name): TRUE}
            case core.Elem(sort=sort) | core.Maybe(sort=sort), str(name) if sort == self.half:
                return Number(self.named[sort].index(name) if sort in self.named else int(name))
            case _:
                found = self.once(self._known, (e.value, e.type), lambda: self.unknown(e.type))
                return self.fitted(e.type, found)

    def read(self, e: core.Read, at: Position, env: Env) -> Value:
        if e.var in self.game.options:
            return self.option(self.game.options[e.var])
        if e.index is None:
            self.looked_at.add((e.var, None))
            if (e.var, None) in at.cells:
                return at.cells[e.var, None]
            return self.once(
                at.memo, ("read", e.var, None), lambda: self.number_at_least(self.game.vars.get(e.var), e.type)
            )
        index = self.value(e.index, at, env)
        if not isinstance(index, Mapping) or any((e.var, i) not in at.cells for i in index):
            var = self.game.vars.get(e.var)
            return self.once(at.memo, ("read", e.var, mark(index)), lambda: self.number_at_least(var, e.type))
        self.looked_at.update((e.var, i) for i in index)
        return self.union([(bit, at.cells[e.var, i]) for i, bit in index.items()], e.type)

    def number_at_least(self, var: core.Var | None, kind: core.Type) -> Value:
        """What a state that is not followed holds: a number in its range."""
        found = self.unknown(kind)
        if isinstance(found, Number) and kind == core.INT and var is not None:
            self.ranges.append(within(self.dag, var, found))
        return found

    def option(self, o: core.Option) -> Value:
        """The value of an option at this table; of an open one always the same."""
        given = self.instance.options.get(o.name)
        match o.type:
            case _ if given is None:
                return self.once(self._known, o.name, lambda: self.unknown(o.type))
            case core.BoolType():
                return TRUE if given else FALSE
            case core.IntType():
                return Number(int(given))
            case core.Elem(sort=sort) if sort in self.listed:
                return {int(given): TRUE}
            case _:
                return self.once(self._known, o.name, lambda: self.unknown(o.type))

    def attribute(self, e: core.Attr, of: Value) -> Value:
        match e.name, of:
            case "low", Tile(low=low):
                return low
            case "high", Tile(high=high):
                return high
            case "number", Number() if self.half not in self.named:
                return of
            case "position", Number() if self.half in self.named:
                return of
            case "position", Mapping():
                return self.dag.number((bit, i) for i, bit in of.items())
            case _:
                return self.once(self._known, (e.name, mark(of)), lambda: self.unknown(e.type))

    def operator(self, e: core.Op, at: Position, env: Env) -> Value:
        values = [self.value(x, at, env) for x in e.args]
        match e.name, values:
            case "not", [int(x)]:
                return -x
            case "and", [int(x), int(y)]:
                return self.dag.both(x, y)
            case "or", [int(x), int(y)]:
                return self.dag.any((x, y))
            case "iff", [int(x), int(y)]:
                return self.dag.same(x, y)
            case "eq", [x, y] if not isinstance(e.args[0].type, core.SetOf):
                return self.equal(e.args[0].type, e.args[1].type, x, y)
            case "in", [x, y]:
                return self.holds(x, y)
            case "size" | "some", [x]:
                return self.measured(e, x, at)
            case "toset", [x]:
                return x if isinstance(x, Mapping | Perhaps) else Perhaps(TRUE, x)
            case "union" | "inter" | "minus", [Mapping() as x, Mapping() as y]:
                return self.joined(e.name, x, y)
            case _, [Number() as x] if e.args[0].type == core.INT:
                return arithmetic(self.dag, e, x)
            case _, [Number() as x, Number() as y] if e.args[0].type == core.INT:
                return combined(self.dag, e, x, y)
            case _:
                return self.unknown(e.type)

    def equal(self, kind: core.Type, other: core.Type, x: Value, y: Value) -> Bit:
        """Are two elements or optionals equal?"""
        dag = self.dag
        if isinstance(x, Mapping) and isinstance(y, Mapping):
            shared = [dag.both(bit, y[i]) for i, bit in x.items() if i in y]
            optional = isinstance(kind, core.Maybe) and isinstance(other, core.Maybe)
            return dag.any([*shared, dag.all(-bit for bit in (*x.values(), *y.values())) if optional else FALSE])
        if isinstance(x, Perhaps) or isinstance(y, Perhaps):
            a, b = (v if isinstance(v, Perhaps) else Perhaps(TRUE, v) for v in (x, y))
            if a.some == FALSE or b.some == FALSE:
                return dag.both(-a.some, -b.some)
            both = dag.all((a.some, b.some, self.equal(kind, other, a.held, b.held)))
            return dag.any((both, dag.both(-a.some, -b.some)))
        match x, y:
            case Number(), Number():
                return dag.is_zero(dag.add(x, y, -1))
            case Tile(), Tile():
                if x is y:
                    return TRUE
                same, halves = self.maybe(), ((x.low, y.low), (x.high, y.high))
                self.side += [dag.implies(same, dag.is_zero(dag.add(a, b, -1))) for a, b in halves]
                return same
            case _:
                key = frozenset((x, y))
                return self._same.setdefault(key, TRUE if x is y else self.maybe())

    def holds(self, x: Value, y: Value) -> Bit:
        """Is an element, or what an optional holds, in a set?"""
        dag = self.dag
        match x, y:
            case Mapping(), Mapping():
                return dag.any(dag.both(bit, y[i]) for i, bit in x.items() if i in y)
            case _, Perhaps():
                one = x if isinstance(x, Perhaps) else Perhaps(TRUE, x)
                kind = core.Elem("tile")
                return dag.all((one.some, y.some, self.equal(kind, kind, one.held, y.held)))
            case Perhaps(), _:
                return dag.both(x.some, self.maybe())
            case _:
                return self.maybe()

    def measured(self, e: core.Op, x: Value, at: Position) -> Value:
        """The size of a set, or whether it has any."""
        (of,) = e.args
        match x:
            case Mapping():
                size = self.dag.number((bit, 1) for bit in x.values())
            case Perhaps():
                size = self.dag.number([(x.some, 1)])
            case _ if isinstance(of, core.Read) and of.var in at.sizes:
                size = at.sizes[of.var]
            case Opaque():
                found = self.once(at.memo, ("size", x), self.size)
                assert isinstance(found, Number)
                size = found
            case _:
                size = self.size()
        return size if e.name == "size" else self.dag.at_least_zero(self.dag.add(size, Number(-1)))

    def joined(self, name: str, x: Members, y: Members) -> Members:
        dag = self.dag
        match name:
            case "union":
                return {i: dag.any((x.get(i, FALSE), y.get(i, FALSE))) for i in {**x, **y}}
            case "inter":
                return {i: dag.both(bit, y[i]) for i, bit in x.items() if i in y}
            case _:
                return {i: dag.both(bit, -y.get(i, FALSE)) for i, bit in x.items()}

    def cases(self, e: core.Cases, at: Position, env: Env) -> Value:
        rest, parts = TRUE, list[tuple[Bit, Value]]()
        for test, value in e.rows:
            holds = self.truth(test, at, env)
            here, rest = self.dag.both(rest, holds), self.dag.both(rest, -holds)
            if here != FALSE:
                parts.append((here, self.value(value, at, env)))
        if rest != FALSE:
            parts.append((rest, self.value(e.otherwise, at, env)))
        return self.union(parts, e.type)

    def aggregate(self, e: core.Agg, at: Position, env: Env) -> Value:
        dag, found = self.dag, self.range(e.domain, e.sort, e.var, e.guard, at, env)
        if found is None:
            return self.unseen(e, at, env)
        match e.kind, e.body:
            case "any", body if body is not None:
                return dag.any([dag.both(bit, self.truth(body, at, inner)) for _, bit, inner in found])
            case "all", body if body is not None:
                return dag.all([dag.implies(bit, self.truth(body, at, inner)) for _, bit, inner in found])
            case "pick" | "sum", body if body is not None:
                chosen = first(dag, found) if e.kind == "pick" else found
                return self.union([(bit, self.value(body, at, inner)) for _, bit, inner in chosen], e.type)
            case "set", None if e.sort in self.listed:
                held: dict[int, Bit] = {}
                for element, bit, _ in found:
                    assert isinstance(element, Mapping)
                    held |= dict.fromkeys(element, bit)
                return held
            case _:
                return self.unknown(e.type)

    def unseen(self, e: core.Agg, at: Position, env: Env) -> Value:
        """A quantifier over what is not known."""
        match e.kind, e.body:
            case "any", body if body is not None:
                return self.shown(e, body, at, env)
            case "all", body if body is not None:
                return -self.shown(e, core.negation(body), at, env)
            case "sum", body if body is not None:
                return self.unseen_sum(self.number(body, at, {**env, e.var: self.unknown(core.Elem(e.sort))}))
            case _:
                return self.unknown(e.type)

    def shown(self, e: core.Agg, body: core.Expr, at: Position, env: Env) -> Bit:
        """Is it so of some element? Then one can be looked at."""
        found = self.maybe()
        if self.shows:
            inner = {**env, e.var: self.unknown(core.Elem(e.sort))}
            there = TRUE if e.guard is None else self.truth(e.guard, at, inner)
            self.side.append(self.dag.implies(found, self.dag.both(there, self.truth(body, at, inner))))
        return found

    def unseen_sum(self, part: Number) -> Number:
        """A sum of numbers like this one: not below 0, if they never are."""
        natural = self.dag.at_least_zero(part)
        if natural != TRUE:
            session = Session(self.dag)
            session.add([*self.side, *self.ranges, -natural])
            natural = TRUE if session.check(seconds=SECONDS).answer is Answer.NO else FALSE
        found = self.dag.unknown(self.fresh("sum"))
        self.ranges += [self.dag.at_least_zero(found)] if natural == TRUE else []
        return found

    def range(
        self, domain: core.Expr | None, sort: str, var: str, guard: core.Expr | None, at: Position, env: Env
    ) -> list[tuple[Value, Bit, Env]] | None:
        """The elements of a domain, when each is there, and names with it bound; None when they are not known."""
        held: Value = dict.fromkeys(range(self.listed.get(sort, 0)), TRUE)
        if domain is not None:
            held = self.value(domain, at, env)
        elif sort not in self.listed:
            return None
        match held:
            case Mapping():
                found: list[tuple[Value, Bit]] = [({i: TRUE}, bit) for i, bit in held.items()]
            case Perhaps():
                found = [(held.held, held.some)]
            case _:
                return None
        out: list[tuple[Value, Bit, Env]] = []
        for element, bit in found:
            inner = {**env, var: element}
            there = bit if guard is None else self.dag.both(bit, self.truth(guard, at, inner))
            out.append((element, there, inner))
        return out

    # ------------------------------------------------------------ values

    def fitted(self, kind: core.Type, value: Value) -> Value:
        """An element where an optional is wanted."""
        if isinstance(kind, core.Maybe) and not isinstance(value, Mapping | Perhaps):
            return Perhaps(TRUE, value)
        return value

    def union(self, parts: Sequence[tuple[Bit, Value]], kind: core.Type) -> Value:
        """The value of the one part whose bit holds."""
        parts = [(bit, self.fitted(kind, value)) for bit, value in parts]
        if len(parts) == 1 and parts[0][0] == TRUE:
            return parts[0][1]
        dag, values = self.dag, [value for _, value in parts]
        if all(isinstance(v, int) for v in values):
            return dag.any(dag.both(bit, v) for bit, v in parts if isinstance(v, int))
        if all(isinstance(v, Number) for v in values):
            return self.summed([(bit, v) for bit, v in parts if isinstance(v, Number)])
        if all(isinstance(v, Mapping) for v in values):
            return self.collected([(bit, v) for bit, v in parts if isinstance(v, Mapping)])
        if all(isinstance(v, Tile) for v in values):
            tiles = [(bit, v) for bit, v in parts if isinstance(v, Tile)]
            return Tile(self.summed([(b, t.low) for b, t in tiles]), self.summed([(b, t.high) for b, t in tiles]))
        if all(isinstance(v, Perhaps) for v in values):
            those = [(bit, v) for bit, v in parts if isinstance(v, Perhaps)]
            element = core.Elem(kind.sort) if isinstance(kind, core.Maybe | core.SetOf) else kind
            some = dag.any(dag.both(bit, v.some) for bit, v in those)
            return Perhaps(some, self.union([(bit, v.held) for bit, v in those], element))
        return self.unknown(kind)

    def summed(self, parts: Iterable[tuple[Bit, Number]]) -> Number:
        total = ZERO
        for bit, number in parts:
            total = self.dag.add(total, self.dag.guarded(bit, number))
        return total

    def collected(self, parts: Iterable[tuple[Bit, Members]]) -> Members:
        found: dict[int, list[Bit]] = {}
        for bit, held in parts:
            for i, inside in held.items():
                found.setdefault(i, []).append(self.dag.both(bit, inside))
        return symbols.members(self.dag, found)


def mark(value: Value) -> object:
    """Equal for equal values."""
    match value:
        case Number():
            return value.key
        case Mapping():
            return frozenset(value.items())
        case _:
            return value
