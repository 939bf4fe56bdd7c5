"""From a number of rounds to speeds of compiled play: ratios to OpenSpiel in one process, and CPU seconds of fresh ones.

OpenSpiel plays its `python_block_dominoes`, we play `specs/house/openspiel_block.dom`, which is the same game: the same
share of blocked rounds and the same number of plays stand beside. All rows run in turn and three times over.

Two games are also written by hand, in `reference.cpp`: the same matches, and the same statistics of them, as ours.
"""

import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median

import openspiel_block
import reference
import scaling
from openspiel_block import Sample
from reference import NATIVE, PLAIN, Reference
from run import Row, table

from domrules.compiler.balance import balance
from domrules.compiler.batch import Form, engine
from domrules.compiler.counts import Counts, Shape, Tally
from domrules.compiler.engine import Engine
from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.grammar.load import SHIPPED, load
from domrules.grammar.passes import optimise
from domrules.interpreter.chance import Chance
from domrules.interpreter.play import play_match
from domrules.interpreter.rules import Rules

ROOT = Path(__file__).resolve().parent.parent
REPEATS = 3
SPIEL, OURS, GENERATED, COMPILED = 300, 1_000, 20_000, 500_000
"""Rounds of a run: OpenSpiel, the interpreter, generated Python, WebAssembly."""
BY_HAND, MATCHES = 0.4, 60_000
"""How fast compiled rules must be beside C++ written by hand, and matches of a run."""


@dataclass(frozen=True)
class Command:
    """A fresh process: what it is, the CPU seconds allowed, its arguments."""

    name: str
    bar: float
    arguments: tuple[str, ...]


COMMANDS = (
    Command("rules to 10,000 rounds of draw", 0.4, ("draw", "-n", "1195", "--jobs", "1")),
    Command("a million rounds of draw", 1.5, ("draw", "-n", "119500", "--jobs", "1")),
)
MEMORY = 150.0
"""MB allowed, however many matches are played."""


@cache
def instance(name: str) -> core.Instance:
    return optimise(instantiate(load(SHIPPED / f"{name}.dom"), 2))


@cache
def compiled(name: str, form: Form) -> Engine:
    return engine(instance(name), Counts(), form)


def play(form: Form, rounds: int, seed: int) -> Sample:
    """Matches of OpenSpiel's game, each of which is one round."""
    rules, made = instance("house/openspiel_block"), compiled("house/openspiel_block", form).again()
    start = time.process_time()
    assert made.run(0, rounds, seed)
    seconds = time.process_time() - start
    found = balance(rules, Tally.read(made, Shape.of(rules)))
    assert found.fish is not None
    plays = sum(found.actions[a.name] for a in rules.actions if a.role == "play")
    return Sample(rounds / seconds, found.fish.value, plays)


def interpreted(rounds: int, seed: int) -> Sample:
    """The same by the reference interpreter."""
    rules = Rules(instance("house/openspiel_block"))
    blocked = plays = 0
    start = time.process_time()
    for index in range(rounds):
        (played,) = play_match(rules, Chance.named(seed, index)).rounds
        ending = rules.ending(played.ended)
        blocked += ending is not None and rules.instance.endings[ending].role == "fish"
        plays += sum(rules.instance.actions[ply.move.action].role == "play" for ply in played.plies)
    return Sample(rounds / (time.process_time() - start), blocked / rounds, plays / rounds)


def rows() -> list[Row]:
    """OpenSpiel first: the ratios are to it."""
    return [
        Row("OpenSpiel python_block_dominoes", lambda seed: openspiel_block.play(SPIEL, seed)),
        Row("our interpreter", lambda seed: interpreted(OURS, seed)),
        Row("generated Python", lambda seed: play(Form.PYTHON, GENERATED, seed)),
        Row("WebAssembly", lambda seed: play(Form.WASM, COMPILED, seed)),
    ]


def beside(by_hand: Reference, game: str) -> str:
    """A line: our matches of a CPU second beside those of C++, after a look whether both counted the same."""
    theirs, ours = list[float](), list[float]()
    shape = Shape.of(instance(game))
    for seed in range(1, REPEATS + 1):
        told = by_hand.count(game, 0, MATCHES, seed)
        made = compiled(game, Form.WASM).again()
        start = time.process_time()
        assert made.run(0, MATCHES, seed)
        ours.append(MATCHES / (time.process_time() - start))
        theirs.append(MATCHES / told.seconds)
        if told.arrays != reference.counted(Tally.read(made, shape)):
            return f"{game:<12}  ANOTHER ANSWER: seed {seed}"
    ratio = median(ours) / median(theirs)
    slow = "" if ratio >= BY_HAND else "  TOO SLOW"
    return f"{game:<12}  {median(theirs):>12,.0f}  {median(ours):>12,.0f}  {ratio:>6.2f} x{slow}"


def written_by_hand() -> None:
    """The tables of the games that are written in C++, too."""
    with reference.compiled([NATIVE, PLAIN]) as made:
        if not made:
            print("\nNo C++ compiler: nothing to compare with reference.cpp.")
        for by_hand in made:
            print(f"\nMatches a CPU second beside reference.cpp ({by_hand.made_by}), 2 players; wanted: {BY_HAND} x")
            print(f"{'':<12}  {'by hand':>12}  {'WebAssembly':>12}  {'ratio':>8}")
            for game in reference.GAMES:
                print(beside(by_hand, game), flush=True)


def fresh(command: Command) -> tuple[float, float]:
    """CPU seconds and peak memory (MB) of `dom simulate …` as a new process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, after.ru_maxrss / 1024


def run(command: Command) -> None:
    """A new process, which may leave bytecode behind as an installed program has it, whatever the environment says."""
    line = [sys.executable, "-m", "domrules", "simulate", *command.arguments]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(line, cwd=ROOT, env=environment, check=True, capture_output=True)


def main() -> None:
    print("Fresh processes: CPU seconds and memory, beside what is allowed")
    run(COMMANDS[0])
    for command in COMMANDS:
        samples = [fresh(command) for _ in range(REPEATS)]
        spent, memory = median(s for s, _ in samples), max(m for _, m in samples)
        remark = ("" if spent <= command.bar else "  TOO LONG") + ("" if memory <= MEMORY else "  TOO LARGE")
        print(f"{command.name:<32} {spent:6.2f} s  of {command.bar:.1f}  {memory:4.0f} MB  of {MEMORY:.0f}{remark}")
    print()
    scaling.main()
    written_by_hand()
    print("\nRounds of OpenSpiel's block, 2 players, random play; wanted: WebAssembly 1,000 x, Python 10 x")
    try:
        print(table(rows(), REPEATS))
    except ImportError as error:
        sys.exit(f"The other programs are not installed ({error}); `make bench` installs them.")


if __name__ == "__main__":
    main()
