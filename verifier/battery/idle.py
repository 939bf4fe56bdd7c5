"""Rounds that leave every total as it was, the shortest that are found: a fish that pays nobody, a win that is worth nothing."""

from __future__ import annotations

from domrules.grammar.diagnostics import counted
from domrules.interpreter.play import Round
from domrules.verifier.battery.climb import climb
from domrules.verifier.battery.play import round_lines
from domrules.verifier.battery.subject import Subject
from domrules.verifier.battery.totals import Totals

TRIES = 600
"""Rounds of the search for each ending."""
WEIGHT = 4
"""A point weighs as much as so many moves."""
FAR = -10_000.0


def idle_lines(subject: Subject, found: Totals) -> list[str]:
    """For every ending that random play knows a round that ends so and changes nothing, if one is found, in words."""
    return subject.once("idle", lambda: _lines(subject, found))


def _lines(subject: Subject, found: Totals) -> list[str]:
    out, met = [], {subject.rules.ending(played.ended) for _, _, played in subject.sample}
    for number, ending in enumerate(subject.instance.endings):
        played = None if number not in met else _idle(subject, found, number)
        if played is not None:
            moves = len(played.plies)
            out.append(f"a round can change no total, ending with {ending.name} after {counted(moves, 'move')}:")
            out += round_lines(subject.rules, found.of(subject, played.dealt), played)
    return out


def _idle(subject: Subject, found: Totals, ending: int) -> Round | None:
    """The shortest round found that ends so and changes nothing."""
    best: list[Round] = []

    def wish(played: Round) -> float:
        if subject.rules.ending(played.ended) != ending:
            return FAR
        pairs = zip(found.of(subject, played.dealt), found.of(subject, played.settled), strict=True)
        changed = sum(abs(y - x) for x, y in pairs)
        if not changed and (not best or len(played.plies) < len(best[-1].plies)):
            best.append(played)
        return -1.0 - WEIGHT * changed - len(played.plies)

    climb(subject.rules, wish, tries=TRIES, seed=subject.seed)
    return best[-1] if best else None
