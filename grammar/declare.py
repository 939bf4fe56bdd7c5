"""Declarations → Scope: every name a game has, before any expression is looked at."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from domrules.grammar import core
from domrules.grammar.core import BOOL, INT, Elem, Expr, Lit, Maybe, SetOf, Type
from domrules.grammar.diagnostics import Note, Reporter, did_you_mean, nearest
from domrules.grammar.merge import NAMED, Declaration
from domrules.grammar.scope import ERROR, PSEUDO, FnInfo, Scope, SortInfo, article, built_in_sorts
from domrules.grammar.syntax import Node, Part, Word, node, nodes, string, word, words

MAX_SORT = 400
"""Elements of a sort: beyond that no engine is of use."""


def declare(decls: Sequence[Declaration], order: dict[str, int], report: Reporter) -> Scope:
    """Collect all names; sorts first, then what has a type. `order`: the files by name, the oldest first."""
    since: dict[str, int] = {}
    for d in decls:
        if d.kind in NAMED and d.name not in PSEUDO:
            since[d.name] = min(d.since, since.get(d.name, d.since))
    scope = Scope(report, sorts=built_in_sorts(), since=since, order=order)
    for d in decls:
        if d.kind in ("enum_range", "enum_names"):
            _enum(d, scope)
    for d in decls:
        if d.kind == "dominoes":
            _half(d, scope)
        elif d.kind in ("option", "slot", "state", "define", "outcome") and _type_node(d).kind == "t_one_of":
            _one_of(d, scope)
    for d in decls:
        match d.kind:
            case "option":
                if scope.claim_name(word(d.node.parts[0]), "option"):
                    scope.options[d.name] = type_of(d.node.parts[1], scope, d.name)
            case "zone":
                _zone(d, scope)
            case "state":
                _state(d, scope)
            case "slot" | "define" | "outcome":
                _fn(d, scope)
            case "ending":
                if scope.claim_name(word(d.node.parts[0]), "ending"):
                    scope.endings[d.name] = d.node.span
            case "action":
                if scope.claim_name(word(d.node.parts[0]), "action"):
                    scope.actions[d.name] = _action_head(d, scope)
            case "event":
                if scope.claim_name(word(d.node.parts[0]), "event"):
                    scope.events[d.name] = _event_head(d, scope)
            case _:
                pass
    _told_once(decls, report)
    scope.sorts["ending"] = SortInfo("ending", None, False)
    return scope


def _told_once(decls: Sequence[Declaration], report: Reporter) -> None:
    """Claims, lemmas and examples have names of their own, each kind apart."""
    seen: dict[tuple[str, str], Declaration] = {}
    for d in decls:
        if d.kind in ("lemma", "claim", "claim_bound", "claim_numbers", "example"):
            first = seen.setdefault((d.node.span.first().text, d.name), d)
            if first is not d:
                report.add("DOM202", f"`{d.name}` is declared twice", word(d.node.parts[0]).span,
                           Note("the first is here", first.node.span), fix="choose another name")  # fmt: skip


def _type_node(d: Declaration) -> Node:
    return next(n for n in nodes(d.node.parts) if n.kind.startswith("t_"))


def _enum(d: Declaration, scope: Scope) -> None:
    name = word(d.node.parts[0])
    if name.text in scope.sorts or name.text == "ending":
        scope.report.add("DOM202", f"`{name}` is a sort already", name.span, fix="choose another name")
        return
    if d.kind == "enum_range":
        scope.sorts[name.text] = SortInfo(name.text, None, True, d.node.span)
        return
    scope.sorts[name.text] = SortInfo(name.text, _members(name, words(d.node.parts[1:]), scope), False, d.node.span)


def _members(sort: Word, listed: Sequence[Word], scope: Scope) -> tuple[str, ...]:
    """The members of a sort, each once."""
    first: dict[str, Word] = {}
    for w in listed:
        if first.setdefault(w.text, w) is not w:
            scope.report.add("DOM202", f"`{w}` is listed twice", w.span, Note("the first is here", first[w.text].span))
    if len(first) > MAX_SORT:
        scope.report.add(
            "DOM434", f"`{sort}` has {len(first)} members", sort.span, fix=f"a sort has at most {MAX_SORT}"
        )
    return tuple(first)


def _one_of(d: Declaration, scope: Scope) -> None:
    if d.name in scope.sorts:
        scope.report.add(
            "DOM202", f"`{d.name}` is a sort already", word(d.node.parts[0]).span, fix="choose another name"
        )
        return
    members = _members(word(d.node.parts[0]), words(_type_node(d).parts), scope)
    scope.sorts[d.name] = SortInfo(d.name, members, False, d.node.span)


def _half(d: Declaration, scope: Scope) -> None:
    w = word(d.node.parts[0])
    sort = scope.plural(w.text)
    if sort is None:
        known = [scope.plural_of(s) for s in scope.sorts]
        scope.report.add(
            "DOM209",
            f"`{w}` is no sort",
            w.span,
            fix=did_you_mean(w.text, known) or "declare `enum pip = 0..6` and write `dominoes in pips …`",
        )
    else:
        scope.half = sort.name


def type_of(part: Part, scope: Scope, owner: str) -> Type:
    """The type a type node means; ERROR after a mistake."""
    n = node(part)
    match n.kind:
        case "t_int":
            return INT
        case "t_bool":
            return BOOL
        case "t_one_of":
            return Elem(owner)
        case _:
            w = word(n.parts[0])
            sort = w.text
            if n.kind == "t_set":
                info = scope.plural(sort)
                sort = info.name if info is not None else sort
            if sort not in scope.sorts:
                scope.report.add(
                    "DOM213", f"there is no type `{w}`", w.span, fix=did_you_mean(w.text, [*scope.sorts, "int", "bool"])
                )
                return ERROR
            return Elem(sort) if n.kind == "t_elem" else Maybe(sort) if n.kind == "t_maybe" else SetOf(sort)


def bounds(part: Part, report: Reporter) -> tuple[int | None, int | None]:
    """The range of an `int a..b`."""
    n = node(part)
    if n.kind != "t_int" or n.parts[0] is None:
        return None, None
    low, high = (_bound(node(p)) for p in n.parts)
    if low > high:
        report.add("DOM429", "this range is empty", n.span, fix=f"write `int {high}..{low}`")
    return low, high


def in_range(e: Expr, low: int | None, high: int | None, what: str, report: Reporter) -> None:
    """Report a plain number outside a range."""
    if low is None or high is None or not isinstance(e, Lit) or not isinstance(e.value, int) or e.type != INT:
        return
    if low <= high and not low <= e.value <= high:
        report.add("DOM429", f"{what} is outside its range {low}..{high}", e.span)


def _bound(n: Node) -> int:
    digits = int(word(n.parts[1]).text)
    return -digits if n.parts[0] is not None else digits


def role_of(part: Part, kind: str, scope: Scope) -> str | None:
    """A declared role, checked against those that exist for this kind of declaration."""
    if part is None:
        return None
    w = word(part)
    if w.text not in core.ROLES[kind]:
        roles = ", ".join(core.ROLES[kind])
        scope.report.add(
            "DOM214",
            f"{article(kind)} cannot be `as {w}`",
            w.span,
            fix=did_you_mean(w.text, core.ROLES[kind]) or f"roles of {article(kind)}: {roles}",
        )
    return w.text


def _per(part: Part, scope: Scope) -> str | None:
    if part is None:
        return None
    w = word(part)
    if w.text not in scope.sorts:
        scope.report.add("DOM213", f"there is no sort `{w}`", w.span, fix=did_you_mean(w.text, scope.sorts))
        return None
    return w.text


def _zone(d: Declaration, scope: Scope) -> None:
    name, per, seen, role, doc = d.node.parts
    if not scope.claim_name(word(name), "zone"):
        return
    sort = _per(per, scope)
    if word(seen).text == "owner" and sort not in ("player", "team"):
        scope.report.add(
            "DOM410",
            "only a zone per player (or team) has an owner",
            word(seen).span,
            fix="write `per player`, or `seen by all`",
        )
    scope.vars[d.name] = core.Var(
        d.name, sort, SetOf("tile"), core.Lit(0, SetOf("tile")), core.Life.ROUND, core.Seen(word(seen).text),
        role_of(role, "zone", scope), None, None, string(doc), d.node.span,
    )  # fmt: skip


def _state(d: Declaration, scope: Scope) -> None:
    name, per, type_part, _, life, role, doc = d.node.parts
    if not scope.claim_name(word(name), "state"):
        return
    lifetime = core.Life(word(life).text.split()[-1]) if life is not None else core.Life.ROUND
    low, high = bounds(type_part, scope.report)
    scope.vars[d.name] = core.Var(
        d.name, _per(per, scope), type_of(type_part, scope, d.name), None, lifetime, None,
        role_of(role, "state", scope), low, high, string(doc), d.node.span,
    )  # fmt: skip


def _fn(d: Declaration, scope: Scope) -> None:
    name, params, type_part = d.node.parts[:3]
    if not scope.claim_name(word(name), d.kind):
        return
    out: list[tuple[str, Type]] = []
    for p in nodes(node(params).parts) if params is not None else []:
        listed = node(p.parts[1]).kind == "t_one_of"
        type_ = ERROR if listed else type_of(p.parts[1], scope, "")
        if listed or not isinstance(type_, Elem):
            scope.report.add("DOM411", "a parameter is an element of a sort", node(p.parts[1]).span,
                             fix="declare `enum …` and write its name" if listed else "write `(t: tile)`, `(p: player)`, …")  # fmt: skip
            type_ = ERROR
        out.append((word(p.parts[0]).text, type_))
    slot = d.kind == "slot"
    role = role_of(d.node.parts[3], "slot", scope) if slot else None
    scope.fns[d.name] = FnInfo(
        d.name, tuple(out), type_of(type_part, scope, d.name), slot, role, string(d.node.parts[-1]), d.node.span
    )


def _action_head(d: Declaration, scope: Scope) -> core.Action:
    """Name and number of choices, for move names; the body comes later."""
    choices = nodes(node(d.node.parts[1]).parts) if d.node.parts[1] is not None else []
    params = tuple(core.Param(word(c.parts[0]).text == "chance", word(c.parts[1]).text, "?", None) for c in choices)
    return core.Action(d.name, params, core.TRUE, (), role_of(d.node.parts[2], "action", scope), d.node.span)


def _event_head(d: Declaration, scope: Scope) -> core.Action:
    """The same of an event, which has no role."""
    name, choices, guard, blocks = d.node.parts
    return _action_head(replace(d, node=replace(d.node, parts=(name, choices, None, guard, blocks))), scope)


def no_such_slot(d: Declaration, scope: Scope, unfilled: Collection[str]) -> None:
    """A rule for something that is no slot; one of those that are `unfilled` may be meant."""
    w = word(d.node.parts[0])
    kinds: list[tuple[str, str, Mapping[str, object]]] = [
        ("a define", "define", scope.fns),
        ("an option", "option", scope.options),
        ("an ending", "ending", scope.endings),
        ("an action", "action", scope.actions),
        ("a zone" if w.text in scope.vars and scope.vars[w.text].zone else "a state", "state", scope.vars),
    ]
    for kind, keyword, known in kinds:
        if w.text in known:
            scope.report.add("DOM403", f"`{w}` is {kind}, not a slot", w.span, Note("declared here", scope.places[w.text]),
                             fix=f"write `instead {keyword} {w} …` to replace it")  # fmt: skip
            return
    slots = [f.name for f in scope.fns.values() if f.slot]
    near = nearest(w.text, [slot for slot in slots if slot in unfilled]) or nearest(w.text, slots)
    scope.meant.add(near)
    scope.report.add("DOM401", f"there is no slot `{w}` to fill", w.span,
                     fix=f"did you mean `{near}`?" if near else f"slots: {', '.join(slots)}")  # fmt: skip
