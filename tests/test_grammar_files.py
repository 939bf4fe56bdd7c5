"""Files that are strange as files, and texts that would hang or break a careless reader: each is refused or read, quickly."""

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from domrules.grammar.load import Loaded, check

HEAD = "game x extends block\n"
SLOW = 8.0
"""Seconds of CPU that no text may take. On an idle machine all take less than two."""


def examined(text: str | bytes, folder: Path) -> Loaded:
    path = folder / "main.dom"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    before = time.process_time()
    loaded = check(path)
    assert time.process_time() - before < SLOW
    return loaded


def told(loaded: Loaded) -> list[str]:
    """Code and place of each mistake."""
    return [f"{d.code} {d.span.line}:{d.span.column}" for d in loaded.diagnostics]


# ---------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"", ["DOM104 1:1"]),
        (b" \n\t\r\n", ["DOM104 1:1"]),
        (b"# nothing but remarks", ["DOM104 1:1"]),
        (HEAD.encode() + b"define a: int = 1 \xff\n", ["DOM108 2:19"]),
        (HEAD.encode("utf-16"), ["DOM108 1:1"]),
        ('title cs "Žolík"\n'.encode("cp1250"), ["DOM108 1:11"]),
        (b"\xef\xbb\xbf" + HEAD.encode() + b"define a: int = b\n", ["DOM201 2:17"]),
        (b"\xef\xbb\xbf" + HEAD.encode(), []),
        (b"game x extends block\r\n\r\ndefine a: int = b\r\n", ["DOM201 3:17"]),
        (b"game x extends block\r\ndefine a: int = 1 # remark\r\nrule draws\r\n", ["DOM121 3:10"]),
        (b"game x extends block # remark\rdefine a: int = 1 # remark\rdefine b: int = c\r", ["DOM201 3:17"]),
        (b"game x extends block\n\tdefine a: int = b\n", ["DOM201 2:18"]),
        (HEAD.encode() + b"define a: int = \x00 1\n", ["DOM102 2:17"]),
        (b"\x7fELF\x02\x01\x01\x00\x00", ["DOM102 1:8"]),
        (HEAD.encode() + b"# " + b"x" * 256 * 1024, ["DOM101 1:1"]),
        (b"\xff" * 300 * 1024, ["DOM101 1:1"]),
        (HEAD.encode() + "define a: int = \u00a01\n".encode(), ["DOM115 2:17"]),
        (HEAD.encode() + "define \u202ea: int = 1\n".encode(), ["DOM112 2:8"]),
        (HEAD.encode() + "define a: int = 1\u2028\n".encode(), ["DOM112 2:18"]),
        (HEAD.encode() + b"define a: int = 1 \x1b[31m\n", ["DOM115 2:19"]),
        (HEAD.encode() + "define a: int = 𝟙\n".encode(), ["DOM112 2:17"]),
    ],
)
def test_strange_bytes(data: bytes, wanted: list[str], tmp_path: Path) -> None:
    assert told(examined(data, tmp_path)) == wanted


