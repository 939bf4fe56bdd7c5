"""`dom verify`: the battery and the claims of a file, as verdicts."""

from __future__ import annotations

import contextlib
import re
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from domrules.cli import exits
from domrules.cli.exits import ExitCode
from domrules.cli.games import File, open_sound, options_of, refused
from domrules.cli.verdicts import Policy, Progress, Report, print_json, print_list, text
from domrules.cli.witnesses import Witnesses
from domrules.grammar import core
from domrules.grammar.codes import OF_THE_DEAL
from domrules.grammar.diagnostics import BadFile, did_you_mean
from domrules.grammar.instance import SettingError
from domrules.verifier.battery import opened
from domrules.verifier.battery.least import Least
from domrules.verifier.battery.run import CONFIRMED, TITLES, Request, plan
from domrules.verifier.inquiry import Inquiry
from domrules.verifier.store import Store
from domrules.verifier.workers import Crash

Format: TypeAlias = Literal["text", "json", "sarif", "github"]
Required: TypeAlias = Literal["proved", "bounded", "any"]
FailOn: TypeAlias = Literal["error", "warning", "unknown"]


def command(
    file: File,
    claims: Annotated[list[str] | None, typer.Argument(help="Items and claims to check; all by default.")] = None,
    players: Annotated[list[int] | None, typer.Option(help="Player counts; all by default.")] = None,
    settings: Annotated[
        list[str],
        typer.Option(
            "--set",
            metavar="OPTION=VALUE",
            help="Set an option; OPTION=any asks of all its values, any of all options.",
        ),
    ] = [],  # noqa: B006  (Typer copies it)
    skip: Annotated[list[str] | None, typer.Option(help="Items and claims to leave out.")] = None,
    timeout: Annotated[
        str | None,
        typer.Option(
            help="Limit of each query to the solver, 30s by default, in time of the processor;"
            " if given, of the search of --confirm, too."
        ),
    ] = None,
    budget: Annotated[str, typer.Option(help="Limit of the whole run, as 5m; none by default.")] = "",
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes that look for answers.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the random play that looks for simple findings.")] = 1,
    small: Annotated[
        bool, typer.Option("--small", help="Go through the small twin, and compare with the solver.")
    ] = False,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Search all deals for the shortest fish, too, without the solver.")
    ] = False,
    require: Annotated[
        Required | None, typer.Option(help="What is good enough; by default what each item asks.")
    ] = None,
    fail_on: Annotated[FailOn, typer.Option(help="The least that makes the exit code other than 0.")] = "unknown",
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Neither use nor keep answers of other runs.")] = False,
    only_list: Annotated[bool, typer.Option("--list", help="Say what would be checked, and stop.")] = False,
    save: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the transcript of every witness there.")
    ] = None,
    as_example: Annotated[
        bool, typer.Option("--as-example", help="Show witnesses as examples of the language.")
    ] = False,
    format: Annotated[Format, typer.Option("--format", help="How to print the verdicts.")] = "text",
) -> ExitCode:
    """Prove or refute what the rules promise: the battery, and the claims of the file."""
    started = time.perf_counter()
    limit = seconds("30s" if timeout is None else timeout, "--timeout")
    patience = None if timeout is None else limit
    within = seconds(budget, "--budget") if budget else None
    game = open_sound(file, OF_THE_DEAL)
    if game.abstract:
        raise typer.BadParameter(f"{game.file} is a family: it is not played itself, a game `extends` it.")
    try:
        options = _options(game, settings)
        if small and opened.ANY in options.values():
            raise typer.BadParameter("the small twin has its own values: --small asks of no others")
        request = Request(
            tuple(players or ()), options, listed(claims), listed(skip), limit, seed, small, confirm, patience
        )
        _known(game, [*request.only, *request.skip])
        if confirm and not request.wants(CONFIRMED):
            raise typer.BadParameter(f"--confirm is about {CONFIRMED} alone, which is not asked for here")
        if small and (save is not None or as_example):
            raise typer.BadParameter("a hand of the small twin is none of the game, and cannot be kept with --small")
        planned = plan(game, request)
        if only_list:
            print_list(planned)
            return ExitCode.OK
        store = None if no_cache else Store(cache_folder(), planned)
        until = None if within is None else time.monotonic() + within - (time.perf_counter() - started)
        policy = Policy(None if require is None else Least(require), fail_on)
        report = Report(file, Inquiry(planned, store, jobs, until), policy, within, started)
        return _report(report, format, Witnesses((small and game.twin) or game, file, save, as_example))
    except BadFile as wrong:
        raise refused(wrong) from None
    except SettingError as wrong:
        raise typer.BadParameter(str(wrong)) from None


