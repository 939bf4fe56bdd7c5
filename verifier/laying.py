"""What the actions do to the table and to the stock, by syntax alone."""

from __future__ import annotations

from collections.abc import Collection

from domrules.grammar import core
from domrules.grammar.reads import statements


def laying(instance: core.Instance) -> Collection[int] | None:
    """The actions that lay a tile, each just one; None where tiles come to the table, or leave it, in another way."""
    table = set(instance.role("zone", "layout"))
    others = [*instance.begin, *(settle.block() for settle in instance.settles)]
    if not table or any(target in table for _, _, target in instance.deals):
        return None
    if any(touches(s, table) for block in others for s in statements(block)):
        return None
    found = list[int]()
    for number, action in enumerate(instance.actions):
        inner = [s for block in action.blocks for s in statements(block) if touches(s, table)]
        outer = [s for block in action.blocks for s in block if touches(s, table)]
        if any(isinstance(s, core.Move) and s.source.var in table for s in inner) or len(inner) > len(outer):
            return None
        if len(outer) > 1:
            return None
        if outer:
            found.append(number)
    return found


def touches(s: core.Stmt, table: Collection[str]) -> bool:
    """Does a statement move a tile to or from the table?"""
    return isinstance(s, core.Move) and bool({s.source.var, s.target.var} & set(table))


def drawn_singly(instance: core.Instance, actions: Collection[int]) -> bool:
    """Does a tile leave the stock only alone, and in a move that lays none?"""
    stock = instance.role("zone", "stock")
    for number, action in enumerate(instance.actions):
        found = [s for block in action.blocks for s in statements(block) if takes(s, stock)]
        outer = [s for block in action.blocks for s in block if takes(s, stock)]
        if len(found) > len(outer) or len(found) > (number not in actions):
            return False
    return True


def takes(s: core.Stmt, zones: Collection[str]) -> bool:
    return isinstance(s, core.Move) and s.source.var in zones
