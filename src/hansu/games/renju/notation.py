"""Renju as text: cells, moves, boards.

A cell is a letter for its column (a to t, i included) and its row, counted from the bottom: `h8` is the centre of a
15×15 board. A position is a list of moves (`h8 i9 g7`, also `h8i9g7`), or a board: rows from the top with `/` or line
ends between them, `X` black, `O` white, `.` empty, or a number for so many empty cells. After the board may follow `b`
or `w` for the colour to move (without it: white where black has more stones, else black), and `swapped` where the
second player has black: `15/15/15/15/15/15/15/7X7/15/15/15/15/15/15/15 w`.
"""

from __future__ import annotations

import re

from hansu.core import Game, HansuError
from hansu.games.renju.rules import (
    AnyRenju,
    black_of,
    five,
    legal,
    mover,
    place_of,
    score,
    size_of,
    start,
    white_of,
)
from hansu.games.renju.stones import row, total, with_stone

COLUMNS = "abcdefghijklmnopqrst"
SIZES = range(5, 21)
COLOURS = ("black", "white")
CELL = "[a-t][1-9][0-9]?"


def cell_text(cell: int, size: int) -> str:
    y, x = divmod(cell, size)
    return f"{COLUMNS[x]}{size - y}"


def read_cell(text: str, size: int) -> int | None:
    """The cell that a text names; None if it names none on a board of this size."""
    text = text.lower()
    if not re.fullmatch(CELL, text):
        return None
    x, y = COLUMNS.index(text[0]), size - int(text[1:])
    return y * size + x if x < size and y >= 0 else None


def move_text(s: AnyRenju, a: int) -> str:
    size = size_of(s)
    return cell_text(a, size) if a < size * size else "pass"


def read_move(s: AnyRenju, text: str) -> int | None:
    cell = read_cell(text, size_of(s))
    return cell if cell is not None and legal(s, cell) else None


def split_moves(text: str) -> list[str]:
    """At spaces and commas; and `h8i9` where moves are written without."""
    moves = []
    for word in re.findall(r"[^\s,]+", text):
        moves += re.findall(CELL, word.lower()) if re.fullmatch(f"(?:{CELL})+", word.lower()) else [word]
    return moves


def read_rows(text: str) -> list[str]:
    """The rows of a board as strings of X, O and dots, all as long as there are rows; raises where it is none."""
    rows = [
        re.sub("[0-9]+", lambda digits: "." * min(int(digits[0]), 99), line.strip().upper())
        for line in re.split(r"[/\n]", text.strip())
    ]
    size = len(rows)
    if size not in SIZES:
        raise HansuError(f"a board of {size} rows", "boards have 5 to 20 rows, with / or line ends between them")
    for i, line in enumerate(rows):
        if bad := re.search("[^XO.]", line):
            raise HansuError(f"row {i + 1} has {bad[0]!r}", "X is black, O white, . empty")
        if len(line) != size:
            raise HansuError(f"row {i + 1} has {len(line)} cells, but there are {size} rows")
    return rows


def read_position(game: Game, text: str) -> AnyRenju | None:
    """The state that a board stands for; None where the text is no board."""
    found = re.fullmatch(r"([XOxo.0-9\s/]+?)(?:\s+([bwBW]))?(?:\s+(swapped))?", text.strip())
    if found is None or not re.search(r"[/\n]", found[1]):
        return None
    rows = read_rows(found[1])
    if len(rows) != game.option("size"):
        raise HansuError(f"a board of {len(rows)} rows for a game of {game.option('size')}",
                         f"name the game renju:size={len(rows)}")  # fmt: skip
    cells = "".join(rows)
    colour = int(cells.count("X") > cells.count("O")) if found[2] is None else int(found[2].lower() == "w")
    return of_stones(game, cells, colour, colour ^ (found[3] is not None))


def of_stones(game: Game, cells: str, colour: int, seat: int) -> AnyRenju:
    """The state of ordinary play with these stones; raises where it cannot be."""
    s = start(**{option.name: game.option(option.name) for option in game.options})
    mine, theirs = s.mine, s.theirs
    for cell, stone in enumerate(cells):
        if stone == "XO"[colour]:
            mine = with_stone(mine, place_of(s, cell))
        elif stone != ".":
            theirs = with_stone(theirs, place_of(s, cell))
    made = type(s)(mine, theirs, total(mine) + total(theirs), colour | seat << 1, s.setup, s.offers)
    if five(type(s)(theirs, mine, made.placed, made.turn ^ 1, s.setup, s.offers)):
        raise HansuError(f"{COLOURS[colour]} to move has five in a row already",
                         f"the game is over: end the board with {'wb'[colour]!r}")  # fmt: skip
    return made


def position_text(s: AnyRenju) -> str:
    rows = []
    for y in range(size_of(s)):
        black, white = row(black_of(s), y), row(white_of(s), y)
        line = "".join("X" if black >> x & 1 else "O" if white >> x & 1 else " " for x in range(size_of(s)))
        rows.append(re.sub(" +", lambda gap: str(len(gap[0])), line))
    swapped = " swapped" if mover(s) != s.turn & 1 else ""
    return f"{'/'.join(rows)} {'bw'[s.turn & 1]}{swapped}"


def score_text(s: AnyRenju) -> str:
    """The result in words: the colour that won and who had it."""
    value = score(s)
    if value == 0:
        return "a draw"
    winner = COLOURS[1 - (s.turn & 1)]
    swapped = (winner == "black") != (value > 0)
    return f"{winner} wins" + (f" (the {'first' if value > 0 else 'second'} player, after a swap)" if swapped else "")
