"""The same matches on the workers of a Dask scheduler: what comes of a part of them depends on nothing but its numbers.

A part is asked for once and counted once. If a worker is lost, the scheduler gives its parts to others; a part that is played
twice has the same result, of which one is taken.
"""

from __future__ import annotations

import atexit
import pickle
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import metadata
from typing import Any, Protocol
from uuid import uuid4

from domrules.compiler.counts import Shape, Tally
from domrules.compiler.engine import Trap
from domrules.compiler.rows import CHUNK
from domrules.compiler.simulate import InOrder, Job, Keep, NoCluster, Opened, Played, Row, kept, opened, play, why

PARTS = 8
"""Parts for each thread of the cluster: so many, that a slow worker does not hold up the others."""
WAIT = 10
"""Seconds to wait for a scheduler."""


@dataclass(frozen=True)
class Outcome:
    """What came of matches of one game: counts, rows if wanted, and the engine."""

    arrays: dict[str, tuple[int, ...]]
    rows: Sequence[Row]
    engine: str
    because: str


@dataclass(frozen=True)
class Part:
    """What came of matches, of every game; or the match that was stopped and by the rules of which game, or a fault."""

    first: int
    last: int
    outcomes: Sequence[Outcome] = ()
    stopped: tuple[int, int] | None = None
    fault: str = ""


class Workers(Protocol):
    """Those who play parts, in any order."""

    threads: int

    def play(self, task: bytes, asked: str, parts: Sequence[tuple[int, int]]) -> Iterable[Part]:
        """What came of every part, as it comes, of workers with the version that is asked. Raises NoCluster, OSError."""
        ...


def spread(
    job: Job, workers: Workers, progress: Callable[[int], None] | None = None, keep: Keep | None = None
) -> Played:
    """Play a job on workers, like `simulate`. Raises Stopped, Trap, Disagreement, Unsupported, NoCluster, OSError."""
    (played,) = spread_all([job], workers, progress, () if keep is None else [keep])
    return played


def spread_all(
    jobs: Sequence[Job], workers: Workers, progress: Callable[[int], None] | None = None, keeps: Sequence[Keep] = ()
) -> list[Played]:
    """Play the same matches of several games on workers, like `side_by_side`: a part is played of all of them."""
    begun, orders, done = time.perf_counter(), [InOrder(keep) for keep in keeps], dict[int, Part]()
    played, interrupted = 0, False
    try:
        for part in workers.play(packed(jobs, bool(keeps)), version(), list(parts(jobs[0], workers.threads))):
            _sound(jobs, part)
            assert part.first not in done, "a part was counted twice"
            done[part.first] = part
            for order, outcome in zip(orders, part.outcomes, strict=False):
                order.add(part.first, outcome.rows)
            played += part.last - part.first
            if progress is not None:
                progress(played)
    except KeyboardInterrupt:
        interrupted = True
    unfinished = sum(part.last - part.first for part in done.values()) < jobs[0].matches
    assert interrupted or not unfinished, "a part is missing"
    for order in orders:
        order.finish()
    seconds = time.perf_counter() - begun
    outcomes = [[part.outcomes[game] for part in done.values()] for game in range(len(jobs))]
    return [_total(job, found, seconds, unfinished) for job, found in zip(jobs, outcomes, strict=True)]


def _total(job: Job, outcomes: Sequence[Outcome], seconds: float, partial: bool) -> Played:
    """What all parts of one game come to."""
    played = Played(Tally.nothing(Shape.of(job.instance)), seconds, partial, engine="")
    for outcome in outcomes:
        played.tally += Tally(played.tally.shape, outcome.arrays)
        played.engine, played.because = outcome.engine, outcome.because
    return played


def _sound(jobs: Sequence[Job], part: Part) -> None:
    """Raises Trap for a fault, Stopped for a match that was stopped."""
    if part.stopped is None:
        return
    index, game = part.stopped
    if part.fault:
        trap = Trap(part.fault, index)
        trap.game = game
        raise trap
    raise why(jobs, index, game)


def parts(job: Job, threads: int) -> Iterator[tuple[int, int]]:
    """The matches of a job in parts of one size."""
    size = -(-job.matches // (PARTS * max(threads, 1)))
    return ((first, min(first + size, job.matches)) for first in range(0, job.matches, size))


def packed(jobs: Sequence[Job], rows: bool) -> bytes:
    """Jobs for other processes."""
    return zlib.compress(pickle.dumps((jobs, rows)))


# ---------------------------------------------------------------- what a worker does


def version() -> str:
    """The version of this package here."""
    return metadata.version("domrules")


def play_part(task: bytes, asked: str, part: tuple[int, int]) -> Part:
    """Play some matches; for workers, which must have the same version as who asks. Raises Unsupported, NoCluster."""
    if asked != version():
        raise NoCluster(f"a worker has dom {version()}, not {asked}")
    jobs, ready, wanted = prepared(task)
    engines, shapes = [one.engine.again() for one in ready], [Shape.of(job.instance) for job in jobs]
    rows = [list[Row]() for _ in jobs]
    first, last = part
    for begin in range(first, last, CHUNK):
        end = min(begin + CHUNK, last)
        try:
            failed = play(engines, begin, end, jobs[0].seed)
        except Trap as trap:
            return Part(first, last, stopped=(trap.index, trap.game), fault=str(trap))
        if failed is not None:
            return Part(first, last, stopped=failed)
        for engine, shape, found in zip(engines, shapes, rows, strict=True):
            found += kept(engine, shape, end - begin) if wanted else ()
    outcomes = [
        Outcome(Tally.read(engine, shape).arrays, found, one.name, one.because)
        for engine, shape, found, one in zip(engines, shapes, rows, ready, strict=True)
    ]
    return Part(first, last, outcomes)


@lru_cache(maxsize=4)
def prepared(task: bytes) -> tuple[Sequence[Job], Sequence[Opened], bool]:
    """The jobs of a task, and their engines; once for all parts that a process plays."""
    jobs, rows = pickle.loads(zlib.decompress(task))
    return jobs, [opened(replace(job, jobs=1), rows) for job in jobs], rows


atexit.register(prepared.cache_clear)  # engines must go before what they are made with


# ---------------------------------------------------------------- Dask


class Dask:
    """The workers of a Dask scheduler."""

    def __init__(self, address: str) -> None:
        """Raises NoCluster, OSError."""
        try:
            import distributed
        except ModuleNotFoundError as missing:
            raise NoCluster(f"{missing.name} is not installed; pip install 'domrules[cluster]' does it") from None
        self.distributed: Any = distributed
        try:
            self.client = self.distributed.Client(address, timeout=WAIT, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise NoCluster(f"no scheduler answers at {address} ({error})") from None
        self.threads = sum(w["nthreads"] for w in self.client.scheduler_info(n_workers=-1)["workers"].values())
        if not self.threads:
            self.close()
            raise NoCluster(f"the scheduler at {address} has no workers")

    def play(self, task: bytes, asked: str, parts: Sequence[tuple[int, int]]) -> Iterator[Part]:
        run = uuid4().hex
        futures = [
            self.client.submit(play_part, task, asked, part, key=f"dom-{run}-{part[0]}", pure=False) for part in parts
        ]
        try:
            for future, part in self.distributed.as_completed(futures, loop=self.client.loop, with_results=True):
                yield part
                future.release()
        except self.distributed.KilledWorker as lost:
            raise NoCluster(f"workers were lost again and again ({lost})") from None
        finally:
            self.client.cancel(futures)

    def close(self) -> None:
        self.client.close()

    def __enter__(self) -> Dask:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
