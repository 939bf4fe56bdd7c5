"""syntax → typed core, for expressions: names are looked up, types checked, sugar removed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from domrules.grammar import compare, core, names
from domrules.grammar.conditions import Binding, Condition, conjuncts
from domrules.grammar.core import BOOL, INT, Elem, Expr, Lit, Local, Maybe, Op, SetOf, Type
from domrules.grammar.diagnostics import Note
from domrules.grammar.functions import Env
from domrules.grammar.scope import ERROR, PLAYER, Scope, elem
from domrules.grammar.source import NOWHERE, Span
from domrules.grammar.syntax import Node, Part, Word, node, nodes, word, words


class Expressions:
    """Turns expression nodes into typed core expressions within a scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.report = scope.report
        self._forms: dict[str, Callable[[Node, Env, Type | None], Expr]] = {
            "quant": self._quantifier, "implies": self._logic, "or": self._logic, "and": self._conjunction,
            "is_bind": self._conjunction, "not": self._not, "binary": self._binary, "negative": self._negative,
            "compare": lambda n, env, _: compare.compare(self, n, env),
            "in": lambda n, env, _: compare.contains(self, n, env),
            "has": lambda n, env, _: compare.has(self, n, env),
            "is_none": lambda n, env, _: compare.is_none(self, n, env),
            "is_not_none": lambda n, env, _: compare.is_none(self, n, env),
            "name": lambda n, env, want: names.name(self, word(n.parts[0]), env, want),
            "index": lambda n, env, _: names.indexed(self, word(n.parts[0]), n.parts[1], env, n.span),
            "call": lambda n, env, _: names.call(self, word(n.parts[0]), list(n.parts[1:]), env, n.span),
            "dot": lambda n, env, _: names.call(self, word(n.parts[1]), [n.parts[0]], env, n.span),
            "int": self._int, "tile": self._tile, "true": self._truth, "false": self._truth, "none": self._none,
            "set_of": self._set_of, "sum": self._sum, "count": self._sum, "those": self._those, "best": self._best,
            "most": self._most,
        }  # fmt: skip

    # ------------------------------------------------------------ entry points

    def expr(self, part: Part, env: Env, want: Type | None = None) -> Expr:
        """An expression; `want` helps a bare member name find its sort, it is not enforced."""
        n = node(part)
        e = self._forms[n.kind](n, env, want)
        return replace(e, span=n.span) if e.span is NOWHERE else e

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
        if want == INT and isinstance(e.type, Elem) and self._numeric(e.type.sort):
            return core.Attr("number", e, INT, span)
        if isinstance(want, SetOf) and e.type in (Elem(want.sort), Maybe(want.sort)):
            return Op("toset", (e,), want, span=span)
        told = self.scope.told
        if isinstance(e.type, Maybe) and (want == Elem(e.type.sort) or (want == INT and self._numeric(e.type.sort))):
            return self.bad("DOM302", "this may be none where a value is needed", span,
                            fix=f"take it apart with `when {_short(span)} is x -> …`, "
                                f"or promise a value: `the({_short(span)})`")  # fmt: skip
        if want == INT and isinstance(e.type, Elem):
            return self.bad("DOM303", f"{told(e.type)} is not a number", span)
        return self.bad("DOM301", f"{told(want)} is needed here, this is {told(e.type)}", span, fix=_way(e, want, span))

    def _numeric(self, sort: str) -> bool:
        return sort in self.scope.sorts and self.scope.sorts[sort].numeric

    # ------------------------------------------------------------ conditions

    def condition(self, part: Part, env: Env) -> Condition:
        """A condition of `when` and `if`: conjuncts from left to right, `x is w` binds w in what follows."""
        parts: list[Expr | Binding] = []
        inner = dict(env)
        for n in conjuncts(node(part)):
            if n.kind == "is_bind":
                binding = self._binding(n, inner)
                name = word(n.parts[1])
                inner[name.text] = binding.var if binding is not None else Local("?", ERROR, name.span)
                parts += [binding] if binding is not None else []
            else:
                parts.append(self.truth(n, inner))
        return Condition(tuple(parts), inner)

    def _binding(self, n: Node, env: Env) -> Binding | None:
        e = self.expr(n.parts[0], env)
        name = word(n.parts[1])
        if e.type == ERROR:
            return None
        if isinstance(e.type, Elem | core.BoolType | core.IntType) and self._is_name(name, env):
            self.bad("DOM304", f"`is` takes apart what may be none; this is {self.scope.told(e.type)}", n.span,
                     fix=f"to compare, write `{_short(e.span)} == {name}`")  # fmt: skip
            return None
        if not isinstance(e.type, Maybe):
            self.bad("DOM304", f"`is` takes apart what may be none; this is {self.scope.told(e.type)}", n.span)
            return None
        player = PLAYER.match(name.text)
        if player or any(self.scope.members(name)):
            what = "player" if player else "member"
            self.bad("DOM311", f"`is {name}` would give a new meaning to the {what} `{name}`", name.span,
                     fix=f"to compare, write `== {name}`")  # fmt: skip
            return None
        self.shadow(name, env)
        var = Local(self.scope.fresh(name.text), Elem(e.type.sort), name.span)
        return Binding(var, e.type.sort, Op("toset", (e,), SetOf(e.type.sort), span=e.span))

    def _is_name(self, name: Word, env: Env) -> bool:
        """Does this name mean something already?"""
        text = name.text
        return text in env or text in self.scope.places or bool(PLAYER.match(text)) or any(self.scope.members(name))

    def _conjunction(self, n: Node, env: Env, want: Type | None) -> Expr:
        return replace(self.condition(n, env).test(), span=n.span)

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
        if n.kind == "name" and not self._has_value(word(n.parts[0]), env):
            sort = self.scope.plural(word(n.parts[0]).text)
            if sort is not None:
                return sort.name, None
        e = self.expr(n, env)
        sort_name = elem(e.type)
        if e.type == ERROR or sort_name is None or isinstance(e.type, Elem):
            if e.type != ERROR:
                self.bad("DOM305", f"a set is needed after `in`, this is {self.scope.told(e.type)}", n.span)
            return "?", None
        return sort_name, self.coerce(e, SetOf(sort_name), n.span)

    def _has_value(self, w: Word, env: Env) -> bool:
        """Is this the name of a value, so that it does not name a whole sort?"""
        scope, fn = self.scope, self.scope.fns.get(w.text)
        declared = w.text in scope.options or w.text in scope.vars or (fn is not None and not fn.params)
        return w.text in env or (declared and scope.sees(w.span, w.text))

    def bind(self, part: Part, env: Env) -> tuple[Local, str, Expr | None, Expr | None, Env]:
        """A binder: variable, sort, domain, guard, and the names inside."""
        n = node(part)
        name = word(n.parts[0])
        self.shadow(name, env)
        sort, domain = self.domain(n.parts[1], env)
        var = Local(self.scope.fresh(name.text), ERROR if sort == "?" else Elem(sort), name.span)
        inner = {**env, name.text: var}
        guard = self.truth(n.parts[2], inner) if n.parts[2] is not None else None
        return var, sort, domain, guard, inner

    def shadow(self, name: Word, env: Env) -> None:
        """A bound name must mean nothing else."""
        text = name.text
        if text in env:
            self.bad("DOM204", f"`{name}` has a meaning here already", name.span, Note("bound here", env[text].span),
                     fix="choose another name")  # fmt: skip
        elif text in self.scope.places and self.scope.sees(name.span, text):
            self.bad("DOM204", f"`{name}` has a meaning in this game already", name.span,
                     Note("declared here", self.scope.places[text]), fix="choose another name")  # fmt: skip
        elif PLAYER.match(text) or any(self.scope.members(name)):
            what = "a player" if PLAYER.match(text) else f"a {next(self.scope.members(name)).name}"
            self.bad("DOM204", f"`{name}` is {what} already", name.span, fix="choose another name")

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
        return core.Agg("set", var.name, sort, domain, guard, None, set_of(sort), n.span)

    def _best(self, n: Node, env: Env, want: Type | None) -> Expr:
        var, sort, domain, guard, inner = self.bind(n.parts[1], env)
        of = core.Agg("set", var.name, sort, domain, guard, None, SetOf(sort), n.span)
        key = self.number(n.parts[2], inner)
        return core.Best(word(n.parts[0]).text == "highest", of, var.name, sort, key, set_of(sort), n.span)

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
        return replace(core.negation(self.truth(n.parts[0], env)), span=n.span)

    def whole(self, sort: str, span: Span) -> Expr:
        """The set of all elements of a sort."""
        return core.Agg("set", self.scope.fresh("all"), sort, None, None, None, SetOf(sort), span)

    def _binary(self, n: Node, env: Env, want: Type | None) -> Expr:
        sign = {"+": "add", "-": "sub", "*": "mul"}[word(n.parts[1]).text]
        return Op(sign, (self.number(n.parts[0], env), self.number(n.parts[2], env)), INT, span=n.span)

    def _negative(self, n: Node, env: Env, want: Type | None) -> Expr:
        e = self.number(n.parts[1], env)
        if isinstance(e, Lit) and isinstance(e.value, int) and e.type == INT:
            return Lit(-e.value, INT, n.span)
        return Op("sub", (Lit(0, INT, n.span), e), INT, span=n.span)

    # ------------------------------------------------------------ atoms

    def _int(self, n: Node, env: Env, want: Type | None) -> Expr:
        value = int(word(n.parts[0]).text)
        if isinstance(want, Elem | Maybe) and self._numeric(want.sort):
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
        if any(i.type == ERROR for i in items):
            return Lit(False, ERROR, n.span)
        sort = elem(items[0].type)
        if sort is None:
            return self.bad("DOM305", f"{self.scope.told(items[0].type)} cannot be in a set", items[0].span)
        sets = [self.coerce(item, SetOf(sort), item.span) for item in items]
        while len(sets) > 1:  # in pairs, so that a long list does not become a deep expression
            pairs = [Op("union", (a, b), SetOf(sort), span=n.span) for a, b in zip(sets[::2], sets[1::2], strict=False)]
            sets = [*pairs, *sets[len(pairs) * 2 :]]
        return sets[0]


