"""core.Game → core.Instance: players and options are fixed, every sort becomes a finite list, constants are computed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from domrules.grammar import core
from domrules.grammar.core import BOOL, INT, Elem, Lit, Maybe, Value
from domrules.grammar.declare import MAX_SORT
from domrules.grammar.depth import decided_by
from domrules.grammar.diagnostics import BadFile, Diagnostic, Note, did_you_mean
from domrules.grammar.fold import MAX_COST, Fold, Unresolved
from domrules.grammar.source import Span


class SettingError(Exception):
    """A player count or option value that the game does not allow; the text names the choices."""


def instantiate(
    game: core.Game, players: int, options: Mapping[str, object] | None = None, open: Collection[str] = ()
) -> core.Instance:
    """Fix players and options; options not given have their default, those in `open` stay unknown.

    Raises SettingError for a setting the game does not allow, BadFile for a mistake that only shows at this table.
    """
    if players not in game.seats:
        raise SettingError(f"{game.name or game.file} is for {told_seats(game.seats)} players, not {players}")
    missing: list[Diagnostic] = []
    try:
        instance = _Builder(game, players, options or {}, open, missing).instance()
    except Unresolved as last:
        raise BadFile([*missing, last.diagnostic]) from None
    if missing:
        raise BadFile(missing)
    return instance


def allow(instance: core.Instance, options: Mapping[str, object]) -> None:
    """Does the game allow other options at this table? Raises SettingError. No sort may depend on them."""
    builder = _Builder(instance.game, instance.players, options, (), None)
    builder.fold = Fold(instance.sorts, builder.fold.options, instance.game.fns)
    builder.axioms()


def specialise_expr(instance: core.Instance, e: core.Expr) -> core.Expr:
    """A generic expression (of a lemma, claim or example) as one of this instance. Raises BadFile."""
    missing: list[Diagnostic] = []
    try:
        folded = folder(instance, missing)(e)
    except Unresolved as last:
        raise BadFile([*missing, last.diagnostic]) from None
    if missing:
        raise BadFile(missing)
    return folded


def folder(instance: core.Instance, missing: list[Diagnostic] | None = None) -> Fold:
    """A Fold over an instance's own sorts and defines."""
    types = {name: instance.game.options[name].type for name in instance.options}
    given = {name: Lit(value, types[name]) for name, value in instance.options.items()}
    return Fold(instance.sorts, given, instance.fns, missing=missing)


def move_name(instance: core.Instance, move: core.MoveName) -> core.MoveName:
    """A move as written → as this instance names it (tiles low half first)."""
    fold = folder(instance)

    def arg(text: str) -> str:
        if "|" not in text:
            return text
        a, b = text.split("|")
        names = instance.sorts["tile"].names
        if text in names:
            return text
        return names[fold.tile((a, b), Lit(None, Elem("tile")))]

    try:
        return core.MoveName(move.action, tuple(arg(a) for a in move.args))
    except Unresolved as missing:
        raise BadFile([missing.diagnostic]) from None


def option_value(option: core.Option, value: object, members: Mapping[str, tuple[str, ...]]) -> int | bool:
    """A setting as given (text from the command line, or a value) → a value of the option. Raises SettingError."""
    match option.type:
        case core.BoolType():
            chosen = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
            if isinstance(value, bool):
                return value
            if isinstance(value, str) and value.lower() in chosen:
                return chosen[value.lower()]
            raise SettingError(f"{option.name} is true or false, not {value}")
        case core.IntType():
            number = _number(value)
            if number is None or not (option.low or 0) <= number <= (
                option.high if option.high is not None else number
            ):
                raise SettingError(f"{option.name} is a number from {option.low} to {option.high}, not {value}")
            return number
        case Elem(sort=sort):
            names = members[sort]
            if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(names):
                return value
            if value in names:
                return names.index(str(value))
            raise SettingError(
                f"{option.name} is one of {', '.join(names)}, not {value}. {did_you_mean(str(value), names)}".rstrip()
            )
        case _:
            raise SettingError(f"{option.name} cannot be set")


def _number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = str(value)
    digits = text[1:] if text.startswith("-") else text
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


def told_seats(seats: tuple[int, ...]) -> str:
    """How many may play, in words: `2 to 4`, `2 or 4`."""
    if len(seats) > 1 and seats[-1] - seats[0] == len(seats) - 1:
        return f"{seats[0]} to {seats[-1]}"
    *most, last = map(str, seats)
    return f"{', '.join(most)} or {last}" if most else last


