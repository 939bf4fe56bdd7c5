"""F2: a fish can happen; the fewest tiles it takes, proved; and a hand that shows it, played.

The bound comes from one state: no position that the proved facts allow is a fish with fewer tiles on the table. The witness
comes from a fresh search of exactly as many moves as the facts leave possible, first towards the layout that the bound
found, then freely. Both meet, or the verdict says between what the truth lies.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from domrules.grammar.source import Span
from domrules.verifier import facts
from domrules.verifier.battery.play import rounds, zones
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import FALSE, Bit, Number
from domrules.verifier.encode import Encoder
from domrules.verifier.facts import Fact
from domrules.verifier.relation import MOVES
from domrules.verifier.solver import Answer, Engine, Result, Session, solve
from domrules.verifier.symbols import Cell, Symbols
from domrules.verifier.unroll import Play
from domrules.verifier.verdict import Verdict, Word
from domrules.verifier.witness import Unreplayable, Witness

ENGINES = (Engine.FINITE, Engine.BITS, Engine.GENERAL)
DEEPER = 12
"""How many moves more than the bound the search for a witness goes."""
MOST_MOVES = 200
ROUNDS = 300
"""Random rounds looked through when the search finds nothing."""


@dataclass(frozen=True, slots=True)
class Bound:
    """No fish with fewer tiles, nor with so few tiles in fewer moves; `layout` is how the position that meets it looks."""

    tiles: int
    moves: int
    layout: frozenset[int]
    because: tuple[str, ...]


def f2(subject: Subject) -> Verdict:
    """Can a fish happen, with how few tiles?"""
    started = time.perf_counter()
    instance = subject.instance
    fish, layouts = instance.role("ending", "fish"), instance.role("zone", "layout")
    if not fish or not layouts:
        missing = "no ending is `as fish`" if not fish else "no zone is `as layout`"
        return subject.verdict("F2", Word.SKIPPED, since=started, reason=missing)
    question = Question(subject, [e.name for e in instance.endings].index(fish[0]), (layouts[0], None))
    span = next(e.span for e in instance.endings if e.name == fish[0])
    bound = question.bound()
    if isinstance(bound, Result):
        if bound.answer is Answer.NO:
            return subject.verdict(
                "F2", Word.IMPOSSIBLE, method="no position the proved facts allow", since=started, span=span
            )
        return subject.verdict("F2", Word.UNKNOWN, since=started, reason=bound.reason, span=span)
    try:
        found = question.witness(bound)
    except Unreplayable as error:
        return subject.verdict("F2", Word.DISAGREE, since=started, reason=str(error), span=span)
    if found is None:
        return _by_chance(question, bound, started, span)
    tiles = question.laid(found)
    details = [
        f"{_count(tiles, 'tile')}, {_count(len(found.plies), 'move')}; fewer tiles: impossible, proved with {', '.join(bound.because) or 'nothing but the rules'}",
        *_shown(subject, found),
    ]
    return subject.verdict("F2", Word.WITNESSED, method="one position for the bound, a search for the hand, replayed",
                           since=started, details=details, span=span, witness=found)  # fmt: skip


def _by_chance(question: Question, bound: Bound, started: float, span: Span) -> Verdict:
    """The search found nothing: the fewest tiles of random play, and what is proved."""
    subject = question.subject
    best: Witness | None = None
    for _, _, played in rounds(subject.rules, ROUNDS, subject.seed):
        if subject.rules.ending(played.ended) == question.ending:
            found = Witness(played.dealt, played.plies, played.ended)
            if best is None or question.laid(found) < question.laid(best):
                best = found
    below = f"fewer than {_count(bound.tiles, 'tile')}: impossible, proved"
    if best is None:
        depth = bound.moves + DEEPER
        return subject.verdict(
            "F2", Word.NOT_FOUND, method="bounded search", since=started, details=[below], span=span, depth=depth
        )
    details = [f"{_count(question.laid(best), 'tile')} in random play; {below}", *_shown(subject, best)]
    says = f"what the fewest tiles are: between {bound.tiles} and {question.laid(best)}"
    return subject.verdict(
        "F2",
        Word.WITNESSED,
        method="random play",
        since=started,
        details=details,
        span=span,
        witness=best,
        doesnt_say=says,
    )


def _count(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _shown(subject: Subject, found: Witness) -> list[str]:
    deal = [f"  {line}" for line in zones(subject.instance, found.dealt)]
    return [*deal, "  played: " + " ".join(found.moves(subject.instance))]


@dataclass
class Question:
    """A fish of one table: which ending, and in which zone the tiles are counted."""

    subject: Subject
    ending: int
    layout: Cell

    def laid(self, found: Witness) -> int:
        """Tiles on the table at the end of a witness."""
        cell = self.subject.rules.layout.cell(self.layout[0])
        held = found.reached.cells[cell]
        assert isinstance(held, int)
        return held.bit_count()

    # ------------------------------------------------------------ the bound

    def bound(self) -> Bound | Result:
        """The fewest tiles, then the fewest moves, of a fish that the facts allow. A Result when there is none, or no answer."""
        candidates = list(self.subject.proved)
        found = self._fewest(candidates)
        if isinstance(found, Result):
            return found
        tiles, moves, layout = found
        return Bound(tiles, moves, layout, self._because(candidates, tiles))

    def _fewest(self, known: Sequence[Fact]) -> tuple[int, int, frozenset[int]] | Result:
        encoder, state, session = self._state(known)
        result = session.check(seconds=self.subject.seconds)
        if result.answer is not Answer.YES or result.model is None:
            return result
        laid = encoder.popcount(state.zone(*self.layout))
        tiles = 0
        while True:
            found = session.check([_at_most(encoder, laid, tiles)], seconds=self.subject.seconds)
            if found.answer is Answer.UNKNOWN:
                return found
            if found.answer is Answer.YES and found.model is not None:
                break
            tiles += 1
        layout = frozenset(t for t, bit in state.zone(*self.layout).items() if found.model.bit(bit))
        return tiles, self._moves(known, tiles), layout

    def _moves(self, known: Sequence[Fact], tiles: int) -> int:
        """The fewest moves a fish with so few tiles needs, as far as facts about sizes say; sizes are numbers here."""
        encoder, state, session = self._state([f for f in known if f.counts], counted=True)
        made = state.cells[MOVES]
        assert isinstance(made, Number)
        assert state.sizes is not None
        few = encoder.dag.is_zero(encoder.dag.add(state.sizes[self.layout], Number(-tiles)))
        for moves in range(MOST_MOVES):
            if session.check([few, _at_most(encoder, made, moves)], seconds=2.0).answer is not Answer.NO:
                return moves
        return MOST_MOVES

    def _state(self, known: Sequence[Fact], *, counted: bool = False) -> tuple[Encoder, Symbols, Session]:
        """Any fish that these facts allow, ready to be asked about."""
        study = self.subject.study
        when = study.instance.endings[self.ending].when
        asked = facts.asked(known) | study.reads.variables(when) | {MOVES[0]}
        encoder, relation = study.open(study.view(asked, counted=counted))
        state = self.subject.position(relation)
        assumed = [fact.holds(relation, state) for fact in known]
        goal = relation.ends(state)[self.ending]
        session = Session(encoder.dag)
        made = state.cells[MOVES]
        assert isinstance(made, Number)
        session.add([*encoder.side, *assumed, encoder.dag.at_least_zero(made), goal])
        return encoder, state, session

    def _because(self, known: list[Fact], tiles: int) -> tuple[str, ...]:
        """A smallest set of facts (no one can be left out) under which fewer tiles are impossible."""
        if tiles == 0:
            return ()
        needed = list(known)
        for fact in known:
            fewer = [f for f in needed if f is not fact]
            encoder, state, session = self._state(fewer)
            few = _at_most(encoder, encoder.popcount(state.zone(*self.layout)), tiles - 1)
            if session.check([few], seconds=2.0).answer is Answer.NO:
                needed = fewer
        return (*(["partition"] if self.subject.conserved else []), *(f.name for f in needed if f.name != "partition"))

    # ------------------------------------------------------------ the witness

    def witness(self, bound: Bound) -> Witness | None:
        """A round that ends in a fish with so few tiles, replayed. Raises Unreplayable."""
        guides = [f for f in self.subject.proved if MOVES[0] in f.reads or (f.name in bound.because and not f.counts)]
        for depth in range(max(bound.moves, bound.tiles), max(bound.moves, bound.tiles) + DEEPER):
            play = self._play(depth, guides)
            for goal in self._goals(play, bound):
                result = solve(
                    play.encoder.dag,
                    play.reaching(goal),
                    seconds=self.subject.seconds,
                    engines=ENGINES,
                    formulas=play.formulas,
                )
                if result.answer is Answer.YES and result.model is not None:
                    return play.replay(self.subject.rules, result.model)
        return None

    def _play(self, depth: int, guides: Sequence[Fact]) -> Play:
        study = self.subject.study
        play = Play(study, study.view(facts.asked(guides)), guides)
        play.extend(depth)
        return play

    def _goals(self, play: Play, bound: Bound) -> list[Bit]:
        """First the very layout of the bound, then any with so few tiles."""
        fish = play.relation.ends(play.states[-1], at_start=not play.steps)[self.ending]
        held = play.states[-1].zone(*self.layout)
        dag = play.encoder.dag
        few = _at_most(play.encoder, play.encoder.popcount(held), bound.tiles)
        wanted = [held.get(t, FALSE) for t in sorted(bound.layout)]
        return [dag.all([fish, few, *wanted]), dag.both(fish, few)]


def _at_most(encoder: Encoder, number: Number, limit: int) -> Bit:
    return encoder.dag.at_least_zero(encoder.dag.add(Number(limit), number, -1))
