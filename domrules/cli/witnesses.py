"""What becomes of the witnesses of `dom verify`: shown as rounds, kept as transcripts, or turned into examples.

Everything is played again here, by the rules of the file and not by those the verifier made of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from domrules.cli.rounds import Shown, shown
from domrules.cli.rows import BELOW, columns
from domrules.grammar import core
from domrules.grammar.cut import blanked
from domrules.grammar.instance import SettingError, instantiate, specialise_expr
from domrules.interpreter.errors import RuleError
from domrules.interpreter.names import cell_name, move_name, value_name
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.transcript import BadTranscript, Transcript, write
from domrules.verifier.battery.opened import ANY
from domrules.verifier.verdict import Verdict


def lines(game: core.Game, transcript: Transcript) -> list[str]:
    """What is shown of a witness; of one that breaks a rule at last, the transcript and what happens."""
    try:
        return [line for one in shown(game, transcript) for line in one.lines(columns() - len(BELOW))]
    except RuleError as error:
        text = [line for line in write(transcript).splitlines() if line and not line.startswith(("[", "round"))]
        return [*text, f"then: {error.sentence}"]


class Witnesses:
    """What becomes of the witnesses of one run: shown as rounds or as examples, and kept."""

    def __init__(self, game: core.Game, file: Path, directory: Path | None = None, as_example: bool = False) -> None:
        self.game, self.file, self.directory, self.as_example = game, file, directory, as_example
        self.saved: list[Path] = []

    def take(self, verdict: Verdict) -> list[str]:
        """The lines below a verdict; its transcript is kept if that is wanted. Raises OSError."""
        if verdict.transcript is None:
            return []
        if self.directory is not None:
            self.saved.append(save(self.directory, verdict, verdict.transcript))
        if self.as_example:
            text = example(self.game, verdict)
            return text.splitlines() if text else ["no example can be made of this witness"]
        return [*self.settings(verdict), *lines(self.game, verdict.transcript)]

    def settings(self, verdict: Verdict) -> list[str]:
        """The values of options that were left open."""
        open_ = [
            name for name, equals, value in (part.partition("=") for part in verdict.scope.split()) if value == ANY
        ]
        options = {} if verdict.transcript is None else verdict.transcript.options
        return [f"with    {' '.join(f'{name}={options[name]}' for name in open_)}"] if open_ else []

    @property
    def farewell(self) -> str:
        """How to play a witness again."""
        return f"\n replay: dom replay {self.file} {self.saved[-1]}" if self.saved else ""


# ---------------------------------------------------------------- files


def stem(verdict: Verdict) -> str:
    """A file name for a witness: the item, the table."""
    return re.sub(r"[^\w.=-]+", "-", f"{verdict.item} {verdict.scope}".replace("players=", "")).strip("-")


def save(directory: Path, verdict: Verdict, transcript: Transcript) -> Path:
    """Write the transcript of a witness; its path. Raises OSError."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{stem(verdict)}.txt"
    path.write_text(write(transcript), encoding="utf-8")
    return path


# ---------------------------------------------------------------- examples


def example(game: core.Game, verdict: Verdict) -> str:
    """An `example` of the language that plays the witness and passes; empty when there is none to be made."""
    if verdict.transcript is None:
        return ""
    try:
        (one,) = shown(game, verdict.transcript)
    except (BadTranscript, RuleError, SettingError):
        return ""
    return "\n  ".join(_example(game, verdict, one))


def _example(game: core.Game, verdict: Verdict, one: Shown) -> Iterator[str]:
    instance = one.rules.instance
    yield f'example {_free_name(game, verdict, instance)} "found by dom verify: {verdict.item}, {verdict.text.split(" (")[0]}"'
    yield f"players {instance.players}"
    for name, value in instance.options.items():
        if value != _default(game, instance, name):
            yield f"with {name} = {value_name(instance, game.options[name].type, value)}"
    for cell, was in one.text.before:
        yield f"before {cell} = {was}"
    stock = cell_name(instance, instance.vars[one.rules.stock], None)
    for cell, tiles in one.text.deal:
        if tiles and cell != stock:
            yield f"dealt {cell} = {{{', '.join(tiles)}}}"
    moves = [str(ply.move) for ply in one.text.plies]
    for start in range(0, len(moves), 5):
        yield "played " + ", ".join(moves[start : start + 5])
    yield from _expectations(game, verdict, one)


def _free_name(game: core.Game, verdict: Verdict, instance: core.Instance) -> str:
    """A name that no other example has."""
    base = f"found_{verdict.item.lower()}_{instance.players}"
    taken = {e.name for e in game.examples}
    return next(n for n in (base, *(f"{base}_{k}" for k in range(2, 1000))) if n not in taken)


def _default(game: core.Game, instance: core.Instance, name: str) -> core.Value:
    """The value of an option that nobody gives; none when there is no such table."""
    try:
        return instantiate(game, instance.players).options[name]
    except SettingError:
        return None


def _expectations(game: core.Game, verdict: Verdict, one: Shown) -> Iterator[str]:
    """What is so in the end: what the verdict is about, how the round ended, and the scores or the moves that are legal."""
    rules, settled = one.rules, one.played.settled
    claim = next((c for c in game.claims if c.name == verdict.item), None)
    if claim is not None:
        yield from _claimed(rules, claim, settled)
    if one.text.ending is None:
        legal = list(dict.fromkeys(str(move_name(rules.instance, m)) for m in rules.legal_moves(settled)))
        yield "allows " + (", ".join(legal) or "nothing")
        return
    yield f"expect {one.text.ending}"
    for var, index, cell in rules.layout.walk():
        if var.role == "score":
            yield f"expect {cell_name(rules.instance, var, index)} == {settled.cells[cell]}"


def _claimed(rules: Rules, claim: core.Claim, state: State) -> Iterator[str]:
    """The claim, or that it does not hold: whichever is so here, for an example is settled at once."""
    measured = claim.measured
    e = specialise_expr(rules.instance, claim.body if measured is None else measured[0])
    found = rules.question(e)(state)
    text = _one_line((claim.body if measured is None else measured[0]).span.text)
    if measured is not None:
        yield f"expect {text} == {found}"
    else:
        yield f"expect {text}" if found else f"expect not ({text})"


def _one_line(text: str) -> str:
    return " ".join(blanked(text, 0, len(text)).split())
