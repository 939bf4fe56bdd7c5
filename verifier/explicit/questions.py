"""What the battery asks, answered by looking at every position of a small table.

An answer is yes, no, or nothing where the table was not gone through far enough; `Gone.answer` words it as a verdict.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

from domrules.grammar import core
from domrules.grammar.diagnostics import counted
from domrules.grammar.instance import specialise_expr
from domrules.grammar.reads import Reads
from domrules.interpreter.errors import RuleError
from domrules.interpreter.names import move_name
from domrules.interpreter.rules import Rules, overlap
from domrules.interpreter.state import State
from domrules.verifier.battery.play import zones
from domrules.verifier.battery.subject import Subject
from domrules.verifier.explicit import choosing
from domrules.verifier.explicit.explore import Explored, Limits, explore, match_reads
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import Witness

ANSWERED = ("always", "never", "reachable", "dealt", "settled")
"""Kinds of claims that looking at positions decides."""


@dataclass
class Gone:
    """A small table that has been gone through. `subject` is the table, as the battery has it."""

    subject: Subject
    limits: Limits = field(default_factory=Limits)
    counting: bool = False
    began: float = field(default_factory=time.perf_counter)

    @property
    def rules(self) -> Rules:
        return self.subject.rules

    @property
    def instance(self) -> core.Instance:
        return self.subject.instance

    @cached_property
    def all(self) -> Explored:
        """Everything. Raises TooLarge."""
        return explore(self.rules, counting=self.counting, limits=self.limits)

    @cached_property
    def with_moves(self) -> Gone:
        """The same table with positions apart that differ in the number of moves."""
        return self if self.counting else Gone(self.subject, self.limits, counting=True)

    @cached_property
    def counted(self) -> str:
        """How much was looked at, for people."""
        found = self.all
        starts = f", {found.matches} ways a match may stand" if found.matches > 1 else ""
        return f"all {len(found.states)} positions of all {found.deals} deals{starts}"

    @cached_property
    def hands(self) -> Mapping[str, Witness]:
        """To every ending that comes about, by name, a shortest hand: with the fewest tiles, and then the fewest moves."""
        found: dict[int, tuple[int, int, int]] = {}
        for number, state, ending in self.all.ended:
            size = (self.rules.on_table(state), self.all.depths[number], number)
            found[ending] = min(found.get(ending, size), size)
        return {self.instance.endings[e].name: self.all.witness(number) for e, (_, _, number) in found.items()}

    @cached_property
    def settles_all(self) -> bool:
        """Do the settlements depend on nothing but what was gone through?"""
        return self.all.later and match_reads(self.instance) <= set(self.all.lasting)

    @property
    def breaks(self) -> bool:
        """Does a rule break anywhere?"""
        return bool(self.all.broken) or any(isinstance(start.begun, RuleError) for start in self.all.starts)

    # ------------------------------------------------------------ verdicts

    def answer(self, item: str, holds: bool | None, details: Sequence[str] = (), witness: Witness | None = None, *,
               settling: bool = False, wanted: bool = False) -> Verdict:  # fmt: skip
        """A verdict. `settling`: about settlements; `wanted`: something must be possible, else nothing may happen."""
        if not self.all.starts:
            reason = "no deal is ever kept, so there is no round to speak of"
            return self.subject.verdict(item, Word.HOLLOW, since=self.began, reason=reason)
        complete = self.settles_all if settling else self.all.later
        rest = "" if complete else "anything about matches that stand otherwise before a round"
        if holds is None or (wanted and not holds and not complete):
            return self.subject.verdict(item, Word.UNKNOWN, since=self.began, reason=rest or "not decided")
        if holds and not wanted and rest:
            return self.subject.verdict(
                item, Word.HOLDS, method=self.counted, since=self.began, details=details, witness=witness, doesnt_say=rest,
                depth=1,
            )  # fmt: skip
        word = Word.EXHAUSTED if holds else Word.IMPOSSIBLE if wanted else Word.REFUTED
        return self.subject.verdict(item, word, method=self.counted, since=self.began, details=details, witness=witness)

    def hollow(self, item: str, reason: str) -> Verdict:
        return self.subject.verdict(item, Word.HOLLOW, method=self.counted, since=self.began, reason=reason)

    def skipped(self, item: str, reason: str) -> Verdict:
        return self.subject.verdict(item, Word.SKIPPED, since=self.began, reason=reason)

    def shown(self, number: int, more: str = "") -> tuple[Sequence[str], Witness]:
        """The way to a position, and what more there is to say."""
        return [more] if more else [], self.all.witness(number)

    def told(self, witness: Witness) -> list[str]:
        """The deal and the moves of a witness, for people."""
        moves = " ".join(witness.moves(self.instance))
        lines = [f"  {line}" for line in zones(self.instance, witness.dealt)]
        return [*lines, f"  played: {moves}" if moves else "  before the first move"]

    def never(self, item: str, numbers: Iterator[int], *, settling: bool = False) -> Verdict:
        """No position is among these."""
        number = next(numbers, None)
        if number is None:
            return self.answer(item, True, settling=settling)
        return self.answer(item, False, *self.shown(number), settling=settling)

    # ------------------------------------------------------------ roles

    def acting(self, *roles: str) -> Collection[int]:
        """Numbers of the actions with one of these roles."""
        return [i for i, a in enumerate(self.instance.actions) if a.role in roles]

    @cached_property
    def fish(self) -> Collection[int]:
        return [i for i, e in enumerate(self.instance.endings) if e.role == "fish"]

    @property
    def going(self) -> Iterator[tuple[int, State]]:
        """Positions whose round goes on."""
        for number in self.all.moves:
            yield number, self.all.states[number]

    def may(self, state: State) -> set[int]:
        """Which actions are legal."""
        return {move.action for move in self.rules.legal_moves(state)}


Asks = Callable[[Gone], Verdict]

# ---------------------------------------------------------------- tiles and beginnings


def d3(gone: Gone) -> Verdict:
    """Every tile lies in one zone."""
    cells = [cell for var, _, cell in gone.rules.layout.walk() if var.zone]
    full = gone.instance.sorts["tile"].full

    def split(state: State) -> bool:
        held = [int(state.cells[cell] or 0) for cell in cells]
        return sum(h.bit_count() for h in held) == full.bit_count() and sum(held) == full

    return gone.never("D3", (i for i, s in enumerate(gone.all.states) if not split(s)))


def starter(gone: Gone, item: str) -> Verdict:
    """S1, S2: every deal that is kept names somebody to begin, and only one."""
    movers = gone.instance.role("state", "mover")
    named = list(choosing.named(gone.instance, movers[0])) if movers else []
    if not named:
        return gone.skipped(item, "`begin` does not set the mover" if movers else "no state is `as mover`")
    candidates = choosing.Choosing(gone.rules)
    for start in gone.all.starts:
        for e in named:
            try:
                count = candidates.of(e, start.dealt).bit_count()
            except RuleError:
                return gone.answer(item, None)
            if count == 0 if item == "S1" else count > 1:
                return gone.answer(item, False, [f"  {line}" for line in zones(gone.instance, start.dealt)])
    return gone.answer(item, True)


# ---------------------------------------------------------------- moves


def stuck(gone: Gone, item: str) -> Verdict:
    """M1, E4: while the round goes on, something can be done."""
    broken = {b.at for b in gone.all.broken}
    return gone.never(item, (i for i, _ in gone.going if not gone.all.moves[i] and i not in broken))


def m2(gone: Gone) -> Verdict:
    """Who can play or draw cannot pass."""
    idle, busy = set(gone.acting("pass")), set(gone.acting("play", "draw"))
    if not idle or not busy:
        return gone.skipped("M2", "no action is `as pass`" if not idle else "no action is `as play` or `as draw`")

    if not any(ply.move.action in idle for made in gone.all.moves.values() for ply, _ in made):
        return gone.hollow("M2", "nobody ever passes")

    def both(number: int) -> bool:
        made = {ply.move.action for ply, _ in gone.all.moves[number]}
        return bool(made & idle and made & busy)

    return gone.never("M2", (i for i, _ in gone.going if both(i)))


def e1(gone: Gone) -> Verdict:
    """Every ending comes about."""
    missing = set(range(len(gone.instance.endings))) - {ending for _, _, ending in gone.all.ended}
    lines = [f"{gone.instance.endings[i].name} never comes about" for i in sorted(missing)]
    return gone.answer("E1", not missing, lines, wanted=True)


def e3(gone: Gone) -> Verdict:
    """Every round ends."""
    longest = gone.all.longest()
    lines = ["a round can go on for ever"] if longest is None else [f"after {longest} moves at most"]
    return gone.answer("E3", longest is not None, lines)


# ---------------------------------------------------------------- fish


def f1(gone: Gone) -> Verdict:
    """Once a fish is declared, nothing could be played any more, whatever else is done."""
    plays = set(gone.acting("play"))
    if not gone.fish or not plays:
        return gone.skipped("F1", "no ending is `as fish`" if not gone.fish else "no action is `as play`")
    ended = [(i, s) for i, s, e in gone.all.ended if e in gone.fish]
    if not ended:
        return gone.hollow("F1", "no round ends in a fish")
    return gone.never("F1", (i for i, s in ended if _plays_on(gone, s, plays)))


def _plays_on(gone: Gone, state: State, plays: Collection[int]) -> bool:
    """Can anything be played after passes and draws, if the round went on, whoever's turn it were?"""
    rules, cell = gone.rules, gone.rules.layout.cell("ending")
    uncounted = gone.rules.layout.cell("moves")

    def going(s: State) -> State:
        cells = list(s.cells)
        cells[cell], cells[uncounted] = None, 0
        return State(tuple(cells))

    movers = gone.instance.role("state", "mover")
    turns = [(mover, p) for mover in movers for p in range(gone.instance.players)]
    waiting = [going(rules.layout.put(state, {(mover, None): p})) for mover, p in turns]
    seen = {s.cells for s in waiting}
    for s in waiting:
        for move in rules.legal_moves(s):
            if move.action in plays:
                return True
            for outcome in rules.outcomes(s, move):
                after = going(rules.act(s, move, outcome))
                if after.cells not in seen:
                    seen.add(after.cells)
                    waiting.append(after)
    return False


