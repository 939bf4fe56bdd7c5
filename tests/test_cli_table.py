"""The table in the terminal: whole sessions as files, what is kept, and that hidden tiles stay hidden."""

import errno
import os
import re
import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tables import SPECS, game, shipped
from test_bots import blind, middle
from typer.testing import CliRunner

from domrules.cli import app, exits
from domrules.cli.screen import CLEAR, Screen
from domrules.cli.sitting import Sitting
from domrules.cli.typed import NoMove, why_not
from domrules.interpreter.chance import Chance
from domrules.interpreter.names import move_name
from domrules.interpreter.sheet import Scorer
from domrules.interpreter.transcript import read

SESSIONS = sorted((Path(__file__).parent / "cases" / "play").glob("*.txt"))
PROMPT = re.compile(
    r"^((?:p\d|Hand over to p\d, then press Enter|Enter for the next round|Enter to finish)> )(.*)$", re.M
)
PLAY = ("play", "block", "--seat", "1", "--against", "heavy", "--seed", "5")


def dom(*args: str | Path, answers: str = "") -> Any:
    return CliRunner().invoke(app.build(), [str(arg) for arg in args], input=answers)


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# ---------------------------------------------------------------- sessions


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a session, each with what is typed."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, shown = part.partition("\n")
        yield command, "".join(f"{typed}\n" for _, typed in PROMPT.findall(shown))


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_a_session_is_as_it_is_written(path: Path, accept: bool) -> None:
    """What is typed stands after the prompts; `--accept` writes what we show between."""
    expected, shown = path.read_text(encoding="utf-8"), ""
    for command, typed in commands(expected):
        result = dom(*shlex.split(command)[1:], answers=typed)
        assert result.exit_code == 0, result.output
        assert "internal error" not in result.output
        shown += f"$ {command}\n{result.stdout}"
    assert [line for line in shown.splitlines() if len(line) > 79 and not line.startswith(("$", "  dom play"))] == []
    if accept:
        path.write_text(placeless(shown), encoding="utf-8")
    else:
        assert placeless(shown) == expected, "pytest --accept writes the session anew"


def test_the_session_of_the_manual_is_true() -> None:
    """`…` stands for anything."""
    page = (Path(__file__).parent.parent / "docs" / "play.md").read_text(encoding="utf-8")
    (session,) = re.findall(r"^```session\n(.*?)^```$", page, re.M | re.S)
    for command, typed in commands(session):
        shown = f"$ {command}\n{dom(*shlex.split(command)[1:], answers=typed).stdout}"
        assert re.fullmatch(".*".join(re.escape(part) for part in session.split("…")), shown, re.S), shown


def placeless(text: str) -> str:
    """The text without line numbers, which change with every edit of a game."""
    return re.sub(r"\.dom:\d+", ".dom:N", text)


def test_what_undo_says_outlives_the_clearing_of_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("screen", "sitting"):
        monkeypatch.setattr(f"domrules.cli.{module}.terminal", lambda: True)
    told = dom("play", "block", "--seat", "0,1", "--seed", "5", answers="\n1\n\nundo\n\n1\n").stdout
    screens = [screen.strip() for screen in told.split(CLEAR)]
    said = "taken back; p0 is to move again"
    assert [said in screen for screen in screens] == [False, False, False, False, True, True, True, False]
    assert screens[5].startswith(f"{said}\nHand over to p0")
    assert "3|6" not in screens[5], "whose hand is hidden stays hidden"


def test_help_says_how_moves_and_tiles_are_named_and_tells_no_hand() -> None:
    told = dom("play", "rybareni", "--seat", "0,1", "--seed", "5", answers="help\n\n").stdout
    helped, turn = told.split("round 1")
    assert "catch(a, b): what is done, and with what" in " ".join(helped.split())
    equal = "of equal tiles 6|6 is the first, 6|6*2 the second, and so on"
    assert equal in helped
    assert equal in turn, "who sees such names for the first time is told"
    assert "of equal tiles" not in dom("play", "block", "--seed", "5", answers="help\n").stdout
    hand = next(line for line in turn.splitlines() if line.startswith("  hand")).split()[1:]
    assert not any(tile in helped.replace(equal, "") for tile in hand if tile != "6|4")


