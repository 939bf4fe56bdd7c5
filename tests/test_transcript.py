"""A transcript can be read back and played again, and whatever is wrong in it is found at its place."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import HOUSE, SPECS, chance, shipped, tables

from domrules.interpreter.play import play_match
from domrules.interpreter.replay import record, replay
from domrules.interpreter.transcript import BadTranscript, Transcript, read, write

TABLES = tables(*SPECS, *HOUSE)


@given(table=st.sampled_from(TABLES), index=st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_a_match_is_played_again_from_its_transcript(table: tuple[str, int], index: int) -> None:
    rules = shipped(*table)
    match = play_match(rules, chance(index), stop=3)
    written = record(rules, match, {"Seed": "20", "Index": str(index)})
    assert read(write(written)) == written
    assert replay(rules, read(write(written))) == match.rounds


def test_a_transcript_looks_like_this() -> None:
    rules = shipped("draw", 2)
    text = write(record(rules, play_match(rules, chance(2), stop=1), {"Seed": "20"}))
    assert text.splitlines()[:6] == [
        '[Game "draw"]',
        '[Players "2"]',
        '[Option "tiles_each=7"]',
        '[Option "target=100"]',
        '[Seed "20"]',
        "",
    ]
    assert "\nround 1\ndeal boneyard 0|" in text
    assert "\np0:lead(" in text
    assert " p0:draw(" in text
    assert max(map(len, text.splitlines())) <= 100


def test_a_match_from_given_states_says_so() -> None:
    rules = shipped("block", 2)
    before = rules.layout.put(rules.new_match(), {("score", 1): 40, ("starter", None): 1})
    written = record(rules, play_match(rules, chance(0), before=before, stop=2))
    assert written.rounds[0].before == (("score[t1]", "40"), ("starter", "p1"))
    assert written.rounds[1].before == ()
    assert replay(rules, read(write(written)))[0].dealt.cells[rules.layout.cell("score", 1)] == 40


@pytest.fixture(scope="module")
def block() -> str:
    """A round that p0 leads; the hands are chosen by hand."""
    return (
        '[Game "block"]\n[Players "2"]\n\n; a remark\nround 1\n'
        "deal boneyard 1|1 1|2 1|3 1|4 1|5 1|6 2|2 2|3 2|4 2|5 3|3 3|4 3|5 4|4\n"
        "deal hand[p0] 6|6 5|6 0|0 0|1 0|2 0|3 0|4\n"
        "deal hand[p1] 2|6 3|6 4|6 0|5 5|5 0|6 4|5\n"
        "deal layout\n"
        "p0:lead(6|6) p1:play(left,6,6|2)\n"
        "p0:play(right,6,5|6)\n"
    )


def test_a_round_may_be_broken_off(block: str) -> None:
    (played,) = replay(shipped("block", 2), read(block))
    assert len(played.plies) == 3
    assert played.ended == played.settled


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "p1:play(left,6,6|2)",
            "p1:play(left,6,5|6)",
            "line 10: round 1, ply 2: p1:play(left,6,5|6) is not legal; legal",
        ),
        ("p1:play(left,6,6|2)", "p0:play(left,6,6|2)", "round 1, ply 2: p0:play(left,6,6|2): it is the turn of p1"),
        ("p1:play(left,6,6|2)", "p1:pass", "round 1, ply 2: p1:pass is not legal"),
        ("p1:play(left,6,6|2)", "p1:play(left,6)", "takes s, v, t"),
        ("p1:play(left,6,6|2)", "p1:play(left,6,7|2)", "7|2 is no tile"),
        ("p1:play(left,6,6|2)", "p1:jump", "there is no action jump"),
        ("p1:play(left,6,6|2)", "play(left,6,6|2)", "line 10: play(left,6,6|2) is not a ply"),
        ("p1:play(left,6,6|2)", ";:pass", "line 10: ;:pass is not a ply"),
        ("p1:play(left,6,6|2)", ":pass", "line 10: :pass is not a ply"),
        ("p1:play(left,6,6|2)", "[x]:pass", "line 10: [x]:pass is not a ply"),
        ("0|0 0|1", "0|1", "not dealt: 0|0"),
        ("0|0 0|1", "0|0 0|0 0|1", "line 7: round 1: 0|0 is dealt twice"),
        ("deal layout", "deal table", "line 9: there is no table"),
        ("deal layout", "deal layout\nbefore score[t0] x", "line 10: x is not a whole number"),
        ("deal layout", "deal layout\nbefore score[t0] --5", "line 10: --5 is not a whole number"),
        ("deal layout", "deal layout\nbefore score[t0] " + "9" * 30, "9 is too large a number: 19 digits at most"),
        ("deal layout", "deal layout\nbefore starter p5", "p5 is not a player or none"),
        ("5|6)\n", "5|6)\nending out\n", "line 12: round 1 is not over yet, but the ending out is written"),
        ("5|6)\n", "5|6)\nwinners t0\n", "line 12: the match is not over"),
        ("5|6)\n", "5|6)\nround 3\n", "round 2 is expected"),
        ("round 1\n", "", "deal stands before the first round"),
        ('[Players "2"]', "", "are needed"),
        ("deal layout", "deal layout\nscores one", "one is not a whole number"),
    ],
)
def test_what_is_wrong_is_found(block: str, old: str, new: str, sentence: str) -> None:
    assert old in block
    with pytest.raises(BadTranscript) as caught:
        replay(shipped("block", 2), read(block.replace(old, new)))
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("part", "wrong", "sentence"),
    [
        ("scores", "scores 7 7", "the scores are .*, not 7 7"),
        ("ending", "ending lost", "round 1 ends with .*, not lost"),
        ("winners", "winners none", "the winners are t., not none"),
    ],
)
def test_what_is_wrong_is_found_at_its_line(part: str, wrong: str, sentence: str) -> None:
    lines = write(finished()).splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith(part))
    lines[place] = wrong
    with pytest.raises(BadTranscript, match=sentence) as caught:
        replay(shipped("block", 2), read("\n".join(lines)))
    assert caught.value.line == place + 1


def test_an_outcome_is_found_at_its_line() -> None:
    rules = shipped("koza_online", 2)
    text = write(record(rules, play_match(rules, chance(0))))
    for old, new, sentence in (
        ("outcome rating(p1) ", "outcome rating(p1) 9", r"outcome rating\(p1\) is .*, not 9"),
        (
            "outcome rating(p1)",
            "outcome rated(p1)",
            r"there is no outcome rated\(p1\); there are rating\(p0\), rating\(p1\)",
        ),
    ):
        changed = text.replace(old, new)
        with pytest.raises(BadTranscript, match=sentence) as caught:
            replay(rules, read(changed))
        assert changed.splitlines()[caught.value.line - 1].startswith("outcome rat")


def finished() -> Transcript:
    rules = shipped("block", 2)
    return record(rules, play_match(rules, chance(0)))


def test_scores_are_worked_out_again() -> None:
    whole = finished()
    last = whole.rounds[-1]
    assert last.scores is not None
    wrong = replace(last, scores=(last.scores[0] + 1, *last.scores[1:]))
    with pytest.raises(BadTranscript, match="the scores are"):
        replay(shipped("block", 2), replace(whole, rounds=(*whole.rounds[:-1], wrong)))


def test_winners_are_worked_out_again() -> None:
    whole = finished()
    assert whole.winners in (("t0",), ("t1",))
    other = ("t1",) if whole.winners == ("t0",) else ("t0",)
    with pytest.raises(BadTranscript, match="the winners are"):
        replay(shipped("block", 2), replace(whole, winners=other))


def test_nothing_follows_the_end_of_the_match() -> None:
    whole = finished()
    with pytest.raises(BadTranscript, match="the match is over"):
        replay(shipped("block", 2), replace(whole, rounds=(*whole.rounds, whole.rounds[0])))


def test_an_ending_that_was_reached_has_to_be_written() -> None:
    whole = finished()
    with pytest.raises(BadTranscript, match=r"round 1 ends with .*, but no ending is written"):
        replay(shipped("block", 2), replace(whole, rounds=(replace(whole.rounds[0], ending=None),)))
