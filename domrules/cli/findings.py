"""The findings of `dom verify` for code hosts: results of a SARIF log, or annotations of GitHub with a summary of the step."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from domrules import __version__
from domrules.cli.exits import ExitCode
from domrules.cli.explain import ITEMS
from domrules.cli.verdicts import TOLD, Report
from domrules.grammar import sarif
from domrules.grammar.report import annotated
from domrules.grammar.sarif import Failure, Level, Result, Rule
from domrules.grammar.source import NOWHERE, Span
from domrules.verifier.battery.least import standing, weak
from domrules.verifier.battery.run import TITLES
from domrules.verifier.verdict import Standing, Verdict

LEVELS: Mapping[Standing | None, Level] = {
    Standing.DISAGREE: "error",
    Standing.FINDING: "error",
    Standing.HOLLOW: "warning",
    Standing.UNDECIDED: "note",
}
"""How much each standing matters; what is established or skipped is no finding. The most serious first."""
SHOWN = 10
"""Annotations of a step: GitHub shows ten of each kind."""


def print_sarif(report: Report, code: ExitCode) -> None:
    """The findings as one run; what was not answered makes it a partial one."""
    print(json.dumps(log(report, code), ensure_ascii=False, indent=1))


def log(report: Report, code: ExitCode) -> dict[str, object]:
    """The SARIF log of a run."""
    inquiry = report.inquiry
    results = [result(report, v, level) for v, level in findings(report)]
    failures = [Failure(f"{report.broken_off}: the results are partial.")] if report.broken_off else []
    if inquiry.exhausted:
        failures.append(Failure("out of budget: the results are partial.", "warning"))
    return sarif.log(__version__, results, [inquiry.plan.game.file], code, failures)


def findings(report: Report) -> Iterator[tuple[Verdict, Level]]:
    """What is not established, the most serious first, otherwise in order."""
    asked = report.policy.require
    found = [(v, standing(v, asked)) for v in report.inquiry.ordered]
    for one, level in LEVELS.items():
        for verdict, s in found:
            if s is one:
                yield verdict, level


def result(report: Report, v: Verdict, level: Level) -> Result:
    """A verdict as a result, with the moves that lead to what was found."""
    item = v.item in TITLES
    page = (ITEMS / f"{v.item}.md").read_text(encoding="utf-8") if item else ""
    rule = Rule(v.item if item else f"claim/{v.item}", TITLES.get(v.item, f"the claim {v.item}"), page)
    file = report.inquiry.plan.game.file
    return Result(rule, level, "\n".join(told(report, v)), v.span, file, steps=tuple(steps(report, v)), about=v.scope)


def told(report: Report, v: Verdict) -> Iterator[str]:
    """A line with the word and the table, then what there is to say."""
    yield " · ".join(part for part in (f"{TITLES.get(v.item, f'claim {v.item}')}: {v.text}", v.scope) if part)
    if weak(v, report.policy.require):
        yield "this is not enough: a proof is required"
    yield from v.details


def steps(report: Report, v: Verdict) -> Iterator[tuple[str, Span]]:
    """The moves of the witness, each at the action that allows it."""
    game = report.inquiry.plan.game
    places = {a.name: a.span for a in (*game.actions, *game.events)}
    for played in v.transcript.rounds if v.transcript is not None else ():
        yield from ((str(ply), places.get(ply.move.action, NOWHERE)) for ply in played.plies)


# ---------------------------------------------------------------- GitHub


def print_github(report: Report, code: ExitCode) -> None:
    """An annotation for each of the most serious findings, and all of them in the summary of the step. Raises OSError."""
    found = list(findings(report))
    for v, level in found[:SHOWN]:
        kind = "notice" if level == "note" else level
        first, *more = told(report, v)
        print(annotated(kind, v.span, report.inquiry.plan.game.file, f"{v.item} {v.text}", "\n".join([first, *more])))
    print(report.summary(code).strip("\n"))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary:
        with Path(summary).open("a", encoding="utf-8") as page:
            page.write("\n".join(table(report)) + "\n")


def table(report: Report) -> Iterator[str]:
    """The findings as a table in Markdown."""
    game, asked = report.inquiry.plan.game, report.policy.require
    yield f"### {game.name}: dom verify\n"
    yield "| what must be so | answer | table |\n|---|---|---|"
    for v in report.inquiry.ordered:
        if standing(v, asked) in LEVELS:
            cells = (f"{v.item} {TITLES.get(v.item, 'claim')}", v.text, v.scope)
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    counts = [(sum(standing(v, asked) is s for v in report.inquiry.ordered), word) for s, word in TOLD.items()]
    yield "\n" + " · ".join(f"{n} {word}" for n, word in counts if n)
