"""How strong an answer must be to count: for each item by default, or one measure for all."""

from __future__ import annotations

from enum import Enum

from domrules.verifier.verdict import Standing, Verdict, Word


class Least(Enum):
    """The measures, the strictest first."""

    PROVED = "proved"
    """For every round of its table: proved, exhausted, true by configuration, or witnessed."""
    BOUNDED = "bounded"
    """Up to some number of moves will do."""
    ANY = "any"
    """Whatever is established."""


BOUNDED = frozenset({"M1", "E4", "F5", "C9", "R1", "T1", "T2"})
"""Items for which a bound is all that is asked by default."""


def least(item: str) -> Least:
    """The measure of an item or claim when nobody asks for another."""
    return Least.BOUNDED if item in BOUNDED else Least.PROVED


def weak(verdict: Verdict, asked: Least | None = None) -> bool:
    """Is it established, but not as firmly as it must be?"""
    return verdict.word is Word.HOLDS and (asked or least(verdict.item)) is Least.PROVED


def standing(verdict: Verdict, asked: Least | None = None) -> Standing | None:
    """What a verdict counts as."""
    return Standing.UNDECIDED if weak(verdict, asked) else verdict.word.standing
