"""The verbs of `dom` in one table; the modules behind them are imported only when asked for.

A verb NAME is the function `command` of the module `domrules.cli.NAME`. It takes Typer's
annotated parameters and returns an `exits.ExitCode`; `app` does the rest.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Verb:
    """A row of the table: the name is also that of the module, the help one line."""

    name: str
    panel: str
    help: str


VERBS: tuple[Verb, ...] = (
    Verb("new", "Write", "Write the file of a new game, by a few questions."),
    Verb("check", "Write", "Say what is wrong with files."),
    Verb("show", "Write", "Show the rules as understood."),
    Verb("explain", "Write", "Explain a check or the code of a mistake."),
    Verb("list", "Write", "List the shipped games."),
    Verb("test", "Run", "Run the worked examples of files."),
    Verb("run", "Run", "Let bots play a match."),
    Verb("play", "Run", "Sit down at a table, against bots or each other."),
    Verb("replay", "Run", "Play a transcript again; name what is not legal in it."),
    Verb("score", "Run", "Keep the score of a match at a real table, and say why."),
    Verb("simulate", "Run", "Play matches by the million; who wins, how rounds end."),
    Verb("verify", "Verify", "Prove or refute what the rules promise."),
)
