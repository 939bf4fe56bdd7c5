"""Files of a chain → core.Game. The driver of the front end: its lines are the passes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from domrules.grammar import core, syntax
from domrules.grammar.core import BOOL, INT, Elem, Local, SetOf
from domrules.grammar.declare import bounds, declare, in_range, no_such_slot, role_of
from domrules.grammar.diagnostics import Note, Reporter, did_you_mean
from domrules.grammar.expressions import Expressions, texts, tile_key
from domrules.grammar.merge import Declaration, declarations, has_twin
from domrules.grammar.premises import premises
from domrules.grammar.scope import Scope
from domrules.grammar.statements import Statements, any_of
from domrules.grammar.static import check_game
from domrules.grammar.syntax import File, Node, Part, Word, node, nodes, string, word


def lower(files: Sequence[File], report: Reporter, *, small: bool = False) -> core.Game | None:
    """The game of the last file, or its small twin; None when a mistake was found."""
    decls = declarations(files, report, small=small)
    scope = declare(decls, {f.source.name: i for i, f in enumerate(files)}, report)
    lowering = Lowering(files, decls, scope)
    game = lowering.game()
    check_game(game, lowering.head, report)
    if small or report.found or not has_twin(files):
        return None if report.found else game
    twin = lower(files, report, small=True)
    return None if twin is None else replace(game, twin=twin)


class Lowering:
    """Builds a game from its declarations."""

    def __init__(self, files: Sequence[File], decls: Sequence[Declaration], scope: Scope) -> None:
        self.files, self.decls, self.scope = files, decls, scope
        self.report = scope.report
        self.to = Expressions(scope)
        self.statements = Statements(self.to)
        self.head = self.of("game", "family")[0].node.span
        """What the file says it is; the place of what it lacks."""

    def of(self, *kinds: str) -> list[Declaration]:
        return [d for d in self.decls if d.kind in kinds]

    def one(self, kind: str) -> Node | None:
        """The declaration of which there is one."""
        found = self.of(kind)
        return found[-1].node if found else None

    def game(self) -> core.Game:
        name, head = self._head()
        fns = self._fns()
        over = any_of([self.to.truth(d.node.parts[0], {}) for d in self.of("over")])
        winners = self._winners()
        fns["match_over"] = _pseudo("match_over", BOOL, over)
        fns["match_winners"] = _pseudo("match_winners", SetOf("team"), winners)
        redeal = any_of([self.to.truth(d.node.parts[0], {}) for d in self.of("redeal")])
        seats, teams = self.one("seats"), self.one("partners")
        return core.Game(
            name=name,
            file=self.files[-1].source.name,
            ancestors=tuple(_game_name(f) for f in self.files[:-1]),
            titles=tuple(t for d in self.of("title") for t in _pairs(texts(d.node.parts))),
            source="\n".join(string(d.node.parts[0]) for d in self.of("source")),
            seats=_seats(seats, self.report) if seats is not None else (2,) if head is None else (2, 3, 4),
            teams=self._teams(teams),
            enums=tuple(self._enum(d) for d in self.of("enum_range", "enum_names")) + self._one_ofs(),
            dominoes=self._dominoes(),
            options={d.name: self._option(d.node) for d in self.of("option") if d.name in self.scope.options},
            vars=self._vars(),
            fns=fns,
            deals=tuple(self._deal(d.node) for d in self.of("deal")),
            redeal=redeal,
            begin=tuple(b for d in self.of("begin") for b in self.statements.blocks(d.node.parts[0], {})),
            actions=tuple(replace(self.statements.action(d.node), source=d.source) for d in self.of("action")),
            endings=self._endings(),
            settles=tuple(replace(self.statements.settle(d.node), source=d.source) for d in self.of("settle")),
            over=over,
            winners=winners,
            lemmas=tuple(self._lemma(d.node) for d in self.of("lemma")),
            claims=tuple(self._claim(d.node) for d in self.of("claim", "claim_bound", "claim_numbers")),
            examples=tuple(self.statements.example(d.node, self.files[-1].source.name) for d in self.of("example")),
            events=tuple(replace(self.statements.event(d.node), source=d.source) for d in self.of("event")),
        )

    # ------------------------------------------------------------ head

    def _head(self) -> tuple[str, Node | None]:
        heads = self.of("game", "family")
        for d in heads[1:]:
            self.report.add(
                "DOM402",
                "a file describes one game",
                d.node.span.first(2),
                Note("the first is here", heads[0].node.span),
            )
        return (word(heads[0].node.parts[0]).text if heads[0].kind == "game" else ""), heads[0].node

    def _teams(self, n: Node | None) -> str | None:
        if n is None:
            return None
        w = word(n.parts[0])
        fn = self.scope.fns.get(w.text)
        if fn is None or fn.type != INT or [t for _, t in fn.params] != [Elem("player")]:
            self.report.add(
                "DOM413",
                f"`{w}` must be a define from a player to a number",
                w.span,
                fix=did_you_mean(w.text, self.scope.fns),
            )
            return None
        return w.text

    # ------------------------------------------------------------ sorts

    def _enum(self, d: Declaration) -> core.EnumDecl:
        n = d.node
        if d.kind == "enum_names":
            return core.EnumDecl(d.name, self.scope.sorts[d.name].members or (), span=n.span)
        return core.EnumDecl(d.name, None, self.to.number(n.parts[1], {}), self.to.number(n.parts[2], {}), n.span)

    def _one_ofs(self) -> tuple[core.EnumDecl, ...]:
        declared = {d.name for d in self.of("enum_range", "enum_names")}
        return tuple(
            core.EnumDecl(s.name, s.members, span=s.span)
            for s in self.scope.sorts.values()
            if s.members is not None and s.name not in declared
        )

    def _dominoes(self) -> core.Dominoes:
        n = self.one("dominoes")
        if n is None:
            return core.Dominoes("", ())
        parts: list[core.EachPair | core.Listed] = []
        for p in nodes(n.parts):
            if p.kind == "listed":
                parts.append(
                    core.Listed(int(word(p.parts[0]).text), tuple(tile_key(word(t).text) for t in p.parts[1:]))
                )
            else:
                parts.append(self._each_pair(p))
        return core.Dominoes(self.scope.half, tuple(parts), n.span)

    def _each_pair(self, p: Node) -> core.EachPair:
        half = self.scope.half_type
        names = [word(x) for x in p.parts[1:3]]
        env = self._params(names, [half, half])
        copies = int(word(p.parts[0]).text) if p.parts[0] is not None else 1
        first, second = (env[w.text].name for w in names)
        return core.EachPair(copies, first, second, self.to.truth(p.parts[3], env))

    # ------------------------------------------------------------ options, states, defines

    def _option(self, n: Node) -> core.Option:
        name, type_part, default, requires, doc = n.parts
        type_ = self.scope.options[word(name).text]
        low, high = bounds(type_part, self.report)
        if type_ == INT and low is None:
            self.report.add(
                "DOM414", f"the option `{word(name)}` needs a range", node(type_part).span, fix="write `int 50..500`"
            )
        if not isinstance(type_, Elem | core.BoolType | core.IntType):
            self.report.add("DOM415", "an option is a number, true or false, or one of a list", node(type_part).span)
        value = self.to.typed(default, {}, type_)
        in_range(value, low, high, "the default", self.report)
        condition = self.to.truth(requires, {}) if requires is not None else None
        return core.Option(word(name).text, type_, value, low, high, condition, string(doc), n.span)

    def _vars(self) -> dict[str, core.Var]:
        inits = {d.name: d.node.parts[3] for d in self.of("state")}
        out: dict[str, core.Var] = {}
        for var in self.scope.vars.values():
            init = inits.get(var.name)
            if var.zone or init is None:
                out[var.name] = var
            else:
                value = self.to.typed(init, {}, var.type)
                in_range(value, var.low, var.high, "the first value", self.report)
                out[var.name] = core.Var(
                    var.name, var.per, var.type, value, var.life, None, var.role, var.low, var.high, var.doc, var.span
                )
        return out

    def _fns(self) -> dict[str, core.Fn]:
        rules = self._rules()
        out: dict[str, core.Fn] = {}
        for d in self.of("slot", "define", "outcome"):
            fn = self.scope.fns.get(d.name)
            if fn is None or fn.span != d.node.span:
                continue
            rule = rules.get(d.name)
            filled = rule if rule is not None else d
            params, body = self._body(fn, d, rule)
            out[fn.name] = core.Fn(
                fn.name, params, fn.type, body, fn.slot, fn.role, fn.doc, filled.source,
                self.files[filled.file].source.name, filled.node.span, d.kind == "outcome",
            )  # fmt: skip
        return out

    def _rules(self) -> dict[str, Declaration]:
        """The rule that fills each slot: the youngest, which must say `instead` if an ancestor filled it."""
        rules: dict[str, Declaration] = {}
        unfilled = {d.name for d in self.of("slot") if d.node.parts[4] is None} - {d.name for d in self.of("rule")}
        for d in self.of("rule"):
            fn = self.scope.fns.get(d.name)
            if fn is None or not fn.slot:
                no_such_slot(d, self.scope, unfilled)
                continue
            old = rules.get(d.name)
            if old is not None and (not d.instead or old.file == d.file):
                fix = "leave one out" if old.file == d.file else f"write `instead rule {d.name} …`"
                self.report.add(
                    "DOM416",
                    f"`{d.name}` is filled already",
                    d.node.span.first(2),
                    Note("filled here", old.node.span),
                    fix=fix,
                )
            elif old is None and d.instead:
                self.report.add(
                    "DOM404", f"nothing filled `{d.name}` before", d.node.span.first(2), fix="leave `instead` out"
                )
            rules[d.name] = d
        return rules

    def _body(
        self, fn: object, d: Declaration, rule: Declaration | None
    ) -> tuple[tuple[tuple[str, core.Type], ...], core.Expr]:
        info = self.scope.fns[d.name]
        declared = d.node.parts[1]
        words = [word(p.parts[0]) for p in nodes(node(declared).parts)] if declared is not None else []
        names = [w.text for w in words]
        value: Part = d.node.parts[4] if info.slot else d.node.parts[3]
        if rule is not None:
            value = rule.node.parts[2]
            if rule.node.parts[1] is not None or names:
                given = syntax.words(node(rule.node.parts[1]).parts) if rule.node.parts[1] is not None else []
                if len(given) != len(names):
                    count = f"{len(names)} parameter{'' if len(names) == 1 else 's'}" if names else "no parameters"
                    self.report.add("DOM417", f"`{d.name}` has {count}", rule.node.span.first(2), Note("declared here", info.span),
                                    fix=f"write `rule {d.name}({', '.join(names)})`" if names else f"write `rule {d.name}`")  # fmt: skip
                    return info.params, core.FALSE
                words = given
        if value is None and self.of("family"):
            return info.params, _anything(info.type)
        if value is None and d.name in self.scope.meant:
            return info.params, core.FALSE
        if value is None:
            doc = f": {info.doc}" if info.doc else ""
            head = f"{d.name}({', '.join(names)})" if names else d.name
            self.report.add("DOM418", f"the slot `{d.name}` must be filled{doc}", self.head.first(2), Note("declared here", info.span),
                            fix=f"write `rule {head} = …`")  # fmt: skip
            return info.params, core.FALSE
        env = self._params(words, [t for _, t in info.params])
        if len(env) < len(names):
            return info.params, core.FALSE
        single = node(value).kind not in ("single", "table")
        body = self.to.typed(value, env, info.type) if single else self.to.value(value, env, info.type)
        return tuple((local.name, local.type) for local in env.values()), body

    def _params(self, names: Sequence[Word], types: Sequence[core.Type]) -> dict[str, Local]:
        """The names a declaration binds; fewer than there are after a mistake."""
        env: dict[str, Local] = {}
        for w, type_ in zip(names, types, strict=True):
            self.to.shadow(w, env)
            env[w.text] = Local(self.scope.fresh(w.text), type_, w.span)
        return env

    # ------------------------------------------------------------ rounds and matches

    def _deal(self, n: Node) -> core.Deal:
        count, source, target, each = n.parts
        for w in (word(source), word(target)):
            if w.text not in self.scope.vars or not self.scope.vars[w.text].zone:
                zones = [v.name for v in self.scope.vars.values() if v.zone]
                self.report.add("DOM207", f"no zone is called `{w}`", w.span, fix=did_you_mean(w.text, zones))
        to = self.scope.vars.get(word(target).text)
        if to is not None and to.per != (word(each).text if each is not None else None):
            fix = f"write `to {to.name} each {to.per}`" if to.per else f"write `to {to.name}`"
            self.report.add(
                "DOM310",
                f"`{to.name}` is {'per ' + to.per if to.per else 'one zone'}",
                word(each if each is not None else target).span,
                Note("declared here", to.span),
                fix=fix,
            )
        stock = self.scope.vars.get(word(source).text)
        if stock is not None and stock.per is not None:
            self.report.add("DOM310", f"`{stock.name}` is per {stock.per}: tiles are dealt from one zone", word(source).span,
                            Note("declared here", stock.span))  # fmt: skip
        return core.Deal(self.to.number(count, {}), word(source).text, word(target).text, n.span)

    def _endings(self) -> tuple[core.Ending, ...]:
        """In order of looking: a variant's before its ancestor's, unless it says after which."""
        order: list[core.Ending] = []
        for index in range(len(self.files)):
            front: list[core.Ending] = []
            for d in self.of("ending"):
                if d.file == index:
                    self._ending(d, front, order)
            order = front + order
        return tuple(order)

    def _ending(self, d: Declaration, front: list[core.Ending], order: list[core.Ending]) -> None:
        _, role, after, when, at_start = d.node.parts
        e = core.Ending(
            d.name,
            self.to.truth(when, {}),
            role_of(role, "ending", self.scope),
            at_start is not None,
            d.node.span,
            d.source,
        )
        if after is None:
            front.append(e)
            return
        for place in (front, order):
            for i, other in enumerate(place):
                if other.name == word(after).text:
                    place.insert(i + 1, e)
                    return
        self.report.add(
            "DOM211",
            f"there is no ending `{word(after)}` before this one",
            word(after).span,
            fix=did_you_mean(word(after).text, self.scope.endings),
        )
        front.append(e)

    def _winners(self) -> core.Expr:
        n = self.one("winners")
        if n is None:
            return core.Lit(0, SetOf("team"))
        e = self.to.expr(n.parts[0], {}, SetOf("team"))
        if e.type in (Elem("player"), core.Maybe("player"), SetOf("player")):
            return self.to.bad(
                "DOM419",
                "a match is won by teams",
                node(n.parts[0]).span,
                fix="write `….team`, or range over `teams` (without teams each player is one)",
            )
        return self.to.coerce(e, SetOf("team"), node(n.parts[0]).span)

    # ------------------------------------------------------------ lemmas and claims

    def _lemma(self, n: Node) -> core.Lemma:
        return core.Lemma(word(n.parts[0]).text, self.to.truth(n.parts[1], {}), string(n.parts[2]), n.span)

    def _claim(self, n: Node) -> core.Claim:
        name = word(n.parts[0]).text
        if n.kind == "claim":
            kind, body = word(n.parts[1]).text, self.to.truth(n.parts[2], {})
            needed = premises(node(n.parts[2]), body) if kind in core.BOUNDABLE else ()
            return core.Claim(name, kind, body, (), string(n.parts[3]), n.span, needed)
        if n.kind == "claim_bound":
            return self._claim_bound(n, name)
        variables = [word(p) for p in n.parts[1:-2]]
        env = self._params(variables, [INT] * len(variables))
        body = self.to.truth(n.parts[-2], env)
        return core.Claim(name, "numbers", body, tuple(v.name for v in env.values()), string(n.parts[-1]), n.span)

    def _claim_bound(self, n: Node, name: str) -> core.Claim:
        kind, bound = word(n.parts[1]), word(n.parts[2]).text.split()[-1]
        limit, number = self.to.number(n.parts[3], {}), self.to.number(n.parts[4], {})
        if kind.text not in core.BOUNDABLE:
            self.report.add(
                "DOM441",
                f"`{kind}` says that something holds, not how large it is",
                kind.span,
                fix=f"write `always at {bound} …` (or `dealt`, `settled`), or compare: `{kind} … {'<=' if bound == 'most' else '>='} …`",
            )
        sides = (number, limit) if bound == "most" else (limit, number)
        body = core.Op("le", sides, core.BOOL, span=n.span)
        return core.Claim(name, kind.text, body, (), string(n.parts[5]), n.span, (), bound)


def _anything(type_: core.Type) -> core.Expr:
    """The body of a slot that a family leaves open; nothing ever evaluates it."""
    return core.Lit(None, type_)


def _game_name(file: File) -> str:
    head = next((n for n in file.declarations if n.kind in ("game", "family")), None)
    return word(head.parts[0]).text if head is not None else file.source.name


def _pairs(words: list[str]) -> list[tuple[str, str]]:
    return [(lang, text[1:-1]) for lang, text in zip(words[::2], words[1::2], strict=False)]


def _seats(n: Node, report: Reporter) -> tuple[int, ...]:
    counts: set[int] = set()
    for part in nodes(n.parts):
        low = int(word(part.parts[0]).text)
        high = int(word(part.parts[1]).text) if part.parts[1] is not None else low
        if not 1 <= low <= high <= 10:
            report.add("DOM420", "players are between 1 and 10", n.span, fix="write `seats 2..4`")
            return (2,)
        counts.update(range(low, high + 1))
    return tuple(sorted(counts))


def _pseudo(name: str, type_: core.Type, body: core.Expr) -> core.Fn:
    return core.Fn(name, (), type_, body, False, None, "", "", "", body.span)
