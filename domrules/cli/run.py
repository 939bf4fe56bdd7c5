"""`dom run`: bots play a match; prints its transcript."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from domrules.cli.company import Companies
from domrules.cli.exits import ExitCode, failed
from domrules.cli.games import File, Players, Settings, open_instance, open_sound
from domrules.cli.seats import NAMES, Bots, sitting
from domrules.grammar.diagnostics import counted
from domrules.interpreter.bots import seating
from domrules.interpreter.chance import Chance
from domrules.interpreter.errors import BadPlayer, RuleError, Unfinished
from domrules.interpreter.play import Limits, Match, Table
from domrules.interpreter.replay import phrase, record
from domrules.interpreter.rules import Rules
from domrules.interpreter.transcript import write


@dataclass(frozen=True)
class Broken:
    """Why a match was broken off: the code, a phrase for the transcript, all there is to say."""

    code: ExitCode
    phrase: str
    told: str


def command(
    file: File,
    players: Players = None,
    seed: Annotated[int, typer.Option(help="Names the chance: the same seed, the same match.")] = 0,
    index: Annotated[int, typer.Option(help="Which match of the seed.")] = 0,
    settings: Settings = [],  # noqa: B006  (Typer copies it)
    rounds: Annotated[int | None, typer.Option(min=1, help="Stop after so many rounds.")] = None,
    max_moves: Annotated[int, typer.Option(min=1, help="Give up a round that is longer.")] = 10_000,
    bots: Annotated[
        str, typer.Option(metavar="NAME", help=f"Who plays: {NAMES}, or a function of yours (file.py:function).")
    ] = "random",
    told: Bots = [],  # noqa: B006  (Typer copies it)
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file; - is the output.")] = None,
) -> ExitCode:
    """Let bots play a match and print its transcript. The same bots play the same match for the same seed everywhere."""
    rules = Rules(open_instance(open_sound(file), players, settings))
    chance = Chance.named(seed, index)
    try:
        company = Companies().of(rules.instance, bots, told)
    except BadPlayer as wrong:
        return failed(ExitCode.INVALID, f"{wrong}.")
    names = company.names
    seats = company.guests(rules) if company.guests is not None else seating(rules, names)
    match, broken = play(Table(rules, seats(seed, index, chance), chance, Limits(moves=max_moves)), rounds)
    tags = {"Seed": str(seed), "Index": str(index), "Trace": f"{match.digest:016x}"}
    tags |= sitting(rules.instance, names)
    if broken is not None:
        tags["Unfinished"] = broken.phrase
    elif match.winners is None:
        tags["Unfinished"] = f"stopped after {counted(len(match.rounds), 'round')}"
    try:
        text = write(record(rules, match, tags))
    except RuleError as error:  # of an outcome, which is worked out here
        broken = Broken(ExitCode.FINDING, phrase(error), str(error))
        text = write(record(rules, replace(match, winners=None), {**tags, "Unfinished": broken.phrase}))
    if output is None or str(output) == "-":
        print(text, end="")
    else:
        output.write_text(text, encoding="utf-8")
    return ExitCode.OK if broken is None else failed(broken.code, broken.told)


def play(table: Table, rounds: int | None) -> tuple[Match, Broken | None]:
    """A match, or what was played of it and what broke it off."""
    try:
        return table.match(table.rules.new_match(), rounds), None
    except (RuleError, Unfinished) as error:
        return table.so_far(), Broken(ExitCode.FINDING, phrase(error), str(error))
    except BadPlayer as wrong:
        return table.so_far(), Broken(ExitCode.INVALID, "a player failed", f"{wrong}.")
    except KeyboardInterrupt:
        return table.so_far(), Broken(ExitCode.INTERRUPTED, "interrupted", "interrupted.")
