"""The names of the bots, for those who need not load them."""

from __future__ import annotations

RANDOM = "random"
POLICIES = ("first", "greedy", "heavy")
SHARED = (RANDOM, *POLICIES)
"""Those that take exactly one number for each move: in a seeded match from the chance of the match."""
BOTS = (*SHARED, "ahead")
