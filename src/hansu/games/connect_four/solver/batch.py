"""Solves many positions with threads that share one transposition table. An interrupted run resumes from a file.

Lines of the file are `key score column`. `standard_board` defines keys; `column` is a best column of the position with
that key, or -1 in a weak search.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from hansu.core import HansuError
from hansu.games.connect_four.solver.engine import SolverSearcher, new_table
from hansu.games.connect_four.solver.standard_board import key_of

Stones = tuple[int, int]  # (mine, mask)
Tell = Callable[[int, int], None]  # (done, total)


def read_part(path: Path) -> dict[int, tuple[int, int]]:
    """(score, column) by key from earlier runs. Removes an incomplete last line from the file."""
    if not path.exists():
        return {}
    text = path.read_bytes()
    if text and not text.endswith(b"\n"):
        text = text[: text.rfind(b"\n") + 1]
        path.write_bytes(text)
    results = {}
    for number, line in enumerate(text.splitlines(), 1):
        try:
            key, score, column = (int(word) for word in line.split())
        except ValueError:
            raise HansuError(
                "{path}, line {number}: expected `key score column`",
                "delete the file to start again",
                path=path,
                number=number,
            ) from None
        results[key] = score, column
    return results


def solve_resumably(
    todo: list[Stones], part: Path, threads: int, megabytes: int, weak: bool, tell: Tell | None
) -> dict[int, tuple[int, int]]:
    """(score, column) of every position, by key. A `weak` search finds only the sign of the score and no column."""
    known = read_part(part)
    remaining = [words for words in todo if key_of(*words) not in known]
    if tell is not None:
        tell(len(todo) - len(remaining), len(todo))
    part.parent.mkdir(parents=True, exist_ok=True)
    with part.open("a", encoding="ascii") as file:
        for mine, mask, score, column in solve_all(remaining, threads, new_table(megabytes), weak):
            key = key_of(mine, mask)
            if column >= 0 and key != mine + mask:
                column = 6 - column
            known[key] = score, column
            file.write(f"{key} {score} {column}\n")
            file.flush()
            if tell is not None:
                tell(len(known), len(todo))
    return known


def solve_all(todo: list[Stones], threads: int, table: Any, weak: bool) -> Iterator[tuple[int, int, int, int]]:
    """Yields (mine, mask, score, column) of every position, in the order in which they finish."""
    searchers = [SolverSearcher(table) for _ in range(threads)]
    searchers[0].precompile()
    lock, queue = threading.Lock(), iter(todo)
    done: SimpleQueue[Any] = SimpleQueue()

    def work(searcher: SolverSearcher) -> None:
        try:
            while not searcher.stopped:
                with lock:
                    position = next(queue, None)
                if position is None:
                    break
                score = searcher.score(*position, weak)
                column = -1 if weak else searcher.best_column(*position, score)
                if not searcher.stopped:
                    done.put((*position, score, column))
        except BaseException as error:
            done.put(error)
        done.put(None)

    workers = [threading.Thread(target=work, args=(searcher,), daemon=True) for searcher in searchers]
    for worker in workers:
        worker.start()
    try:
        working = threads
        while working:
            result = done.get()
            if isinstance(result, BaseException):
                raise result
            if result is None:
                working -= 1
            else:
                yield result
    finally:
        for searcher in searchers:
            searcher.stop()
        for worker in workers:
            worker.join()
