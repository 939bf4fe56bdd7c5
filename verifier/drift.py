"""Do interpreter and encoding mean the same? In a known position everything folds, so no solver is asked.

`move_differences` compares, in one position: which moves are legal with which outcomes, which of them break a rule, and
the whole position after each, ending included. `begin_differences` and `settle_differences` do so between rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from domrules.interpreter.errors import RuleError
from domrules.interpreter.names import Args, Move, cell_name, choices, move_name, value_name
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.verifier import symbols
from domrules.verifier.dag import Bit, Dag
from domrules.verifier.effects import Fault, run
from domrules.verifier.relation import Choice, Relation
from domrules.verifier.study import Study
from domrules.verifier.symbols import Symbols
from domrules.verifier.valuation import Valuation
from domrules.verifier.view import FULL


class Drift:
    """Compares the two for one instance."""

    def __init__(self, study: Study, rules: Rules) -> None:
        self.study, self.instance, self.rules = study, study.instance, rules

    def move_differences(self, state: State) -> list[str]:
        """What they say differently of the moves in a position whose round goes on; empty when they agree."""
        encoder, relation = self.study.open(FULL)
        step = relation.step(symbols.known(self.instance, state), "x")
        idle = Valuation(encoder.dag, {}, {})
        try:
            legal = self.legal(state)
        except RuleError as error:
            return [] if any(idle.bit(fault.bit) for fault in step.faults) else [f"only the interpreter says: {error}"]
        made = {(choice.action, choice.args): choice for choice in step.choices}
        found = [f"move {move} is unknown to the encoding" for move in legal - made.keys()]
        for key, choice in made.items():
            model = taking(encoder.dag, choice)
            if all(map(model.bit, [*encoder.side, *step.chosen])) != (key in legal):
                found.append(f"{self.move_text(choice)} is legal for one of the two only")
            elif key in legal:
                move, outcome = self.parts(choice)
                after = self.result(partial(self.rules.act, state, move, outcome))
                found += self.compare(self.move_text(choice), after, relation, step.after, step.faults, model)
        return found

    def begin_differences(self, dealt: State) -> list[str]:
        """The same for the beginning of a round after its deal."""
        encoder, relation = self.study.open(FULL)
        begun, faults = symbols.known(self.instance, dealt), list[Fault]()
        for block in self.instance.begin:
            begun, more = run(encoder, relation.promises, block, begun)
            faults += more
        faults += relation.ending_faults(begun, at_start=True)
        model, after = Valuation(encoder.dag, {}, {}), self.result(partial(self.rules.begin, dealt))
        return self.compare("begin", after, relation, begun, faults, model, at_start=True)

    def settle_differences(self, ended: State) -> list[str]:
        """The same for the settlement of a round."""
        encoder, relation = self.study.open(FULL)
        settled, faults = relation.settle(symbols.known(self.instance, ended))
        model, after = Valuation(encoder.dag, {}, {}), self.result(partial(self.rules.settle, ended))
        return self.same("settle", after, settled, faults, model)

    # ------------------------------------------------------------ parts of the above

    def legal(self, state: State) -> set[tuple[int, tuple[int, ...]]]:
        """The legal moves with all their arguments, outcomes included."""
        moves = self.rules.legal_moves(state)
        return {(m.action, m.args + outcome) for m in moves for outcome in self.rules.outcomes(state, m)}

    def parts(self, choice: Choice) -> tuple[Move, Args]:
        """A ground move as the interpreter has it: what is chosen, and what fate adds."""
        chosen = len(choices(self.instance.actions[choice.action]))
        return Move(choice.action, choice.args[:chosen]), choice.args[chosen:]

    def move_text(self, choice: Choice) -> str:
        return str(move_name(self.instance, *self.parts(choice)))

    def result(self, act: Callable[[], State]) -> State | RuleError:
        try:
            return act()
        except RuleError as error:
            return error

    def compare(
        self,
        what: str,
        expected: State | RuleError,
        relation: Relation,
        got: Symbols,
        faults: Sequence[Fault],
        model: Valuation,
        *,
        at_start: bool = False,
    ) -> list[str]:
        """The position after something, when its endings have been looked at."""
        return self.same(what, expected, relation.concluded(got, at_start=at_start), faults, model)

    def same(
        self, what: str, expected: State | RuleError, got: Symbols, faults: Sequence[Fault], model: Valuation
    ) -> list[str]:
        broken = [fault.rule.value for fault in faults if model.bit(fault.bit)]
        if isinstance(expected, RuleError) or broken:
            both = isinstance(expected, RuleError) and broken
            return [] if both else [f"{what}: rule error for one of the two only, {expected}, {broken}"]
        found, encoded = [], symbols.position(model, self.instance, got)
        for var, index, cell in self.rules.layout.walk():
            value = encoded[var.name, index]
            if value != expected.cells[cell]:
                values = [value_name(self.instance, var.type, v) for v in (expected.cells[cell], value)]
                found.append(f"{what}: {cell_name(self.instance, var, index)} is {values[0]}, encoded {values[1]}")
        return found


def taking(dag: Dag, choice: Choice) -> Valuation:
    """The model in which this move is made and no other."""
    made: dict[Bit, bool] = {choice.bit: True}
    return Valuation(dag, made, {})
