"""Independent components of a position, named so that equal components have equal names.

Two free segments depend on each other when they share a live triangle (or are the two diagonals of a closed
quadrilateral); what is connected so is a *component*, and components are played like separate boards: a move in one
changes nothing in the others. (Segments that cross are always connected so: any two triangulations of a face are joined
by flips of one diagonal, and a flip stays within a component.)

A small component is named by its game: the set of (triangles gained, names of the components that are left) over its
moves. So the same struggle elsewhere on the board, turned or of another shape, has the same name, and a table of
positions needs it once. A larger component is named by its segments and live triangles.

A *coin* is a component of one move: a closed quadrilateral (2 to whoever draws a diagonal) or an edge of the hull whose
triangle is ready (1). Its name is its worth. Two equal coins change nothing in any company: either player can answer
one with the other, and once nothing else is left, coins are taken in turn, the larger first. So coins count modulo 2.
(This does not hold for larger equal components: who must open the first of two closed pentagons loses 2 by it.)
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hansu.compile import kernel
from hansu.games.triangles.board import FREE, Drawing, Net, draw, take_back

SMALL = 10  # segments of a component that is named by its game
MOST_WORTH = 2  # of a coin
PLIES = 64
ROOM = 192


class Names(NamedTuple):
    """What is known of components, and room to work in. A row belongs to one ply."""

    keys: Any  # int64[size], size a power of two: components by their segments and live triangles
    names: Any  # int64[size]
    segments: Any  # int64[PLIES, ROOM]: free segments, component after component
    options: Any  # int64[PLIES, ROOM]
    mark: Any  # int64[ROOM]: the stamp of the last walk that met a segment
    stamp: Any  # int64[1]


def new_names(slots: int) -> Names:
    import numpy as np

    def zeros(*shape: int) -> Any:
        return np.zeros(shape, dtype=np.int64)

    return Names(zeros(slots), zeros(slots), zeros(PLIES, ROOM), zeros(PLIES, ROOM), zeros(ROOM), zeros(1))


@kernel
def mixed(x: int) -> int:
    """64 bits scattered, by two rounds of multiply and shift."""
    x = (x ^ (x >> 31 & 0x1FFFFFFFF)) * 0x7FB5D329728EA185
    x = (x ^ (x >> 27 & 0x1FFFFFFFFF)) * 0x1EF2B7A8D3C5F16B
    return x ^ (x >> 33 & 0x7FFFFFFF)


@kernel
def twin_of(net: Net, drawing: Drawing, e: int) -> int:
    """The other free diagonal of the closed quadrilateral that e divides, or -1."""
    for i in range(net.cross_start[e], net.cross_start[e + 1]):
        if drawing.status[net.cross_list[i]] == FREE:
            return net.cross_list[i]  # type: ignore[no-any-return]
    return -1


@kernel
def gather(net: Net, drawing: Drawing, e: int, row: Any, start: int, names: Names) -> int:
    """Write the component of the free segment e into the row from `start` on; gives its end."""
    stamp = names.stamp[0]
    end = start
    row[end] = e
    end += 1
    names.mark[e] = stamp
    if drawing.gain[e] == 2:
        twin = twin_of(net, drawing, e)
        if twin >= 0:
            names.mark[twin] = stamp
            row[end] = twin
            end += 1
        return end
    at = start
    while at < end:
        e = row[at]
        at += 1
        for i in range(net.triangle_start[e], net.triangle_start[e + 1]):
            t = net.triangle_list[i]
            if drawing.sides_blocked[t] > 0:
                continue
            f = net.second[i]
            if names.mark[f] != stamp and drawing.status[f] == FREE:
                names.mark[f] = stamp
                row[end] = f
                end += 1
            f = net.third[i]
            if names.mark[f] != stamp and drawing.status[f] == FREE:
                names.mark[f] = stamp
                row[end] = f
                end += 1
    return end


@kernel
def component_slot(net: Net, drawing: Drawing, start: int, end: int, ply: int, names: Names) -> int:
    """Where the name of the component in row `ply` from start to end is kept; worked out if it is not known."""
    # 1. By its segments and live triangles.
    row = names.segments[ply]
    key = 0
    for at in range(start, end):
        key += drawing.code[row[at]]
    key = mixed(key)
    slot = key & (len(names.keys) - 1)
    if names.keys[slot] == key:
        return slot

    # 2. By its game: the set of what its moves lead to.
    name = key
    if end - start <= SMALL:
        options = names.options[ply]
        below = names.segments[ply + 1]
        count = 0
        tail = 0
        gained = 0
        for at in range(start, end):
            gained = draw(net, drawing, row[at])
            rest = 0
            coins = 0
            names.stamp[0] += 1
            stamp = names.stamp[0]
            tail = 0
            for other in range(start, end):
                if drawing.status[row[other]] == FREE and names.mark[row[other]] != stamp:
                    head = tail
                    tail = gather(net, drawing, row[other], below, head, names)
                    found = names.names[component_slot(net, drawing, head, tail, ply + 1, names)]
                    if 0 < found <= MOST_WORTH:
                        coins ^= found
                    else:
                        rest += found
                    # Naming walked with stamps of its own; bring back the marks of this walk.
                    names.stamp[0] += 1
                    stamp = names.stamp[0]
                    for seen in range(tail):
                        names.mark[below[seen]] = stamp
            take_back(net, drawing, row[at])
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
