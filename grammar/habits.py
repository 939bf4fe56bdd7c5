"""What people write who know other languages or speak plainly, and what is written here instead."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

BEGINNINGS: Mapping[str, str] = {
    "players": "write `seats 2..4`",
    "when": "a table belongs to a declaration: `settle when … -> …`",
    "on": "a table belongs to a declaration: `settle when … -> …`",
    "if": "choose with a table: `settle when … -> …`",
    "let": "write `define NAME: int = …`",
    "var": "write `state NAME: int = 0 for the match`",
    "def": "write `define NAME(t: tile): bool = …`",
    "function": "write `define NAME(t: tile): bool = …`",
    "import": "write `game NAME extends …`",
    "include": "write `game NAME extends …`",
}
"""Words that begin no declaration."""
CHOICES = ("if", "else", "elif", "elsif", "case", "switch", "match", "unless")
"""Words that choose, elsewhere."""
VALUES: Mapping[str, str] = {"yes": "true", "on": "true", "no": "false", "off": "false", "null": "none", "nil": "none"}
CALLS: Mapping[str, str] = {
    "len": "write `size(…)`",
    "length": "write `size(…)`",
    "empty": "write `size(…) == 0`",
    "is_empty": "write `size(…) == 0`",
    "max": "write `greatest(x in …: …)`",
    "min": "write `least(x in …: …)`",
    "round": "write `nearest(10, …)`",
    "ceil": "write `up(10, …)`",
    "floor": "write `down(10, …)`",
    "mod": "write `remainder(a, b)`",
    "div": "write `quotient(a, b)`",
    "even": "write `not odd(…)`",
}
"""Functions of other languages."""
RANGING: Mapping[str, str] = {
    "highest": "highest(t in … by …)",
    "lowest": "lowest(t in … by …)",
    "greatest": "greatest(t in …: …)",
    "least": "least(t in …: …)",
    "sum": "sum(t in …: …)",
    "count": "count(t in … where …)",
    "those": "those(t in … where …)",
}
"""Words after which a name is bound, and how."""

NEAR = 200
"""Characters that are looked at."""


def remark(text: str, at: int) -> str:
    """For a sign that begins a remark elsewhere."""
    return "a remark begins with `#`" if text.startswith(("//", "/*"), at) else ""


def truth(text: str) -> str:
    """For the last word of a text, if it is a value elsewhere."""
    last = re.search(r"=\s*(\w+)$", text[-NEAR:])
    return "" if last is None else value(last[1])


def value(name: str) -> str:
    """For a name that is a value elsewhere."""
    return f"write `{VALUES[name]}`" if name in VALUES else ""


def unbound(name: str) -> str:
    """For a name that nothing has: one letter stands for any of several things, which must be said."""
    return f"say what it stands for, as in `all {name} in …: …`" if len(name) == 1 else ""


def instead(before: str, rest: str, kind: str, expected: Collection[str]) -> str:
    """For a word or sign that cannot stand in a declaration: its text before it and from it on; what it is, what could stand there."""
    declared, before, rest = before[:NEAR], before[-NEAR:], rest[:NEAR]
    ranging = re.search(r"\b(highest|lowest|greatest|least|sum|count|those)\s*(\(\s*\w+)?\s*$", before)
    if ranging is not None:
        size = "`size(…)`, or " if ranging[1] == "count" and rest.startswith(("[", ")")) else ""
        return f"write {size}`{RANGING[ranging[1]]}`"
    written = re.match(r"(\w+(?:\[[^\]\n]*\])?)\s*(\+=|-=|=(?!=))", rest)
    if written is not None and "SET" in expected:
        return f"write `add … to {written[1]}`" if written[2] != "=" else f"write `set {written[1]} to …`"
    quoted = re.match(r'"([a-z_][a-z0-9_]*)"', rest)
    if quoted is not None and re.search(r"=\s*$", before):
        return f"names stand without quotes: `{quoted[1]}`"
    if re.match(r"for\s+\d", rest):
        return "choose with a table: `when size(players) == … -> …`, `otherwise -> …`"
    if rest.startswith(")") and "COLON" in expected:
        return _of_kinds(declared, before)
    if kind == "NAME" and "PLUS" in expected:
        return _of_words(before, rest)
    return _of_tiles(before, rest)


def _of_tiles(before: str, rest: str) -> str:
    tile = re.match(r"\d+\|\d+", rest)
    if tile is None:
        return ""
    first = re.search(r"\d+\|\d+\s*$", before)
    if first is not None:
        return f"several tiles stand in braces: `{{{first[0].strip()}, {tile[0]}}}`"
    if re.search(r"\b(played|allows|refuses)\s*$|\)\s*,\s*$", before):
        return f"name the move: `NAME({tile[0]})`"
    return ""


def _of_kinds(declared: str, before: str) -> str:
    """A parameter without its kind."""
    bare = re.search(r"[(,]\s*(\w+)\s*$", before)
    head = re.match(r"(define|slot|outcome)\b[^=]*$", declared)
    return f"say of what kind it is: `{bare[1]}: tile`" if bare is not None and head is not None else ""


def _of_words(before: str, rest: str) -> str:
    """Two names where one is wanted."""
    word, last = re.match(r"[a-z_][a-z0-9_]*", rest), re.search(r"=\s*([a-z_][a-z0-9_]+)\s+$", before)
    if word is None or last is None:
        return ""
    return f"a name of several words is written with `_`: `{last[1]}_{word[0]}`"
