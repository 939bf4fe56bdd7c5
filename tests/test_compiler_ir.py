"""The printers agree with the constants of the imperative language, operator by operator, also where words and signs end."""

from __future__ import annotations

import random
from itertools import chain, product

import pytest

from domrules.compiler import ir
from domrules.compiler.batch import ENGINES, Form
from domrules.compiler.python import CHUNKS, LANES, STEPS, Lanes
from domrules.compiler.writer import Writer, each, has, kth, least, single, size, split
from domrules.interpreter.chance import Chance, splitmix64

TOP = 1 << 63
NUMBERS = (-(1 << 41), -13, -7, -1, 0, 1, 2, 6, 7, 63, 1 << 40)
SETS = (0, 1, 6, TOP, TOP | 1, (1 << 64) - 1, 0x00FF00FF00FF00FF)
NUMERIC = ("add", "sub", "mul", "lt", "le", "eq", "ne")
WORDS = ("and", "or", "xor", "minus", "eq", "ne")


def values(form: Form, expressions: list[ir.Expr], writer: Writer | None = None) -> list[int]:
    """What an engine computes."""
    writer = writer or opened()
    out = writer.array(len(expressions), "out")
    writer.array(1, "at")
    for i, e in enumerate(expressions):
        flat = ir.unary("int", e) if ir.kind(e) is ir.Kind.TRUTH else e
        writer.emit(ir.Store(out, ir.Const(i), flat))
    engine = ENGINES[form](writer.program())
    assert engine.run(0, 0, 1)
    return [v & (1 << 64) - 1 for v in engine.read("out")]


def opened() -> Writer:
    writer = Writer()
    writer.local()
    writer.local()
    return writer


def number(e: ir.Expr) -> int:
    assert isinstance(e, ir.Const | ir.Truth)
    return int(e.value) & (1 << 64) - 1


@pytest.mark.parametrize("form", Form)
def test_operators_mean_what_the_constants_say(form: Form) -> None:
    tried = [(op, a, b) for op in NUMERIC for a, b in product(NUMBERS, NUMBERS) if op != "mul" or abs(a * b) < 1 << 62]
    tried += [(op, a, b) for op in ("div", "mod") for a, b in product(NUMBERS, (1, 2, 5, 10, 64))]
    tried += [(op, a, b) for op in WORDS for a, b in product(SETS, SETS)]
    tried += [("has", a, b) for a, b in product(SETS, (0, 1, 62, 63))]
    raw = [ir.Binary(op, ir.Const(a), ir.Const(b)) for op, a, b in tried]
    assert values(form, list(raw)) == [number(ir.constant(op, a, b)) for op, a, b in tried]
    left = [ir.Binary(op, ir.Binary("mod", ir.Const(a), ir.Const(5)), ir.ZERO) for op in ("eq", "ne") for a in NUMBERS]
    assert values(form, list(left)) == [(a % 5 == 0) is (op == "eq") for op in ("eq", "ne") for a in NUMBERS]


@pytest.mark.parametrize("form", Form)
def test_operators_of_one_argument(form: Form) -> None:
    tried = [("popcount", a) for a in SETS] + [("ctz", a) for a in SETS if a] + [("bit", a) for a in (0, 1, 63)]
    raw: list[ir.Expr] = [ir.Unary(op, ir.Const(a)) for op, a in tried]
    assert values(form, raw) == [number(ir.unary(op, ir.Const(a))) for op, a in tried]
    drop = [ir.Unary("drop", ir.Const(a)) for a in SETS if a]
    assert values(form, list(drop)) == [a & (a - 1) for a in SETS if a]


@pytest.mark.parametrize("form", Form)
def test_truths(form: Form) -> None:
    truth = {"both": lambda a, b: a and b, "either": lambda a, b: a or b, "same": lambda a, b: a == b}
    tried = [(op, a, b) for op in truth for a, b in product((False, True), repeat=2)]
    raw: list[ir.Expr] = [ir.Binary(op, ir.Truth(a), ir.Truth(b)) for op, a, b in tried]
    assert values(form, raw) == [int(truth[op](a, b)) for op, a, b in tried]
    chosen: list[ir.Expr] = [ir.Pick(ir.Truth(t), ir.Const(3), ir.Const(4)) for t in (True, False)]
    assert values(form, [*chosen, ir.Unary("not", ir.YES)]) == [3, 4, 0]


@pytest.mark.parametrize("form", Form)
def test_an_index_of_nothing_reads_something_harmless(form: Form) -> None:
    writer = opened()
    table, array = writer.table((4, 5)), writer.array(2)
    nothing = writer.fresh(ir.NONE)
    assert values(form, [ir.Look(table, nothing), ir.Load(array, nothing)], writer)[0] == 0


