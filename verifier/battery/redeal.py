"""D4: mixing again helps. Some deal is kept, whatever earlier rounds left behind; every condition for a new deal can hold.

"Whatever earlier rounds left behind" is a question of the form "for all, there is": deals that are kept are collected
until none of the match states is without one, or one is found for which every deal is mixed again.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.instance import SettingError, instantiate
from domrules.grammar.passes import optimise
from domrules.interpreter.names import cell_name, value_name
from domrules.interpreter.state import State
from domrules.verifier import symbols
from domrules.verifier.battery.between import settled
from domrules.verifier.battery.deal import options_read, tables
from domrules.verifier.battery.rarity import deals, rarity
from domrules.verifier.battery.subject import Subject
from domrules.verifier.encode import Encoder
from domrules.verifier.relation import Relation
from domrules.verifier.solver import Answer, Result, Session, solve
from domrules.verifier.symbols import Cell, Symbol, Symbols
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import dealt_state

TRIED = 200
"""Random deals the interpreter looks at before it is said that none is kept."""
TURNS = 40
"""Deals collected for the match states there may be."""
ELSEWHERE = 60
"""Other tables at which a condition is looked for."""


class TooMany(Exception):
    """More tables than are tried."""


def d4(subject: Subject) -> Verdict:
    """Is the question for a new deal one that some deals answer with yes, and some with no?"""
    started = time.perf_counter()
    asked = [part for part in parts(subject.instance, subject.instance.redeal) if not core.is_lit(part, False)]
    if not asked:
        return subject.verdict("D4", Word.SKIPPED, since=started, reason="no `redeal`: no deal is ever mixed again")
    return _kept(subject, started) or _stuck(subject, started) or _parts(subject, asked, started)


def parts(instance: core.Instance, e: core.Expr) -> Iterator[core.Expr]:
    """The alternatives of a condition, those too of the defines it calls."""
    match e:
        case core.Op(name="or", args=args):
            for arg in args:
                yield from parts(instance, arg)
        case core.Call(fn=fn, args=()):
            yield from parts(instance, instance.fns[fn].body)
        case _:
            yield e


def _opened(subject: Subject) -> tuple[Encoder, Relation]:
    study = subject.study
    view = study.view(study.reads.variables(subject.instance.redeal), keep_numbers=True, counted=True)
    encoder = Encoder(subject.instance, view, study.reads)
    return encoder, Relation(encoder)


def _kept(subject: Subject, started: float) -> Verdict | None:
    """None when a deal of the first round is kept."""
    encoder, relation = _opened(subject)
    start = relation.start()
    result = solve(encoder.dag, [*encoder.side, start.kept], seconds=subject.seconds)
    span = subject.instance.redeal.span
    if result.answer is Answer.UNKNOWN:
        return subject.verdict("D4", Word.UNKNOWN, since=started, reason=result.reason, span=span)
    if result.model is not None:
        if not subject.rules.wants_redeal(dealt_state(subject.rules, result.model, start.dealt)):
            return None
        reason = "the interpreter mixes a deal again that the solver keeps"
        return subject.verdict("D4", Word.DISAGREE, since=started, reason=reason, span=span)
    if not all(map(subject.rules.wants_redeal, itertools.islice(deals(subject.rules, subject.seed), TRIED))):
        reason = "the interpreter keeps a deal, the solver finds none"
        return subject.verdict("D4", Word.DISAGREE, since=started, reason=reason, span=span)
    details = ["no deal is ever kept: every one is mixed again"]
    method = f"all deals of a first round; {TRIED} of them by the interpreter"
    return subject.verdict("D4", Word.REFUTED, method=method, since=started, details=details, span=span)


# ---------------------------------------------------------------- later rounds


def _stuck(subject: Subject, started: float) -> Verdict | None:
    """None when every match state has a deal that is kept."""
    encoder, relation = _opened(subject)
    cells = relation.match_cells(True, "m")
    base = relation.reset(cells)
    session, span = Session(encoder.dag), subject.instance.redeal.span
    session.add([*encoder.side, *relation.known_options(Symbols(base))])
    state = next(deals(subject.rules, subject.seed))
    for _ in range(TURNS):
        held: dict[Cell, Symbol] = {
            cell: symbols.constant(subject.instance.vars[cell[0]].type, subject.rules.layout.get(state, *cell))
            for cell in symbols.zones(subject.instance)
        }
        again = encoder.truth(subject.instance.redeal, Symbols({**base, **held}))
        session.add([*encoder.side, again])
        result = session.check(seconds=subject.seconds)
        if result.answer is Answer.NO:
            return None
        if result.model is None:
            return subject.verdict("D4", Word.UNKNOWN, since=started, reason=result.reason, span=span)
        match = symbols.position(result.model, subject.instance, Symbols(cells))
        found = _other(subject, match)
        if isinstance(found, State):
            state = found
        elif found.answer is Answer.NO:
            return _never_again(subject, match, started)
        else:
            return subject.verdict("D4", Word.UNKNOWN, since=started, reason=found.reason, span=span)
    reason = "too many match states decide whether a deal is kept"
    return subject.verdict("D4", Word.UNKNOWN, since=started, reason=reason, span=span)


def _other(subject: Subject, match: Mapping[Cell, core.Value]) -> State | Result:
    """A deal that is kept in a round that finds these match states; else what the solver says."""
    encoder, relation = _opened(subject)
    kinds = subject.instance.vars
    before = {cell: symbols.constant(kinds[cell[0]].type, value) for cell, value in match.items()}
    start = relation.start(before=before)
    result = solve(encoder.dag, [*encoder.side, start.kept], seconds=subject.seconds)
    return result if result.model is None else dealt_state(subject.rules, result.model, start.dealt)


def _never_again(subject: Subject, match: Mapping[Cell, core.Value], started: float) -> Verdict:
    """No deal is kept once the match stands so: refuted when play gets there."""
    instance, rules = subject.instance, subject.rules
    words = [
        f"{cell_name(instance, instance.vars[name], i)} = {value_name(instance, instance.vars[name].type, value)}"
        for (name, i), value in match.items()
    ]
    for before in settled(subject, frozenset(name for name, _ in match)):
        here = {(name, i): rules.layout.get(before.state, name, i) for name, i in match}
        if _no_deal(subject, here):
            lines = [f"no deal is kept after {before.words}", *(f"  {w}" for w in words if here == match)]
            return subject.verdict(
                "D4", Word.REFUTED, method="a match, played; then all deals", since=started, details=lines, span=instance.redeal.span
            )  # fmt: skip
    reason = f"no deal would be kept with {', '.join(words)}, but no match may come to that"
    return subject.verdict("D4", Word.UNKNOWN, since=started, reason=reason, span=instance.redeal.span)


def _no_deal(subject: Subject, match: Mapping[Cell, core.Value]) -> bool:
    found = _other(subject, match)
    return not isinstance(found, State) and found.answer is Answer.NO


# ---------------------------------------------------------------- each condition


def _parts(subject: Subject, asked: Sequence[core.Expr], started: float) -> Verdict:
    """Each condition can hold after some deal, here or at another table of the game."""
    lines, here = list[str](), 0
    for part in asked:
        result = _holds(subject, part)
        if result.answer is Answer.UNKNOWN:
            return subject.verdict("D4", Word.UNKNOWN, since=started, reason=result.reason, span=part.span)
        if result.answer is Answer.YES:
            here += 1
            continue
        try:
            other = _elsewhere(subject, part)
        except TooMany:
            reason = f"not at this table, and there are too many others: {_text(part)}"
            return subject.verdict("D4", Word.UNKNOWN, since=started, reason=reason, span=part.span)
        if other is None:
            details = [f"this never asks for a new deal, at any table: {_text(part)}"]
            return subject.verdict(
                "D4", Word.IMPOSSIBLE, method="all deals, any match", since=started, details=details, span=part.span
            )
        lines.append(f"not at this table, but at {other}: {_text(part)}")
    _, relation = _opened(subject)
    start = relation.start()
    if here and not subject.instance.open:
        found = rarity(subject.rules, relation, start.dealt, -start.kept, seed=subject.seed)
        lines.insert(0, f"mixed again: {found.text}")
    word = Word.PROVED if here else Word.CONFIGURED
    span = subject.instance.redeal.span
    return subject.verdict("D4", word, method="all deals, any match", since=started, details=lines, span=span)


def _text(e: core.Expr) -> str:
    """An expression as the file has it."""
    spans = [e.span, *(part.span for part in core_parts(e) if part.span.source is e.span.source)]
    start, end = min(s.start for s in spans), max(s.end for s in spans)
    text = replace(e.span, start=start, end=end).text
    return e.span.text if "\n" in text else text


def core_parts(e: core.Expr) -> Iterator[core.Expr]:
    for child in core.children(e):
        yield child
        yield from core_parts(child)


def _holds(subject: Subject, part: core.Expr) -> Result:
    """Can it hold after a deal, in any round?"""
    encoder, relation = _opened(subject)
    start = relation.start(any_match=True)
    holds = encoder.truth(part, start.dealt)
    return solve(encoder.dag, [*encoder.side, holds], seconds=subject.seconds)


def _elsewhere(subject: Subject, part: core.Expr) -> str | None:
    """Another table at which it can hold: other players, or other values of the options it reads. Raises `TooMany`."""
    game = subject.instance.game
    names = options_read(game, [game.redeal])
    for number, (players, values) in enumerate(tables(game, names)):
        if number == ELSEWHERE:
            raise TooMany
        try:
            instance = instantiate(game, players, values)
        except (SettingError, BadFile):
            continue
        there = Subject(optimise(replace(instance, events=())), subject.seconds, subject.seed)
        same = [p for p in parts(there.instance, there.instance.redeal) if p.span == part.span]
        if any(_holds(there, p).answer is not Answer.NO for p in same if not core.is_lit(p, False)):
            return " ".join([f"players={players}", *(f"{k}={str(v).lower()}" for k, v in values.items())])
    return None
