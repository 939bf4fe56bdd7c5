"""A shortest hand that another engine knows of: does the solver find such a one, and none that is shorter?

It is told how many tiles and moves there are, never which. That fewer tiles will not do has to follow from proved facts,
that fewer moves will not do from all plays of so few; the hand it finds is played. What it says is a verdict like any other.
"""

from __future__ import annotations

from dataclasses import replace

from domrules.grammar import core
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.verifier.battery.fewest import OPEN, Judge
from domrules.verifier.bound import Bound, bound
from domrules.verifier.shortest import Limits, Search, Shortest
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import Unreplayable, Witness

METHOD = "one position for the bound, all plays with no more moves, replayed"


def agreed(judge: Judge, known: Witness | None) -> Verdict:
    """What the solver says of a shortest hand that is known; without one, whether there is any."""
    subject = judge.subject
    lower = _lower(judge, None if known is None else subject.rules.on_table(known.reached))
    if known is not None and not lower.impossible:
        return _alike(judge, lower, known)
    found = Shortest(lower, None, lower.tiles, 0, open=False)
    if not lower.impossible:
        limits = Limits(subject.seconds / 4, subject.seconds)
        found = Search(subject.study, subject.rules, judge.goal, lower, limits).run()
    return judge.verdict(found)


def _alike(judge: Judge, lower: Bound, known: Witness) -> Verdict:
    """Is there a hand with so many tiles and moves, and none that is shorter?"""
    subject, rules = judge.subject, judge.subject.rules
    tiles, moves = rules.on_table(known.reached), len(known.plies)
    limits, start = Limits(subject.seconds, 4 * subject.seconds), lower
    if lower.tiles < tiles:
        start = replace(lower, tiles=tiles, moves=0, layout=frozenset())
    search = Search(subject.study, rules, judge.goal, start, limits, _before(rules, known.dealt))
    try:
        hand = _hand(search, moves) if lower.tiles <= tiles else None
    except Unreplayable as error:
        return judge.say(Word.DISAGREE, reason=str(error))
    if hand is not None:
        details = [judge.size(rules.on_table(hand.reached), len(hand.plies))]
        silent = f"{OPEN} tiles and moves are" if search.open or lower.tiles < tiles else ""
        return judge.say(Word.WITNESSED, method=METHOD, details=details, witness=hand, doesnt_say=silent)
    found = Shortest(lower, None, tiles, search.tried, search.open)
    if search.open:
        return judge.by_chance(found, judge.below(found))
    details = [f"a hand with {judge.size(tiles, moves)}", judge.below(found)]
    return judge.say(Word.IMPOSSIBLE, method=METHOD, details=[*filter(None, details)])


def _lower(judge: Judge, tiles: int | None) -> Bound:
    """A bound under the lemmas of the file; where it is below so many tiles, under what is computed, too."""
    subject = judge.subject
    lower = bound(subject.study, judge.goal, subject.proved, seconds=subject.seconds)
    if lower.impossible or (tiles is not None and lower.tiles >= tiles):
        return lower
    return bound(subject.study, judge.goal, [*subject.proved, *subject.invariants], seconds=subject.seconds)


def _hand(search: Search, moves: int) -> Witness | None:
    """The hand with the fewest moves, up to so many. Raises `Unreplayable`."""
    try:
        return _played(search, moves, keep_numbers=False)
    except Unreplayable:
        return _played(search, moves, keep_numbers=True)


def _played(search: Search, moves: int, *, keep_numbers: bool) -> Witness | None:
    play = search.play(keep_numbers=keep_numbers)
    for depth in range(search.lower.begins, moves + 1):
        if search.late:
            search.open = True
            break
        hand = search.attempt(play, search.lower.tiles, depth, led=False)
        if hand is not None:
            return hand
    return None


def _before(rules: Rules, dealt: State) -> State | None:
    """How the match stands in a round, if that is not how it stands before the first one."""
    cells, first = [c for var, _, c in rules.layout.walk() if var.life is core.Life.MATCH], rules.new_match()
    return None if all(dealt.cells[c] == first.cells[c] for c in cells) else dealt
