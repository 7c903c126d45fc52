"""Players without search: the reflex agent, and ghosts that head for Pacman.

All other players are general ones of `hansu.search`.
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
CHANCES = 1 << 31  # `next_random` returns integers below this


def reflex_value(s: Pacman) -> float:
    """The reflex agent's evaluation: the score, the distance of food, and ghosts nearby."""
    if s.ended != GOES_ON:
        return float(s.points)
    food_distance, _, danger, doom, cornered = features(s)[2:7]
    # Food nearby is worth less than the 10 points of a dot, or the agent would leave the last dot of a group.
    return s.points + 9.0 / (1 + food_distance) - 12.0 * danger - 250.0 * doom - 50.0 * cornered


def reflex_action(s: Pacman, seed: int) -> int:
    """The move with the best result for the mover. The seed breaks ties."""
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
    """The number of set bit n, from 0."""
    for _ in range(n):
        mask &= mask - 1
    return lowest(mask)


def directional_action(s: Pacman, attack: int, flee: int, seed: Any) -> int:
    """A step of a ghost: towards Pacman with probability attack / 2^31, or, while the ghost is scared, away from Pacman
    with probability flee / 2^31; else a random step. Distances are Manhattan distances, as in the framework."""
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
    """The Manhattan distance, in half cells, from the ghost's place after a step to a cell."""
    t = table(maze)
    here = t[PLACES + STRIDE * (ghost & CELL) + PLACE]
    ahead = t[PLACES + STRIDE * t[PLACES + STRIDE * (ghost & CELL) + a] + PLACE]
    if ghost >> SCARED_AT and not ghost & HALF:
        x, y = (here & CELL) + (ahead & CELL), (here >> ROW_AT & CELL) + (ahead >> ROW_AT & CELL)
    else:
        x, y = 2 * (ahead & CELL), 2 * (ahead >> ROW_AT & CELL)
    there = t[PLACES + STRIDE * cell + PLACE]
    return abs(x - 2 * (there & CELL)) + abs(y - 2 * (there >> ROW_AT & CELL))


NAMES = (Message("West"), Message("East"), Message("North"), Message("South"), Message("Stop"))


def direction_text(action: int) -> Message:
    """The name of a direction."""
    return NAMES[action]


@dataclass
class Reflex(Player):
    """The course's reflex agent."""

    kind: ClassVar[str] = "reflex"
    title: ClassVar[str] = Message("Reflex")
    about: ClassVar[str] = Message("takes the step with the best result: food near, ghosts far")
    heeds: ClassVar[frozenset[str]] = frozenset()
    compile_seconds: ClassVar[float] = 0.0
    judges_all: ClassVar[bool] = True
    seed: int = option(1, Message("seed that breaks ties"), title=Message("seed of chance"))

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        s = position.state
        moves = tuple(MoveValue(action=a, value=Value(reflex_value(play(s, a)))) for a in position.actions)
        action = reflex_action(s, self.seed)
        value = next(move.value for move in moves if move.action == action)
        steps = nearest_dot(s, s.me & CELL)
        direction = direction_text(action)
        why = Message(
            "{direction} has the best result (the nearest dot is {steps} steps away)", direction=direction, steps=steps
        )
        report = Report(value=value, line=(action,), moves=moves, nodes=len(moves), depth=1)
        return Decision(action=action, why=why, report=report)


@dataclass
class Directional(Player):
    """The course's directional ghost."""

    kind: ClassVar[str] = "directional"
    title: ClassVar[str] = Message("Directional")
    about: ClassVar[str] = Message(
        "ghosts head for Pacman and flee while they are scared; as Pacman, heads for the nearest dot"
    )
    heeds: ClassVar[frozenset[str]] = frozenset()
    compile_seconds: ClassVar[float] = 0.0
    attack: float = option(
        ATTACK,
        Message("probability of heading for Pacman (as Pacman: for a dot)"),
        title=Message("attack"),
        low=0,
        high=1,
    )
    flee: float = option(FLEE, Message("probability of fleeing while scared"), title=Message("flight"), low=0, high=1)
    seed: int | None = option(None, Message("makes its choices repeatable"), title=Message("seed of chance"))

    def __post_init__(self) -> None:
        self._seed = [self.seed if self.seed is not None else random.getrandbits(62)]

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        s = position.state
        if s.turn == 0:
            return self._decide_as_pacman(position)
        action = directional_action(s, round(self.attack * CHANCES), round(self.flee * CHANCES), self._seed)
        ghost = ghost_of(s.ghosts, s.turn - 1)
        steps = distance(s.maze, ghost_cell(s.maze, ghost), s.me & CELL)
        direction = direction_text(action)
        if ghost >> SCARED_AT:
            why = Message(
                "{direction}: flees from Pacman, {steps} steps away, most of the time", direction=direction, steps=steps
            )
        else:
            why = Message(
                "{direction}: heads for Pacman, {steps} steps away, most of the time", direction=direction, steps=steps
            )
        return Decision(action=action, why=why)

    def _decide_as_pacman(self, position: Position) -> Decision:
        s = position.state
        if next_random(self._seed) >= self.attack * CHANCES:
            action = position.actions[pick(self._seed, len(position.actions))]
            direction = direction_text(action)
            return Decision(action=action, why=Message("{direction}: a random step", direction=direction))

        def steps(a: int) -> tuple[bool, int]:
            after = play(s, a)
            return after.left >= s.left, nearest_dot(after, after.me & CELL)

        action = min(position.actions, key=steps)
        direction = direction_text(action)
        return Decision(action=action, why=Message("{direction} leads to the nearest dot", direction=direction))
