"""How much of a game a question sees: what is forgotten makes it smaller and its "no" no less final.

A "yes" found under a view that forgets may be spurious; it counts only after a replay by the interpreter.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class View:
    """What is not looked at."""

    forgotten: frozenset[str] = frozenset()
    """Variables: reading one gives anything of its type, writing one does nothing. A comparison with a forgotten
    number is a free Boolean, so that no arithmetic is left."""
    opaque: frozenset[str] = frozenset()
    """Defines: a call is an unknown of its type, the same for the same arguments in the same state."""
    counted: bool = False
    """Sizes of zones are integers of their own, moved by every `move`, and tied to their sets only by "is empty"."""


FULL = View()
