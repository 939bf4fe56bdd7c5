"""Files that say what the verifier must say of them: `#! PLAYERS: ITEM WORD … · ITEM WORD …` before the game.

After PLAYERS may stand settings, as `2 bug=true few=any`.

After WITNESSED may stand how many tiles and moves: then the first detail must begin with that.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from domrules.cli import witnesses
from domrules.grammar import core
from domrules.grammar.load import load
from domrules.interpreter.examples import run_example
from domrules.interpreter.transcript import read, write
from domrules.verifier.battery.run import TITLES, Request, verify
from domrules.verifier.verdict import Standing, Verdict, Word

CASES = Path(__file__).parent / "cases" / "verify"
PAGES = Path(__file__).parent.parent / "verifier" / "explain"
BLOCK = re.compile(r"^```dom\n(.*?)^```$", re.M | re.S)


def expectations(text: str) -> list[tuple[str, str, str]]:
    """(table, item, what its verdict must be) for every one in the head of a file."""
    out = []
    for line in text.splitlines():
        if line.startswith("#! "):
            table, _, rest = line[3:].partition(":")
            for part in rest.split("·"):
                item, _, word = part.strip().partition(" ")
                out.append((table, item, word))
    return out


@pytest.mark.parametrize("path", sorted(CASES.glob("*.dom")), ids=lambda p: p.stem)
def test_says_what_the_file_expects(path: Path, tmp_path: Path, full: bool) -> None:
    if path.stem.startswith("long_") and not full:
        pytest.skip("takes long: --full")
    holds(path, tmp_path)


def holds(path: Path, folder: Path) -> None:
    """Is every verdict as the head of the file has it?"""
    game = load(path)
    expected = expectations(path.read_text(encoding="utf-8"))
    assert expected, "a file that expects nothing cannot fail"
    for table in sorted({t for t, _, _ in expected}):
        players, *settings = table.split()
        options = dict(text.split("=") for text in settings)
        wanted = {item: word for t, item, word in expected if t == table}
        found = {v.item: v for v in verify(game, Request([int(players)], options, only=tuple(wanted)))}
        assert {item: shown(found[item], word) for item, word in wanted.items()} == wanted
        for verdict in found.values():
            plays_again(game, path, verdict, folder)


def plays_again(game: core.Game, path: Path, verdict: Verdict, folder: Path) -> None:
    """What a verdict is about can be shown, kept and read again; the example made of it passes."""
    if verdict.transcript is None:
        return
    assert read(write(verdict.transcript)) == verdict.transcript
    assert witnesses.lines(game, verdict.transcript)
    text = witnesses.example(game, verdict)
    if text:
        longer = folder / "longer" / path.name
        longer.parent.mkdir(exist_ok=True)
        longer.write_text(f"{path.read_text(encoding='utf-8')}\n{text}\n", encoding="utf-8")
        played = load(longer)
        (made,) = (e for e in played.examples if e.name.startswith("found_"))
        assert run_example(played, made).ok, text


NO_ALARM = ("C6", "C7")
"""What these say is told, not found: how a sum is rounded; and that all engines compute alike, which only a fault of ours breaks."""


@pytest.mark.parametrize("item", sorted(page.stem for page in PAGES.glob("*.md")))
def test_the_page_of_an_item_shows_a_game_that_fails(item: str, tmp_path: Path) -> None:
    page = (PAGES / f"{item}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {item}: {TITLES[item]}\n\n")
    (text,) = BLOCK.findall(page)
    ((_, named, word),) = expectations(text)
    assert named == item or f"\nclaim {named}:" in text, "an item that cannot fail shows the claim to write instead"
    fails = Word(word).standing in (Standing.FINDING, Standing.HOLLOW)
    assert fails != (item in NO_ALARM), f"{word} teaches nothing"
    assert text.startswith("#! ")
    game = re.search(r"^game (\w+)", text, re.M)
    assert game is not None
    path = tmp_path / f"{game[1]}.dom"
    path.write_text(text, encoding="utf-8")
    holds(path, tmp_path)


def test_every_item_has_a_page() -> None:
    assert {page.stem for page in PAGES.glob("*.md")} == set(TITLES)


def shown(verdict: Verdict, word: str) -> str:
    """The verdict as an expectation would put it."""
    if word.startswith("WITNESSED ") and verdict.details:
        return f"{verdict.word.value} {verdict.details[0].split(';')[0]}"
    return verdict.word.value


def test_skipped_items_name_what_is_missing() -> None:
    """The fishing game has no fish and no layout."""
    game = load(Path(__file__).parent.parent / "specs" / "rybareni.dom")
    (verdict,) = verify(game, Request([2], only=("F2",)))
    assert verdict.text == "SKIPPED (no ending is `as fish`)"
    assert not any(e.role == "fish" for e in game.endings)
