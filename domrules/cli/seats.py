"""From the words of a command line to who sits where: `p1`, `1`, `p1=greedy`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, TypeAlias

import typer

from domrules.grammar import core
from domrules.interpreter.roster import BOTS

NAMES = ", ".join(BOTS)
PERSON = "person"
"""Stands where a bot could: somebody is asked."""
Bots: TypeAlias = Annotated[
    list[str], typer.Option("--bot", metavar="SEAT=NAME", help=f"Who plays a seat: {NAMES}. May be given again.")
]


def seat(instance: core.Instance, word: str) -> int:
    """The index of a seat: `p1`, or its number. Raises `typer.BadParameter`."""
    names = instance.sorts["player"].names
    named = word.strip().lower()
    found = f"p{named}" if named.isascii() and named.isdecimal() else named
    if found not in names:
        larger = [str(n) for n in instance.game.seats if n > len(names)]
        more = f" Larger tables: --players {', '.join(larger)}." if larger else ""
        raise typer.BadParameter(f"there is no seat {word.strip()}; there are {', '.join(names)}.{more}")
    return names.index(found)


def bot_name(word: str) -> str:
    """The name of a bot. Raises `typer.BadParameter`."""
    if not word:
        raise typer.BadParameter(f"the name of a bot is missing; there are {NAMES}.")
    if word not in BOTS:
        raise typer.BadParameter(f"there is no bot {word}; there are {NAMES}.")
    return word


def seated(
    instance: core.Instance, usual: str, told: Sequence[str], named: Callable[[str], str] = bot_name
) -> tuple[str, ...]:
    """The bot of every seat: the `usual` one, or one for each with commas between, or what is told of it.

    `named` looks at each word. Raises `typer.BadParameter`.
    """
    names = [named(word.strip()) for word in usual.split(",")]
    if len(names) not in (1, instance.players):
        raise typer.BadParameter(f"{usual} is for {len(names)} seats; there are {instance.players}.")
    found = names if len(names) > 1 else names * instance.players
    for text in told:
        word, equals, name = text.partition("=")
        if not equals:
            raise typer.BadParameter(f"{text} is not of the form SEAT=NAME.")
        found[seat(instance, word)] = named(name.strip())
    return tuple(found)


def sitting(instance: core.Instance, names: Sequence[str]) -> Mapping[str, str]:
    """Who sits where, as a tag of a transcript; nothing when all is random."""
    return {} if set(names) == {"random"} else {"Seats": told_seats(instance, names)}


def told_seats(instance: core.Instance, names: Sequence[str]) -> str:
    """`p0=person p1=greedy`."""
    seats = instance.sorts["player"].names
    return " ".join(f"{seat}={name}" for seat, name in zip(seats, names, strict=True))
