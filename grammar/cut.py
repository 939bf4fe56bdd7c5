"""Cut a text into declarations at the words that begin one, before anything is parsed.

Every piece is parsed alone, so a mistake in one hides nothing in the next, and the outline of a file is free.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

DECLARATIONS = tuple(
    (
        "game family title source seats partners enum dominoes option slot rule define outcome zone "
        "state deal redeal begin action event ending settle over winners lemma claim example"
    ).split()
)

PREFIXES = ("instead", "twin")
"""Words before a declaration."""

_SCAN = re.compile(
    r'"[^"\n]*"?|#[^\n]*|\b(?:(?:instead|twin)(?:\s|#[^\n]*\n)+)?(?:'
    + "|".join(DECLARATIONS)
    + r")\b(?!\|)|\b(?:instead|twin)\b(?!\|)"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters `start` to `end`, from a declaration word to the next; `word` is that word."""

    start: int
    end: int
    word: str


def pieces(text: str) -> tuple[int, list[Piece]]:
    """Where the first declaration begins, and all pieces."""
    starts = list(_starts(text))
    if not starts:
        return len(text), []
    ends = [start for start, _ in starts[1:]] + [len(text)]
    cut = [Piece(start, end, word) for (start, word), end in zip(starts, ends, strict=True)]
    return cut[0].start, cut


def _starts(text: str) -> Iterator[tuple[int, str]]:
    for m in _SCAN.finditer(text):
        if m[0][0] not in '"#':
            yield m.start(), m[0].split()[-1]


def blanked(text: str, start: int, end: int) -> str:
    """A stretch of the text with comments blanked out, for looking at what is left."""
    return re.sub(r"#[^\n]*", lambda m: " " * len(m[0]), text[start:end])
