"""From the words of a command line to who plays a simulated match: bots by name, and functions that were brought along."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from domrules.cli.seats import bot_name, seated
from domrules.grammar import core

if TYPE_CHECKING:  # slow to load, and rarely needed
    from domrules.cli.guests import Guest
    from domrules.interpreter.chance import Chance
    from domrules.interpreter.players import Player, Seating
    from domrules.interpreter.rules import Rules


def is_guest(word: str) -> bool:
    """Does this name a function rather than a bot?"""
    return ":" in word or word.endswith(".py")


@dataclass(frozen=True)
class Company:
    """Who sits at a table, by the words that were used; `guests` seats them where some are functions."""

    names: tuple[str, ...]
    guests: Callable[[Rules], Seating] | None

    @property
    def random(self) -> bool:
        """Are all of them random?"""
        return set(self.names) == {"random"}


class Companies:
    """The companies of the tables of one command; every function is loaded once."""

    def __init__(self) -> None:
        self.known: dict[str, Guest] = {}

    def named(self, word: str) -> str:
        """The name of a bot or of a function. Raises `typer.BadParameter`, BadPlayer, OSError."""
        if not is_guest(word):
            return bot_name(word)
        if word not in self.known:
            from domrules.cli.guests import guest

            self.known[word] = guest(word)
        return word

    def of(self, instance: core.Instance, usual: str, told: Sequence[str]) -> Company:
        """Who sits at a table. Raises `typer.BadParameter`, BadPlayer, OSError."""
        names = seated(instance, usual, told, self.named)
        brought = {place: self.known[name] for place, name in enumerate(names) if name in self.known}
        return Company(names, self.seats(names, brought) if brought else None)

    def seats(self, names: Sequence[str], brought: dict[int, Guest]) -> Callable[[Rules], Seating]:
        """Functions at these places, bots at the others."""
        bots = ["random" if place in brought else name for place, name in enumerate(names)]

        from domrules.cli.guests import Visitor
        from domrules.interpreter.bots import seating

        def at(rules: Rules) -> Seating:
            usual = seating(rules, bots)

            def match(seed: int, index: int, chance: Chance) -> Sequence[Player]:
                players = usual(seed, index, chance)
                return [Visitor(brought[i], rules, index) if i in brought else p for i, p in enumerate(players)]

            return match

        return at
