"""C5: what a rounding does to numbers below zero: the mirror image, or what its word says, or it is never asked."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from domrules.grammar import core
from domrules.grammar.source import Span
from domrules.verifier.anyset import AnySet
from domrules.verifier.battery.paths import Paths, below, some
from domrules.verifier.battery.play import Situation
from domrules.verifier.battery.roundings import Rounding, Rules, X, encoded, expressions, inside, places, rounding
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import Dag
from domrules.verifier.solver import Answer, Engine, Result, solve
from domrules.verifier.verdict import Verdict, Word

SOON = 2.0
"""Seconds for a question whose answer is only told, not judged."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One rounding, or division, at one place of the file: its expression, its argument, and its word, if it has one."""

    e: core.Op
    of: core.Expr
    rounding: Rounding | None

    @property
    def text(self) -> str:
        return f"quotient(…, {self.e.const})" if self.rounding is None else self.rounding.text

    @property
    def span(self) -> Span:
        return self.e.span

    def at(self, x: int) -> int:
        return x // self.e.const if self.rounding is None else self.rounding.at(x)


def c5(subject: Subject) -> Verdict:
    """Does every rounding mirror, or say that it does not, or never see a number below zero?"""
    started = time.perf_counter()
    asked = list(divisions(subject.instance))
    if not asked:
        return subject.verdict("C5", Word.SKIPPED, since=started, reason="nothing is rounded or divided")
    told: list[str] = []
    here: list[str] = []
    for a in asked:
        mirrors = _mirrors(a, subject.seconds)
        excused = mirrors or (a.rounding is not None and a.rounding.says != "")
        if nowhere_negative(subject.instance, a):
            told.append(f"{a.text}: never asked of a negative number, whatever the set, the players and the hands")
            continue
        result = _negative(subject, a, SOON if excused else subject.seconds)
        if result.answer is Answer.NO:
            told.append(f"{a.text}: never asked of a negative number at this table")
            here += [] if excused else [a.text]
        elif mirrors:
            told.append(f"{a.text}: {_pair(a)}, mirrored everywhere")
        elif excused:
            assert a.rounding is not None
            told.append(f"{a.text}: {_pair(a)}; `{a.rounding.says}` says so")
        else:
            return _unsaid(subject, a, result, started)
    method = "any position the proved facts allow" if here else "all integers"
    word = Word.PROVED if here else Word.PROVED_ANY_SIZE
    silent = f"that {', '.join(here)} is never asked of a negative number at other tables" if here else ""
    return subject.verdict(
        "C5", word, method=method, since=started, details=told, span=asked[0].span, doesnt_say=silent
    )  # fmt: skip


def divisions(instance: core.Instance) -> Iterator[Asked]:
    """Every rounding of a table, and every division that is no part of one; of each place in the text one."""
    seen: set[tuple[str, int, int]] = set()
    found = list(places(instance))
    covered = {id(part) for f in found for part in inside(f.e)} - {id(part) for f in found for part in inside(f.of)}
    asked = [Asked(f.e, f.of, rounding(f)) for f in found]
    asked += [Asked(e, e.args[0], None) for e in quotients(instance) if id(e) not in covered]
    for a in asked:
        place = (a.span.source.name, a.span.start, a.span.end)
        if place not in seen:
            seen.add(place)
            yield a


def quotients(rules: Rules) -> Iterator[core.Op]:
    """Every division of a game or table."""
    yield from (e for e in expressions(rules) if isinstance(e, core.Op) and e.name == "div" and e.const > 1)


def _mirrors(a: Asked, seconds: float) -> bool:
    """Is the result for -x always that for x with the sign changed?"""
    dag = Dag()
    x = dag.unknown("x")
    form = core.Op("div", (X,), core.INT, a.e.const) if a.rounding is None else a.rounding.form
    opposite = dag.add(dag.number([]), x, -1)
    broken = -dag.is_zero(dag.add(encoded(dag, form, x), encoded(dag, form, opposite)))
    return solve(dag, [broken], seconds=seconds, engines=(Engine.GENERAL,)).answer is Answer.NO


