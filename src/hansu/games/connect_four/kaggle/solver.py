"""A player for Kaggle's ConnectX, exported by hansu: the solver, in plain Python and NumPy.

    up to 12 stones       a repertoire: a best column for every position that its own play can reach
    then                  alpha-beta with iterative deepening over bitboards
    in the time left      the same without a horizon; a solved position is played perfectly

The search, its move ordering and its two static bounds are those of hansu's solver, which names their sources: Pascal
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
    column_of,
    forced_column,
    read_observation,
    safe_moves,
    wins,
)

REPERTOIRE = ""  # base64 of an .npz archive of sorted `keys` and `moves`; set at the end of an exported file
SHALLOW = 0.35  # share of the time for the search with a horizon

WIN = 1000  # a proven win; evaluations are far below
END = 42  # plies: a depth that reaches the end of every game


class OutOfTime(Exception):
    """Ends the search."""


def has_four(stones: int) -> bool:
    """Are there four in a line?"""
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
    """All squares above the given ones."""
    squares = squares << 1 & BOARD
    squares |= squares << 1 & BOARD
    squares |= squares << 2 & BOTTOM * 0b111100
    return squares | squares << 4 & BOTTOM * 0b110000


def answer_above(x: int, o: int, mask: int, o_wins: int) -> int | None:
    """A lower bound for O, who has just moved and always replies directly above X: WIN, 0 or None.

    X gets the free odd squares and the lowest free square of each column with an odd number of free squares, but
    nothing above an even square where O wins."""
    free = BOARD ^ mask
    lowest_even = mask + BOTTOM & EVEN
    evens = free & EVEN & ~lowest_even
    if has_four(x | lowest_even | free & ODD & ~above(o_wins & evens)):
        return None
    return WIN if has_four(o | evens) else 0


def odd_threat(x: int, o: int, mask: int, x_wins: int) -> int | None:
    """WIN for X, who has just moved, if X wins on an odd square below which O has to play in the end; else None."""
    free = BOARD ^ mask
    moves = mask + BOTTOM & BOARD
    threats = x_wins & free & ODD & ~moves
    while threats:
        threat = threats & -threats
        column = COLUMN << (threat.bit_length() - 1) // 7 * 7
        threats &= ~column
        pairs = moves & (EVEN & ~column | ODD & column)
        reach = ODD & ~column & ~above(x_wins & free & EVEN & ~moves) | EVEN & column & threat - 1
        if not has_four(o | pairs | free & reach):
            return WIN
    return None


def evaluate(mover: int, mask: int, ply: int, threats: int) -> int:
    """The evaluation for the mover: winning squares, with a higher weight in the rows that their owner gets."""
    free = BOARD ^ mask
    mine, theirs = wins(mover) & free, threats & free
    x, o = (theirs, mine) if ply & 1 else (mine, theirs)
    ahead = 12 * (x & ODD).bit_count() + 4 * (x & EVEN).bit_count()
    ahead -= 9 * (o & EVEN).bit_count() + 6 * (o & ODD).bit_count()
    return -ahead if ply & 1 else ahead


class Search:
    """A search with its transposition table and deadline."""

    def __init__(self, end: float) -> None:
        self.end = end
        self.nodes = 0
        self.table: dict[int, tuple[int, int, int, int]] = {}  # key -> depth, lower, upper, best move
        self.history = [[0] * 49 for _ in range(24)]  # history of good squares by stage and side

    def value(
        self, mover: int, mask: int, ply: int, threats: int, moves: int, alpha: int, beta: int, depth: int
    ) -> int:
        """The value for the mover: exact between alpha and beta, else a bound. The opponent wins on the squares
        `threats`; `moves` are the safe moves (at least one); the mover cannot win at once."""
        if ply >= 40:
            return 0
        opponent = mover ^ mask
        if ply > 20:
            free = BOARD ^ mask
            if alpha >= 0 and not has_four(mover | free):
                return 0
            if beta <= 0 and not has_four(opponent | free):
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
            return evaluate(mover, mask, ply, threats)

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
                bound = answer_above(opponent, mover | move, after, mine)
            else:
                bound = odd_threat(mover | move, opponent, after, mine)
            if bound is not None and bound > best:
                if bound >= beta:
                    return bound
                best = bound
            order = history[move.bit_length() - 1] + 64 * (mine & ~after).bit_count() - 8 * replies.bit_count()
            children.append((order if move != hint else END * WIN, move, mine, replies))
        children.sort(reverse=True)
        low = max(alpha, best)
        chosen = children[0][1]
        for number, (_, move, mine, replies) in enumerate(children):
            value = -self.value(opponent, mask | move, ply + 1, mine, replies, -beta, -low, depth - 1)
            if value > best:
                best, chosen = value, move
                low = max(low, best)
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
        """The value of the root and the first move that has it."""
        best, chosen = -WIN - 1, moves[0]
        for move in moves:
            mine = wins(mover | move)
            replies = safe_moves(mask | move, mine)
            value, low = WIN, max(alpha, best)
            if replies:
                value = -self.value(mover ^ mask, mask | move, ply + 1, mine, replies, -beta, -low, depth - 1)
            if value > best:
                best, chosen = value, move
                if best >= beta:
                    break
        return best, chosen


def repertoire_column(mover: int, mask: int) -> int | None:
    """The repertoire's column, if it contains the position or its mirror image."""
    if not REPERTOIRE:
        return None
    if not _LOADED:
        _LOADED.update(np.load(io.BytesIO(base64.b64decode(REPERTOIRE))))
    key = mover + mask
    mirrored = sum((key >> 7 * column & 127) << 7 * (6 - column) for column in range(7))
    least, keys = min(key, mirrored), _LOADED["keys"]
    at = int(keys.searchsorted(least))
    if at == len(keys) or int(keys[at]) != least:
        return None
    column = int(_LOADED["moves"][at])
    return column if least == key else 6 - column


_LOADED: dict[str, Any] = {}  # filled at the first move


def chosen_column(mover: int, mask: int, seconds: float) -> int:
    """The column to play in an unfinished position."""
    began = time.perf_counter()
    column = forced_column(mover, mask)
    if column is None:
        column = repertoire_column(mover, mask)
    if column is not None:
        return column

    safe = safe_moves(mask, wins(mover ^ mask))
    ply, order = mask.bit_count(), [1 << square for square in CENTRE_FIRST if safe >> square & 1]
    search = Search(began + SHALLOW * seconds)
    try:
        for depth in range(2, END - ply):
            value, best = search.best(mover, mask, ply, order, -WIN, WIN, depth)
            if value == -WIN:
                break  # lost; the first move in the order lasts longest
            order.sort(key=lambda move: move != best)
            if value == WIN:
                return column_of(best)
    except OutOfTime:
        pass
    search.end = began + seconds
    try:
        for goal in (1, 0):  # a win? a draw?
            value, best = search.best(mover, mask, ply, order, goal - 1, goal, END)
            if value >= goal:
                return column_of(best)
    except OutOfTime:
        pass
    return column_of(order[0])


def agent(observation: Any, configuration: Any) -> int:
    """The function that Kaggle calls."""
    return chosen_column(*read_observation(observation), SECONDS)
