"""Every position of a small table, found by the interpreter: all deals, all moves, all fates, all rounds of a match.

Positions that differ in the number of moves only are one, if no rule reads that number. They are found in the order of
moves, so the first way to a position is a shortest one. A later round starts from what earlier rounds can leave behind;
two ways a match may stand are alike when they agree in all that a round reads, and in what is needed to know that later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from domrules.grammar import core
from domrules.grammar.reads import Reads, statements
from domrules.interpreter.errors import RuleError
from domrules.interpreter.play import Ply
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State, elements
from domrules.verifier.witness import Witness

Cells = tuple[core.Value, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """When to give up: positions, and ways a match may stand before a round."""

    positions: int = 100_000
    matches: int = 200


class TooLarge(Exception):
    """The table is not small: says what there is too much of, in a sentence."""


class OutOfTime(TooLarge):
    """The time that was allowed is over."""


@dataclass(frozen=True, slots=True)
class Start:
    """A deal that is kept; `begun` is a position by number, or the rule that breaks when the round begins."""

    dealt: State
    begun: int | RuleError


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that breaks: in which position, with which move if it is one; `settling`: when the round is settled."""

    error: RuleError
    at: int
    ply: Ply | None = None
    settling: bool = False


@dataclass
class Explored:
    """All positions by number, with the first way to each, and all moves between them."""

    rules: Rules
    states: list[State] = field(default_factory=list)
    starts: list[Start] = field(default_factory=list)
    parents: list[tuple[int, Ply] | int] = field(default_factory=list)
    """The position before and the move; or the number of a start."""
    depths: list[int] = field(default_factory=list)
    """The fewest moves from a deal."""
    moves: dict[int, list[tuple[Ply, int]]] = field(default_factory=dict)
    """Of every position whose round goes on."""
    settled: dict[int, State] = field(default_factory=dict)
    broken: list[Broken] = field(default_factory=list)
    deals: int = 0
    matches: int = 0
    """Ways a match stood before a round."""
    lasting: tuple[str, ...] = ()
    """What of a match rounds can depend on."""
    later: bool = True
    """Have the beginnings of all rounds of all matches been gone through, not only of some?"""

    @property
    def ended(self) -> Iterator[tuple[int, State, int]]:
        """(number, position, ending) of every round that has ended."""
        for number, state in enumerate(self.states):
            ending = self.rules.ending(state)
            if ending is not None:
                yield number, state, ending

    def witness(self, number: int) -> Witness:
        """A shortest way to a position."""
        plies: list[Ply] = []
        reached, at = self.states[number], self.parents[number]
        while not isinstance(at, int):
            plies.append(at[1])
            at = self.parents[at[0]]
        return Witness(self.starts[at].dealt, tuple(reversed(plies)), reached)

    def longest(self) -> int | None:
        """The most moves a round can take; None when it can go on for ever."""
        waiting = dict.fromkeys(range(len(self.states)), 0)
        for followers in self.moves.values():
            for _, after in followers:
                waiting[after] += 1
        best = dict.fromkeys(waiting, 0)
        free = [number for number, count in waiting.items() if not count]
        done = 0
        for number in free:
            done += 1
            for _, after in self.moves.get(number, ()):
                best[after] = max(best[after], best[number] + 1)
                waiting[after] -= 1
                if not waiting[after]:
                    free.append(after)
        return max(best.values(), default=0) if done == len(self.states) else None


def explore(rules: Rules, *, counting: bool = False, limits: Limits = Limits()) -> Explored:
    """Go through everything. `counting`: positions differ by the number of moves, too. Raises TooLarge."""
    return _Explorer(rules, counting, limits).run()


