"""From a model of an unrolled game to a round the interpreter has played: a witness is shown only after that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from domrules.grammar import core
from domrules.interpreter.errors import RuleError
from domrules.interpreter.names import Move, choices, move_name, value_name
from domrules.interpreter.play import Ply, Round
from domrules.interpreter.replay import record_round
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.transcript import Transcript
from domrules.verifier import symbols
from domrules.verifier.relation import Choice
from domrules.verifier.symbols import Symbols
from domrules.verifier.valuation import Valuation


@dataclass(frozen=True, slots=True)
class Witness:
    """A round as the interpreter played it: the deal that was kept, the moves, and the position they lead to."""

    dealt: State
    plies: tuple[Ply, ...]
    reached: State
    canonical: bool = False
    """It is the least of its kind, and so the same on every machine."""

    def moves(self, instance: core.Instance) -> tuple[str, ...]:
        """The moves by name, with what fate added."""
        return tuple(str(move_name(instance, ply.move, ply.outcome)) for ply in self.plies)


def written(rules: Rules, witness: Witness, tags: Mapping[str, str]) -> Transcript:
    """A witness as a transcript of its round, settled if it has ended; the round may be one that cannot begin."""
    instance = rules.instance
    free = {name: rules.layout.get(witness.dealt, name) for name in instance.open}
    values = {**instance.options, **free}
    options = {n: value_name(instance, o.type, values[n]) for n, o in instance.game.options.items() if n in values}
    state, states, scored = witness.dealt, list[State](), False
    try:
        state = rules.begin(state)
        states.append(state)
        for ply in witness.plies:
            state = rules.act(state, ply.move, ply.outcome)
            states.append(state)
        settled = state if rules.ending(state) is None else rules.settle(state)
        scored = True
    except RuleError:
        settled = state
    text = record_round(rules, rules.new_match(free), Round(witness.dealt, witness.plies, tuple(states), settled))
    text = text if scored else replace(text, scores=None)
    return Transcript(instance.game.name, instance.players, options, tags, (text,))


class Unreplayable(Exception):
    """The interpreter does not follow; says where, in a sentence."""


def replay(
    rules: Rules, model: Valuation, dealt: Symbols, steps: Sequence[Sequence[Choice]], before: State | None = None
) -> Witness:
    """Play the deal and the moves of a model, after a match state if it is not the first round. Raises `Unreplayable`."""
    state = dealt_state(rules, model, dealt, before)
    first, plies = state, list[Ply]()
    try:
        if rules.wants_redeal(state):
            raise Unreplayable("the rules ask for a new deal here")
        state = rules.begin(state)
        for number, options in enumerate(steps, 1):
            ply = chosen(rules, model, state, options)
            if ply.move not in rules.legal_moves(state) or ply.outcome not in rules.outcomes(state, ply.move):
                text = move_name(rules.instance, ply.move, ply.outcome)
                raise Unreplayable(f"move {number}, {text}, is not legal there")
            plies.append(ply)
            state = rules.act(state, ply.move, ply.outcome)
    except RuleError as error:
        raise Unreplayable(f"after {len(plies)} moves: {error.sentence}") from error
    return Witness(first, tuple(plies), state)


def dealt_state(rules: Rules, model: Valuation, dealt: Symbols, before: State | None = None) -> State:
    """The deal of a model, in the first round of a match or in the round after `before`."""
    values = symbols.position(model, rules.instance, dealt)
    settings = {name: values[name, None] for name in rules.instance.open if (name, None) in values}
    state = rules.new_round(rules.new_match(settings) if before is None else before)
    return rules.layout.put(state, {cell: values[cell] for cell in symbols.zones(rules.instance)})


def chosen(rules: Rules, model: Valuation, state: State, options: Sequence[Choice]) -> Ply:
    """The move that a model makes."""
    choice = next(choice for choice in options if model.bit(choice.bit))
    count = len(choices(rules.instance.actions[choice.action]))
    return Ply(rules.mover(state), Move(choice.action, choice.args[:count]), choice.args[count:])
