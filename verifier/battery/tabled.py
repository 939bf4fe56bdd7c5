"""The shortest play to something that is said of the table alone: no facts are needed, and what is found is kept."""

from __future__ import annotations

from domrules.verifier.battery.subject import Subject
from domrules.verifier.goal import Goal
from domrules.verifier.lays import lowest
from domrules.verifier.least import at_bound
from domrules.verifier.shortest import Limits, Search, Shortest, played


def tabled(subject: Subject, goal: Goal) -> Shortest | None:
    """A play with the fewest tiles, or none at all; None where the table alone does not tell, or not in time."""
    if not goal.said:
        return None
    return subject.once(f"table: {goal.said}", lambda: _found(subject, goal))


def _found(subject: Subject, goal: Goal) -> Shortest | None:
    lower = lowest(subject.study, goal, seconds=subject.seconds)
    if lower is None:
        return None
    if lower.impossible:
        return Shortest(lower, None, lower.tiles, 0, open=False)
    limits = Limits(query=subject.seconds / 3, search=subject.seconds, tiles=0)
    found = played(Search(subject.study, subject.rules, goal, lower, limits), at_bound)
    return found if found.tight else None
