"""A claim that a number is at most (or at least) another: is it so, is the bound met, and if not, what is the least true one?

What is met comes from plays, what is not from proofs; the gap between them is halved until they touch or neither helps.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from domrules.grammar import core
from domrules.grammar.instance import specialise_expr
from domrules.verifier.battery.found import Found, Sought
from domrules.verifier.battery.play import Situation
from domrules.verifier.battery.seek import PROOFS, ROADS, WHEN, Seeker, looked_at
from domrules.verifier.battery.subject import Subject
from domrules.verifier.solver import Answer
from domrules.verifier.witness import Witness


@dataclass(frozen=True, slots=True)
class Bounded:
    """What is known of the greatest (or least) value. `proved`: nothing goes beyond, None when that is not known of any number."""

    limit: int
    proved: int | None
    method: str
    met: int | None
    witness: Witness | None
    lines: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        return self.met is not None and self.met == self.proved


class Bounds:
    """Works out the greatest value of a number; for `at least` that of its negation."""

    def __init__(self, subject: Subject, c: core.Claim) -> None:
        assert c.measured is not None
        self.subject, self.seeker, self.when = subject, Seeker(subject), WHEN[c.kind]
        number, limit = (specialise_expr(subject.instance, e) for e in c.measured)
        self.sign = 1 if c.bound == "most" else -1
        self.number = number
        self.value = self.sign * int(subject.rules.question(limit)(subject.rules.new_match()))
        self.of = subject.rules.question(number)
        self.deadline = time.process_time() + 3 * subject.seconds
        self.proved: int | None = None
        self.met: int | None = None
        self.witness: Witness | None = None
        self.lines: tuple[str, ...] = ()
        self.road = self.method = ""

    def beyond(self, m: int) -> Sought:
        """A state in which the number is more than m (or less, for `at least`)."""
        limit = core.Lit(self.sign * m, core.INT, self.number.span)
        sides = (limit, self.number) if self.sign == 1 else (self.number, limit)
        return Sought(core.Op("lt", sides, core.BOOL, span=self.number.span), self.when)

    def just(self, m: int) -> Sought:
        """A state in which the number is just m."""
        limit = core.Lit(self.sign * m, core.INT, self.number.span)
        return Sought(core.Op("numeq", (self.number, limit), core.BOOL, span=self.number.span), self.when)

    def found(self) -> Bounded:
        """The answer: the bound that is claimed (or one above it, if it is broken), then the gap below it."""
        self.played()
        if self.met is None or self.met <= self.value:
            self.learn(self.value, self.seeker.seek(self.beyond(self.value)))
        if self.proved is None:
            self.above()
        if self.proved is not None and self.met is not None:
            self.meet()
            self.lower()
            self.raise_met()
            self.close()
        return Bounded(
            self.sign * self.value,
            None if self.proved is None else self.sign * self.proved,
            self.method,
            None if self.met is None else self.sign * self.met,
            self.witness,
            self.lines,
        )

    # ------------------------------------------------------------ what is known

    def played(self) -> None:
        """The greatest value of random play."""
        best: Situation | None = None
        for s in self.subject.random:
            if looked_at(s, self.when) and (self.met is None or self.sign * int(self.of(s.state)) > self.met):
                best, self.met = s, self.sign * int(self.of(s.state))
        if best is not None:
            self.witness, self.lines = best.witness, self.seeker.where(best)

    def learn(self, m: int, found: Found | None) -> bool:
        """Take in what was found about values beyond m; was anything?"""
        if found is None or found.answer is Answer.UNKNOWN:
            return False
        if found.answer is Answer.NO:
            if self.proved is None or m < self.proved:
                self.proved, self.road, self.method = m, found.road, found.method
            return True
        assert found.witness is not None
        value = self.sign * int(self.of(found.witness.reached))
        if self.met is None or value > self.met:
            self.met, self.witness, self.lines = value, found.witness, found.lines
        return True

    # ------------------------------------------------------------ halving

    def above(self) -> None:
        """Some bound, when the claimed one is none."""
        start = max(self.value, self.met if self.met is not None else self.value)
        for m in (start, 2 * abs(start) + 100, 10 * abs(start) + 10_000):
            for road in PROOFS[self.when]:
                self.learn(m, self.seeker.again(self.beyond(m), road))
                if self.proved is not None:
                    return

    def meet(self) -> None:
        """The bound itself, where a table that positions allow leads to it."""
        assert self.proved is not None
        sought = self.just(self.proved)
        if self.met == self.proved or "table" not in ROADS[self.when] or self.seeker.sited(sought) is not None:
            return
        self.learn(self.proved - 1, self.seeker.again(sought, "table"))

    def lower(self) -> None:
        """The least bound that the road which proved the first can prove."""
        assert self.proved is not None
        assert self.met is not None
        low, roads = self.met, PROOFS[self.when]
        if self.road not in roads:
            return
        while low < self.proved and self.in_time:
            middle = (low + self.proved) // 2
            before = self.proved
            self.learn(middle, self.seeker.again(self.beyond(middle), self.road))
            low = max(low, self.met) if self.proved < before else middle + 1

    def raise_met(self) -> None:
        """Values that a short search meets: the bound itself, else between."""
        assert self.proved is not None
        assert self.met is not None
        high = self.proved
        middle = high - 1
        while self.met < high and "search" in ROADS[self.when] and self.in_time:
            before = self.met
            self.learn(middle, self.seeker.again(self.beyond(middle), "search"))
            if self.met == before:
                high = middle
            middle = (self.met + high) // 2

    def close(self) -> None:
        """What goes beyond the greatest value met, by any road."""
        while self.proved is not None and self.met is not None and self.met < self.proved and self.in_time:
            if not self.learn(self.met, self.seeker.seek(self.beyond(self.met))):
                return

    @property
    def in_time(self) -> bool:
        return time.process_time() < self.deadline
