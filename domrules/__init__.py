"""A language for the rules of domino games, with an interpreter and a verifier.

`load` gives a `Game`, `Game.new` a `State`; see docs/python.md. Nothing is imported before it is used.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from domrules.api.errors import DomError as DomError
    from domrules.api.errors import GameError as GameError
    from domrules.api.errors import HandsError as HandsError
    from domrules.api.errors import MoveError as MoveError
    from domrules.api.errors import OverError as OverError
    from domrules.api.errors import PlayerError as PlayerError
    from domrules.api.errors import RuleFault as RuleFault
    from domrules.api.errors import SettingError as SettingError
    from domrules.api.errors import TranscriptError as TranscriptError
    from domrules.api.game import Game as Game
    from domrules.api.game import Option as Option
    from domrules.api.game import load as load
    from domrules.api.matches import Replay as Replay
    from domrules.api.matches import Sheet as Sheet
    from domrules.api.matches import replay as replay
    from domrules.api.matches import score as score
    from domrules.api.state import Hidden as Hidden
    from domrules.api.state import Move as Move
    from domrules.api.state import State as State
    from domrules.api.state import View as View

__version__ = "0.1.0"

PLACES = {
    "errors": "DomError GameError HandsError MoveError OverError PlayerError RuleFault SettingError TranscriptError",
    "game": "Game Option load",
    "matches": "Replay Sheet replay score",
    "state": "Hidden Move State View",
}
"""The modules of `domrules.api` and what they give."""


def __getattr__(name: str) -> Any:
    """Import what is asked for, and remember it."""
    for module, names in PLACES.items():
        if name in names.split():
            from importlib import import_module

            found = globals()[name] = getattr(import_module(f"domrules.api.{module}"), name)
            return found
    raise AttributeError(f"module 'domrules' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(["__version__", *(name for names in PLACES.values() for name in names.split())])
