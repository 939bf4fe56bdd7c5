"""The battery over all tables of a game: the order of the questions, and the table of items with their titles."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from domrules.grammar import core
from domrules.grammar.codes import OF_THE_DEAL
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.instance import SettingError, instantiate
from domrules.grammar.passes import optimise
from domrules.interpreter.errors import RuleError
from domrules.verifier.battery import (
    alive,
    arithmetic,
    awards,
    chain,
    cheap,
    claims,
    confirm,
    conservation,
    dead,
    deal,
    ends,
    fish,
    later,
    match,
    moves,
    opened,
    order,
    outcome,
    parity,
    points,
    reach,
    redeal,
    resolution,
    rounding,
    scoring,
    signs,
    small,
    start,
    stock,
    tiles,
    turns,
    writes,
)
from domrules.verifier.battery.subject import Subject, told_options
from domrules.verifier.explicit import twin
from domrules.verifier.explicit.questions import ANSWERED, QUESTIONS, Gone
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import Unreplayable


@dataclass(frozen=True, slots=True)
class Item:
    """An item of the battery: its id, its title, and how it is asked of one table."""

    id: str
    title: str
    ask: Callable[[Subject], Verdict]


ITEMS: Sequence[Item] = (
    Item("D1", "the set is the one declared", tiles.d1),
    Item("D3", "every tile is always somewhere, once", deal.d3),
    Item("D4", "mixing again helps", redeal.d4),
    Item("D5", "draws leave the reserve", stock.d5),
    Item("S1", "every deal has a starter", start.s1),
    Item("S2", "and only one", start.s2),
    Item("S3", "who begins can move", later.s3),
    Item("S4", "later rounds have a starter", later.s4),
    Item("M1", "nobody is stuck", moves.m1),
    Item("M2", "who can play may not pass", moves.m2),
    Item("M3", "the table is as it is told", chain.m3),
    Item("M4", "the parity of a line", parity.m4),
    Item("M5", "no move has two names", moves.m5),
    Item("M6", "everybody's turn comes", turns.m6),
    Item("M7", "a turn ends", turns.m7),
    Item("M8", "every action can be done", alive.m8),
    Item("F1", "a fish is declared only when one is", ends.f1),
    Item("F2", "a fish can happen", fish.f2),
    Item("F3", "a fish is declared when one is", turns.f3),
    Item("F5", "no fish within one turn each", cheap.f5),
    Item("E1", "every ending happens", alive.e1),
    Item("E2", "a round ends in one way", ends.e2),
    Item("E3", "a round ends", turns.e3),
    Item("E4", "no position is a dead end", small.e4),
    Item("F4", "a fish has one outcome", resolution.f4),
    Item("E5", "going out pays", outcome.e5),
    Item("C1", "settlements cover every ended round", scoring.c1),
    Item("C2", "rows of a settlement do not collide", scoring.c2),
    Item("C3", "no pip is lost", conservation.c3),
    Item("C5", "rounding below zero is meant", signs.c5),
    Item("C8", "nobody is paid less than nothing", awards.c8),
    Item("C9", "every bonus can be paid", reach.c9),
    Item("C10", "open ends are counted once", points.c10),
    Item("T1", "every side can win the match", match.t1),
    Item("T2", "the match ends", match.t2),
    Item("T3", "one winner", match.t3),
    Item("T4", "any total is provided for", match.t4),
    Item("T5", "the greatest number of rounds", match.t5),
    Item("W1", "no cell is written twice at once", writes.w1),
    Item("W2", "a moved tile is where it is moved from", writes.w2),
    Item("W3", "a number stays in its range", writes.w3),
    Item("W4", "every promise is kept", writes.w4),
)
"""Asked of every table."""

ONCE: Sequence[Item] = (
    Item("C4", "rounding is right", rounding.c4),
    Item("C6", "adding and rounding have an order", order.c6),
    Item("C7", "all engines compute alike", arithmetic.c7),
    Item("R1", "no row is dead", dead.r1),
)
"""Asked of the game, at its first table."""

OF_NUMBERS = ("C1", "C2", "C5", "D1", "D4", *(item.id for item in ONCE))
"""Items that say something even where no round is ever played."""

TITLES: Mapping[str, str] = {
    "D2": "the deal fits the set",
    **{item.id: item.title for item in (*ONCE, *ITEMS)},
}


CONFIRMED = "F2"
"""The item that is asked of a second engine, of whole tables."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked: player counts (all when empty), options, items and claims (all when empty), seconds a query.

    `small`: of the small twins of these tables, by both engines; all that both can answer. `confirm`: the shortest fish of
    the whole table is asked of a search of all deals, too, which has `patience` seconds (None: as many as it takes).
    """

    players: Collection[int] = ()
    options: Mapping[str, object] | None = None
    only: Collection[str] = ()
    skip: Collection[str] = ()
    seconds: float = 30.0
    seed: int = 1
    small: bool = False
    confirm: bool = False
    patience: float | None = None

    def wants(self, name: str) -> bool:
        return name not in self.skip and (not self.only or name in self.only)


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a plan: an item or claim, and the place of its table among the tables (None: the whole game)."""

    name: str
    table: int | None


