"""Runs the worked examples of a file: what should be, beside what is.

The steps of an example make scenes. A scene begins with what lies on the table and goes on until the table is laid
anew, or until a round has ended (it is settled at once) and something is played again; match states are kept. In the
middle of a round `given` changes the position. When a move needs a tile that the example has not placed, the scene is played again with the tile where the move needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.instance import SettingError, instantiate
from domrules.grammar.source import Span
from domrules.interpreter.errors import IllegalMove, Rule, RuleError
from domrules.interpreter.names import Args, Move, cell_name, choices, find_move, may_be, move_name, value_name
from domrules.interpreter.rules import Rules
from domrules.interpreter.setting import BadSetup, Setting, copies_of, named_tiles, patched, tiles_in, value_of
from domrules.interpreter.state import State


@dataclass(frozen=True)
class Check:
    """One thing an example expects: where it is written, what it wants and what came out, in words."""

    ok: bool
    span: Span
    expected: str
    got: str = ""


@dataclass(frozen=True)
class Result:
    """What became of an example. After the first step that could not be made, the later ones were not tried."""

    example: core.Example
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        return bool(self.checks) and all(check.ok for check in self.checks)


class Failed(Exception):
    """A step that could not be made; carries its check."""

    def __init__(self, span: Span, expected: str, got: str) -> None:
        self.check = Check(False, span, expected, got)
        super().__init__(got)


class Needs(Exception):
    """A move needs a tile in a cell where it does not lie."""

    def __init__(self, tile: int, cell: int) -> None:
        self.tile, self.cell = tile, cell


def table(game: core.Game, example: core.Example) -> core.Instance:
    """The instance an example is about: of the smallest table, unless it asks for another."""
    options: dict[str, object] = {}
    for name, e in example.options:
        if not isinstance(e, core.Lit):
            raise Failed(e.span, f"a plain value for {name}", "an expression")
        options[name] = e.value
    return instantiate(game, min(game.seats) if example.players is None else example.players, options)


def run_example(
    game: core.Game,
    example: core.Example,
    rules_of: Callable[[core.Instance], Rules] = Rules,
    table_of: Callable[[core.Game, core.Example], core.Instance] = table,
) -> Result:
    """Run one example at the table it asks for. `rules_of` may make rules that are watched; both may keep what they made."""
    checks: list[Check] = []
    try:
        rules = rules_of(table_of(game, example))
        state, steps = rules.new_match(), list(example.steps)
        while steps:
            scene = Scene(rules, state, steps)
            checks += scene.run()
            state, steps = scene.state, steps[scene.done :]
    except Failed as failed:
        checks.append(failed.check)
    except (BadFile, SettingError, BadSetup, RuleError) as error:
        span = error.span if isinstance(error, BadSetup | RuleError) else example.span
        checks.append(Check(False, span, "a position that can be", str(error)))
    return Result(example, tuple(checks))


class Scene:
    """A stretch of an example that is played from one setting. After `run`: the state reached, and the steps `done`."""

    def __init__(self, rules: Rules, between: State, steps: Sequence[core.Step]) -> None:
        self.rules, self.between = rules, between
        count = next((i for i, s in enumerate(steps) if not isinstance(s, core.Assign | core.RestIn)), len(steps))
        self.setup = [s for s in steps[:count] if isinstance(s, core.Assign | core.RestIn)]
        self.steps, self.count = steps[count:], count
        self.state, self.settled, self.done = between, False, count

    def run(self) -> list[Check]:
        """Play the scene, again with more tiles placed as long as a move needs one. Raises Failed, BadSetup."""
        setting = Setting(self.rules, self.between)
        for step in self.setup:
            setting.keep(step)
        for step in self.setup:
            setting.take(step)
        pins: dict[int, int] = {}
        while True:
            try:
                return self.attempt(setting, pins)
            except Needs as need:
                pins[need.tile] = need.cell
            except RuleError as error:
                if error.rule is not Rule.UNSET or not setting.given:
                    raise
                needed = ", ".join(f"`given {name} = …`" for name in setting.unset)
                got = f"{error.sentence}: a position needs {needed}"
                raise Failed(setting.last, "a position that can be", got) from None

    def attempt(self, setting: Setting, pins: dict[int, int]) -> list[Check]:
        checks: list[Check] = []
        self.state, self.settled, self.done = setting.state(pins), False, self.count
        self.fixed, self.closed = {*pins, *setting.tiles}, setting.closed
        self.settle_if_ended()
        for step in self.steps:
            if self.begins_another(step):
                break
            self.done += 1
            checks += self.step(step)
        return checks

    def begins_another(self, step: core.Step) -> bool:
        """Does this step belong to the next scene?"""
        match step:
            case core.Assign(what="given"):
                return self.settled
            case core.Assign() | core.RestIn():
                return True
            case core.Played() | core.Happened() | core.Ended():
                return self.settled
            case _:
                return False

    def settle_if_ended(self) -> None:
        if self.rules.ending(self.state) is not None:
            self.state, self.settled = self.rules.settle(self.state), True

    def step(self, step: core.Step) -> list[Check]:
        match step:
            case core.Assign():
                self.state = patched(self.rules, self.state, step)
                self.fixed.update(named_tiles(self.rules, step.tiles or (), (), step.span))
                return []
            case core.Played(moves=moves):
                for move in moves:
                    self.play(move, step.span)
                return []
            case core.Happened(events=events):
                for event in events:
                    self.happen(event, step.span)
                return []
            case core.Ended(ending=name):
                number = next(i for i, e in enumerate(self.rules.instance.endings) if e.name == name)
                self.state = self.rules.ended(self.state, number)
                self.settle_if_ended()
                return []
            case core.Expect():
                return [expect(self.rules, self.state, step)]
            case core.Allows():
                return [allows(self.rules, self.state, step)]
            case core.RestIn():
                return []

    # ------------------------------------------------------------ moves

    def play(self, written: core.MoveName, span: Span) -> None:
        """Make a move. Raises Failed, or Needs when only a tile is not where the move takes it from."""
        if self.settled:
            raise Failed(span, f"{written}", "the round is over")
        found = find_legal(self.rules, self.state, written)
        if found is None:
            self.look_for_tile(written, span)
            raise Failed(span, f"{written} is legal", legal_text(self.rules, self.state))
        try:
            self.state = self.rules.act(self.state, *found)
        except RuleError as error:
            raise Failed(span, f"{written} can be made", str(error)) from None
        self.settle_if_ended()

    def happen(self, written: core.MoveName, span: Span) -> None:
        """An event comes about. Raises Failed."""
        found = find_event(self.rules, self.state, written)
        if self.settled or found is None:
            raise Failed(span, f"{written} can happen", "the round is over" if self.settled else "it cannot, now")
        try:
            self.state = self.rules.act(self.state, *found)
        except RuleError as error:
            raise Failed(span, f"{written} can happen", str(error)) from None
        self.settle_if_ended()

    def look_for_tile(self, written: core.MoveName, span: Span) -> None:
        """Raises Needs if a tile of the move, not placed so far, does not lie where the move takes it from."""
        instance = self.rules.instance
        try:
            move, outcome = find_move(instance, written)
        except IllegalMove as error:
            raise Failed(span, f"{written} is legal", str(error)) from None
        args = move.args + outcome
        for place, (param, text) in enumerate(zip(instance.actions[move.action].params, written.args, strict=False)):
            if param.sort != "tile":
                continue
            cell = self.rules.source_cell(self.state, move.action, place, args)
            copies = copies_of(instance, text)
            if cell is None or any(int(self.state.cells[cell] or 0) >> tile & 1 for tile in copies):
                continue
            free = [tile for tile in copies if tile not in self.fixed and cell not in self.closed]
            if not free:
                raise Failed(span, f"{written}: {text} lies in {self.zone_name(cell)}", self.whereabouts(text, copies))
            raise Needs(free[0], cell)

    def zone_name(self, cell: int) -> str:
        return next(cell_name(self.rules.instance, var, i) for var, i, c in self.rules.layout.walk() if c == cell)

    def whereabouts(self, text: str, copies: Sequence[int]) -> str:
        """In words, the zones where copies of a tile lie."""
        zones = [
            self.zone_name(cell)
            for var, _, cell in self.rules.layout.walk()
            if var.zone and not set(copies).isdisjoint(tiles_in(self.state, cell))
        ]
        return f"{text} lies in {', '.join(zones)}"


# ---------------------------------------------------------------- legal moves by name


def legal_names(rules: Rules, state: State) -> dict[core.MoveName, tuple[Move, Args]]:
    """Everything that the mover may do now by its full name, outcomes included."""
    return by_name(rules, state, rules.legal_moves(state))


def by_name(rules: Rules, state: State, moves: Sequence[Move]) -> dict[core.MoveName, tuple[Move, Args]]:
    return {
        move_name(rules.instance, move, outcome): (move, outcome)
        for move in moves
        for outcome in rules.outcomes(state, move)
    }


def find_legal(rules: Rules, state: State, written: core.MoveName) -> tuple[Move, Args] | None:
    """The legal move that is written so (a tile without its copy number is any copy)."""
    return named_so(written, legal_names(rules, state))


def find_event(rules: Rules, state: State, written: core.MoveName) -> tuple[Move, Args] | None:
    """The event that is written so, if it can happen now."""
    return named_so(written, by_name(rules, state, rules.possible_events(state)))


def named_so(written: core.MoveName, names: Mapping[core.MoveName, tuple[Move, Args]]) -> tuple[Move, Args] | None:
    return next((found for name, found in names.items() if same(written, name)), None)


def same(written: core.MoveName, name: core.MoveName) -> bool:
    """Does what is written name this move?"""
    if written.action != name.action or len(written.args) != len(name.args):
        return False
    return all(may_be(a, b) for a, b in zip(written.args, name.args, strict=True))


def legal_text(rules: Rules, state: State) -> str:
    return "legal: " + (", ".join(str(move_name(rules.instance, m)) for m in rules.legal_moves(state)) or "nothing")


def allows(rules: Rules, state: State, step: core.Allows) -> Check:
    """Are exactly these moves legal, or (`refuses`) none of these? A move of chance may be written without its outcome."""
    legal = {name: shortened(rules, name) for name in legal_names(rules, state)}
    written = {move: [n for n, short in legal.items() if same(move, n) or same(move, short)] for move in step.moves}
    words = ", ".join(map(str, step.moves)) or "nothing"
    if not step.only:
        allowed = [str(move) for move, found in written.items() if found]
        return Check(not allowed, step.span, f"not legal: {words}", f"legal: {', '.join(allowed)}" if allowed else "")
    covered = {name for found in written.values() for name in found}
    ok = all(written.values()) and covered == set(legal)
    return Check(ok, step.span, f"legal: {words}", legal_text(rules, state))


def shortened(rules: Rules, name: core.MoveName) -> core.MoveName:
    """The name of a move without what fate adds."""
    action = next(a for a in rules.instance.actions if a.name == name.action)
    return core.MoveName(name.action, name.args[: len(choices(action))])


# ---------------------------------------------------------------- expectations


def expect(rules: Rules, state: State, step: core.Expect) -> Check:
    """Does it hold? If not, `got` tells of the first part that fails."""
    expected = " ".join(step.span.text.split()).removeprefix("expect ")
    for part in core.conjuncts(step.body):
        try:
            if not value_of(rules, state, part):
                return Check(False, step.span, expected, found(rules, state, part))
        except RuleError as error:
            return Check(False, step.span, expected, str(error))
    return Check(True, step.span, expected)


def found(rules: Rules, state: State, part: core.Expr, truth: str = "false") -> str:
    """`score[p1] is 30`: the values of what a part compares, constants left out; else that it is true or false."""
    match part:
        case core.Op(name="not", args=(inner,)):
            return found(rules, state, inner, "true")
        case core.Op(name="numeq" | "eq" | "lt" | "le" | "iff" | "in", args=(_, _)):
            told = [(e, value_name(rules.instance, e.type, value_of(rules, state, e))) for e in part.args]
            return ", ".join(f"{e.span.text} is {value}" for e, value in told if not isinstance(e, core.Lit))
        case _:
            return f"{part.span.text} is {truth}"
