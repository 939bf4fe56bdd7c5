"""From a folder of specs to a copy in which every name is another one; the language's own words and roles stay.

Names are given file by file and place by place the same: the tables of the copy are the tables of the specs under
other names, so nothing that is played or proved may differ.
"""

import random
import re
from collections.abc import Iterator
from pathlib import Path

from domrules.grammar import table
from domrules.grammar.diagnostics import Reporter
from domrules.grammar.format import show_file
from domrules.grammar.parse import parse
from domrules.grammar.scope import FUNCTIONS, PSEUDO
from domrules.grammar.source import Source
from domrules.grammar.syntax import File, Node, Part, Word, word, words

OURS = {"player", "players", "team", "teams", "tile", "tiles", "moves", "int", "bool", *PSEUDO}
"""Names that every game has and no file declares; p0, p1 … too."""
ROLE = {"slot": 3, "zone": 3, "state": 5, "action": 2, "ending": 1}
"""Kind of declaration → the part that holds its role."""
LANGUAGE: list[str] = sorted(set(re.findall("[a-z]+", table.GRAMMAR.read_text(encoding="utf-8"))))
"""Every word that the grammar knows, and some more."""
TAKEN = {*OURS, *FUNCTIONS, *LANGUAGE}


class Renaming:
    """New names for all files of a folder, by their old ones; `names` can be asked once `copy` has run."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names: dict[str, str] = {}
        self.plurals: dict[str, str] = {}

    def copy(self, source: Path, target: Path) -> None:
        """Write the copy of every `.dom` file, under the new name of its game and in the same subfolder."""
        files = {path: read(path) for path in sorted(source.rglob("*.dom"))}
        for file in files.values():
            self.plurals |= {f"{name}s": name for name in enums(file)}
        for path, file in files.items():
            renamed = File(file.source, tuple(self.node(n) for n in file.declarations))
            place = target / path.parent.relative_to(source) / f"{self[path.stem]}.dom"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(show_file(renamed), encoding="utf-8")

    def __getitem__(self, name: str) -> str:
        """The new name of a name; the same each time. A plural follows its sort."""
        if name in OURS or re.fullmatch(r"p\d", name):
            return name
        if name in self.plurals:
            return f"{self[self.plurals[name]]}s"
        if name not in self.names:
            self.names[name] = self.invented()
        return self.names[name]

    def invented(self) -> str:
        """A name that nothing has: short or long, some beginning as a word of the language does."""
        while True:
            start = self.random.choice(["a", "z", "_", *LANGUAGE])
            name = start + "".join(self.random.choices("abxyz_019", k=self.random.randint(1, 9))) + "q"
            if name not in TAKEN and name not in self.names.values():
                return name

    # ------------------------------------------------------------ trees

    def node(self, n: Node) -> Node:
        return Node(n.kind, tuple(self.part(n, i, part) for i, part in enumerate(n.parts)), n.span)

    def part(self, n: Node, place: int, part: Part) -> Part:
        match part:
            case Node():
                return part if is_tie(n, place) else self.node(part)
            case Word(kind="NAME") if ROLE.get(n.kind) == place or is_function(n, place):
                return part
            case Word(kind="NAME" | "TILE"):
                return Word(part.kind, self.text(part.text), part.span)
            case _:
                return part

    # ------------------------------------------------------------ texts

    def text(self, text: str) -> str:
        """A name, or a tile whose halves may be names."""
        return "|".join(half if half.isdigit() else self[half] for half in text.split("|"))

    def move(self, text: str) -> str:
        """The name of a move."""
        return re.sub(r"[a-z_]\w*", lambda m: self[m[0]], text)


def is_function(n: Node, place: int) -> bool:
    """Is this word a function of the language that is called?"""
    called = {"call": 0, "dot": 1}.get(n.kind) == place
    return called and word(n.parts[place]).text in FUNCTIONS


def is_tie(n: Node, place: int) -> bool:
    """Is this the third value of `nearest`, a word of the language?"""
    return n.kind == "call" and place == 3 and word(n.parts[0]).text == "nearest"


def read(path: Path) -> File:
    report = Reporter()
    file = parse(Source(str(path), path.read_text(encoding="utf-8")), report)
    assert report.found == []
    return file


def enums(file: File) -> Iterator[str]:
    """The sorts that a file declares as such."""
    for n in file.declarations:
        inner = n.parts[0] if n.kind in ("instead", "twin") else n
        if isinstance(inner, Node) and inner.kind in ("enum_range", "enum_names"):
            yield words(inner.parts)[0].text
