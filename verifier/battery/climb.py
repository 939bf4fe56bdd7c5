"""From a wish to a round that fulfils it: random rounds, changed a little again and again, as long as they get no worse.

    found = climb(rules, wish, tries=3_000)      # wish(round): 0 or more when it is what is looked for

A round is decided by a script: the order in which tiles come off the stock, and a number for every choice. To change it
is to exchange two tiles, or to choose otherwise once. Nothing here knows a game. What is found is played by the
interpreter, so it is a witness; what is not found says nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random

from domrules.interpreter.chance import Chance
from domrules.interpreter.errors import RuleError, Unfinished
from domrules.interpreter.play import Limits, Round, Table
from domrules.interpreter.players import RandomPlayer
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State

Wish = Callable[[Round], float | None]
"""How near a round is: 0 or more is there, None is nowhere."""

LIMITS = Limits(moves=500, rounds=1, deals=1)
PICKS = 64
"""Choices with a number of their own; later ones take them again."""
GRAIN = 1 << 16
STALE = 400
"""Changes without getting nearer after which another round is begun with."""


@dataclass(frozen=True, slots=True)
class Script:
    """What decides a round: tiles in the order they are taken, and numbers below GRAIN for the choices, in turn."""

    order: tuple[int, ...]
    picks: tuple[int, ...]

    @classmethod
    def drawn(cls, random: Random, tiles: int) -> Script:
        order = list(range(tiles))
        random.shuffle(order)
        return cls(tuple(order), tuple(random.randrange(GRAIN) for _ in range(PICKS)))

    def changed(self, random: Random) -> Script:
        """A script much like this one."""
        found = self
        for _ in range(1 if random.random() < 0.7 else 3):
            found = found.swapped(random) if random.random() < 0.5 else found.picked(random)
        return found

    def swapped(self, random: Random) -> Script:
        order = list(self.order)
        a, b = random.randrange(len(order)), random.randrange(len(order))
        order[a], order[b] = order[b], order[a]
        return replace(self, order=tuple(order))

    def picked(self, random: Random) -> Script:
        place = random.randrange(PICKS)
        return replace(self, picks=(*self.picks[:place], random.randrange(GRAIN), *self.picks[place + 1 :]))


class Scripted(Chance):
    """Chance that takes its numbers from a script."""

    __slots__ = ("count", "picks")

    def __init__(self, picks: tuple[int, ...]) -> None:
        super().__init__(1, 1)
        self.picks, self.count = picks, 0

    def below(self, n: int) -> int:
        self.count += 1
        return self.picks[self.count % len(self.picks)] * n // GRAIN


class ScriptedTable(Table):
    """A table at which tiles are dealt in the order of a script."""

    def __init__(self, rules: Rules, script: Script) -> None:
        chance = Scripted(script.picks)
        super().__init__(rules, [RandomPlayer(chance)] * rules.instance.players, chance, LIMITS)
        self.order = script.order

    def take(self, tiles: int) -> int:
        return next(tile for tile in self.order if tiles >> tile & 1)


def scripted(rules: Rules, script: Script, before: State) -> Round | None:
    """The round of a script; none where it is dealt again, breaks a rule or does not end."""
    try:
        return ScriptedTable(rules, script).round(before)
    except (RuleError, Unfinished):
        return None


def climb(rules: Rules, wish: Wish, *, tries: int, seed: int = 1, before: State | None = None) -> Round | None:
    """A round that fulfils the wish, if one is found within so many tries. `before`: where it starts from."""
    random = Random(seed)
    state = rules.new_match() if before is None else before
    tiles = rules.instance.sorts["tile"].size
    best: float | None = None
    script, stale = Script.drawn(random, tiles), 0
    for _ in range(tries):
        if stale > STALE:
            script, best, stale = Script.drawn(random, tiles), None, 0
        new = script.changed(random) if best is not None else Script.drawn(random, tiles)
        played = scripted(rules, new, state)
        value = None if played is None else wish(played)
        if value is not None and value >= 0:
            return played
        stale += 1
        if value is not None and (best is None or value >= best):
            stale = stale if best is not None and value == best else 0
            script, best = new, value
    return None
