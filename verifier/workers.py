"""The questions of a plan in other processes: each has its own solver, and nothing of Z3 ever leaves it.

Which process answers makes no difference to the answer, so several give the same as one. A question runs as long as it
likes: whoever listens may stop at any time, and all workers die with it, in the middle of whatever they do.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any, cast

from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile, Diagnostic
from domrules.interpreter.state import State
from domrules.verifier.battery.run import Examiner, Plan, Request, plan
from domrules.verifier.verdict import Verdict
from domrules.verifier.witness import Witness

PULSE = 0.5
"""Seconds after which whoever watches hears that the work goes on."""
Watch = Callable[[Sequence[int]], None]
"""Told from time to time which questions are being worked on."""


class Crash(Exception):
    """A worker died or met a fault of ours; the text says at which question. `trace`: where, if it could tell."""

    def __init__(self, sentence: str, trace: str = "") -> None:
        super().__init__(sentence)
        self.trace = trace


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake of the file that only showed at this table."""

    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """An exception that a worker did not expect."""

    sentence: str
    trace: str


@dataclass(frozen=True, slots=True)
class Early:
    """What is established before a question is answered in full."""

    verdict: Verdict


@dataclass
class Worker:
    """A process, our end of the line to it, the question it works on, and the tables it knows already."""

    process: Any
    line: Connection
    asked: int | None = None
    tables: set[int | None] = field(default_factory=set)


@dataclass
class Crew:
    """Some workers and the questions (by their places in the plan) that nobody has taken yet."""

    plan: Plan
    waiting: list[int]
    jobs: int
    workers: list[Worker] = field(default_factory=list)
    early: dict[int, Verdict] = field(default_factory=dict)
    """What is established of questions on which somebody still works."""

    def answers(self, until: float | None, watch: Watch) -> Generator[tuple[int, Verdict], None, None]:
        """(place, verdict) as they come in; ends early when it is `until` (of time.monotonic).

        Raises Crash, and BadFile as `plan` does.
        """
        try:
            self.start(min(self.jobs, len(self.waiting)))
            while busy := {worker.line: worker for worker in self.workers if worker.asked is not None}:
                watch([worker.asked for worker in busy.values() if worker.asked is not None])
                left = PULSE if until is None else min(PULSE, until - time.monotonic())
                if left <= 0:
                    return
                for line in wait(list(busy), left):
                    worker = busy[cast(Connection, line)]
                    number, said = self.heard(worker)
                    if isinstance(said, Early):
                        self.early[number] = said.verdict
                    else:
                        yield number, said
                        self.ask(worker)
        finally:
            self.stop()

    def start(self, count: int) -> None:
        """Start workers and give each something to do."""
        context = multiprocessing.get_context("spawn")
        resource_tracker.ensure_running()  # the first process would, and unblock what `alike` blocks
        with alike():
            for _ in range(count):
                line, other = context.Pipe()
                process = context.Process(target=work, args=(other, self.plan.game, self.plan.request), daemon=True)
                process.start()
                other.close()
                self.workers.append(Worker(process, line))
        for worker in self.workers:
            self.ask(worker)

    def ask(self, worker: Worker) -> None:
        """Give a worker its next question: of a table it knows, else of one that nobody knows, else the first."""
        worker.asked = None
        if not self.waiting:
            return
        known = {table for one in self.workers for table in one.tables}
        table = {number: self.plan.questions[number].table for number in self.waiting}
        mine = [number for number in self.waiting if table[number] in worker.tables]
        new = [number for number in self.waiting if table[number] not in known]
        worker.asked = next(iter([*mine, *new, *self.waiting]))
        worker.tables.add(table[worker.asked])
        self.waiting.remove(worker.asked)
        with contextlib.suppress(OSError):  # that it is dead shows when it does not answer
            worker.line.send(worker.asked)

    def heard(self, worker: Worker) -> tuple[int, Verdict | Early]:
        """What a worker has to say."""
        assert worker.asked is not None, "a worker speaks when asked"
        question = self.plan.questions[worker.asked]
        where = f"{question.name} of {self.plan.scope(question)}"
        try:
            said = worker.line.recv()
        except (EOFError, OSError):
            worker.process.join(5)
            raise Crash(f"the process that was asked {where} died ({_death(worker.process.exitcode)})") from None
        match said:
            case Mistake(diagnostics):
                raise BadFile(diagnostics)
            case Fault(sentence, trace):
                raise Crash(f"{sentence}, asked {where}", trace)
            case _:
                return worker.asked, said

    def stop(self) -> None:
        """End all workers at once, whatever they do."""
        for worker in self.workers:
            worker.process.kill()
        for worker in self.workers:
            worker.process.join()
            worker.line.close()
        self.workers.clear()


def _death(code: int | None) -> str:
    if code is None or code >= 0:
        return f"exit code {code}"
    with contextlib.suppress(ValueError):
        name = signal.Signals(-code).name
        return f"{name}, perhaps for want of memory" if name == "SIGKILL" else name
    return f"signal {-code}"


@contextlib.contextmanager
def alike() -> Iterator[None]:
    """Processes started here hash alike, so that they do the same in the same order, and leave Ctrl-C to us."""
    name = "PYTHONHASHSEED"
    before = os.environ.get(name)
    os.environ[name] = "0"
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        if sys.platform != "win32":
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


# ---------------------------------------------------------------- in the worker


def work(line: Connection, game: core.Game, request: Request) -> None:
    """Answer one question after the other until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_follow, daemon=True).start()
    examiner = Examiner(plan(game, request))
    with contextlib.suppress(EOFError, OSError):
        while True:
            line.send(answer(examiner, line.recv(), lambda verdict: line.send(Early(bare(verdict)))))


def answer(
    examiner: Examiner, number: int, early: Callable[[Verdict], None] | None = None
) -> Verdict | Mistake | Fault:
    """What to say of a question; `early` is told what is established before."""
    try:
        return bare(examiner.answer(examiner.plan.questions[number], early))
    except BadFile as wrong:
        return Mistake(wrong.diagnostics)
    except Exception as error:
        return Fault(f"{type(error).__name__}: {error}".removesuffix(": "), traceback.format_exc())


def bare(verdict: Verdict) -> Verdict:
    """Without what the interpreter remembers of positions."""
    found = verdict.witness
    if found is None:
        return verdict
    return replace(verdict, witness=Witness(State(found.dealt.cells), found.plies, State(found.reached.cells)))


def _follow() -> None:
    """Die with whoever started us."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
