"""core statements → the imperative language. A block is simultaneous: what is read after it was written has a copy first.

What the interpreter finds at run time (a cell written twice, a tile moved twice or from where it does not lie, a number
out of its range) is a `Fail` here, unless the form of the block excludes it.
"""

from __future__ import annotations

from typing import TypeAlias, assert_never

from domrules.compiler import ir
from domrules.compiler.expressions import Expressions
from domrules.compiler.store import LARGE, UNSET, Slot, writes
from domrules.compiler.writer import WORD, Env, Unsupported, Words, each, has, single, split, zipped
from domrules.grammar import core
from domrules.grammar.reads import statements

Cell: TypeAlias = tuple[str, object]
"""A zone, and which of its cells, as far as that can be compared."""
Held: TypeAlias = frozenset[tuple[str, Cell]]
"""Names of tiles, and a place where each lies."""


class Blocks:
    """Writes the blocks of one instance; `live` are the variables that somebody reads."""

    def __init__(self, ex: Expressions, live: frozenset[str]) -> None:
        self.ex, self.writer, self.instance, self.live = ex, ex.writer, ex.instance, live

    def block(self, block: core.Block, env: Env, held: Held = frozenset()) -> None:
        """All statements at once; of names in `held` it is known where that tile lies."""
        _Block(self, block, held).run(env)
        self.writer.forget()


