"""C8: nobody is paid less than nothing, unless the file says so.

It says so by an amount, or a row of a table, that is never positive (a fine: it only takes away), by what is paid adding
up to nothing (what one gets, others lose), or by a score whose range begins below zero.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from domrules.grammar import core
from domrules.verifier.battery.bonuses import AT_START, Award, awards, given_at_start
from domrules.verifier.battery.ended import Stage
from domrules.verifier.battery.paths import Wanted, above, below
from domrules.verifier.battery.play import Situation
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import Bit, Number
from domrules.verifier.facts import asked
from domrules.verifier.solver import Answer, Result, solve
from domrules.verifier.verdict import Verdict, Word

SAYS_NOT = "whether going out pays enough: E5 asks that"


def c8(subject: Subject) -> Verdict:
    """Is every award at least 0, or meant to be less?"""
    started = time.perf_counter()
    instance = subject.instance
    if not instance.role("state", "score"):
        return subject.verdict("C8", Word.SKIPPED, since=started, reason="no state is `as score`")
    if given_at_start(instance):
        return subject.verdict("C8", Word.UNKNOWN, since=started, reason=AT_START)
    known = list(awards(instance))
    if not known:
        return subject.verdict("C8", Word.SKIPPED, since=started, reason="nothing is added to a score")
    fines: list[str] = []
    doubtful: list[tuple[Award, core.Expr, Result]] = []
    for award in known:
        for amount in award.amounts(instance):
            result = possible(subject, award, only(amount, below))
            if result.answer is Answer.NO:
                continue
            meant = _meant(subject, award, amount)
            if meant is None:
                doubtful.append((award, amount, result))
            else:
                fines.append(f"{amount.span}: {meant}")
    if doubtful:
        found = [_finding(subject, award, amount, result, started) for award, amount, result in doubtful]
        return next((verdict for verdict in found if verdict.word is Word.REFUTED), found[0])
    method = "any ended position, and any position in play"
    return subject.verdict(
        "C8",
        Word.PROVED,
        method=method,
        since=started,
        details=list(dict.fromkeys(fines)),
        span=known[0].span,
        doesnt_say=SAYS_NOT,
    )


def only(amount: core.Expr, asks: Callable[[core.Expr, int], core.Expr]) -> Wanted:
    """Something about this amount of an award, and about no other."""
    return lambda value: asks(value, 0) if value is amount else core.FALSE


def possible(subject: Subject, award: Award, amount: Wanted) -> Result:
    """Can it be carried out with such a value? NO is final."""
    e = award.paid(subject.instance, amount)
    if award.settlement is not None:
        return subject.ended.ask(award.settlement, e, seconds=subject.seconds)[0]
    return in_play(subject, award, e)


def in_play(subject: Subject, award: Award, e: core.Expr) -> Result:
    """Can this hold when the award of an action is worked out? Asked of any position, then of a move from any position."""
    result = subject.ended.in_play(e, seconds=subject.seconds)
    if result.answer is Answer.NO or not lasting(subject, award):
        return result
    result = subject.ended.in_play(e, facts=True, seconds=subject.seconds)
    return result if result.answer is Answer.NO or award.binds else moved(subject, award, e)


def moved(subject: Subject, award: Award, e: core.Expr) -> Result:
    """Can it hold after a move of just this action? The amount is that of the position after it (see `lasting`)."""
    study, facts = subject.study, subject.proved
    view = study.view(study.reads.variables(e) | asked(facts), keep_numbers=True)
    encoder, relation = study.open(view)
    state = subject.position(relation)
    step = relation.step(state, "x")
    number = next(i for i, action in enumerate(subject.instance.actions) if action is award.action)
    mine = encoder.dag.any(choice.bit for choice in step.choices if choice.action == number)
    known = [fact.holds(relation, state) for fact in facts]
    query = [*known, study.resting(relation, state), *step.chosen, mine, encoder.truth(e, step.after)]
    return solve(encoder.dag, [*encoder.side, *query], seconds=subject.seconds)


def lasting(subject: Subject, award: Award) -> bool:
    """Is the position in which it is worked out also that after the move, as far as it matters?

    So it is in the last block of an action, when nothing is read that the block writes: then the proved facts hold there.
    """
    reads = subject.study.reads
    written = {s.var for s in award.block if isinstance(s, core.Set)} | {"moves", "ending"}
    return (
        award.last
        and all(isinstance(s, core.Set) for s in award.block)
        and not written & (reads.variables(award.value) | reads.variables(award.add.index))
    )


def _meant(subject: Subject, award: Award, amount: core.Expr) -> str | None:
    """How the file says that less than nothing is meant."""
    if possible(subject, award, only(amount, above)).answer is Answer.NO:
        return "a fine, it never gives anything"
    low = subject.instance.vars[award.add.var].low
    if low is not None and low < 0:
        return f"it may take away: the score may be as low as {low}"
    if award.settlement is not None and _balanced(subject, award.settlement, award.add.var):
        return "it may take away: all that is paid adds up to 0"
    return None


def _balanced(subject: Subject, number: int, score: str) -> bool:
    """Does a settlement give nothing but what it takes?"""

    def differs(stage: Stage) -> Bit:
        dag, total = stage.encoder.dag, Number()
        for index in subject.instance.cells(score):
            after, before = stage.states[number + 1].cells[score, index], stage.states[number].cells[score, index]
            assert isinstance(after, Number)
            assert isinstance(before, Number)
            total = dag.add(dag.add(total, after), before, -1)
        return -dag.is_zero(total)

    return subject.ended.check(differs, seconds=subject.seconds)[0].answer is Answer.NO


def _finding(subject: Subject, award: Award, amount: core.Expr, result: Result, started: float) -> Verdict:
    found = _in_settlement(subject, award, amount) if award.settlement is not None else _in_play(subject, award)
    if found is not None:
        at, change = found
        help_ = "help: write `when … > 0`, or a row of its own that takes away, or a score that may be negative: `int -500..500`"
        return subject.verdict(
            "C8", Word.REFUTED, method="random play", since=started, details=[at.place(subject.seed), change, help_],
            span=amount.span, witness=at.witness,
        )  # fmt: skip
    reason = "less than nothing may be paid in a position that the proved facts allow, but that no play may reach"
    if result.answer is Answer.UNKNOWN:
        reason = result.reason
    return subject.verdict("C8", Word.UNKNOWN, since=started, reason=reason, span=amount.span)


def _in_settlement(subject: Subject, award: Award, amount: core.Expr) -> tuple[Situation, str] | None:
    """A random round after which a score is less for it."""
    rules, number = subject.rules, award.settlement
    holds = rules.question(award.paid(subject.instance, only(amount, below)))
    for match, round_, played in subject.sample:
        if holds(rules.settle(played.ended, number)):
            at = Situation("settled", played.settled, played, played.plies, match, round_)
            before, after = rules.scores(played.ended), rules.scores(played.settled)
            return at, f"scores: {told(before)}, then {told(after)}"
    return None


def _in_play(subject: Subject, award: Award) -> tuple[Situation, str] | None:
    """A random move after which a score is less."""
    rules, before = subject.rules, None
    for s in subject.matches.situations(100):
        now = rules.scores(s.state)
        action = rules.instance.actions[s.plies[-1].move.action] if s.plies else None
        less = before is not None and any(a < b for a, b in zip(now, before, strict=True))
        if s.kind == "played" and action is award.action and before is not None and less:
            return s, f"scores: {told(before)}, then {told(now)}"
        before = now
    return None


def told(scores: Sequence[int]) -> str:
    return " ".join(map(str, scores))
