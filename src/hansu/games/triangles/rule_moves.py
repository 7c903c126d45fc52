"""What the course's own players draw: `rule`, as the course's report means it, and `parity`, its improvement.

`rule` takes the most triangles it can; while there are safe segments it heads for saturation (no safe segment left) on
the shortest way it finds; at saturation it looks six plies ahead, three moves a position. `parity` does not take every
triangle: it asks first what that opens for the opponent. docs/games/triangles.md says where the report leaves a choice.
"""

from __future__ import annotations

from typing import Any

from hansu.compile import kernel
from hansu.games.triangles.board import DRAWN, FREE, Drawing, Net, draw, take_back

PLIES = 6
CHILDREN = 3
WAYS = 12  # to saturation, the best of which is kept
MOST_STEPS = 200_000  # of the search for ways; never met on boards of the 7 x 7 grid in play, a guard for others
NOWHERE = 1_000_000
ALPHA, BETA, BEST, AT, STEP, CHOSEN = range(CHILDREN, CHILDREN + 6)  # words of a frame, after its moves
FRAME = CHILDREN + 6


@kernel
def best_gain(net: Net, drawing: Drawing) -> int:
    """The most triangles that one segment completes now."""
    head = len(net.on_hull)
    best = 0
    e = drawing.after[head]
    while e != head:
        best = max(best, drawing.gain[e])
        e = drawing.after[e]
    return best


@kernel
def opened_by(net: Net, drawing: Drawing, e: int) -> int:
    """The segment that completes a triangle on the drawn segment e, or -1; one that completes two comes first."""
    found = -1
    for i in range(net.triangle_start[e], net.triangle_start[e + 1]):
        t = net.triangle_list[i]
        if drawing.sides_blocked[t] == 0 and drawing.sides_drawn[t] == 2:
            f = net.third[i] if drawing.status[net.second[i]] == DRAWN else net.second[i]
            if (
                found < 0
                or drawing.gain[f] > drawing.gain[found]
                or (drawing.gain[f] == drawing.gain[found] and f < found)
            ):
                found = f
    return found


@kernel
def chain_length(net: Net, drawing: Drawing, e: int) -> int:
    """How many moves follow each other from e on, each completing what the one before opened; 0 where e hands over two
    triangles at once (the rest of a closed polygon)."""
    length = 0
    two = False
    while e >= 0:
        draw(net, drawing, e)
        drawing.line[length] = e
        length += 1
        e = opened_by(net, drawing, e)
        if length == 1:
            two = e >= 0 and drawing.gain[e] == 2
    for i in range(length - 1, -1, -1):
        take_back(net, drawing, drawing.line[i])
    return 0 if two else length


@kernel
def triangle_move(net: Net, drawing: Drawing, careful: bool) -> int:
    """The first segment that completes most, or -1; a careful player passes over those that do not end well."""
    head = len(net.on_hull)
    for wanted in (2, 1):
        e = drawing.after[head]
        while e != head:
            if drawing.gain[e] == wanted and (not careful or chain_length(net, drawing, e) % 2 == 1):
                return e  # type: ignore[no-any-return]
            e = drawing.after[e]
    return -1


@kernel
def any_safe(net: Net, drawing: Drawing) -> bool:
    head = len(net.on_hull)
    e = drawing.after[head]
    while e != head:
        if drawing.gain[e] == 0 and drawing.risk[e] == 0:
            return True
        e = drawing.after[e]
    return False


@kernel
def shortest_way(net: Net, drawing: Drawing, line: Any, best: Any) -> int:
    """Depth-first over safe segments until none is left, branches longer than the best cut; gives the best length.

    line  int64[]: the way in hand     best  int64[]: the shortest found
    """
    # (Not recursive: Numba 0.67 cannot always load a recursive function that another one calls from its cache.)
    head = len(net.on_hull)
    length = found = steps = 0
    shortest = NOWHERE
    e = drawing.after[head]
    while True:
        while e != head and (drawing.gain[e] > 0 or drawing.risk[e] > 0):
            e = drawing.after[e]
        if e == head or length >= shortest or found >= WAYS or steps >= MOST_STEPS:
            if length == 0:
                return shortest
            length -= 1
            e = line[length]
            take_back(net, drawing, e)
            e = drawing.after[e]
            continue
        line[length] = e
        length += 1
        steps += 1
        draw(net, drawing, e)
        e = drawing.after[head]
        if not any_safe(net, drawing):
            found += 1
            e = head
            if length < shortest:
                shortest = length
                for i in range(length):
                    best[i] = line[i]


