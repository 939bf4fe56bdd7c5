"""What compiled play counts is what can be counted in the matches the interpreter plays; threads and engines change nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tables import TINY, game, written

from domrules.compiler.balance import Paired, balance, share, team
from domrules.compiler.batch import Form
from domrules.compiler.counts import MOVES
from domrules.compiler.rows import CHUNK
from domrules.compiler.simulate import Job, Row, Stopped, side_by_side, simulate
from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.grammar.passes import optimise
from domrules.interpreter.chance import Chance
from domrules.interpreter.play import Match, Round, play_match
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State

SEED = 8


def table(name: str, players: int) -> core.Instance:
    return optimise(instantiate(game(name), players))


def mean(values: list[int]) -> float:
    return sum(values) / len(values)


@pytest.mark.parametrize(
    ("name", "players"), [("block", 2), ("petkove", 3), ("house/openspiel_team", 4), ("rybareni", 2)]
)
def test_counts_are_those_of_the_interpreter(name: str, players: int) -> None:
    instance, many = table(name, players), 6
    rules = Rules(instance)
    matches = [play_match(rules, Chance.named(SEED, i)) for i in range(many)]
    found = balance(instance, simulate(Job(instance, many, SEED)).tally)
    rounds = [r for m in matches for r in m.rounds]
    lengths = [len(r.plies) for r in rounds]
    endings = Counter(rules.ending(r.ended) for r in rounds)
    assert found.matches == many
    assert found.endings == {e.name: endings[i] / len(rounds) for i, e in enumerate(instance.endings)}
    assert found.rounds.mean == mean([len(m.rounds) for m in matches])
    assert (found.rounds.least, found.rounds.most) == least_and_most([len(m.rounds) for m in matches])
    assert (found.moves.mean, found.moves.least, found.moves.most) == (mean(lengths), *least_and_most(lengths))
    assert {i: n for i, n in enumerate(found.lengths) if n} == Counter(min(n, MOVES - 1) for n in lengths)
    acted = Counter(p.move.action for r in rounds for p in r.plies)
    assert found.actions == {a.name: acted[i] / len(rounds) for i, a in enumerate(instance.actions)}
    assert wins(found.first.value, instance, matches, [first_mover(rules, m) for m in matches])
    for player in range(players):
        side = next(s for s in found.sides if instance.sorts["player"].names[player] in s.seats)
        assert wins(side.wins.value, instance, matches, [player] * many)
    scores = [s for m in matches for s in rules.scores(m.rounds[-1].settled)]
    assert found.scores == least_and_most(scores)
    total = sum(found.at_end.get(e.name, 0) * endings[i] for i, e in enumerate(instance.endings))
    assert found.in_play * len(rounds) + total == pytest.approx(sum(scores))
    offered = [len(rules.legal_moves(s)) for r in rounds for s in states(rules, r)]
    assert found.choice == sum(n > 1 for n in offered) / len(offered)
    assert (found.offered, found.most_offered) == (mean(offered), max(offered))


def least_and_most(values: list[int]) -> tuple[int, int]:
    return min(values), max(values)


def first_mover(rules: Rules, match: Match) -> int:
    return rules.mover(rules.begin(match.rounds[0].dealt)) or 0


def wins(value: float, instance: core.Instance, matches: list[Match], players: list[int]) -> bool:
    parts = [
        1 / (m.winners or 0).bit_count() if (m.winners or 0) >> team(instance, p) & 1 else 0
        for m, p in zip(matches, players, strict=True)
    ]
    return value == pytest.approx(sum(parts) / len(parts))


def states(rules: Rules, played: Round) -> list[State]:
    """The states of a round in which a move was chosen."""
    state, found = rules.begin(played.dealt), list[State]()
    for ply in played.plies:
        found.append(state)
        state = rules.act(state, ply.move, ply.outcome)
    return found


@pytest.mark.parametrize(("name", "players"), [("petkove", 2), ("koza", 4), ("rybareni", 2)])
def test_the_interpreter_counts_the_same(name: str, players: int) -> None:
    instance = table(name, players)
    kept: list[list[Row]] = [[], []]
    jobs = [
        Job(instance, 5, SEED, form, policies=("greedy", "heavy", "random", "first")[:players])
        for form in (Form.WASM, None)
    ]
    wasm, slow = (
        simulate(job, keep=lambda first, more, rows=rows: rows.extend(more))  # type: ignore[misc]
        for job, rows in zip(jobs, kept, strict=True)
    )
    assert wasm.tally == slow.tally
    assert kept[0] == kept[1]
    assert (wasm.engine, slow.engine) == ("wasm", "interpreter")


def test_threads_and_engines_change_nothing() -> None:
    instance = table("draw", 3)
    kept: list[list[Row]] = [[], [], []]
    jobs = [Job(instance, 300, SEED), Job(instance, 300, SEED, jobs=3), Job(instance, 300, SEED, Form.PYTHON)]
    played = [
        simulate(job, keep=lambda first, more, rows=rows: rows.extend(more))  # type: ignore[misc]
        for job, rows in zip(jobs, kept, strict=True)
    ]
    assert played[0].tally == played[1].tally == played[2].tally
    assert kept[0] == kept[1] == kept[2]
    assert len(kept[0]) == 300
    assert simulate(jobs[0]).tally == played[0].tally
    assert not played[0].partial


def test_an_interrupt_ends_it_with_what_was_played() -> None:
    told = list[int]()

    def interrupt(done: int) -> None:
        if done and not told:
            told.append(done)
            raise KeyboardInterrupt

    played = simulate(Job(table("draw", 2), 10**9), interrupt)
    assert played.partial
    assert 0 < played.tally.matches < 10**9
    assert CHUNK > 0


def side(name: str, jobs: int = 1, matches: int = 300, form: Form = Form.WASM) -> Job:
    return Job(table(name, 2), matches, SEED, form, jobs)


@pytest.mark.parametrize(("jobs", "form"), [(1, Form.WASM), (3, Form.WASM), (1, Form.PYTHON)])
def test_games_side_by_side_are_those_played_alone(jobs: int, form: Form) -> None:
    names = ("block", "draw")
    kept: list[list[Row]] = [[], []]
    both = side_by_side(
        [side(name, jobs, form=form) for name in names],
        keeps=[lambda first, more, rows=rows: rows.extend(more) for rows in kept],  # type: ignore[misc]
    )
    for name, played, rows in zip(names, both, kept, strict=True):
        alone: list[Row] = []
        assert simulate(side(name), keep=lambda first, more, to=alone: to.extend(more)).tally == played.tally  # type: ignore[misc]
        assert alone == rows
        assert not played.partial


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_leaves_the_same_matches_of_both(jobs: int) -> None:
    told = list[int]()

    def interrupt(done: int) -> None:
        if done and not told:
            told.append(done)
            raise KeyboardInterrupt

    kept: list[list[int]] = [[], []]
    both = side_by_side(
        [side("block", jobs, 10**9), side("draw", jobs, 10**9)],
        interrupt,
        [lambda first, more, to=to: to.extend(range(first, first + len(more))) for to in kept],  # type: ignore[misc]
    )
    matches = both[0].tally.matches
    assert 0 < matches < 10**9
    assert [played.tally.matches for played in both] == [matches] * 2
    assert all(played.partial for played in both)
    assert kept[0] == kept[1] == list(range(matches))


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("broken", [0, 1])
def test_the_earliest_match_that_is_stopped_is_told_with_its_game(jobs: int, broken: int, tmp_path: Path) -> None:
    text = TINY.replace("lowest(p in players by p.seat)", "highest(p in players by sum(t in hand[p]: pips(t)))")
    games = [written(tmp_path, TINY, "whole"), written(tmp_path, text, "broken")]
    instances = [optimise(instantiate(one, 2)) for one in (games if broken else reversed(games))]
    with pytest.raises(Stopped) as alone:
        simulate(Job(instances[broken], 1000, SEED))
    with pytest.raises(Stopped) as both:
        side_by_side([Job(instance, 1000, SEED, jobs=jobs) for instance in instances])
    assert (both.value.index, both.value.game) == (alone.value.index, broken)
    with pytest.raises(Stopped) as twice:
        side_by_side([Job(instances[broken], 1000, SEED, jobs=jobs)] * 2)
    assert (twice.value.index, twice.value.game) == (alone.value.index, 0)


def test_shares_and_differences() -> None:
    half = share(50, 100)
    assert (half.value, round(half.low, 4), round(half.high, 4)) == (0.5, 0.4038, 0.5962)
    assert share(0, 10).low == 0
    pair = Paired("x", 2)
    pair.add([2, 6], [4, 8])
    pair.add([10], [12])
    gap = pair.difference()
    assert (gap.first, gap.second, gap.difference, gap.within) == (3, 4, 1, 0)
