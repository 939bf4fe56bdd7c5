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

from domrules.compiler.batch import explained
from domrules.compiler.counts import Shape, Tally
from domrules.compiler.engine import Trap
from domrules.compiler.rows import CHUNK
from domrules.compiler.simulate import InOrder, Job, Keep, NoCluster, Opened, Played, Row, Stopped, kept, opened

PARTS = 8
"""Parts for each thread of the cluster: so many, that a slow worker does not hold up the others."""
WAIT = 10
"""Seconds to wait for a scheduler."""


@dataclass(frozen=True)
class Part:
    """What came of matches: counts, rows if wanted, and the engine; or the match that was stopped, or a fault."""

    first: int
    last: int
    arrays: dict[str, tuple[int, ...]] | None = None
    rows: Sequence[Row] = ()
    engine: str = ""
    because: str = ""
    stopped: int | None = None
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
    begun, total, order = time.perf_counter(), Tally.nothing(Shape.of(job.instance)), InOrder(keep)
    engine, because, seen, interrupted = "", "", set[int](), False
    try:
        for part in workers.play(packed(job, keep is not None), version(), list(parts(job, workers.threads))):
            if part.fault:
                raise Trap(part.fault, part.stopped or 0)
            if part.stopped is not None:
                reason = explained(job.instance, job.seed, part.stopped, seats=job.seats)
                raise Stopped(part.stopped, reason)
            assert part.arrays is not None
            assert part.first not in seen, "a part was counted twice"
            seen.add(part.first)
            total += Tally(total.shape, part.arrays)
            engine, because = part.engine, part.because
            order.add(part.first, part.rows)
            if progress is not None:
                progress(total.matches)
    except KeyboardInterrupt:
        interrupted = True
    unfinished = total.matches < job.matches
    assert interrupted or not unfinished, "a part is missing"
    return Played(total, time.perf_counter() - begun, unfinished, engine, because)


def parts(job: Job, threads: int) -> Iterator[tuple[int, int]]:
    """The matches of a job in parts of one size."""
    size = -(-job.matches // (PARTS * max(threads, 1)))
    return ((first, min(first + size, job.matches)) for first in range(0, job.matches, size))


def packed(job: Job, rows: bool) -> bytes:
    """A job for other processes."""
    return zlib.compress(pickle.dumps((job, rows)))


# ---------------------------------------------------------------- what a worker does


def version() -> str:
    """The version of this package here."""
    return metadata.version("domrules")


def play_part(task: bytes, asked: str, part: tuple[int, int]) -> Part:
    """Play some matches; for workers, which must have the same version as who asks. Raises Unsupported, NoCluster."""
    if asked != version():
        raise NoCluster(f"a worker has dom {version()}, not {asked}")
    job, ready, rows = prepared(task)
    engine, shape, found = ready.engine.again(), Shape.of(job.instance), list[Row]()
    first, last = part
    for begin in range(first, last, CHUNK):
        end = min(begin + CHUNK, last)
        try:
            whole = engine.run(begin, end, job.seed)
        except Trap as trap:
            return Part(first, last, stopped=trap.index, fault=str(trap))
        if not whole:
            return Part(first, last, stopped=engine.read("at")[0])
        found += kept(engine, shape, end - begin) if rows else ()
    return Part(first, last, Tally.read(engine, shape).arrays, found, ready.name, ready.because)


@lru_cache(maxsize=4)
def prepared(task: bytes) -> tuple[Job, Opened, bool]:
    """The job of a task, and its engine; once for all parts that a process plays."""
    job, rows = pickle.loads(zlib.decompress(task))
    return job, opened(replace(job, jobs=1), rows), rows


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
