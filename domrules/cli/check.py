"""`dom check`: everything that is wrong with files, as far as it can be told without a solver."""

import contextlib
import gc
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from domrules import __version__
from domrules.cli import exits
from domrules.cli.exits import ExitCode
from domrules.cli.games import tell_shadows
from domrules.cli.streams import coloured
from domrules.grammar.diagnostics import counted
from domrules.grammar.drawing import render
from domrules.grammar.load import Loaded, check, find
from domrules.grammar.report import annotation, as_data

SHOWN = 20
"""Mistakes of a file that are shown to people; the data has all."""

Format: TypeAlias = Literal["text", "json", "sarif", "github"]
Colour: TypeAlias = Literal["auto", "always", "never"]


@dataclass(frozen=True)
class Outcome:
    """What became of a file: loaded, or why it could not be read."""

    file: str
    loaded: Loaded | None
    failure: str = ""

    @property
    def code(self) -> ExitCode:
        if self.loaded is None:
            return ExitCode.IO
        return ExitCode.OK if self.loaded.game is not None else ExitCode.INVALID

    @property
    def mistakes(self) -> int:
        return 0 if self.loaded is None else len(self.loaded.diagnostics) + self.loaded.more


def command(
    files: Annotated[list[Path], typer.Argument(help=".dom files, names of shipped games, or - for the input.")],
    format: Annotated[Format, typer.Option("--format", help="How to print what is found.")] = "text",
    color: Annotated[Colour, typer.Option("--color", help="Colour the text.")] = "auto",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only what is wrong.")] = False,
) -> ExitCode:
    """Say what is wrong with files: syntax, names, types, ranges and deals, at every table they allow."""
    with uncollected():
        outcomes = [examine(file) for file in files]
    code = exits.first(outcome.code for outcome in outcomes)
    for outcome in outcomes:
        if outcome.loaded is not None and not quiet and format not in ("json", "sarif"):
            tell_shadows(outcome.loaded)
    match format:
        case "text":
            print_text(outcomes, color == "always" or (color == "auto" and coloured(sys.stdout)), quiet)
        case "json":
            import json

            print(json.dumps(envelope(outcomes, code), ensure_ascii=False, indent=2))
        case "sarif":
            import json

            print(json.dumps(as_sarif(outcomes, code), ensure_ascii=False, indent=1))
        case "github":
            print_annotations(outcomes)
    return code


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Without garbage collection: a check makes many small things that last, looking them through takes a fifth of it."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def examine(file: Path) -> Outcome:
    """Check one file; `-` is the standard input."""
    try:
        return Outcome(str(file), check(find(file)))
    except OSError as error:
        return Outcome(str(file), None, exits.describe(error))


def print_text(outcomes: list[Outcome], colour: bool, quiet: bool) -> None:
    """For each file its mistakes and one line that sums it up."""
    for outcome in outcomes:
        if outcome.loaded is None:
            print(f"dom: {exits.shown(outcome.failure)}", file=sys.stderr)
            continue
        for d in outcome.loaded.diagnostics[:SHOWN]:
            print(render(d, colour), end="\n\n")
        if not quiet or outcome.mistakes:
            print(exits.shown(summary(outcome, outcome.loaded)))
    codes = [d.code for outcome in outcomes if outcome.loaded for d in outcome.loaded.diagnostics[:SHOWN]]
    if codes and not quiet:
        print(f"dom explain {codes[0]} says more")


def summary(outcome: Outcome, loaded: Loaded) -> str:
    """`block.dom: ok (2 options, 3 tables)`"""
    game = loaded.game
    if game is None:
        count = counted(outcome.mistakes, "mistake")
        least = "at least " if loaded.more else ""
        return f"{outcome.file}: {least}{count}{f', the first {SHOWN} are shown' if outcome.mistakes > SHOWN else ''}"
    if game.abstract:
        slots = sum(fn.slot for fn in game.fns.values())
        return f"{outcome.file}: ok (a family, {counted(slots, 'slot')})"
    return f"{outcome.file}: ok ({counted(len(game.options), 'option')}, {counted(len(game.seats), 'table')})"


def envelope(outcomes: list[Outcome], code: ExitCode) -> dict[str, object]:
    return {
        "schema": 1,
        "tool": f"dom {__version__}",
        "verb": "check",
        "exit": int(code),
        "files": [
            {
                "file": outcome.file,
                "exit": int(outcome.code),
                "failure": outcome.failure,
                "diagnostics": [as_data(d) for d in (outcome.loaded.diagnostics if outcome.loaded else ())],
                "more": outcome.loaded.more if outcome.loaded else 0,
                "notes": list(outcome.loaded.shadows) if outcome.loaded else [],
            }
            for outcome in outcomes
        ],
    }


def as_sarif(outcomes: list[Outcome], code: ExitCode) -> dict[str, object]:
    """All files as one run; what could not be read, or is not described, is told apart."""
    from domrules.grammar import sarif

    files = [file.source.name for outcome in outcomes if outcome.loaded for file in reversed(outcome.loaded.files)]
    found = [d for outcome in outcomes if outcome.loaded for d in outcome.loaded.diagnostics]
    failures = [sarif.Failure(outcome.failure) for outcome in outcomes if outcome.loaded is None]
    failures += [
        sarif.Failure(f"{outcome.file}: there are more mistakes than are described.", "warning")
        for outcome in outcomes
        if outcome.loaded and outcome.loaded.more
    ]
    return sarif.log(__version__, [sarif.of_mistake(d) for d in found], files, code, failures)


def print_annotations(outcomes: list[Outcome]) -> None:
    for outcome in outcomes:
        if outcome.loaded is None:
            print(f"dom: {exits.shown(outcome.failure)}", file=sys.stderr)
            continue
        for d in outcome.loaded.diagnostics[:SHOWN]:
            print(annotation(d))
