"""The words of the language: no conflicts in the grammar, one list of declaration words, whole words only."""

import re
from itertools import pairwise

import pytest
from lark import Lark

from domrules.grammar import cut, table
from domrules.grammar.diagnostics import Diagnostic, Reporter
from domrules.grammar.explain import KEYWORDS
from domrules.grammar.parse import parse
from domrules.grammar.source import Source
from domrules.grammar.syntax import File

TEXT = table.GRAMMAR.read_text(encoding="utf-8")
PARSER = table.make(TEXT)
WORDS = sorted(t.pattern.value for t in PARSER.terminals if t.pattern.type == "str" and t.pattern.value.isalpha())
PATTERN_WORDS = sorted(
    "any all no lowest highest greatest least choose chance always never reachable shortest strict".split()
)
SOFT = [word for word in WORDS if word not in KEYWORDS and word not in (*cut.DECLARATIONS, *cut.PREFIXES)]


def read(text: str) -> tuple[File, list[Diagnostic]]:
    report = Reporter()
    return parse(Source("text.dom", text), report), report.found


def test_the_grammar_has_no_conflict() -> None:
    Lark(TEXT, strict=True, **table.OPTIONS)


def test_the_declaration_words_are_those_of_the_grammar() -> None:
    begin = {PARSER.get_terminal(r.expansion[0].name).pattern.value for r in PARSER.rules if r.origin.name == "plain"}
    assert begin == set(cut.DECLARATIONS)
    ahead = re.search(r"\(\?!\(\?:(.*?)\)", PARSER.get_terminal("NAME").pattern.value)
    assert ahead is not None
    assert ahead[1].split("|") == [*sorted(cut.DECLARATIONS, key=ahead[1].split("|").index), *cut.PREFIXES]


def test_the_words_that_cannot_be_names_are_words_of_the_grammar() -> None:
    assert set(WORDS) | set(PATTERN_WORDS) >= KEYWORDS


@pytest.mark.parametrize("word", sorted(KEYWORDS))
def test_a_word_of_expressions_cannot_be_a_name(word: str) -> None:
    _, found = read(f"define {word}: int = 1")
    assert [(d.code, d.span.text) for d in found] == [("DOM132", word)]


@pytest.mark.parametrize("word", SOFT)
def test_any_other_word_can_be_a_name(word: str) -> None:
    file, found = read(f"define {word}: bool = true\ndefine x(t: tile): bool = {word} and any y in {word}: {word}")
    assert found == []
    assert len(file.declarations) == 2


@pytest.mark.parametrize("word", sorted({*WORDS, *PATTERN_WORDS}))
def test_no_word_is_cut_off_a_longer_one(word: str) -> None:
    for text in (f"rule a = b {word}ish c", f"rule a = {word}ish c", f"begin {word}ish c to d", f"{word}ish a = b"):
        _, found = read(text)
        assert found, text
        assert not any(d.span.text == word for d in found), text


def test_the_pieces_are_the_text_from_the_first_declaration_on() -> None:
    text = '# rule\n  x "game" # define\ngame x\ninstead # rule\n rule a = over|b "deal"\ninstead\nrules 5 rule_ 7'
    first, pieces = cut.pieces(text)
    assert [text[p.start : p.end].split()[0] for p in pieces] == ["game", "instead", "instead"]
    assert [p.word for p in pieces] == ["game", "rule", "instead"]
    assert (first, pieces[-1].end) == (pieces[0].start, len(text))
    assert all(a.end == b.start for a, b in pairwise(pieces))
