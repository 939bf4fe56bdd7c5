"""The imperative language → a Python function; it needs nothing but Python, and is the second opinion on WebAssembly."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, assert_never

from domrules.compiler import ir
from domrules.interpreter.chance import BASIS, GOLDEN, PRIME, WORD, Chance, mix

SEED = "draw = chain(drawn(seed, {index})).__next__"
DRAW = "{target} = draw() * {n} >> 32"
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
LANES, STEPS, CHUNKS = 64, 32, 64
"""Matches whose chance is drawn at once, how many numbers each at a time, and how often; after that each goes on alone."""
LOWER = sum(WORD << 128 * lane for lane in range(LANES))
"""The lower halves of all lanes."""
Run = Callable[[int, int, int], int]
"""First match, first one after the last, mixed seed; 0, or 1 after a `Fail`."""


def members(word: int) -> list[int]:
    """The elements of a word of any length."""
    return [i for i in range(word.bit_length()) if word >> i & 1]


class Lanes:
    """The generators of LANES matches at once, side by side in one large number each: `chance.Chance`, sixty at a time.

    A lane is 128 bits wide, of which the lower 64 are the generator's; what is drawn is the upper half of its word.
    """

    def __init__(self) -> None:
        self.name: tuple[int, int] | None = None
        self.s0 = self.s1 = 0
        self.chunks: list[memoryview] = []

    def drawn(self, seed: int, index: int) -> Iterator[list[int]]:
        """What the generator of a match gives, STEPS numbers of 32 bits at a time."""
        lane = index % LANES
        if self.name != (seed, index - lane):
            self.begin(seed, index - lane)
        at = 4 * lane + 1 if sys.byteorder == "little" else 4 * (LANES - lane) - 2
        for number in range(CHUNKS):
            if number == len(self.chunks):
                self.step()
            yield self.chunks[number][at :: 4 * LANES].tolist()
        chance = Chance(*(state >> 128 * lane & WORD for state in (self.s0, self.s1)))
        while True:
            yield [chance.word() >> 32]

    def begin(self, seed: int, first: int) -> None:
        """Make ready the matches from `first` on."""
        self.name, self.chunks = (seed, first), []
        states = [(seed ^ first + lane) + GOLDEN & WORD for lane in range(LANES)]
        self.s0 = sum(mix(state) << 128 * lane for lane, state in enumerate(states))
        self.s1 = sum(mix(state + GOLDEN & WORD) << 128 * lane for lane, state in enumerate(states))

    def step(self) -> None:
        """All lanes go on by a chunk."""
        s0, s1, words = self.s0, self.s1, list[bytes]()
        for _ in range(STEPS):
            words.append((s0 + s1 & LOWER).to_bytes(16 * LANES, sys.byteorder))
            s1 ^= s0
            s0 = ((s0 << 24 | s0 >> 40) ^ s1 ^ s1 << 16) & LOWER
            s1 = (s1 << 37 | s1 >> 27) & LOWER
        self.s0, self.s1 = s0, s1
        self.chunks.append(memoryview(b"".join(words)).cast("I"))


def compiled(program: ir.Program) -> tuple[Run, Mapping[str, list[int]]]:
    """The function of a program, and its exported arrays."""
    arrays = [[0] * a.size for a in program.arrays]
    space: dict[str, Any] = {
        "chain": chain.from_iterable,
        "drawn": Lanes().drawn,
        "members": members,
        "arrays": arrays,
        "tables": [(*table, 0) for table in program.tables],
    }
    exec(compile(source(program), "<compiled rules>", "exec"), space)
    run: Run = space["run"]
    return run, {a.export: values for a, values in zip(program.arrays, arrays, strict=True) if a.export}


def source(program: ir.Program) -> str:
    """The text of the function; it holds numbers only, no name of a game."""
    return "\n".join(_Printer(program).lines())


def bits_only(program: ir.Program) -> set[int]:
    """Locals that are only ever given the number of a bit of a word, so that a shift by them needs no care."""
    given: dict[int, list[ir.Stmt]] = {}
    for s in ir.statements(program.body):
        if isinstance(s, ir.Assign | ir.Draw | ir.Find | ir.Take):
            given.setdefault(s.target.number, []).append(s)
    found = set(given) - {0, 1}
    while True:
        more = {n for n in found if all(_is_bit(s, found, program.pools) for s in given[n])}
        if more == found:
            return found
        found = more


def _is_bit(s: ir.Stmt, known: set[int], pools: tuple[int, ...]) -> bool:
    match s:
        case ir.Find():
            return True
        case ir.Take():
            return pools[s.pool] == 1
        case ir.Assign(value=ir.Const(value=value)):
            return 0 <= value < WIDTH
        case ir.Assign(value=ir.Local(number=number)):
            return number in known
        case _:
            return False


class _Printer:
    def __init__(self, program: ir.Program) -> None:
        self.program, self.bits = program, bits_only(program)

    def lines(self) -> Iterator[str]:
        program = self.program
        yield "def run(v0, v1, seed):"
        yield " digest = w = k = 0"
        yield from (f" v{i} = {'False' if k is ir.Kind.TRUTH else 0}" for i, k in enumerate(program.locals) if i > 1)
        yield from (f" a{i} = arrays[{i}]" for i in range(len(program.arrays)))
        yield from (f" t{i} = tables[{i}]" for i in range(len(program.tables)))
        yield from self.body(program.body, " ")
        yield " return 0"

    def body(self, body: ir.Body, indent: str) -> Iterator[str]:
        if not body:
            yield f"{indent}pass"
        for s in body:
            yield from self.stmt(s, indent)

    def stmt(self, s: ir.Stmt, indent: str) -> Iterator[str]:
        match s:
            case ir.Assign():
                yield f"{indent}v{s.target.number} = {self.expr(s.value)}"
            case ir.Store():
                yield f"{indent}a{s.array}[{self.expr(s.index)}] = {self.expr(s.value)}"
            case ir.If():
                yield f"{indent}if {self.expr(s.test)}:"
                yield from self.body(s.then, indent + " ")
                if s.otherwise:
                    yield f"{indent}else:"
                    yield from self.body(s.otherwise, indent + " ")
            case ir.While():
                yield f"{indent}while {self.expr(s.test)}:"
                yield from self.body(s.body, indent + " ")
            case ir.Seed():
                yield indent + SEED.format(index=self.expr(s.index))
            case ir.Draw():
                yield indent + DRAW.format(target=f"v{s.target.number}", n=self.expr(s.n))
            case ir.Find():
                text = FIND.format(target=f"v{s.target.number}", word=self.expr(s.word), k=self.expr(s.k))
                yield from (indent + line for line in text.splitlines())
            case ir.Fill():
                yield f"{indent}p{s.pool} = {self.pool(s.words)}"
            case ir.Take():
                yield f"{indent}v{s.target.number} = p{s.pool}.pop({self.expr(s.k)})"
            case ir.Feed():
                yield f"{indent}digest = (digest ^ {self.expr(s.value)} & {WORD}) * {PRIME} & {WORD}"
            case ir.Clear():
                yield f"{indent}digest = {BASIS}"
            case ir.Keep():
                yield f"{indent}a{s.array}[{self.expr(s.index)}] = digest"
            case ir.Fail():
                yield f"{indent}return 1"
            case _:
                assert_never(s)

    def pool(self, words: tuple[ir.Expr, ...]) -> str:
        """A list of the elements of a set."""
        if all(isinstance(word, ir.Const) for word in words):
            flat = (word.value << WIDTH * i for i, word in enumerate(words) if isinstance(word, ir.Const))
            return str(members(sum(flat)))
        return f"members({' | '.join(f'{self.expr(word)} << {WIDTH * i}' for i, word in enumerate(words))})"

    def expr(self, e: ir.Expr) -> str:
        """An expression, in brackets where they matter."""
        match e:
            case ir.Const():
                return str(e.value) if e.value >= 0 else f"({e.value})"
            case ir.Truth():
                return str(e.value)
            case ir.Local():
                return f"v{e.number}"
            case ir.Load():
                return f"a{e.array}[{self.expr(e.index)}]"
            case ir.Look():
                return f"t{e.table}[{self.expr(e.index)}]"
            case ir.Unary():
                return f"(1 << {self.shift(e.of)})" if e.op == "bit" else self.unary(e.op, self.expr(e.of))
            case ir.Binary():
                return self.binary(e.op, self.expr(e.left), self.expr(e.right), e)
            case ir.Pick():
                return f"({self.expr(e.yes)} if {self.expr(e.test)} else {self.expr(e.no)})"
            case _:
                assert_never(e)

    def shift(self, by: ir.Expr) -> str:
        """The number of a bit; that of none is harmless."""
        sure = by.value >= 0 if isinstance(by, ir.Const) else isinstance(by, ir.Local) and by.number in self.bits
        return self.expr(by) if sure else f"({self.expr(by)} & {WIDTH - 1})"

    def unary(self, op: str, x: str) -> str:
        match op:
            case "popcount":
                return f"{x}.bit_count()" if not x.isdigit() else f"({x}).bit_count()"
            case "ctz":
                return f"(({x} & -{x}).bit_length() - 1)"
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

    def binary(self, op: str, x: str, y: str, e: ir.Binary) -> str:
        match op:
            case "minus":
                return f"({x} & ~{y})"
            case "has":
                return f"({x} >> {self.shift(e.right)} & 1 == 1)"
            case _:
                return f"({x} {SIMPLE[op]} {y})"
