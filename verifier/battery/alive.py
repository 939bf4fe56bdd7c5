"""M8: every action is done at some time. E1: every ending happens.

What a table or an option switches off is not dead: it is looked for at the other tables, too. Nor is what a game inherits and
switches off, nor what only an event brings about.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.reads import Reads, statements
from domrules.grammar.source import Span
from domrules.interpreter.play import Round
from domrules.interpreter.rules import Rules
from domrules.interpreter.tables import tables
from domrules.verifier.battery.agreed import agreed
from domrules.verifier.battery.asking import ROUNDS, Wish, enabled, guards, in_play, soon
from domrules.verifier.battery.between import settled
from domrules.verifier.battery.fewest import Judge
from domrules.verifier.battery.matches import whole
from domrules.verifier.battery.moves import told
from domrules.verifier.battery.play import Matches
from domrules.verifier.battery.subject import Subject, told_options
from domrules.verifier.facts import Fact, asked
from domrules.verifier.goal import ended
from domrules.verifier.shortest import Limits, shortest
from domrules.verifier.solver import Answer, Result, solve
from domrules.verifier.verdict import Verdict, Word

MANY = 60
"""Other tables looked at, at most, and …"""
FEW = 12
"""… random rounds played at each."""


@dataclass(frozen=True, slots=True)
class Thing:
    """An action or ending of the game: its name and place."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Kind:
    """Actions or endings, and what is asked of them."""

    item: str
    verb: str
    declared: Callable[[core.Game], list[Thing]]
    present: Callable[[core.Instance], list[str]]
    of: Callable[[Rules, Round], set[str]]
    """Which happen in a round."""
    possible: Callable[[Subject, str], Result]
    shown: Callable[[Subject, str], list[str] | None]
    """A play in which it happens, for people."""
    known: Callable[[Subject, Thing], Verdict | None]
    """What is said of a play in which it happens, if another engine knows one."""


def m8(subject: Subject) -> Verdict:
    """Every action is legal in some position."""
    return _all(subject, ACTIONS)


def e1(subject: Subject) -> Verdict:
    """Every ending happens."""
    return _all(subject, ENDINGS)


def _all(subject: Subject, kind: Kind) -> Verdict:
    started = time.perf_counter()
    game, instance = subject.instance.game, subject.instance
    things = kind.declared(game)
    if not things:
        return subject.verdict(kind.item, Word.SKIPPED, since=started, reason="the game declares none")
    sample = (played for _, _, played in islice(subject.sample, ROUNDS))
    seen, here = _met(kind, subject.rules, sample, len(kind.present(instance))), subject.told is not None
    if not here and set(kind.present(instance)) - seen:
        seen |= _met(kind, subject.rules, whole(subject), len(kind.present(instance)))
    missing = [thing for thing in things if thing.name not in seen]
    later = [thing for thing in missing if not here and _by_event(game, instance, thing.name)]
    details = [f"{thing.name} is for an event to bring" for thing in later]
    missing = [thing for thing in missing if thing not in later]
    others = {} if here else _elsewhere(subject, kind, {thing.name for thing in missing})
    for thing in missing:
        verdict = _one(subject, kind, thing, others.get(thing.name), started)
        if isinstance(verdict, Verdict):
            return verdict
        details += verdict
    method = "random play" if not missing else "random play, search"
    return subject.verdict(kind.item, Word.WITNESSED, method=method, since=started, details=details)


def _one(subject: Subject, kind: Kind, thing: Thing, other: str | None, started: float) -> Verdict | list[str]:
    """What to say of something that random play did not show: a finding, or lines."""
    inherited = subject.told is None and thing.span.source.name != subject.instance.game.file
    if thing.name not in kind.present(subject.instance):
        if other is not None:
            return [f"{thing.name}: not at this table, but with {other}"]
        if inherited:
            return [f"{thing.name}: switched off by the game"]
        return subject.verdict(
            kind.item, Word.IMPOSSIBLE, method="options and rules", since=started, span=thing.span,
            details=[f"{kind.verb} {thing.name}, at no table: a constant condition switches it off"],
        )  # fmt: skip
    if other is not None:
        return [f"{thing.name}: not met at this table, but with {other}"]
    known = kind.known(subject, thing)
    if known is not None:
        return known if known.witness is None else [f"{thing.name} after", *told(subject, known.witness)]
    result = kind.possible(subject, thing.name)
    if result.answer is Answer.NO and inherited:
        return [f"{thing.name}: impossible, but not declared here"]
    if result.answer is Answer.NO:
        return subject.verdict(
            kind.item, Word.IMPOSSIBLE, method="one position, proved facts", since=started, span=thing.span,
            details=[f"{kind.verb} {thing.name}"],
        )  # fmt: skip
    lines = kind.shown(subject, thing.name)
    if lines is not None:
        return [f"{thing.name} after", *lines]
    reason = f"{thing.name} was not met in {ROUNDS} random rounds nor in random matches, and a short search found none"
    return subject.verdict(kind.item, Word.UNKNOWN, since=started, span=thing.span, reason=result.reason or reason)


def _met(kind: Kind, rules: Rules, played: Iterable[Round], most: int) -> set[str]:
    """Which happen in some rounds; no more are looked at once there are so many."""
    found: set[str] = set()
    for one in played:
        found |= kind.of(rules, one)
        if len(found) == most:
            break
    return found


