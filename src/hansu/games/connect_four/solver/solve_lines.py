"""`hansu solve connect_four`: one line in, one line out. An invalid line gets an error in its output line."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

from hansu.core import HansuError, popcount
from hansu.games.connect_four.rules import four, split_moves
from hansu.games.connect_four.solver.book import OpeningBook
from hansu.games.connect_four.solver.engine import SolverSearcher, new_table
from hansu.games.connect_four.solver.standard_board import CELLS, read_columns


def solve_lines(
    lines: Iterable[str], book: OpeningBook | None, weak: bool, warm: bool, megabytes: int, threads: int
) -> Iterator[str]:
    """Yields a result for each line, in order. Each thread has its own transposition table."""
    searchers: SimpleQueue[SolverSearcher] = SimpleQueue()
    for _ in range(threads):
        searchers.put(SolverSearcher(new_table(megabytes)))

    def work(line: str) -> str:
        searcher = searchers.get()
        try:
            return solve_line(line, searcher, book, weak, warm)
        finally:
            searchers.put(searcher)

    searcher = searchers.get()
    searcher.precompile()
    searchers.put(searcher)
    if threads == 1:
        yield from map(work, lines)
    else:
        with ThreadPoolExecutor(threads) as pool:
            yield from pool.map(work, lines)


def solve_line(line: str, searcher: SolverSearcher, book: OpeningBook | None, weak: bool, warm: bool) -> str:
    """`position score nodes microseconds`, or `position error: message`."""
    try:
        mine, mask = read_columns(line)
        if four(mine ^ mask, 6) or popcount(mask) == CELLS:
            raise HansuError("the game is over in this position")
    except HansuError as error:
        return f"{line} error: {error}"
    name = "".join(split_moves(line))
    entry = None if book is None else book.look(mine, mask)
    if entry is not None:
        score = entry[0]
        return f"{name} {(score > 0) - (score < 0) if weak else score} 0 0"
    if not warm:
        searcher.empty()
    searcher.nodes = 0
    began = time.thread_time_ns()
    score = searcher.score(mine, mask, weak)
    spent = (time.thread_time_ns() - began) / 1000
    return f"{name} {score} {searcher.nodes} {spent:.0f}"
