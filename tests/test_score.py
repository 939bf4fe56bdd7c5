"""The scorekeeper: what it asks, what it counts, why, and what it keeps; the same as play gives, for every game."""

import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables import HOUSE, SPECS, chance, game, shipped, tables
from typer.testing import CliRunner

import domrules
from domrules.cli import app
from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.interpreter.because import because
from domrules.interpreter.hands import BadHands, halves, read, tile_words, write
from domrules.interpreter.play import play_match
from domrules.interpreter.reckon import Reckoned, Reckoner
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.unknown import Unknown

BLOCK = domrules.load("block")
HEAD = "game koza_online\nplayers 4\nname p0 Masha\nname p1 Alex\nname p2 Olya\nname p3 Serg\n"


def dom(*args: str | Path, answers: str | None = None) -> Any:
    return CliRunner().invoke(app.build(), [str(arg) for arg in args], input=answers)


@pytest.fixture
def score(tmp_path: Path) -> Any:
    """The JSON sheet of a text, for a game."""

    def count(text: str, name: str = "koza_online", *more: str) -> Any:
        path = tmp_path / "match.hands"
        path.write_text(text, encoding="utf-8")
        result = dom("score", name, path, "--format", "json", *more)
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    return count


# ---------------------------------------------------------------- the worked examples of the online goat


def test_the_first_example_olya_opens_her_account(score: Any) -> None:
    told = HEAD + "before remembered[Masha]: 19\nbefore remembered[t2]: 7\nbefore remembered[Serg]: 4\n"
    sheet = score(told + "round 1\nended out by Masha\nAlex: 2|1\nOlya: 6-6 1-0\nSerg: 3:2\n")
    standing = sheet["standing"]
    assert [standing[f"score[t{t}]"] for t in range(4)] == [0, 0, 20, 0]
    assert [standing[f"open[t{t}]"] for t in range(4)] == [False, False, True, False]
    assert [standing[f"remembered[t{t}]"] for t in range(4)] == [0, 3, 0, 9]
    (change,) = [c for c in sheet["rounds"][0]["changes"] if c["cell"] == "score[t2]"]
    assert change["clause"] == "when opens(g) -> add charged(g) + remembered[g] to score[g]"
    assert "goat.dom:" in change["place"]
    steps = {step["what"]: (step["value"], step["clause"]) for step in change["steps"]}
    assert steps["own(t2)"] == ("13", "when not for_one -> held(g)")
    assert steps["remembered[t2]"][0] == "7"
    assert steps["0|1 (1) + 6|6 (12)"][0] == "13"


def test_the_second_example_a_fish_for_one(score: Any) -> None:
    told = HEAD + "option fish_for = one\nbefore remembered[Olya]: 7\n"
    sheet = score(told + "round 1\nended blocked\nMasha: 11\nAlex: 12\nOlya: 66 01\nSerg: 23\nlast_mover: Masha\n")
    assert [sheet["standing"][f"score[t{t}]"] for t in range(4)] == [0, 0, 30, 0]
    assert sheet["standing"]["carried"] == 0


def test_the_third_example_a_shared_fish_is_carried_on(score: Any) -> None:
    told = HEAD + "option fish_for = one\n"
    told += "round 1\nended blocked\nMasha: 1/1\nAlex: [6|6] [0|2]\nOlya: 55, 04\nSerg: 2|3\nlast_mover: p0\n"
    sheet = score(told)
    assert [sheet["standing"][f"score[t{t}]"] for t in range(4)] == [0, 0, 0, 0]
    assert sheet["standing"]["carried"] == 35
    sheet = score(told + "round 2\nended blocked\nMasha: 04\nAlex: 55\nOlya: 12\nSerg: 01\nlast_mover: p0\n")
    assert sheet["standing"]["score[t1]"] == 53
    assert sheet["standing"]["carried"] == 0


def test_a_match_that_ends_says_who_won_and_what_it_is_worth(score: Any) -> None:
    told = "players 2\nbefore open[p1]: yes\nbefore score[p1]: 95\nround 1\nended out by p0\np1: 51\n"
    sheet = score(told)
    assert sheet["over"]
    assert sheet["winners"] == ["t0"]
    assert sheet["outcomes"] == {"rating(p0)": "10", "rating(p1)": "0"}


# ---------------------------------------------------------------- every game


