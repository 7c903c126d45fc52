"""What a classifier sees of a position: the same code in training and in play.

Arrays of words (x's stones and o's, int64[n], bits as in `rules`) become float32[n, inputs]:

    stones   84    x's stones a1 .. a6, b1 .. g6, then o's
    lines    609   the same 84; 42 for the cells where a stone would fall now; then 7 blocks of 69, a place a line
                   of four: nobody's, one, two, three x and no o, one, two, three o and no x
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

CELL_BITS = np.array([column * 7 + row for column in range(7) for row in range(6)])
SIZES = {"stones": 84, "lines": 609}


def lines_of_four() -> list[list[int]]:
    """The 69 lines, each as four cells numbered a1 .. a6, b1 .. g6."""
    found = []
    for column in range(7):
        for row in range(6):
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                if column + 3 * right < 7 and 0 <= row + 3 * up < 6:
                    found.append([(column + k * right) * 6 + row + k * up for k in range(4)])
    return found


LINES = np.array(lines_of_four())


def cells(words: Any) -> Any:
    """bool[n, 42] of int64[n]."""
    return (words[:, None] >> CELL_BITS & 1).astype(bool)


def words_of_cells(filled: Any) -> Any:
    """The inverse of `cells`."""
    return (filled.astype(np.int64) << CELL_BITS).sum(1)


def mirrored(words: Any) -> Any:
    """The columns of each word the other way round."""
    turned = np.zeros_like(words)
    for column in range(7):
        turned |= (words >> 7 * column & 127) << 7 * (6 - column)
    return turned


def stones(x: Any, o: Any) -> Any:
    return np.concatenate([cells(x), cells(o)], axis=1).astype(np.float32)


def lines(x: Any, o: Any) -> Any:
    xs, os = cells(x), cells(o)
    taken = xs | os
    free_next = ~taken
    free_next.reshape(-1, 7, 6)[:, :, 1:] &= taken.reshape(-1, 7, 6)[:, :, :-1]
    many_x, many_o = xs[:, LINES].sum(2), os[:, LINES].sum(2)
    blocks = [(many_x == 0) & (many_o == 0)]
    blocks += [(many_x == count) & (many_o == 0) for count in (1, 2, 3)]
    blocks += [(many_o == count) & (many_x == 0) for count in (1, 2, 3)]
    return np.concatenate([xs, os, free_next, *blocks], axis=1).astype(np.float32)


ENCODINGS: dict[str, Callable[[Any, Any], Any]] = {"stones": stones, "lines": lines}
