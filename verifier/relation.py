"""From rules to relations between symbolic positions: deal, start, one move, endings, settlement.

Mirrors `interpreter/rules.py` and `actions.py`. A move is a free choice among all ground moves; fate is a choice like
another. A step that breaks a rule has no successor: it comes with the list of its `faults`, and `Step.taken` excludes
them, while whoever asks whether one can happen takes `Step.chosen` and the bit of the fault.

    encoder = Encoder(instance, view);  relation = Relation(encoder)
    start = relation.start()                          # a symbolic deal; kept by the rules when `start.kept`
    step = relation.step(start.begun, "1")            # any move from there
    query = [*encoder.side, start.kept, *start.sound, *step.taken, relation.ends(step.after)[0]]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from domrules.grammar import core
from domrules.interpreter.errors import Rule
from domrules.interpreter.rules import overlap
from domrules.verifier import symbols
from domrules.verifier.dag import FALSE, TRUE, Bit, Number
from domrules.verifier.effects import Effects, Fault, Occasion, run, within
from domrules.verifier.encode import Encoder
from domrules.verifier.promises import Promises
from domrules.verifier.symbols import Cell, Members, Symbol, Symbols

ENDING: Cell = ("ending", None)
MOVES: Cell = ("moves", None)


class NoDeal(Exception):
    """A deal asks for more tiles than its source has."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A ground move: action, all its arguments as indices, and the bit that says it is made."""

    action: int
    args: tuple[int, ...]
    bit: Bit


@dataclass(frozen=True, slots=True)
class Start:
    """A deal and what begins with it. `dealt` is before the begin blocks, `begun` after them, no ending looked at."""

    dealt: Symbols
    begun: Symbols
    kept: Bit
    """The rules do not ask for a new deal."""
    faults: tuple[Fault, ...]

    @property
    def sound(self) -> list[Bit]:
        """No rule is broken."""
        return [-fault.bit for fault in self.faults]


@dataclass(frozen=True, slots=True)
class Step:
    """One move. `after` is the position after it, endings not looked at yet."""

    choices: tuple[Choice, ...]
    chosen: tuple[Bit, ...]
    """Exactly one move is made, and it is legal."""
    faults: tuple[Fault, ...]
    after: Symbols

    @property
    def taken(self) -> list[Bit]:
        """The move is legal and breaks no rule."""
        return [*self.chosen, *(-fault.bit for fault in self.faults)]


