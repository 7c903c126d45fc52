"""Plans against an opponent whose moves can be foreseen: nested rollout policy adaptation (Rosin, IJCAI 2011).

Both players have the same moves, and on most boards right play of the last mover, who is known from the start, cannot
be beaten. Not everyone plays right. As long as the opponent has drawn exactly what one of the report's players draws,
it is taken for that player: then only our moves are free, and the rest of the game is a puzzle for one.

Each rollout chooses our moves by weights, one a segment; the best line so far pulls the weights towards itself; after
RUN rollouts all begins anew, since a run that went astray does not come back. The opponent's answers are kept in a
table.
"""

from __future__ import annotations

from math import exp
from typing import Any, NamedTuple

from hansu.compile import kernel
from hansu.core import next_random
from hansu.core.control import NODES
from hansu.games.triangles.board import KEY, Drawing, Net, draw, take_back
from hansu.games.triangles.rule_moves import new_work, rule_move
from hansu.search.watch import halted, set_word, word

RUN = 300
STEP = 0.4
TAKING, GIVING = 4.0, 2.5  # how much a rollout likes to take a triangle, and dislikes to open one
ANSWERS = 1 << 16
NOTHING = -1000


class RolloutMemory(NamedTuple):
    """Room for planning."""

    weights: Any  # float64[segments]
    chances: Any  # float64[segments]
    best: Any  # int64[moves + 2]: the best line of this run; its length comes first
    line: Any  # int64[moves + 2]: the rollout in hand
    work: Any  # see rule.new_work
    keys: Any  # int64[ANSWERS]: positions ...
    answers: Any  # int64[ANSWERS]: ... and what the opponent draws there
    seed: Any  # int64[1]


def new_rollout_memory(net: Net) -> RolloutMemory:
    import numpy as np

    n = len(net.on_hull)
    return RolloutMemory(
        np.zeros(n), np.zeros(n), np.zeros(n + 2, np.int64), np.zeros(n + 2, np.int64), new_work(net),
        np.zeros(ANSWERS, np.int64), np.zeros(ANSWERS, np.int64), np.ones(1, np.int64),
    )  # fmt: skip


@kernel
def weigh(net: Net, drawing: Drawing, rollouts: RolloutMemory) -> float:
    """The chance of each free segment, unscaled; gives their sum."""
    head = len(net.on_hull)
    total = 0.0
    e = drawing.after[head]
    while e != head:
        liking = rollouts.weights[e] + TAKING * drawing.gain[e] - GIVING * min(drawing.risk[e], 2)
        rollouts.chances[e] = exp(liking)
        total += rollouts.chances[e]
        e = drawing.after[e]
    return total


@kernel
def answer(net: Net, drawing: Drawing, careful: bool, rollouts: RolloutMemory) -> int:
    key = drawing.facts[KEY] + careful
    slot = (key ^ key >> 23) & (ANSWERS - 1)
    if rollouts.keys[slot] != key:
        rollouts.answers[slot] = rule_move(net, drawing, careful, rollouts.work)
        rollouts.keys[slot] = key
    return rollouts.answers[slot]  # type: ignore[no-any-return]


@kernel
def rollout(net: Net, drawing: Drawing, careful: bool, rollouts: RolloutMemory, words: Any) -> int:
    """Play on to the end; gives our triangles less the opponent's, or NOTHING where the time ran out."""
    head = len(net.on_hull)
    line = rollouts.line
    value = 0
    length = 0
    while drawing.after[head] != head and not halted(words):
        ours = length % 2 == 0
        if ours:
            set_word(words, NODES, word(words, NODES) + 1)
            left = weigh(net, drawing, rollouts) * next_random(rollouts.seed) / 2147483648.0
            e = drawing.after[head]
            while left >= rollouts.chances[e] and drawing.after[e] != head:
                left -= rollouts.chances[e]
                e = drawing.after[e]
        else:
            e = answer(net, drawing, careful, rollouts)
        gained = draw(net, drawing, e)
        value += gained if ours else -gained
        length += 1
        line[length] = e
    finished = drawing.after[head] == head
    line[0] = length
    for i in range(length, 0, -1):
        take_back(net, drawing, line[i])
    return value if finished else NOTHING


@kernel
def adapt(net: Net, drawing: Drawing, rollouts: RolloutMemory) -> None:
    """Make our moves of the best line likelier."""
    head = len(net.on_hull)
    line = rollouts.best
    for i in range(1, line[0] + 1):
        if i % 2 == 1:
            total = weigh(net, drawing, rollouts)
            e = drawing.after[head]
            while e != head:
                rollouts.weights[e] -= STEP * rollouts.chances[e] / total
                e = drawing.after[e]
            rollouts.weights[line[i]] += STEP
        draw(net, drawing, line[i])
    for i in range(line[0], 0, -1):
        take_back(net, drawing, line[i])


@kernel
def run_rollouts(net: Net, drawing: Drawing, careful: bool, enough: int, rollouts: RolloutMemory, words: Any) -> int:
    """One run: rollouts until one gains `enough`. Gives the value of the line in rollouts.best."""
    best = NOTHING
    rollouts.weights[:] = 0.0
    for _ in range(RUN):
        value = rollout(net, drawing, careful, rollouts, words)
        if value >= best and value > NOTHING:
            best = value
            for i in range(rollouts.line[0] + 1):
                rollouts.best[i] = rollouts.line[i]
        if best >= enough or halted(words):
            break
        if best > NOTHING:
            adapt(net, drawing, rollouts)
    return best
