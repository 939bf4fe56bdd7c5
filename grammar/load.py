"""A path → core.Game: reads the file and its ancestors, runs the front end, gathers every mistake."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from domrules.grammar import core
from domrules.grammar.cut import PREFIXES
from domrules.grammar.diagnostics import BadFile, Diagnostic, Enough, Note, Reporter, did_you_mean, nearest
from domrules.grammar.explain import plain
from domrules.grammar.lower import lower
from domrules.grammar.parse import MAX_SIZE, parse
from domrules.grammar.settings import check_settings
from domrules.grammar.source import Source, Span
from domrules.grammar.syntax import File, Node, Word, node, word

SHIPPED = Path(__file__).resolve().parent.parent / "specs"
STDIN = Path("-")
"""Stands for the standard input."""
MAX_CHAIN = 20
LONE_RETURN = re.compile(r"\r(?!\n)")
"""The end of a line on old machines."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of a file: its game, or its mistakes (never both); and its texts, oldest ancestor first."""

    game: core.Game | None
    diagnostics: tuple[Diagnostic, ...]
    files: tuple[File, ...]
    more: int = 0
    """Mistakes that are not described, because there are too many."""

    @property
    def shadows(self) -> Iterator[str]:
        """A sentence for each ancestor that takes the place of a shipped one of the same name and another text."""
        for file in self.files[:-1]:
            path = Path(file.source.name)
            shipped = [SHIPPED / path.name, SHIPPED / "families" / path.name]
            if any(present(other) and _differs(path, other) for other in shipped):
                yield f"{path} is extended, not the shipped {path.stem}"


def load(path: Path) -> core.Game:
    """The game of a file. Raises BadFile with every mistake but those of single tables, OSError when it cannot be read."""
    loaded = look(path)
    if loaded.game is None:
        raise BadFile(loaded.diagnostics)
    return loaded.game


def look(path: Path) -> Loaded:
    """The game or the mistakes of a file, but for those of single tables. Raises OSError when it cannot be read."""
    report = Reporter()
    game, files = _read(path, report)
    return Loaded(game, report.in_order(_names_of(files)), tuple(files), report.more)


def check(path: Path, spared: Collection[str] = ()) -> Loaded:
    """The game or the mistakes of a file, at every table it allows; those with a `spared` code are none.

    Raises OSError when the file cannot be read.
    """
    report = Reporter()
    game, files = _read(path, report)
    if game is not None:
        with suppress(Enough):
            check_settings(game, report)
    found = tuple(d for d in report.in_order(_names_of(files)) if d.code not in spared)
    return Loaded(None if found else game, found, tuple(files), report.more)


def _names_of(files: Sequence[File]) -> list[str]:
    """The names of the files, the youngest first: its mistakes are told first."""
    return [file.source.name for file in reversed(files)]


def _read(path: Path, report: Reporter) -> tuple[core.Game | None, list[File]]:
    """The game of a file and its ancestors' texts; None after a mistake."""
    files: list[File] = []
    with suppress(Enough):
        if _chain(path, report, files) and _headed(files, report):
            report.mute(_follow_up(files))
            return lower(files, report), files
    assert report.found, "a file without game and without mistake"
    return None, files


def _headed(files: list[File], report: Reporter) -> bool:
    """Does every file say what it is? Without that nothing else in it can be understood."""
    for file in files:
        if not any(_is_head(n) for n in file.declarations):
            if not file.broken and file.declarations:
                at = Span(file.source, 0, min(1, len(file.source.text)))
                report.add(
                    "DOM412", "this file does not say what game it is", at, fix="begin with `game NAME extends line`"
                )
            return False
    return True


def _is_head(n: Node) -> bool:
    return (node(n.parts[0]) if n.kind in PREFIXES else n).kind in ("game", "family")


MISSING = frozenset("DOM404 DOM418 DOM421 DOM422".split())
"""Codes for what a file lacks; it may stand in a declaration that could not be read."""


def _follow_up(files: list[File]) -> Callable[[Diagnostic], bool]:
    """Is a mistake only there because a declaration could not be read?"""
    broken = [re.sub(r'"[^"\n]*"?|#[^\n]*', " ", span.text) for file in files for span in file.broken]
    lost = {word for text in broken for word in _words(text)}
    declared = {word for text in broken for word in _words(re.sub(r"^\s*(instead|twin)\b", "", text))[1:2]}

    def follows(d: Diagnostic) -> bool:
        suspects = lost if d.code.startswith("DOM2") else declared
        return bool(broken) and (d.code in MISSING or not suspects.isdisjoint(_words(d.span.text)))

    return follows


def _words(text: str) -> list[str]:
    """The names in a text; a name with a foreign letter is also the one that was meant."""
    return [plain(word) or word for word in re.findall(r"\w+", text)]


def find(path: Path) -> Path:
    """The file itself or, where there is none, the shipped game or family of that name.

    Raises FileNotFoundError, with what may be meant, when there is neither.
    """
    there = path == STDIN or _exists(path)
    shipped = [SHIPPED / f"{path}.dom", SHIPPED / "families" / f"{path}.dom"]
    other = None if there else next((other for other in shipped if present(other)), None)
    if there is False and other is None:
        raise FileNotFoundError(errno.ENOENT, f"no such file or directory{_meant(path)}", str(path))
    return other or path


def _exists(path: Path) -> bool | None:
    """Is there anything of this name, be it a link that leads nowhere? None where that may not be known."""
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    except (OSError, ValueError):
        return None
    return True


