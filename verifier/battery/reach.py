"""C9: every bonus is paid somewhere, and a hand is worth at most so much.

A bonus is a statement that adds to a score, and every row of a table that the amount comes from. Random play shows most of
them; what it does not show may be impossible (asked of positions), or just rare.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import compress

from domrules.compiler import sift
from domrules.compiler.writer import Unsupported
from domrules.grammar import core
from domrules.grammar.diagnostics import counted
from domrules.grammar.passes import optimise
from domrules.grammar.source import Span
from domrules.interpreter.tables import tables
from domrules.verifier.battery import rare
from domrules.verifier.battery.awards import in_play
from domrules.verifier.battery.bonuses import AT_START, Award, awards, given_at_start, not_zero, rows
from domrules.verifier.battery.ended import Ended
from domrules.verifier.battery.largest import largest
from domrules.verifier.battery.play import Matches
from domrules.verifier.battery.subject import Subject
from domrules.verifier.solver import Answer
from domrules.verifier.study import Study
from domrules.verifier.verdict import Verdict, Word

ROUNDS = 2_000
"""Random rounds looked through for a bonus that the sample does not show, where rules are not compiled."""
PATIENCE = 5.0
"""Seconds for these."""
MANY = 60
"""Other tables looked at."""
MOVES = 60
"""Rounds of the sample whose moves are looked through."""


@dataclass(frozen=True, slots=True)
class Bonus:
    """An award, or one row of it."""

    award: Award
    span: Span
    paid: core.Expr


def c9(subject: Subject) -> Verdict:
    """Is every bonus paid somewhere? And how much is a hand worth at most?"""
    started = time.perf_counter()
    if not subject.instance.role("state", "score"):
        return subject.verdict("C9", Word.SKIPPED, since=started, reason="no state is `as score`")
    if given_at_start(subject.instance):
        return subject.verdict("C9", Word.UNKNOWN, since=started, reason=AT_START)
    found = list(bonuses(subject.instance))
    if not found:
        return subject.verdict("C9", Word.SKIPPED, since=started, reason="nothing is added to a score")
    unseen = _unseen(subject, found)
    seldom: list[Bonus] = []
    off: list[str] = []
    for bonus in unseen:
        if not impossible(subject, bonus):
            seldom.append(bonus)
        elif bonus.span.source.name != subject.instance.game.file:
            off.append(f"{bonus.span}: switched off by the game, `{_text(bonus.span)}`")
        elif _elsewhere(subject, bonus):
            off.append(f"{bonus.span}: not at this table, `{_text(bonus.span)}`")
        else:
            lines = [f"`{_text(bonus.span)}` can never be paid: no position allows it"]
            method = "no position the proved facts allow, at no table of the file"
            return subject.verdict("C9", Word.IMPOSSIBLE, method=method, since=started, details=lines, span=bonus.span)
    seldom, looked_at = _patiently(subject, seldom)
    details = [
        f"{counted(len(found), 'place')} that pay, {len(found) - len(unseen)} of them seen in random play",
        *off,
        *largest(subject),
    ]
    if seldom:
        details[:0] = [
            f"`{_text(b.span)}` was not paid in random play, and is not shown to be impossible" for b in seldom
        ]
        return subject.verdict(
            "C9", Word.NOT_FOUND, method="random play", since=started, details=details, span=seldom[0].span,
            depth=looked_at,
        )  # fmt: skip
    return subject.verdict(
        "C9", Word.WITNESSED, method="random play", since=started, details=details, span=found[0].span
    )


def bonuses(instance: core.Instance) -> Iterator[Bonus]:
    """Every award, and every row that one may come from, each place in the text once for every award.

    Rows of an amount that depends on the choices of a move, or that later blocks change, are not looked at one by one.
    """
    for award in awards(instance):
        yield Bonus(award, award.span, award.paid(instance, not_zero))
        seen: set[tuple[str, int, int]] = set()
        for row in rows(instance, award.value) if award.last and not award.binds else ():
            place = (row.span.source.name, row.span.start, row.span.end)
            if place not in seen:
                seen.add(place)
                yield Bonus(award, row.span, award.comes_to(instance, row))


def _text(span: Span) -> str:
    text = " ".join(span.text.split())
    return text if len(text) < 70 else text[:67] + "…"


# ---------------------------------------------------------------- seen


def _unseen(subject: Subject, found: list[Bonus]) -> list[Bonus]:
    """Those that the sample does not show; a place that pays in one action is seen for all."""
    rules = subject.rules
    asked = [(bonus, rules.question(bonus.paid)) for bonus in found]
    seen: set[tuple[str, int, int]] = set()
    for _, _, played in subject.sample:
        states = {number: rules.settle(played.ended, number) for number in range(len(subject.instance.settles))}
        for bonus, holds in asked:
            number = bonus.award.settlement
            if number is not None and _place(bonus) not in seen and holds(states[number]):
                seen.add(_place(bonus))
    if any(bonus.award.action is not None for bonus in found):
        _seen_in_play(subject, found, seen)
    return [bonus for bonus in found if _place(bonus) not in seen]


def _place(bonus: Bonus) -> tuple[str, int, int]:
    return bonus.span.source.name, bonus.span.start, bonus.span.end


def _seen_in_play(subject: Subject, found: list[Bonus], seen: set[tuple[str, int, int]]) -> None:
    """Add what is paid by a move: the score changes, and the amount comes from that row (in the position after it)."""
    rules = subject.rules
    by_action: dict[str, list[Bonus]] = {}
    for bonus in found:
        if bonus.award.action is not None:
            by_action.setdefault(bonus.award.action.name, []).append(bonus)
    holds = {bonus: rules.question(_after(bonus)) for bonus in found if bonus.award.action is not None}
    before = None
    for s in subject.matches.situations(MOVES):
        now = rules.scores(s.state)
        if s.kind == "played" and before is not None and before != now:
            name = rules.instance.actions[s.plies[-1].move.action].name
            for bonus in by_action.get(name, []):
                if _place(bonus) not in seen and holds[bonus](s.state):
                    seen.add(_place(bonus))
        before = now


def _after(bonus: Bonus) -> core.Expr:
    """What is asked of the position after the move, besides that the score has changed."""
    return bonus.paid if bonus.award.last and not bonus.award.binds else core.TRUE


def _patiently(subject: Subject, unseen: list[Bonus]) -> tuple[list[Bonus], int]:
    """Those that many more random rounds do not show either, and how many these are."""
    settled = [bonus for bonus in unseen if bonus.award.settlement is not None]
    asked = [(bonus.award.settlement or 0, bonus.paid) for bonus in settled]
    try:
        shown = {_place(bonus) for bonus in compress(settled, rare.met(subject, asked) if asked else [])}
    except Unsupported:
        return _played(subject, unseen), ROUNDS
    return [bonus for bonus in unseen if _place(bonus) not in shown], sift.ROUNDS


def _played(subject: Subject, unseen: list[Bonus]) -> list[Bonus]:
    """Those that rounds played one by one do not show either."""
    rules, deadline = subject.rules, time.process_time() + PATIENCE
    asked = [(bonus, rules.question(bonus.paid)) for bonus in unseen if bonus.award.settlement is not None]
    seen: set[tuple[str, int, int]] = set()
    for _, _, played in Matches(rules, subject.seed + 1).rounds(ROUNDS) if asked else ():
        for bonus, holds in asked:
            if _place(bonus) not in seen and holds(rules.settle(played.ended, bonus.award.settlement)):
                seen.add(_place(bonus))
        if len(seen) == len(unseen) or time.process_time() > deadline:
            break
    return [bonus for bonus in unseen if _place(bonus) not in seen]


# ---------------------------------------------------------------- impossible


def impossible(subject: Subject, bonus: Bonus) -> bool:
    """Does no position allow it?"""
    if bonus.award.settlement is not None:
        return subject.ended.ask(bonus.award.settlement, bonus.paid, seconds=subject.seconds)[0].answer is Answer.NO
    return in_play(subject, bonus.award, bonus.paid).answer is Answer.NO


def _elsewhere(subject: Subject, bonus: Bonus) -> bool:
    """May it be paid at another table, with other players or options? Also when there are too many tables to look at."""
    for number, generic in enumerate(tables(subject.instance.game)):
        if number == MANY:
            return True
        if (generic.players, generic.options) == (subject.instance.players, subject.instance.options):
            continue
        instance = optimise(replace(generic, events=()))
        ended = Ended(Study(instance), (), partition=subject.conserved)
        for other in bonuses(instance):
            if _place(other) == _place(bonus) and _possible(ended, other, subject.seconds):
                return True
    return False


def _possible(ended: Ended, bonus: Bonus, seconds: float) -> bool:
    if bonus.award.settlement is None:
        return ended.in_play(bonus.paid, seconds=seconds).answer is not Answer.NO
    return ended.ask(bonus.award.settlement, bonus.paid, seconds=seconds)[0].answer is not Answer.NO