@pytest.mark.parametrize(
    "typed", ["5\x00", "why \x1b[31m6", "\x1b]0;title\x07", "save \x1b[2J\x00", "!\x9b1m", "\u202e1"]
)
def test_no_command_for_the_terminal_comes_back(typed: str) -> None:
    result = dom(*PLAY, answers=f"{typed}\nquit\n")
    assert result.exit_code == 0, result.output
    assert exits.shown(result.stdout) == result.stdout
    assert "\ufffd" in result.stdout


# ---------------------------------------------------------------- what is kept


def test_after_undo_and_the_same_move_the_match_is_the_same() -> None:
    dom(*PLAY, "--keep", "plain.match", answers="1\n1\n1\nquit\n")
    dom(*PLAY, "--keep", "undone.match", answers="1\n2\nundo\nundo\n2\nundo\n1\n1\n1\nquit\n")
    assert Path("plain.match").read_text() == Path("undone.match").read_text()


def test_a_match_that_is_resumed_is_the_same_as_one_without_a_break() -> None:
    typed = "1\n2\n1\n1\n"
    dom("play", "draw", "--seat", "1", "--against", "random", "--seed", "3", answers=typed + "quit\n")
    dom("play", "draw", "--seat", "1", "--against", "random", "--seed", "3", "--keep", "cut.match", answers="1\nquit\n")
    for line in typed.splitlines(keepends=True)[1:]:
        assert dom("play", "draw", "--resume", "cut.match", answers=line).exit_code == 0
    assert Path("cut.match").read_text() == Path("draw.match").read_text()


def test_the_deal_is_that_of_dom_run() -> None:
    dom(*PLAY, answers="1\n")
    ours, theirs = read(Path("block.match").read_text()), read(dom("run", "block", "--seed", "5").stdout)
    assert ours.rounds[0].deal == theirs.rounds[0].deal
    assert dom("replay", "block", "block.match").exit_code == 0


def test_no_match_is_written_over() -> None:
    assert "nothing was kept" in dom(*PLAY, answers="").stdout
    for name in ("block.match", "block-2.match"):
        assert f"kept in {name}; to go on:\n  dom play block --resume {name}" in dom(*PLAY, answers="1\n").stdout


def test_a_full_disk_ends_in_74_and_keeps_what_was_there(monkeypatch: pytest.MonkeyPatch) -> None:
    dom(*PLAY, answers="1\n")
    before = Path("block.match").read_bytes()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.fsync", full)
    result = dom("play", "block", "--resume", "block.match", answers="1\n")
    assert result.exit_code == 74
    assert "no space left on device" in result.stderr.lower()
    assert [path.name for path in Path().iterdir()] == ["block.match"]
    assert Path("block.match").read_bytes() == before


def test_an_interrupt_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    answer, count = Sitting.answer, [0]

    def interrupted(self: Sitting, prompt: str) -> str:
        count[0] += 1
        if count[0] == 2:
            raise KeyboardInterrupt
        return answer(self, prompt)

    monkeypatch.setattr(Sitting, "answer", interrupted)
    result = dom(*PLAY, answers="1\n1\n")
    assert (result.exit_code, result.stderr) == (130, "dom: interrupted.\n")
    assert result.stdout.endswith("dom play block --resume block.match\n")


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda text: "", 3),
        (lambda text: text[: text.index("p0:") + 9], 3),
        (lambda text: text[: text.index("round 1")], 0),
        (lambda text: text.replace("p1:play", "p1:pley", 1), 3),
        (lambda text: text.replace("block", "draw", 1), 3),
        (lambda text: text.replace("p0=heavy", "p0=nobody"), 2),
        (lambda text: text + "\x00\xff", 3),
    ],
)  # fmt: skip
def test_a_file_that_was_spoilt_is_refused_or_played_on(spoil: Callable[[str], str], code: int) -> None:
    dom(*PLAY, answers="1\n1\n")
    path = Path("block.match")
    path.write_text(spoil(path.read_text()), encoding="utf-8")
    result = dom("play", "block", "--resume", "block.match", answers="quit\n")
    assert result.exit_code == code, result.output
    assert result.exit_code != 3 or result.stderr.startswith("dom: block.match:")


