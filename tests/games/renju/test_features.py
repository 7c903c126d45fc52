"""Renju's input planes against a slow implementation of their definitions."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from hansu.core import turned_cell
from hansu.games.renju import features
from hansu.games.renju.features import LIBERTIES, MAKES, NAMES, PLANES, planes
from hansu.games.renju.forbidden import forbidden_kinds
from hansu.games.renju.rules import SYMMETRIES

FORBIDDING = (  # two fours, an overline, two threes
    ((4, 4), (6, 4), (8, 4), (10, 4)), ((4, 4), (5, 4), (7, 4), (8, 4), (9, 4)),
    ((5, 4), (8, 4), (9, 4), (10, 5), (10, 6)),
)  # fmt: skip
LINES = ((1, 0), (0, 1), (1, 1), (-1, 1))
Cells = dict[tuple[int, int], int]  # a board as a mapping of (x, y); points off the board are missing


# The definitions of features.py, implemented literally.


def row_with(board: Cells, at: tuple[int, int], line: tuple[int, int], colour: int) -> int:
    """The length of the unbroken row through a stone."""
    length = 1
    for sign in (1, -1):
        step = 1
        while board.get((at[0] + sign * step * line[0], at[1] + sign * step * line[1])) == colour:
            length, step = length + 1, step + 1
    return length


def is_five(board: Cells, at: tuple[int, int], line: tuple[int, int], colour: int, exact: bool) -> bool:
    length = row_with(board, at, line, colour)
    return length == 5 if exact else length >= 5


def run_of(board: Cells, at: tuple[int, int], line: tuple[int, int], colour: int) -> list[tuple[int, int]]:
    x, y = at
    while board.get((x - line[0], y - line[1])) == colour:
        x, y = x - line[0], y - line[1]
    run = []
    while board.get((x, y)) == colour:
        run.append((x, y))
        x, y = x + line[0], y + line[1]
    return run


def is_straight_four(board: Cells, at: tuple[int, int], line: tuple[int, int], colour: int, exact: bool) -> bool:
    run = run_of(board, at, line, colour)
    ends = [(run[0][0] - line[0], run[0][1] - line[1]), (run[-1][0] + line[0], run[-1][1] + line[1])]
    if len(run) != 4 or any(board.get(end) != 0 for end in ends):
        return False
    return all(is_five({**board, end: colour}, end, line, colour, exact) for end in ends)


def fives_through(board: Cells, at: tuple[int, int], line: tuple[int, int], colour: int, exact: bool) -> list[Any]:
    """The possible fives that contain a cell, as lists of five cells."""
    fives = []
    for begin in range(-4, 1):
        cells = [(at[0] + (begin + i) * line[0], at[1] + (begin + i) * line[1]) for i in range(-1, 6)]
        if all(board.get(cell) in (0, colour) for cell in cells[1:6]):
            if not exact or colour not in (board.get(cells[0]), board.get(cells[6])):
                fives.append(cells[1:6])
    return fives


def shape_made(board: Cells, at: tuple[int, int], line: tuple[int, int], colour: int, exact: bool) -> int:
    after = {**board, at: colour}
    if is_five(after, at, line, colour, exact):
        return 0
    if is_straight_four(after, at, line, colour, exact):
        return 1
    if any(
        sum(after[cell] == colour for cell in cells) == 4 for cells in fives_through(after, at, line, colour, exact)
    ):
        return 2
    for step in (-3, -2, -1, 1, 2, 3):
        more = (at[0] + step * line[0], at[1] + step * line[1])
        if after.get(more) == 0:
            then = {**after, more: colour}
            if more in run_of(then, at, line, colour) and is_straight_four(then, at, line, colour, exact):
                return 3
    return 4


def reference_planes(board: Any, mover: int, last: Any, size: int, rule: str) -> Any:
    cells = {(x, y): int(board[y * size + x]) for y in range(size) for x in range(size)}
    out = np.zeros((PLANES, size, size), np.float32)
    for (x, y), stone in cells.items():
        out[0, y, x], out[1, y, x] = stone == mover, stone == 3 - mover
        out[25, y, x] = mover == 1
        for side, colour in enumerate((mover, 3 - mover)):
            exact = rule == "standard" or (rule == "renju" and colour == 1)
            for number, line in enumerate(LINES):
                if stone in (0, colour):
                    count = len(fives_through(cells, (x, y), line, colour, exact))
                    out[LIBERTIES + 4 * side + number, y, x] = np.float32(count / 5)
                if stone == 0:
                    what = shape_made(cells, (x, y), line, colour, exact)
                    if what < 4:
                        out[MAKES + 4 * side + what, y, x] = 1
        if rule == "renju" and stone == 0:
            kinds = forbidden_kinds(board, size, y * size + x)
            out[18:21, y, x] = kinds & 1 != 0, kinds & 2 != 0, kinds & 4 != 0
    for number, cell in enumerate(last[:4]):
        if cell >= 0:
            out[21 + number, cell // size, cell % size] = 1
    return out


def dense_board(generator: random.Random, size: int) -> Any:
    """Random stones along lines, so that threes and fours occur."""
    board = np.zeros(size * size, np.int8)
    for _ in range(generator.randrange(2, size)):
        x, y, (dx, dy), colour = (
            generator.randrange(size),
            generator.randrange(size),
            generator.choice(LINES),
            generator.randint(1, 2),
        )
        for step in range(generator.randrange(2, 8)):
            at = (x + step * dx, y + step * dy)
            if 0 <= at[0] < size and 0 <= at[1] < size and generator.random() < 0.75:
                board[at[1] * size + at[0]] = colour
    return board


@pytest.mark.parametrize("rule", ["renju", "standard", "freestyle"])
@pytest.mark.parametrize("size", [5, 15, 20])
def test_planes_match_their_definitions(rule: str, size: int) -> None:
    generator = random.Random(f"{rule} {size}")
    count = 60 if size == 5 else 12
    boards = np.array([dense_board(generator, size) for _ in range(count)])
    if size > 5:
        for board, stones in zip(boards, FORBIDDING, strict=False):
            board[:] = 0
            board[[y * size + x for x, y in stones]] = 1
    movers = np.array([generator.randint(1, 2) for _ in range(count)], np.int8)
    last = np.array([[generator.randrange(-1, size * size) for _ in range(4)] for _ in range(count)], np.int16)
    result = planes(boards, movers, last, size, rule)
    assert result.shape == (count, PLANES, size, size) and result.dtype == np.float32
    for n in range(count):
        expected = reference_planes(boards[n], int(movers[n]), last[n], size, rule)
        for plane, name in enumerate(NAMES):
            assert (result[n, plane] == expected[plane]).all(), f"{name}, board {n}"
    absent = {name for name, present in zip(NAMES, result.any(axis=(0, 2, 3)), strict=True) if not present}
    if size > 5:  # most shapes do not fit on the smallest board
        assert absent == (set() if rule == "renju" else {"overline", "double four", "double three"})


def test_interpreted_and_compiled_agree() -> None:
    generator = random.Random(5)
    boards = np.array([dense_board(generator, 9) for _ in range(3)])
    movers, last = np.array([1, 2, 1], np.int8), np.full((3, 4), -1, np.int16)
    plain = np.zeros((3, PLANES, 81), np.float32)
    features.fill.plain(boards, movers, last, 9, 1, plain)
    assert (plain.reshape(3, PLANES, 9, 9) == planes(boards, movers, last, 9, "standard")).all()


def test_shapes_by_hand() -> None:
    board = np.zeros(225, np.int8)
    board[[7 * 15 + x for x in (5, 6, 8)]] = 1  # . . ● ● . ● . .
    result = planes(board[None], np.array([1], np.int8), np.full((1, 4), -1, np.int16), 15, "renju")[0]
    assert result[MAKES + 1, 7, 7] == 1  # the gap makes a straight four
    assert {x for x in range(15) if result[MAKES + 2, 7, x]} == {4, 9}  # the outer ones a four
    assert (
        result[LIBERTIES, 7, 7] == np.float32(0.4)
        and result[LIBERTIES, 0, 0] == np.float32(0.2)
        and result[LIBERTIES + 3, 0, 0] == 0
    )
    assert result[25].all() and not result[18:21].any()


def test_symmetric_boards_have_symmetric_planes() -> None:
    generator = random.Random(3)
    board = dense_board(generator, 15)
    last = np.array([[10, 20, -1, 200]], np.int16)
    whole = planes(board[None], np.array([2], np.int8), last, 15, "renju")[0].reshape(PLANES, 225)
    for k in range(SYMMETRIES):
        to = np.array([turned_cell(cell, 15, 15, k) for cell in range(225)])
        other = np.zeros(225, np.int8)
        other[to] = board
        turned_last = np.where(last >= 0, to[last], -1).astype(np.int16)
        result = planes(other[None], np.array([2], np.int8), turned_last, 15, "renju")[0].reshape(PLANES, 225)
        lines = [0, 1, 2, 3]
        if k & 4:
            lines = [1, 0, 2, 3]
        if (k & 1) ^ (k >> 1 & 1):
            lines = [lines[0], lines[1], lines[3], lines[2]]
        order = [0, 1, *(2 + l for l in lines), *(6 + l for l in lines), *range(10, PLANES)]
        assert (result[:, to] == whole[order]).all(), k


def test_a_second_process_loads_the_compiled_code() -> None:
    code = (
        "import numpy as np; from hansu.games.renju.features import planes\n"
        "b = np.zeros((1, 225), np.int8); b[0, 112] = 1\n"
        "print(planes(b, np.array([2], np.int8), np.full((1, 4), -1, np.int16), 15, 'renju').sum())"
    )
    outputs = {subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout for _ in range(2)}
    assert len(outputs) == 1 and float(outputs.pop()) > 100