def told_by_play(rules: Rules, reckoner: Reckoner, before: State, ended: State) -> tuple[Reckoned, set[str]]:
    """A round counted from what is asked of it, each time answered from the position that play had reached."""
    facts: dict[int, core.Value] = {}
    ending, by = rules.ending(ended), None
    assert ending is not None
    if rules.instance.endings[ending].role == "out":
        (hand,) = rules.instance.role("zone", "hand")
        by = next(i for i in range(rules.instance.players) if not ended.cells[rules.layout.cell(hand, i)])
    names = {cell: var.name for var, _, cell in rules.layout.walk()}
    while True:
        try:
            return reckoner.round(before, ending, by, facts), {names[cell] for cell in facts}
        except Unknown as unknown:
            facts[unknown.cell] = ended.cells[unknown.cell]


def agrees(rules: Rules, matches: int) -> set[str]:
    """Are the scores those of play, and is what is said of them the whole of it? What was asked."""
    reckoner, asked = Reckoner(rules), set[str]()
    lasting = [cell for var, _, cell in rules.layout.walk() if not var.zone and var.life is core.Life.MATCH]
    for index in range(matches):
        before = rules.new_match()
        for played in play_match(rules, chance(index), stop=3).rounds:
            found, names = told_by_play(rules, reckoner, before, played.ended)
            asked |= names
            assert [found.settled.cells[c] for c in lasting] == [played.settled.cells[c] for c in lasting]
            cells = list(found.ended.cells)
            for reason in because(rules, found.ended):
                if reason.cell is not None:
                    cells[reason.cell] = reason.after
            assert [cells[c] for c in lasting] == [played.settled.cells[c] for c in lasting]
            before = found.settled
    return asked


@pytest.mark.parametrize(("name", "players"), tables(*SPECS, *HOUSE))
def test_the_score_is_that_of_play(name: str, players: int) -> None:
    asked = agrees(shipped(name, players), 3)
    assert asked <= {"hand", "caught", "last_mover", "score", "challenger", "last_tile"}


@pytest.mark.parametrize(("name", "option"), [("petkove", "pairs"), ("straight", "pairs")])
def test_the_score_is_that_of_play_for_pairs(name: str, option: str) -> None:
    agrees(Rules(instantiate(game(name), 4, {option: "true"})), 3)


# ---------------------------------------------------------------- hands files


@pytest.mark.parametrize(
    ("text", "tiles"),
    [("6|4 5-3", ["6|4", "5|3"]), ("64, 6:4", ["6|4", "6|4"]), ("[6|4] [5 | 3]", ["6|4", "5|3"]), ("6/4", ["6|4"]), ("-", []), ("none", []), ("12-11", ["12|11"]), ("6|6*2", ["6|6*2"])],
)  # fmt: skip
def test_tiles_are_read_in_any_notation(text: str, tiles: list[str]) -> None:
    assert [halves(word) for word in tile_words(text)] == tiles


