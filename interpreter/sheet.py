"""From a hands file to a sheet: every round counted, with what it rests on; and what is still to be told."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from domrules.grammar import core
from domrules.grammar.diagnostics import did_you_mean
from domrules.interpreter.because import Because, because
from domrules.interpreter.hands import BadHands, Fact, Hands, RoundHands, halves, tile_words
from domrules.interpreter.names import cell_name, element_names, may_be, value_name
from domrules.interpreter.names import element as find_element
from domrules.interpreter.reckon import Facts, Impossible, Reckoned, Reckoner, domain
from domrules.interpreter.replay import parse_value
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.transcript import BadTranscript
from domrules.interpreter.unknown import Unknown, known


@dataclass(frozen=True)
class Question:
    """What has to be told of a round: the cell by name, what it is for, the values there are, and what it most likely is."""

    key: str
    doc: str
    choices: tuple[str, ...] = ()
    likely: str = ""
    tiles: bool = False


class Missing(Exception):
    """A round of which something is not told: its number, and the question."""

    def __init__(self, number: int, question: Question) -> None:
        self.number, self.question = number, question
        super().__init__(f"round {number}: {question.key} is needed{f' ({question.doc})' if question.doc else ''}")


@dataclass(frozen=True)
class Counted:
    """A round on the sheet: as told, as reckoned, and why."""

    number: int
    told: RoundHands
    reckoned: Reckoned
    why: tuple[Because, ...]


class Scorer:
    """Counts the rounds of one table of a game. `names` are those of the players, by seat. Raises BadHands for names that will not do."""

    def __init__(self, rules: Rules, names: Sequence[Fact] = ()) -> None:
        self.rules, self.reckoner = rules, Reckoner(rules)
        self.instance = rules.instance
        self.cells = {
            cell_name(self.instance, var, index): (var, index, cell) for var, index, cell in rules.layout.walk()
        }
        self.names = {seat: seat for seat in self.instance.sorts["player"].names}
        for one in names:
            self.call(one)
        self.endings = {ending.name: number for number, ending in enumerate(self.instance.endings)}

    def call(self, one: Fact) -> None:
        """Give a player his name. Raises BadHands for one that stands for something else."""
        if one.key not in self.names:
            raise BadHands(one.line, f"there is no player {one.key}: {', '.join(self.names)}")
        name = one.value.lower()
        others = {seat: called.lower() for seat, called in self.names.items() if seat != one.key}
        meant = {
            "the seat of another": name in others,
            "another player": name in others.values(),
            "a team": name in self.instance.sorts["team"].names,
            "a word of the rules": name in {*map(str.lower, self.cells), "none"},
            "not a name": bool(re.search(r"[][:;,]", name)) or not name,
        }
        for what, is_so in meant.items():
            if is_so:
                raise BadHands(
                    one.line,
                    f"{one.key} cannot be called {one.value or 'nothing'}, which is {what}; another name, please",
                )
        self.names[one.key] = one.value

    # ------------------------------------------------------------ what is told

    def player(self, text: str, line: int = 0) -> int:
        """The seat of a player, by seat or name. Raises BadHands."""
        for index, (seat, name) in enumerate(self.names.items()):
            if text.strip().lower() in (seat, name.lower()):
                return index
        raise BadHands(line, f"there is no player {text}: {', '.join(self.names.values())}")

    def cell(self, key: str, line: int = 0) -> tuple[core.Var, int]:
        """The cell of a key: its name, or a player for his hand. Raises BadHands."""
        name = "".join(key.split()) if "[" in key else key
        if "[" in name:
            name = self.indexed(name)
        if name in self.cells:
            var_, _, number = self.cells[name]
            return var_, number
        hands = [h for h in self.instance.role("zone", "hand") if self.instance.vars[h].per == "player"]
        if hands and any(key.lower() in (s, n.lower()) for s, n in self.names.items()):
            found = self.instance.vars[hands[0]]
            return found, self.rules.layout.cell(found.name, self.player(key))
        near = did_you_mean(key, [*self.cells, *self.names.values()])
        raise BadHands(line, f"there is no {key}; {near or 'there are ' + ', '.join(self.cells)}")

    def indexed(self, name: str) -> str:
        """`score[Masha]` as `score[t0]`: a player's name for his seat, or for his team where there is a cell for each."""
        var, _, index = name.removesuffix("]").partition("[")
        known = [seat for seat, n in enumerate(self.names.values()) if n.lower() == index.lower()]
        if not known or var not in self.instance.vars:
            return name
        per = self.instance.vars[var].per
        team = self.instance.sorts["player"].attrs["team"][1][known[0]]
        sort, at = ("team", team) if per == "team" else ("player", known[0])
        return f"{var}[{self.instance.sorts[sort].names[int(at or 0)]}]"

    def value(self, var: core.Var, text: str, line: int = 0) -> core.Value:
        """The value of a text for a cell of this variable, tiles of a zone as a mask. Raises BadHands."""
        if var.zone:
            return self.tiles(text, line)
        sort = var.type.sort if isinstance(var.type, core.Elem | core.Maybe) else ""
        if sort == "player" and text.lower() != "none":
            return self.player(text, line)
        if sort == "team" and text.lower() != "none" and find_element(self.instance, "team", text) is None:
            teams = self.instance.sorts["player"].attrs["team"][1]
            return teams[self.player(text, line)]
        if sort == "tile":
            text = halves(text.strip("[]")) if text.lower() != "none" else "none"
        if isinstance(var.type, core.BoolType):
            text = {"yes": "true", "y": "true", "no": "false", "n": "false"}.get(text.lower(), text)
        try:
            return parse_value(self.instance, var.type, text, line)
        except BadTranscript as bad:
            raise BadHands(line, f"{var.name}: {bad.sentence}") from None

    def tiles(self, text: str, line: int) -> int:
        """The tiles of a hand; of tiles that look alike as many as are written."""
        names, mask = self.instance.sorts["tile"].names, 0
        for word in tile_words(text):
            wanted = halves(word)
            free = [i for i, name in enumerate(names) if may_be(wanted, name)]
            if not free:
                raise BadHands(line, f"{word} is no tile of this set")
            left = [i for i in free if not mask >> i & 1]
            if not left:
                raise BadHands(line, f"{wanted} is written too often: there is {len(free)} of it")
            mask |= 1 << left[0]
        return mask

    def facts(self, told: Sequence[Fact]) -> dict[int, core.Value]:
        found: dict[int, core.Value] = {}
        for one in told:
            var, cell = self.cell(one.key, one.line)
            if cell in found:
                raise BadHands(one.line, f"{one.key} is told twice")
            found[cell] = self.value(var, one.value, one.line)
        return self.parted(found)

    def parted(self, found: dict[int, core.Value]) -> dict[int, core.Value]:
        """Where several hands hold tiles that look alike, each gets a copy of its own, as long as there are copies."""
        names, taken = self.instance.sorts["tile"].names, 0
        zones = {cell for var, _, cell in self.cells.values() if var.zone}
        for cell in [c for c in found if c in zones]:
            mask = int(found[cell] or 0)
            for i in range(len(names)):
                if mask & taken & 1 << i:
                    plain = names[i].partition("*")[0]
                    others = [j for j, n in enumerate(names) if may_be(plain, n) and not (mask | taken) >> j & 1]
                    if others:
                        mask ^= 1 << i | 1 << others[0]
            taken |= mask
            found[cell] = mask
        return found

    # ------------------------------------------------------------ rounds

    def start(self, before: Sequence[Fact]) -> State:
        """The match before its first round. Raises BadHands."""
        found = self.facts(before)
        for one in before:
            var, _ = self.cell(one.key, one.line)
            if var.zone or var.life is not core.Life.MATCH:
                raise BadHands(one.line, f"{one.key} is nothing that a round begins with")
        state = self.reckoner.start(found)
        try:
            self.reckoner.possible.ranges(state)
        except Impossible as error:
            lines = [one.line for one in before if self.cell(one.key)[1] == error.cell]
            raise BadHands(lines[0] if lines else 0, self.people(str(error))) from None
        return state

    def count(self, number: int, before: State, told: RoundHands) -> Counted:
        """A round counted. Raises Missing for what is not told yet, BadHands for what cannot be, RuleError."""
        if not told.ending:
            names = tuple(self.endings)
            raise Missing(
                number, Question("ended", "How did the round end?", names, names[0] if len(names) == 1 else "")
            )
        if told.ending not in self.endings:
            raise BadHands(told.ended, f"there is no ending {told.ending}: {', '.join(self.endings)}")
        ending = self.endings[told.ending]
        facts = self.facts(told.facts)
        by = self.who_ended(number, ending, told, facts)
        try:
            reckoned = self.reckoner.round(before, ending, by, facts)
            return Counted(number, told, reckoned, tuple(because(self.rules, reckoned.ended)))
        except Unknown as unknown:
            raise Missing(number, self.question(before, unknown.cell)) from None
        except Impossible as error:
            lines = [one.line for one in told.facts if self.cell(one.key)[1] == error.cell]
            raise BadHands(lines[0] if lines else told.ended, f"round {number}: {self.people(str(error))}") from None

    def who_ended(self, number: int, ending: int, told: RoundHands, facts: Facts) -> int | None:
        """Who moved last: asked where somebody went out and the facts do not say it."""
        known = {self.rules.layout.cell(name) for name in self.reckoner.last}
        if told.by:
            if not known and self.instance.endings[ending].role != "out":
                raise BadHands(told.ended, f"nobody goes out in {told.ending}; write `ended {told.ending}`")
            return self.player(told.by, told.ended)
        if self.instance.endings[ending].role != "out" or not known or known & facts.keys():
            return None
        raise Missing(number, Question("by", "Who went out?", tuple(self.names.values())))

    def question(self, before: State, cell: int) -> Question:
        """What to ask about a cell."""
        var, index, _ = next(found for found in self.cells.values() if found[2] == cell)
        key, doc = cell_name(self.instance, var, index), var.doc
        if var.zone:
            hand = var.role == "hand" and var.per == "player" and index is not None
            whose = f"{list(self.names.values())[index]}'s hand" if hand and index is not None else self.owner(key)
            return Question(key, doc or f"The tiles left in {whose}", tiles=True)
        if var.life is core.Life.MATCH:
            doc = f"{doc} As it stands before the round is counted.".strip()
        choices = [value_name(self.instance, var.type, value) for value in domain(self.instance, var.type)]
        choices = [self.names.get(choice, choice) for choice in choices]
        likely = before.cells[cell] if var.life is core.Life.MATCH else self.rules.new_round(before).cells[cell]
        told = likely is not None or isinstance(var.type, core.Maybe)
        if not known(likely) or not told or (var.init is None and var.life is core.Life.ROUND):
            return Question(key, doc, tuple(choices) if len(choices) < 12 else ())
        named = value_name(self.instance, var.type, likely)
        return Question(key, doc, tuple(choices) if len(choices) < 12 else (), self.names.get(named, named))

    def rounds(self, hands: Hands) -> Iterator[Counted]:
        """All rounds that are told, one after the other. Raises Missing, BadHands, RuleError."""
        state = self.start(hands.before)
        for number, told in enumerate(hands.rounds, 1):
            counted = self.count(number, state, told)
            yield counted
            state = counted.reckoned.settled
            if counted.reckoned.over and number < len(hands.rounds):
                raise BadHands(hands.rounds[number].line, f"round {number + 1}: the match is over")

    # ------------------------------------------------------------ what is shown

    def owner(self, name: str) -> str:
        """`score[t0]` with the names of who shares it: `score[Masha]`."""
        var, bracket, index = name.partition("[")
        if not bracket:
            return name
        return f"{var}[{self.team_or_player(index.removesuffix(']'))}]"

    def team_or_player(self, index: str) -> str:
        if index in self.names:
            return self.names[index]
        teams, seats = self.instance.sorts["team"].names, list(self.names.values())
        if index not in teams:
            return index
        of = self.instance.sorts["player"].attrs["team"][1]
        return " & ".join(name for seat, name in enumerate(seats) if of[seat] == teams.index(index)) or index

    def people(self, text: str) -> str:
        """A text with the names of people for seats and teams: `charged(Olya) = 13`."""
        return re.sub(r"\b\w+\b", lambda m: self.team_or_player(m[0]), text)

    def named(self, cell: int, value: core.Value) -> str:
        var = next(found[0] for found in self.cells.values() if found[2] == cell)
        if var.zone:
            return " ".join(element_names(self.instance, "tile", int(value or 0))) or "-"
        text = "none" if value is None else value_name(self.instance, var.type, value)
        sort = var.type.sort if isinstance(var.type, core.Elem | core.Maybe) else ""
        return self.team_or_player(text) if sort in ("player", "team") else text

    def name(self, cell: int) -> str:
        return next(name for name, found in self.cells.items() if found[2] == cell)

    def standing(self, state: State) -> dict[str, str]:
        """All match states by name."""
        return {
            name: self.named(cell, state.cells[cell])
            for name, (var, _, cell) in self.cells.items()
            if not var.zone and var.life is core.Life.MATCH
        }


