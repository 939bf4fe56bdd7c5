"""Findings as a SARIF 2.1.0 log, which code hosts and editors show beside the text: rules, results, places, fingerprints.

Lines and columns are from 1, columns in UTF-16 code units, as the log says of itself.
"""

from __future__ import annotations

import hashlib
import os
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import quote

from domrules.grammar import cut
from domrules.grammar.codes import CODES, PAGES
from domrules.grammar.diagnostics import Diagnostic
from domrules.grammar.source import Source, Span

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
"""What relative names of files are relative to: the folder in which the command ran."""

Data: TypeAlias = dict[str, object]
Level: TypeAlias = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Rule:
    """What results are instances of; `help` is its page, in Markdown."""

    id: str
    title: str
    help: str = ""
    level: Level = "error"


@dataclass(frozen=True, slots=True)
class Result:
    """One finding. `file` says where it belongs when its span is nowhere; `steps` lead to it, in order."""

    rule: Rule
    level: Level
    message: str
    span: Span
    file: str = ""
    related: tuple[tuple[str, Span], ...] = ()
    steps: tuple[tuple[str, Span], ...] = ()
    about: str = ""
    """What tells it apart from others of the same rule about the same text."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What could not be done, so that results may be missing."""

    message: str
    level: Level = "error"


def of_mistake(d: Diagnostic) -> Result:
    """A mistake of a file, its notes that have a place apart."""
    told = [d.message, *(f"note: {n.text}" for n in d.notes if n.span is None), *([f"help: {d.fix}"] if d.fix else [])]
    related = tuple((n.text, n.span) for n in d.notes if n.span is not None)
    page = (PAGES / f"{d.code}.md").read_text(encoding="utf-8")
    return Result(Rule(d.code, CODES[d.code], page), "error", "\n".join(told), d.span, related=related)


def log(
    version: str, results: Sequence[Result], files: Iterable[str], exit: int, failures: Sequence[Failure] = ()
) -> Data:
    """The log of one run. `files` were looked at, whether something was found in them or not."""
    return _Log(version, results, list(dict.fromkeys(files)), exit, failures).data()


@dataclass
class _Log:
    version: str
    results: Sequence[Result]
    files: list[str]
    exit: int
    failures: Sequence[Failure]
    rules: dict[str, Rule] = field(default_factory=dict)
    seen: Counter[str] = field(default_factory=Counter)

    def data(self) -> Data:
        results = [self.result(r) for r in self.results]
        return {"$schema": SCHEMA, "version": "2.1.0", "runs": [self.run(results)]}

    def run(self, results: Sequence[Data]) -> Data:
        rules = [_rule(rule) for rule in self.rules.values()]
        done: Data = {
            "executionSuccessful": not any(f.level == "error" for f in self.failures),
            "exitCode": self.exit,
        }
        if self.failures:
            done["toolExecutionNotifications"] = [
                {"level": f.level, "message": _text(f.message)} for f in self.failures
            ]
        return {
            "tool": {"driver": {"name": "dom", "version": self.version, "rules": rules}},
            "columnKind": "utf16CodeUnits",
            "invocations": [done],
            "artifacts": [
                {"location": _uri(name), "sourceLanguage": "dom", "encoding": "UTF-8"} for name in self.files
            ],
            "results": results,
        }

    def result(self, r: Result) -> Data:
        self.rules.setdefault(r.rule.id, r.rule)
        out: Data = {
            "ruleId": r.rule.id,
            "ruleIndex": list(self.rules).index(r.rule.id),
            "level": r.level,
            "message": _text(r.message),
            "locations": [self.location(r.span, r.file)],
            "partialFingerprints": self.fingerprints(r),
        }
        if r.related:
            out["relatedLocations"] = [
                {"id": i, **self.location(span, r.file), "message": _text(text)}
                for i, (text, span) in enumerate(r.related, 1)
            ]
        if r.steps:
            steps = [{"location": {**self.location(span, r.file), "message": _text(text)}} for text, span in r.steps]
            out["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
        return out

    def location(self, span: Span, file: str) -> Data:
        name = span.source.name or file
        if name not in self.files:
            self.files.append(name)
        where = {**_uri(name), "index": self.files.index(name)}
        region = _region(span) if span.source.name else {"startLine": 1}
        return {"physicalLocation": {"artifactLocation": where, "region": region}}

    def fingerprints(self, r: Result) -> Mapping[str, str]:
        """The same as long as the declaration says the same, wherever it stands; code hosts know alerts by the first."""
        told = "\n".join(
            [r.rule.id, r.about, Path(r.span.source.name or r.file).name, canonical(r.span), squeezed(r.span.text)]
        )
        digest = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self.seen[digest] += 1
        mark = f"{digest}:{self.seen[digest]}"
        return {"primaryLocationLineHash": mark, "canonicalText/v1": mark}


def _rule(rule: Rule) -> Data:
    out: Data = {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "defaultConfiguration": {"level": rule.level},
    }
    if rule.help:
        out["help"] = {"text": re.sub(r"^(```.*|# .*)\n", "", rule.help, flags=re.M).strip(), "markdown": rule.help}
    return out


def _text(message: str) -> Data:
    """A message; its braces are doubled, for a single one would be filled in."""
    return {"text": message.replace("{", "{{").replace("}", "}}")}


def _uri(name: str) -> Data:
    """The name of a file: relative to where we run if it lies there, otherwise absolute."""
    path = Path(os.path.abspath(name))  # noqa: PTH100  (links are to stay)
    here = Path.cwd()
    if name == "-" or path.is_relative_to(here):
        relative = Path(name) if name == "-" else path.relative_to(here)
        return {"uri": quote(os.fsencode(relative.as_posix())), "uriBaseId": ROOT}
    return {"uri": "file://" + quote(os.fsencode(path.as_posix()))}


def _region(span: Span) -> Data:
    line, column = place(span.source, span.start)
    end_line, end_column = place(span.source, span.end)
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}


def place(source: Source, offset: int) -> tuple[int, int]:
    """Line and column from 1, the column in UTF-16 code units."""
    line, column = source.place(offset)
    before = source.text[offset - column + 1 : offset]
    return line, 1 + len(before.encode("utf-16-le", "surrogatepass")) // 2


def canonical(span: Span) -> str:
    """The declaration a span stands in, without remarks and layout; empty when there is none."""
    if not span.source.name:
        return ""
    _, pieces = cut.pieces(span.source.text)
    at = bisect_right([piece.start for piece in pieces], span.start) - 1
    if at < 0:
        return ""
    return squeezed(cut.blanked(span.source.text, pieces[at].start, pieces[at].end))


def squeezed(text: str) -> str:
    return " ".join(text.split())
