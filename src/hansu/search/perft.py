"""perft: the number of lines of exactly n plies. Published counts make it the first check of any rules."""

from __future__ import annotations

from hansu.core.generic import State, actions, over, play


def perft(s: State, depth: int) -> int:
    """The number of lines of `depth` plies from `s`. A line that ends earlier does not count."""
    if depth == 0:
        return 1
    if over(s):
        return 0
    count = 0
    for a in actions(s):
        count += perft(play(s, a), depth - 1)
    return count
