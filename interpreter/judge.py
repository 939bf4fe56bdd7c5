"""From a transcript to its rounds, played again one by one; or to what is wrong in it, with the rules that forbid it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.interpreter.play import Round
from domrules.interpreter.refusal import forbids, instead, told
from domrules.interpreter.replay import finish, player_name, replay_round
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.transcript import EVENT, BadPly, BadTranscript, RoundText, Transcript

MEANT = ("Unfinished", "Verdict")
"""Tags that say that a match was broken off on purpose."""


@dataclass(frozen=True)
class Replayed:
    """A round that was played again: by which rules, its number from 1, how it is written, the match before it, and how it went."""

    rules: Rules
    number: int
    text: RoundText
    before: State
    played: Round


class Refused(BadPly):
    """A ply that the rules do not allow: `reasons` are lines, `so_far` the round up to it, if that can be played."""

    def __init__(self, bad: BadPly, reasons: tuple[str, ...], so_far: Replayed | None) -> None:
        super().__init__(bad.line, bad.sentence.partition(": ")[2], bad.round, bad.ply, bad.text)
        self.reasons, self.so_far = reasons, so_far


class Judge:
    """A transcript while it is played again; `state` is the match so far."""

    def __init__(self, game: core.Game, transcript: Transcript) -> None:
        """Raises BadTranscript for another game, SettingError for another table, BadFile."""
        if transcript.game != game.name:
            raise BadTranscript(0, f"this is a match of {transcript.game}, not of {game.name or 'a family'}")
        self.transcript = transcript
        self.rules = Rules(instantiate(game, transcript.players, transcript.options))
        self.state = self.rules.new_match()

    def rounds(self) -> Iterator[Replayed]:
        """The rounds, as far as all is well. Raises Refused at a ply, BadTranscript at anything else, RuleError."""
        for number, text in enumerate(self.transcript.rounds, 1):
            if number > 1 and self.rules.over(self.state):
                raise BadTranscript(text.line, f"round {number}: the match is over")
            try:
                played = replay_round(self.rules, self.state, number, text)
            except BadPly as bad:
                so_far = self.up_to(bad)
                raise Refused(bad, tuple(self.reasons(bad, so_far)), so_far) from None
            yield Replayed(self.rules, number, text, self.state, played)
            self.state = played.settled

    def up_to(self, bad: BadPly) -> Replayed | None:
        """The round before a ply that is not legal; nothing when it comes after the ending."""
        text = self.transcript.rounds[bad.round - 1]
        good = replace(text, plies=text.plies[: bad.ply - 1], ending=None, scores=None)
        try:
            played = replay_round(self.rules, self.state, bad.round, good)
            return Replayed(self.rules, bad.round, good, self.state, played)
        except BadTranscript:
            return None

    def reasons(self, bad: BadPly, so_far: Replayed | None) -> list[str]:
        """The rules that forbid a ply, each with its place; of a pass what could be played."""
        if so_far is None:
            return []
        state = so_far.played.ended
        if bad.text.player not in (EVENT, player_name(self.rules, self.rules.mover(state))):
            return []
        could = instead(self.rules, state, bad.text.move)
        return [*([could] if could else []), *told(lambda: forbids(self.rules, state, bad.text.move))]

    def complete(self) -> None:
        """Does the match end where the transcript does, or is it said that it was broken off? Raises BadTranscript."""
        finish(self.rules, self.state, self.transcript)
        rounds = self.transcript.rounds
        if self.transcript.winners is not None or any(tag in self.transcript.tags for tag in MEANT):
            return
        where = f"after round {len(rounds)}"
        if rounds and rounds[-1].ending is None:
            where = f"in round {len(rounds)}, after ply {len(rounds[-1].plies)}"
        elif rounds and self.rules.over(self.state):
            raise BadTranscript(0, f"the log ends {where}; the match is over, but its winners are not written")
        tag = '[Unfinished "why"]'
        raise BadTranscript(0, f"the log ends {where}, but the match goes on; if that is meant, give it a tag {tag}")
