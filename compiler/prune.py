"""Program → the same program without what nobody looks at: values of locals that are never read, and empty branches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from domrules.compiler import ir


def prune(program: ir.Program) -> ir.Program:
    """The same program, shorter. Expressions have no effect, so one that nobody reads can go."""
    body = program.body
    while True:
        read = {x.number for e in _expressions(body) for x in _locals(e)}
        shorter = _body(body, read)
        if shorter == body:
            return replace(program, body=body)
        body = shorter


def _body(body: ir.Body, read: set[int]) -> ir.Body:
    out: list[ir.Stmt] = []
    for s in body:
        match s:
            case ir.Assign() if s.target.number not in read or s.value == s.target:
                pass
            case ir.Find() if s.target.number not in read:
                pass
            case ir.If():
                then, otherwise = _body(s.then, read), _body(s.otherwise, read)
                if then:
                    out.append(ir.If(s.test, then, otherwise))
                elif otherwise:
                    out.append(ir.If(ir.negated(s.test), otherwise))
            case ir.While():
                out.append(ir.While(s.test, _body(s.body, read)))
            case _:
                out.append(s)
    return tuple(out)


def _expressions(body: ir.Body) -> Iterator[ir.Expr]:
    for s in body:
        match s:
            case ir.Assign() | ir.Feed():
                yield s.value
            case ir.Store():
                yield s.index
                yield s.value
            case ir.If():
                yield s.test
                yield from _expressions(s.then)
                yield from _expressions(s.otherwise)
            case ir.While():
                yield s.test
                yield from _expressions(s.body)
            case ir.Seed() | ir.Keep():
                yield s.index
            case ir.Draw():
                yield s.n
            case ir.Find():
                yield s.word
                yield s.k
            case ir.Fill():
                yield from s.words
            case ir.Take():
                yield s.k
            case ir.Clear() | ir.Fail():
                pass


def _locals(e: ir.Expr) -> Iterator[ir.Local]:
    if isinstance(e, ir.Local):
        yield e
    for part in ir.parts(e):
        yield from _locals(part)
