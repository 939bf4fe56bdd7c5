"""`dom play`: a table in the terminal, for one person or several, against bots."""

import io
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from domrules.cli.asking import Leave
from domrules.cli.exits import ExitCode, failed
from domrules.cli.games import File, Players, Settings, open_instance, open_sound, refused
from domrules.cli.keeping import free
from domrules.cli.screen import Screen
from domrules.cli.seats import NAMES, PERSON, Bots, bot_name, seat, seated
from domrules.cli.sitting import Sitting
from domrules.cli.texts import NoText, read_text
from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile
from domrules.grammar.instance import SettingError
from domrules.interpreter.course import Course, followed, started
from domrules.interpreter.errors import RuleError, Unfinished
from domrules.interpreter.judge import Judge
from domrules.interpreter.replay import phrase
from domrules.interpreter.rules import Rules
from domrules.interpreter.sheet import Scorer
from domrules.interpreter.transcript import BadTranscript, Transcript
from domrules.interpreter.twin import read_any

OURS = ("Seed", "Index", "Trace", "Seats", "Unfinished", "Verdict", "Item")
"""Tags of another match that are not true of the one that is played on."""


def command(
    file: File,
    players: Players = None,
    seats: Annotated[
        list[str], typer.Option("--seat", metavar="SEAT", help="Where you sit; several seats for several people.")
    ] = [],  # noqa: B006  (Typer copies it)
    against: Annotated[str, typer.Option(metavar="NAME", help=f"Who plays the other seats: {NAMES}.")] = "ahead",
    told: Bots = [],  # noqa: B006
    seed: Annotated[int | None, typer.Option(help="Names the chance: the same seed, the same deals.")] = None,
    settings: Settings = [],  # noqa: B006
    keep: Annotated[Path | None, typer.Option(metavar="PATH", help="Where the match is kept; a new file.")] = None,
    resume: Annotated[Path | None, typer.Option(metavar="PATH", help="Go on with a match that was kept.")] = None,
    start: Annotated[
        Path | None, typer.Option("--from", metavar="PATH", help="Begin where a transcript or a witness ends.")
    ] = None,
    at: Annotated[str, typer.Option(metavar="[ROUND.]PLY", help="Begin after this ply of it.")] = "",
    brief: Annotated[bool, typer.Option("--brief", help="Leave out why a round counts as it does.")] = False,
) -> ExitCode:
    """Sit down at a table: you against bots, or several people with the screen handed from one to the other."""
    game, source = open_sound(file), resume or start
    refuse_both(resume, start, keep, at)
    if source is not None and (players is not None or settings):
        raise typer.BadParameter(f"{source} says the table; leave out --players and --set.")
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    written = None
    try:
        if source is None:
            rules = Rules(open_instance(game, players, settings))
            number = 0 if seed is None else seed
            courses, tags = [started(rules, number)], dict[str, str]()
        else:
            written = cut(read_any(read_text(source)), at)
            number = seed if seed is not None else seed_of(written)
            rules, courses = played(game, written, number)
            tags = {name: value for name, value in written.tags.items() if name not in OURS}
    except (BadTranscript, SettingError, NoText) as bad:
        return failed(ExitCode.INVALID, f"{source}: {bad}")
    except BadFile as bad_file:
        raise refused(bad_file) from None
    except (RuleError, Unfinished) as error:
        return failed(ExitCode.FINDING, str(error))
    sitting = sit(rules, courses, chairs(rules.instance, seats, against, told, written))
    sitting.path = resume or keep or free(Path(f"{game.name}.match"))
    sitting.written, sitting.brief, sitting.tags = resume is not None, brief, {**tags, "Seed": str(number)}
    return run(sitting, file)


def refuse_both(resume: Path | None, start: Path | None, keep: Path | None, at: str) -> None:
    """Options that do not go together. Raises `typer.BadParameter`."""
    if resume is not None and (start is not None or keep is not None):
        raise typer.BadParameter("--resume goes on in its own file; leave out --from and --keep.")
    if at and start is None:
        raise typer.BadParameter("--at says where to begin in a transcript: give it with --from.")
    if keep is not None and keep.exists():
        raise typer.BadParameter(f"{keep} is there already; --resume {keep} goes on with it.")


