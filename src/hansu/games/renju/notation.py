"""Renju as text: cells, moves, boards.

A cell is a column letter (a to t, including i) and a row number counted from the bottom: `h8` is the centre of a 15×15
board. Other moves are `pass` and the choices of opening rules: `swap`, `stay`, `ten`, `fifths:3`, `offer:i9`,
`keep:i9`, `black`, `white`, `add`.

A position is a list of moves (`h8 i9 g7` or `h8i9g7`) or a board. A board lists its rows from the top, separated by `/`
or line ends: `X` black, `O` white, `.` empty, a number for a run of empty cells. Optional fields follow:

- `b` or `w`, the colour to move; by default white if black has more stones, else black
- `swapped`, if the first player has white
- the state of an opening rule, `step:6 fifths:2 offers:j8`

For example `15/15/15/15/15/15/7O7/7X7/8X6/15/15/15/15/15/15 w step:6 fifths:2 offers:j8`. The colours may have any
number of stones, as in problems and handicap games. A colour with five in a row has won.
"""

from __future__ import annotations

import math
import re

from hansu.core import Game, HansuError, IllegalMove, Message, legal
from hansu.core.message import joined
from hansu.games.renju.forbidden import DOUBLE_FOUR, DOUBLE_THREE, OVERLINE, judge
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
from hansu.games.renju.rules import five, restricted, score
from hansu.games.renju.state import AnyRenju, Gomoku, black_of, mover, place_of, size_of, step_of, vacant, white_of
from hansu.games.renju.stones import has, row, total, with_stone

COLUMNS = "abcdefghijklmnopqrst"
SIZES = range(5, 21)
COLOURS = (Message("black"), Message("white"))
SEATS = (Message("first"), Message("second"))
CELL = "[a-t][1-9][0-9]?"


def cell_text(cell: int, size: int) -> str:
    """A cell as text.

    >>> cell_text(112, 15)
    'h8'
    """
    y, x = divmod(cell, size)
    return f"{COLUMNS[x]}{size - y}"


def read_cell(text: str, size: int) -> int | None:
    """The cell that a text names; None if the text names no cell of a board of this size."""
    text = text.lower()
    if not re.fullmatch(CELL, text):
        return None
    x, y = COLUMNS.index(text[0]), size - int(text[1:])
    return y * size + x if x < size and y >= 0 else None


