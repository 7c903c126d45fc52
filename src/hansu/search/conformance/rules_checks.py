"""Checks of the interpreted rules: every function returns a valid value, and they agree with each other.

These checks call the functions directly and trust none of them, not even `next_action` to end: such mistakes would make
a `Position` crash or hang.
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
from hansu.search.conformance.random_walk import Flaw, require, state_text
from hansu.search.object_state import needs_object_state

PLIES = 60  # of a random game
LIMIT = 1 << 63
RETURN = "add the missing `return` to the function"


def start(game: Game) -> None:
    """start() returns a state of the game's class"""
    try:
        state = game.first.state
    except TypeError as error:
        names = ", ".join(option.name for option in game.options) or "nothing"
        raise Flaw(
            f"start() cannot be called: {error}", f"its parameters must be named like the options: {names}"
        ) from error
    name = game.state.__name__
    require(state is not None, "start() returned None", RETURN)
    chosen = game.settings and rules_of(type(state))  # an option may choose another class
    require(
        isinstance(state, game.state) or chosen,
        f"start() returned a {type(state).__name__}, not a {name}: {state_text(state)}",
        f"return {name}(...), or set Game(state={type(state).__name__})",
    )


def fields(game: Game) -> None:
    """the fields of a state are integers of at most 63 bits, and tuples keep their length"""
    first = game.first.state  # only its shape matters
    if needs_object_state(first):
        return
    for s, _ in random_states(game, 20):
        own = type(first)
        what = f"play() returned a {type(s).__name__}, not a {own.__name__}: {state_text(s)}"
        require(isinstance(s, own), what, f"return {own.__name__}(...) from play()")
        _require_ints(s, own.__name__)
        was, now = _shape(first), _shape(s)
        what = f"the shape of the state is {now} in {state_text(s)}, but {was} at the start"
        require(was == now, what, "keep the length of every tuple, for example by padding it with zeros")


def answers(game: Game) -> None:
    """every function of the rules returns a valid value"""
    for seed in (20, 21):
        for s, moves in random_states(game, seed):
            count = _require_int("agents", generic.agents(s), s)
            require(count >= 1, f"agents(s) is {count} in {state_text(s)}", "return the number of players, 1 or more")
            if generic.over(s):
                _require_number("score", generic.score(s), s)
                bound = f"Game(score_range={game.score_range:g})"
                require(
                    abs(generic.score(s)) <= game.score_range,
                    f"score(s) is {generic.score(s):g} in {state_text(s)}, outside {bound}",
                    "set Game(score_range=...) to the largest absolute score",
                )
                for i in range(count):
                    _require_number("score_for", generic.score_for(s, i), s)
                own = generic.score_for(s, 0)
                what = f"score_for(s, 0) is {own:g}, but score(s) is {generic.score(s):g} in {state_text(s)}"
                require(own == generic.score(s), what, "score(s) is the result of agent 0: make both equal")
                continue
            who = _require_int("mover", generic.mover(s), s)
            hint = f"return 0 to {count - 1} for {count} agents, or CHANCE; set rules(..., agents=...) for more agents"
            require(who == CHANCE or 0 <= who < count, f"mover(s) is {who} in {state_text(s)}", hint)
            side = _require_int("team", generic.team(s), s)
            require(
                side in (0, 1) or (side == who == CHANCE),
                f"team(s) is {side} in {state_text(s)}",
                "return 0 for the side that maximises the score, 1 for the side that minimises it",
            )
            _require_number("evaluate", generic.evaluate(s), s)
            for i in range(count):
                _require_number("evaluate_for", generic.evaluate_for(s, i), s)
            if not needs_object_state(s):
                _require_int("key", generic.key(s), s)
            a = moves[0]
            require(
                generic.play(s, a) == generic.play(s, a),
                f"play(s, {a}) returns another state each time in {state_text(s)}",
                "do not use random numbers in play(): let mover(s) be CHANCE, and make each outcome an action",
            )


