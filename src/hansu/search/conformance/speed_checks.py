"""Measures the speed of a game's compiled rules and suggests how to make them faster.

A random game calls `over`, `random_action` and `play` once per ply; a search iterates over all actions of a node. Each
function is timed separately on states of random games, so the advice can state an upper bound of the gain.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hansu.compile import compiled
from hansu.core.bits import flat, mix, pack, unpack
from hansu.core.game import Game
from hansu.core.generic import DEFAULTS, State, actions, over, play, random_action, rules_of
from hansu.core.message import Message
from hansu.search.conformance.random_walk import random_walk
from hansu.search.playout import playouts

MOST_PLIES = 2_000
MIN_SECONDS = 0.15  # of each measurement
MANY_IDS = 16  # with fewer actions, testing each one is cheap
LONG_TUPLE = 16  # cells that bitboards could hold
WORTH_IT = 20.0  # nanoseconds below which a function needs no advice
FLOOR = 5.0  # nanoseconds that the best implementation still takes
GUIDE = "docs/tutorial/your_own_game.md"


@dataclass(frozen=True)
class Speed:
    """Playouts per second on one core, their plies, and nanoseconds of each function at a node."""

    playouts: float
    plies: float
    nanoseconds: dict[str, float]

    @property
    def ply(self) -> float:
        """Nanoseconds of a ply of a random game."""
        return sum(self.nanoseconds[each] for each in ("over", "random_action", "play"))

    def share(self, word: str) -> float:
        """The share of a function in a ply of a random game, 0 to 1."""
        return self.nanoseconds[word] / self.ply if self.ply else 0.0

    def gain(self, word: str) -> float:
        """The speedup of random games if a function becomes as fast as possible."""
        return _gain(self.ply, self.nanoseconds[word])


def steps(s: State, count: int, seed: Any, most: int) -> int:
    """The total plies of `count` random games."""
    total = 0
    first = s
    for _ in range(count):
        s = first
        for _ in range(most):
            if over(s):
                break
            s = play(s, random_action(s, seed))
            total += 1
    return total


def nothing_of(like: State, rows: Any, chosen: Any, seed: Any, rounds: int) -> int:
    """The overhead of the other loops."""
    total = 0
    for _ in range(rounds):
        for i in range(len(chosen)):
            total ^= mix(unpack(like, rows[i])) + chosen[i]
    return total


def over_of(like: State, rows: Any, chosen: Any, seed: Any, rounds: int) -> int:
    total = 0
    for _ in range(rounds):
        for i in range(len(chosen)):
            s = unpack(like, rows[i])
            total ^= mix(s) + chosen[i] + over(s)
    return total


def random_action_of(like: State, rows: Any, chosen: Any, seed: Any, rounds: int) -> int:
    total = 0
    for _ in range(rounds):
        for i in range(len(chosen)):
            s = unpack(like, rows[i])
            total ^= mix(s) + random_action(s, seed)
    return total


def play_of(like: State, rows: Any, chosen: Any, seed: Any, rounds: int) -> int:
    total = 0
    for _ in range(rounds):
        for i in range(len(chosen)):
            total ^= mix(play(unpack(like, rows[i]), chosen[i]))
    return total


def actions_of(like: State, rows: Any, chosen: Any, seed: Any, rounds: int) -> int:
    total = 0
    for _ in range(rounds):
        for i in range(len(chosen)):
            s = unpack(like, rows[i])
            total ^= mix(s)
            for a in actions(s):
                total += a
    return total


LOOPS = {"over": over_of, "random_action": random_action_of, "play": play_of, "actions": actions_of}


def measure_speed(game: Game) -> Speed:
    """Compile and time a game's rules: a second or two."""
    first = game.first  # holds its board's tables
    s = first.state
    positions = [at for seed in range(4) for at in random_walk(game, seed) if not at.over]
    rows = np.zeros((len(positions), len(flat(s))), np.int64)
    for row, at in zip(rows, positions, strict=True):
        pack(at.state, row)
    chosen = np.array([at.actions[i % len(at.actions)] for i, at in enumerate(positions)])
    seed = np.array([1])

    def timed(loop: Callable[..., int]) -> float:
        fast = compiled(loop, type(s))
        return _seconds(lambda rounds: fast(s, rows, chosen, seed, rounds)) / len(positions)

    empty = timed(nothing_of)
    words = {word: 1e9 * max(0.0, timed(loop) - empty) for word, loop in LOOPS.items()}
    count, many = compiled(steps, type(s)), compiled(playouts, type(s))
    plies = count(s, 100, seed, MOST_PLIES) / 100
    return Speed(1 / _seconds(lambda rounds: many(s, rounds, seed, MOST_PLIES)), plies, words)


