"""Whatever stands in a file, checking it ends soon, with a game or with mistakes whose places are in the text."""

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sentences import WORDS, declarations, sentences

from domrules.grammar.codes import CODES
from domrules.grammar.drawing import render
from domrules.grammar.load import SHIPPED, check

TEXTS = [path.read_text(encoding="utf-8") for path in sorted(SHIPPED.rglob("*.dom"))]
NAMES = tuple(
    (
        "a t p v s g players tiles pips sides teams hand boneyard layout mover score starter tip piece spinner laid total "
        "double far fits draws target tiles_each nothing single left up out blocked play lead draw pass moves p0 p3 the "
        "sole size next team low high seat nearest odd player tile pip side winner line block new_deal top hand_size"
    ).split()
)
"""Names of the family line and of the language, so that more than the syntax is reached."""
SOUP = (*NAMES, *(text for texts in sentences().texts.values() for text in texts), "\n", "\n  ", "# ", '"', "Ž")
HEADS = ("", "game x extends block\n", "game x extends line\n", "family x extends line\n", "game x extends rybareni\n")
SLOW = 3.0
"""Seconds of CPU a text of this size may take."""

Examine = Callable[[str | bytes], None]
some = settings(
    max_examples=settings().max_examples // 2,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.fixture(scope="session")
def examine(tmp_path_factory: pytest.TempPathFactory) -> Examine:
    """Check a text, and what must hold of the outcome."""
    path = tmp_path_factory.mktemp("fuzz") / "main.dom"

    def run(text: str | bytes) -> None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
        before = time.process_time()
        loaded = check(path)
        assert time.process_time() - before < SLOW
        assert (loaded.game is None) == bool(loaded.diagnostics)
        for d in loaded.diagnostics:
            assert d.code in CODES
            assert d.span.source.name
            assert 0 <= d.span.start <= d.span.end <= len(d.span.source.text)
            assert "\x1b" not in render(d)

    return run


@some
@given(data=st.binary(max_size=300))
def test_bytes(examine: Examine, data: bytes) -> None:
    examine(data)


@some
@given(head=st.sampled_from(HEADS), text=st.text(max_size=200))
def test_characters(examine: Examine, head: str, text: str) -> None:
    examine(head + text)


@some
@given(head=st.sampled_from(HEADS), words=st.lists(st.sampled_from(SOUP), max_size=60))
def test_words_in_any_order(examine: Examine, head: str, words: list[str]) -> None:
    examine(head + " ".join(words))


@some
@given(head=st.sampled_from(HEADS), texts=st.lists(declarations(most=30, names=NAMES), max_size=6))
def test_sentences_of_the_grammar(examine: Examine, head: str, texts: list[str]) -> None:
    examine(head + "\n".join(texts))


@st.composite
def mutants(draw: st.DrawFn) -> str:
    """A shipped file in which a few words are left out, doubled, swapped or replaced."""
    words = re.findall(r'"[^"\n]*"|#[^\n]*\n|\w+|\s+|[^\w\s]', draw(st.sampled_from(TEXTS)))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(words) - 1))
        match draw(st.integers(0, 4)):
            case 0:
                words[at] = ""
            case 1:
                words[at] *= 2
            case 2:
                other = draw(st.integers(0, len(words) - 1))
                words[at], words[other] = words[other], words[at]
            case 3:
                words[at] = draw(st.sampled_from(words))
            case _:
                words[at] = draw(st.sampled_from(SOUP))
    return "".join(words)


@some
@given(text=mutants())
def test_shipped_files_with_slips(examine: Examine, text: str) -> None:
    examine(text)


@some
@given(text=st.sampled_from(TEXTS), at=st.integers(0, 20_000), length=st.integers(1, 40), what=st.text(max_size=3))
def test_shipped_files_with_holes(examine: Examine, text: str, at: int, length: int, what: str) -> None:
    at %= len(text)
    examine(text[:at] + what + text[at + length :])


def test_the_names_are_those_of_the_grammar() -> None:
    assert all(re.fullmatch(r"[a-z_][a-z0-9_]*", name) for name in (*NAMES, *WORDS["NAME"]))
