"""The opening book: the exact score of every position of up to 8 stones.

Only the 91,295 positions of 8 stones (one of each mirror pair) are searched; the score of any earlier position follows
from those of its children. The file is a NumPy archive without pickles:

    keys     int64[n]   sorted; see `standard`
    scores   int8[n]    for the mover, as the solver gives them
    moves    int8[n]    a best column of the position with that key (not of its mirror image)

While the book is made, finished positions are appended to FILE.part as lines `key score move`; a run that was stopped
goes on from there.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hansu.core import HansuError
from hansu.games.connect_four.rules import four
from hansu.games.connect_four.standard import CELLS, CENTRE_FIRST, drop, key_of, positions

STONES = 8
SHIPPED = Path(__file__).parent / "book.npz"


class Book:
    """Scores by position; `look` answers for every position of up to `STONES` stones."""

    def __init__(self, path: Path | None = None) -> None:
        import numpy as np

        path = SHIPPED if path is None else path
        try:
            with np.load(path, allow_pickle=False) as found:
                self.keys, self.scores, self.moves = found["keys"], found["scores"], found["moves"]
        except (OSError, ValueError, KeyError) as error:
            raise HansuError(f"{path} is no opening book: {error}", "make one with `hansu book connect_four`") from None
        if not len(self.keys) == len(self.scores) == len(self.moves) or not bool((np.diff(self.keys) > 0).all()):
            raise HansuError(f"{path} is a damaged opening book", "make one with `hansu book connect_four`")

    def look(self, mine: int, mask: int) -> tuple[int, int] | None:
        """(score for the mover, a best column), or None where the book does not know."""
        key = key_of(mine, mask)
        at = int(self.keys.searchsorted(key))
        if at == len(self.keys) or int(self.keys[at]) != key:
            return None
        move = int(self.moves[at])
        return int(self.scores[at]), move if key == mine + mask else 6 - move


def read_part(path: Path) -> dict[int, tuple[int, int]]:
    """What earlier runs have finished; a last line that was cut off does not count."""
    found: dict[int, tuple[int, int]] = {}
    if path.exists():
        for number, line in enumerate(path.read_text(encoding="ascii", errors="replace").splitlines(keepends=True), 1):
            words = line.split()
            if not line.endswith("\n"):
                break
            try:
                key, score, move = (int(word) for word in words)
            except ValueError:
                raise HansuError(f"{path}, line {number}: expected `key score move`", "remove it to begin anew") from None
            found[key] = score, move
    return found


def make(
    path: Path, threads: int, megabytes: int, stones: int = STONES, tell: Callable[[int, int], None] | None = None
) -> int:
    """Make or go on making a book. `tell(done, all)` is called now and then. Gives the number of entries."""
    from hansu.games.connect_four.engine import new_table

    part = path.with_name(path.name + ".part")
    known = read_part(part)
    todo = list(positions(stones))
    total = len(todo)
    todo = [(mine, mask) for mine, mask in todo if key_of(mine, mask) not in known]
    if tell is not None:
        tell(total - len(todo), total)
    part.parent.mkdir(parents=True, exist_ok=True)
    _repair(part)
    with part.open("a", encoding="ascii") as file:
        for mine, mask, score, move in solve_all(todo, threads, new_table(megabytes)):
            key = key_of(mine, mask)
            known[key] = score, move if key == mine + mask else 6 - move
            file.write(f"{key} {known[key][0]} {known[key][1]}\n")
            file.flush()
            if tell is not None:
                tell(len(known), total)
    count = write(path, known, stones)
    part.unlink()
    return count


def _repair(part: Path) -> None:
    """Take away a last line that was cut off, so that the next one does not run into it."""
    if part.exists():
        text = part.read_bytes()
        if text and not text.endswith(b"\n"):
            part.write_bytes(text[: text.rfind(b"\n") + 1])


def solve_all(todo: list[tuple[int, int]], threads: int, table: Any) -> Iterator[tuple[int, int, int, int]]:
    """(mine, mask, score, best column) of every position, in the order of finishing. The threads share one table."""
    from queue import SimpleQueue

    from hansu.games.connect_four.engine import Engine

    engines = [Engine(table) for _ in range(threads)]
    engines[0].prepare()
    lock, waiting = threading.Lock(), iter(todo)
    done: SimpleQueue[Any] = SimpleQueue()

    def work(engine: Engine) -> None:
        try:
            while not engine.stopped:
                with lock:
                    position = next(waiting, None)
                if position is None:
                    break
                score = engine.score(*position)
                move = engine.best_column(*position, score)
                if not engine.stopped:
                    done.put((*position, score, move))
        except BaseException as error:
            done.put(error)
        done.put(None)

    workers = [threading.Thread(target=work, args=(engine,), daemon=True) for engine in engines]
    for worker in workers:
        worker.start()
    try:
        left = threads
        while left:
            found = done.get()
            if isinstance(found, BaseException):
                raise found
            if found is None:
                left -= 1
            else:
                yield found
    finally:
        for engine in engines:
            engine.stop()
        for worker in workers:
            worker.join()


def write(path: Path, known: dict[int, tuple[int, int]], stones: int) -> int:
    """Work back from the positions of `stones` stones to the empty board, and write the file."""
    import numpy as np

    book = dict(known)
    for placed in range(stones - 1, -1, -1):
        for mine, mask in positions(placed):
            best, move = -CELLS, -1
            for column in CENTRE_FIRST:
                cell = drop(mask, column)
                if not cell:
                    continue
                if four(mine | cell, 6):
                    value = (CELLS + 1 - placed) // 2
                else:
                    value = -book[key_of(mine ^ mask, mask | cell)][0]
                if value > best:
                    best, move = value, column
            key = key_of(mine, mask)
            book[key] = best, move if key == mine + mask else 6 - move
    keys = np.array(sorted(book), np.int64)
    scores = np.array([book[key][0] for key in keys.tolist()], np.int8)
    moves = np.array([book[key][1] for key in keys.tolist()], np.int8)
    part = path.with_name(path.name + ".new")
    with part.open("wb") as file:
        np.savez_compressed(file, keys=keys, scores=scores, moves=moves)
    part.replace(path)
    return len(keys)


