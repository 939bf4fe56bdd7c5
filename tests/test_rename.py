"""Names mean nothing: a copy of the specs with other names plays, counts and verifies the same."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from renaming import OURS, Renaming
from tables import HOUSE, SPECS, chance, every_table, game, names, of_file
from test_shipped_verdicts import stored, told

from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.grammar.load import SHIPPED
from domrules.grammar.passes import optimise
from domrules.interpreter.examples import run_example
from domrules.interpreter.play import play_match
from domrules.interpreter.rules import Rules
from domrules.interpreter.tables import tables
from domrules.verifier.battery.run import TITLES, Request, verify

GAMES = [*SPECS, *HOUSE]


@dataclass(frozen=True)
class Copy:
    """The specs under other names."""

    folder: Path
    new: Renaming

    def game(self, name: str) -> core.Game:
        """The copy of a shipped game, by its old name."""
        path = Path(name)
        return of_file(self.folder / path.parent / f"{self.new[path.name]}.dom")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    made = Copy(tmp_path_factory.mktemp("renamed"), Renaming(seed=1))
    made.new.copy(SHIPPED, made.folder)
    return made


def test_no_name_is_left(copy: Copy) -> None:
    old, new = (
        {name for game in games for name in declared(game)} for games in (map(game, GAMES), map(copy.game, GAMES))
    )
    assert len(old) == len(new) > 250
    assert not old & new
    assert {copy.new[name] for name in old} == new
    assert not {path.stem for path in SHIPPED.rglob("*.dom")} & {path.stem for path in copy.folder.rglob("*.dom")}


def declared(game: core.Game) -> Iterable[str]:
    """Every name that the files of a game declare; of bound ones those of actions, claims and defines."""
    yield from (game.name, *game.ancestors, *game.options, *game.vars)
    yield from (enum.name for enum in game.enums)
    yield from (member for enum in game.enums for member in enum.members or ())
    yield from (name for name in game.fns if name not in OURS)
    yield from (x.name for several in (game.actions, game.endings, game.lemmas, game.claims) for x in several)
    yield from (example.name for example in game.examples)
    bound = [p for fn in game.fns.values() for p, _ in fn.params]
    bound += [p.name for action in game.actions for p in action.params]
    bound += [name for claim in game.claims for name in claim.vars]
    yield from (name.partition("~")[0] for name in bound)


@pytest.mark.parametrize("name", GAMES)
def test_play_is_the_same_at_every_table(copy: Copy, name: str, full: bool) -> None:
    """Without `--full` at some of the tables, and only the first of them in optimised form too."""
    for number, (ours, theirs) in enumerate(pairs(copy, name, full)):
        assert {copy.new[option]: value for option, value in ours.options.items()} == theirs.options
        same_play(copy, Rules(ours), Rules(theirs), 6 if full else 1)
        if full or number == 0:
            same_play(copy, Rules(optimise(ours)), Rules(optimise(theirs)), 20 if full else 4)


def pairs(copy: Copy, name: str, full: bool) -> Iterator[tuple[core.Instance, core.Instance]]:
    """A table and that of the copy: as the list of both has them, or some of ours with the same settings."""
    ours = every_table(SHIPPED / f"{name}.dom")
    if full:
        yield from zip(ours, tables(copy.game(name)), strict=True)
        return
    for table in ours[:: max(1, len(ours) // 4)]:
        settings = {copy.new[option]: value for option, value in table.options.items()}
        yield table, instantiate(copy.game(name), table.players, settings)


def same_play(copy: Copy, old: Rules, new: Rules, matches: int) -> None:
    """The first matches of a seed are the same, move for move, and are worth the same."""
    for index in range(matches):
        match, again = (play_match(rules, chance(index), stop=4) for rules in (old, new))
        assert again.digest == match.digest
        assert again.winners == match.winners
        assert [new.scores(r.settled) for r in again.rounds] == [old.scores(r.settled) for r in match.rounds]
        assert names(new, again) == [copy.new.move(move) for move in names(old, match)]


@pytest.mark.parametrize("name", GAMES)
def test_examples_pass(copy: Copy, name: str) -> None:
    ours, again = game(name), copy.game(name)
    assert [example.name for example in again.examples] == [copy.new[example.name] for example in ours.examples]
    for example in again.examples:
        assert run_example(again, example).ok, example.name


LONG = ("M3", "M5", "R1", "T2")


def test_words_of_verdicts_are_those_of_the_game(copy: Copy, full: bool) -> None:
    """Of block, without what takes longest; what is said beside the words is compared in a full run."""
    if full:
        pytest.skip("all that is said is compared")
    known = {copy.new[item] if item not in TITLES else item: word for item, word in stored()["block"]["2"].items()}
    found = {v.item: told(v) for v in verify(copy.game("block"), Request(players=[2], skip=LONG))}
    assert found == {item: word for item, word in known.items() if item not in LONG}
    assert set(found) > set(TITLES) - set(LONG)


@pytest.mark.parametrize("name", ["block", "draw", "petkove"])
def test_verdicts_are_the_same(copy: Copy, name: str, full: bool) -> None:
    """All of the battery and all claims, for two players."""
    if not full:
        pytest.skip("takes long: --full")
    verdicts = list(verify(game(name), Request(players=[2])))
    again = list(verify(copy.game(name), Request(players=[2])))
    items = {v.item: v.item if v.item in TITLES else copy.new[v.item] for v in verdicts}
    assert [(v.item, v.text, v.scope) for v in again] == [(items[v.item], v.text, v.scope) for v in verdicts]
    assert {v.item for v in verdicts} > set(TITLES)
