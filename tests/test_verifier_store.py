"""Verdicts that are kept: found again by what they depend on, with places as they are now, and never trusted."""

from __future__ import annotations

import ast
import errno
import json
import os
import tempfile
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import pytest

from domrules.grammar.load import load
from domrules.verifier import store as storing
from domrules.verifier.battery.run import Examiner, Plan, Question, Request, plan
from domrules.verifier.fingerprint import UNSAID, canon, digest
from domrules.verifier.store import Store
from domrules.verifier.verdict import Verdict, Word

ROOT = Path(__file__).resolve().parent.parent
SMALL = (ROOT / "tests" / "data" / "small.dom").read_text(encoding="utf-8")
ITEMS = ("C4", "S1", "F2", "fish_happens")
REQUEST = Request([2], only=ITEMS)


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Plan]:
    """The plan for a game of this text."""

    def make(text: str, request: Request = REQUEST) -> Plan:
        path = tmp_path / "small.dom"
        path.write_text(text, encoding="utf-8")
        return plan(load(path), request)

    return make


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Verdict]]:
    """A folder with the verdicts about the small game, and those verdicts. The game lies elsewhere, which is no matter."""
    path = tmp_path_factory.mktemp("game") / "small.dom"
    path.write_text(SMALL, encoding="utf-8")
    asked = plan(load(path), REQUEST)
    store = Store(tmp_path_factory.mktemp("cache"), asked)
    examiner = Examiner(asked)
    verdicts = {question.name: examiner.answer(question) for question in asked.questions}
    for question in asked.questions:
        store.keep(question, verdicts[question.name])
    return store.folder, verdicts


def found(folder: Path, asked: Plan) -> dict[str, Verdict | None]:
    store = Store(folder, asked)
    return {question.name: store.find(question) for question in asked.questions}


def kept(folder: Path, asked: Plan) -> set[str]:
    """Names of the questions whose verdicts are found."""
    return {name for name, verdict in found(folder, asked).items() if verdict is not None}


def test_a_verdict_is_found_again_as_it_was(
    first: tuple[Path, dict[str, Verdict]], written: Callable[[str], Plan]
) -> None:
    folder, verdicts = first
    asked = written(SMALL)
    for name, verdict in found(folder, asked).items():
        assert verdict is not None
        assert verdict.cached
        assert verdict.span.line == verdicts[name].span.line
        assert replace(verdict, cached=False, span=verdicts[name].span) == verdicts[name]
    assert verdicts["F2"].witness is not None, "else nothing is played again"


def test_comments_layout_titles_and_examples_are_no_matter(
    first: tuple[Path, dict[str, Verdict]], written: Callable[[str], Plan]
) -> None:
    folder, verdicts = first
    text = SMALL.replace("seats", "# how many play\n\n\nseats").replace("when out and", "when   out\n      and")
    text = text.replace("Six tiles, two each", "Six") + 'example one "of them"\n  expect size(tiles) == 6\n'
    again = found(folder, written(text))
    assert None not in again.values()
    for name, more in (("C4", 4), ("fish_happens", 4), ("S1", 0)):
        verdict = again[name]
        assert verdict is not None
        assert verdict.span.line == verdicts[name].span.line + more


