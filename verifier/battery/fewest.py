"""With how few tiles on the table, and after how few moves, does something come about? The answer, proved and played.

First with nothing but the tiles being somewhere, then with the lemmas of the file, then with invariants that are computed, until
bound and hand meet. Where they do not, the verdict says between what the truth lies.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from domrules.grammar.diagnostics import counted
from domrules.grammar.source import Span
from domrules.verifier import facts
from domrules.verifier.battery.between import match_names, settled
from domrules.verifier.battery.frequency import frequency
from domrules.verifier.battery.subject import Subject
from domrules.verifier.battery.tabled import tabled
from domrules.verifier.bound import Bound, bound, table
from domrules.verifier.facts import Fact
from domrules.verifier.goal import Goal
from domrules.verifier.induction import prove
from domrules.verifier.least import at_bound, least
from domrules.verifier.shortest import Limits, Search, Shortest, Sooner, played
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import Witness

OPEN = "what the fewest"
"""How it begins what a verdict does not say where bound and hand do not meet."""
NOT_CANONICAL = "the hand is not canonical: the search for the least of its kind ran out of steps"
AT_ONCE = Limits(query=1.0, search=1.0, moves=0, tiles=0)
"""For the try without lemmas: just the bound, met or not."""
PATIENCE = 4.0
"""How many times the seconds of one query the last, long search may take."""


def fewest(
    subject: Subject, item: str, goal: Goal, started: float, span: Span, *, patience: float = PATIENCE
) -> Verdict:
    """The verdict on a goal: the fewest tiles and moves to it, or that it cannot be."""
    found, after = tabled(subject, goal), ""
    if found is None:
        found, after = _found(subject, goal, patience)
    return Judge(subject, item, goal, started, span, after).verdict(found)


def _found(subject: Subject, goal: Goal, patience: float) -> tuple[Shortest, str]:
    """What is found, and after which round of a match, if not in the first: just the bound everywhere, then a long look."""
    found = None
    for known, seconds, limits in _stages(subject):
        lower = bound(subject.study, goal, known, seconds=seconds)
        if found is None or _aim(lower) != _aim(found.bound):
            found = played(Search(subject.study, subject.rules, goal, lower, limits), at_bound)
            if found.tight or found.bound.impossible:
                return found, ""
    assert found is not None
    later = _later(subject, goal, found.bound)
    if later is not None:
        return later
    long = Limits(query=subject.seconds, search=patience * subject.seconds)
    return played(Search(subject.study, subject.rules, goal, found.bound, long)), ""


def _aim(lower: Bound) -> object:
    """What a play at the bound comes to."""
    return lower.layout, lower.begins


def _later(subject: Subject, goal: Goal, lower: Bound) -> tuple[Shortest, str] | None:
    """A hand at the bound in a round that follows random ones, and after which; where first rounds have none."""
    if not table(subject.instance) or not lower.possible:
        return None
    limits = Limits(query=subject.seconds / 10, search=subject.seconds / 10, moves=1, tiles=0)
    deadline = time.process_time() + limits.search
    search = Search(subject.study, subject.rules, goal, lower, limits)
    for before in settled(subject, match_names(subject, search.play(keep_numbers=False).encoder)):
        if time.process_time() > deadline:
            break
        later = Search(subject.study, subject.rules, goal, lower, limits, before.state).run()
        if later.tight:
            return later, before.words
    return None


def _stages(subject: Subject) -> Iterator[tuple[Sequence[Fact], float, Limits]]:
    """What may be assumed, from least to most; seconds of a query for the bound, and how long to look for a play at it."""
    where = facts.partition(subject.study)
    alone = prove(subject.study, [where], seconds=subject.seconds).established
    if alone:
        yield alone, AT_ONCE.query, AT_ONCE
    soon = Limits(query=subject.seconds / 10, search=subject.seconds / 10, moves=0, tiles=0)
    yield subject.proved, subject.seconds, soon
    yield [*subject.proved, *subject.invariants], subject.seconds, soon


class Judge:
    """From what the search found to a verdict."""

    def __init__(self, subject: Subject, item: str, goal: Goal, started: float, span: Span, after: str) -> None:
        self.subject, self.item, self.goal, self.started, self.span = subject, item, goal, started, span
        self.laying = bool(table(subject.instance))
        self.after = after
        """After which round of a match the hand is played; empty for the first."""

    def verdict(self, found: Shortest) -> Verdict:
        if found.disagreement:
            return self.say(Word.DISAGREE, reason=found.disagreement)
        if found.bound.impossible:
            return self.say(Word.IMPOSSIBLE, method=found.bound.road)
        below = self.below(found)
        if found.witness is None:
            return self.by_chance(found, below)
        chosen = found.witness if found.chosen else None
        shown = chosen or least(self.subject.study, self.subject.rules, self.goal, found)
        size = self.size(found.tiles, len(found.witness.plies))
        details = ["; ".join(filter(None, [size, below])), *self.sooner(found)]
        details += [f"in no first round that was looked for, but after {self.after}"] if self.after else []
        settled = found.tight if self.laying else found.sooner is not Sooner.UNKNOWN
        says = "" if settled else f"{OPEN} {self.counted(found)} are: between {self.range(found)}"
        return self.say(
            Word.WITNESSED,
            method="one position for the bound, a search for the hand, replayed",
            details=[*details, *frequency(self.subject, self.goal), *([] if shown.canonical else [NOT_CANONICAL])],
            witness=shown,
            doesnt_say=says,
        )

    def below(self, found: Shortest) -> str:
        """What cannot be, and because of what."""
        if not (found.bound.tiles if self.laying else found.bound.moves):
            return ""
        because = ", ".join(fact.name for fact in found.bound.needed) or "nothing but the rules"
        if self.laying:
            return f"fewer than {counted(found.bound.tiles, 'tile')}: impossible, proved with {because}"
        return f"fewer than {counted(found.bound.moves, 'move')}: impossible, proved with {because}"

    def sooner(self, found: Shortest) -> list[str]:
        """What is known of fewer moves."""
        moves = len(found.witness.plies) if found.witness is not None else 0
        if not found.tight or not moves or (not self.laying and moves == found.bound.moves):
            return []
        with_so_few = " with so few tiles" if self.laying else ""
        match found.sooner:
            case Sooner.NEVER:
                return [f"fewer than {counted(moves, 'move')}{with_so_few}: impossible, proved"]
            case Sooner.NOT_FIRST:
                fewer = f"fewer than {counted(moves, 'move')}{with_so_few}: impossible in the first round of a match"
                return [f"{fewer}; fewer than {found.bound.moves}: in any" if found.bound.moves else fewer]
            case Sooner.UNKNOWN:
                proved = f"fewer than {counted(found.bound.moves, 'move')}{with_so_few}: impossible, proved"
                return [proved] if found.bound.moves else []

    def by_chance(self, found: Shortest, below: str) -> Verdict:
        """The search found nothing: the fewest tiles of random play, and what is proved."""
        best: Witness | None = None
        least = (0, 0)
        for s in self.subject.random:
            if s.kind != "settled" and self.goal.met(s.state):
                size = (self.subject.rules.on_table(s.state), len(s.plies))
                if best is None or size < least:
                    best, least = s.witness, size
        if best is None and found.open:
            reason = found.bound.reason or "the search for a hand ran out of time"
            return self.say(Word.UNKNOWN, details=list(filter(None, [below])), reason=reason)
        if best is None:
            return self.say(
                Word.NOT_FOUND, method="bounded search", details=list(filter(None, [below])), depth=found.tried
            )
        known = replace(found, witness=best, tiles=least[0])
        return self.say(
            Word.WITNESSED,
            method="random play",
            details=["; ".join(filter(None, [self.size(*least), below])), *frequency(self.subject, self.goal)],
            doesnt_say=f"{OPEN} {self.counted(known)} are: between {self.range(known)}",
            witness=best,
        )

    def size(self, tiles: int, moves: int) -> str:
        return f"{counted(tiles, 'tile')}, {counted(moves, 'move')}" if self.laying else counted(moves, "move")

    def counted(self, found: Shortest) -> str:
        return "tiles" if self.laying else "moves"

    def range(self, found: Shortest) -> str:
        """`8 and 10`."""
        if self.laying:
            return f"{found.bound.tiles} and {found.tiles}"
        return f"{found.bound.moves} and {len(found.witness.plies) if found.witness is not None else 0}"

    def say(
        self,
        word: Word,
        *,
        method: str = "",
        reason: str = "",
        details: Sequence[str] = (),
        depth: int | None = None,
        witness: Witness | None = None,
        doesnt_say: str = "",
    ) -> Verdict:
        return self.subject.verdict(
            self.item, word, method=method, since=self.started, details=details, span=self.span, reason=reason,
            depth=depth, witness=witness, doesnt_say=doesnt_say,
        )  # fmt: skip
