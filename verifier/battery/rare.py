"""Rounds that are seldom met: the shortest of very many random ones, found by compiled code and played by the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from domrules.compiler.sift import Wanted, sifted
from domrules.interpreter.chance import Chance
from domrules.interpreter.play import Round, play_match
from domrules.verifier.battery.play import patience
from domrules.verifier.battery.subject import Subject
from domrules.verifier.witness import Unreplayable


def rare(subject: Subject, wanted: Wanted, holds: Callable[[Round], bool]) -> list[Round | None]:
    """For every ending of a first round the shortest that was found; `holds` asks the same of a round as `wanted`.

    Raises Unsupported, and Unreplayable when the interpreter plays another round.
    """
    rules, limits = subject.rules, patience(subject.rules)
    found: list[Round | None] = []
    for ending, number in enumerate(sifted(subject.instance, wanted, subject.seed, limits)):
        if number is None:
            found.append(None)
            continue
        (played,) = play_match(rules, Chance.named(subject.seed, number), limits=limits, stop=1).rounds
        if rules.ending(played.ended) != ending or not holds(played):
            raise Unreplayable(f"match {number} of seed {subject.seed} is played in another way by compiled code")
        found.append(played)
    return found


def least(rounds: Iterable[Round]) -> Round | None:
    """The one with the fewest moves."""
    return min(rounds, key=lambda played: len(played.plies), default=None)