def move_text(s: AnyRenju, a: int) -> str:
    """An action as text: a cell, a choice of the opening rule, or `pass`."""
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
    """The legal action that a text names, or None. The prefixes `offer:` and `keep:` may be omitted."""
    cell = read_cell(text, size_of(s))
    if cell is None:
        if re.fullmatch("[a-z][0-9]+", text.lower()):
            raise no_cell(text, size_of(s))
        return None
    if legal(s, cell):
        return cell
    if not vacant(s, cell):
        raise IllegalMove("{move} is already taken", FREE, move=text.lower())
    if vacant(s, cell) and not step_of(s) and restricted(s):
        kinds = judge(s.mine, s.theirs, size_of(s), cell % size_of(s), cell // size_of(s))
        raise IllegalMove("{move} is forbidden for black: {kinds}", FREE, move=text.lower(), kinds=kinds_text(kinds))
    return None


FREE = Message("choose another point that is free")
KIND_NAMES = {
    DOUBLE_THREE: Message("double three"),
    DOUBLE_FOUR: Message("double four"),
    OVERLINE: Message("overline"),
}


def no_cell(move: str, size: int) -> IllegalMove:
    """The error for a text that names no cell of the board."""
    return IllegalMove(
        "{move!r} is not a point of the {size}×{size} board",
        "points are a1 to {last}",
        move=move,
        size=size,
        last=cell_text(size - 1, size),
    )


def kinds_text(kinds: int) -> Message:
    """The kinds of a forbidden point, separated by commas."""
    return joined(", ", [name for kind, name in KIND_NAMES.items() if kinds & kind])


def split_moves(text: str) -> list[str]:
    """The moves of a text, separated by spaces, commas or nothing (`h8i9`)."""
    moves = []
    for word in re.findall(r"[^\s,]+", text):
        moves += re.findall(CELL, word.lower()) if re.fullmatch(f"(?:{CELL})+", word.lower()) else [word]
    return moves


BOARD = r"([^\s:/]+(?:\s*[/\n]\s*[^\s:/]+)+)"
AFTER_BOARD = r"(?:\s+([bwBW]))?(?:\s+(swapped))?(?:\s+step:([0-9]{1,2}) fifths:([0-9]{1,2})(?: offers:([a-t0-9+]+))?)?"


def match_board(text: str) -> re.Match[str] | None:
    """The parts of a board's text: its rows, the colour to move, whether swapped, and the state of the opening rule.
    None if the text is not a board."""
    if "/" not in text and re.fullmatch(rf"(?:{CELL}|[\s,])*", text.lower()):
        return None  # one move per line
    return re.fullmatch(BOARD + AFTER_BOARD, text.strip())


def board_rows(match: re.Match[str]) -> list[str]:
    """The rows of a board that `match_board` has matched."""
    return read_rows(re.split(r"[/\n]", match[1]))


def read_rows(rows: list[str]) -> list[str]:
    """The rows of a square board as strings of X, O and dots; raises HansuError if the board is invalid."""
    if len(rows) in SIZES and all(len(line) == len(rows) for line in rows) and not "".join(rows).strip("XO."):
        return rows  # the usual case, without numbers
    rows = [re.sub("[0-9]{1,2}", lambda digits: "." * int(digits[0]), line.strip().upper()) for line in rows]
    size = len(rows)
    if size not in SIZES:
        raise HansuError("the board has {count} rows", "a board has 5 to 20 rows", count=size)
    for number, line in enumerate(rows, 1):
        if bad := re.search("[^XO.]", line):
            raise HansuError(
                "row {number} contains {symbol!r}", "X is black, O white, . empty", number=number, symbol=bad[0]
            )
        if len(line) != size:
            raise HansuError(
                "row {number} has {count} cells, but the board has {rows} rows",
                "a board has as many columns as rows",
                number=number,
                count=len(line),
                rows=size,
            )
    return rows


def read_position(game: Game, text: str) -> AnyRenju | None:
    """The state that a board describes; None if the text is not a board."""
    match = match_board(text)
    if match is None:
        return None
    rows, size = board_rows(match), game.option("size")
    if len(rows) != size:
        raise HansuError(
            "the board has {count} rows, but the game has size {size}",
            "use the game renju:size={count}",
            count=len(rows),
            size=size,
        )
    cells = "".join(rows)
    colour = int(cells.count("X") > cells.count("O")) if match[2] is None else int(match[2].lower() == "w")
    state = state_of(game, cells, colour, colour ^ (match[3] is not None))
    return in_step(state, int(match[4]), int(match[5]), match[6]) if match[4] else state


def state_of(game: Game, cells: str, colour: int, seat: int) -> AnyRenju:
    """The state of ordinary play with these stones; raises HansuError if the side to move has already won."""
    s = start(**{option.name: game.option(option.name) for option in game.options})
    mine, theirs = s.mine, s.theirs
    for cell, stone in enumerate(cells):
        if stone == "XO"[colour]:
            mine = with_stone(mine, place_of(s, cell))
        elif stone != ".":
            theirs = with_stone(theirs, place_of(s, cell))
    state = s._replace(mine=mine, theirs=theirs, placed=total(mine) + total(theirs), turn=colour | seat << 1)
    if five(state._replace(mine=theirs, theirs=mine, turn=state.turn ^ 1)):
        if five(state):
            raise HansuError("both colours have five in a row", "the first five ends a game")
        raise HansuError(
            "{colour} is to move, but has won already",
            "end the board with {letter}: the other colour is to move",
            colour=COLOURS[colour],
            letter="wb"[colour],
        )
    return state


def in_step(s: AnyRenju, step: int, fifths: int, offers: str | None) -> AnyRenju:
    """The same position in a step of an opening rule."""
    if isinstance(s, Gomoku) or step >= len(STEPS) or fifths > 10:
        raise HansuError(
            "step:{step} fifths:{fifths} is not a step of this game's opening rule",
            "choose the opening rule, as in renju:opening=rif",
            step=step,
            fifths=fifths,
        )
    words = s.offers
    for name in offers.split("+") if offers else ():
        cell = read_cell(name, size_of(s))
        if cell is None:
            raise HansuError(
                "offers: {name!r} is not a point of the board", "write points as in offers:j8+k8", name=name
            )
        words = with_stone(words, place_of(s, cell))
    return s._replace(turn=s.turn | step << 2 | fifths << 8, offers=words)


def position_text(s: AnyRenju) -> str:
    """The position as a board, in the form that `read_position` reads."""
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
    """The result as text: the colour that won, and after a swap the seat of the winner."""
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
    """The position text of an edited board: its letters from the top left, and the seat to move."""
    size = math.isqrt(len(letters))
    rows = [letters[y * size : (y + 1) * size] for y in range(size)]
    return f"{'/'.join(rows)} {'bw'[mover]}"
