"""The moves of the course's players: `rule`, as in the course report, and `parity`, its improvement.

`rule` completes as many triangles as it can. While there are safe segments, it heads for saturation (no safe segment
left) on the shortest way. At saturation it searches six plies with three moves per position. `parity` takes a triangle
only after checking what that opens for the opponent. docs/games/triangles.md describes both.
"""

from __future__ import annotations

from typing import Any

from hansu.compile import kernel
from hansu.games.triangles.search_board import DRAWN, FREE, BoardGraph, SearchBoard, draw, undo

PLIES = 6
CHILDREN = 3
WAYS = 12  # ways to saturation that are compared
MOST_STEPS = 200_000  # of the search for ways; games on the 7 x 7 grid never reach it
NOWHERE = 1_000_000
ALPHA, BETA, BEST, AT, STEP, CHOSEN = range(CHILDREN, CHILDREN + 6)  # words of a frame, after its moves
FRAME = CHILDREN + 6


@kernel
def best_gain(graph: BoardGraph, board: SearchBoard) -> int:
    """The largest number of triangles that one segment completes now."""
    head = len(graph.on_hull)
    best = 0
    e = board.after[head]
    while e != head:
        best = max(best, board.gain[e])
        e = board.after[e]
    return best


@kernel
def opened_by(graph: BoardGraph, board: SearchBoard, e: int) -> int:
    """A segment that completes a triangle on the drawn segment e, or -1. Prefers one that completes two."""
    best = -1
    for i in range(graph.triangle_start[e], graph.triangle_start[e + 1]):
        t = graph.triangle_list[i]
        if board.sides_blocked[t] == 0 and board.sides_drawn[t] == 2:
            f = graph.third[i] if board.status[graph.second[i]] == DRAWN else graph.second[i]
            if best < 0 or board.gain[f] > board.gain[best] or (board.gain[f] == board.gain[best] and f < best):
                best = f
    return best


@kernel
def chain_length(graph: BoardGraph, board: SearchBoard, e: int) -> int:
    """The length of the chain from e on, in which each move completes what the previous one opened; 0 if e opens a
    segment that completes two triangles (the rest of a closed polygon)."""
    length = 0
    two = False
    while e >= 0:
        draw(graph, board, e)
        board.line[length] = e
        length += 1
        e = opened_by(graph, board, e)
        if length == 1:
            two = e >= 0 and board.gain[e] == 2
    for i in range(length - 1, -1, -1):
        undo(graph, board, board.line[i])
    return 0 if two else length


@kernel
def triangle_move(graph: BoardGraph, board: SearchBoard, careful: bool) -> int:
    """The first segment that completes most triangles, or -1. A careful player skips those with an even chain."""
    head = len(graph.on_hull)
    for gain in (2, 1):
        e = board.after[head]
        while e != head:
            if board.gain[e] == gain and (not careful or chain_length(graph, board, e) % 2 == 1):
                return e  # type: ignore[no-any-return]
            e = board.after[e]
    return -1


@kernel
def any_safe(graph: BoardGraph, board: SearchBoard) -> bool:
    """Is there a safe segment?"""
    head = len(graph.on_hull)
    e = board.after[head]
    while e != head:
        if board.gain[e] == 0 and board.risk[e] == 0:
            return True
        e = board.after[e]
    return False


@kernel
def shortest_way(graph: BoardGraph, board: SearchBoard, line: Any, best: Any) -> int:
    """The length of the shortest way to saturation, by depth-first search over safe segments; longer branches are cut.

    line  int64[]: the current way     best  int64[]: the shortest way
    """
    # (Not recursive: Numba 0.67 cannot always load a recursive function from its cache if another one calls it.)
    head = len(graph.on_hull)
    length = ways = steps = 0
    shortest = NOWHERE
    e = board.after[head]
    while True:
        while e != head and (board.gain[e] > 0 or board.risk[e] > 0):
            e = board.after[e]
        if e == head or length >= shortest or ways >= WAYS or steps >= MOST_STEPS:
            if length == 0:
                return shortest
            length -= 1
            e = line[length]
            undo(graph, board, e)
            e = board.after[e]
            continue
        line[length] = e
        length += 1
        steps += 1
        draw(graph, board, e)
        e = board.after[head]
        if not any_safe(graph, board):
            ways += 1
            e = head
            if length < shortest:
                shortest = length
                for i in range(length):
                    best[i] = line[i]


