"""What expressions and statements of an instance depend on: bound names, variables, promises. Found once, then looked up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from domrules.grammar import core


class Reads:
    """Dependencies within one instance; calls are followed into their bodies."""

    def __init__(self, instance: core.Instance) -> None:
        self.instance = instance
        self._names: dict[core.Expr | core.Stmt, tuple[str, ...]] = {}
        self._vars: dict[core.Expr, frozenset[str]] = {}
        self._calls: dict[str, frozenset[str]] = {}
        self._promises: dict[core.Expr | str, bool] = {}

    def names(self, node: core.Expr | core.Stmt) -> tuple[str, ...]:
        """The free bound names (parameters, quantified variables) of an expression or statement, sorted."""
        found = self._names.get(node)
        if found is None:
            found = self._names[node] = tuple(sorted(self._free(node)))
        return found

    def _free(self, node: core.Expr | core.Stmt) -> set[str]:
        match node:
            case core.Local(name):
                return {name}
            case core.Agg() | core.Best():
                domain = node.domain if isinstance(node, core.Agg) else node.of
                inside = [node.guard, node.body] if isinstance(node, core.Agg) else [node.key]
                return self._union([domain]) | (self._union(inside) - {node.var})
            case core.Each(var, _, domain, guard, body):
                return self._union([domain]) | (self._union([guard, *body]) - {var})
            case core.Set(_, index, value):
                return self._union([index, value])
            case core.Move(tile, source, target):
                return self._union([tile, source, target])
            case core.If(condition, body):
                return self._union([condition, *body])
            case core.Attach():
                return set()
            case _:
                return self._union(core.children(node))

    def _union(self, nodes: Iterable[core.Expr | core.Stmt | None]) -> set[str]:
        return {name for node in nodes if node is not None for name in self.names(node)}

    def variables(self, expr: core.Expr | None) -> frozenset[str]:
        """The states and zones an expression may read."""
        if expr is None:
            return frozenset()
        found = self._vars.get(expr)
        if found is None:
            parts = [self.variables(child) for child in core.children(expr)]
            match expr:
                case core.Read(var):
                    parts.append(frozenset({var}))
                case core.Call(fn):
                    parts.append(self.called(fn))
                case _:
                    pass
            found = self._vars[expr] = frozenset[str]().union(*parts)
        return found

    def called(self, fn: str) -> frozenset[str]:
        """The states and zones a define may read."""
        found = self._calls.get(fn)
        if found is None:
            found = self._calls[fn] = self.variables(self.instance.fns[fn].body)
        return found

    def evaluating(self, stmt: core.Stmt) -> frozenset[str]:
        """The states and zones a statement itself may read, without the statements inside it."""
        return frozenset[str]().union(*map(self.variables, evaluated(stmt)))

    def promises(self, expr: core.Expr | None) -> bool:
        """May evaluating it break a promise `the(...)`?"""
        if expr is None:
            return False
        found = self._promises.get(expr)
        if found is None:
            own = expr.must if isinstance(expr, core.Sole) else isinstance(expr, core.Cases) and expr.strict
            called = isinstance(expr, core.Call) and self._body_promises(expr.fn)
            found = own or called or any(self.promises(child) for child in core.children(expr))
            self._promises[expr] = found
        return found

    def _body_promises(self, fn: str) -> bool:
        found = self._promises.get(fn)
        if found is None:
            found = self._promises[fn] = self.promises(self.instance.fns[fn].body)
        return found


def statements(block: core.Block) -> Iterator[core.Stmt]:
    """All statements of a block, those inside others too."""
    for stmt in block:
        yield stmt
        if isinstance(stmt, core.If | core.Each):
            yield from statements(stmt.body)


def evaluated(stmt: core.Stmt) -> Iterator[core.Expr]:
    """What a statement evaluates itself, without the statements inside it."""
    match stmt:
        case core.Set(index=index, value=value):
            yield from (e for e in (index, value) if e is not None)
        case core.Move(tile=tile, source=source, target=target):
            yield from (e for e in (tile, source.index, target.index) if e is not None)
        case core.If(condition=condition):
            yield condition
        case core.Each(domain=domain, guard=guard):
            yield from (e for e in (domain, guard) if e is not None)
        case core.Attach():
            return