def test_a_hands_file_comes_out_as_it_was() -> None:
    text = "; at Anna's\n" + HEAD + "\nround 1\n; late\nended out by Masha\n\nAlex: 2|1\nround 2\n"
    assert write(read(text)) == text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("round 2\n", "line 1: round 1 is expected here"),
        ("players x\n", "line 1: 'players x' is no line"),
        ("round 1\nended out\nended out\n", "line 3: it is said twice"),
        ("round 1\nhello\n", "line 2: 'hello' is no line of a round"),
        ("round 1\np1: 11\np1: 12\n", "line 3: p1 is told twice"),
    ],
)
def test_a_text_that_is_no_hands_file_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(BadHands) as caught:
        read(text)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("round 1\nended out by Masha\nAlex: 2|1\n", "round 1: hand[p2] is needed"),
        ("round 1\nAlex: 2|1\n", "round 1: ended is needed (How did the round end?)"),
        ("round 1\nended out\n", "round 1: by is needed (Who went out?)"),
        ("round 1\nended fish\n", "there is no ending fish: broken_off, out, blocked"),
        ("round 1\nended out by Bob\n", "there is no player Bob: Masha, Alex, Olya, Serg"),
        ("round 1\nended out by Masha\nAlex: 7|1\n", "line 9: 7|1 is no tile of this set"),
        ("round 1\nended out by Masha\nAlex: 11 11\n", "1|1 is written too often: there is 1 of it"),
        ("round 1\nended out by Masha\nAlex: 11\nOlya: 11\nSerg: 22\n", "1|1 cannot lie in two places"),
        (
            "round 1\nended out by Masha\nMasha: 22\nAlex: 11\nOlya: 33\nSerg: 44\n",
            "Masha cannot be out with 1 tile in hand[Masha]",
        ),
        ("round 1\nended out by Masha\nAlx: 11\n", "there is no Alx; did you mean `Alex`?"),
        ("option fish_for = two\nround 1\n", "line 7: fish_for is one of everyone, one, not two"),
        ("option fish_for = one\noption fish = one\n", "line 8: koza_online has no option fish"),
        ("option fish_for = one\noption fish_for = one\n", "line 8: fish_for is told twice"),
        (
            "before carried: 123456789012345678901\n",
            "line 7: carried: 123456789012345678901 is too large a number: 19 digits at most",
        ),
        ("before carried: x\n", "line 7: carried: x is not a whole number"),
        ("game block\n", "these are hands of block, not of koza_online"),
        ("before last_mover: p1\nround 1\n", "last_mover is nothing that a round begins with"),
    ],
)
def test_what_cannot_be_or_is_missing_is_named(text: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "match.hands"
    path.write_text(HEAD.removeprefix("game koza_online\n" if "game" in text else "") + text, encoding="utf-8")
    result = dom("score", "koza_online", path)
    assert result.exit_code == 3
    assert sentence in " ".join(result.stderr.split())


def test_a_table_that_the_command_line_asks_for_in_vain_is_its_fault(tmp_path: Path) -> None:
    path = tmp_path / "match.hands"
    path.write_text("players 9\noption target = 5\n", encoding="utf-8")
    assert dom("score", "block", path, "--players", "8").exit_code == 2
    assert dom("score", "block", path, "--players", "2", "--set", "target=none").exit_code == 2
    result = dom("score", "block", path)
    assert result.exit_code == 3
    assert "match.hands: line 1: block is for 2 to 4 players, not 9" in result.stderr


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (("p0 p1", "p1 p0"), "line 3: p0 cannot be called p1, which is the seat of another; another name, please"),
        (("p0 Ann", "p1 ann"), "line 4: p1 cannot be called ann, which is another player"),
        (("p0 Ann", "p0 Bob"), "line 4: p0 is told twice"),
        (("p0 t1",), "line 3: p0 cannot be called t1, which is a team"),
        (("p0 Spinner",), "line 3: p0 cannot be called Spinner, which is a word of the rules"),
        (("p0 a:b",), "line 3: p0 cannot be called a:b, which is not a name"),
        (("p0",), "line 3: 'name p0' is no line before the first round"),
        (("p7 Ann",), "line 3: there is no player p7: p0, p1"),
    ],
)
def test_a_name_that_stands_for_something_else_is_refused(names: list[str], sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "match.hands"
    path.write_text("\n".join(["game block", "players 2", *(f"name {name}" for name in names)]), encoding="utf-8")
    result = dom("score", "block", path)
    assert result.exit_code == 3
    assert sentence in " ".join(result.stderr.split())


def test_what_is_counted_before_a_mistake_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "match.hands"
    path.write_text("players 2\nround 1\nended out by p0\np1: 21\nround 2\nended out by p1\n", encoding="utf-8")
    result = dom("score", "block", path)
    assert result.exit_code == 3
    assert "score[p0]: 0 → 3 (+3)" in result.stdout
    assert "round 2: hand[p0] is needed" in result.stderr


@given(
    st.lists(
        st.sampled_from(["round 1", "round 2", "ended out by p0", "ended blocked", "p1: 66", "hand[p0]:", "p0: x|", "before score[t0]: 9", "last_mover: p1", "name p0 A", "players 3"])
        | st.text(max_size=8),
        max_size=8,
    )
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_any_text_is_counted_or_refused(lines: list[str]) -> None:
    text = "\n".join(lines)
    with suppress(domrules.HandsError, domrules.SettingError):
        domrules.score(BLOCK, text)
        assert read(write(read(text))) == read(text)


# ---------------------------------------------------------------- at the table


@pytest.fixture
def evening(tmp_path: Path) -> Any:
    """Answers typed at the table; the file stays from one time to the next."""

    def sit(*answers: str, name: str = "block", more: tuple[str, ...] = ()) -> Any:
        return dom("score", name, "--keep", tmp_path / "kept", *more, answers="".join(f"{a}\n" for a in answers))

    return sit


def test_an_evening_is_kept_and_goes_on(evening: Any, tmp_path: Path) -> None:
    first = evening("2", "Ann Bob", "out Ann", "21 66")
    assert first.exit_code == 0
    assert "score[Ann]: 0 → 15 (+15)" in first.stdout
    assert "kept in" in first.stdout
    second = evening("blocked", "6-4", "11")
    assert "going on with this match" in second.stdout
    assert "round 2: ended blocked" in second.stdout
    assert "score[Bob]: 0 → 10 (+10)" in second.stdout
    assert "ended out by Ann" in (tmp_path / "kept").read_text(encoding="utf-8")


def test_a_mistake_is_told_and_asked_again(evening: Any) -> None:
    result = evening("2", "", "up", "out", "p7", "p0", "77", "21")
    assert "one of out, blocked, please" in result.stdout
    assert "there is no player p7" in result.stdout
    assert "77 is no tile of this set" in result.stdout
    assert "score[p0]: 0 → 3 (+3)" in result.stdout


def test_names_that_will_not_do_are_asked_again(evening: Any, tmp_path: Path) -> None:
    result = evening("2", "p1 p0", "Ann ann", "Ann", "Ann Bob", "quit")
    assert "p0 cannot be called p1, which is the seat of another" in result.stdout
    assert "p1 cannot be called ann, which is another player" in result.stdout
    assert "  2 names, please, with spaces between" in result.stdout
    assert read((tmp_path / "kept").read_text(encoding="utf-8")).names[1].value == "Bob"


def test_answers_are_taken_back_and_corrected(evening: Any, tmp_path: Path) -> None:
    result = evening("2", "Ann Bob", "out Ann", "undo", "out Bob", "66", "correct 1 Ann: 65", "out Ann", "11", "undo")
    assert "score[Bob]: 0 → 12 (+12)" in result.stdout
    assert "score[Bob]: 0 → 11 (+11)" in result.stdout
    assert "score[Ann]: 0 → 2 (+2)" in result.stdout
    assert read((tmp_path / "kept").read_text(encoding="utf-8")).rounds[0].by == "Bob"
    assert "  there are rounds 1 to" in evening("correct 9", "quit").stdout


def test_undo_goes_back_answer_by_answer(evening: Any, tmp_path: Path) -> None:
    result = evening("2", "Ann Bob", "out Ann", "66", "undo", "55", "correct", "undo", "undo", "undo")
    said = re.findall(r": (?:  )((?:taken back|which round|there is nothing).*)", result.stdout)
    assert said == [
        "taken back: hand[Bob]: 66",
        "which round? correct 1, or correct 1 WHAT: VALUE",
        "taken back: hand[Bob]: 55",
        "taken back: ended out by Ann",
        "there is nothing to take back",
    ]
    assert not read((tmp_path / "kept").read_text(encoding="utf-8")).rounds[0].ending


def test_undo_takes_a_correction_back(evening: Any, tmp_path: Path) -> None:
    """Of a round before the last one, too; a correction of the whole round gives all of it back."""
    told = (
        "2",
        "Ann Bob",
        "out Ann",
        "66 55",
        "blocked",
        "11",
        "correct 1 Bob: 44",
        "undo",
        "correct 1",
        "out Bob",
        "undo",
        "undo",
    )
    result = evening(*told)
    assert re.findall("taken back: .*", result.stdout) == [
        "taken back: Bob: 44", "taken back: ended out by Bob", "taken back: correct 1"
    ]  # fmt: skip
    first, second = read((tmp_path / "kept").read_text(encoding="utf-8")).rounds
    assert [*first.lines, *second.lines] == ["ended out by Ann", "hand[p1]: 66 55", "ended blocked", "hand[p0]: 11"]


def test_a_match_goes_on_at_its_own_table(evening: Any, tmp_path: Path) -> None:
    evening("2", "Ann Bob", "out Ann", "66")
    kept = (tmp_path / "kept").read_text(encoding="utf-8")
    for more in (("--players", "3"), ("--set", "target=20")):
        result = evening("out Ann", more=more)
        assert result.exit_code == 2
        assert "is a match of another table" in " ".join(result.output.replace("│", " ").split())
    assert (tmp_path / "kept").read_text(encoding="utf-8") == kept
    assert evening("out Ann", more=("--players", "2")).exit_code == 0


def test_a_match_is_over(evening: Any) -> None:
    result = evening("Ann Bob", "out Ann", "21", "", more=("--players", "2", "--set", "target=3"))
    assert "the match is over; winners: Ann" in result.stdout
    assert "the match is over; winners: Ann" in evening("").stdout


def test_a_file_that_is_no_hands_file_is_left_alone(evening: Any, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("[Game]\n", encoding="utf-8")
    assert evening("2").exit_code == 3
    assert (tmp_path / "kept").read_text(encoding="utf-8") == "[Game]\n"