class _Block:
    """One block while it is written."""

    def __init__(self, blocks: Blocks, block: core.Block, held: Held) -> None:
        rebound = {s.var for s in statements(block) if isinstance(s, core.Each)}
        self.held = {
            (t, cell) for t, cell in held if t not in rebound and cell[1] not in [("name", n) for n in rebound]
        }
        self.ex, self.writer, self.instance, self.live = blocks.ex, blocks.writer, blocks.instance, blocks.live
        self.statements = block
        self.written = list(writes(block))
        self.targets: dict[str, Slot] = {}
        """Where a variable that is still read is written meanwhile."""
        self.seen: dict[str, tuple[ir.Local, ...]] = {}
        """For a variable that may be written twice: the elements set so far, and those added to."""
        self.moved: tuple[ir.Local, ...] = ()

    def run(self, env: Env) -> None:
        for name in sorted(hazards(self.ex, self.statements)):
            if name in self.live:
                self.targets[name] = self.ex.slots[name].copy(self.writer)
        for name in self.contested():
            self.seen[name] = tuple(self.writer.fresh(ir.ZERO) for _ in range(2))
        moves = [s for s in self.written if isinstance(s, core.Move)]
        if len(moves) > 1 or in_loop(self.statements, core.Move):
            count = self.ex.count("tile")
            self.moved = tuple(self.writer.fresh(ir.ZERO) for _ in range(count))
        self.prepare(self.statements, env)
        for s in self.statements:
            self.statement(s, env)
        for name, slot in self.targets.items():
            slot.into(self.writer, self.ex.slots[name])
        for name in dict.fromkeys(s.var for s in self.written if isinstance(s, core.Set)):
            self.check_range(name)

    def prepare(self, statements: core.Block, env: Env, again: bool = False) -> None:
        """Calls in these statements, and in those under a condition."""
        for s in statements:
            match s:
                case core.Set():
                    self.ex.prepare(s.index, env, again)
                    if s.var in self.live:
                        self.ex.prepare(s.value, env, again)
                case core.If():
                    self.ex.prepare(s.condition, env, again)
                    self.prepare(s.body, env, again)
                case core.Each():
                    self.ex.prepare(s.domain, env, again)
                    self.ex.prepare(s.guard, env, True)
                    self.prepare(s.body, env, True)
                case core.Move() | core.Attach():
                    pass
                case _:
                    assert_never(s)

    def contested(self) -> list[str]:
        """Variables of which the form of the block does not exclude that one place is written twice."""
        sets = [s for s in self.written if isinstance(s, core.Set)]
        names = dict.fromkeys(s.var for s in sets if not s.add)
        found = [n for n in names if not exclusive(self.statements, n, self.instance)]
        for name in found:
            if self.ex.slots[name].size > WORD:
                raise Unsupported(f"`{name}` may be written twice in one step, and has more than {WORD} places")
        return found

    # ------------------------------------------------------------ statements

    def statement(self, s: core.Stmt, env: Env) -> None:
        match s:
            case core.Set():
                self.set(s, env)
            case core.Move():
                self.move(s, env)
            case core.If():
                test = self.ex.scalar(s.condition, env)
                with self.writer.when(test):
                    self.ex.mark(s.span)
                    for inner in s.body:
                        self.statement(inner, env)
            case core.Each():
                self.each(s, env)
            case core.Attach():
                pass
            case _:
                assert_never(s)

    def each(self, s: core.Each, env: Env) -> None:
        over = self.ex.domain(s.domain, s.sort, env)

        def here(element: ir.Expr) -> None:
            inner = {**env, s.var: element}
            self.ex.prepare(s.guard, inner)
            self.prepare(s.body, inner)
            guard = ir.YES if s.guard is None else self.ex.scalar(s.guard, inner)
            with self.writer.when(guard):
                for statement in s.body:
                    self.statement(statement, inner)

        if isinstance(over, list):
            over = split(sum(1 << i for i in over), self.ex.count(s.sort))
        if isinstance(over, tuple):
            with each(self.writer, over) as element:
                here(element)
            return
        with self.writer.when(over.test):
            here(over.element)

    def set(self, s: core.Set, env: Env) -> None:
        index = None if s.index is None else self.writer.let(self.ex.scalar(s.index, env))
        if s.var in self.seen:
            self.claim(s, ir.ZERO if index is None else index)
        if s.var not in self.live and not self.ex.may_fail(s.value):
            return
        value = self.ex.words(s.value, env)
        slot = self.targets.get(s.var, self.ex.slots[s.var])
        if s.var not in self.live:
            for word in value:
                self.writer.let(word)
            return
        if s.add:
            (old,) = slot.load(index)
            value = (ir.plus(old, value[0]),)
            if value[0] == old:
                return
        if isinstance(s.value.type, core.IntType):
            value = (self.bounded(s, value[0]),)
        slot.store(self.writer, index, value)

    def bounded(self, s: core.Set, value: ir.Expr) -> ir.Expr:
        """A number that is written must stay below LARGE."""
        if isinstance(value, ir.Const) or (not s.add and self.ex.bounds.of(s.value) < LARGE):
            return value
        self.ex.bounds.of(s.value)
        value = self.writer.let(value)
        self.writer.fail_if(ir.either(ir.less(ir.Const(LARGE), value), ir.less(value, ir.Const(-LARGE))))
        return value

    def claim(self, s: core.Set, index: ir.Expr) -> None:
        """One place may be set once, or added to, not both."""
        sets, adds = self.seen[s.var]
        self.writer.fail_if(ir.binary("has", sets, index))
        if not s.add:
            self.writer.fail_if(ir.binary("has", adds, index))
        mine = adds if s.add else sets
        self.writer.emit(ir.Assign(mine, ir.binary("or", mine, ir.unary("bit", index))))

    def move(self, s: core.Move, env: Env) -> None:
        writer, ex = self.writer, self.ex
        tile = writer.let(ex.scalar(s.tile, env))
        mask: Words = tuple(writer.let(w) for w in single(tile, ex.count("tile")))
        source, target = (
            None if x is None else writer.let(ex.scalar(x, env)) for x in (s.source.index, s.target.index)
        )
        if self.moved:
            writer.fail_if(has(self.moved, tile))
            for word, bit in zip(self.moved, mask, strict=True):
                writer.emit(ir.Assign(word, ir.binary("or", word, bit)))
        if not isinstance(s.tile, core.Local) or (s.tile.name, place(s.source)) not in self.held:
            writer.fail_if(ir.negated(has(ex.slots[s.source.var].load(source), tile)))
        for var, index in ((s.source.var, source), (s.target.var, target)):
            if var not in self.live:
                continue
            slot = self.targets.get(var, ex.slots[var])
            slot.store(writer, index, zipped("xor", slot.load(index), mask))

    def check_range(self, name: str) -> None:
        """A declared range is a promise about every cell of a variable that was written."""
        var, slot = self.instance.vars[name], self.ex.slots[name]
        if var.low is None and var.high is None:
            return
        for i in [None] if var.per is None else range(slot.size):
            (value,) = slot.load(None if i is None else ir.Const(i))
            outside: ir.Expr = ir.NO
            if var.low is not None:
                outside = ir.either(outside, ir.less(value, ir.Const(var.low)))
            if var.high is not None:
                outside = ir.either(outside, ir.less(ir.Const(var.high), value))
            if var.init is None:
                outside = ir.both(ir.binary("ne", value, ir.Const(UNSET)), outside)
            self.writer.fail_if(outside)


