"""core.Instance → a program that plays whole matches: deals, rounds, settlement, exactly as `interpreter.play` does.

Chance is asked in the same order and the digest takes the same numbers, so match (seed, index) is the same match in
every engine. What is noted of a match is a `Recorder`'s business.
"""

from __future__ import annotations

from collections.abc import Sequence

from domrules.compiler import ir
from domrules.compiler.blocks import Blocks, lying
from domrules.compiler.expressions import Expressions
from domrules.compiler.live import live
from domrules.compiler.moves import Moves, Plan
from domrules.compiler.prune import prune
from domrules.compiler.reuse import reuse
from domrules.compiler.store import literal, unset
from domrules.compiler.writer import Env, Words, Writer, single, size, split, zipped
from domrules.grammar import core
from domrules.interpreter.limits import LIMITS, Limits


class Recorder:
    """Writes down what is wanted of a match; every method is called where its code belongs, and does nothing by itself."""

    digest = False
    """Is the digest of the trace wanted?"""

    def open(self, lowering: Lowering) -> None:
        """Before all matches: arrays and locals."""

    def match_begins(self) -> None:
        """Before the first round."""

    def round_begins(self) -> None:
        """After the begin blocks."""

    def chosen(self, n: ir.Expr) -> None:
        """A move is about to be chosen out of n."""

    def acted(self, action: core.Action) -> None:
        """A move was made; endings are not looked at yet."""

    def round_ended(self) -> None:
        """Before the settlements."""

    def settling(self, number: int) -> None:
        """Before this settlement."""

    def settled(self) -> None:
        """After the settlements."""

    def match_ended(self, winners: Words) -> None:
        """After the last round."""


