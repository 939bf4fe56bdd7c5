"""Fuzzing what reads texts: mutants of our own files, word by word, guided by coverage where `atheris` is installed.

    python tests/fuzzing.py TARGET [--runs N] [--seconds S] [--seed N] [--blind] [--keep FOLDER]
    python tests/fuzzing.py all --runs 1000000

A target fails when it raises what it does not promise, takes more than a second of CPU, or its answer breaks a law. The text
that did it is kept. `--blind` is without coverage, and several times faster; so is a machine without atheris. `all` shares the
runs out among the targets, blind, and goes on with the next one when one has failed.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import hashlib
import random
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
SLOW = 1.0
"""Seconds of CPU a text may take."""
GUIDED = 150
"""Texts to begin with where coverage is measured; the mutator takes words and lines of all the others."""
FEW = 40
PLAYED = ("block", "rybareni", "koza_online")
"""Games of which matches are played, written down and changed."""
TABLES = 50
"""Tables of hands files that are kept."""
LONGEST = 6000
"""Characters of a text; mutants that grew longer are cut."""
WORD = re.compile(r'"[^"\n]*"|#[^\n]*|\w+|\s+|[^\w\s]')

Target = Callable[[str], None]


# ---------------------------------------------------------------- what is fuzzed


def instrumented(guided: bool) -> contextlib.AbstractContextManager[object]:
    """While our modules are imported here, atheris sees which of their branches are taken."""
    if not guided:
        return contextlib.nullcontext()
    atheris: Any = import_module("atheris")
    manager: contextlib.AbstractContextManager[object] = atheris.instrument_imports(
        include=["domrules.grammar", "domrules.interpreter", "domrules.cli"]
    )
    return manager


def rules(folder: Path) -> Target:
    """`parse` and `check` of a file."""
    from domrules.grammar import load
    from domrules.grammar.codes import CODES
    from domrules.grammar.drawing import render
    from domrules.grammar.report import annotation, as_data
    from domrules.grammar.sarif import log, of_mistake

    path = folder / "main.dom"

    def run(text: str) -> None:
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        loaded = load.check(path)
        assert (loaded.game is None) == bool(loaded.diagnostics), "a game, or mistakes"
        for d in loaded.diagnostics:
            assert d.code in CODES
            assert 0 <= d.span.start <= d.span.end <= len(d.span.source.text), "a place in the text"
            assert all(c.isprintable() or c == "\n" for c in render(d)), "no commands for the terminal"
            assert "\n" not in annotation(d)
            assert as_data(d)
        assert log("0", [of_mistake(d) for d in loaded.diagnostics[:3]], [str(path)], 0)

    return run


def syntax(folder: Path) -> Target:
    """`parse` alone."""
    from domrules.grammar.diagnostics import Enough, Reporter
    from domrules.grammar.drawing import render
    from domrules.grammar.parse import parse
    from domrules.grammar.source import Source

    def run(text: str) -> None:
        report = Reporter()
        with contextlib.suppress(Enough):
            parse(Source("main.dom", text), report)
        for d in report.found:
            assert 0 <= d.span.start <= d.span.end <= len(text), "a place in the text"
            render(d)

    return run


def transcript(folder: Path) -> Target:
    """The reader of transcripts: what can be read is written as it is read."""
    from domrules.interpreter.transcript import BadTranscript, read, write
    from domrules.interpreter.twin import as_json, read_any

    def run(text: str) -> None:
        try:
            found = read_any(text)
        except BadTranscript:
            return
        written = write(found)
        assert read(written) == found
        assert write(read(written)) == written
        assert read_any(as_json(found)) == found

    return run


def replay(folder: Path) -> Target:
    """A transcript played again by the rules, and its rounds as they are shown; tables are made once."""
    from domrules.cli.rounds import Shown
    from domrules.grammar.instance import SettingError
    from domrules.grammar.load import load
    from domrules.interpreter import judge
    from domrules.interpreter.errors import RuleError
    from domrules.interpreter.transcript import BadTranscript
    from domrules.interpreter.twin import read_any

    games = {name: load(ROOT / "specs" / f"{name}.dom") for name in PLAYED}
    made, opened = (vars(judge)[name] for name in ("Rules", "instantiate"))
    rules = lru_cache(TABLES)(lambda name, players, told: made(opened(games[name], players, dict(told))))
    mock.patch.object(judge, "instantiate", lambda game, n, told: rules(game.name, n, tuple(told.items()))).start()
    mock.patch.object(judge, "Rules", lambda known: known).start()

    def run(text: str) -> None:
        with contextlib.suppress(BadTranscript, SettingError, RuleError):
            found = read_any(text)
            judged = judge.Judge(games.get(found.game, games["block"]), found)
            for one in judged.rounds():
                assert Shown(one.rules, one.text, one.before, one.played).lines()
            judged.complete()

    return run


def hands(folder: Path) -> Target:
    """The reader of hands files, and the scorer of a small game; tables, which do not change, are made once."""
    import typer

    from domrules.cli import sheets
    from domrules.cli.games import open_instance
    from domrules.cli.sheets import counted, sheet, table
    from domrules.grammar.load import load
    from domrules.interpreter.hands import BadHands, read, write
    from domrules.interpreter.rules import Rules

    games = {name: load(ROOT / "specs" / f"{name}.dom") for name in ("block", "koza_online")}
    rules = lru_cache(TABLES)(lambda name, players, settings: Rules(open_instance(games[name], players, settings)))
    mock.patch.object(sheets, "open_instance", lambda game, n, told: rules(game.name, n, tuple(told))).start()
    mock.patch.object(sheets, "Rules", lambda known: known).start()

    def run(text: str) -> None:
        try:
            found = read(text)
        except BadHands:
            return
        assert read(write(found)) == found
        try:
            scorer = table(games.get(found.game, games["block"]), found, None, [])
        except (BadHands, typer.BadParameter):
            return
        rounds, _ = counted(scorer, found)
        sheet(scorer, rounds)

    return run


TARGETS: dict[str, Callable[[Path], Target]] = {
    "rules": rules,
    "syntax": syntax,
    "transcript": transcript,
    "replay": replay,
    "hands": hands,
}
SHARES = {"hands": 0.40, "transcript": 0.37, "replay": 0.03, "syntax": 0.15, "rules": 0.05}
"""What each target has of the texts when all are fuzzed: the quicker, the more."""


# ---------------------------------------------------------------- texts to begin with


def seeds(target: str) -> list[str]:
    """Texts that the target understands, and the mistakes we know; none as long as is allowed."""
    return [text[: LONGEST // 2] for text in _seeds(target)]


HANDS = (
    "game block\nplayers 2\noption target = 50\nround 1\nended out by p0\np1: 6|5 1-3\nround 2\nended blocked\np0: 2:0\np1: 66 [1|0]\n",
    "players 3\nname p0 Ann\nname p1 Bob\n; a remark\nround 1\nended blocked\nlast_mover: Ann\nAnn: 0|2\nBob: 6/4\np2: -\n",
    "before starter: p1\nbefore score: 90, 99\nround 1\nended out by p1\nhand[p0]: 5|5\n",
    "game koza_online\nplayers 2\nround 1\nended out by p0\np1: 0|0\nround 2\nended out by p1\np0: 6|6 5|5\n",
)
"""Hands files, beside those of the documents."""


def _seeds(target: str) -> list[str]:
    match target:
        case "transcript" | "replay":
            return [*_blocks("transcript"), *_matches(), *(text for text in _blocks("json") if "plies" in text)]
        case "hands":
            return [*_blocks("hands"), *HANDS]
        case _:
            return _pieces()


def _pieces() -> list[str]:
    """Whole files in pieces of a few declarations under their head, and every case of a mistake."""
    from domrules.grammar.cut import pieces

    out: list[str] = []
    for path in sorted((ROOT / "tests" / "cases" / "errors").glob("*.dom")):
        text = re.sub(r"^#!.*\n?", "", path.read_text(encoding="utf-8"), flags=re.M)
        out += [part for part in re.split(r"^#---- .*\n", text, flags=re.M) if part.strip()]
    for path in sorted([*(ROOT / "specs").rglob("*.dom"), *(ROOT / "tests" / "cases" / "verify").glob("*.dom")]):
        text = path.read_text(encoding="utf-8")
        found = [text[p.start : p.end] for p in pieces(text)[1]]
        head, several = found[0], found[1:]
        out += [head + "".join(several[i : i + 6]) for i in range(0, len(several), 6)]
        out += [text] if len(text) < 1500 else []
    for page in sorted((ROOT / "grammar" / "errors").glob("*.md")):
        out += re.findall(r"^```dom\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
    return out


def _blocks(kind: str) -> list[str]:
    pages = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
    found = [re.findall(rf"^```{kind}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S) for page in pages]
    return [text for several in found for text in several]


def _matches() -> list[str]:
    from domrules.grammar.instance import instantiate
    from domrules.grammar.load import load
    from domrules.interpreter.chance import Chance
    from domrules.interpreter.play import Table
    from domrules.interpreter.players import RandomPlayer
    from domrules.interpreter.replay import record
    from domrules.interpreter.rules import Rules
    from domrules.interpreter.transcript import write
    from domrules.interpreter.twin import as_json

    out = []
    for name in PLAYED:
        game = load(ROOT / "specs" / f"{name}.dom")
        rules = Rules(instantiate(game, 2))
        chance = Chance.named(1, 0)
        match = Table(rules, [RandomPlayer(chance)] * 2, chance).match(rules.new_match(), 1)
        found = record(rules, match, {"Seed": "1"})
        out += [write(found), as_json(found)]
    return out


# ---------------------------------------------------------------- mutants


class Mutator:
    """Makes a text from others by a few changes of words, lines or letters."""

    def __init__(self, corpus: Sequence[str]) -> None:
        self.corpus = corpus
        self.known = {text: tuple(WORD.findall(text)) for text in corpus}
        self.soup = sorted({word for text in corpus for word in WORD.findall(text) if not word.startswith(("#", '"'))})
        self.soup += [
            '"',
            "#",
            "\0",
            "\x1b",
            "\ufeff",
            "а",
            "é",
            "½",
            "999999999",
            "0",
            "-1",
            "\r",
            "\u2028",
            "٣",
            "((((",
            "||",
        ]

    def of(self, text: str, chance: random.Random) -> str:
        words = self.words(text)
        for _ in range(chance.choice((1, 1, 1, 2, 2, 3, 5, 9))):
            if not words:
                words = [*self.words(chance.choice(self.corpus))]
            self.change(words, chance)
        return "".join(words)[:LONGEST]

    def words(self, text: str) -> list[str]:
        return [*(self.known.get(text) or WORD.findall(text))]

    def change(self, words: list[str], chance: random.Random) -> None:
        """One change, in place."""
        at = chance.randrange(len(words))
        match chance.randrange(10):
            case 0:
                del words[at : at + chance.choice((1, 1, 1, 2, 5, 20))]
            case 1:
                words[at:at] = words[at : at + chance.choice((1, 1, 2, 8))] * chance.choice((1, 1, 2, 40))
            case 2:
                other = chance.randrange(len(words))
                words[at], words[other] = words[other], words[at]
            case 3 | 4:
                words[at] = chance.choice(self.soup)
            case 5:
                words.insert(at, chance.choice(self.soup))
            case 6:
                other_words = self.words(chance.choice(self.corpus))
                start = chance.randrange(len(other_words) or 1)
                words[at:at] = ["\n", *other_words[start : start + chance.choice((3, 10, 30))], "\n"]
            case 7:
                word = words[at]
                cut = chance.randrange(len(word) + 1)
                words[at] = (
                    word[:cut] + chr(chance.choice((0, 9, 34, 35, 40, 124, 0xE9, 0x430, 0x1F600))) + word[cut + 1 :]
                )
            case 8:
                words[at] = str(chance.choice((-1, 0, 1, 2, 6, 7, 28, 100, 10**9 - 1, 10**12)))
            case _:
                names = [word for word in words if word.isidentifier()] or self.soup
                words[at] = chance.choice(names)


# ---------------------------------------------------------------- running


class Watch:
    """Runs a target on texts, counts them, and stops at the first that fails."""

    def __init__(self, name: str, target: Target, keep: Path) -> None:
        self.name, self.target, self.keep = name, target, keep
        self.count, self.slowest = 0, 0.0

    def __call__(self, text: str) -> None:
        before = time.process_time()
        try:
            self.target(text)
        except Exception:
            self.told(text, "raised")
            raise
        took = time.process_time() - before
        if took > self.slowest:
            self.slowest = took
        if took > SLOW:
            before = time.process_time()
            self.target(text)  # once more: the first may have met a collection of garbage
            if time.process_time() - before > SLOW:
                raise TimeoutError(f"{took:.1f} s of CPU: {self.told(text, 'slow')}")
        self.count += 1
        if self.count % 2000 == 0:
            gc.collect()

    def told(self, text: str, why: str) -> Path:
        """Keep the text; where it is."""
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        path = self.keep / f"{self.name}-{why}-{digest}"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        print(f"{self.name}: {why} after {self.count} texts, kept in {path}", file=sys.stderr)
        return path

    def summary(self, seconds: float) -> str:
        rate, slowest = self.count / max(seconds, 1e-9), 1000 * self.slowest
        return (
            f"{self.name}: {self.count} texts in {seconds:.0f} s of CPU, {rate:.0f} a second, slowest {slowest:.0f} ms"
        )


def blind(watch: Watch, mutator: Mutator, runs: int, seconds: float, seed: int) -> None:
    """Mutants of the seeds, and of mutants."""
    chance = random.Random(seed)
    began, used = time.monotonic(), time.process_time()
    recent = [*mutator.corpus]
    try:
        while watch.count < runs and time.monotonic() - began < seconds:
            text = mutator.of(chance.choice(recent if chance.random() < 0.3 else mutator.corpus), chance)
            watch(text)
            if chance.random() < 0.02:
                recent[chance.randrange(len(recent))] = text
    finally:
        print(watch.summary(time.process_time() - used), flush=True)


def guided(watch: Watch, mutator: Mutator, runs: int, seconds: float, seed: int) -> NoReturn:
    """Mutants of texts that took a branch no other had taken; leaves the process."""
    atheris: Any = import_module("atheris")
    folder = Path(tempfile.mkdtemp(prefix="dom-fuzz-"))
    for i, text in enumerate(random.Random(seed).sample(mutator.corpus, min(GUIDED, len(mutator.corpus)))):
        (folder / f"{i}").write_bytes(text.encode())

    def mutate(data: bytes, most: int, number: int) -> bytes:
        chance = random.Random(number)
        if chance.random() < 0.1:
            changed: bytes = atheris.Mutate(data, most)
            return changed
        text = data.decode("utf-8", "replace") or chance.choice(mutator.corpus)
        return mutator.of(text, chance).encode("utf-8", "replace")[:most]

    def run(data: bytes) -> None:
        watch(data.decode("utf-8", "replace"))

    limits = [
        f"-runs={runs}",
        f"-max_total_time={seconds:.0f}",
        f"-max_len={LONGEST}",
        f"-seed={seed}",
        "-timeout=60",
        "-report_slow_units=600",
        "-print_final_stats=1",
    ]
    atheris.Setup(
        [sys.argv[0], *limits, "-verbosity=0", f"-artifact_prefix={watch.keep}/", str(folder)],
        run,
        custom_mutator=mutate,
    )
    atheris.Fuzz()
    raise SystemExit(0)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("target", choices=[*TARGETS, "all"])
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=3600.0, help="for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--blind", action="store_true")
    parser.add_argument("--few", action="store_true", help="begin with some of the texts only")
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()))
    told = parser.parse_args()
    if told.target == "all":
        raise SystemExit(all_of_them(told))
    with_coverage = not told.blind
    if with_coverage and find_spec("atheris") is None:
        print("atheris is not installed: fuzzing without coverage", file=sys.stderr)
        with_coverage = False
    fuzz(told.target, told, told.runs, with_coverage)


def all_of_them(told: argparse.Namespace) -> int:
    """Every target in turn; how many have failed."""
    failed = 0
    for target, share in SHARES.items():
        try:
            fuzz(target, told, round(told.runs * share), with_coverage=False)
        except Exception:
            traceback.print_exc()
            failed += 1
    print(f"{len(SHARES)} targets, {failed} failed")
    return failed


def fuzz(target: str, told: argparse.Namespace, runs: int, with_coverage: bool) -> None:
    """One target; the texts to begin with come first."""
    with tempfile.TemporaryDirectory(prefix="dom-fuzz-") as folder:
        with instrumented(with_coverage):
            run = TARGETS[target](Path(folder))
            corpus = seeds(target)
            corpus = random.Random(told.seed).sample(corpus, min(FEW, len(corpus))) if told.few else corpus
        watch, mutator = Watch(target, run, told.keep), Mutator(corpus)
        gc.disable()
        for text in [] if with_coverage else corpus:
            watch(text)
        gc.collect()
        gc.freeze()
        (guided if with_coverage else blind)(watch, mutator, runs, told.seconds, told.seed)


if __name__ == "__main__":
    main()
