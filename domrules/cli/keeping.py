"""A file that always holds the last whole text: a new one is written beside it and takes its place."""

import contextlib
import os
from pathlib import Path


def keep(path: Path, text: str) -> None:
    """This is the file now; a crash leaves the old one or the new one. Raises OSError, then nothing is changed."""
    fresh = path.with_name(path.name + ".new")
    try:
        with fresh.open("w", encoding="utf-8") as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
        fresh.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise


def free(path: Path) -> Path:
    """This name, or the first with a number that no file has: `block.match`, `block-2.match`."""
    number, found = 1, path
    while found.exists():
        number += 1
        found = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return found
