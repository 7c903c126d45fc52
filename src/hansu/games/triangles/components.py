"""Independent components of a position, with canonical names: equal names mean equal games.

Two free segments are connected if they share a live triangle, or if they are the diagonals of a closed quadrilateral.
A *component* is a connected set of free segments. Components are like separate boards: a move in one changes nothing in
the others. (Crossing segments are always in one component: any two triangulations of a face are joined by flips of one
diagonal, and a flip stays within a component.)

The name of a small component is a hash of its game: the set of (triangles gained, names of the remaining components)
over its moves. So a component with the same game elsewhere on the board has the same name, whatever its shape, and the
table of positions stores it once. The name of a larger component is a hash of its segments and live triangles.

A *coin* is a component of one move: a closed quadrilateral (2 for the player who draws a diagonal) or an edge of the
hull whose triangle can be completed (1). Its name is its value. Two equal coins cancel: either player can reply to one
with the other, and if nothing else is left, players take coins in turn, larger ones first. So coins count modulo 2.
(Larger equal components do not cancel: the player who has to open the first of two closed pentagons loses 2.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hansu.compile import kernel
from hansu.games.triangles.search_board import FREE, BoardGraph, SearchBoard, draw, undo

SMALL = 10  # segments of a component whose name is computed from its game
MOST_COIN = 2  # the largest value of a coin
PLIES = 64
MOST_SEGMENTS = 192  # of a board, rounded up


class Names(NamedTuple):
    """A table of names, and buffers with one row per ply."""

    keys: Any  # int64[size], a power of two: hashes of segments and live triangles
    names: Any  # int64[size]
    segments: Any  # int64[PLIES, MOST_SEGMENTS]: free segments, component after component
    options: Any  # int64[PLIES, MOST_SEGMENTS]
    mark: Any  # int64[MOST_SEGMENTS]: the stamp of the last traversal that visited a segment
    stamp: Any  # int64[1]


def new_names(slots: int) -> Names:
    """An empty table of names; `slots` is a power of two."""
    import numpy as np

    def zeros(*shape: int) -> Any:
        return np.zeros(shape, dtype=np.int64)

    return Names(
        zeros(slots),
        zeros(slots),
        zeros(PLIES, MOST_SEGMENTS),
        zeros(PLIES, MOST_SEGMENTS),
        zeros(MOST_SEGMENTS),
        zeros(1),
    )


@kernel
def mixed(x: int) -> int:
    """A hash of 64 bits, by two rounds of multiply and shift."""
    x = (x ^ (x >> 31 & 0x1FFFFFFFF)) * 0x7FB5D329728EA185
    x = (x ^ (x >> 27 & 0x1FFFFFFFFF)) * 0x1EF2B7A8D3C5F16B
    return x ^ (x >> 33 & 0x7FFFFFFF)


@kernel
def other_diagonal(graph: BoardGraph, board: SearchBoard, e: int) -> int:
    """The other free diagonal of the closed quadrilateral that contains e, or -1."""
    for i in range(graph.cross_start[e], graph.cross_start[e + 1]):
        if board.status[graph.cross_list[i]] == FREE:
            return graph.cross_list[i]  # type: ignore[no-any-return]
    return -1


@kernel
def gather(graph: BoardGraph, board: SearchBoard, e: int, row: Any, start: int, names: Names) -> int:
    """Write the component of the free segment e into the row from `start` on; returns its end."""
    stamp = names.stamp[0]
    end = start
    row[end] = e
    end += 1
    names.mark[e] = stamp
    if board.gain[e] == 2:
        twin = other_diagonal(graph, board, e)
        if twin >= 0:
            names.mark[twin] = stamp
            row[end] = twin
            end += 1
        return end
    at = start
    while at < end:
        e = row[at]
        at += 1
        for i in range(graph.triangle_start[e], graph.triangle_start[e + 1]):
            t = graph.triangle_list[i]
            if board.sides_blocked[t] > 0:
                continue
            f = graph.second[i]
            if names.mark[f] != stamp and board.status[f] == FREE:
                names.mark[f] = stamp
                row[end] = f
                end += 1
            f = graph.third[i]
            if names.mark[f] != stamp and board.status[f] == FREE:
                names.mark[f] = stamp
                row[end] = f
                end += 1
    return end


@kernel
def component_slot(graph: BoardGraph, board: SearchBoard, start: int, end: int, ply: int, names: Names) -> int:
    """The slot with the name of the component in row `ply` from start to end. Computes the name if necessary."""
    # 1. Look up the hash of its segments and live triangles.
    row = names.segments[ply]
    key = 0
    for at in range(start, end):
        key += board.code[row[at]]
    key = mixed(key)
    slot = key & (len(names.keys) - 1)
    if names.keys[slot] == key:
        return slot

    # 2. Compute the name from the game: the set of results of its moves.
    name = key
    if end - start <= SMALL:
        options = names.options[ply]
        below = names.segments[ply + 1]
        count = 0
        tail = 0
        gained = 0
        for at in range(start, end):
            gained = draw(graph, board, row[at])
            rest = 0
            coins = 0
            names.stamp[0] += 1
            stamp = names.stamp[0]
            tail = 0
            for other in range(start, end):
                if board.status[row[other]] == FREE and names.mark[row[other]] != stamp:
                    head = tail
                    tail = gather(graph, board, row[other], below, head, names)
                    part = names.names[component_slot(graph, board, head, tail, ply + 1, names)]
                    if 0 < part <= MOST_COIN:
                        coins ^= part
                    else:
                        rest += part
                    # component_slot used other stamps: restore the marks of this traversal.
                    names.stamp[0] += 1
                    stamp = names.stamp[0]
                    for visited in range(tail):
                        names.mark[below[visited]] = stamp
            undo(graph, board, row[at])
            option = mixed(mixed(rest + coins) + gained + 1)
            new = True
            for i in range(count):
                if options[i] == option:
                    new = False
            if new:
                options[count] = option
                count += 1
        total = 0
        for i in range(count):
            total += options[i]
        name = gained if tail == 0 else mixed(total + count)
    names.keys[slot] = key
    names.names[slot] = name
    return slot