@pytest.mark.parametrize(
    ("args", "code", "sentence"),
    [
        (["--seat", "2"], 2, "there is no seat 2; there are p0, p1. Larger tables: --players 3, 4."),
        (["--against", "clever"], 2, "there is no bot clever; there are random, first, greedy, heavy, ahead."),
        (["--bot", "1"], 2, "1 is not of the form SEAT=NAME."),
        (["--bot", "1=me"], 2, "there is no bot me"),
        (["--at", "3"], 2, "give it with --from"),
        (["--from", "a.txt", "--players", "2"], 2, "leave out --players and --set"),
        (["--from", "a.txt", "--resume", "b.txt"], 2, "leave out --from and --keep"),
        (["--from", "nowhere.txt"], 74, "nowhere.txt: no such file or directory"),
        (["--from", "there.txt", "--at", "x"], 2, "x is no ply"),
        (["--from", "there.txt", "--at", "2.1"], 2, "there is no round 2; there are 1."),
        (["--from", "there.txt", "--at", "99"], 2, "plies, not 99"),
        (["--keep", "there.txt"], 2, "there.txt is there already"),
        (["--keep", "no/folder/x.match"], 74, "no such file or directory"),
    ],
)
def test_what_cannot_be_is_said(args: list[str], code: int, sentence: str) -> None:
    if "there.txt" in args:
        assert dom("run", "block", "--rounds", "1", "-o", "there.txt").exit_code == 0
    result = dom("play", "block", *args, answers="1\n")
    assert result.exit_code == code, result.output
    assert sentence in " ".join(result.stderr.replace("│", " ").split())


FAULTY = """game faulty extends block
instead settle
  when out -> add 1 to score[t0]
  otherwise -> add the(those(p in players where p.seat > 7)).seat to score[t0]
instead over when score[t0] > 99
"""


def test_a_rule_that_fails_is_a_finding_and_the_match_is_kept() -> None:
    Path("faulty.dom").write_text(FAULTY, encoding="utf-8")
    result = dom("play", "faulty.dom", "--against", "heavy", "--seed", "2", answers="1\n" * 30 + "\n" * 30)
    assert result.exit_code in (0, 1)
    assert Path("faulty.match").exists()


# ---------------------------------------------------------------- hidden hands


@pytest.mark.parametrize("name", [*SPECS])
def test_the_screen_is_the_same_wherever_hidden_tiles_lie(name: str) -> None:
    rules = shipped(name, game(name).seats[0])
    screen = Screen(Scorer(rules))
    tiles = [*rules.instance.sorts["tile"].names[::11], "pass", "turn", "draw"]
    course = middle(rules, 1, 9)
    seat, moves = rules.mover(course.position) or 0, rules.legal_moves(course.position)
    names = [str(move_name(rules.instance, move)) for move in moves]
    screens = [
        [*screen.turn(one, seat, 0, names), *screen.whole(one.view(seat)), *refusals(one, seat, tiles)]
        for one in (course, blind(course, seat, Chance.named(1, 3)))
    ]
    assert screens[0] == screens[1]


def refusals(course: Any, seat: int, texts: list[str]) -> Iterator[str]:
    for text in texts:
        try:
            yield from why_not(course.rules, course.view(seat), course.rules.legal_moves(course.position), text)
        except NoMove as problem:
            yield str(problem)
