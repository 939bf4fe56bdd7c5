"""A match in progress as an immutable value: what may be done, what comes of it, and what each player sees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from domrules.api.errors import MoveError, OverError, PlayerError, RuleFault
from domrules.api.svg import draw
from domrules.cli.board import Board
from domrules.grammar import core
from domrules.interpreter import views
from domrules.interpreter.chance import Chance
from domrules.interpreter.errors import IllegalMove, RuleError, Unfinished
from domrules.interpreter.names import Args, cell_name, element_names, find_move, move_name, parse_move, value_name
from domrules.interpreter.names import Move as Choice
from domrules.interpreter.play import Match, Ply, Round, Table, placements
from domrules.interpreter.refusal import forbids, instead, told
from domrules.interpreter.replay import outcomes, record
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State as Position
from domrules.interpreter.transcript import write

Move = core.MoveName
"""A move by name: `action`, and `args` (names); `str(move)` is `play(left,6,2|6)`."""
Hidden = views.Hidden
"""Tiles that may not be seen: `size` says how many."""
Cell: TypeAlias = "int | bool | str | tuple[str, ...] | Hidden | None"
"""What a cell holds: a number, a truth, a name, None; the names of tiles or of a set; or `Hidden(size)`, tiles not seen."""


@dataclass(frozen=True)
class View:
    """What one player may see. `cells` by name: `hand[p0]`, `tip[left]`, `mover`."""

    player: str
    cells: Mapping[str, Cell]
    legal_moves: tuple[Move, ...]
    """The moves of this player, nothing when another is to move."""
    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def __str__(self) -> str:
        return "\n".join(f"{name}: {_shown(value)}" for name, value in self.cells.items())


def _shown(value: Cell) -> str:
    if isinstance(value, Hidden):
        return f"{value.size} hidden"
    return " ".join(value) if isinstance(value, tuple) else str(value)


@dataclass(frozen=True)
class State:
    """A position in a match. Nothing changes it: `apply` and `next_round` give new ones, and the old one can be played on too."""

    _rules: Rules
    _position: Position
    _chance: tuple[int, int]
    _dealt: Position
    _plies: tuple[Ply, ...] = ()
    _rounds: tuple[Round, ...] = ()
    """The rounds that are settled."""
    _seed: int = 0

    # ------------------------------------------------------------ what is so

    @property
    def players(self) -> tuple[str, ...]:
        """The seats: `("p0", "p1")`."""
        return self._rules.instance.sorts["player"].names

    @property
    def options(self) -> dict[str, str]:
        """The options of the table, by name."""
        instance = self._rules.instance
        return {n: value_name(instance, instance.game.options[n].type, v) for n, v in instance.options.items()}

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return len(self._rounds) + (self.ending is None)

    @property
    def mover(self) -> str | None:
        """Whose turn it is; None when the round is over, or in a game without turns."""
        mover = self._rules.mover(self._position)
        return None if mover is None or self.ending is not None else self.players[mover]

    @property
    def ending(self) -> str | None:
        """How the round has ended, by the name in the file; None while it is played. The scores are settled then."""
        found = self._rules.ending(self._position)
        return None if found is None else self._rules.instance.endings[found].name

    @property
    def scores(self) -> dict[str, int]:
        """Points by cell: `{"score[t0]": 20, "score[t1]": 0}`."""
        cells = [(var, i, cell) for var, i, cell in self._rules.layout.walk() if var.role == "score"]
        return {cell_name(self._rules.instance, var, i): int(self._position.cells[cell] or 0) for var, i, cell in cells}

    @property
    def over(self) -> bool:
        """Is the match over?"""
        return self.ending is not None and self._rules.over(self._position)

    @property
    def winners(self) -> tuple[str, ...] | None:
        """The teams that have won, perhaps none; None while the match goes on."""
        if not self.over:
            return None
        return tuple(element_names(self._rules.instance, "team", self._rules.winners(self._position)))

    @property
    def outcomes(self) -> dict[str, str]:
        """What else the match is worth once it is over, `{"rating(p0)": "8"}`."""
        return dict(outcomes(self._rules, self._position)) if self.over else {}

    @property
    def cells(self) -> dict[str, Cell]:
        """Everything, hidden or not, by cell."""
        instance = self._rules.instance
        walk = self._rules.layout.walk()
        return {cell_name(instance, var, i): _named(instance, var, self._position.cells[c]) for var, i, c in walk}

    # ------------------------------------------------------------ what may be done

    def legal_moves(self) -> tuple[Move, ...]:
        """The moves of the mover in canonical order, by name: `play(left,6,2|6)`. What fate adds is not part of them."""
        return tuple(move_name(self._rules.instance, move) for move in self._rules.legal_moves(self._position))

    def apply(self, move: Move | str) -> State:
        """The state after a move; fate is decided by the seed, unless the move says what it adds (`draw(0|4)`).

        When the round ends with it, it is settled. Raises MoveError, OverError, RuleFault.
        """
        if self.ending is not None:
            raise OverError("the match is over" if self.over else "the round is over: next_round() deals the next")
        name, text = self._name(move), str(move)
        try:
            choice, outcome = find_move(self._rules.instance, name)
        except IllegalMove as error:
            raise MoveError(str(error), self._moves()) from None
        if choice not in self._allowed(choice):
            raise MoveError(f"{text} is not legal", self._moves(), self.why_not(name))
        chance = Chance(*self._chance)
        outcome = self._fate(choice, outcome, chance)
        try:
            after = self._rules.act(self._position, choice, outcome)
            return self._after(
                Ply(None if self._rules.is_event(choice) else self._rules.mover(self._position), choice, outcome),
                after,
                chance,
            )
        except RuleError as error:
            raise RuleFault(str(error)) from None

    def why_not(self, move: Move | str) -> list[str]:
        """The rules that forbid a move, each as a line with its place; of a pass first what could be played. Empty for a legal move."""
        name = self._name(move)
        could = instead(self._rules, self._position, name)
        reasons = told(lambda: forbids(self._rules, self._position, name))
        return [could, *reasons] if could and reasons else reasons

    def next_round(self) -> State:
        """The state after the next deal. Raises OverError while the round is played, or when the match is over; RuleFault."""
        if self.ending is None:
            raise OverError("the round is not over yet")
        if self.over:
            raise OverError("the match is over")
        chance = Chance(*self._chance)
        dealt, position = _deal(self._rules, self._position, chance)
        return replace(
            self, _position=position, _dealt=dealt, _plies=(), _chance=(chance.s0, chance.s1)
        )._settled_if_over()

    # ------------------------------------------------------------ what is seen

    def view(self, player: str | int) -> View:
        """What a player sees, named (`"p1"`) or numbered (1): of hidden tiles only how many. Raises PlayerError."""
        seat = self._seat(player)
        seen, instance = views.View(self._rules, self._position, seat), self._rules.instance
        cells: dict[str, Cell] = {}
        for (name, index), value in seen.cells().items():
            var = instance.vars[name]
            cells[cell_name(instance, var, index)] = (
                value if isinstance(value, Hidden) else _named(instance, var, value)
            )
        moves = self.legal_moves() if self.mover == self.players[seat] else ()
        return View(self.players[seat], cells, moves, self._repr_svg_())

    def board(self) -> str:
        """The tiles on the table, drawn as text from what lies against what."""
        return "\n".join(self._board().lines())

    def _repr_svg_(self) -> str:
        return draw(self._board().arms())

    def transcript(self) -> str:
        """The match so far as a transcript (docs/transcripts.md)."""
        rounds = self._rounds
        if self.ending is None:
            rounds = (*rounds, Round(self._dealt, self._plies, self._position, self._position, broken_off=True))
        over = self._rules.winners(self._position) if self.over else None
        tags = {"Seed": str(self._seed)} | ({} if self.over else {"Unfinished": "the match goes on"})
        return write(record(self._rules, Match(rounds, over, 0), tags))

    def __repr__(self) -> str:
        now = f"ended {self.ending}" if self.ending else f"{self.mover or 'nobody'} to move"
        return f"<State {self._rules.instance.game.name}, round {self.round}, {now}>"

    # ------------------------------------------------------------ helpers

    def _name(self, move: Move | str) -> Move:
        if isinstance(move, Move):
            return move
        try:
            return parse_move("".join(move.split()))
        except IllegalMove as error:
            raise MoveError(str(error), self._moves()) from None

    def _moves(self) -> tuple[str, ...]:
        return tuple(map(str, self.legal_moves()))

    def _allowed(self, choice: Choice) -> tuple[Choice, ...]:
        event = self._rules.is_event(choice)
        return self._rules.possible_events(self._position) if event else self._rules.legal_moves(self._position)

    def _fate(self, choice: Choice, wanted: Args, chance: Chance) -> Args:
        """What fate adds: what is wanted if that may be, else what the generator says. Raises MoveError."""
        if not self._rules.has_chance(choice):
            return ()
        possible = self._rules.outcomes(self._position, choice)
        if not wanted:
            return possible[chance.below(len(possible))]
        if wanted not in possible:
            names = [str(move_name(self._rules.instance, choice, one)) for one in possible]
            raise MoveError(f"{move_name(self._rules.instance, choice, wanted)} cannot come about", names)
        return wanted

    def _after(self, ply: Ply, after: Position, chance: Chance) -> State:
        new = replace(self, _position=after, _plies=(*self._plies, ply), _chance=(chance.s0, chance.s1))
        return new._settled_if_over()

    def _settled_if_over(self) -> State:
        if self._rules.ending(self._position) is None:
            return self
        settled = self._rules.settle(self._position)
        played = Round(self._dealt, self._plies, self._position, settled)
        return replace(self, _position=settled, _rounds=(*self._rounds, played))

    def _seat(self, player: str | int) -> int:
        if player in self.players:
            return self.players.index(str(player))
        if isinstance(player, int) and 0 <= player < len(self.players):
            return player
        raise PlayerError(f"there is no player {player}; there are {', '.join(self.players)}", self.players)

    def _board(self) -> Board:
        played = Round(self._dealt, self._plies, self._position, self._position)
        laid = [p for several in placements(self._rules, played) for p in several]
        return Board(self._rules.instance, laid)


def first(rules: Rules, seed: int) -> State:
    """The first state of a match. Raises RuleError, RuleFault."""
    chance = Chance.named(seed, 0)
    dealt, position = _deal(rules, rules.new_match(), chance)
    return State(rules, position, (chance.s0, chance.s1), dealt, _seed=seed)._settled_if_over()


def _deal(rules: Rules, before: Position, chance: Chance) -> tuple[Position, Position]:
    """A deal that the rules keep, and the state after the begin blocks."""
    try:
        dealt = Table(rules, (), chance).deal(before)
        return dealt, rules.begin(dealt)
    except (RuleError, Unfinished) as error:
        raise RuleFault(str(error)) from None


def _named(instance: core.Instance, var: core.Var, value: core.Value) -> Cell:
    """The value of a cell as Python has it."""
    match var.type:
        case core.SetOf(sort=sort):
            return tuple(element_names(instance, sort, int(value or 0)))
        case core.IntType() | core.BoolType():
            return value
        case _:
            return None if value is None else value_name(instance, var.type, value)
