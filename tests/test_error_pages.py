"""Every code has a page in `grammar/errors/`: its first block of rules has this mistake and no other, its second has none.

What cannot be written down has a word after ```` ```dom ````: how the file is made of the block.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from domrules.grammar.codes import CODES
from domrules.grammar.drawing import render
from domrules.grammar.load import Loaded, check
from domrules.interpreter.examples import run_example

PAGES = Path(__file__).parent.parent / "grammar" / "errors"
BLOCK = re.compile(r"^```dom ?([\w-]*)\n(.*?)^```$", re.M | re.S)


def repeated(text: str) -> str:
    """The last line again and again."""
    head, _, last = text.rstrip().rpartition("\n")
    return f"{head}\n" + f"{last}\n" * 10_000


def links(text: str) -> str:
    """The chain of defines goes on."""
    return text + "".join(f"define f{i}: int = f{i - 1} + 1\n" for i in range(2, 200))


MADE: Mapping[str, Callable[[str], bytes]] = {
    "": str.encode,
    "repeated": lambda text: repeated(text).encode(),
    "links": lambda text: links(text).encode(),
    "utf-16-le": lambda text: text.encode("utf-16-le"),
    "cp1250": lambda text: text.encode("cp1250"),
    "chain": str.encode,
}


def blocks(code: str) -> list[tuple[str, str]]:
    """(how the file is made, the text) for every block of a page."""
    return [(m[1], m[2]) for m in BLOCK.finditer(page(code))]


def page(code: str) -> str:
    return (PAGES / f"{code}.md").read_text(encoding="utf-8")


def examined(how: str, text: str, folder: Path) -> Loaded:
    name = re.search(r"^game (\w+)", text, re.M)
    path = folder / f"{name[1] if name else 'night'}.dom"
    path.write_bytes(MADE[how](text))
    if how == "chain":
        for i in range(1, 30):
            (folder / f"g{i}.dom").write_text(f"game g{i} extends g{i + 1}\n", encoding="utf-8")
    return check(path)


@pytest.mark.parametrize("code", sorted(CODES))
def test_what_is_wrong_has_this_mistake_and_no_other(code: str, tmp_path: Path) -> None:
    how, text = blocks(code)[0]
    found = examined(how, text, tmp_path).diagnostics
    assert {d.code for d in found} == {code}, "\n".join(map(render, found))


@pytest.mark.parametrize("code", sorted(CODES))
def test_what_to_write_instead_has_none(code: str, tmp_path: Path) -> None:
    how, text = blocks(code)[1]
    assert how == ""
    loaded = examined(how, text, tmp_path)
    assert loaded.game is not None, "\n".join(map(render, loaded.diagnostics))
    for result in (run_example(loaded.game, e) for e in loaded.game.examples if e.span.source.name == loaded.game.file):
        assert result.ok, result


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_page_is_short_and_has_its_parts(code: str) -> None:
    text = page(code)
    assert text.startswith(f"# {code}: {CODES[code]}\n\n")
    first, second = (m.start() for m in BLOCK.finditer(text))
    assert "Instead" in text[first:second]
    prose = BLOCK.sub("", text).split("\n\n", 1)[1]
    assert 15 <= len(prose.split()) <= 120
    assert len(text.splitlines()) <= 45


def test_every_code_has_a_page_and_no_page_is_without_a_code() -> None:
    assert {path.stem for path in PAGES.iterdir()} == set(CODES)


def test_no_two_pages_say_the_same() -> None:
    sentences = [
        s.strip() for code in CODES for s in re.split(r"(?<=[.:])\s", BLOCK.sub("", page(code))) if len(s) > 60
    ]
    assert len(sentences) == len(set(sentences))
