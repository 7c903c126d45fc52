"""Max^n (Luckhardt and Irani 1986): every agent maximises its own result, so a position has a value for each agent.

With two opposed agents it equals minimax. Among equally good moves of an agent the first one counts, although they may
differ for the others.
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
from hansu.search.watch import Watch, enter, estimate, halted, leave, record_move, update_line

MAX_PLIES = 512  # longer lines are evaluated there


def _record_shares_words(words: int, values: Any, ply: int, count: int) -> None:
    return


@compiled_as(_record_shares_words)
def record_shares(watch: Watch, values: Any, ply: int, count: int) -> None:
    """Record the value of the current node for each agent."""
    if watch.trace is not None:
        watch.trace.open[-1].shares = tuple(float(values[ply, i]) for i in range(count))


def mover_value(s: State, values: Any, ply: int) -> float:
    """The mover's value in a row, signed as from player 0's side."""
    if mover(s) == CHANCE:
        return float(values[ply, 0])
    return float(values[ply, mover(s)]) if team(s) == 0 else 0.0 - float(values[ply, mover(s)])


def maxn(s: State, depth: int, rounds: bool, ply: int, values: Any, watch: Any) -> float:
    """Write the value for each agent to values[ply] (float64[MAX_PLIES, agents]) and return the mover's value."""
    enter(watch, s, ply)
    count = agents(s)
    if over(s):
        for i in range(count):
            values[ply, i] = score_for(s, i)
        record_shares(watch, values, ply, count)
        return leave(watch, float(values[ply, 0]))
    if depth == 0 or ply + 1 == MAX_PLIES or halted(watch):
        estimate(watch, s)
        for i in range(count):
            values[ply, i] = evaluate_for(s, i)
        record_shares(watch, values, ply, count)
        return leave(watch, mover_value(s, values, ply))
    below = depth_below(s, depth, rounds)
    who = mover(s)
    first = True
    for i in range(count):
        values[ply, i] = 0.0
    for a in actions(s):
        maxn(play(s, a), below, rounds, ply + 1, values, watch)
        record_move(watch, ply, a, mover_value(s, values, ply + 1))
        if who == CHANCE:
            for i in range(count):
                values[ply, i] += probability(s, a) * values[ply + 1, i]
        elif first or values[ply + 1, who] > values[ply, who]:
            for i in range(count):
                values[ply, i] = values[ply + 1, i]
            update_line(watch, ply, a)
        first = False
    record_shares(watch, values, ply, count)
    return leave(watch, mover_value(s, values, ply))
