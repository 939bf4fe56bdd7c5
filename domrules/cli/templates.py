"""Templates of games: a sound `.dom` file, with its questions and other answers in remarks; and the file made of it.

A template begins with what it asks. A question is a line, and lines below it: the question, why it matters, and each answer
there is, with what it means. Then comes the text:

    #? ask KEY = DEFAULT [if CONDITION]          one of the answers listed below it; asked only if the condition holds
    #? number KEY = DEFAULT in LOW..HIGH
    #? range KEY = LOW-HIGH in LOW..HIGH         KEY_low is the lower of the two
    #? if CONDITION … #? end                     kept only if it holds: `fish=last|nobody tie=share`; another `if` ends it, too
    #| text                                      what is kept so; the default answers stand in the file without that mark
    text  #? KEY                                 the default answer, once in this line, gives place to the one that was given
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from domrules.grammar.diagnostics import did_you_mean
from domrules.grammar.load import SHIPPED

FOLDER = SHIPPED / "new"
Kind: TypeAlias = Literal["ask", "number", "range"]
Answers: TypeAlias = Mapping[str, str]

_QUESTION = re.compile(r"#\? (ask|number|range) (\w+) = (\S+)(?: in (\d+)\.\.(\d+))?(?: if (.+))?")
_MARKED = re.compile(r"(.*?)\s*#\? (\w+)")


class BadAnswer(Exception):
    """An answer that is none; a sentence."""


@dataclass(frozen=True)
class Question:
    """What is asked: `answers` with what they mean, or numbers from `low` to `high`."""

    kind: Kind
    key: str
    default: str
    low: int
    high: int
    condition: str
    text: str = ""
    why: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)

    def read(self, told: str) -> str:
        """The answer in its plain form. Raises BadAnswer."""
        told = told.strip()
        match self.kind:
            case "ask":
                if told not in self.answers:
                    near = did_you_mean(told, self.answers)
                    raise BadAnswer(f"{told!r} is not one of {', '.join(self.answers)}. {near}".rstrip())
                return told
            case "number":
                return str(self._number(told))
            case "range":
                first, dash, last = told.replace("..", "-").partition("-")
                low, high = self._number(first), self._number(last if dash else first)
                if low > high:
                    raise BadAnswer(f"{told!r} begins with the larger number")
                return f"{low}-{high}" if low < high else f"{low}"

    def _number(self, told: str) -> int:
        told = told.strip()
        if not (told.isascii() and told.isdecimal() and len(told) < 10 and self.low <= int(told) <= self.high):
            raise BadAnswer(f"{told!r} is not a number from {self.low} to {self.high}")
        return int(told)

    def wanted(self, answers: Answers) -> bool:
        """Is there a need to ask, after these answers?"""
        return holds(self.condition, answers)


@dataclass(frozen=True)
class Template:
    """A game of a family: its questions in their order, and its text."""

    family: str
    path: Path
    title: str
    questions: tuple[Question, ...]
    lines: tuple[str, ...]

    @property
    def defaults(self) -> dict[str, str]:
        return {q.key: q.default for q in self.questions}

    def compose(self, name: str, answers: Answers) -> str:
        """The text of a game. `name` is one of the language; `answers` in their plain form, others are the defaults."""
        old = _values(self.defaults, self.path.stem, self.title)
        new = _values({**self.defaults, **answers}, name, name.replace("_", " ").capitalize())
        return "\n".join(_kept(self.lines, old, new)) + "\n"


def _values(answers: Answers, name: str, title: str) -> dict[str, str]:
    """What lines and conditions may speak of: answers as they stand in a file, the lower ends of ranges, name and title."""
    out = {key: value.replace("-", "..") for key, value in answers.items()}
    out |= {f"{key}_low": value.partition("-")[0] for key, value in answers.items()}
    return {**out, "name": name, "title": title}


def _kept(lines: tuple[str, ...], old: Answers, new: Answers) -> Iterator[str]:
    keep = True
    for line in lines:
        if line.startswith("#? "):
            keep = line == "#? end" or holds(line.removeprefix("#? if "), new)
        elif keep:
            marked = _MARKED.fullmatch(line)
            if marked is None:
                yield re.sub(r"^#\| ?", "", line)
            else:
                text, key = marked.groups()
                yield re.sub(rf"(?<!\w){re.escape(old[key])}(?!\w)", lambda _: new[key], text, count=1)  # noqa: B023


def holds(condition: str, answers: Answers) -> bool:
    """`fish=last|nobody tie=share`: is each answer one of those? An empty condition holds."""
    return all(answers[key] in wanted for key, wanted in _parts(condition))


def unmet(condition: str, answers: Answers) -> tuple[str, list[str]]:
    """The first part of a condition that does not hold: the question, and the answers that are wanted."""
    return next((key, wanted) for key, wanted in _parts(condition) if answers[key] not in wanted)


def _parts(condition: str) -> Iterator[tuple[str, list[str]]]:
    for part in condition.split():
        key, _, wanted = part.partition("=")
        yield key, wanted.split("|")


# ---------------------------------------------------------------- reading


def templates() -> dict[str, Template]:
    """The templates there are, by family."""
    found = (read(path) for path in sorted(FOLDER.glob("*.dom")))
    return {template.family: template for template in found}


def read(path: Path) -> Template:
    """The template of a file of ours."""
    lines = path.read_text(encoding="utf-8").splitlines()
    questions = list(_questions(lines))
    body = [line for line in lines if not line.startswith("#: ") and not _QUESTION.fullmatch(line)]
    head = "\n".join(body)
    family = re.search(r"^game \w+ extends (\w+)", head)
    title = re.search(r'^title en "([^"]*)"', head, re.M)
    assert family is not None
    assert title is not None
    return Template(family[1], path, title[1], tuple(questions), tuple(body))


def _questions(lines: list[str]) -> Iterator[Question]:
    for at, line in enumerate(lines):
        m = _QUESTION.fullmatch(line)
        if m is not None:
            below = []
            for told in lines[at + 1 :]:
                if not told.startswith("#: "):
                    break
                below.append(told[3:])
            answers = {key: text.strip() for key, _, text in (told.partition(" ") for told in below[2:])}
            kind: Kind = "ask" if m[1] == "ask" else "number" if m[1] == "number" else "range"
            yield Question(kind, m[2], m[3], int(m[4] or 0), int(m[5] or 0), m[6] or "", below[0], below[1], answers)
