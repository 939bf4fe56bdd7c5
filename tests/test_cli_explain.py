"""`dom explain`: items and codes by their pages, and the nearest name for what is neither."""

import re

import pytest
from test_cli_verify import run

from domrules.cli import explain
from domrules.grammar.codes import CODES
from domrules.verifier.battery.run import TITLES


def test_everything_is_listed() -> None:
    assert {"D2", "S1", "W2"} <= set(explain.items()) <= set(TITLES)
    lines = run("explain").stdout.splitlines()
    for name, title in [*explain.items().items(), *CODES.items()]:
        assert f"  {name:<6}  {title}" in lines


@pytest.mark.parametrize("name", ["S1", "s1"])
def test_an_item_is_taught_as_plain_text(name: str) -> None:
    shown = run("explain", name)
    assert shown.exit_code == 0
    assert shown.stdout.startswith("S1: every deal has a starter\n\nAfter every deal")
    assert "\n    game no_double_no_starter extends block\n" in shown.stdout
    assert "\n    → with 3 players: S1 REFUTED\n" in shown.stdout
    assert not re.search(r"^(#|```)", shown.stdout, re.M)


@pytest.mark.parametrize("name", ["DOM101", "dom201"])
def test_a_code_is_taught_as_plain_text(name: str) -> None:
    shown = run("explain", name).stdout
    assert shown.startswith(f"{name.upper()}: {CODES[name.upper()]}\n\n")
    assert "\n    game " in shown
    assert "```" not in shown


@pytest.mark.parametrize(("name", "near"), [("S11", "`S1`"), ("DOM4401", "`DOM44"), ("xyzzy", "")])
def test_an_unknown_name_gets_the_nearest_one(name: str, near: str) -> None:
    refused = run("explain", name)
    assert refused.exit_code == 2
    assert near in refused.stderr
    assert ("did you mean" in refused.stderr) == bool(near)
