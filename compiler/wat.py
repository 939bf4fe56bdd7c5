"""The imperative language → WebAssembly in its text form, and where in memory its arrays lie."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from domrules.compiler import ir
from domrules.interpreter.chance import BASIS, FIRST, GOLDEN, PRIME, SECOND

PAGE = 1 << 16
CELL = 8
WIDTH = 64


@dataclass(frozen=True)
class Module:
    """`text` exports the function `run` (first match, first one after the last, mixed seed; 0, or 1 after a `Fail`) and
    the memory, in which the exported arrays begin at `exports`, as bytes, with so many numbers of 64 bits.
    """

    text: str
    exports: Mapping[str, tuple[int, int]]


def module(program: ir.Program) -> Module:
    """The module of a program."""
    return _Printer(program).module()


# The k-th element of a word without a branch: sums of its bytes, the byte in which it lies, a table for that byte.
SUMS = """(local.set {sums} (i64.sub {word} (i64.and (i64.shr_u {word} (i64.const 1)) (i64.const 0x5555555555555555))))
(local.set {sums} (i64.add (i64.and (local.get {sums}) (i64.const 0x3333333333333333))
 (i64.and (i64.shr_u (local.get {sums}) (i64.const 2)) (i64.const 0x3333333333333333))))
(local.set {sums} (i64.mul (i64.const 0x0101010101010101)
 (i64.and (i64.add (local.get {sums}) (i64.shr_u (local.get {sums}) (i64.const 4))) (i64.const 0x0f0f0f0f0f0f0f0f))))"""
FIND = """(local.set $at (i64.shl (i64.popcnt (i64.and (i64.const 0x8080808080808080) (i64.sub
 (i64.or (i64.mul (local.get $k) (i64.const 0x0101010101010101)) (i64.const 0x8080808080808080)) (local.get {sums})))) (i64.const 3)))
(local.set $k (i64.sub (local.get $k)
 (i64.and (i64.shr_u (i64.shl (local.get {sums}) (i64.const 8)) (local.get $at)) (i64.const 255))))
