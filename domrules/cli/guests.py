"""From `module:function` to a player: a Python function that is given what its seat sees, and says which move it makes."""

from __future__ import annotations

import errno
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import typer

from domrules.api.state import seen
from domrules.interpreter.errors import BadPlayer
from domrules.interpreter.names import Move, move_name
from domrules.interpreter.rules import Rules
from domrules.interpreter.views import View

USUAL = "policy"
"""The function of a file that is named alone."""


@dataclass(frozen=True)
class Guest:
    """A function of a view; `word` is what it was called on the command line."""

    word: str
    function: Callable[[Any], object]


def guest(word: str) -> Guest:
    """The function of `module:function`, `path/to/file.py:function` or `file.py`. Raises `typer.BadParameter`, BadPlayer, OSError."""
    place, _, name = (word, "", USUAL) if word.endswith(".py") else word.rpartition(":")
    if not place or not name.isidentifier():
        raise typer.BadParameter(f"{word} is not of the form module:function or file.py:function.")
    try:
        module = loaded(place)
    except (typer.BadParameter, OSError):
        raise
    except (Exception, SystemExit) as error:
        raise BadPlayer(f"{place} cannot be loaded: {told(error)}") from error
    if not callable(getattr(module, name, None)):
        there = [n for n, x in vars(module).items() if callable(x) and not n.startswith("_")]
        raise typer.BadParameter(f"{place} has no function {name}; it has {', '.join(there) or 'none'}.")
    return Guest(word, getattr(module, name))


def loaded(place: str) -> ModuleType:
    """The module of a file or of a name; both are also sought in the current folder."""
    if not place.endswith(".py"):
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.insert(0, here)
        try:
            missing = importlib.util.find_spec(place) is None
        except ModuleNotFoundError:
            missing = True
        if missing:
            raise typer.BadParameter(f"there is no module {place}; a file is named with its ending, {place}.py.")
        return importlib.import_module(place)
    path = Path(place)
    if not path.is_file():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), place)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(module)
    return module


def told(error: BaseException, called: Callable[[Any], object] | None = None) -> str:
    """What went wrong, and in which line: of the function itself where calling it failed."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    code = getattr(called, "__code__", None)
    if code is not None and frames and frames[-1].filename == __file__:  # it was not even begun
        place = f" ({Path(code.co_filename).name}, line {code.co_firstlineno}: it is given one thing, a view)"
    if isinstance(error, SyntaxError):
        place = ""
    return f"{type(error).__name__}: {error}".removesuffix(": ") + place


class Visitor:
    """A player of one match who asks a function."""

    def __init__(self, guest: Guest, rules: Rules, index: int) -> None:
        self.guest, self.rules, self.index = guest, rules, index

    def choose(self, view: View, moves: Sequence[Move]) -> int:
        names = [move_name(self.rules.instance, move) for move in moves]
        try:
            wanted = self.guest.function(seen(view, self.rules, tuple(names)))
        except (Exception, SystemExit) as error:
            raise BadPlayer(f"{self.where(view)} failed: {told(error, self.guest.function)}") from error
        texts, word = [str(name) for name in names], "".join(str(wanted).split())
        if word not in texts:
            raise BadPlayer(
                f"{self.where(view)} wants {wanted!r}, which is no legal move; there are {', '.join(texts)}"
            )
        return texts.index(word)

    def where(self, view: View) -> str:
        return f"{self.guest.word}, as p{view.player} of match {self.index},"
