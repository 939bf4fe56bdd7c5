"""A search in which deals are not known finds what all deals gone through one by one show, and on the whole set what the solver says."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tables import game, written

from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.grammar.load import load
from domrules.grammar.passes import optimise
from domrules.interpreter.rules import Rules
from domrules.verifier.battery import confirm
from domrules.verifier.battery.run import Examiner, Request, plan, verify
from domrules.verifier.battery.subject import Subject
from domrules.verifier.explicit.explore import OutOfTime, TooLarge, explore
from domrules.verifier.explicit.lazy import Least, Searches, least
from domrules.verifier.explicit.renaming import Alike, exchanged
from domrules.verifier.explicit.steps import Memory
from domrules.verifier.inquiry import Inquiry
from domrules.verifier.verdict import Verdict, Word, exit_code
from domrules.verifier.workers import Crew, Watch

BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks" / "games"
HIGHEST_DOUBLE = """extends block
define best: tile or none = sole(highest(t in tiles where t.dealt_out and t.double by t.low.number))
rule new_deal = starter is none and best is none
instead rule leader
  when starter is p -> p
  when best is t    -> t.holder
  otherwise         -> none
rule may_lead(t) = starter is not none or best == t"""
SCORED = """extends draw
instead option target: int 1..3 = 3 "Points."
ending enough when any g in teams: score[g] >= target"""
GAMES = {
    "block 2x2": ("extends block", 2, "2"),
    "block 3x2": ("extends block", 3, "2"),
    "block 2x1": ("extends block", 2, "1"),
    "draw 2x2": ("extends draw", 2, "2"),
    "draw 2x1": ("extends draw", 2, "1"),
    "one reserved 2x2": ("extends draw\nrule reserve = 1", 2, "2"),
    "one drawn at most 2x2": ("extends block\ninstead rule draws = single", 2, "2"),
    "spinner 2x2": ("extends draw\nrule arms = after_both_sides", 2, "2"),
    "spinner at once 2x1": ("extends draw\nrule arms = at_once", 2, "1"),
    "sums to two 2x2": ("extends draw\nrule joins(e, v, t) = e.number + v.number == 2", 2, "2"),
    "highest double leads 2x2": (HIGHEST_DOUBLE, 2, "2"),
    "score ends rounds 2x1": (SCORED, 2, "1"),
    "blocked at a zero only 2x2": ("extends block\nrule fish = stuck and tip[left] is v and v == 0", 2, "2"),
    "blocked at two numbers only 2x2": ("extends block\nrule fish = stuck and not tip[left] == tip[right]", 2, "2"),
}


def table(name: str, folder: Path) -> core.Instance:
    text, players, hand = GAMES[name]
    small = written(folder, f"game small {text}\nrule top = 2\n", "small")
    return optimise(instantiate(small, players, {"tiles_each": hand}))


def truth(instance: core.Instance) -> dict[int, tuple[int, int]]:
    """For each ending the fewest tiles on the table, then moves, of all plays of all deals."""
    rules, found = Rules(instance), dict[int, tuple[int, int]]()
    (cell,) = rules.layout.select(instance.role("zone", "layout"))
    explored = explore(rules)
    for number, state, ending in explored.ended:
        place = (int(state.cells[cell] or 0).bit_count(), explored.depths[number])
        found[ending] = min(found.get(ending, place), place)
    return found


@pytest.mark.parametrize("name", GAMES)
def test_finds_what_all_deals_show(name: str, tmp_path: Path) -> None:
    """Just that where it remembers what players hold and leaves no number open, else never more."""
    instance = table(name, tmp_path)
    known = truth(instance)
    for ending in range(len(instance.endings)):
        outline, loose, exact = (least(instance, [ending], memory) for memory in Memory)
        if not exact.numbers:
            assert (exact.tiles, exact.moves) == known.get(ending, (None, None))
        if ending in known:
            assert loose.tiles is not None
            assert loose.moves is not None
            assert (loose.tiles, loose.moves) <= known[ending]
            assert outline.tiles is not None
            assert outline.tiles <= loose.tiles


@pytest.mark.parametrize(
    ("name", "classes"),
    [
        ("draw 2x2", [(0, 1, 2)]),
        ("spinner 2x2", [(0, 1, 2)]),
        ("sums to two 2x2", [(0,), (1,), (2,)]),
        ("blocked at a zero only 2x2", [(0,), (1, 2)]),
        ("blocked at two numbers only 2x2", [(0, 1, 2)]),
    ],
)
def test_only_pips_that_no_rule_tells_apart_exchange_their_names(
    name: str, classes: list[tuple[int, ...]], tmp_path: Path
) -> None:
    instance = table(name, tmp_path)
    assert list(least(instance, [1], Memory.HANDS).classes) == classes


def test_a_define_that_counts_pips_is_not_alike(tmp_path: Path) -> None:
    instance = table("block 2x2", tmp_path)
    renaming = exchanged(instance, 0, 1)
    assert renaming is not None
    alike = Alike(instance, renaming)
    assert alike.fn("can_play")
    assert alike.fn("stuck")
    assert not alike.fn("pips")
    assert not alike.fn("total")


def test_what_cannot_be_gone_through_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TooLarge, match="more than 5 positions"):
        least(table("draw 2x2", tmp_path), [1], Memory.HANDS, most=5)
    head_start = """state ahead: int 0..300 = sum(g in teams: score[g]) for the round
