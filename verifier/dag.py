"""Booleans and whole numbers as a shared graph that folds what it can: the common form of every question to a solver.

A `Bit` is a node number, negative for "not": `TRUE` is 1, `FALSE` -1. Equal things get equal numbers, so that a state
known in full folds to constants and no solver is needed (`tests` use this as a second interpreter). A `Number` is
const + sum of weights of bits + sum of multiples of terms; a `Term` is an integer the bits do not say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Bit: TypeAlias = int
TRUE: Bit = 1
FALSE: Bit = -1

TermId: TypeAlias = int


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """const + sum(weight * [bit]) + sum(factor * term). Bits are positive node numbers, weights and factors not 0."""

    const: int = 0
    bits: Mapping[Bit, int] = field(default_factory=dict)
    terms: Mapping[TermId, int] = field(default_factory=dict)

    @property
    def constant(self) -> bool:
        return not self.bits and not self.terms

    @property
    def key(self) -> tuple[int, frozenset[tuple[int, int]], frozenset[tuple[int, int]]]:
        """Equal for equal sums."""
        return self.const, frozenset(self.bits.items()), frozenset(self.terms.items())


ZERO = Number()

# ---------------------------------------------------------------- nodes


@dataclass(frozen=True, slots=True)
class Var:
    """A free Boolean; the constant TRUE is the one named ''."""

    name: str


@dataclass(frozen=True, slots=True)
class Or:
    parts: frozenset[Bit]


@dataclass(frozen=True, slots=True)
class Xor:
    parts: frozenset[Bit]


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The weights (all positive) of the bits that hold sum up to `bound` (positive) or more."""

    weights: frozenset[tuple[Bit, int]]
    bound: int


@dataclass(frozen=True, slots=True)
class Compare:
    """A number with terms is 0 (`equal`) or at least 0."""

    number: Number
    equal: bool


@dataclass(frozen=True, slots=True)
class Odd:
    """A term is odd."""

    term: TermId


Node: TypeAlias = Var | Or | Xor | AtLeast | Compare | Odd

# ---------------------------------------------------------------- terms


@dataclass(frozen=True, slots=True)
class Unknown:
    """A free integer. A forgotten one makes every comparison it is in a free Boolean (see `Dag.at_least_zero`)."""

    name: str
    forgotten: bool


@dataclass(frozen=True, slots=True)
class Guarded:
    """The number where the bit holds, else 0."""

    bit: Bit
    number: Number


@dataclass(frozen=True, slots=True)
class Floor:
    """number / divisor, rounded down; the divisor is positive."""

    number: Number
    divisor: int


@dataclass(frozen=True, slots=True)
class Product:
    left: Number
    right: Number


Term: TypeAlias = Unknown | Guarded | Floor | Product


