"""From what a person types to a move: its number, its name, or as much of it as no other move has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from domrules.grammar import core
from domrules.grammar.source import Span
from domrules.interpreter.chance import Chance
from domrules.interpreter.errors import IllegalMove, RuleError
from domrules.interpreter.hands import halves
from domrules.interpreter.names import Move, choices, find_move, may_be, move_name, parse_move
from domrules.interpreter.refusal import Reason, Refusal, instead
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.views import View
from domrules.interpreter.worlds import Worlds

WORLDS = 3
"""Positions that may be true; what is said of a refusal is so in all of them."""
GROUPS = 4
MOST = 400
"""So many moves are looked at for one tile."""


class NoMove(Exception):
    """What was typed is no legal move; a sentence, or more of them in lines."""


@dataclass(frozen=True)
class Listed:
    """The legal moves of a person as they are listed, from 1."""

    instance: core.Instance
    moves: Sequence[Move]

    @property
    def names(self) -> list[str]:
        return [str(move_name(self.instance, move)) for move in self.moves]

    def find(self, text: str) -> list[int]:
        """The places of the moves that are meant. Raises NoMove when a number may also be a tile."""
        plain = "".join(text.split())
        number = plain.removeprefix("#")
        listed = number.isascii() and number.isdecimal() and 0 < int(number[:6]) <= len(self.moves)
        words = re.findall(r"[^\s,()]+", text)
        named = [move_name(self.instance, move) for move in self.moves]
        meant = [place for place, name in enumerate(named) if words and said(self.instance, name, words)]
        if listed and plain != number:
            return [int(number) - 1]
        if listed and len(number) > 1 and meant:
            raise NoMove(f"{number} is a number of the list and a tile: #{number} or {halves(number)}?")
        if listed:
            return [int(number) - 1]
        exact = [place for place in meant if self.names[place] == plain]
        return exact or meant


def said(instance: core.Instance, name: core.MoveName, words: Sequence[str]) -> bool:
    """Is every word another part of the move: its action, a tile, or the beginning of a name?"""
    params = next(choices(action) for action in instance.actions if action.name == name.action)
    left = [(name.action, False), *((arg, p.sort == "tile") for arg, p in zip(name.args, params, strict=False))]
    for word in words:
        found = next((part for part in left if means(word, *part)), None)
        if found is None:
            return False
        left.remove(found)
    return True


def means(word: str, part: str, tile: bool) -> bool:
    """May a word stand for a part of a move?"""
    if tile:
        return may_be(halves(word.strip("[]")), part)
    return word.lower() == part.lower() or (word[0].isalpha() and part.lower().startswith(word.lower()))


def event(rules: Rules, state: State, text: str) -> Move:
    """What comes from outside: `leave(p1)`. Raises NoMove."""
    try:
        move, _ = find_move(rules.instance, parse_move("".join(text.split())))
    except IllegalMove as error:
        raise NoMove(str(error)) from None
    possible = rules.possible_events(state)
    if move not in possible:
        names = ", ".join(str(move_name(rules.instance, one)) for one in possible)
        raise NoMove(f"{text} cannot happen now" + (f"; possible is {names}" if names else ""))
    return move


# ---------------------------------------------------------------- why not


def why_not(rules: Rules, view: View, moves: Sequence[Move], text: str) -> list[str]:
    """The rules that forbid a move, or every move with a tile. Raises NoMove when nothing of the kind exists.

    It is looked for in positions that the player may take for true, not in the true one: nothing hidden is told.
    """
    names = list(candidates(rules.instance, text))
    legal = set(moves)
    found = [name for name in names if find_move(rules.instance, name)[0] in legal]
    if found:
        return [f"{found[0]} is legal"]
    guesses = Worlds(rules, view)
    worlds = [guesses.world(Chance.named(0, k)) for k in range(WORLDS)]
    out = list[str]()
    for several in grouped(rules, worlds[0], names)[:GROUPS]:
        more = f", and {len(several) - 1} more like it" if len(several) > 1 else ""
        out += [f"{several[0]}{more}:", *("  " + line for line in told(rules, worlds, several[0]))]
    return out


def grouped(rules: Rules, world: State, names: Sequence[core.MoveName]) -> list[list[core.MoveName]]:
    """The moves by why they are not legal: together where the words are the same, or the places; first what fails least."""
    same = dict[tuple[str, ...], tuple[list[core.MoveName], list[Reason]]]()
    for name in names:
        reasons = refused(rules, world, name)
        same.setdefault(tuple(r.what for r in reasons), ([], reasons))[0].append(name)
    placed = dict[tuple[Span, ...], tuple[list[core.MoveName], list[Reason]]]()
    for several, reasons in same.values():
        placed.setdefault(tuple(r.span for r in reasons), ([], reasons))[0].extend(several)
    groups = sorted(placed.values(), key=lambda group: sum(r.depth == 0 for r in group[1]))
    return [several for several, _ in groups]


def told(rules: Rules, worlds: Sequence[State], name: core.MoveName) -> Iterator[str]:
    """The reasons that hold wherever hidden tiles lie, with their places; of others only where they stand."""
    could = instead(rules, worlds[0], name)
    if could:
        yield could
    everywhere = [{str(reason) for reason in refused(rules, world, name)} for world in worlds[1:]]
    reasons = refused(rules, worlds[0], name)
    for reason in reasons:
        sure = all(str(reason) in lines for lines in everywhere)
        yield f"{'  ' * reason.depth}{reason.declaration}: {reason.what if sure else 'tiles you do not see'}  ({reason.span.short})"
    if not reasons and not could:
        yield "it depends on tiles you do not see"


def refused(rules: Rules, state: State, name: core.MoveName) -> list[Reason]:
    try:
        return list(Refusal(rules, state).reasons(*find_move(rules.instance, name)))
    except RuleError:
        return []


def candidates(instance: core.Instance, text: str) -> Iterator[core.MoveName]:
    """The move of a name, or all moves that have a tile among their choices. Raises NoMove."""
    plain = "".join(text.split())
    try:
        move, _ = find_move(instance, parse_move(plain))  # what fate may add is not asked
        yield move_name(instance, move)
        return
    except IllegalMove as error:
        problem = str(error)
    names, words = instance.sorts["tile"].names, re.findall(r"[^\s,()]+", text)
    tiles = [i for word in words for i, one in enumerate(names) if means(word, one, True)][:1]
    found = [name for tile in tiles for name in with_tile(instance, tile) if said(instance, name, words)]
    if not found:
        number = "no number of the list, " if plain.removeprefix("#").isdecimal() else ""
        raise NoMove(problem if "(" in plain else f"{text} is {number}no move and no tile")
    yield from found


def with_tile(instance: core.Instance, tile: int) -> Iterator[core.MoveName]:
    """All moves that have a tile among their choices."""
    for action in instance.actions:
        params = choices(action)
        for place, param in enumerate(params):
            if param.sort == "tile":
                ranges = [[tile] if k == place else values(instance, p, tile) for k, p in enumerate(params)]
                for args in list(product(*ranges))[:MOST]:
                    pairs = zip(params, args, strict=True)
                    yield core.MoveName(action.name, tuple(instance.sorts[p.sort].names[i] for p, i in pairs))


def values(instance: core.Instance, param: core.Param, tile: int) -> Sequence[int]:
    """What a parameter can be beside a tile: of halves those of the tile."""
    if param.sort == instance.game.dominoes.half:
        return sorted(set(instance.halves[tile]))
    return range(instance.sorts[param.sort].size)
