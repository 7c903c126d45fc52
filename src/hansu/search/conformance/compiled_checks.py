"""Checks that the compiled rules return the same values as the interpreted ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from hansu.compile import compiled
from hansu.core.bits import flat, pack, unpack
from hansu.core.game import Game
from hansu.core.generic import (
    Action,
    State,
    agents,
    evaluate,
    evaluate_for,
    key,
    legal_mask,
    mover,
    next_action,
    over,
    planes,
    play,
    rules_of,
    score,
    score_for,
    team,
)
from hansu.core.position import Position
from hansu.search.conformance.random_walk import Flaw, random_walk, require, state_text
from hansu.search.perft import perft
from hansu.search.playout import playout

FACTS = (
    "over(s)", "score(s)", "mover(s)", "key(s)", "evaluate(s)", "the results of all agents", "team(s)",
    "next_action(s, -1)",
)  # fmt: skip
HINT = "compiled integers have 64 bits and wrap around; see the traps in docs/tutorial/your_own_game.md"
MOST_PLIES = 300


def facts(s: State) -> tuple[Any, ...]:
    """What the functions of the rules return for a state."""
    first = next_action(s, -1)
    done = over(s)
    shares = 0.0
    for i in range(agents(s)):
        shares += (i + 1) * (float(score_for(s, i)) if done else float(evaluate_for(s, i)))
    return (
        done,
        float(score(s)) if done else 0.0,
        mover(s),
        key(s),
        float(evaluate(s)) if not done else 0.0,
        shares,
        team(s),
        -1 if done else first,
    )


def next_state(s: State, a: Action) -> State:
    return play(s, a)


def rules_both_ways(game: Game) -> None:
    """compiled and interpreted rules return the same values"""
    fast_facts, fast_play = compiled(facts, type(game.first.state)), compiled(next_state, type(game.first.state))
    for seed in range(4):
        for position in random_walk(game, seed):
            s = position.state
            for name, fast, slow in zip(FACTS, fast_facts(s), facts(s), strict=True):
                require(fast == slow, f"{name} is {slow} interpreted, but {fast} compiled, in {state_text(s)}", HINT)
            for a in position.actions[:: max(1, len(position.actions) // 8)]:
                then, also = play(s, a), fast_play(s, a)
                what = (
                    f"play(s, {a}) returns {state_text(then)} interpreted, but {state_text(also)} compiled, "
                    f"in {state_text(s)}"
                )
                require(then == also, what, HINT)


def playouts_both_ways(game: Game) -> None:
    """compiled and interpreted random games are the same"""
    first = game.first  # holds its board's tables
    fast, s = compiled(playout, type(game.first.state)), first.state
    for seed in (1, 2**40 + 7):
        words, plain = np.array([seed]), [seed]
        also, then = fast(s, words, MOST_PLIES), playout(s, plain, MOST_PLIES)
        same = also == then and int(words[0]) == plain[0]
        require(same, f"a random game with seed {seed} ends with {then} interpreted, but {also} compiled", HINT)


def through_a_row(s: State, row: Any, mask: Any) -> State:
    pack(s, row)
    legal_mask(s, mask)
    return unpack(s, row)


def rows(game: Game) -> None:
    """states survive a round trip through arrays, and legal_mask is right"""
    if "action_count" not in rules_of(type(game.first.state)).words:
        raise Flaw("the rules have no action_count", "add rules(..., action_count=...): networks and batches need it")
    from hansu.core.generic import action_count

    fast = compiled(through_a_row, type(game.first.state))
    for position in random_walk(game, 12, 40):
        s = position.state
        row, mask = np.zeros(len(flat(s)), np.int64), np.ones(action_count(s), np.uint8)
        require(
            fast(s, row, mask) == s == unpack(s, row), f"{state_text(s)} becomes {unpack(s, row)} in a round trip", HINT
        )
        same = np.nonzero(mask)[0].tolist() == list(position.actions)
        require(same, f"the compiled legal_mask does not match the legal moves in {state_text(s)}", HINT)
        again, slow = np.zeros_like(row), np.ones_like(mask)
        through_a_row(s, again, slow)
        require(
            np.array_equal(row, again) and np.array_equal(mask, slow),
            f"compiled and interpreted arrays differ in {state_text(s)}",
            HINT,
        )


def counts(game: Game) -> None:
    """perft agrees with a plain count"""

    def count(position: Position, depth: int) -> int:
        return 1 if depth == 0 else sum(count(position.play(a), depth - 1) for a in position.actions)

    depth = 3 if len(game.first.actions) < 12 else 2
    first, fast = game.first, game.perft or compiled(perft, type(game.first.state))
    for n in range(depth + 1):
        expected, result = count(first, n), fast(first.state, n)
        require(expected == result, f"there are {expected} lines of {n} plies, but perft returns {result}", HINT)


def fill(s: State, out: Any) -> None:
    planes(s, out)


def planes_both_ways(game: Game) -> None:
    """compiled and interpreted planes are the same"""
    shape = game.plane_shape or (len(flat(game.first.state)), 1, 63)
    fast = compiled(fill, type(game.first.state))
    for position in random_walk(game, 12, 10):
        also, then = np.full(shape, np.nan, np.float32), np.full(shape, np.nan, np.float32)
        fast(position.state, also)
        planes(position.state, then)
        require(
            np.array_equal(also, then), f"compiled and interpreted planes differ in {state_text(position.state)}", HINT
        )
