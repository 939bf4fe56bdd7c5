"""From a command line to an exit code: the entry point of `dom` and of `python -m domrules`."""

import sys

from domrules.cli import app, exits


def main() -> None:
    """Run the command line of this process and leave with its exit code."""
    sys.exit(exits.outcome(app.run))


if __name__ == "__main__":
    main()