@dataclass(frozen=True)
class Plan:
    """What will be asked, in order: whoever makes it from the same game and request has the same questions."""

    game: core.Game
    request: Request
    tables: Sequence[core.Instance]
    questions: Sequence[Question]

    def scope(self, question: Question) -> str:
        """The table of a question in words."""
        return "all tables" if question.table is None else told_options(self.tables[question.table])


def plan(game: core.Game, request: Request) -> Plan:
    """The questions of a request. Raises SettingError when no table is allowed, BadFile for a mistake of the file."""
    tables = list(_tables(game, request))
    if request.small:
        return _small(game, tables, request)
    named = [Question("D2", None)]
    named += [Question(item.id, 0) for item in ONCE if tables]
    for number in range(len(tables)):
        named += [Question(item.id, number) for item in ITEMS]
        named += [Question(c.name, number) for c in game.claims if number == 0 or not claims.everywhere(game, c)]
    return Plan(game, request, tables, [question for question in named if request.wants(question.name)])


def _small(game: core.Game, tables: Sequence[core.Instance], request: Request) -> Plan:
    """The same about the twins: all that two engines can answer. Of a table without one only E4, which says why."""
    twins = [twin.made(table) for table in tables]
    named = [
        Question(name, number)
        for number, made in enumerate(twins)
        for name in (["E4"] if isinstance(made, str) else _of_both(made.game))
    ]
    found = [table if isinstance(made, str) else made for table, made in zip(tables, twins, strict=True)]
    return Plan(game, request, found, [question for question in named if request.wants(question.name)])


def _of_both(game: core.Game) -> list[str]:
    """Items and claims that both engines can answer."""
    return [*QUESTIONS, *(c.name for c in game.claims if c.kind in ANSWERED)]


