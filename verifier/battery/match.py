"""T1 to T5: the match. Each side can win it, it ends, with one winner, whatever the totals are, and after how many rounds.

Random matches show what can happen. That something cannot is proved of any settlement, under what `kept` proves of the
numbers of a match. A match that is stuck is refuted only where its rounds were played and no round can end it.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Sequence
from functools import partial

from domrules.grammar import core
from domrules.grammar.diagnostics import counted
from domrules.verifier.battery.closing import Asks, Closing, possible
from domrules.verifier.battery.idle import idle_lines, idle_rounds
from domrules.verifier.battery.kept import goes_on, kept, rises
from domrules.verifier.battery.matches import LONGEST, Played, matches
from domrules.verifier.battery.outcome import single
from domrules.verifier.battery.said import questions
from domrules.verifier.battery.subject import Subject
from domrules.verifier.battery.totals import Totals, side_name, sides, totals, wins_in
from domrules.verifier.dag import Bit, Number
from domrules.verifier.solver import Answer, Result, solve
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import Witness

LARGEST = 100_000
"""Totals beyond this are not looked for."""


def settled_so(subject: Subject, found: Totals, asks: Asks) -> Result:
    """Can a match that is not over be settled so? Under what is proved of its numbers, before and after."""
    laws, over = kept(subject, found).laws, subject.instance.over
    going_on = goes_on(subject, found)

    def asked(c: Closing) -> Bit:
        known = [law(c.encoder, c.settled) for law in laws]
        known += [-c.encoder.truth(over, c.before)] if going_on else []
        known += [-c.encoder.truth(over, c.ended)] if going_on == "all round" else []
        return c.encoder.dag.all([*known, asks(c)])

    return possible(subject, asked, laws)


# ---------------------------------------------------------------- T1


def t1(subject: Subject) -> Verdict:
    """Every side can win a match."""
    started = time.perf_counter()
    found = totals(subject.instance)
    if isinstance(found, str):
        return subject.verdict("T1", Word.SKIPPED, since=started, reason=found)
    instance, span = subject.instance, subject.instance.over.span
    played = matches(subject, found)
    ended = [m for m in played if m.winners is not None]
    won = [sum(bool((m.winners or 0) >> side & 1) for m in ended) for side in range(sides(instance))]
    counts = ", ".join(f"{side_name(instance, side)} {n}" for side, n in enumerate(won))
    details = [f"{len(ended)} of {len(played)} random matches ended; won by {counts}"]
    if ended and all(won):
        return subject.verdict("T1", Word.WITNESSED, method="random matches", since=started, details=details, span=span)
    never = [side for side, n in enumerate(won) if not n]
    for side in never:
        result = settled_so(subject, found, partial(_wins, side=side))
        if result.answer is Answer.NO and played:
            text = f"no settlement makes {side_name(instance, side)} win a match"
            known = kept(subject, found).text
            details = [text, *([f"for always: {known}"] if known else []), *_course(played[0])]
            return subject.verdict(
                "T1", Word.REFUTED, method="any settlement", since=started, details=details, span=instance.over.span
            )
    return subject.verdict(
        "T1", Word.NOT_FOUND, method="random matches", since=started, details=details, span=span, depth=LONGEST
    )


def _wins(c: Closing, side: int) -> Bit:
    return c.encoder.dag.both(
        c.encoder.truth(c.relation.instance.over, c.settled), wins_in(c.encoder, c.relation.instance, c.settled, side)
    )


def _course(m: Played, count: int = 12) -> list[str]:
    """The totals of a match, round by round."""
    shown = [f"{i}: {', '.join(map(str, t))}" for i, t in enumerate(m.totals[:count], 1)]
    more = "" if len(m.totals) <= count else f"; … {len(m.totals)}: {', '.join(map(str, m.totals[-1]))}"
    return [f"a random match, totals after round {'; '.join(shown)}{more}"]


# ---------------------------------------------------------------- T2


def t2(subject: Subject) -> Verdict:
    """The match ends."""
    started = time.perf_counter()
    found = totals(subject.instance)
    if isinstance(found, str):
        return subject.verdict("T2", Word.SKIPPED, since=started, reason=found)
    span = subject.instance.over.span
    if single(subject):
        details = ["the match is over after every round", *idle_lines(subject, found)]
        return subject.verdict("T2", Word.PROVED, method="any settlement", since=started, details=details, span=span)
    stuck = stuck_at(subject, found)
    if stuck is not None:
        return subject.verdict("T2", Word.REFUTED, method="a match, played", since=started, details=stuck, span=span)
    if changes(subject, found) and largest(subject, found) is not None:
        text = (
            "every round that goes on adds to some total, or ends the match; no total can pass the target without that"
        )
        return subject.verdict("T2", Word.PROVED, method="any settlement", since=started, details=[text], span=span)
    played = matches(subject, found)
    ended = [len(m.rounds) for m in played if m.winners is not None]
    idle = idle_lines(subject, found)
    if not ended:
        return subject.verdict(
            "T2", Word.NOT_FOUND, method="random matches", since=started, details=idle, span=span, depth=LONGEST
        )
    if len(ended) < len(played):
        reason = f"{len(played) - len(ended)} of {len(played)} random matches were not over after {LONGEST} rounds"
        return subject.verdict("T2", Word.UNKNOWN, since=started, reason=reason, details=idle, span=span)
    first = f"{len(ended)} of {len(played)} random matches ended, after {min(ended)} to {max(ended)} rounds"
    says = "that a match has a greatest number of rounds"
    says += (
        ": rounds that change no total can follow each other" if idle else "; no round was found that changes no total"
    )
    return subject.verdict(
        "T2", Word.WITNESSED, method="random matches", since=started, details=[first, *idle], span=span, doesnt_say=says
    )


def stuck_at(subject: Subject, found: Totals) -> list[str] | None:
    """A played match that no round can end any more, in words; None when there is none or none is proved."""
    return subject.once("stuck", lambda: _stuck_at(subject, found))


def _stuck_at(subject: Subject, found: Totals) -> list[str] | None:
    unfinished = [m for m in matches(subject, found) if m.winners is None and m.rounds]
    if not unfinished:
        return None
    known = kept(subject, found)
    if settled_so(subject, found, _over).answer is Answer.NO:
        because = f" (always: {known.text})" if known.text else ""
        return [f"no settlement ends a match{because}", *_course(unfinished[0])]
    if not rises(subject, found):
        return None
    for m in unfinished[:3]:
        if not _can_end(subject, found, m.totals[-1]):
            first = bisect_left(m.totals, True, key=lambda t: not _can_end(subject, found, t))
            at = ", ".join(map(str, m.totals[first]))
            return [
                f"no total ever becomes less, and from {at} on none can end the match",
                *_course(Played(m.number, m.rounds[: first + 1], m.totals[: first + 1], None)),
            ]
    return None


def _over(c: Closing) -> Bit:
    return c.encoder.truth(c.relation.instance.over, c.settled)


def _can_end(subject: Subject, found: Totals, least: Sequence[int]) -> bool:
    """May a match whose totals are at least these be over after some round?"""

    def asks(c: Closing) -> Bit:
        dag = c.encoder.dag
        now = found.symbols(c.encoder, c.settled)
        beyond = [dag.at_least_zero(dag.add(x, Number(n), -1)) for x, n in zip(now, least, strict=True)]
        return dag.all([*beyond, _over(c)])

    return settled_so(subject, found, asks).answer is not Answer.NO


def changes(subject: Subject, found: Totals) -> bool:
    """Does every settlement of a match that goes on add to some total, and nothing ever take from one?"""
    return subject.once("changes", lambda: _changes(subject, found))


def _changes(subject: Subject, found: Totals) -> bool:
    idle = [played for played in idle_rounds(subject, found) if played is not None]
    if any(not subject.rules.over(played.settled) for played in idle):
        return False
    return rises(subject, found) and _least(subject, found, 1)


def _least(subject: Subject, found: Totals, least: int) -> bool:
    """Does every settlement after which the match goes on add at least so much to all totals together?"""

    def asks(c: Closing) -> Bit:
        dag = c.encoder.dag
        total = Number()
        for x, y in zip(found.symbols(c.encoder, c.ended), found.symbols(c.encoder, c.settled), strict=True):
            total = dag.add(total, dag.add(y, x, -1))
        return dag.both(-_over(c), dag.at_least_zero(dag.add(Number(least - 1), total, -1)))

    return settled_so(subject, found, asks).answer is Answer.NO


def largest(subject: Subject, found: Totals) -> int | None:
    """The most that a total can be in a match that goes on. None when there is no such number, or none is found."""
    return subject.once("largest", lambda: _largest(subject, found))


def _largest(subject: Subject, found: Totals) -> int | None:
    def beyond(n: int) -> bool:
        """May some total be more than n, and the match go on?"""

        def asks(c: Closing) -> Bit:
            dag = c.encoder.dag
            more = [dag.at_least_zero(dag.add(x, Number(n + 1), -1)) for x in found.symbols(c.encoder, c.settled)]
            return dag.both(-_over(c), dag.any(more))

        return settled_so(subject, found, asks).answer is not Answer.NO

    low, high = -1, 1
    while beyond(high):
        low, high = high, high * 4
        if high > LARGEST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if beyond(middle) else (low, middle)
    return high


# ---------------------------------------------------------------- T3


def t3(subject: Subject) -> Verdict:
    """One winner, or (where a match names its loser) one loser."""
    started = time.perf_counter()
    instance = subject.instance
    span, count = instance.winners.span, sides(instance)
    found = totals(instance)
    if isinstance(found, str) or count < 2:
        reason = found if isinstance(found, str) else "there is only one side"
        return subject.verdict("T3", Word.SKIPPED, since=started, reason=reason)
    ended = [m for m in matches(subject, found) if m.winners is not None]
    if not ended:
        return subject.verdict("T3", Word.UNKNOWN, since=started, reason="no random match ended", span=span)
    loser = sum(_size(m) == 1 for m in ended) < sum(_size(m) == count - 1 for m in ended)
    wanted, word = (count - 1, "loser") if loser else (1, "winner")
    odd = next((m for m in ended if _size(m) != wanted), None)
    if odd is None:
        result = settled_so(subject, found, lambda c: c.encoder.dag.both(_over(c), -_exactly(c, wanted)))
        if result.answer is Answer.NO:
            details = [f"every match has one {word}"]
            return subject.verdict(
                "T3", Word.PROVED, method="any settlement", since=started, details=details, span=span
            )
        said = _said(subject, wanted)
        if said is None:
            reason = f"not one {word} after a settlement the proved facts allow; no match was played that ends so"
            return subject.verdict("T3", Word.UNKNOWN, since=started, reason=result.reason or reason, span=span)
        details = [f"not always one {word}: the example {said} shows it"]
        return subject.verdict(
            "T3", Word.WITNESSED, method="an example of the file", since=started, details=details, span=span
        )
    text = f"match {odd.number} of seed {subject.seed} has {_size(odd)} winners of {count} sides, after {counted(len(odd.rounds), 'round')}"
    last = odd.rounds[-1]
    details, witness = [text], Witness(last.dealt, last.plies, last.ended)
    said = _said(subject, wanted)
    if said is not None:
        details = [f"the example {said} shows that several may share", *details]
        return subject.verdict(
            "T3",
            Word.WITNESSED,
            method="an example of the file",
            since=started,
            details=details,
            span=span,
            witness=witness,
        )
    return subject.verdict(
        "T3", Word.REFUTED, method="a match, played", since=started, details=details, span=span, witness=witness
    )


def _size(m: Played) -> int:
    return (m.winners or 0).bit_count()


def _exactly(c: Closing, wanted: int) -> Bit:
    """Has the match just so many winners?"""
    instance, dag = c.relation.instance, c.encoder.dag
    bits = {wins_in(c.encoder, instance, c.settled, side): 1 for side in range(sides(instance))}
    number = dag.number(bits.items())
    return dag.is_zero(dag.add(number, Number(wanted), -1))


def _said(subject: Subject, wanted: int) -> str | None:
    """The example in which a match ends otherwise."""
    for name, rules, state in questions(subject, "match_winners"):
        count = sides(rules.instance)
        usual = wanted if wanted == 1 else count - 1
        if rules.over(state) and rules.winners(state).bit_count() != usual:
            return name
    return None


# ---------------------------------------------------------------- T4


def t4(subject: Subject) -> Verdict:
    """Whatever a total jumps to, the match goes on to an end."""
    started = time.perf_counter()
    found = totals(subject.instance)
    if isinstance(found, str):
        return subject.verdict("T4", Word.SKIPPED, since=started, reason=found)
    span = subject.instance.over.span
    if single(subject):
        return subject.verdict(
            "T4", Word.CONFIGURED, since=started, details=["no total decides: a match is one round"], span=span
        )
    up, down = (_closed(subject, found, way) for way in (1, -1))
    if up or down:
        text = "more points never undo the end of a match" if up else "fewer points never undo the end of a match"
        return subject.verdict("T4", Word.PROVED, method="all integers", since=started, details=[text], span=span)
    stuck = stuck_at(subject, found)
    if stuck is not None:
        return subject.verdict("T4", Word.REFUTED, method="a match, played", since=started, details=stuck, span=span)
    played = matches(subject, found)
    ended = sum(m.winners is not None for m in played)
    reason = "a total can pass what ends a match"
    if ended == len(played) and played:
        details = [f"{reason}; all {ended} random matches ended all the same"]
        return subject.verdict("T4", Word.WITNESSED, method="random matches", since=started, details=details, span=span)
    return subject.verdict(
        "T4", Word.UNKNOWN, since=started, span=span, reason=f"{reason}; no proof that it is stuck then"
    )


def _closed(subject: Subject, found: Totals, way: int) -> bool:
    """Is a match that is over also over with more (way 1) or fewer points of one side?"""
    study, instance = subject.study, subject.instance
    encoder, relation = study.open(study.view(study.reads.variables(instance.over) | {found.var}, keep_numbers=True))
    dag, state = encoder.dag, relation.any_state("s", partition=False)
    change = dag.unknown("change")
    broken = []
    for cells in found.cells:
        held = state.cells[found.var, cells[0]]
        assert isinstance(held, Number)
        moved = state.put({(found.var, cells[0]): dag.add(held, change, way)})
        broken.append(dag.both(encoder.truth(instance.over, state), -encoder.truth(instance.over, moved)))
    query = [*encoder.side, dag.at_least_zero(change), dag.any(broken)]
    return solve(dag, query, seconds=subject.seconds).answer is Answer.NO


# ---------------------------------------------------------------- T5


def t5(subject: Subject) -> Verdict:
    """The greatest number of rounds, where there is one."""
    started = time.perf_counter()
    found = totals(subject.instance)
    if isinstance(found, str):
        return subject.verdict("T5", Word.SKIPPED, since=started, reason=found)
    span = subject.instance.over.span
    if core.is_lit(subject.instance.over, True):
        details, how = ["1 round: a match is one round"], "the match is over after every round, at any table"
        return subject.verdict(
            "T5", Word.PROVED_ANY_SIZE, method=how, since=started, details=details, span=span
        )  # fmt: skip
    if single(subject):
        return subject.verdict(
            "T5", Word.PROVED, method="any settlement", since=started, details=["1 round: a match is one round"],
            span=span, doesnt_say="that it is so at other tables: what rounds come to there is not known",
        )  # fmt: skip
    if stuck_at(subject, found) is not None:
        return subject.verdict("T5", Word.SKIPPED, since=started, reason="none, because a match may never end (T2)")
    most = largest(subject, found) if changes(subject, found) else None
    if most is None:
        reason = "none, because a round may change no total (T2)"
        if not idle_lines(subject, found):
            reason = "none is known: it is not proved that every round adds to some total (T2)"
        return subject.verdict("T5", Word.SKIPPED, since=started, reason=reason)
    least = _smallest(subject, found)
    bound = sides(subject.instance) * most // least + 1
    text = f"at most {counted(bound, 'round')}: each but the last adds {least} or more, and no total passes {most} before the end"
    silent = "that other tables have the same number: what a round adds at least hangs on what can be in the hands"
    return subject.verdict(
        "T5", Word.PROVED, method="any settlement", since=started, details=[text], span=span, doesnt_say=silent
    )  # fmt: skip


def _smallest(subject: Subject, found: Totals) -> int:
    """What every settlement adds at least: the least of random play, if that can be proved, else 1."""
    seen = [
        sum(found.of(subject, r.settled)) - sum(found.of(subject, r.ended))
        for m in matches(subject, found)
        for r in m.rounds
    ]
    least = min((n for n in seen if n > 0), default=1)
    while least > 1 and not _least(subject, found, least):
        least //= 2
    return max(least, 1)
