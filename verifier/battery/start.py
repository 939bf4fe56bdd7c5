"""S1: every deal that is kept names somebody to begin; S2: and nobody else.

The mover is set in `begin`, mostly by a promise. Behind the promise stands a set (the argument of the outermost `sole`, in
whichever row of a table decides): S1 asks whether it can be empty, S2 whether it can have two elements.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from domrules.grammar import core
from domrules.grammar.reads import statements
from domrules.grammar.source import Span
from domrules.interpreter.errors import RuleError
from domrules.interpreter.state import State
from domrules.verifier import symbols
from domrules.verifier.battery import between, beyond
from domrules.verifier.battery.anysize import depends_on_size
from domrules.verifier.battery.ended import sums
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import FALSE, TRUE, Bit
from domrules.verifier.effects import run
from domrules.verifier.encode import EMPTY, Encoder, Env
from domrules.verifier.relation import Relation
from domrules.verifier.solver import OF_DEALS, Answer, Result, solve
from domrules.verifier.symbols import Members, Symbols
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import Witness, dealt_state

WORDS = {"S1": "nobody begins", "S2": "two could begin"}


def s1(subject: Subject) -> Verdict:
    """Somebody begins."""
    return _starter(subject, "S1")


def s2(subject: Subject) -> Verdict:
    """Only one begins."""
    return _starter(subject, "S2")


@dataclass(frozen=True, slots=True)
class Named:
    """What `begin` sets the mover to: the expression, when it is carried out, and among whom it chooses."""

    value: core.Expr
    when: Bit
    among: Members


def _starter(subject: Subject, item: str) -> Verdict:
    started = time.perf_counter()
    instance = subject.instance
    if not instance.role("state", "mover"):
        return subject.verdict(item, Word.SKIPPED, since=started, reason="no state is `as mover`")
    spans = [e.span for e in sets_mover(instance)]
    if not spans:
        return subject.verdict(item, Word.SKIPPED, since=started, reason="`begin` does not set the mover")
    if (
        sums_read(subject)
        and Asked(subject, item, any_match=True, sized=False, opaque=True).result(1.0).answer is Answer.NO
    ):
        return _proved(subject, item, started, spans[0], sized=False, sums="with any sums, ")
    for sized, any_match in ((False, True), (True, True), (True, False)):
        asked = Asked(subject, item, any_match=any_match, sized=sized)
        result = asked.result(subject.seconds if sized else min(1.0, subject.seconds))
        if result.answer is Answer.NO and any_match:
            return _proved(subject, item, started, spans[0], sized=sized)
        if result.answer is Answer.UNKNOWN and sized and any_match:
            return subject.verdict(item, Word.UNKNOWN, since=started, reason=result.reason, span=spans[0])
    if result.model is None:
        return _later(subject, item, result, started, spans[0])
    state = dealt_state(subject.rules, result.model, asked.dealt)
    span = next((e.span for e, bit in asked.parts if result.model.bit(bit)), spans[0])
    lines, witness = [f"{WORDS[item]} after this deal"], Witness(state, (), state)
    if not confirmed(subject, item, state):
        return subject.verdict(
            item,
            Word.DISAGREE,
            since=started,
            details=lines,
            span=span,
            reason="the interpreter finds one",
            witness=witness,
        )
    lines += beyond.lines(subject, question(item), asked)
    return subject.verdict(
        item, Word.REFUTED, method="a deal, replayed", since=started, details=lines, span=span, witness=witness
    )


def _proved(subject: Subject, item: str, started: float, span: Span, *, sized: bool, sums: str = "") -> Verdict:
    """Every deal of any match passes, with hands as dealt (`sized`) or of any size."""
    how, instance = "every deal that is kept, any match", subject.instance
    if depends_on_size(instance.game):
        silent = "that it is so with hands of other sizes: what begins a round looks at what decides them"
        return subject.verdict(
            item, Word.PROVED, method=f"{sums}{how}", since=started, span=span, doesnt_say=silent
        )  # fmt: skip
    if not sized:
        details = [f"whatever each hand gets of these {symbols.tile_count(instance)} tiles, at least one"]
        how = f"hands of any size, {sums}{how}"
        return subject.verdict(
            item, Word.PROVED_ANY_SIZE, method=how, since=started, details=details, span=span
        )  # fmt: skip
    details = beyond.border(subject, question(item))
    if details:
        return subject.verdict(
            item, Word.PROVED_ANY_SIZE, method=f"{how}, with the exact condition", since=started, details=details, span=span
        )  # fmt: skip
    silent = "that it is so with hands of other sizes: for some it fails, or is not known"
    return subject.verdict(item, Word.PROVED, method=how, since=started, span=span, doesnt_say=silent)


def _later(subject: Subject, item: str, first: Result, started: float, span: Span) -> Verdict:
    """It is not so after any match states whatever; but after those that a settlement leaves behind?"""
    search = between.Search(
        subject,
        reads(subject),
        lambda relation, begun: [begun.kept, relation.dag.any(bit for _, bit in failures(relation, begun.dealt, item))],
        lambda state: confirmed(subject, item, state),
    )
    found = None
    if first.answer is Answer.NO:
        result = search.after_any_round()
        if result.answer is Answer.NO:
            method = "every deal of a first round, and every deal after any settlement"
            return subject.verdict(item, Word.PROVED, method=method, since=started, span=span)
        found = search.later()
    if found is not None:
        before, state = found
        method = "a match, played, and a deal after it, replayed"
        return subject.verdict(
            item, Word.REFUTED, method=method, since=started, details=[f"{WORDS[item]} after {before.words}"], span=span,
            witness=Witness(state, (), state),
        )  # fmt: skip
    reason = first.reason or "it holds in a first round; what earlier rounds can leave behind is not known well enough"
    return subject.verdict(item, Word.UNKNOWN, since=started, reason=reason, span=span)


class Asked:
    """The question whether a kept deal fails: in the first round or in any, with hands as dealt or of any size."""

    def __init__(
        self, subject: Subject, item: str, *, any_match: bool = False, sized: bool = True, opaque: bool = False
    ) -> None:
        self.item, study = item, subject.study
        view = study.view(reads(subject), keep_numbers=True, counted=sized)
        hidden = sums(subject.instance) if opaque else frozenset[str]()
        self.encoder = Encoder(subject.instance, replace(view, opaque=hidden), study.reads)
        self.relation = Relation(self.encoder)
        start = self.relation.start(any_match=any_match, sized=sized)
        self.dealt, self.kept = start.dealt, start.kept
        self.parts = failures(self.relation, start.dealt, item)
        self.fails = self.encoder.dag.both(self.kept, self.encoder.dag.any(bit for _, bit in self.parts))

    def result(self, seconds: float) -> Result:
        asked = [*self.encoder.side, self.fails]
        return solve(self.encoder.dag, asked, seconds=seconds, engines=OF_DEALS, loose=True)


def question(item: str) -> beyond.Question:
    """The same, to be asked of other tables."""
    return beyond.Question(
        lambda subject, sized, any_match: Asked(subject, item, sized=sized, any_match=any_match),
        lambda subject, state: confirmed(subject, item, state),
    )


def reads(subject: Subject) -> frozenset[str]:
    """What the choice of the first mover depends on."""
    instance = subject.instance
    found = [subject.study.reads.variables(e) for e in sets_mover(instance)]
    conditions = [s.condition for block in instance.begin for s in statements(block) if isinstance(s, core.If)]
    return frozenset[str]().union(*found, *map(subject.study.reads.variables, conditions))


def sums_read(subject: Subject) -> bool:
    """Does it ask for sums over tiles, which are hard for a solver?"""
    hidden, seen, waiting = sums(subject.instance), set[str](), list(sets_mover(subject.instance))
    while waiting:
        e = waiting.pop()
        waiting += core.children(e)
        if isinstance(e, core.Call) and e.fn not in seen:
            seen.add(e.fn)
            waiting.append(subject.instance.fns[e.fn].body)
    return bool(hidden & seen)


def sets_mover(instance: core.Instance) -> list[core.Expr]:
    """What `begin` sets the mover to."""
    movers = instance.role("state", "mover")
    found = [s for block in instance.begin for s in statements(block) if isinstance(s, core.Set) and s.var in movers]
    return [s.value for s in found]


def failures(relation: Relation, dealt: Symbols, item: str) -> list[tuple[core.Expr, Bit]]:
    """For everything `begin` sets the mover to, the bit that it is nobody (S1) or may be two (S2)."""
    dag = relation.dag
    out = []
    for named in beginnings(relation, dealt):
        bits = list(named.among.values())
        bad = -dag.any(bits) if item == "S1" else -dag.at_most_one(bits)
        out.append((named.value, dag.both(named.when, bad)))
    return out


def beginnings(relation: Relation, at: Symbols) -> Iterator[Named]:
    """The settings of the mover, block by block."""
    for block in relation.instance.begin:
        yield from _settings(relation, block, at, EMPTY, TRUE)
        at, _ = run(relation.encoder, relation.promises, block, at)


def _settings(relation: Relation, block: core.Block, at: Symbols, env: Env, when: Bit) -> Iterator[Named]:
    encoder, movers = relation.encoder, relation.instance.role("state", "mover")
    for s in block:
        match s:
            case core.Set(var=var, value=value) if var in movers:
                yield Named(value, when, candidates(encoder, promised(value), at, env))
            case core.If(condition=condition, body=body):
                inside = encoder.dag.both(when, encoder.truth(condition, at, env))
                yield from _settings(relation, body, at, env, inside)
            case core.Each(var=var, sort=sort, domain=domain, guard=guard, body=body):
                for _, bit, inner in encoder.range(domain, sort, var, guard, at, env):
                    yield from _settings(relation, body, at, inner, encoder.dag.both(when, bit))
            case _:
                pass


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


def confirmed(subject: Subject, item: str, state: State) -> bool:
    """Does the encoder on the very deal (which folds to constants) say the same, and the interpreter break the promise?"""
    if subject.rules.wants_redeal(state):
        return False
    known = symbols.known(subject.instance, state)
    found = failures(Relation(Encoder(subject.instance)), known, item)
    try:
        subject.rules.begin(state)
    except RuleError:
        return any(bit == TRUE for _, bit in found)
    return False
