"""F2 once more, without a solver: a search of all deals of the whole table says that no fewer tiles, and no fewer moves, will do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from domrules.grammar.diagnostics import counted
from domrules.verifier.battery.subject import Subject
from domrules.verifier.explicit import bundle
from domrules.verifier.explicit.explore import TooLarge
from domrules.verifier.explicit.lazy import POSITIONS, Least, least
from domrules.verifier.verdict import Verdict, Word

EXACT = POSITIONS // 6
"""Positions for the search that also remembers what each player holds: they take longer."""


def confirmed(subject: Subject, solver: Verdict) -> Verdict:
    """The verdict of the solver with what the search says of it; DISAGREE when a hand is shorter than can be."""
    if solver.word not in (Word.WITNESSED, Word.IMPOSSIBLE):
        return solver
    began, told, end = time.perf_counter(), "", size(subject, solver)
    try:
        for found in searches(subject):
            bound = None if found.tiles is None or found.moves is None else (found.tiles, found.moves)
            if end is not None and (bound is None or bound > end):
                return disagreement(subject, solver, found)
            told = remark(found, end)
            if bound == end:
                break
    except TooLarge as why:
        told = told or f"not gone through without a solver: {why}"
    seconds = solver.seconds + time.perf_counter() - began
    return replace(solver, details=(*solver.details, told), seconds=seconds)


def searches(subject: Subject) -> Iterator[Least]:
    """First without a memory of what each player holds, then with it. Raises TooLarge."""
    instance = subject.instance
    fish = [i for i, e in enumerate(instance.endings) if e.role == "fish"]
    yield least(instance, fish)
    yield least(instance, fish, counted=True, most=EXACT)


def size(subject: Subject, verdict: Verdict) -> tuple[int, int] | None:
    """Tiles on the table and moves of the hand that was found."""
    if verdict.witness is None:
        return None
    return subject.rules.on_table(verdict.witness.reached), len(verdict.witness.plies)


def remark(found: Least, end: tuple[int, int] | None) -> str:
    """What the search says, beside the hand that is known."""
    looked = f"a search of all deals without a solver, {counted(found.positions, 'position')}"
    if found.tiles is None or found.moves is None:
        return f"{looked}: it never happens"
    fewer = f"never with fewer than {counted(found.tiles, 'tile')}"
    if end is None or found.tiles < end[0]:
        return f"{looked}: {fewer}, which is less than the solver says"
    return f"{looked}: {fewer}, nor with as many in fewer than {counted(found.moves, 'move')}"


def disagreement(subject: Subject, solver: Verdict, found: Least) -> Verdict:
    """A hand was played that the search says there cannot be."""
    command = f"dom verify {subject.instance.game.name}.dom --confirm --players {subject.instance.players} F2"
    made = bundle.write(subject.instance, {"solver": solver}, command)
    reason = f"{remark(found, None)}; yet here is a hand"
    return replace(solver, word=Word.DISAGREE, reason=reason, details=(f"everything about it is in {made}",))
