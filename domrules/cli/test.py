"""`dom test`: runs the examples of files; expected and got side by side. With `--cover`, the rules that none of them uses."""

from typing import Annotated

import typer

from domrules.cli import exits
from domrules.cli.clauses import listed
from domrules.cli.exits import ExitCode, failed
from domrules.cli.games import Files, open_sound, refused
from domrules.grammar import core
from domrules.grammar.diagnostics import BadFile, counted
from domrules.interpreter.coverage import Coverage, clauses
from domrules.interpreter.errors import RuleError, Unfinished
from domrules.interpreter.examples import Check, Result, run_example
from domrules.interpreter.rules import Rules

ROUNDS = 400
"""Random rounds played to find out which rules are used."""


def command(
    files: Files,
    only: Annotated[str, typer.Option("-k", metavar="NAME", help="Only examples whose name contains this.")] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only what failed, and the count.")] = False,
    cover: Annotated[bool, typer.Option("--cover", help="Which rules no example, and no random round, uses.")] = False,
) -> ExitCode:
    """Run the worked examples of files: expected and got, side by side."""
    results: list[Result] = []
    codes: list[ExitCode] = []
    for file in files:
        game, seen = open_sound(file), Coverage()
        chosen = [example for example in game.examples if only in example.name]
        print(f"{game.file} · {counted(len(chosen), 'example')}")
        for example in chosen:
            result = run_example(game, example, seen.rules if cover else Rules)
            results.append(result)
            if not (quiet and result.ok):
                print("\n".join(lines(result)))
        if cover and not game.abstract:
            codes.append(report(game, seen))
    return exits.first([*codes, summary(results, only)])


# ---------------------------------------------------------------- rules that are not used


def report(game: core.Game, examples: Coverage) -> ExitCode:
    """Play at random at every table and print the clauses that no example uses, those that nothing uses apart."""
    played = Coverage()
    try:
        played.play(game, ROUNDS)
    except (RuleError, Unfinished) as error:
        return failed(ExitCode.FINDING, f"{error}")
    except BadFile as bad:
        raise refused(bad) from None
    missed, unused = examples.never(game), set(played.never(game))
    print(f"{len(list(clauses(game)))} clauses of the rules · {ROUNDS} random rounds played")
    print("\n".join(listed("in no example", game, [clause for clause in missed if clause not in unused])))
    print("\n".join(listed("nowhere", game, [clause for clause in missed if clause in unused])))
    return ExitCode.OK


# ---------------------------------------------------------------- examples


def lines(result: Result) -> list[str]:
    """One line for an example, and three for everything in it that failed."""
    example = result.example
    found = [f" {'ok  ' if result.ok else 'FAIL'} {example.name:<24} {example.source}".rstrip()]
    for check in result.checks:
        if not check.ok:
            found += mismatch(check)
    return found


def mismatch(check: Check) -> list[str]:
    return [f"      {check.span}", f"        expected  {check.expected}", f"        got       {indented(check.got)}"]


def indented(text: str) -> str:
    return text.replace("\n", "\n" + " " * 18)


def summary(results: list[Result], only: str) -> ExitCode:
    """Print the count and say what it means."""
    wrong = sum(not result.ok for result in results)
    if not results:
        return failed(ExitCode.HOLLOW, f"no example {f'contains {only}' if only else 'to run'}: nothing was tested.")
    print(f"{counted(len(results), 'example')} · {len(results) - wrong} passed · {wrong} failed")
    return ExitCode.FINDING if wrong else ExitCode.OK