@pytest.mark.parametrize("form", Form)
@pytest.mark.parametrize("element", [-1, 0, 2, 63])
def test_what_vanishes_needs_no_test(form: Form, element: int) -> None:
    writer = opened()
    x, word = (writer.fresh(ir.Const(value)) for value in (element, 6))
    entry = ir.Look(writer.table(tuple(range(5, 69))), x)
    here: list[ir.Expr] = [ir.Const(0), entry, ir.Unary("popcount", entry), ir.Binary("and", word, entry)]
    here += [ir.Binary(op, here[2], here[3]) for op in ("add", "or", "xor", "minus")]
    inside: list[ir.Expr] = [ir.Binary("has", ir.Const(word), x) for word in SETS]
    inside += [ir.Unary("truth", e) for e in here]
    inside += [ir.Binary("both", ir.Unary("truth", word), inside[1]), ir.Binary("either", inside[2], inside[-1])]
    raw: list[ir.Expr] = [ir.Pick(ir.present(x), e, ir.ZERO) for e in here]
    built = [ir.pick(ir.present(x), e, ir.ZERO) for e in here]
    raw += [ir.Binary("both", ir.present(x), e) for e in inside]
    built += [ir.both(ir.present(x), e) for e in inside]
    assert sum(map(ir.cost, built)) < sum(map(ir.cost, raw))
    found = values(form, [*raw, *built], writer)
    assert found[: len(raw)] == found[len(raw) :]


@pytest.mark.parametrize("form", Form)
def test_picks_in_picks(form: Form) -> None:
    for truths in product((False, True), repeat=2):
        writer = opened()
        one, other = (writer.fresh(ir.Truth(t)) for t in truths)
        three = [ir.Const(i) for i in (3, 4, 5)]
        nested = [ir.Pick(t, three[0], three[1]) for t in (one, other)]
        tried = [
            (t, a, b)
            for t in (one, ir.Unary("not", one))
            for inner in nested
            for a, b in ((inner, three[1]), (three[2], inner))
        ]
        raw: list[ir.Expr] = [ir.Pick(*parts) for parts in tried]
        found = values(form, [*raw, *(ir.pick(*parts) for parts in tried)], writer)
        assert found[: len(raw)] == found[len(raw) :]


@pytest.mark.parametrize("form", Form)
def test_sets_of_several_words(form: Form) -> None:
    chance, count = random.Random(4), 3
    for _ in range(5):
        mask = chance.getrandbits(136) & chance.getrandbits(136) | 1 << 100
        members = [i for i in range(136) if mask >> i & 1]
        writer = opened()
        words = split(mask, count)
        asked: list[ir.Expr] = [size(words), least(words)]
        asked += [has(words, writer.fresh(ir.Const(i))) for i in range(-1, 136)]
        asked += [writer.let(kth(writer, words, writer.fresh(ir.Const(k)))) for k in range(len(members))]
        total, again = writer.fresh(ir.ZERO), tuple(writer.fresh(ir.ZERO) for _ in words)
        with each(writer, words) as element:
            writer.emit(ir.Assign(total, ir.plus(ir.binary("mul", total, ir.Const(3)), element)))
            writer.emit(
                *(ir.Assign(t, ir.binary("or", t, b)) for t, b in zip(again, single(element, count), strict=True))
            )
            writer.emit(ir.Assign(total, ir.binary("mod", total, ir.Const(1009))))
        expected = 0
        for member in members:
            expected = (expected * 3 + member) % 1009
        pool, left, taken = writer.pool(words), list(members), list[int]()
        while left:
            k = chance.randrange(len(left))
            target = writer.local()
            writer.emit(ir.Take(target, pool, writer.fresh(ir.Const(k))))
            asked.append(target)
            taken.append(left.pop(k))
        wanted = [len(members), members[0], *(mask >> i & 1 if i >= 0 else 0 for i in range(-1, 136)), *members, *taken]
        assert values(form, [*asked, total, *again], writer) == [*wanted, expected, *map(number, words)]


def test_lanes_give_what_the_generators_give() -> None:
    lanes, mixed = Lanes(), splitmix64(5)[1]
    for index in (0, 3, LANES - 1, LANES, 5 * LANES + 7):
        chance = Chance.named(5, index)
        many = STEPS * CHUNKS + 5 if index in (3, LANES) else 2 * STEPS
        drawn = chain.from_iterable(lanes.drawn(mixed, index))
        assert [next(drawn) for _ in range(many)] == [chance.word() >> 32 for _ in range(many)]