class _Builder:
    """Builds one instance."""

    def __init__(
        self,
        game: core.Game,
        players: int,
        given: Mapping[str, object],
        open_: Collection[str],
        missing: list[Diagnostic] | None,
    ) -> None:
        self.game, self.players, self.missing = game, players, missing
        for name in [*given, *open_]:
            if name not in game.options:
                known = ", ".join(game.options) or "it has none"
                raise SettingError(
                    f"{game.name} has no option {name} (options: {known}). {did_you_mean(name, game.options)}".rstrip()
                )
        self.open = tuple(n for n in game.options if n in open_)
        self.sorts: dict[str, core.Sort] = {"player": _players(players)}
        self.fold = Fold(self.sorts, {}, game.fns, missing=missing)
        self._named_enums()
        members = {s.name: s.names for s in self.sorts.values()}
        self.options = {n: self._option(o, given, members) for n, o in game.options.items() if n not in self.open}
        lits = {n: Lit(v, game.options[n].type) for n, v in self.options.items()}
        self.fold = Fold(self.sorts, lits, game.fns, missing=missing)

    def _named_enums(self) -> None:
        for d in self.game.enums:
            if d.members is not None:
                self.sorts[d.name] = _sort(d.name, d.members, None)
        endings = tuple(e.name for e in self.game.endings)
        self.sorts["ending"] = _sort("ending", endings, None)

    def _option(
        self, o: core.Option, given: Mapping[str, object], members: Mapping[str, tuple[str, ...]]
    ) -> int | bool:
        if o.name in given:
            return option_value(o, given[o.name], members)
        default = self.fold(o.default)
        assert isinstance(default, Lit)
        assert isinstance(default.value, int)
        try:
            return option_value(o, default.value, members)
        except SettingError as refused:
            raise self._bad("DOM429", f"the default is outside its range: {refused}", o.default.span) from None

    def instance(self) -> core.Instance:
        """Sorts first, then everything that uses them."""
        self._ranges()
        self._tiles()
        self._teams()
        fold = Fold(self.sorts, self.fold.options, self.game.fns, missing=self.missing)
        self.fold = fold
        axioms = self.axioms()
        game = self.game
        return core.Instance(
            game=game,
            players=self.players,
            options=self.options,
            open=self.open,
            sorts=self.sorts,
            vars=self._vars(),
            fns={name: fold.fn(name) for name in game.fns},
            deals=self._deals(),
            redeal=fold(game.redeal),
            begin=tuple(fold.block(b) for b in game.begin),
            actions=tuple(a for a in map(self._action, game.actions) if not core.is_lit(a.guard, False)),
            endings=tuple(replace(e, when=fold(e.when)) for e in game.endings),
            settles=tuple(map(self._settle, game.settles)),
            over=fold(game.over),
            winners=fold(game.winners),
            axioms=axioms,
            events=tuple(a for a in map(self._action, game.events) if not core.is_lit(a.guard, False)),
        )

    # ------------------------------------------------------------ sorts

    def _bad(self, code: str, message: str, span: Span, fix: str = "") -> BadFile:
        return BadFile([Diagnostic(code, message, span, fix=fix)])

    def _too_many(self, code: str, message: str, span: Span, because: Sequence[core.Expr], fix: str) -> BadFile:
        """A mistake of a deal or set, told where the file itself decides it: at an option, or the answer to a slot."""
        deciding = decided_by(self.game, because)
        option = next((d for d in deciding if isinstance(d, core.Option)), None)
        own = next((d.span for d in deciding if d.span.source.name == self.game.file), span)
        dealt = code == "DOM436"
        notes = (Note(f"this is the {'deal' if dealt else 'set'}", span),) if own is not span else ()
        way = "let `{}` refuse it with `requires …`" if dealt else "narrow the range of `{}`"
        more = f", or {way.format(option.name)}" if option is not None else ""
        return BadFile([Diagnostic(code, message, own, notes, fix + more)])

    def _static(self, e: core.Expr, what: str, env: Mapping[str, Lit] | None = None) -> Value:
        try:
            return self.fold.constant(e, env or {})
        except ValueError:
            if not self.open:
                raise self._bad(
                    "DOM428", f"{what} takes too long to compute", e.span, "range over smaller sets"
                ) from None
            names = ", ".join(self.open)
            raise SettingError(f"{what} depends on an option that was left open ({names}): give it a value") from None

    def _ranges(self) -> None:
        for d in self.game.enums:
            if d.low is None or d.high is None:
                continue
            low, high = (int(self._static(e, f"the range of {d.name}") or 0) for e in (d.low, d.high))
            if not low <= high < low + MAX_SORT:
                raise self._bad(
                    "DOM434",
                    f"`{d.name}` would range from {low} to {high}",
                    d.span,
                    f"a sort has between 1 and {MAX_SORT} numbers",
                )
            numbers = tuple(range(low, high + 1))
            self.sorts[d.name] = _sort(d.name, tuple(str(i) for i in numbers), numbers)

    def _tiles(self) -> None:
        half = self.sorts.get(self.game.dominoes.half)
        if half is None:
            self.sorts["tile"] = core.Sort("tile", (), None, {})
            return
        pairs: list[tuple[int, int]] = []
        for part in self.game.dominoes.parts:
            pairs += self._listed(part, half) if isinstance(part, core.Listed) else self._each_pair(part, half)
        if not 0 < len(pairs) <= MAX_SORT:
            ranges = [e for d in self.game.enums if d.name == half.name for e in (d.low, d.high) if e is not None]
            wheres = [part.where for part in self.game.dominoes.parts if isinstance(part, core.EachPair)]
            raise self._too_many(
                "DOM435",
                f"this set would have {f'more than {MAX_SORT}' if pairs else 'no'} tiles",
                self.game.dominoes.span,
                [*ranges, *wheres],
                f"a set has between 1 and {MAX_SORT} tiles",
            )
        self.sorts["tile"] = _tile_sort([(min(p), max(p)) for p in pairs], half)

    def _listed(self, part: core.Listed, half: core.Sort) -> list[tuple[int, int]]:
        out = []
        for a, b in part.tiles:
            for name in (a, b):
                if name not in half.names:
                    raise self._bad(
                        "DOM433",
                        f"`{name}` is no {half.name}, so there is no tile {a}|{b}",
                        self.game.dominoes.span.find(f"{a}|{b}"),
                    )
            out += [(half.names.index(a), half.names.index(b))] * min(part.copies, MAX_SORT + 1)
        return out

    def _each_pair(self, part: core.EachPair, half: core.Sort) -> list[tuple[int, int]]:
        out: list[tuple[int, int]] = []
        if half.size**2 * self.fold.cost(part.where) > MAX_COST:
            raise self._bad("DOM428", "the set of tiles takes too long to compute", part.where.span, "list the tiles")
        for a in range(half.size):
            for b in range(half.size):
                env = {part.first: Lit(a, Elem(half.name)), part.second: Lit(b, Elem(half.name))}
                if len(out) <= MAX_SORT and self._static(part.where, "the set of tiles", env):
                    out += [(a, b)] * min(part.copies, MAX_SORT + 1)
        return out

    def _teams(self) -> None:
        """The team sort, and the attribute `team` of players."""
        player = self.sorts["player"]
        if self.game.teams is None:
            numbers = list(range(self.players))
        else:
            fn = self.game.fns[self.game.teams]
            env = [{fn.params[0][0]: Lit(p, Elem("player"))} for p in range(self.players)]
            numbers = [int(self._static(fn.body, "who plays together", e) or 0) for e in env]
        order = list(dict.fromkeys(numbers))
        member = tuple(order.index(n) for n in numbers)
        self.sorts["team"] = _sort("team", tuple(f"t{i}" for i in range(len(order))), None)
        attrs: dict[str, tuple[core.Type, tuple[Value, ...]]] = {**player.attrs, "team": (Elem("team"), member)}
        self.sorts["player"] = core.Sort("player", player.names, None, attrs)

    # ------------------------------------------------------------ the rest

    def axioms(self) -> tuple[core.Expr, ...]:
        """Ranges of open options, and requirements; a requirement that fails is a SettingError."""
        out: list[core.Expr] = []
        for o in self.game.options.values():
            if o.name in self.open and o.type == INT and o.low is not None and o.high is not None:
                value = core.Read(o.name, None, INT, o.span)
                out += [core.Op("le", (Lit(o.low, INT), value), BOOL), core.Op("le", (value, Lit(o.high, INT)), BOOL)]
            if o.requires is None:
                continue
            requires = self.fold(o.requires)
            if core.is_lit(requires, False) and not self._untouched(o):
                read = {o.name, *(one.name for one in decided_by(self.game, [o.requires]))}
                values = ", ".join(f"{k} = {self._shown(k, v)}" for k, v in self.options.items() if k in read)
                raise SettingError(
                    f"{o.name} requires {o.requires.span.text.strip()}; with {self.players} players and {values} it does not hold"
                )
            if not isinstance(requires, Lit):
                out.append(requires)
        return tuple(out)

    def _untouched(self, o: core.Option) -> bool:
        """A switch that is off asks for nothing."""
        return o.type == BOOL and self.options.get(o.name) is False

    def _shown(self, name: str, value: int | bool) -> str:
        type_ = self.game.options[name].type
        return self.sorts[type_.sort].names[value] if isinstance(type_, Elem) else str(value).lower()

    def _vars(self) -> dict[str, core.Var]:
        out: dict[str, core.Var] = {}
        for o in self.open:
            option = self.game.options[o]
            out[o] = core.Var(
                o,
                None,
                option.type,
                self.fold(option.default),
                core.Life.MATCH,
                None,
                None,
                option.low,
                option.high,
                option.doc,
                option.span,
            )
        for v in self.game.vars.values():
            init = self.fold.maybe(v.init)
            out[v.name] = core.Var(v.name, v.per, v.type, init, v.life, v.seen, v.role, v.low, v.high, v.doc, v.span)
        none, zero = Lit(None, Maybe("ending")), Lit(0, INT)
        out["ending"] = core.Var(
            "ending", None, Maybe("ending"), none, core.Life.ROUND, None, None, None, None, "How the round ended."
        )
        out["moves"] = core.Var(
            "moves", None, INT, zero, core.Life.ROUND, None, None, None, None, "Actions so far in the round."
        )
        return out

    def _deals(self) -> tuple[tuple[int, str, str], ...]:
        """Counts of the deals; more tiles than there are is a mistake of the file at this table."""
        out = []
        stock = next((v.name for v in self.game.vars.values() if v.role == "stock"), "")
        have = {v.name: 0 for v in self.game.vars.values() if v.zone and v.per is None}
        have[stock] = self.sorts["tile"].size
        for d in self.game.deals:
            count = int(self._static(d.count, "the deal") or 0)
            per = self.game.vars[d.target].per
            cells = 1 if per is None else self.sorts[per].size
            need = count * cells
            if count < 0 or need > have.get(d.source, 0):
                times = f"{cells} × {count} = {need}" if cells > 1 else f"{need}"
                raise self._too_many(
                    "DOM436",
                    f"with {self.players} players {times} tiles are dealt, but `{d.source}` holds {have.get(d.source, 0)}",
                    d.span,
                    [d.count],
                    "deal fewer tiles, or allow fewer players (`seats`)",
                )
            have[d.source] -= need
            if per is None:
                have[d.target] = have.get(d.target, 0) + need
            out.append((count, d.source, d.target))
        return tuple(out)

    def _action(self, a: core.Action) -> core.Action:
        fold = self.fold
        params = tuple(core.Param(p.chance, p.name, p.sort, fold.maybe(p.domain)) for p in a.params)
        return replace(a, params=params, guard=fold(a.guard), blocks=tuple(fold.block(b) for b in a.blocks))

    def _settle(self, s: core.Settle) -> core.Settle:
        rows = tuple(core.Row(self.fold(r.test), self.fold.block(r.body), r.span) for r in s.rows)
        return replace(s, rows=rows)


