"""The UCI connect-4 data: 67,557 positions of 8 stones with their results under perfect play.

A line has 43 comma-separated fields: `b`, `x` or `o` for the cells a1 .. a6, b1 .. b6, ... g6 (column by column, from
the bottom), then `win`, `draw` or `loss` for x, who moved first and is to move.

The positions are all those of 8 stones in which neither side has four or could complete four by one drop, one of each
mirror pair: the one that comes first in a depth-first enumeration with the columns in the order d c e b f a g
(`standard_board.positions`). `make` writes the rows in that order; the public file has the same rows, in a partly
different order.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import TextIOWrapper
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hansu.core import HansuError, Message
from hansu.core.reading import lines_of, opened
from hansu.games.connect_four.solver.standard_board import positions, wins_now

if TYPE_CHECKING:
    from hansu.games.connect_four.solver.batch import Tell

STONES = 8
LETTERS = ("b", "x", "o")
RESULTS = ("win", "draw", "loss")  # a label is an index of this
MAX_LINE = 1_000  # characters
MAX_ROWS = 10_000_000


def selected() -> Iterator[tuple[int, int]]:
    """The positions (mine, mask) of the data; x is the mover."""
    for mine, mask in positions(STONES):
        if not wins_now(mine, mask) and not wins_now(mine ^ mask, mask):
            yield mine, mask


def row_text(mine: int, mask: int, score: int) -> str:
    """A line of the file; `score` is x's."""
    cells = (column * 7 + row for column in range(7) for row in range(6))
    letters = ["b" if not mask >> cell & 1 else "x" if mine >> cell & 1 else "o" for cell in cells]
    return ",".join([*letters, "win" if score > 0 else "loss" if score < 0 else "draw"])


def make(path: Path, threads: int, megabytes: int, tell: Tell | None = None) -> int:
    """Generate the whole file with the solver; returns the number of rows."""
    from hansu.games.connect_four.solver.batch import solve_resumably
    from hansu.games.connect_four.solver.standard_board import key_of

    part = path.with_name(path.name + ".part")
    positions = list(selected())
    known = solve_resumably(positions, part, threads, megabytes, True, tell)
    rows = [row_text(*words, known[key_of(*words)][0]) for words in positions]
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
            raise HansuError(
                "{where}: expected 43 comma-separated fields, found {count}",
                FORMAT_HINT,
                where=where,
                count=len(fields),
            )
        if fields[42] not in RESULTS:
            raise HansuError(
                "{where}: expected win, draw or loss at the end, found {field!r}", FORMAT_HINT, where=where,
                field=fields[42],
            )  # fmt: skip
        try:
            row = [letters[field] for field in fields[:42]]
        except KeyError as error:
            raise HansuError(
                "{where}: expected b, x or o for a cell, found {error}", FORMAT_HINT, where=where, error=error
            ) from None
        for column in range(7):
            stones = row[6 * column : 6 * column + 6]
            if any(not below and above for below, above in pairwise(stones)):
                raise HansuError(
                    "{where}: a stone above an empty cell in column {column}", where=where, column=column + 1
                )
        if row.count(1) != row.count(2):
            raise HansuError(
                "{where}: {x} x and {o} o, but x is to move", FORMAT_HINT, where=where, x=row.count(1), o=row.count(2)
            )
        if len(labels) == MAX_ROWS:
            raise HansuError("{path} has more than {most:,} rows", path=path, most=MAX_ROWS)
        cells.append(row)
        labels.append(RESULTS.index(fields[42]))
    if not labels:
        raise HansuError("{path} contains no rows", FORMAT_HINT, path=path)
    return np.array(cells, np.int8), np.array(labels, np.int8)


FORMAT_HINT = Message(
    "a line has 42 cells (b, x or o; a1 .. a6, b1 .. g6) and win, draw or loss; see docs/games/connect_four.md"
)


def _lines(path: Path) -> Iterator[str]:
    try:
        with opened(path) as (_, stream):
            yield from lines_of(TextIOWrapper(stream, encoding="ascii"), MAX_LINE)
    except HansuError as error:
        raise HansuError(error.what, error.hint or FORMAT_HINT) from None