class Examiner:
    """Answers the questions of a plan. What is proved of a table is kept for its other questions."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.subjects: dict[int, Subject] = {}
        self.gone: dict[int, Gone] = {}
        self.claims = {claim.name: claim for claim in plan.game.claims}
        self.items = {item.id: item for item in (*ONCE, *ITEMS)}

    def answer(self, question: Question, early: Callable[[Verdict], None] | None = None) -> Verdict:
        """The verdict. Raises BadFile for a mistake that only shows at this table.

        `early` is told what is established already, where more is asked that may take long.
        """
        if question.table is None:
            return deal.d2(self.plan.game)
        subject, name = self.subject(question.table), question.name
        if self.plan.request.small:
            return self.both(question.table, subject, name)
        if name in self.items:
            verdict = _asked(subject, name, self.items[name].ask)
            if name == CONFIRMED and self.plan.request.confirm:
                if early is not None:
                    early(_for_some(subject, confirm.broken_off(verdict)))
                verdict = confirm.confirmed(subject, verdict, self.plan.request.patience)
            return _for_some(subject, verdict)
        claim = self.claims[name]
        if claim.kind == "numbers":
            return claims.claim(subject, claim)
        return _for_some(subject, _asked(subject, name, partial(claims.claim, c=claim)))

    def both(self, number: int, subject: Subject, name: str) -> Verdict:
        """The verdict of both engines about a twin."""
        if subject.instance.game is not self.plan.game.twin:
            reason = twin.made(subject.instance)
            return subject.verdict(name, Word.SKIPPED, since=time.perf_counter(), reason=str(reason))
        subject.seconds = min(self.plan.request.seconds, small.PATIENCE)
        gone = self.gone.setdefault(number, Gone(subject))
        claim = next((c for c in gone.instance.game.claims if c.name == name), None)
        asks = partial(claims.claim, c=claim) if claim is not None else self.items[name].ask
        verdict = small.both(gone, claim or name, None if name == "E4" else partial(_asked, gone.subject, name, asks))
        return replace(verdict, scope=f"twin {verdict.scope}")

    def subject(self, number: int) -> Subject:
        """A table by its place. Events are left out: what only they write is fixed."""
        if number not in self.subjects:
            request, instance = self.plan.request, self.plan.tables[number]
            self.subjects[number] = Subject(optimise(replace(instance, events=())), request.seconds, request.seed)
        return self.subjects[number]


def verify(game: core.Game, request: Request) -> Iterator[Verdict]:
    """The verdicts, as they are found, all in this process. Raises as `plan` does."""
    planned = plan(game, request)
    examiner = Examiner(planned)
    yield from map(examiner.answer, planned.questions)


def _tables(game: core.Game, request: Request) -> Iterator[core.Instance]:
    """The tables asked about. Options may rule some out, but not all."""
    for n in request.players:
        if n not in game.seats:
            instantiate(game, n)
    refused: SettingError | None = None
    found = 0
    for n in game.seats:
        if request.players and n not in request.players:
            continue
        try:
            for instance in opened.tables(game, n, request.options or {}):
                found += 1
                yield instance
        except SettingError as error:
            refused = error
        except BadFile as wrong:
            if not request.wants("D2") or not all(d.code in OF_THE_DEAL for d in wrong.diagnostics):
                raise
    if not found and refused is not None:
        raise refused


def _for_some(subject: Subject, verdict: Verdict) -> Verdict:
    """What is shown where options are open is shown of some of their values."""
    if not subject.instance.open or verdict.word is not Word.WITNESSED:
        return verdict
    silent = f"that it is so with every value of {', '.join(subject.instance.open)}"
    return replace(verdict, doesnt_say="; ".join(filter(None, [verdict.doesnt_say, silent])))


def _without_events(subject: Subject, name: str, verdict: Verdict) -> Verdict:
    """The verdict with a word about the events that were not considered, where it speaks of play."""
    events = subject.instance.game.events
    if not events or name in ("C4", "C6", "C7", "D1") or verdict.word in (Word.CONFIGURED, Word.SKIPPED):
        return verdict
    if "integers" in verdict.method or (name in ("C1", "C2", "T5") and verdict.word is Word.PROVED_ANY_SIZE):
        return verdict
    if name in ("T1", "T2") and verdict.word is Word.REFUTED:
        reason = "in play without events; an event may end or win the match"
        return replace(verdict, word=Word.UNKNOWN, reason=reason)
    silent = f"anything about rounds in which an event happens ({', '.join(e.name for e in events)})"
    return replace(verdict, doesnt_say="; ".join(filter(None, [verdict.doesnt_say, silent])))


def _asked(subject: Subject, name: str, ask: Callable[[Subject], Verdict]) -> Verdict:
    """The verdict, whatever happens on the way: a rule that breaks in play is a finding of its own."""
    began = time.perf_counter()
    try:
        if name not in OF_NUMBERS and not subject.dealt_out:
            reason = "no deal is ever kept, so there is no round to speak of"
            return subject.verdict(name, Word.HOLLOW, since=began, reason=reason)
        subject.found[name] = verdict = _without_events(subject, name, ask(subject))
        return verdict
    except Unreplayable as differs:
        return subject.verdict(name, Word.DISAGREE, since=began, reason=str(differs))
    except RuleError as error:
        details = error.state.splitlines()
        return subject.verdict(
            name, Word.REFUTED, method="random play", since=began, details=[error.sentence, *details], span=error.span,
        )  # fmt: skip
