"""The battery over all tables of a game: the order of the questions, and the table of items with their titles."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.instance import SettingError, instantiate
from domrules.grammar.passes import optimise
from domrules.interpreter.errors import RuleError
from domrules.verifier.battery import (
    alive,
    cheap,
    claims,
    dead,
    deal,
    ends,
    fish,
    later,
    moves,
    redeal,
    scoring,
    start,
    stock,
    tiles,
    turns,
    writes,
)
from domrules.verifier.battery.subject import Subject
from domrules.verifier.verdict import Verdict, Word


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
    Item("E4", "no position is a dead end", ends.e4),
    Item("C1", "settlements cover every ended round", scoring.c1),
    Item("C2", "rows of a settlement do not collide", scoring.c2),
    Item("W1", "no cell is written twice at once", writes.w1),
    Item("W2", "a moved tile is where it is moved from", writes.w2),
    Item("W3", "a number stays in its range", writes.w3),
    Item("W4", "every promise is kept", writes.w4),
)
"""Asked of every table."""

OF_NUMBERS = ("C1", "C2", "C4", "D1", "D4", "R1")
"""Items that say something even where no round is ever played."""

TITLES: Mapping[str, str] = {
    "D2": "the deal fits the set",
    "C4": "rounding is right",
    "R1": "no row is dead",
    **{item.id: item.title for item in ITEMS},
}


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked: player counts (all when empty), options, items and claims (all when empty), seconds a query."""

    players: Collection[int] = ()
    options: Mapping[str, object] | None = None
    only: Collection[str] = ()
    skip: Collection[str] = ()
    seconds: float = 30.0
    seed: int = 1

    def wants(self, name: str) -> bool:
        return name not in self.skip and (not self.only or name in self.only)


def verify(game: core.Game, request: Request) -> Iterator[Verdict]:
    """The verdicts, as they are found. Raises SettingError when no table is allowed, BadFile for a mistake of the file."""
    if request.wants("D2"):
        yield deal.d2(game)
    counts = [n for n in game.seats if not request.players or n in request.players]
    for n in request.players:
        if n not in game.seats:
            instantiate(game, n, request.options)
    subjects = list(_subjects(game, counts, request))
    if subjects and request.wants("C4"):
        yield _asked(subjects[0], "C4", scoring.c4)
    if subjects and request.wants("R1"):
        yield _asked(subjects[0], "R1", dead.r1)
    for subject in subjects:
        for item in ITEMS:
            if request.wants(item.id):
                yield _asked(subject, item.id, item.ask)
        for claim in game.claims:
            if request.wants(claim.name) and (claim.kind != "numbers" or subject is subjects[0]):
                if claim.kind == "numbers":
                    yield claims.claim(subject, claim)
                else:
                    yield _asked(subject, claim.name, partial(claims.claim, c=claim))


def _subjects(game: core.Game, counts: Sequence[int], request: Request) -> Iterator[Subject]:
    """The tables asked about. Options may rule some out, but not all. Events are left out: what only they write is fixed."""
    refused: SettingError | None = None
    found = 0
    for n in counts:
        try:
            instance = instantiate(game, n, request.options)
        except SettingError as error:
            refused = error
            continue
        except BadFile:
            if request.wants("D2"):
                continue
            raise
        found += 1
        yield Subject(optimise(replace(instance, events=())), request.seconds, request.seed)
    if not found and refused is not None:
        raise refused


def _without_events(subject: Subject, name: str, verdict: Verdict) -> Verdict:
    """The verdict with a word about the events that were not considered, where it speaks of play."""
    events = subject.instance.game.events
    if not events or name in ("C4", "D1") or verdict.word in (Word.CONFIGURED, Word.SKIPPED):
        return verdict
    if "integers" in verdict.method:
        return verdict
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
    except RuleError as error:
        details = error.state.splitlines()
        return subject.verdict(
            name, Word.REFUTED, method="random play", since=began, details=[error.sentence, *details], span=error.span,
        )  # fmt: skip
