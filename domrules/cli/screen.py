"""From a view to what a person sees at the table, in 80 columns or fewer: what was played, the board, the tiles, the hand, the moves."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from domrules.cli.board import Board, drawn
from domrules.cli.exits import shown
from domrules.cli.sheets import lines, standing
from domrules.interpreter.because import because
from domrules.interpreter.course import Course
from domrules.interpreter.hands import RoundHands
from domrules.interpreter.names import cell_name, element_names, value_name
from domrules.interpreter.reckon import Reckoned
from domrules.interpreter.replay import outcomes, player_name
from domrules.interpreter.sheet import Counted, Scorer
from domrules.interpreter.state import State
from domrules.interpreter.views import Glimpse, Hidden, View

WIDE, NARROW = 79, 30
CLEAR = "\x1b[H\x1b[2J\x1b[3J"
BOLD, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


def terminal() -> bool:
    """Does our output go to a terminal that can be cleared?"""
    return sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def wide() -> int:
    """The columns we fill: those of a terminal, as far as there are `NARROW`, and at most `WIDE`."""
    return max(NARROW, min(WIDE, shutil.get_terminal_size().columns - 1)) if terminal() else WIDE


def marked(text: str, mark: str) -> str:
    """The text with a mark, where marks are shown."""
    return f"{mark}{text}{PLAIN}" if terminal() and not os.environ.get("NO_COLOR") else text


def wrapped(text: str, indent: int = 2, hanging: int = 4) -> list[str]:
    """A line as long as it is, or in several; without commands for the terminal, which somebody may have typed."""
    lead = " " * (len(text) - len(text.lstrip()))
    return textwrap.wrap(
        shown(text.strip()), wide(), initial_indent=" " * indent + lead, subsequent_indent=" " * (indent + hanging) + lead,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def row(name: str, text: str) -> list[str]:
    """A line with a name, as all rows of the screen."""
    head = f"  {name:<8} "
    return textwrap.wrap(
        text, wide(), initial_indent=head, subsequent_indent=" " * len(head), break_long_words=False, break_on_hyphens=False,
    ) or [head.rstrip()]  # fmt: skip


class Screen:
    """Shows a match to the people at its table."""

    def __init__(self, scorer: Scorer) -> None:
        self.scorer, self.rules, self.instance = scorer, scorer.rules, scorer.instance

    # ------------------------------------------------------------ a turn

    def turn(self, course: Course, seat: int, since: int, names: Sequence[str], again: bool = False) -> list[str]:
        """All that a person needs for his move; `since`: how many plies of the round he has been shown.

        `again`: he has just moved and the table is as it was.
        """
        view = course.view(seat)
        news = self.events(list(view.glimpses())[since:])
        own = [*self.hand(course, view, names), *self.moves(names)]
        if again:
            return [*news, *own]
        head = marked(f"round {course.number} · {self.instance.game.name} · {self.player(seat)} to move", BOLD)
        return ["", head, *news, *self.board(course), *self.table(course, view), *own]

    def player(self, seat: int | None) -> str:
        return self.scorer.team_or_player(player_name(self.rules, seat))

    def events(self, glimpses: Sequence[Glimpse]) -> list[str]:
        """What was done, several in a row counted; hidden tiles are `?`."""
        told = [f"{self.player(one.mover)} {self.glimpse(one)}" for one in glimpses]
        counted = [(text, len(list(same))) for text, same in groupby(told)]
        parts = [f"{text} ×{n}" if n > 1 else text for text, n in counted]
        return row("played", "; ".join(parts)) if parts else []

    def glimpse(self, one: Glimpse) -> str:
        action = self.instance.deeds[one.action]
        pairs = zip(action.params, one.args, strict=True)
        args = ["?" if i is None else self.instance.sorts[p.sort].names[i] for p, i in pairs]
        return f"{action.name}({','.join(args)})" if args else action.name

    def board(self, course: Course) -> list[str]:
        """The tiles that were laid, drawn, and what is open."""
        board = Board(self.instance, course.laid)
        arms = board.arms()
        if not arms:
            return []
        after = arms[0].after.strip()
        before = arms[0].before.strip() or next((way for way in board.ways if way != after), "")
        ends = [f"{before} {arms[0].pieces[0].first}".strip()]
        ends += [f"{(arm.after or arm.before).strip()} {arm.pieces[-1].second}" for arm in arms]
        rows = drawn(arms, wide() - 9)
        return ["", *("  " + line for line in rows), "", *row("ends", " · ".join(ends))]

    def table(self, course: Course, view: View) -> Iterator[str]:
        """Open zones tile by tile, hidden ones by number; points, and what else has changed since the match began."""
        laid = sum(1 << p.tile for p in course.laid)
        counts, points, others = list[str](), list[str](), list[str]()
        first = self.rules.new_match()
        for var, index, cell in self.rules.layout.walk():
            name, value = cell_name(self.instance, var, index), view.get(var.name, index)
            if isinstance(value, Hidden):
                counts.append(f"{self.short(name)} {value.size}")
            elif var.zone:
                mask = int(value or 0)
                if mask & ~laid and var.role != "hand":
                    yield from row(self.short(name), " ".join(element_names(self.instance, "tile", mask)))
                elif var.role == "hand" and not self.own(view, index):
                    yield from row(self.short(name), " ".join(element_names(self.instance, "tile", mask)) or "-")
            elif var.role == "score":
                points.append(f"{self.short(name)} {value}")
            elif var.life.name == "MATCH" and value != first.cells[cell]:
                others.append(
                    f"{self.scorer.owner(name)} {self.scorer.team_or_player(value_name(self.instance, var.type, value))}"
                )
        yield from row("tiles", " · ".join(counts)) if counts else []
        yield from row("score", " · ".join(points)) if points else []
        yield from row("so far", " · ".join(others)) if others else []

    def short(self, name: str) -> str:
        """`p1` for `hand[p1]` and `score[t1]`, `caught p1` for other cells."""
        var, bracket, index = name.partition("[")
        if not bracket:
            return name
        who = self.scorer.team_or_player(index.removesuffix("]"))
        return who if self.instance.vars[var].role in ("hand", "score") else f"{var} {who}"

    def own(self, view: View, index: int | None) -> bool:
        return index is None or index == view.player

    def hand(self, course: Course, view: View, names: Sequence[str]) -> Iterator[str]:
        """The tiles of the player, those that can be laid marked."""
        for zone in self.instance.role("zone", "hand"):
            var = self.instance.vars[zone]
            index = {"player": view.player, "team": self.instance.sorts["player"].attrs["team"][1][view.player]}.get(
                var.per or ""
            )
            mask = view.get(zone, None if index is None else int(index))
            if not isinstance(mask, Hidden):
                tiles = element_names(self.instance, "tile", int(mask or 0))
                parts = row("hand", "  ".join(tiles) or "-")
                yield from parts if len(tiles) > 99 else (self.lit(part, tiles, names) for part in parts)

    def lit(self, line: str, tiles: Sequence[str], names: Sequence[str]) -> str:
        """The line with the tiles marked that a move names."""
        words = line.split("  ")
        playable = {tile for tile in tiles if any(tile in name for name in names)}
        return "  ".join(marked(word, BOLD) if word.strip() in playable else word for word in words)

    def moves(self, names: Sequence[str]) -> list[str]:
        """The legal moves, numbered, in as many columns as there is room for."""
        numbered = [f"{number:>3} {name}" for number, name in enumerate(names, 1)]
        each = max(map(len, numbered)) + 2
        columns = max(1, (wide() + 2) // each)
        deep = -(-len(numbered) // columns)
        rows = [numbered[place::deep] for place in range(deep)]
        return ["", *("".join(f"{cell:<{each}}" for cell in cells).rstrip() for cells in rows)]

    def whole(self, view: View) -> list[str]:
        """Every cell that the player sees."""
        return [line for text in str(view).splitlines() for line in wrapped(text)]

    def copies(self) -> list[str]:
        """How tiles are told apart of which there are several; nothing where each is there once."""
        second = next((name for name in self.instance.sorts["tile"].names if name.endswith("*2")), "")
        first = second.removesuffix("*2")
        return wrapped(f"of equal tiles {first} is the first, {second} the second, and so on") if second else []

    # ------------------------------------------------------------ a round

    def round(self, course: Course, seat: int, since: int, brief: bool) -> Iterator[str]:
        """The end of a round: what was played last, the board, the settlement and why, and how the match stands."""
        counted = self.counted(course)
        head, *sheet = lines(self.scorer, counted, brief)
        tables = [f"  {zone}:" for zone in self.instance.role("zone", "layout") if course.laid]
        yield ""
        yield marked(head, BOLD)
        yield from self.events(list(course.view(seat).glimpses())[since:])
        yield from self.board(course)
        yield ""
        for line in (*sheet, *standing(self.scorer, [counted] * course.number)):
            if not line.startswith(tuple(tables)):
                yield from wrapped(line, indent=0 if line.startswith(" ") else 2)

    def holds(self, state: State, player: int) -> bool:
        """Has the player tiles left?"""
        hands = [self.rules.layout.cell(zone, player) for zone in self.instance.role("zone", "hand")]
        return any(state.cells[cell] for cell in hands)

    def counted(self, course: Course) -> Counted:
        """The round that was settled last, as the scorekeeper has it."""
        played, ending = course.rounds[-1], self.instance.endings[course.ending or 0]
        last = played.plies[-1].mover if played.plies and ending.role == "out" else None
        by = "" if last is None or self.holds(played.ended, last) else player_name(self.rules, last)
        won = self.rules.winners(played.settled) if course.over else None
        worth = tuple(outcomes(self.rules, played.settled)) if course.over else ()
        reckoned = Reckoned(played.dealt, played.ended, played.settled, course.over, won, worth)
        return Counted(
            course.number, RoundHands(ending=ending.name, by=by), reckoned, tuple(because(self.rules, played.ended))
        )


def show(lines: Iterable[str]) -> None:
    """Print lines, at once."""
    for line in lines:
        print(line)
    sys.stdout.flush()