def _options(game: core.Game, settings: Sequence[str]) -> dict[str, object]:
    """What is set; `any` alone leaves open whatever is not."""
    options: dict[str, object] = dict(options_of(text for text in settings if text != opened.ANY))
    return opened.every(game, options) if opened.ANY in settings else options


def cache_folder() -> Path:
    """Where verdicts are kept for this user."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("domrules", appauthor=False)) / "verdicts"


def listed(names: Iterable[str] | None) -> tuple[str, ...]:
    """`F2 S1`, `F2,S1` and `f2` as names."""
    told = [name.strip() for text in names or () for name in text.split(",") if name.strip()]
    return tuple(name.upper() if name.upper() in TITLES else name for name in told)


def seconds(text: str, option: str) -> float:
    """`30`, `30s`, `2m` as seconds."""
    m = re.fullmatch(r"(\d{1,9}(?:\.\d+)?)(s|m|h)?", text.strip())
    if m is None or float(m[1]) <= 0:
        raise typer.BadParameter(f"{text!r} is no time; write 30s or 2m", param_hint=option)
    return float(m[1]) * {"s": 1, "m": 60, "h": 3600}[m[2] or "s"]


def _known(game: core.Game, names: Iterable[str]) -> None:
    """Refuse what is neither an item nor a claim."""
    known = [*TITLES, *(c.name for c in game.claims)]
    for name in names:
        if name not in known:
            raise typer.BadParameter(
                f"{name} is neither an item nor a claim of this file. {did_you_mean(name, known)}".rstrip()
            )


def _report(report: Report, format: Format, witnesses: Witnesses) -> ExitCode:
    """Ask, and print what is found: text as it comes, data at the end. What is established is printed however it ends."""
    inquiry, crash = report.inquiry, None
    shown = 0
    if format == "text":
        print(report.head, flush=True)
    progress = Progress(inquiry)
    try:
        with contextlib.closing(inquiry.verdicts(progress.tell)) as verdicts:
            for verdict in verdicts:
                progress.clear()
                below = witnesses.take(verdict)
                if format == "text":
                    print(text(verdict, report.policy, below), flush=True)
                shown += 1
    except KeyboardInterrupt:
        report.broken_off = "interrupted"
    except Crash as error:
        report.broken_off, crash = "internal error", error
    progress.clear()
    code = report.code
    match format:
        case "text":
            for verdict in inquiry.ordered[shown:]:
                print(text(verdict, report.policy, witnesses.take(verdict)))
            print(report.summary(code) + witnesses.farewell)
        case "json":
            print_json(report, code)
        case "sarif":
            from domrules.cli.findings import print_sarif

            print_sarif(report, code)
        case "github":
            from domrules.cli.findings import print_github

            print_github(report, code)
    return _told(report, code, crash)


def _told(report: Report, code: ExitCode, crash: Crash | None) -> ExitCode:
    """Say on stderr what else went wrong."""
    store = report.inquiry.store
    if store is not None and store.failure:
        print(f"dom: verdicts could not be kept in {store.folder}: {store.failure}.", file=sys.stderr)
    if crash is None:
        return code
    if crash.trace and exits.wants_traceback():
        print(crash.trace, file=sys.stderr)
    return exits.internal(str(crash))