def cut(written: Transcript, at: str) -> Transcript:
    """The transcript up to a ply of its last round, or of another: `12`, `2.12`. Raises `typer.BadParameter`."""
    if not at:
        return written
    round_, dot, ply = at.rpartition(".")
    words = [*([round_] if dot else []), ply]
    if not all(word.isascii() and word.isdecimal() and len(word) < 7 for word in words):
        raise typer.BadParameter(f"{at} is no ply; write 12, or 2.12 for the second round.")
    number = int(round_) if dot else len(written.rounds)
    if not 0 < number <= len(written.rounds):
        raise typer.BadParameter(f"there is no round {number}; there are {len(written.rounds)}.")
    last = written.rounds[number - 1]
    if int(ply) > len(last.plies):
        counted = "1 ply" if len(last.plies) == 1 else f"{len(last.plies)} plies"
        raise typer.BadParameter(f"round {number} has {counted}, not {ply}.")
    whole = int(ply) == len(last.plies)
    shorter = last if whole else replace(last, plies=last.plies[: int(ply)], ending=None, scores=None)
    return replace(written, rounds=(*written.rounds[: number - 1], shorter), winners=None, outcomes=())


def seed_of(written: Transcript) -> int:
    text = written.tags.get("Seed", "0")
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() and len(digits) < 20 else 0


def played(game: core.Game, written: Transcript, seed: int) -> tuple[Rules, list[Course]]:
    """A transcript played again: the match after every ply. Raises BadTranscript, SettingError, RuleError, Unfinished."""
    judge = Judge(game, written)
    rounds = [one.played for one in judge.rounds()]
    return judge.rules, followed(judge.rules, seed, rounds)


def chairs(
    instance: core.Instance, seats: Sequence[str], against: str, told: Sequence[str], written: Transcript | None
) -> list[str]:
    """Who sits where: as the command line says, else as the transcript does. Raises `typer.BadParameter`."""
    names = instance.sorts["player"].names
    kept = [word.partition("=")[2] for word in written.tags.get("Seats", "").split()] if written is not None else []
    if not seats and not told and len(kept) == len(names) and PERSON in kept:
        return [name if name == PERSON else bot_name(name) for name in kept]
    found = list(seated(instance, against, told))
    for word in ",".join(seats).split(",") if seats else names[:1]:
        chosen = seat(instance, word)
        if chosen in {seat(instance, bot.partition("=")[0]) for bot in told}:
            raise typer.BadParameter(
                f"a person and a bot cannot both sit at {names[chosen]}; --seat says where you sit."
            )
        found[chosen] = PERSON
    return found


def sit(rules: Rules, courses: Sequence[Course], seats: Sequence[str]) -> Sitting:
    """The table, with the choices that people have made so far."""
    sitting = Sitting(Screen(Scorer(rules)), courses[-1], seats, Path(), {})
    for one in courses[:-1]:
        if one.ending is None and (rules.mover(one.position) or 0) in sitting.people:
            sitting.asked.append(one)
    return sitting


def run(sitting: Sitting, file: Path) -> ExitCode:
    """Play, and say in the end how to go on."""
    try:
        sitting.run()
    except Leave:
        print(farewell(sitting, file))
    except KeyboardInterrupt:
        print(f"\n{farewell(sitting, file)}")
        return failed(ExitCode.INTERRUPTED, "interrupted.")
    except (RuleError, Unfinished) as error:
        sitting.keep(phrase(error))
        print(farewell(sitting, file))
        return failed(ExitCode.FINDING, str(error))
    except OSError:
        print(farewell(sitting, file))
        raise
    return ExitCode.OK


def farewell(sitting: Sitting, file: Path) -> str:
    if not sitting.written:
        return "nothing was kept"
    if sitting.course.over:
        return f"kept in {sitting.path}"
    return f"kept in {sitting.path}; to go on:\n  dom play {file} --resume {sitting.path}"
