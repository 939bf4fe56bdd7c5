"""Tables for tests: shipped games and small written ones, made ready for play once."""

from functools import cache
from pathlib import Path

from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.grammar.load import SHIPPED, load
from domrules.grammar.passes import optimise
from domrules.interpreter.chance import Chance
from domrules.interpreter.names import move_name
from domrules.interpreter.play import Match
from domrules.interpreter.rules import Rules
from domrules.interpreter.tables import tables as tried

SPECS = sorted(path.stem for path in SHIPPED.glob("*.dom"))
HOUSE = sorted(f"house/{path.stem}" for path in SHIPPED.glob("house/*.dom"))

TINY = """
game tiny
seats 2..3
enum pip = 0..2
enum colour = red, green, blue
dominoes in pips each a, b where a <= b
option goal: int 1..20 = 5
zone box             seen by nobody as stock
zone hand per player seen by owner  as hand
zone pile            seen by all    as layout
state mover: player for the round as mover
state last: tile or none = none for the round
state score per player: int = 0 for the match as score
define pips(t: tile): int = t.low + t.high
deal 1 tiles from box to hand each player
begin set mover to the(lowest(p in players by p.seat))
action lay(choose t in hand[mover]) as play
  do move t from hand[mover] to pile
     attach t to last touching t.low going red across if t.low == t.high
     set last to t
     set mover to mover.next
  then add pips(t) to score[mover]
action take(chance t in box) as draw
  when size(box) > 1
  do move t from box to hand[mover]
     set mover to mover.next
ending done as out when any p in players: size(hand[p]) == 0
settle add 1 to score[mover]
over when any p in players: score[p] >= goal
winners highest(g in teams by sum(p in players where p.team == g: score[p]))
"""


@cache
def of_file(path: Path) -> core.Game:
    """The game of a file that no test writes."""
    return load(path)


@cache
def every_table(path: Path) -> tuple[core.Instance, ...]:
    """The tables that such a game is tried at."""
    return tuple(tried(of_file(path)))


def game(name: str) -> core.Game:
    """A shipped game."""
    return of_file(SHIPPED / f"{name}.dom")


@cache
def shipped(name: str, players: int, optimised: bool = False) -> Rules:
    """A shipped game with the default options."""
    instance = instantiate(game(name), players)
    return Rules(optimise(instance) if optimised else instance)


def written(folder: Path, text: str, name: str = "tiny") -> core.Game:
    """A game of its text."""
    path = folder / f"{name}.dom"
    path.write_text(text, encoding="utf-8")
    return load(path)


def tables(*names: str) -> list[tuple[str, int]]:
    """Games with all their player counts."""
    return [(name, players) for name in names for players in game(name).seats]


def names(rules: Rules, match: Match) -> list[str]:
    """All moves of a match by name."""
    return [str(move_name(rules.instance, ply.move, ply.outcome)) for played in match.rounds for ply in played.plies]


def chance(index: int) -> Chance:
    """The generator of match `index` of the seed all tests use."""
    return Chance.named(20, index)