@kernel
def likely_moves(net: Net, drawing: Drawing, moves: Any) -> None:
    """The three moves with the highest h = 3 * triangles - next, next = 0, 2, 1 where none, one, more are left open."""
    head = len(net.on_hull)
    ready = 0
    e = drawing.after[head]
    while e != head:
        ready += drawing.gain[e]
        e = drawing.after[e]
    worth = (-NOWHERE, -NOWHERE, -NOWHERE)
    moves[:CHILDREN] = -1
    e = drawing.after[head]
    while e != head:
        gained = drawing.gain[e]
        opened = ready - gained + drawing.risk[e]
        if ready > gained:  # what e crosses can no longer be completed
            for i in range(net.cross_start[e], net.cross_start[e + 1]):
                if drawing.status[net.cross_list[i]] == FREE:
                    opened -= drawing.gain[net.cross_list[i]]
        h = 3 * gained - (0 if opened == 0 else 2 if opened == 1 else 1)
        if h > worth[0]:
            moves[2], moves[1], moves[0] = moves[1], moves[0], e
            worth = (h, worth[0], worth[1])
        elif h > worth[1]:
            moves[2], moves[1] = moves[1], e
            worth = (worth[0], h, worth[1])
        elif h > worth[2]:
            moves[2] = e
            worth = (worth[0], worth[1], h)
        e = drawing.after[e]


@kernel
def look_ahead(net: Net, drawing: Drawing, frames: Any) -> int:
    """Alpha-beta over the likely moves, with a stack of frames; gives the value, frames[0, CHOSEN] is the move."""
    frame = frames[0]
    frame[ALPHA], frame[BETA], frame[BEST], frame[AT] = -NOWHERE, NOWHERE, -NOWHERE, 0
    likely_moves(net, drawing, frame)
    ply = 0
    while True:
        frame = frames[ply]
        at = frame[AT]
        if at < CHILDREN and frame[at] >= 0 and frame[BEST] < frame[BETA]:  # down
            gained = draw(net, drawing, frame[at])
            given = best_gain(net, drawing)
            frame[STEP] = (45 if gained == 2 else 15 * gained) - (30 if given == 2 else 10 * given)
            ply += 1
            below = frames[ply]
            below[ALPHA] = frame[STEP] - frame[BETA]
            below[BETA] = frame[STEP] - max(frame[ALPHA], frame[BEST])
            below[AT] = 0
            if ply == PLIES or drawing.after[len(net.on_hull)] == len(net.on_hull):
                below[BEST] = 0
                below[0] = -1
            else:
                below[BEST] = -NOWHERE
                likely_moves(net, drawing, below)
        elif ply == 0:
            return frame[BEST]  # type: ignore[no-any-return]
        else:  # up
            ply -= 1
            above = frames[ply]
            take_back(net, drawing, above[above[AT]])
            if above[STEP] - frame[BEST] > above[BEST]:
                above[BEST] = above[STEP] - frame[BEST]
                above[CHOSEN] = above[above[AT]]
            above[AT] += 1


@kernel
def safe_move(net: Net, drawing: Drawing, work: Any) -> int:
    """A segment of the shortest way to saturation that was found, or -1; work[2, 0] is the length of the way."""
    head = len(net.on_hull)
    some = False
    e = drawing.after[head]
    while e != head:
        if drawing.gain[e] > 0:
            return -1  # the opponent could complete it, whatever else is drawn
        if drawing.risk[e] == 0:
            some = True
        e = drawing.after[e]
    if not some:
        return -1
    best = work[1]
    length = shortest_way(net, drawing, work[0], best)
    work[2, 0] = length
    hull_edges = 0
    for e in range(head):
        hull_edges += net.on_hull[e]
    if net.totals[0] == 2 * hull_edges - 3:  # every point is on the hull
        for i in range(length):
            if net.on_hull[best[i]] == 0:
                return best[i]  # type: ignore[no-any-return]
    return best[0]  # type: ignore[no-any-return]


@kernel
def rule_move(net: Net, drawing: Drawing, careful: bool, work: Any) -> int:
    """What the report's player draws here. work: see `new_work`."""
    e = triangle_move(net, drawing, careful)
    if e >= 0:
        return e
    e = safe_move(net, drawing, work)
    if e >= 0:
        return e
    look_ahead(net, drawing, work[3:])
    return work[3, CHOSEN]  # type: ignore[no-any-return]


def new_work(net: Net) -> Any:
    """Rows: the way in hand, the best way, [its length], then a frame for each ply."""
    import numpy as np

    return np.zeros((4 + PLIES, len(net.on_hull) + FRAME), dtype=np.int64)