class Lowering:
    """Writes the program of one instance."""

    def __init__(
        self,
        instance: core.Instance,
        recorder: Recorder,
        eager: int,
        limits: Limits = LIMITS,
        policies: Sequence[str] = (),
        kind: type[Expressions] = Expressions,
    ) -> None:
        self.instance, self.recorder, self.limits = instance, recorder, limits
        self.writer = Writer()
        self.first, self.last = self.writer.local(), self.writer.local()
        self.ex = kind(instance, self.writer, eager)
        self.live = live(self.ex)
        self.blocks = Blocks(self.ex, self.live)
        self.moves = Moves(self.blocks)
        self.choosing = None
        if set(policies) - {"random"}:
            from domrules.compiler.choosing import Choosing  # loads the interpreter

            self.choosing = Choosing(self.moves, policies)
        self.game, self.rounds, self.plies = (self.writer.local() for _ in range(3))
        (self.ending,) = self.ex.slots["ending"].locals
        self.stock = instance.role("zone", "stock")[0]

    def program(self) -> ir.Program:
        """All of it. Raises Unsupported."""
        writer = self.writer
        at = writer.array(1, "at")
        self.recorder.open(self)
        writer.emit(ir.Assign(self.game, self.first))
        with writer.loop(ir.less(self.game, self.last)):
            writer.emit(ir.Store(at, ir.ZERO, self.game))
            self.match()
            writer.emit(ir.Assign(self.game, ir.plus(self.game, ir.ONE)))
        return writer.program()

    # ------------------------------------------------------------ matches

    def match(self) -> None:
        writer = self.writer
        self.ex.hot = False
        writer.emit(ir.Seed(self.game))
        if self.recorder.digest:
            writer.emit(ir.Clear())
        self.reset(core.Life.MATCH)
        writer.emit(ir.Assign(self.rounds, ir.ZERO))
        self.recorder.match_begins()
        running = writer.fresh(ir.YES)
        with writer.loop(running):
            writer.fail_if(ir.equal(self.rounds, ir.Const(self.limits.rounds)))
            self.round()
            writer.emit(ir.Assign(self.rounds, ir.plus(self.rounds, ir.ONE)))
            writer.emit(ir.Assign(running, ir.negated(self.ex.scalar(self.instance.over, {}))))
        writer.forget()
        self.recorder.match_ended(self.ex.words(self.instance.winners, {}))
        writer.forget()

    def reset(self, life: core.Life) -> None:
        """Variables of this lifetime at their first values; those that are computed may read earlier ones."""
        for name, var in self.instance.vars.items():
            if not var.zone and var.life is life and isinstance(var.init, core.Lit | None):
                self.fill(name, self.initial(var))
        for name, var in self.instance.vars.items():
            if not var.zone and var.life is life and not isinstance(var.init, core.Lit | None):
                self.fill(name, tuple(self.writer.let(w) for w in self.ex.words(var.init, {})))
                self.writer.forget()
        self.writer.forget()

    def initial(self, var: core.Var) -> Words:
        if isinstance(var.init, core.Lit) and not isinstance(var.init.value, str | tuple):
            return literal(self.instance, var.init.value, var.type)
        return (unset(var),) if var.name in self.live else (ir.NO if isinstance(var.type, core.BoolType) else ir.NONE,)

    def fill(self, name: str, value: Words) -> None:
        """All places of a variable."""
        slot, per = self.ex.slots[name], self.instance.vars[name].per
        if name not in self.live:
            return
        for i in [None] if per is None else map(ir.Const, range(slot.size)):
            slot.store(self.writer, i, value)

    # ------------------------------------------------------------ rounds

    def round(self) -> None:
        """Deal, begin, moves until an ending, settlement."""
        writer, ex = self.writer, self.ex
        ex.know(set())
        ex.hot = False
        self.deal()
        for block in self.instance.begin:
            self.blocks.block(block, {})
            ex.know(ex.given | certain(self.instance, block))
        ex.hot = True
        writer.emit(ir.Assign(self.plies, ir.ZERO))
        self.recorder.round_begins()
        self.look(True)
        writer.forget()
        with writer.loop(ir.less(self.ending, ir.ZERO)):
            writer.fail_if(ir.equal(self.plies, ir.Const(self.limits.moves)))
            self.ply()
            writer.emit(ir.Assign(self.plies, ir.plus(self.plies, ir.ONE)))
            self.look(False)
            writer.forget()
        writer.forget()
        ex.hot = False
        self.recorder.round_ended()
        for number, settle in enumerate(self.instance.settles):
            self.recorder.settling(number)
            if settle.strict:
                self.overlap(settle)
            self.blocks.block(settle.block(), {})
        self.recorder.settled()
        self.score()

    def score(self) -> None:
        """The scores, for the digest."""
        if self.recorder.digest:
            self.writer.emit(*map(ir.Feed, self.scores()))

    def scores(self) -> list[ir.Expr]:
        """All score cells."""
        return [cell for name in self.instance.role("state", "score") for cell in self.ex.slots[name].cells()]

    def overlap(self, settle: core.Settle) -> None:
        """A strict settlement promises that no two of its rows hold at once; `otherwise` does not count."""
        tests = [row.test for row in settle.rows if not core.is_lit(row.test, True)]
        pairs = [core.conjunction([a, b]) for i, a in enumerate(tests) for b in tests[i + 1 :]]
        if not pairs:
            return
        some = core.negation(core.conjunction([core.negation(pair) for pair in pairs]))
        if settle.var is not None and settle.sort is not None:
            some = core.Agg("any", settle.var, settle.sort, None, None, some, core.BOOL, settle.span)
        self.writer.fail_if(self.ex.scalar(some, {}))

    def deal(self) -> None:
        """Mix and deal until the rules keep it."""
        writer = self.writer
        if core.is_lit(self.instance.redeal, False):
            self.new_round()
            return
        again, deals = writer.fresh(ir.YES), writer.fresh(ir.ZERO)
        with writer.loop(again):
            writer.fail_if(ir.equal(deals, ir.Const(self.limits.deals)))
            writer.emit(ir.Assign(deals, ir.plus(deals, ir.ONE)))
            self.new_round()
            writer.emit(ir.Assign(again, self.ex.scalar(self.instance.redeal, {})))
        writer.forget()

    def new_round(self) -> None:
        """All tiles in the stock, states of a round at their first values; then the deals in order."""
        tiles = self.instance.sorts["tile"].full
        count = self.ex.count("tile")
        for name, var in self.instance.vars.items():
            if var.zone:
                self.fill(name, split(tiles if name == self.stock else 0, count))
        self.reset(core.Life.ROUND)
        stock = self.instance.sorts["tile"].size
        for number, source, target in self.instance.deals:
            if number:
                dealt = number * self.ex.slots[target].size
                enough = source == self.stock != target and dealt <= stock
                stock -= dealt if enough else stock
                self.hand_out(number, source, target, enough)
        self.writer.forget()

    def hand_out(self, number: int, source: str, target: str, enough: bool) -> None:
        """So many tiles to every cell of the target, one by one; `enough`: the source has them in any case."""
        writer, ex = self.writer, self.ex
        origin = ex.slots[source]
        first = None if self.instance.vars[source].per is None else ir.ZERO
        rest = tuple(writer.fresh(w) for w in origin.load(first))
        pool, n, cell = writer.pool(rest), writer.fresh(size(rest)), writer.fresh(ir.ZERO)
        with writer.loop(ir.less(cell, ir.Const(ex.slots[target].size))):
            got, end = tuple(writer.fresh(ir.ZERO) for _ in rest), writer.fresh(ir.binary("sub", n, ir.Const(number)))
            with writer.loop(ir.less(end, n)):
                if not enough:
                    writer.fail_if(ir.equal(n, ir.ZERO))
                tile = writer.local()
                writer.emit(ir.Take(tile, pool, self.draw(n)))
                for word, bit in zip(got, single(tile, len(got)), strict=True):
                    writer.emit(ir.Assign(word, ir.binary("or", word, bit)))
                writer.emit(ir.Assign(n, ir.binary("sub", n, ir.ONE)))
            for word, taken in zip(rest, got, strict=True):
                writer.emit(ir.Assign(word, ir.binary("xor", word, taken)))
            if target in self.live:
                index = None if self.instance.vars[target].per is None else cell
                goal = ex.slots[target]
                goal.store(writer, index, zipped("or", goal.load(index), got))
            writer.emit(ir.Assign(cell, ir.plus(cell, ir.ONE)))
        origin.store(writer, first, rest)

    # ------------------------------------------------------------ moves

    def draw(self, n: ir.Expr) -> ir.Local:
        """An event that chance decides."""
        k = self.writer.local()
        self.writer.emit(ir.Draw(k, n))
        if self.recorder.digest:
            self.writer.emit(ir.Feed(n), ir.Feed(k))
        return k

    def ply(self) -> None:
        """Count the moves, choose one, make it."""
        writer = self.writer
        plans = [self.moves.plan(a) for a in self.instance.actions]
        n: ir.Expr = ir.ZERO
        for plan in plans:
            n = ir.plus(n, plan.count)
        n = writer.let(n)
        writer.fail_if(ir.equal(n, ir.ZERO))
        self.recorder.chosen(n)
        possible = [plan for plan in plans if plan.count != ir.ZERO]
        self.moves.choose(possible, self.chosen(possible, n), self.act)

    def chosen(self, plans: Sequence[Plan], n: ir.Expr) -> ir.Local:
        """The place of a move among all n: any, or what the seats' policies say."""
        if self.choosing is None:
            return self.draw(n)
        k = self.choosing.choose(plans, n)
        if self.recorder.digest:
            self.writer.emit(ir.Feed(n), ir.Feed(k))
        return k

    def act(self, plan: Plan, env: Env) -> None:
        """Make a move: what fate adds, then the blocks."""
        action = plan.action
        env = self.moves.fate(action, env, self.draw)
        for i, block in enumerate(action.blocks):
            self.blocks.block(block, env, frozenset() if i else lying(action))
        if "moves" in self.live:
            (moves,) = self.ex.slots["moves"].locals
            self.writer.emit(ir.Assign(moves, ir.plus(moves, ir.ONE)))
        self.recorder.acted(action)

    def look(self, at_start: bool) -> None:
        """The first ending that holds is written down."""
        eligible = [(i, e) for i, e in enumerate(self.instance.endings) if e.at_start or not at_start]
        self.writer.forget()
        self.first_that_holds(eligible)

    def first_that_holds(self, endings: Sequence[tuple[int, core.Ending]]) -> None:
        if not endings:
            return
        (number, ending), rest = endings[0], endings[1:]
        test = self.ex.scalar(ending.when, {})
        with self.writer.inside() as more:
            self.first_that_holds(rest)
        here: ir.Body = (ir.Assign(self.ending, ir.Const(number)),)
        if isinstance(test, ir.Truth):
            self.writer.emit(*(here if test.value else more))
        else:
            self.writer.emit(ir.If(test, here, tuple(more)))


def certain(instance: core.Instance, block: core.Block) -> set[str]:
    """Variables that a block gives a value in any case."""
    return {s.var for s in block if isinstance(s, core.Set) and not s.add and instance.vars[s.var].per is None}


def lower(
    instance: core.Instance,
    recorder: Recorder,
    eager: int,
    limits: Limits = LIMITS,
    policies: Sequence[str] = (),
    kind: type[Expressions] = Expressions,
) -> ir.Program:
    """The program of an instance; without `policies`, one for each seat, all moves are random. Raises Unsupported."""
    return prune(reuse(Lowering(instance, recorder, eager, limits, policies, kind).program()))
