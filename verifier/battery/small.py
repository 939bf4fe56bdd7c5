"""E4: nobody is ever stuck, asked of the small twin, all of which is gone through; and the battery on the twin, by two engines."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile
from domrules.verifier.battery import ends
from domrules.verifier.battery.subject import Subject
from domrules.verifier.explicit import bundle
from domrules.verifier.explicit.both import combined
from domrules.verifier.explicit.explore import TooLarge
from domrules.verifier.explicit.questions import Gone, ask
from domrules.verifier.explicit.twin import NoTwin, told, twin_of
from domrules.verifier.verdict import Standing, Verdict, Word

PATIENCE = 1.0
"""Seconds a query for a solver whose answer is only compared."""
TOLD = ("E1", "F2")
"""Items of which it is told the shortest hands: that there is such a hand, and none shorter, is what is compared."""


def e4(subject: Subject) -> Verdict:
    """On the twin no position is stuck without being an ending; without a twin, what M1 says of the full table."""
    started = time.perf_counter()
    try:
        small = twin_of(subject)
        gone = Gone(small)
        found = ask(gone, "E4")
    except (NoTwin, TooLarge) as why:
        verdict = ends.e4(subject)
        return replace(verdict, details=(*verdict.details, f"the small twin is not gone through: {why}"))
    assert found is not None
    if found.word.standing is not Standing.ESTABLISHED:
        full = ends.e4(subject)
        if full.word.standing is Standing.ESTABLISHED:
            return replace(full, details=(*full.details, f"at the small twin it is otherwise: {found.text}"))
    size = told(small.instance)
    says = "; ".join(filter(None, [found.doesnt_say, f"the same of the full table: the twin has {size}"]))
    seconds = time.perf_counter() - started
    if found.witness is not None:
        found = replace(found, details=(*found.details, *gone.told(found.witness)))
    return replace(
        found, scope=subject.scope, seconds=seconds, doesnt_say=says, witness=None, transcript=None
    )  # a hand of the twin is none of the game


def both(gone: Gone, asked: str | core.Claim, solver: Callable[[], Verdict] | None) -> Verdict:
    """The verdict of both engines about an item or claim; that of the solver alone where there is nothing to go through."""
    began, name = time.perf_counter(), asked if isinstance(asked, str) else asked.name
    try:
        explicit = ask(gone, asked)
    except BadFile as missing:
        return gone.subject.verdict(name, Word.SKIPPED, since=began, reason=missing.diagnostics[0].message)
    except TooLarge as why:
        explicit = gone.subject.verdict(name, Word.UNKNOWN, since=began, reason=str(why))
    if solver is None:
        assert explicit is not None, f"{name} is asked of one engine only, which has no answer"
        return explicit
    known = name in TOLD and explicit is not None and explicit.word not in (Word.SKIPPED, Word.UNKNOWN)
    gone.subject.told = gone.hands if known and gone.all.later else None
    theirs = solver()
    if explicit is None:
        return theirs
    verdict = theirs if explicit.word is Word.UNKNOWN else combined(gone, explicit, theirs)
    if verdict.word.standing is Standing.DISAGREE and theirs.word is not Word.DISAGREE:
        command = f"dom verify {gone.instance.game.name}.dom --small --players {gone.instance.players} {name}"
        made = bundle.write(gone.instance, {"gone through": explicit, "solver": theirs}, command)
        verdict = replace(verdict, details=(f"everything about it is in {made}",))
    return verdict
