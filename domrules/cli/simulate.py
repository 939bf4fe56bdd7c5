"""`dom simulate`: matches by the million, and what they say about the balance of a game."""

from __future__ import annotations

import csv
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Annotated, Literal

import typer

from domrules import __version__
from domrules.cli import balances
from domrules.cli.balances import Told
from domrules.cli.exits import ExitCode, failed, internal
from domrules.cli.games import File, Settings, open_instance, open_sound, setting
from domrules.compiler.balance import Difference, balance, paired, team
from domrules.compiler.batch import Disagreement, Form
from domrules.compiler.engine import Trap
from domrules.compiler.rows import columns
from domrules.compiler.simulate import Job, Keep, Played, Row, Stopped, simulate
from domrules.compiler.writer import Unsupported
from domrules.grammar import core
from domrules.grammar.passes import optimise

SCHEMA = 1


def command(
    file: File,
    matches: Annotated[int, typer.Option("--matches", "-n", min=1, help="How many matches of each table.")] = 100_000,
    players: Annotated[str | None, typer.Option(metavar="N|all", help="Players at the table, or every count.")] = None,
    settings: Settings = [],  # noqa: B006  (Typer copies it)
    seed: Annotated[int, typer.Option(help="Names the chance: the same seed, the same matches.")] = 0,
    jobs: Annotated[int, typer.Option(min=0, help="Threads; 0: one for each processor. They change no result.")] = 0,
    engine: Annotated[Literal["wasm", "python"], typer.Option(help="What the rules are compiled to.")] = "wasm",
    games: Annotated[Path | None, typer.Option(metavar="CSV", help="Write a line for every match.")] = None,
    compare: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Play another variant on the same chance.")
    ] = None,
    format: Annotated[Literal["text", "json"], typer.Option(help="How the report is printed.")] = "text",
) -> ExitCode:
    """Play matches by the million and report who wins, how rounds end, how long and how high it gets.

    Several values (`--set target=50,100`) or `--players all` make one table of all combinations.
    """
    game = open_sound(file)
    tables = list(sweep(game, players, settings))
    if len(tables) > 1 and (games or compare):
        raise typer.BadParameter("--games and --compare are for one table, not for several.")
    form = Form(engine)
    workers = jobs or os.cpu_count() or 1
    try:
        if compare is not None:
            other = open_instance(open_sound(compare), tables[0].players, ())
            return versus([Job(optimise(i), matches, seed, form, workers) for i in (tables[0], other)], format)
        found: list[Told] = []
        for instance in tables:
            told = play(Job(optimise(instance), matches, seed, form, workers), games)
            found.append(told)
            if told.partial:
                break
    except Stopped as stopped:
        return failed(ExitCode.FINDING, f"match {stopped.index} of seed {seed} was stopped: {stopped.reason}")
    except Unsupported as reason:
        return failed(ExitCode.UNDECIDED, f"this game is not compiled: {reason}.")
    except Disagreement as fault:
        return failed(ExitCode.DISAGREE, str(fault))
    except Trap as fault:
        return internal(f"compiled code was stopped: {fault}; {bundle(file, tables)}")
    print(report(found, format), end="")
    return ExitCode.INTERRUPTED if found[-1].partial else ExitCode.OK


def bundle(file: Path, tables: Sequence[core.Instance]) -> str:
    """What we need to look into a fault."""
    told = "; ".join(f"{i.players} players, {dict(i.options)}" for i in tables)
    return f"please send {file} and: dom {__version__}; {told}"


def sweep(game: core.Game, players: str | None, settings: Sequence[str]) -> Iterator[core.Instance]:
    """Every table that is asked for."""
    if players == "all":
        counts: Sequence[int | None] = game.seats
    elif players is None or players.isdecimal():
        counts = (None if players is None else int(players),)
    else:
        raise typer.BadParameter(f"--players is a number or `all`, not {players}.")
    choices = [[f"{name}={one}" for one in value.split(",")] for name, value in map(setting, settings)]
    for count in counts:
        for chosen in product(*choices):
            yield open_instance(game, count, chosen)


# ---------------------------------------------------------------- playing


def play(job: Job, games: Path | None = None) -> Told:
    """Play one table; with `games` each match is written there, too."""
    with ExitStack() as stack:
        keep = None
        if games is not None:
            keep = writer(job.instance, stack.enter_context(games.open("w", encoding="utf-8", newline="")))
        played = simulate(job, Progress(job.matches), keep)
    return told(job, played)