class Dag:
    """The graph: makes nodes, folds, and never changes one it has made."""

    def __init__(self) -> None:
        self.nodes: list[Node] = [Var(""), Var("")]
        self.terms: list[Term] = []
        self._bits: dict[object, Bit] = {}
        self._terms: dict[object, TermId] = {}
        self._forgotten: set[TermId] = set()
        self._certain: set[frozenset[Bit]] = set()

    def _node(self, key: object, node: Node) -> Bit:
        self._bits[key] = bit = len(self.nodes)
        self.nodes.append(node)
        return bit

    # ------------------------------------------------------------ Booleans

    def var(self, name: str) -> Bit:
        """The free Boolean of this name."""
        found = self._bits.get(name)
        return self._node(name, Var(name)) if found is None else found

    def is_var(self, bit: Bit) -> bool:
        """Is this a constant, a free Boolean or its opposite?"""
        return isinstance(self.nodes[abs(bit)], Var)

    def any(self, bits: Iterable[Bit]) -> Bit:
        """At least one of the bits."""
        parts: set[Bit] = set()
        for bit in bits:
            if bit == TRUE or -bit in parts:
                return TRUE
            if bit == FALSE:
                continue
            node = self.nodes[bit] if bit > 0 else None
            if isinstance(node, Or):
                parts |= node.parts
            else:
                parts.add(bit)
        if len(parts) < 2:
            return next(iter(parts), FALSE)
        if any(-bit in parts for bit in parts):
            return TRUE
        key = frozenset(parts)
        if key in self._certain:
            return TRUE
        found = self._bits.get(key)
        return self._node(key, Or(key)) if found is None else found

    def all(self, bits: Iterable[Bit]) -> Bit:
        """Every one of the bits."""
        return -self.any([-bit for bit in bits])

    def both(self, left: Bit, right: Bit) -> Bit:
        """The frequent small case of `all`."""
        if left in (TRUE, right):
            return right
        if right == TRUE:
            return left
        if left == FALSE or right == FALSE or left == -right:
            return FALSE
        return -self.any((-left, -right))

    def implies(self, left: Bit, right: Bit) -> Bit:
        return self.any((-left, right))

    def certain(self, bits: Iterable[Bit]) -> None:
        """From now on the disjunction of exactly these bits is true. The caller asserts it: `clause` builds it."""
        self._certain.add(frozenset(bits))

    def covered(self, bits: Iterable[Bit]) -> bool:
        """Does a disjunction that is known to be true lie within these bits?"""
        parts: set[Bit] = set()
        for bit in bits:
            node = self.nodes[bit] if bit > 0 else None
            parts.update(node.parts if isinstance(node, Or) else (bit,))
        return TRUE in parts or any(known <= parts for known in self._certain)

    def clause(self, bits: Iterable[Bit]) -> Bit:
        """Their disjunction as a node, also when it is known to be true."""
        key = frozenset(bit for bit in bits if bit != FALSE)
        if len(key) < 2:
            return next(iter(key), FALSE)
        found = self._bits.get(key)
        return self._node(key, Or(key)) if found is None else found

    def xor(self, bits: Iterable[Bit]) -> Bit:
        """An odd number of the bits."""
        sign, parts = FALSE, set[Bit]()
        for bit in bits:
            if bit < 0:
                sign, bit = -sign, -bit
            if bit == TRUE:
                sign = -sign
            else:
                parts ^= {bit}
        if not parts:
            return sign
        if len(parts) == 1:
            return -sign * next(iter(parts))
        key = ("xor", frozenset(parts))
        found = self._bits.get(key)
        return -sign * (self._node(key, Xor(key[1])) if found is None else found)

    def same(self, left: Bit, right: Bit) -> Bit:
        return -self.xor((left, right))

    def at_most_one(self, bits: Iterable[Bit]) -> Bit:
        absent: dict[Bit, int] = {}
        for bit in bits:
            absent[-bit] = absent.get(-bit, 0) + 1
        return self.at_least(absent, sum(absent.values()) - 1)

    def exactly_one(self, bits: Iterable[Bit]) -> Bit:
        present = list(bits)
        return self.both(self.any(present), self.at_most_one(present))

    def at_least(self, weights: Mapping[Bit, int], bound: int) -> Bit:
        """sum(weight * [bit]) >= bound; weights of any sign."""
        parts: dict[Bit, int] = {}
        for bit, weight in weights.items():
            if weight < 0:
                bit, weight, bound = -bit, -weight, bound - weight
            if bit == TRUE:
                bound -= weight
            elif bit != FALSE and weight:
                parts[bit] = parts.get(bit, 0) + weight
        if bound <= 0:
            return TRUE
        total = sum(parts.values())
        if total < bound:
            return FALSE
        if all(weight >= bound for weight in parts.values()):
            return self.any(parts)
        if total - min(parts.values()) < bound:
            return self.all(parts)
        key = ("at least", frozenset(parts.items()), bound)
        found = self._bits.get(key)
        if found is None:
            opposite = ("at least", frozenset((-bit, weight) for bit, weight in parts.items()), total - bound + 1)
            found = -self._bits[opposite] if opposite in self._bits else self._node(key, AtLeast(key[1], bound))
        return found

    # ------------------------------------------------------------ numbers

    def unknown(self, name: str, *, forgotten: bool = False) -> Number:
        """A free integer."""
        return self._term(name, Unknown(name, forgotten), forgotten)

    def _term(self, key: object, term: Term, forgotten: bool) -> Number:
        found = self._terms.get(key)
        if found is None:
            self._terms[key] = found = len(self.terms)
            self.terms.append(term)
            if forgotten:
                self._forgotten.add(found)
        return Number(0, {}, {found: 1})

    def forgotten(self, number: Number) -> bool:
        """Does the number depend on something forgotten?"""
        return any(term in self._forgotten for term in number.terms)

    def number(self, weights: Iterable[tuple[Bit, int]], const: int = 0) -> Number:
        """const + sum(weight * [bit]); the bits may be negated, constant or repeated."""
        bits: dict[Bit, int] = {}
        for bit, weight in weights:
            if bit < 0:
                bit, weight, const = -bit, -weight, const + weight
            if bit == TRUE:
                const += weight
            else:
                bits[bit] = bits.get(bit, 0) + weight
        return Number(const, {b: w for b, w in bits.items() if w}, {})

    def add(self, left: Number, right: Number, factor: int = 1) -> Number:
        """left + factor * right."""
        if right.constant:
            return Number(left.const + factor * right.const, left.bits, left.terms)
        bits, terms = dict(left.bits), dict(left.terms)
        for bit, weight in right.bits.items():
            bits[bit] = bits.get(bit, 0) + factor * weight
        for term, weight in right.terms.items():
            terms[term] = terms.get(term, 0) + factor * weight
        return Number(
            left.const + factor * right.const,
            {b: w for b, w in bits.items() if w},
            {t: w for t, w in terms.items() if w},
        )

    def times(self, left: Number, right: Number) -> Number:
        """left * right; two unknown numbers make a term of their own."""
        if left.constant:
            left, right = right, left
        if right.constant:
            return self.add(ZERO, left, right.const)
        if not left.terms and not right.terms:
            lefts, rights = [(TRUE, left.const), *left.bits.items()], [(TRUE, right.const), *right.bits.items()]
            return self.number((self.both(a, b), v * w) for a, v in lefts for b, w in rights)
        key = ("product", left.key, right.key)
        return self._term(key, Product(left, right), self.forgotten(left) or self.forgotten(right))

    def guarded(self, bit: Bit, number: Number) -> Number:
        """The number where the bit holds, else 0."""
        if bit == TRUE:
            return number
        if bit == FALSE:
            return ZERO
        out = self.number([(bit, number.const), *((self.both(bit, b), w) for b, w in number.bits.items())])
        for term, factor in number.terms.items():
            alone = Number(0, {}, {term: 1})
            key = ("guarded", bit, term)
            out = self.add(out, self._term(key, Guarded(bit, alone), term in self._forgotten), factor)
        return out

    def floor(self, number: Number, divisor: int) -> Number:
        """number / divisor, rounded down."""
        if number.constant:
            return Number(number.const // divisor)
        return self._term(("floor", number.key, divisor), Floor(number, divisor), self.forgotten(number))

    def at_least_zero(self, number: Number) -> Bit:
        """number >= 0; a free Boolean (the same for the same number) where something forgotten is in it."""
        if not number.terms:
            return self.at_least(number.bits, -number.const)
        return self._compare(number, equal=False)

    def is_zero(self, number: Number) -> Bit:
        """number == 0, likewise."""
        if not number.terms:
            return self.both(self.at_least(number.bits, -number.const), -self.at_least(number.bits, 1 - number.const))
        return self._compare(number, equal=True)

    def _compare(self, number: Number, *, equal: bool) -> Bit:
        key = ("compare", number.key, equal)
        found = self._bits.get(key)
        if found is not None:
            return found
        return self._node(key, self._blurred() if self.forgotten(number) else Compare(number, equal))

    def odd(self, number: Number) -> Bit:
        """Is the number odd?"""
        parts = [bit for bit, weight in number.bits.items() if weight % 2]
        for term, factor in number.terms.items():
            if factor % 2:
                key = ("odd", term)
                found = self._bits.get(key)
                if found is None:
                    found = self._node(key, self._blurred() if term in self._forgotten else Odd(term))
                parts.append(found)
        return self.xor([*parts, TRUE] if number.const % 2 else parts)

    def _blurred(self) -> Var:
        return Var(f"forgotten.{len(self.nodes)}")
