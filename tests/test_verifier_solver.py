"""The solver behind the verifier: three ways to put many questions to it say the same as one question at a time."""

from collections.abc import Sequence

import pytest

from domrules.verifier.dag import Bit, Dag, Number
from domrules.verifier.solver import OF_DEALS, Answer, Engine, Formulas, Marked, Result, Session, Steady, solve


@pytest.fixture
def dag() -> Dag:
    return Dag()


def score(dag: Dag, least: int, most: int) -> list[Bit]:
    """An integer between two others."""
    number = dag.unknown("score")
    return [dag.at_least_zero(dag.add(number, Number(least), -1)), dag.at_least_zero(dag.add(Number(most), number, -1))]


def test_integers_that_may_be_anything_refute_only_what_is_refuted(dag: Dag) -> None:
    """An engine without integers is asked: of bits its NO is one; a model without the integers it forgot is not."""
    a, b = dag.var("a"), dag.var("b")
    bits = [dag.xor([a, b]), dag.same(a, b), *score(dag, 1, 5)]
    assert solve(dag, bits, seconds=10, engines=[Engine.BITS], loose=True).answer is Answer.NO
    unseen = [a, *score(dag, 1, 5)]
    assert solve(dag, unseen, seconds=10, engines=[Engine.BITS], loose=True).answer is Answer.UNKNOWN
    impossible = [a, *score(dag, 5, 1)]
    assert solve(dag, impossible, seconds=10, engines=[Engine.BITS], loose=True).answer is Answer.UNKNOWN
    assert solve(dag, unseen, seconds=10, engines=OF_DEALS, loose=True).answer is Answer.YES
    assert solve(dag, impossible, seconds=10, engines=OF_DEALS, loose=True).answer is Answer.NO


def pigeons(dag: Dag) -> list[Bit]:
    """Two holes for three pigeons: each in one, no two in the same."""
    into = [[dag.var(f"p{pigeon}{hole}") for hole in range(2)] for pigeon in range(3)]
    placed = [dag.any(row) for row in into]
    apart = [-dag.both(into[p][hole], into[q][hole]) for hole in range(2) for p in range(3) for q in range(p)]
    return [*placed, *apart]


def test_marked_bits_are_supposed_or_not(dag: Dag) -> None:
    bits = pigeons(dag)
    spare = dag.var("spare")
    session = Session(dag)
    session.add(bits[3:])
    marked = Marked(session, [*bits[:3], spare])
    assert marked.check(range(4), seconds=10) is Answer.NO
    assert marked.core() == [0, 1, 2]
    for left_out in range(3):
        assert marked.check({0, 1, 2, 3} - {left_out}, seconds=10) is Answer.YES
    assert marked.check([0, 1, 2], seconds=10) is Answer.NO


def test_what_was_supposed_once_is_not_supposed_any_more(dag: Dag) -> None:
    a, b = dag.var("a"), dag.var("b")
    steady = Steady(Formulas(dag), 10_000)
    steady.add([dag.any([a, b])])
    assert steady.look([-a]) is Answer.YES
    assert steady.holds(b)
    assert not steady.holds(a)
    assert steady.look([-b]) is Answer.YES
    assert steady.holds(a)
    assert steady.look([-a, -b]) is Answer.NO
    assert steady.look([]) is Answer.YES
    steady.left = 0
    assert steady.look([]) is Answer.UNKNOWN


def test_what_is_easy_is_asked_of_the_core_alone_and_the_rest_of_all(dag: Dag, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first look has a small part of the time; an engine that gives up leaves the question to the others."""
    easy, hard = [dag.var("a"), *score(dag, 1, 5)], [*pigeons(dag), *score(dag, 1, 5)]
    assert solve(dag, easy, seconds=10).engine is Engine.CORE
    assert solve(dag, hard, seconds=10).answer is Answer.NO
    asked: list[Engine] = []
    check = Session.check

    def tired(session: Session, bits: Sequence[Bit] = (), *, seconds: float) -> Result:
        asked.append(session.engine)
        if session.engine is Engine.CORE:
            assert seconds <= 1
            return Result(Answer.UNKNOWN, session.engine, seconds)
        return check(session, bits, seconds=seconds)

    monkeypatch.setattr(Session, "check", tired)
    assert solve(dag, hard, seconds=10).answer is Answer.NO
    assert solve(dag, easy, seconds=10).answer is Answer.YES
    assert asked == [Engine.CORE, Engine.GENERAL] * 2
