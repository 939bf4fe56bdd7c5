"""F5: a fish with no more tiles on the table than there are players: is it ruled out, and if not, from how many tiles on?

Only the bound is asked for, over positions the proved facts allow: nothing here says that a play comes to such a fish.
"""

from __future__ import annotations

import time

from domrules.grammar.diagnostics import counted
from domrules.verifier.battery.subject import Subject
from domrules.verifier.bound import Position
from domrules.verifier.goal import ended
from domrules.verifier.solver import Answer
from domrules.verifier.verdict import Verdict, Word


def f5(subject: Subject) -> Verdict:
    """Proved when a fish needs more tiles than there are players; else how far that holds."""
    started = time.perf_counter()
    instance = subject.instance
    fish = instance.role("ending", "fish")
    if not fish or not instance.role("zone", "layout"):
        missing = "no ending is `as fish`" if not fish else "no zone is `as layout`"
        return subject.verdict("F5", Word.SKIPPED, since=started, reason=missing)
    endings = [i for i, e in enumerate(instance.endings) if e.name in fish]
    span = instance.endings[endings[0]].span
    goal = ended(subject.study, subject.rules, endings)
    position = Position(subject.study, goal, subject.proved, counted=False)
    session = position.session(subject.proved)
    method = "positions the proved facts allow"
    tiles = 0
    while tiles <= instance.players:
        result = session.check([position.at_most(position.laid, tiles)], seconds=subject.seconds)
        if result.answer is Answer.UNKNOWN and not tiles:
            return subject.verdict("F5", Word.UNKNOWN, since=started, reason=result.reason, span=span)
        if result.answer is not Answer.NO:
            break
        tiles += 1
    if tiles <= instance.players:
        details = [f"a fish may need only {counted(tiles, 'tile')}, with {instance.players} players"]
        return subject.verdict(
            "F5", Word.HOLDS, method=method, since=started, details=details, span=span, depth=max(0, tiles - 1),
            doesnt_say="that a play comes to a fish with so few",
        )  # fmt: skip
    known = subject.found.get("F2")
    never = known is not None and known.word is Word.IMPOSSIBLE
    if never or session.check([], seconds=subject.seconds).answer is Answer.NO:
        return subject.verdict("F5", Word.HOLLOW, since=started, reason="no round ends in a fish", span=span)
    details = [f"a fish needs more than {instance.players} tiles"]
    return subject.verdict("F5", Word.PROVED, method=method, since=started, details=details, span=span)
