"""The built-in functions: counting, promises, rounding, and the attributes of players and tiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeAlias

from domrules.grammar import core
from domrules.grammar.core import BOOL, INT, Elem, Expr, Local, Maybe, Op, SetOf, Type
from domrules.grammar.diagnostics import Note
from domrules.grammar.scope import ERROR, Scope, elem
from domrules.grammar.source import Span
from domrules.grammar.syntax import Part, Word, node, word

Env: TypeAlias = Mapping[str, Local]


class Elaborator(Protocol):
    """What a function needs of whoever turns syntax into expressions."""

    scope: Scope

    def bad(self, code: str, message: str, span: Span, *notes: Note, fix: str = "") -> Expr: ...
    def expr(self, part: Part, env: Env, want: Type | None = None) -> Expr: ...
    def typed(self, part: Part, env: Env, want: Type) -> Expr: ...
    def number(self, part: Part, env: Env) -> Expr: ...
    def coerce(self, e: Expr, want: Type, span: Span) -> Expr: ...
    def domain(self, part: Part, env: Env) -> tuple[str, Expr | None]: ...
    def whole(self, sort: str, span: Span) -> Expr: ...


ATTRIBUTES: dict[str, tuple[str, Type | None]] = {
    "next": ("player", Elem("player")),
    "seat": ("player", INT),
    "team": ("player", Elem("team")),
    "low": ("tile", None),
    "high": ("tile", None),
    "copy": ("tile", INT),
}
"""Attribute → the sort that has it, and its type (None: the sort of halves)."""
ROUNDING = {"nearest": "round", "up": "roundup", "down": "rounddown", "quotient": "div", "remainder": "mod"}
TIES = ("up", "down", "even", "away")


def built_in(to: Elaborator, w: Word, args: list[Part], env: Env, span: Span) -> Expr:
    """A call of a function of the language."""
    if w.text in ROUNDING:
        return _rounding(to, w, args, env, span)
    if len(args) != 1:
        return to.bad("DOM312", f"`{w}` takes one value; {len(args)} given", span)
    if w.text in ATTRIBUTES:
        return _attribute(to, w, args[0], env, span)
    e, at = to.expr(args[0], env), node(args[0]).span
    if e.type == ERROR:
        return e
    match w.text:
        case "odd":
            return Op("odd", (to.coerce(e, INT, at),), BOOL, span=span)
        case "position" | "number":
            if not isinstance(e.type, Elem):
                return to.bad("DOM301", f"`{w}` asks for an element, this is {to.scope.told(e.type)}", at)
            return to.coerce(e, INT, at) if w.text == "number" else core.Attr("position", e, INT, span)
        case "size":
            return _size(to, e, at, span)
        case _:
            return _sole(to, w, e, at, span)


def _size(to: Elaborator, e: Expr, at: Span, span: Span) -> Expr:
    sort = elem(e.type)
    if sort is None or isinstance(e.type, Elem):
        return to.bad("DOM305", f"`size` asks for a set, this is {to.scope.told(e.type)}", at)
    return Op("size", (to.coerce(e, SetOf(sort), span),), INT, span=span)


def _sole(to: Elaborator, w: Word, e: Expr, at: Span, span: Span) -> Expr:
    sort = elem(e.type)
    must = w.text == "the"
    if sort is None or isinstance(e.type, Elem) or (not must and isinstance(e.type, Maybe)):
        what = "a set or something that may be none" if must else "a set"
        return to.bad("DOM305", f"`{w}` asks for {what}, this is {to.scope.told(e.type)}", at)
    return core.Sole(e, must, Elem(sort) if must else Maybe(sort), span)


def _attribute(to: Elaborator, w: Word, arg: Part, env: Env, span: Span) -> Expr:
    sort, type_ = ATTRIBUTES[w.text]
    e = to.typed(arg, env, Elem(sort))
    if e.type == ERROR:
        return e
    return core.Attr(w.text, e, type_ if type_ is not None else to.scope.half_type, span)


def _rounding(to: Elaborator, w: Word, args: list[Part], env: Env, span: Span) -> Expr:
    """nearest(step, x[, tie]), up(step, x), down(step, x), quotient(x, by), remainder(x, by)."""
    division = w.text in ("quotient", "remainder")
    if len(args) not in ((2, 3) if w.text == "nearest" else (2,)):
        shape = f"{w}(number, divisor)" if division else f"{w}(step, number)"
        return to.bad("DOM312", f"`{w}` takes two values: {shape}", span)
    step_part, x_part = (args[1], args[0]) if division else (args[0], args[1])
    step = node(step_part)
    if step.kind != "int" or int(word(step.parts[0]).text) < 1 or len(word(step.parts[0]).text) > 6:
        what, form = ("divisor", f"{w}(…, 5)") if division else ("step", f"{w}(5, …)")
        sentence = f"the {what} of `{w}` must be a positive number written out"
        return to.bad("DOM313", sentence, step.span, fix=f"write `{form}`")
    k = int(word(step.parts[0]).text)
    tie = ""
    if len(args) == 3:
        tie = word(node(args[2]).parts[0]).text if node(args[2]).kind == "name" else ""
        if tie not in TIES:
            return to.bad(
                "DOM314",
                "the third value of `nearest` says where ties go",
                node(args[2]).span,
                fix="write up, down, even or away",
            )
    elif w.text == "nearest" and k % 2 == 0:
        return to.bad("DOM314", f"a number can lie exactly between two multiples of {k}: say where it goes", span,
                      fix=f"write `nearest({k}, …, up)` (or down, even, away)")  # fmt: skip
    x = to.number(x_part, env)
    if x.type == ERROR:
        return x
    return Op(ROUNDING[w.text], (x,), INT, const=k, tie=tie or ("up" if w.text == "nearest" else ""), span=span)
