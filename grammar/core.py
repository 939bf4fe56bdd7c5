"""The typed core: what a checked `.dom` file means. Every engine reads this and nothing else.

A `Game` is generic: sorts are named, their sizes are not known. `instance.instantiate` fixes players and options and
gives an `Instance`, made of the same terms, in which every sort is a finite list and

* an element of a sort is its index (int), an absent optional is `None`, a set is a bit mask (int),
* every `Attr` has become a `Table`, every option that was given a `Lit`.

The terms (types, expressions, statements) stand in `terms`; they are named here too, so that `core.X` is enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from domrules.grammar.source import NOWHERE, Span
from domrules.grammar.terms import (
    BOOL as BOOL,
)
from domrules.grammar.terms import (
    FALSE as FALSE,
)
from domrules.grammar.terms import (
    INT as INT,
)
from domrules.grammar.terms import (
    OPERATORS as OPERATORS,
)
from domrules.grammar.terms import (
    TRUE as TRUE,
)
from domrules.grammar.terms import (
    Agg as Agg,
)
from domrules.grammar.terms import (
    Attach as Attach,
)
from domrules.grammar.terms import (
    Attr as Attr,
)
from domrules.grammar.terms import (
    Best as Best,
)
from domrules.grammar.terms import (
    Block as Block,
)
from domrules.grammar.terms import (
    BoolType as BoolType,
)
from domrules.grammar.terms import (
    Call as Call,
)
from domrules.grammar.terms import (
    Cases as Cases,
)
from domrules.grammar.terms import (
    Each as Each,
)
from domrules.grammar.terms import (
    Elem as Elem,
)
from domrules.grammar.terms import (
    Expr as Expr,
)
from domrules.grammar.terms import (
    If as If,
)
from domrules.grammar.terms import (
    IntType as IntType,
)
from domrules.grammar.terms import (
    Lit as Lit,
)
from domrules.grammar.terms import (
    Local as Local,
)
from domrules.grammar.terms import (
    Maybe as Maybe,
)
from domrules.grammar.terms import (
    Move as Move,
)
from domrules.grammar.terms import (
    Op as Op,
)
from domrules.grammar.terms import (
    Read as Read,
)
from domrules.grammar.terms import (
    Set as Set,
)
from domrules.grammar.terms import (
    SetOf as SetOf,
)
from domrules.grammar.terms import (
    Sole as Sole,
)
from domrules.grammar.terms import (
    Stmt as Stmt,
)
from domrules.grammar.terms import (
    Table as Table,
)
from domrules.grammar.terms import (
    Type as Type,
)
from domrules.grammar.terms import (
    Value as Value,
)
from domrules.grammar.terms import (
    bound as bound,
)
from domrules.grammar.terms import (
    children as children,
)
from domrules.grammar.terms import (
    conjunction as conjunction,
)
from domrules.grammar.terms import (
    conjuncts as conjuncts,
)
from domrules.grammar.terms import (
    expressions as expressions,
)
from domrules.grammar.terms import (
    free as free,
)
from domrules.grammar.terms import (
    is_lit as is_lit,
)
from domrules.grammar.terms import (
    negation as negation,
)
from domrules.grammar.terms import (
    rebuild as rebuild,
)
from domrules.grammar.terms import (
    rebuild_block as rebuild_block,
)


class Life(Enum):
    """How long a state keeps its value."""

    ROUND = "round"
    MATCH = "match"


class Seen(Enum):
    """Who sees the tiles of a zone."""

    NOBODY = "nobody"
    OWNER = "owner"
    ALL = "all"


ROLES: Mapping[str, tuple[str, ...]] = {
    "zone": ("stock", "hand", "layout"),
    "state": ("mover", "score"),
    "action": ("play", "draw", "pass"),
    "ending": ("fish", "out"),
    "slot": ("reserve",),
}


@dataclass(frozen=True, slots=True)
class Sort:
    """A finite sort of an instance: element names, their numbers if they are numbers, and static attributes."""

    name: str
    names: tuple[str, ...]
    numbers: tuple[int, ...] | None
    attrs: Mapping[str, tuple[Type, tuple[Value, ...]]]

    @property
    def size(self) -> int:
        return len(self.names)

    @property
    def full(self) -> int:
        """Mask of all elements."""
        return (1 << len(self.names)) - 1


@dataclass(frozen=True, slots=True)
class EnumDecl:
    """A sort that the file declares: by names, or as a range of numbers (`low`, `high` static)."""

    name: str
    members: tuple[str, ...] | None
    low: Expr | None = None
    high: Expr | None = None
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class EachPair:
    """`copies` of every pair (a, b) of halves for which `where` holds."""

    copies: int
    first: str
    second: str
    where: Expr


@dataclass(frozen=True, slots=True)
class Listed:
    """`copies` of every named tile."""

    copies: int
    tiles: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Dominoes:
    """The set of tiles; halves are elements of `half`."""

    half: str
    parts: tuple[EachPair | Listed, ...]
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Option:
    """A setting that people choose before a match. `low..high` for numbers; `requires` may read other options and players."""

    name: str
    type: Type
    default: Expr
    low: int | None
    high: int | None
    requires: Expr | None
    doc: str
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Var:
    """A state or zone. Zones are sets of tiles, emptied into the stock before each round; `init` None: `begin` sets it."""

    name: str
    per: str | None
    type: Type
    init: Expr | None
    life: Life
    seen: Seen | None
    role: str | None
    low: int | None
    high: int | None
    doc: str
    span: Span = NOWHERE

    @property
    def zone(self) -> bool:
        return self.seen is not None


@dataclass(frozen=True, slots=True)
class Fn:
    """A `define` or a filled slot. Parameters are elements of sorts."""

    name: str
    params: tuple[tuple[str, Type], ...]
    type: Type
    body: Expr
    slot: bool
    role: str | None
    doc: str
    source: str
    file: str
    span: Span = NOWHERE
    outcome: bool = False
    """Worked out and shown when a match is over."""


@dataclass(frozen=True, slots=True)
class Param:
    """A choice of the mover, or (chance) of fate. The order of parameters is the canonical order of moves."""

    chance: bool
    name: str
    sort: str
    domain: Expr | None


@dataclass(frozen=True, slots=True)
class Action:
    """What a mover may do. Chance parameters come last; with them the move is legal when some outcome is.

    An event has the same shape, but nobody is asked for it: it comes from outside, between the moves.
    """

    name: str
    params: tuple[Param, ...]
    guard: Expr
    blocks: tuple[Block, ...]
    role: str | None
    span: Span = NOWHERE
    source: str = ""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a round may end. The first in order whose condition holds after an action (or at the start) ends it."""

    name: str
    when: Expr
    role: str | None
    at_start: bool
    span: Span = NOWHERE
    source: str = ""


