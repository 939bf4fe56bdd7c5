"""What is seldom met: found in very many random rounds by compiled code, and played by the interpreter before it counts.

All of these raise Unsupported, and Unreplayable when the interpreter plays another round than compiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

from domrules.compiler import sift
from domrules.compiler.engine import Trap
from domrules.grammar import core
from domrules.interpreter.play import Round
from domrules.verifier.battery.play import Course, patience
from domrules.verifier.battery.subject import Subject
from domrules.verifier.witness import Unreplayable


def shortest(subject: Subject, wanted: sift.Wanted, holds: Callable[[Round], bool]) -> list[Round | None]:
    """For every ending of a first round the shortest that was found; `holds` asks the same of a round as `wanted`."""
    rules, found = subject.rules, list[Round | None]()
    with trusted():
        kept = sift.shortest(subject.instance, wanted, subject.seed, patience(rules))
    for ending, one in enumerate(kept):
        played = None if one is None else _again(subject, one)
        if one is not None and played is not None and (rules.ending(played.ended) != ending or not holds(played)):
            raise _otherwise(subject, one)
        found.append(played)
    return found


def least(rounds: Iterable[Round]) -> Round | None:
    """The one with the fewest moves."""
    return min(rounds, key=lambda played: len(played.plies), default=None)


def met(subject: Subject, asked: Sequence[tuple[int, core.Expr]]) -> list[bool]:
    """For every question whether a round was found in which it holds just before this settlement."""
    rules, found = subject.rules, list[bool]()
    with trusted():
        kept = sift.first(subject.instance, asked, subject.seed, patience(rules))
    for (number, e), one in zip(asked, kept, strict=True):
        found.append(one is not None)
        if one is not None and not rules.question(e)(rules.settle(_again(subject, one).ended, number)):
            raise _otherwise(subject, one)
    return found


def most(subject: Subject) -> tuple[int, int]:
    """The most that a move was seen to add to a score, and that the settlements of a round were."""
    scores, found = subject.rules.scores, list[int]()
    with trusted():
        kept = sift.most(subject.instance, subject.seed, patience(subject.rules))
    for of_settlements, one in enumerate(kept):
        if one is None:
            found.append(0)
            continue
        played = _again(subject, one)
        states = [played.ended, played.settled] if of_settlements else played.states
        seen = [scores(state) for state in states]
        gains = (b - a for x, y in pairwise(seen) for a, b in zip(x, y, strict=True))
        if max(gains, default=None) != one.value:
            raise _otherwise(subject, one)
        found.append(max(one.value, 0))
    by_move, by_settlements = found
    return by_move, by_settlements


def _again(subject: Subject, found: sift.Kept) -> Round:
    """The round, played by the interpreter, which plays it to its end as compiled code did."""
    course = Course(subject.rules, subject.seed, found.number)
    for played in course.rounds(1):
        return played
    raise _otherwise(subject, found) from course.stopped


def _otherwise(subject: Subject, found: sift.Kept) -> Unreplayable:
    return Unreplayable(
        f"compiled code plays match {found.number} of seed {subject.seed} in another way than the interpreter"
    )


@contextmanager
def trusted() -> Iterator[None]:
    """Compiled code that does what it never may is a disagreement, too."""
    try:
        yield
    except Trap as trap:
        raise Unreplayable(f"compiled code broke off: {trap}") from trap
