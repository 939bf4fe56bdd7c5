"""Millions of matches of one table, in several threads; what comes out does not depend on how they are divided."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from domrules.compiler.batch import Form, engine, explained
from domrules.compiler.counts import Counts, Shape, Tally
from domrules.compiler.engine import Engine
from domrules.compiler.rows import CHUNK, Rows, columns
from domrules.compiler.writer import Unsupported
from domrules.grammar import core

if TYPE_CHECKING:  # the interpreter is loaded when it has to play
    from domrules.interpreter.players import Seating
    from domrules.interpreter.rules import Rules

INTERPRETER = "interpreter"
SECONDS = 0.15
"""About so long a thread plays without looking up."""

Row = tuple[int, ...]
Keep = Callable[[int, Sequence[Row]], None]
"""Is given the rows of matches from a number on, in order."""


class Stopped(Exception):
    """A rule broke its promise, or a match did not end; `reason` is what the interpreter says of that match."""

    def __init__(self, index: int, reason: Exception) -> None:
        self.index, self.reason = index, reason
        super().__init__(f"match {index}: {reason}")


class NoCluster(Exception):
    """There are no other machines to play on; a sentence."""


@dataclass(frozen=True)
class Job:
    """What to play: an optimised instance, how many matches, of which seed, compiled to what (None: interpreted), by whom."""

    instance: core.Instance
    matches: int
    seed: int = 0
    form: Form | None = Form.WASM
    jobs: int = 1
    policies: tuple[str, ...] = ()
    """The bot of each seat; without them all are random."""
    guests: Callable[[Rules], Seating] | None = None
    """Who plays instead, as fast as the interpreter."""

    @property
    def seats(self) -> Callable[[Rules], Seating]:
        """Who plays, for the interpreter."""
        from domrules.interpreter.bots import seating

        names = self.policies or ("random",) * self.instance.players
        return self.guests or partial(seating, names=names)


@dataclass
class Played:
    """What was played, whether it is all that was asked, by which engine, and why not by the one that was asked."""

    tally: Tally
    seconds: float
    partial: bool = False
    engine: str = Form.WASM.value
    because: str = ""


@dataclass(frozen=True)
class Opened:
    """An engine ready to play, its name, and why it is not the one that was asked."""

    engine: Engine
    name: str
    because: str = ""


def opened(job: Job, rows: bool) -> Opened:
    """The engine of a job, or the next best: generated Python without wasmtime, the interpreter for what is not compiled.

    Raises Unsupported for what nothing plays.
    """
    shape, because = (
        Shape.of(job.instance),
        "" if job.guests is None else "functions that were brought along are not compiled",
    )
    if job.form is not None and job.guests is None:
        try:
            return _compiled(job, job.form, rows)
        except Unsupported as reason:
            because = str(reason)
    from domrules.compiler.interpreted import Interpreted
    from domrules.interpreter.rules import Rules

    rules = Rules(job.instance)
    return Opened(Interpreted(rules, job.seats(rules), shape), INTERPRETER, because)


def _compiled(job: Job, form: Form, rows: bool) -> Opened:
    recorder = Rows() if rows else Counts()
    try:
        return Opened(engine(job.instance, recorder, form, policies=job.policies), form.value)
    except ModuleNotFoundError as missing:
        if form is Form.PYTHON:
            raise
        return replace(_compiled(job, Form.PYTHON, rows), because=f"{missing.name} is not installed")


@dataclass
class InOrder:
    """Rows that come in any order, handed on in order."""

    keep: Keep | None
    pending: dict[int, Sequence[Row]] = field(default_factory=dict)
    written: int = 0

    def add(self, first: int, rows: Sequence[Row]) -> None:
        """The rows of matches from `first` on."""
        if self.keep is None:
            return
        self.pending[first] = rows
        while self.written in self.pending:
            ready = self.pending.pop(self.written)
            self.keep(self.written, ready)
            self.written += len(ready)


def kept(engine: Engine, shape: Shape, count: int) -> Sequence[Row]:
    """The rows of the matches of a run."""
    return list(zip(*(engine.read(f"row {name}")[:count] for name in columns(shape.scores)), strict=True))


@dataclass
class _Run:
    """What the threads of a job share."""

    job: Job
    order: InOrder
    lock: threading.Lock = field(default_factory=threading.Lock)
    next: int = 0
    done: int = 0
    chunk: int = 1
    stop: bool = False
    failed: int | None = None
    error: BaseException | None = None

    def take(self) -> tuple[int, int] | None:
        """The next matches to play."""
        with self.lock:
            if self.stop or self.next >= self.job.matches:
                return None
            first, left = self.next, self.job.matches - self.next
            # Of the last ones several each, so that no thread plays long after the others.
            share = left if self.job.jobs == 1 else -(-left // (2 * self.job.jobs))
            self.next = first + min(self.chunk, share)
            return first, self.next

    def finish(self, first: int, last: int, seconds: float, rows: Sequence[Row]) -> None:
        """These are played."""
        with self.lock:
            self.done += last - first
            wanted = int((last - first) * SECONDS / max(seconds, 1e-6))
            self.chunk = max(1, min(wanted, 4 * self.chunk, CHUNK if self.order.keep else 1 << 20))
            self.order.add(first, rows)

    def fail(self, index: int) -> None:
        """This match was stopped."""
        with self.lock:
            self.failed = index if self.failed is None else min(index, self.failed)
            self.stop = True

    def work(self, engine: Engine) -> None:
        """Play as long as there is something to play."""
        try:
            while (part := self.take()) is not None:
                begun = time.perf_counter()
                if not engine.run(*part, self.job.seed):
                    self.fail(engine.read("at")[0])
                    return
                self.finish(*part, time.perf_counter() - begun, self.rows(engine, part[1] - part[0]))
        except BaseException as error:  # handed to the thread that waits
            self.error, self.stop = error, True

    def rows(self, engine: Engine, count: int) -> Sequence[Row]:
        return () if self.order.keep is None else kept(engine, Shape.of(self.job.instance), count)


def simulate(job: Job, progress: Callable[[int], None] | None = None, keep: Keep | None = None) -> Played:
    """Play; `progress` is told now and then how many matches are done. An interrupt ends it with what was played, a second one at once.

    Raises Unsupported, Stopped, Disagreement, Trap, BadPlayer.
    """
    begun = time.perf_counter()
    first = opened(job, keep is not None)
    # Python does not run two threads at once.
    count = max(1, min(job.jobs, job.matches)) if first.name == Form.WASM.value else 1
    engines = [first.engine, *(first.engine.again() for _ in range(count - 1))]
    run = _Run(job, InOrder(keep))
    threads = [threading.Thread(target=run.work, args=(e,), daemon=True) for e in engines]
    interrupted = False
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        try:
            for thread in threads:
                thread.join(0.1)
            if progress is not None:
                progress(run.done)
        except KeyboardInterrupt:
            if interrupted:
                raise
            run.stop = interrupted = True
    if run.error is not None:
        raise run.error
    if run.failed is not None:
        raise Stopped(run.failed, explained(job.instance, job.seed, run.failed, seats=job.seats))
    tallies = [Tally.read(e, Shape.of(job.instance)) for e in engines]
    total = tallies[0]
    for tally in tallies[1:]:
        total += tally
    unfinished = interrupted and run.done < job.matches
    return Played(total, time.perf_counter() - begun, unfinished, first.name, first.because)
