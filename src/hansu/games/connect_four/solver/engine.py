"""The Python interface of the solver: a transposition table, the memory of a search thread, a way to stop it. Threads
with their own searchers may share a table: an entry is one word, so it is never half-written."""

from __future__ import annotations

from typing import Any

from hansu.games.connect_four.solver.search import (
    EPOCH,
    KEY_BITS,
    MEMORY_SIZE,
    NODES,
    PLACE,
    STOP,
    TAG_BITS,
    WAYS,
    known_column,
    reaches,
    solve,
)
from hansu.games.connect_four.solver.standard_board import CENTRE_FIRST, drop, wins_now

DEFAULT_MEGABYTES = 32


def new_table(megabytes: int = DEFAULT_MEGABYTES) -> Any:
    """A transposition table: int64[a power of two], aligned so that a bucket lies in one cache line."""
    import numpy as np

    size = 1 << max(10, (megabytes << 17).bit_length() - 1)
    raw = np.full(size + 8, 0, np.int64)  # unlike `zeros`, this touches all pages now
    start = -raw.ctypes.data % 64 // 8
    return raw[start : start + size]


class SolverSearcher:
    """One search thread. Scores are exact and for the mover of an unfinished position (mine, mask) on the standard
    board: 22 minus the winner's stones at the end, negative for a loss, 0 for a draw."""

    def __init__(self, table: Any = None) -> None:
        import numpy as np

        self.table = new_table() if table is None else table
        self.memory = np.zeros(MEMORY_SIZE, np.int64)  # see `search`
        self.memory[TAG_BITS] = KEY_BITS + 1 - (len(self.table) // WAYS).bit_length()
        self.memory[EPOCH] = 1
        self._addresses = int(self.table.ctypes.data), int(self.memory.ctypes.data)

    def empty(self) -> None:
        """Clear the table by starting a new epoch; entries of other epochs are ignored. The table is overwritten only
        when the epochs run out. (For a table that no other searcher uses.)"""
        self.memory[EPOCH] += 1
        if self.memory[EPOCH] >> 63 - PLACE - int(self.memory[TAG_BITS]):
            self.memory[EPOCH] = 1
            self.table[:] = 0

    def new_game(self) -> None:
        """Nothing to do: stored scores stay valid."""

    def precompile(self) -> None:
        """Compile the kernels, or load them from the cache, before a clock starts."""
        solve.precompile(0, 0, False, *self._addresses)
        reaches.precompile(0, 0, 0, *self._addresses)
        known_column.precompile(0, 0, *self._addresses)

    @property
    def nodes(self) -> int:
        """The number of nodes visited since it was last set to 0."""
        return int(self.memory[NODES])

    @nodes.setter
    def nodes(self, count: int) -> None:
        self.memory[NODES] = count

    def stop(self) -> None:
        """Stop the current search; its result is then meaningless. Any thread may call this."""
        self.memory[STOP] = 1

    @property
    def stopped(self) -> bool:
        return bool(self.memory[STOP])

    def go_on(self) -> None:
        """Allow searches again after `stop`."""
        self.memory[STOP] = 0

    def score(self, mine: int, mask: int, weak: bool = False) -> int:
        """The score for the mover; if `weak`, only its sign."""
        return int(solve(mine, mask, weak, *self._addresses))

    def best_column(self, mine: int, mask: int, score: int) -> int:
        """A column that keeps the score of the last search. Tries the column in the table first."""
        now = wins_now(mine, mask)
        hint = int(known_column(mine, mask, *self._addresses))
        for column in dict.fromkeys((hint, 6 - hint, *CENTRE_FIRST)) if hint < 7 else CENTRE_FIRST:
            cell = drop(mask, column)
            if cell & now or (cell and not now and not reaches(mine ^ mask, mask | cell, 1 - score, *self._addresses)):
                return column
        return column  # the search was stopped