class _Explorer:
    def __init__(self, rules: Rules, counting: bool, limits: Limits) -> None:
        self.rules, self.limits, self.instance = rules, limits, rules.instance
        self.out = Explored(rules)
        self.known: dict[Cells, int] = {}
        self.lasting = self.out.lasting = lasting(self.instance)
        counts = counting or "moves" in read_anywhere(self.instance)
        self.uncounted = None if counts else rules.layout.cell("moves")

    def run(self) -> Explored:
        first = self.rules.new_match()
        waiting, seen = [first], {self.standing(first)}
        cut_off = set[Cells]()
        cells = every_deal(self.rules)
        while waiting:
            match = waiting.pop(0)
            if self.out.matches == self.limits.matches:
                self.out.later = False
                break
            self.out.matches += 1
            for settled, over in self.rounds(match, cells):
                if (standing := self.standing(settled)) not in seen and not over:
                    seen.add(standing)
                    waiting.append(settled)
                elif over:
                    cut_off.add(standing)
        if cut_off - seen and not self.tells(self.instance.over):
            self.out.later = False
        self.shorten()
        return self.out

    def shorten(self) -> None:
        """Give every position a shortest way, whatever round it was found in."""
        out = self.out
        begun = {start.begun: i for i, start in reversed([*enumerate(out.starts)]) if isinstance(start.begun, int)}
        level, seen, depth = sorted(begun), set(begun), 0
        for number in level:
            out.parents[number] = begun[number]
        while level:
            following: list[int] = []
            for number in level:
                out.depths[number] = depth
                for ply, after in out.moves.get(number, ()):
                    if after not in seen:
                        seen.add(after)
                        out.parents[after] = (number, ply)
                        following.append(after)
            level, depth = following, depth + 1
        if self.uncounted is not None:
            moves = ("moves", None)
            out.states = [self.rules.layout.put(s, {moves: d}) for s, d in zip(out.states, out.depths, strict=True)]

    def standing(self, match: State) -> Cells:
        """What a later round can depend on."""
        return tuple(match.cells[cell] for cell in self.rules.layout.select(self.lasting))

    def tells(self, e: core.Expr) -> bool:
        """Does what is kept apart between rounds decide this?"""
        reads = _variables(self.instance, [e])
        return all(self.instance.vars[v].life is core.Life.ROUND or v in self.lasting for v in reads)

    # ------------------------------------------------------------ one way the match stands

    def rounds(self, match: State, dealt: Sequence[Mapping[int, int]]) -> Iterator[tuple[State, bool]]:
        """All rounds from there; gives what they are settled to, and whether the match is over then."""
        fresh = self.rules.new_round(match)
        level: list[int] = []
        for zones in dealt:
            cells = list(fresh.cells)
            for cell, held in zones.items():
                cells[cell] = held
            level += self.begin(State(tuple(cells)))
        for number in level:
            if self.rules.ending(self.out.states[number]) is None:
                level += self.follow(number)
            else:
                yield from self.settle(number)

    def begin(self, dealt: State) -> list[int]:
        """The position a deal begins with, if it is a new one."""
        self.out.deals += 1
        try:
            if self.rules.wants_redeal(dealt):
                return []
            begun = self.rules.begin(dealt)
        except RuleError as error:
            self.out.starts.append(Start(dealt, error))
            return []
        number, new = self.number(begun, len(self.out.starts))
        self.out.starts.append(Start(dealt, number))
        return [number] if new else []

    def follow(self, number: int) -> list[int]:
        """All moves of a position; the new positions among those they lead to."""
        state, found, rules = self.out.states[number], list[int](), self.rules
        followers = self.out.moves[number] = []
        try:
            plies = [
                Ply(rules.mover(state), move, outcome)
                for move in rules.legal_moves(state)
                for outcome in rules.outcomes(state, move)
            ]
        except RuleError as error:
            self.out.broken.append(Broken(error, number))
            return []
        for ply in plies:
            try:
                after = rules.act(state, ply.move, ply.outcome)
            except RuleError as error:
                self.out.broken.append(Broken(error, number, ply))
                continue
            reached, new = self.number(after, (number, ply))
            followers.append((ply, reached))
            if new:
                found.append(reached)
        return found

    def settle(self, number: int) -> Iterator[tuple[State, bool]]:
        try:
            settled = self.out.settled[number] = self.rules.settle(self.out.states[number])
            yield settled, self.rules.over(settled)
        except RuleError as error:
            self.out.broken.append(Broken(error, number, settling=True))

    def number(self, state: State, parent: tuple[int, Ply] | int) -> tuple[int, bool]:
        """The number of a position, and whether it is new."""
        cells = state.cells
        if self.uncounted is not None:
            cells = (*cells[: self.uncounted], 0, *cells[self.uncounted + 1 :])
        number = self.known.get(cells)
        if number is not None:
            return number, False
        number = self.known[cells] = len(self.out.states)
        if number >= self.limits.positions:
            raise TooLarge(f"there are more than {self.limits.positions} positions")
        self.out.states.append(State(cells))
        self.out.parents.append(parent)
        self.out.depths.append(0)
        return number, True


