"""Which pips may exchange their names without any rule noticing, and which players their seats: checked, not assumed.

Actions are looked at one by one, with their arguments put in. Where a renaming makes another form of one (a tile led with its
halves the other way round) the form is added to the rules: so the rules stay as they are under every renaming that is allowed,
and only allow more.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod

from domrules.grammar import core
from domrules.grammar.instance import folder
from domrules.grammar.reads import Reads
from domrules.verifier.explicit.deeds import grounded, outline
from domrules.verifier.explicit.renaming import Alike, Renaming, exchanged, ranges, seated, set_of, shape

MOST = 2000
"""An action with more arguments than this is not looked at one by one."""

Actions = Sequence[Sequence[core.Action]]
"""Of each action its forms without parameters."""


@dataclass(frozen=True)
class Symmetry:
    """Classes of pips that may exchange their names; forms of each action that this adds."""

    classes: tuple[tuple[int, ...], ...]
    forms: Actions


def symmetry(instance: core.Instance, actions: Sequence[core.Action]) -> Symmetry:
    """Of an instance whose actions are these (as far as they matter)."""
    size = instance.sorts[instance.game.dominoes.half].size
    none = Symmetry(tuple((i,) for i in range(size)), [()] * len(actions))
    if any(prod(instance.sorts[p.sort].size for p in a.params) > MOST for a in actions):
        return none
    exchanges = {pair: r for pair in combinations(range(size), 2) if (r := exchanged(instance, *pair)) is not None}
    fold = folder(instance)
    plain: Actions = [list(grounded(fold, a)) for a in actions]
    limits = steady(instance, ranges(instance, [a for some in plain for a in some]), list(exchanges.values()))
    likes = {pair: Alike(instance, r, limits) for pair, r in exchanges.items()}
    plain = [[narrowed(list(likes.values()), a) for a in some] for some in plain]
    allowed = {pair: exchanges[pair] for pair, alike in likes.items() if unchanged(instance, alike, plain)}
    forms = [more_forms(some, list(allowed.values())) for some in plain]
    if None in forms:
        return none
    return Symmetry(classes(size, list(allowed)), [form for form in forms if form is not None])


def loosened(instance: core.Instance, unknown: Collection[str]) -> tuple[core.Instance, tuple[str, ...]]:
    """The instance without conditions of actions that tell pips apart and ask for tiles that are not known: it allows more.

    And the names of the actions that lose one.
    """
    size, reads = instance.sorts[instance.game.dominoes.half].size, Reads(instance)
    likes = [
        Alike(instance, r) for pair in combinations(range(size), 2) if (r := exchanged(instance, *pair)) is not None
    ]

    def kept(e: core.Expr) -> bool:
        return not reads.variables(e) & set(unknown) or all(alike.expr(e) for alike in likes)

    actions, names = list[core.Action](), list[str]()
    for a in instance.actions:
        guards = [g for g in core.conjuncts(a.guard) if kept(g)]
        if len(guards) < len(core.conjuncts(a.guard)):
            actions.append(replace(a, guard=core.conjunction(guards)))
            names.append(a.name)
        else:
            actions.append(a)
    return replace(instance, actions=tuple(actions)), tuple(names)


def classes(size: int, allowed: Sequence[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """What exchanges of two make of so many elements: those in one class may be permuted at will."""
    root = list(range(size))
    for one, other in allowed:
        low, high = sorted((root[one], root[other]))
        root = [low if r == high else r for r in root]
    return tuple(tuple(i for i in range(size) if root[i] == r) for r in sorted(set(root)))


def steady(instance: core.Instance, found: Mapping[str, int], renamings: Sequence[Renaming]) -> Mapping[str, int]:
    """The ranges of states that are the same under every name."""
    return {v: m for v, m in found.items() if all(r.value(set_of(instance, v), m) == m for r in renamings)}


def narrowed(likes: Sequence[Alike], action: core.Action) -> core.Action:
    """An action that calls nothing whose meaning depends on names, and speaks only of what states can be."""

    def plain(e: core.Expr) -> core.Expr:
        for alike in likes:
            e = alike.plain(e, {}, {})
        return e

    blocks = tuple(core.rebuild_block(b, plain) for b in action.blocks)
    return replace(action, guard=plain(action.guard), blocks=blocks)


def unchanged(instance: core.Instance, alike: Alike, actions: Actions) -> bool:
    """Do endings stay as they are, and do actions speak of nothing that changes its meaning?"""
    terms = [e for some in actions for a in some for e in [a.guard, *core.expressions(*a.blocks)]]
    return all(alike.expr(e.when) for e in instance.endings) and all(map(alike.sound, terms))


def more_forms(actions: Sequence[core.Action], renamings: Sequence[Renaming]) -> list[core.Action] | None:
    """What other forms the renamings make of actions without parameters, all of them; None when they are too many."""
    known = {outline(a) for a in actions}
    most, more, queue = 2 * len(known) + 2, list[core.Action](), list(actions)
    for a in queue:
        for renaming in renamings:
            guard = core.conjunction([renaming.term(g) for g in core.conjuncts(a.guard)])
            form = replace(a, guard=guard, blocks=tuple(core.rebuild_block(b, renaming.term) for b in a.blocks))
            if (seen := outline(form)) not in known:
                known.add(seen)
                more.append(form)
                queue.append(form)
        if len(known) > most:
            return None
    return more


def turns(instance: core.Instance, actions: Sequence[core.Action]) -> list[Renaming]:
    """Ways to move all players on by some seats that leave these actions, and all endings, as they are."""
    found = [r for by in range(1, instance.players) if (r := seated(instance, by)) is not None]
    return [r for r in found if fair(instance, r, actions)]


def fair(instance: core.Instance, renaming: Renaming, actions: Sequence[core.Action]) -> bool:
    alike = Alike(instance, renaming)
    terms = [e.when for e in instance.endings] + [a.guard for a in actions]
    terms += [p.domain for a in actions for p in a.params if p.domain is not None]
    terms += [e for a in actions for e in core.expressions(*a.blocks)]
    blocks = [block for a in actions for block in a.blocks]
    same = all(shape(core.rebuild_block(b, renaming.term)) == shape(b) for b in blocks)
    return same and all(map(alike.expr, terms))