def _pair(a: Asked) -> str:
    """5 → 10, -5 → 0: at the smallest number that is moved away from 0, if need be half way."""
    k = a.e.const if a.rounding is None else a.rounding.k
    x = next((x for x in range(1, k + 1) if a.at(x) != -a.at(-x)), (k + 1) // 2)
    if a.rounding is None:
        return f"{x} → {a.at(x)}, {-x} → {a.at(-x)}"
    scale = k if a.rounding.parts else 1
    return ", ".join(f"{a.rounding.shown(y)} → {a.at(y) // scale}" for y in (x, -x))


# ---------------------------------------------------------------- is it asked of a negative number?


def _negative(subject: Subject, a: Asked, seconds: float) -> Result:
    """May the argument be below zero where it is rounded? NO is final."""
    found = Result(Answer.NO, Engine.GENERAL, 0.0)
    for number, e in _at_the_end(subject.instance, a):
        result, _ = subject.ended.ask(number, e, seconds=seconds)
        if result.answer is not Answer.NO:
            return result
    for e in _in_play(subject.instance, a):
        found = subject.ended.in_play(e, seconds=seconds)
        if found.answer is not Answer.NO:
            return found
    return found


def nowhere_negative(instance: core.Instance, a: Asked) -> bool:
    """Is the argument never below zero, in no position at all, whatever the set, the players and the hands?"""
    game = AnySet(instance, Dag(), shows=True)
    ended, going = game.ended(), game.anywhere()
    bits = [game.truth(e, ended, {}) for _, e in _at_the_end(instance.game, a)]
    bits += [game.truth(e, going, {}) for e in _in_play(instance.game, a)]
    query = [*game.side, *game.ranges, game.dag.any(bits)]
    return solve(game.dag, query, seconds=SOON, engines=(Engine.GENERAL,)).answer is Answer.NO


def _paths(rules: Rules, a: Asked) -> Paths:
    of: dict[core.Expr, core.Expr] = {f.e: f.of for f in places(rules) if f.e.span == a.span}
    if a.rounding is None:
        of.update((e, e.args[0]) for e in quotients(rules) if e.span == a.span)
    of[a.e] = a.of
    return Paths(rules, frozenset(of), lambda e: below(of[e], 0))


def _at_the_end(rules: Rules, a: Asked) -> Iterator[tuple[int, core.Expr]]:
    """(settlement, the argument is negative while it is carried out); after the last: what a match is worth."""
    paths = _paths(rules, a)
    for number, settle in enumerate(rules.settles):
        yield number, paths.block(settle.block())
    last = len(rules.settles)
    yield last, paths.within(rules.over)
    yield last, paths.within(rules.winners)
    for fn in rules.fns.values():
        if fn.outcome:
            e = paths.within(fn.body)
            for name, kind in fn.params:
                assert isinstance(kind, core.Elem)
                e = some(name, kind.sort, None, e)
            yield last, e


def _in_play(rules: Rules, a: Asked) -> Iterator[core.Expr]:
    """The same for what is looked at in a round, whatever the moves."""
    paths = _paths(rules, a)
    yield paths.within(rules.redeal)
    yield from (paths.within(ending.when) for ending in rules.endings)
    yield from map(paths.block, rules.begin)
    for action in (*rules.actions, *rules.events):
        inside_params = [paths.within(action.guard), *map(paths.block, action.blocks)]
        inside_params += [paths.within(p.domain) for p in action.params]
        for e in inside_params:
            for p in action.params:
                e = some(p.name, p.sort, None, e)
            yield e


# ---------------------------------------------------------------- the finding


def _unsaid(subject: Subject, a: Asked, result: Result, started: float) -> Verdict:
    """It is rounded below zero, does not mirror, and the file does not say so: when a played round shows it."""
    found = played(subject, a)
    pair = f"{_pair(a)}: not mirrored, and nothing in the file says so"
    if found is not None:
        help_ = "help: write `nearest`, `up` or `down`, which say where numbers go, or take care of the sign in a row of its own"
        return subject.verdict(
            "C5", Word.REFUTED, method="random play", since=started, details=[pair, found.place(subject.seed), help_],
            span=a.span, witness=found.witness,
        )  # fmt: skip
    reason = f"{a.text} may be asked of a negative number in a position that no play may reach"
    if result.answer is Answer.UNKNOWN:
        reason = f"{a.text}: {result.reason}"
    return subject.verdict("C5", Word.UNKNOWN, since=started, details=[pair], reason=reason, span=a.span)


def played(subject: Subject, a: Asked) -> Situation | None:
    """A random round at whose end a negative number is rounded."""
    rules, last = subject.rules, len(subject.instance.settles)
    for number, e in _at_the_end(subject.instance, a):
        if core.is_lit(e, False):
            continue
        holds = rules.question(e)
        for match, round_, played in subject.sample:
            state = rules.settle(played.ended, number)
            if (number < last or rules.over(state)) and holds(state):
                return Situation("settled", state, played, played.plies, match, round_)
    return None
