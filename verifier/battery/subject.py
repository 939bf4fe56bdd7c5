"""What every item of the battery starts from: one table, its study, the facts proved of it, the rules to replay with."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import TypeVar, cast

from domrules.grammar import core
from domrules.grammar.source import NOWHERE, Span
from domrules.interpreter.names import value_name
from domrules.interpreter.play import Round
from domrules.interpreter.rules import Rules
from domrules.verifier import facts
from domrules.verifier.battery.ended import Ended
from domrules.verifier.battery.natural import naturals
from domrules.verifier.battery.play import FEW, MATCHES, ROUNDS, Broken, Matches, Remembered, Situation
from domrules.verifier.encode import Encoder
from domrules.verifier.facts import Fact
from domrules.verifier.induction import Induction, Outcome, prove
from domrules.verifier.invariants import computed
from domrules.verifier.relation import Relation
from domrules.verifier.solver import Answer, solve
from domrules.verifier.study import Study
from domrules.verifier.symbols import Symbols
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import Witness, written

SAMPLE = 300
"""Random rounds looked through."""

T = TypeVar("T")


@dataclass
class Subject:
    """One table of a game, in its optimised form. `seconds`: the limit of each query."""

    instance: core.Instance
    seconds: float = 30.0
    seed: int = 1
    started: float = field(default_factory=time.perf_counter)
    found: dict[str, Verdict] = field(default_factory=dict)
    """Verdicts that other items build on."""
    notes: dict[str, object] = field(default_factory=dict, repr=False)
    """What several items want to know, found once."""
    told: Mapping[str, Witness] | None = None
    """A shortest hand to every ending, by name, if another engine found them: then this table alone is asked about."""

    def once(self, what: str, find: Callable[[], T]) -> T:
        """What `find` gives, found out only once under this name."""
        if what not in self.notes:
            self.notes[what] = find()
        return cast(T, self.notes[what])

    @cached_property
    def study(self) -> Study:
        return Study(self.instance)

    @cached_property
    def rules(self) -> Rules:
        return Rules(self.instance)

    @cached_property
    def matches(self) -> Matches:
        """Random matches of the seed."""
        return Matches(self.rules, self.seed)

    @cached_property
    def random(self) -> Remembered[Situation]:
        """What happens in random rounds, the same whenever one asks."""
        return Remembered(self.matches.situations(ROUNDS))

    @cached_property
    def broken(self) -> Remembered[Broken]:
        """Random matches that break a rule, in play or where outcomes are worked out."""
        return Remembered(chain(self.matches.errors(MATCHES), self.matches.outcome_errors(FEW)))

    @cached_property
    def induction(self) -> Induction:
        """Partition and lemmas of the file, tried on this table."""
        return prove(self.study, [facts.partition(self.study), *facts.lemmas(self.study)], seconds=self.seconds)

    @property
    def proved(self) -> Sequence[Fact]:
        """Facts that hold in every position of every round of this table."""
        return self.induction.proved

    @property
    def lost(self) -> tuple[str, ...]:
        """Lemmas that do not hold at this table, or not provably."""
        good = (Outcome.PROVED, Outcome.CONFIGURED)
        return tuple(a.fact.name for a in self.induction.attempts if a.outcome not in good)

    @cached_property
    def invariants(self) -> Sequence[Fact]:
        """Linear facts nobody wrote, proved."""
        return computed(self.study, self.rules, self.proved)

    @cached_property
    def located(self) -> Sequence[Fact]:
        """In which zone the tiles lie that states name, and that they are not the same: guessed, and proved."""
        guesses = [*facts.located(self.study), *facts.apart(self.study)]
        return prove(self.study, guesses, known=self.proved, seconds=self.seconds / 3).established

    @cached_property
    def sited(self) -> Sequence[Fact]:
        """The same of `located` that no lemma is needed for, with the partition."""
        guesses = [facts.partition(self.study), *facts.located(self.study), *facts.apart(self.study)]
        return prove(self.study, guesses, seconds=self.seconds / 3).established

    @cached_property
    def unfinished(self) -> Sequence[Fact]:
        """That the match is not over, where it is so in every position of every round."""
        fact = facts.stated(self.study, "not over", core.negation(self.instance.over))
        return prove(self.study, [fact], known=self.proved, seconds=min(self.seconds, 5.0)).proved

    @cached_property
    def sample(self) -> Remembered[tuple[int, int, Round]]:
        """Random rounds that end: match, number, round. The first falsifier of all that is said of endings."""
        return Remembered(self.matches.rounds(SAMPLE))

    @cached_property
    def ended(self) -> Ended:
        """Any position in which a round has ended, ready to be asked about."""
        found = Ended(self.study, self.proved, partition=self.conserved)
        return replace(found, natural=naturals(found), stages={})

    @property
    def conserved(self) -> bool:
        """Is it proved that every tile lies in exactly one zone?"""
        return self.induction.attempts[0].outcome in (Outcome.PROVED, Outcome.CONFIGURED)

    @cached_property
    def dealt_out(self) -> bool:
        """May some deal be kept? Without any, all that is said of deals and rounds says nothing."""
        asked = self.study.reads.variables(self.instance.redeal)
        encoder = Encoder(self.instance, self.study.view(asked), self.study.reads)
        start = Relation(encoder).start(any_match=True)
        return solve(encoder.dag, [*encoder.side, start.kept], seconds=5.0).answer is not Answer.NO

    def position(self, relation: Relation) -> Symbols:
        """Any well-typed position; tiles lie in one zone only if that is proved."""
        return relation.any_state("s", partition=self.conserved)

    @property
    def scope(self) -> str:
        """The table in words."""
        return told_options(self.instance)

    def verdict(
        self,
        item: str,
        word: Word,
        *,
        method: str = "",
        since: float,
        details: Sequence[str] = (),
        span: Span = NOWHERE,
        reason: str = "",
        doesnt_say: str = "",
        witness: Witness | None = None,
        depth: int | None = None,
    ) -> Verdict:
        """A verdict about this table; `since`: when the work on it began."""
        taken = time.perf_counter() - since
        text = None if witness is None else written(self.rules, witness, {"Item": item, "Verdict": word.value})
        return Verdict(
            item, word, self.scope, method, taken, tuple(details), span, witness, doesnt_say, reason, depth, text
        )


def told_options(instance: core.Instance) -> str:
    """A table in words: players, then the options that are not at their default."""
    parts = [f"players={instance.players}"]
    for name, value in instance.options.items():
        option = instance.game.options[name]
        default = option.default.value if isinstance(option.default, core.Lit) else None
        shown = value_name(instance, option.type, value)
        if value != default and shown != default:
            parts.append(f"{name}={shown}")
    return " ".join([*parts, *(f"{name}=any" for name in instance.open)])
