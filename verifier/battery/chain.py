"""M3: the table is as it is told. M4: the parity law of a line.

Which halves lie open is a state of the file: the one that holds halves, one for each direction in which tiles are attached.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from domrules.grammar import core
from domrules.grammar.reads import statements
from domrules.interpreter.errors import RuleError
from domrules.interpreter.names import move_name
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.step import Placement
from domrules.verifier import symbols
from domrules.verifier.battery.asking import GLANCE, met
from domrules.verifier.battery.moves import IN_PLAY, NO_PLAY
from domrules.verifier.battery.play import Situation
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import FALSE, Bit
from domrules.verifier.encode import Env
from domrules.verifier.facts import Fact, asked
from domrules.verifier.relation import Relation, Step, bound
from domrules.verifier.solver import OF_TABLES, Answer, Result, solve
from domrules.verifier.symbols import Members, Symbols
from domrules.verifier.verdict import Verdict, Word


@dataclass(frozen=True, slots=True)
class Ends:
    """What a table shows: the state of its open ends, and the halves of each tile by index."""

    var: str
    halves: Sequence[tuple[int, int]]

    def far(self, tile: int, near: int) -> int | None:
        """The other half of a tile; none where it has no such half."""
        low, high = self.halves[tile]
        return high if near == low else low if near == high else None


def ends_of(instance: core.Instance) -> Ends | None:
    """The state of open ends: halves, per the sort in whose directions tiles are attached. None when there is no such one."""
    blocks = [block for action in instance.actions for block in action.blocks]
    ways = {s.going.type for block in blocks for s in statements(block) if isinstance(s, core.Attach)}
    sorts = {way.sort for way in ways if isinstance(way, core.Elem)}
    half = instance.game.dominoes.half
    found = [v.name for v in instance.vars.values() if v.per in sorts and v.type == core.Maybe(half)]
    if len(found) != 1:
        return None
    return Ends(found[0], instance.halves)


# ---------------------------------------------------------------- M3


def m3(subject: Subject) -> Verdict:
    """A tile is attached with one of its halves to a tile on the table, and its other half is what lies open there then."""
    started = time.perf_counter()
    ends = ends_of(subject.instance)
    if ends is None or not subject.instance.role("zone", "layout"):
        missing = "no zone is `as layout`" if ends is not None else "no one state tells which halves lie open"
        return subject.verdict("M3", Word.SKIPPED, since=started, reason=missing)
    if any(isinstance(s, core.Attach) for a in subject.instance.actions for b in a.blocks[1:] for s in statements(b)):
        reason = "a tile is attached in a later block of an action"
        return subject.verdict("M3", Word.UNKNOWN, since=started, reason=reason)
    wrong: list[str] = []

    def amiss(rules: Rules, s: Situation) -> bool:
        wrong[:] = _wrong(rules, ends, s.state)
        return bool(wrong)

    found, reason = met(subject, amiss, IN_PLAY, rounds=GLANCE), ""
    if found is None:
        result = _never_misplaced(subject, ends)
        if result.answer is Answer.NO:
            return subject.verdict("M3", Word.PROVED, method="any one move", since=started)
        found, reason = met(subject, amiss, IN_PLAY), result.reason
    if found is None:
        return subject.verdict("M3", Word.UNKNOWN, since=started, reason=reason or NO_PLAY)
    return subject.verdict(
        "M3", Word.REFUTED, method="random play", since=started, details=[*wrong, found.place(subject.seed)],
        witness=found.witness,
    )  # fmt: skip


def _never_misplaced(subject: Subject, ends: Ends) -> Result:
    """Is no tile ever laid wrongly? First under the facts that say where tiles lie."""
    lying = [fact for fact in subject.proved if not fact.guides]
    result = _misplaced(subject, ends, (*lying, *subject.located))
    if result.answer is Answer.NO:
        return result
    return _misplaced(subject, ends, (*subject.proved, *subject.located))


def _wrong(rules: Rules, ends: Ends, state: State) -> list[str]:
    """What is wrong with what a legal move lays, in words."""
    for move in rules.legal_moves(state):
        for outcome in rules.outcomes(state, move):
            try:
                after = rules.act(state, move, outcome)
            except RuleError:
                continue
            laid = rules.placements(state, move, outcome)
            cells = [(rules.layout.get(state, ends.var, i), rules.layout.get(after, ends.var, i))
                     for i in rules.instance.cells(ends.var)]  # fmt: skip
            if not laid and any(was != now for was, now in cells):
                return [f"{move_name(rules.instance, move, outcome)}: an end changes, and nothing is laid"]
            for placed in laid:
                said = _said(rules, ends, state, after, placed)
                if said:
                    return [f"{move_name(rules.instance, move, outcome)}: {said}"]
    return []


def _said(rules: Rules, ends: Ends, before: State, after: State, placed: Placement) -> str:
    """What is wrong with a tile that was laid; nothing when all is right."""
    instance, layout = rules.instance, rules.layout
    tiles, pips = instance.sorts["tile"].names, instance.sorts[instance.game.dominoes.half].names
    far = ends.far(placed.tile, placed.touching)
    if far is None:
        return f"{tiles[placed.tile]} has no half {pips[placed.touching]}, with which it is attached"
    table = [(zone, i) for zone in instance.role("zone", "layout") for i in instance.cells(zone)]
    if placed.to is not None and not any(layout.tiles(before, *cell) >> placed.to & 1 for cell in table):
        return f"it is attached to {tiles[placed.to]}, which does not lie on the table"
    shown = {i: (layout.get(before, ends.var, i), layout.get(after, ends.var, i)) for i in instance.cells(ends.var)}
    if placed.to is None:
        halves = {now for _, now in shown.values()} - {None}
        if halves != set(ends.halves[placed.tile]) or shown[placed.going][1] != far:
            return "it opens the table, but other halves lie open then"
        return ""
    near = shown[placed.going][0]
    if near is not None and near not in ends.halves[placed.to]:
        return f"it is attached to {tiles[placed.to]}, but {pips[near]} is what lies open there"
    if shown[placed.going][1] != far:
        return f"its other half, {pips[far]}, lies open then, but the rules remember another end there"
    changed = [i for i, (was, now) in shown.items() if i != placed.going and was != now]
    return "an end changes at which nothing was laid" if changed else ""


def _misplaced(subject: Subject, ends: Ends, known: Sequence[Fact]) -> Result:
    """Can a move lay a tile wrongly? Any one move from any position the proved facts allow."""
    study = subject.study
    attached = [
        s for a in subject.instance.actions for b in a.blocks for s in statements(b) if isinstance(s, core.Attach)
    ]
    reads = study.reads
    asked_of = frozenset[str]().union(
        *(reads.variables(e) for s in attached for e in (s.tile, s.to, s.touching, s.going))
    )
    encoder, relation = study.open(study.view({ends.var, *asked_of, *asked(known)}))
    state = subject.position(relation)
    step = relation.step(state, "x")
    bits = [fact.holds(relation, state) for fact in known]
    bits += [study.resting(relation, state), *step.taken]
    bits.append(encoder.dag.any(_faults(relation, ends, state, step)))
    return solve(encoder.dag, [*encoder.side, *bits], seconds=subject.seconds, engines=OF_TABLES)


def _faults(relation: Relation, ends: Ends, state: Symbols, step: Step) -> Iterator[Bit]:
    """Each way in which a move may lay a tile wrongly."""
    dag, encoder, instance = relation.dag, relation.encoder, relation.instance
    tables = [(zone, i) for zone in instance.role("zone", "layout") for i in instance.cells(zone)]
    on_table: Members = {
        tile: dag.any(state.zone(*cell).get(tile, FALSE) for cell in tables) for tile in range(len(ends.halves))
    }
    laying = [made for _, _, made in _attached(relation, state, step)]
    still = dag.all(_unchanged(relation, ends, state, step.after, w) for w in instance.cells(ends.var) if w is not None)
    yield dag.both(-dag.any(laying), -still)
    for attach, env, made in _attached(relation, state, step):
        tile, to = encoder.members(attach.tile, state, env), encoder.members(attach.to, state, env)
        touching, going = encoder.members(attach.touching, state, env), encoder.members(attach.going, state, env)
        joined = dag.any(to.values())
        yield from (dag.all((made, bit, -on_table[i])) for i, bit in to.items())
        for i, is_tile in tile.items():
            for near, is_near in touching.items():
                here, far = dag.all((made, is_tile, is_near)), ends.far(i, near)
                if far is None:
                    yield here
                    continue
                yield dag.all((here, -joined, -_opened(relation, ends, step.after, i)))
                for way, is_way in going.items():
                    yield dag.all((here, -joined, is_way, -_end(step.after, ends, way).get(far, FALSE)))
                    laid = dag.all((here, joined, is_way))
                    yield dag.both(laid, -_end(step.after, ends, way).get(far, FALSE))
        for way, is_way in going.items():
            yield dag.all((made, is_way, dag.any(_elsewhere(relation, ends, state, to, way))))
            others = [w for w in instance.cells(ends.var) if w is not None and w != way]
            same = dag.all(_unchanged(relation, ends, state, step.after, w) for w in others)
            yield dag.all((made, joined, is_way, -same))


def _elsewhere(relation: Relation, ends: Ends, state: Symbols, to: Members, way: int) -> Iterator[Bit]:
    """What lies open there is no half of the tile to which is attached."""
    for pip, shows in _end(state, ends, way).items():
        for tile, bit in to.items():
            if pip not in ends.halves[tile]:
                yield relation.dag.both(shows, bit)


def _end(state: Symbols, ends: Ends, way: int) -> Members:
    held = state.cells[ends.var, way]
    assert isinstance(held, Mapping)
    return held


def _unchanged(relation: Relation, ends: Ends, before: Symbols, after: Symbols, way: int) -> Bit:
    return symbols.same(relation.dag, before.cells[ends.var, way], after.cells[ends.var, way])


def _opened(relation: Relation, ends: Ends, after: Symbols, tile: int) -> Bit:
    """Just the halves of the tile lie open."""
    dag, halves = relation.dag, set(ends.halves[tile])
    shown = [_end(after, ends, way) for way in relation.instance.cells(ends.var) if way is not None]
    others = dag.any(bit for held in shown for pip, bit in held.items() if pip not in halves)
    return dag.both(-others, dag.all(dag.any(held.get(half, FALSE) for held in shown) for half in halves))


def _attached(relation: Relation, state: Symbols, step: Step) -> Iterator[tuple[core.Attach, Env, Bit]]:
    """The placements of the moves of a step, each with the bit that it is made. Only first blocks place tiles."""
    for choice in step.choices:
        action = relation.instance.actions[choice.action]
        env = bound(action, choice.args)
        for s in action.blocks[0] if action.blocks else ():
            yield from _inside(relation, s, state, env, choice.bit)


def _inside(
    relation: Relation, s: core.Stmt, state: Symbols, env: Env, made: Bit
) -> Iterator[tuple[core.Attach, Env, Bit]]:
    match s:
        case core.Attach():
            yield s, env, made
        case core.If(condition, body):
            here = relation.dag.both(made, relation.encoder.truth(condition, state, env))
            for inner in body:
                yield from _inside(relation, inner, state, env, here)
        case core.Each(var, sort, domain, guard, body):
            for _, bit, bound_here in relation.encoder.range(domain, sort, var, guard, state, env):
                for inner in body:
                    yield from _inside(relation, inner, state, bound_here, relation.dag.both(made, bit))
        case _:
            return
