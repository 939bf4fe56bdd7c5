"""A plan from question to verdict: what an earlier run knows, what workers find, and what was not reached in time."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

from domrules.verifier.battery.run import Plan
from domrules.verifier.store import Store
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.workers import Crew, Watch


@dataclass
class Inquiry:
    """`until`: when to stop, as time.monotonic has it; without a `store` nothing is looked up or kept."""

    plan: Plan
    store: Store | None = None
    jobs: int = 1
    until: float | None = None
    found: dict[int, Verdict] = field(default_factory=dict)
    """Verdicts by the place of their question in the plan."""
    exhausted: bool = False
    """Was time up before all was answered?"""
    early: dict[int, Verdict] = field(default_factory=dict)
    """What is established of questions that are not answered in full."""

    def verdicts(self, watch: Watch) -> Generator[Verdict, None, None]:
        """In the order of the plan, each once it and all before it are known. Raises Crash and BadFile.

        However it ends, `found` has what is known, and no worker is left.
        """
        shown = 0
        with contextlib.closing(self._steps(watch)) as steps:
            for _ in steps:
                while shown in self.found:
                    yield self.found[shown]
                    shown += 1
        if self.store is not None:
            self.store.tidy()

    def _steps(self, watch: Watch) -> Generator[None, None, None]:
        """A step whenever something was found."""
        questions = self.plan.questions
        if self.store is not None:
            known = {number: self.store.find(question) for number, question in enumerate(questions)}
            self.found |= {number: verdict for number, verdict in known.items() if verdict is not None}
            yield
        crew = Crew(self.plan, self.missing, self.jobs, early=self.early)
        try:
            with contextlib.closing(crew.answers(self.until, watch)) as answers:
                for number, verdict in answers:
                    self.found[number] = verdict
                    if self.store is not None:
                        self.store.keep(questions[number], verdict)
                    yield
            self.exhausted = bool(self.missing)
        finally:
            self.found = self.early | self.found
        for number in self.missing:
            question = questions[number]
            scope = self.plan.scope(question)
            self.found[number] = Verdict(question.name, Word.UNKNOWN, scope, reason="budget")
        yield

    @property
    def missing(self) -> list[int]:
        """Places of the questions without a verdict."""
        return [number for number in range(len(self.plan.questions)) if number not in self.found]

    @property
    def ordered(self) -> Sequence[Verdict]:
        """All that is known, in the order of the plan."""
        return [self.found[number] for number in sorted(self.found)]
