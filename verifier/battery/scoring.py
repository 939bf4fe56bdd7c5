"""C1: a settlement has a row for every ended round. C2: rows that overlap are ordered. C4: rounding, over all integers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from domrules.grammar import core
from domrules.grammar.arithmetic import operate
from domrules.grammar.source import Span
from domrules.verifier import symbols
from domrules.verifier.battery.play import lines, rule_errors, situations
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import TRUE, ZERO, Bit, Dag, Number
from domrules.verifier.encode import EMPTY, Encoder, Env, arithmetic
from domrules.verifier.facts import asked
from domrules.verifier.relation import Relation
from domrules.verifier.solver import Answer, Engine, solve
from domrules.verifier.symbols import Symbols
from domrules.verifier.verdict import Verdict, Word

ROUNDS = 300
"""Random rounds looked through for a position that shows a gap."""

# ---------------------------------------------------------------- C1, C2


def c1(subject: Subject) -> Verdict:
    """Every ended round finds a row in every settlement."""
    return _tables(
        subject, "C1", lambda s: not s.complete, _uncovered, "every settlement ends in `otherwise` or has no rows"
    )


def c2(subject: Subject) -> Verdict:
    """No two rows of a strict settlement hold at once; in the others the first row decides."""
    return _tables(
        subject, "C2", lambda s: s.strict, _two_rows, "the first row that holds decides; no settlement is strict"
    )


Asks = Callable[[Encoder, core.Settle, Symbols, Env], Bit]


def _tables(subject: Subject, item: str, concerned: Callable[[core.Settle], bool], asks: Asks, none: str) -> Verdict:
    started = time.perf_counter()
    if not subject.instance.settles:
        return subject.verdict(item, Word.SKIPPED, since=started, reason="nothing is settled")
    concerned_ones = [s for s in subject.instance.settles if concerned(s)]
    for settle in concerned_ones:
        verdict = _table(subject, item, settle, asks, started)
        if verdict is not None:
            return verdict
    method = none if not concerned_ones else f"{len(concerned_ones)} settlements, any ended position"
    return subject.verdict(item, Word.CONFIGURED if not concerned_ones else Word.PROVED, method=method, since=started)


def _table(subject: Subject, item: str, settle: core.Settle, asks: Asks, started: float) -> Verdict | None:
    """None when the settlement is as it should be. Sums over tiles are first taken to be any numbers, then what they are."""
    result = None
    for opaque in (sums(subject.instance), frozenset[str]()):
        study = subject.study
        view = replace(study.view(asked(subject.proved), keep_numbers=True), opaque=opaque)
        encoder, relation = study.open(view)
        state, base = _ended(subject, relation)
        env: Env = EMPTY if settle.var is None else {settle.var: 0}
        bad = encoder.dag.any(asks(encoder, settle, state, e) for e in _elements(subject.instance, settle, env))
        result = solve(encoder.dag, [*encoder.side, *base, bad], seconds=subject.seconds)
        if result.answer is Answer.NO:
            return None
    assert result is not None
    if result.answer is Answer.UNKNOWN:
        return subject.verdict(item, Word.UNKNOWN, since=started, reason=result.reason, span=settle.span)
    found = _played(subject, settle, item)
    if found:
        return subject.verdict(
            item, Word.REFUTED, method="a round, played", since=started, details=found, span=settle.span
        )
    what = "no row holds" if item == "C1" else "two rows hold"
    reason = f"{what} in a position the proved facts allow; no play was found that reaches one"
    return subject.verdict(item, Word.UNKNOWN, since=started, reason=reason, span=settle.span)


def _elements(instance: core.Instance, settle: core.Settle, env: Env) -> Iterator[Env]:
    if settle.var is None or settle.sort is None:
        yield env
        return
    for i in range(instance.sorts[settle.sort].size):
        yield {settle.var: i}


def _ended(subject: Subject, relation: Relation) -> tuple[Symbols, list[Bit]]:
    """Any position in which the round has just ended."""
    state = subject.position(relation)
    assumed = [fact.holds(relation, state) for fact in subject.proved]
    return relation.concluded(state), [*assumed, -relation.goes_on(state)]


def _uncovered(encoder: Encoder, settle: core.Settle, state: Symbols, env: Env) -> Bit:
    return -encoder.dag.any([encoder.truth(row.test, state, env) for row in settle.rows])


def _two_rows(encoder: Encoder, settle: core.Settle, state: Symbols, env: Env) -> Bit:
    rows = settle.rows[:-1] if settle.complete else settle.rows
    return -encoder.dag.at_most_one([encoder.truth(row.test, state, env) for row in rows])


def _played(subject: Subject, settle: core.Settle, item: str) -> list[str]:
    """A played round that shows it. Empty when random play finds none."""
    if item == "C2":
        return _collision(subject, settle)
    encoder = Encoder(subject.instance)
    for s in situations(subject.rules, ROUNDS, subject.seed):
        if s.kind != "played" or subject.rules.ending(s.state) is None:
            continue
        at = symbols.known(subject.instance, s.state)
        if any(_uncovered(encoder, settle, at, env) == TRUE for env in _elements(subject.instance, settle, EMPTY)):
            return lines(subject.rules, s, subject.seed)
    return []


def _collision(subject: Subject, settle: core.Settle) -> list[str]:
    """A random match in which the interpreter stops at this settlement, for two of its rows hold."""
    for match, error in rule_errors(subject.rules, ROUNDS, subject.seed):
        if (error.span.start, error.span.end) == (settle.span.start, settle.span.end):
            return [error.sentence, f"match {match} of seed {subject.seed}, in this state:", *error.state.splitlines()]
    return []


def sums(instance: core.Instance) -> frozenset[str]:
    """Defines that add something up over tiles, read states, and call no other of their kind: pips of a hand, and such."""
    found = {fn.name for fn in instance.fns.values() if fn.type == core.INT and _adds_tiles(fn.body)}
    return frozenset(found)


def _adds_tiles(e: core.Expr) -> bool:
    if isinstance(e, core.Agg) and e.kind == "sum" and e.sort == "tile" and not isinstance(e.body, core.Lit):
        return True
    return any(_adds_tiles(child) for child in core.children(e))


# ---------------------------------------------------------------- C4


@dataclass(frozen=True, slots=True)
class Law:
    """A law of rounding: its name and the bit that it is broken at x (and y)."""

    name: str
    broken: Callable[[Dag, Rounding, Number, Number], Bit]


@dataclass(frozen=True, slots=True)
class Rounding:
    """A rounding as written somewhere in the file: round, roundup or rounddown to multiples of k."""

    name: str
    k: int
    tie: str
    span: Span

    @property
    def text(self) -> str:
        words = {"round": "nearest", "roundup": "up", "rounddown": "down"}
        tie = f", …, {self.tie}" if self.name == "round" and self.k % 2 == 0 else ", …"
        return f"{words[self.name]}({self.k}{tie})"

    def of(self, dag: Dag, x: Number) -> Number:
        """The rounded number as the encoder has it."""
        op = core.Op(self.name, (core.Lit(0, core.INT),), core.INT, self.k, self.tie)
        found = arithmetic(dag, op, x)
        assert isinstance(found, Number)
        return found

    def at(self, x: int) -> int:
        """The rounded number as the interpreter has it."""
        found = operate(self.name, [x], self.k, self.tie)
        assert isinstance(found, int)
        return found


def c4(subject: Subject) -> Verdict:
    """Every rounding of the file obeys its laws for every whole number, and the interpreter computes the same."""
    started = time.perf_counter()
    truncated = next(_truncations(subject.instance.game), None)
    if truncated is not None:
        e, k = truncated
        lines = [f"this rounds towards below: at {k - 1} it gives 0", f"nearest({k}, {k - 1}) would give {k}"]
        help_ = f"help: write `nearest({k}, …)`, or `down({k}, …)` if this is meant"
        return subject.verdict(
            "C4", Word.REFUTED, method="all integers", since=started, details=[*lines, help_], span=e.span
        )
    roundings = list(_roundings(subject.instance.game))
    if not roundings:
        return subject.verdict("C4", Word.SKIPPED, since=started, reason="nothing is rounded")
    lines = []
    for rounding in roundings:
        broken = _broken_law(rounding, subject.seconds)
        if broken is not None:
            word, reason = broken
            return subject.verdict("C4", word, since=started, reason=reason, span=rounding.span)
        differs = _differs(rounding)
        if differs is not None:
            return subject.verdict(
                "C4", Word.DISAGREE, since=started, reason=f"{rounding.text} at {differs}", span=rounding.span
            )
        lines.append(f"{rounding.text}: {_table_text(rounding)}")
    return subject.verdict(
        "C4", Word.PROVED_ANY_SIZE, method="all integers", since=started, details=lines, span=roundings[0].span
    )


def expressions(game: core.Game) -> Iterator[core.Expr]:
    """Every expression of the rules (not of claims and examples)."""

    def inside(e: core.Expr) -> Iterator[core.Expr]:
        yield e
        for child in core.children(e):
            yield from inside(child)

    roots: list[core.Expr] = [fn.body for fn in game.fns.values()]
    roots += [row.test for settle in game.settles for row in settle.rows]
    blocks = [
        *game.begin,
        *(b for a in game.actions for b in a.blocks),
        *(r.body for s in game.settles for r in s.rows),
    ]

    def collect(e: core.Expr) -> core.Expr:
        roots.append(e)
        return e

    for block in blocks:
        core.rebuild_block(block, collect)
    roots += [a.guard for a in game.actions] + [e.when for e in game.endings] + [game.over, game.winners, game.redeal]
    for root in roots:
        yield from inside(root)


def _roundings(game: core.Game) -> Iterator[Rounding]:
    """Each different rounding once, at its first place."""
    seen = set()
    for e in expressions(game):
        if isinstance(e, core.Op) and e.name in ("round", "roundup", "rounddown"):
            key = (e.name, e.const, e.tie if e.const % 2 == 0 else "")
            if key not in seen:
                seen.add(key)
                yield Rounding(e.name, e.const, e.tie, e.span)


def _truncations(game: core.Game) -> Iterator[tuple[core.Op, int]]:
    """quotient(x, k) * k: a rounding that does not say it is one."""
    for e in expressions(game):
        if isinstance(e, core.Op) and e.name == "mul":
            for a, b in (e.args, e.args[::-1]):
                if isinstance(a, core.Op) and a.name == "div" and isinstance(b, core.Lit) and b.value == a.const:
                    yield e, a.const


def _broken_law(rounding: Rounding, seconds: float) -> tuple[Word, str] | None:
    """The law that some whole number breaks."""
    for law in LAWS:
        dag = Dag()
        x, y = dag.unknown("x"), dag.unknown("y")
        result = solve(dag, [law.broken(dag, rounding, x, y)], seconds=seconds, engines=(Engine.GENERAL,))
        if result.answer is Answer.UNKNOWN:
            return Word.UNKNOWN, f"{rounding.text} {law.name}: {result.reason}"
        if result.answer is Answer.YES and result.model is not None:
            return Word.REFUTED, f"{rounding.text} {law.name}: not at {result.model.number(x)}"
    return None


def _below(dag: Dag, a: Number, b: Number) -> Bit:
    """a < b."""
    return dag.at_least_zero(dag.add(dag.add(b, a, -1), Number(-1)))


def _distance(dag: Dag, a: Number, b: Number) -> tuple[Number, Bit]:
    difference = dag.add(a, b, -1)
    return difference, dag.at_least_zero(difference)


def _is_multiple(dag: Dag, r: Rounding, x: Number, y: Number) -> Bit:
    value = r.of(dag, x)
    return -dag.is_zero(dag.add(value, dag.floor(value, r.k), -r.k))


def _is_near(dag: Dag, r: Rounding, x: Number, y: Number) -> Bit:
    """Further from x than its kind allows: nearest at most k/2 away, up and down less than k on their side."""
    gap = dag.add(r.of(dag, x), x, -1)
    match r.name:
        case "round":
            twice = dag.add(ZERO, gap, 2)
            return dag.any((_below(dag, Number(r.k), twice), _below(dag, twice, Number(-r.k))))
        case "roundup":
            return dag.any((_below(dag, gap, ZERO), _below(dag, Number(r.k - 1), gap)))
        case _:
            return dag.any((_below(dag, ZERO, gap), _below(dag, gap, Number(1 - r.k))))


def _ties_as_said(dag: Dag, r: Rounding, x: Number, y: Number) -> Bit:
    """x = k*y + k/2 does not go where it should."""
    if r.name != "round" or r.k % 2:
        return -1
    here = dag.is_zero(dag.add(dag.add(x, y, -r.k), Number(-(r.k // 2))))
    went_up = -dag.at_least_zero(dag.add(x, r.of(dag, x), -1))
    should = {"up": 1, "down": -1, "even": dag.odd(y), "away": dag.at_least_zero(y)}[r.tie]
    return dag.both(here, -dag.same(went_up, should))


def _is_monotone(dag: Dag, r: Rounding, x: Number, y: Number) -> Bit:
    return dag.both(_below(dag, x, y), _below(dag, r.of(dag, y), r.of(dag, x)))


def _is_fixed(dag: Dag, r: Rounding, x: Number, y: Number) -> Bit:
    multiple = dag.add(ZERO, y, r.k)
    return -dag.is_zero(dag.add(r.of(dag, multiple), multiple, -1))


LAWS = (
    Law("gives a multiple", _is_multiple),
    Law("is as near as it says", _is_near),
    Law("sends ties where it says", _ties_as_said),
    Law("keeps the order", _is_monotone),
    Law("leaves multiples alone", _is_fixed),
)


def _differs(rounding: Rounding) -> int | None:
    """A number at which encoder and interpreter differ, around every boundary near 0."""
    for x in range(-3 * rounding.k, 3 * rounding.k + 1):
        if rounding.of(Dag(), Number(x)).const != rounding.at(x):
            return x
    return None


def _table_text(rounding: Rounding) -> str:
    """12 → 10 and such: the numbers where the result changes, and the examples everybody asks for."""
    k = rounding.k
    xs = sorted(
        {x for x in range(5 * k + 1) if x and rounding.at(x) != rounding.at(x - 1)}
        | {x - 1 for x in range(1, 5 * k + 1) if rounding.at(x) != rounding.at(x - 1)}
        | {12, 23}
    )
    return ", ".join(f"{x} → {rounding.at(x)}" for x in xs)
