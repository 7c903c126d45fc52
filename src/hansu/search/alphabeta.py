"""Alpha-beta: the value of minimax from fewer nodes. alpha is the value player 0 is sure of, beta that of the others.
A node is cut off when its value cannot lie between them.

Two rules for ties are taught. The lecture cuts at beta <= alpha (`ties=True`). A well-known autograder cuts only at
beta < alpha (`ties=False`), which visits more nodes but gives equal root moves exact values.
"""

from __future__ import annotations

from math import inf
from typing import Any

from hansu.core.generic import CHANCE, State, actions, over, play, probability, score, team
from hansu.search.minimax import depth_below
from hansu.search.watch import bounds, cut, enter, estimate, halted, leave, record_move, update_line


def alphabeta(s: State, depth: int, rounds: bool, alpha: float, beta: float, ties: bool, ply: int, watch: Any) -> float:
    """V(s) if it lies between alpha and beta, otherwise a bound on the same side."""
    enter(watch, s, ply)
    bounds(watch, alpha, beta)
    if over(s):
        return leave(watch, float(score(s)))
    if depth == 0 or halted(watch):
        return leave(watch, estimate(watch, s))
    below = depth_below(s, depth, rounds)
    who = team(s)
    best = -inf if who == 0 else inf
    mean = 0.0
    for a in actions(s):
        if who == CHANCE:  # a mean needs every child's exact value, so each gets an open window
            v = alphabeta(play(s, a), below, rounds, -inf, inf, ties, ply + 1, watch)
            mean += probability(s, a) * v
        else:
            v = alphabeta(play(s, a), below, rounds, alpha, beta, ties, ply + 1, watch)
        record_move(watch, ply, a, v)
        if who == 0 and v > best:
            best = v
            alpha = max(alpha, v)
            update_line(watch, ply, a)
        elif who > 0 and v < best:
            best = v
            beta = min(beta, v)
            update_line(watch, ply, a)
        if beta < alpha or (ties and beta == alpha):
            cut(watch, s, a)
            break
    return leave(watch, mean if who == CHANCE else best)
