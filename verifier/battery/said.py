"""What the examples of a file work out by hand: settlements that are meant to be as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from domrules.grammar import core
from domrules.interpreter.examples import run_example
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.verifier.battery.subject import Subject


@dataclass(frozen=True, slots=True)
class Heard:
    """A settlement in an example: which, at what table, and the position before and after."""

    example: str
    rules: Rules
    ended: State
    settled: State


class Listening(Rules):
    """Rules that remember what they settled, and of which states they were asked about something."""

    def __init__(self, instance: core.Instance, about: str) -> None:
        super().__init__(instance)
        self.about = about
        self.heard: list[tuple[State, State]] = []
        self.asked: list[State] = []

    def settle(self, state: State, count: int | None = None) -> State:
        settled = super().settle(state, count)
        if count is None:
            self.heard.append((state, settled))
        return settled

    def question(self, e: core.Expr) -> Callable[[State], Any]:
        answer = super().question(e)
        if not mentions(e, self.about):
            return answer

        def asked(state: State) -> Any:
            self.asked.append(state)
            return answer(state)

        return asked


def settlements(subject: Subject, about: str) -> Iterator[Heard]:
    """The settlements of the examples of the file that pass and expect something of `about`, at tables like this one."""
    for name, rules in told(subject, about):
        if rules.instance.players == subject.instance.players:
            yield from (Heard(name, rules, ended, settled) for ended, settled in rules.heard)


def questions(subject: Subject, about: str) -> Iterator[tuple[str, Rules, State]]:
    """(example, rules, state): the states of which such examples expect something, for any number of players."""
    for name, rules in told(subject, about):
        yield from ((name, rules, state) for state in rules.asked)


def told(subject: Subject, about: str) -> Iterator[tuple[str, Listening]]:
    """What was heard of every example that passes and expects something of `about`, with the options of this table."""
    for example in subject.instance.game.examples:
        if not any(isinstance(s, core.Expect) and mentions(s.body, about) for s in example.steps):
            continue
        tables: list[Listening] = []

        def listening(instance: core.Instance, tables: list[Listening] = tables) -> Rules:
            tables.append(Listening(instance, about))
            return tables[-1]

        if run_example(subject.instance.game, example, listening).ok:
            yield from (
                (example.name, r) for r in tables if subject.instance.options.items() <= r.instance.options.items()
            )


def mentions(e: core.Expr, name: str) -> bool:
    """Does an expression itself read this state or call this define?"""
    here = (isinstance(e, core.Read) and e.var == name) or (isinstance(e, core.Call) and e.fn == name)
    return here or any(mentions(child, name) for child in core.children(e))
