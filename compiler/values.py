"""What writes the value of an expression, as far as operators and searches need it: `expressions.Expressions`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from domrules.compiler import ir
from domrules.compiler.bounds import Bounds
from domrules.compiler.writer import Env, Words, Writer
from domrules.grammar import core
from domrules.grammar.fold import Fold

UNROLL = 4
"""A search over at most so many known elements is written out."""


@dataclass(frozen=True)
class One:
    """At most one element: this, if the test holds; a local or constant."""

    test: ir.Expr
    element: ir.Expr


Attempt: TypeAlias = tuple[list[ir.Stmt], Words, bool]
"""Statements, the value after them, and whether both may be computed where they are not needed."""


class Values(Protocol):
    """A value is `Words`: one expression, or as many as a set has words."""

    instance: core.Instance
    writer: Writer
    fold: Fold
    bounds: Bounds
    hot: bool

    def scalar(self, e: core.Expr, env: Env) -> ir.Expr: ...
    def words(self, e: core.Expr, env: Env) -> Words: ...
    def count(self, sort: str) -> int: ...
    def worth(self, e: core.Expr, name: str, sort: str) -> tuple[int, ...]: ...
    def may_fail(self, e: core.Expr) -> bool: ...
    def prepare(self, e: core.Expr | None, env: Env) -> None: ...
    def domain(self, domain: core.Expr | None, sort: str, env: Env) -> Words | One | list[int]: ...
    def priced(self, body: list[ir.Stmt], value: Words) -> Attempt: ...
    def either(self, test: ir.Expr, yes: Attempt, no: Attempt) -> Words: ...
    def junction(self, stop: bool, parts: Sequence[Callable[[], ir.Expr]]) -> ir.Expr: ...
    def rows(
        self,
        rows: Sequence[tuple[Callable[[], ir.Expr], Callable[[], Words]]],
        otherwise: Callable[[], Words],
        optional: bool = False,
    ) -> Words: ...
