"""Verdicts kept from one run to the next, each in a file of its own, found again by all that it depends on.

What stands in the folder is not trusted: a file that is broken, foreign or of another version counts as not there, and a
hand that is shown is played again first. Only what was established or refuted is kept. Nothing here raises OSError.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

from domrules.grammar.passes import optimise
from domrules.grammar.source import NOWHERE, Span
from domrules.interpreter.errors import RuleError
from domrules.interpreter.names import Move
from domrules.interpreter.play import Ply
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.transcript import BadTranscript, read, write
from domrules.verifier.battery.run import Plan, Question
from domrules.verifier.fingerprint import Canonical, canon, digest
from domrules.verifier.verdict import Standing, Verdict, Word
from domrules.verifier.witness import Witness

FORMAT = "2"
MOST_FILES = 5_000
"""So many verdicts are kept; beyond, the ones not used for longest go."""
MOST_BYTES = 256_000
"""A larger file is neither written nor read."""
LEFT_OVER = 3600.0
"""Seconds after which a file that somebody began to write is dead."""


DECLARED = ("E5", "T3")
"""Items of which an example may say that what they find is meant."""


class Broken(Exception):
    """A kept verdict is not what it should be."""


WRONG = (
    OSError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    AssertionError,
    RecursionError,
    BadTranscript,
    Broken,
)
"""What happens when a file holds something else."""


@dataclass
class Store:
    """The verdicts of a plan in a folder. `failure`: why nothing could be written, in words."""

    folder: Path
    plan: Plan
    failure: str = ""
    written: int = 0
    _played_by: dict[int, Rules] = field(default_factory=dict)

    # ------------------------------------------------------------ what a verdict depends on

    @cached_property
    def _game(self) -> Canonical:
        return canon(self.plan.game)

    @cached_property
    def _with_examples(self) -> Canonical:
        return canon(self.plan.game, examples=True)

    @cached_property
    def _claims(self) -> Mapping[str, Canonical]:
        return {claim.name: canon(self.plan.game, claim) for claim in self.plan.game.claims}

    def _canonical(self, question: Question) -> Canonical:
        whole = self._with_examples if question.name in DECLARED else self._game
        return self._claims.get(question.name, whole)

    def key(self, question: Question) -> str:
        """A digest of the rules, the question, its table, the limits, and of the programs that answer."""
        request = self.plan.request
        table: tuple[object, ...] = ("all",)
        if question.table is not None:
            instance = self.plan.tables[question.table]
            table = (instance.players, sorted(instance.options.items()), instance.open)
        asked = (question.name, table, request.seconds, request.seed, request.small, request.confirm, request.patience)
        return digest(FORMAT, programs(), self._canonical(question).text, repr(asked))

    # ------------------------------------------------------------ reading

    def find(self, question: Question) -> Verdict | None:
        """The verdict of an earlier run, with its places as they are now."""
        key = self.key(question)
        path = self._path(key)
        try:
            if not path.is_file() or path.stat().st_size > MOST_BYTES:
                return None
            verdict = self._read(path.read_text(encoding="utf-8"), key, question)
        except WRONG:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return verdict

    def _read(self, text: str, key: str, question: Question) -> Verdict:
        seal, _, body = text.partition("\n")
        if seal != digest(body):
            raise Broken
        data: Any = json.loads(body)
        canonical = self._canonical(question)
        if data["key"] != key or data["files"] not in ("", canonical.sources):
            raise Broken
        kept = data["verdict"]
        span = _span(data, canonical)
        verdict = Verdict(span=span, word=Word(kept.pop("word")), cached=True, **_typed(kept))
        if not lasting(verdict) or verdict.item != question.name:
            raise Broken
        transcript = None if data["transcript"] is None else read(data["transcript"])
        return replace(verdict, witness=self._played(data["witness"], question), transcript=transcript)

    def _played(self, data: Any, question: Question) -> Witness | None:
        """The witness, played again."""
        if data is None or question.table is None:
            return None
        rules = self._rules(question.table)
        dealt, reached = (State(tuple(data[name])) for name in ("dealt", "reached"))
        if len(dealt.cells) != rules.layout.size:
            raise Broken
        plies = tuple(Ply(p, Move(action, tuple(args)), tuple(fate)) for p, action, args, fate in data["plies"])
        try:
            if rules.wants_redeal(dealt):
                raise Broken
            state = rules.begin(dealt)
            for ply in plies:
                if ply.move not in rules.legal_moves(state) or ply.outcome not in rules.outcomes(state, ply.move):
                    raise Broken
                state = rules.act(state, ply.move, ply.outcome)
        except RuleError as error:
            raise Broken from error
        if state != reached:
            raise Broken
        return Witness(dealt, plies, reached, bool(data["canonical"]))

    def _rules(self, table: int) -> Rules:
        if table not in self._played_by:
            self._played_by[table] = Rules(optimise(replace(self.plan.tables[table], events=())))
        return self._played_by[table]

    # ------------------------------------------------------------ writing

    def keep(self, question: Question, verdict: Verdict) -> None:
        """Write a verdict down, if it will still be one tomorrow."""
        if self.failure or not lasting(verdict) or verdict.cached:
            return
        key, canonical, span = self.key(question), self._canonical(question), verdict.span
        places = canonical.places(span)
        fixed = _tells_places(verdict, canonical) or (not places and span != NOWHERE)
        data = {
            "key": key,
            "files": canonical.sources if fixed else "",
            "places": places,
            "at": [] if places or span == NOWHERE else [span.source.name, span.start, span.end],
            "verdict": {
                "item": verdict.item, "word": verdict.word.value, "scope": verdict.scope, "method": verdict.method,
                "seconds": verdict.seconds, "details": verdict.details, "doesnt_say": verdict.doesnt_say,
                "reason": verdict.reason, "depth": verdict.depth,
            },
            "witness": None if verdict.witness is None else _witness(verdict.witness),
            "transcript": None if verdict.transcript is None else write(verdict.transcript),
        }  # fmt: skip
        body = json.dumps(data, ensure_ascii=True)
        if len(body) < MOST_BYTES - 100:
            self._write(self._path(key), f"{digest(body)}\n{body}")

    def _write(self, path: Path, text: str) -> None:
        """All or nothing: another process sees the old file or the new one."""
        temporary = ""
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".new")
            with open(handle, "w", encoding="utf-8") as file:  # noqa: PTH123  (it is open already)
                file.write(text)
            Path(temporary).replace(path)
            self.written += 1
        except OSError as error:
            self.failure = error.strerror or str(error)
            if temporary:
                with contextlib.suppress(OSError):
                    Path(temporary).unlink()

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.verdict"

    def tidy(self) -> None:
        """Let the oldest go when there are too many, and what was never finished."""
        if not self.written:
            return
        with contextlib.suppress(OSError):
            found = [(entry.stat().st_mtime, Path(entry.path)) for entry in os.scandir(self.folder) if entry.is_file()]
            kept = sorted(item for item in found if item[1].suffix == ".verdict")
            old = [path for _, path in kept[: max(0, len(kept) - MOST_FILES)]]
            dead = [path for at, path in found if path.suffix == ".new" and at < time.time() - LEFT_OVER]
            for path in [*old, *dead]:
                with contextlib.suppress(OSError):
                    path.unlink()


def lasting(verdict: Verdict) -> bool:
    """Is it worth keeping: established or refuted?"""
    return verdict.word.standing in (Standing.ESTABLISHED, Standing.FINDING)


def _tells_places(verdict: Verdict, canonical: Canonical) -> bool:
    """Does its text name a line of a file? Then it is good for these very files only."""
    text = "\n".join([*verdict.details, verdict.reason, verdict.method, verdict.doesnt_say])
    return bool(re.search(r"\bline \d", text)) or any(f"{name}:" in text for name in canonical.files)


def _span(data: Any, canonical: Canonical) -> Span:
    """The place of a kept verdict in the files of today. Raises Broken."""
    if not data["places"] and not data["at"]:
        return NOWHERE
    if data["at"]:
        name, start, end = data["at"]
        return Span(canonical.files[name], start, end)
    span = canonical.place(data["places"])
    if span is None:
        raise Broken
    return span


def _witness(witness: Witness) -> Mapping[str, object]:
    plies = [(ply.mover, ply.move.action, ply.move.args, ply.outcome) for ply in witness.plies]
    return {
        "dealt": witness.dealt.cells,
        "reached": witness.reached.cells,
        "plies": plies,
        "canonical": witness.canonical,
    }


def _typed(kept: Any) -> dict[str, Any]:
    """The plain fields of a verdict, each of its type. Raises Broken."""
    texts = ("item", "scope", "method", "doesnt_say", "reason")
    details, depth, seconds = kept["details"], kept["depth"], kept["seconds"]
    good = (
        all(isinstance(kept[name], str) for name in texts)
        and isinstance(details, list)
        and all(isinstance(line, str) for line in details)
        and (depth is None or isinstance(depth, int))
        and isinstance(seconds, int | float)
    )
    if not good:
        raise Broken
    return {**{name: kept[name] for name in texts}, "details": tuple(details), "depth": depth, "seconds": seconds}


@cache
def programs() -> str:
    """What answers, in one short name: a digest of our own sources and the versions of what they run."""
    layers = Path(__file__).resolve().parent.parent
    total = hashlib.sha256()
    for library in ("z3-solver", "wasmtime"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            total.update(f"{library} {metadata.version(library)}\0".encode())
    for layer in ("grammar", "interpreter", "compiler", "verifier"):
        for path in _sources(layers / layer):
            total.update(path.name.encode() + b"\0" + path.read_bytes())
    return total.hexdigest()


def _sources(folder: Path) -> Sequence[Path]:
    return sorted([*folder.rglob("*.py"), *folder.rglob("*.lark")])
