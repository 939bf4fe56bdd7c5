"""A match in progress as an immutable value: what may be done, what comes of it, and what each player sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from domrules.api.errors import MoveError, OverError, PlayerError, RuleFault
from domrules.api.svg import draw
from domrules.cli.board import Board
from domrules.grammar import core
from domrules.interpreter import views
from domrules.interpreter.course import Course, started
from domrules.interpreter.errors import IllegalMove, RuleError, Unfinished
from domrules.interpreter.names import Args, cell_name, element_names, find_move, move_name, parse_move, value_name
from domrules.interpreter.names import Move as Choice
from domrules.interpreter.refusal import forbids, instead, told
from domrules.interpreter.replay import outcomes, record
from domrules.interpreter.rules import Rules
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

    _course: Course

    @property
    def _rules(self) -> Rules:
        return self._course.rules

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
        return self._course.number

    @property
    def mover(self) -> str | None:
        """Whose turn it is; None when the round is over, or in a game without turns."""
        mover = self._rules.mover(self._course.position)
        return None if mover is None or self.ending is not None else self.players[mover]

    @property
    def ending(self) -> str | None:
        """How the round has ended, by the name in the file; None while it is played. The scores are settled then."""
        found = self._course.ending
        return None if found is None else self._rules.instance.endings[found].name

    @property
    def scores(self) -> dict[str, int]:
        """Points by cell: `{"score[t0]": 20, "score[t1]": 0}`."""
        cells = [(var, i, cell) for var, i, cell in self._rules.layout.walk() if var.role == "score"]
        return {
            cell_name(self._rules.instance, var, i): int(self._course.position.cells[cell] or 0)
            for var, i, cell in cells
        }

    @property
    def over(self) -> bool:
        """Is the match over?"""
        return self._course.over

    @property
    def winners(self) -> tuple[str, ...] | None:
        """The teams that have won, perhaps none; None while the match goes on."""
        if not self.over:
            return None
        return tuple(element_names(self._rules.instance, "team", self._rules.winners(self._course.position)))

    @property
    def outcomes(self) -> dict[str, str]:
        """What else the match is worth once it is over, `{"rating(p0)": "8"}`."""
        return dict(outcomes(self._rules, self._course.position)) if self.over else {}

    @property
    def cells(self) -> dict[str, Cell]:
        """Everything, hidden or not, by cell."""
        instance = self._rules.instance
        walk = self._rules.layout.walk()
        return {
            cell_name(instance, var, i): _named(instance, var, self._course.position.cells[c]) for var, i, c in walk
        }

    # ------------------------------------------------------------ what may be done

    def legal_moves(self) -> tuple[Move, ...]:
        """The moves of the mover in canonical order, by name: `play(left,6,2|6)`. What fate adds is not part of them."""
        return tuple(move_name(self._rules.instance, move) for move in self._rules.legal_moves(self._course.position))

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
        self._check(choice, outcome)
        try:
            return State(self._course.play(choice, outcome or None))
        except RuleError as error:
            raise RuleFault(str(error)) from None

    def why_not(self, move: Move | str) -> list[str]:
        """The rules that forbid a move, each as a line with its place; of a pass first what could be played. Empty for a legal move.

        Raises MoveError for what is no move of this game.
        """
        name = self._name(move)
        try:
            find_move(self._rules.instance, name)
        except IllegalMove as error:
            raise MoveError(str(error), self._moves()) from None
        could = instead(self._rules, self._course.position, name)
        reasons = told(lambda: forbids(self._rules, self._course.position, name))
        return [could, *reasons] if could and reasons else reasons

    def next_round(self) -> State:
        """The state after the next deal. Raises OverError while the round is played, or when the match is over; RuleFault."""
        if self.ending is None:
            raise OverError("the round is not over yet")
        if self.over:
            raise OverError("the match is over")
        return State(_dealt(self._course.next_round))

    # ------------------------------------------------------------ what is seen

    def view(self, player: str | int) -> View:
        """What a player sees, named (`"p1"`) or numbered (1): of hidden tiles only how many. Raises PlayerError."""
        seat = self._seat(player)
        moves = self.legal_moves() if self.mover == self.players[seat] else ()
        return seen(self._course.view(seat), self._rules, moves, self._repr_svg_())

    def board(self) -> str:
        """The tiles on the table, drawn as text from what lies against what."""
        return "\n".join(self._board().lines())

    def _repr_svg_(self) -> str:
        return draw(self._board().arms())

    def transcript(self) -> str:
        """The match so far as a transcript (docs/transcripts.md)."""
        tags = {"Seed": str(self._course.seed)} | ({} if self.over else {"Unfinished": "the match goes on"})
        return write(record(self._rules, self._course.match(), tags))

    def __repr__(self) -> str:
        now = f"ended {self.ending}" if self.ending else f"{self.mover or 'nobody'} to move"
        return f"<State {self._rules.instance.game.name}, round {self.round}, {now}>"

    # ------------------------------------------------------------ helpers

    def _name(self, move: Move | str) -> Move:
        if isinstance(move, Move):
            return move
        try:
            return parse_move("".join(str(move).split()))
        except IllegalMove as error:
            raise MoveError(str(error), self._moves()) from None

    def _moves(self) -> tuple[str, ...]:
        return tuple(map(str, self.legal_moves()))

    def _allowed(self, choice: Choice) -> tuple[Choice, ...]:
        event = self._rules.is_event(choice)
        return (
            self._rules.possible_events(self._course.position)
            if event
            else self._rules.legal_moves(self._course.position)
        )

    def _check(self, choice: Choice, wanted: Args) -> None:
        """May fate add this? Raises MoveError."""
        possible = self._rules.outcomes(self._course.position, choice) if wanted else ()
        if wanted and wanted not in possible:
            names = [str(move_name(self._rules.instance, choice, one)) for one in possible]
            raise MoveError(f"{move_name(self._rules.instance, choice, wanted)} cannot come about", names)

    def _seat(self, player: str | int) -> int:
        if player in self.players:
            return self.players.index(str(player))
        if isinstance(player, int) and 0 <= player < len(self.players):
            return player
        raise PlayerError(f"there is no player {player}; there are {', '.join(self.players)}", self.players)

    def _board(self) -> Board:
        return Board(self._rules.instance, self._course.laid)


def seen(view: views.View, rules: Rules, moves: tuple[Move, ...], svg: str = "") -> View:
    """What a player sees, by name; with these legal moves, and without a drawing if none is given."""
    instance, cells = rules.instance, dict[str, Cell]()
    for (name, index), value in view.cells().items():
        var = instance.vars[name]
        cells[cell_name(instance, var, index)] = value if isinstance(value, Hidden) else _named(instance, var, value)
    return View(instance.sorts["player"].names[view.player], cells, moves, svg)


def first(rules: Rules, seed: int) -> State:
    """The first state of a match. Raises RuleFault."""
    return State(_dealt(lambda: started(rules, seed)))


def _dealt(deal: Callable[[], Course]) -> Course:
    """What comes of a deal. Raises RuleFault."""
    try:
        return deal()
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
