"""A path → core.Game: reads the file and its ancestors, runs the front end, gathers every mistake."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile, Diagnostic, Note, Reporter, did_you_mean
from domrules.grammar.lower import lower
from domrules.grammar.parse import MAX_SIZE, parse
from domrules.grammar.source import Source, Span
from domrules.grammar.syntax import File, Node, Word, node, word

SHIPPED = Path(__file__).resolve().parent.parent / "specs"
MAX_CHAIN = 20


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of a file: its game, or its mistakes (never both); and its texts, oldest ancestor first."""

    game: core.Game | None
    diagnostics: tuple[Diagnostic, ...]
    files: tuple[File, ...]


def load(path: Path) -> core.Game:
    """The game of a file. Raises BadFile with every mistake, OSError when it cannot be read."""
    loaded = check(path)
    if loaded.game is None:
        raise BadFile(loaded.diagnostics)
    return loaded.game


def check(path: Path) -> Loaded:
    """The game or the mistakes of a file. Raises OSError when the file itself cannot be read."""
    report = Reporter()
    files = _chain(path, report)
    game = lower(files, report) if files and not _unreadable(report) else None
    if game is None and not report.found:
        raise AssertionError("a file without game and without mistake")
    return Loaded(game, report.in_order(), tuple(files))


def _unreadable(report: Reporter) -> bool:
    """Is a mistake of the kind that makes all later ones follow-ups?"""
    return any(d.code.startswith("DOM1") or d.code in ("DOM215", "DOM216", "DOM217") for d in report.found)


def read_source(path: Path, report: Reporter) -> Source | None:
    """The text of a file. None (and a mistake) when it is no text."""
    with path.open("rb") as stream:
        data = stream.read(MAX_SIZE + 16)
    name = str(path)
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    try:
        return Source(name, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        if len(data) > MAX_SIZE:
            return Source(name, data.decode("utf-8", "replace"))
        good = data[: error.start].decode("utf-8")
        source = Source(name, good + "\ufffd")
        report.add(
            "DOM108", "this file is not UTF-8 text", Span(source, len(good), len(good) + 1), fix="save it as UTF-8"
        )
        return None


def _chain(path: Path, report: Reporter) -> list[File]:
    """The file and its ancestors, oldest first."""
    files: list[File] = []
    seen: list[Path] = []
    while True:
        seen.append(path.resolve())
        source = read_source(path, report)
        if source is None:
            break
        file = parse(source, report)
        files.insert(0, file)
        parent = _parent(file)
        if parent is None:
            break
        found = _find(parent.text, path)
        if found is None:
            report.add("DOM215", f"there is no file `{parent}.dom` to extend", parent.span, Note(f"looked in {_shown(path)}"),
                       fix=did_you_mean(parent.text, _names(path)))  # fmt: skip
            break
        if found.resolve() in seen or len(seen) > MAX_CHAIN:
            loop = " → ".join([p.stem for p in seen] + [found.stem])
            report.add("DOM216", f"`{parent}` extends itself: {loop}", parent.span)
            break
        path = found
    return files


def _parent(file: File) -> Word | None:
    for n in file.declarations:
        inner: Node = node(n.parts[0]) if n.kind == "instead" else n
        if inner.kind in ("game", "family") and inner.parts[1] is not None:
            return word(inner.parts[1])
    return None


def _folders(path: Path) -> list[Path]:
    here = path.parent
    return [here, here / "families", here.parent / "families", here.parent, SHIPPED, SHIPPED / "families"]


def _find(name: str, beside: Path) -> Path | None:
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", name):
        return None
    for folder in _folders(beside):
        candidate = folder / f"{name}.dom"
        if candidate.is_file():
            return candidate
    return None


def _names(beside: Path) -> list[str]:
    return [p.stem for folder in _folders(beside) if folder.is_dir() for p in folder.glob("*.dom")]


def _shown(beside: Path) -> str:
    return ", ".join(str(f) for f in dict.fromkeys(_folders(beside)) if f.is_dir())