def test_a_file_as_large_as_allowed_is_read(tmp_path: Path) -> None:
    fill = "# all sorts of remarks about the game\n"
    text = HEAD + fill * ((256 * 1024 - len(HEAD)) // len(fill))
    assert told(examined(text, tmp_path)) == []


def test_a_missing_file_a_folder_and_a_forbidden_file_are_no_mistakes_of_the_text(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        check(tmp_path / "absent.dom")
    with pytest.raises(IsADirectoryError):
        check(tmp_path)
    (tmp_path / "dangling.dom").symlink_to(tmp_path / "absent.dom")
    with pytest.raises(FileNotFoundError):
        check(tmp_path / "dangling.dom")
    if os.geteuid() != 0:
        secret = tmp_path / "secret.dom"
        secret.write_text(HEAD)
        secret.chmod(0)
        with pytest.raises(PermissionError):
            check(secret)


def test_an_ancestor_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "parent.dom").symlink_to(tmp_path / "parent.dom")
    (tmp_path / "main.dom").write_text("game x extends parent\n")
    assert told(check(tmp_path / "main.dom")) == ["DOM215 1:16"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_to_its_end(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.dom"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(HEAD + "define a: int = b\n",))
    writer.start()
    assert told(check(pipe)) == ["DOM201 2:17"]
    writer.join()


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_an_endless_file_is_refused() -> None:
    assert told(check(Path("/dev/zero"))) == ["DOM101 1:1"]


def test_a_chain_of_too_many_ancestors(tmp_path: Path) -> None:
    for i in range(30):
        (tmp_path / f"g{i}.dom").write_text(f"game g{i} extends g{i + 1}\n")
    assert [d.code for d in check(tmp_path / "g0.dom").diagnostics] == ["DOM217"]


# ---------------------------------------------------------------- deep, long and costly texts


def deep(left: str, middle: str, right: str, times: int) -> str:
    return f"{HEAD}define a: bool = {left * times}{middle}{right * times}\n"


def defines(first: str, step: str, times: int) -> str:
    """A chain of defines f0, f1, …; `{}` is the one before."""
    lines = [f"define f{i}: {step.replace('{}', f'f{i - 1}')}" if i else f"define f0: {first}" for i in range(times)]
    return HEAD + "\n".join(lines) + "\n"


BIG = 5000
TEXTS: dict[str, tuple[str, str]] = {
    "99 brackets": (deep("(", "true", ")", 99), ""),
    "101 brackets": (deep("(", "true", ")", 101), "DOM103"),
    "many brackets": (deep("(", "true", ")", BIG), "DOM103"),
    "many open brackets": (deep("{[(", "true", "", BIG), "DOM103"),
    "many closing brackets": (deep("", "true", ")]}", BIG), "DOM122"),
    "80 nots": (deep("not ", "true", "", 80), ""),
    "many nots": (deep("not ", "true", "", BIG), "DOM103"),
    "many signs": (deep("-", "1 == 1", "", BIG), "DOM103"),
    "80 ands": (deep("", "true", " and true", 80), ""),
    "many ands": (deep("", "true", " and true", BIG), "DOM103"),
    "many ors": (deep("", "true", " or true", BIG), "DOM103"),
    "many implications": (deep("true implies ", "true", "", BIG), "DOM103"),
    "many sums": (deep("", "1", " + 1", BIG), "DOM103"),
    "many dots": (deep("", "mover", ".next", BIG), "DOM103"),
    "many quantifiers": (deep("any x in players: ", "true", "", BIG), "DOM103"),
    "quantifiers without colon": (deep("any x ", "true", "", 20_000), "DOM133"),
    "many calls": (deep("fits(", "6|6", ")", 90), "DOM301"),
    "many blanks": (HEAD + "define a: bool =" + " " * 200_000 + "true\n", ""),
    "a long name": (HEAD + f"define {'a' * 200_000}: bool = true\n", ""),
    "a long unknown name": (HEAD + f"define a: bool = {'a' * 200_000}\n", "DOM201"),
    "a long word": (HEAD + f"define a: bool = true {'a' * 200_000}\n", "DOM133"),
    "a long number": (HEAD + f"define a: bool = {'1' * 200_000} == 1\n", "DOM109"),
    "a long text": (HEAD + f'source "{"a" * 200_000}"\n', ""),
    "a long line": (HEAD + "define a: bool = true " * 2000, "DOM202"),
    "many instead": (HEAD + "instead " * 20_000, "DOM106"),
    "instead and blanks": (HEAD + ("instead" + " " * 60) * 3000, "DOM106"),
    "many declaration words": (HEAD + "rule " * 20_000, "DOM120"),
    "many lines without declaration word": (HEAD + "rulee a = 1\n" * 10_000, "DOM105"),
    "many mistakes in names": (HEAD + "".join(f"define d{i}: int = x{i}\n" for i in range(5000)), "DOM201"),
    "many declarations": (HEAD + "".join(f"define d{i}: int = {i}\n" for i in range(6000)), ""),
    "many examples": (HEAD + "".join(f"example d{i} with target = {i % 900 + 1} expect true\n" for i in range(4000)), ""),
    "many options": (HEAD + "".join(f"option d{i}: int 0..{i} = 0\n" for i in range(5000)), ""),
    "many members": (HEAD + "enum big = " + ", ".join(f"m{i}" for i in range(20_000)) + "\n", "DOM434"),
    "many endings": (HEAD + "over when moves > 3\n" * 5000, "DOM427"),
    "many rows": (HEAD + "settle\n" + "when moves == 3 -> nothing\n" * 5000 + "otherwise -> nothing\n", "DOM427"),
    "many cases": (HEAD + "define a: int\n" + "when moves == 3 -> 1\n" * 3000 + "otherwise -> 2\n", ""),
    "many tiles": (HEAD + "define a: set of tiles = {" + ", ".join(["6|6"] * 5000) + "}\n", ""),
    "many copies": (HEAD + "instead dominoes in pips 999999999 of 6|6\n", "DOM435"),
    "many pairs": (HEAD + "instead dominoes in pips 999999999 of each a, b where a <= b\n", "DOM435"),
    "many pips": (HEAD + "rule top = 399\ninstead dominoes in pips each a, b where a == 0 and b == 0\n", "DOM428"),
    "too many pips": (HEAD + "rule top = 400\n", "DOM434"),
    "a long chain of defines": (defines("int = 1", "int = {} + 1", 3000), "DOM427"),
    "a chain of defines": (defines("int = 1", "int = {} + 1", 60), ""),
    "a circle of many defines": (HEAD + "".join(f"define f{i}: int = f{(i + 1) % 4000}\n" for i in range(4000)), "DOM423"),
    "many circles": (HEAD + "".join(f"define f{i}: int = f{i}\n" for i in range(4000)), "DOM423"),
    "doubling defines": (defines("int = size(boneyard)", "int = {} + {}", 60), ""),
    "doubling defines with values": (
        HEAD + "define f0(p: player): int = p.seat\n"
        + "".join(f"define f{i}(p: player): int = f{i - 1}(p) + f{i - 1}(p)\n" for i in range(1, 45))
        + "define g: int = f44(p0)\n", ""),
    "squares of squares": (defines("int = 999999999", "int = {} * {}", 60), "DOM439"),
    "greatest in greatest": (
        HEAD + "define a: int = " + "".join(f"greatest(x{i} in tiles: " for i in range(40)) + "1" + ")" * 40 + "\n", "DOM427"),
    "has in has": (
        HEAD + "define a(t: tile): bool = " + "".join(f"t has the(those(v{i} in pips where " for i in range(20)) + "true"
        + "))" * 20 + "\n", "DOM427"),
    "nested quantifiers over tiles": (
        HEAD + "define a: bool = " + "".join(f"any x{i} in tiles: " for i in range(40)) + "x0.low == x39.high + 1\n", "DOM428"),
    "a range that takes long": (
        HEAD + "rule top = sum(a in players: " + "".join(f"count(x{i} in colours where 0 < " for i in range(12)) + "1"
        + ")" * 12 + ")\nenum colour = " + ", ".join(f"m{i}" for i in range(300)) + "\n", "DOM428"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "code"), TEXTS.values(), ids=TEXTS.keys())
def test_deep_long_and_costly_texts(text: str, code: str, tmp_path: Path) -> None:
    loaded = examined(text, tmp_path)
    assert [d.code for d in loaded.diagnostics][:1] == ([code] if code else [])
    assert len(loaded.diagnostics) <= 100


@pytest.mark.parametrize("times", range(60, 101, 8))
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("(not (", "))"),
        ("(true and (", "))"),
        ("not (moves == 0 or ", ")"),
        ("moves + 1 == sum(x in {6|6}: 1) and (", ")"),
    ],
)
def test_texts_near_the_limit_need_no_deeper_stack(left: str, right: str, times: int, tmp_path: Path) -> None:
    limit = sys.getrecursionlimit()
    loaded = examined(deep(left, "true", right, times // 2), tmp_path)
    assert {d.code for d in loaded.diagnostics} <= {"DOM103", "DOM427"}
    assert sys.getrecursionlimit() == limit
