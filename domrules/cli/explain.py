"""`dom explain`: what an item of the battery asks, or what the code of a mistake means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated

import typer

from domrules import verifier
from domrules.cli.exits import ExitCode
from domrules.grammar.codes import CODES, PAGES
from domrules.grammar.diagnostics import did_you_mean

ITEMS = Path(verifier.__file__).parent / "explain"


def command(
    name: Annotated[str, typer.Argument(help="An item as S1, or a code as DOM201; all are listed without it.")] = "",
) -> ExitCode:
    """Explain what a check asks and why, or what the code of a mistake means."""
    if not name:
        print("\n".join(listed()))
        return ExitCode.OK
    known = {known.upper(): known for known in [*items(), *CODES]}
    if name.upper() not in known:
        near = did_you_mean(name.upper(), known, 0.3)
        raise typer.BadParameter(f"{name} is neither a check nor a code. {near}".rstrip())
    print(explained(known[name.upper()]))
    return ExitCode.OK


@cache
def items() -> Mapping[str, str]:
    """Every item with its title, from the first lines of the pages."""
    heads = (page.read_text(encoding="utf-8").partition("\n")[0] for page in sorted(ITEMS.glob("*.md")))
    found = {name: title for name, _, title in (head.removeprefix("# ").partition(": ") for head in heads)}
    return dict(sorted(found.items(), key=lambda item: (item[0][0], int(item[0][1:]))))


def listed() -> Iterator[str]:
    """A line for every item and every code."""
    yield "What `dom verify` checks:"
    yield from (f"  {name:<6}  {title}" for name, title in items().items())
    yield ""
    yield "Codes of mistakes:"
    yield from (f"  {code:<6}  {title}" for code, title in CODES.items())


def explained(name: str) -> str:
    """The page of an item or code."""
    page = (PAGES if name in CODES else ITEMS) / f"{name}.md"
    return plain(page.read_text(encoding="utf-8")).removeprefix("# ").strip()


def plain(text: str) -> str:
    """A page as plain text: rules are indented, and what they are an example of stands below."""
    return re.sub(r"^```[^\n]*\n(.*?)^```$", lambda m: "\n".join(_block(m[1])), text, flags=re.M | re.S)


def _block(text: str) -> Iterator[str]:
    said = [line[3:] for line in text.splitlines() if line.startswith("#! ")]
    yield from (f"    {line}".rstrip() for line in text.splitlines() if not line.startswith("#! "))
    for line in said:
        players, _, verdicts = line.partition(":")
        yield f"    → with {players} players: {verdicts.strip()}"
