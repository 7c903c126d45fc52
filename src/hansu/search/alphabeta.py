"""Alpha-beta: minimax's value from fewer nodes. (alpha, beta) is what player 0 and the others can already be sure of;
a node that cannot land strictly between them is left.

Two rules for a tie are taught. The lecture leaves a node at beta <= alpha (`ties=True`); a well-known autograder
wants it left only at beta < alpha (`ties=False`), which visits more but makes equal moves' values exact at the root.
"""

from __future__ import annotations

from math import inf
from typing import Any

from hansu.core.generic import CHANCE, State, actions, over, play, probability, score, team
from hansu.search.minimax import depth_below
from hansu.search.watch import bounds, cut, enter, guess, halted, learn, leave, prefer


def alphabeta(s: State, depth: int, rounds: bool, alpha: float, beta: float, ties: bool, ply: int, watch: Any) -> float:
    """V(s) if it lies between alpha and beta; else a bound on the same side."""
    enter(watch, s, ply)
    bounds(watch, alpha, beta)
    if over(s):
        return leave(watch, float(score(s)))
    if depth == 0 or halted(watch):
        return leave(watch, guess(watch, s))
    below = depth_below(s, depth, rounds)
    who = team(s)
    best = -inf if who == 0 else inf
    mean = 0.0
    for a in actions(s):
        if who == CHANCE:  # every child counts in a mean, so each gets an open window
            v = alphabeta(play(s, a), below, rounds, -inf, inf, ties, ply + 1, watch)
            mean += probability(s, a) * v
        else:
            v = alphabeta(play(s, a), below, rounds, alpha, beta, ties, ply + 1, watch)
        learn(watch, ply, a, v)
        if who == 0 and v > best:
            best = v
            alpha = max(alpha, v)
            prefer(watch, ply, a)
        elif who > 0 and v < best:
            best = v
            beta = min(beta, v)
            prefer(watch, ply, a)
        if beta < alpha or (ties and beta == alpha):
            cut(watch, s, a)
            break
    return leave(watch, mean if who == CHANCE else best)