def set_of(sort: str) -> Type:
    """The type of sets of a sort; unknown when the sort is."""
    return ERROR if sort == ERROR.sort else SetOf(sort)


def _short(span: Span) -> str:
    """An expression as written, when it is short enough to be repeated in a sentence."""
    return span.text if len(span.text) <= 30 and "\n" not in span.text else "…"


def _way(e: Expr, want: Type, span: Span) -> str:
    """How a value of one type may become one of another."""
    text = _short(span)
    match want, e.type:
        case Elem(sort=a), SetOf(sort=b) if a == b:
            return f"promise that it is only one: `the({text})`"
        case Maybe(sort=a), SetOf(sort=b) if a == b:
            return f"write `sole({text})`: the only one, or none"
        case Elem(sort="team"), Elem(sort="player"):
            return f"write `{text}.team`"
        case core.BoolType(), Maybe():
            return f"write `{text} is not none`"
        case core.BoolType(), SetOf():
            return f"write `size({text}) > 0`"
        case core.IntType(), SetOf():
            return f"write `size({text})`"
        case _:
            return ""


def tile_key(text: str) -> tuple[str, str]:
    """The names of the halves of a tile literal; the second has its copy number, `4*2`."""
    pair, star, copy = text.partition("*")
    a, b = (str(int(half)) if half.isdigit() else half for half in pair.split("|"))
    return a, f"{b}*{int(copy)}" if star else b


def texts(parts: tuple[Part, ...], kind: str | None = None) -> list[str]:
    """The words among parts, as text."""
    return [w.text for w in words(parts, kind)]
