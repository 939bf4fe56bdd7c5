"""What is proved of any size holds at small tables, looked through without the solver, and on both sides of its border."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path

import pytest
from tables import game as shipped

from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.grammar.load import load
from domrules.grammar.passes import optimise
from domrules.interpreter.errors import RuleError
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State, elements
from domrules.verifier.anymove import AnyMove
from domrules.verifier.anyset import AnySet, Perhaps, Position, Tile, Value
from domrules.verifier.battery import parity, scoring, signs
from domrules.verifier.battery.chain import ends_of
from domrules.verifier.battery.play import Matches
from domrules.verifier.battery.run import Request, verify
from domrules.verifier.battery.subject import Subject
from domrules.verifier.dag import FALSE, TRUE, Dag, Number
from domrules.verifier.verdict import Word

HEAD = """
game variant extends line
seats 2..3
option greatest_half: int 2..4 = 3
rule top = greatest_half
rule hand_size = 2
settle add 1 to score[t0]
over when true
winners highest(g in teams by score[g])
"""
CHOICES = {
    "draws": ("nothing", "single", "until_playable"),
    "leader": ("first_seat",),
    "arms": ("never", "at_once", "after_both_sides"),
    "equal_ends": ("one_move", "two_moves"),
    "spins(t)": ("t.double", "t.double and t.low > 0", "t.low + t.high >= 3", "true", "false"),
    "arm_shows(s, t)": ("t.low", "t.high"),
    "joins(e, v, t)": ("e == v", "e == v and t.low > 0", "e + v == top", "e == v or t.double", "e <= v"),
    "turn_passes(t)": ("true", "not t.double"),
    "fish": ("stuck", "stuck and laid > 2"),
}
TWISTS = (
    "",
    "instead define far(t: tile, v: pip): pip = t.high",
    "instead define open_end(s: side): pip or none = tip[s]",
    "instead define turns(t: tile): bool = arms != never and spins(t)",
    "instead define arm(s: side): bool = s == up",
    "instead define arms_open: bool = false",
)


def variant(folder: Path, seed: int) -> core.Game:
    """House rules by chance: mostly sensible, some nonsense."""
    chance = random.Random(seed)
    lines = [HEAD]
    for slot, answers in CHOICES.items():
        usual = chance.random() < 0.5
        lines.append(f"rule {slot} = {answers[0] if usual else chance.choice(answers)}\n")
    lines.append(f"{chance.choice(TWISTS) if chance.random() < 0.4 else ''}\n")
    path = folder / f"variant_{seed}.dom"
    path.write_text("".join(lines), encoding="utf-8")
    return load(path)


# ---------------------------------------------------------------- the parity of a line


def keeps(law: parity.Law, rules: Rules, state: State) -> bool:
    """Is the law so in a position, counted by hand?"""
    instance, get = rules.instance, rules.layout.get
    laid = rules.layout.tiles(state, "layout", None)
    shown = [get(state, law.ends, i) for i in instance.cells(law.ends)]
    more: list[core.Value] = []
    if law.spinner is not None:
        named = get(state, *law.spinner.cell)
        if named is not None:
            half = instance.halves[int(named)][law.spinner.half == "high"]
            more = [half for i in law.spinner.sides if get(state, law.ends, i) is not None]
    for pip in range(len(instance.sorts["pip"].names)):
        plain = [t for t, (a, b) in enumerate(instance.halves) if a != b and pip in (a, b) and laid >> t & 1]
        if (len(plain) + [*shown, *more].count(pip)) % 2:
            return False
    return True


def test_a_law_of_any_set_holds_at_small_tables(tmp_path: Path, full: bool) -> None:
    found = spun = 0
    for seed in range(200 if full else 12):
        game = variant(tmp_path, seed)
        instance = instantiate(game, 2)
        ends = ends_of(instance)
        assert ends is not None
        law = parity.any_size(instance, ends.var, ("layout",))
        if law is None:
            continue
        found, spun = found + 1, spun + (law.spinner is not None)
        for top, players in ((2, 3), (4, 2)):
            rules = Rules(optimise(instantiate(game, players, {"greatest_half": top})))
            met = [s for s in Matches(rules).situations(15) if s.kind == "played"]
            assert all(keeps(law, rules, s.state) for s in met), (seed, top, players, law)
    assert found >= 4
    assert spun >= 1


@pytest.mark.parametrize(
    "twist",
    [
        "rule joins(e, v, t) = e + v == top",
        "rule joins(e, v, t) = e == v or t.double",
        "instead define far(t: tile, v: pip): pip = t.high",
    ],
)
def test_no_law_is_claimed_where_there_is_none(tmp_path: Path, twist: str) -> None:
    path = tmp_path / "twist.dom"
    path.write_text(f"{HEAD}rule draws = nothing\nrule leader = first_seat\n{twist}\n", encoding="utf-8")
    assert parity.any_size(instantiate(load(path), 2), "tip", ("layout",)) is None


# ---------------------------------------------------------------- the engine itself


class Known:
    """Positions of the interpreter as positions of any set, where everything that is followed is known."""

    def __init__(self, instance: core.Instance) -> None:
        self.instance, self.layout = instance, Rules(instance).layout
        self.dag = Dag()
        self.game = AnySet(instance, self.dag)
        self.moves = AnyMove(self.game, ("layout",), lambda t: -self.dag.is_zero(self.dag.add(t.low, t.high, -1)))

    def half(self, index: int) -> Number:
        numbers = self.instance.sorts[self.game.half].numbers
        return Number(index if numbers is None else numbers[index])

    def value(self, kind: core.Type, held: core.Value) -> Value:
        match kind:
            case core.BoolType():
                return TRUE if held else FALSE
            case core.Elem(sort=sort) | core.Maybe(sort=sort) if sort in self.game.listed:
                return {} if held is None else {int(held): TRUE}
            case core.Maybe(sort=sort):
                if held is None:
                    return self.game.nothing(kind)
                return Perhaps(TRUE, self.value(core.Elem(sort), held))
            case core.Elem(sort="tile") if held is not None:
                low, high = self.instance.halves[held]
                return Tile(self.half(low), self.half(high))
            case core.Elem(sort=sort) if sort == self.game.half and held is not None:
                return self.half(held)
            case _:
                return self.game.unknown(kind)

    def position(self, state: State) -> Position:
        cells = {cell: self.value(var.type, self.layout.get(state, *cell)) for var, cell in self.game.cells()}
        cells["ending", None] = self.value(core.Maybe("ending"), self.layout.get(state, "ending"))
        sizes = {zone: Number(self.layout.tiles(state, zone).bit_count()) for zone in self.game.zones()}
        return Position(cells, sizes, self.odd(state))

    def odd(self, state: State) -> int:
        laid = elements(self.layout.tiles(state, "layout"))
        return TRUE if sum(a != b for a, b in (self.instance.halves[t] for t in laid)) % 2 else FALSE


def contradicts(one: Value, other: Value) -> bool:
    """Are both known, and different? What is not known contradicts nothing."""
    match one, other:
        case Perhaps(), Perhaps():
            return contradicts(one.some, other.some) or (one.some == TRUE and contradicts(one.held, other.held))
        case Tile(), Tile():
            return contradicts(one.low, other.low) or contradicts(one.high, other.high)
        case Number(), Number():
            return one.constant and other.constant and one.const != other.const
        case int(), int():
            return {one, other} == {TRUE, FALSE}
        case Mapping(), Mapping():
            return any(contradicts(one.get(i, FALSE), other.get(i, FALSE)) for i in {**one, **other})
        case _:
            return False


@pytest.mark.parametrize("name", ["draw", "petkove", "koza", "obrazkove"])
def test_says_nothing_that_the_interpreter_denies(name: str) -> None:
    """Guards, endings and what moves do, in positions that were played: known and different nowhere, and mostly known."""
    instance = instantiate(shipped(name), 2)
    rules, known, told = Rules(instance), Known(instance), list[bool]()
    for s in Matches(rules).situations(4):
        if s.kind == "settled" or rules.ending(s.state) is not None:
            continue
        at = known.position(s.state)
        for ending in instance.game.endings:
            holds = known.game.truth(ending.when, at, {})
            told.append(abs(holds) == TRUE)
            assert holds != TRUE, ending.name
        for move in rules.legal_moves(s.state):
            for outcome in rules.outcomes(s.state, move):
                action = instance.actions[move.action]
                there = next(a for a in instance.game.actions if a.name == action.name)
                args = dict(zip([p.name for p in action.params], [*move.args, *outcome], strict=True))
                env = {p.name: known.value(core.Elem(p.sort), args[p.name]) for p in action.params}
                deed, after = known.moves.deed(there, at, env), known.position(rules.act(s.state, move, outcome))
                assert deed.guard != FALSE, action.name
                pairs = [(deed.after.cells[cell], held) for cell, held in after.cells.items() if cell[0] != "ending"]
                pairs += [(deed.after.sizes[zone], size) for zone, size in after.sizes.items()]
                pairs.append((deed.after.odd, after.odd))
                assert not any(contradicts(now, held) for now, held in pairs), action.name
                told.append(abs(deed.after.odd) == TRUE)
    assert sum(told) > len(told) / 3


# ---------------------------------------------------------------- who begins

DEAL = """
game variant extends line
seats 2..3
rule top = 2
option each_gets: int 1..3 = {each} requires size(players) * each_gets <= size(tiles)
rule hand_size = {size}
rule draws = nothing
settle add 1 to score[t0]
over when true
winners highest(g in teams by score[g])
define led: tile or none = sole(highest(t in tiles where t.dealt_out and t.double by t.low))
"""
LEADERS = (
    "first_seat",
    "sole(those(p in players where any t in led: t in hand[p]))",
    "sole(those(p in players where 2|2 in hand[p] or 1|1 in hand[p] and 2|2 in boneyard))",
    "sole(lowest(p in players by total(p)))",
    "sole(those(p in players where any t in hand[p]: t.low == 0))",
)
REDEALS = (
    "false",
    "led is none",
    "any p in players: count(t in hand[p] where t.double) >= 2",
    "any p in players: count(t in hand[p] where t.double) == hand_size",
)


def begins(rules: Rules) -> bool:
    """Does every deal that is kept name one to begin? Every deal is dealt."""
    instance = rules.instance
    (count, _, _), tiles = instance.deals[0], range(instance.sorts["tile"].size)
    return all(begins_so(rules, hands) for hands in dealt(list(tiles), instance.players, count))


def dealt(tiles: list[int], players: int, count: int) -> Iterator[list[tuple[int, ...]]]:
    """Every way to give each player so many tiles."""
    if not players:
        yield []
        return
    for hand in combinations(tiles, count):
        for others in dealt([t for t in tiles if t not in hand], players - 1, count):
            yield [hand, *others]


def begins_so(rules: Rules, hands: list[tuple[int, ...]]) -> bool:
    held = [sum(1 << tile for tile in hand) for hand in hands]
    changes: dict[tuple[str, int | None], core.Value] = {("hand", player): mask for player, mask in enumerate(held)}
    changes["boneyard", None] = rules.instance.sorts["tile"].full - sum(held)
    state = rules.layout.put(rules.new_round(rules.new_match()), changes)
    if rules.wants_redeal(state):
        return True
    try:
        rules.begin(state)
    except RuleError:
        return False
    return True


@pytest.mark.parametrize("leader", LEADERS)
def test_who_begins_does_so_with_hands_of_any_size(tmp_path: Path, leader: str, full: bool) -> None:
    """Where nothing else is said, at every table; where there is a condition, on its side of the border only."""
    for redeal in REDEALS if full else ("false", random.Random(leader).choice(REDEALS)):
        borders = compared(tmp_path, leader, redeal)
        assert redeal != "false" or leader != LEADERS[1] or borders == {3}


def compared(folder: Path, leader: str, redeal: str) -> set[int]:
    """A game and all its tables compared; so many tiles dealt are said to be too few."""
    found = set[int]()
    path = folder / "deal.dom"
    text = f"{DEAL}rule leader = {leader}\nrule new_deal = {redeal}\n"
    path.write_text(text.replace("{each}", "1").replace("{size}", "each_gets"), encoding="utf-8")
    game = load(path)
    for players in (2, 3):
        options = {"each_gets": 4 - players}
        first, second = verify(game, Request([players], options, only=("S1", "S2")))
        if second.word is not Word.PROVED_ANY_SIZE or first.word is not Word.PROVED_ANY_SIZE:
            continue
        borders = [int(more.split()[0]) for line in first.details for _, _, more in [line.partition(" > ")] if more]
        for count in range(1, 6 // players + 1):
            rules = Rules(optimise(instantiate(game, players, {"each_gets": count})))
            assert begins(rules) == all(players * count > most for most in borders), (players, count, first.details)
        found.update(borders)
    return found


# ---------------------------------------------------------------- settlements

TESTS = (
    "out", "blocked", "blocked and not out", "total(p0) < total(p1)", "total(p1) < total(p0)", "total(p0) == total(p1)",
    "total(p0) - total(p1) >= 2", "total(p0) - total(p1) < 2", "last_mover is none", "last_mover is not none",
    "last_mover == p0", "not (last_mover == p0)", "laid >= 3", "laid < 3", "size(hand[p0]) == 0", "size(hand[p0]) > 0",
)  # fmt: skip
PLAIN = HEAD.replace("= 3\n", "= 2\n").replace(
    "settle add 1 to score[t0]\n", "rule draws = nothing\nrule leader = first_seat\n"
)


def test_rows_that_cover_at_any_table_do_so_at_small_ones(tmp_path: Path, full: bool) -> None:
    """Rows by chance, and their opposites: what is said of all tables, a table says, too."""
    chance, agreed = random.Random(3), 0
    for number in range(60 if full else 5):
        tests = chance.sample(TESTS, 2) if chance.random() < 0.5 else [chance.choice(TESTS)]
        tests += [f"not ({tests[0]})"] if chance.random() < 0.7 else []
        rows = "\n".join(f"  when {test} -> add 1 to score[t0]" for test in tests)
        path = tmp_path / f"rows_{number}.dom"
        path.write_text(f"{PLAIN}settle strict\n{rows}\n", encoding="utf-8")
        game = load(path)
        for item, asks in (("C1", scoring.uncovered), ("C2", scoring.two_rows)):
            table = instantiate(game, 2)
            if scoring.any_size(table, game.settles[0], asks):
                agreed += 1
                for players in (2, 3):
                    subject = Subject(optimise(instantiate(game, players)), 5.0)
                    assert scoring.of_table(subject, item, subject.instance.settles[0], asks, 0.0) is None, tests
    assert agreed >= 2


DIVIDED = (
    "total(p0)", "total(p0) - total(p1)", "total(p0) + laid", "0 - total(p0)", "against(p0.team) * 2", "score[t0] - 1",
    "sum(p in players: total(p)) - total(p0)", "count(t in layout where t.double)", "laid - 1", "top - total(p1)",
    "sum(t in hand[p0]: t.high - t.low)", "greatest(t in hand[p0]: t.pips)",
)  # fmt: skip
GUARDS = ("", "  when {x} >= 0 and out", "  when {x} > 0 - 2", "  when blocked")


@pytest.mark.parametrize("guard", GUARDS)
def test_what_is_never_divided_below_zero(tmp_path: Path, guard: str, full: bool) -> None:
    """Of any table: then no random round of a small table does it."""
    for number, x in enumerate(DIVIDED if full else random.Random(guard).sample(DIVIDED, 3)):
        row = f"add quotient({x}, 2) to score[t0]"
        text = f"{guard} -> {row}\n  otherwise -> nothing" if guard else f"  {row}"
        path = tmp_path / f"divided_{number}.dom"
        path.write_text(f"{PLAIN}settle\n{text}\n".replace("{x}", x), encoding="utf-8")
        game = load(path)
        (asked,) = signs.divisions(instantiate(game, 2))
        if signs.nowhere_negative(instantiate(game, 2), asked):
            for players in (2, 3):
                subject = Subject(optimise(instantiate(game, players)), 5.0)
                (there,) = signs.divisions(subject.instance)
                assert signs.played(subject, there) is None, x
