"""A teacher: positions of games of all kinds, each with what the solver says of it.

Games begin with random stones; then each side plays in a way of its own: by chance; by chance, but it completes four
and blocks four; or the same, but with some care for what the position is worth. From `FIRST` stones on every position
is told, with its value and the moves that keep it; the earlier ones all come from the opening book. A position as three
words, in arrays int64[n]:

    mine, mask    as in `standard_board`
    told          value + 1 (2: the mover wins, 1: a draw, 0: a loss) and, above VALUE_BITS, a bit for each column that
                  keeps the value
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from hansu.core import popcount
from hansu.core.bits import mix, pick
from hansu.games.connect_four.rules import four
from hansu.games.connect_four.solver.book import STONES, OpeningBook
from hansu.games.connect_four.solver.engine import SolverSearcher, new_table
from hansu.games.connect_four.solver.search import reaches, safe_moves, solve, wins
from hansu.games.connect_four.solver.standard_board import BOARD, BOTTOM, CELLS, drop, key_of, positions, wins_now

FIRST = STONES  # the book knows what follows positions of fewer stones
VALUE_BITS = 2
RANDOM_PLIES = 16  # at most, at the beginning of a game
GAMES = 32  # a thread plays before it hands over what it has
LONGEST = CELLS * GAMES
BLIND, AWAKE, CAREFUL = range(3)  # how a side plays
CARE = 10  # a careful side keeps the value in 1 to CARE of CARE moves


class Taught(NamedTuple):
    """Positions with what is true of them; `game` tells those of one game."""

    mine: Any
    mask: Any
    told: Any
    game: Any


def kept(mine: int, mask: int, table: int, memory: int) -> int:
    """What is true of an unfinished position of `FIRST` stones or more: its value and what keeps it, as one word."""
    value: int = solve(mine, mask, True, table, memory)
    keep = 0
    for column in range(7):
        cell = (mask + (1 << 7 * column)) & 63 << 7 * column
        if cell == 0:
            continue
        if four(mine | cell, 6):
            good = True
        elif value == 1:
            good = popcount(mask) + 1 < 42 and not reaches(mine ^ mask, mask | cell, 0, table, memory)
        else:
            good = value < 0 or popcount(mask) + 1 == 42 or not reaches(mine ^ mask, mask | cell, 1, table, memory)
        keep |= int(good) << column
    return keep << VALUE_BITS | value + 1


def some_column(columns: int, seed: Any) -> int:
    """One of the set bits by chance."""
    left = pick(seed, popcount(columns))
    for column in range(7):
        if columns >> column & 1:
            if left == 0:
                return column
            left -= 1
    return -1


def columns_of(cells: int) -> int:
    """A bit for each column that one of the cells lies in."""
    found = 0
    for column in range(7):
        if cells & 63 << 7 * column:
            found |= 1 << column
    return found


def choice(way: int, care: int, mine: int, mask: int, told: int, seed: Any) -> int:
    """The column that a side plays; `told` is 0 where nothing is known."""
    cells = mask + BOTTOM & BOARD
    if way != BLIND:
        now = wins(mine) & cells
        threats = wins(mine ^ mask) & cells
        if now:
            cells = now
        elif threats:
            cells = threats
        else:
            quiet = safe_moves(mask, wins(mine ^ mask))
            cells = quiet if quiet else cells
    if way == CAREFUL and told and pick(seed, CARE) < care:
        return some_column(told >> VALUE_BITS, seed)
    return some_column(columns_of(cells), seed)


def play_games(count: int, seed: Any, out: Any, table: int, memory: int) -> int:
    """Play some games and write every position that can be told into `out`, int64[n, 4] (mine, mask, told, number of
    the game); gives how many there are. Plain Python, which calls the compiled solver: compiled as a whole it crashes
    when Numba loads it from its cache (one function that calls two others with the same recursion in them)."""
    rows = 0
    for game in range(count):
        ways = (pick(seed, 3), pick(seed, 3))
        cares = (1 + pick(seed, CARE), 1 + pick(seed, CARE))
        begun = pick(seed, RANDOM_PLIES + 1)
        mine = 0
        mask = 0
        ply = 0
        while ply < 42:
            told = 0
            if ply >= begun and ply >= FIRST:
                told = kept(mine, mask, table, memory)
                out[rows, 0] = mine
                out[rows, 1] = mask
                out[rows, 2] = told
                out[rows, 3] = game
                rows += 1
            way = BLIND if ply < begun else ways[ply & 1]
            column = choice(way, cares[ply & 1], mine, mask, told, seed)
            cell = (mask + (1 << 7 * column)) & 63 << 7 * column
            if four(mine | cell, 6):
                break
            mine, mask = mine ^ mask, mask | cell
            ply += 1
    return rows


class SolverTeacher:
    """Threads with one table. `apart`: keys of positions that must not be told."""

    def __init__(self, threads: int = 1, megabytes: int = 256, apart: Iterable[int] = (), seed: int = 1) -> None:
        self._searchers = [SolverSearcher(table) for table in [new_table(megabytes)] * threads]
        self._apart, self._seed = set(apart), seed

    def lessons(self, count: int, seconds: float, tell: Callable[[int], None] | None = None) -> Taught:
        """So many positions, or as many as can be told in the time; no two alike, nor each other's mirror image. The
        opening book's come first."""
        import numpy as np

        met = set(self._apart)
        found = [row for row in opening_rows() if key_of(row[0], row[1]) not in met][:count]
        met.update(key_of(mine, mask) for mine, mask, *_ in found)
        self._searchers[0].precompile()  # compiles before the clock runs
        lock, games, until = threading.Lock(), len(found), time.monotonic() + seconds

        def work(number: int) -> None:
            nonlocal games
            searcher = self._searchers[number]
            seed = np.array([mix((self._seed, number))], np.int64)
            out = np.zeros((LONGEST, 4), np.int64)
            addresses = int(searcher.table.ctypes.data), int(searcher.memory.ctypes.data)
            while len(found) < count and time.monotonic() < until:
                rows = out[: play_games(GAMES, seed, out, *addresses)].tolist()
                with lock:
                    for mine, mask, told, game in rows:
                        key = key_of(mine, mask)
                        if key not in met and len(found) < count:
                            met.add(key)
                            found.append((mine, mask, told, games + game))
                    games += GAMES
                    if tell is not None:
                        tell(len(found))

        threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(len(self._searchers))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return Taught(*np.array(found, np.int64).T)


def opening_rows() -> list[tuple[int, int, int, int]]:
    """Every position of fewer than `FIRST` stones, each a game of its own."""
    book = OpeningBook()
    values = {int(key): (int(score) > 0) - (int(score) < 0) for key, score in zip(book.keys, book.scores, strict=True)}
    found: list[tuple[int, int, int, int]] = []
    for stones in range(FIRST):
        for mine, mask in positions(stones):
            value, keep, now = values[key_of(mine, mask)], 0, wins_now(mine, mask)
            for column in range(7):
                cell = drop(mask, column)
                if cell and (cell & now or (-values[key_of(mine ^ mask, mask | cell)] == value)):
                    keep |= 1 << column
            found.append((mine, mask, keep << VALUE_BITS | value + 1, len(found)))
    return found
