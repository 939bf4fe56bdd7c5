"""S1: every deal that is kept names somebody to begin; S2: and nobody else.

The mover is set in `begin`, mostly by a promise. Behind the promise stands a set (the argument of the outermost `sole`, in
whichever row of a table decides): S1 asks whether it can be empty, S2 whether it can have two elements.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

from domrules.grammar import core
from domrules.interpreter.errors import RuleError
from domrules.interpreter.state import State
from domrules.verifier import symbols
from domrules.verifier.battery.play import zones
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import FALSE, TRUE, Bit
from domrules.verifier.encode import EMPTY, Encoder, Env
from domrules.verifier.relation import Relation
from domrules.verifier.solver import Answer, Result, solve
from domrules.verifier.symbols import Members, Symbols
from domrules.verifier.valuation import Valuation
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import dealt_state

WORDS = {"S1": "nobody begins", "S2": "two could begin"}


def s1(subject: Subject) -> Verdict:
    """Somebody begins."""
    return _starter(subject, "S1")


def s2(subject: Subject) -> Verdict:
    """Only one begins."""
    return _starter(subject, "S2")


def _starter(subject: Subject, item: str) -> Verdict:
    started = time.perf_counter()
    movers = subject.instance.role("state", "mover")
    if not movers:
        return subject.verdict(item, Word.SKIPPED, since=started, reason="no state is `as mover`")
    named = list(_named(subject.instance, movers[0]))
    if not named:
        return subject.verdict(item, Word.SKIPPED, since=started, reason="`begin` does not set the mover")
    for e in named:
        verdict = _asked(subject, item, e, started)
        if verdict is not None:
            return verdict
    return subject.verdict(
        item, Word.PROVED, method="every deal that is kept, any match", since=started, span=named[0].span
    )


def _named(instance: core.Instance, mover: str) -> Iterator[core.Expr]:
    """What `begin` sets the mover to."""
    for block in instance.begin:
        for statement in _flat(block):
            if isinstance(statement, core.Set) and statement.var == mover:
                yield statement.value


def _flat(block: core.Block) -> Iterator[core.Stmt]:
    for s in block:
        yield s
        if isinstance(s, core.If | core.Each):
            yield from _flat(s.body)


def _asked(subject: Subject, item: str, e: core.Expr, started: float) -> Verdict | None:
    """None when it holds; else the verdict. First over any match, then, where that fails, in the first round."""
    result, model, dealt = _query(subject, item, e, any_match=True)
    if result.answer is Answer.NO:
        return None
    if result.answer is Answer.UNKNOWN:
        return subject.verdict(item, Word.UNKNOWN, since=started, reason=result.reason, span=e.span)
    result, model, dealt = _query(subject, item, e, any_match=False)
    if result.answer is not Answer.YES or model is None:
        reason = "it holds in a first round; what earlier rounds can leave behind is not known well enough"
        return subject.verdict(item, Word.UNKNOWN, since=started, reason=reason, span=e.span)
    state = dealt_state(subject.rules, model, dealt)
    lines = [f"{WORDS[item]} after this deal:"]
    lines += [f"  {line}" for line in zones(subject.instance, state)]
    if not _confirmed(subject, item, e, state):
        return subject.verdict(
            item, Word.DISAGREE, since=started, details=lines, span=e.span, reason="the interpreter finds one"
        )
    return subject.verdict(item, Word.REFUTED, method="a deal, replayed", since=started, details=lines, span=e.span)


def _query(subject: Subject, item: str, e: core.Expr, *, any_match: bool) -> tuple[Result, Valuation | None, Symbols]:
    study = subject.study
    encoder = Encoder(subject.instance, study.view(study.reads.variables(e), keep_numbers=True), study.reads)
    start = Relation(encoder).start(any_match=any_match)
    bits = list(candidates(encoder, promised(e), start.dealt).values())
    two = -encoder.dag.at_most_one(bits)
    bad = -encoder.dag.any(bits) if item == "S1" else two
    query = [*encoder.side, start.kept, bad]
    result = solve(encoder.dag, query, seconds=subject.seconds)
    return result, result.model, start.dealt


def promised(e: core.Expr) -> core.Expr:
    """What a promise is about."""
    return e.of if isinstance(e, core.Sole) and e.must else e


def candidates(encoder: Encoder, e: core.Expr, at: Symbols, env: Env = EMPTY) -> Members:
    """The elements among which the outermost `sole` of an optional chooses."""
    match e:
        case core.Sole(of=of, must=False) if isinstance(of.type, core.SetOf):
            return encoder.members(of, at, env)
        case core.Cases():
            return _united(
                encoder, [(here, candidates(encoder, value, at, env)) for here, value in encoder.rows(e, at, env)]
            )
        case core.Agg(kind="pick", body=body) if body is not None:
            found = encoder.range(e.domain, e.sort, e.var, e.guard, at, env)
            return _united(encoder, [(bit, candidates(encoder, body, at, inner)) for _, bit, inner in found])
        case core.Call():
            return _called(encoder, e, at, env)
        case _:
            return encoder.members(e, at, env)


def _called(encoder: Encoder, e: core.Call, at: Symbols, env: Env) -> Members:
    fn = encoder.instance.fns[e.fn]
    args = [encoder.members(arg, at, env) for arg in e.args]

    def bind(k: int, inner: Mapping[str, int]) -> Members:
        if k == len(args):
            return candidates(encoder, fn.body, at, inner)
        return _united(encoder, [(bit, bind(k + 1, {**inner, fn.params[k][0]: i})) for i, bit in args[k].items()])

    return bind(0, {})


def _united(encoder: Encoder, parts: list[tuple[Bit, Members]]) -> Members:
    found: dict[int, list[Bit]] = {}
    for bit, held in parts:
        for i, within in held.items():
            found.setdefault(i, []).append(encoder.dag.both(bit, within))
    return {i: bit for i, bits in found.items() if (bit := encoder.dag.any(bits)) != FALSE}


def _confirmed(subject: Subject, item: str, e: core.Expr, state: State) -> bool:
    """Does the encoder on the very deal (which folds to constants) say the same, and the interpreter break the promise?"""
    if subject.rules.wants_redeal(state):
        return False
    encoder = Encoder(subject.instance)
    known = symbols.known(subject.instance, state)
    bits = list(candidates(encoder, promised(e), known).values())
    chosen = sum(bit == TRUE for bit in bits)
    try:
        subject.rules.begin(state)
    except RuleError:
        return chosen != 1
    return False
