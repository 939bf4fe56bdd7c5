"""syntax → canonical text. Parsed again it is the same tree; comments are not in the tree, so they are not printed.

Parentheses stand where the levels of `dom.lark` need them and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from domrules.grammar.cut import PREFIXES
from domrules.grammar.syntax import File, Node, Part, Word, node, nodes, words

WIDTH = 100
"""A doc that would make its line longer than this stands on the next one."""
HEAD = frozenset(["game", "family", "title", "source", "seats", "partners"])

QUANT, IMPLIES, OR, AND, NOT, COMPARE, SUM, PRODUCT, FACTOR, ATOM = range(10)
"""Levels of binding, loosest first."""
LEVELS = {
    "quant": QUANT, "implies": IMPLIES, "or": OR, "and": AND, "not": NOT, "compare": COMPARE, "in": COMPARE,
    "has": COMPARE, "is_none": COMPARE, "is_not_none": COMPARE, "is_bind": COMPARE, "negative": FACTOR,
}  # fmt: skip
"""Level of each form that is looser than an atom; `binary` depends on its sign."""


def show_file(file: File) -> str:
    """The text of a file: a blank line where the kind changes, and around everything longer than a line."""
    out: list[str] = []
    before = ""
    for declaration in file.declarations:
        text, kind = show(declaration), _kind(declaration)
        together = kind == before or {kind, before} <= HEAD
        if out and (not together or "\n" in text or "\n" in out[-1]):
            out.append("")
        out.append(text)
        before = kind
    return "".join(f"{line}\n" for line in out)


def show(part: Part) -> str:
    """The text of any part of a tree: a declaration, a statement, an expression, a word."""
    match part:
        case None:
            return ""
        case Word():
            return part.text
        case Node(kind=kind) if kind in _EXPRESSIONS:
            return _expr(part)
        case Node(kind=kind) if kind in _STATEMENTS:
            return _statement(part)
        case Node(kind=kind) if kind.startswith("e_"):
            return _clause(part)
        case _:
            return _declaration(part)


def _kind(n: Node) -> str:
    return node(n.parts[0]).kind if n.kind in PREFIXES else n.kind


def _after(lead: str, part: Part) -> str:
    """An optional part with the words before it; nothing when it is left out."""
    return "" if part is None else f"{lead}{show(part)}"


def _list(parts: Iterable[Part]) -> str:
    return ", ".join(show(p) for p in parts)


def _documented(text: str, doc: Part) -> str:
    """A declaration and its doc, on the same line when they fit."""
    if doc is None:
        return text
    last = text.rsplit("\n", 1)[-1]
    gap = " " if len(last) + len(show(doc)) < WIDTH and "\n" not in text else "\n  "
    return f"{text}{gap}{show(doc)}"


def _table(rows: Sequence[tuple[str, str]]) -> str:
    """Rows of a decision table, their arrows in one column; the right side may have several lines."""
    width = max(len(left) for left, _ in rows)
    lines = []
    for left, right in rows:
        lead = f"\n  {left:<{width}} -> "
        lines.append(lead + right.replace("\n", "\n" + " " * (len(lead) - 1)))
    return "".join(lines)


# ---------------------------------------------------------------- declarations


def _declaration(n: Node) -> str:
    p = n.parts
    match n.kind:
        case "instead" | "twin":
            return f"{n.kind} {show(p[0])}"
        case "game" | "family":
            return _documented(f"{n.kind} {show(p[0])}{_after(' extends ', p[1])}", p[2])
        case "title":
            return "title " + "  ".join(f"{show(a)} {show(b)}" for a, b in zip(p[::2], p[1::2], strict=True))
        case "source" | "over" | "winners" | "redeal":
            return f"{n.kind} {'when ' if n.kind in ('over', 'redeal') else ''}{show(p[0])}"
        case "seats":
            return f"seats {_list(p)}"
        case "seat_counts":
            return f"{show(p[0])}{_after('..', p[1])}"
        case "partners":
            return f"partners by {show(p[0])}"
        case "enum_range":
            return f"enum {show(p[0])} = {_expr(p[1], SUM)}..{_expr(p[2], SUM)}"
        case "enum_names":
            return f"enum {show(p[0])} = {_list(p[1:])}"
        case "dominoes":
            return f"dominoes in {show(p[0])}" + "".join(f"\n  {_set_part(part)}" for part in nodes(p))
        case "deal":
            return f"deal {_expr(p[0], SUM)} tiles from {show(p[1])} to {show(p[2])}{_after(' each ', p[3])}"
        case "begin":
            return "begin" + _blocks(p[0], "  ", "  then ")
        case "action":
            return _action(n)
        case "event":
            name, choices, guard, blocks = p
            return f"event {show(name)}{_names(choices)}{_after(chr(10) + '  when ', guard)}" + _blocks(
                blocks, "  do ", "  then "
            )
        case "ending":
            head = f"ending {show(p[0])}{_after(' as ', p[1])}{_after(' after ', p[2])}"
            return f"{head} when {show(p[3])}{_after(' ', p[4])}"
        case "settle":
            return _settle(n)
        case "lemma":
            return _documented(f"lemma {show(p[0])}: {show(p[1])}", p[2])
        case "claim":
            return _documented(f"claim {show(p[0])}: {show(p[1])} {show(p[2])}", p[3])
        case "claim_bound":
            name, kind, bound, limit, body, doc = p
            head = f"claim {show(name)}: {show(kind)} {' '.join(show(bound).split())} {_expr(limit, SUM)}: {show(body)}"
            return _documented(head, doc)
        case "claim_numbers":
            return _documented(f"claim {show(p[0])}: for all {_list(p[1:-2])}: {show(p[-2])}", p[-1])
        case "example":
            return f"example {show(p[0])}{_after(' ', p[1])}" + "".join(f"\n  {show(c)}" for c in p[2:])
        case "rule":
            return f"rule {show(p[0])}{_names(p[1])}{_value(p[2])}"
        case _:
            return _typed_declaration(n)


def _typed_declaration(n: Node) -> str:
    """Declarations of what has a type, and the small parts of declarations."""
    p = n.parts
    match n.kind:
        case "option":
            head = f"option {show(p[0])}: {_type(p[1])} = {show(p[2])}"
            return _documented(head + _after(" requires ", p[3]), p[4])
        case "slot":
            head = f"slot {show(p[0])}{_names(p[1])}: {_type(p[2])}{_after(' as ', p[3])}"
            return _documented(head + _after(" = ", p[4]), p[5])
        case "define" | "outcome":
            return _documented(f"{n.kind} {show(p[0])}{_names(p[1])}: {_type(p[2])}{_value(p[3])}", p[4])
        case "zone":
            head = f"zone {show(p[0])}{_after(' per ', p[1])} seen by {show(p[2])}"
            return _documented(head + _after(" as ", p[3]), p[4])
        case "state":
            head = f"state {show(p[0])}{_after(' per ', p[1])}: {_type(p[2])}{_after(' = ', p[3])}"
            return _documented(f"{head}{_after(' ', p[4])}{_after(' as ', p[5])}", p[6])
        case "param":
            return f"{show(p[0])}: {_type(p[1])}"
        case "choice":
            return f"{show(p[0])} {show(p[1])} in {_expr(p[2], SUM)}"
        case _:
            raise ValueError(f"no such form: {n.kind}")


def _names(part: Part) -> str:
    """Parameters, choices or names in parentheses, if there are any."""
    return "" if part is None else f"({_list(node(part).parts)})"


def _type(part: Part) -> str:
    n = node(part)
    match n.kind:
        case "t_int":
            return "int" if n.parts[0] is None else f"int {_bound(n.parts[0])}..{_bound(n.parts[1])}"
        case "t_bool":
            return "bool"
        case "t_one_of":
            return "one of " + " | ".join(w.text for w in words(n.parts))
        case "t_maybe":
            return f"{show(n.parts[0])} or none"
        case "t_set":
            return f"set of {show(n.parts[0])}"
        case _:
            return show(n.parts[0])


def _bound(part: Part) -> str:
    sign, digits = node(part).parts
    return show(sign) + show(digits)


def _set_part(n: Node) -> str:
    if n.kind == "listed":
        return f"{show(n.parts[0])} of {' '.join(show(t) for t in n.parts[1:])}"
    copies, first, second, where = n.parts
    many = "" if copies is None else f"{show(copies)} of "
    return f"{many}each {show(first)}, {show(second)} where {show(where)}"


def _value(part: Part) -> str:
    """`= e`, or a decision table below its head."""
    n = node(part)
    if n.kind == "single":
        return f" = {show(n.parts[0])}"
    rows = [(f"when {show(c.parts[0])}", show(c.parts[1])) for c in nodes(n.parts, "case")]
    return _after(" ", n.parts[0]) + _table([*rows, ("otherwise", show(n.parts[-1]))])


# ---------------------------------------------------------------- actions, settlements, examples


def _action(n: Node) -> str:
    name, choices, role, guard, blocks = n.parts
    head = f"action {show(name)}{_names(choices)}{_after(' as ', role)}{_after(chr(10) + '  when ', guard)}"
    return head + _blocks(blocks, "  do ", "  then ")


def _blocks(part: Part, first: str, later: str) -> str:
    """Each block on lines of its own, its statements below each other."""
    leads = [first] + [later] * (len(node(part).parts) - 1)
    return "".join(
        "\n" + lead + _statements(b).replace("\n", "\n" + " " * len(lead))
        for lead, b in zip(leads, nodes(node(part).parts), strict=True)
    )


def _statements(body: Node) -> str:
    return "\n".join(_statement(s) for s in nodes(body.parts))


def _settle(n: Node) -> str:
    header, strict, *rest = n.parts
    head = "settle" if header is None else f"settle each {show(node(header).parts[0])} in {show(node(header).parts[1])}"
    head += _after(" ", strict)
    parts = [p for p in rest if isinstance(p, Node)]
    if parts[0].kind not in ("row", "last_row"):
        return head + "".join(f"\n  {_statement(s)}" for s in parts)
    return head + _table([_row(r) for r in parts])


def _row(n: Node) -> tuple[str, str]:
    left = f"when {show(n.parts[0])}" if n.kind == "row" else "otherwise"
    body = node(n.parts[-1])
    return left, "nothing" if body.kind == "nothing" else _statements(body)


def _statement(n: Node) -> str:
    p = n.parts
    match n.kind:
        case "move":
            return f"move {_expr(p[0], SUM)} from {_expr(p[1])} to {_expr(p[2])}{_after(' if ', p[3])}"
        case "set":
            return f"set {_expr(p[0])} to {_expr(p[1])}{_after(' if ', p[2])}"
        case "add":
            return f"add {_expr(p[0])} to {_expr(p[1])}{_after(' if ', p[2])}"
        case "attach":
            tile, to, touching, going = (_expr(x, SUM) for x in p[:4])
            return f"attach {tile} to {to} touching {touching} going {going}{_after(' across if ', p[4])}"
        case _:
            return f"each {_expr(p[0])}: {_statement(node(p[1]))}"


def _clause(n: Node) -> str:
    p = n.parts
    word = n.kind.removeprefix("e_")
    match word:
        case "with":
            return f"with {show(p[0])} = {show(p[1])}"
        case "assign":
            return f"{show(p[0])} {_expr(p[1])} = {_list(p[2:])}"
        case "rest":
            return f"rest in {_expr(p[0])}"
        case "played" | "happened" | "allows" | "refuses":
            return f"{word} {', '.join(_move_name(m) for m in nodes(p))}"
        case "allows_nothing":
            return f"allows {show(p[0])}"
        case _:
            return f"{word} {show(p[0])}"


def _move_name(n: Node) -> str:
    args = [show(a.parts[0]) for a in nodes(n.parts)]
    return show(n.parts[0]) + (f"({', '.join(args)})" if args else "")


# ---------------------------------------------------------------- expressions


def _level(n: Node) -> int:
    if n.kind == "binary":
        return PRODUCT if show(n.parts[1]) == "*" else SUM
    return LEVELS.get(n.kind, ATOM)


def _expr(part: Part, level: int = QUANT, last: bool = True) -> str:
    """An expression where at least `level` is wanted. `last`: nothing follows that a quantifier's body could take."""
    n = node(part)
    mine = _level(n)
    bare = (last and level <= NOT) if mine == QUANT else mine >= level
    return _form(n, mine, last) if bare else f"({_form(n, mine, True)})"


