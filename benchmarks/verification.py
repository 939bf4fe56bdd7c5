"""From questions to the seconds their answers take: the median of three, beside the time that is allowed.

Building and solving are counted, imports are not, and nothing is kept from one run to the next. Commands run as new
processes without a cache of the user's; of those the CPU seconds are counted, imports and all.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

import other_solvers

from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.grammar.load import load
from domrules.grammar.passes import optimise
from domrules.verifier.battery.run import TITLES, Request, verify
from domrules.verifier.explicit.lazy import least
from domrules.verifier.explicit.steps import Memory
from domrules.verifier.verdict import Standing, Verdict

ROOT = Path(__file__).resolve().parent.parent
GAMES = Path(__file__).resolve().parent / "games"
REPEATS = 3
OURS = "our search of all deals"
Seconds = Callable[[], float]
"""Asks once and says how long it took. Raises AssertionError when the answer is not the expected one."""


@dataclass(frozen=True)
class Row:
    """A line of the table: what is asked, the seconds allowed, how to ask; and how others answer, by their names."""

    name: str
    bar: float
    measure: Seconds | None
    """None: the question cannot be asked yet."""
    others: dict[str, Seconds] = field(default_factory=dict)


def command(*arguments: str) -> Seconds:
    """The CPU seconds of `dom …` as a new process. Raises CalledProcessError when it fails."""

    def measure() -> float:
        before = children()
        with tempfile.TemporaryDirectory() as home:
            environment = {**os.environ, "HOME": home, "XDG_CACHE_HOME": home}
            line = [sys.executable, "-m", "domrules", *arguments]
            subprocess.run(line, cwd=ROOT, env=environment, check=True, capture_output=True)
        return children() - before

    return measure


def children() -> float:
    """CPU seconds of all processes started so far that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def answer(file: Path, players: int, items: Collection[str], word: str = "", tiles: str = "") -> Seconds:
    """The wall seconds of some items or claims of a checked file: instance, lemmas, solving, replay.

    Without a word every answer must be established or skipped.
    """
    game = load(file)

    def measure() -> float:
        taken, verdicts = asked(game, Request([players], only=items))
        for verdict in verdicts:
            assert verdict.word.value == word if word else established(verdict), verdict
            assert not tiles or verdict.details[0].startswith(tiles), verdict.details
        return taken

    return measure


def asked(game: core.Game, request: Request) -> tuple[float, Sequence[Verdict]]:
    start = time.perf_counter()
    verdicts = list(verify(game, request))
    return time.perf_counter() - start, verdicts


def established(verdict: Verdict) -> bool:
    return verdict.word.standing in (Standing.ESTABLISHED, None)


def battery(file: Path, players: int) -> Seconds:
    """The wall seconds of the whole battery, without the claims."""
    game = load(file)

    def measure() -> float:
        taken, verdicts = asked(game, Request([players], only=list(TITLES)))
        assert all(v.word.standing is not Standing.DISAGREE for v in verdicts), verdicts
        return taken

    return measure


def slowest(tables: Iterator[tuple[Path, int]], items: Collection[str]) -> Seconds:
    """The longest wall seconds of any of these tables."""
    measures = [answer(file, players, items) for file, players in tables]
    return lambda: max(measure() for measure in measures)


def tables(every: bool) -> Iterator[tuple[Path, int]]:
    """The shipped games at all their player counts, or at the fewest only."""
    for path in sorted((ROOT / "specs").glob("*.dom")):
        seats = load(path).seats
        yield from ((path, players) for players in (seats if every else seats[:1]))


def lines() -> Iterator[tuple[Path, int]]:
    """Tables where a line of tiles grows, some of them with a spinner."""
    names = ("block", 4), ("draw", 2), ("petkove", 4), ("straight", 2)
    yield from ((spec(name), players) for name, players in names)
    yield from ((GAMES / f"spinner_{kind}.dom", 4) for kind in ("both", "once"))


def spec(name: str) -> Path:
    return ROOT / "specs" / f"{name}.dom"


def fish(file: Path, players: int, tiles: str) -> Seconds:
    return answer(file, players, ["F2"], "WITNESSED", tiles)


def most_of_a_play(file: Path, points: int, tiles: str) -> Seconds:
    """The wall seconds of two claims: so many points are the most, met and proved; and with how few tiles they can be had."""
    game = load(file)

    def measure() -> float:
        taken, (most, soon) = asked(game, Request([2], only=["most", "soon"]))
        assert most.word.value == "PROVED this table", most
        assert most.details[0].startswith(f"the greatest value is {points}:"), most.details
        assert soon.word.value == "WITNESSED", soon
        assert soon.details[0].startswith(f"{tiles}, "), soon.details
        return taken

    return measure


