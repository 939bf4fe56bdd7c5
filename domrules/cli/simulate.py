"""`dom simulate`: matches by the million, and what they say about the balance of a game."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TextIO, TypeAlias

import typer

from domrules import __version__
from domrules.cli import balances
from domrules.cli.balances import LeftOut, Told
from domrules.cli.company import Companies, Company
from domrules.cli.exits import ExitCode, failed, internal
from domrules.cli.games import File, Settings, open_instance, open_sound, options_of, setting
from domrules.cli.matches import Pairs, rows_to
from domrules.cli.progress import Progress
from domrules.cli.seats import NAMES, Bots
from domrules.compiler.balance import balance
from domrules.compiler.batch import Disagreement, Form
from domrules.compiler.engine import Trap
from domrules.compiler.simulate import Job, Keep, NoCluster, Played, Stopped, side_by_side
from domrules.compiler.writer import Unsupported
from domrules.grammar import core
from domrules.grammar.diagnostics import counted
from domrules.grammar.passes import optimise
from domrules.interpreter.errors import BadPlayer

if TYPE_CHECKING:
    from domrules.cli.clauses import Covered  # slow to load, and rarely wanted
    from domrules.interpreter.coverage import Coverage

SCHEMA = 1
WATCHED = 10_000
"""Matches of each table in which clauses are watched."""
SLOWLY = 200
"""Rounds in which they are watched where that is not compiled, shared among the tables."""


def command(
    file: File,
    matches: Annotated[int, typer.Option("--matches", "-n", min=1, help="How many matches of each table.")] = 100_000,
    players: Annotated[
        str | None, typer.Option(metavar="N[,N...]|all", help="Players at the table, several counts, or every one.")
    ] = None,
    settings: Settings = [],  # noqa: B006  (Typer copies it)
    policy: Annotated[
        str,
        typer.Option(
            "--policy",
            "--bots",
            metavar="NAME[,NAME...]",
            help=f"Who plays, or who at each seat: {NAMES}, or a function of yours (file.py:function).",
        ),
    ] = "random",
    told: Bots = [],  # noqa: B006  (Typer copies it)
    seed: Annotated[int, typer.Option(help="Names the chance: the same seed, the same matches.")] = 0,
    jobs: Annotated[int, typer.Option(min=0, help="Threads; 0: one for each processor. They change no result.")] = 0,
    engine: Annotated[
        Literal["wasm", "python", "interpreter"], typer.Option(help="What the rules are compiled to, if anything.")
    ] = "wasm",
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Play on the workers of this Dask scheduler.")
    ] = None,
    games: Annotated[
        Path | None,
        typer.Option(metavar="CSV", help="Write a line for every match; - is the output, and the report is left out."),
    ] = None,
    plot: Annotated[Path | None, typer.Option(metavar="SVG", help="Draw shares and histograms.")] = None,
    cover: Annotated[bool, typer.Option("--cover", help="Which clauses of the rules decided nothing.")] = False,
    compare: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Play another variant on the same chance.")
    ] = None,
    format: Annotated[Literal["text", "json"], typer.Option(help="How the report is printed.")] = "text",
) -> ExitCode:
    """Play matches by the million and report who wins, how rounds end, how long and how high it gets.

    Several values (`--set target=50,100`, `--players 2,3`, `--players all`) make one table of all combinations.
    """
    game = open_sound(file)
    tables = list(sweep(game, players, settings))
    if len(tables) > 1 and (games or compare or plot):
        raise typer.BadParameter("--games, --plot and --compare are for one table, not for several.")
    if compare is not None and (cover or plot or games):
        raise typer.BadParameter("--compare prints differences alone, without --cover, --plot and --games.")
    if plot is not None and plot.suffix.lower() != ".svg":
        raise typer.BadParameter(f"{plot}: pictures are SVG; write a name that ends in .svg.", param_hint="--plot")
    if str(games) == "-" and format == "json":
        raise typer.BadParameter("both would go to the output; write the matches to a file.", param_hint="--games -")
    form = None if engine == "interpreter" else Form(engine)
    asked = Asked(matches, seed, form, jobs or os.cpu_count() or 1, cluster, format)
    try:
        companies = Companies()
        places = seated(companies, tables, policy, told)
        if cluster is not None and companies.known:
            raise typer.BadParameter("functions of yours are not sent to a cluster.")
        if compare is not None:
            (table,) = (place for place in places if isinstance(place, Table))
            against = open_sound(compare)
            shared = [told for told in settings or () if setting(told)[0] in against.options]
            other = open_instance(against, table.instance.players, shared)
            return versus([table, Table(other, table.company)], asked)
        return single(places, asked, Wanted(games, plot, cover))
    except BadPlayer as wrong:
        return failed(ExitCode.INVALID, f"{wrong}.")
    except NoCluster as reason:
        return failed(ExitCode.IO, f"--cluster {cluster}: {reason}.")
    except Stopped as stopped:
        of = "" if compare is None else f" of {(file, compare)[stopped.game]}"
        return failed(ExitCode.FINDING, f"match {stopped.index} of seed {seed}{of} was stopped: {stopped.reason}")
    except Unsupported as reason:
        return failed(ExitCode.UNDECIDED, f"this game cannot be simulated: {reason}.")
    except Fault as fault:
        return fault.told()


# ---------------------------------------------------------------- what is asked


@dataclass(frozen=True)
class Asked:
    """What is the same for all tables."""

    matches: int
    seed: int
    form: Form | None
    jobs: int
    cluster: str | None
    format: str


@dataclass(frozen=True)
class Wanted:
    """What is wanted beside the report."""

    games: Path | None
    plot: Path | None
    cover: bool


@dataclass(frozen=True)
class Table:
    """Where is played, and by whom."""

    instance: core.Instance
    company: Company

    def job(self, asked: Asked) -> Job:
        policies = () if self.company.random else self.company.names
        instance = optimise(self.instance)
        return Job(instance, asked.matches, asked.seed, asked.form, asked.jobs, policies, self.company.guests)


Combination: TypeAlias = tuple[int | None, tuple[str, ...]]
"""How many players, and settings."""


def sweep(game: core.Game, players: str | None, settings: Sequence[str]) -> Iterator[core.Instance]:
    """Every table that is asked for, once; of several those that the game allows, the others are said on stderr.

    Raises `typer.BadParameter` if a value is allowed at none of them.
    """
    counts = _counts(game, players)
    choices = [
        [f"{name}={one}" for one in dict.fromkeys(value.split(","))] for name, value in options_of(settings).items()
    ]
    found, refused = list[tuple[Combination, core.Instance]](), list[tuple[Combination, str]]()
    for count in counts:
        for chosen in product(*choices):
            try:
                found.append(((count, chosen), open_instance(game, count, chosen)))
            except typer.BadParameter as bad:
                refused.append(((count, chosen), bad.message))
    for (count, chosen), said in refused:
        if not any(count == n for (n, _), _ in found) or any(all(v not in c for (_, c), _ in found) for v in chosen):
            raise typer.BadParameter(said)
        print(f"dom: note: left out: {said}", file=sys.stderr)
    yield from {(one.players, tuple(one.options.items())): one for _, one in found}.values()


def _counts(game: core.Game, players: str | None) -> Sequence[int | None]:
    """The player counts that are asked for. Raises `typer.BadParameter`."""
    if players is None:
        return (None,)
    if players == "all":
        return game.seats
    words = [word.strip() for word in players.split(",")]
    if not all(word.isdecimal() for word in words):
        raise typer.BadParameter(f"--players is a number, several with commas, or `all`, not {players}.")
    return list(dict.fromkeys(map(int, words)))


def seated(
    companies: Companies, tables: Sequence[core.Instance], usual: str, told: Sequence[str]
) -> list[Table | LeftOut]:
    """Who sits at each table, or why nobody can: it has not the seats that were spoken of.

    Raises `typer.BadParameter` if that is so of all of them.
    """
    found, refused = list[Table | LeftOut](), dict[int, typer.BadParameter]()
    for instance in tables:
        try:
            found.append(Table(instance, companies.of(instance, usual, told)))
        except typer.BadParameter as bad:
            found.append(LeftOut(instance, bad.message.partition(". ")[0].removesuffix(".")))
            refused[instance.players] = bad
    if all(isinstance(one, LeftOut) for one in found):
        raise refused[max(refused)]
    return found


# ---------------------------------------------------------------- playing


class Fault(Exception):
    """Something that is our fault happened in a match of a job."""

    def __init__(self, job: Job, cause: Trap | Disagreement) -> None:
        self.job, self.cause = job, cause
        super().__init__(str(cause))

    def told(self) -> ExitCode:
        """Keep what is needed to look into it, and say so."""
        from domrules.cli import faults

        sentence = f"{self.cause}; {faults.bundle(self.job, self.cause.index, self.cause)}"
        if isinstance(self.cause, Disagreement):
            return failed(ExitCode.DISAGREE, f"{sentence}.")
        return internal(f"compiled code was stopped, {sentence}")


def played(jobs: Sequence[Job], asked: Asked, keeps: Sequence[Keep] = ()) -> list[Played]:
    """Play one table, or the same matches of two. Raises Fault, and what `side_by_side` and `spread_all` do."""
    progress = Progress(asked.matches)
    try:
        if asked.cluster is None:
            return side_by_side(jobs, progress, keeps)
        from domrules.compiler.cluster import Dask, spread_all

        with Dask(asked.cluster) as workers:
            return spread_all(jobs, workers, progress, keeps)
    except (Trap, Disagreement) as cause:
        raise Fault(jobs[cause.game], cause) from cause
    finally:
        progress.close()


def single(places: Sequence[Table | LeftOut], asked: Asked, wanted: Wanted) -> ExitCode:
    """Every table by itself."""
    rows, partial = list[Told | LeftOut](), False
    for place in places:
        if isinstance(place, LeftOut):
            rows.append(place)
            continue
        job = place.job(asked)
        with ExitStack() as stack:
            keeps = list[Keep]()
            if wanted.games is not None:
                printed = str(wanted.games) == "-"
                stream = sys.stdout if printed else stack.enter_context(opened(wanted.games))
                keeps.append(rows_to(stream, job.instance))
            (one,) = played([job], asked, keeps)
        rows.append(told_of(place, job, one))
        partial = one.partial
        if partial:
            break
    found = [row for row in rows if isinstance(row, Told)]
    if wanted.plot is not None:
        from domrules.cli import plots

        wanted.plot.write_text(plots.svg(found[0]), encoding="utf-8")
    covered = None
    if wanted.cover and not partial:
        covered = watched([place for place in places if isinstance(place, Table)], asked)
        partial = covered.partial
    elif wanted.cover:
        print("dom: note: interrupted before clauses were watched; they are not listed.", file=sys.stderr)
    if str(wanted.games) != "-":
        print(report(rows, covered, asked.format), end="")
    return ExitCode.INTERRUPTED if partial else ExitCode.OK


def opened(path: Path) -> TextIO:
    """A file for lines of CSV."""
    return path.open("w", encoding="utf-8", newline="")


def watched(tables: Sequence[Table], asked: Asked) -> Covered:
    """The clauses that decided nothing in the first matches of each table. An interrupt ends it with what was seen."""
    from domrules.cli.clauses import Covered
    from domrules.interpreter.coverage import Coverage

    seen, game = Coverage(), tables[0].instance.game
    where, reached, broken_off = counted(min(asked.matches, WATCHED), "match"), counted(0, "match"), ""
    try:
        for step in watch(seen, tables, asked):
            where, reached = step
    except KeyboardInterrupt:
        broken_off = f"interrupted after {reached}"
    return Covered(game, tuple(seen.never(game)), where, broken_off)


def watch(seen: Coverage, tables: Sequence[Table], asked: Asked) -> Iterator[tuple[str, str]]:
    """Gather the clauses that decide; says in words where that is, and now and then how far it has come.

    Where that is not compiled, it is in fewer rounds.
    """
    from domrules.compiler.watching import cover

    matches, rounds = min(asked.matches, WATCHED), -(-SLOWLY // len(tables))
    each = " of each table" if len(tables) > 1 else ""
    for number, table in enumerate(tables, 1):
        of = f" of table {number} of {len(tables)}" if each else ""
        job, where = table.job(asked), f"{counted(matches, 'match')}{each}"
        yield where, f"{counted(0, 'match')}{of}"
        try:
            if job.form is None or job.guests is not None:
                raise Unsupported("what is interpreted is not watched in compiled code")
            for done in cover(seen, table.instance, job, matches):
                yield where, f"{counted(done, 'match')}{of}"
        except (Unsupported, ModuleNotFoundError):
            where = f"{counted(rounds, 'round')}{each}"
            for done in seen.follow(table.instance, job.seats, asked.seed, rounds):
                yield where, f"{counted(done, 'round')}{of}"
        except (Trap, Disagreement) as cause:
            raise Fault(job, cause) from cause


def told_of(table: Table, job: Job, played: Played) -> Told:
    found = balance(job.instance, played.tally)
    names = () if table.company.random else table.company.names
    return Told(
        job.instance, found, job.matches, job.seed, names, played.engine, played.because, played.seconds, played.partial
    )


def report(rows: Sequence[Told | LeftOut], covered: Covered | None, format: str) -> str:
    """The report of one table or several."""
    found = [row for row in rows if isinstance(row, Told)]
    if format == "json":
        data: dict[str, Any] = {"tables": [balances.data(told) for told in found]}
        left_out = [balances.missing(row) for row in rows if isinstance(row, LeftOut)]
        data |= {"left_out": left_out} if left_out else {}
        return envelope(data if covered is None else data | {"coverage": covered.data()})
    text = balances.text(found[0]) if len(rows) == 1 else balances.grid(rows)
    return text if covered is None else f"{text}\n{covered.text()}"


def envelope(data: Mapping[str, object]) -> str:
    return json.dumps({"schema": SCHEMA, "dom": __version__, **data}, indent=2, ensure_ascii=False) + "\n"


def versus(tables: Sequence[Table], asked: Asked) -> ExitCode:
    """Two variants on the same chance, match by match."""
    jobs = [table.job(asked) for table in tables]
    pairs = Pairs([job.instance for job in jobs])
    playing = played(jobs, asked, [pairs.keep(variant) for variant in range(len(jobs))])
    found = pairs.differences()
    reports = [told_of(*both) for both in zip(tables, jobs, playing, strict=True)]
    if asked.format == "json":
        differing = [asdict(d) for d in found]
        print(envelope({"tables": [balances.data(one) for one in reports], "differences": differing}), end="")
    else:
        print(balances.comparison(reports, found), end="")
    return ExitCode.INTERRUPTED if reports[0].partial else ExitCode.OK
