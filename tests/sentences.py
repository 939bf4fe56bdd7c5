"""From the rules of `dom.lark` to texts it allows: random ones of a given size, and a shortest one through each rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from hypothesis import strategies as st
from lark.grammar import NonTerminal, Rule, Symbol

from domrules.grammar import table

Pick = Callable[[Sequence[Any]], Any]
"""Takes one of several texts or rules."""

WORDS = {
    "NAME": ("a", "hand", "p0", "x_1", "_", "orange", "gamer", "ruled", "isolated", "notable"),
    "INT": ("0", "7", "28", "007"),
    "TILE": ("6|4", "0|0", "a|b", "x_1|12", "6|6*2"),
    "STRING": ('"a text"', '""', '"rule # or = Ž \\"'),
    "QUANT": ("any", "all", "no"),
    "BEST": ("lowest", "highest"),
    "MOST": ("greatest", "least"),
    "MODE": ("choose", "chance"),
    "CLAIM": ("always", "never", "reachable", "dealt", "settled", "shortest"),
    "BOUND": ("at most", "at least", "at  most"),
    "WHAT": ("before", "dealt", "given"),
    "SEEN": ("owner", "nobody", "all"),
    "LIFE": ("for the round", "for the match", "for  the\nround"),
    "FROM_START": ("from the start", "from  the start"),
    "STRICT": ("strict",),
    "LANG": ("en", "cs"),
    "CMP": ("==", "!=", "<", "<=", ">", ">="),
}
"""Texts of the terminals that are patterns; the others stand for themselves."""
DECL = NonTerminal("decl")
GAPS = (" ", "\n", "\t ", "\r\n", ' # rule, or "not\n')


class Sentences:
    """The grammar as a source of texts. `rules` are sorted by the length of their shortest text, in words."""

    def __init__(self, text: str) -> None:
        parser = table.make(text)
        self.texts = {t.name: WORDS.get(t.name, (t.pattern.value,)) for t in parser.terminals}
        self.rules: dict[str, list[Rule]] = {}
        for rule in parser.rules:
            self.rules.setdefault(rule.origin.name, []).append(rule)
        self.shortest = self._shortest(parser.rules)
        for several in self.rules.values():
            several.sort(key=self.length)
        self.around = self._around()

    def _shortest(self, rules: Iterable[Rule]) -> dict[str, int]:
        far = 10_000
        out = dict.fromkeys(self.rules, far)
        changed = True
        while changed:
            changed = False
            for rule in rules:
                length = sum(1 if s.is_term else out[s.name] for s in rule.expansion)
                if length < out[rule.origin.name]:
                    out[rule.origin.name], changed = length, True
        return out

    def length(self, rule: Rule) -> int:
        return self.width(rule.expansion)

    def width(self, symbols: Iterable[Symbol]) -> int:
        return sum(1 if s.is_term else self.shortest[s.name] for s in symbols)

    def _around(self) -> dict[str, tuple[list[Symbol], list[Symbol]]]:
        """What stands left and right of each rule name in a declaration that reaches it in the fewest steps."""
        out: dict[str, tuple[list[Symbol], list[Symbol]]] = {"decl": ([], [])}
        waiting = ["decl"]
        for name in waiting:
            left, right = out[name]
            for rule in self.rules[name]:
                for i, symbol in enumerate(rule.expansion):
                    if not symbol.is_term and symbol.name not in out:
                        out[symbol.name] = ([*left, *rule.expansion[:i]], [*rule.expansion[i + 1 :], *right])
                        waiting.append(symbol.name)
        return out

    def through(self, rule: Rule) -> list[str]:
        """The words of a short declaration that uses a rule."""
        left, right = self.around[rule.origin.name]
        return self.words([*left, *rule.expansion, *right], 0, lambda options: options[0])

    def words(self, symbols: Sequence[Symbol], size: int, pick: Pick) -> list[str]:
        """The symbols replaced until only words are left: at most `size` of them, if that is possible."""
        out: list[str] = []
        waiting = list(reversed(symbols))
        wanted = self.width(waiting)
        while waiting:
            symbol = waiting.pop()
            if symbol.is_term:
                wanted -= 1
                out.append(pick(self.texts[symbol.name]))
                continue
            wanted -= self.shortest[symbol.name]
            several = self.rules[symbol.name]
            rule = pick([r for r in several if len(out) + wanted + self.length(r) <= size] or several[:1])
            wanted += self.length(rule)
            waiting.extend(reversed(rule.expansion))
        return out


@cache
def sentences() -> Sentences:
    return Sentences(table.GRAMMAR.read_text(encoding="utf-8"))


@st.composite
def declarations(draw: st.DrawFn, most: int = 60, names: Sequence[str] = WORDS["NAME"]) -> str:
    """A declaration of at most `most` words, apart by blanks, line ends or comments."""
    grammar = sentences()
    size = draw(st.integers(1, most))

    def pick(several: Sequence[Any]) -> Any:
        return draw(st.sampled_from(names if several is WORDS["NAME"] else several))

    words = grammar.words([DECL], size, pick)
    gap = draw(st.sampled_from(GAPS))
    return gap.join(words)
