"""What simulated matches come to, as text with small bars, as data, and as one table of several tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from domrules.cli.rows import near
from domrules.compiler.balance import Balance, Difference, Share, Spread
from domrules.grammar import core
from domrules.grammar.diagnostics import counted
from domrules.interpreter.names import value_name

BAR = 24
ENGINES = {"wasm": "WebAssembly", "python": "generated Python", "interpreter": "the interpreter"}


@dataclass(frozen=True)
class Told:
    """A table and what its matches came to."""

    instance: core.Instance
    balance: Balance
    asked: int
    seed: int
    policies: tuple[str, ...]
    """Who sat at each seat; nothing when all were random."""
    engine: str
    because: str
    """Why that engine, if another one was asked."""
    seconds: float
    partial: bool


@dataclass(frozen=True)
class LeftOut:
    """A table of several that was not played, and why."""

    instance: core.Instance
    reason: str


def text(told: Told) -> str:
    """The report of one table."""
    return "\n".join(_lines(told)) + "\n"


def _lines(told: Told) -> Iterator[str]:
    b, instance = told.balance, told.instance
    yield f"{instance.game.name} · {_what(told)}{_settings(instance)}"
    if told.policies:
        yield f" {_seats(told)}"
    yield from _partial(told)
    if told.because:
        yield f" played by {ENGINES[told.engine]}: {told.because}"
    if not b.matches:
        return
    yield ""
    for side in b.sides:
        name = "+".join(side.seats)
        yield _row(f"{name} wins", side.wins, f"  alone {_percent(side.alone)}" if side.alone < side.wins.value else "")
    nobody = f" · won by nobody {_percent(b.nobody)}" if b.nobody else ""
    yield _line("ties", f"{_percent(b.shared)} of matches shared{nobody}")
    yield _line("to move first", f"wins {_percent(b.first.value)} {_range(b.first)} · even would be {_percent(b.even)}")
    yield ""
    for name, part in b.endings.items():
        if part:
            paid = b.at_end.get(name, 0.0)
            yield f" {name[:15]:<15} {_bar(part)} {_percent(part):>7} of rounds" + (
                f" · {paid:.1f} points" if paid else ""
            )
    if b.fish is not None:
        yield _line("fish", f"{_percent(b.fish.value)} {_range(b.fish)} of rounds")
    sources = " · ".join(f"{name} {n:.2f}" for name, n in b.points.items() if n)
    yield _line("points", f"{sum(b.points.values()):.2f} a round" + (f": {sources}" if sources else ""))
    yield ""
    yield _line("rounds", f"{_spread(b.rounds)} a match")
    yield _line("moves", f"{_spread(b.moves)} a round · {_spread(b.match_moves)} a match")
    done = " · ".join(f"{name} {n:.2f}" for name, n in b.actions.items())
    yield _line("of them", f"{done} a round")
    yield _line("choice", f"{_percent(b.choice)} of moves · {b.offered:.2f} possibilities, at most {b.most_offered}")
    scores = " ".join(f"{'+'.join(s.seats)} {s.score:.1f}" for s in b.sides)
    yield _line("final scores", f"{scores} · from {b.scores[0]:,} to {b.scores[1]:,}")


def _what(told: Told) -> str:
    return f"{told.instance.players} players · {counted(told.balance.matches, 'match')} · seed {told.seed}"


def _settings(instance: core.Instance) -> str:
    given = _options(instance)
    return f"\n {', '.join(given)}" if given else ""


def _options(instance: core.Instance) -> list[str]:
    return [f"{name} = {shown(instance, name)}" for name in instance.options]


def _partial(told: Told) -> Iterator[str]:
    """How many matches it are, if not all that were asked."""
    if told.partial:
        yield f" PARTIAL: interrupted after {told.balance.matches:,} of {counted(told.asked, 'match')}"


def _seats(told: Told) -> str:
    """Who sat where, if not all were random."""
    seats = told.instance.sorts["player"].names
    return " · ".join(f"{seat} {name}" for seat, name in zip(seats, told.policies, strict=False))


def shown(instance: core.Instance, option: str) -> str:
    """The value of an option in words."""
    return value_name(instance, instance.game.options[option].type, instance.options[option])


def _line(name: str, words: str) -> str:
    return f" {name:<15} {words}"


def _row(name: str, part: Share, more: str = "") -> str:
    return f" {name[:15]:<15} {_bar(part.value)} {_percent(part.value):>7} {_range(part)}{more}"


def _bar(part: float) -> str:
    full = round(part * BAR)
    return "█" * full + "·" * (BAR - full)


def _percent(part: float) -> str:
    return f"{100 * part:.2f} %"


def _range(part: Share) -> str:
    return f"({100 * part.low:.2f}–{100 * part.high:.2f})"


def _spread(s: Spread) -> str:
    return f"{s.mean:.2f} ({s.least}–{s.most})"


# ---------------------------------------------------------------- several tables, two variants


def grid(rows: Sequence[Told | LeftOut]) -> str:
    """One line for each table; options that are the same everywhere are left out."""
    tables = [row.instance for row in rows]
    found = [row for row in rows if isinstance(row, Told)]
    varied = [name for name in tables[0].options if len({table.options.get(name) for table in tables}) > 1]
    head = ["players", *varied, "matches", "first wins", "even", "fish", "rounds", "moves", "choice", "top score"]
    lines = [head, *(_cells(row, varied) if isinstance(row, Told) else _named(row.instance, varied) for row in rows)]
    widths = [max(len(line[i]) for line in lines if i < len(line)) for i in range(len(head))]
    header, *out = ["  ".join(f"{cell:>{w}}" for cell, w in zip(line, widths, strict=False)).rstrip() for line in lines]
    for number, row in enumerate(rows):
        out[number] += f"  left out: {row.reason}" if isinstance(row, LeftOut) else ""
    notes = dict.fromkeys(f"played by {ENGINES[told.engine]}: {told.because}" for told in found if told.because)
    partial = ["PARTIAL: interrupted"] if any(told.partial for told in found) else []
    who = max(found, key=lambda told: len(told.policies))
    names = f" · {who.policies[0] if len(set(who.policies)) == 1 else _seats(who)}" if who.policies else ""
    return "\n".join([tables[0].game.name + names, header, *out, *notes, *partial]) + "\n"


def _named(instance: core.Instance, varied: Sequence[str]) -> list[str]:
    """What a table is called in the grid."""
    return [str(instance.players), *(shown(instance, name) for name in varied)]


def _cells(told: Told, varied: Sequence[str]) -> list[str]:
    b, instance = told.balance, told.instance
    return [
        *_named(instance, varied),
        f"{b.matches:,}",
        _percent(b.first.value),
        _percent(b.even),
        "-" if b.fish is None else _percent(b.fish.value),
        f"{b.rounds.mean:.2f}",
        f"{b.moves.mean:.2f}",
        _percent(b.choice),
        f"{b.scores[1]:,}",
    ]


def comparison(tables: Sequence[Told], found: Sequence[Difference]) -> str:
    """Two variants side by side: what was played, then the differences."""
    first, names = tables[0], [told.instance.game.name for told in tables]
    same = names[0] == names[1]
    labels = ["first", "second"] if same else names
    files = [near(told.instance.game.file) for told in tables]
    against = "itself" if same and files[0] == files[1] else names[1]
    lines, width = [f"{names[0]} against {against} · {_what(first)}"], max(map(len, labels))
    for told, label, file in zip(tables, labels, files, strict=True):
        lines.append(f" {label:<{width}}  {', '.join([file, *_options(told.instance)])}")
    lines += [f" {_seats(first)}"] if first.policies else []
    lines += _partial(first)
    for told, label in zip(tables, labels, strict=True):
        lines += [f" {label} is played by {ENGINES[told.engine]}: {told.because}"] if told.because else []
    return "\n".join([*lines, *_differences(labels, found)]) + "\n"


def _differences(labels: Sequence[str], found: Sequence[Difference]) -> Iterator[str]:
    """The table of differences; nothing when nothing was played."""
    if not found:
        return
    wide = [max(14, len(label) + 2) for label in labels]
    yield ""
    heads = "".join(f"{label:>{w}}" for label, w in zip(labels, wide, strict=True))
    yield f"{'same chance':<16}{heads}{'difference':>14}"
    for d in found:
        within = "" if d.within is None else f" ± {d.within:.4f}"
        yield f" {d.name:<15}{d.first:>{wide[0]}.4f}{d.second:>{wide[1]}.4f}{d.difference:>+14.4f}{within}"
    if found[0].within is None:
        yield " one match: how far the next may be from it cannot be estimated"


def data(told: Told) -> Mapping[str, Any]:
    """The report of one table as data."""
    instance = told.instance
    return {
        "game": instance.game.name,
        "file": instance.game.file,
        "players": instance.players,
        "options": _values(instance),
        "seed": told.seed,
        "asked": told.asked,
        "partial": told.partial,
        "policies": list(told.policies) or ["random"] * instance.players,
        "engine": told.engine,
        "because": told.because,
        "seconds": round(told.seconds, 3),
        **trimmed(asdict(told.balance)),
    }


def _values(instance: core.Instance) -> Mapping[str, str]:
    return {name: shown(instance, name) for name in instance.options}


def missing(row: LeftOut) -> Mapping[str, Any]:
    """A table that was not played as data."""
    return {"players": row.instance.players, "options": _values(row.instance), "reason": row.reason}


def trimmed(found: dict[str, Any]) -> dict[str, Any]:
    """Histograms without the zeros at their ends."""
    for name in ("lengths", "match_rounds"):
        values = list(found[name])
        while values and not values[-1]:
            values.pop()
        found[name] = values
    return found
