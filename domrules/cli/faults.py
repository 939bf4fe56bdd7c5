"""A fault of ours, kept in a file with all that is needed to see it again: rules, table, seed, index, versions."""

from __future__ import annotations

import json
from pathlib import Path

from domrules import __version__
from domrules.cli.keeping import free, keep
from domrules.compiler.simulate import Job
from domrules.grammar import core
from domrules.interpreter.names import value_name


def bundle(job: Job, index: int, fault: Exception) -> str:
    """Write it to the current folder; gives a sentence that asks for it."""
    path = free(Path(f"dom-fault-{job.instance.game.name}.json"))
    try:
        keep(path, json.dumps(contents(job, index, fault), indent=2, ensure_ascii=False) + "\n")
    except OSError as error:
        return f"what would help us could not be written to {path} ({error.strerror})"
    return f"please send us {path}, which holds the rules and the match"


def contents(job: Job, index: int, fault: Exception) -> dict[str, object]:
    """What we need to look into a fault."""
    import platform  # only a fault needs it

    instance = job.instance
    game = instance.game
    return {
        "fault": f"{type(fault).__name__}: {fault}",
        "game": game.name,
        "file": game.file,
        "players": instance.players,
        "options": {n: value_name(instance, game.options[n].type, v) for n, v in instance.options.items()},
        "policies": list(job.policies),
        "seed": job.seed,
        "index": index,
        "engine": job.form.value if job.form else "interpreter",
        "versions": {
            "dom": __version__,
            "python": platform.python_version(),
            "platform": platform.platform(),
            "wasmtime": version("wasmtime"),
        },
        "sources": sources(game),
    }


def sources(game: core.Game) -> dict[str, str]:
    """The texts a game was read from, by name."""
    spans = [v.span for v in game.vars.values()] + [f.span for f in game.fns.values()] + [a.span for a in game.actions]
    spans += [e.span for e in game.endings] + [s.span for s in game.settles] + [d.span for d in game.deals]
    return {span.source.name: span.source.text for span in spans if span.source.name}


def version(name: str) -> str | None:
    from importlib import metadata  # slow to load

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
