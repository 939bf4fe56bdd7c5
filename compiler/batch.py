"""From an instance to matches played by compiled code; what stops a match is told in the words of the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from domrules.compiler import ir
from domrules.compiler.engine import Engine, PythonEngine, WasmEngine
from domrules.compiler.lower import Recorder, lower
from domrules.grammar import core
from domrules.interpreter.errors import RuleError, Unfinished
from domrules.interpreter.limits import LIMITS, Limits


class Form(Enum):
    """What rules are compiled to."""

    WASM = "wasm"
    PYTHON = "python"


class Disagreement(Exception):
    """Compiled code stopped a match that the interpreter plays to its end: a mistake of ours."""


EAGER = {Form.WASM: 24, Form.PYTHON: 3}
"""Operations that are done without need rather than branched around."""
ENGINES: dict[Form, Callable[[ir.Program], Engine]] = {Form.WASM: WasmEngine, Form.PYTHON: PythonEngine}


def engine(instance: core.Instance, recorder: Recorder, form: Form, limits: Limits = LIMITS) -> Engine:
    """Compiled matches of an instance, which should be an optimised one. Raises Unsupported."""
    return ENGINES[form](lower(instance, recorder, EAGER[form], limits))


def explained(instance: core.Instance, seed: int, index: int, limits: Limits = LIMITS) -> RuleError | Unfinished:
    """Why a match was stopped, as the interpreter says when it plays it. Raises Disagreement."""
    from domrules.interpreter.chance import Chance
    from domrules.interpreter.play import play_match
    from domrules.interpreter.rules import Rules

    try:
        play_match(Rules(instance), Chance.named(seed, index), limits=limits)
    except (RuleError, Unfinished) as stopped:
        return stopped
    settings = " ".join([f"{instance.players} players", *(f"{k}={v}" for k, v in instance.options.items())])
    raise Disagreement(f"{instance.game.file}: compiled code stops match {index} of seed {seed} ({settings})")
