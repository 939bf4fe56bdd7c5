"""From a number of rounds to the speed of OpenSpiel's `python_block_dominoes` under random play.

Its table: two players, seven tiles each out of double-six, player 0 leads any tile, no drawing. It
differs from our block in three small ways: both players' tiles are sorted after the deal, a pass is
not an event (the turn just skips), and the winner is whoever holds fewer pips, out or not.
"""

import random
import time
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Sample:
    """Rounds per CPU second, the share of rounds that were blocked, mean plays in a round."""

    rounds_per_second: float
    blocked: float
    plays: float


def play(rounds: int, seed: int = 1) -> Sample:
    """Play random rounds through the public interface; raises ImportError without `open_spiel`."""
    pyspiel: Any = import_module("pyspiel")
    import_module("open_spiel.python.games.block_dominoes")  # registers the game
    game = pyspiel.load_game("python_block_dominoes")
    choice = random.Random(seed).choice
    blocked = plays = 0
    start = time.process_time()
    for _ in range(rounds):
        state = game.new_initial_state()
        while state.is_chance_node():
            # Its outcomes are equally likely, so weights would only cost time.
            state.apply_action(choice(state.chance_outcomes())[0])
        while not state.is_terminal():
            state.apply_action(choice(state.legal_actions()))
        plays += len(state.actions_history)
        blocked += all(state.hands)
    seconds = time.process_time() - start
    return Sample(rounds / seconds, blocked / rounds, plays / rounds)