def moves(game: Game) -> None:
    """legal moves come in ascending order, and legal() agrees with them"""
    for s, legal in random_states(game, 5):
        if generic.over(s):
            continue
        listed = list(generic.actions(s))
        require(
            listed == list(legal),
            f"actions(s) yields {listed}, but next_action yields {list(legal)} in {state_text(s)}",
            "define only one of the two, or make them agree",
        )
        ends = [a for a in legal if not generic.may_end(s) and generic.over(generic.play(s, a))]
        require(
            not ends,
            f"may_end(s) is false, but action {ends[:1]} ends the game in {state_text(s)}",
            "return True from may_end() wherever a move can end the game",
        )
        if needs_object_state(s):
            continue
        has_count = "action_count" in rules_of(type(s)).words
        count = generic.action_count(s) if has_count else max(legal) + 1
        hint = "actions are numbered from 0 to action_count - 1: raise action_count, or fix the numbers"
        require(max(legal) < count, f"action {max(legal)} is not below action_count {count} in {state_text(s)}", hint)
        for a in range(count) if count <= 4096 else legal:
            is_legal = generic.legal(s, a)
            require(is_legal is not None, f"legal(s, {a}) returned None in {state_text(s)}", RETURN)
            other = "yields" if a in legal else "does not yield"
            require(
                bool(is_legal) == (a in legal),
                f"legal(s, {a}) is {is_legal}, but next_action {other} {a} in {state_text(s)}",
                "legal and next_action must describe the same moves",
            )
        for a in (-1, count, max(legal) + 10**6):
            require(
                not generic.legal(s, a),
                f"legal(s, {a}) is true in {state_text(s)}",
                "return False for numbers below 0 and from action_count on",
            )
        if has_count:
            mask = np.ones(count, np.uint8)
            generic.legal_mask(s, mask)
            require(
                np.nonzero(mask)[0].tolist() == list(legal),
                f"legal_mask does not match the legal moves in {state_text(s)}",
                "write 1 for every legal action and 0 for every other one",
            )


def random_moves(game: Game) -> None:
    """random_action samples every legal move and nothing else"""
    for s, legal in random_states(game, 6):
        if generic.over(s) or needs_object_state(s):
            continue
        seed, sampled = [12345], set()
        for _ in range(40 * len(legal) if len(legal) <= 12 else 60):
            a = generic.random_action(s, seed)
            require(
                a in legal,
                f"random_action returned {a}, which is not legal in {state_text(s)}",
                "sample among the legal moves only, or leave random_action out",
            )
            sampled.add(a)
        missing = sorted(set(legal) - sampled)
        if len(legal) <= 12:
            require(
                not missing,
                f"random_action never returned {missing} in {state_text(s)}",
                "sample with pick(seed, count), or leave random_action out",
            )


def chance(game: Game) -> None:
    """the probabilities of chance moves add up to 1"""
    for s, legal in random_states(game, 7):
        if generic.over(s) or generic.mover(s) != CHANCE:
            continue
        shares = [generic.probability(s, a) for a in legal]
        for a, share in zip(legal, shares, strict=True):
            require(share is not None, f"probability(s, {a}) returned None in {state_text(s)}", RETURN)
            require(
                0 < share <= 1,
                f"probability(s, {a}) is {share} in {state_text(s)}",
                "it must be above 0 and at most 1; an impossible outcome is not a legal action",
            )
        total = math.fsum(shares)
        require(
            abs(total - 1) < 1e-9,
            f"the probabilities of the chance moves add up to {total:g} in {state_text(s)}",
            "probability(s, a) over all legal actions must add up to 1",
        )


def keys(game: Game) -> None:
    """states with different legal moves have different keys"""
    known: dict[int, tuple[Any, State]] = {}
    if needs_object_state(game.first.state):
        return
    for seed in (30, 31):
        for s, legal in random_states(game, seed):
            about = (legal, bool(generic.over(s)) or generic.mover(s))
            first = known.setdefault(generic.key(s), (about, s))
            what = f"key(s) is the same for {state_text(s)} and {state_text(first[1])}, but their legal moves differ"
            require(first[0] == about, what, "a transposition table would confuse them: include more fields in key(s)")


