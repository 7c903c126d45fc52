"""Positions of all kinds of games, labelled by the solver.

Games begin with random stones. Then each side plays in its own way: randomly; randomly, but it completes and blocks
fours; or the same, but it often keeps the value of the position. Every position of `FIRST` stones or more is labelled
with its value and the moves that keep it; earlier positions all come from the opening book. A position is three words,
in arrays int64[n]:

    mine, mask    as in `standard_board`
    label         value + 1 (2: the mover wins, 1: a draw, 0: a loss) and, above VALUE_BITS, a bit for each column that
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

FIRST = STONES  # the opening book covers the moves of positions with fewer stones
VALUE_BITS = 2
RANDOM_PLIES = 16  # most random plies at the start of a game
GAMES = 32  # that a thread plays between updates of the shared list
MOST_ROWS = CELLS * GAMES
RANDOM, TACTICAL, CAREFUL = range(3)  # how a side plays
CARE = 10  # a careful side keeps the value in 1 to CARE of CARE moves, on average


class LabelledPositions(NamedTuple):
    mine: Any  # int64[n]
    mask: Any  # int64[n]
    label: Any  # int64[n]
    game: Any  # int64[n], the same number for positions of one game


def label_of(mine: int, mask: int, table: int, memory: int) -> int:
    """The label of an unfinished position of `FIRST` stones or more."""
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


def random_column(columns: int, seed: Any) -> int:
    """A random one of the set bits."""
    left = pick(seed, popcount(columns))
    for column in range(7):
        if columns >> column & 1:
            if left == 0:
                return column
            left -= 1
    return -1


def columns_of(cells: int) -> int:
    """A bit for each column with one of the cells."""
    columns = 0
    for column in range(7):
        if cells & 63 << 7 * column:
            columns |= 1 << column
    return columns


def choice(way: int, care: int, mine: int, mask: int, label: int, seed: Any) -> int:
    """The column that a side plays; `label` is 0 where the position is not labelled."""
    cells = mask + BOTTOM & BOARD
    if way != RANDOM:
        fours = wins(mine) & cells
        threats = wins(mine ^ mask) & cells
        if fours:
            cells = fours
        elif threats:
            cells = threats
        else:
            quiet = safe_moves(mask, wins(mine ^ mask))
            cells = quiet if quiet else cells
    if way == CAREFUL and label and pick(seed, CARE) < care:
        return random_column(label >> VALUE_BITS, seed)
    return random_column(columns_of(cells), seed)


def play_games(count: int, seed: Any, out: Any, table: int, memory: int) -> int:
    """Play some games and write every labelled position into `out`, int64[n, 4] (mine, mask, label, number of the
    game); returns their number. This is plain Python around the compiled solver: compiled as a whole it crashes when
    Numba loads it from its cache (a function that calls two others with the same recursion in them)."""
    rows = 0
    for game in range(count):
        ways = (pick(seed, 3), pick(seed, 3))
        cares = (1 + pick(seed, CARE), 1 + pick(seed, CARE))
        random_plies = pick(seed, RANDOM_PLIES + 1)
        mine = 0
        mask = 0
        ply = 0
        while ply < 42:
            label = 0
            if ply >= random_plies and ply >= FIRST:
                label = label_of(mine, mask, table, memory)
                out[rows, 0] = mine
                out[rows, 1] = mask
                out[rows, 2] = label
                out[rows, 3] = game
                rows += 1
            way = RANDOM if ply < random_plies else ways[ply & 1]
            column = choice(way, cares[ply & 1], mine, mask, label, seed)
            cell = (mask + (1 << 7 * column)) & 63 << 7 * column
            if four(mine | cell, 6):
                break
            mine, mask = mine ^ mask, mask | cell
            ply += 1
    return rows


class SolverTeacher:
    """Threads that share one transposition table. `apart`: keys of positions to leave out."""

    def __init__(self, threads: int = 1, megabytes: int = 256, apart: Iterable[int] = (), seed: int = 1) -> None:
        self._searchers = [SolverSearcher(table) for table in [new_table(megabytes)] * threads]
        self._apart, self._seed = set(apart), seed

    def labelled(self, count: int, seconds: float, log: Callable[[int], None] | None = None) -> LabelledPositions:
        """`count` positions, or as many as can be labelled in time; no two are equal or mirror images. The opening
        book's come first."""
        import numpy as np

        keys = set(self._apart)
        positions = [row for row in opening_rows() if key_of(row[0], row[1]) not in keys][:count]
        keys.update(key_of(mine, mask) for mine, mask, *_ in positions)
        self._searchers[0].precompile()  # before the clock starts
        lock, games, until = threading.Lock(), len(positions), time.monotonic() + seconds

        def work(number: int) -> None:
            nonlocal games
            searcher = self._searchers[number]
            seed = np.array([mix((self._seed, number))], np.int64)
            out = np.zeros((MOST_ROWS, 4), np.int64)
            addresses = int(searcher.table.ctypes.data), int(searcher.memory.ctypes.data)
            while len(positions) < count and time.monotonic() < until:
                rows = out[: play_games(GAMES, seed, out, *addresses)].tolist()
                with lock:
                    for mine, mask, label, game in rows:
                        key = key_of(mine, mask)
                        if key not in keys and len(positions) < count:
                            keys.add(key)
                            positions.append((mine, mask, label, games + game))
                    games += GAMES
                    if log is not None:
                        log(len(positions))

        threads = [threading.Thread(target=work, args=(i,), daemon=True) for i in range(len(self._searchers))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return LabelledPositions(*np.array(positions, np.int64).T)


def opening_rows() -> list[tuple[int, int, int, int]]:
    """Every position of fewer than `FIRST` stones, each a game of its own."""
    book = OpeningBook()
    values = {int(key): (int(score) > 0) - (int(score) < 0) for key, score in zip(book.keys, book.scores, strict=True)}
    rows: list[tuple[int, int, int, int]] = []
    for stones in range(FIRST):
        for mine, mask in positions(stones):
            value, keep, fours = values[key_of(mine, mask)], 0, wins_now(mine, mask)
            for column in range(7):
                cell = drop(mask, column)
                if cell and (cell & fours or (-values[key_of(mine ^ mask, mask | cell)] == value)):
                    keep |= 1 << column
            rows.append((mine, mask, keep << VALUE_BITS | value + 1, len(rows)))
    return rows