def f2(gone: Gone) -> Verdict:
    """A fish can happen: with the fewest tiles, and then the fewest moves."""
    if not gone.fish or not gone.instance.role("zone", "layout"):
        return gone.skipped("F2", "no ending is `as fish`" if not gone.fish else "no zone is `as layout`")
    found = [(gone.rules.on_table(s), gone.all.depths[i], i) for i, s, e in gone.all.ended if e in gone.fish]
    if not found:
        return gone.answer("F2", False, wanted=True)
    tiles, moves, number = min(found)
    lines, witness = gone.shown(number)
    first = f"{counted(tiles, 'tile')}, {counted(moves, 'move')}"
    if not gone.all.later:
        return gone.answer("F2", None)
    return gone.answer("F2", True, [first, *lines], witness, wanted=True)


def f3(gone: Gone) -> Verdict:
    """When everybody in turn could only pass, the round is over."""
    idle = set(gone.acting("pass"))
    if not gone.fish or not idle:
        return gone.skipped("F3", "no ending is `as fish`" if not gone.fish else "no action is `as pass`")
    passing = {
        i: [after for _, after in made]
        for i, made in gone.all.moves.items()
        if made and all(ply.move.action in idle for ply, _ in made)
    }
    if not passing:
        return gone.hollow("F3", "nobody ever has to pass")
    return gone.never("F3", (i for i in passing if _round_of_passes(gone, passing, i)))


