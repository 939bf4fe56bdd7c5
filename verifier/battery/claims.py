"""The claims of the file: each asks whether there is some state, `seek` finds the road, and here its answer becomes a verdict."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from domrules.grammar import core
from domrules.grammar.instance import folder, specialise_expr
from domrules.grammar.static import of_numbers_alone
from domrules.verifier.battery.bounds import Bounded, Bounds
from domrules.verifier.battery.fewest import fewest
from domrules.verifier.battery.found import Found, Sought
from domrules.verifier.battery.frequency import frequency
from domrules.verifier.battery.seek import WHEN, Seeker
from domrules.verifier.battery.subject import Subject
from domrules.verifier.encode import Encoder
from domrules.verifier.goal import stated
from domrules.verifier.solver import Answer, Engine, solve
from domrules.verifier.symbols import Symbols
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import Witness


def claims(subject: Subject) -> list[Verdict]:
    """All claims of the file."""
    return [claim(subject, c) for c in subject.instance.game.claims]


def claim(subject: Subject, c: core.Claim) -> Verdict:
    """One claim."""
    started = time.perf_counter()
    if c.kind == "numbers":
        return _numbers(subject, c)
    if c.bound:
        return _Claim(subject, c).bounded(Bounds(subject, c).found())
    body = specialise_expr(subject.instance, c.body)
    if c.kind == "shortest":
        return fewest(subject, c.name, stated(subject.study, subject.rules, body), started, c.span)
    return _Claim(subject, c).sought(body)


def everywhere(game: core.Game, c: core.Claim) -> bool:
    """Is the answer to this claim the same at every table?"""
    return c.kind == "numbers" and of_numbers_alone(game, c.body)


def _numbers(subject: Subject, c: core.Claim) -> Verdict:
    """for all n: over all whole numbers."""
    started = time.perf_counter()
    body = folder(subject.instance)(c.body)
    encoder = Encoder(subject.instance)
    unknowns = {name: encoder.dag.unknown(name) for name in c.vars}
    broken = -encoder.truth(body, Symbols({}), unknowns)
    result = solve(encoder.dag, [broken], seconds=subject.seconds, engines=(Engine.GENERAL,))
    match result.answer:
        case Answer.NO:
            word = Word.PROVED_ANY_SIZE if everywhere(subject.instance.game, c) else Word.PROVED
            return subject.verdict(c.name, word, method="all integers", since=started, span=c.span)
        case Answer.UNKNOWN:
            return subject.verdict(c.name, Word.UNKNOWN, since=started, span=c.span, reason=result.reason)
        case _:
            assert result.model is not None
            at = ", ".join(f"{name.split('~')[0]} = {result.model.number(n)}" for name, n in unknowns.items())
            return subject.verdict(
                c.name, Word.REFUTED, method="all integers", since=started, span=c.span, details=[f"not for {at}"]
            )


class _Claim:
    """A claim about states on its way to a verdict."""

    def __init__(self, subject: Subject, c: core.Claim) -> None:
        self.subject, self.c, self.seeker = subject, c, Seeker(subject)
        self.started = time.perf_counter()

    def sought(self, body: core.Expr) -> Verdict:
        """A state that shows it (reachable), or one that breaks it."""
        wanted = self.c.kind == "reachable"
        e = body if self.c.kind in ("reachable", "never") else core.negation(body)
        found = self.seeker.seek(Sought(e, WHEN[self.c.kind]))
        match found.answer:
            case Answer.YES:
                return self.shown(Word.WITNESSED if wanted else Word.REFUTED, found, e)
            case Answer.NO if wanted:
                return self.say(Word.IMPOSSIBLE, method=found.method)
            case Answer.NO:
                return self.hollow(self.say(Word.PROVED, method=found.method))
            case _ if wanted and found.depth is not None and not found.reason:
                return self.say(Word.NOT_FOUND, method="bounded search", depth=found.depth)
            case _:
                undecided = "neither random play, nor one state, nor induction, nor a short search decides it"
                return self.say(Word.UNKNOWN, reason=found.reason or undecided)

    def shown(self, word: Word, found: Found, e: core.Expr) -> Verdict:
        """A verdict with its witness, and how rare such a round is."""
        assert found.witness is not None
        rare = (
            []
            if self.c.kind != "reachable"
            else frequency(self.subject, stated(self.subject.study, self.subject.rules, e))
        )
        return self.say(word, method=found.method, details=[*found.lines, *rare], witness=found.witness)

    # ------------------------------------------------------------ premises

    def hollow(self, proved: Verdict) -> Verdict:
        """A proved `A implies B` in which A never holds is no pass."""
        for premise in self.c.premises:
            body = specialise_expr(self.subject.instance, premise)
            found = self.seeker.seek(Sought(body, WHEN[self.c.kind]))
            if found.answer is Answer.NO:
                how = f" ({found.method})" if found.method else ""
                return replace(proved, word=Word.HOLLOW, reason=f"its premise never holds{how}: {told(premise)}")
            if found.answer is Answer.UNKNOWN:
                silent = f"that its premise ever holds: {told(premise)}"
                proved = replace(proved, doesnt_say="; ".join(filter(None, [proved.doesnt_say, silent])))
        return proved

    # ------------------------------------------------------------ bounds

    def bounded(self, b: Bounded) -> Verdict:
        """Is the claimed bound right, and is it the least (greatest) one?"""
        most = self.c.bound == "most"
        word, greatest = ("most", "greatest") if most else ("least", "least")
        broken = b.met is not None and (b.met > b.limit if most else b.met < b.limit)
        details = list[str]()
        if b.exact:
            details.append(f"the {greatest} value is {b.met}: it is met, and at {word} {b.proved} is proved")
        else:
            details += [f"at {word} {b.proved} is proved"] if b.proved is not None else []
            details += [f"{b.met} is met"] if b.met is not None else []
        details += b.lines
        silent = "" if b.exact else f"what the {greatest} value is"
        if broken:
            method = "a play" + (f"; the bound by {b.method}" if b.proved is not None else "")
            return self.say(Word.REFUTED, method=method, details=details, witness=b.witness, doesnt_say=silent)
        if b.proved is None or (b.proved > b.limit if most else b.proved < b.limit):
            reason = "no road proves this bound, and no play was found that breaks it"
            return self.say(Word.UNKNOWN, reason=reason, details=details, witness=b.witness)
        return self.say(Word.PROVED, method=b.method, details=details, witness=b.witness, doesnt_say=silent)

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
            self.c.name, word, method=method, since=self.started, details=details, span=self.c.span, reason=reason,
            depth=depth, witness=witness, doesnt_say=doesnt_say,
        )  # fmt: skip


def told(premise: core.Expr) -> str:
    """A premise as written, on one line."""
    return " ".join(" and ".join(part.span.text for part in core.conjuncts(premise)).split())
