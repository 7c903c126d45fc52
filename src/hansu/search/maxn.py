"""Max^n (Luckhardt and Irani 1986): everybody plays for the own good, so a position is worth a number to each agent.

With two agents who want opposite things it is minimax. Where several replies are equally good to an agent, the first
counts, though they may differ for the others.
"""

from __future__ import annotations

from typing import Any

from hansu.core.bits import compiled_as
from hansu.core.generic import (
    CHANCE,
    State,
    actions,
    agents,
    evaluate_for,
    mover,
    over,
    play,
    probability,
    score_for,
    team,
)
from hansu.search.minimax import depth_below
from hansu.search.watch import Watch, enter, guess, halted, learn, leave, prefer

MOST_PLIES = 512  # a line that is longer is guessed at


def _share_words(words: int, worth: Any, ply: int, count: int) -> None:
    return


@compiled_as(_share_words)
def share(watch: Watch, worth: Any, ply: int, count: int) -> None:
    """What the node in hand is worth to each agent."""
    if watch.trace is not None:
        watch.trace.open[-1].shares = tuple(float(worth[ply, i]) for i in range(count))


def own(s: State, worth: Any, ply: int) -> float:
    """What a row is worth to the mover, as if seen from player 0's side: a number that the mover's team wants."""
    if mover(s) == CHANCE:
        return float(worth[ply, 0])
    return float(worth[ply, mover(s)]) if team(s) == 0 else 0.0 - float(worth[ply, mover(s)])


def maxn(s: State, depth: int, rounds: bool, ply: int, worth: Any, watch: Any) -> float:
    """Writes what the position is worth to each agent into worth[ply] (float64[MOST_PLIES, agents]); returns that of
    the mover."""
    enter(watch, s, ply)
    count = agents(s)
    if over(s):
        for i in range(count):
            worth[ply, i] = score_for(s, i)
        share(watch, worth, ply, count)
        return leave(watch, float(worth[ply, 0]))
    if depth == 0 or ply + 1 == MOST_PLIES or halted(watch):
        guess(watch, s)
        for i in range(count):
            worth[ply, i] = evaluate_for(s, i)
        share(watch, worth, ply, count)
        return leave(watch, own(s, worth, ply))
    below = depth_below(s, depth, rounds)
    who = mover(s)
    first = True
    for i in range(count):
        worth[ply, i] = 0.0
    for a in actions(s):
        maxn(play(s, a), below, rounds, ply + 1, worth, watch)
        learn(watch, ply, a, own(s, worth, ply + 1))
        if who == CHANCE:
            for i in range(count):
                worth[ply, i] += probability(s, a) * worth[ply + 1, i]
        elif first or worth[ply + 1, who] > worth[ply, who]:
            for i in range(count):
                worth[ply, i] = worth[ply + 1, i]
            prefer(watch, ply, a)
        first = False
    share(watch, worth, ply, count)
    return leave(watch, own(s, worth, ply))
