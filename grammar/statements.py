"""syntax → typed core, for statements, actions, settlements and examples."""

from __future__ import annotations

from dataclasses import replace

from domrules.grammar import core, names
from domrules.grammar.core import BOOL, INT, Elem, Expr, Local, Maybe
from domrules.grammar.diagnostics import Note, counted, did_you_mean
from domrules.grammar.expressions import Expressions, tile_key
from domrules.grammar.functions import Env
from domrules.grammar.scope import ERROR
from domrules.grammar.syntax import Node, Part, Word, node, nodes, word


class Statements:
    """Turns statement nodes into core statements."""

    def __init__(self, to: Expressions) -> None:
        self.to = to
        self.scope = to.scope

    def blocks(self, part: Part, env: Env) -> tuple[core.Block, ...]:
        """Blocks joined by `then`."""
        return tuple(self.block(b.parts, env) for b in nodes(node(part).parts, "block"))

    def block(self, parts: tuple[Part, ...], env: Env) -> core.Block:
        out: list[core.Stmt] = []
        for n in nodes(parts):
            out += self.statement(n, env)
        self._certain_conflicts(nodes(parts))
        return tuple(out)

    def statement(self, n: Node, env: Env) -> core.Block:
        """One statement; none after a mistake."""
        match n.kind:
            case "move":
                return self._move(n, env)
            case "set" | "add":
                return self._write(n, env)
            case "attach":
                return self._attach(n, env)
            case _:
                var, sort, domain, guard, inner = self.to.bind(n.parts[0], env)
                return (core.Each(var.name, sort, domain, guard, self.statement(node(n.parts[1]), inner), n.span),)

    def _move(self, n: Node, env: Env) -> core.Block:
        condition = self.to.condition(n.parts[3], env) if n.parts[3] is not None else None
        inner = condition.env if condition else env
        tile = self.to.typed(n.parts[0], inner, Elem("tile"))
        source, target = self.ref(n.parts[1], inner, zone=True), self.ref(n.parts[2], inner, zone=True)
        if source is None or target is None or tile.type == ERROR:
            return ()
        body: core.Block = (core.Move(tile, source, target, n.span),)
        return condition.guard(body) if condition else body

    def _write(self, n: Node, env: Env) -> core.Block:
        condition = self.to.condition(n.parts[2], env) if n.parts[2] is not None else None
        inner = condition.env if condition else env
        add = n.kind == "add"
        value_part, ref_part = (n.parts[0], n.parts[1]) if add else (n.parts[1], n.parts[0])
        ref = self.ref(ref_part, inner, zone=False)
        if ref is None:
            if node(value_part).kind != "set_of":  # nothing would say what an empty set is a set of
                self.to.expr(value_part, inner)
            return ()
        if add and ref.type != INT:
            self.to.bad(
                "DOM301",
                f"`add` needs a number to add to, this is {self.scope.told(ref.type)}",
                ref.span,
                fix="write `set … to …`",
            )
            return ()
        value = self.to.typed(value_part, inner, ref.type)
        body: core.Block = (core.Set(ref.var, ref.index, value, add, n.span),)
        return condition.guard(body) if condition else body

    def _attach(self, n: Node, env: Env) -> core.Block:
        tile = self.to.typed(n.parts[0], env, Elem("tile"))
        to = self.to.typed(n.parts[1], env, Maybe("tile"))
        touching = self.to.typed(n.parts[2], env, self.scope.half_type)
        going = self.to.expr(n.parts[3], env)
        if going.type != ERROR and not isinstance(going.type, Elem):
            self.to.bad(
                "DOM301",
                f"a direction is an element of an enum, this is {self.scope.told(going.type)}",
                node(n.parts[3]).span,
            )
        across = self.to.truth(n.parts[4], env) if n.parts[4] is not None else core.FALSE
        return (core.Attach(tile, to, touching, going, across, n.span),)

    def ref(self, part: Part, env: Env, zone: bool) -> core.Read | None:
        """A state (or zone) to write."""
        n = node(part)
        w = word(n.parts[0])
        var = self.scope.vars.get(w.text)
        if var is None:
            self._no_such_ref(w, zone)
            return None
        if var.zone != zone:
            self.to.bad(
                "DOM315",
                f"`{w}` is {'a zone: tiles get there by `move`' if var.zone else 'a state, not a zone'}",
                w.span,
                Note("declared here", var.span),
            )
            return None
        e = (
            names.indexed(self.to, w, n.parts[1], env, n.span)
            if n.parts[1] is not None
            else names.read(self.to, w, None, n.span)
        )
        return e if isinstance(e, core.Read) else None

    def _no_such_ref(self, w: Word, zone: bool) -> None:
        """A name that cannot be written to."""
        scope = self.scope
        kinds = {"an option": [*scope.options], "a define": [*scope.fns], "an ending": [*scope.endings]}
        for kind, taken in kinds.items():
            if w.text in taken:
                fix = "" if zone else self._points(w)
                self.to.bad("DOM315", f"`{w}` is {kind}: only states are set, only zones hold tiles", w.span, fix=fix)
                return
        known = [v.name for v in scope.vars.values() if v.zone == zone]
        self.to.bad(
            "DOM207", f"no {'zone' if zone else 'state'} is called `{w}`", w.span, fix=did_you_mean(w.text, known)
        )

    def _points(self, w: Word) -> str:
        """For a define of players or teams that points are to be added to."""
        fn, score = self.scope.fns.get(w.text), [v.name for v in self.scope.vars.values() if v.role == "score"]
        who = fn is not None and isinstance(fn.type, Elem | Maybe) and fn.type.sort in ("player", "team")
        return f"points are kept in `{score[0]}[…]`" if who and score else ""

    def _certain_conflicts(self, statements: list[Node]) -> None:
        """Two unconditional writes of the same cell, or moves of the same tile, can never be meant."""
        done: dict[Part, Node] = {}
        for n in statements:
            if n.kind not in ("set", "add", "move") or n.parts[-1] is not None:
                continue
            what = node(n.parts[1 if n.kind == "add" else 0])
            first = done.setdefault(what, n)
            if first is not n and not first.kind == n.kind == "add":
                deed = "moved" if n.kind == "move" else "written"
                self.to.bad("DOM405", f"`{what.span.text}` is {deed} twice in one block", what.span,
                            Note("the first is here", first.span),
                            fix="a block happens at once: put the second after `then`, or guard both with `if`")  # fmt: skip

    # ------------------------------------------------------------ actions and settlements

    def action(self, n: Node) -> core.Action:
        name, choices, role, guard, blocks = n.parts
        env: dict[str, Local] = {}
        params: list[core.Param] = []
        for choice in nodes(node(choices).parts) if choices is not None else []:
            params.append(self._param(choice, env, params))
        condition = self.to.condition(guard, env) if guard is not None else None
        test = condition.test() if condition else core.TRUE
        body = self.blocks(blocks, env)
        return core.Action(word(name).text, tuple(params), test, body, word(role).text if role else None, n.span)

    def event(self, n: Node) -> core.Action:
        """An event has the parts of an action, but for the role."""
        name, choices, guard, blocks = n.parts
        return self.action(replace(n, parts=(name, choices, None, guard, blocks)))

    def _param(self, n: Node, env: dict[str, Local], before: list[core.Param]) -> core.Param:
        mode, name = word(n.parts[0]).text, word(n.parts[1])
        if mode == "choose" and any(p.chance for p in before):
            self.to.bad(
                "DOM406",
                "chance comes after every choice of the player",
                n.span,
                fix="put the `chance` parameters last",
            )
        self.to.shadow(name, env)
        sort, domain = self.to.domain(n.parts[2], env)
        var = Local(self.scope.fresh(name.text), ERROR if sort == "?" else Elem(sort), name.span)
        env[name.text] = var
        return core.Param(mode == "chance", var.name, sort, domain)

    def settle(self, n: Node) -> core.Settle:
        header, strict, *rest = n.parts
        env: dict[str, Local] = {}
        var = sort = None
        if header is not None:
            h = node(header)
            plural = word(h.parts[1])
            info = self.scope.plural(plural.text)
            if info is None:
                known = [self.scope.plural_of(s) for s in self.scope.sorts]
                self.to.bad("DOM209", f"`{plural}` is no sort", plural.span, fix=did_you_mean(plural.text, known))
                env[word(h.parts[0]).text] = Local("?", ERROR, h.span)
            else:
                local = Local(self.scope.fresh(word(h.parts[0]).text), Elem(info.name), h.span)
                env[word(h.parts[0]).text] = local
                var, sort = local.name, info.name
        rows, complete = self._rows(rest, env, n)
        return core.Settle(var, sort, rows, strict is not None, complete, n.span)

    def _rows(self, rest: list[Part], env: Env, n: Node) -> tuple[tuple[core.Row, ...], bool]:
        parts = [p for p in rest if isinstance(p, Node)]
        if parts and parts[0].kind not in ("row", "last_row"):
            return (core.Row(core.TRUE, self.block(tuple(parts), env), n.span),), True
        rows: list[core.Row] = []
        for p in parts:
            if p.kind == "last_row":
                rows.append(core.Row(core.TRUE, self._row_body(node(p.parts[0]), env), p.span))
            else:
                condition = self.to.condition(p.parts[0], env)
                body = self._row_body(node(p.parts[1]), condition.env)
                rows.append(core.Row(condition.test(), condition.guard(body), p.span))
        return tuple(rows), parts[-1].kind == "last_row"

    def _row_body(self, n: Node, env: Env) -> core.Block:
        return () if n.kind == "nothing" else self.block(n.parts, env)

    # ------------------------------------------------------------ examples

    def example(self, n: Node, file: str) -> core.Example:
        name, source, *clauses = n.parts
        players: int | None = None
        options: list[tuple[str, Expr]] = []
        steps: list[core.Step] = []
        for c in nodes(tuple(clauses)):
            if c.kind == "e_players":
                players = int(word(c.parts[0]).text)
            elif c.kind == "e_with":
                options += self._with(c)
            else:
                step = self._step(c)
                if step is not None:
                    steps.append(step)
        if not any(isinstance(s, core.Expect | core.Allows) for s in steps):
            self.to.bad(
                "DOM407",
                "this example expects nothing, so it cannot fail",
                n.span.first(2),
                fix="add `expect …`, `allows …` or `refuses …`",
            )
        text = word(source).text[1:-1] if source is not None else ""
        return core.Example(word(name).text, text, players, tuple(options), tuple(steps), file, n.span)

    def _with(self, c: Node) -> list[tuple[str, Expr]]:
        name = word(c.parts[0])
        if name.text not in self.scope.options:
            self.to.bad(
                "DOM210", f"there is no option `{name}`", name.span, fix=did_you_mean(name.text, self.scope.options)
            )
            return []
        value = self.to.typed(c.parts[1], {}, self.scope.options[name.text])
        if not isinstance(value, core.Lit):
            self.to.bad("DOM440", f"`{name}` gets a plain value here", node(c.parts[1]).span)
        return [(name.text, value)]

    def _step(self, c: Node) -> core.Step | None:
        match c.kind:
            case "e_assign":
                return self._assign(c)
            case "e_rest":
                zone = self.ref(c.parts[0], {}, zone=True)
                return core.RestIn(zone, c.span) if zone is not None else None
            case "e_played":
                return core.Played(self._moves(c.parts), c.span)
            case "e_happened":
                return core.Happened(tuple(self._event_name(n) for n in nodes(c.parts, "move_name")), c.span)
            case "e_ended":
                name = word(c.parts[0])
                if name.text not in self.scope.endings:
                    self.to.bad(
                        "DOM211",
                        f"there is no ending `{name}`",
                        name.span,
                        fix=did_you_mean(name.text, self.scope.endings),
                    )
                return core.Ended(name.text, c.span)
            case "e_expect":
                return core.Expect(self.to.truth(c.parts[0], {}), c.span)
            case "e_allows_nothing":
                return core.Allows((), True, c.span)
            case _:
                return core.Allows(self._moves(c.parts), c.kind == "e_allows", c.span)

    def _assign(self, c: Node) -> core.Assign | None:
        what = word(c.parts[0]).text
        n = node(c.parts[1])
        w = word(n.parts[0])
        var = self.scope.vars.get(w.text)
        if var is None:
            self.to.bad(
                "DOM207", f"no state or zone is called `{w}`", w.span, fix=did_you_mean(w.text, self.scope.vars)
            )
            return None
        index = self.to.typed(n.parts[1], {}, Elem(var.per)) if n.parts[1] is not None and var.per is not None else None
        if n.parts[1] is not None and var.per is None:
            names.read(self.to, w, core.Lit(0, INT), n.span)
        if var.zone:
            return self._tiles(c, what, var, index)
        values = tuple(self.to.typed(p, {}, var.type) for p in c.parts[2:])
        if what == "dealt":
            self.to.bad(
                "DOM408",
                f"`{w}` is a state: only tiles are dealt",
                w.span,
                fix="write `before …` (kept from earlier rounds) or `given …`",
            )
        if what == "before" and var.life is core.Life.ROUND:
            given = [f"given {name} = …" for name in dict.fromkeys([*self._movers(), w.text])]
            self.to.bad("DOM408", f"`{w}` begins anew each round", w.span,
                        fix=f"play up to it with `played …`, or give a whole position: `{'`, `'.join(given)}`")  # fmt: skip
        return core.Assign(what, var.name, index, values, None, c.span)

    def _movers(self) -> list[str]:
        """The state that says whose turn it is; no position can do without."""
        return [var.name for var in self.scope.vars.values() if var.role == "mover"]

    def _tiles(self, c: Node, what: str, var: core.Var, index: Expr | None) -> core.Assign | None:
        n = node(c.parts[2])
        if n.kind != "set_of" or len(c.parts) > 3 or any(p is not None and node(p).kind != "tile" for p in n.parts[1:]):
            self.to.bad("DOM409", "tiles are given as a list", n.span, fix="write `{6|6, 5|0}` or `{}`")
            return None
        if var.per is not None and index is None:
            self.to.bad(
                "DOM310", f"`{var.name}` is declared per {var.per}: say which", n.span, fix=f"write `{var.name}[…]`"
            )
            return None
        tiles = tuple(tile_key(word(node(p).parts[0]).text) for p in n.parts[1:] if p is not None)
        return core.Assign(what, var.name, index, (), tiles, c.span)

    def _moves(self, parts: tuple[Part, ...]) -> tuple[core.MoveName, ...]:
        return tuple(self._move_name(n) for n in nodes(parts, "move_name"))

    def _move_name(self, n: Node) -> core.MoveName:
        """What a player does."""
        name = word(n.parts[0])
        if name.text not in self.scope.actions:
            fix = f"write `happened {n.span.text}`" if name.text in self.scope.events else ""
            fix = fix or did_you_mean(name.text, self.scope.actions)
            self.to.bad("DOM212", f"there is no action `{name}`", name.span, fix=fix)
        return self._named(n, self.scope.actions.get(name.text))

    def _event_name(self, n: Node) -> core.MoveName:
        """What comes from outside."""
        name = word(n.parts[0])
        if name.text not in self.scope.events:
            fix = f"write `played {n.span.text}`" if name.text in self.scope.actions else ""
            fix = fix or did_you_mean(name.text, self.scope.events)
            self.to.bad("DOM212", f"there is no event `{name}`", name.span, fix=fix)
        return self._named(n, self.scope.events.get(name.text))

    def _named(self, n: Node, action: core.Action | None) -> core.MoveName:
        name = word(n.parts[0])
        args = [word(a.parts[0]) for a in nodes(n.parts, "move_arg")]
        choices = sum(not p.chance for p in action.params) if action is not None else 0
        if action is not None and len(args) not in (choices, len(action.params)):
            shape = ", ".join(p.name.split("~")[0] for p in action.params)
            takes = f"takes {counted(len(action.params), 'choice')} ({shape})" if shape else "takes no choices"
            self.to.bad("DOM312", f"`{name}` {takes}, not {len(args)}", n.span)
        return core.MoveName(name.text, tuple(self._move_arg(a) for a in args))

    def _move_arg(self, w: Word) -> str:
        return "|".join(tile_key(w.text)) if w.kind == "TILE" else str(int(w.text)) if w.kind == "INT" else w.text


def any_of(parts: list[Expr]) -> Expr:
    """Any of these (in order); false when there are none."""
    out: Expr = core.FALSE
    for p in reversed(parts):
        out = p if core.is_lit(out, False) else core.Op("or", (p, out), BOOL, span=p.span)
    return out
