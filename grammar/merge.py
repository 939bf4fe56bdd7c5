"""Files of a chain → one list of declarations: what a variant adds, and what it says `instead`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from domrules.grammar.diagnostics import Note, Reporter, did_you_mean
from domrules.grammar.syntax import File, Node, node, string, word

NAMED = frozenset(
    [
        "enum_range",
        "enum_names",
        "option",
        "slot",
        "define",
        "zone",
        "state",
        "action",
        "ending",
        "lemma",
        "claim",
        "claim_numbers",
    ]
)
"""Kinds that are told apart by name."""
ADDING = frozenset(["settle", "over", "begin", "redeal", "deal"])
"""Kinds of which a variant may have more than its ancestor; the ancestor's come first."""
SINGLE = frozenset(["winners", "dominoes", "seats", "partners"])
"""Kinds of which a game has one."""
OWN = frozenset(["game", "family", "title", "source", "example"])
"""Kinds that are not inherited."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declaration with the file it stands in (0: the oldest ancestor) and its `source`, if one follows."""

    node: Node
    file: int
    instead: bool
    source: str = ""
    since: int = 0
    """The oldest file that has a declaration of this name; older files do not see it."""

    @property
    def kind(self) -> str:
        return self.node.kind

    @property
    def name(self) -> str:
        return word(self.node.parts[0]).text


def declarations(files: Sequence[File], report: Reporter) -> list[Declaration]:
    """All declarations that hold for the last file, ancestors' first."""
    out: list[Declaration] = []
    for index, file in enumerate(files):
        for declaration in _of_file(file, index):
            _place(declaration, out, report)
    last = len(files) - 1
    return [d for d in out if d.file == last or d.kind not in OWN]


def _of_file(file: File, index: int) -> list[Declaration]:
    """The declarations of a file; a `source` after anything but the head belongs to what it follows."""
    out: list[Declaration] = []
    for n in file.declarations:
        instead = n.kind == "instead"
        inner = node(n.parts[0]) if instead else n
        if inner.kind == "source" and out and out[-1].kind not in ("game", "family", "title", "source"):
            last = out.pop()
            out.append(replace(last, source=string(inner.parts[0])))
        else:
            out.append(Declaration(inner, index, instead, since=index))
    return out


def _place(d: Declaration, out: list[Declaration], report: Reporter) -> None:
    """Add a declaration, in the place of what it replaces when it says `instead`."""
    if d.kind in ("rule", *OWN):
        if d.instead and d.kind != "rule":
            report.add(
                "DOM404", f"`instead` has no meaning before `{d.kind}`", d.node.span.first(), fix="leave `instead` out"
            )
        out.append(d)
        return
    if d.kind in NAMED:
        old = [o for o in out if o.kind in NAMED and o.name == d.name and (o.file < d.file or not d.instead)]
    else:
        old = [o for o in out if o.kind == d.kind and (o.file < d.file or d.kind in SINGLE)]
    if d.instead:
        if not old:
            _nothing_to_replace(d, out, report)
        at = out.index(old[0]) if old else len(out)
        for o in old:
            out.remove(o)
        out.insert(at, replace(d, since=old[0].since) if old else d)
        return
    if d.kind in SINGLE and old:
        report.add("DOM402", f"a game has one `{d.kind}`", d.node.span.first(), Note("the first is here", old[0].node.span),
                   fix=f"write `instead {d.kind} …` if this one replaces it")  # fmt: skip
        return
    out.append(d)


def _nothing_to_replace(d: Declaration, out: list[Declaration], report: Reporter) -> None:
    word_ = d.node.span.first().text
    if d.kind in NAMED:
        near = did_you_mean(d.name, [o.name for o in out if o.kind == d.kind and o.file < d.file])
        report.add("DOM404", f"no ancestor has a {word_} `{d.name}` that this could replace", d.node.span.first(2),
                   fix=near or "leave `instead` out")  # fmt: skip
    else:
        report.add("DOM404", f"no ancestor has a `{word_}` that this could replace", d.node.span.first(),
                   fix="leave `instead` out")  # fmt: skip