def _round_of_passes(gone: Gone, passing: Mapping[int, Sequence[int]], number: int) -> bool:
    """Do as many forced passes as there are players leave the round going on?"""
    level = {number}
    for _ in range(gone.instance.players):
        level = {after for i in level for after in passing.get(i, ())}
    return any(i in gone.all.moves for i in level)


# ---------------------------------------------------------------- rules that break

SENTENCES = {
    "W1": ("is written twice in one step", "is set and added to in one step"),
    "W2": ("a tile is moved twice in one step", "the tile to be moved is not in"),
    "W3": (", outside ",),
}
"""What the interpreter says when a rule breaks; what is none of these is a promise, W4."""


def kind(error: RuleError) -> str:
    """The item of a rule that breaks."""
    return next((item for item, parts in SENTENCES.items() if any(p in error.sentence for p in parts)), "W4")


def breaks(gone: Gone, item: str) -> Verdict:
    """W1 to W4: no rule of this kind breaks."""
    begun = [s for s in gone.all.starts if isinstance(s.begun, RuleError)]
    for start in begun:
        assert isinstance(start.begun, RuleError)
        if kind(start.begun) == item:
            lines = [f"  {line}" for line in zones(gone.instance, start.dealt)]
            return gone.answer(item, False, [*lines, start.begun.sentence])
    for broken in gone.all.broken:
        if kind(broken.error) == item:
            by = f"then {move_name(gone.instance, broken.ply.move, broken.ply.outcome)}: " if broken.ply else ""
            return gone.answer(item, False, *gone.shown(broken.at, by + broken.error.sentence))
    return gone.answer(item, None if gone.breaks else True, settling=True)


