"""`dom test`: runs the examples of files; expected and got side by side."""

from typing import Annotated

import typer

from domrules.cli.exits import ExitCode, failed
from domrules.cli.games import Files, open_game
from domrules.interpreter.examples import Check, Result, run_example


def command(
    files: Files,
    only: Annotated[str, typer.Option("-k", metavar="NAME", help="Only examples whose name contains this.")] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only what failed, and the count.")] = False,
) -> ExitCode:
    """Run the worked examples of files: expected and got, side by side."""
    results: list[Result] = []
    for file in files:
        game = open_game(file)
        chosen = [example for example in game.examples if only in example.name]
        print(f"{game.file} · {len(chosen)} examples")
        for example in chosen:
            result = run_example(game, example)
            results.append(result)
            if not (quiet and result.ok):
                print("\n".join(lines(result)))
    return summary(results, only)


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
    print(f"{len(results)} examples · {len(results) - wrong} passed · {wrong} failed")
    return ExitCode.FINDING if wrong else ExitCode.OK
