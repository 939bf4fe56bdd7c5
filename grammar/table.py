"""From `dom.lark` to a ready parser: the saved LALR table, and the parser made from it.

Building the table takes about half a second, so the build hook saves it beside the grammar. The
saved form starts with a key made of everything it depends on; a table with another key is ignored.
"""

import hashlib
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lark import Lark

GRAMMAR = Path(__file__).with_name("dom.lark")
TABLE = "dom.table"
OPTIONS: dict[str, Any] = {
    "parser": "lalr",
    "lexer": "contextual",
    "start": "decl",
    "propagate_positions": True,
    "maybe_placeholders": True,
}


def key(grammar_text: str) -> bytes:
    """Return the line a saved table must start with: grammar, options and version of Lark."""
    import lark

    parts = repr((grammar_text, sorted(OPTIONS.items()), lark.__version__))
    return hashlib.sha256(parts.encode()).hexdigest().encode() + b"\n"


def make(grammar_text: str) -> "Lark":
    """Build the parser in memory."""
    from lark import Lark

    return Lark(grammar_text, **OPTIONS)


def build(grammar_text: str) -> bytes:
    """Return the saved form of the parser, its key first."""
    saved = io.BytesIO()
    make(grammar_text).save(saved)
    return key(grammar_text) + saved.getvalue()


def load(directory: Path = GRAMMAR.parent) -> "Lark":
    """Return the parser of the grammar in a directory, from the saved table if that is current.

    Never writes. Raises OSError when there is no grammar.
    """
    from lark import Lark

    text = (directory / GRAMMAR.name).read_text(encoding="utf-8")
    wanted = key(text)
    try:
        saved = (directory / TABLE).read_bytes()
    except OSError:
        saved = b""
    if saved.startswith(wanted):
        return Lark.load(io.BytesIO(saved[len(wanted) :]))
    return make(text)


def write(directory: Path = GRAMMAR.parent) -> None:
    """Save the table beside the grammar of a directory; without a grammar do nothing."""
    grammar = directory / GRAMMAR.name
    if grammar.exists():
        (directory / TABLE).write_bytes(build(grammar.read_text(encoding="utf-8")))


if __name__ == "__main__":
    write()
