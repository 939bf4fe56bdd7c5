"""From reference.cpp to the program, where there is a C++ compiler, and what it says of matches as numbers."""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from domrules.compiler.counts import HIGHS, Tally

SOURCE = Path(__file__).with_suffix(".cpp")
GAMES = ("draw", "petkove")
PLAYERS = 2
COMPILERS = ("c++", "g++", "clang++")
NATIVE, PLAIN = "-O3 -march=native", "-O3"
"""For this machine, as WebAssembly is compiled; and for any machine of its kind."""
ENDINGS = 3


@dataclass(frozen=True)
class Counted:
    """What the reference counts of matches, in the form of `counted`, and the CPU seconds it took to play them."""

    arrays: dict[str, tuple[int, ...]]
    seconds: float


@dataclass(frozen=True)
class Reference:
    """The compiled program. `made_by`: the compiler as it names itself, and its options."""

    program: Path
    made_by: str

    def trace(self, game: str, first: int, last: int, seed: int) -> list[tuple[int, int, int, int]]:
        """Of each match the winners (a mask), rounds, moves, and the digest of all that was decided."""
        rows = (line.split() for line in self._lines(game, "trace", first, last, seed))
        return [(int(winners), int(rounds), int(moves), int(digest, 16)) for winners, rounds, moves, digest in rows]

    def count(self, game: str, first: int, last: int, seed: int) -> Counted:
        """The statistics of all these matches."""
        found = {name: values for name, *values in map(str.split, self._lines(game, "count", first, last, seed))}
        (seconds,) = found.pop("seconds")
        return Counted({name: tuple(map(int, values)) for name, values in found.items()}, float(seconds))

    def _lines(self, game: str, what: str, first: int, last: int, seed: int) -> list[str]:
        line = [str(self.program), game, what, str(first), str(last), str(seed)]
        return subprocess.run(line, check=True, capture_output=True, text=True).stdout.splitlines()


@contextmanager
def compiled(options: Sequence[str]) -> Iterator[list[Reference]]:
    """The reference with each of these options, PLAIN or such as the compiler knows, as long as it is used.

    Nothing where there is no compiler; raises CalledProcessError where the source is wrong.
    """
    with TemporaryDirectory(prefix="dom-reference-") as folder:
        yield list(_made(Path(folder), options))


def _made(folder: Path, options: Sequence[str]) -> Iterator[Reference]:
    compiler, name = next(_compilers(), ("", ""))
    for number, chosen in enumerate(options if compiler else ()):
        program = folder / f"reference{number}"
        line = [compiler, "-std=c++17", *chosen.split(), "-o", str(program), str(SOURCE)]
        if subprocess.run(line, check=chosen == PLAIN, capture_output=True).returncode == 0:
            yield Reference(program, f"{name}, {chosen}")


def _compilers() -> Iterator[tuple[str, str]]:
    """Compilers that are there and run, and how they name themselves."""
    for compiler in filter(shutil.which, COMPILERS):
        told = subprocess.run([compiler, "--version"], check=False, capture_output=True, text=True)
        if told.returncode == 0:
            yield compiler, told.stdout.partition("\n")[0]


def counted(tally: Tally) -> dict[str, tuple[int, ...]]:
    """What the reference must count where our engines count this; it knows all three endings in either game."""
    arrays = dict(tally.arrays)
    for name in ("ended", "paid"):
        arrays[name] = (0,) * (ENDINGS - len(arrays[name])) + arrays[name]
    arrays["highs"] = tuple(map(tally.high, HIGHS))
    arrays["lows"] = tuple(map(tally.low, HIGHS))
    return arrays
