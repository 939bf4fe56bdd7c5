"""Files that say what the verifier must say of them: `#! PLAYERS: ITEM WORD … · ITEM WORD …` before the game.

After WITNESSED may stand how many tiles and moves: then the first detail must begin with that.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from domrules.grammar.load import load
from domrules.verifier.battery.run import Request, verify
from domrules.verifier.verdict import Verdict

CASES = Path(__file__).parent / "cases" / "verify"


def expectations(path: Path) -> list[tuple[int, str, str]]:
    """(players, item, what its verdict must be) for every one in the head of a file."""
    out = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#! "):
            players, _, rest = line[3:].partition(":")
            for part in rest.split("·"):
                item, _, word = part.strip().partition(" ")
                out.append((int(players), item, word))
    return out


@pytest.mark.parametrize("path", sorted(CASES.glob("*.dom")), ids=lambda p: p.stem)
def test_says_what_the_file_expects(path: Path) -> None:
    game = load(path)
    expected = expectations(path)
    assert expected, "a file that expects nothing cannot fail"
    for players in sorted({n for n, _, _ in expected}):
        wanted = {item: word for n, item, word in expected if n == players}
        found = {v.item: v for v in verify(game, Request([players], only=tuple(wanted)))}
        assert {item: shown(found[item], word) for item, word in wanted.items()} == wanted


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
