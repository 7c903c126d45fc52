"""Connect Four for Kaggle's ConnectX: one file of plain Python and NumPy, made by hansu. The solver.

    the first stones      a repertoire: a best column for all of up to 12 stones that its own play leads to
    then                  alpha-beta over bitboards, one ply deeper each time
    then, in time left    the same without a horizon: what is solved is played perfectly

The search, its order of moves and its two static bounds are those of hansu's solver, which names their sources: Pascal
Pons, John Tromp, Victor Allis.
"""

from __future__ import annotations

import base64
import io
import time
from typing import Any

import numpy as np

from hansu.games.connect_four.kaggle.board import (
    BOARD,
    BOTTOM,
    CENTRE_FIRST,
    COLUMN,
    EVEN,
    ODD,
    SECONDS,
    at_once,
    column_of,
    safe_moves,
    stones_shown,
    wins,
)

REPERTOIRE = ""  # base64 of a NumPy archive: `keys`, sorted, and `moves`; an exported file has it at its end
SHALLOW = 0.35  # the share of them for the search with a horizon

WIN = 1000  # what is proved to be won; guesses lie far below
END = 42  # plies: a depth without a horizon


class OutOfTime(Exception):
    """The search is given up."""


def lined(stones: int) -> bool:
    """Is there four in a line?"""
    pairs = stones & stones >> 1
    if pairs & pairs >> 2:
        return True
    pairs = stones & stones >> 7
    if pairs & pairs >> 14:
        return True
    pairs = stones & stones >> 6
    if pairs & pairs >> 12:
        return True
    pairs = stones & stones >> 8
    return pairs & pairs >> 16 != 0


def above(squares: int) -> int:
    """All squares over the given ones."""
    squares = squares << 1 & BOARD
    squares |= squares << 1 & BOARD
    squares |= squares << 2 & BOTTOM * 0b111100
    return squares | squares << 4 & BOTTOM * 0b110000


def answer_above(x: int, o: int, mask: int, o_wins: int) -> int | None:
    """What O, who has just moved, has for sure by answering right above X from now on: WIN, 0 or nothing.

    X gets the free odd squares and, of the columns that have an odd number of free squares, the lowest one; but
    nothing above an even square where O wins."""
    free = BOARD ^ mask
    lowest_even = mask + BOTTOM & EVEN
    evens = free & EVEN & ~lowest_even
    if lined(x | lowest_even | free & ODD & ~above(o_wins & evens)):
        return None
    return WIN if lined(o | evens) else 0


def odd_threat(x: int, o: int, mask: int, x_wins: int) -> int | None:
    """WIN for X, who has just moved, where it wins on an odd square that O has to play below in the end."""
    free = BOARD ^ mask
    moves = mask + BOTTOM & BOARD
    threats = x_wins & free & ODD & ~moves
    while threats:
        threat = threats & -threats
        column = COLUMN << (threat.bit_length() - 1) // 7 * 7
        threats &= ~column
        pairs = moves & (EVEN & ~column | ODD & column)
        reach = ODD & ~column & ~above(x_wins & free & EVEN & ~moves) | EVEN & column & threat - 1
        if not lined(o | pairs | free & reach):
            return WIN
    return None


def guess(mover: int, mask: int, ply: int, threats: int) -> int:
    """What a position looks like to the mover: squares that win, worth more in the rows that their owner gets."""
    free = BOARD ^ mask
    mine, theirs = wins(mover) & free, threats & free
    x, o = (theirs, mine) if ply & 1 else (mine, theirs)
    ahead = 12 * (x & ODD).bit_count() + 4 * (x & EVEN).bit_count()
    ahead -= 9 * (o & EVEN).bit_count() + 6 * (o & ODD).bit_count()
    return -ahead if ply & 1 else ahead