def _form(n: Node, mine: int, last: bool) -> str:
    """The form without parentheses around it."""
    p = n.parts
    match n.kind:
        case "quant":
            return f"{show(p[0])} {_expr(p[1])}: {_expr(p[2])}"
        case "bind":
            return f"{show(p[0])} in {_expr(p[1], SUM)}{_after(' where ', p[2])}"
        case "implies":
            return f"{_expr(p[0], OR, False)} implies {_expr(p[1], IMPLIES, last)}"
        case "or" | "and":
            return f"{_expr(p[0], mine, False)} {n.kind} {_expr(p[1], mine + 1, last)}"
        case "not":
            return f"not {_expr(p[0], NOT, last)}"
        case "compare":
            return f"{_expr(p[0], SUM)} {show(p[1])} {_expr(p[2], SUM)}"
        case "in" | "has":
            return f"{_expr(p[0], SUM)} {n.kind} {_expr(p[1], SUM)}"
        case "is_none" | "is_bind":
            return f"{_expr(p[0], SUM)} is {show(p[1])}"
        case "is_not_none":
            return f"{_expr(p[0], SUM)} is not {show(p[1])}"
        case "binary":
            return f"{_expr(p[0], mine)} {show(p[1])} {_expr(p[2], mine + 1)}"
        case "negative":
            return f"-{_expr(p[1], FACTOR)}"
        case _:
            return _atom(n)


def _atom(n: Node) -> str:
    p = n.parts
    match n.kind:
        case "call":
            return f"{show(p[0])}({_list(p[1:])})"
        case "dot":
            return f"{_expr(p[0], ATOM)}.{show(p[1])}"
        case "index":
            return f"{show(p[0])}[{show(p[1])}]"
        case "ref":
            return show(p[0]) + ("" if p[1] is None else f"[{show(p[1])}]")
        case "set_of":
            return f"{{{_list(x for x in p[1:] if x is not None)}}}"
        case "sum":
            return f"sum({show(p[0])}: {show(p[1])})"
        case "count" | "those":
            return f"{n.kind}({show(p[0])})"
        case "best":
            return f"{show(p[0])}({show(p[1])} by {show(p[2])})"
        case "most":
            return f"{show(p[0])}({show(p[1])}: {show(p[2])})"
        case _:
            return show(p[0])


_STATEMENTS = frozenset(["move", "set", "add", "attach", "each"])
_EXPRESSIONS = frozenset(LEVELS) | frozenset(
    (
        "binary bind call dot index ref set_of sum count those best most int tile true false none name"
    ).split()
)  # fmt: skip
