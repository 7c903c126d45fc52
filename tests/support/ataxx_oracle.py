"""A simple Ataxx to check bitboards against: dicts of squares, no bits."""

from __future__ import annotations

from typing import Any


def neighbours(square: tuple[int, int], distance: int) -> list[tuple[int, int]]:
    x, y = square
    around = [(x + dx, y + dy) for dx in range(-2, 3) for dy in range(-2, 3) if max(abs(dx), abs(dy)) == distance]
    return [(a, b) for a, b in around if 0 <= a < 7 and 0 <= b < 7]


def can_move(board: dict, side: int) -> bool:
    return any(board[n] is None for s in board if board[s] == side for d in (1, 2) for n in neighbours(s, d))


def ended(board: dict, side: int, halfmove: int, contest: bool) -> bool:
    if any(side not in board.values() for side in (0, 1)) or halfmove >= 100:
        return True
    movable = [can_move(board, 0), can_move(board, 1)]
    return not any(movable) or (contest and not movable[side])


def result(board: dict, side: int, contest: bool) -> int:
    """The result for side 0. A game that did not end by counting is a draw by the clock."""
    counts = [sum(piece == player for piece in board.values()) for player in (0, 1)]
    movable = [can_move(board, 0), can_move(board, 1)]
    if all(counts) and any(movable) and not (contest and not movable[side]):
        return 0
    if contest and (movable[0] != movable[1]):
        counts[movable.index(True)] += sum(piece is None for piece in board.values())
    return (counts[0] > counts[1]) - (counts[0] < counts[1])


def moves(board: dict, side: int) -> list:
    """Moves as (source, target). The source of a single is None, and a pass is [None]. A board maps (x, y) to 0, 1, "-"
    or None."""
    empty = [s for s in board if board[s] is None]
    singles = [(None, t) for t in empty if any(board[n] == side for n in neighbours(t, 1))]
    doubles = [(n, t) for t in empty for n in neighbours(t, 2) if board[n] == side]
    return singles + doubles or [None]


def after(board: dict, side: int, halfmove: int, move: Any) -> tuple[dict, int, int]:
    board = dict(board)
    if move is None:
        return board, 1 - side, halfmove + 1
    source, target = move
    if source is not None:
        board[source] = None
    board.update({n: side for n in neighbours(target, 1) if board[n] == 1 - side} | {target: side})
    return board, 1 - side, 0 if source is None else halfmove + 1
