"""syntax → typed core, for expressions: names are looked up, types checked, sugar removed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from domrules.grammar import core
from domrules.grammar.core import BOOL, INT, Elem, Expr, Lit, Local, Maybe, Op, SetOf, Type
from domrules.grammar.diagnostics import Note, did_you_mean
from domrules.grammar.functions import Env, built_in
from domrules.grammar.scope import ERROR, FUNCTIONS, PLAYER, Scope, elem
from domrules.grammar.source import Span
from domrules.grammar.syntax import Node, Part, Word, node, nodes, word, words


@dataclass(frozen=True, slots=True)
class Binding:
    """`x is w`: `var` is the one element of `domain`, if it has one."""

    var: Local
    sort: str
    domain: Expr


@dataclass(frozen=True, slots=True)
class Condition:
    """A conjunction whose bindings reach to its right and into what it guards."""

    parts: tuple[Expr | Binding, ...]
    env: Env

    def test(self) -> Expr:
        """The condition alone, as a truth."""
        out: Expr = core.TRUE
        for part in reversed(self.parts):
            if isinstance(part, Binding):
                out = core.Agg("any", part.var.name, part.sort, part.domain, None, out, BOOL, part.domain.span)
            else:
                out = core.conjunction([part, out])
        return out

    def value(self, body: Expr) -> Expr:
        """The value under the bindings; only asked for where `test` holds."""
        kind = "sum" if body.type == INT else "any" if body.type == BOOL else "pick"
        for part in reversed(self.parts):
            if isinstance(part, Binding):
                body = core.Agg(kind, part.var.name, part.sort, part.domain, None, body, body.type, body.span)
        return body

    def guard(self, body: core.Block) -> core.Block:
        """Statements under the condition."""
        for part in reversed(self.parts):
            if isinstance(part, Binding):
                body = (core.Each(part.var.name, part.sort, part.domain, None, body, part.domain.span),)
            elif not core.is_lit(part, True):
                body = (core.If(part, body, part.span),)
        return body


class Expressions:
    """Turns expression nodes into typed core expressions within a scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.report = scope.report
        self._forms: dict[str, Callable[[Node, Env, Type | None], Expr]] = {
            "quant": self._quantifier, "implies": self._logic, "or": self._logic, "and": self._conjunction,
            "not": self._not, "compare": self._compare, "in": self._in, "has": self._has, "is_none": self._is_none,
            "is_not_none": self._is_none, "is_bind": self._conjunction, "binary": self._binary,
            "negative": self._negative, "int": self._int, "tile": self._tile, "true": self._truth,
            "false": self._truth, "none": self._none, "name": self._name_node, "call": self._call_node,
            "dot": self._dot, "index": self._index, "set_of": self._set_of, "sum": self._sum, "count": self._sum,
            "those": self._those, "best": self._best, "most": self._most,
        }  # fmt: skip

    # ------------------------------------------------------------ entry points

    def expr(self, part: Part, env: Env, want: Type | None = None) -> Expr:
        """An expression; `want` helps a bare member name find its sort, it is not enforced."""
        n = node(part)
        return self._forms[n.kind](n, env, want)

    def typed(self, part: Part, env: Env, want: Type) -> Expr:
        """An expression of this very type."""
        return self.coerce(self.expr(part, env, want), want, node(part).span)

    def truth(self, part: Part, env: Env) -> Expr:
        return self.typed(part, env, BOOL)

    def number(self, part: Part, env: Env) -> Expr:
        return self.typed(part, env, INT)

    def bad(self, code: str, message: str, span: Span, *notes: Note, fix: str = "") -> Expr:
        """Report a mistake and go on with a value nothing more is said about."""
        self.report.add(code, message, span, *notes, fix=fix)
        return Lit(False, ERROR, span)

    def coerce(self, e: Expr, want: Type, span: Span) -> Expr:
        """`e` as a `want`: the same type, a number from a numeric element, an optional from an element."""
        if e.type == want or ERROR in (e.type, want):
            return e
        if isinstance(e, Lit) and e.value is None and isinstance(want, Maybe):
            return Lit(None, want, span)
        if isinstance(want, Maybe) and e.type == Elem(want.sort):
            return e
        if want == INT and isinstance(e.type, Elem) and self.scope.sorts[e.type.sort].numeric:
            return core.Attr("number", e, INT, span)
        if isinstance(want, SetOf) and e.type in (Elem(want.sort), Maybe(want.sort)):
            return Op("toset", (e,), want, span=span)
        if isinstance(e.type, Maybe) and want == Elem(e.type.sort):
            return self.bad("DOM302", "this may be none where a value is needed", span,
                            fix="take it apart with `when … is x`, or promise a value with `the(…)`")  # fmt: skip
        if want == INT and isinstance(e.type, Elem):
            return self.bad("DOM303", f"{e.type} is not a number", span,
                            fix=f"the {e.type.sort}s of this game have names, not numbers: nothing can be counted up")  # fmt: skip
        return self.bad("DOM301", f"{want} is needed here, this is {e.type}", span)

    # ------------------------------------------------------------ conditions

    def condition(self, part: Part, env: Env) -> Condition:
        """A condition of `when` and `if`: conjuncts from left to right, `x is w` binds w in what follows."""
        parts: list[Expr | Binding] = []
        inner = dict(env)
        for n in _conjuncts(node(part)):
            if n.kind == "is_bind":
                binding = self._binding(n, inner)
                if binding is not None:
                    parts.append(binding)
                    inner[word(n.parts[1]).text] = binding.var
            else:
                parts.append(self.truth(n, inner))
        return Condition(tuple(parts), inner)

    def _binding(self, n: Node, env: Env) -> Binding | None:
        e = self.expr(n.parts[0], env)
        name = word(n.parts[1])
        if e.type == ERROR:
            return None
        if not isinstance(e.type, Maybe):
            self.bad("DOM304", f"`is` takes an optional apart; this is {e.type}", n.span,
                     fix="compare with `==`, or leave the condition out")  # fmt: skip
            return None
        self._shadow(name, env)
        if list(self.scope.members(name.text)):
            self.bad(
                "DOM311",
                f"`is {name}` would give a new meaning to the member `{name}`",
                name.span,
                fix=f"to compare, write `== {name}`",
            )
        var = Local(self.scope.fresh(name.text), Elem(e.type.sort), name.span)
        return Binding(var, e.type.sort, Op("toset", (e,), SetOf(e.type.sort), span=e.span))

    def _conjunction(self, n: Node, env: Env, want: Type | None) -> Expr:
        return self.condition(n, env).test()

    def value(self, part: Part, env: Env, want: Type) -> Expr:
        """The right side of a rule or define: `= e`, or a decision table."""
        n = node(part)
        if n.kind == "single":
            return self.typed(n.parts[0], env, want)
        rows = []
        for case in nodes(n.parts, "case"):
            condition = self.condition(case.parts[0], env)
            body = self.typed(case.parts[1], condition.env, want)
            rows.append((condition.test(), condition.value(body)))
        otherwise = self.typed(n.parts[-1], env, want)
        return core.Cases(tuple(rows), otherwise, want, n.parts[0] is not None, n.span)

    # ------------------------------------------------------------ binders

    def domain(self, part: Part, env: Env) -> tuple[str, Expr | None]:
        """What a binder ranges over: a whole sort (None) or a set."""
        n = node(part)
        if n.kind == "name" and not self._has_value(word(n.parts[0]).text, env):
            sort = self.scope.plural(word(n.parts[0]).text)
            if sort is not None:
                return sort.name, None
        e = self.expr(n, env)
        sort_name = elem(e.type)
        if e.type == ERROR or sort_name is None or isinstance(e.type, Elem):
            if e.type != ERROR:
                self.bad("DOM305", f"a set is needed after `in`, this is {e.type}", n.span)
            return "?", None
        return sort_name, self.coerce(e, SetOf(sort_name), n.span)

    def _has_value(self, name: str, env: Env) -> bool:
        """Is this the name of a value, so that it does not name a whole sort?"""
        fn = self.scope.fns.get(name)
        return (
            name in env or name in self.scope.options or name in self.scope.vars or (fn is not None and not fn.params)
        )

    def bind(self, part: Part, env: Env) -> tuple[Local, str, Expr | None, Expr | None, Env]:
        """A binder: variable, sort, domain, guard, and the names inside."""
        n = node(part)
        name = word(n.parts[0])
        self._shadow(name, env)
        sort, domain = self.domain(n.parts[1], env)
        var = Local(self.scope.fresh(name.text), ERROR if sort == "?" else Elem(sort), name.span)
        inner = {**env, name.text: var}
        guard = self.truth(n.parts[2], inner) if n.parts[2] is not None else None
        return var, sort, domain, guard, inner

    def _shadow(self, name: Word, env: Env) -> None:
        if name.text in env:
            self.bad(
                "DOM204",
                f"`{name}` has a meaning here already",
                name.span,
                Note("bound here", env[name.text].span),
                fix="choose another name",
            )
        elif name.text in self.scope.places:
            self.bad(
                "DOM204",
                f"`{name}` has a meaning in this game already",
                name.span,
                Note("declared here", self.scope.places[name.text]),
                fix="choose another name",
            )

    def _quantifier(self, n: Node, env: Env, want: Type | None) -> Expr:
        var, sort, domain, guard, inner = self.bind(n.parts[1], env)
        body = self.truth(n.parts[2], inner)
        kind = word(n.parts[0]).text
        e = core.Agg("any" if kind == "no" else kind, var.name, sort, domain, guard, body, BOOL, n.span)
        return core.negation(e) if kind == "no" else e

    def _sum(self, n: Node, env: Env, want: Type | None) -> Expr:
        var, sort, domain, guard, inner = self.bind(n.parts[0], env)
        body = self.number(n.parts[1], inner) if n.kind == "sum" else Lit(1, INT, n.span)
        return core.Agg("sum", var.name, sort, domain, guard, body, INT, n.span)

    def _those(self, n: Node, env: Env, want: Type | None) -> Expr:
        var, sort, domain, guard, _ = self.bind(n.parts[0], env)
        return core.Agg("set", var.name, sort, domain, guard, None, SetOf(sort), n.span)

    def _best(self, n: Node, env: Env, want: Type | None) -> Expr:
        var, sort, domain, guard, inner = self.bind(n.parts[1], env)
        of = core.Agg("set", var.name, sort, domain, guard, None, SetOf(sort), n.span)
        key = self.number(n.parts[2], inner)
        return core.Best(word(n.parts[0]).text == "highest", of, var.name, sort, key, SetOf(sort), n.span)

    def _most(self, n: Node, env: Env, want: Type | None) -> Expr:
        """greatest(x in S: e): the key of the first of the best elements; 0 when S is empty."""
        var, sort, domain, guard, inner = self.bind(n.parts[1], env)
        of = core.Agg("set", var.name, sort, domain, guard, None, SetOf(sort), n.span)
        key = self.number(n.parts[2], inner)
        best = core.Best(word(n.parts[0]).text == "greatest", of, var.name, sort, key, SetOf(sort), n.span)
        first = Local(self.scope.fresh("first"), var.type, n.span)
        one = core.Best(False, best, first.name, sort, core.Attr("position", first, INT, n.span), SetOf(sort), n.span)
        return core.Agg("sum", var.name, sort, one, None, key, INT, n.span)

    # ------------------------------------------------------------ logic, comparison, arithmetic

    def _logic(self, n: Node, env: Env, want: Type | None) -> Expr:
        left, right = self.truth(n.parts[0], env), self.truth(n.parts[1], env)
        if n.kind == "implies":
            left = core.negation(left)
        return Op("or", (left, right), BOOL, span=n.span)

    def _not(self, n: Node, env: Env, want: Type | None) -> Expr:
        return core.negation(self.truth(n.parts[0], env))

    def _compare(self, n: Node, env: Env, want: Type | None) -> Expr:
        sign = word(n.parts[1]).text
        if sign not in ("==", "!="):
            a, b = self.number(n.parts[0], env), self.number(n.parts[2], env)
            if sign in (">", ">="):
                a, b = b, a
            return Op("lt" if sign in ("<", ">") else "le", (a, b), BOOL, span=n.span)
        a, b = self._both_sides(n, env)
        if ERROR in (a.type, b.type):
            return Lit(False, ERROR, n.span)
        if sign == "!=" and (isinstance(a.type, Maybe) or isinstance(b.type, Maybe)):
            return self.bad("DOM306", "`!=` with something that may be none hides a case", n.span,
                            fix="say what holds when there is none: `when x is w and w != … -> …`, or `not x == …`")  # fmt: skip
        e = self._equal(a, b, n)
        return core.negation(e) if sign == "!=" and e.type != ERROR else e

    def _both_sides(self, n: Node, env: Env) -> tuple[Expr, Expr]:
        """The two sides of ==; a bare member takes its sort from the other side."""
        left, right = node(n.parts[0]), node(n.parts[2])
        if self._is_member(left, env) and not self._is_member(right, env):
            b = self.expr(right, env)
            return self.expr(left, env, b.type), b
        a = self.expr(left, env)
        return a, self.expr(right, env, a.type)

    def _is_member(self, n: Node, env: Env) -> bool:
        return n.kind == "name" and word(n.parts[0]).text not in env and any(self.scope.members(word(n.parts[0]).text))

    def _equal(self, a: Expr, b: Expr, n: Node) -> Expr:
        if a.type == b.type == BOOL:
            return Op("iff", (a, b), BOOL, span=n.span)
        if isinstance(a, Lit) and a.value is None and isinstance(b.type, Maybe):
            return Op("eq", (Lit(None, b.type, a.span), b), BOOL, span=n.span)
        if isinstance(b, Lit) and b.value is None and isinstance(a.type, Maybe):
            return Op("eq", (a, Lit(None, a.type, b.span)), BOOL, span=n.span)
        sorts = elem(a.type), elem(b.type)
        if sorts[0] is not None and sorts[0] == sorts[1]:
            if isinstance(a.type, SetOf) != isinstance(b.type, SetOf):
                return self.bad("DOM307", f"{a.type} and {b.type} cannot be equal", n.span, fix="write `in`")
            return Op("eq", (a, b), BOOL, span=n.span)
        if INT in (a.type, b.type) or (
            isinstance(a.type, Elem) and isinstance(b.type, Elem) and self._numeric(a) and self._numeric(b)
        ):
            return Op("numeq", (self.coerce(a, INT, n.span), self.coerce(b, INT, n.span)), BOOL, span=n.span)
        return self.bad("DOM307", f"{a.type} and {b.type} cannot be equal", n.span)

    def _numeric(self, e: Expr) -> bool:
        return isinstance(e.type, Elem) and e.type != ERROR and self.scope.sorts[e.type.sort].numeric

    def _in(self, n: Node, env: Env, want: Type | None) -> Expr:
        left, right = node(n.parts[0]), node(n.parts[1])
        sort, domain = self.domain(right, env)
        if sort == "?":
            return Lit(False, ERROR, n.span)
        a = self.expr(left, env, Elem(sort))
        if a.type == ERROR:
            return a
        if a.type not in (Elem(sort), Maybe(sort)):
            return self.bad("DOM307", f"{a.type} is never in a set of {sort}s", n.span)
        if domain is None:
            domain = self._whole(sort, right.span)
        return Op("in", (a, domain), BOOL, span=n.span)

    def _whole(self, sort: str, span: Span) -> Expr:
        """The set of all elements of a sort."""
        return core.Agg("set", self.scope.fresh("all"), sort, None, None, None, SetOf(sort), span)

    def _has(self, n: Node, env: Env, want: Type | None) -> Expr:
        half = Elem(self.scope.half or "?")
        tile = self.typed(n.parts[0], env, Elem("tile"))
        v = self.expr(n.parts[1], env, half)
        if ERROR in (tile.type, v.type) or half == ERROR:
            return Lit(False, ERROR, n.span)
        sides = [core.Attr(name, tile, half, n.span) for name in ("low", "high")]
        return Op("or", tuple(self._equal(s, v, n) for s in sides), BOOL, span=n.span)

    def _is_none(self, n: Node, env: Env, want: Type | None) -> Expr:
        e = self.expr(n.parts[0], env)
        if e.type == ERROR:
            return e
        if not isinstance(e.type, Maybe):
            return self.bad("DOM304", f"{e.type} is never none", n.span)
        absent = Op("eq", (e, Lit(None, e.type, n.span)), BOOL, span=n.span)
        return core.negation(absent) if n.kind == "is_not_none" else absent

    def _binary(self, n: Node, env: Env, want: Type | None) -> Expr:
        sign = {"+": "add", "-": "sub", "*": "mul"}[word(n.parts[1]).text]
        return Op(sign, (self.number(n.parts[0], env), self.number(n.parts[2], env)), INT, span=n.span)

    def _negative(self, n: Node, env: Env, want: Type | None) -> Expr:
        return Op("sub", (Lit(0, INT, n.span), self.number(n.parts[1], env)), INT, span=n.span)

    # ------------------------------------------------------------ atoms

    def _int(self, n: Node, env: Env, want: Type | None) -> Expr:
        digits = word(n.parts[0])
        if len(digits.text) > 9:
            return self.bad("DOM308", "this number is too large", digits.span, fix="write a number below 1000000000")
        value = int(digits.text)
        if isinstance(want, Elem | Maybe) and want != ERROR and self.scope.sorts[want.sort].numeric:
            return Lit(str(value), Elem(want.sort), n.span)
        return Lit(value, INT, n.span)

    def _tile(self, n: Node, env: Env, want: Type | None) -> Expr:
        return Lit(tile_key(word(n.parts[0]).text), Elem("tile"), n.span)

    def _truth(self, n: Node, env: Env, want: Type | None) -> Expr:
        return Lit(n.kind == "true", BOOL, n.span)

    def _none(self, n: Node, env: Env, want: Type | None) -> Expr:
        return Lit(None, want if isinstance(want, Maybe) else Maybe("?"), n.span)

    def _set_of(self, n: Node, env: Env, want: Type | None) -> Expr:
        inner = Elem(want.sort) if isinstance(want, SetOf) else None
        items = [self.expr(p, env, inner) for p in n.parts[1:] if p is not None]
        if not items:
            if not isinstance(want, SetOf):
                return self.bad("DOM309", "nothing says what this empty set is a set of", n.span)
            return Lit(0, want, n.span)
        sort = elem(items[0].type)
        if sort is None or any(i.type == ERROR for i in items):
            return (
                Lit(False, ERROR, n.span)
                if sort == "?"
                else self.bad("DOM305", f"{items[0].type} cannot be in a set", n.span)
            )
        sets = [self.coerce(i, SetOf(sort), i.span) for i in items]
        out = sets[0]
        for s in sets[1:]:
            out = Op("union", (out, s), SetOf(sort), span=n.span)
        return out

    def _name_node(self, n: Node, env: Env, want: Type | None) -> Expr:
        return self.name(word(n.parts[0]), env, want)

    def name(self, w: Word, env: Env, want: Type | None = None) -> Expr:
        """What a bare name means: a bound name, a member of the wanted sort, option, state, define, ending, member, sort."""
        scope, text = self.scope, w.text
        if text in env:
            return env[text]
        owners = list(scope.members(text))
        wanted = elem(want) if want is not None else None
        for owner in owners:
            if owner.name == wanted:
                return Lit(text, Elem(owner.name), w.span)
        if text in scope.options:
            return core.Read(text, None, scope.options[text], w.span)
        if text in scope.vars:
            return self.read(w, None, w.span)
        if text in scope.fns and not (scope.fns[text].params and scope.plural(text) is not None):
            return self.apply(w, [], [], w.span)
        if text in scope.endings:
            return Op(
                "eq",
                (core.Read("ending", None, Maybe("ending"), w.span), Lit(text, Elem("ending"), w.span)),
                BOOL,
                span=w.span,
            )
        if text == "match_over":
            return core.Call(text, (), BOOL, w.span)
        if text == "match_winners":
            return core.Call(text, (), SetOf("team"), w.span)
        if len(owners) == 1:
            return Lit(text, Elem(owners[0].name), w.span)
        if owners:
            return self.bad(
                "DOM205", f"`{text}` is a member of {' and of '.join(o.name for o in owners)}; which is meant?", w.span
            )
        sort = scope.plural(text)
        if sort is not None:
            return self._whole(sort.name, w.span)
        if PLAYER.match(text):
            return Lit(text, Elem("player"), w.span)
        if text == "moves":
            return core.Read("moves", None, INT, w.span)
        if text in scope.actions or text in scope.sorts:
            return self.bad(
                "DOM206",
                f"`{text}` has no value here",
                w.span,
                fix=f"to range over all of them write `{text}s`" if text in scope.sorts else "",
            )
        return self.bad("DOM201", f"nothing is called `{text}`", w.span, fix=did_you_mean(text, [*env, *scope.known()]))

    def read(self, w: Word, index: Expr | None, span: Span) -> Expr:
        var = self.scope.vars[w.text]
        if var.per is None and index is not None:
            return self.bad("DOM310", f"`{w}` has no index", span, Note("declared here", var.span))
        if var.per is not None and index is None:
            return self.bad(
                "DOM310",
                f"`{w}` is declared per {var.per}: say which",
                span,
                Note("declared here", var.span),
                fix=f"write `{w}[…]`",
            )
        return core.Read(w.text, index, var.type, span)

    def _index(self, n: Node, env: Env, want: Type | None) -> Expr:
        w = word(n.parts[0])
        return self.indexed(w, n.parts[1], env, n.span)

    def indexed(self, w: Word, part: Part, env: Env, span: Span) -> Expr:
        """`var[index]`."""
        var = self.scope.vars.get(w.text)
        if var is None:
            fix = f"write `{w}(…)`" if w.text in self.scope.fns else did_you_mean(w.text, self.scope.vars)
            return self.bad("DOM207", f"no state or zone is called `{w}`", w.span, fix=fix)
        if var.per is None:
            return self.read(w, Lit(0, INT), span)
        index = self.typed(part, env, Elem(var.per))
        return index if index.type == ERROR else self.read(w, index, span)

    # ------------------------------------------------------------ calls

    def _dot(self, n: Node, env: Env, want: Type | None) -> Expr:
        return self._call(word(n.parts[1]), [n.parts[0]], env, n.span)

    def _call_node(self, n: Node, env: Env, want: Type | None) -> Expr:
        return self._call(word(n.parts[0]), list(n.parts[1:]), env, n.span)

    def _call(self, w: Word, args: list[Part], env: Env, span: Span) -> Expr:
        if w.text in FUNCTIONS:
            return built_in(self, w, args, env, span)
        if w.text in self.scope.fns:
            fn = self.scope.fns[w.text]
            wants = [t for _, t in fn.params]
            values = [self.expr(a, env, wants[i] if i < len(wants) else None) for i, a in enumerate(args)]
            return self.apply(w, values, [node(a).span for a in args], span)
        if w.text in self.scope.vars:
            return self.bad("DOM207", f"`{w}` is a state, not a define", w.span, fix=f"write `{w}[…]`")
        return self.bad(
            "DOM208",
            f"no define or function is called `{w}`",
            w.span,
            fix=did_you_mean(w.text, [*self.scope.fns, *FUNCTIONS]),
        )

    def apply(self, w: Word, args: list[Expr], spans: list[Span], span: Span) -> Expr:
        """A define applied to values."""
        fn = self.scope.fns[w.text]
        if len(args) != len(fn.params):
            need = ", ".join(f"{name}: {type_}" for name, type_ in fn.params) or "nothing"
            return self.bad("DOM312", f"`{w}` takes {need}; {len(args)} given", span, Note("declared here", fn.span))
        values = [self.coerce(a, t, s) for a, (_, t), s in zip(args, fn.params, spans, strict=True)]
        if any(v.type == ERROR for v in values):
            return Lit(False, ERROR, span)
        return core.Call(w.text, tuple(values), fn.type, span)


def _conjuncts(n: Node) -> list[Node]:
    if n.kind == "and":
        return [*_conjuncts(node(n.parts[0])), *_conjuncts(node(n.parts[1]))]
    return [n]


def tile_key(text: str) -> tuple[str, str]:
    """The names of the halves of a tile literal."""
    a, b = text.split("|")
    return (str(int(a)) if a.isdigit() else a, str(int(b)) if b.isdigit() else b)


def texts(parts: tuple[Part, ...], kind: str | None = None) -> list[str]:
    """The words among parts, as text."""
    return [w.text for w in words(parts, kind)]