rule fish = stuck and ahead < 9"""
    variant = written(tmp_path, f"game ahead extends draw\n{head_start}\n", "ahead")
    with pytest.raises(TooLarge, match="rounds begin with what `ahead` takes from `score`"):
        least(optimise(instantiate(variant, 2)), [1], Memory.NOTHING)


def test_a_rule_that_tells_pips_apart_by_who_holds_them_is_left_out(tmp_path: Path) -> None:
    searches = Searches(table("highest double leads 2x2", tmp_path), [1])
    assert searches.table.left_out == ("lead",)
    assert searches.table.symmetry.classes == ((0, 1, 2),)
    assert Searches(table("sums to two 2x2", tmp_path), [1]).table.left_out == ()


def test_a_score_is_left_open(tmp_path: Path) -> None:
    searches = Searches(table("score ends rounds 2x1", tmp_path), [1])
    assert searches.table.numbers == {"score"}


WHOLE = {
    "block 2x7": (game("block"), 2, (1, 1)),
    "block 4x7": (game("block"), 4, (10, 10)),
    "draw 2x7, two reserved": (load(BENCHMARKS / "reserve_two.dom"), 2, (7, 19)),
    "draw 2x7, one reserved": (load(BENCHMARKS / "reserve_one.dom"), 2, (9, 22)),
    "draw 2x7": (game("draw"), 2, (10, 24)),
    "petkove 2x7": (game("petkove"), 2, (10, 24)),
    "block 4x7, spinner once": (load(BENCHMARKS / "spinner_once.dom"), 4, (10, 10)),
    "block 4x7, spinner on both sides": (load(BENCHMARKS / "spinner_both.dom"), 4, (10, 10)),
}


@pytest.mark.parametrize("name", WHOLE)
def test_the_shortest_fish_of_the_whole_set(name: str, full: bool) -> None:
    if not full and name != "block 2x7":
        pytest.skip("in a full run")
    rules, players, wanted = WHOLE[name]
    instance = optimise(replace(instantiate(rules, players), events=()))
    found = least(instance, [i for i, e in enumerate(instance.endings) if e.role == "fish"], Memory.STOCK)
    assert (found.tiles, found.moves) == wanted
    assert found.classes == (tuple(range(7)),)


def test_the_verdict_says_what_the_search_found() -> None:
    (verdict,) = verify(game("block"), Request([2], only=("F2",), confirm=True))
    assert verdict.word is Word.WITNESSED
    assert verdict.details[-3:] == (
        "a search of all deals without a solver, 1 position: never with fewer than 1 tile, nor with as many in fewer than"
        " 1 move",
        "there no tile has an owner until it is laid or asked for; the tiles of all hands are counted together; pips are"
        " named in the order of first use",
        "so more can happen there than at a table: it bounds the shortest fish, and does not say that there is one",
    )


def test_the_search_keeps_to_its_time() -> None:
    (verdict,) = verify(game("block"), Request([2], only=("F2",), confirm=True, patience=1e-9))
    assert verdict.word is Word.WITNESSED
    told = "not confirmed within 1e-09 s: the search of all deals without a solver did not come to an end"
    assert verdict.details[-1] == told
    assert not any("never with fewer" in line for line in verdict.details)


def test_what_was_found_in_time_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(subject: Subject, until: float) -> Iterator[Least]:
        yield Least(1, None, 9, Memory.NOTHING, ((0, 1),))
        raise OutOfTime

    monkeypatch.setattr(confirm, "searches", late)
    (verdict,) = verify(game("block"), Request([2], only=("F2",), confirm=True, patience=60))
    assert "a search of all deals without a solver, 9 positions: never with fewer than 1 tile" in verdict.details
    assert verdict.details[-1].startswith("no more confirmed within 60 s: a search that remembers more of the hands")


def test_what_the_solver_says_is_told_before_the_search() -> None:
    early = list[Verdict]()
    planned = plan(game("block"), Request([2], only=("F2",), confirm=True))
    verdict = Examiner(planned).answer(planned.questions[0], early.append)
    assert [one.word for one in early] == [verdict.word] == [Word.WITNESSED]
    assert early[0].details[-1] == "not confirmed: the search of all deals without a solver was broken off"


@pytest.mark.parametrize("interrupted", [True, False])
def test_what_is_established_stays_when_the_search_is_broken_off(
    interrupted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether by an interrupt or by the limit of the run."""

    def answers(self: Crew, until: float | None, watch: Watch) -> Generator[tuple[int, Verdict], None, None]:
        self.early[0] = Verdict("F2", Word.WITNESSED, details=("not confirmed",))
        if interrupted:
            raise KeyboardInterrupt
        yield from ()

    monkeypatch.setattr(Crew, "answers", answers)
    inquiry = Inquiry(plan(game("block"), Request([2], only=("F2", "F3"), confirm=True)))
    with contextlib.suppress(KeyboardInterrupt):
        list(inquiry.verdicts(lambda asked: None))
    assert inquiry.found[0].details == ("not confirmed",)
    assert inquiry.exhausted is not interrupted
    assert [verdict.word for verdict in inquiry.ordered[1:]] == ([] if interrupted else [Word.UNKNOWN])


def test_a_hand_that_is_too_short_is_a_disagreement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(confirm, "searches", lambda subject, until: [Least(2, 2, 9, Memory.HANDS, ())])
    (verdict,) = verify(game("block"), Request([2], only=("F2",), confirm=True))
    assert exit_code([verdict]) == 6
    assert "never with fewer than 2 tiles" in verdict.reason
    assert str(next(tmp_path.iterdir())) in verdict.details[0]
