"""Each piece of `cases/errors/` has the mistakes that stand below it; `--accept` writes what we found instead.

A file is cut at lines `#---- TITLE`; a line `#file NAME` begins another file beside the first, which is `main.dom`.
"""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from domrules.grammar.codes import CODES
from domrules.grammar.diagnostics import Diagnostic
from domrules.grammar.load import SHIPPED, Loaded, check

ROOT = Path(__file__).parent.parent
CASES = Path(__file__).parent / "cases" / "errors"
BASE = CASES / "base"
"""Games and families that the cases extend; those that are shipped change too often."""
WANTED = "#! "
ELSEWHERE = frozenset("DOM101 DOM102 DOM103 DOM104 DOM108 DOM112 DOM217 DOM427 DOM428 DOM435 DOM439".split())
"""Codes that test_grammar_files tests: their texts are too large or strange to be written down."""


@dataclass(frozen=True)
class Case:
    """A piece of a file: its title, text and wanted lines."""

    path: Path
    title: str
    text: str
    wanted: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.path.stem}: {self.title}"

    def files(self) -> Iterator[tuple[str, str]]:
        name = "main.dom"
        for i, part in enumerate(re.split(r"^#file (\S+)\n", self.text, flags=re.MULTILINE)):
            if i % 2:
                name = part
            else:
                yield name, part


def cases(path: Path) -> list[Case]:
    pieces = re.split(r"^#---- (.*)\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert pieces[0].strip() == "" or pieces[0].startswith("#"), f"{path} must begin with a title"
    return [case(path, title, body) for title, body in zip(pieces[1::2], pieces[2::2], strict=True)]


def case(path: Path, title: str, body: str) -> Case:
    lines = body.rstrip().split("\n")
    wanted = tuple(line.removeprefix(WANTED) for line in lines if line.startswith(WANTED.rstrip()))
    text = "\n".join(line for line in lines if not line.startswith(WANTED.rstrip())).rstrip() + "\n"
    return Case(path, title, text, wanted)


ALL = [c for path in sorted(CASES.glob("*.dom")) for c in cases(path)]


@pytest.mark.parametrize("it", ALL, ids=str)
def test_a_piece_has_the_mistakes_below_it(it: Case, tmp_path: Path, accept: bool) -> None:
    found = told(examined(it, tmp_path), tmp_path)
    if accept:
        write(it, found)
    else:
        assert list(it.wanted) == found


def examined(it: Case, folder: Path) -> Loaded:
    shutil.copytree(BASE, folder, dirs_exist_ok=True)
    for name, text in it.files():
        (folder / name).write_text(text, encoding="utf-8")
    return check(folder / "main.dom")


def told(loaded: Loaded, folder: Path) -> list[str]:
    """One line for each mistake: code, place, the words it marks, sentence, notes and fix."""
    places = {str(folder): ".", str(folder.parent): "..", str(SHIPPED): "specs"}
    lines = [line(d) for d in loaded.diagnostics]
    for place, short in places.items():
        lines = [text.replace(place, short) for text in lines]
    return lines + ([f"{loaded.more} more"] if loaded.more else []) or ["ok"]


def line(d: Diagnostic) -> str:
    file = Path(d.span.source.name).name
    where = f"{'' if file == 'main.dom' else f'{file}:'}{d.span.line}:{d.span.column}"
    marked = d.span.text.split("\n")[0] + (" …" if "\n" in d.span.text else "")
    return " · ".join(
        [f"{d.code} {where}", marked, d.message, *(f"({n.text})" for n in d.notes), *([d.fix] if d.fix else [])]
    )


def write(it: Case, found: list[str]) -> None:
    """Put the lines below the text of the case, in its file as it is now."""
    pieces = re.split(r"^(#---- .*\n)", it.path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    at = pieces.index(f"#---- {it.title}\n") + 1
    pieces[at] = it.text + "".join(f"{WANTED}{text}\n" for text in found) + "\n"
    it.path.write_text("".join(pieces).rstrip() + "\n", encoding="utf-8")


def test_titles_differ() -> None:
    names = [str(it) for it in ALL]
    assert len(names) == len(set(names))


# ---------------------------------------------------------------- codes


def used() -> set[str]:
    """Codes in the sources of the front end."""
    sources = [path for path in (ROOT / "grammar").glob("*.py") if path.name != "codes.py"]
    return {code for path in sources for code in re.findall(r"DOM\d{3}", path.read_text(encoding="utf-8"))}


def test_every_code_is_listed_and_used() -> None:
    assert used() == set(CODES)


def test_every_code_has_a_case() -> None:
    shown = {text.split()[0] for it in ALL for text in it.wanted if text.startswith("DOM")}
    assert set(CODES) - shown - ELSEWHERE == set()
    assert shown <= set(CODES)


@pytest.mark.parametrize("code", sorted(ELSEWHERE))
def test_codes_without_a_case_are_tested_elsewhere(code: str) -> None:
    assert code in (Path(__file__).parent / "test_grammar_files.py").read_text(encoding="utf-8")
