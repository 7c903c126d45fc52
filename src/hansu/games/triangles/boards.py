"""Boards from random points, a list of points or a file, and their tables (see `rules`)."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from hansu.core import HansuError, Table
from hansu.core.errors import shortened
from hansu.core.reading import read_whole, whole_number
from hansu.games.triangles.geometry import Point, crossings, drawable, empty_triangles, hull_points
from hansu.games.triangles.rules import BITS, HEAD, MOST_POINTS, RECORD, WORDS, Triangles

DEFAULT_POINTS = "10"
LARGEST = 1_000_000  # coordinates; products of differences stay far below 63 bits


def start(points: str, file: str, seed: int, size: int) -> tuple[Triangles, Table]:
    """The first state of the board that the options select, and its table."""
    board = table_of(points_of(points, file, seed, size), size)
    return first_state(board), board


def points_of(points: str, file: str, seed: int, size: int) -> tuple[Point, ...]:
    """The points that the options select."""
    if file:
        if points != DEFAULT_POINTS:
            raise HansuError("triangles: set either points or file")
        return checked(read_file(file), size)
    text = points.strip()
    if (count := whole_number(text)) is not None:
        return random_points(count, seed, size)
    return checked(read_text(text.replace(",", "\n") if "\n" not in text else text, "points"), size)


def random_points(count: int, seed: int, size: int) -> tuple[Point, ...]:
    """Random different points of the grid."""
    if not 3 <= count <= MOST_POINTS:
        raise _wrong_number(count)
    if count > size * size:
        raise HansuError(
            "triangles: a {size} x {size} grid is too small for {count} points",
            "increase the size: size=7",
            size=size,
            count=count,
        )
    grid = [(x, y) for x in range(size) for y in range(size)]
    return tuple(sorted(random.Random(seed).sample(grid, count)))


def read_file(file: str) -> list[Point]:
    """The points in a file."""
    return read_text(read_whole(Path(file).expanduser(), "utf-8-sig"), file)


def read_text(text: str, where: str) -> list[Point]:
    """The points in a text, one per line: `3,4`, `3 4` or `(3, 4)`. Ignores a header line and comments after `#`."""
    points: list[Point] = []
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    not_empty = [(number, line) for number, line in enumerate(lines, 1) if line]
    for i, (number, line) in enumerate(not_empty):
        parts = re.fullmatch(r"[\[(]?\s*([-+]?[0-9]{1,18})\s*[,;\s]\s*([-+]?[0-9]{1,18})\s*[\])]?[,;]?", line)
        if parts is None:
            if i == 0 and not re.search(r"\d", line):
                continue
            raise HansuError(
                "triangles: {where}, line {number}: cannot read {text}",
                "write one point per line: 3,4; on the command line: points=0 0,3 1,5 6",
                where=where,
                number=number,
                text=shortened(line),
            )
        points.append((int(parts[1]), int(parts[2])))
    return points


def checked(points: Iterable[Sequence[int]], size: int | None = None) -> tuple[Point, ...]:
    """The points as a board. Raises HansuError if they are invalid or outside a grid of this size."""
    board: list[Point] = []
    for x, y in points:
        if size is not None and not (0 <= x < size and 0 <= y < size):
            raise HansuError(
                "triangles: point ({x}, {y}) is outside the {size} x {size} grid",
                "coordinates are 0 to {last}; size=12 gives a larger grid",
                x=x,
                y=y,
                size=size,
                last=size - 1,
            )
        if max(abs(x), abs(y)) > LARGEST:
            raise HansuError(
                "triangles: point ({x}, {y}) is out of range",
                "coordinates are at most {most:,}",
                x=x,
                y=y,
                most=LARGEST,
            )
        if (x, y) in board:
            raise HansuError("triangles: point ({x}, {y}) occurs twice", "all points of a board differ", x=x, y=y)
        board.append((x, y))
    if not 3 <= len(board) <= MOST_POINTS:
        raise _wrong_number(len(board))
    return tuple(board)


def _wrong_number(count: int) -> HansuError:
    return HansuError("triangles: a board has 3 to {most} points, not {count}", most=MOST_POINTS, count=count)


@lru_cache(maxsize=64)
def table_of(points: tuple[Point, ...], size: int = 0) -> Table:
    """The table of a board; `rules` describes its words. Its only label is the size of the grid."""
    segments = drawable(points)
    crossed = crossings(points, segments)
    triangles = empty_triangles(points, segments)
    at_side: list[list[int]] = [[] for _ in segments]
    for a, b, c in triangles:
        at_side[a].append(b | c << 8)
        at_side[b].append(a | c << 8)
        at_side[c].append(a | b << 8)
    n, on_hull = len(points), len(hull_points(points))
    moves, faces = (3 * n - 3 - on_hull, 2 * n - 2 - on_hull) if triangles else (n - 1, 0)
    lists_at = HEAD + RECORD * (len(segments) + 1)
    ends_at = lists_at + sum(len(own) for own in at_side)
    words = [len(segments), n, moves, faces, ends_at, ends_at + len(segments), 0, 0]
    at = lists_at
    for e, own in enumerate(at_side):
        words += [*mask_of([e, *crossed[e]]), at]
        at += len(own)
    words += [0, 0, 0, 0, at]  # ends the last list
    words += [pair for own in at_side for pair in own]
    words += [i | j << 8 for i, j in segments]
    words += [coordinate for point in points for coordinate in point]
    return Table(words, [str(size or 1 + max(max(point) for point in points))])


def mask_of(segments: Iterable[int]) -> tuple[int, ...]:
    """The mask of a set of segments."""
    words = [0] * WORDS
    for e in segments:
        words[e // BITS] |= 1 << e % BITS
    return tuple(words)


def first_state(board: Table) -> Triangles:
    """The state of an empty board."""
    free: Any = mask_of(range(board.words[0]))
    return Triangles((0, 0, 0, 0), free, 0, 0, board.handle)