CHANGES = {
    "a rule": ("hand_size = 2", "hand_size = 1", set[str]()),
    "a rounding": ("nearest(5", "nearest(7", set[str]()),
    "another claim": ("claim heavy: always", "claim heavy: never not", set(ITEMS)),
    "this claim": ("reachable blocked", "reachable blocked and laid > 1", set(ITEMS) - {"fish_happens"}),
    "words of this claim": ("reachable blocked", "reachable (blocked)", set(ITEMS) - {"fish_happens"}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_is_asked_again(
    change: str, first: tuple[Path, dict[str, Verdict]], written: Callable[[str], Plan]
) -> None:
    before, after, left = CHANGES[change]
    assert before in SMALL
    assert kept(first[0], written(SMALL.replace(before, after))) == left


@pytest.mark.parametrize("change", [{"seconds": 20.0}, {"seed": 2}, {"players": [3]}])
def test_limits_seed_and_table_are_part_of_the_question(
    change: dict[str, object], first: tuple[Path, dict[str, Verdict]], written: Callable[..., Plan]
) -> None:
    assert kept(first[0], written(SMALL, replace(REQUEST, **change))) == set()  # type: ignore[arg-type]


def test_other_programs_have_other_answers(
    first: tuple[Path, dict[str, Verdict]], written: Callable[[str], Plan], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "programs", lambda: "newer")
    assert kept(first[0], written(SMALL)) == set()


def sealed(data: object) -> str:
    body = json.dumps(data)
    return f"{digest(body)}\n{body}"


def test_broken_and_foreign_files_count_for_nothing(
    first: tuple[Path, dict[str, Verdict]], written: Callable[[str], Plan], tmp_path: Path
) -> None:
    asked = written(SMALL)
    question = next(question for question in asked.questions if question.name == "F2")
    store = Store(tmp_path / "cache", asked)
    store.keep(question, first[1]["F2"])
    (path,) = store.folder.iterdir()
    good = path.read_text(encoding="utf-8")
    data = json.loads(good.partition("\n")[2])
    assert store.find(question) is not None

    def changed(**parts: object) -> str:
        return sealed({**data, **parts})

    def reworded(**parts: object) -> str:
        return changed(verdict={**data["verdict"], **parts})

    witness, plies = data["witness"], data["witness"]["plies"]
    broken = [
        "", "\n", good[: len(good) // 2], good.replace("WITNESSED", "IMPOSSIBLE"), good + " ", "x" * 300_000, "\x00", "[" * 99_999,
        sealed([]), sealed(None), sealed({}), changed(key="another"), changed(verdict=None), changed(places=[99_999]),
        changed(places="ab"), changed(at=["nowhere.dom", 1, 2]), reworded(word="UNKNOWN"), reworded(word="TRUE"),
        reworded(item="S1"), reworded(details="text"), reworded(depth="deep"), reworded(seconds=None),
        changed(witness={}), changed(witness={**witness, "dealt": [1]}), changed(witness={**witness, "plies": plies[:-1]}),
        changed(witness={**witness, "plies": [*plies, plies[0]]}), changed(witness={**witness, "dealt": witness["reached"]}),
        changed(witness={**witness, "plies": [[0, 77, [0], []]]}), changed(witness={**witness, "dealt": ["x"] * len(witness["dealt"])}),
    ]  # fmt: skip
    for text in broken:
        path.write_text(text, encoding="utf-8")
        assert store.find(question) is None, text[:200]
    path.write_bytes(b"\xff\xfe\x00")
    assert store.find(question) is None
    path.unlink()
    path.mkdir()
    assert store.find(question) is None
    store.keep(question, first[1]["F2"])
    assert store.failure, "a folder cannot be replaced by a file"
    assert [entry.name for entry in store.folder.iterdir()] == [path.name], "nothing half written is left"


def test_what_is_not_settled_is_not_kept(written: Callable[[str], Plan], tmp_path: Path) -> None:
    asked = written(SMALL)
    store = Store(tmp_path / "cache", asked)
    for word in Word:
        store.keep(Question("S1", 0), Verdict("S1", word, "players=2"))
        assert (store.find(Question("S1", 0)) is not None) == storing.lasting(Verdict("S1", word))
        for path in store.folder.glob("*"):
            path.unlink()
    assert not any(storing.lasting(Verdict("S1", w)) for w in (Word.UNKNOWN, Word.NOT_FOUND, Word.HOLLOW, Word.SKIPPED))


def test_a_verdict_that_names_a_line_is_good_for_these_files_only(
    written: Callable[[str], Plan], tmp_path: Path
) -> None:
    question = Question("C4", 0)
    told = Verdict("C4", Word.REFUTED, "players=2", details=("the same as in line 4",))
    asked = written(SMALL)
    part = replace(told, details=(), span=asked.game.settles[0].span.first())
    for verdict in (told, part):
        store = Store(tmp_path / "cache", written(SMALL))
        store.keep(question, verdict)
        assert store.find(question) == replace(verdict, cached=True)
        assert Store(store.folder, written("# one line more\n" + SMALL)).find(question) is None


def test_a_full_disk_is_told_once_and_harms_nobody(
    written: Callable[[str], Plan], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []

    def full(*_: object, **__: object) -> tuple[int, str]:
        tries.append(1)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "mkstemp", full)
    store = Store(tmp_path / "cache", written(SMALL))
    for _ in range(3):
        store.keep(Question("S1", 0), Verdict("S1", Word.PROVED, "players=2"))
    assert store.failure == "No space left on device"
    assert len(tries) == 1
    assert store.find(Question("S1", 0)) is None


def test_the_folder_stays_small(
    written: Callable[[str], Plan], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storing, "MOST_FILES", 3)
    store = Store(tmp_path, written(SMALL))
    for number in range(6):
        path = tmp_path / f"{number}.verdict"
        path.touch()
        os.utime(path, (number, number))
    for name in ("dead.new", "somebody.txt"):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / "young.new").touch()
    store.keep(Question("S1", 0), Verdict("S1", Word.PROVED, "players=2"))
    store.tidy()
    left = {path.name for path in tmp_path.iterdir()} - {"small.dom"}
    assert left == {
        "4.verdict",
        "5.verdict",
        store._path(store.key(Question("S1", 0))).name,
        "somebody.txt",
        "young.new",
    }


def test_nothing_of_a_verdict_gets_lost() -> None:
    """Who adds a field says in `Store.keep` and `Store.find` what becomes of it, and then here."""
    kept = {"item", "word", "scope", "method", "seconds", "details", "span", "witness", "doesnt_say", "reason", "depth"}
    kept |= {"transcript"}
    assert {field.name for field in fields(Verdict)} == kept | {"cached"}


def test_a_claim_that_says_implies_is_another_claim(written: Callable[[str], Plan]) -> None:
    """A proved `A implies B` may be hollow, `not A or B` not, though both mean the same."""
    one, other = (
        written(SMALL + f"claim x: always {body}\n").game for body in ("out implies laid > 0", "not out or laid > 0")
    )
    assert canon(one).text == canon(other).text
    assert canon(one, one.claims[-1]).text != canon(other, other.claims[-1]).text


def test_the_battery_reads_nothing_that_is_left_out() -> None:
    """Claims are asked one by one, and belong to the question; all else that UNSAID names must not decide anything."""
    hidden = {name for names in UNSAID.values() for name in names} - {"source"}
    for path in (ROOT / "verifier").rglob("*.py"):
        read = {n.attr for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Attribute)}
        allowed = {"claims"} if path.name in ("run.py", "claims.py", "store.py") else set()
        allowed |= {"doc"} if path.name == "facts.py" else set()  # of lemmas, which are printed with it
        allowed |= {"examples"} if path.name in ("said.py", "fingerprint.py") else set()  # see store.DECLARED
        assert not read & hidden - allowed, path
