"""`dom replay`: what is wrong in a transcript is named with its ply and the rule; texts and their JSON twins lose nothing."""

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import chance, shipped
from typer.testing import CliRunner

from domrules.cli import app
from domrules.grammar.core import MoveName
from domrules.interpreter.play import play_match
from domrules.interpreter.replay import record
from domrules.interpreter.transcript import ABOVE, BadTranscript, PlyText, Remark, RoundText, Transcript, read, write
from domrules.interpreter.twin import as_data, as_json, from_data, from_json, read_any


def dom(*args: str | Path) -> Any:
    return CliRunner().invoke(app.build(), [str(arg) for arg in args])


@pytest.fixture(scope="module")
def match() -> str:
    """A whole match of `block`, as text."""
    return write(record(shipped("block", 2), play_match(shipped("block", 2), chance(3))))


@pytest.fixture
def log(tmp_path: Path) -> Any:
    def keep(text: str) -> Path:
        path = tmp_path / "match.txt"
        path.write_text(text, encoding="utf-8")
        return path

    return keep


# ---------------------------------------------------------------- texts and twins

WORDS = st.from_regex(r"[a-z][a-z0-9_]{0,5}", fullmatch=True)
FREE = st.text(st.characters(blacklist_characters='"\n\r', blacklist_categories=["Cs"]), max_size=12)
VALUES = st.text("abc019|*{},-", min_size=1, max_size=6)
CELLS = st.builds("{}[{}]".format, WORDS, WORDS)
PLIES = st.builds(
    PlyText, st.sampled_from(["p0", "p1", "-", "!"]), st.builds(MoveName, WORDS, st.lists(VALUES.map(lambda v: v.replace(",", "")).filter(bool), max_size=3).map(tuple))
)  # fmt: skip


@st.composite
def remarks(draw: Any, size: int, above: bool) -> tuple[Remark, ...]:
    """Remarks in the order of their places; a round or the winners may have some above their first line."""
    places = draw(st.lists(st.integers(ABOVE if above else 0, size), max_size=3))
    return tuple(Remark(at, (";" + draw(FREE)).strip()) for at in sorted(places))


@st.composite
def rounds(draw: Any) -> RoundText:
    ended = draw(st.booleans())
    bare = RoundText(
        tuple(draw(st.dictionaries(CELLS, VALUES, max_size=2)).items()),
        tuple(draw(st.dictionaries(CELLS, st.lists(VALUES, max_size=4).map(tuple), max_size=3)).items()),
        tuple(draw(st.lists(PLIES, max_size=20))),
        draw(WORDS) if ended else None,
        tuple(draw(st.lists(st.integers(-999, 999), max_size=4))) if ended and draw(st.booleans()) else None,
    )
    return replace(bare, remarks=draw(remarks(bare.size, True)))


@st.composite
def transcripts(draw: Any) -> Transcript:
    """Any transcript that can be written, played by no rules at all."""
    options = draw(st.dictionaries(WORDS, WORDS, max_size=2))
    tags = draw(st.dictionaries(WORDS.map(str.title), FREE, max_size=3))
    over = draw(st.booleans())
    outcomes = tuple(draw(st.lists(st.tuples(CELLS, VALUES), max_size=2))) if over else ()
    return Transcript(
        draw(WORDS), draw(st.integers(1, 9)), options, {n: v for n, v in tags.items() if n not in ("Game", "Players", "Option")},
        tuple(draw(st.lists(rounds(), max_size=3))), tuple(draw(st.lists(WORDS.filter(lambda w: w != "none"), max_size=2))) if over else None, outcomes,
        draw(remarks(2 + len(options), False)), tuple(r for r in draw(remarks(1 + len(outcomes), True)) if r.at) if over else (),
    )  # fmt: skip


@given(transcripts())
@settings(max_examples=150, deadline=None)
def test_texts_and_twins_lose_nothing(one: Transcript) -> None:
    text = write(one)
    assert read(text) == one
    assert write(read(text)) == text
    assert from_json(as_json(one)) == one
    assert read_any(as_json(read_any(text))) == one


def test_remarks_and_unknown_tags_stay_where_they_are(match: str) -> None:
    lines = match.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("p0:") or line.startswith("p1:"))
    lines[first + 1 : first + 1] = ["; a good move?"]
    lines[2:2] = ["; found in a drawer", '[Place "Brno"]']
    at = lines.index("round 2")
    lines[at:at] = ["; after supper"]
    text = "\n".join([*lines, "; thanks"]) + "\n"
    assert write(read(text)).replace('[Place "Brno"]\n', "") == text.replace('[Place "Brno"]\n', "")
    assert read(text).tags["Place"] == "Brno"
    assert [r.text for r in read(text).rounds[1].remarks] == ["; after supper"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"version": 2}, "not the format dom-transcript, version 1"),
        ({"players": "2"}, "players is not a whole number"),
        ({"rounds": [{"deal": {}, "plies": ["jump"]}]}, "jump is not a ply"),
        ({"tags": {"Note": 'a "quoted" word'}}, "cannot be written as text"),
        ({"game": ""}, "are needed|cannot be written"),
        ({"winners": "t0"}, "winners is not a list"),
        ({"outcomes": [["rating"]]}, "a pair has two parts"),
    ],
)
def test_data_that_are_no_transcript_are_refused(match: str, change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadTranscript, match=sentence):
        from_data({**as_data(read(match)), **change})


@pytest.mark.parametrize("text", ["{", '{"format": NaN}', "[" * 10_000, '{"a": 1}'])
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(BadTranscript):
        from_json(text)


# ---------------------------------------------------------------- the verb


