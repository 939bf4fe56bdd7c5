"""Is there a play of k moves such that ...? A round unrolled move by move from a symbolic deal that the rules keep.

    play = Play(study, study.view(asked), facts)       # facts: proved, asserted of every position; they guide the solver
    play.extend(k)
    bits = play.reaching(goal(play.relation, play.end))    # the round goes on until then
    result = play.solve([*bits, ...], seconds=60);  witness = play.replay(rules, result.model)

A goal is a bit of `play.end`, the position after the last move with its ending, if it has one, written down.
"""

from __future__ import annotations

from collections.abc import Sequence

from domrules.grammar import core
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.verifier.dag import Bit
from domrules.verifier.facts import Fact
from domrules.verifier.relation import ENDING, Choice, Step
from domrules.verifier.solver import Formulas, Result, solve
from domrules.verifier.study import Study
from domrules.verifier.symbols import Symbols, lasting
from domrules.verifier.valuation import Valuation
from domrules.verifier.view import View
from domrules.verifier.witness import Witness, replay


class Play:
    """A round in as many moves as asked for; it can be made longer, never shorter.

    The first round of a match, or the one after `before`; with `any_match` any that might be, of which only a "no" counts.
    """

    def __init__(
        self, study: Study, view: View, facts: Sequence[Fact] = (), *, tag: str = "", any_match: bool = False,
        before: State | None = None,
    ) -> None:  # fmt: skip
        # What the last move ends is not written down in its position: facts about endings would say too much of it.
        self.facts, self.tag = [fact for fact in facts if ENDING[0] not in fact.reads], tag
        self.encoder, self.relation = study.open(view)
        self.before = before
        known = None if before is None else lasting(study.instance, before, self.encoder.view.forgotten)
        self.start = self.relation.start(any_match=any_match, before=known)
        self.steps: list[Step] = []
        self.states: list[Symbols] = [self.start.begun]
        self.formulas = Formulas(self.encoder.dag)
        self._bits: list[Bit] = [self.start.kept, *self.start.sound]

    @property
    def differs(self) -> bool:
        """Does anything of an earlier round matter here?"""
        forgotten, instance = self.encoder.view.forgotten, self.relation.instance
        kept = (v for v in instance.vars.values() if v.name not in forgotten and not v.zone)
        return any(v.life is core.Life.MATCH and v.name not in instance.open for v in kept)

    def extend(self, depth: int) -> None:
        """Make it `depth` moves long."""
        while len(self.steps) < depth:
            before, number = self.states[-1], len(self.steps)
            step = self.relation.step(before, f"{self.tag}{number}")
            after = self.relation.named(step.after, f"{self.tag}{number}")
            self._bits += [self.relation.goes_on(before, at_start=number == 0), *step.taken]
            self._bits += [fact.holds(self.relation, after) for fact in self.facts]
            self.steps.append(step)
            self.states.append(after)

    @property
    def end(self) -> Symbols:
        """The position after the last move, its ending written down."""
        return self.relation.concluded(self.states[-1], at_start=not self.steps)

    def reaching(self, goal: Bit) -> list[Bit]:
        """All that must hold for the play to come to its last position, and the goal there."""
        return [*self.encoder.side, *self._bits, goal]

    def solve(self, bits: Sequence[Bit], *, seconds: float) -> Result:
        """Can all of it hold?"""
        return solve(self.encoder.dag, bits, seconds=seconds, formulas=self.formulas)

    def ways(self, made: Sequence[Choice]) -> Sequence[tuple[Choice, Bit]]:
        """After these moves the next ones, in canonical order, each with the bit that it is made."""
        return [(choice, choice.bit) for choice in self.steps[len(made)].choices]

    def replay(self, rules: Rules, model: Valuation) -> Witness:
        """Let the interpreter play it. Raises `Unreplayable`."""
        return replay(rules, model, self.start.dealt, [step.choices for step in self.steps], self.before)