def _elsewhere(subject: Subject, kind: Kind, wanted: Collection[str]) -> dict[str, str]:
    """Which of these happen at other tables of the game, and at which."""
    found: dict[str, str] = {}
    for instance in islice(_tables(subject.instance.game), MANY) if wanted else ():
        if not set(wanted) - found.keys():
            break
        if not (set(wanted) - found.keys()).intersection(kind.present(instance)):
            continue
        rules = Rules(instance)
        played = (played for _, _, played in Matches(rules, subject.seed).rounds(FEW))
        for name in _met(kind, rules, played, len(kind.present(instance))) & set(wanted):
            found.setdefault(name, told_options(instance))
    return found


def _tables(game: core.Game) -> Iterator[core.Instance]:
    try:
        yield from tables(game)
    except BadFile:
        return


def _by_event(game: core.Game, instance: core.Instance, ending: str) -> bool:
    """Does an ending depend on what only events write?"""
    if not game.events:
        return False
    written = {s.var for e in game.events for b in e.blocks for s in statements(b) if isinstance(s, core.Set)}
    moved = {s.var for a in game.actions for b in a.blocks for s in statements(b) if isinstance(s, core.Set)}
    reads = Reads(instance)
    whens = [e.when for e in game.endings if e.name == ending]
    return any(reads.variables(when) and reads.variables(when) <= written - moved for when in whens)


# ---------------------------------------------------------------- actions


def _actions_of(rules: Rules, played: Round) -> set[str]:
    return {rules.instance.actions[ply.move.action].name for ply in played.plies}


def _number(subject: Subject, name: str) -> int:
    return next(i for i, a in enumerate(subject.instance.actions) if a.name == name)


def _legal(subject: Subject, name: str) -> Wish:
    number = _number(subject, name)
    return lambda relation, state: enabled(relation, state, [number])


def _action_possible(subject: Subject, name: str) -> Result:
    return in_play(subject, guards(subject, [_number(subject, name)]), _legal(subject, name))


def _action_shown(subject: Subject, name: str) -> list[str] | None:
    """A short play after which the action is legal: of a first round, or of one that follows random rounds."""
    number, deadline = _number(subject, name), time.process_time() + subject.seconds
    reads, wish = guards(subject, [number]), _legal(subject, name)
    for before in (None, *settled(subject, subject.study.reads.variables(subject.instance.actions[number].guard))):
        if time.process_time() > deadline:
            break
        witness = soon(subject, reads, wish, before=None if before is None else before.state)
        if witness is not None and any(move.action == number for move in subject.rules.legal_moves(witness.reached)):
            return told(subject, witness) if before is None else [f"{before.words}, and", *told(subject, witness)]
    return None


# ---------------------------------------------------------------- endings


def _endings_of(rules: Rules, played: Round) -> set[str]:
    ending = rules.ending(played.ended)
    return set() if ending is None else {rules.instance.endings[ending].name}


def _place(subject: Subject, name: str) -> int:
    return next(i for i, e in enumerate(subject.instance.endings) if e.name == name)


def _ending_possible(subject: Subject, name: str) -> Result:
    """Is there a position, after a move or as a round begins, that ends this way?"""
    study, place = subject.study, _place(subject, name)
    encoder, relation = study.open(study.view())
    start = relation.start(any_match=True)
    ends = relation.ends(start.begun, at_start=True)[place]
    result = solve(encoder.dag, [*encoder.side, start.kept, *start.sound, ends], seconds=subject.seconds)
    if result.answer is not Answer.NO:
        return result
    result = _ends_so(subject, place, subject.proved)
    return result if result.answer is Answer.NO else _ends_so(subject, place, [*subject.proved, *subject.invariants])


def _ends_so(subject: Subject, place: int, known: Sequence[Fact]) -> Result:
    """The same after a move, in a position of which these facts are known."""
    encoder, relation = subject.study.open(subject.study.view(asked(known)))
    state = subject.position(relation)
    closed = relation.concluded(state)
    bits = [relation.ends(state)[place], *(fact.holds(relation, closed) for fact in known)]
    return solve(encoder.dag, [*encoder.side, *bits], seconds=subject.seconds)


def _ending_shown(subject: Subject, name: str) -> list[str] | None:
    limits = Limits(query=subject.seconds / 3, search=subject.seconds)
    goal = ended(subject.study, subject.rules, [_place(subject, name)])
    witness = shortest(subject.study, subject.rules, goal, subject.proved, limits).witness
    return None if witness is None else told(subject, witness)


def _ending_known(subject: Subject, thing: Thing) -> Verdict | None:
    """Is there a hand like the one that is known?"""
    if subject.told is None or thing.name not in subject.told:
        return None
    goal = ended(subject.study, subject.rules, [_place(subject, thing.name)])
    return agreed(Judge(subject, "E1", goal, time.perf_counter(), thing.span, after=""), subject.told[thing.name])


ACTIONS = Kind(
    "M8",
    "nobody can ever",
    lambda game: [Thing(a.name, a.span) for a in game.actions],
    lambda instance: [a.name for a in instance.actions if not core.is_lit(a.guard, value=False)],
    _actions_of,
    _action_possible,
    _action_shown,
    lambda subject, thing: None,
)
ENDINGS = Kind(
    "E1",
    "a round never ends by",
    lambda game: [Thing(e.name, e.span) for e in game.endings],
    lambda instance: [e.name for e in instance.endings if not core.is_lit(e.when, value=False)],
    _endings_of,
    _ending_possible,
    _ending_shown,
    _ending_known,
)
