"""Renju as text: cells, moves, boards.

A cell is a letter for its column (a to t, i included) and its row, counted from the bottom: `h8` is the centre of a
15×15 board. Other moves are `pass` and what opening rules ask for: `swap`, `stay`, `ten`, `fifths:3`, `offer:i9`,
`keep:i9`, `black`, `white`, `add`.

A position is a list of moves (`h8 i9 g7`, also `h8i9g7`), or a board: rows from the top with `/` or line ends between
them, `X` black, `O` white, `.` empty, or a number for so many empty cells. After the board may follow `b` or `w` for
the colour to move (without it: white where black has more stones, else black), `swapped` where the first player moves
for white or the second for black, and the state of an opening rule:
`15/15/15/15/15/15/7O7/7X7/8X6/15/15/15/15/15/15 w step:6 fifths:2 offers:j8`.
The colours may have any number of stones, as problems and handicaps do; who has five has won.
"""

from __future__ import annotations

import math
import re

from hansu.core import Game, HansuError, IllegalMove, Message, legal
from hansu.games.renju.forbidden import KINDS, judge
from hansu.games.renju.openings import (
    COUNT,
    COUNT_0,
    DO_SWAP,
    KEEP,
    KIND,
    OFFER,
    PICK,
    PICK_OR_ADD,
    STAY,
    STEPS,
    THIRD_CHOICE,
    start,
)
from hansu.games.renju.rules import five, score, watched
from hansu.games.renju.state import AnyRenju, Gomoku, black_of, mover, place_of, size_of, step_of, vacant, white_of
from hansu.games.renju.stones import has, row, total, with_stone

COLUMNS = "abcdefghijklmnopqrst"
SIZES = range(5, 21)
COLOURS = (Message("black"), Message("white"))
SEATS = (Message("first"), Message("second"))
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
    size, kind = size_of(s), KIND[step_of(s)]
    if a < size * size:
        return {OFFER: "offer:", KEEP: "keep:"}.get(kind, "") + cell_text(a, size)
    choice = a - size * size
    if kind == COUNT:
        return f"fifths:{choice - COUNT_0}"
    if kind in (PICK, PICK_OR_ADD):
        return {DO_SWAP: "black", STAY: "white", THIRD_CHOICE: "add"}[choice]
    return {DO_SWAP: "swap", STAY: "stay", THIRD_CHOICE: "ten"}.get(choice, "pass")


