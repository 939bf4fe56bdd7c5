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
all others. A round without ending, or a match without winners, was broken off. Empty lines do not count; lines that begin
with `;` are remarks, which are kept where they stand. Tags that nobody knows are kept too.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from domrules.grammar.core import MoveName
from domrules.interpreter.errors import BadText, IllegalMove
from domrules.interpreter.names import parse_move

WIDTH = 100
EVENT = "!"
"""Stands for the player where nobody moved: an event."""
NOBODY = "-"
"""Stands for the player in a game without a mover."""
TAG = re.compile(r'\[(\w+) "([^"\n]*)"\]')
ABOVE = -1
"""Where a remark stands that comes before the line `round 2`, or before `winners`."""


class BadTranscript(BadText):
    """A transcript that cannot be read, or not be played."""


class BadPly(BadTranscript):
    """A ply that the rules do not allow: `round` and `ply` from 1, and how it is written."""

    def __init__(self, line: int, sentence: str, round: int, ply: int, text: PlyText) -> None:
        self.round, self.ply, self.text = round, ply, text
        super().__init__(line, f"round {round}, ply {ply}: {sentence}")


@dataclass(frozen=True)
class PlyText:
    """A move as written; the line does not count for equality."""

    player: str
    move: MoveName
    line: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.player}:{self.move}"


@dataclass(frozen=True)
class Remark:
    """A line that begins with `;`. `at`: how many tags (or befores, deals, plies, endings, scores of its round) stand before it."""

    at: int
    text: str


@dataclass(frozen=True)
class RoundText:
    """A round as written: cells and values by name."""

    before: tuple[tuple[str, str], ...] = ()
    deal: tuple[tuple[str, tuple[str, ...]], ...] = ()
    plies: tuple[PlyText, ...] = ()
    ending: str | None = None
    scores: tuple[int, ...] | None = None
    line: int = field(default=0, compare=False)
    remarks: tuple[Remark, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)
    """Where its other parts stand: `before score[t0]`, `deal layout`, `ending`, `scores`."""

    def at(self, part: str) -> int:
        """The line of a part; that of the round where it has none of its own."""
        return self.lines.get(part, self.line)

    @property
    def size(self) -> int:
        """How many parts a remark can stand before."""
        named = len(self.before) + len(self.deal) + len(self.plies)
        return named + (self.ending is not None) + (self.scores is not None)


@dataclass(frozen=True)
class Transcript:
    """A match as written. `tags` are those beside Game, Players and Option; `head` and `tail` remarks among tags and at the end."""

    game: str
    players: int
    options: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, str] = field(default_factory=dict)
    rounds: tuple[RoundText, ...] = ()
    winners: tuple[str, ...] | None = None
    outcomes: tuple[tuple[str, str], ...] = ()
    head: tuple[Remark, ...] = ()
    tail: tuple[Remark, ...] = ()
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)
    """Where `winners` and every `outcome NAME` stand."""


# ---------------------------------------------------------------- writing


def write(transcript: Transcript) -> str:
    """The text of a transcript, in the one normal form: what was read from such a text is written as it was."""
    tags = [("Game", transcript.game), ("Players", str(transcript.players))]
    tags += [("Option", f"{name}={value}") for name, value in transcript.options.items()]
    tags += transcript.tags.items()
    lines = [*remarked([f'[{name} "{value}"]' for name, value in tags], transcript.head)]
    for number, played in enumerate(transcript.rounds, 1):
        lines += ["", *above(played.remarks), f"round {number}", *round_lines(played)]
    if transcript.winners is not None:
        end = [" ".join(["winners", *(transcript.winners or ["none"])])]
        end += [f"outcome {name} {value}" for name, value in transcript.outcomes]
        lines += ["", *above(transcript.tail), *remarked(end, transcript.tail)]
    return "\n".join(lines) + "\n"


