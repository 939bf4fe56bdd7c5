"""E5: who goes out never gets less than nothing for it, nor less than another side gets from that settlement.

Where one round is the whole match, going out must also win it, whether a score decides that or not. A file that means otherwise says so by an example in
which the round ends by going out and it happens: what is worked out by hand is meant.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from domrules.compiler import ir
from domrules.compiler.sift import Scene, total
from domrules.compiler.writer import Unsupported
from domrules.grammar import core
from domrules.grammar.source import Span
from domrules.interpreter.play import Round
from domrules.interpreter.state import State
from domrules.verifier.battery.climb import climb
from domrules.verifier.battery.closing import Closing, Law, emptied, hands, possible, went_out, without_tiles
from domrules.verifier.battery.kept import kept
from domrules.verifier.battery.play import round_lines
from domrules.verifier.battery.rare import least, shortest
from domrules.verifier.battery.said import settlements
from domrules.verifier.battery.subject import Subject
from domrules.verifier.battery.totals import (
    UNSAID,
    Better,
    Totals,
    counting,
    side_name,
    side_of,
    sides,
    totals,
    wins_in,
)
from domrules.verifier.dag import FALSE, TRUE, ZERO, Bit, Number
from domrules.verifier.solver import Answer, Result
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import Witness

TRIES = 3_000
"""Rounds of the search that follows."""
FAR = -1_000.0
"""How near a round is in which nobody goes out."""


@dataclass(frozen=True, slots=True)
class Pay:
    """What going out is worth at a table: the score, which way it counts, whether one round is the whole match.

    Both of the first are None where no score decides who wins; then one round is the whole match.
    """

    totals: Totals | None
    better: Better | None
    single: bool

    @property
    def about(self) -> str:
        """The state or define that says what going out is worth."""
        return "match_winners" if self.totals is None else self.totals.var

    def points(self, subject: Subject, state: State) -> tuple[int, ...]:
        """What every side has; nothing where there is no score."""
        return (0,) * sides(subject.instance) if self.totals is None else self.totals.of(subject, state)

    def gains(self, subject: Subject, ended: State, settled: State) -> list[int]:
        """What every side gets from the settlement, so that more is better."""
        if self.totals is None or self.better is None:
            return [0] * sides(subject.instance)
        before, after = self.totals.of(subject, ended), self.totals.of(subject, settled)
        return [(y - x) * self.better.value for x, y in zip(before, after, strict=True)]

    def wrong(self, subject: Subject, player: int, ended: State, settled: State) -> str:
        """What is wrong with this settlement for the player who went out, in words; nothing if all is well."""
        instance, gains = subject.instance, self.gains(subject, ended, settled)
        side = side_of(instance)[player]
        name = instance.sorts["player"].names[player]
        if gains[side] < 0:
            return f"{name} goes out, and it costs {-gains[side]}"
        if max(gains) > gains[side]:
            other = gains.index(max(gains))
            return f"{name} goes out and gets {gains[side]}, {side_name(instance, other)} gets {gains[other]}"
        if self.single and len(set(self.points(subject, ended))) == 1:
            won = subject.rules.winners(settled)
            if not won >> side & 1:
                return f"{name} goes out, the match ends with this round, and others have won it"
            if won == (1 << sides(instance)) - 1 and sides(instance) > 1:
                return f"{name} goes out and gets nothing for it: the match ends with this round, and it is a draw"
        return ""


def e5(subject: Subject) -> Verdict:
    """Going out pays."""
    started = time.perf_counter()
    pay = _pay(subject)
    if isinstance(pay, str):
        word = Word.UNKNOWN if pay == UNSAID else Word.SKIPPED
        return subject.verdict("E5", word, since=started, reason=pay)
    out = next(e for e in subject.instance.endings if e.role == "out")
    shown, reason = _shown(subject, pay), ""
    if shown is None:
        proof = _proof(subject, pay)
        if proof.answer is Answer.NO:
            return _proved(subject, pay, out.span, started)
        shown, reason = _searched(subject, pay), proof.reason
    if shown is None:
        reason = reason or "it may cost, or be worth less than another side gets, but no round was found that shows it"
        return subject.verdict("E5", Word.UNKNOWN, since=started, reason=reason, span=out.span)
    player, played = shown
    text = pay.wrong(subject, player, played.ended, played.settled)
    said = _said(subject, pay)
    word = Word.REFUTED if said is None else Word.CONFIGURED
    method = "a round, played" if said is None else f"example {said}, which says so"
    return subject.verdict(
        "E5", word, method=method, since=started, span=out.span,
        details=[text], witness=Witness(played.dealt, played.plies, played.ended),
    )  # fmt: skip


def _proved(subject: Subject, pay: Pay, span: Span, started: float) -> Verdict:
    """It holds; if anybody can go out at all."""
    seen = any(emptied(subject, played) is not None for _, _, played in subject.sample)
    if not seen and possible(subject, _somebody).answer is Answer.NO:
        reason = "nobody goes out with the last move of a round"
        return subject.verdict("E5", Word.HOLLOW, since=started, span=span, reason=reason)
    method, details = "any last move and its settlement", _nothing(subject, pay)
    return subject.verdict("E5", Word.PROVED, method=method, since=started, span=span, details=details)


def _pay(subject: Subject) -> Pay | str:
    """What there is to ask about; or why nothing is asked."""
    instance = subject.instance
    if not instance.role("ending", "out"):
        return "no ending is `as out`"
    if not hands(instance, 0):
        return "no zone per player is `as hand`"
    found = totals(instance)
    better = found if isinstance(found, str) else counting(subject, found)
    if not isinstance(found, str) and isinstance(better, Better):
        return Pay(found, better, single(subject))
    assert isinstance(better, str)
    return Pay(None, None, True) if better != UNSAID and single(subject) else better


def single(subject: Subject) -> bool:
    """Is the match over after every round?"""
    return subject.once("single", lambda: _single(subject))


def _single(subject: Subject) -> bool:
    if core.is_lit(subject.instance.over, True):
        return True
    for _, _, played in subject.sample:
        if not subject.rules.over(played.settled):
            return False
    going_on = possible(subject, lambda c: -c.encoder.truth(subject.instance.over, c.settled))
    return going_on.answer is Answer.NO


# ---------------------------------------------------------------- rounds


def _shown(subject: Subject, pay: Pay) -> tuple[int, Round] | None:
    """The random round in which it goes wrong the most."""
    worst: tuple[int, int, Round] | None = None
    for _, _, played in subject.sample:
        player = emptied(subject, played)
        if player is None or not pay.wrong(subject, player, played.ended, played.settled):
            continue
        mine = pay.gains(subject, played.ended, played.settled)[side_of(subject.instance)[player]]
        if worst is None or mine < worst[0]:
            worst = mine, player, played
    return None if worst is None else worst[1:]


def _searched(subject: Subject, pay: Pay) -> tuple[int, Round] | None:
    """A round in which it goes wrong, looked for."""

    def wish(played: Round) -> float:
        player = emptied(subject, played)
        if player is None:
            return FAR
        if pay.wrong(subject, player, played.ended, played.settled):
            return 0.0
        gains = pay.gains(subject, played.ended, played.settled)
        mine = gains[side_of(subject.instance)[player]]
        return -1.0 - min(mine, *(mine - gain for gain in gains))

    played = climb(subject.rules, wish, tries=TRIES, seed=subject.seed)
    player = None if played is None else emptied(subject, played)
    return None if played is None or player is None else (player, played)


def _nothing(subject: Subject, pay: Pay) -> list[str]:
    """A round in which who goes out gets nothing, where points are good: no fault, but worth knowing."""
    if pay.totals is None or pay.better is not Better.MORE:
        return []

    played = _unpaid(subject, pay.totals)
    if played is None:
        return []
    return [
        "a player can go out, and the settlement gives his side nothing:",
        *round_lines(subject.rules, pay.points(subject, played.dealt), played),
    ]


def _unpaid(subject: Subject, found: Totals) -> Round | None:
    """The shortest of very many random rounds in which one player alone has no tiles left, and his side gets no points."""
    side = side_of(subject.instance)

    def wanted(scene: Scene) -> ir.Expr:
        test: ir.Expr = ir.YES
        empty: ir.Expr = ir.ZERO
        for player, out in enumerate(scene.empty):
            before, after = (total(values, found.cells[side[player]]) for values in (scene.ended, scene.settled))
            test = ir.both(test, ir.either(ir.negated(out), ir.negated(ir.less(before, after))))
            empty = ir.plus(empty, ir.unary("int", out))
        return ir.both(test, ir.equal(empty, ir.ONE))

    def holds(played: Round) -> bool:
        empty = without_tiles(subject, played.ended)
        before, after = (found.of(subject, state) for state in (played.ended, played.settled))
        return len(empty) == 1 and after[side[empty[0]]] <= before[side[empty[0]]]

    try:
        rounds = shortest(subject, wanted, holds)
    except Unsupported:
        return None
    return least([played for played in rounds if played is not None and emptied(subject, played) is not None])


def _said(subject: Subject, pay: Pay) -> str | None:
    """The example of the file that shows it."""
    for heard in settlements(subject, pay.about):
        ending = subject.rules.ending(heard.ended)
        if ending is None or subject.instance.endings[ending].role != "out":
            continue
        empty = without_tiles(subject, heard.ended)
        if len(empty) == 1 and pay.wrong(subject, empty[0], heard.ended, heard.settled):
            return heard.example
    return None


# ---------------------------------------------------------------- proof


def _proof(subject: Subject, pay: Pay) -> Result:
    """Can it go wrong at all? First with nothing known of the numbers of the match."""
    result = possible(subject, lambda c: _bad(c, pay))
    if result.answer is Answer.NO:
        return result
    laws: tuple[Law, ...] = () if pay.totals is None else kept(subject, pay.totals).laws
    return possible(subject, lambda c: _bad(c, pay), laws) if laws else result


def _somebody(closing: Closing) -> Bit:
    """Somebody goes out, he alone."""
    went = went_out(closing.relation.instance, closing.before, closing.ended, closing.encoder)
    dag = closing.encoder.dag
    return dag.all([closing.ends_so("out"), dag.at_most_one(went), dag.any(went)])


def _bad(closing: Closing, pay: Pay) -> Bit:
    """Somebody goes out, he alone, and it is wrong for him."""
    encoder, instance = closing.encoder, closing.relation.instance
    dag = encoder.dag
    went = went_out(instance, closing.before, closing.ended, encoder)
    gains, level = [ZERO] * sides(instance), TRUE
    if pay.totals is not None and pay.better is not None:
        before, after = pay.totals.symbols(encoder, closing.ended), pay.totals.symbols(encoder, closing.settled)
        gains = [dag.add(Number(), dag.add(y, x, -1), pay.better.value) for x, y in zip(before, after, strict=True)]
        level = dag.all([dag.is_zero(dag.add(x, before[0], -1)) for x in before]) if pay.single else FALSE
    everyone = dag.all([wins_in(encoder, instance, closing.settled, side) for side in range(sides(instance))])
    wrong = []
    for player, side in enumerate(side_of(instance)):
        mine = gains[side]
        less = [-dag.at_least_zero(mine)] + [-dag.at_least_zero(dag.add(mine, other, -1)) for other in gains]
        lost = -wins_in(encoder, instance, closing.settled, side)
        drawn = everyone if sides(instance) > 1 else FALSE
        wrong.append(dag.both(went[player], dag.any([*less, dag.both(level, dag.any((lost, drawn)))])))
    return dag.all([closing.ends_so("out"), dag.at_most_one(went), dag.any(wrong)])
