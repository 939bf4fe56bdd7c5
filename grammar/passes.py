"""Instance → instance, the passes all engines read the result of: freeze, then masks."""

from __future__ import annotations

from domrules.grammar import core
from domrules.grammar.freeze import freeze
from domrules.grammar.masks import mask


def optimise(instance: core.Instance) -> core.Instance:
    """The same game, made of fewer cells and of set operations."""
    return mask(freeze(instance))
