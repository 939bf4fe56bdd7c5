"""People at the table: asks whose turn it is, lets bots play between, keeps the match after every move.

The match is a transcript; a person takes back his last choice, and what followed it, with `undo`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from domrules.cli.asking import Leave
from domrules.cli.exits import shown
from domrules.cli.keeping import keep
from domrules.cli.screen import CLEAR, Screen, row, show, terminal, wrapped
from domrules.cli.seats import PERSON, told_seats
from domrules.cli.typed import Listed, NoMove, event, why_not
from domrules.interpreter.bots import BOTS, Ahead, swift
from domrules.interpreter.chance import Chance
from domrules.interpreter.course import Course
from domrules.interpreter.names import Move, cell_name, element_names, move_name
from domrules.interpreter.replay import record
from domrules.interpreter.rules import Rules
from domrules.interpreter.transcript import write
from domrules.interpreter.worlds import Worlds

HELP = """  a move      its number, its name, a tile (6|4, 6-4, 64), or words that no
              other move has (64 left); Enter for the only one
  hint        what a bot that looks ahead would do, and what others cannot hold
  why MOVE    the rules that forbid a move or a tile: why 64, why pass
  undo        takes your last move back, and what followed it
  table       what is on the screen once more; look: all that you may see
  save FILE   the match as a transcript, beside the one that is kept
  quit        stops; the match is kept"""
EVENTS = "!EVENT      what comes from outside: "
WORLDS = 96
"""Positions that a hint imagines."""
SPARE = 1 << 20
"""More choices than a round has; each has a generator of its own."""


@dataclass
class Sitting:
    """A match while it is played. `seats`: for every seat a bot, or `person`; `tags`: what the transcript says beside."""

    screen: Screen
    course: Course
    seats: Sequence[str]
    path: Path
    tags: dict[str, str]
    brief: bool = False
    asked: list[Course] = field(default_factory=list)
    """Where people made their choices so far."""
    looks: str | None = None
    """The seat whose hand is on the screen."""
    told: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By person: round, and how many of its plies he has been shown."""
    written: bool = False
    taught: set[int] = field(default_factory=set)
    """The people who were told who sits where, and how to begin."""
    notice: list[str] = field(default_factory=list)
    """What was said since the last turn, and is said again on a screen that was cleared."""
    knows: Rules | None = None

    @property
    def rules(self) -> Rules:
        return self.screen.rules

    @property
    def people(self) -> list[int]:
        return [seat for seat, name in enumerate(self.seats) if name == PERSON]

    # ------------------------------------------------------------ the match

    def run(self) -> None:
        """Play until the match is over. Raises Leave, RuleError, Unfinished, OSError."""
        while True:
            if self.course.ending is not None:
                self.between()
            elif self.mover() in self.people:
                self.ask(self.mover())
            else:
                self.bot(self.mover())

    def mover(self) -> int:
        return self.rules.mover(self.course.position) or 0

    def bot(self, seat: int) -> None:
        """A bot plays; its generator is named by the place in the match, so that it does the same again after an undo."""
        moves = self.rules.legal_moves(self.course.position)
        if not moves:
            raise self.rules.stuck(self.course.position)
        self.knows = self.knows or swift(self.rules)
        place = (self.course.number * SPARE + len(self.course.past)) * len(self.seats) + seat
        player = BOTS[self.seats[seat]](self.knows, Chance.named(self.course.seed, -1 - place))
        self.course = self.course.play(moves[player.choose(self.course.view(seat), moves)])

    def between(self) -> None:
        """A round is over: the settlement, then the next."""
        self.keep()
        course = self.course
        viewer = self.people[0]
        show(self.screen.round(course, viewer, self.since(viewer), self.brief))
        self.looks = None
        while self.course is course:
            told = self.answer("Enter to finish> " if course.over else "Enter for the next round> ")
            if told and not self.command(told, None):
                show([*wrapped("Enter goes on; ? says what else there is")])
            elif not told and course.over:
                raise Leave
            elif not told:
                self.course = course.next_round()

    # ------------------------------------------------------------ a person

    def ask(self, seat: int) -> None:
        """One move of a person."""
        self.keep()
        course = self.course
        moves = self.rules.legal_moves(course.position)
        if not moves:
            raise self.rules.stuck(course.position)
        listed = Listed(self.rules.instance, moves)
        if not self.hand_over(seat):
            return
        show(self.screen.turn(course, seat, self.since(seat), listed.names, self.again(seat)))
        if seat not in self.taught:
            show(["", *self.introduction(seat)])
            self.taught.add(seat)
        self.told[seat], self.notice = (course.number, len(course.past)), []
        while self.course is course:
            told = self.answer(f"{self.screen.player(seat)}> ")
            if not self.command(told, listed):
                self.take(seat, listed, told)

    def introduction(self, seat: int) -> list[str]:
        """For who sits down for the first time: the others, how to move, how tiles are named."""
        names = enumerate(self.seats)
        told = [f"{self.screen.player(one)} {'you' if one == seat else name}" for one, name in names]
        how = ["  type the number of a move, or its name; ? helps"]
        return [*row("seats", " · ".join(told)), *how, *self.screen.copies()]

    def hand_over(self, seat: int) -> bool:
        """Let the next person sit down; nobody sees the hand of another. False when it is no longer his turn."""
        name, course = self.screen.player(seat), self.course
        if self.looks == name or len(self.people) == 1:
            return True
        self.clear()
        while told := self.answer(f"Hand over to {name}, then press Enter> "):
            if not self.command(told, None):
                show(wrapped(f"first let {name} sit down, and press Enter"))
            if self.course is not course:
                return False
        self.clear()
        self.looks = name
        return True

    def clear(self) -> None:
        """An empty screen, but for what was said since the last turn."""
        if terminal():
            print(CLEAR, end="")
            show(self.notice)

    def again(self, seat: int) -> bool:
        """Has this person just moved, without laying a tile?"""
        plies = self.told.get(seat) == (self.course.number, len(self.course.past) - 1)
        return plies and self.course.past[-1].mover == seat and self.asked[-1].laid == self.course.laid

    def since(self, seat: int) -> int:
        """How many plies of this round the person has been shown."""
        number, plies = self.told.get(seat, (0, 0))
        return min(plies, len(self.course.past)) if number == self.course.number else 0

    def take(self, seat: int, listed: Listed, told: str) -> None:
        """A move as it was typed, or why there is none."""
        try:
            if told.startswith("!"):
                self.make(event(self.rules, self.course.position, told[1:]))
                return
            places = [0] if not told and len(listed.moves) == 1 else listed.find(told)
            if len(places) == 1:
                self.make(listed.moves[places[0]])
            elif places:
                which = "; ".join(f"{place + 1} {listed.names[place]}" for place in places)
                show(wrapped(f"which one? {which}"))
            elif not told:
                show(wrapped("which move? A number of the list will do; ? helps"))
            else:
                show(self.why(seat, listed, told))
        except NoMove as problem:
            show(wrapped(str(problem)))

    def make(self, move: Move) -> None:
        """The person's move; what fate adds to it is told at once."""
        before, seat = self.course, self.mover()
        self.course = before.play(move)
        self.asked.append(before)
        number, plies = self.told.get(seat, (0, 0))
        if not self.rules.has_chance(move) and number == before.number:
            self.told[seat] = (number, plies + 1)
        self.keep()

    # ------------------------------------------------------------ commands

    def command(self, told: str, listed: Listed | None) -> bool:
        """Do what is said, if it is no move. `listed`: the moves of the person who is asked."""
        word, _, rest = told.partition(" ")
        commands: dict[str, Callable[[], None]] = {"?": self.help, "help": self.help, "undo": self.undo}
        if listed is not None:
            seat = self.mover()
            view = self.course.view(seat)
            commands |= {
                "hint": lambda: show(self.hint(seat, listed)),
                "table": lambda: show(self.screen.turn(self.course, seat, self.since(seat), listed.names)),
                "look": lambda: show(self.screen.whole(view)),
            }
        match word.lower():
            case "quit" | "exit" | "q" if not rest:
                raise Leave
            case "save":
                self.save(rest.strip())
            case "why" if listed is not None:
                self.tell_why(listed, rest.strip())
            case other if not rest and other in commands:
                commands[other]()
            case _:
                return False
        return True

    def help(self) -> None:
        """The commands; how moves and tiles are named in this game."""
        print(HELP)
        action = max(self.rules.instance.actions, key=lambda action: len(action.params))
        params = ", ".join(param.name.partition("~")[0] for param in action.params)
        told = f"{action.name}({params})" if params else action.name
        told += f": what is done, and with what; dom show {self.rules.instance.game.name} {action.name} shows its rule"
        show([*wrapped(f"{'NAMES':<11} {told}", hanging=12), *self.screen.copies()])
        events = self.rules.possible_events(self.course.position)
        if events:
            names = ", ".join(f"!{move_name(self.rules.instance, one)}" for one in events)
            show(wrapped(EVENTS + names, hanging=12))

    def undo(self) -> None:
        if not self.asked:
            show(wrapped("there is nothing to take back"))
            return
        self.course = self.asked.pop()
        self.told.clear()
        self.notice = wrapped(f"taken back; {self.screen.player(self.mover())} is to move again")
        show(self.notice)

    def save(self, name: str) -> None:
        """A copy of the match in another file."""
        if not name:
            show(wrapped("save FILE, please: the name of the file is missing"))
            return
        try:
            if Path(name).exists():
                show(wrapped(f"{name} is there already; another name, please"))
                return
            keep(Path(name), self.text())
            show(wrapped(f"saved in {name}"))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            show(wrapped(f"{name}: {reason}; the match is kept in {self.path} all the same"))

    def tell_why(self, listed: Listed, text: str) -> None:
        try:
            show(self.why(self.mover(), listed, text) if text else wrapped("why what? Name a move or a tile"))
        except NoMove as problem:
            show(wrapped(str(problem)))

    def why(self, seat: int, listed: Listed, text: str) -> list[str]:
        """Why a move is not legal. Raises NoMove."""
        found = why_not(self.rules, self.course.view(seat), listed.moves, text)
        return [line for reason in found for line in wrapped(reason)]

    def hint(self, seat: int, listed: Listed) -> list[str]:
        """What `ahead` would do and what it expects of it; what it has learnt of hidden hands."""
        names, view = listed.names, self.course.view(seat)
        self.knows = self.knows or swift(self.rules)
        out = [f"{names[0]} is all you can do"]
        if len(names) > 1:
            bot = Ahead(self.knows, Chance.named(self.course.seed, len(self.course.past)), WORLDS)
            judged = sorted(zip((one.mean for one in bot.judge(view, listed.moves)), names, strict=True), reverse=True)
            (best, name), *others = judged
            out = [
                f"{name}: worth {best:+.1f} points on average, in {WORLDS} deals that fit what you have seen,"
                " each played to its end; then " + ", ".join(f"{other} {mean:+.1f}" for mean, other in others[:3])
            ]
        for cell, tiles in Worlds(self.knows, view).never().items():
            who = next(
                self.screen.short(cell_name(self.rules.instance, v, i))
                for v, i, n in self.rules.layout.walk()
                if n == cell
            )
            out.append(f"{who} cannot hold {' '.join(element_names(self.rules.instance, 'tile', tiles))}")
        return [line for text in out for line in wrapped(text)]

    # ------------------------------------------------------------ what is kept

    def answer(self, prompt: str) -> str:
        """What somebody types, shown again where no terminal shows it. Raises Leave at the end of the input."""
        try:
            if sys.stdin.isatty():
                return input(prompt).strip()
            print(prompt, end="", flush=True)
            line = sys.stdin.readline()
        except EOFError:
            line = ""
        if not line:
            print()
            raise Leave
        print(shown(line.rstrip("\n")))
        return line.strip()

    def text(self, broken: str = "the match goes on") -> str:
        """The match as a transcript."""
        over = self.course.over
        tags = {**self.tags, "Seats": told_seats(self.rules.instance, self.seats)} | (
            {} if over else {"Unfinished": broken}
        )
        return write(record(self.rules, self.course.match(), tags))

    def keep(self, broken: str = "the match goes on") -> None:
        """Write the match, once somebody has made a move. Raises OSError."""
        if self.asked or self.written:
            keep(self.path, self.text(broken))
            self.written = True
