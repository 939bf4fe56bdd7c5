"""From an instance to matches played by compiled code; what stops a match is told in the words of the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING

from domrules.compiler import ir
from domrules.compiler.engine import Engine, PythonEngine, WasmEngine
from domrules.compiler.lower import Recorder, lower
from domrules.compiler.store import LARGE
from domrules.compiler.writer import Unsupported
from domrules.grammar import core
from domrules.interpreter.errors import RuleError, Unfinished
from domrules.interpreter.limits import LIMITS, Limits

if TYPE_CHECKING:  # the interpreter is loaded when a match has to be explained
    from domrules.interpreter.play import Match
    from domrules.interpreter.players import Seating
    from domrules.interpreter.rules import Rules


class Form(Enum):
    """What rules are compiled to."""

    WASM = "wasm"
    PYTHON = "python"


class Disagreement(Exception):
    """Compiled code stopped a match that the interpreter plays to its end: a mistake of ours."""

    game = 0
    """Which of the games it was that are played side by side."""

    def __init__(self, sentence: str, index: int) -> None:
        self.index = index
        super().__init__(sentence)


EAGER = {Form.WASM: 24, Form.PYTHON: 6}
"""Operations that are done without need rather than branched around."""
ENGINES: dict[Form, Callable[[ir.Program], Engine]] = {Form.WASM: WasmEngine, Form.PYTHON: PythonEngine}


def engine(
    instance: core.Instance, recorder: Recorder, form: Form, limits: Limits = LIMITS, policies: Sequence[str] = ()
) -> Engine:
    """Compiled matches of an instance, which should be an optimised one. Raises Unsupported."""
    return ENGINES[form](lower(instance, recorder, EAGER[form], limits, policies))


def explained(
    instance: core.Instance,
    seed: int,
    index: int,
    limits: Limits = LIMITS,
    seats: Callable[[Rules], Seating] | None = None,
) -> RuleError | Unfinished:
    """Why a match was stopped, as the interpreter says when it plays it; without `seats` at random.

    Raises Unsupported if a number became too large for compiled code, else Disagreement.
    """
    from domrules.interpreter.chance import Chance
    from domrules.interpreter.play import play_match
    from domrules.interpreter.rules import Rules

    rules, chance = Rules(instance), Chance.named(seed, index)
    try:
        match = play_match(rules, chance, None if seats is None else seats(rules)(seed, index, chance), limits)
    except (RuleError, Unfinished) as stopped:
        return stopped
    if too_large(rules, match):
        raise Unsupported(f"in match {index} of seed {seed} a number comes to 2^40; --engine interpreter plays it")
    settings = " ".join([f"{instance.players} players", *(f"{k}={v}" for k, v in instance.options.items())])
    raise Disagreement(f"{instance.game.file}: compiled code stops match {index} of seed {seed} ({settings})", index)


def too_large(rules: Rules, match: Match) -> bool:
    """Does a number of this match come to what compiled code does not take?"""
    cells = [cell for var, _, cell in rules.layout.walk() if isinstance(var.type, core.IntType)]
    states = (state for played in match.rounds for state in (*played.states, played.settled))
    return any(abs(int(state.cells[cell] or 0)) >= LARGE for state in states for cell in cells)
