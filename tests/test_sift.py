"""What compiled code finds among many rounds is what one finds who plays them one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from tables import HOUSE, SPECS, TINY, written
from tables import game as shipped

from domrules.compiler import ir, sift
from domrules.compiler.sift import FAILURES, Kept, Scene, Wanted, first, most, shortest, total
from domrules.compiler.writer import Unsupported
from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.grammar.passes import optimise
from domrules.interpreter.chance import Chance
from domrules.interpreter.coverage import Place, clauses, place
from domrules.interpreter.errors import RuleError, Unfinished
from domrules.interpreter.play import Limits, Round, play_match
from domrules.interpreter.rules import Rules
from domrules.verifier.battery import rare
from domrules.verifier.battery.reach import bonuses
from domrules.verifier.battery.run import Request, _asked, verify
from domrules.verifier.battery.subject import Subject
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import Unreplayable

BREAKS = "begin set mover to the(those(p in players where 0|0 in hand[p]))"
REACHED = """winners those(g in teams where g == the(those(h in teams where
  sum(p in players where p.team == h: score[p]) >= goal)))"""
SEED = 3
LIMITS = Limits(moves=1_000, rounds=1, deals=200)
SAMPLE = ("block", "fives", "koza", "petkove", "rybareni")
Holds = Callable[[Rules, Round], bool]


def numbers(found: Sequence[Kept | None]) -> list[int | None]:
    return [None if one is None else one.number for one in found]


def optimised(game: core.Game, players: int) -> core.Instance:
    return optimise(instantiate(game, players))


def any_round(scene: Scene) -> ir.Expr:
    return ir.YES


def unchanged(scene: Scene) -> ir.Expr:
    return ir.equal(*(total(cells, range(len(cells))) for cells in (scene.begun, scene.settled)))


def dearer(scene: Scene) -> ir.Expr:
    return ir.less(*(total(cells, range(len(cells))) for cells in (scene.ended, scene.settled)))


def somebody_out(scene: Scene) -> ir.Expr:
    test: ir.Expr = ir.NO
    for out in scene.empty:
        test = ir.either(test, out)
    return test


def out_of_tiles(rules: Rules, played: Round) -> bool:
    hands = [n for n in rules.instance.role("zone", "hand") if rules.instance.vars[n].per == "player"]
    seats = range(rules.instance.players if hands else 0)
    return any(not any(rules.layout.tiles(played.ended, hand, p) for hand in hands) for p in seats)


QUESTIONS: dict[str, tuple[Wanted, Holds]] = {
    "any": (any_round, lambda rules, played: True),
    "unchanged": (
        unchanged,
        lambda rules, played: sum(rules.scores(played.dealt)) == sum(rules.scores(played.settled)),
    ),
    "dearer": (dearer, lambda rules, played: sum(rules.scores(played.ended)) < sum(rules.scores(played.settled))),
    "out": (somebody_out, out_of_tiles),
}


def one_by_one(instance: core.Instance, rounds: int) -> Iterator[tuple[int, Round]]:
    """The rounds that break no rule, with their numbers."""
    rules = Rules(instance)
    for number in range(rounds):
        with suppress(RuleError, Unfinished):
            yield number, play_match(rules, Chance.named(SEED, number), limits=LIMITS, stop=1).rounds[0]


def by_hand(instance: core.Instance, played: Sequence[tuple[int, Round]], holds: Holds) -> list[int | None]:
    """The same, of rounds of the interpreter."""
    rules = Rules(instance)
    best: dict[int | None, tuple[int, int]] = {}
    for number, one in played:
        ending = rules.ending(one.ended)
        if holds(rules, one):
            best[ending] = min(best.get(ending, (1_000, 0)), (len(one.plies), number))
    return [best[ending][1] if ending in best else None for ending in range(len(instance.endings))]


Sample = tuple[core.Instance, list[tuple[int, Round]]]
"""A table and its first rounds."""


@pytest.fixture(params=[*SPECS, *HOUSE])
def samples(request: pytest.FixtureRequest, full: bool) -> list[Sample]:
    """The last table of a game, or all of them, with rounds that are played one by one; no rule breaks in one."""
    if not full and request.param not in SAMPLE:
        pytest.skip("takes long: --full")
    game, rounds = shipped(request.param), 400 if full else 40
    tables = [optimised(game, players) for players in (game.seats if full else game.seats[-1:])]
    found = [(instance, list(one_by_one(instance, rounds))) for instance in tables]
    assert all(len(played) == rounds for _, played in found)
    return found


def test_found_as_if_played_one_by_one(samples: list[Sample]) -> None:
    for instance, played in samples:
        for question, (wanted, holds) in QUESTIONS.items():
            found = shortest(instance, wanted, SEED, LIMITS, len(played))
            assert numbers(found) == by_hand(instance, played, holds), (instance.players, question)


def test_the_most_is_that_of_rounds_played_one_by_one(samples: list[Sample]) -> None:
    for instance, played in samples:
        found = [one and (one.value, one.number) for one in most(instance, SEED, LIMITS, len(played))]
        assert found == most_by_hand(instance, played), instance.players


def most_by_hand(instance: core.Instance, played: Sequence[tuple[int, Round]]) -> list[tuple[int, int] | None]:
    """What a move and what settlements pay at most, and in which round first; played by the interpreter."""
    scores = Rules(instance).scores
    moves, settlements = dict[int, int](), dict[int, int]()
    for number, one in played:
        steps = [scores(state) for state in one.states]
        for paid, pairs in ((moves, pairwise(steps)), (settlements, [(scores(one.ended), scores(one.settled))])):
            for gain in (b - a for x, y in pairs for a, b in zip(x, y, strict=True)):
                paid.setdefault(gain, number)
    return [max(paid.items(), default=None) for paid in (moves, settlements)]


def test_the_first_is_that_of_rounds_played_one_by_one(samples: list[Sample]) -> None:
    for instance, played in samples:
        rules = Rules(instance)
        asked = [(b.award.settlement, b.paid) for b in bonuses(instance) if b.award.settlement is not None]
        seen: dict[int, int] = {}
        for number, one in played:
            for thing, (when, e) in enumerate(asked):
                if thing not in seen and rules.question(e)(rules.settle(one.ended, when)):
                    seen[thing] = number
        assert numbers(first(instance, asked, SEED, LIMITS, len(played))) == [seen.get(i) for i in range(len(asked))]


def test_rounds_that_break_a_rule_are_left_out(tmp_path: Path) -> None:
    broken = TINY.replace("begin set mover to the(lowest(p in players by p.seat))", BREAKS)
    assert broken != TINY
    instance = optimised(written(tmp_path, broken), 2)
    played, (wanted, holds) = list(one_by_one(instance, 24)), QUESTIONS["any"]
    assert 24 - FAILURES < len(played) < 24
    assert numbers(shortest(instance, wanted, SEED, LIMITS, 24)) == by_hand(instance, played, holds)


def test_winners_are_not_asked_for_before_the_match_is_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sift, "FAILURES", 1)
    told = TINY.replace("winners highest(g in teams by sum(p in players where p.team == g: score[p]))", REACHED)
    assert told != TINY
    instance = optimised(written(tmp_path, told), 2)
    found, seen = most(instance, SEED, LIMITS, 60), most_by_hand(instance, list(one_by_one(instance, 60)))
    assert [one and (one.value, one.number) for one in found] == seen
    assert seen[0] is not None
    assert seen[0][1] > 0


def test_a_hand_that_no_rule_reads_is_not_looked_at(tmp_path: Path) -> None:
    """Of two zones that are hands the rules ask for one only: what the other holds is not known to compiled code."""
    more = TINY.replace("zone pile ", "zone extra per player seen by owner as hand\nzone pile ").replace(
        "move t from hand[mover] to pile", "move t from hand[mover] to extra[mover]"
    )
    instance = optimised(written(tmp_path, more), 2)
    with pytest.raises(Unsupported):
        shortest(instance, any_round, SEED, LIMITS, 10)
    (verdict,) = verify(written(tmp_path, more), Request([2], only=["E5"]))
    assert verdict.word is not Word.DISAGREE


def test_what_the_interpreter_does_not_see_is_a_disagreement() -> None:
    subject = Subject(optimised(shipped("block"), 2))
    with pytest.raises(Unreplayable):
        rare.shortest(subject, any_round, lambda played: False)
    assert _asked(subject, "T2", differs).word is Word.DISAGREE


def differs(subject: Subject) -> Verdict:
    raise Unreplayable("they differ")


def test_without_compiled_code_rounds_are_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise Unsupported("not today")

    monkeypatch.setattr("domrules.verifier.battery.idle.shortest", refuse)
    (verdict,) = verify(shipped("block"), Request([2], only=["T2"]))
    assert "a round can change no total" in "\n".join(verdict.details)


def test_a_row_that_only_compiled_code_sees_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    def everything(instance: core.Instance, *_: object, **__: object) -> Iterator[tuple[int, set[Place]]]:
        yield 1, {place(clause.span) for clause in clauses(instance.game)}

    monkeypatch.setattr("domrules.verifier.battery.dead.watched", everything)
    (verdict,) = verify(shipped("house/openspiel_team"), Request([4], only=["R1"]))
    assert verdict.word is Word.DISAGREE