# ---------------------------------------------------------------- deals


def every_deal(rules: Rules) -> list[dict[int, int]]:
    """Every way the tiles may lie after the deals: for each zone cell the tiles, as a mask."""
    layout, instance = rules.layout, rules.instance
    zones = {cell: 0 for var, _, cell in layout.walk() if var.zone}
    zones[layout.cell(rules.stock)] = instance.sorts["tile"].full
    found = [zones]
    for count, source, target in instance.deals:
        origin = layout.cell(source)
        for goal in layout.cells(target):
            found = [after for before in found for after in _handed(before, count, origin, goal)]
    return found


def _handed(before: Mapping[int, int], count: int, origin: int, goal: int) -> Iterator[dict[int, int]]:
    """The deal so far, with `count` tiles more in a cell: every choice of them."""
    for some in combinations(elements(before[origin]), count):
        mask = sum(1 << tile for tile in some)
        yield {**before, origin: before[origin] & ~mask, goal: before[goal] | mask}


# ---------------------------------------------------------------- what depends on what


def lasting(instance: core.Instance) -> tuple[str, ...]:
    """States of the match that rounds can depend on: those a round reads, and those that what is written to them depends on."""
    needed = _variables(instance, _of_rounds(instance))
    written = [s for block in _blocks(instance) for s in statements(block)]
    reads = Reads(instance)
    while True:
        more = needed.copy()
        for settle in instance.settles:
            goals = {s.var for row in settle.rows for s in statements(row.body) if isinstance(s, core.Set)}
            if goals & needed:
                more |= _variables(instance, [row.test for row in settle.rows])
                more |= {v for row in settle.rows for s in statements(row.body) for v in _read_by(reads, s)}
        for s in written:
            if isinstance(s, core.Set) and s.var in needed:
                more |= set(_read_by(reads, s))
        if more == needed:
            return tuple(v.name for v in instance.vars.values() if v.name in needed and v.life is core.Life.MATCH)
        needed = more


def match_reads(instance: core.Instance) -> set[str]:
    """States of the match that settlements read."""
    reads, found = Reads(instance), set[str]()
    for settle in instance.settles:
        found |= _variables(instance, [row.test for row in settle.rows])
        found |= {v for row in settle.rows for s in statements(row.body) for v in _read_by(reads, s)}
    return {v for v in found if instance.vars[v].life is core.Life.MATCH}


def read_anywhere(instance: core.Instance) -> set[str]:
    """All variables that some rule reads."""
    reads = Reads(instance)
    found = _variables(instance, [*_of_rounds(instance), instance.over, instance.winners])
    for settle in instance.settles:
        found |= _variables(instance, [row.test for row in settle.rows])
        found |= {v for row in settle.rows for s in statements(row.body) for v in _read_by(reads, s)}
    return found


def _variables(instance: core.Instance, es: Sequence[core.Expr]) -> set[str]:
    reads = Reads(instance)
    return {v for e in es for v in reads.variables(e)}


def _blocks(instance: core.Instance) -> list[core.Block]:
    return [*instance.begin, *(block for action in instance.actions for block in action.blocks)]


def _of_rounds(instance: core.Instance) -> list[core.Expr]:
    """Every expression that is looked at from a deal to an ending."""
    found = [instance.redeal, *(e.when for e in instance.endings)]
    found += [v.init for v in instance.vars.values() if v.init is not None and v.life is core.Life.ROUND]
    for action in instance.actions:
        found += [action.guard, *(p.domain for p in action.params if p.domain is not None)]
    return found + core.expressions(*_blocks(instance))


def _read_by(reads: Reads, s: core.Stmt) -> Iterator[str]:
    for e in core.expressions((s,)):
        yield from reads.variables(e)
