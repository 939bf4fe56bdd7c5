"""What the examples of a file work out by hand: settlements that are meant to be as they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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
    """Rules that remember what they settled."""

    def __init__(self, instance: core.Instance) -> None:
        super().__init__(instance)
        self.heard: list[tuple[State, State]] = []

    def settle(self, state: State, count: int | None = None) -> State:
        settled = super().settle(state, count)
        if count is None:
            self.heard.append((state, settled))
        return settled


def settlements(subject: Subject, *, any_players: bool = False) -> Iterator[Heard]:
    """The settlements of the examples of the file that pass, at tables with the options of this one."""
    for example in subject.instance.game.examples:
        tables: list[Listening] = []

        def listening(instance: core.Instance, tables: list[Listening] = tables) -> Rules:
            tables.append(Listening(instance))
            return tables[-1]

        if not run_example(subject.instance.game, example, listening).ok:
            continue
        for rules in tables:
            same = rules.instance.players == subject.instance.players or any_players
            if same and rules.instance.options == subject.instance.options:
                yield from (Heard(example.name, rules, ended, settled) for ended, settled in rules.heard)
