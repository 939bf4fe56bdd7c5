"""M6: everybody's turn comes. M7: a turn ends. E3: a round ends, after so many moves at the latest. F3: a fish is declared.

Two observations carry the last three. Tiles go from zone to zone; where no way leads back, only so many moves can move one.
And so many moves in a row that move none cannot be: of that the solver is asked, from any position.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from domrules.grammar import core
from domrules.grammar.diagnostics import counted
from domrules.grammar.reads import statements
from domrules.interpreter.errors import RuleError
from domrules.interpreter.names import Move, move_name
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.verifier import symbols
from domrules.verifier.battery.asking import enabled, guards, met, with_role
from domrules.verifier.battery.moves import IN_PLAY, NO_PLAY
from domrules.verifier.battery.play import Situation
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import FALSE, Bit
from domrules.verifier.facts import Fact, asked
from domrules.verifier.relation import MOVES, NoDeal, Relation
from domrules.verifier.solver import Answer, Result, solve
from domrules.verifier.verdict import Verdict, Word

TURNS = ("play", "draw", "pass")
"""Roles of the actions that are a turn, or part of one; others (a lot, a call) may hand the turn to anybody."""

# ---------------------------------------------------------------- M6


def m6(subject: Subject) -> Verdict:
    """Within as many turns as there are players everybody has had one."""
    started = time.perf_counter()
    instance = subject.instance
    movers = instance.role("state", "mover")
    if not movers:
        return subject.verdict("M6", Word.SKIPPED, since=started, reason="no state is `as mover`")
    if not with_role(instance, *TURNS):
        return subject.verdict(
            "M6", Word.SKIPPED, since=started, reason="no action is `as play`, `as draw` or `as pass`"
        )
    left_out = met(subject, lambda rules, s: _left_out(rules, s) is not None, IN_PLAY)
    if left_out is not None:
        name = instance.sorts["player"].names[_left_out(subject.rules, left_out) or 0]
        return subject.verdict(
            "M6", Word.REFUTED, method="random play", since=started, witness=left_out.witness,
            details=[f"{name} is left out", left_out.place(subject.seed)],
        )  # fmt: skip
    names, order = instance.sorts["player"].names, _order(subject)
    if not _one_circle(order, instance.players):
        reason = "whose turn comes next is not always the same, and no play was found that leaves somebody out"
        return subject.verdict("M6", Word.UNKNOWN, since=started, reason=reason)
    next_one = {p: min(after) for p, after in order.items()}
    for known in ((), subject.proved):
        result = _breaks_order(subject, movers[0], next_one, known)
        if result.answer is Answer.NO:
            text = ", ".join(f"{names[p]} to {names[q]}" for p, q in next_one.items())
            details = [f"a turn goes from {text}"]
            return subject.verdict("M6", Word.PROVED, method="any one move", since=started, details=details)
    return subject.verdict("M6", Word.UNKNOWN, since=started, reason=result.reason or NO_PLAY)


def _left_out(rules: Rules, s: Situation) -> int | None:
    """A player who had no turn in the last so many turns."""
    count, in_turn = rules.instance.players, with_role(rules.instance, *TURNS)
    turns: list[int] = []
    for player in [*(ply.mover for ply in s.plies if ply.move.action in in_turn), rules.mover(s.state)]:
        if player is not None and (not turns or turns[-1] != player):
            turns.append(player)
    last = turns[-count:]
    missing = set(range(count)) - set(last)
    return min(missing) if len(last) == count and missing and rules.ending(s.state) is None else None


def _order(subject: Subject) -> dict[int, set[int]]:
    """To whom else a turn has gone from each player, in random play."""
    order: dict[int, set[int]] = {}
    in_turn = with_role(subject.instance, *TURNS)

    def gather(rules: Rules, s: Situation) -> bool:
        before, after = s.plies[-1].mover, rules.mover(s.state)
        if s.plies[-1].move.action not in in_turn:
            return False
        if before is not None and after is not None and before != after and rules.ending(s.state) is None:
            order.setdefault(before, set()).add(after)
        return False

    met(subject, gather, ("played",))
    return order


def _one_circle(order: Mapping[int, Collection[int]], players: int) -> bool:
    """Does each turn go to just one other player, and round through all?"""
    at, seen = 0, list[int]()
    while at not in seen:
        seen.append(at)
        if len(order.get(at, ())) != 1:
            return False
        at = min(order[at])
    return at == 0 and len(seen) == players


def _breaks_order(subject: Subject, mover: str, order: Mapping[int, int], known: Sequence[Fact]) -> Result:
    """Can a turn go to somebody else than who is next?"""
    study = subject.study
    encoder, _ = study.open(study.view({mover, *asked(known)}))
    in_turn = with_role(subject.instance, *TURNS)
    relation = Relation(encoder, study.frozen, [m if i in in_turn else [] for i, m in enumerate(study.moves)])
    state = relation.any_state("s", partition=False)
    step = relation.step(state, "x")
    before, after = state.cells[mover, None], step.after.cells[mover, None]
    assert isinstance(before, Mapping)
    assert isinstance(after, Mapping)
    dag = encoder.dag
    astray = dag.any(
        dag.all((bit, -after.get(p, FALSE), -after.get(order[p], FALSE))) for p, bit in before.items() if p in order
    )
    bits = [study.resting(relation, state), *step.taken, relation.goes_on(step.after), astray]
    bits += [fact.holds(relation, state) for fact in known]
    return solve(dag, [*encoder.side, *bits], seconds=subject.seconds / 2)


# ---------------------------------------------------------------- tiles on their way


def ways_left(instance: core.Instance) -> Mapping[str, int] | None:
    """How many times a tile can be moved yet, from each zone, by the `move` statements there are. None: there is a way back."""
    ways: dict[str, set[str]] = {var.name: set() for var in instance.vars.values() if var.zone}
    for block in (block for action in instance.actions for block in action.blocks):
        for s in statements(block):
            if isinstance(s, core.Move):
                ways[s.source.var].add(s.target.var)
    left: dict[str, int] = {}
    while ways:
        ends = {zone for zone, targets in ways.items() if targets <= left.keys()}
        if not ends:
            return None
        left.update({zone: max((left[target] + 1 for target in ways[zone]), default=0) for zone in ends})
        ways = {zone: targets for zone, targets in ways.items() if zone not in ends}
    return left


def idle(instance: core.Instance) -> list[int]:
    """The actions that may leave every tile where it is."""
    moving = [any(isinstance(s, core.Move) for block in a.blocks for s in block) for a in instance.actions]
    return [i for i, moves in enumerate(moving) if not moves]


class Chain:
    """Moves in a row, all of certain actions, from any position that the proved facts allow."""

    def __init__(self, subject: Subject, actions: Collection[int], reads: Collection[str]) -> None:
        study = subject.study
        self.known = subject.proved
        encoder, self.whole = study.open(study.view({*reads, *asked(self.known)}))
        self.relation = Relation(encoder, study.frozen, [m if i in actions else [] for i, m in enumerate(study.moves)])
        self.state = subject.position(self.relation)
        self.bits = [study.resting(self.relation, self.state), *self.facts()]
        self.length = 0

    def facts(self) -> list[Bit]:
        return [fact.holds(self.relation, self.state) for fact in self.known]

    def extend(self) -> None:
        """One more move, after which the round goes on."""
        step = self.relation.step(self.state, f"c{self.length}")
        self.bits += [*step.taken, self.relation.goes_on(step.after)]
        self.state, self.length = step.after, self.length + 1
        self.bits += self.facts()

    def possible(self, seconds: float) -> Result:
        """Can there be such a chain?"""
        encoder = self.relation.encoder
        return solve(encoder.dag, [*encoder.side, *self.bits], seconds=seconds)


@dataclass(frozen=True, slots=True)
class Longest:
    """The most idle moves in a row, when they are bounded."""

    moves: int | None
    reason: str = ""


def longest(subject: Subject, *, one_turn: bool) -> Longest:
    """How many moves that move no tile can follow each other (in one turn)?"""
    instance = subject.instance
    movers = instance.role("state", "mover") if one_turn else ()
    chain = Chain(subject, idle(instance), movers)
    for length in range(2 * instance.players + 3):
        before = chain.state
        chain.extend()
        chain.bits += [
            symbols.same(chain.relation.dag, before.cells[m, None], chain.state.cells[m, None]) for m in movers
        ]
        result = chain.possible(subject.seconds / 2)
        if result.answer is Answer.NO:
            return Longest(length)
        if result.answer is Answer.UNKNOWN:
            return Longest(None, result.reason)
    return Longest(None, f"{2 * instance.players + 3} moves in a row that move no tile are not excluded")


# ---------------------------------------------------------------- M7, E3


def m7(subject: Subject) -> Verdict:
    """A turn ends: only so many moves of one player can follow each other."""
    started = time.perf_counter()
    if not subject.instance.role("state", "mover"):
        return subject.verdict("M7", Word.SKIPPED, since=started, reason="no state is `as mover`")
    return _ends(subject, "M7", started, one_turn=True)


def e3(subject: Subject) -> Verdict:
    """A round ends, after so many moves at the latest."""
    return _ends(subject, "E3", time.perf_counter(), one_turn=False)


def _ends(subject: Subject, item: str, started: float, *, one_turn: bool) -> Verdict:
    circle = _circle(subject, one_turn=one_turn)
    if circle is not None:
        found, names = circle
        details = [
            "these moves lead back to where they began: " + " ".join(names),
            found.place(subject.seed),
        ]
        return subject.verdict(item, Word.REFUTED, method="play", since=started, details=details, witness=found.witness)
    left = ways_left(subject.instance)
    if left is None:
        reason = "tiles can go back to a zone they have left, and no play was found that goes in a circle"
        return subject.verdict(item, Word.UNKNOWN, since=started, reason=reason)
    pause = longest(subject, one_turn=one_turn)
    if pause.moves is None:
        return subject.verdict(item, Word.UNKNOWN, since=started, reason=pause.reason)
    count = f"{pause.moves or 'no'} {'move' if pause.moves == 1 else 'moves'}"
    method = f"tiles never go back, and at most {count} in a row {'of one player ' if one_turn else ''}move none"
    details = [] if one_turn else _bound(subject, left, pause.moves)
    return subject.verdict(item, Word.PROVED, method=method, since=started, details=details)


def _bound(subject: Subject, left: Mapping[str, int], pause: int) -> list[str]:
    """The most moves of a round: those that move a tile, and the pauses between."""
    relation = Relation(subject.study.open(subject.study.view())[0])
    try:
        counts = relation.counts()
    except NoDeal:
        return []
    moving = sum(count * left[zone] for (zone, _), count in counts.items())
    return [f"at most {counted(moving + (moving + 1) * pause, 'move')}, {moving} of them with a tile"]


def _circle(subject: Subject, *, one_turn: bool) -> tuple[Situation, list[str]] | None:
    """A position of random play from which moves (of one player) that move no tile lead back to it."""
    names: list[str] = []
    actions = frozenset(idle(subject.instance))

    def back(rules: Rules, s: Situation) -> bool:
        found = _round_trip(rules, s.state, actions, one_turn=one_turn) or _been_here(rules, s, one_turn=one_turn)
        names[:] = found or ()
        return found is not None

    found = met(subject, back, IN_PLAY)
    return None if found is None else (found, names)


def _round_trip(rules: Rules, start: State, actions: Collection[int], *, one_turn: bool) -> list[str] | None:
    """Idle moves, by name, that lead from a position back to it."""
    goal, seen = _lasting(rules, start), set[tuple[core.Value, ...]]()
    waiting: list[tuple[State, list[Move]]] = [(start, [])]
    while waiting:
        state, path = waiting.pop()
        if len(path) > 3 * rules.instance.players:
            continue
        for move in rules.legal_moves(state):
            if move.action not in actions:
                continue
            try:
                after = [rules.act(state, move, outcome) for outcome in rules.outcomes(state, move)]
            except RuleError:
                continue
            for reached in after:
                if one_turn and rules.mover(reached) != rules.mover(start):
                    continue
                key = _lasting(rules, reached)
                if key == goal:
                    return [str(move_name(rules.instance, m)) for m in (*path, move)]
                if key not in seen:
                    seen.add(key)
                    waiting.append((reached, [*path, move]))
    return None


def _been_here(rules: Rules, s: Situation, *, one_turn: bool) -> list[str] | None:
    """The last moves, by name, if they came back to an earlier position of the round."""
    if not s.plies or ways_left(rules.instance) is not None:
        return None
    goal, path = _lasting(rules, s.state), list[Move]()
    for place, (ply, state) in enumerate(zip(s.plies, s.played.states, strict=False)):
        if _lasting(rules, state) == goal and not (one_turn and any(p.mover != ply.mover for p in s.plies[place:])):
            path = [p.move for p in s.plies[place:]]
    return [str(move_name(rules.instance, m)) for m in path] or None


def _lasting(rules: Rules, state: State) -> tuple[core.Value, ...]:
    """All of a position but how many moves it took."""
    return tuple(state.cells[cell] for var, _, cell in rules.layout.walk() if var.name != MOVES[0])


# ---------------------------------------------------------------- F3


def f3(subject: Subject) -> Verdict:
    """When everybody in turn has had to pass, and nothing can be drawn, the round is over."""
    started = time.perf_counter()
    instance = subject.instance
    passes, others = with_role(instance, "pass"), with_role(instance, "play", "draw")
    fish = [e for e in instance.endings if e.role == "fish"]
    if not passes or not fish:
        missing = "no action is `as pass`" if not passes else "no ending is `as fish`"
        return subject.verdict("F3", Word.SKIPPED, since=started, reason=missing)
    names = {instance.actions[i].name for i in others}

    def overlooked(rules: Rules, s: Situation) -> bool:
        last = s.plies[-instance.players :]
        return (
            len(last) == instance.players
            and all(ply.move.action in passes for ply in last)
            and rules.ending(s.state) is None
            and not any(instance.actions[m.action].name in names for m in rules.legal_moves(s.state))
        )

    found = met(subject, overlooked, ("played",))
    span = fish[0].span
    if found is not None:
        return subject.verdict(
            "F3", Word.REFUTED, method="random play", since=started, span=span, witness=found.witness,
            details=["everybody has passed, and the round goes on", found.place(subject.seed)],
        )  # fmt: skip
    chain = Chain(subject, passes, guards(subject, [*passes, *others]))
    for _ in range(instance.players):
        chain.bits.append(-enabled(chain.whole, chain.state, others))
        chain.extend()
    chain.bits.append(-enabled(chain.whole, chain.state, others))
    result = chain.possible(subject.seconds)
    if result.answer is Answer.NO:
        method = f"{instance.players} passes in a row, from any position"
        return subject.verdict("F3", Word.PROVED, method=method, since=started, span=span)
    return subject.verdict("F3", Word.UNKNOWN, since=started, span=span, reason=result.reason or NO_PLAY)
