"""From one question to seconds by other means: clingo, and an explicit search written for it alone.

The question is the shortest fish of block with four players: how few tiles, with a proof, and a deal and play that need no more.
"""

import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

ENCODING = Path(__file__).with_name("block_fish.lp")
PIPS = range(7)


def by_clingo() -> tuple[int, float]:
    """(tiles, seconds). Raises ImportError without clingo."""
    clingo: Any = import_module("clingo")
    started = time.perf_counter()
    bound = _control(clingo, "bound")
    (tiles,) = _solved(bound)[-1].cost
    play = _control(clingo, "play", clingo.Number(tiles))
    assert _solved(play), "the bound is not reached"
    return int(tiles), time.perf_counter() - started


def _control(clingo: Any, part: str, *arguments: Any) -> Any:
    control = clingo.Control(["--warn=none"])
    control.load(str(ENCODING))
    control.ground([("base", []), (part, list(arguments))])
    return control


def _solved(control: Any) -> list[Any]:
    """The models found; of an optimisation the last is the best."""
    with control.solve(yield_=True) as handle:
        return list(handle)


def by_search() -> tuple[int, float]:
    """(tiles, seconds): lines are made longer tile by tile until one shows no number that a tile in hand has.

    A line is built from its left end on, for in which order its tiles were laid does not matter to what fits. Four players
    who hold seven each can always have laid it without a pass.
    """
    started = time.perf_counter()
    tiles = 1
    while not any(_closed(line) for line in _lines(tiles)):
        tiles += 1
    return tiles, time.perf_counter() - started


Line = tuple[int, int, frozenset[tuple[int, int]]]
"""Left end, right end, tiles laid."""


def _lines(length: int) -> Iterator[Line]:
    """Every line of so many tiles, up to the names of the numbers: a new number is the lowest not seen."""

    def longer(last: int, seen: int, laid: frozenset[tuple[int, int]]) -> Iterator[Line]:
        if len(laid) == length:
            yield 0, last, laid
            return
        for pip in range(min(seen + 1, len(PIPS))):
            tile = (min(last, pip), max(last, pip))
            if tile not in laid:
                yield from longer(pip, max(seen, pip + 1), laid | {tile})

    return longer(0, 1, frozenset())


def _closed(line: Line) -> bool:
    left, right, laid = line
    return all((min(end, pip), max(end, pip)) in laid for end in (left, right) for pip in PIPS)
