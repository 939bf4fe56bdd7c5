"""From a transcript to what people see of its rounds: the deal, the moves, the table, the passes, the scores.

Everything shown is played again here, by the rules of the file.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from dataclasses import dataclass

from domrules.cli.board import Board
from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.interpreter.names import cell_name
from domrules.interpreter.play import Round, placements
from domrules.interpreter.replay import player_name, replay_round
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.transcript import RoundText, Transcript

WIDTH = 80


@dataclass(frozen=True)
class Shown:
    """A round to be shown: the rules it is played by, how it is written, and how it went."""

    rules: Rules
    text: RoundText
    before: State
    """The match before the round."""
    played: Round

    def lines(self, width: int = WIDTH) -> list[str]:
        """All there is to see, each part under its name, in so many columns."""
        room = width - 8
        out: list[str] = []
        for name, part in (
            ("before", [f"{cell} {value}" for cell, value in self.text.before]),
            ("deal", self.deal(room)),
            ("moves", wrapped(" ".join(map(str, self.text.plies)) or "none yet", room, further="")),
            ("table", self.table(room)),
            ("passes", self.passes()),
            ("scores", self.scores()),
        ):
            out += [f"{name:<7} {line}" if i == 0 else f"{'':<7} {line}" for i, line in enumerate(part)]
        return out

    def deal(self, room: int = WIDTH) -> list[str]:
        lines = [f"{cell}: {' '.join(tiles)}" for cell, tiles in self.text.deal if tiles]
        return [part for line in lines for part in wrapped(line, room)]

    def table(self, room: int = WIDTH) -> list[str]:
        """The tiles on the table, drawn."""
        laid = [p for several in placements(self.rules, self.played) for p in several]
        return Board(self.rules.instance, laid).lines(room)

    def passes(self) -> list[str]:
        """Who passed how often."""
        passing = self.rules.instance.role("action", "pass")
        actions = self.rules.instance.deeds
        counts = Counter(p.mover for p in self.played.plies if actions[p.move.action].name in passing)
        told = [f"{player_name(self.rules, mover)} {n}" for mover, n in sorted(counts.items(), key=str)]
        return [", ".join(told)] if told else []

    def scores(self) -> list[str]:
        """How the round ended, and what every score was and is."""
        if self.text.ending is None:
            return ["the round goes on"]
        rules, sheet = self.rules, list[str]()
        for var, index, cell in rules.layout.walk():
            if var.role == "score":
                was, now = int(self.played.dealt.cells[cell] or 0), int(self.played.settled.cells[cell] or 0)
                change = f" ({now - was:+})" if now != was else ""
                sheet.append(f"{cell_name(rules.instance, var, index)} {now}{change}")
        return [f"ended {self.text.ending}", *(["; ".join(sheet)] if sheet else [])]


def wrapped(text: str, room: int, further: str = "  ") -> list[str]:
    """A line as long as it is, or in several; further ones begin with some blanks."""
    return textwrap.wrap(text, room, subsequent_indent=further, break_long_words=False, break_on_hyphens=False)


def shown(game: core.Game, transcript: Transcript) -> list[Shown]:
    """The rounds of a transcript, played again. Raises BadTranscript, RuleError, SettingError."""
    rules = Rules(instantiate(game, transcript.players, transcript.options))
    state, out = rules.new_match(), list[Shown]()
    for number, text in enumerate(transcript.rounds, 1):
        played = replay_round(rules, state, number, text)
        out.append(Shown(rules, text, state, played))
        state = played.settled
    return out
