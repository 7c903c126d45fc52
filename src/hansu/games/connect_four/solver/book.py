"""The opening book: the exact score of every position of up to 8 stones.

Only the 91,295 positions of 8 stones (one of each mirror pair) are searched. The scores of earlier positions follow
from their children. The file is an .npz archive:

    keys     int64[n]   sorted; see `standard_board`
    scores   int8[n]    the solver's scores, for the mover
    moves    int8[n]    a best column of the position with that key (not of its mirror image)

While a book is created, solved positions are appended to FILE.part (see `batch`), and an interrupted run resumes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hansu.core import HansuError
from hansu.core.reading import arrays_of
from hansu.games.connect_four.rules import four
from hansu.games.connect_four.solver.standard_board import CELLS, CENTRE_FIRST, drop, key_of, positions

if TYPE_CHECKING:
    from hansu.games.connect_four.solver.batch import Tell

STONES = 8
SHIPPED = Path(__file__).parent / "book.npz"


class OpeningBook:
    """The scores and best columns of all positions of up to `STONES` stones."""

    def __init__(self, path: Path | None = None) -> None:
        path = SHIPPED if path is None else path
        try:
            self.keys, self.scores, self.moves = arrays_of(path, "keys", "scores", "moves")
        except ValueError as error:
            raise HansuError(
                "{path} is not an opening book: {error}",
                "create one with `hansu book connect_four`",
                path=path,
                error=error,
            ) from None
        arrays = (self.keys, self.scores, self.moves)
        valid = all(each.ndim == 1 and each.dtype.kind in "iu" and len(each) == len(self.keys) for each in arrays)
        if not valid or not bool((self.keys[1:] > self.keys[:-1]).all()):
            raise HansuError("{path} is a damaged opening book", "create one with `hansu book connect_four`", path=path)

    def look(self, mine: int, mask: int) -> tuple[int, int] | None:
        """(score for the mover, a best column), or None if the position is not in the book."""
        key = key_of(mine, mask)
        at = int(self.keys.searchsorted(key))
        if at == len(self.keys) or int(self.keys[at]) != key:
            return None
        move = int(self.moves[at])
        return int(self.scores[at]), move if key == mine + mask else 6 - move


def make(path: Path, threads: int, megabytes: int, stones: int = STONES, report: Tell | None = None) -> int:
    """Create a book or resume its creation; returns the number of entries."""
    from hansu.games.connect_four.solver.batch import solve_resumably

    part = path.with_name(path.name + ".part")
    known = solve_resumably(list(positions(stones)), part, threads, megabytes, False, report)
    count = write(path, known, stones)
    part.unlink()
    return count


def write(path: Path, known: dict[int, tuple[int, int]], stones: int) -> int:
    """Compute the scores from `stones` stones back to the empty board, and write the file."""
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
