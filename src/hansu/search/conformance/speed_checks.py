"""How fast a game's compiled rules are, where the time goes, and what would make them faster.

A random game asks `over`, `random_action` and `play` once a ply; a search asks for all actions of a node. Each word is
timed by itself over states of random games, so that advice can say what the best imaginable word would give.
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
from hansu.search.conformance.random_walk import wander
from hansu.search.playout import playouts

MOST_PLIES = 2_000
MEASURED = 0.15  # seconds for each word, at least
MANY_IDS = 16  # below this, trying every id costs little
LONG_TUPLE = 16  # cells that would fit into bits
WORTH_IT = 20.0  # nanoseconds below which a word needs no advice
FLOOR = 5.0  # nanoseconds that the best word of one's own still takes
GUIDE = "docs/tutorial/your_own_game.md"


@dataclass(frozen=True)
class Speed:
    """Playouts a second on one core, their plies, and nanoseconds of each word at a node."""

    playouts: float
    plies: float
    nanoseconds: dict[str, float]

    @property
    def ply(self) -> float:
        """Nanoseconds of a ply of a random game."""
        return sum(self.nanoseconds[each] for each in ("over", "random_action", "play"))

    def share(self, word: str) -> float:
        """How much of a ply of a random game a word takes, 0 to 1."""
        return self.nanoseconds[word] / self.ply if self.ply else 0.0

    def gain(self, word: str) -> float:
        """How many times as fast random games get where a word gets as fast as can be."""
        return _gain(self.ply, self.nanoseconds[word])


def steps(s: State, count: int, seed: Any, most: int) -> int:
    """The plies of so many random games."""
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
    """What the other loops do besides their word."""
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


def measured(game: Game) -> Speed:
    """Compile and time a game's rules: a second or two."""
    first = game.first  # holds its board's tables
    s = first.state
    met = [at for seed in range(4) for at in wander(game, seed) if not at.over]
    rows = np.zeros((len(met), len(flat(s))), np.int64)
    for row, at in zip(rows, met, strict=True):
        pack(at.state, row)
    chosen = np.array([at.actions[i % len(at.actions)] for i, at in enumerate(met)])
    seed = np.array([1])

    def timed(loop: Callable[..., int]) -> float:
        fast = compiled(loop, type(s))
        return _seconds(lambda rounds: fast(s, rows, chosen, seed, rounds)) / len(met)

    empty = timed(nothing_of)
    words = {word: 1e9 * max(0.0, timed(loop) - empty) for word, loop in LOOPS.items()}
    count, many = compiled(steps, type(s)), compiled(playouts, type(s))
    plies = count(s, 100, seed, MOST_PLIES) / 100
    return Speed(1 / _seconds(lambda rounds: many(s, rounds, seed, MOST_PLIES)), plies, words)


def _seconds(run: Callable[[int], object]) -> float:
    """Seconds of processor time that one round takes."""
    rounds, _ = 1, run(1)  # compiles
    while True:
        began = time.process_time()
        run(rounds)
        took = time.process_time() - began
        if took >= MEASURED:
            return took / rounds
        rounds *= 2 if took > MEASURED / 8 else 8


def advice(game: Game, speed: Speed) -> Iterator[str]:
    """What would make it faster, with what can be gained at most."""
    words, spent = rules_of(type(game.first.state)).words, speed.nanoseconds
    derived = {word for word in DEFAULTS if words[word].__module__ == "hansu.core.generic"}
    dear = {word for word, nanoseconds in spent.items() if nanoseconds > WORTH_IT}
    ids = words["action_count"](game.first.state) if "action_count" in words else 0
    if "actions" in dear and "next_action" in derived and ids >= MANY_IDS:
        gain = _gain(spent["actions"] + spent["over"] + spent["play"], spent["actions"])
        yield Message(
            "next_action is derived: all {ids} ids are tried with legal() at each node, {spent:,.0f} ns. "
            "One of your own, often next_bit(mask, after), gives searches up to {gain:.1f} times the nodes.",
            ids=ids, spent=spent["actions"], gain=gain,
        )  # fmt: skip
    if "random_action" in dear and "random_action" in derived and speed.share("random_action") > 0.3:
        yield Message(
            "random_action is derived and takes {share:.0%} of a random game. One of your own, "
            "often random_bit(mask, seed), gives up to {gain:.1f} times the playouts.",
            share=speed.share("random_action"), gain=speed.gain("random_action"),
        )  # fmt: skip
    if "over" in dear and speed.share("over") > 0.4:
        yield Message(
            "over() takes {share:.0%} of a random game: let play() note in the state what it "
            "knows already (who has won, how many are left): up to {gain:.1f} times the playouts.",
            share=speed.share("over"), gain=speed.gain("over"),
        )  # fmt: skip
    if longest := _longest_tuple(game.first.state):
        yield Message(
            "{name} is a tuple of {count} numbers, which every move copies: bitboards (a bit a cell, "
            "a field for each kind of piece) are a few machine words; {guide} has what that gave a game.",
            name=longest[0], count=longest[1], guide=GUIDE,
        )  # fmt: skip
    if "random_action" in derived and "probability" not in derived:
        yield Message(
            "random games draw moves of chance all alike: a random_action of your own can draw them by probability()."
        )  # fmt: skip
    if "evaluate" in derived and not game.small:
        yield Message("there is no evaluate(): a search that does not see the end takes every position for a draw.")


def _gain(whole: float, part: float) -> float:
    """How many times as fast a whole gets when a part of it gets as fast as can be."""
    return max(1.0, whole / (max(0.0, whole - part) + FLOOR))


def _longest_tuple(state: Any, name: str = "") -> tuple[str, int] | None:
    """The longest tuple in a state, where it is long."""
    found = None
    for field, part in zip(getattr(state, "_fields", range(len(state))), state, strict=True):
        if isinstance(part, tuple):
            here = f"{name}.{field}" if name else str(field)
            inner = _longest_tuple(part, here) if any(isinstance(each, tuple) for each in part) else None
            for candidate in (inner, (here, len(part))):
                if candidate and candidate[1] >= LONG_TUPLE and (found is None or candidate[1] > found[1]):
                    found = candidate
    return found