def remarked(lines: Sequence[str], remarks: Sequence[Remark]) -> Iterator[str]:
    """The lines with the remarks between them."""
    for place in range(len(lines) + 1):
        yield from (r.text for r in remarks if r.at == place)
        yield from lines[place : place + 1]


def above(remarks: Sequence[Remark]) -> list[str]:
    return [r.text for r in remarks if r.at == ABOVE]


def round_lines(played: RoundText) -> list[str]:
    """The lines of a round after its first; a remark among the plies begins a line of plies."""
    parts = [f"before {cell} {value}" for cell, value in played.before]
    parts += [" ".join(["deal", cell, *tiles]) for cell, tiles in played.deal]
    first, last = len(parts), len(parts) + len(played.plies)
    parts += map(str, played.plies)
    parts += [] if played.ending is None else [f"ending {played.ending}"]
    parts += [] if played.scores is None else [" ".join(["scores", *map(str, played.scores)])]
    lines: list[str] = []
    cuts = sorted({0, len(parts), first, last, *(r.at for r in played.remarks if r.at > 0)})
    for start, stop in zip(cuts, [*cuts[1:], len(parts)], strict=True):
        lines += [r.text for r in played.remarks if r.at == start]
        some = parts[start:stop]
        lines += wrapped(some) if first <= start < last else some
    return lines


def wrapped(plies: Sequence[str]) -> list[str]:
    return textwrap.wrap(" ".join(plies), WIDTH, break_long_words=False, break_on_hyphens=False)


# ---------------------------------------------------------------- reading


def read(text: str) -> Transcript:
    """The transcript of a text. Raises `BadTranscript`."""
    reader = Reader()
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        reader.take(number, line.strip())
    return reader.finish()


class Reader:
    """Takes the lines of a transcript one by one."""

    def __init__(self) -> None:
        self.tags: list[tuple[str, str]] = []
        self.rounds: list[RoundText] = []
        self.winners: tuple[str, ...] | None = None
        self.outcomes: list[tuple[str, str]] = []
        self.head: list[Remark] = []
        self.tail: list[Remark] = []
        self.waiting: list[str] = []
        """Remarks after an empty line: perhaps they stand above a round."""
        self.gap = False
        self.lines: dict[str, int] = {}

    def take(self, number: int, line: str) -> None:
        """One line, without space around it."""
        if line.startswith(";"):
            self.waiting.append(line)
            if not self.gap:
                self.settle_remarks()
        elif not line:
            self.settle_remarks()
            self.gap = True
        else:
            self.gap = False
            self.statement(number, line)

    def settle_remarks(self) -> None:
        """The waiting remarks belong to what was read last."""
        for text in self.waiting:
            if self.winners is not None:
                self.tail.append(Remark(1 + len(self.outcomes), text))
            elif self.rounds:
                now = self.rounds[-1]
                self.rounds[-1] = replace(now, remarks=(*now.remarks, Remark(now.size, text)))
            else:
                self.head.append(Remark(len(self.tags), text))
        self.waiting = []

    def statement(self, number: int, line: str) -> None:
        first, *rest = line.split()
        if first == "round":
            if self.winners is not None or rest != [str(len(self.rounds) + 1)]:
                expected = "nothing" if self.winners is not None else f"round {len(self.rounds) + 1}"
                raise BadTranscript(number, f"{expected} is expected here")
            self.rounds.append(RoundText(line=number, remarks=self.taken_above()))
            return
        if first == "winners" and self.winners is None:
            if not rest:
                raise BadTranscript(number, "winners of what? Write the teams, or none")
            self.winners = () if rest == ["none"] else tuple(rest)
            self.tail += self.taken_above()
            self.lines[first] = number
            return
        self.settle_remarks()
        if tag := TAG.fullmatch(line):
            self.tag(number, tag[1], tag[2])
        elif first == "outcome" and self.winners is not None:
            name, _, value = line.removeprefix("outcome").strip().partition(" ")
            self.outcomes.append((name, value.strip()))
            self.lines[f"outcome {name}"] = number
        elif not self.rounds:
            raise BadTranscript(number, f"{first} stands before the first round")
        elif self.winners is not None:
            raise BadTranscript(number, f"{first} stands after the winners")
        else:
            self.rounds[-1] = in_round(self.rounds[-1], number, first, rest)

    def taken_above(self) -> tuple[Remark, ...]:
        """The waiting remarks, above the line that is read now."""
        found, self.waiting = tuple(Remark(ABOVE, text) for text in self.waiting), []
        return found

    def tag(self, number: int, name: str, value: str) -> None:
        if self.rounds:
            raise BadTranscript(number, f"the tag {name} stands after the first round")
        word = f"{name} {value.partition('=')[0]}" if name == "Option" else name
        if word in (f"{n} {v.partition('=')[0]}" if n == "Option" else n for n, v in self.tags):
            raise BadTranscript(number, f"the tag {word} stands there twice")
        self.tags.append((name, value))

    def finish(self) -> Transcript:
        self.settle_remarks()
        pairs = [value.partition("=") for name, value in self.tags if name == "Option"]
        options = {name: value for name, _, value in pairs}
        tags = {name: value for name, value in self.tags if name != "Option"}
        game, players = tags.pop("Game", ""), tags.pop("Players", "")
        if not game or not (players.isascii() and players.isdecimal() and len(players) < 4):
            raise BadTranscript(0, 'the tags [Game "..."] and [Players "..."] (a number) are needed')
        parts = (tuple(self.rounds), self.winners, tuple(self.outcomes), tuple(self.head), tuple(self.tail))
        return Transcript(game, int(players), options, tags, *parts, self.lines)


