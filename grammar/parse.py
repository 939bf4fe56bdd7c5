"""Text → syntax.File, and a mistake for every declaration that cannot be read. The only module that runs the parser."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from domrules.grammar import cut, table
from domrules.grammar.diagnostics import Note, Reporter, did_you_mean, nearest
from domrules.grammar.source import Source, Span
from domrules.grammar.syntax import File, Node, Part, Word

if TYPE_CHECKING:
    from lark import Lark, Token, Tree
    from lark.exceptions import UnexpectedInput

MAX_SIZE = 256 * 1024
MAX_NESTING = 100
MAX_ERRORS = 20
KEYWORDS = frozenset(
    (
        "and or not implies any all no in has is none true false when otherwise where by sum "
        "count those lowest highest greatest least choose chance nothing"
    ).split()
)


@cache
def _parser() -> Lark:
    return table.load(Path(__file__).parent)


def parse(source: Source, report: Reporter) -> File:
    """Read every declaration that can be read; report the others."""
    if not _fit_to_read(source, report):
        return File(source, ())
    first, pieces = cut.pieces(source.text)
    _leading_text(source, first, report)
    out: list[Node] = []
    errors = 0
    broken: cut.Piece | None = None
    for piece in pieces:
        if piece.word in (*cut.RESERVED, "instead"):
            _reserved_word(source, piece, report)
            broken = piece
            continue
        try:
            declaration, wrong = _declaration(source, piece)
        except _TooDeep:
            span = Span(source, piece.start, piece.start + len(piece.word))
            report.add(
                "DOM103", f"expressions are nested deeper than {MAX_NESTING}", span, fix="name parts with `define`"
            )
            continue
        if declaration is not None:
            out.append(declaration)
            broken = None
            continue
        assert wrong is not None
        if broken is not None and _is_name_in(source, broken, piece):
            continue
        errors += 1
        if errors <= MAX_ERRORS:
            _explain(source, piece, wrong, report, pieces)
        broken = piece
    return File(source, tuple(out))


def _declaration(source: Source, piece: cut.Piece) -> tuple[Node | None, UnexpectedInput | None]:
    from lark import TextSlice
    from lark.exceptions import UnexpectedInput

    try:
        tree = _parser().parse(TextSlice(source.text, piece.start, piece.end))
    except UnexpectedInput as wrong:
        return None, wrong
    return _node(cast("Tree[Token]", tree), source, piece.start), None


class _TooDeep(Exception):
    pass


def _node(tree: Tree[Token], source: Source, start: int, depth: int = 0) -> Node:
    """A lark tree as a node; a tree without a place of its own stands at `start`."""
    if depth > MAX_NESTING + 20:
        raise _TooDeep
    at = start if tree.meta.empty else tree.meta.start_pos
    end = at if tree.meta.empty else tree.meta.end_pos
    parts: list[Part] = []
    children: list[Tree[Token] | Token | None] = list(tree.children)
    for child in children:
        if child is None:
            parts.append(None)
        elif not isinstance(child, str):
            parts.append(_node(child, source, at, depth + 1))
        else:
            here = child.start_pos if child.start_pos is not None else at
            parts.append(Word(child.type, str(child), Span(source, here, here + len(child))))
    return Node(str(tree.data), tuple(parts), Span(source, at, end))


# ---------------------------------------------------------------- before parsing


def _fit_to_read(source: Source, report: Reporter) -> bool:
    """Size, null bytes and nesting, by a quick look at the characters."""
    text = source.text
    start = Span(source, 0, 1)
    if len(text.encode("utf-8", "surrogatepass")) > MAX_SIZE:
        report.add("DOM101", f"this file is larger than {MAX_SIZE // 1024} KiB", start, fix="split it with `extends`")
        return False
    if "\0" in text:
        at = text.index("\0")
        report.add("DOM102", "this file holds a null byte; it is not text", Span(source, at, at + 1))
        return False
    depth = 0
    for m in re.finditer(r'"[^"\n]*"?|#[^\n]*|[(\[{]|[)\]}]|\bnot\b|-', text):
        if m[0] in ("(", "[", "{"):
            depth += 1
            if depth > MAX_NESTING:
                report.add("DOM103", f"brackets are nested deeper than {MAX_NESTING}", Span(source, m.start(), m.end()))
                return False
        elif m[0] in (")", "]", "}"):
            depth = max(0, depth - 1)
    prefix = re.search(r"(?:(?:\bnot\b|-)\s*){101}", text)
    if prefix or re.search(r"(?:\b(?:any|all|no|each)\b[^:\"#]*:\s*){101}", text):
        report.add("DOM103", f"expressions are nested deeper than {MAX_NESTING}", start)
        return False
    return True


def _leading_text(source: Source, first: int, report: Reporter) -> None:
    lead = cut.blanked(source.text, 0, first)
    if not lead.strip():
        if first == len(source.text):
            report.add(
                "DOM104", "this file declares nothing", Span(source, 0, 0), fix="begin with `game NAME extends line`"
            )
        return
    at = len(lead) - len(lead.lstrip())
    name = re.match(r"\S+", lead[at:])
    assert name is not None
    fix = did_you_mean(name[0], cut.DECLARATIONS) or "begin with `game`, `family` or another declaration"
    report.add("DOM105", f"`{name[0]}` does not begin a declaration", Span(source, at, at + len(name[0])), fix=fix)


def _reserved_word(source: Source, piece: cut.Piece, report: Reporter) -> None:
    span = Span(source, piece.start, piece.start + len(piece.word))
    if piece.word == "instead":
        report.add(
            "DOM106",
            "`instead` must stand before a declaration",
            span,
            fix="write `instead rule …`, `instead settle …`",
        )
    else:
        report.add("DOM107", f"`{piece.word}` is kept for a declaration to come", span, fix="choose another name")


def _is_name_in(source: Source, broken: cut.Piece, piece: cut.Piece) -> bool:
    """Did a declaration word stand where a name was wanted, so that one mistake cut the declaration in two?"""
    return piece.start == broken.end and "\n" not in source.text[broken.start : piece.start].rstrip(" \t")


# ---------------------------------------------------------------- why a declaration cannot be read

SYMBOLS = {
    "EQUAL": "`=`", "LPAR": "`(`", "RPAR": "`)`", "LSQB": "`[`", "RSQB": "`]`", "RBRACE": "`}`", "OPEN": "`{`",
    "COLON": "`:`", "COMMA": "`,`", "DOT": "`.`", "VBAR": "`|`", "CMP": "a comparison", "PLUS": "`+`", "MINUS": "`-`",
    "TIMES": "`*`", "TILE": "a tile such as 6|4", "INT": "a number", "NAME": "a name", "STRING": "a text in quotes",
    "LIFE": "`for the round` or `for the match`", "CLAIM": "`always`, `never`, `reachable`, `dealt` or `settled`",
    "SEEN": "`owner`, `nobody` or `all`", "MODE": "`choose` or `chance`", "LANG": "a language such as en",
    "QUANT": "`any`, `all` or `no`", "WHAT": "`before`, `dealt` or `given`", "FROM_START": "`from the start`",
    "BEST": "`highest` or `lowest`", "MOST": "`greatest` or `least`",
}  # fmt: skip
EXPRESSION = {"INT", "TILE", "NAME", "LPAR", "TRUE", "FALSE", "NONE"}
INFIX = {"CMP", "PLUS", "TIMES", "AND", "OR"}


def _expected(names: set[str]) -> list[str]:
    """Terminals in plain words, grouped."""
    out: list[str] = []
    if names >= EXPRESSION:
        out.append("an expression")
        names = names - EXPRESSION - {"MINUS", "OPEN", "SUM", "COUNT", "THOSE", "BEST", "MOST", "QUANT", "NOT"}
    if names & INFIX:
        out.append("an operator")
        names = names - INFIX - {"MINUS", "IN", "HAS", "IS", "IMPLIES", "DOT"}
    for name in sorted(names - {"$END"}):
        symbol = SYMBOLS.get(name)
        if symbol is None:
            symbol = _literal(name)
        out.append(symbol)
    return out


def _literal(name: str) -> str:
    """The text of an anonymous terminal, as `->` for __ANON_4."""
    for terminal in _parser().terminals:
        if terminal.name == name:
            return f"`{terminal.pattern.value}`"
    return f"`{name.lower()}`"


def _explain(
    source: Source, piece: cut.Piece, wrong: UnexpectedInput, report: Reporter, pieces: list[cut.Piece]
) -> None:
    from lark.exceptions import UnexpectedCharacters, UnexpectedToken

    end_at = piece.start + len(cut.blanked(source.text, piece.start, piece.end).rstrip())
    opened = Note(
        f"in the declaration that begins `{_first_line(source, piece)}`", Span(source, piece.start, piece.start + 1)
    )
    if isinstance(wrong, UnexpectedCharacters):
        _unexpected_character(source, wrong, opened, report)
    elif isinstance(wrong, UnexpectedToken):
        expected = set(wrong.accepts or wrong.expected)
        if wrong.token.type == "$END":
            _unfinished(source, piece, end_at, expected, opened, report)
        else:
            _unexpected_token(source, piece, wrong.token, expected, opened, report)


def _first_line(source: Source, piece: cut.Piece) -> str:
    line = source.text[piece.start : piece.end].split("\n", 1)[0].strip()
    return line if len(line) <= 60 else line[:57] + "…"


def _unexpected_character(source: Source, wrong: UnexpectedInput, opened: Note, report: Reporter) -> None:
    at = int(wrong.pos_in_stream or 0)
    char = source.text[at]
    span = Span(source, at, at + 1)
    if char == '"':
        report.add("DOM110", "this text has no closing quote on its line", span, fix='end it with `"`')
    elif char == "=":
        report.add("DOM111", "a single `=` does not compare", span, opened, fix="write `==`")
    elif not char.isascii():
        report.add("DOM112", f"the character {char!r} (U+{ord(char):04X}) is not used outside texts and comments", span, opened,
                   fix="write names with the letters a-z, digits and _")  # fmt: skip
    elif char.isupper():
        report.add("DOM113", "names are written in small letters", span, opened, fix=f"write `{char.lower()}`")
    elif char == "|":
        report.add("DOM114", "a tile is written without blanks", span, opened, fix="write `6|4`")
    else:
        report.add("DOM115", f"the character `{char}` has no meaning here", span, opened)


def _unfinished(
    source: Source, piece: cut.Piece, end_at: int, expected: set[str], opened: Note, report: Reporter
) -> None:
    next_word = re.match(r"(?:instead\s+)?(\w+)", source.text[piece.end :])
    same_line = "\n" not in source.text[end_at : piece.end]
    if next_word and same_line and piece.end < len(source.text):
        span = Span(source, piece.end, piece.end + len(next_word[0]))
        report.add("DOM120", f"`{next_word[1]}` begins a declaration and cannot be a name", span, opened,
                   fix="choose another name")  # fmt: skip
        return
    wanted = _expected(expected)
    report.add(
        "DOM121",
        f"this declaration is not finished: {_list(wanted)} is missing",
        Span(source, max(piece.start, end_at - 1), end_at),
        opened,
    )


def _unexpected_token(
    source: Source, piece: cut.Piece, token: Token, expected: set[str], opened: Note, report: Reporter
) -> None:
    at = token.start_pos if token.start_pos is not None else piece.start
    text = str(token)
    span = Span(source, at, at + len(text))
    before = source.text[piece.start : at]
    at_line_start = "\n" in before and not before.rsplit("\n", 1)[1].strip()
    if token.type == "NAME" and "$END" in expected and at_line_start:
        near = nearest(text, cut.DECLARATIONS)
        fix = f"did you mean `{near}`?" if near else f"did you mean `rule {text} …`?"
        report.add(
            "DOM130", f"`{text}` does not begin a declaration: a declaration begins with rule, define, …", span, fix=fix
        )
    elif token.type == "CMP" and re.search(r"(==|!=|<=|>=|<|>)[^,:()]*$", before):
        report.add("DOM131", "comparisons are not chained", span, opened, fix="write `a < b and b < c`")
    elif "NAME" in expected and "INT" not in expected and text in KEYWORDS:
        report.add(
            "DOM132",
            f"`{text}` is a word of the language and cannot be a name",
            span,
            opened,
            fix="choose another name",
        )
    elif text == "=" and "CMP" in expected:
        report.add("DOM111", "a single `=` does not compare", span, opened, fix="write `==`")
    else:
        wanted = _expected(expected)
        end = " (or the declaration ends)" if "$END" in expected else ""
        report.add("DOM133", f"`{text}` is not expected here; {_list(wanted)} is{end}", span, opened)


def _list(wanted: list[str]) -> str:
    if not wanted:
        return "the end of the declaration"
    if len(wanted) > 6:
        wanted = [*wanted[:6], "…"]
    return wanted[0] if len(wanted) == 1 else ", ".join(wanted[:-1]) + " or " + wanted[-1]
