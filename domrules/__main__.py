"""From a command line to an exit code: the entry point of `dom` and of `python -m domrules`."""

import gc
import os
import signal
import sys

INTERRUPTED = 130
YOUNG = 200_000
"""Objects made until the collector of garbage looks again; modules and games are made of many, and all of them stay."""


def main() -> None:
    """Run the command line of this process and leave with its exit code."""
    gc.set_threshold(YOUNG)
    unset = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if unset:  # an exception would surface anywhere in what is imported here
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))
    from domrules.cli import app, exits, streams

    streams.prepare()
    if unset:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = exits.outcome(app.run)
    finally:
        gc.freeze()  # Python would look everything through once more before it leaves
    sys.exit(code)


if __name__ == "__main__":
    main()
