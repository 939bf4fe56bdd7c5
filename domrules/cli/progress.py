"""How far a long run has come, as a bar on a terminal."""

from __future__ import annotations

import sys
import time

BAR = 20


class Progress:
    """Is told how many are done; says it on stderr after a second, where that is a terminal, and wipes it out at the end."""

    def __init__(self, asked: int) -> None:
        self.asked, self.begun, self.said = asked, time.monotonic(), False

    def __call__(self, done: int) -> None:
        spent = time.monotonic() - self.begun
        if not sys.stderr.isatty() or (spent < 1 and not self.said):
            return
        self.said = True
        line = "" if done >= self.asked else bar(done, self.asked, spent)
        print(f"\r{line}\033[K", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        """Leave nothing on the screen."""
        if self.said:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def bar(done: int, asked: int, spent: float) -> str:
    """`█████··············· 25 % · 1,200,000 of 4,800,000 · 400,000 a second · 9 s left`"""
    full = BAR * done // asked
    left = f"{duration(spent * (asked - done) / done)} left" if done else "…"
    return (
        f" {'█' * full}{'·' * (BAR - full)} {100 * done // asked} % · {done:,} of {asked:,}"
        f" · {done / max(spent, 1e-3):,.0f} a second · {left}"
    )


def duration(seconds: float) -> str:
    """`9 s`, `3 min 20 s`, `2 h 5 min`"""
    whole = round(seconds)
    minutes, hours = whole // 60, whole // 3600
    if hours:
        return f"{hours} h {minutes % 60} min"
    return f"{minutes} min {whole % 60} s" if minutes else f"{whole} s"
