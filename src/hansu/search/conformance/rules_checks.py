"""The rules as plain Python: every common word answers, with something that makes sense, and they agree.

These checks ask the words themselves and trust nothing, not even that `next_action` comes to an end: what is wrong
here would crash or hang whatever asks a `Position`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from hansu.core import generic
from hansu.core.game import Game
from hansu.core.generic import CHANCE, Action, State, rules_of
from hansu.search.conformance.random_walk import Flaw, require, shown
from hansu.search.object_state import needs_object_state

PLIES = 60  # of a random game that are looked at
MOST = 1 << 63
RETURN = "does the function end with a `return`?"


def start(game: Game) -> None:
    """start() gives a state of the game's class"""
    try:
        state = game.first.state
    except TypeError as error:
        names = ", ".join(option.name for option in game.options) or "nothing"
        raise Flaw(f"start() cannot be called: {error}", f"it takes the options by their names: {names}") from error
    name = game.state.__name__
    require(state is not None, "start() gave None", RETURN)
    chosen = game.settings and rules_of(type(state))  # an option may choose another class
    require(
        isinstance(state, game.state) or chosen, f"start() gave a {type(state).__name__}, not a {name}: {shown(state)}"
    )


def fields(game: Game) -> None:
    """the fields of a state are whole numbers of 63 bits, and keep their shape"""
    first = game.first.state  # only its shape
    if needs_object_state(first):
        return
    for s, _ in visited(game, 20):
        own = type(first)
        require(isinstance(s, own), f"play() gave a {type(s).__name__}, not a {own.__name__}: {shown(s)}")
        _require_ints(s, own.__name__)
        was, now = _shape(first), _shape(s)
        what = f"the state has the shape {now} in {shown(s)}, and {was} at the start"
        require(was == now, what, "a tuple in a state keeps its length: fill it up with zeros")


def answers(game: Game) -> None:
    """every word answers, and with something that makes sense"""
    for seed in (20, 21):
        for s, moves in visited(game, seed):
            count = _whole("agents", generic.agents(s), s)
            require(count >= 1, f"agents(s) is {count} in {shown(s)}", "how many players take turns: 1 or more")
            if generic.over(s):
                _require_number("score", generic.score(s), s)
                most = f"Game(score_range={game.score_range:g})"
                require(
                    abs(generic.score(s)) <= game.score_range,
                    f"score(s) is {generic.score(s):g} in {shown(s)}, beyond {most}",
                    "score_range is the largest |score| there is",
                )
                for i in range(count):
                    _require_number("score_for", generic.score_for(s, i), s)
                own = generic.score_for(s, 0)
                what = f"score_for(s, 0) is {own:g} and score(s) {generic.score(s):g} in {shown(s)}"
                require(own == generic.score(s), what, "score is agent 0's result")
                continue
            who = _whole("mover", generic.mover(s), s)
            hint = f"0 to {count - 1} for {count} agents, or CHANCE; for more agents give rules(..., agents=...)"
            require(who == CHANCE or 0 <= who < count, f"mover(s) is {who} in {shown(s)}", hint)
            side = _whole("team", generic.team(s), s)
            require(
                side in (0, 1) or (side == who == CHANCE),
                f"team(s) is {side} in {shown(s)}",
                "0 maximises, 1 minimises",
            )
            _require_number("evaluate", generic.evaluate(s), s)
            for i in range(count):
                _require_number("evaluate_for", generic.evaluate_for(s, i), s)
            if not needs_object_state(s):
                _whole("key", generic.key(s), s)
            a = moves[0]
            require(
                generic.play(s, a) == generic.play(s, a),
                f"play(s, {a}) gives another state each time in {shown(s)}",
                "rules draw no chance themselves: let mover(s) be CHANCE, and play() what it drew",
            )


def moves(game: Game) -> None:
    """moves come in ascending order, all of them are legal, and nothing else is"""
    for s, found in visited(game, 5):
        if generic.over(s):
            continue
        walked = list(found)
        listed = list(generic.actions(s))
        require(listed == walked, f"actions(s) gives {listed} and next_action {walked} in {shown(s)}")
        ends = [a for a in walked if not generic.may_end(s) and generic.over(generic.play(s, a))]
        require(not ends, f"may_end(s) is false, and {ends[:1]} ends the game in {shown(s)}")
        if needs_object_state(s):
            continue
        has_count = "action_count" in rules_of(type(s)).words
        count = generic.action_count(s) if has_count else max(walked) + 1
        hint = "ids are from 0 to action_count - 1"
        require(max(walked) < count, f"action {max(walked)} is not below action_count {count} in {shown(s)}", hint)
        for a in range(count) if count <= 4096 else walked:
            answer = generic.legal(s, a)
            require(answer is not None, f"legal(s, {a}) gave None in {shown(s)}", RETURN)
            other = "is among the moves" if a in found else "is not among the moves"
            require(bool(answer) == (a in found), f"legal(s, {a}) is {answer}, and {a} {other} in {shown(s)}")
        for a in (-1, count, max(walked) + 10**6):
            require(not generic.legal(s, a), f"legal(s, {a}) is true in {shown(s)}", "actions are ids from 0 on")
        if has_count:
            mask = np.ones(count, np.uint8)
            generic.legal_mask(s, mask)
            require(np.nonzero(mask)[0].tolist() == walked, f"legal_mask is not what is legal in {shown(s)}")


def drawn(game: Game) -> None:
    """random_action draws every legal move and nothing else"""
    for s, found in visited(game, 6):
        if generic.over(s) or needs_object_state(s):
            continue
        seed, met = [12345], set()
        for _ in range(40 * len(found) if len(found) <= 12 else 60):
            a = generic.random_action(s, seed)
            require(a in found, f"random_action gave {a}, which is not legal in {shown(s)}")
            met.add(a)
        missing = sorted(set(found) - met)
        if len(found) <= 12:
            require(not missing, f"random_action never gave {missing} in {shown(s)}", "draw with pick(seed, count)")


