"""Tiles that one player draws, one after the other, as one step: where that is proved to be the same as the single draws.

All but the last are taken as a set, the last by the action itself. Syntax says that a draw moves one tile from the stock to
the mover's hand, whichever it is, and besides writes only constants that neither the draw nor an ending looks at. The solver
says the rest, of any position: where a player may draw who has drawn a tile already, he might have drawn that one, too; and
if the round went on before it, it does then. So a set of tiles may be drawn, in any order, exactly when the action may be
done once all but the last are in the hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from domrules.grammar import core
from domrules.verifier.dag import FALSE, Bit, Number
from domrules.verifier.relation import MOVES, Relation
from domrules.verifier.solver import Answer, Formulas, Steady
from domrules.verifier.study import Study
from domrules.verifier.symbols import Cell, Symbol, Symbols

UNITS = 10_000_000
"""Steps of the engine for the one question, a second of work: on which play is shown no clock may decide."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The action that draws, and between which zones it moves a tile."""

    action: int
    stock: Cell
    hand: str
    mover: str

    def taken(self, relation: Relation, state: Symbols, tag: str) -> tuple[Symbols, Mapping[int, Bit]]:
        """The position once a set of tiles is drawn, and for every tile the bit that it is in the set."""
        dag, stock = relation.dag, state.zone(*self.stock)
        mover = state.cells[self.mover, None]
        assert isinstance(mover, Mapping)
        taken = {tile: dag.var(f"{tag}:{tile}") for tile in stock}
        relation.encoder.side += [dag.implies(bit, stock[tile]) for tile, bit in taken.items()]
        changes: dict[Cell, Symbol] = {self.stock: {tile: dag.both(bit, -taken[tile]) for tile, bit in stock.items()}}
        for player, turn in mover.items():
            held = dict(state.zone(self.hand, player))
            for tile, bit in taken.items():
                held[tile] = dag.any((held.get(tile, FALSE), dag.both(bit, turn)))
            changes[self.hand, player] = {tile: bit for tile, bit in held.items() if bit != FALSE}
        moves = state.cells.get(MOVES)
        if isinstance(moves, Number):
            changes[MOVES] = dag.add(moves, dag.number((bit, 1) for bit in taken.values()))
        return state.put(changes), taken


def drawing(study: Study) -> Drawing | None:
    """How tiles are drawn, if several draws in a row are proved to be the same as one step."""
    found = _simple(study)
    return found if found is not None and _same(study, found) else None


def _simple(study: Study) -> Drawing | None:
    """The only action that draws, where what it does depends neither on the tile nor on draws before."""
    instance = study.instance
    draws = [(i, a) for i, a in enumerate(instance.actions) if a.role == "draw"]
    stocks, hands = instance.role("zone", "stock"), instance.role("zone", "hand")
    movers = instance.role("state", "mover")
    if not len(draws) == len(stocks) == len(hands) == len(movers) == 1:
        return None
    ((number, action),) = draws
    if len(action.params) != 1 or len(action.blocks) != 1 or instance.vars[hands[0]].per != "player":
        return None
    (param,), (block,) = action.params, action.blocks
    moves = [s for s in block if isinstance(s, core.Move)]
    written = [s for s in block if isinstance(s, core.Set)]
    if len(moves) != 1 or len(moves) + len(written) != len(block) or param.name in core.free(action.guard):
        return None
    if not _is_draw(moves[0], param, stocks[0], hands[0], movers[0]) or not _from(param, stocks[0]):
        return None
    asked = study.reads.variables(action.guard).union(*(study.reads.variables(e.when) for e in instance.endings))
    if any(not _constant(s) or s.var in asked or s.var == movers[0] for s in written):
        return None
    return Drawing(number, (stocks[0], None), hands[0], movers[0])


def _is_draw(s: core.Move, param: core.Param, stock: str, hand: str, mover: str) -> bool:
    """Does it move the tile that was chosen from the stock to the hand of the mover?"""
    whose = s.target.index
    return (
        isinstance(s.tile, core.Local)
        and s.tile.name == param.name
        and (s.source.var, s.source.index) == (stock, None)
        and s.target.var == hand
        and isinstance(whose, core.Read)
        and whose.var == mover
    )


def _from(param: core.Param, stock: str) -> bool:
    """Is it any tile of the stock?"""
    return isinstance(param.domain, core.Read) and (param.domain.var, param.domain.index) == (stock, None)


def _constant(s: core.Set) -> bool:
    """Does it write the same whenever it is carried out?"""
    return not s.add and isinstance(s.value, core.Lit) and (s.index is None or isinstance(s.index, core.Lit))


def _same(study: Study, draw: Drawing) -> bool:
    """One tile drawn, and the player may draw again: might he have drawn it, and does the round go on?"""
    instance, reads = study.instance, study.reads
    guard = instance.actions[draw.action].guard
    asked = reads.variables(guard).union(*(reads.variables(e.when) for e in instance.endings))
    encoder, relation = study.open(study.view({*asked, draw.mover, draw.hand, draw.stock[0]}, keep_numbers=True))
    dag, before = encoder.dag, relation.any_state("s", partition=False)
    after, taken = draw.taken(relation, before, "t")
    may, again = encoder.truth(guard, before), encoder.truth(guard, after)
    ends = dag.both(relation.goes_on(before), -relation.goes_on(after))
    engine = Steady(Formulas(dag), UNITS)
    engine.add([*encoder.side, dag.exactly_one(taken.values()), again, dag.any((-may, ends))])
    return engine.look([]) is Answer.NO
