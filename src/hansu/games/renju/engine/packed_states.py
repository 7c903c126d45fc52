"""Puts packed states on the engine's board, so that the threat search can examine the leaves of a tree (state.py
describes the fields)."""

from __future__ import annotations

from typing import Any

from hansu.compile import kernel
from hansu.games.renju.engine.board import MARGIN, STRIDE, place, remove
from hansu.games.renju.stones import LARGEST_SMALL


@kernel
def words_of(mem: Any) -> int:
    """The number of words for the stones of a colour (stones.py)."""
    return 4 if mem.size <= LARGEST_SMALL else 7


@kernel
def turn_of(mem: Any, state: Any) -> int:
    """The field `turn` of a packed state, which follows both colours' stones and their number."""
    return int(state[2 * words_of(mem) + 1])


@kernel
def side_of(mem: Any, state: Any) -> int:
    """The colour to move."""
    return int(turn_of(mem, state) & 1)


@kernel
def in_opening(mem: Any, state: Any) -> bool:
    """Is the next action a step of an opening rule?"""
    return bool(turn_of(mem, state) >> 2 & 63 != 0)


@kernel
def lay(mem: Any, state: Any) -> None:
    """Put the stones of a packed state on the board; only stones that differ are changed."""
    words = words_of(mem)
    bits, down = (64, 16) if words == 4 else (63, 21)
    side = side_of(mem, state)
    for y in range(mem.size):
        word, first = y * down // bits, y * down % bits
        mine, theirs = state[word] >> first, state[words + word] >> first
        for x in range(mem.size):
            stone = 1 + side if mine >> x & 1 else 2 - side if theirs >> x & 1 else 0
            point = STRIDE * (y + MARGIN) + x + MARGIN
            if mem.stones[point] != stone:
                if mem.stones[point]:
                    remove(mem, point)
                if stone:
                    place(mem, point, stone - 1)
