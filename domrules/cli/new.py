"""`dom new`: a game of one's own, from the answers to a few questions; a commented file that checks and can be verified."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from domrules.cli.exits import ExitCode
from domrules.cli.screen import wrapped
from domrules.cli.templates import BadAnswer, Question, Template, templates, unmet
from domrules.grammar.cut import DECLARATIONS, PREFIXES
from domrules.grammar.diagnostics import did_you_mean
from domrules.grammar.explain import KEYWORDS
from domrules.grammar.load import SHIPPED, check

LONGEST = 40
"""Characters of a name."""
Answer: TypeAlias = str | None


def command(
    name: Annotated[str, typer.Argument(help="The name of the game: small letters, digits and _.")],
    family: Annotated[str, typer.Option(help="What it builds on: line (lay and match) or fishing.")] = "line",
    players: Annotated[Answer, typer.Option(help="How many may play, as 2-4 or 3.")] = None,
    top: Annotated[Answer, typer.Option("--set", help="The set, by its highest number of pips: 6, 9, 12 …")] = None,
    hand: Annotated[Answer, typer.Option(help="Tiles dealt to each player.")] = None,
    draw: Annotated[Answer, typer.Option(help="Who cannot lay a tile draws: none, one, until (one fits).")] = None,
    start: Annotated[Answer, typer.Option(help="Who leads the first round: double, heaviest, seat.")] = None,
    nobody: Annotated[Answer, typer.Option(help="If nobody holds a double: again, heaviest, cannot (be).")] = None,
    later: Annotated[Answer, typer.Option(help="Who leads later rounds: winner, next, first (as the first).")] = None,
    fish: Annotated[Answer, typer.Option(help="Who wins a fish: lightest, last (to lay), nobody.")] = None,
    tie: Annotated[Answer, typer.Option(help="If several hands are the lightest: nobody, share.")] = None,
    rounding: Annotated[Answer, typer.Option(help="Of points: none, five, ten_up, ten_down; ten for fishing.")] = None,
    target: Annotated[Answer, typer.Option(help="Points that win the match.")] = None,
    table: Annotated[Answer, typer.Option(help="Fishing: tiles that lie face up at first.")] = None,
    pairs: Annotated[Answer, typer.Option(help="Fishing: tiles that make a pair: sum, half.")] = None,
    catch: Annotated[Answer, typer.Option(help="Fishing: who can catch: must, may.")] = None,
    points: Annotated[Answer, typer.Option(help="Fishing: what counts of the catch: pips, tiles.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file; NAME.dom otherwise.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing: what is not given is as usual.")] = False,
) -> ExitCode:
    """Write the file of a new game: asks what matters, or takes flags; every rule in it says what it does."""
    told = {
        "players": players, "set": top, "hand": hand, "draw": draw, "start": start, "nobody": nobody, "later": later,
        "fish": fish, "tie": tie, "rounding": rounding, "target": target, "table": table, "pairs": pairs,
        "catch": catch, "points": points,
    }  # fmt: skip
    named(name)
    path = Path(f"{name}.dom") if output is None else output
    printed = str(path) == "-"
    if not printed and not force and (path.exists() or path.is_symlink()):
        raise typer.BadParameter(f"{path} is there already; --force writes over it", param_hint="--output")
    template = chosen(family)
    given = {key: value for key, value in told.items() if value is not None}
    ask = not yes and not printed and sys.stdin.isatty() and sys.stdout.isatty()
    if not (ask or yes or printed) and any(question.key not in given for question in template.questions):
        print(
            "dom: note: nobody can be asked here; what no flag says is as usual (--yes says this is meant).",
            file=sys.stderr,
        )
    text = template.compose(name, answered(template, given, ask))
    sound(name, text)
    if printed:
        print(text, end="")
        return ExitCode.OK
    with path.open("w" if force else "x", encoding="utf-8") as out:
        out.write(text)
    print(farewell(path))
    return ExitCode.OK


def named(name: str) -> None:
    """Refuse what cannot be the name of a game, or is that of another. Raises `typer.BadParameter`."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or len(name) > LONGEST:
        raise typer.BadParameter(
            f"{name!r} cannot be a name: small letters, digits and _, at most {LONGEST} of them", param_hint="NAME"
        )
    if name in (*DECLARATIONS, *PREFIXES, *KEYWORDS):
        raise typer.BadParameter(f"{name} is a word of the language and cannot be a name", param_hint="NAME")
    if any(path.stem == name for path in SHIPPED.rglob("*.dom")):
        raise typer.BadParameter(f"{name} is there already, `dom show {name}` shows it", param_hint="NAME")


