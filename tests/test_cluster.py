"""The same matches on workers: whatever the order, however they are divided, and when a worker is lost."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from tables import TINY, game, written
from typer.testing import CliRunner

from domrules.cli import app
from domrules.compiler.batch import Form
from domrules.compiler.cluster import Dask, Part, parts, play_part, spread, spread_all
from domrules.compiler.engine import Trap, WasmEngine
from domrules.compiler.simulate import Job, Keep, NoCluster, Row, Stopped, side_by_side, simulate
from domrules.grammar.instance import instantiate
from domrules.grammar.passes import optimise

SEED = 6


def job(matches: int, form: Form = Form.WASM) -> Job:
    return Job(optimise(instantiate(game("draw"), 3)), matches, SEED, form, policies=("heavy", "random", "first"))


@dataclass
class Here:
    """Workers that are not elsewhere; the last part comes first."""

    threads: int = 3
    version: str = ""
    played: list[tuple[int, int]] = field(default_factory=list)

    def play(self, task: bytes, asked: str, parts: Sequence[tuple[int, int]]) -> Iterator[Part]:
        for part in reversed(parts):
            self.played.append(part)
            yield play_part(task, self.version or asked, part)


def test_parts_have_every_match_once() -> None:
    for matches in (1, 7, 100, 1001):
        for threads in (1, 2, 5):
            numbers = [i for first, last in parts(job(matches), threads) for i in range(first, last)]
            assert numbers == list(range(matches))


def test_workers_and_threads_come_to_the_same() -> None:
    kept: list[list[Row]] = [[], []]
    alone = simulate(job(200), keep=lambda first, more: kept[0].extend(more))
    here, told = Here(), list[int]()
    many = spread(job(200), here, told.append, keep=lambda first, more: kept[1].extend(more))
    assert many.tally == alone.tally == spread(job(200), Here(threads=1)).tally
    assert kept[0] == kept[1]
    assert (many.partial, many.engine, many.because) == (False, "wasm", "")
    assert told == sorted(told)
    assert told[-1] == 200
    assert len(here.played) > 1


def test_two_games_side_by_side_come_to_the_same() -> None:
    jobs = [job(200), Job(optimise(instantiate(game("block"), 3)), 200, SEED)]
    kept: list[list[Row]] = [[], [], [], []]
    keeps: list[Keep] = [lambda first, more, rows=rows: rows.extend(more) for rows in kept]  # type: ignore[misc]
    many = spread_all(jobs, Here(), keeps=keeps[:2])
    here = side_by_side(jobs, keeps=keeps[2:])
    assert [one.tally for one in many] == [one.tally for one in here]
    assert kept[:2] == kept[2:]


def test_an_interrupt_keeps_the_same_matches_of_both() -> None:
    told: list[set[int]] = [set(), set()]

    def interrupt(done: int) -> None:
        if done > 50:
            raise KeyboardInterrupt

    keeps: list[Keep] = [lambda first, more, to=to: to.update(range(first, first + len(more))) for to in told]  # type: ignore[misc]
    found = spread_all([job(200), job(200)], Here(), interrupt, keeps)
    assert [one.tally.matches for one in found] == [len(numbers) for numbers in told]
    assert told[0] == told[1]
    assert 50 < len(told[0]) < 200
    assert all(one.partial for one in found)


def test_an_interrupt_keeps_what_came() -> None:
    def interrupt(done: int) -> None:
        raise KeyboardInterrupt

    found = spread(job(200), Here(), interrupt)
    assert found.partial
    assert 0 < found.tally.matches < 200


def test_what_stops_a_match_stops_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = TINY.replace("lowest(p in players by p.seat)", "highest(p in players by sum(t in hand[p]: pips(t)))")
    with pytest.raises(Stopped, match="promises exactly one"):
        spread(Job(optimise(instantiate(written(tmp_path, broken), 2)), 500), Here())

    def trap(self: WasmEngine, first: int, last: int, seed: int) -> bool:
        raise Trap("unreachable", first)

    monkeypatch.setattr(WasmEngine, "run", trap)
    with pytest.raises(Trap, match="unreachable"):
        spread(job(20), Here())


def test_a_worker_of_another_version_is_refused() -> None:
    with pytest.raises(NoCluster, match=r"a worker has dom .*, not"):
        spread(job(5), Here(version="0"))


def dom(*args: str) -> Any:
    return CliRunner().invoke(app.build(), ["simulate", *args])


def test_without_a_cluster_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert dom("block", "--cluster", "tcp://127.0.0.1:1", "--policy", "tests/x.py:f").exit_code in (2, 74)
    monkeypatch.setitem(sys.modules, "distributed", None)
    result = dom("block", "-n", "5", "--cluster", "tcp://127.0.0.1:1")
    assert (result.exit_code, result.stdout) == (74, "")
    assert "distributed is not installed; pip install 'domrules[cluster]' does it" in result.stderr


def test_two_processes_one_of_which_is_killed(full: bool) -> None:
    if not full:
        pytest.skip("takes long: --full")
    distributed = pytest.importorskip("distributed", reason="Dask is not installed (extra `cluster`)")
    asked = job(600, Form.PYTHON)
    rows: list[list[Row]] = [[], []]
    alone = simulate(replace(asked, form=Form.WASM), keep=lambda first, more: rows[0].extend(more))
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            victim = min(client.run(os.getpid).values())
        killed = list[int]()

        def kill(done: int) -> None:
            if not killed:
                killed.append(done)
                os.kill(victim, signal.SIGKILL)

        with Dask(cluster.scheduler_address) as workers:
            assert workers.threads == 2
            found = spread(asked, workers, kill, keep=lambda first, more: rows[1].extend(more))
        assert 0 < killed[0] < 600
        assert (found.tally, rows[1], found.partial) == (alone.tally, rows[0], False)
        result = dom("draw", "-n", "300", "--seed", "2", "--cluster", cluster.scheduler_address)
        assert result.stdout == dom("draw", "-n", "300", "--seed", "2").stdout