(local.set {target} (i64.add (local.get $at) (i64.load8_u (i32.add (i32.const {select}) (i32.wrap_i64 (i64.or
 (i64.shl (i64.and (local.get $k) (i64.const 7)) (i64.const 8))
 (i64.and (i64.shr_u {word} (local.get $at)) (i64.const 255))))))))"""
WORD = "(local.get $word)"
# The first four elements lie near: at most three are dropped, without a branch.
NEAR = """(local.set $sums (i64.and (local.get $word) (i64.sub (local.get $word) (i64.const 1))))
(local.set $at (i64.and (local.get $sums) (i64.sub (local.get $sums) (i64.const 1))))
(local.set {target} (i64.ctz (select
 (select (i64.and (local.get $at) (i64.sub (local.get $at) (i64.const 1))) (local.get $at) (i32.wrap_i64 (i64.and (local.get $k) (i64.const 1))))
 (select (local.get $sums) (local.get $word) (i32.wrap_i64 (i64.and (local.get $k) (i64.const 1))))
 (i32.wrap_i64 (i64.and (local.get $k) (i64.const 2))))))"""
TAKE = f"""{FIND}
(local.set {{local}} (i64.xor {{word}} (i64.shl (i64.const 1) (local.get {{target}}))))
(local.set {{sums}} (i64.sub (local.get {{sums}}) (i64.shl (i64.const 0x0101010101010101) (local.get $at))))"""
MIX = f"""
(func $mix (param $z i64) (result i64)
 (local.set $z (i64.mul (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 30))) (i64.const {FIRST:#x})))
 (local.set $z (i64.mul (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 27))) (i64.const {SECOND:#x})))
 (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 31))))
"""
SEED = f"""(local.set $s1 (i64.add (i64.xor (local.get $seed) {{index}}) (i64.const {GOLDEN:#x})))
(local.set $s0 (call $mix (local.get $s1)))
(local.set $s1 (call $mix (i64.add (local.get $s1) (i64.const {GOLDEN:#x}))))"""
DRAW = """(local.set $word (i64.add (local.get $s0) (local.get $s1)))
(local.set $s1 (i64.xor (local.get $s1) (local.get $s0)))
(local.set $s0 (i64.xor (i64.xor (i64.rotl (local.get $s0) (i64.const 24)) (local.get $s1)) (i64.shl (local.get $s1) (i64.const 16))))
(local.set $s1 (i64.rotl (local.get $s1) (i64.const 37)))
(local.set {target} (i64.shr_u (i64.mul (i64.shr_u (local.get $word) (i64.const 32)) {n}) (i64.const 32)))"""
SELECT = bytes(([i for i in range(8) if byte >> i & 1] + [0] * 8)[k] for k in range(8) for byte in range(256))
"""At [256 k + byte] the k-th element of a byte."""

SIMPLE = {
    "add": "i64.add",
    "sub": "i64.sub",
    "mul": "i64.mul",
    "lt": "i64.lt_s",
    "le": "i64.le_s",
    "eq": "i64.eq",
    "ne": "i64.ne",
    "and": "i64.and",
    "or": "i64.or",
    "xor": "i64.xor",
    "both": "i32.and",
    "either": "i32.or",
    "same": "i32.eq",
}


class _Printer:
    def __init__(self, program: ir.Program) -> None:
        self.program = program
        self.arrays: list[int] = []
        self.tables: list[int] = []
        # Every array and table has a place before it, for an index of -1; that of a table holds 0.
        free = CELL
        for array in program.arrays:
            self.arrays.append(free + CELL)
            free += CELL * (array.size + 1)
        self.select, free = free, free + 8 * 256
        self.data = free
        for table in program.tables:
            self.tables.append(free + CELL)
            free += CELL * (len(table) + 1)
        self.size = free

    def module(self) -> Module:
        program = self.program
        exports = {a.export: (at, a.size) for a, at in zip(program.arrays, self.arrays, strict=True) if a.export}
        return Module("\n".join(self.lines()), exports)

    def lines(self) -> Iterator[str]:
        yield "(module"
        yield f'(memory (export "memory") {-(-self.size // PAGE)})'
        yield f'(data (i32.const {self.data}) "{self.bytes()}")'
        yield f'(data (i32.const {self.select}) "{_bytes(SELECT)}")'
        yield MIX
        kinds = [k.value for k in self.program.locals]
        yield '(func (export "run") (param $v0 i64) (param $v1 i64) (param $seed i64) (result i32)'
        yield "(local $s0 i64) (local $s1 i64) (local $digest i64)"
        yield "(local $word i64) (local $k i64) (local $sums i64) (local $at i64)"
        for pool, words in enumerate(self.program.pools):
            yield from (f"(local $pool{pool}_{i} i64) (local $sums{pool}_{i} i64)" for i in range(words))
        yield from (f"(local $v{i} {kind})" for i, kind in enumerate(kinds) if i > 1)
        yield from self.body(self.program.body)
        yield "(i32.const 0)))"

    def bytes(self) -> str:
        values = (v for table in self.program.tables for v in (0, *table))
        return _bytes(b"".join((v & (1 << 64) - 1).to_bytes(CELL, "little") for v in values))

    # ------------------------------------------------------------ statements

    def body(self, body: ir.Body) -> Iterator[str]:
        for s in body:
            yield from self.stmt(s)

    def stmt(self, s: ir.Stmt) -> Iterator[str]:
        match s:
            case ir.Assign():
                yield f"(local.set $v{s.target.number} {self.expr(s.value)})"
            case ir.Store():
                yield f"(i64.store {self.address(self.arrays[s.array], s.index)} {self.expr(s.value)})"
            case ir.If():
                yield f"(if {self.expr(s.test)} (then"
                yield from self.body(s.then)
                if s.otherwise:
                    yield ") (else"
                    yield from self.body(s.otherwise)
                yield "))"
            case ir.While():
                yield f"(block (loop (br_if 1 (i32.eqz {self.expr(s.test)}))"
                yield from self.body(s.body)
                yield "(br 0)))"
            case ir.Seed():
                yield SEED.format(index=self.expr(s.index))
            case ir.Draw():
                yield DRAW.format(target=f"$v{s.target.number}", n=self.expr(s.n))
            case ir.Find():
                yield f"(local.set $word {self.expr(s.word)}) (local.set $k {self.expr(s.k)})"
                target = f"$v{s.target.number}"
                yield f"(if (i64.lt_u (local.get $k) (i64.const 4)) (then {NEAR.format(target=target)}) (else"
                yield SUMS.format(word=WORD, sums="$sums")
                yield f"{FIND.format(word=WORD, sums='$sums', target=target, select=self.select)}))"
            case ir.Fill():
                for i, word in enumerate(s.words):
                    local = f"$pool{s.pool}_{i}"
                    yield f"(local.set {local} {self.expr(word)})"
                    yield SUMS.format(word=f"(local.get {local})", sums=f"$sums{s.pool}_{i}")
            case ir.Take():
                yield f"(local.set $k {self.expr(s.k)})"
                yield from self.take(s, 0)
            case ir.Feed():
                mixed = f"(i64.xor (local.get $digest) {self.expr(s.value)})"
                yield f"(local.set $digest (i64.mul {mixed} (i64.const {PRIME})))"
            case ir.Clear():
                yield f"(local.set $digest (i64.const {BASIS:#x}))"
            case ir.Keep():
                yield f"(i64.store {self.address(self.arrays[s.array], s.index)} (local.get $digest))"
            case ir.Fail():
                yield "(return (i32.const 1))"
            case _:
                assert_never(s)

    def take(self, s: ir.Take, i: int) -> Iterator[str]:
        """Take out of this word of a pool or a later one."""
        target, local, sums = f"$v{s.target.number}", f"$pool{s.pool}_{i}", f"$sums{s.pool}_{i}"
        here = TAKE.format(word=f"(local.get {local})", local=local, sums=sums, target=target, select=self.select)
        if i:
            here += f"\n(local.set {target} (i64.add (local.get {target}) (i64.const {WIDTH * i})))"
        if i == self.program.pools[s.pool] - 1:
            yield here
        else:
            yield f"(if (i64.lt_s (local.get $k) (i64.shr_u (local.get {sums}) (i64.const 56))) (then"
            yield f"{here}) (else"
            yield f"(local.set $k (i64.sub (local.get $k) (i64.shr_u (local.get {sums}) (i64.const 56))))"
            yield from self.take(s, i + 1)
            yield "))"

    def address(self, base: int, index: ir.Expr) -> str:
        """The offset and the address of a place."""
        if isinstance(index, ir.Const):
            return f"(i32.const {base + CELL * index.value})"
        # An offset is added without wrapping, so the place before the first (index -1) must come from the address.
        return f"(i32.add (i32.const {base}) (i32.shl (i32.wrap_i64 {self.expr(index)}) (i32.const 3)))"

    # ------------------------------------------------------------ expressions

    def expr(self, e: ir.Expr) -> str:
        match e:
            case ir.Const():
                return f"(i64.const {e.value if e.value < 1 << 63 else e.value - (1 << 64)})"
            case ir.Truth():
                return f"(i32.const {int(e.value)})"
            case ir.Local():
                return f"(local.get $v{e.number})"
            case ir.Load():
                return f"(i64.load {self.address(self.arrays[e.array], e.index)})"
            case ir.Look():
                return f"(i64.load {self.address(self.tables[e.table], e.index)})"
            case ir.Unary():
                return self.unary(e.op, self.expr(e.of), e.of)
            case ir.Binary("eq" | "ne", ir.Binary("mod", of, by), ir.ZERO):
                return f"({SIMPLE[e.op]} (i64.rem_s {self.expr(of)} {self.expr(by)}) (i64.const 0))"
            case ir.Binary("div" | "mod", of, ir.Const(by)):
                return floored(e.op, self.expr(of), by)
            case ir.Binary():
                return self.binary(e.op, self.expr(e.left), self.expr(e.right))
            case ir.Pick():
                return f"(select {self.expr(e.yes)} {self.expr(e.no)} {self.expr(e.test)})"
            case _:
                assert_never(e)

    def unary(self, op: str, x: str, of: ir.Expr) -> str:
        match op:
            case "popcount":
                return f"(i64.popcnt {x})"
            case "ctz":
                return f"(i64.ctz {x})"
            case "bit":
                return f"(i64.shl (i64.const 1) {x})"
            case "drop":
                return f"(i64.and {x} (i64.sub {x} (i64.const 1)))"
            case "not":
                return f"(i32.eqz {x})"
            case "int":
                return f"(i64.extend_i32_u {x})"
            case "truth":
                return f"(i64.ne {x} (i64.const 0))"
            case _:
                raise AssertionError(f"no such operator: {op}")

    def binary(self, op: str, x: str, y: str) -> str:
        match op:
            case "minus":
                return f"(i64.and {x} (i64.xor {y} (i64.const -1)))"
            case "has":
                return f"(i32.wrap_i64 (i64.and (i64.shr_u {x} {y}) (i64.const 1)))"
            case _:
                return f"({SIMPLE[op]} {x} {y})"


def floored(op: str, x: str, by: int) -> str:
    """div or mod by a positive number. What WebAssembly divides it rounds towards 0; shifts and masks go to the floor."""
    if by & by - 1 == 0:
        name, amount = ("shr_s", by.bit_length() - 1) if op == "div" else ("and", by - 1)
        return f"(i64.{name} {x} (i64.const {amount}))"
    divisor = f"(i64.const {by})"
    left = f"(i64.rem_s {x} {divisor})"
    below = f"(i64.shr_s {left} (i64.const 63))"
    if op == "div":
        return f"(i64.add (i64.div_s {x} {divisor}) {below})"
    return f"(i64.add {left} (i64.and {divisor} {below}))"


def _bytes(data: bytes) -> str:
    """Bytes as the text form writes them."""
    return "".join(f"\\{byte:02x}" for byte in data)