@dataclass(frozen=True, slots=True)
class Deal:
    """`count` tiles, one by one, from a zone to a zone (to every cell of it in turn when it is `per` a sort)."""

    count: Expr
    source: str
    target: str
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a settlement: the condition alone, and the statements (conditions bound by `is` already wrapped)."""

    test: Expr
    body: Block
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Settle:
    """One simultaneous block after a round: for each element (or once) the first row whose condition holds."""

    var: str | None
    sort: str | None
    rows: tuple[Row, ...]
    strict: bool
    complete: bool
    """The last row is `otherwise` or the settlement is plain statements."""
    span: Span = NOWHERE
    source: str = ""

    def block(self) -> Block:
        """The rows as statements: each under its own condition and the absence of the earlier ones."""
        out: list[Stmt] = []
        before: list[Expr] = []
        for row in self.rows:
            out.append(If(conjunction([*(negation(b) for b in before), row.test]), row.body, row.span))
            before.append(row.test)
        if self.var is None or self.sort is None:
            return tuple(out)
        return (Each(self.var, self.sort, None, None, tuple(out), self.span),)


@dataclass(frozen=True, slots=True)
class Lemma:
    """A statement the author believes of every state of play; it helps a proof only once it is proved."""

    name: str
    body: Expr
    doc: str
    span: Span = NOWHERE


CLAIMS: Mapping[str, str] = {
    "always": "in every state of every round",
    "never": "in no state of any round",
    "reachable": "in some state of some round",
    "dealt": "after every deal that is kept, before the first move",
    "settled": "after every settlement",
    "shortest": "in some state of some round: with how few tiles on the table, after how few moves",
    "numbers": "for all whole numbers",
}
BOUNDABLE = ("always", "dealt", "settled")
"""Kinds that may say of a number that it is at most, or at least, another."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What the author promises of the game; `kind` is one of CLAIMS. `vars`: the numbers of `for all`."""

    name: str
    kind: str
    body: Expr
    vars: tuple[str, ...]
    doc: str
    span: Span = NOWHERE
    premises: tuple[Expr, ...] = ()
    """What stands before `implies`, and what a quantifier is restricted to: a claim under a premise that never holds says nothing."""
    bound: str = ""
    """`most` or `least` where the body compares a number with a fixed one: it is `number <= limit`, or `limit <= number`."""

    @property
    def measured(self) -> tuple[Expr, Expr] | None:
        """The number and its limit, of a claim with a bound."""
        if not self.bound:
            return None
        assert isinstance(self.body, Op)
        left, right = self.body.args
        return (left, right) if self.bound == "most" else (right, left)


