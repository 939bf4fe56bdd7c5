"""From sets of dominoes and numbers of matches to what compiled play costs: linear in matches, no worse than linear in tiles.

    python benchmarks/scaling.py

Draw for two, with sets up to double-fifteen; the same matches twice and four times over; one thread and two.
"""

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from domrules.compiler.batch import Form, engine
from domrules.compiler.counts import Counts, Shape, Tally
from domrules.compiler.engine import Engine
from domrules.compiler.simulate import Job, simulate
from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.grammar.load import load
from domrules.grammar.passes import optimise

TOPS = {6: "double-six", 9: "double-nine", 12: "double-twelve", 15: "double-fifteen"}
ROUNDS, REPEATS = 60_000, 3
TRIAL = 200
"""Matches from which the rounds of a match are known."""
LONG = 400_000
"""Matches of double-six with which threads are compared."""
TWO_JOBS = 1.8


@dataclass(frozen=True)
class Cost:
    """What matches of a set came to: CPU seconds, rounds, moves."""

    seconds: float
    rounds: int
    moves: int


def draw(top: int) -> core.Instance:
    """Draw for two with all tiles up to double `top`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.dom"
        path.write_text(f"game large extends draw\nrule top = {top}\n", encoding="utf-8")
        return optimise(instantiate(load(path), 2))


def cost(instance: core.Instance, made: Engine, matches: int) -> Cost:
    """Matches from the first on."""
    fresh = made.again()
    begun = time.process_time()
    assert fresh.run(0, matches, 1)
    seconds = time.process_time() - begun
    tally = Tally.read(fresh, Shape.of(instance))
    return Cost(seconds, tally.rounds, tally.sum("moves"))


def sets() -> None:
    """A row for each set; the numbers of matches are such that about as many rounds are played."""
    print("Draw, 2 players, one thread: microseconds of CPU; a move and tiles beside double-six; k, 2k and 4k matches")
    print(
        f"{'set':<15}{'tiles':>6}{'moves':>8}{'a round':>10}{'a move':>9}{'x':>7}{'tiles x':>9}{'2k x':>8}{'4k x':>8}"
    )
    least: tuple[float, int] | None = None
    for top, name in TOPS.items():
        instance = draw(top)
        made, tiles = engine(instance, Counts(), Form.WASM), instance.sorts["tile"].size
        matches = max(1, ROUNDS * TRIAL // cost(instance, made, TRIAL).rounds)
        found = [[cost(instance, made, matches * k) for k in (1, 2, 4)] for _ in range(REPEATS)]
        one, two, four = (median(row[i].seconds for row in found) for i in range(3))
        rounds, moves = found[0][0].rounds, found[0][0].moves
        move = one / moves * 1e6
        least = least or (move, tiles)
        more, larger = move / least[0], tiles / least[1]
        print(
            f"{name:<15}{tiles:>6}{moves / rounds:>8.1f}{one / rounds * 1e6:>10.2f}{move:>9.3f}{more:>7.2f}{larger:>9.2f}"
            f"{two / one:>8.2f}{four / one:>8.2f}{'' if more <= larger else '  TOO MUCH'}"
        )


def threads() -> None:
    """Wall clock of one thread and two; worth reading on two idle cores only."""
    instance, ratios = draw(6), list[float]()
    for _ in range(REPEATS):
        one, two = (simulate(Job(instance, LONG, 1, jobs=jobs)).seconds for jobs in (1, 2))
        ratios.append(one / two)
    found = median(ratios)
    remark = "" if found >= TWO_JOBS else "  TOO LITTLE (or the cores were not idle)"
    print(f"two jobs against one: {found:.2f} x as fast by the clock  of {TWO_JOBS:.1f}{remark}")


def main() -> None:
    sets()
    threads()


if __name__ == "__main__":
    main()
