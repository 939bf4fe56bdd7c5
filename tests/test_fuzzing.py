"""The fuzzers run: a few texts of each by default, as many as fit into minutes in a full run, with coverage where atheris is."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from fuzzing import LONGEST, SLOW, TARGETS, Mutator, Watch, seeds

HERE = Path(__file__).parent
BLIND = {"rules": 100, "syntax": 60, "transcript": 60, "replay": 60, "hands": 60}
"""Seconds of a full run without coverage."""
GUIDED = 40
"""Seconds of a full run with it, for each target."""


def fuzz(target: str, keep: Path, *args: str) -> str:
    for name in ("kept", "rest"):
        (keep / name).mkdir()
    command = [sys.executable, str(HERE / "fuzzing.py"), target, "--keep", str(keep / "kept"), *args]
    environment = {**os.environ, "TMPDIR": str(keep / "rest")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert not list((keep / "kept").iterdir())
    return done.stdout + done.stderr


@pytest.mark.parametrize("target", BLIND)
def test_mutants_of_our_texts_raise_nothing(target: str, full: bool, tmp_path: Path) -> None:
    limits = ("--runs", "1000000", "--seconds", str(BLIND[target])) if full else ("--runs", "100", "--few")
    told = fuzz(target, tmp_path, "--blind", *limits)
    print(told)
    assert f"{target}: " in told


@pytest.mark.parametrize("target", TARGETS)
def test_guided_by_coverage(target: str, full: bool, tmp_path: Path) -> None:
    if not full:
        pytest.skip("make full and make fuzz do it")
    if find_spec("atheris") is None:
        pytest.skip("needs atheris: pip install -e '.[fuzz]'")
    told = fuzz(target, tmp_path, "--runs", "1000000", "--seconds", str(GUIDED))
    assert "number_of_executed_units" in told


@pytest.mark.parametrize("target", TARGETS)
def test_there_is_something_to_begin_with(target: str) -> None:
    corpus = seeds(target)
    assert len(corpus) > 3
    mutator, chance = Mutator(corpus), random.Random(1)
    mutants = [mutator.of(text, chance) for text in corpus[:20]]
    assert all(len(text) <= LONGEST for text in mutants)
    assert set(mutants) - set(corpus)
    assert mutants == [mutator.of(text, again) for again in [random.Random(1)] for text in corpus[:20]]


def test_what_fails_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(text: str) -> None:
        assert text != "bad"

    watch = Watch("broken", broken, tmp_path)
    watch("good")
    with pytest.raises(AssertionError):
        watch("bad")
    (kept,) = tmp_path.iterdir()
    assert (kept.name.startswith("broken-raised-"), kept.read_text(), watch.count) == (True, "bad", 1)
    monkeypatch.setattr("fuzzing.SLOW", -1.0)
    with pytest.raises(TimeoutError, match="broken-slow-"):
        watch("good")
    assert SLOW == 1.0
