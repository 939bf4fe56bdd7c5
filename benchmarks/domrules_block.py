"""From a number of rounds to the speed of our `specs/block.dom` under random play, two players.

As for OpenSpiel the rules are made ready before the clock starts, and all players choose at random. Its table differs
from ours in three small ways, see `openspiel_block`; none of them changes how a round is blocked.
"""

import time
from functools import cache

from openspiel_block import Sample

from domrules.grammar.instance import instantiate
from domrules.grammar.load import SHIPPED, load
from domrules.grammar.passes import optimise
from domrules.interpreter.chance import Chance
from domrules.interpreter.play import Round, play_match
from domrules.interpreter.rules import Rules


@cache
def block() -> Rules:
    return Rules(optimise(instantiate(load(SHIPPED / "block.dom"), 2)))


def play(rounds: int, seed: int = 1) -> Sample:
    """Play the first rounds of the matches of a seed."""
    rules = block()
    start = time.process_time()
    played = [play_match(rules, Chance.named(seed, index), stop=1).rounds[0] for index in range(rounds)]
    seconds = time.process_time() - start
    blocked = sum(is_fish(rules, r) for r in played)
    return Sample(rounds / seconds, blocked / rounds, sum(plays(rules, r) for r in played) / rounds)


def is_fish(rules: Rules, played: Round) -> bool:
    ending = rules.ending(played.ended)
    return ending is not None and rules.instance.endings[ending].role == "fish"


def plays(rules: Rules, played: Round) -> int:
    """How many tiles were laid."""
    return sum(rules.instance.actions[ply.move.action].role == "play" for ply in played.plies)
