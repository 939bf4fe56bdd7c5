"""From the table of verbs to the Typer application, loading only the verb that is called."""

import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from domrules import __version__
from domrules.cli import VERBS, Verb, exits
from domrules.cli.values import PlainParams

ENGINES = ("lark", "wasmtime", "z3-solver")


class LazyGroup(PlainParams, TyperGroup):
    """Lists the verbs from placeholders and swaps in the real one when it is to be parsed."""

    # Typer keeps the types of contexts and commands private, hence Any.
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, placeholder, rest = super().resolve_command(ctx, args)
        verb = next((verb for verb in VERBS if verb.name == name), None)
        return name, load(verb) if verb else placeholder, rest


class PlainCommand(PlainParams, TyperCommand):
    """A verb whose arguments are read without pydantic."""


def load(verb: Verb) -> Any:
    """Import the module of a verb and make its `command` one that ends in an exit code."""
    body = import_module(f"domrules.cli.{verb.name}").command
    one = typer.Typer(add_completion=False)
    one.command(verb.name, cls=PlainCommand, help=None if body.__doc__ else verb.help)(exits.guarded(body))
    return typer.main.get_command(one)


def build() -> typer.Typer:
    """Make the application: its own options, and a placeholder for each verb."""
    application = typer.Typer(
        cls=LazyGroup,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    application.callback()(options)
    for verb in VERBS:
        application.command(verb.name, help=verb.help, rich_help_panel=verb.panel)(placeholder)
    return application


def placeholder() -> None:
    """Stand for a verb in the list; `LazyGroup` never runs it."""


def show_version(wanted: bool) -> None:
    """Print our version and those of what decides the answers, without importing either."""
    if wanted:
        from importlib import metadata

        engines = [f"{name} {metadata.version(name)}" for name in ENGINES]
        python = ".".join(map(str, sys.version_info[:3]))
        typer.echo(f"dom {__version__} · {' · '.join(engines)} · Python {python}")
        raise typer.Exit()


def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=show_version, is_eager=True, help="Print the versions."),
    ] = False,
) -> None:
    """Write, play and verify the rules of domino games."""


def run() -> exits.ExitCode:
    """Parse the arguments of this process and run the verb; leaves by SystemExit."""
    build()(prog_name="dom")
    return exits.ExitCode.OK
