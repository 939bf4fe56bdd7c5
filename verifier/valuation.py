"""A model of some free Booleans and integers, and the value of everything else under it; no solver is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from domrules.verifier.dag import (
    TRUE,
    AtLeast,
    Bit,
    Compare,
    Dag,
    Floor,
    Guarded,
    Node,
    Number,
    Odd,
    Or,
    Product,
    TermId,
    Unknown,
    Var,
    Xor,
)


class Valuation:
    """Values of the graph under a model; what the model does not say is false or 0."""

    def __init__(self, dag: Dag, bits: Mapping[Bit, bool], numbers: Mapping[TermId, int]) -> None:
        self.dag = dag
        self._bits: dict[Bit, bool] = {**bits, TRUE: True}
        self._terms: dict[TermId, int] = dict(numbers)

    def bit(self, bit: Bit) -> bool:
        """Does it hold? Works through the graph with a stack of its own, for graphs are deep."""
        known, waiting = self._bits, [abs(bit)]
        while waiting:
            node = waiting[-1]
            if node in known:
                waiting.pop()
                continue
            missing = [part for part in self._parts(self.dag.nodes[node]) if part not in known]
            if missing:
                waiting += missing
            else:
                known[node] = self._value(node)
                waiting.pop()
        return known[abs(bit)] == (bit > 0)

    def number(self, number: Number) -> int:
        """The integer a number stands for."""
        total = number.const + sum(weight for bit, weight in number.bits.items() if self.bit(bit))
        return total + sum(factor * self._term(term) for term, factor in number.terms.items())

    def _parts(self, node: Node) -> list[Bit]:
        match node:
            case Or(parts) | Xor(parts):
                return [abs(part) for part in parts]
            case AtLeast(weights):
                return [abs(part) for part, _ in weights]
            case _:
                return []

    def _known(self, bit: Bit) -> bool:
        return self._bits[abs(bit)] == (bit > 0)

    def _value(self, bit: Bit) -> bool:
        match self.dag.nodes[bit]:
            case Var():
                return False
            case Or(parts):
                return any(map(self._known, parts))
            case Xor(parts):
                return sum(map(self._known, parts)) % 2 == 1
            case AtLeast(weights, bound):
                return sum(weight for part, weight in weights if self._known(part)) >= bound
            case Compare(number, equal):
                value = self.number(number)
                return value == 0 if equal else value >= 0
            case Odd(term):
                return self._term(term) % 2 == 1
            case never:
                assert_never(never)

    def _term(self, term: TermId) -> int:
        found = self._terms.get(term)
        if found is None:
            self._terms[term] = found = self._term_value(term)
        return found

    def _term_value(self, term: TermId) -> int:
        match self.dag.terms[term]:
            case Unknown():
                return 0
            case Guarded(bit, number):
                return self.number(number) if self.bit(bit) else 0
            case Floor(number, divisor):
                return self.number(number) // divisor
            case Product(left, right):
                return self.number(left) * self.number(right)
            case never:
                assert_never(never)
