"""Where a board comes from: chance, a list of points, a file; and its table (see `rules`)."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from hansu.core import HansuError, Message, Table
from hansu.core.errors import shortened
from hansu.core.reading import read_whole, whole_number
from hansu.games.triangles.geometry import Point, crossings, drawable, empty_triangles, hull_points
from hansu.games.triangles.rules import BITS, HEAD, MOST_POINTS, RECORD, WORDS, Triangles

DEFAULT_POINTS = "10"
LARGEST = 1_000_000  # coordinates; products of two differences stay far below 63 bits


def start(points: str, file: str, seed: int, size: int) -> tuple[Triangles, Table]:
    """The first state of the board that the options name, and its table."""
    board = table_of(points_of(points, file, seed, size), size)
    return first_state(board), board


def points_of(points: str, file: str, seed: int, size: int) -> tuple[Point, ...]:
    if file:
        if points != DEFAULT_POINTS:
            raise HansuError("triangles: give points or a file, not both")
        return checked(read_file(file), size)
    text = points.strip()
    if (count := whole_number(text)) is not None:
        return random_points(count, seed, size)
    return checked(read_text(text.replace(",", "\n") if "\n" not in text else text, "points"), size)


def random_points(count: int, seed: int, size: int) -> tuple[Point, ...]:
    """So many different points of the grid, the same ones for the same seed."""
    if not 3 <= count <= MOST_POINTS:
        raise _wrong_number(count)
    if count > size * size:
        raise HansuError(
            "triangles: a {size} x {size} grid has no room for {count} points", "say size=7", size=size, count=count
        )
    grid = [(x, y) for x in range(size) for y in range(size)]
    return tuple(sorted(random.Random(seed).sample(grid, count)))


def read_file(file: str) -> list[Point]:
    return read_text(read_whole(Path(file).expanduser(), "utf-8-sig"), file)


def read_text(text: str, where: str) -> list[Point]:
    """One point a line, `3,4` or `3 4` or `(3, 4)`. A first line of words (a CSV's header) and what follows `#` are
    passed over."""
    found: list[Point] = []
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    filled = [(number, line) for number, line in enumerate(lines, 1) if line]
    for i, (number, line) in enumerate(filled):
        parts = re.fullmatch(r"[\[(]?\s*([-+]?[0-9]{1,18})\s*[,;\s]\s*([-+]?[0-9]{1,18})\s*[\])]?[,;]?", line)
        if parts is None:
            if i == 0 and not re.search(r"\d", line):
                continue
            wrong = shortened(line)
            raise HansuError(
                "triangles: {where}, line {number}: cannot read {wrong}",
                "one point a line, as 3,4; on the command line: points=0 0,3 1,5 6",
                where=where,
                number=number,
                wrong=wrong,
            )
        found.append((int(parts[1]), int(parts[2])))
    return found


def checked(points: Iterable[Sequence[int]], size: int | None = None) -> tuple[Point, ...]:
    """The points, if they are a board (on the grid of that size, if one is given)."""
    found: list[Point] = []
    for x, y in points:
        if size is not None and not (0 <= x < size and 0 <= y < size):
            raise HansuError(
                "triangles: point ({x}, {y}) is off the {size} x {size} grid",
                "coordinates go from 0 to {last}; a larger grid: size=12",
                x=x,
                y=y,
                size=size,
                last=size - 1,
            )
        if max(abs(x), abs(y)) > LARGEST:
            raise HansuError(f"triangles: point ({x}, {y}) is too far out", f"at most {LARGEST} either way")
        if (x, y) in found:
            raise HansuError("triangles: point ({x}, {y}) is there twice", "all points of a board differ", x=x, y=y)
        found.append((x, y))
    if not 3 <= len(found) <= MOST_POINTS:
        raise _wrong_number(len(found))
    return tuple(found)


def _wrong_number(count: int) -> HansuError:
    return HansuError(Message("triangles: a board has 3 to {most} points, not {count}", most=MOST_POINTS, count=count))


@lru_cache(maxsize=64)
def table_of(points: tuple[Point, ...], size: int = 0) -> Table:
    """The table of a board; `rules` draws its layout. Its one label is the size of the grid."""
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
    words = [0] * WORDS
    for e in segments:
        words[e // BITS] |= 1 << e % BITS
    return tuple(words)


def first_state(board: Table) -> Triangles:
    free: Any = mask_of(range(board.words[0]))
    return Triangles((0, 0, 0, 0), free, 0, 0, board.handle)