def told(job: Job, played: Played) -> Told:
    found = balance(job.instance, played.tally)
    return Told(job.instance, found, job.matches, job.seed, job.form.value, played.seconds, played.partial)


def writer(instance: core.Instance, stream: object) -> Keep:
    """Writes rows to a stream as CSV: numbers, and seats as they are named in transcripts."""
    out = csv.writer(stream)  # type: ignore[arg-type]  # any text stream
    seats = instance.sorts["player"].names
    scores = sum(len(instance.cells(name)) for name in instance.role("state", "score"))
    out.writerow(["match", *columns(scores)])
    names = [
        "+".join(s for p, s in enumerate(seats) if mask >> team(instance, p) & 1)
        for mask in range(1 << instance.sorts["team"].size)
    ]

    def keep(first: int, rows: Sequence[Row]) -> None:
        out.writerows((first + i, seats[row[0]], names[row[1]], *row[2:]) for i, row in enumerate(rows))

    return keep


class Progress:
    """Says on a terminal how far a long run has come."""

    def __init__(self, asked: int) -> None:
        self.asked, self.begun, self.said = asked, time.monotonic(), False

    def __call__(self, done: int) -> None:
        spent = time.monotonic() - self.begun
        if not sys.stderr.isatty() or (spent < 1 and not self.said):
            return
        self.said = True
        left = spent * (self.asked - done) / done if done else 0.0
        end = "\r\033[K" if done >= self.asked else ""
        print(
            f"\r {done / self.asked:4.0%} · {done / spent:,.0f} a second · {left:.0f} s left \033[K",
            end=end,
            file=sys.stderr,
            flush=True,
        )


# ---------------------------------------------------------------- reporting


def report(found: Sequence[Told], format: str) -> str:
    """The report of one table or several."""
    if format == "json":
        envelope = {"schema": SCHEMA, "dom": __version__, "tables": [balances.data(told) for told in found]}
        return json.dumps(envelope, indent=2, ensure_ascii=False) + "\n"
    return balances.text(found[0]) if len(found) == 1 else balances.grid(found)


def versus(jobs: Sequence[Job], format: str) -> ExitCode:
    """Two variants on the same chance, match by match."""
    kept: list[list[Row]] = [[], []]
    playing = [simulate(job, Progress(job.matches), adder(rows)) for job, rows in zip(jobs, kept, strict=True)]
    found = list(differences(jobs, kept))
    reports = [told(job, played) for job, played in zip(jobs, playing, strict=True)]
    a, b = (job.instance.game.name for job in jobs)
    if format == "json":
        envelope = {
            "schema": SCHEMA,
            "dom": __version__,
            "tables": [balances.data(one) for one in reports],
            "differences": [asdict(d) for d in found],
        }
        print(json.dumps(envelope, indent=2, ensure_ascii=False))
    else:
        print(balances.comparison((a, b), found), end="")
    return ExitCode.INTERRUPTED if any(played.partial for played in playing) else ExitCode.OK


def adder(rows: list[Row]) -> Keep:
    return lambda first, more: rows.extend(more)


def differences(jobs: Sequence[Job], kept: Sequence[Sequence[Row]]) -> Iterator[Difference]:
    """The paired differences of what both variants have."""
    instances = [job.instance for job in jobs]

    def of(name: str, number: Callable[[core.Instance, Row], float]) -> Difference:
        columns = [[number(i, row) for row in rows] for i, rows in zip(instances, kept, strict=True)]
        return paired(name, list(zip(*columns, strict=False)))

    for p, seat in enumerate(instances[0].sorts["player"].names):
        yield of(f"{seat} wins", lambda i, row, p=p: part(i, row, p))  # type: ignore[misc]
    yield of("first wins", lambda i, row: part(i, row, row[0]))
    yield of("rounds", lambda i, row: row[2])
    yield of("moves", lambda i, row: row[3])
    yield of("top score", lambda i, row: max(row[4:], default=0))


def part(instance: core.Instance, row: Row, player: int) -> float:
    """What this player has of the win of a match."""
    mask = row[1]
    return 1 / mask.bit_count() if mask >> team(instance, player) & 1 else 0.0
