"""Where the parser stopped → a mistake in words: what is wrong there, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from domrules.grammar import cut, habits
from domrules.grammar.diagnostics import Note, Reporter, did_you_mean, nearest, printable
from domrules.grammar.source import Source, Span

KEYWORDS = frozenset(
    (
        "and or not implies any all no in has is none true false when otherwise where by sum "
        "count those lowest highest greatest least choose chance if then do"
    ).split()
)
"""Words that cannot be names, also where the parser could tell them apart."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a declaration cannot be read on: the terminal that stands there, and those that could.

    `kind` may also be $END, TORN (a declaration word follows where a name is wanted), CHARACTER (nothing begins with it), KEYWORD (where a name is wanted), NUMBER (too
    large), DEPTH (too deep).
    """

    kind: str
    at: int
    text: str
    expected: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Place:
    """A piece of a source that cannot be read, and the words of the grammar by terminal (`->` for __ANON_4)."""

    source: Source
    piece: cut.Piece
    words: Mapping[str, str]

    def span(self, start: int, end: int) -> Span:
        return Span(self.source, start, end)

    def opened(self, at: int) -> tuple[Note, ...]:
        """A reminder of the declaration, when it began on another line than `at`."""
        text = self.source.text[self.piece.start : at]
        if "\n" not in text.strip():
            return ()
        line = printable(text.split("\n", 1)[0].strip(), 60)
        return (Note(f"in the declaration that begins `{line}`", self.span(self.piece.start, self.piece.start + 1)),)

    @property
    def end(self) -> int:
        """Where the declaration ends, without blanks and comments behind it."""
        return self.piece.start + len(cut.blanked(self.source.text, self.piece.start, self.piece.end).rstrip())


def explain(place: Place, stop: Stop, report: Reporter) -> None:
    """Report why a piece cannot be read."""
    match stop.kind:
        case "CHARACTER":
            _character(place, stop, report)
        case "TORN":
            word = place.span(place.piece.end, len(place.source.text)).first()
            report.add("DOM120", f"`{word.text}` begins a declaration and cannot be a name", word, *place.opened(stop.at),
                       fix="choose another name")  # fmt: skip
        case "$END":
            _unfinished(place, stop, report)
        case "KEYWORD":
            _keyword(place, stop.at, stop.text, report)
        case "NUMBER":
            report.add("DOM109", "this number is too large", place.span(stop.at, stop.at + len(stop.text)),
                       *place.opened(stop.at), fix="write a number below 1000000000")  # fmt: skip
        case "DEPTH":
            at = place.span(stop.at, max(stop.at + 1, place.end)).first()
            at = at if at.end - at.start < 80 else place.span(stop.at, stop.at + 1)
            report.add("DOM103", stop.text, at, *place.opened(stop.at), fix="name parts with `define`")
        case _:
            _token(place, stop, report)


# ---------------------------------------------------------------- text that no declaration word begins


def leading_text(source: Source, first: int, words: Mapping[str, str], report: Reporter) -> bool:
    """Report what stands before the first declaration; True when there is something."""
    lead = cut.blanked(source.text, 0, first)
    if lead.strip():
        missing_words(source, len(lead) - len(lead.lstrip()), first, words, report)
        return True
    if first == len(source.text):
        report.add(
            "DOM104", "this file declares nothing", Span(source, 0, 0), fix="begin with `game NAME extends line`"
        )
    return False


def missing_words(source: Source, at: int, end: int, words: Mapping[str, str], report: Reporter) -> None:
    """Report each line from `at` that begins where a declaration word should stand."""
    for span in _line_starts(source, at, end, frozenset(words.values())):
        text = span.text
        near = nearest(text, cut.DECLARATIONS)
        name = re.fullmatch(r"[a-z_][a-z0-9_]*", text)
        fix = f"did you mean `{near}`?" if near else f"write `rule {text} …` or `define {text} …`" if name else ""
        fix = habits.BEGINNINGS.get(text, fix)
        report.add(
            "DOM105",
            f"`{printable(text)}` does not begin a declaration",
            span,
            fix=fix or "begin with `game`, `rule`, `define` or another declaration",
        )


def _line_starts(source: Source, at: int, end: int, known: frozenset[str]) -> Iterator[Span]:
    """The text at `at`, and the words that begin later lines as far to the left."""
    text = cut.blanked(source.text, at, end)
    column = source.place(at)[1] - 1
    for i, line in enumerate(text.split("\n")):
        word = re.match(r"\w+|\S", line[0 if i == 0 else column :])
        begins = i == 0 or not line[:column].strip()
        if word and begins and (i == 0 or (word[0].isidentifier() and word[0] not in known)):
            start = at + (0 if i == 0 else column)
            yield Span(source, start, start + len(word[0]))
        at += len(line) + 1


def misplaced(source: Source, piece: cut.Piece, report: Reporter) -> None:
    """A lonely `instead` or `twin`."""
    span = Span(source, piece.start, piece.start + len(piece.word))
    name = re.compile(r"\s*([a-z_]\w*)").match(source.text, span.end, piece.end)
    word = piece.word
    fix = f"write `{word} rule {name[1]} …`" if name else f"write `{word} rule …`, `{word} settle …`"
    report.add("DOM106", f"`{word}` must stand before a declaration", span, fix=fix)


# ---------------------------------------------------------------- characters

LOOK_ALIKES = dict(zip("аеорсухіѕјһԁԛѡο", "aeopcyxisjhdqwo", strict=True))
"""Letters of other alphabets that look like ours."""
SIGNS = {
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": '"', "’": '"', "'": '"', "–": "-", "—": "-", "−": "-",
    "×": "*", "·": "*", "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "⇒": "->", "…": "..", "\u00a0": "a plain blank",
    "/": "quotient(a, b)", "%": "remainder(a, b)", "&": "and", "!": "not", "~": "not", "^": "a * a", "∧": "and",
    "∨": "or", "¬": "not", "∈": "in", "∀": "all", "∃": "any", "?": "when … -> …",
}  # fmt: skip
"""Signs of other languages, and what is written here."""


def _character(place: Place, stop: Stop, report: Reporter) -> None:
    char, at = stop.text, stop.at
    span, opened = place.span(at, at + 1), place.opened(at)
    word = _word_around(place.source.text, at)
    if char == '"':
        report.add("DOM110", "this text has no closing quote on its line", span, *opened, fix='end it with `"`')
    elif char.isupper() and char.isascii():
        whole = place.span(word.start(), word.end())
        report.add("DOM113", "names are written in small letters", whole, *opened, fix=f"write `{word[0].lower()}`")
    elif char == "|":
        _bar(place, at, report)
    elif char == ";":
        report.add("DOM115", "no `;` is needed: each statement begins with a word of its own", span, *opened,
                   fix="leave it out")  # fmt: skip
    elif char.isascii() or char in SIGNS:
        fix = habits.remark(place.source.text, at) or (f"write `{SIGNS[char]}`" if char in SIGNS else "")
        report.add("DOM115", f"{_named(char)} has no meaning here", span, *opened, fix=fix)
    else:
        whole = place.span(word.start(), word.end())
        what = f"`{LOOK_ALIKES[char]}` of another alphabet" if char in LOOK_ALIKES else "no letter of names"
        report.add("DOM112", f"{_named(char)} is {what}", whole, *opened,
                   fix=f"write `{plain(word[0])}`" if plain(word[0]) else "write names with the letters a-z, digits and _")  # fmt: skip


def _bar(place: Place, at: int, report: Reporter) -> None:
    """A bar that is not inside a tile."""
    double = place.source.text.startswith("||", at)
    report.add("DOM114", "a tile is written without blanks between its halves", place.span(at, at + 1),
               *place.opened(at), fix="write `or`" if double else "write `6|4`")  # fmt: skip


def _word_around(text: str, at: int) -> re.Match[str]:
    """The word a character stands in; the character alone when it is no letter."""
    if not re.match(r"\w", text[at]):
        found = re.compile(r"(?s).").match(text, at)
        assert found is not None
        return found
    start = at
    while start and re.match(r"\w", text[start - 1]):
        start -= 1
    found = re.compile(r"\w+").match(text, start)
    assert found is not None
    return found


def _named(char: str) -> str:
    shown = f"`{char}`" if char.isprintable() else "a character"
    return shown if char.isascii() and char.isprintable() else f"{shown} (U+{ord(char):04X})"


def plain(word: str) -> str:
    """A word in our letters; empty when it cannot be told."""
    import unicodedata

    swapped = "".join(LOOK_ALIKES.get(c, c) for c in word.lower())
    bare = "".join(c for c in unicodedata.normalize("NFKD", swapped) if not unicodedata.combining(c))
    return bare if re.fullmatch(r"[a-z_][a-z0-9_]*", bare) else ""


# ---------------------------------------------------------------- words

SYMBOLS = {
    "EQUAL": "`=`", "LPAR": "`(`", "RPAR": "`)`", "LSQB": "`[`", "RSQB": "`]`", "RBRACE": "`}`", "OPEN": "`{`",
    "COLON": "`:`", "COMMA": "`,`", "DOT": "`.`", "VBAR": "`|`", "CMP": "a comparison", "PLUS": "`+`", "MINUS": "`-`",
    "TIMES": "`*`", "TILE": "a tile such as 6|4", "INT": "a number", "NAME": "a name", "STRING": "a text in quotes",
    "LIFE": "`for the round` or `for the match`", "CLAIM": "`always`, `never`, `reachable`, `shortest`, `dealt`, `settled`",
    "BOUND": "`at most` or `at least`",
    "SEEN": "`owner`, `nobody` or `all`", "MODE": "`choose` or `chance`", "LANG": "a language such as en",
    "QUANT": "`any`, `all` or `no`", "WHAT": "`before`, `dealt` or `given`", "FROM_START": "`from the start`",
    "BEST": "`highest` or `lowest`", "MOST": "`greatest` or `least`", "STRICT": "`strict`",
}  # fmt: skip
EXPRESSION = frozenset(["INT", "TILE", "NAME", "LPAR", "TRUE", "FALSE", "NONE"])
"""Terminals that begin an expression; where all of them could stand, an expression could."""
OPERATORS = frozenset("PLUS TIMES CMP AND OR MINUS IN HAS IS IMPLIES DOT LPAR LSQB".split())
OTHER_SIGNS = {"=>": ">=` or `->", "=<": "<=", "<>": "!="}
CLOSERS = {")": "(", "]": "[", "}": "{"}
CLOSING = {"RPAR": "(", "RSQB": "[", "RBRACE": "{"}


def _expected(place: Place, names: frozenset[str], must: bool = False) -> str:
    """Terminals in plain words, grouped. `must`: only what has to come, no operator that could."""
    out: list[str] = []
    if names >= EXPRESSION:
        out.append("an expression")
        names = names - EXPRESSION - {"MINUS", "OPEN", "SUM", "COUNT", "THOSE", "BEST", "MOST", "QUANT", "NOT"}
    if "PLUS" in names:
        names = names - OPERATORS
        if names <= {"$END"} or not must:
            out.append("an operator")
    out += sorted(SYMBOLS.get(name) or f"`{place.words.get(name, name.lower())}`" for name in names - {"$END"})
    if not out:
        return "the end of the declaration"
    if len(out) > 6:
        out = [*out[:6], "…"]
    return out[0] if len(out) == 1 else ", ".join(out[:-1]) + " or " + out[-1]


def _unfinished(place: Place, stop: Stop, report: Reporter) -> None:
    end, text = place.end, place.source.text
    opened = place.opened(end)
    bracket = _open_bracket(text, place.piece.start, end)
    if bracket is not None and any(CLOSING.get(name) == text[bracket] for name in stop.expected):
        report.add("DOM122", f"this `{text[bracket]}` is not closed", place.span(bracket, bracket + 1), *opened)
        return
    last = place.span(max(place.piece.start, end - 1), end)
    if "OTHERWISE" in stop.expected:
        report.add("DOM123", "this table has no last row", last, *opened, fix="end it with `otherwise -> …`")
        return
    wanted = _expected(place, stop.expected, must=True)
    fix = habits.truth(text[place.piece.start : end]) or _form(place, end)
    report.add("DOM121", f"this declaration is not finished: {wanted} is missing", last, *opened, fix=fix)


def _open_bracket(text: str, start: int, end: int) -> int | None:
    """The last bracket that is not closed."""
    waiting: list[int] = []
    for m in re.compile(r'"[^"\n]*"|#[^\n]*|[(\[{]|[)\]}]').finditer(text, start, end):
        if m[0] in ("(", "[", "{"):
            waiting.append(m.start())
        elif m[0] in (")", "]", "}") and waiting:
            waiting.pop()
    return waiting[-1] if waiting else None


def _closing(place: Place, stop: Stop, report: Reporter) -> None:
    """A closing bracket where none can stand."""
    span, opened = place.span(stop.at, stop.at + 1), place.opened(stop.at)
    bracket = _open_bracket(place.source.text, place.piece.start, stop.at)
    if bracket is None:
        report.add("DOM122", f"this `{stop.text}` closes nothing", span, *opened, fix="leave it out")
    elif place.source.text[bracket] != CLOSERS[stop.text]:
        close = next(c for c, o in CLOSERS.items() if o == place.source.text[bracket])
        report.add("DOM122", f"`{stop.text}` does not close `{place.source.text[bracket]}`", span,
                   Note("opened here", place.span(bracket, bracket + 1)), fix=f"write `{close}`")  # fmt: skip
    else:
        wanted = _expected(place, stop.expected, must=True)
        empty = place.source.text[: stop.at].rstrip().endswith("(")
        fix = "leave `()` out where there are no values" if empty else _habit(place, stop)
        report.add("DOM133", f"`{stop.text}` is not expected here; {wanted} is", span, *opened, fix=fix)


def _keyword(place: Place, at: int, text: str, report: Reporter) -> None:
    """A word of the language where a name is wanted."""
    before = place.source.text[place.piece.start : at].rstrip()
    if text == "when" and before.endswith("="):
        equals = place.piece.start + len(before) - 1
        report.add("DOM124", "a table follows without `=`", place.span(equals, equals + 1), fix="leave the `=` out")
        return
    fix = "choose with a table: `when … -> …`, `otherwise -> …`" if text == "if" else "choose another name"
    report.add("DOM132", f"`{text}` is a word of the language and cannot be a name", place.span(at, at + len(text)),
               *place.opened(at), fix=fix)  # fmt: skip


def _keyword_before(place: Place, stop: Stop) -> re.Match[str] | None:
    """The word just before, when it was read as a name and is none."""
    found = re.compile(r"\b[a-z]+(?=\s*$)").search(place.source.text[: stop.at], place.piece.start)
    read_as_name = "PLUS" in stop.expected or "EQUAL" in stop.expected
    return found if found is not None and read_as_name and found[0] in KEYWORDS - {"true", "false", "none"} else None


def _token(place: Place, stop: Stop, report: Reporter) -> None:
    """A word or sign that cannot stand here."""
    at, text, expected = stop.at, stop.text, stop.expected
    span, opened = place.span(at, at + len(text)), place.opened(at)
    start = at - 1 if place.source.text[at - 1 : at + 1] == "<>" else at
    sign = place.source.text[start : start + 2]
    if sign in OTHER_SIGNS:
        report.add("DOM116", f"`{sign}` is no sign of this language", place.span(start, start + 2), *opened,
                   fix=f"write `{OTHER_SIGNS[sign]}`")  # fmt: skip
    elif text in CLOSERS:
        _closing(place, stop, report)
    elif text == "|":
        _bar(place, at, report)
    elif text == "=" and place.source.text[at - 1] == "=":
        report.add("DOM117", "`==` compares; what something is stands after a single `=`", place.span(at - 1, at + 1),
                   *opened, fix="write `=`")  # fmt: skip
    elif text == "=" and (again := _again(place, at)):
        report.add("DOM133", f"`=` is not expected here: one `{again[0]}` gives one state or zone", span,
                   *opened, fix=f"write `{again[0]} {again[1]} = …`")  # fmt: skip
    elif text == "=" and "CMP" in expected:
        report.add("DOM111", "a single `=` does not compare", span, *opened, fix="write `==`")
    elif stop.kind == "CMP" and "AND" in expected:
        report.add("DOM131", "comparisons are not chained", span, *opened,
                   fix="write `a < b and b < c`, or put one of them in parentheses")  # fmt: skip
    elif text in KEYWORDS and "NAME" in expected and "INT" not in expected:
        _keyword(place, at, text, report)
    elif keyword := _keyword_before(place, stop):
        _keyword(place, keyword.start(), keyword[0], report)
    else:
        if expected <= {"$END"}:
            hope = "the declaration could end before it"
        else:
            hope = _expected(place, expected) + " is" + (" (or the declaration ends)" if "$END" in expected else "")
        report.add(
            "DOM133", f"`{printable(text)}` is not expected here; {hope}", span, *opened, fix=_instead(place, stop)
        )


CLAUSES = re.compile(r"\b(players|with|before|dealt|given|rest|played|happened|ended|expect|allows|refuses)\b")
"""Words that begin a part of an example."""
FORMS = {
    "game": "game NAME extends line", "family": "family NAME", "title": 'title en "…"', "source": 'source "…"',
    "seats": "seats 2..4", "partners": "partners by pair_of", "enum": "enum colour = red, green",
    "dominoes": "dominoes in pips each a, b where a <= b", "option": "option NAME: int 50..500 = 150",
    "slot": 'slot NAME(t: tile): bool = true "…"', "rule": "rule NAME = …", "define": "define NAME(t: tile): bool = …",
    "outcome": "outcome NAME(p: player): int = …", "zone": "zone NAME per player seen by owner",
    "state": "state NAME per player: int 0..9 = 0 for the round", "deal": "deal 7 tiles from boneyard to hand each player",
    "redeal": "redeal when …", "begin": "begin set … to …", "action": "action NAME(choose t in hand[mover]) when … do …",
    "event": "event NAME(choose p in players) when … do …", "ending": "ending NAME as fish when … from the start", "settle": "settle when … -> … otherwise -> nothing",
    "over": "over when …", "winners": "winners highest(g in teams by score[g])", "lemma": "lemma NAME: …",
    "claim": "claim NAME: always …", "example": "example NAME players 2 given … expect …",
}  # fmt: skip
"""What a declaration looks like."""


def _instead(place: Place, stop: Stop) -> str:
    """What to write instead of a word that cannot stand here."""
    text, expected = stop.text, stop.expected
    if re.search(r"\bis\s*$", place.source.text[place.piece.start : stop.at]):
        return "to compare, write `==`"
    if text in habits.CHOICES:
        return "choose with a table: `when … -> …`, `otherwise -> …`"
    if place.piece.word == "ending" and re.compile(r"from\s+the\s+start\b").match(place.source.text, stop.at):
        return "`from the start` stands last: `ending NAME when … from the start`"
    if stop.kind == "NAME":
        equals = re.compile(r"\w+\s*(\[[^\]]*\])?\s*=(?!=)").match(place.source.text, stop.at)
        again = _again(place, equals.end() - 1) if equals is not None else None
        if again is not None:
            return f"write `{again[0]} {again[1]} = …`"
    if habit := _habit(place, stop):
        return habit
    if stop.kind == "NAME":
        near = did_you_mean(text, [w for name, w in place.words.items() if name in expected], 0.75)
        if near or not expected & {"SET", "WHAT"}:
            return near or _form(place, stop.at)
        return f"write `set {text} to …`" if "SET" in expected else f"write `given {text} = …`"
    return _form(place, stop.at)


def _habit(place: Place, stop: Stop) -> str:
    """What is written instead of what is usual elsewhere."""
    text = place.source.text
    return habits.instead(text[place.piece.start : stop.at], text[stop.at : place.end], stop.kind, stop.expected)


def _again(place: Place, equals: int) -> tuple[str, str] | None:
    """In an example, of a second `ZONE = …` after one word: the word, and what is before the sign."""
    if place.piece.word != "example":
        return None
    clauses = list(CLAUSES.finditer(place.source.text, place.piece.start, equals))
    if not clauses or clauses[-1][0] not in ("before", "dealt", "given"):
        return None
    found = re.fullmatch(
        r"\s*\w+\s*(?:\[[^\]]*\])?\s*=.*?([^\s,{}]+)\s*", place.source.text[clauses[-1].end() : equals], re.S
    )
    return (clauses[-1][0], found[1]) if found is not None else None


def _form(place: Place, at: int) -> str:
    """The form of the declaration, for a mistake before its expressions and statements begin."""
    form = FORMS.get(place.piece.word)
    begun = re.search(
        r"=|->|\b(when|do|begin|settle|over|redeal|deal|example)\b", place.source.text[place.piece.start : at]
    )
    return "" if begun or form is None else f"as in `{form}`"
