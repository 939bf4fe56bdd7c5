"""A language for the rules of domino games, with an interpreter and a verifier."""

__version__ = "0.1.0"
