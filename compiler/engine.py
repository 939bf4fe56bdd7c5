"""A program made ready to run: by wasmtime, or as Python where that is not installed or not wanted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from domrules.compiler import ir, wat
from domrules.interpreter.chance import WORD, splitmix64


class Trap(Exception):
    """Compiled code did what it never may (or, with `fuel`, did not come to an end). A mistake of ours."""

    game = 0
    """Which of the games it was that are played side by side."""

    def __init__(self, sentence: str, index: int) -> None:
        self.index = index
        super().__init__(sentence)


class Engine(Protocol):
    """Plays matches of one program. Not to be shared between threads; `again` gives another one cheaply."""

    def run(self, first: int, last: int, seed: int) -> bool:
        """Play matches first to last - 1; false if one of them was stopped by a `Fail`: the one in array `at`."""
        ...

    def read(self, name: str) -> Sequence[int]:
        """What an exported array holds, as signed numbers."""
        ...

    def again(self) -> Engine: ...


def mixed(seed: int) -> int:
    """What a seed contributes to the name of a match."""
    return splitmix64(seed & WORD)[1]


def signed(value: int) -> int:
    """64 bits as a signed number."""
    return value - (1 << 64) if value >> 63 else value


class PythonEngine:
    """Generated Python."""

    def __init__(self, program: ir.Program) -> None:
        from domrules.compiler import python

        self.program = program
        self.function, self.arrays = python.compiled(program)

    def run(self, first: int, last: int, seed: int) -> bool:
        return self.function(first, last, mixed(seed)) == 0

    def read(self, name: str) -> Sequence[int]:
        return [signed(v & WORD) for v in self.arrays[name]]

    def again(self) -> PythonEngine:
        return PythonEngine(self.program)


class WasmEngine:
    """WebAssembly, run by wasmtime, which is imported only here. With `fuel` it stops after about so many instructions."""

    def __init__(self, program: ir.Program, fuel: int | None = None) -> None:
        import wasmtime

        config = wasmtime.Config()
        config.consume_fuel = fuel is not None
        self.fuel = fuel
        config.cranelift_opt_level = "speed"
        self.printed = wat.module(program)
        self.wasmtime = wasmtime
        self.engine = wasmtime.Engine(config)
        try:
            self.module = wasmtime.Module(self.engine, self.printed.text)
        except wasmtime.WasmtimeError as refused:
            raise Trap(f"the compiled rules are refused: {refused}", 0) from None
        self.open()

    def open(self) -> None:
        self.store = self.wasmtime.Store(self.engine)
        exports = self.wasmtime.Instance(self.store, self.module, []).exports(self.store)
        function, memory = exports["run"], exports["memory"]
        assert isinstance(function, self.wasmtime.Func)
        assert isinstance(memory, self.wasmtime.Memory)
        self.function, self.memory = function, memory

    def run(self, first: int, last: int, seed: int) -> bool:
        if self.fuel is not None:
            self.store.set_fuel(self.fuel)
        try:
            return bool(self.function(self.store, first, last, signed(mixed(seed))) == 0)
        except (self.wasmtime.Trap, self.wasmtime.WasmtimeError) as trap:
            index = self.read("at")[0]
            raise Trap(f"match {index} of seed {seed}: {trap}", index) from None

    def read(self, name: str) -> Sequence[int]:
        start, size = self.printed.exports[name]
        data = self.memory.read(self.store, start, start + 8 * size)
        return memoryview(data).cast("q")

    def again(self) -> WasmEngine:
        other = object.__new__(WasmEngine)
        other.printed, other.wasmtime, other.engine, other.module = (
            self.printed,
            self.wasmtime,
            self.engine,
            self.module,
        )
        other.fuel = self.fuel
        other.open()
        return other
