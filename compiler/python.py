"""The imperative language → a Python function; it needs nothing but Python, and is the second opinion on WebAssembly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, assert_never

from domrules.compiler import ir
from domrules.interpreter.chance import BASIS, GOLDEN, PRIME, WORD, mix

SEED = f"""state = (seed ^ ({{index}})) + {GOLDEN} & {WORD}
s0 = mix(state)
s1 = mix(state + {GOLDEN} & {WORD})"""
DRAW = f"""w = s0 + s1 & {WORD}
s1 ^= s0
s0 = ((s0 << 24 | s0 >> 40) ^ s1 ^ s1 << 16) & {WORD}
s1 = (s1 << 37 | s1 >> 27) & {WORD}
{{target}} = (w >> 32) * {{n}} >> 32"""
FIND = """w = {word}
k = {k}
while k:
 w &= w - 1
 k -= 1
{target} = (w & -w).bit_length() - 1"""
SIMPLE = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "//",
    "mod": "%",
    "lt": "<",
    "le": "<=",
    "eq": "==",
    "ne": "!=",
    "and": "&",
    "or": "|",
    "xor": "^",
    "both": "and",
    "either": "or",
    "same": "==",
}
WIDTH = 64
"""Bits of a word."""
Run = Callable[[int, int, int], int]
"""First match, first one after the last, mixed seed; 0, or 1 after a `Fail`."""


def members(word: int) -> list[int]:
    """The elements of a word of any length."""
    return [i for i in range(word.bit_length()) if word >> i & 1]


def compiled(program: ir.Program) -> tuple[Run, Mapping[str, list[int]]]:
    """The function of a program, and its exported arrays."""
    arrays = [[0] * a.size for a in program.arrays]
    space: dict[str, Any] = {"mix": mix, "members": members, "arrays": arrays, "tables": program.tables}
    exec(compile(source(program), "<compiled rules>", "exec"), space)
    run: Run = space["run"]
    return run, {a.export: values for a, values in zip(program.arrays, arrays, strict=True) if a.export}


def source(program: ir.Program) -> str:
    """The text of the function; it holds numbers only, no name of a game."""
    lines = ["def run(v0, v1, seed):", " digest = s0 = s1 = w = 0"]
    lines += [f" v{i} = {'False' if k is ir.Kind.TRUTH else 0}" for i, k in enumerate(program.locals) if i > 1]
    lines += [f" a{i} = arrays[{i}]" for i in range(len(program.arrays))]
    lines += [f" t{i} = tables[{i}]" for i in range(len(program.tables))]
    lines += [*_body(program.body, " "), " return 0"]
    return "\n".join(lines)


def _body(body: ir.Body, indent: str) -> Iterator[str]:
    if not body:
        yield f"{indent}pass"
    for s in body:
        yield from _stmt(s, indent)


def _stmt(s: ir.Stmt, indent: str) -> Iterator[str]:
    match s:
        case ir.Assign():
            yield f"{indent}v{s.target.number} = {expr(s.value)}"
        case ir.Store():
            yield f"{indent}a{s.array}[{expr(s.index)}] = {expr(s.value)}"
        case ir.If():
            yield f"{indent}if {expr(s.test)}:"
            yield from _body(s.then, indent + " ")
            if s.otherwise:
                yield f"{indent}else:"
                yield from _body(s.otherwise, indent + " ")
        case ir.While():
            yield f"{indent}while {expr(s.test)}:"
            yield from _body(s.body, indent + " ")
        case ir.Seed():
            yield from (indent + line for line in SEED.format(index=expr(s.index)).splitlines())
        case ir.Draw():
            text = DRAW.format(target=f"v{s.target.number}", n=expr(s.n))
            yield from (indent + line for line in text.splitlines())
        case ir.Find():
            text = FIND.format(target=f"v{s.target.number}", word=expr(s.word), k=expr(s.k))
            yield from (indent + line for line in text.splitlines())
        case ir.Fill():
            yield f"{indent}p{s.pool} = {_pool(s.words)}"
        case ir.Take():
            yield f"{indent}v{s.target.number} = p{s.pool}.pop({expr(s.k)})"
        case ir.Feed():
            yield f"{indent}digest = (digest ^ {expr(s.value)} & {WORD}) * {PRIME} & {WORD}"
        case ir.Clear():
            yield f"{indent}digest = {BASIS}"
        case ir.Keep():
            yield f"{indent}a{s.array}[{expr(s.index)}] = digest"
        case ir.Fail():
            yield f"{indent}return 1"
        case _:
            assert_never(s)


def _pool(words: tuple[ir.Expr, ...]) -> str:
    """A list of the elements of a set."""
    if all(isinstance(word, ir.Const) for word in words):
        return str(members(sum(word.value << WIDTH * i for i, word in enumerate(words) if isinstance(word, ir.Const))))
    return f"members({' | '.join(f'{expr(word)} << {WIDTH * i}' for i, word in enumerate(words))})"


def expr(e: ir.Expr) -> str:
    """An expression, in brackets where they matter."""
    match e:
        case ir.Const():
            return str(e.value) if e.value >= 0 else f"({e.value})"
        case ir.Truth():
            return str(e.value)
        case ir.Local():
            return f"v{e.number}"
        case ir.Load():
            return f"a{e.array}[{expr(e.index)}]"
        case ir.Look():
            return f"t{e.table}[{expr(e.index)}]"
        case ir.Unary():
            return _unary(e.op, expr(e.of))
        case ir.Binary():
            return _binary(e.op, expr(e.left), expr(e.right), e)
        case ir.Pick():
            return f"({expr(e.yes)} if {expr(e.test)} else {expr(e.no)})"
        case _:
            assert_never(e)


def _unary(op: str, x: str) -> str:
    match op:
        case "popcount":
            return f"{x}.bit_count()" if not x.isdigit() else f"({x}).bit_count()"
        case "ctz":
            return f"(({x} & -{x}).bit_length() - 1)"
        case "bit":
            return f"(1 << ({x} & 63))"
        case "drop":
            return f"({x} & {x} - 1)"
        case "not":
            return f"(not {x})"
        case "int":
            return f"(+{x})"
        case "truth":
            return f"({x} != 0)"
        case _:
            raise AssertionError(f"no such operator: {op}")


def _binary(op: str, x: str, y: str, e: ir.Binary) -> str:
    match op:
        case "minus":
            return f"({x} & ~{y})"
        case "has":
            shift = y if isinstance(e.right, ir.Const) else f"({y} & 63)"
            return f"({x} >> {shift} & 1 == 1)"
        case _:
            return f"({x} {SIMPLE[op]} {y})"
