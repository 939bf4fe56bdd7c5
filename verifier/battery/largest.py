"""The most that a hand can pay: by its settlements, and by a move; as a bound that is proved, beside what was seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from domrules.compiler.writer import Unsupported
from domrules.grammar import core
from domrules.verifier.battery import rare
from domrules.verifier.battery.bonuses import awards
from domrules.verifier.battery.ended import Stage
from domrules.verifier.battery.paths import above
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import Bit, Number
from domrules.verifier.solver import Answer

ENDLESS = 100_000
"""Nobody is paid so much by one hand; if so much is possible, there is no bound."""
SECONDS = 2.0
"""Of each query."""
MOVES = 60
"""Random rounds whose moves are looked through."""


def largest(subject: Subject) -> Iterator[str]:
    """One line for settlements, one for moves, where they pay."""
    known = list(awards(subject.instance))
    if any(award.settlement is not None for award in known):
        yield _settlements(subject)
    if any(award.action is not None for award in known):
        yield _moves(subject)


def _settlements(subject: Subject) -> str:
    sample = (most(subject.rules.scores(p.ended), subject.rules.scores(p.settled)) for _, _, p in subject.sample)
    seen = max([_found(subject)[1], *sample])
    for first, when in ((False, ""), (True, " in a first round")):
        bound = _settled_at_most(subject, seen, first=first)
        if bound is not None and bound < ENDLESS:
            earlier = "; later rounds may add what was carried over" if first else ""
            return f"the end of a hand pays at most {bound}{when} (seen: {seen}){earlier}"
        if bound is None:
            break
    return f"the end of a hand was seen to pay {seen}; no bound was found"


def most(before: Sequence[int], after: Sequence[int]) -> int:
    """The greatest change of a score."""
    return max((b - a for a, b in zip(before, after, strict=True)), default=0)


def _settled_at_most(subject: Subject, seen: int, *, first: bool) -> int | None:
    """No settlement pays more; ENDLESS when it may pay anything, None when the solver gives up."""
    stage = subject.ended.stage(0)
    dag = stage.encoder.dag
    changes = [
        _change(stage, var, i) for var in subject.instance.role("state", "score") for i in subject.instance.cells(var)
    ]
    base = _fresh(subject, stage) if first else []

    def reached(limit: int) -> Bit:
        return dag.any(dag.at_least_zero(dag.add(change, Number(-limit))) for change in changes)

    low, high = max(seen, 0), ENDLESS
    while low < high:
        middle = min(2 * low + 16, (low + high + 1) // 2)
        middle = ENDLESS if middle > 10_000 else middle
        result = stage.check([*base, reached(middle)], seconds=SECONDS)
        if result.answer is Answer.UNKNOWN:
            return None
        if result.answer is Answer.NO:
            high = middle - 1
        else:
            assert result.model is not None
            low = max(middle, *(result.model.number(change) for change in changes))
    return min(low, ENDLESS)


def _change(stage: Stage, var: str, index: int | None) -> Number:
    after, before = stage.states[-1].cells[var, index], stage.states[0].cells[var, index]
    assert isinstance(after, Number)
    assert isinstance(before, Number)
    return stage.encoder.dag.add(after, before, -1)


def _fresh(subject: Subject, stage: Stage) -> list[Bit]:
    """Numbers of the match, but for the scores, are as a match begins."""
    dag, found = stage.encoder.dag, list[Bit]()
    for (name, _), value in stage.states[0].cells.items():
        var = subject.instance.vars[name]
        if (
            isinstance(value, Number)
            and var.life is core.Life.MATCH
            and var.role != "score"
            and isinstance(var.init, core.Lit)
        ):
            found.append(
                dag.is_zero(dag.add(value, Number(-int(var.init.value or 0)))) if isinstance(var.init.value, int) else 1
            )
    return found


def _moves(subject: Subject) -> str:
    seen = _seen(subject)
    bound = max(seen, 0)
    for award in awards(subject.instance):
        if award.action is None:
            continue
        low, high, step = bound, ENDLESS, 1
        while low < high:
            middle = min(low + step, (low + high + 1) // 2)
            middle, step = ENDLESS if middle > 10_000 else middle, 2 * step
            e = award.paid(subject.instance, partial(above, limit=middle - 1))
            result = subject.ended.in_play(e, seconds=SECONDS)
            if result.answer is Answer.UNKNOWN:
                return f"a move was seen to pay {seen}; no bound was found"
            low, high = (low, middle - 1) if result.answer is Answer.NO else (middle, high)
        bound = low
    if bound >= ENDLESS:
        return f"a move was seen to pay {seen}; no bound was found"
    return f"a move pays at most {bound} (seen: {seen})"


def _found(subject: Subject) -> tuple[int, int]:
    """The most that very many first rounds were seen to pay: by a move, and by their settlements."""
    return subject.once("most", lambda: _most(subject))


def _most(subject: Subject) -> tuple[int, int]:
    try:
        return rare.most(subject)
    except Unsupported:
        return 0, 0


def _seen(subject: Subject) -> int:
    rules, before, found = subject.rules, None, _found(subject)[0]
    for s in subject.matches.situations(MOVES):
        now = rules.scores(s.state)
        if s.kind == "played" and before is not None:
            found = max(found, most(before, now))
        before = now
    return found
