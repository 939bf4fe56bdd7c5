"""What both engines say of a small table, as one verdict: the stronger of two that agree, DISAGREE for two that do not."""

from __future__ import annotations

from dataclasses import replace

from domrules.verifier.explicit.questions import Gone
from domrules.verifier.verdict import Standing, Verdict, Word

WEAK = (Word.HOLDS, Word.NOT_FOUND)
"""Words about the first moves of a round only."""
ALIKE = "so small a table cannot show it; the full table may"


def combined(gone: Gone, explicit: Verdict, solver: Verdict) -> Verdict:
    """One verdict of two about the same question."""
    seconds = explicit.seconds + solver.seconds
    breaks = gone.breaks and solver.word.standing is Standing.FINDING
    if solver.word is Word.DISAGREE or explicit.word.standing is Standing.UNDECIDED or breaks or not gone.all.starts:
        return solver
    clash = contradiction(gone, explicit, solver)
    if clash:
        return replace(
            explicit, word=Word.DISAGREE, seconds=seconds, method="", reason=clash, details=(), doesnt_say=""
        )
    said = f"{explicit.method}; the solver: {solver.word.value}"
    if Word.HOLLOW in (solver.word, explicit.word) or explicit.word is Word.IMPOSSIBLE:
        return replace(explicit, word=Word.SKIPPED, seconds=seconds, reason=ALIKE, details=(), method=said)
    return replace(explicit, method=said, seconds=seconds, span=solver.span)


def contradiction(gone: Gone, explicit: Verdict, solver: Verdict) -> str:
    """How two verdicts exclude each other, in a sentence; empty when they do not."""
    if explicit.word is Word.SKIPPED or solver.word is Word.SKIPPED:
        return ""
    both = f"gone through: {explicit.word.value}; the solver: {solver.word.value}"
    theirs, mine = solver.word.standing, explicit.word.standing
    if theirs is Standing.FINDING and mine is Standing.ESTABLISHED and not explicit.doesnt_say:
        return both
    if theirs is Standing.ESTABLISHED and mine is Standing.FINDING and solver.word not in WEAK:
        return both
    if theirs is Standing.HOLLOW and mine is Standing.FINDING and explicit.word is not Word.IMPOSSIBLE:
        return both
    return _lengths(gone, explicit, solver) if explicit.item == "F2" else ""


def _lengths(gone: Gone, explicit: Verdict, solver: Verdict) -> str:
    """The same for the shortest fish. The solver looks for it in first rounds, but its bound is for all."""
    if explicit.witness is None or solver.witness is None:
        return ""
    (mine, moves), (theirs, more) = (
        (gone.rules.on_table(w.reached), len(w.plies)) for w in (explicit.witness, solver.witness)
    )
    tight = not solver.doesnt_say
    if (theirs, more) < (mine, moves) or (tight and theirs != mine):
        return f"gone through: {mine} tiles and {moves} moves; the solver: {theirs} tiles and {more} moves"
    return ""