@kernel
def likely_moves(graph: BoardGraph, board: SearchBoard, moves: Any) -> None:
    """The three moves with the highest h = 3 * triangles - next; next is 0, 2, 1 if none, one, more triangles are left
    open."""
    head = len(graph.on_hull)
    ready = 0
    e = board.after[head]
    while e != head:
        ready += board.gain[e]
        e = board.after[e]
    scores = (-NOWHERE, -NOWHERE, -NOWHERE)
    moves[:CHILDREN] = -1
    e = board.after[head]
    while e != head:
        gained = board.gain[e]
        opened = ready - gained + board.risk[e]
        if ready > gained:  # segments that e crosses can no longer complete triangles
            for i in range(graph.cross_start[e], graph.cross_start[e + 1]):
                if board.status[graph.cross_list[i]] == FREE:
                    opened -= board.gain[graph.cross_list[i]]
        h = 3 * gained - (0 if opened == 0 else 2 if opened == 1 else 1)
        if h > scores[0]:
            moves[2], moves[1], moves[0] = moves[1], moves[0], e
            scores = (h, scores[0], scores[1])
        elif h > scores[1]:
            moves[2], moves[1] = moves[1], e
            scores = (scores[0], h, scores[1])
        elif h > scores[2]:
            moves[2] = e
            scores = (scores[0], scores[1], h)
        e = board.after[e]


@kernel
def look_ahead(graph: BoardGraph, board: SearchBoard, frames: Any) -> int:
    """Alpha-beta over the likely moves, with a stack of frames. Returns the value; frames[0, CHOSEN] is the move."""
    frame = frames[0]
    frame[ALPHA], frame[BETA], frame[BEST], frame[AT] = -NOWHERE, NOWHERE, -NOWHERE, 0
    likely_moves(graph, board, frame)
    ply = 0
    while True:
        frame = frames[ply]
        at = frame[AT]
        if at < CHILDREN and frame[at] >= 0 and frame[BEST] < frame[BETA]:  # down
            gained = draw(graph, board, frame[at])
            opened = best_gain(graph, board)
            frame[STEP] = (45 if gained == 2 else 15 * gained) - (30 if opened == 2 else 10 * opened)
            ply += 1
            below = frames[ply]
            below[ALPHA] = frame[STEP] - frame[BETA]
            below[BETA] = frame[STEP] - max(frame[ALPHA], frame[BEST])
            below[AT] = 0
            if ply == PLIES or board.after[len(graph.on_hull)] == len(graph.on_hull):
                below[BEST] = 0
                below[0] = -1
            else:
                below[BEST] = -NOWHERE
                likely_moves(graph, board, below)
        elif ply == 0:
            return frame[BEST]  # type: ignore[no-any-return]
        else:  # up
            ply -= 1
            above = frames[ply]
            undo(graph, board, above[above[AT]])
            if above[STEP] - frame[BEST] > above[BEST]:
                above[BEST] = above[STEP] - frame[BEST]
                above[CHOSEN] = above[above[AT]]
            above[AT] += 1


@kernel
def safe_move(graph: BoardGraph, board: SearchBoard, work: Any) -> int:
    """A segment of the shortest way to saturation, or -1. work[2, 0] is the length of the way."""
    head = len(graph.on_hull)
    any_is_safe = False
    e = board.after[head]
    while e != head:
        if board.gain[e] > 0:
            return -1  # after any other move the opponent could complete it
        if board.risk[e] == 0:
            any_is_safe = True
        e = board.after[e]
    if not any_is_safe:
        return -1
    best = work[1]
    length = shortest_way(graph, board, work[0], best)
    work[2, 0] = length
    hull_edges = 0
    for e in range(head):
        hull_edges += graph.on_hull[e]
    if graph.totals[0] == 2 * hull_edges - 3:  # every point is on the hull
        for i in range(length):
            if graph.on_hull[best[i]] == 0:
                return best[i]  # type: ignore[no-any-return]
    return best[0]  # type: ignore[no-any-return]


@kernel
def rule_move(graph: BoardGraph, board: SearchBoard, careful: bool, work: Any) -> int:
    """The move of the report's player; `new_work` describes work."""
    e = triangle_move(graph, board, careful)
    if e >= 0:
        return e
    e = safe_move(graph, board, work)
    if e >= 0:
        return e
    look_ahead(graph, board, work[3:])
    return work[3, CHOSEN]  # type: ignore[no-any-return]


def new_work(graph: BoardGraph) -> Any:
    """int64[rows, words]: the current way, the best way, its length, then a frame for each ply."""
    import numpy as np

    return np.zeros((4 + PLIES, len(graph.on_hull) + FRAME), dtype=np.int64)