def chosen(family: str) -> Template:
    """The template of a family. Raises `typer.BadParameter`."""
    known = templates()
    if family not in known:
        near = did_you_mean(family, known)
        raise typer.BadParameter(
            f"{family!r} is not one of {', '.join(sorted(known, reverse=True))}. {near}".rstrip(), param_hint="--family"
        )
    return known[family]


def answered(template: Template, given: Mapping[str, str], ask: bool) -> dict[str, str]:
    """The answer to each question: given, asked for, or as usual. Raises `typer.BadParameter`."""
    known = template.defaults
    for key in given:
        if key not in known:
            keys = ", ".join(f"--{known_key}" for known_key in known)
            raise typer.BadParameter(f"{template.family} does not ask for it, but for {keys}", param_hint=f"--{key}")
    answers: dict[str, str] = {}
    for question in template.questions:
        key = question.key
        if key in given:
            try:
                answers[key] = question.read(given[key])
            except BadAnswer as bad:
                raise typer.BadParameter(f"{bad}", param_hint=f"--{key}") from None
        elif ask and question.wanted(answers):
            answers[key] = asked(question)
        else:
            answers[key] = question.default
    for question in template.questions:
        if question.key in given and not question.wanted(answers):
            refuse_unasked(question, answers)
    return answers


def refuse_unasked(question: Question, answers: Mapping[str, str]) -> None:
    """An answer to what is not asked after the others would change nothing. Raises `typer.BadParameter`."""
    key, wanted = unmet(question.condition, answers)
    raise typer.BadParameter(
        f"this matters only with --{key} {' or '.join(wanted)}, not with --{key} {answers[key]}; leave it out",
        param_hint=f"--{question.key}",
    )


def asked(question: Question) -> str:
    """What somebody answers: by word or by number, with Enter what is usual. Raises EOFError when nobody does."""
    print(f"\n{question.text}", *wrapped(question.why, hanging=0), sep="\n")
    keys = list(question.answers)
    for number, key in enumerate(keys, 1):
        print(*wrapped(f"{number}  {key:<9} {question.answers[key]}", indent=4, hanging=13), sep="\n")
    by_number = question.kind == "ask" and not any(key.isdecimal() for key in keys)
    while True:
        told = input(f"  [{question.default}] ").strip() or question.default
        if by_number and told.isascii() and told.isdecimal() and 0 < int(told[:3]) <= len(keys):
            told = keys[int(told[:3]) - 1]
        try:
            return question.read(told)
        except BadAnswer as bad:
            print(f"  {bad}")


def sound(name: str, text: str) -> None:
    """Refuse answers that do not go together, such as more tiles dealt than there are. Raises `typer.BadParameter`."""
    with tempfile.TemporaryDirectory(prefix="dom-new-") as folder:
        path = Path(folder) / f"{name}.dom"
        path.write_text(text, encoding="utf-8")
        found = check(path).diagnostics
    if found:
        raise typer.BadParameter(f"these answers do not go together: {found[0].message}")


def farewell(path: Path) -> str:
    """What was written, and what to do with it."""
    return "\n".join(
        [
            f"{path}: written. It is text: open it, every rule says what it does. Then",
            f"  dom check {path}    says what is wrong with it, after every change",
            f"  dom test {path}     plays its examples",
            f"  dom verify {path}   says what can go wrong at the table",
            f"  dom play {path}     plays it with you",
        ]
    )