def in_round(played: RoundText, number: int, first: str, rest: Sequence[str]) -> RoundText:
    """The round with one more line of it; the parts come in their order."""
    match first, rest:
        case "before" | "deal", [cell, *words] if not (played.plies or played.ending):
            named = played.before if first == "before" else played.deal
            if any(cell == other for other, _ in named):
                raise BadTranscript(number, f"{first} {cell} stands there twice")
            lines = {**played.lines, f"{first} {cell}": number}
            if first == "before":
                return replace(played, before=(*played.before, (cell, " ".join(words))), lines=lines)
            return replace(played, deal=(*played.deal, (cell, tuple(words))), lines=lines)
        case "ending", [name] if played.ending is None:
            return replace(played, ending=name, lines={**played.lines, first: number})
        case "scores", _ if played.ending is not None and played.scores is None:
            scores = tuple(whole(number, word) for word in rest)
            return replace(played, scores=scores, lines={**played.lines, first: number})
        case "scores", _ if played.scores is None:
            told = " ".join(str(whole(number, word)) for word in rest)
            raise BadTranscript(number, f"scores {told} stand before an ending")
        case "before" | "deal" | "ending" | "scores", _:
            raise BadTranscript(number, f"{first} is out of its place: befores, deals, moves, ending, scores")
        case _ if played.ending is not None:
            raise BadTranscript(number, f"{first} stands after the ending of its round")
        case _:
            plies = [ply(number, word) for word in (first, *rest)]
            return replace(played, plies=(*played.plies, *plies))


DIGITS = 19


def whole(number: int, word: str) -> int:
    digits = word.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal()):
        raise BadTranscript(number, f"{word} is not a whole number")
    if len(digits) > DIGITS:
        raise BadTranscript(number, f"{word} is too large a number: {DIGITS} digits at most")
    return int(word)


def ply(number: int, word: str) -> PlyText:
    player, colon, move = word.partition(":")
    if not colon or not (player.isidentifier() or player in (NOBODY, EVENT)):
        raise BadTranscript(number, f"{word} is not a ply: write p0:pass, or p1:play(right,3,3|6)")
    try:
        return PlyText(player, parse_move(move), number)
    except IllegalMove as error:
        raise BadTranscript(number, str(error)) from None
