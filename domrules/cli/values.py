"""From words of a command line to values, for the plain types that verbs take.

Typer has pydantic do it, and to import that takes longer than to read and check a game.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import typer
from typer._coercion import RuntimeParam

DIGITS = 19
"""Digits of the largest number that is read."""
Reader = Callable[[str], Any]
"""The value of a word. Raises ValueError with what is wrong."""


@dataclass(frozen=True)
class Plain(RuntimeParam):
    """Reads the words of one parameter; takes the place of Typer's own reader."""

    read: Reader
    many: bool

    def _coerce_value(self, value: Any, param: Any, ctx: Any) -> Any:
        words = value if self.many else [value]
        try:
            values = [self.read(word) if isinstance(word, str) else word for word in words]
        except ValueError as wrong:
            raise typer.BadParameter(str(wrong), ctx=ctx, param=param) from None
        return values if self.many else values[0]


class PlainParams:
    """Mixed into a Typer command or group: its parameters of plain types are read by us, `--help` among them."""

    def get_params(self, ctx: Any) -> Any:
        params = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if param._runtime_param is None:
                param._runtime_param = plain_reader(
                    param.type_descriptor.annotation, param.type_descriptor.parameter_info
                )
        return params


def plain_reader(annotation: Any, info: Any) -> Plain | None:
    """The reader of a type, or of lists of it; None for what only Typer can read."""
    many = get_origin(annotation) is list
    type_ = get_args(annotation)[0] if many else annotation
    read = _reader(type_, info)
    return None if read is None else Plain(info, annotation, read, many)


def _reader(type_: Any, info: Any) -> Reader | None:
    if info.parser is not None:
        return None
    if get_origin(type_) is Literal:
        return lambda word: _choice(word, get_args(type_))
    if type_ is int and not info.clamp:
        return lambda word: _number(word, info.min, info.max)
    if type_ is Path and not (info.exists or info.resolve_path or info.allow_dash):
        return _path
    return str if type_ is str else _truth if type_ is bool else None


def _choice(word: str, choices: tuple[str, ...]) -> str:
    if word not in choices:
        raise ValueError(f"{word!r} is not one of {', '.join(choices)}.")
    return word


def _truth(word: str) -> bool:
    if word.lower() not in ("true", "false"):
        raise ValueError(f"{word!r} is neither true nor false.")
    return word.lower() == "true"


def _path(word: str) -> Path:
    if not word:
        raise ValueError("the name of the file is empty.")
    return Path(word)


def _number(word: str, low: float | None, high: float | None) -> int:
    digits = word.strip().removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"{word!r} is not a whole number.")
    if len(digits.lstrip("0")) > DIGITS:
        raise ValueError(f"{word} is too large; write at most {DIGITS} digits.")
    number = int(word)
    if (low is not None and number < low) or (high is not None and number > high):
        limits = [f"at least {low}"] * (low is not None) + [f"at most {high}"] * (high is not None)
        raise ValueError(f"{number} is not {' and '.join(limits)}.")
    return number
