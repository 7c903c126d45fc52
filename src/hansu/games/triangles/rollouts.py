"""Plans against a predictable opponent: nested rollout policy adaptation (Rosin, IJCAI 2011).

The board settles who moves last, and on most boards perfect play by that side cannot be beaten. But not every opponent
plays perfectly. If the opponent has played exactly like one of the report's players, we assume that it is that player.
Then only our moves are free, and the rest of the game is a single-agent problem.

Each rollout samples our moves from weights, one per segment. After each rollout, the weights move towards the best line
so far. A run has RUN rollouts; each run starts from zero weights, because a bad run does not recover. A table caches
the opponent's replies.
"""

from __future__ import annotations

from math import exp
from typing import Any, NamedTuple

from hansu.compile import kernel
from hansu.core import next_random
from hansu.core.control import NODES
from hansu.games.triangles.rule_moves import new_work, rule_move
from hansu.games.triangles.search_board import KEY, BoardGraph, SearchBoard, draw, undo
from hansu.search.watch import halted, set_word, word

RUN = 300
STEP = 0.4
TAKING, OPENING = 4.0, 2.5  # log-weights: bonus for taking a triangle, penalty for opening one
REPLIES = 1 << 16  # entries of the table of replies
NOTHING = -1000


class RolloutMemory(NamedTuple):
    """The arrays of the rollouts."""

    weights: Any  # float64[segments]
    probabilities: Any  # float64[segments], not normalised
    best: Any  # int64[moves + 2]: the best line of this run, after its length
    line: Any  # int64[moves + 2]: the current rollout, after its length
    work: Any  # see rule_moves.new_work
    keys: Any  # int64[REPLIES]: positions ...
    replies: Any  # int64[REPLIES]: ... and the opponent's replies
    seed: Any  # int64[1]


def new_rollout_memory(graph: BoardGraph) -> RolloutMemory:
    import numpy as np

    n = len(graph.on_hull)
    return RolloutMemory(
        np.zeros(n), np.zeros(n), np.zeros(n + 2, np.int64), np.zeros(n + 2, np.int64), new_work(graph),
        np.zeros(REPLIES, np.int64), np.zeros(REPLIES, np.int64), np.ones(1, np.int64),
    )  # fmt: skip


@kernel
def weigh(graph: BoardGraph, board: SearchBoard, rollouts: RolloutMemory) -> float:
    """Set the probability of each free segment, not normalised; returns their sum."""
    head = len(graph.on_hull)
    total = 0.0
    e = board.after[head]
    while e != head:
        logit = rollouts.weights[e] + TAKING * board.gain[e] - OPENING * min(board.risk[e], 2)
        rollouts.probabilities[e] = exp(logit)
        total += rollouts.probabilities[e]
        e = board.after[e]
    return total


@kernel
def reply(graph: BoardGraph, board: SearchBoard, careful: bool, rollouts: RolloutMemory) -> int:
    """The opponent's move."""
    key = board.facts[KEY] + careful
    slot = (key ^ key >> 23) & (REPLIES - 1)
    if rollouts.keys[slot] != key:
        rollouts.replies[slot] = rule_move(graph, board, careful, rollouts.work)
        rollouts.keys[slot] = key
    return rollouts.replies[slot]  # type: ignore[no-any-return]


@kernel
def rollout(graph: BoardGraph, board: SearchBoard, careful: bool, rollouts: RolloutMemory, words: Any) -> int:
    """Play to the end; returns our triangles minus the opponent's, or NOTHING if stopped."""
    head = len(graph.on_hull)
    line = rollouts.line
    value = 0
    length = 0
    while board.after[head] != head and not halted(words):
        ours = length % 2 == 0
        if ours:
            set_word(words, NODES, word(words, NODES) + 1)
            left = weigh(graph, board, rollouts) * next_random(rollouts.seed) / 2147483648.0
            e = board.after[head]
            while left >= rollouts.probabilities[e] and board.after[e] != head:
                left -= rollouts.probabilities[e]
                e = board.after[e]
        else:
            e = reply(graph, board, careful, rollouts)
        gained = draw(graph, board, e)
        value += gained if ours else -gained
        length += 1
        line[length] = e
    finished = board.after[head] == head
    line[0] = length
    for i in range(length, 0, -1):
        undo(graph, board, line[i])
    return value if finished else NOTHING


@kernel
def adapt(graph: BoardGraph, board: SearchBoard, rollouts: RolloutMemory) -> None:
    """Increase the weights of our moves in the best line."""
    head = len(graph.on_hull)
    line = rollouts.best
    for i in range(1, line[0] + 1):
        if i % 2 == 1:
            total = weigh(graph, board, rollouts)
            e = board.after[head]
            while e != head:
                rollouts.weights[e] -= STEP * rollouts.probabilities[e] / total
                e = board.after[e]
            rollouts.weights[line[i]] += STEP
        draw(graph, board, line[i])
    for i in range(line[0], 0, -1):
        undo(graph, board, line[i])


@kernel
def run_rollouts(
    graph: BoardGraph, board: SearchBoard, careful: bool, enough: int, rollouts: RolloutMemory, words: Any
) -> int:
    """One run: rollouts until one gains `enough`. Returns the value of the line in rollouts.best."""
    best = NOTHING
    rollouts.weights[:] = 0.0
    for _ in range(RUN):
        value = rollout(graph, board, careful, rollouts, words)
        if value >= best and value > NOTHING:
            best = value
            for i in range(rollouts.line[0] + 1):
                rollouts.best[i] = rollouts.line[i]
        if best >= enough or halted(words):
            break
        if best > NOTHING:
            adapt(graph, board, rollouts)
    return best
