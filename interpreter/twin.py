"""Between a transcript and its JSON twin: the same match as data, with nothing lost in either direction.

    {"format": "dom-transcript", "version": 1, "game": NAME, "players": N, "options": {NAME: VALUE}, "tags": {NAME: TEXT},
     "rounds": [{"before": {CELL: VALUE}, "deal": {CELL: [TILE]}, "plies": ["p0:lead(4|6)"], "ending": NAME or null,
                 "scores": [NUMBER] or null, "remarks": [[AT, TEXT]]}],
     "winners": [TEAM] or null, "outcomes": [[NAME, VALUE]], "head": [[AT, TEXT]], "tail": [[AT, TEXT]]}

All values are names as the text has them. `remarks`, `head` and `tail` may be left out.
"""

from __future__ import annotations

import json
from typing import Any

from domrules.interpreter.transcript import BadTranscript, Remark, RoundText, Transcript, ply, read, write

FORMAT, VERSION = "dom-transcript", 1


def as_data(transcript: Transcript) -> dict[str, Any]:
    """The transcript as plain data."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": transcript.game,
        "players": transcript.players,
        "options": dict(transcript.options),
        "tags": dict(transcript.tags),
        "rounds": [_round(played) for played in transcript.rounds],
        "winners": None if transcript.winners is None else list(transcript.winners),
        "outcomes": [list(pair) for pair in transcript.outcomes],
        "head": _remarks(transcript.head),
        "tail": _remarks(transcript.tail),
    }


def as_json(transcript: Transcript) -> str:
    """The JSON text of a transcript."""
    return json.dumps(as_data(transcript), ensure_ascii=False, indent=1) + "\n"


def _round(played: RoundText) -> dict[str, Any]:
    return {
        "before": dict(played.before),
        "deal": {cell: list(tiles) for cell, tiles in played.deal},
        "plies": [str(one) for one in played.plies],
        "ending": played.ending,
        "scores": None if played.scores is None else list(played.scores),
        "remarks": _remarks(played.remarks),
    }


def _remarks(remarks: tuple[Remark, ...]) -> list[list[Any]]:
    return [[r.at, r.text] for r in remarks]


# ---------------------------------------------------------------- reading


def read_any(text: str) -> Transcript:
    """The transcript of a text or of its JSON twin. Raises `BadTranscript`."""
    return from_json(text) if text.removeprefix("\ufeff").lstrip().startswith("{") else read(text)


def from_json(text: str) -> Transcript:
    """The transcript of a JSON text. Raises `BadTranscript`."""
    try:
        data = json.loads(text.removeprefix("\ufeff"), parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise BadTranscript(error.lineno, f"this is not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise BadTranscript(0, f"this is not JSON: {error}") from None
    return from_data(data)


def from_data(data: Any) -> Transcript:
    """The transcript of plain data, if it is one that can be written as text. Raises `BadTranscript`."""
    whole = _Data("the transcript", data)
    if whole.get("format", str) != FORMAT or whole.get("version", int) != VERSION:
        raise BadTranscript(0, f"this is not the format {FORMAT}, version {VERSION}")
    winners, outcomes = whole.get("winners", list, None), whole.get("outcomes", list, ())
    found = Transcript(
        whole.get("game", str),
        whole.get("players", int),
        whole.names("options"),
        whole.names("tags"),
        tuple(_from_round(number, one) for number, one in enumerate(whole.get("rounds", list), 1)),
        None if winners is None else tuple(_text("a winner", w) for w in winners),
        tuple((_text("an outcome", n), _text("an outcome", v)) for n, v in map(_pair, outcomes)),
        whole.remarks("head"),
        whole.remarks("tail"),
    )
    if not _same(found):
        raise BadTranscript(0, "some name, value or remark here cannot be written as text")
    return found


def _same(found: Transcript) -> bool:
    """Is what is written of it read again as the same?"""
    try:
        again = read(write(found))
    except BadTranscript:
        return False
    return again == found and list(again.tags) == list(found.tags)


def _from_round(number: int, data: Any) -> RoundText:
    one = _Data(f"round {number}", data)
    scores, ending = one.get("scores", list, None), one.get("ending", str, None)
    return RoundText(
        tuple(one.names("before").items()),
        tuple(
            (cell, tuple(_text("a tile", t) for t in _list(cell, tiles)))
            for cell, tiles in one.get("deal", dict).items()
        ),
        tuple(ply(0, _text("a ply", word)) for word in one.get("plies", list)),
        ending,
        None if scores is None else tuple(_typed("a score", score, int) for score in scores),
        remarks=one.remarks("remarks"),
    )


class _Data:
    """An object of the JSON text; what is asked of it is there and of its kind, or it is refused."""

    def __init__(self, name: str, data: Any) -> None:
        self.name, self.data = name, _typed(name, data, dict)

    def get(self, key: str, kind: type[Any], *default: Any) -> Any:
        """A value; one that may be missing has a default, which may be None."""
        value = self.data.get(key, *default) if default else self.data.get(key)
        if default and (value is None or value == default[0]):
            return default[0]
        return _typed(f"{self.name}: {key}", value, kind)

    def names(self, key: str) -> dict[str, str]:
        return {name: _text(f"{self.name}: {name}", value) for name, value in self.get(key, dict, {}).items()}

    def remarks(self, key: str) -> tuple[Remark, ...]:
        pairs = map(_pair, self.get(key, list, ()))
        return tuple(Remark(_typed("a remark", at, int), _text("a remark", text)) for at, text in pairs)


def _typed(name: str, value: Any, kind: type[Any]) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        words = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}
        raise BadTranscript(0, f"{name} is not {words[kind]}")
    return value


def _text(name: str, value: Any) -> str:
    found: str = _typed(name, value, str)
    return found


def _list(name: str, value: Any) -> list[Any]:
    found: list[Any] = _typed(name, value, list)
    return found


def _pair(value: Any) -> tuple[Any, Any]:
    if len(found := _list("a pair", value)) != 2:
        raise BadTranscript(0, "a pair has two parts")
    return found[0], found[1]


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number")
