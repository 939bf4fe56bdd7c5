"""Witnesses: the same whoever finds them, drawn, kept and played again, and good as examples of the language."""

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from domrules.cli import app
from domrules.cli.rounds import shown
from domrules.cli.witnesses import example
from domrules.grammar.instance import instantiate
from domrules.grammar.load import load
from domrules.grammar.passes import optimise
from domrules.interpreter.examples import run_example
from domrules.interpreter.rules import Rules
from domrules.interpreter.samples import wilson
from domrules.interpreter.transcript import read, write
from domrules.verifier import facts
from domrules.verifier.battery.run import Request, verify
from domrules.verifier.goal import Goal, ended
from domrules.verifier.induction import prove
from domrules.verifier.least import UNITS, Least, at_bound, least
from domrules.verifier.shortest import Limits, Search, Shortest, shortest
from domrules.verifier.study import Study
from domrules.verifier.verdict import Verdict

SMALL = """game small extends block
rule top = 3
instead option tiles_each: int 1..5 = 3 requires tiles_each * size(players) <= size(tiles) "Tiles dealt to each player."
claim early: always laid < 3
claim two: reachable laid == 2
claim three: shortest laid == 3 and mover == p0
claim led: dealt mover == p0
claim paid: settled all g in teams: score[g] < 9
claim many: always at most 2: laid
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.dom"
    path.write_text(SMALL, encoding="utf-8")
    return path


SHOWN = ("F2", "fish_happens", "out_happens", "early", "two", "three", "led", "paid", "many")
"""What of it is shown by a hand."""


def verdicts(path: Path) -> list[Verdict]:
    found = list(verify(load(path), Request([2], only=SHOWN)))
    assert [v.item for v in found if v.transcript is not None] == list(SHOWN)
    return found


def test_witnesses_are_examples_that_pass(small: Path) -> None:
    found = verdicts(small)
    game = load(small)
    small.write_text(SMALL + "\n".join(example(game, v) for v in found), encoding="utf-8")
    results = [run_example(load(small), e) for e in load(small).examples if e.name.startswith("found_")]
    assert len(results) == len(found)
    for result in results:
        assert result.ok, result.checks


def test_transcripts_of_witnesses_are_played_again(small: Path) -> None:
    game = load(small)
    for verdict in verdicts(small):
        assert verdict.transcript is not None
        again = read(write(verdict.transcript))
        assert again == verdict.transcript
        (one,) = shown(game, again)
        assert len(one.played.plies) == len(again.rounds[0].plies)


def test_saved_witnesses_are_replayed_from_the_command_line(small: Path, tmp_path: Path) -> None:
    run, kept = CliRunner(), tmp_path / "kept"
    result = run.invoke(app.build(), ["verify", str(small), "F2", "--players", "2", "--save", str(kept)])
    (path,) = kept.iterdir()
    assert f"replay: dom replay {small} {path}" in result.output
    again = run.invoke(app.build(), ["replay", str(small), str(path)])
    assert again.exit_code == 0
    assert "ended blocked" in again.output
    path.write_text(path.read_text(encoding="utf-8").replace("ending blocked", "ending out"), encoding="utf-8")
    assert run.invoke(app.build(), ["replay", str(small), str(path)]).exit_code == 3


# ---------------------------------------------------------------- the least play


def fish(path: Path, tiles_each: int) -> tuple[Study, Rules, Shortest]:
    instance = optimise(instantiate(load(path), 2, {"tiles_each": tiles_each}))
    study, rules = Study(instance), Rules(instance)
    proved = prove(study, [facts.partition(study), *facts.lemmas(study)]).proved
    return study, rules, shortest(study, rules, blocked(study, rules), proved, Limits())


def blocked(study: Study, rules: Rules) -> Goal:
    return ended(study, rules, [i for i, e in enumerate(study.instance.endings) if e.role == "fish"])


def test_the_play_that_is_shown_does_not_depend_on_the_one_that_was_found(small: Path) -> None:
    study, rules, found = fish(small, 5)
    goal = blocked(study, rules)
    first = least(study, rules, goal, found)
    assert first.canonical
    assert found.witness is not None
    other = replace(found, witness=replace(found.witness, dealt=first.reached))
    assert least(study, rules, goal, other).plies == first.plies
    assert least(study, rules, goal, other).dealt == first.dealt
    early = at_bound(Search(study, rules, goal, found.bound, Limits()))
    assert early is None or (early.plies, early.dealt) == (first.plies, first.dealt)


def test_no_play_of_its_kind_is_less(small: Path) -> None:
    """By another engine: whatever the first move, later ones and the deal are no less."""
    study, rules, found = fish(small, 5)
    goal = blocked(study, rules)
    shown_one = least(study, rules, goal, found)
    search = Search(study, rules, goal, found.bound, Limits())
    play, before = search.play(keep_numbers=False), list[int]()
    play.extend(len(shown_one.plies))
    seeking = Least(search, found.tiles, play, len(shown_one.plies))
    base = [*play.reaching(seeking.search.holds(play)), seeking.search.few(play, found.tiles)]
    base += seeking.search.led(play.relation, play.states[-1])
    for step, ply in zip(play.steps, shown_one.plies, strict=True):
        made = (ply.move.action, (*ply.move.args, *ply.outcome))
        place = next(i for i, c in enumerate(step.choices) if (c.action, c.args) == made)
        lower = play.relation.dag.any([c.bit for c in step.choices[:place]])
        assert play.solve([*base, *before, lower], seconds=20).answer.name == "NO"
        before.append(step.choices[place].bit)


def test_without_steps_the_play_is_not_called_canonical(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study, rules, found = fish(small, 5)
    goal = blocked(study, rules)
    monkeypatch.setattr("domrules.verifier.least.UNITS", UNITS // 10_000)
    assert not least(study, rules, goal, found).canonical


# ---------------------------------------------------------------- drawings, shares


def test_a_line_with_upright_tiles_and_arms_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "arms.dom"
    path.write_text("game arms extends block\nrule arms = at_once\n", encoding="utf-8")
    text = """[Game "arms"]
[Players "2"]
round 1
deal boneyard 0|2 0|3 0|4 0|5 0|6 1|4 1|6 2|3 2|4 2|6 3|4 3|6 4|6 6|6
deal hand[p0] 1|1 1|3 1|5 2|2 2|5 3|3 3|5
deal hand[p1] 0|0 0|1 1|2 4|4 4|5 5|5 5|6
p0:lead(1|1) p1:play(left,1,1|2) p0:play(right,1,1|5) p1:play(right,5,5|5) p0:play(up,1,1|3) p1:play(down,1,0|1)
p0:play(up,3,3|3)
"""
    (one,) = shown(load(path), read(text))
    assert one.table() == [
        "          [1]     [5]",
        "left [2|1][-][1|5][-] right",
        "          [1]     [5]",
        "                 [3]",
        "up from 1|1 [1|3][-]",
        "                 [3]",
        "down from 1|1 [1|0]",
    ]


def test_long_lines_stay_within_the_columns(tmp_path: Path) -> None:
    result = CliRunner().invoke(app.build(), ["verify", "block", "out_happens", "--players", "2"])
    assert max(map(len, result.output.split("moves")[1].splitlines())) <= 90


def test_an_interval_of_wilson() -> None:
    low, high = wilson(0, 200)
    assert (low, round(high, 4)) == (0.0, 0.0188)
    low, high = wilson(54, 200)
    assert (round(low, 3), round(high, 3)) == (0.213, 0.335)
    assert wilson(5, 5)[1] == pytest.approx(1.0)
