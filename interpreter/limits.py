"""How long a match may become before it counts as one that does not end."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What is long enough: moves of a round, rounds of a match, deals of a round. Beyond, `Unfinished` is raised."""

    moves: int = 10_000
    rounds: int = 1_000
    deals: int = 10_000


LIMITS = Limits()
