"""The solver as Python sees it: a table, the memory of one search, a way to stop it. Threads share a table, each with a
Searcher of its own; an entry is one word, so a half-written one is never seen."""

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
    """int64[a power of two], begun at a cache line so that a bucket does not straddle two."""
    import numpy as np

    size = 1 << max(10, (megabytes << 17).bit_length() - 1)
    raw = np.full(size + 8, 0, np.int64)  # not `zeros`, which would leave the touching of pages to the first search
    begin = -raw.ctypes.data % 64 // 8
    return raw[begin : begin + size]


class SolverSearcher:
    """One searching thread. It gives exact scores of unfinished positions (mine, mask) on the standard board, for the
    mover: 22 less the stones that the winner has when it wins, negative for a loss."""

    def __init__(self, table: Any = None) -> None:
        import numpy as np

        self.table = new_table() if table is None else table
        self.memory = np.zeros(MEMORY_SIZE, np.int64)  # see `solver`
        self.memory[TAG_BITS] = KEY_BITS + 1 - (len(self.table) // WAYS).bit_length()
        self.memory[EPOCH] = 1
        self._addresses = int(self.table.ctypes.data), int(self.memory.ctypes.data)

    def empty(self) -> None:
        """Forget every position: entries of another epoch are not believed. Only when the epochs run out is there a
        real wipe. (For a table that no other searcher uses.)"""
        self.memory[EPOCH] += 1
        if self.memory[EPOCH] >> 63 - PLACE - int(self.memory[TAG_BITS]):
            self.memory[EPOCH] = 1
            self.table[:] = 0

    def new_game(self) -> None:
        """What is known stays true."""

    def precompile(self) -> None:
        """Compile, or load what was compiled, so that a clock can start afterwards."""
        solve.precompile(0, 0, False, *self._addresses)
        reaches.precompile(0, 0, 0, *self._addresses)
        known_column.precompile(0, 0, *self._addresses)

    @property
    def nodes(self) -> int:
        """Visited so far; set it to 0 to count anew."""
        return int(self.memory[NODES])

    @nodes.setter
    def nodes(self, count: int) -> None:
        self.memory[NODES] = count

    def stop(self) -> None:
        """End the search in hand; what it answers is then worth nothing. Any thread may call this."""
        self.memory[STOP] = 1

    @property
    def stopped(self) -> bool:
        return bool(self.memory[STOP])

    def go_on(self) -> None:
        """Take back a `stop`."""
        self.memory[STOP] = 0

    def score(self, mine: int, mask: int, weak: bool = False) -> int:
        """The score for the mover; with `weak` only its sign."""
        return int(solve(mine, mask, weak, *self._addresses))

    def best_column(self, mine: int, mask: int, score: int) -> int:
        """A column that keeps a score that was just found: first the one that the table remembers."""
        now = wins_now(mine, mask)
        hint = int(known_column(mine, mask, *self._addresses))
        for column in dict.fromkeys((hint, 6 - hint, *CENTRE_FIRST)) if hint < 7 else CENTRE_FIRST:
            cell = drop(mask, column)
            if cell & now or (cell and not now and not reaches(mine ^ mask, mask | cell, 1 - score, *self._addresses)):
                return column
        return column  # stopped on the way