class Relation:
    """The relations of one encoder."""

    def __init__(
        self,
        encoder: Encoder,
        frozen: Mapping[Cell, Symbol] | None = None,
        moves: Sequence[Sequence[tuple[int, ...]]] | None = None,
    ) -> None:
        self.encoder, self.instance, self.dag = encoder, encoder.instance, encoder.dag
        self.promises = Promises(encoder)
        self.frozen = {} if frozen is None else frozen
        """Cells that keep their first value in every round of this instance."""
        self.moves = moves
        """For each action the arguments that need be considered; all when None."""
        self.tests = [tests(action) for action in self.instance.actions]
        self.blocks = [action.blocks for action in self.instance.actions]

    # ------------------------------------------------------------ positions

    def any_state(self, tag: str, *, partition: bool = True) -> Symbols:
        """Any well-typed position of a round that goes on; `partition`: every tile lies in exactly one zone."""
        cells: dict[Cell, Symbol] = {}
        for var in self.instance.vars.values():
            if var.name in self.encoder.view.forgotten:
                continue
            for index in self.instance.cells(var.name):
                cell = (var.name, index)
                cells[cell] = self.frozen[cell] if cell in self.frozen else self.any_cell(var, cell, tag)
        cells[ENDING] = symbols.NOTHING
        state = Symbols(cells, self.any_sizes(cells, tag) if self.encoder.view.counted else None)
        if partition:
            self.encoder.side.append(self.partition(state))
        self.encoder.side += self.known_options(state)
        return state

    def any_cell(self, var: core.Var, cell: Cell, tag: str) -> Symbol:
        """Any value of a cell."""
        name = f"{tag}.{var.name}" + ("" if cell[1] is None else f".{cell[1]}")
        found = symbols.free(self.dag, self.encoder.side, self.instance, var.type, name, forgotten=False)
        if isinstance(found, Number):
            self.encoder.side.append(within(self.dag, var, found))
        return found

    def any_sizes(self, cells: Mapping[Cell, Symbol], tag: str) -> Mapping[Cell, Number]:
        """Sizes of zones as numbers of their own, tied to the sets only by: empty or not."""
        dag, sizes = self.dag, dict[Cell, Number]()
        for cell in symbols.zones(self.instance):
            held = cells[cell]
            assert isinstance(held, Mapping)
            size = dag.unknown(f"{tag}.size.{cell[0]}.{cell[1]}")
            some = dag.at_least_zero(dag.add(size, Number(-1)))
            self.encoder.side += [dag.at_least_zero(size), dag.same(some, dag.any(held.values()))]
            sizes[cell] = size
        return sizes

    def known_options(self, state: Symbols) -> list[Bit]:
        """What is known of the open options."""
        return [self.encoder.truth(axiom, state) for axiom in self.instance.axioms]

    def partition(self, state: Symbols) -> Bit:
        """Every tile lies in exactly one zone."""
        held = [state.zone(*cell) for cell in symbols.zones(self.instance)]
        count = symbols.tile_count(self.instance)
        return self.dag.all(self.dag.exactly_one([z.get(tile, FALSE) for z in held]) for tile in range(count))

    def named(self, state: Symbols, tag: str) -> Symbols:
        """The same position under fresh names, with what its types promise said again: shorter for the solver."""
        dag, side, cells = self.dag, self.encoder.side, dict[Cell, Symbol]()

        def name(bit: Bit, what: str) -> Bit:
            if dag.is_var(bit):
                return bit
            fresh = dag.var(what)
            side.extend((dag.any((-fresh, bit)), dag.any((fresh, -bit))))
            return fresh

        for cell, symbol in state.cells.items():
            what, kind = f"{tag}.{cell[0]}.{cell[1]}", self.instance.vars[cell[0]].type
            match symbol:
                case Number():
                    cells[cell] = symbol
                case int():
                    cells[cell] = name(symbol, what)
                case _:
                    found = {i: name(bit, f"{what}={i}") for i, bit in symbol.items()}
                    side.append(symbols.well_formed(dag, kind, found))
                    if dag.covered(symbol.values()):
                        dag.certain(found.values())
                    cells[cell] = found
        out = Symbols(cells, state.sizes)
        side.append(self.partition(out))
        return out

    # ------------------------------------------------------------ between rounds

    def start(
        self,
        *,
        any_match: bool = False,
        tag: str = "deal",
        before: Mapping[Cell, Symbol] | None = None,
        sized: bool = True,
    ) -> Start:
        """A deal, every one possible. `any_match`: in any round of any match, else in the first.

        `before`: in a round that finds these match states. Not `sized`: hands of any size, but with a tile each.
        """
        fresh = self.reset(self.match_cells(any_match, tag) if before is None else before)
        dealt = Symbols(self.deal(fresh, tag) if sized else self.deal_any(fresh, tag))
        if self.encoder.view.counted and sized:
            dealt = dealt.put({}, {cell: Number(count) for cell, count in self.counts().items()})
        self.encoder.side += self.known_options(dealt)
        if any_match and self.begins_unfinished:
            self.encoder.side.append(-self.encoder.truth(self.instance.over, dealt))
        kept = -self.encoder.truth(self.instance.redeal, dealt)
        broken = -self.promises.kept(self.instance.redeal, dealt)
        faults = [Fault(Rule.PROMISE, self.instance.redeal.span, broken)] if broken != FALSE else []
        begun = dealt
        for block in self.instance.begin:
            begun, more = run(self.encoder, self.promises, block, begun)
            faults += more
        return Start(dealt, begun, kept, tuple(faults + self.ending_faults(begun, at_start=True)))

    @cached_property
    def begins_unfinished(self) -> bool:
        """Is no match over when a round begins? It is looked at after each settlement, and so holds of what lasts.

        Sure where `over` reads only what lasts for the match (and is not forgotten), and does not hold as a match begins.
        """
        reads, variables = self.encoder.reads.variables(self.instance.over), self.instance.vars
        if any(v in self.encoder.view.forgotten or variables[v].life is not core.Life.MATCH for v in reads):
            return False
        first = Symbols(self.match_cells(False, "first"))
        return self.encoder.truth(self.instance.over, first) == FALSE

    def match_cells(self, any_match: bool, tag: str) -> dict[Cell, Symbol]:
        """Match states: as a match begins, or as it may stand before any round. Open options are always free."""
        cells: dict[Cell, Symbol] = {}
        for var in self.instance.vars.values():
            if var.zone or var.life is not core.Life.MATCH or var.name in self.encoder.view.forgotten:
                continue
            free = any_match or var.name in self.instance.open
            for index in self.instance.cells(var.name):
                cell = (var.name, index)
                cells[cell] = self.any_cell(var, cell, tag) if free else self.initial(var, Symbols(cells))
        return cells

    def reset(self, cells: Mapping[Cell, Symbol]) -> dict[Cell, Symbol]:
        """All tiles in the stock, round states at their initial values, in order, for they may read earlier ones."""
        out = dict(cells)
        for cell in symbols.zones(self.instance):
            out[cell] = symbols.NOTHING
        out[self.stock] = dict.fromkeys(range(symbols.tile_count(self.instance)), TRUE)
        unset = [v for v in self.instance.vars.values() if not v.zone and v.life is core.Life.ROUND]
        unset = [v for v in unset if v.name not in self.encoder.view.forgotten]
        for var in unset:
            out.update({(var.name, index): nothing(var.type) for index in self.instance.cells(var.name)})
        for var in unset:
            value = self.initial(var, Symbols(out))
            out.update({(var.name, index): value for index in self.instance.cells(var.name)})
        return out

    def initial(self, var: core.Var, at: Symbols) -> Symbol:
        """The first value of a state; what has none is set by `begin` and is nothing until then."""
        return nothing(var.type) if var.init is None else self.encoder.value(var.init, at)

    @property
    def stock(self) -> Cell:
        """Where all tiles lie before a deal."""
        name = self.instance.role("zone", "stock")[0]
        return name, self.instance.cells(name)[0]

    def counts(self) -> dict[Cell, int]:
        """How many tiles lie in each zone after the deal. Raises `NoDeal`."""
        counts = dict.fromkeys(symbols.zones(self.instance), 0)
        counts[self.stock] = symbols.tile_count(self.instance)
        for count, source, target in self.instance.deals:
            for index in self.instance.cells(target):
                origin = (source, self.instance.cells(source)[0])
                counts[origin] -= count
                counts[target, index] += count
                if counts[origin] < 0:
                    raise NoDeal(f"{source} has too few tiles to deal {count} to {target}")
        return counts

    def deal(self, cells: Mapping[Cell, Symbol], tag: str) -> dict[Cell, Symbol]:
        """Every way to lay the tiles into the zones that have the right numbers. Raises `NoDeal`."""
        dag, out, tiles = self.dag, dict(cells), range(symbols.tile_count(self.instance))
        held: dict[Cell, Members] = {}
        for cell, count in self.counts().items():
            if count == len(tiles):
                held[cell] = dict.fromkeys(tiles, TRUE)
            elif count:
                held[cell] = {tile: dag.var(f"{tag}.{cell[0]}.{cell[1]}={tile}") for tile in tiles}
                each = dict.fromkeys(held[cell].values(), 1)
                self.encoder.side += [dag.at_least(each, count), -dag.at_least(each, count + 1)]
            out[cell] = held.get(cell, symbols.NOTHING)
        self.encoder.side += [dag.exactly_one([zone.get(tile, FALSE) for zone in held.values()]) for tile in tiles]
        return out

    def deal_any(self, cells: Mapping[Cell, Symbol], tag: str) -> dict[Cell, Symbol]:
        """Every way to lay the tiles into the zones of the deals, at least one tile into each that gets tiles."""
        dag, out, tiles = self.dag, dict(cells), range(symbols.tile_count(self.instance))
        targets = [(target, i) for n, _, target in self.instance.deals if n for i in self.instance.cells(target)]
        held: dict[Cell, Members] = {}
        for cell in dict.fromkeys([self.stock, *targets]):
            out[cell] = held[cell] = {tile: dag.var(f"{tag}.{cell[0]}.{cell[1]}={tile}") for tile in tiles}
        self.encoder.side += [dag.exactly_one([zone[tile] for zone in held.values()]) for tile in tiles]
        self.encoder.side += [dag.any(held[cell].values()) for cell in targets]
        return out

    def settle(self, state: Symbols) -> tuple[Symbols, tuple[Fault, ...]]:
        """An ended position after its settlements, one after the other."""
        faults: list[Fault] = []
        for settle in self.instance.settles:
            if settle.strict:
                two = overlap(settle)
                bad = self.dag.any((self.encoder.truth(two, state), -self.promises.kept(two, state)))
                faults += [Fault(Rule.PROMISE, settle.span, bad)] if bad != FALSE else []
            state, more = run(self.encoder, self.promises, settle.block(), state)
            faults += more
        return state, tuple(faults)

    # ------------------------------------------------------------ in a round

    def step(self, state: Symbols, tag: str, *, idle: Bit = FALSE) -> Step:
        """One move; or none at all, when `idle` (which may hold only then)."""
        choices = self.choices(state, tag, sure=idle == FALSE)
        bits = [*(choice.bit for choice in choices), *([] if idle == FALSE else [idle])]
        clause = self.dag.clause(bits)
        chosen = [clause, self.dag.at_most_one(bits)]
        self.dag.certain(bits)
        faults = self.guard_faults(state)
        for number, action in enumerate(self.instance.actions):
            mine = [choice for choice in choices if choice.action == number]
            chosen += self.legal(state, action, number, mine)
        for depth in range(max(map(len, self.blocks))):
            effects = Effects(self.encoder, self.promises, state)
            for number, action in enumerate(self.instance.actions):
                mine = [choice for choice in choices if choice.action == number]
                for statement in self.blocks[number][depth] if depth < len(self.blocks[number]) else ():
                    for occasion in self.occasions(action, mine, self.encoder.reads.names(statement)):
                        effects.collect(statement, occasion)
            state = effects.commit()
            faults += effects.faults
        state = self.counted(state, -idle)
        faults += self.ending_faults(state, at_start=False)
        return Step(tuple(choices), tuple(dict.fromkeys(b for b in chosen if b != TRUE)), tuple(faults), state)

    def counted(self, state: Symbols, made: Bit) -> Symbols:
        """One more move. Each action counts itself in its last block, in which it sees the old number: so, at the end."""
        moves = state.cells.get(MOVES)
        if not isinstance(moves, Number):
            return state
        return state.put({MOVES: self.dag.add(moves, self.dag.number([(made, 1)]))})

    def choices(self, state: Symbols, tag: str, *, sure: bool = True) -> list[Choice]:
        """The ground moves that may be legal here; `sure`: one is made, so a single one is."""
        found: list[tuple[int, tuple[int, ...]]] = []
        for number, action in enumerate(self.instance.actions):
            if self.moves is None:
                found += [(number, args) for args in self.possible(state, action, number)]
            else:
                found += [(number, args) for args in self.moves[number] if self.may(state, action, number, args)]
        if len(found) == 1 and sure:
            return [Choice(*found[0], TRUE)]
        return [Choice(number, args, self.dag.var(f"{tag}:{number}{args}")) for number, args in found]

    def possible(self, state: Symbols, action: core.Action, number: int) -> list[tuple[int, ...]]:
        """Arguments of an action for which no part of its guard is plainly false."""
        found: list[tuple[int, ...]] = [()] if self.may(state, action, number, (), only=0) else []
        for place, param in enumerate(action.params):
            size = self.instance.sorts[param.sort].size
            longer = [(*args, i) for args in found for i in range(size)]
            found = [args for args in longer if self.may(state, action, number, args, only=place + 1)]
        return found

    def may(
        self, state: Symbols, action: core.Action, number: int, args: tuple[int, ...], only: int | None = None
    ) -> bool:
        """Is no part of the guard plainly false? `only`: look at the parts that need just that many arguments."""
        env = bound(action, args)
        levels = self.tests[number] if only is None else self.tests[number][only : only + 1]
        return all(self.encoder.truth(test, state, env) != FALSE for level in levels for test in level)

    def legal(self, state: Symbols, action: core.Action, number: int, mine: list[Choice]) -> list[Bit]:
        """Whichever move is made, its guard holds: part by part, moves of one outcome taken together."""
        found: list[Bit] = []
        for test in (test for level in self.tests[number] for test in level):
            by_outcome: dict[Bit, list[Bit]] = {}
            for occasion in self.occasions(action, mine, self.encoder.reads.names(test)):
                by_outcome.setdefault(self.encoder.truth(test, state, occasion.choice), []).append(occasion.bit)
            found += [self.dag.implies(self.dag.any(bits), holds) for holds, bits in by_outcome.items()]
        return found

    def guard_faults(self, state: Symbols) -> list[Fault]:
        """Promises that break while the legal moves are looked for, in the interpreter's order."""
        dag, faults = self.dag, list[Fault]()
        for number, action in enumerate(self.instance.actions):
            if not any(self.encoder.reads.promises(test) for level in self.tests[number] for test in level):
                continue
            found: list[tuple[tuple[int, ...], Bit]] = [((), TRUE)]
            for place, level in enumerate(self.tests[number]):
                if place:
                    size = self.instance.sorts[action.params[place - 1].sort].size
                    found = [((*args, i), bit) for args, bit in found for i in range(size)]
                for test in level:
                    looked_at, found = found, []
                    for args, bit in looked_at:
                        env = bound(action, args)
                        broken = dag.both(bit, -self.promises.kept(test, state, env))
                        if broken != FALSE:
                            faults.append(Fault(Rule.PROMISE, test.span, broken))
                        reached = dag.both(bit, self.encoder.truth(test, state, env))
                        if reached != FALSE:
                            found.append((args, reached))
        return faults

    def occasions(self, action: core.Action, mine: list[Choice], names: tuple[str, ...]) -> list[Occasion]:
        """The moves of an action, those that agree in the parameters `names` taken together."""
        places = [(name, place) for place, name in enumerate(p.name for p in action.params) if name in names]
        groups: dict[tuple[int, ...], list[Choice]] = {}
        for choice in mine:
            groups.setdefault(tuple(choice.args[place] for _, place in places), []).append(choice)
        return [
            Occasion(
                group[0].action,
                {name: value for (name, _), value in zip(places, values, strict=True)},
                self.dag.any([choice.bit for choice in group]),
            )
            for values, group in groups.items()
        ]

    # ------------------------------------------------------------ endings

    def ends(self, state: Symbols, *, at_start: bool = False) -> tuple[Bit, ...]:
        """For each ending the bit that the round ends here in this way: it holds, and none before it does."""
        rest, found = TRUE, list[Bit]()
        for ending in self.instance.endings:
            holds = self.encoder.truth(ending.when, state) if ending.at_start or not at_start else FALSE
            found.append(self.dag.both(rest, holds))
            rest = self.dag.both(rest, -holds)
        return tuple(found)

    def goes_on(self, state: Symbols, *, at_start: bool = False) -> Bit:
        """No ending holds that is looked at here."""
        return -self.dag.any(self.ends(state, at_start=at_start))

    def concluded(self, state: Symbols, *, at_start: bool = False) -> Symbols:
        """The position with its ending, if it has one, written down."""
        ends = {i: bit for i, bit in enumerate(self.ends(state, at_start=at_start)) if bit != FALSE}
        if not ends:
            return state
        out = state.put({ENDING: ends})
        reads = self.encoder.reads
        for key, found in state.memo.items():
            e = key[0] if isinstance(key, tuple) else None
            if not isinstance(e, core.Expr) or ENDING[0] not in reads.variables(e):
                out.memo[key] = found
        return out

    def ending_faults(self, state: Symbols, *, at_start: bool) -> list[Fault]:
        """Promises that break while the endings are looked at."""
        rest, faults = TRUE, list[Fault]()
        for ending in self.instance.endings:
            if ending.at_start or not at_start:
                broken = self.dag.both(rest, -self.promises.kept(ending.when, state))
                faults += [Fault(Rule.PROMISE, ending.span, broken)] if broken != FALSE else []
                rest = self.dag.both(rest, -self.encoder.truth(ending.when, state))
        return faults


