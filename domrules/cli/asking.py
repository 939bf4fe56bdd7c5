"""The scorekeeper at the table: asks for one thing after the other, and keeps every answer at once.

The match is a hands file; it is written beside the old one and then takes its place, so that a crash loses no answer.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import zip_longest
from pathlib import Path

import typer

from domrules.cli.exits import ExitCode, failed
from domrules.cli.games import options_of
from domrules.cli.keeping import keep
from domrules.cli.screen import terminal, wrapped
from domrules.cli.sheets import counted, lines, sheet, standing, table
from domrules.cli.texts import NoText, read_text
from domrules.grammar import core
from domrules.interpreter.errors import RuleError
from domrules.interpreter.hands import BadHands, Hands, RoundHands, head, read, write
from domrules.interpreter.sheet import Counted, Missing, Question, Scorer

HELP = """  an answer   tiles as 6|4, 6-4, 6:4 or 64, - for an empty hand; Enter takes
              what stands in brackets
  WHAT: VALUE tells something else of this round, or tells it anew:
              `Olya: 6|6 1|0`
  undo        takes the last answer or correction back, and again the one
              before
  correct N   asks for round N again; `correct N WHAT: VALUE` changes one thing
              in it
  sheet       all rounds, and why every number is what it is
  quit        stops; the same command goes on from here"""


class Leave(Exception):
    """Nobody answers any more."""


def ask(game: core.Game, path: Path, players: int | None, settings: Sequence[str], brief: bool) -> ExitCode:
    """Keep a match, from its start or from where its file ends. Raises OSError, `typer.BadParameter`."""
    try:
        try:
            hands = read(read_text(path))
            scorer = same_table(game, hands, path, players, settings)
            print(f"{path}: going on with this match")
        except FileNotFoundError:
            if not path.parent.is_dir():
                raise
            scorer, hands = begin(game, players, settings)
        Keeper(scorer, hands, path, brief).run()
    except Leave:
        print(f"\nkept in {path}" if path.exists() else "\nnothing was kept")
    except (BadHands, NoText) as bad:
        return failed(ExitCode.INVALID, f"{path}: {bad}")
    return ExitCode.OK


def same_table(game: core.Game, hands: Hands, path: Path, players: int | None, settings: Sequence[str]) -> Scorer:
    """The table where a match began, at which it goes on. Raises `typer.BadParameter` for another one, BadHands."""
    begun = table(game, hands, None, ())
    asked = begun if players is None and not settings else table(game, hands, players, settings)
    here, there = begun.instance, asked.instance
    if (here.players, here.options) != (there.players, there.options):
        raise typer.BadParameter(
            f"{path} is a match of another table, for {here.players} players: leave --players and --set out to go on with it,"
            " or begin another one with --keep PATH"
        )
    return begun


def begin(game: core.Game, players: int | None, settings: Sequence[str]) -> tuple[Scorer, Hands]:
    """A new match, and its table: how many play, and their names."""
    while players is None:
        if len(game.seats) == 1:
            players = game.seats[0]
            break
        told = answer(f"How many players ({', '.join(map(str, game.seats))})? ")
        if told.isascii() and told.isdecimal() and int(told[:4]) in game.seats:
            players = int(told)
        else:
            print(f"  one of {', '.join(map(str, game.seats))}, please")
    while True:
        told = answer(f"Names of the {players} players, by seat (Enter: p0, p1, …): ")
        names = told.replace(",", " ").split()
        if names and len(names) != players:
            print(f"  {players} names, please, with spaces between")
            continue
        pairs = [(f"p{seat}", name) for seat, name in enumerate(names)]
        try:
            hands = head(game.name, players, options_of(settings), pairs)
            return table(game, hands, players, settings), hands
        except BadHands as bad:
            print(f"  {bad.sentence}")


def answer(prompt: str) -> str:
    """What somebody types. Raises Leave at the end of the input, and for `quit`."""
    try:
        told = input(prompt).strip()
    except EOFError:
        raise Leave from None
    if told.lower() in ("quit", "exit", "q"):
        raise Leave
    return told


@dataclass
class Keeper:
    """A match while it is kept."""

    scorer: Scorer
    hands: Hands
    path: Path
    brief: bool
    shown: int = 0
    """Rounds that were printed."""
    past: list[Hands] = field(default_factory=list)
    """The match before each answer and each correction of this sitting."""

    def run(self) -> None:
        """Ask until the match is over. Raises Leave, BadHands for a file that cannot be, OSError."""
        _, problem = counted(self.scorer, self.hands)
        if isinstance(problem, BadHands):
            raise problem
        if self.hands.rounds:
            self.shown = len(self.hands.rounds) - isinstance(problem, Missing)
        self.keep(self.hands)
        while True:
            rounds, problem = counted(self.scorer, self.hands)
            self.tell(rounds)
            if isinstance(problem, Missing):
                self.ask(problem)
            elif problem is not None:
                print(f"  {problem}")
                self.undo()
            elif rounds and rounds[-1].reckoned.over:
                display(standing(self.scorer, rounds))
                told = answer("Enter to finish, or undo, correct, sheet: ")
                if not told:
                    raise Leave
                if not self.second_thought(told):
                    print(HELP)
            else:
                self.keep(replace(self.hands, rounds=(*self.hands.rounds, RoundHands())))

    def tell(self, rounds: Sequence[Counted]) -> None:
        """Print the rounds that are counted and were not shown yet, and how the match stands."""
        for one in rounds[self.shown :]:
            display(lines(self.scorer, one, self.brief))
        if len(rounds) > self.shown and not rounds[-1].reckoned.over:
            display(standing(self.scorer, rounds))
        self.shown = len(rounds)

    def keep(self, hands: Hands) -> None:
        """This is the match now, also on the disk. Raises OSError."""
        self.hands = hands
        keep(self.path, write(hands))

    # ------------------------------------------------------------ one answer

    def ask(self, missing: Missing) -> None:
        """Ask one question, once."""
        number, question = missing.number, missing.question
        told = answer(prompt(self.scorer, number, question))
        if not self.second_thought(told):
            self.take(number, question, told or question.likely)

    def second_thought(self, told: str) -> bool:
        """Help, undo, sheet or correct, if it is one of them."""
        word, _, rest = told.partition(" ")
        round_, _, line = rest.partition(" ")
        match word.lower():
            case "help" | "?":
                print(HELP)
            case "undo" if not rest:
                self.undo()
            case "sheet" | "why" if not rest:
                display(sheet(self.scorer, counted(self.scorer, self.hands)[0]))
            case "correct" if round_.isascii() and round_.isdecimal():
                self.correct(int(round_[:6]), line.strip())
            case "correct":
                print("  which round? correct 1, or correct 1 WHAT: VALUE")
            case _:
                return False
        return True

    def take(self, number: int, question: Question, told: str) -> None:
        """One answer to one question, or to another that it names."""
        now = self.hands.rounds[number - 1]
        try:
            if question.key == "ended":
                line = ended(question, told)
            elif question.key == "by":
                line = f"ended {now.ending} by {seat(self.scorer, told)}"
            elif is_key(self.scorer, told):
                line = told
            elif not told:
                return
            else:
                line = f"{question.key}: {told}"
            self.put(number, now, line)
        except BadHands as bad:
            print(f"  {bad.sentence}")

    def put(self, number: int, now: RoundHands, line: str) -> None:
        """A line into a round, in the place of an earlier one about the same. Raises BadHands; then nothing is changed."""
        word = line.partition(":")[0].split()[0] if line.startswith("ended") else line.partition(":")[0].strip()
        about = word if word == "ended" else self.scorer.cell(word)[1]
        kept = [old for old in now.lines if self.about(old) != about]
        rounds = [*self.hands.rounds]
        rounds[number - 1] = retold(now, [*kept, line])
        self.attempt(replace(self.hands, rounds=tuple(rounds)))

    def about(self, line: str) -> object:
        """What a line of a round is about: a cell, or how it ended."""
        text = line.strip()
        if not text or text.startswith(";"):
            return None
        return "ended" if text.startswith("ended ") else self.scorer.cell(text.partition(":")[0].strip())[1]

    def attempt(self, hands: Hands) -> None:
        """Keep it if it can be so. Raises BadHands."""
        _, problem = counted(self.scorer, hands)
        if isinstance(problem, RuleError):
            raise BadHands(0, problem.sentence)
        if isinstance(problem, BadHands):
            raise problem
        self.past.append(self.hands)
        self.keep(hands)

    # ------------------------------------------------------------ second thoughts

    def undo(self) -> None:
        """As it was before the last answer or correction; of what was told in another sitting the last line goes."""
        before = self.past.pop() if self.past else without_last(self.hands, self.about)
        if before is None:
            print("  there is nothing to take back")
            return
        number, line = changed(before, self.hands)
        key, colon, value = line.strip().partition(":")
        print(f"  taken back: {self.scorer.owner(key) if colon else key}{colon}{value}")
        self.shown = min(self.shown, number)
        self.keep(before)

    def correct(self, number: int, line: str) -> None:
        """Round `number` anew, or one thing in it; later rounds stay and are counted again."""
        if not 0 < number <= len(self.hands.rounds):
            print(f"  there are rounds 1 to {len(self.hands.rounds)}")
            return
        try:
            if line:
                self.put(number, self.hands.rounds[number - 1], line)
            else:
                rounds = [*self.hands.rounds]
                rounds[number - 1] = RoundHands()
                self.attempt(replace(self.hands, rounds=tuple(rounds)))
            self.shown = number - 1
        except BadHands as bad:
            print(f"  {bad.sentence}")


def without_last(hands: Hands, about: Callable[[str], object]) -> Hands | None:
    """Without the last line that tells something; None where none does."""
    rounds = [*hands.rounds]
    while rounds and not any(about(line) is not None for line in rounds[-1].lines):
        rounds.pop()
    if not rounds:
        return None
    kept = [*rounds[-1].lines]
    while about(kept.pop()) is None:
        pass
    return replace(hands, rounds=(*rounds[:-1], retold(rounds[-1], kept)))


def retold(one: RoundHands, lines: Sequence[str]) -> RoundHands:
    """The round with these lines in place of its own. Raises BadHands."""
    return reduce(RoundHands.told, lines, RoundHands(line=one.line))


def changed(before: Hands, now: Hands) -> tuple[int, str]:
    """The first round that differs, from 0, and what was told anew in it: a line, or that it was to be asked for again."""
    for number, (old, new) in enumerate(zip_longest(before.rounds, now.rounds, fillvalue=RoundHands())):
        if old.lines != new.lines:
            return number, next(
                (line for line in reversed(new.lines) if line not in old.lines), f"correct {number + 1}"
            )
    return len(now.rounds), "nothing"


def display(lines: Iterable[str]) -> None:
    """Print lines; on a terminal those that are too long in several."""
    for line in lines:
        print(*(wrapped(line, indent=0) if terminal() and line else [line]), sep="\n")


def prompt(scorer: Scorer, number: int, question: Question) -> str:
    """A question as it is put: `round 2 · Who went out? (Masha, Alex) `"""
    key = "" if question.key in ("ended", "by") or question.tiles else f" {scorer.owner(question.key)}"
    choices = f" ({', '.join(question.choices)})" if question.choices else ""
    likely = f" [{question.likely}]" if question.likely else ""
    doc = question.doc.rstrip(".:") if question.doc else ""
    return f"round {number} · {doc}{' ·' if doc and key else ''}{key}{choices}{likely}: "


def ended(question: Question, told: str) -> str:
    """The line of an ending, from its name or its beginning, and perhaps who: `out Masha`. Raises BadHands."""
    word, _, who = told.removeprefix("ended ").partition(" ")
    exact = [name for name in question.choices if name == word.lower()]
    found = exact or [name for name in question.choices if word and name.startswith(word.lower())]
    if len(found) != 1:
        raise BadHands(0, f"one of {', '.join(question.choices)}, please")
    who = who.strip().removeprefix("by ")
    return f"ended {found[0]} by {who}" if who else f"ended {found[0]}"


def seat(scorer: Scorer, told: str) -> str:
    """A player as he is written in the file. Raises BadHands."""
    return list(scorer.names.values())[scorer.player(told)]


def is_key(scorer: Scorer, told: str) -> bool:
    """Is this `WHAT: VALUE`? A tile may be written 6:4, which names nothing."""
    key, colon, _ = told.partition(":")
    try:
        return bool(colon) and scorer.cell(key.strip()) is not None
    except BadHands:
        return False
