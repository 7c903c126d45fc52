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

from hansu.core import kernel, next_random
from hansu.core.control import NODES
from hansu.games.triangles.desk import KEY, Desk, Net, draw, take_back
from hansu.games.triangles.rule import new_work, report_move
from hansu.search.watch import halted, set_word, word

RUN = 300
STEP = 0.4
TAKING, GIVING = 4.0, 2.5  # how much a rollout likes to take a triangle, and dislikes to open one
ANSWERS = 1 << 16
NOTHING = -1000


class Desktop(NamedTuple):
    """Room for planning."""

    weights: Any  # float64[segments]
    chances: Any  # float64[segments]
    best: Any  # int64[moves + 2]: the best line of this run; its length comes first
    line: Any  # int64[moves + 2]: the rollout in hand
    work: Any  # see rule.new_work
    keys: Any  # int64[ANSWERS]: positions ...
    answers: Any  # int64[ANSWERS]: ... and what the opponent draws there
    seed: Any  # int64[1]


def new_desktop(net: Net) -> Desktop:
    import numpy as np

    n = len(net.on_hull)
    return Desktop(
        np.zeros(n), np.zeros(n), np.zeros(n + 2, np.int64), np.zeros(n + 2, np.int64), new_work(net),
        np.zeros(ANSWERS, np.int64), np.zeros(ANSWERS, np.int64), np.ones(1, np.int64),
    )  # fmt: skip


@kernel
def weigh(net: Net, desk: Desk, desktop: Desktop) -> float:
    """The chance of each free segment, unscaled; gives their sum."""
    head = len(net.on_hull)
    total = 0.0
    e = desk.after[head]
    while e != head:
        liking = desktop.weights[e] + TAKING * desk.gain[e] - GIVING * min(desk.risk[e], 2)
        desktop.chances[e] = exp(liking)
        total += desktop.chances[e]
        e = desk.after[e]
    return total


@kernel
def answer(net: Net, desk: Desk, careful: bool, desktop: Desktop) -> int:
    key = desk.facts[KEY] + careful
    slot = (key ^ key >> 23) & (ANSWERS - 1)
    if desktop.keys[slot] != key:
        desktop.answers[slot] = report_move(net, desk, careful, desktop.work)
        desktop.keys[slot] = key
    return desktop.answers[slot]  # type: ignore[no-any-return]


@kernel
def rollout(net: Net, desk: Desk, careful: bool, desktop: Desktop, words: Any) -> int:
    """Play on to the end; gives our triangles less the opponent's, or NOTHING where the time ran out."""
    head = len(net.on_hull)
    line = desktop.line
    value = 0
    length = 0
    while desk.after[head] != head and not halted(words):
        ours = length % 2 == 0
        if ours:
            set_word(words, NODES, word(words, NODES) + 1)
            left = weigh(net, desk, desktop) * next_random(desktop.seed) / 2147483648.0
            e = desk.after[head]
            while left >= desktop.chances[e] and desk.after[e] != head:
                left -= desktop.chances[e]
                e = desk.after[e]
        else:
            e = answer(net, desk, careful, desktop)
        gained = draw(net, desk, e)
        value += gained if ours else -gained
        length += 1
        line[length] = e
    finished = desk.after[head] == head
    line[0] = length
    for i in range(length, 0, -1):
        take_back(net, desk, line[i])
    return value if finished else NOTHING


@kernel
def adapt(net: Net, desk: Desk, desktop: Desktop) -> None:
    """Make our moves of the best line likelier."""
    head = len(net.on_hull)
    line = desktop.best
    for i in range(1, line[0] + 1):
        if i % 2 == 1:
            total = weigh(net, desk, desktop)
            e = desk.after[head]
            while e != head:
                desktop.weights[e] -= STEP * desktop.chances[e] / total
                e = desk.after[e]
            desktop.weights[line[i]] += STEP
        draw(net, desk, line[i])
    for i in range(line[0], 0, -1):
        take_back(net, desk, line[i])


@kernel
def plan_run(net: Net, desk: Desk, careful: bool, enough: int, desktop: Desktop, words: Any) -> int:
    """One run: rollouts until one gains `enough`. Gives the value of the line in desktop.best."""
    best = NOTHING
    desktop.weights[:] = 0.0
    for _ in range(RUN):
        value = rollout(net, desk, careful, desktop, words)
        if value >= best and value > NOTHING:
            best = value
            for i in range(desktop.line[0] + 1):
                desktop.best[i] = desktop.line[i]
        if best >= enough or halted(words):
            break
        if best > NOTHING:
            adapt(net, desk, desktop)
    return best
