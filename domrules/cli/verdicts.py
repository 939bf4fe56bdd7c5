"""Verdicts as people and programs read them: lines as they come, a summary, one envelope of data, and progress."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Literal

from domrules import __version__
from domrules.cli import exits
from domrules.cli.exits import ExitCode
from domrules.cli.rows import below, joined, near, row
from domrules.grammar.diagnostics import counted
from domrules.grammar.report import place
from domrules.interpreter.transcript import write
from domrules.verifier.battery.least import Least, least, standing, weak
from domrules.verifier.battery.opened import ANY
from domrules.verifier.battery.run import TITLES, Plan, Question
from domrules.verifier.inquiry import Inquiry
from domrules.verifier.store import programs
from domrules.verifier.verdict import Standing, Verdict, Word

SCHEMA = 1
"""Changes when a reader of the data would have to."""
TOLD: Mapping[Standing | None, str] = {
    Standing.ESTABLISHED: "established",
    Standing.FINDING: "refuted",
    Standing.HOLLOW: "hollow",
    Standing.UNDECIDED: "undecided",
    Standing.DISAGREE: "in disagreement",
    None: "skipped",
}
"""What is counted, in the order of the summary."""
FAILS: Mapping[str, frozenset[Standing]] = {
    "error": frozenset({Standing.DISAGREE, Standing.FINDING}),
    "warning": frozenset({Standing.DISAGREE, Standing.FINDING, Standing.HOLLOW}),
    "unknown": frozenset(Standing),
}

WORD, TOOK, TABLE = 39, 61, 70
"""Columns of a row: the word, the seconds, the table."""


@dataclass(frozen=True)
class Policy:
    """What is good enough (None: as each item has it), and the least that makes a run fail."""

    require: Least | None = None
    fail_on: Literal["error", "warning", "unknown"] = "unknown"


@dataclass
class Report:
    """A run and how it ended. `budget`: seconds for all of it; `broken_off`: what stopped it, in words."""

    file: Path
    inquiry: Inquiry
    policy: Policy
    budget: float | None
    started: float
    broken_off: str = ""

    @property
    def head(self) -> str:
        """`block.dom · 31 checks · 4 tables · z3 5.4.1`, and an empty line."""
        plan = self.inquiry.plan
        size = [counted(len(plan.questions), "check"), counted(len(plan.tables), "table")]
        return joined([near(str(self.file)), *size, solver()], indent="") + "\n"

    @property
    def code(self) -> ExitCode:
        """How the run ends; the weightiest of all that applies."""
        found = [standing(verdict, self.policy.require) for verdict in self.inquiry.found.values()]
        codes = [ExitCode(s.value) for s in found if s is not None and s in FAILS[self.policy.fail_on]]
        broken = {"interrupted": ExitCode.INTERRUPTED, "internal error": ExitCode.INTERNAL}
        return exits.first([*codes, *([broken[self.broken_off]] if self.broken_off else [])])

    def summary(self, code: ExitCode) -> str:
        """How many of each, how long it took, the limits, and how it ends."""
        found = self.inquiry.ordered
        counts = {s: sum(standing(v, self.policy.require) is s for v in found) for s in TOLD}
        parts = [f"{n} {TOLD[s]}" for s, n in counts.items() if n or s is Standing.ESTABLISHED]
        cached = sum(v.cached for v in found)
        parts += [f"{cached} cached"] if cached else []
        parts += [f"{self.broken_off}, partial"] if self.broken_off else []
        parts += ["out of budget, partial"] if self.inquiry.exhausted else []
        last = [f"{time.perf_counter() - self.started:.1f} s", *self.limits, f"exit {int(code)}"]
        return "\n".join(["", joined(parts), joined(last), *self.left_out])

    @property
    def left_out(self) -> Sequence[str]:
        """Options that stood at their defaults, for the verdicts say nothing of their other values."""
        plan = self.inquiry.plan
        names = [name for name in plan.game.options if name not in (plan.request.options or {})]
        opened = ANY in (plan.request.options or {}).values()
        way = "`--set OPTION=VALUE` asks of others" + ("" if opened else ", `--set any` of all at once")
        return below([f"asked at the defaults of {', '.join(names)};", way], " ") if names else []

    @property
    def limits(self) -> Sequence[str]:
        """Both limits in words."""
        request = self.inquiry.plan.request
        search = "no limit" if request.patience is None else f"{request.patience:g} s"
        return [
            f"at most {request.seconds:g} s a query",
            *([f"{search} for --confirm"] if request.confirm else []),
            "no limit for the run" if self.budget is None else f"{self.budget:g} s for the run",
        ]


def solver() -> str:
    """Z3 by name and version, without importing it."""
    return f"z3 {metadata.version('z3-solver')}"


# ---------------------------------------------------------------- text


def text(v: Verdict, policy: Policy, shown: Sequence[str] = ()) -> str:
    """The verdict in a row, then what there is to say; `shown`: what is to be seen of its witness."""
    took = "(cached)" if v.cached else f"{v.seconds:.2f} s"
    word = v.text if len(v.text) < TOOK - WORD else v.text.removesuffix(f" ({v.reason})")
    cells = [(1, named(v.item)), (WORD, word), (TOOK, f"{took:>8}"), (TABLE, v.scope)]
    lines = [f"({v.reason})"] if word != v.text else []
    if weak(v, policy.require):
        lines.append(f"not enough: {(policy.require or least(v.item)).value} is required")
    if v.method:
        lines.append(f"by {v.method}")
    lines += v.details
    if v.doesnt_say:
        lines.append(f"does not say {v.doesnt_say}")
    place = [(TABLE, near(str(v.span)))] if v.span.source.name else []
    return "\n".join([*row([*cells, *place]), *below(map(near, lines)), *below(shown)])


def named(item: str) -> str:
    """An item or claim with its title."""
    return f"{item:<4} {TITLES.get(item, 'claim')}"


def print_list(plan: Plan) -> None:
    """What would be asked, a row each."""
    for question in plan.questions:
        print("\n".join(row([(1, named(question.name)), (WORD, plan.scope(question))])))


class Progress:
    """One line on a terminal that says what is being asked; nothing where nobody watches."""

    def __init__(self, inquiry: Inquiry) -> None:
        self.inquiry, self.shown = inquiry, False
        self.wanted = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def tell(self, asked: Sequence[int]) -> None:
        """Show how far it is, and which questions are being worked on."""
        if not self.wanted:
            return
        plan = self.inquiry.plan
        names = ", ".join(f"{plan.questions[n].name} {plan.scope(plan.questions[n])}" for n in asked)
        line = f" {len(self.inquiry.found)} of {len(plan.questions)} · {names}"
        print(f"\r\x1b[K{line[:79]}", end="", file=sys.stderr, flush=True)
        self.shown = True

    def clear(self) -> None:
        """Make place for what is to stay."""
        if self.shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self.shown = False


# ---------------------------------------------------------------- data


def print_json(report: Report, code: ExitCode) -> None:
    """One envelope: what was asked of what by which programs, how complete it is, and the verdicts."""
    print(json.dumps(envelope(report, code), ensure_ascii=False, indent=1))


def envelope(report: Report, code: ExitCode) -> dict[str, object]:
    """All of a run as data."""
    inquiry, policy = report.inquiry, report.policy
    plan, request = inquiry.plan, inquiry.plan.request
    return {
        "schema": SCHEMA,
        "tool": f"dom {__version__}",
        "verb": "verify",
        "versions": {
            "z3": metadata.version("z3-solver"),
            "lark": metadata.version("lark"),
            "python": ".".join(map(str, sys.version_info[:3])),
            "sources": programs(),
        },
        "file": str(report.file),
        "game": plan.game.name,
        "selection": {
            "players": list(request.players),
            "options": {name: str(value) for name, value in (request.options or {}).items()},
            "only": list(request.only),
            "skip": list(request.skip),
        },
        "options": {
            "timeout": request.seconds,
            "budget": report.budget,
            "seed": request.seed,
            "jobs": inquiry.jobs,
            "cache": inquiry.store is not None,
            "require": None if policy.require is None else policy.require.value,
            "fail_on": policy.fail_on,
        },
        "tables": [plan.scope(Question("", number)) for number in range(len(plan.tables))],
        "completeness": completeness(report),
        "vacuity": [{"item": v.item, "scope": v.scope} for v in inquiry.ordered if v.word is Word.HOLLOW],
        "seconds": round(time.perf_counter() - report.started, 3),
        "exit": int(code),
        "verdicts": [as_data(v, policy) for v in inquiry.ordered],
    }


def completeness(report: Report) -> dict[str, object]:
    """Was all answered that was asked? If not, what stopped it, and what is missing."""
    inquiry = report.inquiry
    questions = [inquiry.plan.questions[number] for number in inquiry.missing]
    stopped = report.broken_off or ("budget" if inquiry.exhausted else "")
    return {
        "complete": not stopped,
        "stopped_by": stopped or None,
        "asked": len(inquiry.plan.questions),
        "answered": len(inquiry.found) - sum(v.word is Word.UNKNOWN and v.reason == "budget" for v in inquiry.ordered),
        "missing": [{"item": q.name, "scope": inquiry.plan.scope(q)} for q in questions],
    }


def as_data(v: Verdict, policy: Policy) -> dict[str, object]:
    """A verdict field by field; word and method are apart, and what it counts as is said."""
    return {
        "item": v.item,
        "title": TITLES.get(v.item, "claim"),
        "scope": v.scope,
        "word": v.word.value,
        "depth": v.depth,
        "text": v.text,
        "counts_as": TOLD[standing(v, policy.require)],
        "required": (policy.require or least(v.item)).value,
        "method": v.method,
        "reason": v.reason,
        "details": list(v.details),
        "does_not_say": v.doesnt_say,
        "place": place(v.span),
        "seconds": round(v.seconds, 3),
        "cached": v.cached,
        "transcript": None if v.transcript is None else write(v.transcript),
    }
