"""From a hands file to the sheet as text: the table it is about, its rounds as far as they can be counted, and why."""

from collections.abc import Iterator, Sequence

import typer

from domrules.cli.games import open_instance, options_of
from domrules.grammar import core
from domrules.grammar.source import Span
from domrules.interpreter.because import Because
from domrules.interpreter.errors import RuleError
from domrules.interpreter.hands import BadHands, Fact, Hands
from domrules.interpreter.names import cell_name, element_names
from domrules.interpreter.reckon import blank
from domrules.interpreter.rules import Rules
from domrules.interpreter.sheet import Counted, Missing, Scorer

WIDE = 96


def table(game: core.Game, told: Hands, players: int | None, settings: Sequence[str]) -> Scorer:
    """The table that a hands file is about; the command line may say more. Raises BadHands, `typer.BadParameter`."""
    if told.game and told.game != game.name:
        raise BadHands(0, f"these are hands of {told.game}, not of {game.name}")
    seats = told.players if players is None else players
    own = options_of(settings)
    options = [one for one in told.options if one.key not in own]
    try:
        instance = open_instance(game, seats, [*(f"{one.key}={one.value}" for one in options), *settings])
    except typer.BadParameter as bad:
        line = blamed(game, told, players, settings, options, str(bad))
        if line is None:
            raise
        raise BadHands(line, str(bad)) from None
    return Scorer(Rules(instance), told.names)


def blamed(
    game: core.Game, told: Hands, players: int | None, settings: Sequence[str], options: Sequence[Fact], problem: str
) -> int | None:
    """The line of a hands file without which the table is not refused so; None where the command line alone is."""
    lines: list[int | None] = [None]
    tables: list[tuple[int | None, list[str]]] = [(players, [*settings])]
    if told.players is not None and players is None:
        lines, tables = [*lines, told.seated], [*tables, (told.players, [*settings])]
    for one in options:
        seats, before = tables[-1]
        lines, tables = [*lines, one.line], [*tables, (seats, [f"{one.key}={one.value}", *before])]
    for line, (seats, given) in zip(lines, tables, strict=True):
        try:
            open_instance(game, seats, given)
        except typer.BadParameter as bad:
            if str(bad) == problem:
                return line
    return 0


def counted(scorer: Scorer, told: Hands) -> tuple[list[Counted], Exception | None]:
    """The rounds as far as they can be counted, and what is wrong with the next."""
    rounds: list[Counted] = []
    try:
        for one in scorer.rounds(told):
            rounds.append(one)
    except (Missing, BadHands, RuleError) as problem:
        return rounds, problem
    return rounds, None


# ---------------------------------------------------------------- text


def sheet(scorer: Scorer, rounds: Sequence[Counted], brief: bool = False) -> Iterator[str]:
    """The whole sheet: every round, then how the match stands."""
    for one in rounds:
        yield from lines(scorer, one, brief)
        yield ""
    yield from standing(scorer, rounds)


def lines(scorer: Scorer, one: Counted, brief: bool = False) -> Iterator[str]:
    """A round: how it ended, what was left, what changed and why."""
    by = f" by {scorer.team_or_player(one.told.by)}" if one.told.by else ""
    yield f"round {one.number}: ended {one.told.ending}{by}"
    for var, index, cell in scorer.rules.layout.walk():
        if var.zone and not blank(one.reckoned.ended, cell):
            name = scorer.owner(cell_name(scorer.instance, var, index))
            yield f"  {name}: {scorer.named(cell, one.reckoned.ended.cells[cell])}"
    for because in one.why:
        yield from _because(scorer, because, brief)


def _because(scorer: Scorer, because: Because, brief: bool) -> Iterator[str]:
    if because.cell is None or because.before == because.after:
        if not brief and because.cell is None:
            yield f"  {scorer.team_or_player(because.of)}: nothing written   {_clause(because.clause, because.span)}"
        return
    was, now = (scorer.named(because.cell, value) for value in (because.before, because.after))
    change = ""
    if isinstance(because.before, int) and isinstance(because.after, int) and not isinstance(because.after, bool):
        var = next(v for v, _, c in scorer.rules.layout.walk() if c == because.cell)
        change = f" ({because.after - because.before:+})" if isinstance(var.type, core.IntType) else ""
    yield f"  {scorer.owner(scorer.name(because.cell))}: {was} → {now}{change}"
    if brief:
        return
    yield f"      {_clause(because.clause, because.span)}"
    for step in because.steps:
        indent = "        " + "  " * step.depth
        clause = f"   {_clause(step.clause, step.span)}" if step.span is not None else ""
        yield f"{indent}{scorer.people(f'{step.what} = {step.value}')}{clause}"


def _clause(clause: str, span: Span) -> str:
    return f"{clause if len(clause) <= WIDE else clause[: WIDE - 1] + '…'}  ({span.short})"


def standing(scorer: Scorer, rounds: Sequence[Counted]) -> Iterator[str]:
    """How the match stands: every match state, and who has won."""
    if not rounds:
        yield "no round is counted yet"
        return
    last = rounds[-1].reckoned
    yield f"after round {len(rounds)}"
    shown = scorer.standing(last.settled)
    wide = max(len(scorer.owner(name)) for name in shown)
    yield from (f"  {scorer.owner(name):<{wide}}  {value}" for name, value in shown.items())
    if last.winners is not None:
        won = [scorer.team_or_player(team) for team in element_names(scorer.instance, "team", last.winners)]
        yield f"the match is over; winners: {', '.join(won) or 'none'}"
        yield from (f"  {scorer.owner(name) if '[' in name else name} {value}" for name, value in last.outcomes)
