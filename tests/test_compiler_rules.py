"""A broken promise stops compiled play in the match in which it stops the interpreter, with the same words."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import TINY, written

from domrules.compiler.batch import Disagreement, Form, engine, explained
from domrules.compiler.engine import signed
from domrules.compiler.traces import Traces
from domrules.compiler.writer import Unsupported
from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.grammar.passes import optimise
from domrules.interpreter.chance import Chance
from domrules.interpreter.errors import Rule, RuleError, Unfinished
from domrules.interpreter.play import Limits, play_match
from domrules.interpreter.rules import Rules

MATCHES = 60
SEED = 3
LIMITS = Limits(moves=30, rounds=40, deals=5)
CLAUSES = {
    "begin": "begin set mover to the(lowest(p in players by p.seat))",
    "lay": "     set mover to mover.next\n  then",
    "settle": "settle add 1 to score[mover]",
    "over": "over when any p in players: score[p] >= goal",
    "ending": "ending done as out when any p in players: size(hand[p]) == 0",
    "take": "  when size(box) > 1",
}


def tiny(folder: Path, **changes: str) -> core.Instance:
    """The small game with other clauses."""
    text = TINY
    for name, clause in changes.items():
        assert text.count(CLAUSES[name]) == 1
        text = text.replace(CLAUSES[name], clause)
    return optimise(instantiate(written(folder, text), 2))


def stops(instance: core.Instance) -> tuple[int, str] | None:
    """The first match that the interpreter does not finish, and what it says."""
    rules = Rules(instance)
    for index in range(MATCHES):
        try:
            play_match(rules, Chance.named(SEED, index), limits=LIMITS)
        except (RuleError, Unfinished) as stopped:
            return index, str(stopped)
    return None


BROKEN = {
    Rule.PROMISE: {"begin": "begin set mover to the(highest(p in players by sum(t in hand[p]: pips(t))))"},
    Rule.WRITTEN_TWICE: {
        "lay": "     set score[p0] to 3 if size(pile) == 2\n     set score[mover] to 4 if size(pile) == 2\n"
        "     set mover to mover.next\n  then"
    },
    Rule.MOVED_TWICE: {"lay": "     move t from hand[mover] to box if size(pile) == 2\n     set mover to mover.next\n  then"},
    Rule.NOT_THERE: {
        "lay": "     set mover to mover.next\n  then move t from box to pile if size(pile) == 2\n  then"
    },
    Rule.STUCK: {"ending": "ending done as out when size(pile) > 4"},
}  # fmt: skip


@pytest.mark.parametrize("rule", BROKEN, ids=lambda rule: rule.name)
@pytest.mark.parametrize("form", Form)
def test_a_broken_promise_stops_the_same_match(rule: Rule, form: Form, tmp_path: Path) -> None:
    instance = tiny(tmp_path, **BROKEN[rule])
    found = stops(instance)
    assert found is not None
    index, said = found
    compiled = engine(instance, Traces(), form, LIMITS)
    assert not compiled.run(0, MATCHES, SEED)
    assert compiled.read("at")[0] == index
    reason = explained(instance, SEED, index, LIMITS)
    assert str(reason) == said
    assert isinstance(reason, RuleError)
    assert reason.rule is rule


@pytest.mark.parametrize(
    "changes",
    [{"over": "over when score[p0] < 0"}, {"ending": "ending done as out when false", "take": ""}],
    ids=["rounds", "moves"],
)
def test_what_does_not_end_is_stopped(changes: dict[str, str], tmp_path: Path) -> None:
    instance = tiny(tmp_path, **changes)
    found = stops(instance)
    assert found is not None
    for form in Form:
        compiled = engine(instance, Traces(), form, LIMITS)
        assert not compiled.run(0, MATCHES, SEED)
        assert compiled.read("at")[0] == found[0]
    assert str(explained(instance, SEED, found[0], LIMITS)) == found[1]


def test_matches_before_the_broken_one_are_kept(tmp_path: Path) -> None:
    instance = tiny(tmp_path, **BROKEN[Rule.STUCK])
    found = stops(instance)
    assert found is not None
    compiled = engine(instance, Traces(), Form.WASM, LIMITS)
    assert compiled.run(0, found[0], SEED)
    rules = Rules(instance)
    for index in range(found[0]):
        digest = play_match(rules, Chance.named(SEED, index), limits=LIMITS).digest
        assert compiled.read("digest")[index] == signed(digest)


def test_a_match_that_the_interpreter_finishes_is_our_mistake(tmp_path: Path) -> None:
    with pytest.raises(Disagreement, match="match 0 of seed 3"):
        explained(tiny(tmp_path), SEED, 0)


def test_numbers_that_may_not_fit_are_refused(tmp_path: Path) -> None:
    instance = tiny(tmp_path, settle="settle set score[mover] to score[p0] * score[p1]")
    with pytest.raises(Unsupported, match="too large"):
        engine(instance, Traces(), Form.WASM)
