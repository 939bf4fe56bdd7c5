"""`dom verify` as people run it: the same with any number of processes, within its limits, and honest when it is stopped."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from domrules.cli import app, rows
from domrules.cli.exits import ExitCode
from domrules.cli.verdicts import Policy, Report
from domrules.grammar.diagnostics import BadFile, Diagnostic
from domrules.grammar.load import load
from domrules.grammar.source import NOWHERE
from domrules.verifier import workers
from domrules.verifier.battery.least import Least
from domrules.verifier.battery.run import Examiner, Question, Request, plan, verify
from domrules.verifier.inquiry import Inquiry
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.workers import Crash, Crew, Fault, Mistake

SMALL = Path(__file__).parent / "data" / "small.dom"
SPECS = Path(__file__).parent.parent / "specs"


def run(*args: str) -> Any:
    return CliRunner().invoke(app.build(), list(args))


def quiet(_: object) -> None:
    """Nobody watches."""


def timeless(verdict: Verdict) -> Verdict:
    return replace(verdict, seconds=0.0)


def test_several_processes_say_what_one_says_in_the_same_order() -> None:
    planned = plan(load(SMALL), Request(only=("D2", "S1", "F2", "C1", "fish_happens")))
    one, three = (
        [timeless(v) for v in Inquiry(planned, jobs=jobs).verdicts(quiet)] for jobs in (1, 3)
    )  # fmt: skip
    assert one == three
    assert [(v.item, v.scope) for v in one] == [(q.name, planned.scope(q)) for q in planned.questions]


def test_a_process_says_what_this_one_says() -> None:
    request = Request([2], only=("S1", "C4", "heavy"))
    game = load(SMALL)
    assert [timeless(v) for v in Inquiry(plan(game, request)).verdicts(quiet)] == [
        timeless(v) for v in verify(game, request)
    ]


def test_a_worker_that_dies_is_named() -> None:
    crew = Crew(plan(load(SMALL), Request([2], only=("F2",))), [0], 1)

    def kill(asked: object) -> None:
        os.kill(crew.workers[0].process.pid, signal.SIGKILL)

    with pytest.raises(Crash, match=r"asked F2 of players=2 died \(SIGKILL, perhaps for want of memory\)"):
        list(crew.answers(None, kill))
    assert not crew.workers


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("x"), Fault("KeyError: 'x'", "")),
        (BadFile([Diagnostic("DOM431", "no", NOWHERE)]), Mistake((Diagnostic("DOM431", "no", NOWHERE),))),
    ],
)
def test_a_worker_tells_what_went_wrong(error: Exception, said: object, monkeypatch: pytest.MonkeyPatch) -> None:
    examiner = Examiner(plan(load(SMALL), Request([2], only=("S1",))))

    def broken(_: Examiner, __: Question, ___: object) -> Verdict:
        raise error

    monkeypatch.setattr(Examiner, "answer", broken)
    told = workers.answer(examiner, 0)
    assert (replace(told, trace="") if isinstance(told, Fault) else told) == said


def test_a_crash_is_our_fault_and_what_is_established_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    def crashing(inquiry: Inquiry, _: object) -> Iterator[Verdict]:
        inquiry.found = {0: Verdict("S1", Word.PROVED, "players=2"), 2: Verdict("F2", Word.REFUTED, "players=2")}
        yield inquiry.found[0]
        raise Crash("the process that was asked S2 died", "Traceback: here")

    monkeypatch.setattr(Inquiry, "verdicts", crashing)
    monkeypatch.setenv("DOM_TRACEBACK", "1")
    done = run("verify", str(SMALL), "S1", "S2", "F2", "--players", "2", "--no-cache")
    assert done.exit_code == ExitCode.INTERNAL
    assert [line.split()[0] for line in done.stdout.splitlines() if "players=2" in line] == ["S1", "F2"]
    assert "1 established · 1 refuted · internal error, partial" in done.stdout
    assert "dom: internal error, the process that was asked S2 died. This is a fault of dom" in done.stderr
    assert "Traceback: here" in done.stderr


def test_what_the_budget_does_not_reach_is_unknown() -> None:
    done = run("verify", str(SMALL), "--budget", "0.01s", "--timeout", "7s", "--no-cache")
    assert done.exit_code == ExitCode.UNDECIDED
    asked = len(plan(load(SMALL), Request()).questions)
    assert f"small.dom · {asked} checks · 2 tables · z3 5." in done.stdout.splitlines()[0]
    assert done.stdout.count("UNKNOWN (budget)") == asked
    assert f"0 established · {asked} undecided · out of budget, partial\n" in done.stdout
    assert "· at most 7 s a query · 0.01 s for the run · exit 4" in done.stdout


def test_cached_answers_are_marked_and_need_no_time() -> None:
    arguments = ("verify", str(SMALL), "S1", "C1", "--players", "3", "--seed", "77")
    first, second, third = (run(*arguments, *more) for more in ((), ("--budget", "0.01s"), ("--no-cache",)))
    assert first.exit_code == second.exit_code == third.exit_code == 0
    assert second.stdout.count("(cached)") == 2
    assert "2 established · 2 cached\n" in second.stdout
    assert "cached" not in first.stdout + third.stdout


def test_a_cache_that_cannot_be_written_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    done = run("verify", str(SMALL), "S1", "S2", "--players", "2")
    assert done.exit_code == 0
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("dom: verdicts could not be kept in ")


def test_data_say_who_answered_what_and_whether_it_is_all() -> None:
    done = run("verify", str(SMALL), "S1", "F2", "--skip", "F2", "--players", "2", "--no-cache", "--format", "json")
    data = json.loads(done.stdout)
    assert (data["schema"], data["verb"], data["exit"], done.stderr) == (1, "verify", 0, "")
    assert set(data["versions"]) == {"z3", "lark", "python", "sources"}
    assert data["selection"] == {"players": [2], "options": {}, "only": ["S1", "F2"], "skip": ["F2"]}
    assert data["options"] == {
        "timeout": 30.0, "budget": None, "seed": 1, "jobs": 1, "cache": False, "require": None, "fail_on": "unknown"
    }  # fmt: skip
    assert data["completeness"] == {"complete": True, "stopped_by": None, "asked": 1, "answered": 1, "missing": []}
    assert (data["tables"], data["vacuity"]) == (["players=2"], [])
    (verdict,) = data["verdicts"]
    assert (verdict["item"], verdict["word"], verdict["counts_as"]) == ("S1", "PROVED any size", "established")
    assert verdict["place"]["line"] > 0
    assert verdict["cached"] is False


def test_data_of_a_run_out_of_budget_are_not_complete() -> None:
    done = run("verify", str(SMALL), "S1", "--players", "2", "--no-cache", "--budget", "0.01s", "--format", "json")
    completeness = json.loads(done.stdout)["completeness"]
    assert completeness == {"complete": False, "stopped_by": "budget", "asked": 1, "answered": 0, "missing": []}


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("--budget", "soon"), "--budget"),
        (("--timeout", "0s"), "--timeout"),
        (("--jobs", "0"), "at least 1"),
        (("--require", "some"), "proved, bounded, any"),
        (("S11",), "S11 is neither an item"),
        (("--players", "9"), "2 to 3"),
    ],
)
def test_a_wrong_command_line_is_refused(arguments: tuple[str, ...], hint: str) -> None:
    done = run("verify", str(SMALL), *arguments)
    assert done.exit_code == ExitCode.USAGE
    assert hint in done.stderr


def test_the_questions_can_be_listed_without_an_answer() -> None:
    done = run("verify", str(SMALL), "S1", "D2", "heavy", "--list")
    assert [line.split() for line in done.stdout.splitlines()] == [
        "D2 the deal fits the set all tables".split(),
        "S1 every deal has a starter players=2".split(),
        "heavy claim players=2".split(),
        "S1 every deal has a starter players=3".split(),
        "heavy claim players=3".split(),
    ]


def test_no_row_is_wider_than_80_columns_and_files_are_named_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "narrow" / "small.dom"
    file.parent.mkdir()
    file.write_text(SMALL.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    asked = ("D2", "D3", "C1", "C4", "F2", "W2", "heavy")
    done = run("verify", str(file), *asked, "--players", "3", "--no-cache")
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("narrow/small.dom · 7 checks")
    assert {line.split()[0] for line in lines if line[:2] > "  "} >= set(asked)
    assert str(tmp_path) not in done.stdout
    assert "        narrow/small.dom:" in done.stdout


def test_a_wide_terminal_has_a_row_on_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [(1, "S1   every deal"), (20, "PROVED"), (30, "0.01 s"), (40, "players=2 target=any")]
    assert rows.row(cells) == [" S1   every deal    PROVED    0.01 s    players=2 target=any"]
    monkeypatch.setattr(rows, "columns", lambda: 50)
    assert rows.row(cells) == [" S1   every deal    PROVED    0.01 s", "        players=2 target=any"]
    assert rows.below(["  moves " + "lead(0|0) " * 5], "") == [
        "  moves lead(0|0) lead(0|0) lead(0|0) lead(0|0)",
        "    lead(0|0)",
    ]


STRENGTH = [
    ("S1", Word.HOLDS, None, 4),
    ("S1", Word.HOLDS, "bounded", 0),
    ("S1", Word.HOLDS, "any", 0),
    ("M1", Word.HOLDS, None, 0),
    ("M1", Word.HOLDS, "proved", 4),
    ("S1", Word.PROVED, "proved", 0),
    ("S1", Word.UNKNOWN, "any", 4),
    ("S1", Word.NOT_FOUND, "any", 4),
    ("S1", Word.HOLLOW, "any", 5),
    ("S1", Word.SKIPPED, "proved", 0),
]


@pytest.mark.parametrize(("item", "word", "require", "code"), STRENGTH)
def test_what_is_too_weak_is_undecided(item: str, word: Word, require: str | None, code: int) -> None:
    policy = Policy(None if require is None else Least(require))
    assert report(policy, Verdict(item, word, depth=3)).code == code


FAILING = [("error", (0, 0, 1, 6)), ("warning", (0, 5, 1, 6)), ("unknown", (4, 5, 1, 6))]


@pytest.mark.parametrize(("level", "codes"), FAILING)
def test_what_fails_a_run_can_be_chosen(level: Any, codes: tuple[int, ...]) -> None:
    words = (Word.UNKNOWN, Word.HOLLOW, Word.REFUTED, Word.DISAGREE)
    assert tuple(report(Policy(None, level), Verdict("S1", word)).code for word in words) == codes


def report(policy: Policy, *verdicts: Verdict) -> Report:
    inquiry = Inquiry(plan(load(SMALL), Request([2], only=("S1",))), found=dict(enumerate(verdicts)))
    return Report(SMALL, inquiry, policy, None, time.perf_counter())


def started(*arguments: str, **streams: Any) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "domrules", "verify", *arguments]
    return subprocess.Popen(command, text=True, stdout=subprocess.PIPE, **streams)


def test_ctrl_c_prints_what_is_established_and_leaves_nobody_behind() -> None:
    """Only our process gets the signal; the workers must go with it. F2 of this game takes longer than we wait."""
    process = started(
        str(SPECS / "koza.dom"), "D2", "S1", "F2", "--players", "4", "--no-cache", "--jobs", "2", stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    lines: list[str] = []
    while not any(line.startswith(" S1 ") for line in lines):
        lines.append(process.stdout.readline())
        assert lines[-1], "ended by itself"
    workers = list(spawned(process.pid))
    process.send_signal(signal.SIGINT)
    rest, said = process.communicate(timeout=60)
    assert process.returncode == ExitCode.INTERRUPTED
    assert "2 established · interrupted, partial" in rest
    assert "exit 130" in rest
    assert said == ""
    assert workers or sys.platform != "linux"
    assert not [pid for pid in workers if Path(f"/proc/{pid}/cmdline").exists() and "spawn_main" in words(pid)]


BLOCKED = """
import signal, sys
from contextlib import contextmanager
from pathlib import Path
from domrules.grammar.load import load
from domrules.verifier import workers
from domrules.verifier.battery.run import Request, plan
kept = workers.alike
@contextmanager
def watched():
    with kept():
        yield
        print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))
workers.alike = watched
crew = workers.Crew(plan(load(Path(sys.argv[1])), Request([2], only=("D1",))), [0], 1)
print(len(list(crew.answers(None, lambda asked: None))))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no mask of signals")
def test_the_first_worker_starts_while_no_interrupt_can_reach_it() -> None:
    """Python starts a helper with the first process of all, and lets interrupts through again: it must be there before."""
    done = subprocess.run([sys.executable, "-c", BLOCKED, str(SMALL)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "1"]


def spawned(pid: int) -> Iterator[str]:
    """The workers of a process, where the system tells."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    if children.exists():
        yield from (child for child in children.read_text().split() if "spawn_main" in words(child))


def words(pid: str) -> str:
    """The command line of a process; empty once it is dead."""
    return Path(f"/proc/{pid}/cmdline").read_text()


def test_progress_is_shown_to_people_only() -> None:
    ours, theirs = pty.openpty()
    process = started(
        str(SMALL), "S1", "--players", "2", "--no-cache", stderr=theirs, env={**os.environ, "TERM": "xterm"}
    )
    out, _ = process.communicate(timeout=120)
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "0 of 1 · S1 players=2" in shown
    assert shown.endswith("\r\x1b[K")
    assert "0 of 1" not in out
