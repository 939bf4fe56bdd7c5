"""Is there a state in which something holds? Asked by the cheapest road that decides it, and the answer says which.

    found = Seeker(subject).seek(Sought(e, "played"))

Random play may show one at once. That there is none may follow from numbers alone, from the deal, from one position under the
proved facts (then under computed invariants), from induction over moves, or from all plays of a round to its end. A search
of a few moves looks for one in between. What is found is replayed; what none of these decides stays open.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from domrules.grammar import core
from domrules.interpreter.play import Round
from domrules.interpreter.state import State
from domrules.verifier import facts, forget
from domrules.verifier.battery.climb import climb
from domrules.verifier.battery.deals import deals
from domrules.verifier.battery.ended import sums
from domrules.verifier.battery.found import Found, Sought
from domrules.verifier.battery.nearness import nearness
from domrules.verifier.battery.play import Situation
from domrules.verifier.battery.settling import Settling
from domrules.verifier.battery.subject import Subject
from domrules.verifier.battery.tabled import tabled
from domrules.verifier.dag import FALSE, Bit
from domrules.verifier.facts import Fact
from domrules.verifier.goal import stated
from domrules.verifier.induction import Outcome, prove
from domrules.verifier.solver import Answer, solve
from domrules.verifier.unroll import Play
from domrules.verifier.witness import Unreplayable, Witness

SOON = 8
"""Moves of the bounded search for small witnesses."""
TRIES = 2_000
"""Rounds of the search that changes rounds, for each second that a query may take."""
LONG = 30
"""Rounds of random play that are longer than this say that a round is not searched to its end."""

Road = Callable[["Seeker", Sought], Found | None]


class Seeker:
    """Looks for states of one table."""

    def __init__(self, subject: Subject) -> None:
        self.subject, self.study = subject, subject.study

    def seek(self, sought: Sought) -> Found:
        """The answer of the first road that has one."""
        reason, depth = "", None
        for name, road in ROADS[sought.when].items():
            found = road(self, sought)
            if found is None:
                continue
            if found.answer is not Answer.UNKNOWN:
                return replace(found, road=name)
            reason, depth = found.reason or reason, found.depth if found.depth is not None else depth
        return Found(Answer.UNKNOWN, reason=reason, depth=depth)

    def again(self, sought: Sought, road: str) -> Found | None:
        """What one road says."""
        found = ROADS[sought.when][road](self, sought)
        return None if found is None else replace(found, road=road)

    # ------------------------------------------------------------ random play

    def random(self, sought: Sought) -> Found | None:
        """A state of random play."""
        holds = self.subject.rules.question(sought.e)
        settled_too = self.lasting(sought)
        for s in self.subject.random:
            if (looked_at(s, sought.when) or settled_too) and holds(s.state):
                return Found(Answer.YES, "random play", s.witness, lines=self.where(s))
        return None

    def where(self, s: Situation) -> tuple[str, ...]:
        return (f"match {s.match} of seed {self.subject.seed}, round {s.round}",)

    def lasting(self, sought: Sought) -> bool:
        """Does it speak only of what settlements write? That stands all through the next round, so it is looked at at once."""
        instance, reads = self.subject.instance, self.study.reads
        blocks = [*instance.begin, *(block for action in instance.actions for block in action.blocks)]
        written = {target for b in blocks for s in b for target, _ in forget.written(reads, s, frozenset())}
        asked = sought.reads(self.study)
        return (
            sought.when == "played"
            and bool(asked - written)
            and all(instance.vars[v].life is core.Life.MATCH and v not in written for v in asked)
        )

    def climbed(self, sought: Sought) -> Found | None:
        """A round that was looked for, where numbers that are compared say how near a round comes."""
        rules = self.subject.rules
        near = nearness(rules, sought.e)
        if near is None:
            return None
        settled = sought.when == "settled" or self.lasting(sought)

        def wish(played: Round) -> float:
            return near(played.settled if settled else played.ended)

        tries = int(TRIES * self.subject.seconds)
        played = climb(rules, wish, tries=tries, seed=self.subject.seed)
        if played is None:
            return None
        reached = played.settled if settled else played.ended
        return Found(Answer.YES, "a round that was looked for, played", Witness(played.dealt, played.plies, reached))

    # ------------------------------------------------------------ one position

    def arithmetic(self, sought: Sought) -> Found | None:
        """In no position at all, whatever the sums over tiles are."""
        view = replace(self.study.view(sought.reads(self.study), keep_numbers=True), opaque=sums(self.subject.instance))
        encoder, relation = self.study.open(view)
        bit = encoder.truth(sought.e, self.study.closed(relation, relation.any_state("s", partition=False)))
        if bit == FALSE:
            return Found(Answer.NO, "the types of this table")
        result = solve(encoder.dag, [*encoder.side, bit], seconds=min(2.0, self.subject.seconds))
        return Found(Answer.NO, "arithmetic, any position") if result.answer is Answer.NO else None

    def position(self, sought: Sought) -> Found | None:
        """In no position that the proved facts allow."""
        return self.sited(sought) or self.under(sought, self.known(sought), "one position, proved facts")

    def sited(self, sought: Sought) -> Found | None:
        """The same without lemmas, for what names tiles: they lie where they do, and are not the same."""
        if not sought.reads(self.study) & facts.naming(self.study):
            return None
        return self.under(sought, self.subject.sited, "one position, where tiles lie", conserved=False)

    def invariants(self, sought: Sought) -> Found | None:
        """In none that the computed invariants allow either."""
        known = [*self.known(sought), *self.subject.invariants]
        return self.under(sought, known, "one position, proved facts and computed invariants")

    def known(self, sought: Sought) -> Sequence[Fact]:
        """The proved facts; that the match is not over is of help only to those who ask for what lasts."""
        reads = sought.reads(self.study)
        named = self.subject.located if reads & facts.naming(self.study) else ()
        return [*self.subject.proved, *named, *(f for f in self.subject.unfinished if f.reads & reads)]

    def under(self, sought: Sought, known: Sequence[Fact], method: str, *, conserved: bool = True) -> Found | None:
        """Sums over tiles are first taken to be any numbers, then what they are."""
        asked = sought.reads(self.study) | facts.asked(known)
        for opaque in dict.fromkeys((sums(self.subject.instance), frozenset[str]())):
            view = replace(self.study.view(asked, keep_numbers=True), opaque=opaque)
            encoder, relation = self.study.open(view)
            state = self.subject.position(relation) if conserved else relation.any_state("s", partition=False)
            ended = self.study.closed(relation, state)
            assumed = [fact.holds(relation, ended) for fact in known]
            bit = encoder.truth(sought.e, ended)
            result = solve(encoder.dag, [*encoder.side, *assumed, bit], seconds=self.subject.seconds)
            if result.answer is Answer.NO:
                return Found(Answer.NO, method)
        return None

    # ------------------------------------------------------------ induction

    def induction(self, sought: Sought) -> Found | None:
        """Not at a beginning, and no move leads there."""
        fact = facts.stated(self.study, "claim", core.negation(sought.e))
        found = prove(self.study, [fact], known=self.known(sought), seconds=self.subject.seconds)
        match found.attempts[0].outcome:
            case Outcome.PROVED | Outcome.CONFIGURED:
                return Found(Answer.NO, "induction over moves")
            case _:
                return None

    # ------------------------------------------------------------ plays

    def table(self, sought: Sought) -> Found | None:
        """The shortest play, where it is said of the table alone."""
        found = tabled(self.subject, stated(self.study, self.subject.rules, sought.e))
        if found is None:
            return None
        if found.witness is None:
            return Found(Answer.NO, found.bound.road)
        return Found(Answer.YES, "a play to such a table, replayed", found.witness)

    def search(self, sought: Sought) -> Found | None:
        """A play of a few moves, from the deal of a first round."""
        reason = ""
        for keep_numbers in (False, True):
            try:
                return self.plays(sought, keep_numbers=keep_numbers)
            except Unreplayable as error:
                reason = str(error)
        return Found(Answer.UNKNOWN, reason=f"a play of the solver is none: {reason}")

    def plays(self, sought: Sought, *, keep_numbers: bool) -> Found:
        """Raises `Unreplayable` when what was forgotten matters."""
        play = self.play(sought, keep_numbers=keep_numbers)
        for depth in range(SOON + 1):
            play.extend(depth)
            goal = self.goal(play, sought)
            if goal == FALSE:
                continue
            result = play.solve(play.reaching(goal), seconds=self.subject.seconds)
            if result.model is not None:
                return self.replayed(sought, play.replay(self.subject.rules, result.model))
            if result.answer is Answer.UNKNOWN:
                return Found(Answer.UNKNOWN, reason=result.reason)
        return Found(Answer.UNKNOWN, depth=SOON)

    def play(self, sought: Sought, *, keep_numbers: bool, any_match: bool = False) -> Play:
        return Play(
            self.study, self.study.view(sought.reads(self.study), keep_numbers=keep_numbers), any_match=any_match
        )

    def goal(self, play: Play, sought: Sought) -> Bit:
        """It holds at the end of a play, before or after it is settled."""
        relation, end = play.relation, play.end
        if sought.when == "played":
            return relation.encoder.truth(sought.e, end)
        ends = relation.dag.any(relation.ends(play.states[-1], at_start=not play.steps))
        if ends == FALSE:
            return FALSE
        settled, faults = relation.settle(end)
        return relation.dag.all([ends, relation.encoder.truth(sought.e, settled), *(-f.bit for f in faults)])

    def replayed(self, sought: Sought, witness: Witness) -> Found:
        """Raises `Unreplayable` when it does not hold there."""
        rules = self.subject.rules
        state: State = rules.settle(witness.reached) if sought.when == "settled" else witness.reached
        if not rules.question(sought.e)(state):
            raise Unreplayable("what was sought does not hold at its end")
        return Found(Answer.YES, "bounded search, replayed", replace(witness, reached=state))

    def to_the_end(self, sought: Sought) -> Found | None:
        """All plays of a round, until none goes on: for small tables."""
        longest = max((len(s.plies) for s in self.subject.random if not s.played.broken_off), default=LONG + 1)
        if longest > LONG:
            return None
        play = self.play(sought, keep_numbers=True, any_match=True)
        deadline = time.process_time() + self.subject.seconds
        for depth in range(2 * LONG):
            play.extend(depth)
            here = self.ask(play, self.goal(play, sought), deadline)
            if here is Answer.YES:
                return self.deep(sought, depth)
            on = self.ask(play, play.relation.goes_on(play.states[-1], at_start=depth == 0), deadline)
            if Answer.UNKNOWN in (here, on):
                return None
            if on is Answer.NO:
                return Found(Answer.NO, f"all plays of a round, none of which has more than {max(depth, 1)} moves")
        return None

    def ask(self, play: Play, goal: Bit, deadline: float) -> Answer:
        """Can a play end so?"""
        left = deadline - time.process_time()
        if goal == FALSE:
            return Answer.NO
        return Answer.UNKNOWN if left <= 0 else play.solve(play.reaching(goal), seconds=left).answer

    def deep(self, sought: Sought, depth: int) -> Found | None:
        """A first round of so many moves that shows it, if there is one."""
        play = self.play(sought, keep_numbers=True)
        play.extend(depth)
        result = play.solve(play.reaching(self.goal(play, sought)), seconds=self.subject.seconds)
        if result.model is None:
            return None
        try:
            return self.replayed(sought, play.replay(self.subject.rules, result.model))
        except Unreplayable:
            return None

    # ------------------------------------------------------------ deals and settlements

    def deals(self, sought: Sought) -> Found | None:
        return deals(self.subject, sought)

    def settlement(self, sought: Sought) -> Found | None:
        return Settling(self.subject, sought, self.known(sought)).found()

    def settlement_invariants(self, sought: Sought) -> Found | None:
        found = Settling(self.subject, sought, [*self.known(sought), *self.subject.invariants]).found()
        return replace(found, method=f"{found.method}, computed invariants") if found.answer is Answer.NO else None


def looked_at(s: Situation, when: str) -> bool:
    """Is a situation of the kind that is spoken of?"""
    return s.kind != "settled" if when == "played" else s.kind == when


ROADS: Mapping[str, Mapping[str, Road]] = {
    "played": {
        "random": Seeker.random,
        "arithmetic": Seeker.arithmetic,
        "position": Seeker.position,
        "table": Seeker.table,
        "invariants": Seeker.invariants,
        "induction": Seeker.induction,
        "climb": Seeker.climbed,
        "search": Seeker.search,
        "to the end": Seeker.to_the_end,
    },
    "dealt": {"random": Seeker.random, "arithmetic": Seeker.arithmetic, "deals": Seeker.deals},
    "settled": {
        "random": Seeker.random,
        "settlement": Seeker.settlement,
        "invariants": Seeker.settlement_invariants,
        "climb": Seeker.climbed,
        "search": Seeker.search,
        "to the end": Seeker.to_the_end,
    },
}
"""For each kind of state the roads, in the order in which they are tried."""
PROOFS: Mapping[str, Sequence[str]] = {
    "played": ("arithmetic", "position", "table", "invariants", "induction"),
    "dealt": ("arithmetic", "deals"),
    "settled": ("settlement", "invariants"),
}
"""Of these roads those that prove something without going through plays."""
WHEN: Mapping[str, str] = {
    "always": "played",
    "never": "played",
    "reachable": "played",
    "dealt": "dealt",
    "settled": "settled",
}
"""The states that a kind of claim speaks of."""
