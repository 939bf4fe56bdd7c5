"""One move, and the beginning of a round, whatever the set, the players and the hands.

    moves = AnyMove(game, tables, counted);  begun = moves.begun()
    deed = moves.deed(action, game.anywhere())        # what must hold for it, and the position after it

`counted`: which tiles of the `tables` a position says of whether they are odd in number.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from domrules.grammar import core
from domrules.verifier.anyset import AnySet, Env, Position, Tile, Value
from domrules.verifier.dag import FALSE, TRUE, ZERO, Bit, Number
from domrules.verifier.relation import ENDING
from domrules.verifier.symbols import Cell


@dataclass(frozen=True, slots=True, eq=False)
class Deed:
    """One action from any position: when it may be done, and what is so afterwards."""

    name: str
    guard: Bit
    after: Position


class AnyMove:
    """The beginnings and moves of a game."""

    def __init__(self, game: AnySet, tables: Collection[str], counted: Callable[[Tile], Bit]) -> None:
        self.game, self.dag, self.tables, self.counted = game, game.dag, tables, counted

    def begun(self) -> Position | None:
        """Any position in which a round has begun; None where tiles are dealt to the tables."""
        cells: dict[Cell, Value] = {ENDING: {}}
        sizes: dict[str, Number] = dict.fromkeys(self.game.zones(), ZERO)
        for deal in self.game.game.deals:
            if deal.target in self.tables or deal.source in self.tables:
                return None
            sizes |= {zone: self.game.size() for zone in (deal.source, deal.target) if zone in sizes}
        sizes |= {
            v.name: self.game.size() for v in self.game.game.vars.values() if v.role == "stock" and v.name in sizes
        }
        for var, cell in self.game.cells():
            first = (
                self.game.nothing(var.type)
                if var.init is None
                else self.game.value(var.init, Position(cells, sizes, FALSE), {})
            )
            cells[cell] = self.game.fitted(var.type, first)
        position = Position(cells, sizes, FALSE)
        for block in self.game.game.begin:
            position = self.run(block, position, {})
        return position

    def deed(self, action: core.Action, at: Position, args: Env | None = None) -> Deed:
        """An action with these arguments, or any."""
        env = {p.name: self.game.unknown(core.Elem(p.sort)) for p in action.params} if args is None else args
        guards: list[Bit] = []
        for param in action.params:
            if param.domain is not None:
                this = core.Local(param.name, core.Elem(param.sort))
                guards.append(self.game.truth(core.Op("in", (this, param.domain), core.BOOL), at, env))
        guards.append(self.game.truth(action.guard, at, env))
        after = at
        for block in action.blocks:
            after = self.run(block, after, env)
        return Deed(action.name, self.dag.all(guards), after)

    # ------------------------------------------------------------ statements

    def run(self, block: core.Block, at: Position, env: Env) -> Position:
        """The position after a block. Two writes of one cell are an error of the rules, so their order does not matter."""
        cells, sizes, odd = dict(at.cells), dict(at.sizes), [at.odd]
        for s, here, bound in self.statements(block, at, env, TRUE):
            match s:
                case core.Set():
                    self.set(s, here, at, bound, cells)
                case core.Move():
                    gone, come = (place.var in self.tables for place in (s.source, s.target))
                    if gone != come:
                        odd.append(self.dag.both(here, self.counts(s.tile, at, bound)))
                    for zone, change in ((s.source.var, -1), (s.target.var, 1)):
                        if zone in sizes:
                            sizes[zone] = self.dag.add(sizes[zone], self.dag.number([(here, change)]))
                case core.Each():
                    odd += [self.game.maybe() for _ in self.havoc(s.body, cells, sizes)]
                case _:
                    pass
        return Position(cells, sizes, self.dag.xor(odd))

    def counts(self, tile: core.Expr, at: Position, env: Env) -> Bit:
        found = self.game.value(tile, at, env)
        return self.counted(found) if isinstance(found, Tile) else self.game.maybe()

    def statements(self, block: core.Block, at: Position, env: Env, here: Bit) -> Iterator[tuple[core.Stmt, Bit, Env]]:
        """Each statement that may be carried out, and when; an `each` whose elements are not known as a whole."""
        for s in block:
            match s:
                case core.If(condition=condition, body=body):
                    yield from self.statements(body, at, env, self.dag.both(here, self.game.truth(condition, at, env)))
                case core.Each(var=var, sort=sort, domain=domain, guard=guard, body=body):
                    found = self.game.range(domain, sort, var, guard, at, env)
                    if found is None:
                        yield s, here, env
                        continue
                    for _, bit, bound in found:
                        yield from self.statements(body, at, bound, self.dag.both(here, bit))
                case _:
                    yield s, here, env

    def set(self, s: core.Set, here: Bit, at: Position, env: Env, cells: dict[Cell, Value]) -> None:
        var = self.game.game.vars[s.var]
        if s.add or not self.game.followed(var):
            return
        value = self.game.fitted(var.type, self.game.value(s.value, at, env))
        places: list[tuple[int | None, Bit]] = [(None, TRUE)]
        if s.index is not None:
            found = self.game.value(s.index, at, env)
            assert isinstance(found, Mapping)
            places = [*found.items()]
        for i, bit in places:
            now = self.dag.both(here, bit)
            cells[s.var, i] = self.game.union([(now, value), (-now, cells[s.var, i])], var.type)

    def havoc(self, block: core.Block, cells: dict[Cell, Value], sizes: dict[str, Number]) -> Iterator[core.Move]:
        """Whatever is written under an `each` over unknown elements may be anything; its moves."""
        for s in block:
            match s:
                case core.Set(var=name):
                    for cell in [c for c in cells if c[0] == name]:
                        cells[cell] = self.game.unknown(self.game.game.vars[name].type)
                case core.Move():
                    for zone in (s.source.var, s.target.var):
                        if zone in sizes:
                            sizes[zone] = self.game.size()
                    yield s
                case core.If(body=body) | core.Each(body=body):
                    yield from self.havoc(body, cells, sizes)
                case _:
                    pass
