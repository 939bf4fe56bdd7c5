"""Lemmas and computed invariants: what is true is proved, what is planted is refused, and bounds follow."""

import random
from pathlib import Path

import pytest
from tables import game, written

from domrules.grammar.instance import instantiate
from domrules.grammar.passes import optimise
from domrules.interpreter.rules import Rules
from domrules.verifier import facts
from domrules.verifier.bound import Bound, bound
from domrules.verifier.goal import Goal, ended
from domrules.verifier.induction import Induction, Outcome, prove
from domrules.verifier.invariants import computed
from domrules.verifier.kernel import Columns, Kernel, ParityKernel, ones
from domrules.verifier.study import Study

GOOD = {Outcome.PROVED, Outcome.CONFIGURED}


def proved(study: Study) -> Induction:
    return prove(study, [facts.partition(study), *facts.lemmas(study)])


def outcomes(induction: Induction) -> dict[str, Outcome]:
    return {attempt.fact.name: attempt.outcome for attempt in induction.attempts}


def fish(study: Study) -> Goal:
    endings = [i for i, ending in enumerate(study.instance.endings) if ending.role == "fish"]
    return ended(study, Rules(study.instance), endings)


def invented(folder: Path, text: str, players: int = 2) -> Study:
    return Study(optimise(instantiate(written(folder, text, "invented"), players)))


@pytest.mark.parametrize(("name", "players"), [("block", 4), ("block", 2), ("draw", 2), ("petkove", 2), ("tactic", 2)])
def test_the_lemmas_of_the_line_hold_in_its_games(name: str, players: int) -> None:
    found = outcomes(proved(Study(optimise(instantiate(game(name), players)))))
    assert set(found.values()) <= GOOD, found


@pytest.mark.parametrize(
    ("lemma", "outcome"),
    [
        ("size(layout) <= moves", Outcome.PROVED),
        ("size(layout) < moves or moves == 0", Outcome.STEP_FAILS),
        ("size(boneyard) == 14", Outcome.STEP_FAILS),
        ("size(boneyard) == 13", Outcome.BASE_FAILS),
        ("all s in sides: tip[s] is none or laid > 1", Outcome.STEP_FAILS),
        ("size(tiles) == 28", Outcome.CONFIGURED),
    ],
)
def test_a_lemma_that_is_wrong_is_refused(tmp_path: Path, lemma: str, outcome: Outcome) -> None:
    study = invented(tmp_path, f"game invented extends draw\nlemma planted: {lemma}\n")
    found = outcomes(proved(study))
    assert found.pop("planted") is outcome
    assert set(found.values()) <= GOOD


def test_what_fails_does_not_help_what_leans_on_it(tmp_path: Path) -> None:
    text = "game invented extends draw\nlemma one: size(boneyard) > 3\nlemma two: size(boneyard) > 2\n"
    found = outcomes(proved(invented(tmp_path, text)))
    assert found["one"] is found["two"] is Outcome.STEP_FAILS


def test_a_fault_of_matching_is_seen_in_the_parity(tmp_path: Path) -> None:
    text = "game invented extends draw\nrule joins(e, v, t) = e == v or (e.number == 5 and v.number == 6)\n"
    induction = proved(invented(tmp_path, text))
    found = outcomes(induction)
    assert found.pop("parity") is Outcome.STEP_FAILS
    assert set(found.values()) <= GOOD
    example = next(attempt.example for attempt in induction.attempts if attempt.fact.name == "parity")
    assert any("play(" in line for line in example)


@pytest.mark.parametrize(
    ("name", "players", "tiles", "moves"),
    [("block", 4, 10, 10), ("block", 2, 1, 1), ("draw", 2, 10, 24), ("petkove", 2, 10, 24)],
)
def test_the_bound_follows_from_lemmas_and_from_computed_facts_alike(
    name: str, players: int, tiles: int, moves: int
) -> None:
    study = Study(optimise(instantiate(game(name), players)))
    known = list(proved(study).proved)
    first = bound(study, fish(study), known)
    assert (first.tiles, first.moves, first.possible) == (tiles, moves, True)
    whole = [facts.partition(study)]
    second = bound(study, fish(study), [*whole, *computed(study, Rules(study.instance), whole)])
    assert (second.tiles, second.moves, second.possible) == (tiles, moves, True)


def test_a_bound_needs_each_fact_it_names() -> None:
    study = Study(optimise(instantiate(game("draw"), 2)))
    needed = bound(study, fish(study), proved(study).proved).needed
    assert {fact.name for fact in needed} == {"set_complete", "started", "parity", "potential"}

    def without(name: str) -> Bound:
        return bound(study, fish(study), [fact for fact in needed if fact.name != name])

    weaker = [without(fact.name) for fact in needed]
    assert all((lower.tiles, lower.moves) < (10, 24) for lower in weaker)


@pytest.mark.parametrize(("reserve", "tiles"), [(1, 9), (2, 7)])
def test_the_bound_sinks_with_the_reserve(tmp_path: Path, reserve: int, tiles: int) -> None:
    study = invented(tmp_path, f"game invented extends draw\nrule reserve = {reserve}\n")
    assert bound(study, fish(study), proved(study).proved).tiles == tiles


# ---------------------------------------------------------------- kernels


def test_kernels_hold_of_all_rows_and_have_the_right_size() -> None:
    rng = random.Random(3)
    for _ in range(20):
        width = 12
        basis = [{i: rng.randrange(-2, 3) for i in range(width)} for _ in range(rng.randrange(1, 6))]
        rows = []
        for _ in range(40):
            weights = [rng.randrange(-2, 3) for _ in basis]
            row = {i: sum(w * b[i] for w, b in zip(weights, basis, strict=True)) for i in range(width)}
            rows.append({i: value for i, value in row.items() if value})
        columns, kernel, parity = Columns.of(rows, width), Kernel(width), ParityKernel(width)
        kernel.fit(columns)
        parity.fit(columns)
        assert len(kernel.basis) >= width - len(basis)
        for row in rows:
            assert all(sum(w * row.get(i, 0) for i, w in vector.items()) == 0 for vector in kernel.basis)
            assert all(sum(row.get(i, 0) for i in ones(vector)) % 2 == 0 for vector in parity.basis)
        assert len(parity.basis) >= len(kernel.basis)
