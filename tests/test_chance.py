"""The generator gives the published numbers, and choices are reduced from it as documented."""

import simulator
from hypothesis import given
from hypothesis import strategies as st

from domrules.interpreter.chance import Chance, Digest, splitmix64


def test_splitmix64_gives_the_published_numbers() -> None:
    state, found = 1477776061723855037, []
    for _ in range(5):
        state, number = splitmix64(state)
        found.append(number)
    assert found == [
        1985237415132408290,
        2979275885539914483,
        13511426838097143398,
        8488337342461049707,
        15141737807933549159,
    ]


def test_xoroshiro128plus_gives_the_published_numbers() -> None:
    chance = Chance(1, 2)
    assert [chance.word() for _ in range(10)] == [
        3,
        412333834243,
        2360170716294286339,
        9295852285959843169,
        2797080929874688578,
        6019711933173041966,
        3076529664176959358,
        3521761819100106140,
        7493067640054542992,
        920801338098114767,
    ]


@given(st.integers(), st.integers(0, 2**70), st.lists(st.integers(1, 2**32), max_size=20))
def test_a_name_gives_the_same_numbers_as_the_simulator(seed: int, index: int, sizes: list[int]) -> None:
    ours, theirs = Chance.named(seed, index), simulator.Chance(seed, index)
    for n in sizes:
        k = ours.below(n)
        assert k == theirs.below(n)
        assert 0 <= k < n


@given(st.lists(st.integers()))
def test_the_digest_is_that_of_the_simulator(numbers: list[int]) -> None:
    ours, theirs = Digest(), simulator.Chance(0, 0)
    ours.feed(*numbers)
    theirs.feed(*numbers)
    assert ours.value == theirs.digest
    assert str(ours) == f"{theirs.digest:016x}"
