"""Two engines disagree: everything needed to look into it, in one directory."""

from __future__ import annotations

import dataclasses
import json
import platform
import tempfile
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from domrules.grammar import core
from domrules.grammar.source import Source, Span
from domrules.verifier.verdict import Verdict

ENGINES = ("domrules", "z3-solver", "lark")


def write(instance: core.Instance, verdicts: dict[str, Verdict], command: str, folder: Path | None = None) -> Path:
    """The directory, newly made: texts, table, both answers, versions, and how to ask again. `verdicts`: by engine."""
    made = Path(tempfile.mkdtemp(prefix="dom-disagree-", dir=folder))
    names = []
    for source in texts(instance.game):
        names.append(Path(source.name).name)
        (made / names[-1]).write_text(source.text, encoding="utf-8")
    table = {
        "game": instance.game.name,
        "file": names[0] if names else "",
        "players": instance.players,
        "options": dict(instance.options),
        "tiles": list(instance.sorts["tile"].names),
        "deals": [list(deal) for deal in instance.deals],
    }
    answers = {engine: answer(instance, verdict) for engine, verdict in verdicts.items()}
    versions = {name: _version(name) for name in ENGINES} | {"python": platform.python_version()}
    for name, content in (("table", table), ("answers", answers), ("versions", versions)):
        (made / f"{name}.json").write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
    (made / "instance.txt").write_text("\n".join(terms(instance)) + "\n", encoding="utf-8")
    (made / "README").write_text(f"{README}\n  cd {made}\n  {command}\n", encoding="utf-8")
    return made


README = """Two engines gave answers to the same question about the same table that exclude each other. One of them is wrong.

  table.json      the table: players, options, tiles, deals
  answers.json    both verdicts, with their witnesses move by move
  instance.txt    the rules as both engines read them
  versions.json   of what decided
  *.dom           the texts of the rules

To ask again:
"""


def texts(game: core.Game) -> Iterator[Source]:
    """The files of a game, its own first."""
    spans: list[Span] = [v.span for v in game.vars.values()]
    spans += [f.span for f in game.fns.values()] + [a.span for a in game.actions] + [e.span for e in game.endings]
    spans += [s.span for s in game.settles] + [o.span for o in game.options.values()]
    found = {span.source.name: span.source for span in spans if span.source.name}
    yield from sorted(found.values(), key=lambda source: source.name != game.file)


def answer(instance: core.Instance, verdict: Verdict) -> dict[str, Any]:
    """A verdict as data."""
    moves = list(verdict.witness.moves(instance)) if verdict.witness is not None else None
    return {
        "item": verdict.item, "word": verdict.text, "method": verdict.method, "details": list(verdict.details),
        "does_not_say": verdict.doesnt_say, "moves": moves, "seconds": round(verdict.seconds, 3),
    }  # fmt: skip


def terms(instance: core.Instance) -> Iterator[str]:
    """The parts of an instance, a line each, without their places."""
    for fn in instance.fns.values():
        yield f"define {fn.name}: {plain(fn.body)}"
    yield f"redeal: {plain(instance.redeal)}"
    for block in instance.begin:
        yield f"begin: {plain(block)}"
    for action in instance.actions:
        yield f"action {action.name}: {plain((action.params, action.guard, action.blocks))}"
    for ending in instance.endings:
        yield f"ending {ending.name}: {plain(ending.when)}"
    for settle in instance.settles:
        yield f"settle: {plain((settle.var, settle.rows))}"
    yield f"over: {plain(instance.over)}"


def plain(part: object) -> str:
    """A term as text, without places and types."""
    if isinstance(part, tuple):
        return f"({', '.join(map(plain, part))})"
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        shown = [f for f in dataclasses.fields(part) if f.name not in ("span", "type", "tie", "const", "strict")]
        return f"{type(part).__name__}({', '.join(plain(getattr(part, f.name)) for f in shown)})"
    return str(part)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "unknown"