@dataclass(frozen=True, slots=True)
class MoveName:
    """A move by name: the action and the names of its arguments. The same in every state, file and engine."""

    action: str
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.action}({','.join(self.args)})" if self.args else self.action


@dataclass(frozen=True, slots=True)
class Assign:
    """`what` is before | dealt | given; a zone takes tile names (`tiles`), a state one value, or one for every cell."""

    what: str
    var: str
    index: Expr | None
    values: tuple[Expr, ...]
    tiles: tuple[tuple[str, str], ...] | None
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class RestIn:
    """All tiles not named lie in this zone."""

    zone: Read
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Played:
    """These moves are made, in order."""

    moves: tuple[MoveName, ...]
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Happened:
    """These events come from outside, in order."""

    events: tuple[MoveName, ...]
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Ended:
    """The round ends here, in this way, and is settled."""

    ending: str
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Expect:
    """This holds now."""

    body: Expr
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Allows:
    """Exactly these moves are legal now (`only`), or (not `only`) these are not."""

    moves: tuple[MoveName, ...]
    only: bool
    span: Span = NOWHERE


Step: TypeAlias = Assign | RestIn | Played | Happened | Ended | Expect | Allows


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example: what stands on the table, what happens, what must be so."""

    name: str
    source: str
    players: int | None
    options: tuple[tuple[str, Expr], ...]
    steps: tuple[Step, ...]
    file: str = ""
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Game:
    """A checked file with all its ancestors. Nothing here depends on player count or option values."""

    name: str
    file: str
    ancestors: tuple[str, ...]
    titles: tuple[tuple[str, str], ...]
    source: str
    seats: tuple[int, ...]
    teams: str | None
    """Name of the define from player to number that says who plays together; None: everyone alone."""
    enums: tuple[EnumDecl, ...]
    dominoes: Dominoes
    options: Mapping[str, Option]
    vars: Mapping[str, Var]
    fns: Mapping[str, Fn]
    deals: tuple[Deal, ...]
    redeal: Expr
    begin: tuple[Block, ...]
    actions: tuple[Action, ...]
    endings: tuple[Ending, ...]
    settles: tuple[Settle, ...]
    over: Expr
    winners: Expr
    """A set of teams: one winner, several who share, or nobody."""
    lemmas: tuple[Lemma, ...]
    claims: tuple[Claim, ...]
    examples: tuple[Example, ...]
    events: tuple[Action, ...] = ()
    twin: Game | None = None
    """The same game small enough to be gone through, if the files say how."""

    @property
    def abstract(self) -> bool:
        """A family is not played itself."""
        return not self.name


@dataclass(frozen=True, slots=True)
class Instance:
    """A game for one player count, with all options given but the open ones (those are match states nothing writes)."""

    game: Game
    players: int
    options: Mapping[str, int | bool]
    """Values of the options as numbers, truths or indices; open options are absent."""
    open: tuple[str, ...]
    sorts: Mapping[str, Sort]
    vars: Mapping[str, Var]
    """In declaration order; `ending` and `moves` (actions so far in the round) come last."""
    fns: Mapping[str, Fn]
    deals: tuple[tuple[int, str, str], ...]
    redeal: Expr
    begin: tuple[Block, ...]
    actions: tuple[Action, ...]
    endings: tuple[Ending, ...]
    settles: tuple[Settle, ...]
    over: Expr
    winners: Expr
    axioms: tuple[Expr, ...]
    """What is known of the open options: their ranges and requirements."""
    events: tuple[Action, ...] = ()

    @property
    def deeds(self) -> tuple[Action, ...]:
        """All that can change a state in a round: actions, then events; moves are numbered through."""
        return self.actions + self.events

    def role(self, kind: str, role: str) -> tuple[str, ...]:
        """Names of the zones, states, actions, endings or slots declared with this role."""
        match kind:
            case "zone" | "state":
                return tuple(v.name for v in self.vars.values() if v.role == role and v.zone == (kind == "zone"))
            case "action":
                return tuple(a.name for a in self.actions if a.role == role)
            case "ending":
                return tuple(e.name for e in self.endings if e.role == role)
            case _:
                return tuple(f.name for f in self.fns.values() if f.role == role)

    @property
    def halves(self) -> list[tuple[int, int]]:
        """Of every tile the elements that its low and its high half are."""
        attrs = self.sorts["tile"].attrs
        return [(int(a or 0), int(b or 0)) for a, b in zip(attrs["low"][1], attrs["high"][1], strict=True)]

    def cells(self, var: str) -> tuple[int | None, ...]:
        """The indices of a variable: (None,) when it has none."""
        per = self.vars[var].per
        return (None,) if per is None else tuple(range(self.sorts[per].size))
