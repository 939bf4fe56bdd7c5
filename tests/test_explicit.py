"""Small tables gone through by the interpreter: what is planted is found, and both engines say the same of every twin."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from tables import HOUSE, SPECS, TINY, chance, game, written
from test_verdicts import expectations

from domrules.grammar import core
from domrules.grammar.instance import instantiate, specialise_expr
from domrules.grammar.load import load
from domrules.grammar.passes import optimise
from domrules.interpreter.play import play_match
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.verifier.battery import alive, fish, run, small
from domrules.verifier.battery.run import Request, verify
from domrules.verifier.battery.subject import Subject
from domrules.verifier.explicit.both import combined
from domrules.verifier.explicit.explore import Limits, TooLarge, every_deal, explore, lasting
from domrules.verifier.explicit.questions import QUESTIONS, Gone, ask
from domrules.verifier.explicit.twin import NoTwin, twin
from domrules.verifier.verdict import Verdict, Word, exit_code

CASES = sorted((Path(__file__).parent / "cases" / "small").glob("*.dom"))
TWINS = [
    (name, players)
    for name in (*SPECS, *HOUSE)
    for players in game(name).seats
    if (made := game(name).twin) is not None and players in made.seats
]


SAMPLE = [("draw", 2), ("koza", 3), ("kozel", 2), ("tactic", 3), ("house/nines", 3)]
"""Twins of a short run."""


def whole(name: str, players: int, full: bool) -> None:
    """Skip what is for a full run."""
    if not full and (name, players) not in SAMPLE:
        pytest.skip("in a full run")


def subject(of: core.Game, players: int, seconds: float) -> Subject:
    """The twin of a table, as the engines have it."""
    return Subject(optimise(replace(twin(of, players, {}), events=())), seconds)


@cache
def gone(name: str, players: int) -> Gone:
    """The twin of a shipped table."""
    return Gone(subject(game(name), players, 1.0))


# ---------------------------------------------------------------- items


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_says_what_the_file_expects(path: Path) -> None:
    for players, item, wanted in expectations(path.read_text(encoding="utf-8")):
        table = Gone(Subject(optimise(instantiate(load(path), int(players)))))
        claims = {c.name: c for c in table.instance.game.claims}
        verdict = ask(table, claims.get(item, item))
        assert verdict is not None
        found = " ".join([verdict.word.name, *verdict.details[:1]])
        assert found.startswith(wanted), (item, verdict)


def test_every_question_is_answered_in_both_ways() -> None:
    """Some case has the item hold, and some has it fail; nothing is moved in two places, so D3 cannot fail."""
    seen = {
        (item, word.split()[0]) for path in CASES for _, item, word in expectations(path.read_text(encoding="utf-8"))
    }
    fails = {item for item, word in seen if word in ("REFUTED", "IMPOSSIBLE")}
    holds = {item for item, word in seen if word == "EXHAUSTED"}
    assert set(QUESTIONS) - fails == {"D3", "F2"}
    assert set(QUESTIONS) <= holds


def test_a_witness_is_a_shortest_way_that_can_be_replayed() -> None:
    table = gone("draw", 2)
    rules = table.rules
    for number in range(0, len(table.all.states), 97):
        witness = table.all.witness(number)
        state = rules.begin(witness.dealt)
        for ply in witness.plies:
            assert ply.move in rules.legal_moves(state)
            state = rules.act(state, ply.move, ply.outcome)
        assert state == witness.reached
        assert len(witness.plies) == table.all.depths[number]


# ---------------------------------------------------------------- nothing is left out


def test_every_deal_of_draw_is_there() -> None:
    rules = Rules(twin(game("draw"), 2, {}))
    hand = rules.layout.cells("hand")
    held = {(deal[hand[0]], deal[hand[1]]) for deal in every_deal(rules)}
    pairs = [sum(1 << t for t in some) for some in combinations(range(6), 2)]
    assert held == {(a, b) for a in pairs for b in pairs if not a & b}


@pytest.mark.parametrize(("name", "players"), TWINS)
def test_random_play_stays_within_what_was_gone_through(name: str, players: int, full: bool) -> None:
    """All positions of random matches are among those found."""
    whole(name, players, full)
    table = gone(name, players)
    kept = table.all.lasting
    unread = [c for var, _, c in table.rules.layout.walk() if var.name == "moves" or var.life.value == "match"]
    apart = set(unread) - {c for v in kept for c in table.rules.layout.cells(v)}

    def plain(state: State) -> tuple[object, ...]:
        return tuple(value for cell, value in enumerate(state.cells) if cell not in apart)

    known = {plain(state) for state in table.all.states}
    for index in range(4):
        for played in play_match(table.rules, chance(index)).rounds:
            state = table.rules.begin(played.dealt)
            assert plain(state) in known
            for ply in played.plies:
                state = table.rules.act(state, ply.move, ply.outcome)
                assert plain(state) in known


def test_what_rounds_depend_on_is_found() -> None:
    assert lasting(twin(game("block"), 2, {})) == ("starter",)
    assert lasting(twin(game("tactic"), 2, {})) == ()
    assert set(lasting(twin(game("petkove"), 2, {}))) == {"score", "starter"}
    assert "eggs" in lasting(twin(game("morska_koza"), 2, {})), "what opens an account tells who may challenge"


def test_a_table_that_is_not_small_is_refused() -> None:
    with pytest.raises(TooLarge, match="more than 500 positions"):
        explore(Rules(twin(game("draw"), 2, {})), limits=Limits(positions=500))


# ---------------------------------------------------------------- both engines


@pytest.mark.parametrize(("name", "players"), TWINS)
def test_both_engines_say_the_same(name: str, players: int, full: bool) -> None:
    """A sample leaves out the long search for any fish; a full run goes through every item and claim."""
    whole(name, players, full)
    skip = () if full else ("fish_happens",)
    found = list(verify(game(name), Request([players], seconds=1.0, skip=skip, small=True)))
    assert found
    odd = [v for v in found if v.word not in (Word.EXHAUSTED, Word.HOLDS, Word.SKIPPED)]
    assert [v.item for v in odd if v.word is Word.REFUTED] == [v.item for v in odd]
    assert {v.item for v in odd} == ({"F1"} if name == "koza_online" else set())


@pytest.mark.parametrize(("name", "players"), TWINS)
def test_the_twins_are_sound(name: str, players: int, full: bool) -> None:
    """By going through alone: nothing is refuted, every round ends, and only a fish may be too much for so few tiles.

    Where a pattern is a fish, something may still be played: an option of that game says so.
    """
    whole(name, players, full)
    table = gone(name, players)
    asked: list[str | core.Claim] = [*QUESTIONS, *table.instance.game.claims]
    found = [v for item in asked if (v := ask(table, item)) is not None]
    assert not [v for v in found if v.word in (Word.UNKNOWN, Word.DISAGREE)]
    assert [v.item for v in found if v.word is Word.REFUTED] == (["F1"] if name == "koza_online" else [])
    impossible = {v.item for v in found if v.word is Word.IMPOSSIBLE}
    assert impossible <= {"E1", "F2", "fish_happens"}
    if players == 2:  # an ending that only an event brings about is none here
        assert impossible <= ({"E1"} if table.instance.game.events else set())


def test_an_engine_that_errs_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit code 6, and a directory with all that is needed to look into it."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def wrong(subject: Subject) -> Verdict:
        return replace(fish.f2(subject), word=Word.IMPOSSIBLE, details=(), witness=None)

    items = [replace(item, ask=wrong) if item.id == "F2" else item for item in run.ITEMS]
    monkeypatch.setattr(run, "ITEMS", items)
    (verdict,) = verify(game("block"), Request([2], only=("F2",), small=True))
    assert exit_code([verdict]) == 6
    assert verdict.text == "DISAGREE (gone through: EXHAUSTED small table; the solver: IMPOSSIBLE)"
    (made,) = tmp_path.iterdir()
    assert str(made) in verdict.details[0]
    assert {p.name for p in made.iterdir()} >= {
        "README", "table.json", "answers.json", "versions.json", "instance.txt", "block.dom", "row.dom", "line.dom",
    }  # fmt: skip
    assert "dom verify block.dom --small --players 2 F2" in (made / "README").read_text(encoding="utf-8")
    assert '"lead(' in (made / "answers.json").read_text(encoding="utf-8")


def test_a_shorter_fish_than_the_shortest_is_a_disagreement() -> None:
    table = gone("draw", 2)
    mine = ask(table, "F2")
    assert mine is not None
    assert mine.witness is not None
    same = replace(mine, word=Word.WITNESSED)
    assert combined(table, mine, same).word is Word.EXHAUSTED
    shorter = replace(mine.witness, plies=mine.witness.plies[1:])
    assert combined(table, mine, replace(same, witness=shorter)).word is Word.DISAGREE
    assert combined(table, mine, replace(same, word=Word.NOT_FOUND, witness=None)).word is Word.EXHAUSTED
    assert combined(table, mine, replace(same, word=Word.REFUTED)).word is Word.DISAGREE


def test_a_shortest_fish_that_is_told_wrongly_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver finds a fish of just that size, a shorter one where too many are told, and none where too few are."""
    table = gone("draw", 2)
    mine = ask(table, "F2")
    assert mine is not None
    assert mine.witness is not None
    hand = mine.witness
    tiles, moves = table.rules.on_table(hand.reached), len(hand.plies)
    emptier, fuller = (next(s for s in table.all.states if table.rules.on_table(s) == tiles + n) for n in (-1, 1))
    (ending,) = (e.name for e in table.instance.endings if e.role == "fish")
    for told, word in (
        (hand, Word.WITNESSED),
        (replace(hand, plies=(*hand.plies, hand.plies[-1])), Word.WITNESSED),
        (replace(hand, reached=fuller), Word.WITNESSED),
        (replace(hand, plies=hand.plies[1:]), Word.IMPOSSIBLE),
        (replace(hand, reached=emptier), Word.IMPOSSIBLE),
        (None, Word.WITNESSED),
    ):
        monkeypatch.setattr(table.subject, "told", {} if told is None else {ending: told})
        said = fish.f2(table.subject)
        assert said.word is word
        planted = replace(mine, witness=told) if told is not None else replace(mine, word=Word.IMPOSSIBLE, witness=None)
        assert combined(table, planted, said).word is (Word.EXHAUSTED if told is hand else Word.DISAGREE)
        if said.witness is not None:
            assert (table.rules.on_table(said.witness.reached), len(said.witness.plies)) == (tiles, moves)


