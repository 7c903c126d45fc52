"""The UCI connect-4 data: 67,557 positions of 8 stones with the result that perfect play leads to.

A line has 43 fields with commas between: `b`, `x` or `o` for the cells a1 .. a6, b1 .. b6, ... g6 (a column at a
time, the bottom first), then `win`, `draw` or `loss` for x, who moved first and is to move.

The positions are all those of 8 stones in which neither side has four and neither side could complete four by one drop
now, one of each mirror pair. Of a pair the file has the one that is met first when lines are played out depth
first, columns in the order d c e b f a g (`standard.positions`). `make` writes the rows in that order; the public
file has the same rows in an order that departs from it in places.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import TextIOWrapper
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hansu.core import HansuError
from hansu.core.reading import lines_of, opened
from hansu.games.connect_four.solver.standard_board import positions, wins_now

if TYPE_CHECKING:
    from hansu.games.connect_four.solver.batch import Tell

STONES = 8
LETTERS = ("b", "x", "o")
RESULTS = ("win", "draw", "loss")  # a label is an index of this
LONGEST_LINE = 1_000  # characters
MOST_ROWS = 10_000_000


def selected() -> Iterator[tuple[int, int]]:
    """The positions (mine, mask) of the data; x is the mover."""
    for mine, mask in positions(STONES):
        if not wins_now(mine, mask) and not wins_now(mine ^ mask, mask):
            yield mine, mask


def row_text(mine: int, mask: int, score: int) -> str:
    """A line of the file; the score is x's."""
    cells = (column * 7 + row for column in range(7) for row in range(6))
    letters = ["b" if not mask >> cell & 1 else "x" if mine >> cell & 1 else "o" for cell in cells]
    return ",".join([*letters, "win" if score > 0 else "loss" if score < 0 else "draw"])


def make(path: Path, threads: int, megabytes: int, tell: Tell | None = None) -> int:
    """Write the whole file from the rules and the solver, and give the number of rows."""
    from hansu.games.connect_four.solver.batch import solve_resumably
    from hansu.games.connect_four.solver.standard_board import key_of

    part = path.with_name(path.name + ".part")
    todo = list(selected())
    known = solve_resumably(todo, part, threads, megabytes, True, tell)
    rows = [row_text(*words, known[key_of(*words)][0]) for words in todo]
    path.write_text("\n".join(rows) + "\n", encoding="ascii")
    part.unlink()
    return len(rows)


def read(path: Path) -> tuple[Any, Any]:
    """(cells, labels) of a file, plain or .gz: int8[rows, 42] with 0 free, 1 x, 2 o; and int8[rows], see `RESULTS`."""
    import numpy as np

    letters = {letter: number for number, letter in enumerate(LETTERS)}
    cells: list[list[int]] = []
    labels: list[int] = []
    for number, line in enumerate(_lines(path), 1):
        fields = line.strip().split(",")
        if fields == [""]:
            continue
        where = f"{path}, line {number}"
        if len(fields) != 43:
            raise HansuError(f"{where}: expected 43 fields with commas between, found {len(fields)}", FORMAT_HINT)
        if fields[42] not in RESULTS:
            raise HansuError(f"{where}: expected win, draw or loss at the end, found {fields[42]!r}", FORMAT_HINT)
        try:
            row = [letters[field] for field in fields[:42]]
        except KeyError as error:
            raise HansuError(f"{where}: expected b, x or o for a cell, found {error}", FORMAT_HINT) from None
        for column in range(7):
            stones = row[6 * column : 6 * column + 6]
            if any(not below and above for below, above in pairwise(stones)):
                raise HansuError(f"{where}: a stone hangs over a free cell in column {column + 1}")
        if row.count(1) != row.count(2):
            raise HansuError(f"{where}: {row.count(1)} x and {row.count(2)} o, but x is to move", FORMAT_HINT)
        if len(labels) == MOST_ROWS:
            raise HansuError(f"{path} has more than {MOST_ROWS:,} rows")
        cells.append(row)
        labels.append(RESULTS.index(fields[42]))
    if not labels:
        raise HansuError(f"{path} holds no rows", FORMAT_HINT)
    return np.array(cells, np.int8), np.array(labels, np.int8)


FORMAT_HINT = (
    "a line has 42 cells (b, x or o; a1 .. a6, b1 .. g6) and win, draw or loss; see docs/games/connect_four.md"
)


def _lines(path: Path) -> Iterator[str]:
    try:
        with opened(path) as (_, stream):
            yield from lines_of(TextIOWrapper(stream, encoding="ascii"), LONGEST_LINE)
    except HansuError as error:
        raise HansuError(error.what, error.hint or FORMAT_HINT) from None
