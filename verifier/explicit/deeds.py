"""Actions of an instance for a search in which deals are not known: only what decides who may do what, and how a round ends.

A parameter that may be any tile of an unknown zone takes each that may be there in turn. A tile that is drawn, and of which
nothing is asked but that it moves, stays unknown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from domrules.grammar import core
from domrules.grammar.fold import NOTHING, Fold
from domrules.grammar.reads import Reads, statements
from domrules.interpreter.actions import counting, room_needed
from domrules.interpreter.closures import Code, Frame
from domrules.interpreter.evaluate import Compiler, Scope
from domrules.interpreter.names import tested
from domrules.interpreter.state import State, elements
from domrules.interpreter.step import Stepper
from domrules.verifier.explicit.explore import TooLarge
from domrules.verifier.explicit.renaming import shape
from domrules.verifier.explicit.unknown import Drawn, Held, Known, Places, paths, put
from domrules.verifier.forget import written


def needed(instance: core.Instance, forgotten: Collection[str] = ()) -> frozenset[str]:
    """Variables on which it depends, once a round has begun, who may do what and how the round ends; but none of `forgotten`."""
    reads = Reads(instance)
    watched = [e.when for e in instance.endings] + [a.guard for a in instance.actions]
    watched += [p.domain for a in instance.actions for p in a.params if p.domain is not None]
    found = frozenset(v.name for v in instance.vars.values() if v.zone).union(*map(reads.variables, watched))
    found -= set(forgotten)
    blocks = [block for action in instance.actions for block in action.blocks]
    effects = [effect for block in blocks for s in block for effect in written(reads, s, frozenset())]
    while True:
        more = found.union(*(sources for target, sources in effects if target in found)) - set(forgotten)
        if more == found:
            return found
        found = more


def open_numbers(instance: core.Instance, unknown: Collection[str]) -> frozenset[str]:
    """Numbers that are left open: of the match, as far as needed, and what is computed from them or from tiles not known.

    Raises TooLarge.
    """
    reads, wanted = Reads(instance), needed(instance)
    numbers = {v.name for v in instance.vars.values() if isinstance(v.type, core.IntType)}
    begun = wanted.union(*(reads.variables(instance.vars[v].init) for v in wanted))
    found = {v for v in begun & numbers if instance.vars[v].life is core.Life.MATCH}
    sets = [s for a in instance.actions for block in a.blocks for s in statements(block) if isinstance(s, core.Set)]
    sets += [s for block in instance.begin for s in statements(block) if isinstance(s, core.Set)]
    while True:
        more = found | {
            s.var for s in sets if s.var in wanted & numbers and reads.variables(s.value) & {*found, *unknown}
        }
        if more == found:
            break
        found = more
    for v in instance.vars.values():
        if v.name in wanted and v.name not in found and reads.variables(v.init) & found:
            name = min(reads.variables(v.init) & found)
            raise TooLarge(f"rounds begin with what `{v.name}` takes from `{name}`, which may be any number")
    return frozenset(found)


def pruned(block: core.Block, kept: Collection[str]) -> core.Block:
    """A block without what changes nothing that is kept."""
    out: list[core.Stmt] = []
    for s in block:
        match s:
            case core.Set(var=var) if var in kept:
                out.append(s)
            case core.Move():
                out.append(s)
            case core.If() | core.Each() if body := pruned(s.body, kept):
                out.append(replace(s, body=body))
            case _:
                pass
    return tuple(out)


def only_needed(action: core.Action, kept: Collection[str]) -> core.Action:
    """An action of which only what is kept is written; it is counted where that is kept."""
    blocks = counting(action.blocks) if "moves" in kept else action.blocks
    return replace(action, blocks=tuple(b for block in blocks if (b := pruned(block, kept))))


# ---------------------------------------------------------------- with fixed arguments


def grounded(fold: Fold, action: core.Action) -> Iterator[core.Action]:
    """The action for each of its arguments, without parameters: what they must be in stands in the guard."""
    sorts = [fold.sorts[p.sort] for p in action.params]
    ranges = [range(sort.size) for sort in sorts]
    for args in product(*ranges):
        env: dict[str, core.Lit] = {}
        guards = [fold(g) for g in core.conjuncts(action.guard) if not core.free(g)]
        for p, i in zip(action.params, args, strict=True):
            if p.domain is not None:
                domain = fold(p.domain, env)
                if not possible(i, domain):
                    break
                guards.append(fold(core.Op("in", (core.Lit(i, core.Elem(p.sort)), domain), core.BOOL)))
            env[p.name] = core.Lit(i, core.Elem(p.sort))
        else:
            guards += [fold(g, env) for g in core.conjuncts(action.guard) if core.free(g)]
            if not any(core.is_lit(g, False) for g in guards):
                blocks = tuple(fold.block(core.rebuild_block(b, lambda e: opened(fold, e, env))) for b in action.blocks)  # noqa: B023
                guard = core.conjunction([opened(fold, g, env) for g in guards])
                yield replace(action, params=(), guard=guard, blocks=blocks)


def opened(fold: Fold, e: core.Expr, env: Mapping[str, core.Lit] = NOTHING) -> core.Expr:
    """The folded expression, with the bodies of defines in place of calls whose arguments are constants."""
    e = fold(e, env)
    if isinstance(e, core.Call) and e.args and all(isinstance(arg, core.Lit) for arg in e.args):
        fn = fold.fns[e.fn]
        given = {name: arg for (name, _), arg in zip(fn.params, e.args, strict=True) if isinstance(arg, core.Lit)}
        return opened(fold, fn.body, given)
    return fold(core.rebuild(e, lambda part: opened(fold, part)))


def possible(i: int, domain: core.Expr) -> bool:
    """May an element be in a set, as far as the set is constant?"""
    match domain:
        case core.Lit(value=int(mask)):
            return bool(mask >> i & 1)
        case core.Op(name="inter", args=parts):
            return all(possible(i, part) for part in parts)
        case core.Op(name="union", args=parts):
            return any(possible(i, part) for part in parts)
        case core.Op(name="minus", args=(part, _)):
            return possible(i, part)
        case _:
            return True


def outline(action: core.Action) -> object:
    """What to compare actions without parameters by."""
    return frozenset(shape(g) for g in core.conjuncts(action.guard)), shape(action.blocks)


def unseen(reads: Reads, action: core.Action, unknown: Collection[str]) -> str | None:
    """The last parameter, when it is any tile of an unknown zone and all that happens is that it goes to another."""
    if not action.params:
        return None
    p = action.params[-1]
    moves = [s for block in action.blocks for s in block if isinstance(s, core.Move) and is_local(s.tile, p.name)]
    if len(moves) != 1 or not isinstance(p.domain, core.Read) or {p.domain.var, moves[0].target.var} - set(unknown):
        return None
    rest = [s for block in action.blocks for s in statements(block) if s is not moves[0]]
    ends: list[core.Expr | core.Stmt] = [moves[0].source, moves[0].target, action.guard, *rest]
    if shape(p.domain) != shape(moves[0].source) or any(p.name in reads.names(part) for part in ends):
        return None
    return p.name


def is_local(e: core.Expr, name: str) -> bool:
    return isinstance(e, core.Local) and e.name == name


# ---------------------------------------------------------------- as functions


@dataclass(frozen=True, slots=True)
class Test:
    """A condition; `asks` when it may read a zone that is not known."""

    code: Code
    asks: bool


@dataclass(frozen=True, slots=True)
class Place:
    """A parameter: what it ranges over (None: all of `everything`), and what can be tested once it is known."""

    domain: Test | None
    everything: int
    unseen: bool
    free: bool
    """Does what it ranges over depend on no other parameter?"""
    tests: Sequence[Test]

    @property
    def asking(self) -> Sequence[Test]:
        return [test for test in self.tests if test.asks]


class Deed:
    """An action as functions. `variants` are other forms of it, without parameters, under the same first tests."""

    def __init__(
        self, compiler: Compiler, reads: Reads, unknown: Collection[str], zones: Places, action: core.Action
    ) -> None:
        self.action, self.zones, self.variants = action, zones, list[Deed]()
        self._compiler, self._reads, self._unknown = compiler, reads, unknown
        self._last: tuple[Place, State, Known, list[tuple[Any, Known]]] | None = None
        self.scope = {p.name: place for place, p in enumerate(action.params)}
        self.room = len(action.params) + room_needed(action)
        self.first, *rest = [[self._test(part, self.scope) for part in parts] for parts in tested(action)]
        self.drawn = unseen(reads, action, unknown)
        self.places = [
            Place(
                None if p.domain is None else self._test(p.domain, self.scope),
                compiler.instance.sorts[p.sort].full,
                p.name == self.drawn,
                p.domain is not None and not reads.names(p.domain),
                tests,
            )
            for p, tests in zip(action.params, rest, strict=True)
        ]
        stepper = Stepper(compiler)
        self.blocks = [stepper.block(block, self.scope) for block in action.blocks]

    def lays(self, zones: Collection[str]) -> bool:
        """Is a tile surely moved to one of these zones?"""
        return any(isinstance(s, core.Move) and s.target.var in zones for block in self.action.blocks for s in block)

    def _test(self, e: core.Expr, scope: Scope) -> Test:
        return Test(self._compiler.expr(e, scope), bool(self._reads.variables(e) & set(self._unknown)))

    # ------------------------------------------------------------ legal moves

    def moves(self, plain: State, known: Known) -> Iterator[tuple[Deed, Frame, Known]]:
        """All ways it may be done, each with what is known then. `plain`: the position, of which no zone is asked."""
        for now in self.hold(self.first, plain, [None] * self.room, known):
            yield from self.choose(0, plain, [None] * self.room, now)
            for variant in self.variants:
                for later in variant.hold(variant.first, plain, [None] * variant.room, now):
                    yield variant, [None] * variant.room, later

    def hold(self, tests: Sequence[Test], plain: State, frame: Frame, known: Known) -> Iterator[Known]:
        """All that may be known when these conditions hold."""
        asking = []
        for test in tests:
            if test.asks:
                asking.append(test.code)
            elif not test.code(plain, frame):
                return
        if not asking:
            yield known
            return
        for holds, world in paths(plain.cells, known, self.zones, lambda s: all(code(s, frame) for code in asking)):
            if holds:
                yield world.known()

    def choose(self, place: int, plain: State, frame: Frame, known: Known) -> Iterator[tuple[Deed, Frame, Known]]:
        """All arguments from this place on."""
        if place == len(self.places):
            yield self, [*frame], known
            return
        here = self.places[place]
        for i, zone, now in self.options(here, plain, frame, known):
            frame[place] = i
            if any(not test.asks and not test.code(plain, frame) for test in here.tests):
                continue
            found = now if zone is None or i is None else put(now, self.zones, zone, i)
            if found is not None:
                for later in self.hold(here.asking, plain, frame, found):
                    yield from self.choose(place + 1, plain, frame, later)

    def options(
        self, here: Place, plain: State, frame: Frame, known: Known
    ) -> Iterator[tuple[int | None, int | None, Known]]:
        """What a parameter may be, and in which unknown zone it must be then."""
        domain = here.domain
        if domain is None:
            for i in elements(here.everything):
                yield i, None, known
        elif not domain.asks:
            for i in elements(domain.code(plain, frame)):
                yield i, None, known
        else:
            for held, now in self.answers(here, domain, plain, frame, known):
                if not isinstance(held, Held):
                    for i in elements(held):
                        yield i, None, now
                elif here.unseen:
                    yield None, None, now
                else:
                    for i in held.options():
                        yield i, held.zone, now

    def answers(self, here: Place, domain: Test, plain: State, frame: Frame, known: Known) -> list[tuple[Any, Known]]:
        """What a parameter ranges over, in all ways; of what is not looked at only whether there is any."""
        last = self._last
        if here.free and last is not None and last[0] is here and last[1] is plain and last[2] is known:
            return last[3]

        def asked(state: State) -> Any:
            held = domain.code(state, frame)
            return 0 if here.unseen and not held else held

        found = [(held, world.known()) for held, world in paths(plain.cells, known, self.zones, asked)]
        self._last = here, plain, known, found
        return found

    # ------------------------------------------------------------ effects

    def perform(self, state: State, frame: Frame) -> State:
        """The position afterwards; endings are not looked at."""
        if self.drawn is not None:
            frame[self.scope[self.drawn]] = Drawn()
        for block in self.blocks:
            state = block(state, frame)
        return state
