"""syntax → typed core, for names: what a bare name, an indexed state, and a call mean."""

from __future__ import annotations

from domrules.grammar import core, habits
from domrules.grammar.core import BOOL, INT, Elem, Expr, Lit, Local, Maybe, Op, SetOf, Type
from domrules.grammar.diagnostics import Note, did_you_mean
from domrules.grammar.functions import Elaborator, Env, built_in
from domrules.grammar.scope import ERROR, FUNCTIONS, PLAYER, TEAM, Scope, SortInfo, elem
from domrules.grammar.source import Span
from domrules.grammar.syntax import Part, Word, node


def name(to: Elaborator, w: Word, env: Env, want: Type | None = None) -> Expr:
    """What a bare name means: a bound name, a member of the wanted sort, option, state, define, ending, member, sort."""
    scope, text = to.scope, w.text
    if text in env:
        return Local(env[text].name, env[text].type, w.span)
    owners = list(scope.members(w))
    wanted = elem(want) if want is not None else None
    if any(owner.name == wanted for owner in owners):
        return Lit(text, Elem(str(wanted)), w.span)
    found = _declared(to, w)
    if found is not None:
        return found
    if len(owners) == 1:
        return Lit(text, Elem(owners[0].name), w.span)
    if owners:
        return _ambiguous(to, w, owners)
    sort = scope.plural(text)
    if sort is not None:
        return to.whole(sort.name, w.span)
    if PLAYER.match(text):
        return Lit(text, Elem("player"), w.span)
    if TEAM.match(text):
        return Lit(text, Elem("team"), w.span)
    return _nameless(to, w, env, wanted)


def _declared(to: Elaborator, w: Word) -> Expr | None:
    """The value of an option, state, define or ending of this name."""
    scope, text = to.scope, w.text
    if not scope.sees(w.span, text):
        return None
    if text in scope.options:
        return core.Read(text, None, scope.options[text], w.span)
    if text in scope.vars:
        return read(to, w, None, w.span)
    if text in scope.fns and not (scope.fns[text].params and scope.plural(text) is not None):
        return apply(to, w, [], [], w.span)
    if text in scope.endings:
        ended = core.Read("ending", None, Maybe("ending"), w.span)
        return Op("eq", (ended, Lit(text, Elem("ending"), w.span)), BOOL, span=w.span)
    match text:
        case "match_over":
            return core.Call(text, (), BOOL, w.span)
        case "match_winners":
            return core.Call(text, (), SetOf("team"), w.span)
        case "moves":
            return core.Read(text, None, INT, w.span)
        case _:
            return None


def _ambiguous(to: Elaborator, w: Word, owners: list[SortInfo]) -> Expr:
    sorts = " and of ".join(f"`{o.name}`" for o in owners)
    return to.bad("DOM205", f"`{w}` is a member of {sorts}, and nothing here says of which", w.span,
                  fix="compare it with something of its sort: `… == " + w.text + "`")  # fmt: skip


def _nameless(to: Elaborator, w: Word, env: Env, wanted: str | None) -> Expr:
    """A name that means nothing, or nothing that has a value."""
    scope, text = to.scope, w.text
    if text in FUNCTIONS:
        return to.bad("DOM206", f"`{text}` is a function", w.span, fix=f"write `{text}(…)`")
    if text in scope.sorts:
        return to.bad("DOM206", f"`{text}` is a sort, not one of its elements", w.span,
                      fix=f"to range over all of them write `{scope.plural_of(text)}`")  # fmt: skip
    if text in scope.actions:
        return to.bad("DOM206", f"`{text}` is an action and has no value", w.span)
    if text in scope.events:
        return to.bad("DOM206", f"`{text}` is an event and has no value", w.span)
    sort = scope.sorts.get(wanted) if wanted is not None else None
    members = sort.members if sort is not None and sort.members else ()
    known = [*env, *scope.known()]
    fix = did_you_mean(text, members) or habits.value(text) or did_you_mean(text, known, 0.75)
    fix = fix or (f"write one of {', '.join(members[:8])}" if members else did_you_mean(text, known))
    return to.bad("DOM201", f"nothing is called `{text}`", w.span, fix=fix or habits.unbound(text))


# ---------------------------------------------------------------- states


def read(to: Elaborator, w: Word, index: Expr | None, span: Span) -> Expr:
    """A state or zone that is declared, with its index if it has one."""
    var = to.scope.vars[w.text]
    if var.per is None and index is not None:
        return to.bad("DOM310", f"`{w}` has no index: there is one for all", span, Note("declared here", var.span))
    if var.per is not None and index is None:
        return to.bad("DOM310", f"`{w}` is declared per {var.per}: say which", span, Note("declared here", var.span),
                      fix=f"write `{w}[…]`")  # fmt: skip
    return core.Read(w.text, index, var.type, span)


def indexed(to: Elaborator, w: Word, part: Part, env: Env, span: Span) -> Expr:
    """`var[index]`."""
    var = to.scope.vars.get(w.text)
    if var is None:
        takes = w.text in to.scope.fns or w.text in FUNCTIONS
        fix = f"write `{w}(…)`" if takes else did_you_mean(w.text, to.scope.vars)
        return to.bad("DOM207", f"no state or zone is called `{w}`", w.span, fix=fix)
    if var.per is None:
        return read(to, w, Lit(0, INT), span)
    index = to.typed(part, env, Elem(var.per))
    return index if index.type == ERROR else read(to, w, index, span)


# ---------------------------------------------------------------- calls


def call(to: Elaborator, w: Word, args: list[Part], env: Env, span: Span) -> Expr:
    """`f(x, y)`, `x.f`."""
    scope = to.scope
    if w.text in FUNCTIONS:
        return built_in(to, w, args, env, span)
    if w.text in scope.fns:
        wants = [t for _, t in scope.fns[w.text].params]
        values = [to.expr(a, env, wants[i] if i < len(wants) else None) for i, a in enumerate(args)]
        return apply(to, w, values, [node(a).span for a in args], span)
    if w.text in scope.vars:
        fix = f"write `{w}[…]`" if scope.vars[w.text].per is not None else f"write `{w}`"
        return to.bad("DOM207", f"`{w}` is {_var(scope, w.text)}, not a define", w.span, fix=fix)
    if w.text in env or w.text in scope.options or w.text in scope.endings:
        return to.bad("DOM208", f"`{w}` takes no values", w.span, fix=f"write `{w}`")
    return to.bad("DOM208", f"no define or function is called `{w}`", w.span,
                  fix=habits.CALLS.get(w.text) or did_you_mean(w.text, [*scope.fns, *FUNCTIONS]))  # fmt: skip


def _var(scope: Scope, text: str) -> str:
    return "a zone" if scope.vars[text].zone else "a state"


def apply(to: Elaborator, w: Word, args: list[Expr], spans: list[Span], span: Span) -> Expr:
    """A define applied to values."""
    fn = to.scope.fns[w.text]
    if len(args) != len(fn.params):
        names = ", ".join(p for p, _ in fn.params)
        need = ", ".join(f"{p}: {to.scope.told(t)}" for p, t in fn.params) or "no values"
        return to.bad("DOM312", f"`{w}` takes {need}", span, Note("declared here", fn.span),
                      fix=f"write `{w}({names})`" if names else f"write `{w}`")  # fmt: skip
    values = [to.coerce(a, t, s) for a, (_, t), s in zip(args, fn.params, spans, strict=True)]
    if any(v.type == ERROR for v in values):
        return Lit(False, ERROR, span)
    return core.Call(w.text, tuple(values), fn.type, span)