# ---------------------------------------------------------------- settlements


def c1(gone: Gone) -> Verdict:
    """Every settlement has a row for every ended round."""
    some = [uncovered(s) for s in gone.instance.settles if not s.complete]
    return _settlements(gone, "C1", some)


def c2(gone: Gone) -> Verdict:
    """No two rows of a strict settlement hold at once."""
    for broken in gone.all.broken:
        if broken.settling and "two rows of a strict settlement" in broken.error.sentence:
            return gone.answer("C2", False, *gone.shown(broken.at))
    return _settlements(gone, "C2", [overlap(s) for s in gone.instance.settles if s.strict])


def _settlements(gone: Gone, item: str, bad: Sequence[core.Expr]) -> Verdict:
    if not gone.instance.settles:
        return gone.skipped(item, "nothing is settled")
    if len(bad) > 1 or any(b.settling for b in gone.all.broken):
        return gone.answer(item, None)  # a later settlement sees what an earlier one wrote
    tests = [gone.rules.question(e) for e in bad]
    return gone.never(item, (i for i, s, _ in gone.all.ended if any(test(s) for test in tests)), settling=True)


def uncovered(settle: core.Settle) -> core.Expr:
    """Is there no row, for the table or for one of its elements?"""
    none = core.conjunction([core.negation(row.test) for row in settle.rows])
    if settle.var is None or settle.sort is None:
        return none
    return core.Agg("any", settle.var, settle.sort, None, None, none, core.BOOL, settle.span)


# ---------------------------------------------------------------- claims


def claim(gone: Gone, c: core.Claim) -> Verdict:
    """A claim about positions. Raises BadFile when it names what the table has not."""
    body = specialise_expr(gone.instance, c.body)
    gone = gone.with_moves if "moves" in Reads(gone.instance).variables(body) else gone
    holds = gone.rules.question(body)
    match c.kind:
        case "reachable":
            number = next((i for i, s in enumerate(gone.all.states) if holds(s)), None)
            if number is None:
                return gone.answer(c.name, False, wanted=True)
            return gone.answer(c.name, True, *gone.shown(number), wanted=True)
        case "dealt":
            return _dealt(gone, c, holds)
        case "settled":
            numbers = (i for i, s in gone.all.settled.items() if not holds(s))
            return gone.never(c.name, numbers, settling=True)
        case _:
            wrong = c.kind == "never"
            return gone.never(c.name, (i for i, s in enumerate(gone.all.states) if bool(holds(s)) == wrong))


def _dealt(gone: Gone, c: core.Claim, holds: Callable[[State], bool]) -> Verdict:
    for start in gone.all.starts:
        state = start.dealt if isinstance(start.begun, RuleError) else gone.all.states[start.begun]
        if not holds(state):
            return gone.answer(c.name, False, [f"  {line}" for line in zones(gone.instance, start.dealt)])
    return gone.answer(c.name, True)


QUESTIONS: Mapping[str, Asks] = {
    "D3": d3,
    "S1": partial(starter, item="S1"),
    "S2": partial(starter, item="S2"),
    "M1": partial(stuck, item="M1"),
    "M2": m2,
    "E1": e1,
    "E3": e3,
    "E4": partial(stuck, item="E4"),
    "F1": f1,
    "F2": f2,
    "F3": f3,
    "C1": c1,
    "C2": c2,
    "W1": partial(breaks, item="W1"),
    "W2": partial(breaks, item="W2"),
    "W3": partial(breaks, item="W3"),
    "W4": partial(breaks, item="W4"),
}
"""Items that going through a table decides."""


def ask(gone: Gone, asked: str | core.Claim) -> Verdict | None:
    """The verdict of an item or claim; None when looking at positions does not decide it. Raises TooLarge, BadFile."""
    gone.began = time.perf_counter()
    try:
        if isinstance(asked, core.Claim):
            return claim(gone, asked) if asked.kind in ANSWERED else None
        return QUESTIONS[asked](gone) if asked in QUESTIONS else None
    except RuleError as error:
        name = asked if isinstance(asked, str) else asked.name
        return gone.subject.verdict(name, Word.UNKNOWN, since=gone.began, reason=f"a rule breaks: {error.sentence}")
