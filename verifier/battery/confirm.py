"""F2 once more, without a solver: a search of all deals of the whole table says that no fewer tiles, and no fewer moves, will do."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import inf

from domrules.grammar.diagnostics import counted
from domrules.verifier.battery.fewest import OPEN
from domrules.verifier.battery.subject import Subject
from domrules.verifier.explicit import bundle
from domrules.verifier.explicit.explore import OutOfTime, TooLarge
from domrules.verifier.explicit.lazy import POSITIONS, Least, Searches
from domrules.verifier.explicit.steps import Memory
from domrules.verifier.verdict import Verdict, Word

EXACT = POSITIONS // 6
"""Positions for the search that also remembers what each player holds: they take longer."""
OWNERS: Mapping[Memory, str] = {
    Memory.NOTHING: "no tile has an owner until it is laid or asked for, which is forgotten again; nothing is counted",
    Memory.STOCK: "no tile has an owner until it is laid or asked for; the tiles of all hands are counted together",
    Memory.HANDS: "no tile has an owner until it is laid or asked for; the tiles of each hand are counted",
}
"""What is known of tiles."""


SOLVED = (Word.WITNESSED, Word.IMPOSSIBLE)
"""Verdicts of which the search has something to say."""


def broken_off(solver: Verdict) -> Verdict:
    """The verdict of the solver, if no more comes of it."""
    told = "not confirmed: the search of all deals without a solver was broken off"
    return replace(solver, details=(*solver.details, told)) if solver.word in SOLVED else solver


def confirmed(subject: Subject, solver: Verdict, limit: float | None = None) -> Verdict:
    """The verdict of the solver with what the search says of it; DISAGREE when a hand is shorter than can be.

    `limit`: seconds of the processor for the search.
    """
    if solver.word not in SOLVED:
        return solver
    began, told, end = time.perf_counter(), list[str](), size(subject, solver)
    silent = solver.doesnt_say
    try:
        for found in searches(subject, inf if limit is None else time.process_time() + limit):
            bound = None if found.tiles is None else (found.tiles, found.moves or 0)
            if end is not None and (bound is None or bound > end):
                return disagreement(subject, solver, found)
            told = [remark(found, end), *abstraction(subject, found)]
            if end is not None and found.tiles == end[0]:
                silent = "; ".join(part for part in solver.doesnt_say.split("; ") if not part.startswith(OPEN))
            if bound == end:
                break
    except OutOfTime:
        which = "a search that remembers more of the hands" if told else "the search of all deals without a solver"
        told.append(f"{'no more' if told else 'not'} confirmed within {limit:g} s: {which} did not come to an end")
    except TooLarge as why:
        told = told or [f"not gone through without a solver: {why}"]
    seconds = solver.seconds + time.perf_counter() - began
    return replace(solver, details=(*solver.details, *told), seconds=seconds, doesnt_say=silent)


def searches(subject: Subject, until: float = inf) -> Iterator[Least]:
    """With more and more memory of what the players hold. Raises TooLarge."""
    instance = subject.instance
    made = Searches(instance, [i for i, e in enumerate(instance.endings) if e.role == "fish"], until)
    yield made.least(Memory.NOTHING)
    yield made.least(Memory.STOCK)
    yield made.least(Memory.HANDS, EXACT)


def size(subject: Subject, verdict: Verdict) -> tuple[int, int] | None:
    """Tiles on the table and moves of the hand that was found."""
    if verdict.witness is None:
        return None
    return subject.rules.on_table(verdict.witness.reached), len(verdict.witness.plies)


def remark(found: Least, end: tuple[int, int] | None) -> str:
    """What the search says, beside the hand that is known."""
    looked = f"a search of all deals without a solver, {counted(found.positions, 'position')}"
    if found.tiles is None:
        return f"{looked}: it never happens"
    fewer = f"never with fewer than {counted(found.tiles, 'tile')}"
    if end is None or found.tiles < end[0]:
        return f"{looked}: {fewer}, which is less than the solver says"
    more = "" if found.moves is None else f", nor with as many in fewer than {counted(found.moves, 'move')}"
    return f"{looked}: {fewer}{more}"


def abstraction(subject: Subject, found: Least) -> Iterator[str]:
    """What that search leaves open, in words, and what it does not say therefore."""
    many = [pips for pips in found.classes if len(pips) > 1]
    names = subject.instance.sorts[subject.instance.game.dominoes.half].names
    apart = "; ".join(" ".join(names[pip] for pip in pips) for pips in many)
    if len(found.classes) == 1:
        named = "pips are named in the order of first use"
    elif many:
        named = f"pips that no rule tells apart ({apart}) are named in the order of first use"
    else:
        named = "pips keep their names, for the rules tell them apart"
    parts = [OWNERS[found.memory], named]
    if found.numbers:
        parts.append(f"any number stands for {', '.join(found.numbers)} whenever a rule asks, so for any match")
    if found.left_out:
        parts.append(
            f"what tiles somebody holds does not forbid {', '.join(found.left_out)}, where a rule asks which pips"
        )
    if found.anyhow:
        parts.append("any deal is kept, and what `begin` sets may be anything")
    yield f"there {'; '.join(parts)}"
    if found.tiles is not None:
        yield "so more can happen there than at a table: it bounds the shortest fish, and does not say that there is one"


def disagreement(subject: Subject, solver: Verdict, found: Least) -> Verdict:
    """A hand was played that the search says there cannot be."""
    command = f"dom verify {subject.instance.game.name}.dom --confirm --players {subject.instance.players} F2"
    made = bundle.write(subject.instance, {"solver": solver}, command)
    reason = f"{remark(found, None)}; yet here is a hand"
    return replace(solver, word=Word.DISAGREE, reason=reason, details=(f"everything about it is in {made}",))