def _sort(name: str, names: tuple[str, ...], numbers: tuple[int, ...] | None) -> core.Sort:
    attrs: dict[str, tuple[core.Type, tuple[Value, ...]]] = {"position": (INT, tuple(range(len(names))))}
    if numbers is not None:
        attrs["number"] = (INT, numbers)
    return core.Sort(name, names, numbers, attrs)


def _players(n: int) -> core.Sort:
    sort = _sort("player", tuple(f"p{i}" for i in range(n)), None)
    attrs: dict[str, tuple[core.Type, tuple[Value, ...]]] = {
        **sort.attrs,
        "next": (Elem("player"), tuple((i + 1) % n for i in range(n))),
        "seat": (INT, tuple(range(n))),
    }
    return core.Sort("player", sort.names, None, attrs)


def _tile_sort(pairs: list[tuple[int, int]], half: core.Sort) -> core.Sort:
    copies = [pairs[:i].count(p) for i, p in enumerate(pairs)]
    names = tuple(
        f"{half.names[a]}|{half.names[b]}" + (f"*{c + 1}" if c else "") for (a, b), c in zip(pairs, copies, strict=True)
    )
    attrs: dict[str, tuple[core.Type, tuple[Value, ...]]] = {
        "position": (INT, tuple(range(len(pairs)))),
        "low": (Elem(half.name), tuple(a for a, _ in pairs)),
        "high": (Elem(half.name), tuple(b for _, b in pairs)),
        "copy": (INT, tuple(copies)),
    }
    return core.Sort("tile", names, None, attrs)
