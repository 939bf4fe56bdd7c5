"""From a match to its transcript and back: replaying makes every move again and trusts nothing that is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from domrules.grammar import core
from domrules.interpreter.errors import IllegalMove, RuleError, Unfinished
from domrules.interpreter.names import cell_name, element_names, find_move, move_name, value_name
from domrules.interpreter.names import element as find_element
from domrules.interpreter.play import Match, Ply, Round, deal_sizes
from domrules.interpreter.rules import Rules
from domrules.interpreter.state import State
from domrules.interpreter.transcript import EVENT, NOBODY, BadPly, BadTranscript, PlyText, RoundText, Transcript, whole

# ---------------------------------------------------------------- recording


def record(rules: Rules, match: Match, tags: Mapping[str, str] | None = None) -> Transcript:
    """The transcript of a match that was played from its start or from given match states."""
    instance, game = rules.instance, rules.instance.game
    options = {n: value_name(instance, game.options[n].type, v) for n, v in instance.options.items()}
    rounds, state = [], rules.new_match()
    for played in match.rounds:
        rounds.append(record_round(rules, state, played))
        state = played.settled
    winners = None if match.winners is None else tuple(element_names(instance, "team", match.winners))
    worth = () if winners is None else outcomes(rules, state)
    return Transcript(game.name, instance.players, options, tags or {}, tuple(rounds), winners, worth)


def record_round(rules: Rules, before: State, played: Round) -> RoundText:
    """A round by names; `before` is where replaying will stand."""
    instance, ending = rules.instance, None if played.broken_off else rules.ending(played.ended)
    changed, deal = [], []
    for var, index, cell in rules.layout.walk():
        name, value = cell_name(instance, var, index), played.dealt.cells[cell]
        if var.zone:
            deal.append((name, tuple(element_names(instance, "tile", int(value or 0)))))
        elif var.life is core.Life.MATCH and value != before.cells[cell]:
            changed.append((name, value_name(instance, var.type, value)))
    return RoundText(
        tuple(changed),
        tuple(deal),
        tuple(PlyText(who(rules, ply), move_name(instance, ply.move, ply.outcome)) for ply in played.plies),
        None if ending is None else instance.endings[ending].name,
        None if ending is None else rules.scores(played.settled),
    )


def phrase(error: RuleError | Unfinished) -> str:
    """Why a match cannot go on, as the value of a tag."""
    return (error.sentence if isinstance(error, RuleError) else str(error)).replace('"', "'")


def who(rules: Rules, ply: Ply) -> str:
    return EVENT if rules.is_event(ply.move) else player_name(rules, ply.mover)


def outcomes(rules: Rules, state: State) -> tuple[tuple[str, str], ...]:
    """What a match is worth after its last settlement: every outcome of the game for every choice of its parameters."""
    instance, found = rules.instance, list[tuple[str, str]]()
    for fn in instance.fns.values():
        sorts = [kind.sort for _, kind in fn.params if isinstance(kind, core.Elem)]
        for args in product(*(range(instance.sorts[s].size) for s in sorts)) if fn.outcome else ():
            given = tuple(core.Lit(i, core.Elem(s)) for i, s in zip(args, sorts, strict=True))
            value = rules.question(core.Call(fn.name, given, fn.type))(state)
            names = ",".join(instance.sorts[s].names[i] for i, s in zip(args, sorts, strict=True))
            found.append((f"{fn.name}({names})" if names else fn.name, value_name(instance, fn.type, value)))
    return tuple(found)


def player_name(rules: Rules, player: int | None) -> str:
    return NOBODY if player is None else rules.instance.sorts["player"].names[player]


# ---------------------------------------------------------------- replaying


def replay(rules: Rules, transcript: Transcript) -> tuple[Round, ...]:
    """Play a transcript again. Raises `BadTranscript` at the first ply, ending or score that the rules do not give."""
    rounds: list[Round] = []
    state = rules.new_match()
    for number, written in enumerate(transcript.rounds, 1):
        if rounds and rules.over(state):
            raise BadTranscript(written.line, f"round {number}: the match is over")
        played = replay_round(rules, state, number, written)
        rounds.append(played)
        state = played.settled
    finish(rules, state, transcript)
    return tuple(rounds)


def finish(rules: Rules, state: State, transcript: Transcript) -> None:
    """After the last round: are winners and outcomes as written? Raises `BadTranscript`."""
    if transcript.winners is not None:
        check_winners(rules, state, transcript.winners, transcript.lines.get("winners", 0))
        known = dict(outcomes(rules, state))
        for name, value in transcript.outcomes:
            if known.get(name) != value:
                line = transcript.lines.get(f"outcome {name}", 0)
                told = f"outcome {name} is {known[name]}, not {value}" if name in known else ""
                raise BadTranscript(line, told or f"there is no outcome {name}; there are {', '.join(known) or 'none'}")


def replay_round(rules: Rules, state: State, number: int, written: RoundText) -> Round:
    """One round from its deal; `settled` is the last state when the round was broken off.

    Raises `BadPly` at the first ply that is not legal, `BadTranscript` for what else cannot be, RuleError.
    """
    dealt = set_up(rules, state, number, written)
    state, plies = rules.begin(dealt), list[Ply]()
    states = [state]
    for count, text in enumerate(written.plies, 1):
        try:
            ply = legal_ply(rules, state, text)
        except IllegalMove as error:
            raise BadPly(text.line, str(error), number, count, text) from None
        state = rules.act(state, ply.move, ply.outcome)
        plies.append(ply)
        states.append(state)
    return Round(dealt, tuple(plies), tuple(states), settle(rules, state, number, written))


def legal_ply(rules: Rules, state: State, text: PlyText) -> Ply:
    """The ply of its text. Raises `IllegalMove` when it is not the player's turn, or the move is not legal."""
    if rules.ending(state) is not None:
        raise IllegalMove(f"{text}: the round is over")
    if text.player == EVENT:
        event, chance = find_move(rules.instance, text.move)
        if event not in rules.possible_events(state) or chance not in rules.outcomes(state, event):
            raise IllegalMove(f"{text}: this cannot happen now")
        return Ply(None, event, chance)
    mover, moves = rules.mover(state), rules.legal_moves(state)
    if text.player != player_name(rules, mover):
        raise IllegalMove(f"{text}: it is the turn of {player_name(rules, mover)}")
    move, outcome = find_move(rules.instance, text.move)
    if move not in moves:
        legal = ", ".join(str(move_name(rules.instance, m)) for m in moves) or "no move"
        raise IllegalMove(f"{text} is not legal; legal is {legal}")
    if outcome not in rules.outcomes(state, move):
        raise IllegalMove(f"{text}: this cannot come of {move_name(rules.instance, move)}")
    return Ply(mover, move, outcome)