def read_move(s: AnyRenju, text: str) -> int | None:
    """A cell may be named without the `offer:` or `keep:` before it."""
    cell = read_cell(text, size_of(s))
    if cell is None:
        if re.fullmatch("[a-z][0-9]+", text.lower()):
            raise no_cell(text, size_of(s))
        return None
    if legal(s, cell):
        return cell
    if not vacant(s, cell):
        raise IllegalMove("{move}: a stone lies there already", FREE, move=text.lower())
    if vacant(s, cell) and not step_of(s) and watched(s):
        kinds = judge(s.mine, s.theirs, size_of(s), cell % size_of(s), cell // size_of(s))
        raise IllegalMove(f"{text.lower()} is forbidden for black: {kinds_text(kinds)}", FREE)
    return None


FREE = Message("choose another point that is free")


def no_cell(move: str, size: int) -> IllegalMove:
    what = Message("{move!r} is no cell of a board of {size}×{size}", move=move, size=size)
    last = cell_text(size - 1, size)
    return IllegalMove(what, Message("cells are {cells}", cells=f"a1 .. {last}"))


def kinds_text(kinds: int) -> str:
    return ", ".join(name.replace("_", " ") for kind, name in KINDS.items() if kinds & kind)


def split_moves(text: str) -> list[str]:
    """At spaces and commas; and `h8i9` where moves are written without."""
    moves = []
    for word in re.findall(r"[^\s,]+", text):
        moves += re.findall(CELL, word.lower()) if re.fullmatch(f"(?:{CELL})+", word.lower()) else [word]
    return moves


BOARD = r"([^\s:/]+(?:\s*[/\n]\s*[^\s:/]+)+)"
AFTER_BOARD = r"(?:\s+([bwBW]))?(?:\s+(swapped))?(?:\s+step:([0-9]{1,2}) fifths:([0-9]{1,2})(?: offers:([a-t0-9+]+))?)?"


def match_board(text: str) -> re.Match[str] | None:
    """The parts of a text that is a board: its rows, the colour to move, whether swapped, and an opening's state."""
    if "/" not in text and re.fullmatch(rf"(?:{CELL}|[\s,])*", text.lower()):
        return None  # moves, a line each
    return re.fullmatch(BOARD + AFTER_BOARD, text.strip())


def board_rows(found: re.Match[str]) -> list[str]:
    return read_rows(re.split(r"[/\n]", found[1]))


def read_rows(rows: list[str]) -> list[str]:
    """The rows of a board as strings of X, O and dots, all as long as there are rows; raises where it is none."""
    if len(rows) in SIZES and all(len(line) == len(rows) for line in rows) and not "".join(rows).strip("XO."):
        return rows  # as most are
    rows = [re.sub("[0-9]{1,2}", lambda digits: "." * int(digits[0]), line.strip().upper()) for line in rows]
    size = len(rows)
    if size not in SIZES:
        raise HansuError(f"a board of {size} rows", "boards have 5 to 20 rows")
    for i, line in enumerate(rows):
        if bad := re.search("[^XO.]", line):
            raise HansuError(f"row {i + 1} has {bad[0]!r}", "X is black, O white, . empty")
        if len(line) != size:
            raise HansuError(f"row {i + 1} has {len(line)} cells, but there are {size} rows")
    return rows


def read_position(game: Game, text: str) -> AnyRenju | None:
    """The state that a board stands for; None where the text is no board."""
    found = match_board(text)
    if found is None:
        return None
    rows, size = board_rows(found), game.option("size")
    if len(rows) != size:
        raise HansuError(f"a board of {len(rows)} rows for a game of {size}", f"name the game renju:size={len(rows)}")
    cells = "".join(rows)
    colour = int(cells.count("X") > cells.count("O")) if found[2] is None else int(found[2].lower() == "w")
    made = of_stones(game, cells, colour, colour ^ (found[3] is not None))
    return in_step(made, int(found[4]), int(found[5]), found[6]) if found[4] else made


def of_stones(game: Game, cells: str, colour: int, seat: int) -> AnyRenju:
    """The state of ordinary play with these stones; raises where the game was over before."""
    s = start(**{option.name: game.option(option.name) for option in game.options})
    mine, theirs = s.mine, s.theirs
    for cell, stone in enumerate(cells):
        if stone == "XO"[colour]:
            mine = with_stone(mine, place_of(s, cell))
        elif stone != ".":
            theirs = with_stone(theirs, place_of(s, cell))
    made = s._replace(mine=mine, theirs=theirs, placed=total(mine) + total(theirs), turn=colour | seat << 1)
    if five(made._replace(mine=theirs, theirs=mine, turn=made.turn ^ 1)):
        if five(made):
            raise HansuError("both colours have five in a row", "the first five ends a game")
        raise HansuError(
            "{colour} is to move, but has won already",
            "end the board with {letter} to see it so",
            colour=COLOURS[colour],
            letter="wb"[colour],
        )
    return made


def in_step(s: AnyRenju, step: int, fifths: int, offers: str | None) -> AnyRenju:
    """The same position in a step of an opening rule."""
    if isinstance(s, Gomoku) or step >= len(STEPS) or fifths > 10:
        raise HansuError(f"step:{step} fifths:{fifths} belongs to no opening of this game")
    words = s.offers
    for name in offers.split("+") if offers else ():
        cell = read_cell(name, size_of(s))
        if cell is None:
            raise HansuError(f"offers: {name!r} is no cell")
        words = with_stone(words, place_of(s, cell))
    return s._replace(turn=s.turn | step << 2 | fifths << 8, offers=words)


def position_text(s: AnyRenju) -> str:
    size = size_of(s)
    rows = []
    for y in range(size):
        black, white = row(black_of(s), y), row(white_of(s), y)
        line = "".join("X" if black >> x & 1 else "O" if white >> x & 1 else " " for x in range(size))
        rows.append(re.sub(" +", lambda gap: str(len(gap[0])), line))
    text = f"{'/'.join(rows)} {'bw'[s.turn & 1]}" + (" swapped" if mover(s) != s.turn & 1 else "")
    if isinstance(s, Gomoku) or not step_of(s):
        return text
    text += f" step:{step_of(s)} fifths:{s.turn >> 8}"
    offers = [cell_text(cell, size) for cell in offered(s)]
    return f"{text} offers:{'+'.join(offers)}" if offers else text


def offered(s: AnyRenju) -> list[int]:
    """The fifth moves that black has offered."""
    if isinstance(s, Gomoku):
        return []
    return [cell for cell in range(size_of(s) ** 2) if has(s.offers, place_of(s, cell))]


def score_text(s: AnyRenju) -> Message:
    """The result in words: the colour that won, and who had it after a swap."""
    value = score(s)
    if value == 0:
        full = s.placed == size_of(s) ** 2
        if full:
            return Message("a draw: the board is full")
        return Message("a draw: black has no legal move")
    winner, seat = 1 - (s.turn & 1), 0 if value > 0 else 1
    colour, who = COLOURS[winner], SEATS[seat]
    if winner == seat:
        return Message("{colour} wins", colour=colour)
    return Message("{colour} wins (the {who} player, after a swap)", colour=colour, who=who)


def arranged(letters: str, mover: int) -> str:
    """The position text of a board given as X, O and dots from the top left, and the seat to move."""
    size = math.isqrt(len(letters))
    rows = [letters[y * size : (y + 1) * size] for y in range(size)]
    return f"{'/'.join(rows)} {'bw'[mover]}"
