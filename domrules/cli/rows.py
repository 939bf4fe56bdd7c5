"""Lines no longer than the terminal is wide: columns where there is room, else below; and files by the name they have from here."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

PIPED, NARROW = 80, 40
BELOW = " " * 8


def columns() -> int:
    """How long a line may be: as the terminal has it, from `NARROW` on; `PIPED` where there is none."""
    return max(NARROW, shutil.get_terminal_size().columns) if sys.stdout.isatty() else PIPED


def near(text: str) -> str:
    """The text with files below the current folder named as from there."""
    here = Path.cwd()
    return text if here == here.parent else re.sub(rf"(?<![\w/.-]){re.escape(f'{here}{os.sep}')}(?=\S)", "", text)


def row(cells: Iterable[tuple[int, str]]) -> list[str]:
    """Cells side by side, each from its column on or right after the one before; a cell without room begins a line below."""
    line, lines = "", list[str]()
    for column, text in cells:
        start = max(column, len(line) + 1)
        if line and start + len(text) > columns():
            lines.append(line)
            line = BELOW + text
        else:
            line = f"{line:<{start}}{text}"
    return below([*lines, line], "")


def below(lines: Iterable[str], indent: str = BELOW) -> list[str]:
    """Lines with an indent; what is too long goes on further in, and only a word as long as that stays whole."""
    out: list[str] = []
    for line in lines:
        lead = indent + " " * (len(line) - len(line.lstrip()))
        if len(indent) + len(line) <= columns():
            out.append(indent + line)
            continue
        out += textwrap.wrap(
            line.strip(), columns(), initial_indent=lead, subsequent_indent=f"{lead}  ", break_long_words=False,
            break_on_hyphens=False,
        )  # fmt: skip
    return out


def joined(parts: Iterable[str], indent: str = " ") -> str:
    """Parts with points between them, on as many lines as they need; no part is broken."""
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + 3 + len(part) <= columns():
            lines[-1] += f" · {part}"
        else:
            lines.append(indent + part)
    return "\n".join(lines)
