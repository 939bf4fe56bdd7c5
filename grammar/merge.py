"""Files of a chain → one list of declarations: what a variant adds, what it says `instead`, and what its `twin` does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from domrules.grammar.cut import PREFIXES
from domrules.grammar.diagnostics import Note, Reporter, did_you_mean
from domrules.grammar.syntax import File, Node, node, nodes, string, word

NAMED = frozenset(
    [
        "enum_range",
        "enum_names",
        "option",
        "slot",
        "define",
        "outcome",
        "zone",
        "state",
        "action",
        "event",
        "ending",
        "lemma",
        "claim",
        "claim_bound",
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
    twin: bool = False
    """It holds in the small twin of the game only."""
    since: int = 0
    """The oldest file that has a declaration of this name; older files do not see it."""

    @property
    def kind(self) -> str:
        return self.node.kind

    @property
    def name(self) -> str:
        return word(self.node.parts[0]).text


def declarations(files: Sequence[File], report: Reporter, *, small: bool = False) -> list[Declaration]:
    """All declarations that hold for the last file, ancestors' first; `small`: for its twin, which has no examples."""
    merged = _Merged(report)
    twins: list[Declaration] = []
    for index, file in enumerate(files):
        for declaration in _of_file(file, index):
            if declaration.twin:
                merged.check_twin(declaration)
                if declaration.kind in OWN:  # said to be wrong; the file still needs its head
                    merged.place(declaration)
                else:
                    twins.append(declaration)
            elif not (small and declaration.kind == "example"):
                merged.place(declaration)
    for twin in twins if small else ():
        merged.shrink(twin)
    last = len(files) - 1
    return [d for d in merged.kept.values() if d.file == last or d.kind not in OWN]


def has_twin(files: Sequence[File]) -> bool:
    """Does any file of the chain say how the game is made small?"""
    return any(n.kind == "twin" for file in files for n in file.declarations)


def _of_file(file: File, index: int) -> list[Declaration]:
    """The declarations of a file; a `source` after anything but the head belongs to what it follows."""
    out: list[Declaration] = []
    for n in file.declarations:
        inner = node(n.parts[0]) if n.kind in PREFIXES else n
        if inner.kind == "source" and out and out[-1].kind not in ("game", "family", "title", "source"):
            last = out.pop()
            out.append(replace(last, source=string(inner.parts[0])))
        else:
            out.append(Declaration(inner, index, n.kind == "instead", twin=n.kind == "twin", since=index))
    return out


class _Merged:
    """The declarations so far, in order, by a number; and the numbers by name and by kind."""

    def __init__(self, report: Reporter) -> None:
        self.report = report
        self.kept: dict[int, Declaration] = {}
        self.groups: dict[str, list[int]] = {}
        self.count = 0

    def place(self, d: Declaration) -> None:
        """Add a declaration, in the place of what it replaces when it says `instead`."""
        if d.kind in ("rule", *OWN):
            if d.instead and d.kind != "rule":
                self.report.add("DOM404", f"`instead` has no meaning before `{d.kind}`", d.node.span.first(),
                                fix="leave `instead` out")  # fmt: skip
            self._keep(d)
        elif d.instead:
            self._replace(d)
        else:
            first = next(iter(self._group(d)), None)
            if d.kind in SINGLE and first is not None:
                self.report.add("DOM402", f"a game has one `{d.kind}`", d.node.span.first(),
                                Note("the first is here", self.kept[first].node.span),
                                fix=self._way(self.kept[first], d.kind))  # fmt: skip
            else:
                self._keep(d)

    def _way(self, first: Declaration, kind: str) -> str:
        """How to have another declaration than the first: fill the slot it asks, if it asks one, or replace it."""
        asked = re.findall(r"\w+", first.node.span.text)
        slot = next((o for o in self.kept.values() if o.kind == "slot" and o.name in asked), None)
        if slot is None:
            return f"write `instead {kind} …` if this one replaces it"
        params = nodes(node(slot.node.parts[1]).parts) if slot.node.parts[1] is not None else ()
        names = ", ".join(word(p.parts[0]).text for p in params)
        return f"fill its slot, `rule {slot.name}{f'({names})' if names else ''} = …`, or write `instead {kind} …`"

    def check_twin(self, d: Declaration) -> None:
        """Report a twin of something that is not inherited."""
        if d.kind in OWN:
            self.report.add("DOM404", f"`twin` has no meaning before `{d.kind}`", d.node.span.first(),
                            fix="leave `twin` out")  # fmt: skip

    def shrink(self, d: Declaration) -> None:
        """Put a declaration of the twin in the place of all that it replaces."""
        if d.kind in OWN:
            return
        if d.kind == "rule":
            old = [i for i, o in self.kept.items() if o.kind == "rule" and o.name == d.name]
        else:
            group = self._group(d)
            old = group.copy()
            del group[1:]
        if not old:
            if d.kind in NAMED:
                self._nothing_to_replace(d, "twin")
            self._keep(d)
            return
        self.kept[old[0]] = replace(d, since=self.kept[old[0]].since)
        for number in old[1:]:
            del self.kept[number]

    def _group(self, d: Declaration) -> list[int]:
        """The numbers of what a declaration could replace or stand beside."""
        return self.groups.setdefault(f"name {d.name}" if d.kind in NAMED else d.kind, [])

    def _keep(self, d: Declaration) -> None:
        self.kept[self.count] = d
        self._group(d).append(self.count)
        self.count += 1

    def _replace(self, d: Declaration) -> None:
        group = self._group(d)
        old = [number for number in group if self.kept[number].file < d.file]
        if not old:
            self._nothing_to_replace(d)
            self._keep(d)
            return
        self.kept[old[0]] = replace(d, since=self.kept[old[0]].since)
        for number in old[1:]:
            del self.kept[number]
            group.remove(number)

    def _nothing_to_replace(self, d: Declaration, word: str = "instead") -> None:
        kind = d.node.span.first().text
        if d.kind in NAMED:
            same = [o.name for o in self.kept.values() if o.kind == d.kind and o.file < d.file]
            self.report.add("DOM404", f"no ancestor has a {kind} `{d.name}` that this could replace", d.node.span.first(2),
                            fix=did_you_mean(d.name, same) or f"leave `{word}` out")  # fmt: skip
        else:
            self.report.add("DOM404", f"no ancestor has a `{kind}` that this could replace", d.node.span.first(),
                            fix="leave `instead` out")  # fmt: skip
