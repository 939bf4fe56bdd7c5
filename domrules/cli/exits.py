"""From what happened to an exit code: the codes, which one wins, and what a failure prints.

One meaning each. A user's mistake never ends in a traceback, and nothing that failed ends in 0.
"""

import contextlib
import errno
import functools
import os
import sys
import traceback
import unicodedata
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import ParamSpec

import typer
from typer.exceptions import TyperException

P = ParamSpec("P")


class ExitCode(IntEnum):
    """The codes in the order of their weight: when several apply, the first one wins."""

    INTERNAL = 70
    """Internal error of ours."""
    DISAGREE = 6
    """Two engines disagree (interpreter, encoding, second solver)."""
    INTERRUPTED = 130
    """Interrupted; partial results are marked partial."""
    USAGE = 2
    """Wrong command line, unknown option value or player count (raise `typer.BadParameter`)."""
    IO = 74
    """Something could not be read or written."""
    INVALID = 3
    """A file we read is wrong: syntax, name, type, an impossible transcript."""
    FINDING = 1
    """A real finding: property refuted, required witness impossible, test failed."""
    HOLLOW = 5
    """Everything passed but something passed vacuously."""
    UNDECIDED = 4
    """Timeout, budget, unknown, or weaker than required."""
    OK = 0
    """All that was asked is established."""


def first(codes: Iterable[ExitCode]) -> ExitCode:
    """Return the weightiest of the codes, OK when there is none."""
    order = list(ExitCode)
    return min(codes, key=order.index, default=ExitCode.OK)


def guarded(verb: Callable[P, ExitCode]) -> Callable[P, None]:
    """Make the body of a verb a Typer command: every way it ends becomes an exit code."""

    @functools.wraps(verb)
    def command(*args: P.args, **kwargs: P.kwargs) -> None:
        raise typer.Exit(outcome(lambda: verb(*args, **kwargs)))

    return command


def outcome(action: Callable[[], ExitCode]) -> ExitCode:
    """Run an action and flush its output; say in one sentence on stderr why it failed.

    Typer's own ways to leave (exit, usage error) pass through.
    """
    try:
        code = action()
        sys.stdout.flush()
    except SystemExit as stop:
        # Typer turns a closed pipe into 1, which means a finding here.
        if isinstance(stop.__context__, BrokenPipeError):
            return closed_pipe()
        return flushed(stop)
    except (typer.Exit, TyperException):
        raise
    except BrokenPipeError:
        return closed_pipe()
    except (KeyboardInterrupt, EOFError, typer.Abort):
        return failed(ExitCode.INTERRUPTED, "interrupted.")
    except OSError as error:
        return failed(ExitCode.IO, describe(error))
    except Exception as error:
        if interrupted(error):
            return failed(ExitCode.INTERRUPTED, "interrupted.")
        return internal(f"{type(error).__name__}: {error}".removesuffix(": "))
    return code


def internal(what: str) -> ExitCode:
    """Say that it is our fault."""
    hint = "This is a fault of dom, not of your files; DOM_TRACEBACK=1 shows where."
    return failed(ExitCode.INTERNAL, f"internal error, {what}. {hint}")


def interrupted(error: BaseException | None) -> bool:
    """Did an interrupt cause this? Python wraps one that arrives while a class is made."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def flushed(stop: SystemExit) -> ExitCode:
    """Leave as Typer wanted, if what it printed arrives."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        return closed_pipe()
    except OSError as error:
        return failed(ExitCode.IO, describe(error))
    raise stop


def describe(error: OSError) -> str:
    """Say what could not be done in words: `block.dom: no such file or directory.`"""
    reason = error.strerror or str(error) or type(error).__name__
    if error.errno == errno.EBADF and not error.filename:
        return "the standard input or output is closed."
    reason = reason[:1].lower() + reason[1:]
    end = "" if reason.endswith("?") else "."
    return f"{error.filename}: {reason}{end}" if error.filename else f"input or output failed, {reason}{end}"


def failed(code: ExitCode, sentence: str) -> ExitCode:
    """Print the sentence on stderr, after the traceback when DOM_TRACEBACK is set."""
    with contextlib.suppress(OSError):
        if wants_traceback() and code is not ExitCode.INTERRUPTED and sys.exc_info()[0] is not None:
            traceback.print_exc()
        print(f"dom: {shown(sentence)}", file=sys.stderr)
    drop_unwritten()
    return code


def shown(text: str) -> str:
    """Text that may hold names of files: no command for the terminal is among its letters."""
    return "".join("\ufffd" if unicodedata.category(c) in ("Cc", "Cf") and c != "\n" else c for c in text)


def wants_traceback() -> bool:
    """Does whoever started us want to see where a fault is?"""
    return bool(os.environ.get("DOM_TRACEBACK"))


def closed_pipe() -> ExitCode:
    """Say nothing: whoever read our output (`| head`) has seen enough."""
    drop_unwritten()
    return ExitCode.IO


def drop_unwritten() -> None:
    """Flush stdout, and if that fails let Python's last flush at exit go nowhere."""
    try:
        sys.stdout.flush()
    except OSError:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
