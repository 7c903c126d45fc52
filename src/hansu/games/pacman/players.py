"""Choosing by looking at the board only: the reflex agent, and ghosts that head for Pacman.

Everything that looks ahead is the general search of `hansu.search`; see `quick` for how the two meet.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, ClassVar

from hansu.core import Control, Decision, Limit, Message, MoveValue, Player, Position, Report, Value, option, table
from hansu.core.bits import lowest, mix, next_random, pick, popcount
from hansu.games.pacman.evaluation import distance, features, ghost_cell, nearest_dot
from hansu.games.pacman.rules import key, open_directions, play
from hansu.games.pacman.state import (
    CELL,
    GOES_ON,
    HALF,
    PLACE,
    PLACES,
    ROW_AT,
    SCARED_AT,
    STRIDE,
    Pacman,
    ghost_of,
)

ATTACK, FLEE = 0.8, 0.8
CHANCES = 1 << 31  # `next_random` gives numbers below this


def reflex_value(s: Pacman) -> float:
    """What the reflex agent thinks of a state: the score (so food left too), food near, no ghost near."""
    if s.ended != GOES_ON:
        return float(s.points)
    found = features(s)
    food_distance, _, danger, doom, cornered = found[2:7]
    # A dot brings 10 points, which must be more than what its nearness was worth, or the last one of a heap is left.
    return s.points + 9.0 / (1 + food_distance) - 12.0 * danger - 250.0 * doom - 50.0 * cornered


def reflex_action(s: Pacman, seed: int) -> int:
    """The move whose result looks best to the mover; among equals, one by chance (the same one for the same seed)."""
    sign = 1.0 if s.turn == 0 else -1.0
    best = -1e300
    ties = 0
    mask = open_directions(s)
    while mask:
        a = lowest(mask)
        mask &= mask - 1
        value = sign * reflex_value(play(s, a))
        if value > best:
            best = value
            ties = 0
        if value == best:
            ties |= 1 << a
    return nth_bit(ties, (mix((seed, key(s))) >> 8) % popcount(ties))


def nth_bit(mask: int, n: int) -> int:
    for _ in range(n):
        mask &= mask - 1
    return lowest(mask)


def directional_action(s: Pacman, attack: int, flee: int, seed: Any) -> int:
    """With a chance of attack / 2^31, a step that brings the ghost nearest to Pacman (with a chance of flee / 2^31
    farthest from it, while it is scared); else any step. Nearness is in city blocks, as in the course framework."""
    mask = open_directions(s)
    ghost = ghost_of(s.ghosts, s.turn - 1)
    scared = ghost >> SCARED_AT > 0
    if next_random(seed) < (flee if scared else attack):
        best = -1
        nearest = 0
        rest = mask
        while rest:
            a = lowest(rest)
            rest &= rest - 1
            steps = half_steps(s.maze, ghost, a, s.me & CELL)
            if scared:
                steps = -steps
            if best < 0 or steps < nearest:
                nearest = steps
                mask = 0
                best = a
            if steps == nearest:
                mask |= 1 << a
    return nth_bit(mask, pick(seed, popcount(mask)))


def half_steps(maze: int, ghost: int, a: int, cell: int) -> int:
    """City blocks, in half cells, from where the ghost is after a step to a cell."""
    t = table(maze)
    here = t[PLACES + STRIDE * (ghost & CELL) + PLACE]
    ahead = t[PLACES + STRIDE * t[PLACES + STRIDE * (ghost & CELL) + a] + PLACE]
    if ghost >> SCARED_AT and not ghost & HALF:
        x, y = (here & CELL) + (ahead & CELL), (here >> ROW_AT & CELL) + (ahead >> ROW_AT & CELL)
    else:
        x, y = 2 * (ahead & CELL), 2 * (ahead >> ROW_AT & CELL)
    there = t[PLACES + STRIDE * cell + PLACE]
    return abs(x - 2 * (there & CELL)) + abs(y - 2 * (there >> ROW_AT & CELL))


WAYS = (Message("West"), Message("East"), Message("North"), Message("South"), Message("Stop"))


def direction_text(action: int) -> Message:
    return WAYS[action]


@dataclass
class Reflex(Player):
    """The course's first agent."""

    kind: ClassVar[str] = "reflex"
    title: ClassVar[str] = Message("Reflexes")
    about: ClassVar[str] = Message("takes the step whose result looks best: food near, ghosts far")
    heeds: ClassVar[frozenset[str]] = frozenset()
    compile_seconds: ClassVar[float] = 0.0
    judges_all: ClassVar[bool] = True
    seed: int = option(1, Message("chooses among equally good steps"), title=Message("seed of chance"))

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        s = position.state
        moves = tuple(MoveValue(action=a, value=Value(reflex_value(play(s, a)))) for a in position.actions)
        action = reflex_action(s, self.seed)
        value = next(move.value for move in moves if move.action == action)
        steps = nearest_dot(s, s.me & CELL)
        way = direction_text(action)
        why = Message("{way} looks best right after the step (the nearest dot is {steps} away)", way=way, steps=steps)
        report = Report(value=value, line=(action,), moves=moves, nodes=len(moves), depth=1)
        return Decision(action=action, why=why, report=report)


@dataclass
class Directional(Player):
    """A ghost with a nose."""

    kind: ClassVar[str] = "directional"
    title: ClassVar[str] = Message("Hunters")
    about: ClassVar[str] = Message(
        "a ghost that heads for Pacman (Pacman: for the nearest dot), and flees while it is scared"
    )
    heeds: ClassVar[frozenset[str]] = frozenset()
    compile_seconds: ClassVar[float] = 0.0
    attack: float = option(ATTACK, Message("how often it heads for its prey"), title=Message("attack"), low=0, high=1)
    flee: float = option(FLEE, Message("how often it flees while it is scared"), title=Message("flight"), low=0, high=1)
    seed: int | None = option(None, Message("makes its choices repeatable"), title=Message("seed of chance"))

    def __post_init__(self) -> None:
        self._seed = [self.seed if self.seed is not None else random.getrandbits(62)]

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        s = position.state
        if s.turn == 0:
            return self._hungry(position)
        action = directional_action(s, round(self.attack * CHANCES), round(self.flee * CHANCES), self._seed)
        ghost = ghost_of(s.ghosts, s.turn - 1)
        steps = distance(s.maze, ghost_cell(s.maze, ghost), s.me & CELL)
        way = direction_text(action)
        if ghost >> SCARED_AT:
            why = Message("{way}: it flees from Pacman, {steps} steps away, most of the time", way=way, steps=steps)
        else:
            why = Message("{way}: it hunts Pacman, {steps} steps away, most of the time", way=way, steps=steps)
        return Decision(action=action, why=why)

    def _hungry(self, position: Position) -> Decision:
        s = position.state
        if next_random(self._seed) >= self.attack * CHANCES:
            action = position.actions[pick(self._seed, len(position.actions))]
            way = direction_text(action)
            return Decision(action=action, why=Message("{way}, by chance", way=way))

        def steps(a: int) -> tuple[bool, int]:
            after = play(s, a)
            return after.left >= s.left, nearest_dot(after, after.me & CELL)

        action = min(position.actions, key=steps)
        way = direction_text(action)
        return Decision(action=action, why=Message("{way} leads to the nearest dot", way=way))
