"""Rounds that leave every total as it was, the shortest that are found: a fish that pays nobody, a win that is worth nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from domrules.compiler import ir
from domrules.compiler.sift import Scene, total
from domrules.compiler.writer import Unsupported
from domrules.grammar.diagnostics import counted
from domrules.interpreter.play import Round
from domrules.verifier.battery.climb import climb
from domrules.verifier.battery.play import round_lines
from domrules.verifier.battery.rare import shortest
from domrules.verifier.battery.subject import Subject
from domrules.verifier.battery.totals import Totals

TRIES = 600
"""Rounds of the search for each ending, where rules are not compiled."""
WEIGHT = 4
"""A point weighs as much as so many moves."""
FAR = -10_000.0


def idle_lines(subject: Subject, found: Totals) -> list[str]:
    """These rounds in words."""
    return subject.once("idle", lambda: list(_lines(subject, found)))


def _lines(subject: Subject, found: Totals) -> Iterator[str]:
    for ending, played in zip(subject.instance.endings, idle_rounds(subject, found), strict=True):
        if played is not None:
            moves = len(played.plies)
            yield f"a round can change no total, ending with {ending.name} after {counted(moves, 'move')}:"
            yield from round_lines(subject.rules, found.of(subject, played.dealt), played)


def idle_rounds(subject: Subject, found: Totals) -> Sequence[Round | None]:
    """For every ending a first round that ends so and changes nothing, the shortest that is found."""
    return subject.once("idle rounds", lambda: _idle(subject, found))


def _idle(subject: Subject, found: Totals) -> Sequence[Round | None]:

    def unchanged(scene: Scene) -> ir.Expr:
        test: ir.Expr = ir.YES
        for cells in found.cells:
            before, after = (total(values, cells) for values in (scene.begun, scene.settled))
            test = ir.both(test, ir.equal(before, after))
        return test

    try:
        return shortest(subject, unchanged, lambda r: found.of(subject, r.dealt) == found.of(subject, r.settled))
    except Unsupported:
        met = {subject.rules.ending(played.ended) for _, _, played in subject.sample}
        numbers = range(len(subject.instance.endings))
        return [_climbed(subject, found, number) if number in met else None for number in numbers]


def _climbed(subject: Subject, found: Totals, ending: int) -> Round | None:
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
