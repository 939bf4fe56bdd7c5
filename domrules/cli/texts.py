"""From a path, or the standard input, to a text that is no game: a transcript, a hands file."""

from __future__ import annotations

from pathlib import Path

import typer

MOST = 16 * 1024 * 1024
"""Bytes; the longest match we know of has a thousandth of it. An endless file is refused like any that is larger."""


class NoText(Exception):
    """What stands there cannot be a text of ours; a sentence."""


def read_text(path: Path) -> str:
    """The text of a file; `-` is the standard input. Raises NoText, OSError."""
    if str(path) == "-":
        data = typer.get_binary_stream("stdin").read(MOST + 1)
    else:
        with path.open("rb") as stream:
            data = stream.read(MOST + 1)
    if len(data) > MOST:
        raise NoText(f"this is larger than {MOST // 1024**2} MiB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as wrong:
        line = data.count(b"\n", 0, wrong.start) + 1
        raise NoText(f"line {line}: this is not UTF-8 text; save it as UTF-8") from None
