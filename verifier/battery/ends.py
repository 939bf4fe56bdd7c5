"""E2: one ending at a time. E4: no position is stuck. F1: a fish is one."""

from __future__ import annotations

import time
from dataclasses import replace

from domrules.interpreter.errors import RuleError
from domrules.interpreter.names import move_name
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.verifier import symbols
from domrules.verifier.battery.asking import enabled, guards, met, with_role
from domrules.verifier.battery.moves import IN_PLAY, NO_PLAY, m1
from domrules.verifier.battery.play import Situation
from domrules.verifier.battery.subject import Subject
from domrules.verifier.facts import asked
from domrules.verifier.relation import Relation
from domrules.verifier.solver import Answer, Engine, Result, solve
from domrules.verifier.verdict import Verdict, Word


def e2(subject: Subject) -> Verdict:
    """The endings stand in order, and the first that holds is the one; once a round has ended nothing is legal."""
    started = time.perf_counter()
    endings = subject.instance.endings
    if not endings:
        return subject.verdict("E2", Word.SKIPPED, since=started, reason="the game declares no ending")
    holds = [subject.rules.question(e.when) for e in endings]
    pairs: set[tuple[int, int]] = set()

    def gather(rules: Rules, s: Situation) -> bool:
        ending = rules.ending(s.state)
        if ending is not None:
            pairs.update((ending, i) for i in range(ending + 1, len(endings)) if holds[i](s.state))
            if rules.legal_moves(s.state):
                raise AssertionError("an ended round has no moves")
        return False

    met(subject, gather, IN_PLAY)
    details = [
        f"{endings[a].name} and {endings[b].name} can hold at once: then it is {endings[a].name}"
        for a, b in sorted(pairs)
    ]
    return subject.verdict(
        "E2", Word.CONFIGURED, method="the first ending that holds is the one", since=started, details=details
    )


def e4(subject: Subject) -> Verdict:
    """No position is stuck without being an ending: what M1 says of movers, said of the round."""
    started = time.perf_counter()
    found = subject.found.get("M1") or m1(subject)
    return replace(found, item="E4", seconds=time.perf_counter() - started)


# ---------------------------------------------------------------- F1


def f1(subject: Subject) -> Verdict:
    """Once a fish is declared, nobody could have played, whoever's turn it were and whatever he drew next."""
    started = time.perf_counter()
    instance = subject.instance
    fish = [i for i, e in enumerate(instance.endings) if e.role == "fish"]
    plays, movers = with_role(instance, "play"), instance.role("state", "mover")
    if not fish or not plays or not movers:
        missing = "ending is `as fish`" if not fish else "action is `as play`" if not plays else "state is `as mover`"
        return subject.verdict("F1", Word.SKIPPED, since=started, reason=f"no {missing}")
    span = instance.endings[fish[0]].span
    early = met(
        subject, lambda rules, s: rules.ending(s.state) in fish and bool(_continuation(rules, s.state)), IN_PLAY
    )
    if early is not None:
        names = " ".join(_continuation(subject.rules, early.state))
        return subject.verdict(
            "F1", Word.REFUTED, method="random play", since=started, span=span, witness=early.witness,
            details=[f"it could go on: {names}", early.place(subject.seed)],
        )  # fmt: skip
    for drawn in (False, True):
        result = _could_play(subject, fish, plays, movers[0], drawn=drawn)
        if result.answer is not Answer.NO:
            return subject.verdict("F1", Word.UNKNOWN, since=started, span=span, reason=result.reason or NO_PLAY)
    return subject.verdict("F1", Word.PROVED, method="one position, proved facts", since=started, span=span)


def _continuation(rules: Rules, state: State) -> list[str]:
    """A play, or a draw and a play, that somebody could make were the round not over."""
    instance, (mover,) = rules.instance, rules.instance.role("state", "mover")
    plays, draws = with_role(instance, "play"), with_role(instance, "draw")
    for player in range(instance.players):
        open_ = rules.layout.put(state, {("ending", None): None, (mover, None): player})
        try:
            for move in rules.legal_moves(open_):
                if move.action in plays:
                    return [str(move_name(instance, move))]
                if move.action not in draws:
                    continue
                for outcome in rules.outcomes(open_, move):
                    after = rules.layout.put(rules.act(open_, move, outcome), {("ending", None): None})
                    again = [m for m in rules.legal_moves(after) if m.action in plays]
                    if again:
                        return [str(move_name(instance, move, outcome)), str(move_name(instance, again[0]))]
        except RuleError:
            continue
    return []


def _could_play(subject: Subject, fish: list[int], plays: list[int], mover: str, *, drawn: bool) -> Result:
    """Can a play be legal in a position that ends as a fish, for any mover; or (`drawn`) after one more draw?"""
    study, draws = subject.study, with_role(subject.instance, "draw")
    known = subject.proved
    reads = {*guards(subject, [*plays, *draws]), mover, *asked(known)}
    encoder, relation = study.open(study.view(reads))
    state = subject.position(relation)
    ends = relation.ends(state)
    bits = [
        relation.dag.any(ends[i] for i in fish),
        *(fact.holds(relation, relation.concluded(state)) for fact in known),
    ]
    player = subject.instance.vars[mover].type
    anybody = symbols.free(encoder.dag, encoder.side, subject.instance, player, "anybody", forgotten=False)
    asked_of = state.put({(mover, None): anybody})
    if not drawn:
        bits.append(enabled(relation, asked_of, plays))
        return solve(encoder.dag, [*encoder.side, *bits], seconds=subject.seconds)
    if not any(study.moves[i] for i in draws):
        return Result(Answer.NO, Engine.GENERAL, 0.0)
    drawing = Relation(encoder, study.frozen, [m if i in draws else [] for i, m in enumerate(study.moves)])
    step = drawing.step(asked_of, "draw")
    bits += [*step.taken, enabled(relation, step.after, plays)]
    return solve(encoder.dag, [*encoder.side, *bits], seconds=subject.seconds)
