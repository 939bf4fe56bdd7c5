"""core expressions → the imperative language: defines are opened at their calls, small searches unrolled, values kept.

A value is `Words`: one expression, or as many as a set has words. Names stand for locals or constants, never for
something that a statement may change.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import assert_never

from domrules.compiler import ir, operators, searches
from domrules.compiler.bounds import Bounds
from domrules.compiler.store import is_unset, literal, slots
from domrules.compiler.values import Attempt, One
from domrules.compiler.writer import Env, Words, Writer, count_words, each, fails, size, some, split, zipped
from domrules.grammar import core
from domrules.grammar.fold import MAX_COST, bits
from domrules.grammar.instance import folder
from domrules.grammar.reads import Reads
from domrules.grammar.source import Span

MAX_TABLE = 512
"""Entries of a table that is computed beforehand."""
FEW = 8
"""A define of at most so many elements is computed for all of them, where a loop will ask for each."""
ALL = "all"
"""Stands for all arguments of a define."""


class Expressions:
    """Writes expressions of one instance. `eager`: what costs at most so much is computed even if it may not be needed."""

    def __init__(self, instance: core.Instance, writer: Writer, eager: int) -> None:
        self.instance, self.writer, self.eager = instance, writer, eager
        self.slots = slots(instance, writer)
        self.reads, self.bounds = Reads(instance), Bounds(instance)
        self.fold = folder(instance)
        self.given: set[str] = set()
        """Variables without a first value that have one by now."""
        self.tables: dict[core.Expr, tuple[str, tuple[core.Value, ...]] | None] = {}
        self.failing: dict[str, bool] = {}
        self.hot = True
        """In code that runs often searches are written out; elsewhere code is short: every value is computed in one place."""
        self.trying = False
        """Is a move written that is only tried, not made?"""

    def know(self, given: set[str]) -> None:
        """From here on these variables have values."""
        self.given = given
        self.failing.clear()

    def prepare(self, e: core.Expr | None, env: Env, again: bool = False) -> None:
        """Outside hot code: compute the calls inside whose arguments are known here and that cannot fail.

        What stands behind a condition is left there, unless it is computed `again` and again.
        """
        if e is None or self.hot:
            return
        for c, repeated in _inside(e, again):
            self.prepare(c, env, repeated)
        if not isinstance(e, core.Call):
            return
        inner = self.instance.fns[e.fn]
        if not core.free(e) <= env.keys():
            self.prepare(inner.body, {}, again)
            self.spread(e, inner)
            return
        if self.may_fail(e) or self.tabled(e, env) is not None:
            return
        if any(not isinstance(a, core.Lit | core.Local) for a in e.args):
            return
        args = {p: self.scalar(a, env) for (p, _), a in zip(inner.params, e.args, strict=True)}
        if self.writer.recall((e.fn, tuple(args.values()))) is None:
            self.prepare(inner.body, args, again)
            self.call(e, env)

    def spread(self, e: core.Call, fn: core.Fn) -> None:
        """Of a call with a name that a loop will bind: its values for all elements, if they are few."""
        if len(e.args) != 1 or not isinstance(e.args[0], core.Local) or isinstance(e.type, core.SetOf):
            return
        ((name, type_),) = fn.params
        size = self.instance.sorts[type_.sort].size if isinstance(type_, core.Elem) else 0
        if not 0 < size <= FEW or self.may_fail(e) or self.table_of(e) or self.writer.recall((e.fn, ALL)):
            return
        array = self.writer.array(size)
        with each(self.writer, split((1 << size) - 1, 1)) as element:
            value = self.scalar(fn.body, {name: element})
            flat = ir.unary("int", value) if ir.kind(value) is ir.Kind.TRUTH else value
            self.writer.emit(ir.Store(array, element, flat))
        self.writer.remember((e.fn, ALL), (ir.Const(array),))

    # ------------------------------------------------------------ values

    def scalar(self, e: core.Expr, env: Env) -> ir.Expr:
        """A number, truth, element or optional."""
        (value,) = self.words(e, env)
        return value

    def words(self, e: core.Expr, env: Env) -> Words:
        """The value of an expression."""
        if isinstance(e, core.Op | core.Cases | core.Agg | core.Call):
            found = self.tabled(e, env)
            if found is not None:
                return found
        match e:
            case core.Lit():
                assert not isinstance(e.value, str | tuple)
                return literal(self.instance, e.value, e.type)
            case core.Local():
                return (env[e.name],)
            case core.Read():
                return self.read(e, env)
            case core.Table():
                return self.table(e.values, self.scalar(e.of, env), e.type)
            case core.Op():
                return self.op(e, env)
            case core.Cases():
                return self.cases(e, env)
            case core.Agg():
                return searches.aggregate(self, e, env)
            case core.Best():
                return searches.best(self, e, env)
            case core.Sole():
                return (searches.sole(self, e, env),)
            case core.Call():
                return self.call(e, env)
            case core.Attr():
                raise AssertionError(f"{e.span}: an instance has tables, no attributes ({e.name})")
            case _:
                assert_never(e)

    def count(self, sort: str) -> int:
        """Words of a set of this sort."""
        return count_words(self.instance.sorts[sort].size)

    def read(self, e: core.Read, env: Env) -> Words:
        var, index = self.instance.vars[e.var], None if e.index is None else self.scalar(e.index, env)
        value = self.slots[e.var].load(index)
        if isinstance(var.type, core.BoolType) and index is not None:
            value = (ir.unary("truth", value[0]),)
        if self.promised(var):
            self.writer.fail_if(is_unset(var, value[0]))
        return value

    def promised(self, var: core.Var) -> bool:
        """Must somebody have given this variable a value before it is looked at, and may it have none yet?"""
        return var.init is None and not var.zone and not isinstance(var.type, core.Maybe) and var.name not in self.given

    def table(self, values: Sequence[core.Value], of: ir.Expr, type_: core.Type) -> Words:
        """A static function of an element."""
        if isinstance(of, ir.Const) and of.value >= 0:
            return literal(self.instance, values[of.value], type_)
        found = [literal(self.instance, v, type_) for v in values]
        out: list[ir.Expr] = []
        for i in range(len(found[0])):
            column = [w[i] for w in found]
            flat = tuple(int(x.value) for x in column if isinstance(x, ir.Const | ir.Truth))
            if len(set(flat)) == 1:
                out.append(column[0])
                continue
            entry = ir.Look(self.writer.table(flat), of)
            out.append(ir.unary("truth", entry) if isinstance(column[0], ir.Truth) else entry)
        return tuple(out)

    # ------------------------------------------------------------ operators

    def op(self, e: core.Op, env: Env) -> Words:
        match e.name:
            case "and" | "or":
                return (self.junction(e.name == "or", [partial(self.scalar, x, env) for x in e.args]),)
            case "union" | "inter" | "minus":
                a, b = (self.words(x, env) for x in e.args)
                return zipped({"union": "or", "inter": "and", "minus": "minus"}[e.name], a, b)
            case "toset":
                return operators.toset(self, e, env)
            case "size":
                return (size(self.words(e.args[0], env)),)
            case "some":
                return (operators.some(self, e.args[0], env),)
            case "in":
                return (operators.member(self, e, env),)
            case "eq" if isinstance(e.args[0].type, core.SetOf):
                a, b = (self.words(x, env) for x in e.args)
                return (ir.negated(some(zipped("xor", a, b))),)
            case "numeq" | "lt":
                return (operators.compare(self, e, env),)
            case _:
                return (operators.arithmetic(self, e, [self.scalar(x, env) for x in e.args]),)

    # ------------------------------------------------------------ branches

    def attempt(self, write: Callable[[], Words]) -> Attempt:
        """What `write` writes, and its value."""
        with self.writer.inside() as body:
            value = write()
        return self.priced(body, value)

    def priced(self, body: list[ir.Stmt], value: Words) -> Attempt:
        """A value after these statements; is it cheap?"""
        price = sum(ir.cost(s.value) for s in body if isinstance(s, ir.Assign)) + sum(map(ir.cost, value))
        return body, value, not fails(body) and price <= self.eager

    def either(self, test: ir.Expr, yes: Attempt, no: Attempt) -> Words:
        """One of two values."""
        if yes[2] and no[2]:
            self.writer.emit(*yes[0], *no[0])
            return tuple(ir.pick(test, a, b) for a, b in zip(yes[1], no[1], strict=True))
        targets = tuple(self.writer.local(ir.kind(a)) for a in yes[1])
        then, rest = (
            (*body, *(ir.Assign(t, v) for t, v in zip(targets, value, strict=True))) for body, value, _ in (yes, no)
        )
        self.writer.emit(ir.If(test, then, rest))
        return targets

    def junction(self, stop: bool, parts: Sequence[Callable[[], ir.Expr]]) -> ir.Expr:
        """and (`stop` false) or or (true) of parts, from the left, as far as needed."""
        op = "either" if stop else "both"
        result: ir.Expr = ir.Truth(not stop)
        for part in parts:
            if isinstance(result, ir.Truth) and result.value is stop:
                break
            if isinstance(result, ir.Truth):
                result = part()
                continue
            body, (value,), cheap = self.attempt(partial(_alone, part))
            if cheap:
                self.writer.emit(*body)
                result = ir.binary(op, result, value)
                continue
            outcome = self.writer.fresh(result)
            self.writer.emit(ir.If(ir.negated(outcome) if stop else outcome, (*body, ir.Assign(outcome, value))))
            result = outcome
        return result

    def cases(self, e: core.Cases, env: Env) -> Words:
        """The value of the first row that holds."""
        if e.strict:
            total: ir.Expr = ir.ZERO
            for test, _ in e.rows:
                total = ir.plus(total, ir.unary("int", self.writer.let(self.scalar(test, env))))
            self.writer.fail_if(ir.less(ir.ONE, total))
        return self.rows(
            [(partial(self.scalar, t, env), partial(self.decided, v, env)) for t, v in e.rows],
            partial(self.decided, e.otherwise, env),
            isinstance(e.type, core.Maybe),
        )

    def decided(self, value: core.Expr, env: Env) -> Words:
        """The value of a row that has been chosen."""
        return self.words(value, env)

    def mark(self, span: Span) -> None:
        """A statement with this span is done; here nobody wants to know."""

    def rows(
        self,
        rows: Sequence[tuple[Callable[[], ir.Expr], Callable[[], Words]]],
        otherwise: Callable[[], Words],
        optional: bool = False,
    ) -> Words:
        """A chain of ifs with a value; `optional`: it is an element or none."""
        if not rows:
            return otherwise()
        asked = rows[0][0]()
        if isinstance(asked, ir.Truth):
            return rows[0][1]() if asked.value else self.rows(rows[1:], otherwise, optional)
        start = len(self.writer.body)
        test = self.writer.let(asked, 1)
        yes, no = self.attempt(rows[0][1]), self.attempt(lambda: self.rows(rows[1:], otherwise, optional))
        if optional and no[1] == (ir.NONE,) and asked == ir.present(yes[1][0]) and not yes[0] and not no[0]:
            del self.writer.body[start:]
            return yes[1]
        return self.either(test, yes, no)

    # ------------------------------------------------------------ quantifiers

    def domain(self, domain: core.Expr | None, sort: str, env: Env) -> Words | One | list[int]:
        """What a quantifier ranges over: known elements, at most one element, or a set."""
        match domain:
            case None:
                return list(range(self.instance.sorts[sort].size))
            case core.Lit(value=int(value)):
                return bits(value)
            case core.Op(name="toset", args=(one,)):
                x = self.writer.hold(self.scalar(one, env))
                return One(ir.present(x) if isinstance(one.type, core.Maybe) else ir.YES, x)
            case core.Op(name="inter", args=(core.Op(name="toset", args=(one,)), other)):
                x = self.writer.hold(self.scalar(one, env))
                return One(operators.inside(self, x, one.type, other, env), x)
            case core.Op(name="inter", args=(other, core.Op(name="toset") as one)):
                return self.domain(core.Op("inter", (one, other), domain.type), sort, env)
            case _:
                return self.words(domain, env)

    def domain_words(self, domain: core.Expr | None, sort: str, env: Env) -> Words:
        """What a quantifier ranges over, as a set."""
        if domain is None:
            return split(self.instance.sorts[sort].full, self.count(sort))
        return self.words(domain, env)

    # ------------------------------------------------------------ defines

    def call(self, e: core.Call, env: Env) -> Words:
        """A define is opened; its value is kept for the same arguments."""
        args = [self.writer.let(self.scalar(a, env)) for a in e.args]
        key = (e.fn, tuple(args))
        known = self.writer.recall(key)
        if known is not None:
            return known
        spread = self.writer.recall((e.fn, ALL))
        if spread is not None and isinstance(spread[0], ir.Const):
            entry = ir.Load(spread[0].value, args[0])
            return (ir.unary("truth", entry) if isinstance(e.type, core.BoolType) else entry,)
        fn = self.instance.fns[e.fn]
        value = self.words(fn.body, {p: a for (p, _), a in zip(fn.params, args, strict=True)})
        value = tuple(self.writer.let(w, 1) for w in value)
        self.writer.remember(key, value)
        return value

    def may_fail(self, e: core.Expr) -> bool:
        """Could looking at this stop the match?"""
        match e:
            case core.Sole(must=True) | core.Cases(strict=True):
                return True
            case core.Read(var=name):
                if self.promised(self.instance.vars[name]):
                    return True
            case core.Call(fn=fn):
                if fn not in self.failing:
                    self.failing[fn] = self.may_fail(self.instance.fns[fn].body)
                if self.failing[fn]:
                    return True
            case _:
                pass
        return any(map(self.may_fail, core.children(e)))

    def tabled(self, e: core.Expr, env: Env) -> Words | None:
        """The value of something that depends on one name and no state, from a table; None if it is not such a thing."""
        found = self.table_of(e)
        return None if found is None else self.table(found[1], env[found[0]], e.type)

    def worth(self, e: core.Expr, name: str, sort: str) -> tuple[int, ...]:
        """The number that each element of a sort has, where that depends on nothing but this name; else nothing."""
        if isinstance(e, core.Lit) and isinstance(e.value, int):
            return (e.value,) * self.instance.sorts[sort].size
        if isinstance(e, core.Table) and isinstance(e.of, core.Local) and e.of.name == name:
            return tuple(int(v or 0) for v in e.values)
        found = self.table_of(e)
        return tuple(int(v or 0) for v in found[1]) if found is not None and found[0] == name else ()

    def table_of(self, e: core.Expr) -> tuple[str, tuple[core.Value, ...]] | None:
        """The name an expression depends on, and its values, where that is all it depends on."""
        if e not in self.tables:
            self.tables[e] = self.tabulate(e)
        return self.tables[e]

    def tabulate(self, e: core.Expr) -> tuple[str, tuple[core.Value, ...]] | None:
        """The name an expression depends on, and its values."""
        names = core.free(e)
        if len(names) != 1:
            return None
        (name,) = names
        local = next(x for x in _locals(e) if x.name == name)
        if not isinstance(local.type, core.Elem) or not self.fold.pure(e, {name}):
            return None
        sort = self.instance.sorts[local.type.sort]
        if sort.size > MAX_TABLE or sort.size * self.fold.cost(e) > MAX_COST:
            return None
        return name, tuple(self.fold.constant(e, {name: core.Lit(i, local.type)}) for i in range(sort.size))


def _alone(part: Callable[[], ir.Expr]) -> Words:
    return (part(),)


def _inside(e: core.Expr, again: bool) -> Iterator[tuple[core.Expr, bool]]:
    """What is looked at whenever this is, and whether a loop does so again and again; all of it where this is in a loop."""
    match e:
        case core.Cases(rows=rows, strict=False) if rows and not again:
            yield rows[0][0], again
        case core.Op(name="and" | "or", args=args) if not again:
            yield args[0], again
        case core.Agg(domain=domain, guard=guard, body=body):
            if domain is not None:
                yield domain, again
            yield from ((x, True) for x in (guard, body) if x is not None)
        case core.Best(of=of, key=key):
            yield of, again
            yield key, True
        case _:
            yield from ((c, again) for c in core.children(e))


def _locals(e: core.Expr) -> list[core.Local]:
    found = [e] if isinstance(e, core.Local) else []
    for c in core.children(e):
        found += _locals(c)
    return found
