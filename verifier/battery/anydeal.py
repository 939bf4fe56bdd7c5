"""D2 over all whole numbers: the tiles that are dealt, as a formula of the number of players and of the options."""

from __future__ import annotations

from dataclasses import dataclass

from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.instance import SettingError, instantiate
from domrules.grammar.static import reads
from domrules.verifier.dag import FALSE, TRUE, ZERO, Bit, Dag, Number
from domrules.verifier.encode import arithmetic, combined
from domrules.verifier.solver import Answer, Engine, solve
from domrules.verifier.symbols import union

FAR = 100
"""So many players are tried to find out where it first fails."""
SECONDS = 2.0


class NotArithmetic(Exception):
    """It depends on more than the number of players and options."""


@dataclass(frozen=True, slots=True)
class Dealt:
    """`any_size`: it fits for any number of players and any value of the options that `requires` allows."""

    any_size: bool
    at_all_tables: bool
    """It fits for every player count and value that the file allows."""
    condition: str
    first_failure: str


def dealt(game: core.Game) -> Dealt | None:
    """What can be said of all whole numbers; None where the deal is no arithmetic of players and options."""
    try:
        deal = Deal(game)
        misfit = -deal.fits
        anywhere = deal.impossible([*deal.from_least, *deal.requires, misfit])
        allowed = anywhere or deal.impossible([*deal.allowed, *deal.requires, misfit])
        return Dealt(anywhere, allowed, deal.text, deal.first_failure())
    except NotArithmetic:
        return None


