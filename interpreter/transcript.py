"""Between a match and its transcript: a text that says all that was decided, and can be played again.

    transcript = tag* round* [winners outcome*]
    tag        = '[' NAME '"' text '"' ']'      Game, Players, then Option (name=value) as often as needed; Seed, Index
                                                and Trace (the digest) where they are known; Unfinished: what broke it off
    round      = 'round' NUMBER before* deal* ply* [ending [scores]]
    before     = 'before' cell value            a state that stood otherwise than play had left it
    deal       = 'deal' cell tile*              every cell of every zone, after the deal that was kept
    ply        = player ':' move                `p1:play(right,3,3|6)`, `p0:draw(0|4)`, `p0:pass`; the player is `-` in a
                                                game without a mover, and `!` when an event came from outside
    ending     = 'ending' NAME
    scores     = 'scores' NUMBER*               all score cells after the settlement, in order
    winners    = 'winners' team*                'winners none' when nobody has won
    outcome    = 'outcome' NAME value           what else the match is worth, `outcome rating(p0) 8`

A line is a tag, a before, a deal, an ending, scores, winners, an outcome, or as many plies as fit. Draws and passes are plies like
all others. A round without ending, or a match without winners, was broken off. Empty lines and lines that begin with
`;` do not count.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from domrules.grammar.core import MoveName
from domrules.interpreter.errors import IllegalMove
from domrules.interpreter.names import parse_move

WIDTH = 100
EVENT = "!"
"""Stands for the player where nobody moved: an event."""
TAG = re.compile(r'\[(\w+) "([^"\n]*)"\]')


class BadTranscript(Exception):
    """A transcript that cannot be read, or not be played: `line` (from 1, 0 for the whole text) and a sentence."""

    def __init__(self, line: int, sentence: str) -> None:
        self.line, self.sentence = line, sentence
        super().__init__(f"line {line}: {sentence}" if line else sentence)


@dataclass(frozen=True)
class PlyText:
    """A move as written; the line does not count for equality."""

    player: str
    move: MoveName
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.player}:{self.move}"


@dataclass(frozen=True)
class RoundText:
    """A round as written: cells and values by name."""

    before: tuple[tuple[str, str], ...] = ()
    deal: tuple[tuple[str, tuple[str, ...]], ...] = ()
    plies: tuple[PlyText, ...] = ()
    ending: str | None = None
    scores: tuple[int, ...] | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class Transcript:
    """A match as written. `tags` are those beside Game, Players and Option."""

    game: str
    players: int
    options: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    rounds: tuple[RoundText, ...] = ()
    winners: tuple[str, ...] | None = None
    outcomes: tuple[tuple[str, str], ...] = ()


# ---------------------------------------------------------------- writing


def write(transcript: Transcript) -> str:
    """The text of a transcript."""
    tags = [("Game", transcript.game), ("Players", str(transcript.players))]
    tags += [("Option", f"{name}={value}") for name, value in transcript.options.items()]
    tags += transcript.tags.items()
    lines = [f'[{name} "{value}"]' for name, value in tags]
    for number, played in enumerate(transcript.rounds, 1):
        lines += ["", f"round {number}", *round_lines(played)]
    if transcript.winners is not None:
        lines += ["", " ".join(["winners", *(transcript.winners or ["none"])])]
        lines += [f"outcome {name} {value}" for name, value in transcript.outcomes]
    return "\n".join(lines) + "\n"


def round_lines(played: RoundText) -> list[str]:
    lines = [f"before {cell} {value}" for cell, value in played.before]
    lines += [" ".join(["deal", cell, *tiles]) for cell, tiles in played.deal]
    plies = " ".join(map(str, played.plies))
    lines += textwrap.wrap(plies, WIDTH, break_long_words=False, break_on_hyphens=False)
    if played.ending is not None:
        lines.append(f"ending {played.ending}")
    if played.scores is not None:
        lines.append(" ".join(["scores", *map(str, played.scores)]))
    return lines


# ---------------------------------------------------------------- reading


def read(text: str) -> Transcript:
    """The transcript of a text. Raises `BadTranscript`."""
    reader = Reader()
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith(";"):
            reader.take(number, line.strip())
    return reader.finish()


class Reader:
    """Takes the lines of a transcript one by one."""

    def __init__(self) -> None:
        self.tags: list[tuple[str, str]] = []
        self.rounds: list[RoundText] = []
        self.winners: tuple[str, ...] | None = None
        self.outcomes: list[tuple[str, str]] = []

    def take(self, number: int, line: str) -> None:
        first, *rest = line.split()
        if tag := TAG.fullmatch(line):
            self.tags.append((tag[1], tag[2]))
        elif first == "round":
            if rest != [str(len(self.rounds) + 1)]:
                raise BadTranscript(number, f"round {len(self.rounds) + 1} is expected here")
            self.rounds.append(RoundText(line=number))
        elif first == "winners":
            self.winners = () if rest == ["none"] else tuple(rest)
        elif first == "outcome":
            name, _, value = line.removeprefix("outcome").strip().partition(" ")
            self.outcomes.append((name, value.strip()))
        elif not self.rounds:
            raise BadTranscript(number, f"{first} stands before the first round")
        else:
            self.rounds[-1] = in_round(self.rounds[-1], number, first, rest)

    def finish(self) -> Transcript:
        pairs = [value.partition("=") for name, value in self.tags if name == "Option"]
        options = {name: value for name, _, value in pairs}
        tags = {name: value for name, value in self.tags if name != "Option"}
        game, players = tags.pop("Game", ""), tags.pop("Players", "")
        if not game or not players.isdecimal():
            raise BadTranscript(0, 'the tags [Game "..."] and [Players "..."] (a number) are needed')
        return Transcript(game, int(players), options, tags, tuple(self.rounds), self.winners, tuple(self.outcomes))


def in_round(played: RoundText, number: int, first: str, rest: Sequence[str]) -> RoundText:
    """The round with one more line of it."""
    match first, rest:
        case "before", [cell, *value]:
            return replace(played, before=(*played.before, (cell, " ".join(value))))
        case "deal", [cell, *tiles]:
            return replace(played, deal=(*played.deal, (cell, tuple(tiles))))
        case "ending", [name]:
            return replace(played, ending=name)
        case "scores", _:
            return replace(played, scores=tuple(whole(number, word) for word in rest))
        case _:
            plies = [ply(number, word) for word in (first, *rest)]
            return replace(played, plies=(*played.plies, *plies))


def whole(number: int, word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise BadTranscript(number, f"{word} is not a whole number") from None


def ply(number: int, word: str) -> PlyText:
    player, colon, move = word.partition(":")
    if not colon:
        raise BadTranscript(number, f"{word} is not a ply: write p0:pass, or p1:play(right,3,3|6)")
    try:
        return PlyText(player, parse_move(move), number)
    except IllegalMove as error:
        raise BadTranscript(number, str(error)) from None
