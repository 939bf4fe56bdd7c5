"""Cells of which nobody has said what they hold: whatever looks at one is stopped, and says which it was.

So a settlement asks for what it needs, in the order in which it looks, and for nothing else.
"""

from __future__ import annotations

from typing import Any, NoReturn


class Unknown(Exception):
    """A rule looks at a cell that is not known: its number."""

    def __init__(self, cell: int) -> None:
        self.cell = cell
        super().__init__(f"cell {cell} is not known")


class Blank:
    """Stands in a state for what is not known. It may be copied; to do anything else with it raises `Unknown`."""

    __slots__ = ("cell",)

    def __init__(self, cell: int) -> None:
        self.cell = cell

    def _ask(self, *_: Any) -> NoReturn:
        raise Unknown(self.cell)

    __bool__ = __int__ = __index__ = __hash__ = __neg__ = __invert__ = bit_count = bit_length = _ask
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _ask
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __mod__ = _ask
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _ask
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = _ask


def known(value: object) -> bool:
    """Is this a value, rather than what stands for an unknown one?"""
    return not isinstance(value, Blank)
