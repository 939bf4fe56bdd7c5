"""The three standard streams as every verb needs them: there, even when the process was started without, and lenient."""

import io
import os
import sys
from typing import TextIO


def prepare() -> None:
    """Put something that cannot be used in the place of closed streams, and let the open ones print any letter."""
    if sys.stdin is None:
        _fill(0, os.O_WRONLY)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        _fill(1, os.O_RDONLY)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        _fill(2, os.O_WRONLY)
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that lacks a letter shows its number


def _fill(number: int, mode: int) -> None:
    """Open the null device under a number that is free, so that no other file gets it."""
    nowhere = os.open(os.devnull, mode)
    if nowhere != number:
        os.dup2(nowhere, number)
        os.close(nowhere)


def coloured(stream: TextIO) -> bool:
    """Does whoever reads this want colour? A terminal does, unless NO_COLOR or TERM=dumb says otherwise."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