# ---------------------------------------------------------------- parts of the above


def tests(action: core.Action) -> list[list[core.Expr]]:
    """At [k] what is asked once k parameters are known, in order: the k-th is in its domain, then parts of the guard."""
    places = {p.name: place + 1 for place, p in enumerate(action.params)}
    levels: list[list[core.Expr]] = [[] for _ in range(len(places) + 1)]
    for param in action.params:
        if param.domain is not None:
            this = core.Local(param.name, core.Elem(param.sort), param.domain.span)
            levels[places[param.name]].append(core.Op("in", (this, param.domain), core.BOOL, span=param.domain.span))
    for part in core.conjuncts(action.guard):
        levels[max((places[name] for name in free(part) if name in places), default=0)].append(part)
    return levels


def free(e: core.Expr) -> set[str]:
    """The names an expression uses but does not bind."""
    inside = {name for child in core.children(e) for name in free(child)}
    return {e.name} if isinstance(e, core.Local) else inside - {core.bound(e) or ""}


def bound(action: core.Action, args: tuple[int, ...]) -> Mapping[str, int]:
    """The first parameters of an action by name."""
    return {p.name: i for p, i in zip(action.params, args, strict=False)} if args else {}


def nothing(kind: core.Type) -> Symbol:
    """What a state holds before it is first set."""
    match kind:
        case core.BoolType():
            return FALSE
        case core.IntType():
            return Number()
        case _:
            return symbols.NOTHING
