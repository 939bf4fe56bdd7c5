"""The table of who beats whom: the same however its matches are spread over runs."""

from pathlib import Path

import pytest
import strength


def shown(capsys: pytest.CaptureFixture[str], *args: str) -> list[str]:
    """The rows of the table, without what they took."""
    strength.main(["--game", "block", "--bots", "random,heavy", "--jobs", "1", *args])
    lines = capsys.readouterr().out.splitlines()
    return [line.partition("matches")[0] for line in lines if "beats" in line]


def test_a_table_that_was_broken_off_goes_on(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    kept = tmp_path / "strength.jsonl"
    assert "10 " in shown(capsys, "--matches", "30", "--seconds", "0", "--keep", str(kept))[0]
    whole = shown(capsys, "--matches", "30", "--keep", str(kept))
    assert len(kept.read_text(encoding="utf-8").splitlines()) == 3
    assert whole == shown(capsys, "--matches", "30")
    assert "30 " in whole[0]
    assert shown(capsys, "--matches", "30", "--keep", str(kept), "--seed", "2") != whole
