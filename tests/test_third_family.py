"""A family that is neither a line nor fishing, in text alone: tricks, and trumps which extends it, in tests/data.

That it is played at all its tables, that its examples pass and its tiles stay, is asked with all other files in
`test_specs` and `test_random_play`; here whether it is played rightly, and what the verifier says of it.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from shutil import copytree

import pytest
from tables import chance, written

from domrules.grammar import core
from domrules.grammar.instance import instantiate
from domrules.grammar.load import load
from domrules.grammar.passes import optimise
from domrules.interpreter.names import move_name
from domrules.interpreter.play import Round, play_match
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import elements
from domrules.verifier.battery.run import Request, verify
from domrules.verifier.verdict import Standing, Word

DATA = Path(__file__).parent / "data"
Tile = tuple[int, int]
"""The halves, the lower first."""


@cache
def trumps() -> core.Game:
    return load(DATA / "trumps.dom")


# ---------------------------------------------------------------- play, against the rules written once more


def beats(tile: Tile, best: Tile) -> bool:
    """Trumps: doubles, the higher the better; else the greater sum."""
    value, other = ((low == high, low + high) for low, high in (tile, best))
    return value > other


def follows(tile: Tile, led: Tile) -> bool:
    return bool(set(tile) & set(led))


def laid(rules: Rules, played: Round) -> list[tuple[int, Tile]]:
    """Who laid which tile, in order."""
    found = []
    for ply in played.plies:
        name = move_name(rules.instance, ply.move)
        low, high = map(int, name.args[0].split("|"))
        assert name.action == "lay"
        assert ply.mover is not None
        found.append((ply.mover, (low, high)))
    return found


def trick(plies: Sequence[tuple[int, Tile]], hands: list[set[Tile]], leader: int, *, follow: bool) -> int:
    """Check a trick and take its tiles from the hands; gives who takes it."""
    taker, best = plies[0]
    led = best
    for place, (player, tile) in enumerate(plies):
        assert player == (leader + place) % len(hands)
        assert tile in hands[player]
        assert not follow or follows(tile, led) or not any(follows(t, led) for t in hands[player])
        hands[player].remove(tile)
        if beats(tile, best):
            taker, best = player, tile
    return taker


@pytest.mark.parametrize("follow", [True, False])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_tricks_are_taken_as_the_rules_say(players: int, follow: bool, full: bool) -> None:
    rules = Rules(optimise(instantiate(trumps(), players, {"follow": follow})))
    for index in range(300 if full else 20):
        scores, leader = [0] * (2 if players == 4 else players), 0
        for played in play_match(rules, chance(index)).rounds:
            hands = [tiles(rules, played, player) for player in range(players)]
            plies = laid(rules, played)
            for start in range(0, len(plies), players):
                plies_of_trick = plies[start : start + players]
                leader = trick(plies_of_trick, hands, leader, follow=follow)
                scores[leader % len(scores)] += sum(sum(tile) for _, tile in plies_of_trick)
            assert not any(hands)
            assert rules.scores(played.settled) == tuple(scores)
        assert max(scores) >= 80


def tiles(rules: Rules, played: Round, player: int) -> set[Tile]:
    """What a player was dealt."""
    sort = rules.instance.sorts["tile"]
    low, high = (sort.attrs[name][1] for name in ("low", "high"))
    held = elements(rules.layout.tiles(played.dealt, "hand", player))
    return {(int(low[tile] or 0), int(high[tile] or 0)) for tile in held}


# ---------------------------------------------------------------- verification

WORDS = {
    "D2": Word.PROVED_ANY_SIZE,
    "C4": Word.SKIPPED,
    "D3": Word.PROVED,
    "S1": Word.PROVED_ANY_SIZE,
    "S2": Word.PROVED_ANY_SIZE,
    "F2": Word.SKIPPED,
    "C1": Word.PROVED_ANY_SIZE,
    "C2": Word.PROVED_ANY_SIZE,
    "W1": Word.PROVED,
    "W2": Word.PROVED,
    "one_leader": Word.PROVED,
    "nobody_waits": Word.PROVED,
    "ends": Word.WITNESSED,
}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_it_verifies(players: int) -> None:
    found = {v.item: v.word for v in verify(trumps(), Request(players=[players], only=tuple(WORDS)))}
    assert {item: found.get(item) for item in WORDS} == WORDS


WRONG = [
    ("S2", "instead rule first = sole(highest(p in players by size(hand[p])))"),
    ("S1", "instead rule first\n  when size(hand[p0]) == 3 -> p0\n  otherwise -> none"),
    ("cheap", "claim cheap: always all g in teams: sum(t in won[g]: t.pips) < 20"),
    (
        "W1",
        "instead action lay(choose t in hand[turn])\n  do set led to t set led to none if full move t from hand[turn] to trick",
    ),
    ("W2", "instead action lay(choose t in tiles)\n  do move t from hand[turn] to trick set turn to turn.next"),
]
"""What is wrong, and a rule that is."""


@pytest.mark.parametrize(("item", "rule"), WRONG, ids=[item for item, _ in WRONG])
def test_what_is_wrong_is_not_established(item: str, rule: str, tmp_path: Path) -> None:
    copytree(DATA, tmp_path, dirs_exist_ok=True)
    game = written(tmp_path, f"game wrong extends trumps\n{rule}\n", "wrong")
    (verdict,) = verify(game, Request(players=[2], only=[item]))
    if item in ("W1", "W2"):  # no position is shown, so the word may be UNKNOWN
        assert verdict.word.standing in (Standing.FINDING, Standing.UNDECIDED)
    else:
        assert verdict.word is Word.REFUTED
