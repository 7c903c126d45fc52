"""Minimax: V(s) is the score at the end of the game, the highest child's value for player 0, the lowest for others."""

from __future__ import annotations

from math import inf
from typing import Any

from hansu.core.generic import CHANCE, State, actions, agents, mover, over, play, probability, score, team
from hansu.search.watch import enter, estimate, halted, leave, record_move, update_line


def depth_below(s: State, depth: int, rounds: bool) -> int:
    """The remaining depth of the children. Each ply costs 1; in rounds, only the last agent's move does.

    A negative depth means no limit.
    """
    if rounds and mover(s) != agents(s) - 1:
        return depth
    return depth - 1


def minimax(s: State, depth: int, rounds: bool, ply: int, watch: Any) -> float:
    """V(s), searched `depth` plies (or rounds) deep."""
    enter(watch, s, ply)
    if over(s):
        return leave(watch, float(score(s)))
    if depth == 0 or halted(watch):
        return leave(watch, estimate(watch, s))
    below = depth_below(s, depth, rounds)
    who = team(s)
    best = -inf if who == 0 else inf
    mean = 0.0
    for a in actions(s):
        v = minimax(play(s, a), below, rounds, ply + 1, watch)
        record_move(watch, ply, a, v)
        if who == CHANCE:
            mean += probability(s, a) * v
        elif (who == 0 and v > best) or (who != 0 and v < best):
            best = v
            update_line(watch, ply, a)
    return leave(watch, mean if who == CHANCE else best)
