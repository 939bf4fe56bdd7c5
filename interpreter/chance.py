"""From a seed and an index to the same match everywhere: the generator of chance, and the digest of what was decided.

A match is named (seed, index). Chance is xoroshiro128+ (Blackman and Vigna, 2018: rotations 24, 16, 37) whose state
comes from splitmix64; every event takes exactly one number, also when there is only one possibility, so that the number
of events alone says where the generator stands. Another engine that follows these few lines draws the same tiles.
"""

from __future__ import annotations

WORD = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
"""What splitmix64 multiplies by."""
BASIS, PRIME = 0xCBF29CE484222325, 0x100000001B3
"""Of FNV-1a, for the digest."""


def mix(z: int) -> int:
    """The scrambling of splitmix64."""
    z = ((z ^ (z >> 30)) * FIRST) & WORD
    z = ((z ^ (z >> 27)) * SECOND) & WORD
    return z ^ (z >> 31)


def splitmix64(state: int) -> tuple[int, int]:
    """The next state and the number it gives, both 64 bits."""
    state = (state + GOLDEN) & WORD
    return state, mix(state)


class Chance:
    """The generator of one match; the only thing here that changes."""

    __slots__ = ("s0", "s1")

    def __init__(self, s0: int, s1: int) -> None:
        self.s0, self.s1 = s0, s1

    @classmethod
    def named(cls, seed: int, index: int) -> Chance:
        """The generator of match `index` of a seed; both may be any whole number and count modulo 2^64."""
        _, mixed = splitmix64(seed & WORD)
        state, s0 = splitmix64(mixed ^ (index & WORD))
        _, s1 = splitmix64(state)
        return cls(s0, s1)

    def word(self) -> int:
        """The next 64 bits."""
        s0, s1 = self.s0, self.s1
        result = (s0 + s1) & WORD
        s1 ^= s0
        self.s0 = (((s0 << 24) | (s0 >> 40)) ^ s1 ^ (s1 << 16)) & WORD
        self.s1 = ((s1 << 37) | (s1 >> 27)) & WORD
        return result

    def below(self, n: int) -> int:
        """A number from 0 to n - 1: the high half of (upper 32 bits times n). `n` from 1 to 2^32."""
        return ((self.word() >> 32) * n) >> 32


class Digest:
    """FNV-1a over 64-bit words: for every event how many possibilities and which, after each round the scores."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = BASIS

    def feed(self, *numbers: int) -> None:
        value = self.value
        for number in numbers:
            value = ((value ^ (number & WORD)) * PRIME) & WORD
        self.value = value

    def __str__(self) -> str:
        return f"{self.value:016x}"
