"""Moves and positions as text.

A FEN has the rows from row 7 down to row 1 (`x` and `o` are pieces, `-` is a gap, digits count empty squares), the
mover, the halfmove clock and the fullmove number: `x5o/7/7/7/7/7/o5x x 0 1`. Moves are `g2` (single), `a7a5` (double)
and `0000` (pass).
"""

from __future__ import annotations

import re

from hansu.core import Game, HansuError, Message
from hansu.games.ataxx.rules import DISPLACEMENTS, FULL, PASS, SQUARES, STEP, Ataxx, legal

PIECES = {"x": 0, "b": 0, "o": 1, "w": 1, "-": 2}
PASSES = ("0000", "pass", "null", "a1a1")
CORNERS = {"a7": "x", "g1": "x", "g7": "o", "a1": "o"}
LARGEST_COUNTER = 1_000_000
LONGEST_FEN = 200  # characters
EXAMPLE = Message("a FEN is one line like x5o/7/7/7/7/7/o5x x 0 1")


def square_name(square: int) -> str:
    return "abcdefg"[square // 7] + str(square % 7 + 1)


def read_square(text: str) -> int:
    return 7 * "abcdefg".index(text[0]) + int(text[1]) - 1


def read_gaps(text: str) -> int:
    """The board of the squares in a text like `c3 e3 c5 e5`."""
    names = re.findall(r"[^\s,]+", text.lower())
    board = 0
    for name in names:
        if not re.fullmatch("[a-g][1-7]", name):
            raise HansuError("gaps: {name!r} is not a square", "separate squares by spaces: c3 e3 c5 e5", name=name)
        if name in CORNERS:
            raise HansuError("gaps: {name} cannot be a gap", "{seat} starts there", name=name, seat=CORNERS[name])
        board |= 1 << read_square(name)
    return board


def move_text(s: Ataxx, a: int) -> str:
    if a == PASS:
        return "0000"
    d, target = divmod(a, SQUARES)
    return (square_name(target - STEP[d]) if d else "") + square_name(target)


def action_of(text: str) -> int | None:
    """The action of a move text, legal or not; None if the text is not a move. A single may name its origin, too."""
    text = text.lower()
    if text in PASSES:
        return PASS
    if not re.fullmatch("([a-g][1-7]){1,2}", text, re.ASCII):
        return None
    if len(text) == 2:
        return read_square(text)
    source, target = read_square(text[:2]), read_square(text[2:])
    step = target // 7 - source // 7, target % 7 - source % 7
    distance = max(abs(step[0]), abs(step[1]))
    if distance == 2:
        return SQUARES * DISPLACEMENTS.index(step) + target
    return target if distance == 1 else None


def read_move(s: Ataxx, text: str) -> int | None:
    a = action_of(text)
    if a is None or not legal(s, a):
        return None
    if len(text) == 4 and a < SQUARES and not s.mine >> read_square(text.lower()[:2]) & 1:
        return None  # the origin of a single must be a piece of the mover
    return a


def read_position(game: Game, text: str) -> Ataxx | None:
    return read_fen(text, bool(game.option("contest"))) if "/" in text else None


def read_fen(text: str, contest: bool = False) -> Ataxx:
    """The position of a FEN. The first player's letters are x, X, b, B, the second's o, O, w, W. The default of missing
    fields is `x 0 1`."""
    if not 0 < len(text.strip()) <= LONGEST_FEN:
        raise HansuError("the FEN is empty or too long", EXAMPLE)
    board, *fields = text.split()
    if len(fields) > 3:
        raise HansuError("FEN {text!r}: too many fields", "board, mover, halfmove clock, fullmove number", text=text)
    side, halfmove, fullmove = fields + ["x", "0", "1"][len(fields) :]
    rows = board.lower().split("/")
    if len(rows) != 7:
        count = len(rows)
        raise HansuError("FEN {text!r}: {count} rows instead of seven", EXAMPLE, text=text, count=count)
    boards = [0, 0, 0]
    for y, row in zip(range(6, -1, -1), rows, strict=True):
        x = 0
        for letter in row:
            if letter in "1234567":
                x += int(letter)
            elif letter in PIECES and x < 7:
                boards[PIECES[letter]] |= 1 << 7 * x + y
                x += 1
            else:
                hint = Message("a row consists of x, o, - and the digits 1 to 7")
                raise HansuError("FEN {text!r}: cannot read row {row!r}", hint, text=text, row=row)
        if x != 7:
            raise HansuError(
                "FEN {text!r}: row {row!r} has {count} squares instead of seven", EXAMPLE, text=text, row=row, count=x
            )
    turn = PIECES.get(side.lower(), 2)
    if turn == 2:
        raise HansuError("FEN {text!r}: the mover is x or o, not {side!r}", EXAMPLE, text=text, side=side)
    counters = [int(word) if re.fullmatch("[0-9]{1,7}", word) else -1 for word in (halfmove, fullmove)]
    if not 0 <= counters[0] <= LARGEST_COUNTER or not 1 <= counters[1] <= LARGEST_COUNTER:
        raise HansuError("FEN {text!r}: the halfmove clock starts at 0, the move number at 1", EXAMPLE, text=text)
    return Ataxx(boards[turn], boards[1 - turn], boards[2], counters[0], 2 * counters[1] - 2 + turn, int(contest))


def fen(s: Ataxx) -> str:
    x, o = (s.theirs, s.mine) if s.turns & 1 else (s.mine, s.theirs)
    rows = []
    for y in range(6, -1, -1):
        row = ""
        for square in range(y, SQUARES, 7):
            bit = 1 << square
            row += "x" if x & bit else "o" if o & bit else "-" if s.gaps & bit else " "
        rows.append(re.sub(" +", lambda run: str(len(run[0])), row))
    return f"{'/'.join(rows)} {'xo'[s.turns & 1]} {s.halfmove} {s.turns // 2 + 1}"


def arranged(letters: str, mover: int) -> str:
    """The FEN of 49 letters, one for each square in the order a1, a2, ...; a dot is an empty square."""
    rows = ["".join(letters[y::7]) for y in range(6, -1, -1)]
    runs = [re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in rows]
    return f"{'/'.join(runs)} {'xo'[mover]} 0 1"


def count_text(s: Ataxx) -> str:
    """What decided a finished game: the pieces of both sides, or the clock."""
    from hansu.games.ataxx.rules import balance, counted

    x, o = (s.theirs, s.mine) if s.turns & 1 else (s.mine, s.theirs)
    empty = FULL ^ (x | o | s.gaps)
    if not counted(s.mine, s.theirs, empty, s.contest, s.turns):
        return Message("100 halfmoves without a single")
    count = balance(s.mine, s.theirs, empty, s.contest)
    count = -count if s.turns & 1 else count
    first, second = x.bit_count(), o.bit_count()
    if count == first - second:
        return Message("{first} to {second}", first=first, second=second)
    squares = empty.bit_count()
    return Message("{first} to {second} and {squares} empty squares", first=first, second=second, squares=squares)
