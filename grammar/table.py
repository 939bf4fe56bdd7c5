"""From `dom.lark` to a ready parser: the saved LALR table, and the parser made from it.

Building the table takes about half a second, so the build hook saves it beside the grammar. The
saved form starts with a key made of everything it depends on; a table with another key is ignored.
"""

import io
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lark import Lark, Token

GRAMMAR = Path(__file__).with_name("dom.lark")
TABLE = "dom.table"
OPTIONS: dict[str, Any] = {
    "parser": "lalr",
    "lexer": "contextual",
    "start": "decl",
    "propagate_positions": True,
    "maybe_placeholders": True,
}


class WholeWords:
    """Asks the lexer to try NAME everywhere: else `or` is cut off `orange` wherever no name can stand."""

    always_accept = ("NAME",)

    def process(self, stream: "Iterator[Token]") -> "Iterator[Token]":
        return stream


def key(grammar_text: str) -> bytes:
    """Return the line a saved table must start with: grammar, options and version of Lark, as they are."""
    import lark

    return repr((grammar_text, sorted(OPTIONS.items()), lark.__version__)).encode() + b"\n"


def make(grammar_text: str) -> "Lark":
    """Build the parser in memory."""
    from lark import Lark

    return Lark(grammar_text, postlex=WholeWords(), **OPTIONS)


def build(grammar_text: str) -> bytes:
    """Return the saved form of the parser, its key first."""
    from lark import Lark

    saved = io.BytesIO()
    Lark(grammar_text, **OPTIONS).save(saved)  # the table is the same with and without whole words
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
        parts = pickle.loads(saved[len(wanted) :])
        # `Lark.load` takes no options; this is what parsers of its standalone generator call.
        parser: Lark = Lark._load_from_dict(parts["data"], parts["memo"], postlex=WholeWords())  # type: ignore[no-untyped-call]
        return parser
    return make(text)


def write(directory: Path = GRAMMAR.parent) -> None:
    """Save the table beside the grammar of a directory; without a grammar do nothing."""
    grammar = directory / GRAMMAR.name
    if grammar.exists():
        (directory / TABLE).write_bytes(build(grammar.read_text(encoding="utf-8")))


if __name__ == "__main__":
    write()
