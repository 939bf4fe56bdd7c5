"""C3: the pips of all zones together are those of the set, always."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from domrules.grammar import core
from domrules.grammar.diagnostics import counted
from domrules.interpreter.state import State, elements
from domrules.verifier.battery.subject import Subject
from domrules.verifier.verdict import Verdict, Word

ROUNDS = 100
"""Random rounds looked through where the partition of the tiles is not proved."""


def c3(subject: Subject) -> Verdict:
    """No pip comes from nowhere or goes there: tiles are conserved (D3), and a tile has the pips it has."""
    started = time.perf_counter()
    pips = tile_pips(subject.instance)
    if pips is None:
        return subject.verdict("C3", Word.SKIPPED, since=started, reason="the halves of tiles are no numbers")
    total = sum(pips)
    if subject.conserved:
        details = [f"{counted(len(pips), 'tile')}, {counted(total, 'pip')}"]
        return subject.verdict(
            "C3", Word.PROVED, method="every tile lies in one zone (D3)", since=started, details=details
        )
    for s in subject.matches.situations(ROUNDS):
        found = sum(held(subject, s.state, pips))
        if found != total:
            details = [f"{found} pips lie in the zones, the set has {total}", s.place(subject.seed)]
            return subject.verdict(
                "C3", Word.REFUTED, method="random play", since=started, details=details, witness=s.witness
            )
    return subject.verdict(
        "C3", Word.UNKNOWN, since=started, reason="that every tile lies in one zone is not proved (D3)"
    )


def tile_pips(instance: core.Instance) -> Sequence[int] | None:
    """The pips of every tile; None where halves are no numbers."""
    tile = instance.sorts["tile"]
    found = [0] * tile.size
    for half in ("low", "high"):
        kind, values = tile.attrs[half]
        numbers = instance.sorts[kind.sort].numbers if isinstance(kind, core.Elem) else None
        if numbers is None:
            return None
        found = [have + numbers[int(value or 0)] for have, value in zip(found, values, strict=True)]
    return found


def held(subject: Subject, state: State, pips: Sequence[int]) -> Iterator[int]:
    """The pips of each zone."""
    for var, _, cell in subject.rules.layout.walk():
        mask = state.cells[cell]
        if var.zone and isinstance(mask, int):
            yield sum(pips[i] for i in elements(mask))
