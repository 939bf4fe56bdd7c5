"""What a question can do without: everything its answer cannot depend on, and the scores unless it asks for them.

What a question needs is what it reads, what guards, domains and endings read, and, again and again, what the effects on
those read (its cone). Numbers that live for the match (scores, carried points) are forgotten by default even there:
few questions about a round need them, and with them gone no arithmetic is left. Sound for every "no".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from domrules.grammar import core
from domrules.grammar.reads import Reads


def forgettable(reads: Reads, asked: Iterable[str], *, keep_numbers: bool = False) -> frozenset[str]:
    """Variables that a question which reads the variables `asked` can forget.

    `keep_numbers`: numbers of the match stay where the cone has them, for questions whose "yes" proved spurious.
    """
    instance, wanted = reads.instance, set(asked)
    lost = set() if keep_numbers else {v.name for v in instance.vars.values() if match_number(v)} - wanted
    kept = wanted | {v.name for v in instance.vars.values() if v.zone} | {"ending"}
    kept |= watched(reads) - lost
    effects = list(flows(reads))
    while True:
        more = set[str]().union(*(sources for target, sources in effects if target in kept)) - lost
        if more <= kept:
            return frozenset(instance.vars) - kept
        kept |= more


def match_number(var: core.Var) -> bool:
    """A number that lives for the match."""
    return isinstance(var.type, core.IntType) and var.life is core.Life.MATCH


def watched(reads: Reads) -> set[str]:
    """What decides who may do what, and when a round ends."""
    instance = reads.instance
    exprs = [ending.when for ending in instance.endings] + [action.guard for action in instance.actions]
    exprs += [p.domain for action in instance.actions for p in action.params if p.domain is not None]
    return set[str]().union(*map(reads.variables, [*exprs, instance.redeal]))


def flows(reads: Reads) -> Iterator[tuple[str, frozenset[str]]]:
    """Which variable depends on which others, by the effects of a round and by what it starts from."""
    instance = reads.instance
    blocks = [*instance.begin, *(block for action in instance.actions for block in action.blocks)]
    for block in blocks:
        for statement in block:
            yield from written(reads, statement, frozenset())
    for var in instance.vars.values():
        yield var.name, reads.variables(var.init)


def written(reads: Reads, s: core.Stmt, around: frozenset[str]) -> Iterator[tuple[str, frozenset[str]]]:
    """The same for one statement; `around`: what the conditions that enclose it read."""
    match s:
        case core.Set(var, index, value):
            yield var, around | reads.variables(index) | reads.variables(value)
        case core.Move(tile, source, target):
            needed = around | reads.variables(tile) | reads.variables(source.index) | reads.variables(target.index)
            yield source.var, needed
            yield target.var, needed
        case core.If(condition, body):
            for inner in body:
                yield from written(reads, inner, around | reads.variables(condition))
        case core.Each(domain=domain, guard=guard, body=body):
            for inner in body:
                yield from written(reads, inner, around | reads.variables(domain) | reads.variables(guard))
        case core.Attach():
            return