def as_data(scorer: Scorer, hands: Hands, rounds: Sequence[Counted]) -> dict[str, Any]:
    """The sheet as plain data."""
    last = rounds[-1].reckoned if rounds else None
    instance = scorer.instance
    return {
        "format": "dom-score",
        "version": 1,
        "game": instance.game.name,
        "players": instance.players,
        "options": {n: value_name(instance, instance.game.options[n].type, v) for n, v in instance.options.items()},
        "names": scorer.names,
        "rounds": [_round(scorer, one) for one in rounds],
        "standing": raw_standing(scorer, scorer.start(hands.before) if last is None else last.settled),
        "over": last is not None and last.over,
        "winners": None if last is None or last.winners is None else element_names(instance, "team", last.winners),
        "outcomes": {} if last is None else dict(last.outcomes),
    }


def raw_standing(scorer: Scorer, state: State) -> dict[str, Any]:
    """All match states by name: numbers and truths as such, others by name."""
    return {
        name: _value(scorer, var, state.cells[cell])
        for name, (var, _, cell) in scorer.cells.items()
        if not var.zone and var.life is core.Life.MATCH
    }


def _value(scorer: Scorer, var: core.Var, value: core.Value) -> Any:
    if isinstance(var.type, core.IntType | core.BoolType) or value is None:
        return value
    return value_name(scorer.instance, var.type, value)


def _round(scorer: Scorer, one: Counted) -> dict[str, Any]:
    vars = {found[2]: found[0] for found in scorer.cells.values()}
    return {
        "ending": one.told.ending,
        "facts": {
            name: scorer.named(cell, one.reckoned.ended.cells[cell])
            for name, (var, _, cell) in scorer.cells.items()
            if (var.zone or var.life is core.Life.ROUND) and var.name not in ("ending", "moves")
            and known(one.reckoned.ended.cells[cell])
            and (var.zone or var.name in scorer.reckoner.written | scorer.reckoner.begun)
        },
        "changes": [
            {
                "cell": None if b.cell is None else scorer.name(b.cell),
                "of": b.of,
                "before": None if b.cell is None else _value(scorer, vars[b.cell], b.before),
                "after": None if b.cell is None else _value(scorer, vars[b.cell], b.after),
                "clause": b.clause,
                "place": str(b.span),
                "steps": [
                    {"depth": s.depth, "what": s.what, "value": s.value, "clause": s.clause, "place": str(s.span or "")}
                    for s in b.steps
                ],
            }
            for b in one.why
        ],
        "standing": raw_standing(scorer, one.reckoned.settled),
    }  # fmt: skip