def test_replay_draws_rounds_and_scores(match: str, log: Any) -> None:
    result = dom("replay", "block", log(match))
    assert result.exit_code == 0
    assert result.stdout.count("ended ") == match.count("ending ")
    assert "played again, as written; winners: t" in result.stdout


def test_replay_prints_the_twin_and_reads_it(match: str, log: Any) -> None:
    twin = dom("replay", "block", log(match), "--format", "json").stdout
    assert json.loads(twin)["format"] == "dom-transcript"
    assert dom("replay", "block", log(twin), "--format", "log").stdout == match


BLOCK = """[Game "block"]
[Players "2"]
[Unfinished "a test"]

round 1
deal boneyard 1|1 1|2 1|3 1|4 1|5 1|6 2|2 2|3 2|4 2|5 3|3 3|4 3|5 4|4
deal hand[p0] 6|6 5|6 0|0 0|1 0|2 0|3 0|4
deal hand[p1] 2|6 3|6 4|6 0|5 5|5 0|6 4|5
deal layout
p0:lead(6|6) p1:play(left,6,6|2)
p0:play(right,6,5|6)
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("p1:play(left,6,6|2)", "p1:pass", ["line 10: round 1, ply 2", "the player can play: play(left,6,0|6), play(left,6,2|6)", "t is 0|6", "`can_play(mover)` holds", "row.dom:"]),
        ("p1:play(left,6,6|2)", "p1:play(left,5,5|5)", ["ply 2", "action play: ", "fails", "define meets", "row.dom:"]),
        ("p1:play(left,6,6|2)", "p1:play(left,6,6|5)", ["action play: 5|6 is not in hand[mover], which is {"]),
        ("p1:play(left,6,6|2)", "p0:play(left,6,6|5)", ["it is the turn of p1"]),
        ("p0:play(right,6,5|6)", "p0:play(right,6,6|2)", ["ply 3", "2|6 is not in hand[mover]"]),
        ("deal layout", "deal layout 0|0", ["0|0 is dealt twice"]),
        ("deal boneyard 1|1", "deal boneyard", ["not dealt: 1|1"]),
        ("3|3 3|4 3|5 4|4\n", "3|3 3|4 3|5\n", ["not dealt: 4|4"]),
        ("1|1 1|2 1|3 1|4 1|5 1|6 2|2 2|3 2|4 2|5 3|3 3|4 3|5 4|4\ndeal hand[p0] ", "1|2 1|3 1|4 1|5 1|6 2|2 2|3 2|4 2|5 3|3 3|4 3|5 4|4\ndeal hand[p0] 1|1 ", ["line 6: round 1: boneyard has 13 of the dealt tiles; the rules leave 14 there"]),
        ('"2"', '"3"', ["boneyard has 14 of the dealt tiles; the rules leave 7 there"]),
        ('[Unfinished "a test"]\n', "", ["the log ends in round 1, after ply 3, but the match goes on"]),
        ("round 1\n", "round 1\nround 2\n", ["not dealt"]),
        ('"block"', '"draw"', ["this is a match of draw, not of block"]),
        ('"2"', '"7"', ["block is for 2 to 4 players"]),
        ("p0:lead(6|6) ", "", ["ply 1: p1:play(left,6,6|2): it is the turn of p0"]),
        (",5|6)\n", ",5|6)\nscores 1 2\n", ["scores 1 2 stand before an ending"]),
        ("deal layout\n", "deal layout\ndeal layout\n", ["deal layout stands there twice"]),
        (",5|6)\n", ",5", ["is not a move"]),
    ],
)  # fmt: skip
def test_replay_names_what_is_wrong(old: str, new: str, expected: list[str], log: Any) -> None:
    assert old in BLOCK
    result = dom("replay", "block", log(BLOCK.replace(old, new)))
    assert result.exit_code == 3
    for part in expected:
        assert part in result.stderr


def test_the_round_is_drawn_up_to_what_is_wrong(log: Any) -> None:
    result = dom("replay", "block", log(BLOCK.replace("p0:play(right,6,5|6)", "p0:pass")))
    assert "moves   p0:lead(6|6) p1:play(left,6,6|2)" in result.stdout
    assert "[2|6][-] right" in result.stdout


def test_a_log_cut_off_anywhere_is_refused(match: str, log: Any) -> None:
    lines = match.splitlines()
    for keep in {len(lines) // 4, len(lines) // 2, len(lines) - 3}:
        assert dom("replay", "block", log("\n".join(lines[:keep]) + "\n")).exit_code == 3


def test_a_log_that_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "match.txt"
    path.write_bytes(b"\xff\xfe\x00")
    assert dom("replay", "block", path).exit_code == 3
    assert dom("replay", "block", tmp_path / "nowhere").exit_code == 74


@given(st.text(st.sampled_from('[]" \n;:|,()-{}019') | st.characters(blacklist_categories=["Cs"]), max_size=80))
@settings(max_examples=200, deadline=None)
def test_any_text_is_a_transcript_or_refused(text: str) -> None:
    for whole in (text, BLOCK + text):
        with suppress(BadTranscript):
            assert read(write(read_any(whole))) == read_any(whole)


FAULTY = """game faulty extends block
instead settle add the(those(p in players where p.seat > 7)).seat to score[t0]
"""


def test_a_rule_that_fails_is_a_finding(tmp_path: Path, log: Any) -> None:
    file = tmp_path / "faulty.dom"
    file.write_text(FAULTY, encoding="utf-8")
    played = dom("run", file).stdout
    assert "ending" not in played
    result = dom("replay", file, log(played))
    assert result.exit_code == 1
    assert "promises exactly one" in result.stderr
