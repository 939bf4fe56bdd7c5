"""A file of any kind gets a clear sentence and its exit code from every verb that reads it; none hangs, none is our fault."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from domrules.cli import app

HEAD = b"game x extends block\n"
TRANSCRIPT = b'[Game "x"]\n[Players "2"]\n[Option "tiles_each=7"]\n[Option "target=100"]\n[Unfinished "none"]\n'
HANDS = b"game x\nplayers 2\n"


def deep(n: int) -> bytes:
    return HEAD + b"define a: bool = " + b"(" * n + b"true" + b")" * n + b"\n"


TEXTS: Mapping[str, tuple[bytes, str]] = {
    "empty": (b"", "declares nothing"),
    "blank": (b" \r\n\t", "declares nothing"),
    "null byte": (HEAD + b"define a: int = \0 1\n", "null byte"),
    "not UTF-8": (HEAD + b"define a: int = 1 \xff\n", "not UTF-8"),
    "UTF-16": (HEAD.decode().encode("utf-16"), "not UTF-8 text, but UTF-16"),
    "too large": (HEAD + b"# " + b"x" * 256 * 1024, "larger than 256 KiB"),
    "large and no text": (b"\xff" * 3_000_000, "larger than 256 KiB"),
    "nested": (deep(101), "nested deeper than 100"),
    "nested very deep": (deep(50_000), "nested deeper than 100"),
    "look-alike letter": (HEAD + "define hаlf: int = 1\n".encode(), "of another alphabet"),
    "extends itself": (b"game bad extends bad\n", "extends itself"),
    "extends nothing": (b"game bad extends nowhere\n", "no file `nowhere.dom`"),
    "BOM": (b"\xef\xbb\xbf" + HEAD + b"define a: int = b\n", "nothing is called `b`"),
    "CRLF": (HEAD.replace(b"\n", b"\r\n") + b"define a: int = b\r\n", "nothing is called `b`"),
    "controls": (HEAD + b"define \x1b[31m: int = 1\n", "has no meaning here"),
}
"""Texts that are wrong, and a part of what is said."""


def folder(path: Path) -> None:
    path.mkdir()


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def dangling(path: Path) -> None:
    path.symlink_to("absent")


def forbidden(path: Path) -> None:
    path.write_bytes(HEAD)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("root may read everything")


def absent(path: Path) -> None:
    pass


def below_a_file(path: Path) -> None:
    path.parent.rmdir()
    path.parent.write_bytes(HEAD)


THINGS: Mapping[Callable[[Path], None], str] = {
    folder: "is a directory.",
    loop: "too many levels of symbolic links.",
    dangling: "no such file or directory.",
    forbidden: "permission denied.",
    absent: "no such file or directory.",
    below_a_file: "not a directory.",
}
"""What cannot be read, and what is said."""

VERBS: Mapping[str, tuple[str, ...]] = {
    "check": ("{}",),
    "show": ("{}",),
    "test": ("{}",),
    "run": ("{}", "--players", "2"),
    "verify": ("{}", "D2", "--players", "2"),
    "replay": ("{}", "other"),
    "score": ("{}", "other"),
}
SECOND: Mapping[str, tuple[str, ...]] = {
    "replay": ("good.dom", "{}"),
    "score": ("good.dom", "{}"),
    "score --keep": ("good.dom", "--keep", "{}"),
    "play --from": ("good.dom", "--from", "{}"),
}
"""Verbs that read something else beside a game."""


def dom(verb: str, args: tuple[str, ...], file: str, **more: Any) -> Any:
    return CliRunner().invoke(app.build(), [verb.split()[0], *(a.replace("{}", file) for a in args)], **more)


def is_refused(done: Any, code: int, said: str) -> None:
    assert done.exit_code == code, done.output
    assert said in done.output
    assert "Traceback" not in done.output
    assert len(done.output) < 1500, "nobody reads a wall of text"
    assert all(c.isprintable() or c == "\n" for c in done.output)


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.dom").write_bytes(HEAD)
    Path("other").write_bytes(TRANSCRIPT)


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("verb", VERBS)
def test_a_text_that_is_wrong(verb: str, kind: str) -> None:
    data, said = TEXTS[kind]
    Path("bad.dom").write_bytes(data)
    is_refused(dom(verb, VERBS[verb], "bad.dom"), 3, said)


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: thing.__name__)
@pytest.mark.parametrize("verb", [*VERBS, *(f"{verb} 2" for verb in SECOND)])
def test_what_cannot_be_read(verb: str, thing: Callable[[Path], None]) -> None:
    path = Path("sub", "bad.dom")
    path.parent.mkdir()
    thing(path)
    args = SECOND[verb.removesuffix(" 2")] if verb.endswith(" 2") else VERBS[verb]
    if verb == "score --keep 2" and thing in (absent, dangling):
        return  # a match begins there
    done = dom(verb, args, str(path))
    is_refused(done, 74, f"{path}: {THINGS[thing]}")


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("verb", SECOND)
def test_what_is_neither_transcript_nor_hands(verb: str, kind: str) -> None:
    Path("bad").write_bytes(TEXTS[kind][0])
    done = dom(verb, SECOND[verb], "bad")
    if kind in ("empty", "blank") and verb.startswith("score"):
        assert done.exit_code == 0, "no round is counted yet"
    else:
        is_refused(done, 3, "bad: ")


@pytest.mark.parametrize("verb", SECOND)
def test_letters_that_are_no_text_are_told_with_their_line(verb: str) -> None:
    Path("bad").write_bytes(b"; 1\n; 2\n\xff\n")
    is_refused(dom(verb, SECOND[verb], "bad"), 3, "bad: line 3: this is not UTF-8 text; save it as UTF-8")


@pytest.mark.parametrize("verb", [*VERBS, *(f"{verb} 2" for verb in SECOND)])
@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_an_endless_file_is_given_up(verb: str) -> None:
    args = SECOND[verb.removesuffix(" 2")] if verb.endswith(" 2") else VERBS[verb]
    is_refused(dom(verb, args, "/dev/zero"), 3, "larger than 16 MiB" if verb.endswith(" 2") else "larger than 256 KiB")


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_a_file(verb: str) -> None:
    os.mkfifo("pipe.dom")
    writer = threading.Thread(target=Path("pipe.dom").write_bytes, args=(HEAD + b"define a: int = b\n",))
    writer.start()
    is_refused(dom(verb, VERBS[verb], "pipe.dom"), 3, "pipe.dom:2:17")
    writer.join()


@pytest.mark.parametrize("verb", SECOND)
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_a_transcript_or_hands(verb: str) -> None:
    os.mkfifo("pipe")
    text = TRANSCRIPT if verb in ("replay", "play --from") else HANDS + b"round 1\nended nowhere\n"
    writer = threading.Thread(target=Path("pipe").write_bytes, args=(text,))
    writer.start()
    done = dom(verb, SECOND[verb], "pipe")
    writer.join()
    assert done.exit_code in ((0,) if verb in ("replay", "play --from") else (3,)), done.output


def test_an_endless_standard_input_is_given_up() -> None:
    for args in (["check", "-"], ["replay", "good.dom", "-"], ["score", "good.dom", "-"]):
        with Path("/dev/zero").open("rb") as zero:
            done = subprocess.run(
                [sys.executable, "-m", "domrules", *args], stdin=zero, capture_output=True, check=False
            )
        assert done.returncode == 3
        assert b"larger than" in done.stdout + done.stderr


@pytest.mark.parametrize("name", ["\x1b[31mred\x07.dom", "-x.dom", "a" * 300, "new\nline.dom"])
def test_strange_names(name: str) -> None:
    done = dom("check", ("--", "{}"), name)
    assert done.exit_code == 74
    assert not {"\x1b", "\x07"} & set(done.output)
    try:
        Path(name).write_bytes(HEAD + b"define a: int = b\n")
    except OSError:
        return
    is_refused(dom("check", ("--", "{}"), name), 3, ":2:17")
