"""What is told of deals: how rare those are that fail, and at which tables there are any."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest

from domrules.grammar.instance import instantiate
from domrules.grammar.load import load
from domrules.grammar.passes import optimise
from domrules.interpreter.samples import wilson
from domrules.verifier.battery.anydeal import dealt
from domrules.verifier.battery.deal import d2
from domrules.verifier.battery.rarity import Rarity, counted, sampled
from domrules.verifier.battery.run import Request, verify
from domrules.verifier.battery.start import Asked, confirmed
from domrules.verifier.battery.subject import Subject
from domrules.verifier.verdict import Verdict, Word

CASES = Path(__file__).parent / "cases" / "verify"
SPECS = Path(__file__).parent.parent / "specs"
DOUBLES = "exactly when these 7 tiles stay in boneyard: 0|0 1|1 2|2 3|3 4|4 5|5 6|6"


def asked(name: str, players: int, *items: str, options: dict[str, object] | None = None) -> list[Verdict]:
    game = load(CASES / f"{name}.dom")
    return list(verify(game, Request([players], options, only=items)))


def test_one_set_of_sleeping_tiles() -> None:
    """Three players, seven tiles each: all doubles asleep, one set of seven in 1 184 040."""
    (verdict,) = asked("highest_double_leads", 3, "S1")
    assert verdict.transcript is not None
    asleep = dict(verdict.transcript.rounds[0].deal)["boneyard"]
    assert " ".join(asleep) == "0|0 1|1 2|2 3|3 4|4 5|5 6|6"
    assert "1 deal in 1,184,040 (1 of 1,184,040 sets of tiles that are not dealt, counted)" in verdict.details
    assert DOUBLES in verdict.details
    condition = "holds exactly when players × hand_size > 21 (of 28 tiles 7 must stay)"
    assert f"{condition}, proved for 2 to 4 players and hands of any size" in verdict.details
    assert verdict.details[-1] == "smallest table at which it fails: players=2"


def test_the_smallest_table_is_sought_over_options() -> None:
    (verdict,) = asked("no_double_no_starter", 3, "S1")
    assert verdict.details[-1] == "smallest table at which it fails: players=2 tiles_each=1"


def subject(path: Path, players: int, **options: object) -> Subject:
    return Subject(optimise(instantiate(load(path), players, options)))


HEAVIEST = "instead rule leader = sole(highest(p in players by greatest(t in hand[p]: t.pips)))"
DOUBLE = "instead rule leader = sole(those(p in players where any t in hand[p]: t.double))"


@pytest.mark.parametrize(("rule", "item", "each", "failing"), [(HEAVIEST, "S2", 2, 4), (DOUBLE, "S1", 1, 6)])
def test_counts_what_the_interpreter_finds(tmp_path: Path, rule: str, item: str, each: int, failing: int) -> None:
    """All deals of the six tiles of a double-two set to two players."""
    (tmp_path / "small.dom").write_text(f"game small extends block\nrule top = 2\n{rule}\n", encoding="utf-8")
    table = subject(tmp_path / "small.dom", 2, tiles_each=each)
    question = Asked(table, item)
    fresh = table.rules.new_round(table.rules.new_match())
    every = found = 0
    for first in combinations(range(6), each):
        for second in combinations(sorted(set(range(6)) - set(first)), each):
            one, two = (sum(1 << t for t in hand) for hand in (first, second))
            held = {("hand", 0): one, ("hand", 1): two, ("boneyard", None): 63 - one - two}
            every += 1
            found += confirmed(table, item, table.rules.layout.put(fresh, held))
    rare = counted(question.relation, question.dealt, question.fails)
    assert found == failing
    assert rare is not None
    assert Fraction(rare.some, rare.all) == Fraction(failing, every)


def test_sampling_says_so() -> None:
    table = subject(CASES / "no_double_no_starter.dom", 2)
    question = Asked(table, "S1")
    found = sampled(table.rules, question.relation, question.dealt, question.fails, 1)
    assert not found.exact
    assert found.low < 116_280 / 40_116_600 < found.high
    assert "sampled, 95 %" in found.text


def test_an_interval_for_nothing_seen() -> None:
    low, high = wilson(0, 1000)
    assert low == 0
    assert 0.003 < high < 0.004
    assert Rarity(0, 1000, False, "deals", low, high).text == "rarer than 1 deal in 261 (none of 1,000 sampled, 95 %)"


def test_five_doubles_in_one_hand() -> None:
    """Four hands of seven: 4 * (C(7,5) C(21,2) + C(7,6) 21 + 1) of C(28,7) in all."""
    (verdict,) = verify(load(SPECS / "koza.dom"), Request([4], only=("D4",)))
    assert verdict.word is Word.PROVED
    assert verdict.details[0].startswith("mixed again: 1 deal in about 64.9 ")


def test_a_deal_that_fits_any_number_of_players() -> None:
    verdict = d2(load(SPECS / "block.dom"))
    assert verdict.word is Word.PROVED_ANY_SIZE
    assert "fits exactly when players × hand_size <= 28" in verdict.details


def test_a_deal_that_fits_at_the_tables_of_the_file_only() -> None:
    verdict = d2(load(SPECS / "kozel.dom"))
    assert verdict.word is Word.PROVED_ANY_SIZE
    assert verdict.method == "all integers, with the exact condition"
    assert verdict.details[-1] == "with the defaults first not for 6 players: 30 + 1 kept > 28"


def test_a_deal_of_no_arithmetic_is_tried_table_by_table(tmp_path: Path) -> None:
    text = "game odd extends line\nseats 2\nrule hand_size = greatest(t in tiles: t.pips)\nrule draws = nothing\n"
    text += "rule leader = first_seat\nover when moves > 0\nwinners highest(g in teams by score[g])\n"
    (tmp_path / "odd.dom").write_text(text, encoding="utf-8")
    game = load(tmp_path / "odd.dom")
    assert dealt(game) is None
    assert d2(game).word is Word.PROVED


def test_the_set_is_counted() -> None:
    (verdict,) = asked("set_listed_twice", 2, "D1")
    assert verdict.details[:2] == ("both listed: 2|3 and 3|2", "so the set has 29 tiles")
    (verdict,) = asked("set_of_two", 2, "D1")
    assert verdict.details[0] == "42 tiles: 21 of the 28 pairs of 7 halves, 2 of each"


def test_a_dead_condition_is_named() -> None:
    (verdict,) = asked("redeal_one_dead", 2, "D4")
    assert "doubles(p) + size(hand[p]) > 14" in verdict.details[0]


def test_a_later_round_shows_the_match() -> None:
    (verdict,) = asked("tie_without_leader", 2, "S4")
    assert verdict.details[0].endswith("of seed 1, which ended blocked")
    assert verdict.witness is not None
