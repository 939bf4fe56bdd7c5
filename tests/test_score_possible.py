"""What the scorekeeper refuses, and what it must not: every round that play reaches is counted, however much is told of it.

A case is a hands file: its first line says what `dom score` says of it, `;! OK` that it is counted; games stand beside.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tables import chance, every_table
from test_random_play import FILES
from typer.testing import CliRunner

from domrules.cli import app
from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.grammar.load import load
from domrules.grammar.passes import optimise
from domrules.interpreter.chance import Chance
from domrules.interpreter.errors import RuleError, Unfinished
from domrules.interpreter.hands import Fact, RoundHands, read
from domrules.interpreter.names import value_name
from domrules.interpreter.play import Match, Round, Table
from domrules.interpreter.players import RandomPlayer
from domrules.interpreter.rules import Rules
from domrules.interpreter.sheet import Missing, Scorer

FOLDER = Path(__file__).parent / "cases" / "score"
CASES = sorted(FOLDER.glob("*.hands"))
GAMES = [*FILES, *sorted(FOLDER.glob("*.dom"))]
MATCHES = 400


def told(path: Path) -> tuple[str, str | Path]:
    """What is said of a case, and the game it is about."""
    text = path.read_text(encoding="utf-8")
    name = read(text).game
    return text.partition("\n")[0].removeprefix(";! "), own if (own := FOLDER / f"{name}.dom").exists() else name


def dom(*args: str | Path, answers: str | None = None) -> Any:
    return CliRunner().invoke(app.build(), [str(arg) for arg in args], input=answers)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_round_is_counted_or_refused(path: Path) -> None:
    said, game = told(path)
    result = dom("score", game, path)
    assert result.exit_code == (0 if said == "OK" else 3), result.output
    assert said == "OK" or said in " ".join(result.stderr.split())


@pytest.mark.parametrize("path", [path for path in CASES if told(path)[0] != "OK"], ids=lambda path: path.stem)
def test_at_the_table_it_is_asked_again_and_nothing_is_lost(path: Path, tmp_path: Path) -> None:
    """The last line of the case is what cannot be, after all the others."""
    said, game = told(path)
    *lines, last = path.read_text(encoding="utf-8").splitlines()
    kept = tmp_path / "kept"
    kept.write_text("\n".join([*lines, ""]), encoding="utf-8")
    result = dom("score", game, "--keep", kept, answers=f"{last}\nquit\n")
    assert result.exit_code == 0, result.output
    assert said.partition(": ")[2] in result.stdout
    assert kept.read_text(encoding="utf-8").splitlines() == lines


# ---------------------------------------------------------------- no round of play is refused


@pytest.mark.parametrize("path", GAMES, ids=lambda path: path.stem)
def test_every_round_of_play_is_counted(path: Path, full: bool) -> None:
    """At the tables with all values of the options; without `--full` two rounds at the smallest and the largest table."""
    game = load(path)
    tables = every_table(path) if full else [instantiate(game, seats) for seats in {min(game.seats), max(game.seats)}]
    for number, instance in enumerate(tables):
        rules = Rules(optimise(instance))
        scorer = Scorer(Rules(instance))
        lasting = [c for v, _, c in scorer.cells.values() if v.life is core.Life.MATCH and not v.zone]
        for index in range(MATCHES // len(GAMES) // len(tables) + 1 if full else 1):
            thrown = chance(number * MATCHES + index)
            before = rules.new_match()
            for played in rounds(rules, thrown, None if full else 2):
                every = in_full(scorer, played)
                settled = scorer.count(1, before, every).reckoned.settled
                assert all(settled.cells[c] == played.settled.cells[c] for c in lasting)
                for _ in range(3):
                    some = tuple(fact for fact in every.facts if thrown.below(2))
                    with suppress(Missing):
                        scorer.count(1, before, RoundHands(every.ending, every.by, some))
                before = played.settled


def rounds(rules: Rules, thrown: Chance, stop: int | None) -> Sequence[Round]:
    """The rounds of a random match that came to their end."""
    table = Table(rules, [RandomPlayer(thrown)] * rules.instance.players, thrown)
    with suppress(RuleError, Unfinished):
        found: Match = table.match(rules.new_match(), stop)
        return found.rounds
    return table.played


def in_full(scorer: Scorer, played: Round) -> RoundHands:
    """All that can be told of a round, as text."""
    instance, ended = scorer.instance, played.ended
    facts = []
    for name, (var, _, cell) in scorer.cells.items():
        if var.name not in ("ending", "moves"):
            value = ended.cells[cell]
            unset = value is None and not isinstance(var.type, core.Maybe)
            text = scorer.named(cell, value) if var.zone else value_name(instance, var.type, value)
            facts += [] if unset else [Fact(name, text)]
    number = scorer.rules.ending(ended)
    assert number is not None
    return RoundHands(instance.endings[number].name, out(scorer, played, number), tuple(facts))


def out(scorer: Scorer, played: Round, ending: int) -> str:
    """Who went out: who moved last, if his hand is empty."""
    last = played.plies[-1].mover if played.plies else None
    cells = scorer.reckoner.possible.of_player(last) if last is not None else ()
    if last is None or scorer.instance.endings[ending].role != "out" or any(played.ended.cells[c] for c in cells):
        return ""
    return scorer.instance.sorts["player"].names[last]