def searched(file: Path, players: int, tiles: int) -> Seconds:
    """The seconds of our search of all deals, in which the solver has no part."""
    instance = optimise(replace(instantiate(load(file), players), events=()))
    fish = [i for i, e in enumerate(instance.endings) if e.role == "fish"]

    def solve() -> tuple[int, float]:
        started = time.perf_counter()
        found = least(instance, fish, Memory.STOCK).tiles
        return -1 if found is None else found, time.perf_counter() - started

    return expecting(tiles, solve)


def expecting(tiles: int, solve: Callable[[], tuple[int, float]]) -> Seconds:
    """The seconds of somebody else's answer."""

    def measure() -> float:
        found, seconds = solve()
        assert found == tiles, found
        return seconds

    return measure


def rows() -> Iterator[Row]:
    """All that has a bar."""
    others = {
        "clingo": expecting(10, other_solvers.by_clingo),
        "an explicit search": expecting(10, other_solvers.by_search),
        OURS: searched(spec("block"), 4, 10),
    }
    proved, both, once = "PROVED this table", GAMES / "spinner_both.dom", GAMES / "spinner_once.dom"
    yield Row("shortest fish, block 4x7: 10 tiles", 5.0, fish(spec("block"), 4, "10 tiles"), others)
    again = {OURS: searched(spec("draw"), 2, 10)}
    yield Row("shortest fish, draw 2x7: 10 tiles", 5.0, fish(spec("draw"), 2, "10 tiles"), again)
    yield Row("the same, 1 tile never drawn: 9 tiles", 5.0, fish(GAMES / "reserve_one.dom", 2, "9 tiles"))
    yield Row("the same, 2 tiles never drawn: 7 tiles", 5.0, fish(GAMES / "reserve_two.dom", 2, "7 tiles"))
    yield Row("shortest fish, block 2x7: 1 tile", 5.0, fish(spec("block"), 2, "1 tile"))
    yield Row("shortest fish, spinner, arms after both sides: 10 tiles", 10.0, fish(both, 4, "10 tiles"))
    yield Row("shortest fish, spinner, arms at once: 10 tiles", 10.0, fish(once, 4, "10 tiles"))
    laws = GAMES / "laws.dom"
    yield Row("block 4x7: no fish of fewer than 10 tiles", 1.0, answer(laws, 4, ["never_shorter"], proved))
    yield Row("block 4x7: no fish with two different ends", 1.0, answer(laws, 4, ["equal_ends"], proved))
    yield Row("with a tile never drawn there is one: 12 tiles", 5.0, fish(GAMES / "apart.dom", 2, "12 tiles"))
    yield Row("conservation and lemmas by induction, slowest line game", 2.0, slowest(lines(), ["D3"]))
    yield Row("a starter, and only one, slowest table", 0.5, slowest(tables(every=True), ["S1", "S2"]))
    yield Row("rounding and settlements, slowest game", 1.0, slowest(tables(every=False), ["C1", "C2", "C4"]))
    for name, table in ("fives", GAMES / "fives.dom"), ("fives, led by the heaviest", GAMES / "fives_led.dom"):
        yield Row(f"most points of one play of {name}: 35, after 9 plays", 15.0, most_of_a_play(table, 35, "9 tiles"))
    yield Row("the whole battery, block 4x7", 30.0, battery(spec("block"), 4))
    yield Row("the whole battery, petkove 2x7", 30.0, battery(spec("petkove"), 2))
    yield Row("dom check specs/petkove.dom, new process", 0.35, command("check", "specs/petkove.dom"))
    yield Row("dom --help, new process", 0.2, command("--help"))


def table(rows: Iterator[Row], repeats: int = REPEATS) -> Iterator[str]:
    """Measure each row several times; the lines of the table as they are ready."""
    yield f"{'':<58}  {'seconds':>8}  {'allowed':>8}"
    for row in rows:
        shown, remark = told(row.measure, repeats, row.bar)
        yield f"{row.name:<58}  {shown:>8}  {row.bar:>8.2f}  {remark}".rstrip()
        for name, measure in row.others.items():
            shown, remark = told(measure, repeats)
            yield f"{f'  the same by {name}':<58}  {shown:>8}  {'':>8}  {remark}".rstrip()


def told(measure: Seconds | None, repeats: int, bar: float = float("inf")) -> tuple[str, str]:
    """The median, and what there is to say of it."""
    if measure is None:
        return "-", "not asked yet"
    try:
        seconds = median(measure() for _ in range(repeats))
    except ImportError:
        return "-", "not installed"
    except AssertionError as wrong:
        return "-", f"ANOTHER ANSWER: {str(wrong)[:200]}"
    return f"{seconds:.2f}", "" if seconds <= bar else "TOO LONG"


def main() -> None:
    print(f"Answers, median of {REPEATS}")
    for line in table(rows()):
        print(line, flush=True)


if __name__ == "__main__":
    main()
