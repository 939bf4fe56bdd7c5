"""Random play at every table: all player counts and option values of every game, without an error.

Clauses of the rules that never decided anything, neither there nor in the examples, are listed in
`data/never_fired.txt`: rows of tables, conditional statements, actions and endings. With `--full --accept` the list
is written anew.
"""

import itertools
import random
from collections.abc import Iterator
from pathlib import Path

from tables import HOUSE, SPECS, chance, game

from domrules.grammar import core
from domrules.grammar.instance import SettingError, instantiate
from domrules.grammar.load import SHIPPED
from domrules.grammar.passes import optimise
from domrules.interpreter.coverage import Coverage
from domrules.interpreter.examples import run_example
from domrules.interpreter.play import placements, play_match
from domrules.interpreter.rules import Rules

NEVER = Path(__file__).with_name("data") / "never_fired.txt"
NAMES = [*SPECS, *HOUSE]


def choices(option: core.Option, members: dict[str, tuple[str, ...]]) -> list[object]:
    """Values of an option: all of them, of a number its ends and its default."""
    match option.type:
        case core.BoolType():
            return [False, True]
        case core.Elem(sort=sort):
            return list(members[sort])
        case _:
            default = option.default.value if isinstance(option.default, core.Lit) else option.low
            return list(dict.fromkeys([option.low, default, option.high]))


def all_tables(name: str, limit: int) -> Iterator[core.Instance]:
    """Up to `limit` tables of a game for each player count, in random but fixed order."""
    members = {enum.name: enum.members for enum in game(name).enums if enum.members is not None}
    options = {option.name: choices(option, members) for option in game(name).options.values()}
    combinations = list(itertools.product(*options.values()))
    random.Random(name).shuffle(combinations)
    for players in game(name).seats:
        found = 0
        for values in combinations:
            if found == limit:
                break
            try:
                yield instantiate(game(name), players, dict(zip(options, values, strict=True)))
            except SettingError:
                continue
            found += 1


def play(name: str, coverage: Coverage, full: bool) -> None:
    """Play at many tables, as written and optimised; boards are laid out too."""
    rounds = 4 if full else 1
    for number, instance in enumerate(all_tables(name, 60 if full else 2)):
        watched, fast = coverage.rules(instance), Rules(optimise(instance))
        for index in range(1000 * number, 1000 * number + rounds):
            written = play_match(watched, chance(index), stop=rounds)
            same = play_match(fast, chance(index), stop=rounds).digest == written.digest
            assert same, (name, instance.players, instance.options, index)
            for played in written.rounds:
                placements(watched, played)


def test_random_play_makes_no_error_and_leaves_no_unknown_clause_aside(full: bool, accept: bool) -> None:
    coverage = Coverage()
    for name in NAMES:
        play(name, coverage, full)
        for example in game(name).examples:
            assert run_example(game(name), example, coverage.rules).ok
    never = [f"{short(c.span.source.name)} {c}" for name in NAMES for c in coverage.never(game(name))]
    found = list(dict.fromkeys(never))
    if full and accept:
        NEVER.write_text("".join(f"{line}\n" for line in found), encoding="utf-8")
    known = NEVER.read_text(encoding="utf-8").splitlines()
    if full:
        assert found == known
    else:
        assert set(known) <= set(found)


def short(file: str) -> str:
    return Path(file).relative_to(SHIPPED).as_posix()
