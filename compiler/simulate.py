"""Millions of matches of one table, or of two side by side, in several threads; what comes out does not depend on how they are divided."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from domrules.compiler.batch import Disagreement, Form, engine, explained
from domrules.compiler.counts import Counts, Shape, Tally
from domrules.compiler.engine import Engine, Trap
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

    def __init__(self, index: int, reason: Exception, game: int = 0) -> None:
        self.index, self.reason, self.game = index, reason, game
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

    keep: Keep
    pending: dict[int, Sequence[Row]] = field(default_factory=dict)
    written: int = 0

    def add(self, first: int, rows: Sequence[Row]) -> None:
        """The rows of matches from `first` on."""
        self.pending[first] = rows
        while self.written in self.pending:
            ready = self.pending.pop(self.written)
            self.keep(self.written, ready)
            self.written += len(ready)

    def finish(self) -> None:
        """No more will come: hand on what waits for others that are missing."""
        for first in sorted(self.pending):
            self.keep(first, self.pending[first])


def play(engines: Sequence[Engine], first: int, last: int, seed: int) -> tuple[int, int] | None:
    """Play the same matches of several games. Gives the earliest that was stopped, and by the rules of which game. Raises Trap."""
    failed = None
    for game, playing in enumerate(engines):
        try:
            whole = playing.run(first, last, seed)
        except Trap as trap:
            trap.game = game
            raise
        if not whole:
            last = playing.read("at")[0]
            failed = last, game
    return failed


def why(jobs: Sequence[Job], index: int, game: int) -> Stopped:
    """Why a match was stopped by the rules of one of the games. Raises Disagreement, Unsupported."""
    job = jobs[game]
    try:
        return Stopped(index, explained(job.instance, job.seed, index, seats=job.seats), game)
    except Disagreement as fault:
        fault.game = game
        raise


def kept(engine: Engine, shape: Shape, count: int) -> Sequence[Row]:
    """The rows of the matches of a run."""
    return list(zip(*(engine.read(f"row {name}")[:count] for name in columns(shape.scores)), strict=True))


@dataclass
class _Run:
    """What the threads of some games share, of which the same matches are played."""

    jobs: Sequence[Job]
    orders: Sequence[InOrder]
    lock: threading.Lock = field(default_factory=threading.Lock)
    next: int = 0
    done: int = 0
    chunk: int = 1
    stop: bool = False
    failed: tuple[int, int] | None = None
    """The earliest match that was stopped, and of which game."""
    error: BaseException | None = None

    def take(self) -> tuple[int, int] | None:
        """The next matches to play."""
        with self.lock:
            if self.stop or self.next >= self.jobs[0].matches:
                return None
            job = self.jobs[0]
            first, left = self.next, job.matches - self.next
            # Of the last ones several each, so that no thread plays long after the others.
            share = left if job.jobs == 1 else -(-left // (2 * job.jobs))
            self.next = first + min(self.chunk, share)
            return first, self.next

    def finish(self, first: int, last: int, seconds: float, rows: Sequence[Sequence[Row]]) -> None:
        """These are played, of every game."""
        with self.lock:
            self.done += last - first
            wanted = int((last - first) * SECONDS / max(seconds, 1e-6))
            self.chunk = max(1, min(wanted, 4 * self.chunk, CHUNK if self.orders else 1 << 20))
            for order, more in zip(self.orders, rows, strict=True):
                order.add(first, more)

    def fail(self, failed: tuple[int, int]) -> None:
        """This match of this game was stopped."""
        with self.lock:
            self.failed = failed if self.failed is None else min(failed, self.failed)
            self.stop = True

    def work(self, engines: Sequence[Engine]) -> None:
        """Play as long as there is something to play."""
        try:
            while (part := self.take()) is not None:
                begun = time.perf_counter()
                failed = play(engines, *part, self.jobs[0].seed)
                if failed is not None:
                    self.fail(failed)
                    return
                self.finish(*part, time.perf_counter() - begun, self.rows(engines, part[1] - part[0]))
        except BaseException as error:  # handed to the thread that waits
            self.error, self.stop = error, True

    def rows(self, engines: Sequence[Engine], count: int) -> Sequence[Sequence[Row]]:
        """What is kept of the last matches, of every game; nothing if that is not wanted."""
        played = zip(engines, self.jobs, strict=True) if self.orders else ()
        return [kept(engine, Shape.of(job.instance), count) for engine, job in played]


def simulate(job: Job, progress: Callable[[int], None] | None = None, keep: Keep | None = None) -> Played:
    """Play; `progress` is told now and then how many matches are done. An interrupt ends it with what was played, a second one at once.

    Raises Unsupported, Stopped, Disagreement, Trap, BadPlayer.
    """
    (played,) = side_by_side([job], progress, () if keep is None else [keep])
    return played


def side_by_side(
    jobs: Sequence[Job], progress: Callable[[int], None] | None = None, keeps: Sequence[Keep] = ()
) -> list[Played]:
    """Play the same matches of several games, as many of the same seed, like `simulate`; `keeps`: for every game, or none.

    They are played alternately, some at a time, so that whenever it ends all have played the same. Of what is raised, `game`
    says by which of them.
    """
    begun = time.perf_counter()
    ready = [opened(job, bool(keeps)) for job in jobs]
    # Python does not run two threads at once.
    compiled = all(one.name == Form.WASM.value for one in ready)
    count = max(1, min(jobs[0].jobs, jobs[0].matches)) if compiled else 1
    crews = [[one.engine for one in ready], *([one.engine.again() for one in ready] for _ in range(count - 1))]
    run = _Run(jobs, [InOrder(keep) for keep in keeps])
    interrupted = _run(run, crews, progress)
    if run.error is not None:
        raise run.error
    if run.failed is not None:
        raise why(jobs, *run.failed)
    unfinished, seconds = interrupted and run.done < jobs[0].matches, time.perf_counter() - begun
    return [
        Played(_total(job, engines), seconds, unfinished, one.name, one.because)
        for job, one, engines in zip(jobs, ready, zip(*crews, strict=True), strict=True)
    ]


def _run(run: _Run, crews: Sequence[Sequence[Engine]], progress: Callable[[int], None] | None) -> bool:
    """Have every crew work in a thread of its own; was it interrupted?"""
    threads = [threading.Thread(target=run.work, args=(crew,), daemon=True) for crew in crews]
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
    return interrupted


def _total(job: Job, engines: Sequence[Engine]) -> Tally:
    """What several engines have counted of a job."""
    total, *more = [Tally.read(engine, Shape.of(job.instance)) for engine in engines]
    for tally in more:
        total += tally
    return total
