"""Between a match at a real table and its hands file: how each round ended and what was left, as text.

    file   = line*                          ';' begins a remark; remarks and empty lines stay where they are
    head   = 'game' NAME | 'players' N | 'option' NAME '=' VALUE | 'name' PLAYER NAME | 'before' CELL ':' VALUE
    round  = 'round' NUMBER fact*
    fact   = 'ended' ENDING ['by' PLAYER] | CELL ':' VALUE | PLAYER ':' TILE*

A cell is named as everywhere (`hand[p1]`, `last_mover`); a player's name stands for his hand. Tiles may be written `6|4`,
`6-4`, `6:4`, `6/4`, `64` or `[6|4]`, either half first; `-` is an empty hand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from domrules.interpreter.errors import BadText

EMPTY = ("-", "none", "nothing", "empty", "")


class BadHands(BadText):
    """A hands file that cannot be read, or cannot be so."""


@dataclass(frozen=True)
class Fact:
    """A line `key: value`."""

    key: str
    value: str
    line: int = field(default=0, compare=False)


@dataclass(frozen=True)
class RoundHands:
    """A round as told. `lines` are its lines as written, remarks included."""

    ending: str = ""
    by: str = ""
    facts: tuple[Fact, ...] = ()
    line: int = field(default=0, compare=False)
    lines: tuple[str, ...] = ()

    @property
    def ended(self) -> int:
        """The line where it says how the round ended, or where the round begins; 0 for one that is not in a file."""
        places = [self.line + 1 + i for i, line in enumerate(self.lines) if line.split()[:1] == ["ended"]]
        return places[0] if places and self.line else self.line

    def told(self, line: str) -> RoundHands:
        """With one more line. Raises BadHands."""
        return in_round(replace(self, lines=(*self.lines, line)), line.strip(), 0)


@dataclass(frozen=True)
class Hands:
    """A match as told; `lines` are those of its head."""

    game: str = ""
    players: int | None = None
    seated: int = field(default=0, compare=False)
    """The line that says how many play."""
    options: tuple[Fact, ...] = ()
    names: tuple[Fact, ...] = ()
    """What a player is called, by seat."""
    before: tuple[Fact, ...] = ()
    rounds: tuple[RoundHands, ...] = ()
    lines: tuple[str, ...] = ()


def write(hands: Hands) -> str:
    """The text; what was read comes out as it was."""
    parts = [*hands.lines]
    for number, one in enumerate(hands.rounds, 1):
        parts += [f"round {number}", *one.lines]
    return "\n".join(parts) + "\n" if parts else ""


def head(game: str, players: int, options: dict[str, str], names: list[tuple[str, str]]) -> Hands:
    """A match in which nothing is told yet."""
    lines = [f"game {game}", f"players {players}"]
    lines += [f"option {name} = {value}" for name, value in options.items()]
    lines += [f"name {player} {name}" for player, name in names]
    return read("\n".join([*lines, ""]) + "\n")


def read(text: str) -> Hands:
    """The hands of a text. Raises BadHands."""
    hands = Hands()
    body = text.removeprefix("\ufeff").removesuffix("\n")
    for number, raw in enumerate(body.split("\n") if body else [], 1):
        line = raw.strip()
        if found := re.fullmatch(r"round\s+(\d{1,6})", line):
            if int(found[1]) != len(hands.rounds) + 1:
                raise BadHands(number, f"round {len(hands.rounds) + 1} is expected here")
            hands = replace(hands, rounds=(*hands.rounds, RoundHands(line=number)))
        elif hands.rounds:
            *done, last = hands.rounds
            last = in_round(replace(last, lines=(*last.lines, raw.rstrip())), line, number)
            hands = replace(hands, rounds=(*done, last))
        else:
            hands = in_head(replace(hands, lines=(*hands.lines, raw.rstrip())), line, number)
    return hands


def in_head(hands: Hands, line: str, number: int) -> Hands:
    word, _, rest = line.partition(" ")
    rest = rest.strip()
    match word:
        case _ if not line or line.startswith(";"):
            return hands
        case "game" if rest and not hands.game:
            return replace(hands, game=rest)
        case "players" if rest.isascii() and rest.isdecimal() and len(rest) < 4 and hands.players is None:
            return replace(hands, players=int(rest), seated=number)
        case "option" if "=" in rest:
            name, _, value = (part.strip() for part in rest.partition("="))
            return replace(hands, options=once(hands.options, Fact(name, value, number)))
        case "name" if len(parts := rest.split(maxsplit=1)) == 2:
            return replace(hands, names=once(hands.names, Fact(parts[0], parts[1], number)))
        case "before" if ":" in rest:
            return replace(hands, before=(*hands.before, fact(rest, number)))
        case _:
            raise BadHands(
                number, f"{line!r} is no line before the first round: game, players, option, name, before, round 1"
            )


def in_round(one: RoundHands, line: str, number: int) -> RoundHands:
    if not line or line.startswith(";"):
        return one
    if found := re.fullmatch(r"ended\s+(\w+)(?:\s+by\s+(.+))?", line):
        if one.ending:
            raise BadHands(number, "it is said twice how the round ended")
        return replace(one, ending=found[1], by=(found[2] or "").strip())
    if ":" not in line:
        raise BadHands(number, f"{line!r} is no line of a round: `ended ENDING by PLAYER`, or `WHAT: VALUE`")
    return replace(one, facts=once(one.facts, fact(line, number)))


def once(facts: tuple[Fact, ...], new: Fact) -> tuple[Fact, ...]:
    """With one more. Raises BadHands where there is one about the same."""
    if any(new.key == other.key for other in facts):
        raise BadHands(new.line, f"{new.key} is told twice")
    return (*facts, new)


def fact(line: str, number: int) -> Fact:
    key, _, value = line.partition(":")
    return Fact(key.strip(), value.strip(), number)


# ---------------------------------------------------------------- tiles


def tile_words(text: str) -> list[str]:
    """The tiles of a text, each as it is written there: `6|4, [5-5] 31`."""
    text = re.sub(r"[{}\[\]()]", " ", text)
    text = re.sub(r"\s*([|:/–-])\s*", r"\1", text)
    words = [word for word in re.split(r"[\s,;]+", text) if word]
    return [] if text.strip().lower() in EMPTY else words


def halves(word: str) -> str:
    """A tile as `6|4`: its halves parted by a bar, however they are parted in the text."""
    pair, star, copy = word.partition("*")
    found = re.fullmatch(r"(\w+?)[|:/–-](\w+)|(\d)(\d)", pair)
    if not found:
        return word
    return f"{found[1] or found[3]}|{found[2] or found[4]}{star}{copy}"
