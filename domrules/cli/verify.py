"""`dom verify`: the battery and the claims of a file, as verdicts."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from domrules.cli import exits
from domrules.cli.exits import ExitCode
from domrules.cli.games import File, Settings, open_game, refused, setting
from domrules.cli.witnesses import Witnesses
from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile, did_you_mean
from domrules.grammar.instance import SettingError
from domrules.interpreter.transcript import write
from domrules.verifier.battery.run import TITLES, Request, verify
from domrules.verifier.verdict import Standing, Verdict, exit_code


def command(
    file: File,
    claims: Annotated[list[str] | None, typer.Argument(help="Items and claims to check; all by default.")] = None,
    players: Annotated[list[int] | None, typer.Option(help="Player counts; all by default.")] = None,
    settings: Settings = [],  # noqa: B006  (Typer copies it)
    skip: Annotated[list[str] | None, typer.Option(help="Items and claims to leave out.")] = None,
    timeout: Annotated[str, typer.Option(help="Limit of each query to the solver.")] = "30s",
    seed: Annotated[int, typer.Option(help="Seed of the random play that looks for simple findings.")] = 1,
    format_: Annotated[str, typer.Option("--format", help="text or json.")] = "text",
    save: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write the transcript of every witness there.")
    ] = None,
    as_example: Annotated[
        bool, typer.Option("--as-example", help="Show witnesses as examples of the language.")
    ] = False,
) -> ExitCode:
    """Prove or refute what the rules promise: the battery, and the claims of the file."""
    if format_ not in ("text", "json"):
        raise typer.BadParameter(f"{format_!r} is not a format; write text or json", param_hint="--format")
    game = open_game(file)
    if game.abstract:
        raise typer.BadParameter(f"{game.file} is a family: it is not played itself, a game `extends` it.")
    try:
        options = dict(map(setting, settings))
        request = Request(players or (), options, claims or (), skip or (), seconds(timeout), seed)
        _known(game, [*request.only, *request.skip])
        return _report(file, game, request, format_, Witnesses(game, file, save, as_example))
    except BadFile as wrong:
        raise refused(wrong) from None
    except SettingError as wrong:
        raise typer.BadParameter(str(wrong)) from None


def seconds(text: str) -> float:
    """`30`, `30s`, `2m` as seconds."""
    m = re.fullmatch(r"(\d+(?:\.\d+)?)(s|m)?", text.strip())
    if m is None or float(m[1]) <= 0:
        raise typer.BadParameter(f"{text!r} is no time; write 30s or 2m", param_hint="--timeout")
    return float(m[1]) * (60 if m[2] == "m" else 1)


def _known(game: core.Game, names: Iterable[str]) -> None:
    """Refuse what is neither an item nor a claim."""
    known = [*TITLES, *(c.name for c in game.claims)]
    for name in names:
        if name not in known:
            raise typer.BadParameter(
                f"{name} is neither an item nor a claim of this file. {did_you_mean(name, known)}".rstrip()
            )


def _report(file: Path, game: core.Game, request: Request, format_: str, witnesses: Witnesses) -> ExitCode:
    started = time.perf_counter()
    found: list[Verdict] = []
    interrupted = False
    if format_ == "text":
        print(f"{file} · {game.titles[0][1] if game.titles else game.name}\n")
    try:
        for verdict in verify(game, request):
            found.append(verdict)
            shown = witnesses.take(verdict)
            if format_ == "text":
                print("\n".join([_text(verdict), *(f"        {line}" for line in shown)]), flush=True)
    except KeyboardInterrupt:
        interrupted = True
    code = ExitCode(exit_code(found))
    if interrupted:
        code = exits.first([code, ExitCode.INTERRUPTED])
    taken = time.perf_counter() - started
    print(
        _json(file, game, found, taken, code, interrupted)
        if format_ == "json"
        else _summary(found, taken, code, interrupted) + witnesses.farewell
    )
    return code


def _text(v: Verdict) -> str:
    """One line, then what there is to say."""
    title = TITLES.get(v.item, "claim")
    scope = v.scope if v.scope else ""
    head = f" {v.item:<4} {title:<40} {v.text:<24} {scope:<18} {v.seconds:6.2f} s"
    lines = [head.rstrip()]
    if v.span.source.name:
        lines[0] += f"   {v.span}"
    if v.method:
        lines.append(f"        by {v.method}")
    lines += [f"        {line}" for line in v.details]
    if v.doesnt_say:
        lines.append(f"        does not say {v.doesnt_say}")
    return "\n".join(lines)


def _summary(found: list[Verdict], taken: float, code: ExitCode, interrupted: bool) -> str:
    def count(*standings: Standing | None) -> int:
        return sum(v.word.standing in standings for v in found)

    parts = [f"{count(Standing.ESTABLISHED)} established"]
    for standing, word in (
        (Standing.FINDING, "refuted"),
        (Standing.HOLLOW, "hollow"),
        (Standing.UNDECIDED, "undecided"),
        (Standing.DISAGREE, "in disagreement"),
        (None, "skipped"),
    ):
        if count(standing):
            parts.append(f"{count(standing)} {word}")
    partial = " · interrupted, partial" if interrupted else ""
    return f"\n {' · '.join(parts)} · {taken:.1f} s{partial} · exit {int(code)}"


def _json(file: Path, game: core.Game, found: list[Verdict], taken: float, code: ExitCode, interrupted: bool) -> str:
    envelope = {
        "version": 1,
        "file": str(file),
        "game": game.name,
        "seconds": round(taken, 3),
        "complete": not interrupted,
        "exit": int(code),
        "verdicts": [
            {
                "item": v.item, "title": TITLES.get(v.item, "claim"), "word": v.word.value, "text": v.text, "scope": v.scope,
                "method": v.method, "seconds": round(v.seconds, 3), "reason": v.reason, "details": list(v.details),
                "place": str(v.span) if v.span.source.name else None, "does_not_say": v.doesnt_say,
                "transcript": None if v.transcript is None else write(v.transcript),
            }
            for v in found
        ],
    }  # fmt: skip
    return json.dumps(envelope, ensure_ascii=False, indent=1)
