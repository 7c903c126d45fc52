"""Forced moves, which need no search: make five, stop five, make an open four, a 4-4 or a 4-3."""

from __future__ import annotations

from typing import Any

from hansu.compile import kernel
from hansu.core import lowest
from hansu.games.renju.engine.board import MARGIN, STRIDE, first_of, key_of, threes
from hansu.games.renju.engine.patterns import FOUR, K_FIVE, OPEN_FOUR, THREE_1, THREE_2, TWO_FOURS
from hansu.games.renju.engine.threats import legal_for

MAKES_FIVE, STOPS_FIVE, MAKES_OPEN_FOUR, MAKES_TWO_FOURS, MAKES_FOUR_THREE = range(5)


@kernel
def find_forced_move(mem: Any, side: int) -> int:
    """reason << 10 | point: the first point of the first reason that applies; 0 if none does."""
    if mem.totals[side, K_FIVE]:
        return int(MAKES_FIVE << 10 | first_of(mem, side, K_FIVE))
    for row in range(MARGIN, MARGIN + mem.size):
        bits = mem.rows[1 - side, K_FIVE, row]
        while bits:
            point = STRIDE * row + lowest(bits)
            bits &= bits - 1
            if legal_for(mem, side, point):
                return STOPS_FIVE << 10 | point
    best, best_point = MAKES_FOUR_THREE + 1, 0
    for y in range(mem.size):
        for x in range(mem.size):
            point = STRIDE * (y + MARGIN) + x + MARGIN
            if mem.stones[point] == 0:
                reason = reason_for(mem, side, point)
                if reason < best and legal_for(mem, side, point):
                    best, best_point = reason, point
    return best << 10 | best_point if best_point else 0


@kernel
def reason_for(mem: Any, side: int, point: int) -> int:
    """MAKES_OPEN_FOUR, MAKES_TWO_FOURS or MAKES_FOUR_THREE, or a larger number if none applies. (Neither side can make
    five.)"""
    fours = open_fours = any_threes = 0
    key = key_of(mem, side, point)
    for d in range(4):
        line_class = key >> 4 * d & 15
        open_fours += line_class == OPEN_FOUR
        fours += line_class in (FOUR, OPEN_FOUR, TWO_FOURS)
        any_threes += line_class in (THREE_1, THREE_2)
    if open_fours:
        return MAKES_OPEN_FOUR
    if fours >= 2:
        return MAKES_TWO_FOURS
    if fours and any_threes and (side == 1 or not mem.restricted or threes(mem, point)):
        return MAKES_FOUR_THREE
    return MAKES_FOUR_THREE + 1
