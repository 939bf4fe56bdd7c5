"""The saved table gives the parser that `dom.lark` gives, and is ignored when it is not its own."""

from pathlib import Path

import pytest
from lark import Lark

from domrules.grammar import table

TEXT = 'decl: "game" NAME [NUMBER]\nNAME: /[a-z]+/\nNUMBER: /[0-9]+/\n%ignore " "\n'


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "dom.lark").write_text(TEXT, encoding="utf-8")
    return tmp_path


def refuse(text: str) -> None:
    raise AssertionError(f"built in memory: {text}")


def test_the_saved_parser_parses_alike(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = table.load(directory)
    table.write(directory)
    monkeypatch.setattr(table, "make", refuse)
    saved = table.load(directory)
    assert saved.parse("game block") == fresh.parse("game block")
    assert saved.parse("game x 7") == fresh.parse("game x 7")
    assert saved.parse("game x").children == ["x", None]
    assert saved.parse("game x").meta.end_column == fresh.parse("game x").meta.end_column == 7


def test_a_changed_grammar_is_never_read_from_the_old_table(directory: Path) -> None:
    table.write(directory)
    (directory / "dom.lark").write_text(TEXT.replace("game", "match"), encoding="utf-8")
    before = (directory / "dom.table").read_bytes()
    assert table.load(directory).parse("match block").children[0] == "block"
    assert (directory / "dom.table").read_bytes() == before


def test_without_a_grammar_nothing_is_written(tmp_path: Path) -> None:
    table.write(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not table.GRAMMAR.exists(), reason="there is no dom.lark yet")
def test_the_table_of_the_language_is_what_its_grammar_gives(tmp_path: Path) -> None:
    text = table.GRAMMAR.read_text(encoding="utf-8")
    (tmp_path / "dom.lark").write_text(text, encoding="utf-8")
    table.write(tmp_path)
    saved, fresh = table.load(tmp_path), table.make(text)
    assert rules(saved) == rules(fresh)
    assert set(map(repr, saved.terminals)) == set(map(repr, fresh.terminals))


def rules(parser: Lark) -> set[tuple[object, ...]]:
    return {(rule, rule.alias, repr(rule.options)) for rule in parser.rules}
