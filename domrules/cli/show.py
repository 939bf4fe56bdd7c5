"""`dom show`: the rules of a file as they are understood, its own and the inherited ones, with their places."""

import re
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from domrules.cli.exits import ExitCode
from domrules.cli.games import File, open_game
from domrules.grammar import core
from domrules.grammar.diagnostics import did_you_mean
from domrules.grammar.source import Span

WIDTH = 110


@dataclass(frozen=True)
class Entry:
    """A declaration: the group it is listed in, the name it is asked for by, its place and what it is for."""

    group: str
    name: str
    span: Span
    doc: str = ""


def command(
    file: File,
    rule: Annotated[
        str, typer.Argument(help="A slot, define, state, zone, action, ending or option; or `settle`.")
    ] = "",
) -> ExitCode:
    """Show the rules as understood: options, slots, what is inherited and from where."""
    game = open_game(file)
    found = list(entries(game))
    if rule:
        print("\n\n".join(whole(entry) for entry in named(found, rule)))
    else:
        print("\n".join([*head(game), *overview(game, found)]))
    return ExitCode.OK


def entries(game: core.Game) -> Iterator[Entry]:
    """All declarations, group by group."""
    yield from (Entry("Options", o.name, o.span, o.doc) for o in game.options.values())
    yield from (Entry("Slots", f.name, f.span, f.doc) for f in game.fns.values() if f.slot)
    yield from (Entry("Zones", v.name, v.span, v.doc) for v in game.vars.values() if v.zone)
    yield from (Entry("States", v.name, v.span, v.doc) for v in game.vars.values() if not v.zone)
    yield from (
        Entry("Words", f.name, f.span, f.doc) for f in game.fns.values() if not f.slot and f.file and not f.outcome
    )
    yield from (Entry("Round", "deal", d.span) for d in game.deals)
    yield from (Entry("Round", "begin", together(block)) for block in game.begin if block)
    yield from (Entry("Round", a.name, a.span) for a in game.actions)
    yield from (Entry("Round", e.name, e.span) for e in game.events)
    yield from (Entry("Round", e.name, e.span) for e in game.endings)
    yield from (Entry("Settlement", "settle", s.span) for s in game.settles)
    ends = [Entry("Settlement", "over", game.over.span), Entry("Settlement", "winners", game.winners.span)]
    yield from (entry for entry in ends if entry.span.source.name)
    yield from (Entry("Settlement", f.name, f.span, f.doc) for f in game.fns.values() if f.outcome)
    yield from (Entry("Claims", c.name, c.span, c.doc) for c in game.claims)
    yield from (Entry("Lemmas", c.name, c.span, c.doc) for c in game.lemmas)


def together(block: core.Block) -> Span:
    """The stretch of text from the first to the last statement of a block."""
    first, last = block[0].span, block[-1].span
    return Span(first.source, first.start, last.end)


def named(found: Iterable[Entry], rule: str) -> list[Entry]:
    """The entries of a name. Raises `typer.BadParameter` with the nearest name when there are none."""
    entries = list(found)
    chosen = [entry for entry in entries if entry.name == rule]
    if not chosen:
        near = did_you_mean(rule, [entry.name for entry in entries])
        raise typer.BadParameter(f"there is no {rule} in this game. {near}".rstrip())
    return chosen


# ---------------------------------------------------------------- text


def head(game: core.Game) -> list[str]:
    titles = ", ".join(f"{title} ({language})" for language, title in game.titles)
    lines = [f"{game.name or Path(game.file).stem}{'' if game.name else ' (a family)'}  {titles}".rstrip()]
    if game.ancestors:
        lines.append(f"  extends  {', which extends '.join(reversed(game.ancestors))}")
    lines.append(f"  seats    {', '.join(map(str, game.seats))}")
    lines += [f"  source   {source}" for source in game.source.splitlines()]
    return lines


def overview(game: core.Game, found: Iterable[Entry]) -> Iterator[str]:
    """The groups, each entry with its declaration in one line, what it is for, and where it is from."""
    group = ""
    for entry in found:
        if entry.group != group:
            group = entry.group
            yield from ("", group)
        line = "  " + textwrap.shorten(declaration(entry), WIDTH, placeholder=" …")
        yield from (
            [line, f"      {entry.doc}  ({origin(game, entry)})"] if entry.doc else [f"{line}  ({origin(game, entry)})"]
        )
    yield from ("", f"Examples: {len(game.examples)} (dom test runs them)")


def declaration(entry: Entry) -> str:
    """The text of a declaration without its first word, comments and doc; unnamed ones keep the word."""
    text = re.sub(r"#[^\n]*", "", re.sub(r'"[^"\n]*"\s*$', "", entry.span.text))
    if entry.name in ("over", "winners", "begin"):
        return f"{entry.name} {text}"
    return text if entry.name in ("deal", "settle") else re.sub(r"^(instead\s+)?\w+\s+", "", text)


def origin(game: core.Game, entry: Entry) -> str:
    """`line.dom:46, inherited`; a slot that nobody filled has its default, or none in a family that leaves it open."""
    place = entry.span.short
    if entry.group == "Slots" and not game.fns[entry.name].body.span.source.name:
        return f"{place}, to be filled"
    if entry.span.source.name == game.file:
        return place
    default = entry.group == "Slots" and entry.span.text.startswith("slot")
    return f"{place}, {'default' if default else 'inherited'}"


def whole(entry: Entry) -> str:
    """A declaration as it is written, with its place and what it is for."""
    return "\n".join([f"{entry.span}", *([f"  {entry.doc}"] if entry.doc else []), "", entry.span.text.rstrip()])
