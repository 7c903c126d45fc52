"""The inputs of a classifier, computed by the same code in training and in play.

Arrays of bitboards (x's stones and o's, int64[n], bits as in `rules`) become float32[n, inputs]:

    stones   84    x's stones a1 .. a6, b1 .. g6, then o's
    planes   210   the same 84; 42 for the cells where a stone would land; 42 ones; 42 for the even rows
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

CELL_BITS = np.array([column * 7 + row for column in range(7) for row in range(6)])
SIZES = {"stones": 84, "planes": 210}


def cells(words: Any) -> Any:
    """Bitboards, int64[n], as cells, bool[n, 42]."""
    return (words[:, None] >> CELL_BITS & 1).astype(bool)


def words_of_cells(filled: Any) -> Any:
    """The inverse of `cells`."""
    return (filled.astype(np.int64) << CELL_BITS).sum(1)


def mirrored(words: Any) -> Any:
    """The mirror image of each bitboard."""
    mirrored = np.zeros_like(words)
    for column in range(7):
        mirrored |= (words >> 7 * column & 127) << 7 * (6 - column)
    return mirrored


def stones(x: Any, o: Any) -> Any:
    """float32[n, 84]."""
    return np.concatenate([cells(x), cells(o)], axis=1).astype(np.float32)


def planes(x: Any, o: Any) -> Any:
    """float32[n, 210]."""
    xs, os = cells(x), cells(o)
    occupied = xs | os
    playable = ~occupied
    playable.reshape(-1, 7, 6)[:, :, 1:] &= occupied.reshape(-1, 7, 6)[:, :, :-1]
    even_rows = np.broadcast_to(np.arange(42) % 2 == 1, xs.shape)
    return np.concatenate([xs, os, playable, np.ones_like(xs), even_rows], axis=1).astype(np.float32)


ENCODINGS: dict[str, Callable[[Any, Any], Any]] = {"stones": stones, "planes": planes}


def mirror_inputs(encoding: str) -> list[int]:
    """For each input of an encoding, the number of the input at its place in the mirror image."""
    return [i // 42 * 42 + (6 - i % 42 // 6) * 6 + i % 6 for i in range(SIZES[encoding])]