def chance(game: Game) -> None:
    """what chance may play has probabilities that add up to one"""
    for s, found in visited(game, 7):
        if generic.over(s) or generic.mover(s) != CHANCE:
            continue
        shares = [generic.probability(s, a) for a in found]
        for a, share in zip(found, shares, strict=True):
            require(share is not None, f"probability(s, {a}) gave None in {shown(s)}", RETURN)
            require(0 < share <= 1, f"probability(s, {a}) is {share} in {shown(s)}", "what cannot be is no action")
        total = math.fsum(shares)
        require(abs(total - 1) < 1e-9, f"the probabilities of chance add up to {total:g} in {shown(s)}")


def keys(game: Game) -> None:
    """states that differ in what may be played have different keys"""
    known: dict[int, tuple[Any, State]] = {}
    if needs_object_state(game.first.state):
        return
    for seed in (30, 31):
        for s, found in visited(game, seed):
            about = (found, bool(generic.over(s)) or generic.mover(s))
            met = known.setdefault(generic.key(s), (about, s))
            what = f"key(s) is the same for {shown(s)} and {shown(met[1])}, where other moves are legal"
            require(met[0] == about, what, "a table would take one for the other")


def repetition(game: Game) -> None:
    """repetition can compare its keys, and says None or a score"""
    hook = game.repetition
    if hook is None:
        return
    met: list[Any] = []
    for s, _ in visited(game, 9):
        met.append(hook.key(s))
        try:
            hash(met[-1])
        except TypeError:
            raise Flaw(
                f"repetition.key(s) gave {shown(met[-1])}, which has no hash", "a number, a text, a tuple"
            ) from None
        for keys in (met, [*met, met[-1], met[-1]]):
            found = hook.ends(keys)
            sound = found is None or (isinstance(found, int | float) and abs(found) <= game.score_range)
            hint = f"None: the game goes on; else its score, at most Game(score_range={game.score_range:g})"
            require(sound, f"repetition.ends(keys) gave {shown(found)}", hint)


def visited(game: Game, seed: int, most: int = PLIES) -> Iterator[tuple[State, tuple[Action, ...]]]:
    """The states of a random game, those of chance and the last one included, with the legal actions of each."""
    wish = random.Random(seed)
    first = game.first  # holds its board's tables
    s = first.state
    for _ in range(most):
        done = generic.over(s)
        require(done is not None, f"over(s) gave None in {shown(s)}", RETURN)
        found = () if done else _legal(s)
        yield s, found
        if done:
            return
        a = wish.choice(found)
        after = generic.play(s, a)
        require(after is not None, f"play(s, {a}) gave None in {shown(s)}", RETURN)
        require(isinstance(after, type(s)), f"play(s, {a}) gave {shown(after)}, not a {type(s).__name__}")
        s = after


def _legal(s: State) -> tuple[Action, ...]:
    """Every legal action; says so where the enumeration goes wrong instead of never ending."""
    if needs_object_state(s):
        found = list(generic.actions(s))
    else:
        found, a = [], -1
        while True:
            then = generic.next_action(s, a)
            require(then is not None, f"next_action(s, {a}) gave None in {shown(s)}", RETURN)
            number = isinstance(then, int)
            require(number, f"next_action(s, {a}) gave {then!r} in {shown(s)}", "an action is a whole number")
            if then < 0:
                require(then == -1, f"next_action(s, {a}) gave {then} in {shown(s)}", "-1 says that there are no more")
                break
            hint = "it gives the first legal action above `after`"
            require(then > a, f"next_action(s, {a}) gave {then} in {shown(s)}", hint)
            found.append(then)
            a = then
    hint = "over() must be true there, or passing must be an action"
    require(found, f"the game is not over, but no move is legal: {shown(s)}", hint)
    return tuple(found)


def _whole(word: str, answer: Any, s: State) -> int:
    require(answer is not None, f"{word}(s) gave None in {shown(s)}", RETURN)
    require(isinstance(answer, int), f"{word}(s) gave {answer!r} in {shown(s)}", "it is a whole number")
    return int(answer)


def _require_number(word: str, answer: Any, s: State) -> None:
    require(answer is not None, f"{word}(s) gave None in {shown(s)}", RETURN)
    require(isinstance(answer, int | float), f"{word}(s) gave {answer!r} in {shown(s)}", "it is a number")
    require(math.isfinite(answer), f"{word}(s) is {answer} in {shown(s)}", "it is a finite number")


def _require_ints(value: Any, name: str) -> None:
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None)
        for i, part in enumerate(value):
            _require_ints(part, f"{name}.{names[i]}" if names else f"{name}[{i}]")
        return
    kind = type(value).__name__
    if isinstance(value, bool):
        raise Flaw(f"{name} is {value}, a bool", "fields are whole numbers: write int(...) around it")
    if isinstance(value, float):
        raise Flaw(f"{name} is {value}, a float", "fields are whole numbers: // divides, hundredths can be counted")
    if type(value) is not int:
        raise Flaw(f"{name} is {value!r}, of the kind {kind}", "fields are whole numbers and tuples of them")
    hint = "numbers have 63 bits and a sign: keep a larger board in several fields"
    require(-MOST <= value < MOST, f"{name} is {value}, which has {value.bit_length()} bits", hint)


def _shape(value: Any) -> Any:
    return tuple(_shape(part) for part in value) if isinstance(value, tuple) else "int"