def test_an_ending_of_other_tables_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin for three has too few tiles for a fish; the solver says the same of it, whatever happens at other tables."""
    table = gone("tactic", 3)
    mine = ask(table, "E1")
    assert mine is not None
    assert mine.word is Word.IMPOSSIBLE
    monkeypatch.setattr(table.subject, "told", table.hands)
    here = alive.e1(table.subject)
    assert here.word is Word.IMPOSSIBLE
    assert combined(table, mine, here).word is Word.SKIPPED
    assert combined(table, mine, replace(here, word=Word.WITNESSED)).word is Word.DISAGREE


# ---------------------------------------------------------------- E4, and games without a twin


def test_nobody_is_stuck_at_the_twin() -> None:
    verdict = small.e4(Subject(optimise(instantiate(game("draw"), 2))))
    assert verdict.text == "EXHAUSTED small table"
    assert verdict.scope == "players=2"
    assert "the twin has 6 tiles, 2 to each hand" in verdict.doesnt_say


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("instead rule leader = sole(those(p in players where 4|4 in hand[p]))", "there is no tile 4|4 in this set"),
        ("twin seats 3", "the twin is for 3 players"),
        ("twin option tiles_each: int 4..5 = 4", "the twin cannot be made: with 2 players 2 × 4 = 8 tiles are dealt"),
        ("instead dominoes in pips each a, b where a < b", "the twin has the tile 0|0, which the game has not"),
        ("lemma high: not 3|3 in layout", "there is no tile 3|3 in this set"),
    ],
)
def test_a_game_without_a_faithful_twin_says_why(text: str, why: str, tmp_path: Path) -> None:
    extra = "\ntwin rule hand_size = tiles_each" if "tiles_each" in text else ""
    variant = written(tmp_path, f"game odd extends block\n{text}{extra}\n", "odd")
    (skipped,) = verify(variant, Request([2], only=("E4",), small=True))
    assert skipped.word is Word.SKIPPED
    assert why in skipped.reason
    (proved,) = verify(variant, Request([2], only=("E4",)))
    assert proved.word in (Word.PROVED, Word.UNKNOWN, Word.REFUTED), "what M1 says of the full table"
    assert why in proved.details[-1]


def test_a_game_that_declares_no_twin_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoTwin, match="no `twin` says"):
        twin(written(tmp_path, TINY), 2, {})


def test_options_of_the_table_hold_at_its_twin() -> None:
    made = twin(game("klasicke"), 2, {"drawing": "may_skip", "target": 50})
    assert made.sorts["drawing"].names[made.options["drawing"]] == "may_skip"
    assert twin(game("block"), 2, {"tiles_each": 5}).deals[0][0] == 2


# ---------------------------------------------------------------- lemmas


@pytest.mark.parametrize(("name", "players"), TWINS)
def test_a_lemma_that_is_proved_holds_in_every_position(name: str, players: int, full: bool) -> None:
    whole(name, players, full)
    table = gone(name, players)
    failing = broken_lemmas(table)
    proved = {fact.name for fact in table.subject.proved}
    assert proved & {lemma.name for lemma in table.instance.game.lemmas}
    assert not proved & failing


def broken_lemmas(table: Gone) -> set[str]:
    """Lemmas that some position of some round breaks."""
    tests = {
        lemma.name: table.rules.question(specialise_expr(table.instance, lemma.body))
        for lemma in table.instance.game.lemmas
    }
    return {name for name, holds in tests.items() if not all(map(holds, table.all.states))}


@pytest.mark.parametrize(
    "wrong",
    [
        "laid < 4",
        "all p in players: size(hand[p]) <= 3",
        "laid > 0 implies tip[left] == tip[right] or laid < 3",
        "last_mover is none or not last_mover == mover",
        "not odd(count(t in layout where t has 5 and not t.double))",
    ],
)
def test_a_wrong_lemma_is_refused_by_both(wrong: str, tmp_path: Path) -> None:
    variant = written(tmp_path, f"game misled extends draw\nlemma wrong: {wrong}\n", "misled")
    table = Gone(subject(variant, 2, 5.0))
    assert broken_lemmas(table) == {"wrong"}
    assert "wrong" not in {fact.name for fact in table.subject.proved}
    assert "wrong" in table.subject.lost