class Search:
    """One position's search: what it has seen, and when it must end."""

    def __init__(self, end: float) -> None:
        self.end = end
        self.nodes = 0
        self.table: dict[int, tuple[int, int, int, int]] = {}  # key -> depth, lower, upper, the best move
        self.history = [[0] * 49 for _ in range(24)]  # good squares by stage and side

    def value(
        self, mover: int, mask: int, ply: int, threats: int, moves: int, alpha: int, beta: int, depth: int
    ) -> int:
        """For the mover: exact between alpha and beta, else a bound. `threats` are the squares where the opponent
        wins, `moves` the safe moves (one at least); the mover cannot win at once."""
        if ply >= 40:
            return 0
        opponent = mover ^ mask
        if ply > 20:
            free = BOARD ^ mask
            if alpha >= 0 and not lined(mover | free):
                return 0
            if beta <= 0 and not lined(opponent | free):
                return 0
        self.nodes += 1
        if self.nodes & 255 == 0 and time.perf_counter() > self.end:
            raise OutOfTime
        if moves & moves - 1 == 0:
            mine = wins(mover | moves)
            replies = safe_moves(mask | moves, mine)
            if replies == 0:
                return WIN
            return -self.value(opponent, mask | moves, ply + 1, mine, replies, -beta, -alpha, depth)
        if depth <= 0:
            return guess(mover, mask, ply, threats)

        key = mover + mask
        known_depth, lower, upper, hint = self.table.get(key, (-1, -WIN, WIN, 0))
        if lower >= beta and (known_depth >= depth or lower == WIN):
            return lower
        if upper <= alpha and (known_depth >= depth or upper == -WIN):
            return upper

        best = -WIN
        history = self.history[ply // 4 * 2 + (ply & 1)]
        children = []
        while moves:
            move = moves & -moves
            moves ^= move
            after = mask | move
            mine = wins(mover | move)
            replies = safe_moves(after, mine)
            if replies == 0:
                return WIN
            if ply & 1:
                sure = answer_above(opponent, mover | move, after, mine)
            else:
                sure = odd_threat(mover | move, opponent, after, mine)
            if sure is not None and sure > best:
                if sure >= beta:
                    return sure
                best = sure
            order = history[move.bit_length() - 1] + 64 * (mine & ~after).bit_count() - 8 * replies.bit_count()
            children.append((order if move != hint else END * WIN, move, mine, replies))
        children.sort(reverse=True)
        bar = max(alpha, best)
        chosen = children[0][1]
        for number, (_, move, mine, replies) in enumerate(children):
            found = -self.value(opponent, mask | move, ply + 1, mine, replies, -beta, -bar, depth - 1)
            if found > best:
                best, chosen = found, move
                bar = max(bar, best)
                if best >= beta:
                    history[move.bit_length() - 1] += number
                    for _, tried, _, _ in children[:number]:
                        history[tried.bit_length() - 1] -= 1
                    break
        self.table[key] = (depth, best if best > alpha else -WIN, best if best < beta else WIN, chosen)
        return best

    def best(
        self, mover: int, mask: int, ply: int, moves: list[int], alpha: int, beta: int, depth: int
    ) -> tuple[int, int]:
        """The value of the position at the root, as `value` gives it, and the first of the moves that has it."""
        found, chosen = -WIN - 1, moves[0]
        for move in moves:
            mine = wins(mover | move)
            replies = safe_moves(mask | move, mine)
            value, bar = WIN, max(alpha, found)
            if replies:
                value = -self.value(mover ^ mask, mask | move, ply + 1, mine, replies, -beta, -bar, depth - 1)
            if value > found:
                found, chosen = value, move
                if found >= beta:
                    break
        return found, chosen


def looked_up(mover: int, mask: int) -> int | None:
    """The repertoire's column, where it knows the position or its mirror image."""
    if not REPERTOIRE:
        return None
    if not _UNPACKED:
        _UNPACKED.update(np.load(io.BytesIO(base64.b64decode(REPERTOIRE))))
    key = mover + mask
    mirrored = sum((key >> 7 * column & 127) << 7 * (6 - column) for column in range(7))
    least, keys = min(key, mirrored), _UNPACKED["keys"]
    at = int(keys.searchsorted(least))
    if at == len(keys) or int(keys[at]) != least:
        return None
    column = int(_UNPACKED["moves"][at])
    return column if least == key else 6 - column


_UNPACKED: dict[str, Any] = {}  # at the first move


def chosen_column(mover: int, mask: int, seconds: float) -> int:
    """The column to play in an unfinished position."""
    began = time.perf_counter()
    column = at_once(mover, mask)
    if column is None:
        column = looked_up(mover, mask)
    if column is not None:
        return column

    safe = safe_moves(mask, wins(mover ^ mask))
    ply, order = mask.bit_count(), [1 << square for square in CENTRE_FIRST if safe >> square & 1]
    search = Search(began + SHALLOW * seconds)
    try:
        for depth in range(2, END - ply):
            found, best = search.best(mover, mask, ply, order, -WIN, WIN, depth)
            if found == -WIN:
                break  # lost; what comes first now took longest to lose
            order.sort(key=lambda move: move != best)
            if found == WIN:
                return column_of(best)
    except OutOfTime:
        pass
    search.end = began + seconds
    try:
        for bar in (0, -1):  # is it won? is it drawn?
            found, best = search.best(mover, mask, ply, order, bar, bar + 1, END)
            if found > bar:
                return column_of(best)
    except OutOfTime:
        pass
    return column_of(order[0])


def agent(observation: Any, configuration: Any) -> int:
    """What Kaggle asks."""
    return chosen_column(*stones_shown(observation), SECONDS)
