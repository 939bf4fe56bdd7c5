"""D5: a draw never takes a tile that has to stay in the stock.

One move from any position the proved facts allow: first where sizes of zones are numbers of their own, which is loose but
quick, then where they are what they are.
"""

from __future__ import annotations

import time
from itertools import pairwise

from domrules.grammar import core
from domrules.grammar.diagnostics import counted
from domrules.interpreter.state import State
from domrules.verifier.battery.asking import with_role
from domrules.verifier.battery.play import Situation
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import ZERO, Bit, Number
from domrules.verifier.facts import asked
from domrules.verifier.relation import Relation
from domrules.verifier.solver import Answer, Result, solve
from domrules.verifier.symbols import Symbols
from domrules.verifier.verdict import Verdict, Word

ROUNDS = 300
"""Random rounds looked through for a draw that takes too much."""


def d5(subject: Subject) -> Verdict:
    """Does every draw leave the reserve?"""
    started = time.perf_counter()
    instance = subject.instance
    missing = _missing(instance)
    if missing:
        return subject.verdict("D5", Word.SKIPPED, since=started, reason=missing)
    span = next(a.span for a in instance.actions if a.role == "draw")
    results = [_draws(subject, counted=True, below=True)]
    if results[0].answer is not Answer.NO:
        results.append(_draws(subject, counted=False, below=True))
    if results[-1].answer is Answer.NO:
        return _premise(subject, started)
    found = _played(subject)
    if found is not None:
        at, left = found
        return subject.verdict(
            "D5", Word.REFUTED, method="random play", since=started, details=[at.place(subject.seed), left], span=span,
            witness=at.witness,
        )  # fmt: skip
    reason = (
        results[-1].reason or "a draw may take it in a position that the proved facts allow, but that no play may reach"
    )
    return subject.verdict("D5", Word.UNKNOWN, since=started, reason=reason, span=span)


def _missing(instance: core.Instance) -> str:
    """What there must be for the question to say something."""
    if not instance.role("action", "draw"):
        return "no action is `as draw`"
    slots = [instance.fns[name] for name in instance.role("slot", "reserve")]
    if not slots:
        return "no slot is `as reserve`"
    if all(isinstance(fn.body, core.Lit) and fn.body.value == 0 for fn in slots):
        return "the reserve is 0"
    return ""


def _premise(subject: Subject, started: float) -> Verdict:
    """It holds; but does anybody ever draw?"""
    instance = subject.instance
    words = f"{_reserve_text(instance)} must stay in {instance.role('zone', 'stock')[0]}"
    drawn = _somebody_draws(subject)
    if _used_up(instance) and not drawn:
        details = [words, "at this table the deal leaves no more than that"]
        return subject.verdict("D5", Word.CONFIGURED, since=started, details=details)
    if drawn or _draws(subject, counted=False, below=False).answer is not Answer.NO:
        method = "one move from any position the proved facts allow"
        return subject.verdict("D5", Word.PROVED, method=method, since=started, details=[words])
    return subject.verdict("D5", Word.HOLLOW, since=started, reason="no draw ever takes a tile from the stock")


def _reserve_text(instance: core.Instance) -> str:
    bodies = [instance.fns[name].body for name in instance.role("slot", "reserve")]
    values = [e.value for e in bodies if isinstance(e, core.Lit) and isinstance(e.value, int)]
    if len(values) != len(bodies):
        return "the reserve"
    return counted(sum(values), "tile")


def _used_up(instance: core.Instance) -> bool:
    """Does the deal leave no more than the reserve?"""
    stock = instance.role("zone", "stock")[0]
    dealt = sum(n * len(instance.cells(target)) for n, source, target in instance.deals if source == stock)
    bodies = [instance.fns[name].body for name in instance.role("slot", "reserve")]
    values = [e.value for e in bodies if isinstance(e, core.Lit) and isinstance(e.value, int)]
    return len(values) == len(bodies) and instance.sorts["tile"].size - dealt <= sum(values)


def _draws(subject: Subject, *, counted: bool, below: bool) -> Result:
    """Can a draw take tiles from the stock (and leave fewer than the reserve)?"""
    study, facts = subject.study, subject.proved
    reserves = [subject.instance.fns[name] for name in subject.instance.role("slot", "reserve")]
    reads = asked(facts).union(*(study.reads.variables(fn.body) for fn in reserves))
    encoder, relation = study.open(study.view(reads, keep_numbers=True, counted=counted))
    dag, state = encoder.dag, subject.position(relation)
    assumed = [fact.holds(relation, state) for fact in facts]
    step = relation.step(state, "x")
    drawing = with_role(subject.instance, "draw")
    drawn = dag.any([choice.bit for choice in step.choices if choice.action in drawing])
    before, after, reserve = size(relation, state), size(relation, step.after), ZERO
    for fn in reserves:
        reserve = dag.add(reserve, encoder.number(fn.body, state))
    query = [*assumed, study.resting(relation, state), *step.taken, drawn, more(relation, before, after)]
    if below:
        query.append(more(relation, reserve, after))
    return solve(dag, [*encoder.side, *query], seconds=subject.seconds)


def more(relation: Relation, one: Number, other: Number) -> Bit:
    """one > other"""
    return relation.dag.at_least_zero(relation.dag.add(relation.dag.add(one, other, -1), Number(-1)))


def size(relation: Relation, state: Symbols) -> Number:
    """How many tiles lie in the stock."""
    if state.sizes is not None:
        return state.sizes[relation.stock]
    return relation.dag.number((bit, 1) for bit in state.zone(*relation.stock).values())


# ---------------------------------------------------------------- play


def _somebody_draws(subject: Subject) -> bool:
    drawing = with_role(subject.instance, "draw")
    return any(ply.move.action in drawing for _, _, played in subject.matches.rounds(20) for ply in played.plies)


def _played(subject: Subject) -> tuple[Situation, str] | None:
    """A random round in which a draw takes a tile of the reserve, and what is left; None when none is found."""
    rules, instance = subject.rules, subject.instance
    drawing = with_role(instance, "draw")
    kept = [rules.question(instance.fns[name].body) for name in instance.role("slot", "reserve")]
    for match, number, played in subject.matches.rounds(ROUNDS):
        for i, (ply, (state, after)) in enumerate(zip(played.plies, pairwise(played.states), strict=True), 1):
            reserve, left = sum(int(f(state)) for f in kept), held(subject, after)
            if ply.move.action in drawing and left < held(subject, state) and left < reserve:
                found = Situation("played", after, played, played.plies[:i], match, number)
                return found, f"{rules.stock} holds {left} in the end; {reserve} must stay"
    return None


def held(subject: Subject, state: State) -> int:
    """How many tiles the stock holds."""
    return subject.rules.layout.tiles(state, subject.rules.stock).bit_count()
