"""What is told of deals that fail: how rare they are, and at which tables there are any."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import comb

from domrules.grammar.instance import told_seats
from domrules.interpreter.state import State
from domrules.verifier.battery import anysize
from domrules.verifier.battery.anysize import Asked, Place, Sleepers
from domrules.verifier.battery.rarity import Rarity, rarity
from domrules.verifier.battery.subject import Subject
from domrules.verifier.solver import Answer
from domrules.verifier.witness import dealt_state

TRIED = 30
"""Tables that are tried one by one."""


SETS = 4
"""Other sets of tiles that are looked at."""


@dataclass(frozen=True, slots=True)
class Question:
    """How to ask it of a table, and how the interpreter confirms a deal that fails."""

    ask: Callable[[Subject, bool, bool], Asked]
    """With hands as dealt, else of any size? Of any match, else of a first round?"""
    confirms: Callable[[Subject, State], bool]


def lines(subject: Subject, question: Question, asked: Asked) -> list[str]:
    """How rare it is, the exact condition if one is found, the smallest table that fails; nothing where options are open."""
    if subject.instance.open:
        return []
    asleep = _asleep(subject, question, any_match=False)
    if asleep is None:
        found = rarity(subject.rules, asked.relation, asked.dealt, asked.fails, seed=subject.seed)
        return [found.text, *_tried(subject, question)]
    if not asleep.tiles:
        return ["after every deal that is kept, at any table with as many players"]
    named = f"exactly when {_named(subject, asleep)}"
    return [_rare(subject, asleep).text, named, *_condition(subject, question, asleep, any_match=False)]


def border(subject: Subject, question: Question) -> list[str]:
    """Where it holds at this table, but not with hands of any size: the exact condition, if one is found."""
    if subject.instance.open:
        return []
    asleep = _asleep(subject, question, any_match=True)
    if asleep is None or not asleep.tiles:
        return []
    named = f"it would fail exactly when {_named(subject, asleep)}"
    return [named, *_condition(subject, question, asleep, any_match=True)]


def _asleep(subject: Subject, question: Question, *, any_match: bool) -> Sleepers | None:
    """The tiles on which it hangs with hands of any size; `any_match`: in every round, not only in a first one."""
    first = question.ask(subject, False, False)
    return anysize.sleepers(subject, question.ask(subject, False, True) if any_match else first, first)


def _named(subject: Subject, asleep: Sleepers) -> str:
    stock, must = anysize.stock_of(subject.instance), len(asleep.tiles)
    names = " ".join(subject.instance.sorts["tile"].names[t] for t in asleep.tiles)
    return f"{'this tile stays' if must == 1 else f'these {must} tiles stay'} in {stock}: {names}"


def _rare(subject: Subject, asleep: Sleepers) -> Rarity:
    """The stock is a random set of tiles: those that must be in it, and any others."""
    size, must = anysize.left(subject.instance), len(asleep.tiles)
    some = comb(asleep.count - must, size - must) if size >= must else 0
    return Rarity(some, comb(asleep.count, size), True, "sets of tiles that are not dealt")


def _condition(subject: Subject, question: Question, asleep: Sleepers, *, any_match: bool) -> list[str]:
    """When it holds, and where it first fails."""
    instance, must = subject.instance, len(asleep.tiles)
    places = list(anysize.places(subject))
    same = partial(_same, subject, question, asleep, places, any_match=any_match)
    counts = tuple(filter(same, instance.game.seats))
    dealt = anysize.hands_text(instance.game)
    where = f"{told_seats(counts)} players and hands of any size"
    most = f"{asleep.count - must} (of {asleep.count} tiles {must} must stay)"
    out = [f"holds exactly when {dealt} > {most}, proved for {where}"]
    out += _other_sets(subject, question, places, dealt, any_match=any_match)
    mine = [p for p in places if p.players in counts and anysize.same_set(p.instance, instance)]
    bad = next((p for p in mine if anysize.left(p.instance) >= must), None)
    if bad is not None and _fails(bad.subject(subject), question, subject.seconds):
        out.append(f"smallest table at which it fails: {bad.words}")
    return out


def _other_sets(
    subject: Subject, question: Question, places: Sequence[Place], dealt: str, *, any_match: bool
) -> Iterator[str]:
    """The same for the other sets that options allow, with as many players."""
    seen = {subject.instance.sorts["tile"].names}
    for place in places:
        names = place.instance.sorts["tile"].names
        if place.players != subject.instance.players or names in seen or len(seen) > SETS:
            continue
        seen.add(names)
        there = place.subject(subject)
        asleep = _asleep(there, question, any_match=any_match)
        if asleep is not None and asleep.tiles:
            most = asleep.count - len(asleep.tiles)
            yield f"with {asleep.count} tiles ({place.words}): {dealt} > {most}"


def _same(
    subject: Subject, question: Question, asleep: Sleepers, places: Sequence[Place], players: int, *, any_match: bool
) -> bool:
    """Do the same tiles decide with this many players?"""
    if players == subject.instance.players:
        return True
    same = (p for p in places if p.players == players and anysize.same_set(p.instance, subject.instance))
    place = next(same, None)
    if place is None:
        return False
    return _asleep(place.subject(subject), question, any_match=any_match) == asleep


def _fails(subject: Subject, question: Question, seconds: float) -> bool | None:
    """Does it fail at this table, confirmed by the interpreter? None: not known."""
    asked = question.ask(subject, True, False)
    result = asked.result(seconds)
    if result.answer is Answer.NO:
        return False
    if result.model is None or not question.confirms(subject, dealt_state(subject.rules, result.model, asked.dealt)):
        return None
    return True


def _tried(subject: Subject, question: Question) -> list[str]:
    """The tables at which it fails and holds, tried one by one."""
    found: dict[bool | None, list[Place]] = {}
    places = list(anysize.places(subject))
    for place in places[:TRIED]:
        found.setdefault(_fails(place.subject(subject), question, 1.0), []).append(place)
    out = [f"fails at {text}" for text in [_list(found.get(True, []))] if text]
    out += [f"holds at {text}" for text in [_list(found.get(False, []))] if text]
    open_ = [*found.get(None, []), *places[TRIED:]]
    out += [f"not decided, or not tried: {_list(open_)}"] if open_ else []
    first = found.get(True, [])
    lines = ["tables, each tried:" if len(out) > 1 else "tables tried:", *(f"  {line}" for line in out)]
    return [*lines, f"smallest table at which it fails: {first[0].words}"] if first else lines


def _list(places: Sequence[Place]) -> str:
    """Tables in words, those that differ in the last option only taken together."""
    groups: dict[tuple[str, ...], list[object]] = {}
    for place in places:
        items = [f"{k}={str(v).lower()}" for k, v in place.options.items()]
        last = list(place.options.items())[-1:] or [("", None)]
        groups.setdefault((f"players={place.players}", *items[:-1], last[0][0]), []).append(last[0][1])
    return ", ".join(" ".join([*head, *_values(name, values)]) for (*head, name), values in groups.items())


def _values(name: str, values: Sequence[object]) -> Iterator[str]:
    """`tiles_each=1..9`, or nothing where no option decides."""
    if not name:
        return
    numbers = [v for v in values if isinstance(v, int) and not isinstance(v, bool)]
    if len(numbers) == len(values) > 1 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        yield f"{name}={numbers[0]}..{numbers[-1]}"
    else:
        yield f"{name}=" + "/".join(str(v).lower() for v in values)