def set_up(rules: Rules, state: State, number: int, written: RoundText) -> State:
    """The state after the deal that is written, with what stood before the round. Raises `BadTranscript`."""
    instance = rules.instance
    names = {cell_name(instance, var, index): (var, cell) for var, index, cell in rules.layout.walk()}
    cells = list(rules.new_round(state).cells)
    for name, text in written.before:
        line = written.at(f"before {name}")
        var, cell = lookup(names, name, line)
        cells[cell] = parse_value(instance, var.type, text, line)
    for var, cell in names.values():
        if var.zone:
            cells[cell] = 0
    left = instance.sorts["tile"].full
    for name, tiles in written.deal:
        line = written.at(f"deal {name}")
        _, cell = lookup(names, name, line)
        for tile in tiles:
            index = find_element(instance, "tile", tile)
            if index is None:
                raise BadTranscript(line, f"round {number}: {tile} is no tile")
            if not left >> index & 1:
                raise BadTranscript(line, f"round {number}: {tile} is dealt twice")
            left ^= 1 << index
            cells[cell] = int(cells[cell] or 0) | 1 << index
    if left:
        missing = " ".join(element_names(instance, "tile", left))
        raise BadTranscript(written.line, f"round {number}: not dealt: {missing}")
    check_sizes(rules, cells, number, written)
    return State(tuple(cells))


def check_sizes(rules: Rules, cells: Sequence[core.Value], number: int, written: RoundText) -> None:
    """Does every zone hold as many tiles as the rules deal it? Raises `BadTranscript`."""
    sizes = deal_sizes(rules)
    for var, index, cell in (place for place in rules.layout.walk() if place[0].zone):
        held, wanted = int(cells[cell] or 0).bit_count(), sizes.get(cell, 0)
        if held != wanted:
            name = cell_name(rules.instance, var, index)
            line = next((written.at(f"deal {zone}") for zone, _ in written.deal if zone == name), written.line)
            dealt = f"{name} has {held} of the dealt tiles; the rules leave {wanted} there"
            raise BadTranscript(line, f"round {number}: {dealt}")


def settle(rules: Rules, state: State, number: int, written: RoundText) -> State:
    """The state after settlement, if the ending and the scores are as written. Raises BadTranscript, RuleError."""
    ending = rules.ending(state)
    reached = None if ending is None else rules.instance.endings[ending].name
    if reached is not None and written.ending is None:
        rules.settle(state)  # perhaps it was broken off because a rule fails here
    if reached != written.ending:
        last = written.plies[-1].line if written.plies else written.line
        line = last if written.ending is None else written.at("ending")
        raise BadTranscript(line, f"round {number} {_ended(reached, written.ending)}")
    if reached is None:
        return state
    settled = rules.settle(state)
    if written.scores is not None and written.scores != rules.scores(settled):
        scores = " ".join(map(str, rules.scores(settled)))
        told = " ".join(map(str, written.scores))
        raise BadTranscript(written.at("scores"), f"round {number}: the scores are {scores}, not {told}")
    return settled


def _ended(reached: str | None, written: str | None) -> str:
    """How a round ended and how it is written, in words."""
    if reached is None:
        return f"is not over yet, but the ending {written} is written"
    return f"ends with {reached}, " + (f"not {written}" if written else "but no ending is written")


def check_winners(rules: Rules, state: State, written: tuple[str, ...], line: int) -> None:
    if not rules.over(state):
        raise BadTranscript(line, "the match is not over, but there are winners")
    won, told = element_names(rules.instance, "team", rules.winners(state)), " ".join(written) or "none"
    if tuple(won) != written:
        raise BadTranscript(line, f"the winners are {' '.join(won) or 'none'}, not {told}")


def lookup(names: Mapping[str, tuple[core.Var, int]], name: str, line: int) -> tuple[core.Var, int]:
    if name not in names:
        raise BadTranscript(line, f"there is no {name}; there are {', '.join(names)}")
    return names[name]


def parse_value(instance: core.Instance, kind: core.Type, text: str, line: int) -> core.Value:
    """A value as `value_name` writes it."""
    match kind:
        case core.IntType():
            return whole(line, text)
        case core.BoolType() if text in ("true", "false"):
            return text == "true"
        case core.Maybe() if text == "none":
            return None
        case core.Elem(sort=sort) | core.Maybe(sort=sort) if (index := find_element(instance, sort, text)) is not None:
            return index
        case core.SetOf(sort=sort) if text.startswith("{") and text.endswith("}"):
            found = [find_element(instance, sort, name) for name in text[1:-1].replace(",", " ").split()]
            if None not in found:
                return sum(1 << index for index in found if index is not None)
        case _:
            pass
    raise BadTranscript(line, f"{text} is not {kind}")