# ---------------------------------------------------------------- what the form of a block says


def place(e: core.Read) -> Cell:
    """What is read; equal for reads of the same cell in the same state, if the index is simple."""
    match e.index:
        case None:
            return e.var, None
        case core.Lit(value=value):
            return e.var, value
        case core.Local(name=name):
            return e.var, ("name", name)
        case core.Read(var=var, index=None):
            return e.var, ("state", var)
        case _:
            return e.var, e


def lying(action: core.Action) -> Held:
    """Where the tiles lie that are chosen out of a zone, before anything is done."""
    return frozenset((p.name, place(read)) for p in action.params for read in _zones(p.domain))


def _zones(domain: core.Expr | None) -> list[core.Read]:
    """Sets of which a set is a part."""
    match domain:
        case core.Read():
            return [domain]
        case core.Op(name="inter", args=(a, b)):
            return [*_zones(a), *_zones(b)]
        case core.Op(name="minus", args=(a, _)) | core.Agg(kind="set", domain=a):
            return _zones(a)
        case _:
            return []


def hazards(ex: Expressions, block: core.Block) -> set[str]:
    """Variables that are read, in the order of the text, after they may have been written."""
    written: set[str] = set()
    found: set[str] = set()

    def visit(statements: core.Block) -> None:
        for s in statements:
            found.update(ex.reads.evaluating(s) & written)
            match s:
                case core.Set():
                    written.add(s.var)
                case core.Move():
                    written.update((s.source.var, s.target.var))
                case core.If():
                    visit(s.body)
                case core.Each():
                    visit(s.body)
                    found.update(ex.reads.evaluating(s) & written)
                    visit(s.body)
                case core.Attach():
                    pass

    visit(block)
    return found


def in_loop(block: core.Block, form: type[core.Move]) -> bool:
    """Does such a statement stand in a loop?"""
    for s in block:
        match s:
            case core.Each():
                if any(isinstance(x, form) for x in writes(s.body)):
                    return True
            case core.If():
                if in_loop(s.body, form):
                    return True
            case _:
                pass
    return False


def exclusive(block: core.Block, name: str, instance: core.Instance) -> bool:
    """Does the form of a block alone exclude that a place of this variable is set, and set again or added to?"""
    found: list[tuple[object, bool]] = []

    def visit(statements: core.Block, loops: tuple[str, ...]) -> None:
        for s in statements:
            match s:
                case core.Set() if s.var == name:
                    own = isinstance(s.index, core.Local) and loops == (s.index.name,)
                    fixed = s.index.value if isinstance(s.index, core.Lit) else "any"
                    found.append((fixed, not loops or own))
                case core.If():
                    visit(s.body, loops)
                case core.Each():
                    visit(s.body, (*loops, s.var))
                case _:
                    pass

    visit(block, ())
    if not all(once for _, once in found):
        return False
    places = [place for place, _ in found]
    return len(places) == 1 or ("any" not in places and len(set(places)) == len(places))