class Deal:
    """The deal of a game as numbers. Raises `NotArithmetic`."""

    def __init__(self, game: core.Game, players: Number | None = None) -> None:
        self.game, self.dag = game, Dag()
        self.players = self.dag.unknown("players") if players is None else players
        self.defaults = players is not None
        self.side: list[Bit] = []
        self.options = {name: self.option(o) for name, o in game.options.items() if self.known(o)}
        self.tiles, self.halved = self.set_size()
        self.counts = [self.number(d.count) for d in game.deals]
        self.need = self.needed()
        self.reserve = ZERO
        for fn in game.fns.values():
            if fn.role == "reserve":
                self.reserve = self.dag.add(self.reserve, self.number(fn.body))

    def known(self, o: core.Option) -> bool:
        return isinstance(o.type, core.IntType | core.BoolType)

    def option(self, o: core.Option) -> Number | Bit:
        """An unknown of the type of an option; its default where players are given."""
        if self.defaults and isinstance(o.default, core.Lit):
            value = o.default.value
            if isinstance(value, bool):
                return TRUE if value else FALSE
            if isinstance(value, int):
                return Number(value)
        return self.dag.var(o.name) if isinstance(o.type, core.BoolType) else self.dag.unknown(o.name)

    # ------------------------------------------------------------ what is asked

    @property
    def fits(self) -> Bit:
        """No count is negative, and all together leave the reserve."""
        scale = 2 if self.halved else 1
        spare = self.dag.add(self.tiles, self.dag.add(self.need, self.reserve), -scale)
        return self.dag.all([self.dag.at_least_zero(spare), *map(self.dag.at_least_zero, self.counts)])

    @property
    def from_least(self) -> list[Bit]:
        """At least one player, numbers from the least value of their option on."""
        out = [self.dag.at_least_zero(self.dag.add(self.players, Number(-1)))]
        for o, number in self.numbers():
            out.append(self.dag.at_least_zero(self.dag.add(number, Number(-max(0, o.low or 0)))))
        return out

    @property
    def allowed(self) -> list[Bit]:
        """Player counts and values as the file has them."""
        out = [self.dag.any(self.dag.is_zero(self.dag.add(self.players, Number(-n))) for n in self.game.seats)]
        for o, number in self.numbers():
            out.append(self.dag.at_least_zero(self.dag.add(number, Number(-(o.low or 0)))))
            out.append(self.dag.at_least_zero(self.dag.add(Number(o.high or 0), number, -1)))
        return out

    @property
    def requires(self) -> list[Bit]:
        """What options require, as far as it is arithmetic."""
        out = list[Bit]()
        for o in self.game.options.values():
            if o.requires is None:
                continue
            try:
                asked = self.truth(o.requires)
            except NotArithmetic:
                continue
            switch = self.options.get(o.name)
            off = -switch if isinstance(switch, int) else FALSE
            out.append(self.dag.any((off, asked)))
        return out

    def impossible(self, bits: list[Bit]) -> bool:
        result = solve(self.dag, [*self.side, *bits], seconds=SECONDS, engines=(Engine.GENERAL,))
        return result.answer is Answer.NO

    def numbers(self) -> list[tuple[core.Option, Number]]:
        return [(self.game.options[name], n) for name, n in self.options.items() if isinstance(n, Number)]

    # ------------------------------------------------------------ its parts

    def set_size(self) -> tuple[Number, bool]:
        """How many tiles there are; or (True) twice as many."""
        half = next((d for d in self.game.enums if d.name == self.game.dominoes.half), None)
        bounds = [e for e in (half.low, half.high) if e is not None] if half else []
        wheres = [p.where for p in self.game.dominoes.parts if isinstance(p, core.EachPair)]
        if not any(depends(self.game, e) for e in (*bounds, *wheres)):
            return Number(fixed_size(self.game)), False
        parts = self.game.dominoes.parts
        if half is None or half.low is None or half.high is None or len(parts) != 1:
            raise NotArithmetic
        (part,) = parts
        if not isinstance(part, core.EachPair) or not every_pair(part):
            raise NotArithmetic
        size = self.dag.add(self.dag.add(self.number(half.high), self.number(half.low), -1), Number(1))
        pairs = self.dag.times(size, self.dag.add(size, Number(1)))
        return self.dag.add(ZERO, pairs, part.copies), True

    def needed(self) -> Number:
        total = ZERO
        for d, count in zip(self.game.deals, self.counts, strict=True):
            if self.game.vars[d.source].role != "stock":
                raise NotArithmetic
            per = self.game.vars[d.target].per
            if per not in (None, "player"):
                raise NotArithmetic
            total = self.dag.add(total, count if per is None else self.dag.times(self.players, count))
        return total

    @property
    def text(self) -> str:
        """`players × hand_size + reserve <= 28`"""
        parts = []
        for d in self.game.deals:
            times = "" if self.game.vars[d.target].per is None else "players × "
            parts.append(times + (d.count.span.text.strip() or "dealt"))
        if self.reserve.key != ZERO.key:
            parts.append("reserve")
        return f"{' + '.join(parts)} <= {self.tiles.const if self.tiles.constant else 'tiles of the set'}"

    def first_failure(self) -> str:
        """With the options at their defaults: the first number of players for whom it does not fit."""
        for players in range(1, FAR):
            try:
                there = Deal(self.game, Number(players))
            except NotArithmetic:
                return ""
            if there.fits == FALSE and there.need.constant and there.reserve.constant and there.tiles.constant:
                size = there.tiles.const // (2 if there.halved else 1)
                kept = f" + {there.reserve.const} kept" if there.reserve.const else ""
                return f"{players} players: {there.need.const}{kept} > {size}"
        return ""

    # ------------------------------------------------------------ expressions

    def number(self, e: core.Expr) -> Number:
        found = self.value(e)
        if not isinstance(found, Number):
            raise NotArithmetic
        return found

    def truth(self, e: core.Expr) -> Bit:
        found = self.value(e)
        if not isinstance(found, int):
            raise NotArithmetic
        return found

    def value(self, e: core.Expr) -> Number | Bit:
        match e:
            case core.Lit(value=bool() as value):
                return TRUE if value else FALSE
            case core.Lit(value=int() as value, type=core.IntType()):
                return Number(value)
            case core.Read(var=var) if var in self.options:
                return self.options[var]
            case core.Call(fn=fn, args=()):
                return self.value(self.game.fns[fn].body)
            case core.Cases(rows=rows, otherwise=otherwise, strict=False):
                return self.cases(rows, otherwise, e.type)
            case core.Op(name="size", args=(core.Agg(kind="set", domain=None, guard=None, sort=sort),)):
                return self.whole(sort)
            case core.Op():
                return self.operator(e)
            case _:
                raise NotArithmetic

    def whole(self, sort: str) -> Number:
        """The size of a sort."""
        if sort == "player":
            return self.players
        if sort == "tile" and not self.halved:
            return self.tiles
        raise NotArithmetic

    def cases(
        self, rows: tuple[tuple[core.Expr, core.Expr], ...], otherwise: core.Expr, kind: core.Type
    ) -> Number | Bit:
        rest, parts = TRUE, list[tuple[Bit, Number | Bit]]()
        for test, value in rows:
            holds = self.truth(test)
            parts.append((self.dag.both(rest, holds), self.value(value)))
            rest = self.dag.both(rest, -holds)
        found = union(self.dag, [*parts, (rest, self.value(otherwise))], kind)
        if not isinstance(found, Number | int):
            raise NotArithmetic
        return found

    def operator(self, e: core.Op) -> Number | Bit:
        args = [self.value(x) for x in e.args]
        match args:
            case [Number() as x]:
                return arithmetic(self.dag, e, x)
            case [Number() as x, Number() as y]:
                return combined(self.dag, e, x, y)
            case [int(x)] if e.name == "not":
                return -x
            case [int(x), int(y)] if e.name in ("and", "or", "iff"):
                join = {"and": self.dag.both(x, y), "or": self.dag.any((x, y)), "iff": self.dag.same(x, y)}
                return join[e.name]
            case _:
                raise NotArithmetic


def depends(game: core.Game, e: core.Expr, seen: frozenset[str] = frozenset()) -> bool:
    """Does an expression depend on options or on the number of players?"""
    if any(r.var in game.options for r in reads(e)):
        return True
    if isinstance(e, core.Agg | core.Best) and e.sort in ("player", "team"):
        return True
    if isinstance(e, core.Call) and e.fn not in seen and depends(game, game.fns[e.fn].body, seen | {e.fn}):
        return True
    return any(depends(game, child, seen) for child in core.children(e))


def fixed_size(game: core.Game) -> int:
    """How many tiles the set has, at the first table there is."""
    for players in game.seats:
        try:
            return instantiate(game, players).sorts["tile"].size
        except (SettingError, BadFile):
            continue
    raise NotArithmetic


def every_pair(part: core.EachPair) -> bool:
    """Is it every unordered pair: `where a <= b`, by position or number?"""
    match part.where:
        case core.Op(
            name="le", args=(core.Attr(name=one, of=core.Local(name=a)), core.Attr(name=other, of=core.Local(name=b)))
        ):
            return one == other in ("position", "number") and (a, b) == (part.first, part.second)
        case _:
            return False