def _seconds(run: Callable[[int], object]) -> float:
    """CPU seconds of one round."""
    rounds, _ = 1, run(1)  # compiles
    while True:
        began = time.process_time()
        run(rounds)
        took = time.process_time() - began
        if took >= MIN_SECONDS:
            return took / rounds
        rounds *= 2 if took > MIN_SECONDS / 8 else 8


def advice(game: Game, speed: Speed) -> Iterator[str]:
    """Suggestions to make the rules faster, each with an upper bound of the gain."""
    words, spent = rules_of(type(game.first.state)).words, speed.nanoseconds
    derived = {word for word in DEFAULTS if words[word].__module__ == "hansu.core.generic"}
    dear = {word for word, nanoseconds in spent.items() if nanoseconds > WORTH_IT}
    ids = words["action_count"](game.first.state) if "action_count" in words else 0
    if "actions" in dear and "next_action" in derived and ids >= MANY_IDS:
        gain = _gain(spent["actions"] + spent["over"] + spent["play"], spent["actions"])
        yield Message(
            "the rules have no next_action, so each node tests all {ids} actions with legal(), {spent:,.0f} ns. "
            "Your own next_action, often next_bit(mask, after), can speed up searches by up to {gain:.1f} times.",
            ids=ids, spent=spent["actions"], gain=gain,
        )  # fmt: skip
    if "random_action" in dear and "random_action" in derived and speed.share("random_action") > 0.3:
        yield Message(
            "the rules have no random_action; the default one takes {share:.0%} of a random game. "
            "Your own, often random_bit(mask, seed), can speed up playouts by up to {gain:.1f} times.",
            share=speed.share("random_action"), gain=speed.gain("random_action"),
        )  # fmt: skip
    if "over" in dear and speed.share("over") > 0.4:
        yield Message(
            "over() takes {share:.0%} of a random game. Let play() store what it already knows in the state "
            "(who has won, how many pieces are left): this can speed up playouts by up to {gain:.1f} times.",
            share=speed.share("over"), gain=speed.gain("over"),
        )  # fmt: skip
    if longest := _longest_tuple(game.first.state):
        yield Message(
            "{name} is a tuple of {count} integers, and every move copies it. Bitboards (one bit for each cell, "
            "one field for each kind of piece) take a few machine words; {guide} shows the gain for one game.",
            name=longest[0], count=longest[1], guide=GUIDE,
        )  # fmt: skip
    if "random_action" in derived and "probability" not in derived:
        yield Message(
            "random games sample chance moves uniformly; your own random_action can sample them by probability()."
        )  # fmt: skip
    if "evaluate" in derived and not game.small:
        yield Message(
            "the rules have no evaluate(): a search that stops before the end treats every position as a draw."
        )


def _gain(whole: float, part: float) -> float:
    """The speedup of a whole if one part becomes as fast as possible."""
    return max(1.0, whole / (max(0.0, whole - part) + FLOOR))


def _longest_tuple(state: Any, name: str = "") -> tuple[str, int] | None:
    """The name and length of the longest tuple in a state, if it is a long one."""
    longest = None
    for field, part in zip(getattr(state, "_fields", range(len(state))), state, strict=True):
        if isinstance(part, tuple):
            here = f"{name}.{field}" if name else str(field)
            inner = _longest_tuple(part, here) if any(isinstance(each, tuple) for each in part) else None
            for candidate in (inner, (here, len(part))):
                if candidate and candidate[1] >= LONG_TUPLE and (longest is None or candidate[1] > longest[1]):
                    longest = candidate
    return longest
