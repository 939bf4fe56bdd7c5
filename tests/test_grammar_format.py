"""What is printed from a tree reads as the same tree: every shipped file, a text for each rule, and random texts."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark.grammar import Rule
from sentences import GAPS, declarations, sentences

from domrules.grammar.diagnostics import Reporter
from domrules.grammar.format import show, show_file
from domrules.grammar.parse import parse
from domrules.grammar.source import Source
from domrules.grammar.syntax import File, Node

ROOT = Path(__file__).parent.parent
SHIPPED = sorted([*(ROOT / "specs").rglob("*.dom"), *(ROOT / "tests" / "data").rglob("*.dom")])
RULES = [rule for several in sentences().rules.values() for rule in several]


def read(text: str) -> File:
    report = Reporter()
    file = parse(Source("text.dom", text), report)
    assert report.found == [], text
    return file


def declaration(text: str) -> Node:
    (only,) = read(text).declarations
    return only


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_file_survives_printing(path: Path) -> None:
    file = read(path.read_text(encoding="utf-8"))
    printed = show_file(file)
    assert read(printed) == file
    assert show_file(read(printed)) == printed


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_a_short_text_through_each_rule_survives_printing(rule: Rule) -> None:
    text = " ".join(sentences().through(rule))
    assert declaration(show(declaration(text))) == declaration(text)


@given(text=declarations())
def test_a_random_declaration_survives_printing(text: str) -> None:
    tree = declaration(text)
    printed = show(tree)
    assert declaration(printed) == tree
    assert show(declaration(printed)) == printed


@given(texts=st.lists(declarations(most=15), max_size=8), gap=st.sampled_from(GAPS))
def test_a_random_file_survives_printing(texts: list[str], gap: str) -> None:
    file = read("# a file\ngame a\n" + gap.join(texts))
    assert len(file.declarations) == len(texts) + 1
    assert read(show_file(file)) == file
