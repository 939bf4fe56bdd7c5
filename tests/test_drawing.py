"""Mistakes as they are drawn: every mark below what it marks, whatever the letters; further places; colour that adds nothing."""

from __future__ import annotations

import re

import pytest

from domrules.grammar.diagnostics import Diagnostic, Note
from domrules.grammar.drawing import render
from domrules.grammar.source import NOWHERE, Source, Span


def marked(source: Source, word: str, after: int = 0) -> Span:
    """The stretch of a word."""
    at = source.text.index(word, after)
    return Span(source, at, at + len(word))


def drawn(*lines: str) -> str:
    return "\n".join(lines)


GAME = Source("night.dom", "game night\n\nfirst one two\nsecond\nthird three first\nlast")


def test_further_places_of_the_file_are_drawn_with_it_in_order() -> None:
    first, third = marked(GAME, "one"), marked(GAME, "three")
    told = Diagnostic("DOM202", "twice", third, (Note("the first is here", first), Note("think")), "write once")
    assert render(told) == drawn(
        "error[DOM202]: twice",
        "  --> night.dom:5:7",
        "   |",
        " 3 | first one two",
        "   |       --- the first is here",
        "...",
        " 5 | third three first",
        "   |       ^^^^^",
        "   = note: think",
        "   = help: write once",
    )


def test_lines_that_follow_each_other_have_no_gap_and_marks_of_one_line_share_it() -> None:
    marks = (Note("as here", marked(GAME, "second")), Note("and here", marked(GAME, "two")))
    assert render(Diagnostic("DOM202", "twice", marked(GAME, "first"), marks)) == drawn(
        "error[DOM202]: twice",
        "  --> night.dom:3:1",
        "   |",
        " 3 | first one two",
        "   | ^^^^^",
        "   |           --- and here",
        " 4 | second",
        "   | ------ as here",
    )


def test_places_of_other_files_are_drawn_apart_with_one_margin() -> None:
    family = Source("row.dom", "\n" * 11 + "slot arms")
    told = Diagnostic("DOM416", "filled", marked(GAME, "last"), (Note("filled here", marked(family, "arms")),))
    assert render(told) == drawn(
        "error[DOM416]: filled",
        "   --> night.dom:6:1",
        "    |",
        "  6 | last",
        "    | ^^^^",
        "   ::: row.dom:12:6",
        "    |",
        " 12 | slot arms",
        "    |      ---- filled here",
    )


def test_what_has_no_place_has_no_lines() -> None:
    assert render(Diagnostic("DOM421", "lacks", NOWHERE, (Note("more"),))) == "error[DOM421]: lacks\n   = note: more"


@pytest.mark.parametrize(
    ("before", "column"),
    [
        ("", 0),
        ("ab ", 3),
        ("\t", 4),
        ("汉字", 4),
        ("e\u0301", 1),
        ("ｗ", 2),
        ("😀", 2),
        ("❤\ufe0f", 1),
        ("é", 1),
        ("\x00\x1b", 2),
        ("\u202e", 1),
    ],
)
def test_the_mark_stands_below_whatever_comes_before(before: str, column: int) -> None:
    source = Source("x", f"{before}here")
    last = render(Diagnostic("DOM201", "what", marked(source, "here"))).splitlines()[-1]
    assert last == f"   | {' ' * column}^^^^"


@pytest.mark.parametrize(
    ("word", "mark"), [("汉字", "^^^^"), ("e\u0301", "^"), ("\u0301", "^"), ("a\tb", "^^^^^^"), ("", "^")]
)
def test_a_mark_is_as_wide_as_its_word(word: str, mark: str) -> None:
    source = Source("x", f"a{word}")
    last = render(Diagnostic("DOM201", "what", Span(source, 1, 1 + len(word)))).splitlines()[-1]
    assert last.split("| ")[1].strip() == mark
    assert last.split("| ")[1].index("^") == (0 if word == "\u0301" else 1), "an accent is marked below its letter"


@pytest.mark.parametrize("text", ["end", "end\n", "end\r\n", "end\r\nmore"])
def test_the_end_of_a_line_can_be_marked(text: str) -> None:
    source = Source("x", text)
    assert render(Diagnostic("DOM121", "open", Span(source, 3, 3))).splitlines()[-2:] == [" 1 | end", "   |    ^"]
    at_end = render(Diagnostic("DOM121", "open", Span(source, len(text), len(text)))).splitlines()
    assert at_end[-1].endswith("^")


def test_a_stretch_of_several_lines_is_marked_on_its_first() -> None:
    told = render(Diagnostic("DOM421", "all of it", Span(GAME, GAME.text.index("two"), len(GAME.text))))
    assert told.endswith(" 3 | first one two\n   |           ^^^")


@pytest.mark.parametrize("letter", ["x", "汉", "\t"])
@pytest.mark.parametrize("at", [0, 50, 130, 400])
def test_of_a_long_line_the_part_around_the_mark_is_shown(letter: str, at: int) -> None:
    source = Source("x", letter * at + "HERE" + letter * 300)
    *_, line, mark = render(Diagnostic("DOM201", "what", marked(source, "HERE"))).splitlines()
    shown = line.partition("| ")[2]
    columns = [2 if c == "汉" else 1 for c in shown]
    begin = shown.index("HERE")
    assert mark.partition("| ")[2] == " " * sum(columns[:begin]) + "^^^^"
    assert sum(columns) <= 122
    assert shown.startswith("…") == (begin > 0 and not shown.startswith(letter if letter != "\t" else "    "))
    assert shown.endswith("…")


def test_a_place_far_away_in_a_long_line_is_shown_apart() -> None:
    source = Source("x", "A" + "." * 500 + "B")
    told = Diagnostic("DOM122", "no", marked(source, "B"), (Note("opened here", marked(source, "A")),))
    lines = render(told).splitlines()
    assert lines[3].startswith(" 1 | A...")
    assert lines[4] == "   | - opened here"
    assert lines[5] == "..."
    assert lines[6].endswith(".B")
    assert lines[7].index("^") == lines[6].index("B")


def test_what_nobody_could_read_is_not_shown() -> None:
    source = Source("x", "\ufffd\x00" * 500)
    assert render(Diagnostic("DOM101", "large", Span(source, 0, 1), fix="less")) == drawn(
        "error[DOM101]: large", "  --> x:1:1", "   |", "   = help: less"
    )


def test_colour_adds_nothing() -> None:
    told = Diagnostic("DOM202", "twice", marked(GAME, "three"), (Note("here", marked(GAME, "one")), Note("so")), "fix")
    painted = render(told, colour=True)
    assert "\x1b[1;31m^^^^^\x1b[0m" in painted
    assert "\x1b[34m--- here\x1b[0m" in painted
    assert re.sub(r"\x1b\[[\d;]*m", "", painted) == render(told)


def test_nothing_of_a_file_reaches_the_terminal_as_a_command() -> None:
    source = Source("x", "a\x1b[31m\x07b")
    told = Diagnostic(
        "DOM201", "`\x1b[31m`", Span(source, 1, 6), (Note("\x1b[1m", Span(source, 0, 1)), Note("\x9b1m")), "\x07"
    )
    assert all(c.isprintable() for c in render(told).replace("\n", ""))
