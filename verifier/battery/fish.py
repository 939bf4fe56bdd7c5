"""F2: a fish can happen; the fewest tiles and moves it takes, proved; and a hand that shows it, played."""

from __future__ import annotations

import time

from domrules.verifier.battery.agreed import agreed
from domrules.verifier.battery.fewest import Judge, fewest
from domrules.verifier.battery.subject import Subject
from domrules.verifier.goal import ended
from domrules.verifier.verdict import Verdict, Word

PATIENCE = 0.25
"""Of the seconds of one query, for the last search of the battery's question."""


def f2(subject: Subject) -> Verdict:
    """Can a fish happen, with how few tiles?"""
    started = time.perf_counter()
    instance = subject.instance
    fish = instance.role("ending", "fish")
    if not fish or not instance.role("zone", "layout"):
        missing = "no ending is `as fish`" if not fish else "no zone is `as layout`"
        return subject.verdict("F2", Word.SKIPPED, since=started, reason=missing)
    endings = [i for i, e in enumerate(instance.endings) if e.name in fish]
    goal = ended(subject.study, subject.rules, endings)
    span = instance.endings[endings[0]].span
    if subject.told is not None:
        known = [subject.told[name] for name in fish if name in subject.told]
        hand = min(known, key=lambda w: (subject.rules.on_table(w.reached), len(w.plies)), default=None)
        return agreed(Judge(subject, "F2", goal, started, span, after=""), hand)
    return fewest(subject, "F2", goal, started, span, patience=PATIENCE)
