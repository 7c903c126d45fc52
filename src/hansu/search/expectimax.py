"""Expectimax: player 0 takes the best child; all others are assumed to choose uniformly at random."""

from __future__ import annotations

from math import inf
from typing import Any

from hansu.core.generic import CHANCE, State, actions, over, play, probability, score, team
from hansu.search.minimax import depth_below
from hansu.search.watch import enter, estimate, halted, leave, record_move, update_line


def expectimax(s: State, depth: int, rounds: bool, ply: int, watch: Any) -> float:
    """V(s), searched `depth` plies (or rounds) deep."""
    enter(watch, s, ply)
    if over(s):
        return leave(watch, float(score(s)))
    if depth == 0 or halted(watch):
        return leave(watch, estimate(watch, s))
    below = depth_below(s, depth, rounds)
    who = team(s)
    best = -inf
    total = 0.0
    count = 0
    for a in actions(s):
        v = expectimax(play(s, a), below, rounds, ply + 1, watch)
        record_move(watch, ply, a, v)
        count += 1
        total += probability(s, a) * v if who == CHANCE else v
        if who == 0 and v > best:
            best = v
            update_line(watch, ply, a)
    if who == 0:
        return leave(watch, best)
    return leave(watch, total if who == CHANCE else total / count)