def repetition(game: Game) -> None:
    """repetition has hashable keys and returns None or a score"""
    hook = game.repetition
    if hook is None:
        return
    history: list[Any] = []
    for s, _ in random_states(game, 9):
        history.append(hook.key(s))
        try:
            hash(history[-1])
        except TypeError:
            raise Flaw(
                f"repetition.key(s) returned {state_text(history[-1])}, which is not hashable",
                "return a number, a string or a tuple",
            ) from None
        for keys in (history, [*history, history[-1], history[-1]]):
            score = hook.ends(keys)
            valid = score is None or (isinstance(score, int | float) and abs(score) <= game.score_range)
            hint = f"return None if the game goes on, else the score, within Game(score_range={game.score_range:g})"
            require(valid, f"repetition.ends(keys) returned {state_text(score)}", hint)


def random_states(game: Game, seed: int, plies: int = PLIES) -> Iterator[tuple[State, tuple[Action, ...]]]:
    """The states of a random game with their legal actions, including chance nodes and the last state."""
    generator = random.Random(seed)
    first = game.first  # holds its board's tables
    s = first.state
    for _ in range(plies):
        done = generic.over(s)
        require(done is not None, f"over(s) returned None in {state_text(s)}", RETURN)
        legal = () if done else _legal(s)
        yield s, legal
        if done:
            return
        a = generator.choice(legal)
        after = generic.play(s, a)
        require(after is not None, f"play(s, {a}) returned None in {state_text(s)}", RETURN)
        name = type(s).__name__
        require(
            isinstance(after, type(s)),
            f"play(s, {a}) returned {state_text(after)}, not a {name}",
            f"return {name}(...) from play()",
        )
        s = after


def _legal(s: State) -> tuple[Action, ...]:
    """Every legal action. A faulty next_action raises a Flaw instead of looping forever."""
    if needs_object_state(s):
        legal = list(generic.actions(s))
    else:
        legal, a = [], -1
        while True:
            then = generic.next_action(s, a)
            require(then is not None, f"next_action(s, {a}) returned None in {state_text(s)}", RETURN)
            what = f"next_action(s, {a}) returned {then!r} in {state_text(s)}"
            require(isinstance(then, int), what, "actions are integers")
            if then < 0:
                require(then == -1, what, "return -1 after the last legal action")
                break
            require(then > a, what, "return the first legal action above `after`")
            legal.append(then)
            a = then
    hint = "let over() return True there, or make passing a legal action"
    require(legal, f"the game is not over, but no move is legal: {state_text(s)}", hint)
    return tuple(legal)


def _require_int(word: str, value: Any, s: State) -> int:
    require(value is not None, f"{word}(s) returned None in {state_text(s)}", RETURN)
    require(isinstance(value, int), f"{word}(s) returned {value!r} in {state_text(s)}", "return an integer")
    return int(value)


def _require_number(word: str, value: Any, s: State) -> None:
    require(value is not None, f"{word}(s) returned None in {state_text(s)}", RETURN)
    require(isinstance(value, int | float), f"{word}(s) returned {value!r} in {state_text(s)}", "return a number")
    require(math.isfinite(value), f"{word}(s) is {value} in {state_text(s)}", "return a finite number")


def _require_ints(value: Any, name: str) -> None:
    if isinstance(value, tuple):
        names = getattr(value, "_fields", None)
        for i, part in enumerate(value):
            _require_ints(part, f"{name}.{names[i]}" if names else f"{name}[{i}]")
        return
    kind = type(value).__name__
    if isinstance(value, bool):
        raise Flaw(f"{name} is {value}, a bool", "fields must be integers: write int(...) around it")
    if isinstance(value, float):
        raise Flaw(f"{name} is {value}, a float", "fields must be integers: divide with //, or count in hundredths")
    if type(value) is not int:
        raise Flaw(f"{name} is {value!r}, of type {kind}", "fields must be integers or tuples of integers")
    hint = "integers have 63 bits and a sign: store a larger board in several fields"
    require(-LIMIT <= value < LIMIT, f"{name} is {value}, which has {value.bit_length()} bits", hint)


def _shape(value: Any) -> Any:
    return tuple(_shape(part) for part in value) if isinstance(value, tuple) else "int"