def _meant(path: Path) -> str:
    """A file in the same folder, or a shipped game, of the nearest name."""
    beside: list[str] = []
    with suppress(OSError, ValueError):
        beside = [other.name for other in path.parent.glob("*.dom")]
    wanted = path.name.removesuffix(".dom") + ".dom"
    near = wanted if wanted in beside else nearest(wanted, beside, 0.75)
    if near:
        return f"; did you mean `{path.with_name(near)}`?"
    near = _shipped_near(str(path).removesuffix(".dom"))
    if near:
        return f"; did you mean `{near}`?"
    return "" if path.suffix or path.parent != Path() else "; `dom list` lists the games that are here"


def _shipped_near(name: str) -> str:
    """A shipped game without its folder, or the nearest: in as few letters, and then a game before a family. Empty when none is near."""
    *_, last = name.rpartition("/")
    short = {other.rpartition("/")[2]: other for other in shipped_names()}
    if last in short:
        return short[last]
    families = {path.stem for path in SHIPPED.glob("families/*.dom")}
    near = [found for pool in (short.keys() - families, families) if (found := nearest(last, pool))]
    return short[min(near, key=lambda found: _distance(last, found))] if near else ""


def _distance(a: str, b: str) -> int:
    """How many letters have to be changed, left out or put in."""
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        row = _next_row(row, i, letter, b)
    return row[-1]


def _next_row(row: Sequence[int], first: int, letter: str, b: str) -> list[int]:
    """The distances to all beginnings of `b`, with one letter more on the other side."""
    out = [first]
    for j, other in enumerate(b):
        out.append(min(out[-1] + 1, row[j + 1] + 1, row[j] + (letter != other)))
    return out


def shipped_names() -> Iterator[str]:
    """The games and families that are found by name alone."""
    for path in (*SHIPPED.glob("*.dom"), *SHIPPED.glob("house/*.dom")):
        yield path.relative_to(SHIPPED).with_suffix("").as_posix()
    yield from (path.stem for path in SHIPPED.glob("families/*.dom"))


def read_source(path: Path, report: Reporter) -> Source | None:
    """The text of a file. None (and a mistake) when it is no text."""
    with _opened(path) as stream:
        data = stream.read(MAX_SIZE + 16)
    name = str(path)
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    try:
        return Source(name, LONE_RETURN.sub("\n", data.decode("utf-8")))
    except UnicodeDecodeError as error:
        if len(data) > MAX_SIZE:
            return Source(name, data.decode("utf-8", "replace"))
        good = data[: error.start].decode("utf-8")
        source = Source(name, good + "\ufffd")
        wide = ", but UTF-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else ""
        at = Span(source, len(good), len(good) + 1)
        report.add("DOM108", f"this file is not UTF-8 text{wide}", at, fix="save it as UTF-8")
        return None


def _opened(path: Path) -> AbstractContextManager[BinaryIO]:
    return nullcontext(sys.stdin.buffer) if path == STDIN else path.open("rb")


def real(path: Path) -> Path:
    """The path without links. Raises OSError for links that lead to themselves."""
    try:
        return path.resolve()
    except RuntimeError:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from None


def present(path: Path) -> bool:
    """Is there such a file? One that may not be looked for is not."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _differs(path: Path, shipped: Path) -> bool:
    return real(path) != real(shipped) and path.read_bytes() != shipped.read_bytes()


def _chain(path: Path, report: Reporter, files: list[File]) -> bool:
    """Read the file and its ancestors into `files`, oldest first; True when all are there."""
    seen: list[Path] = []
    while True:
        seen.append(real(path))
        source = read_source(path, report)
        if source is None:
            return False
        known = _sound(source) if files or path.is_relative_to(SHIPPED) else None
        files.insert(0, known or parse(source, report))
        parent = _parent(files[0])
        if parent is None:
            return True
        found = _find(parent.text, path)
        if found is None:
            report.add("DOM215", f"there is no file `{parent}.dom` to extend", parent.span, Note(f"looked in {_shown(path)}"),
                       fix=did_you_mean(parent.text, _names(path)))  # fmt: skip
            return False
        if real(found) in seen:
            loop = " → ".join([p.stem for p in seen] + [found.stem])
            report.add(
                "DOM216", f"`{parent}` extends itself: {loop}", parent.span, fix="give one of the files another name"
            )
            return False
        if len(seen) > MAX_CHAIN:
            report.add("DOM217", f"more than {MAX_CHAIN} files extend each other", parent.span)
            return False
        path = found


@lru_cache(maxsize=64)
def _sound(source: Source) -> File | None:
    """A file without a mistake; kept, because most games extend the same few. None for any other."""
    report = Reporter()
    with suppress(Enough):
        file = parse(source, report)
        return None if report.found else file
    return None


def _parent(file: File) -> Word | None:
    for n in file.declarations:
        if _is_head(n):
            head = node(n.parts[0]) if n.kind in PREFIXES else n
            return word(head.parts[1]) if head.parts[1] is not None else None
    return None


def _folders(path: Path) -> list[Path]:
    here = path.parent
    return [here, here / "families", here.parent / "families", here.parent, SHIPPED, SHIPPED / "families"]


def _find(name: str, beside: Path) -> Path | None:
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", name):
        return None
    for folder in _folders(beside):
        candidate = folder / f"{name}.dom"
        if present(candidate):
            return candidate
    return None


def _names(beside: Path) -> list[str]:
    return [p.stem for folder in _existing(beside) for p in folder.glob("*.dom")]


def _existing(beside: Path) -> Iterator[Path]:
    for folder in dict.fromkeys(_folders(beside)):
        with suppress(OSError):
            if folder.is_dir():
                yield folder


def _shown(beside: Path) -> str:
    return ", ".join(map(str, _existing(beside)))
