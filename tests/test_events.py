"""Events come from outside, between moves; outcomes are worked out when a match is over."""

from pathlib import Path

import pytest
from tables import TINY, chance, written

from domrules.grammar import core
from domrules.grammar.instance import SettingError, instantiate
from domrules.grammar.passes import optimise
from domrules.interpreter.examples import run_example
from domrules.interpreter.names import Move
from domrules.interpreter.play import Match, Ply, Round, play_match
from domrules.interpreter.replay import record, replay
from domrules.interpreter.rules import Rules
from domrules.interpreter.transcript import BadTranscript, read, write
from domrules.verifier.battery.run import Request, verify

LEAVING = (
    TINY.replace("deal 1 tiles", "deal 2 tiles")
    + """
state gone: player or none = none for the match
event leave(choose p in players) when gone is none do set gone to p
ending broken_off when gone is not none
over when gone is not none
outcome rating(p: player): int
  when gone is q and p == q -> 0
  otherwise                 -> score[p]
outcome left: player or none = gone
example e
  happened leave(p1)
  expect broken_off and rating(p1) == 0 and left is not none
"""
)


@pytest.fixture
def leaving(tmp_path: Path) -> core.Game:
    return written(tmp_path, LEAVING)


def rules_of(game: core.Game) -> list[Rules]:
    instance = instantiate(game, 2)
    return [Rules(instance), Rules(optimise(instance))]


def broken_off(rules: Rules) -> Match:
    """A match that ends because somebody leaves after the first move."""
    played = play_match(rules, chance(0), stop=1).rounds[0]
    before = rules.begin(played.dealt)
    first = played.plies[0]
    after = rules.act(before, first.move, first.outcome)
    event = rules.possible_events(after)[1]
    ended = rules.act(after, event)
    settled = rules.settle(ended)
    return Match(
        (Round(played.dealt, (first, Ply(None, event)), (before, after, ended), settled),), rules.winners(settled), 0
    )


def test_an_event_is_no_move(leaving: core.Game) -> None:
    for rules in rules_of(leaving):
        state = rules.begin(play_match(rules, chance(0), stop=1).rounds[0].dealt)
        moves, events = rules.legal_moves(state), rules.possible_events(state)
        first = len(rules.instance.actions)
        assert {m.action for m in moves} <= set(range(first))
        assert events == (Move(first, (0,)), Move(first, (1,)))
        assert [rules.is_event(m) for m in (moves[0], events[0])] == [False, True]
        after = rules.act(state, events[0])
        assert rules.instance.endings[rules.ending(after) or 0].name == "broken_off"
        assert rules.possible_events(after) == rules.legal_moves(after) == ()
        place = rules.layout.cell("moves")
        assert after.cells[place] == state.cells[place] == 0


def test_random_players_never_leave(leaving: core.Game) -> None:
    for rules in rules_of(leaving):
        match = play_match(rules, chance(1))
        assert not any(rules.is_event(ply.move) for played in match.rounds for ply in played.plies)


def test_an_example_may_tell_of_an_event(leaving: core.Game) -> None:
    (example,) = leaving.examples
    assert run_example(leaving, example).ok


def test_a_transcript_with_an_event_is_played_again(leaving: core.Game) -> None:
    for rules in rules_of(leaving):
        match = broken_off(rules)
        text = write(record(rules, match))
        assert "!:leave(p1)" in text
        assert text.splitlines()[-3:] == ["outcome rating(p0) 1", "outcome rating(p1) 0", "outcome left p1"] or (
            "outcome rating(p1) 0" in text
        )
        assert replay(rules, read(text)) == match.rounds
        assert write(read(text)) == text


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("!:leave(p1)", "!:leave(p1) !:leave(p0)", "the round is over"),
        ("!:leave(p1)", "p1:leave(p1)", "not legal"),
        ("!:leave(p1)", "!:take(0|0)", "cannot happen now"),
        ("outcome left p1", "outcome left p0", "outcome left is p1, not p0"),
    ],
)
def test_a_transcript_is_not_believed(leaving: core.Game, old: str, new: str, sentence: str) -> None:
    rules = rules_of(leaving)[0]
    text = write(record(rules, broken_off(rules)))
    assert old in text
    with pytest.raises(BadTranscript, match=sentence):
        replay(rules, read(text.replace(old, new)))


def test_a_verdict_says_that_it_does_not_speak_of_events(leaving: core.Game) -> None:
    for verdict in verify(leaving, Request(players=(2,), only=("D3", "W1"), seconds=5)):
        assert verdict.doesnt_say == "anything about rounds in which an event happens (leave)"


def test_seats_may_leave_a_number_out(tmp_path: Path) -> None:
    game = written(tmp_path, TINY.replace("seats 2..3", "seats 2, 4..5"))
    assert game.seats == (2, 4, 5)
    with pytest.raises(SettingError, match="2, 4 or 5 players, not 3"):
        instantiate(game, 3)
