"""Plans against an opponent whose moves can be foreseen: nested rollout policy adaptation (Rosin, IJCAI 2011).

The opponent answers as the report's players do, so only our moves are free and a game is a puzzle for one. Each rollout chooses our
moves by weights, one a segment; the best line so far pulls the weights towards itself.
"""

from __future__ import annotations

from math import exp
from typing import Any

from hansu.core import kernel, next_random
from hansu.core.control import NODES
from hansu.games.triangles.desk import Desk, Net, draw, take_back
from hansu.games.triangles.rule import report_move
from hansu.games.triangles.search import halted

STEP = 1.0
TAKING, GIVING = 1.5, 1.0  # how much a rollout likes to take a triangle, and dislikes to open one


@kernel
def weigh(net: Net, desk: Desk, weights: Any, chances: Any) -> float:
    """The chance of each free segment, unscaled; gives their sum."""
    head = len(net.on_hull)
    total = 0.0
    e = desk.after[head]
    while e != head:
        chances[e] = exp(weights[e] + TAKING * desk.gain[e] - GIVING * min(desk.risk[e], 2))
        total += chances[e]
        e = desk.after[e]
    return total


@kernel
def rollout(
    net: Net, desk: Desk, careful: bool, weights: Any, chances: Any, line: Any, work: Any, seed: Any, words: Any
) -> int:  # fmt: skip
    """Play on to the end; the line, its length in line[0]; gives our triangles less the opponent's, or a low number where
    the time ran out."""
    head = len(net.on_hull)
    value = 0
    length = 0
    ours = True
    while desk.after[head] != head and not halted(words):
        if ours:
            words[NODES] += 1
            left = weigh(net, desk, weights, chances) * next_random(seed) / 2147483648.0
            e = desk.after[head]
            while left >= chances[e] and desk.after[e] != head:
                left -= chances[e]
                e = desk.after[e]
        else:
            e = report_move(net, desk, careful, work)
        gained = draw(net, desk, e)
        value += gained if ours else -gained
        ours = not ours
        length += 1
        line[length] = e
    finished = desk.after[head] == head
    line[0] = length
    for i in range(length, 0, -1):
        take_back(net, desk, line[i])
    return value if finished else -1000


@kernel
def adapt(net: Net, desk: Desk, weights: Any, chances: Any, line: Any) -> None:
    """Make our moves of the line likelier."""
    head = len(net.on_hull)
    for i in range(1, line[0] + 1):
        if i % 2 == 1:
            total = weigh(net, desk, weights, chances)
            e = desk.after[head]
            while e != head:
                weights[e] -= STEP * chances[e] / total
                e = desk.after[e]
            weights[line[i]] += STEP
        draw(net, desk, line[i])
    for i in range(line[0], 0, -1):
        take_back(net, desk, line[i])


@kernel
def plan(
    net: Net, desk: Desk, careful: bool, enough: int, weights: Any, chances: Any, lines: Any, work: Any, seed: Any,
    words: Any,
) -> int:  # fmt: skip
    """Rollouts until one gains `enough` or the time is over; lines[0] is the best found. Gives its value."""
    best = -999
    while best < enough and not halted(words):
        value = rollout(net, desk, careful, weights, chances, lines[1], work, seed, words)
        if value >= best and value > -1000:
            best = value
            for i in range(lines[1, 0] + 1):
                lines[0, i] = lines[1, i]
        if best > -999:
            adapt(net, desk, weights, chances, lines[0])
    return best
