"""A position that is played on and taken back, for searches: every fact a search asks of a segment is kept up to date.

    Net    what never changes: a board's segments, which of them cross, their empty triangles
    Drawing   the position: for each segment whether it is drawn, free or blocked, and

               gain   triangles that drawing it completes now (both other sides are drawn)
               risk   triangles that drawing it makes completable (one other side drawn, the third free)

A free segment with no gain and no risk is *safe* where no triangle can be completed: then the opponent has none either.
Free segments are linked in a ring (Knuth's dancing links): taking back restores their order for nothing.

The key names what the rest of the game depends on: the free segments and the live triangles (not complete, no side
blocked). Which finished area was filled how, is forgotten.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from hansu.compile import kernel
from hansu.core.tables import table
from hansu.games.triangles.rules import HEAD, MOVES, RECORD, SEGMENTS, TRIANGLES, Triangles, has

FREE, DRAWN, BLOCKED = 0, 1, 2
KEY, SCORED, COUNT, TOP = range(4)  # words of Drawing.facts


class Net(NamedTuple):
    triangle_start: Any  # int64[segments + 1]
    triangle_list: Any  # int64[]: the triangles of segment e lie from triangle_start[e] to triangle_start[e + 1]
    second: Any  # int64[], beside triangle_list: another side of that triangle
    third: Any  # int64[]: and the last one
    sides: Any  # int64[triangles, 3]
    cross_start: Any  # int64[segments + 1]
    cross_list: Any  # int64[]
    on_hull: Any  # int64[segments]: 1 for an edge of the hull
    free_code: Any  # int64[segments]: random bits for the key
    live_code: Any  # int64[triangles]
    totals: Any  # int64[2]: moves, triangles of a whole game


class Drawing(NamedTuple):
    status: Any  # int64[segments]
    gain: Any  # int64[segments]
    risk: Any  # int64[segments]
    code: Any  # int64[segments]: its own random bits plus those of its live triangles
    sides_drawn: Any  # int64[triangles]
    sides_blocked: Any  # int64[triangles]
    after: Any  # int64[segments + 1]: the ring of free segments; the last entry is its head
    before: Any  # int64[segments + 1]
    blocked: Any  # int64[]: stack of what each drawn segment blocked, and how many
    line: Any  # int64[segments]: room for a line that is drawn and taken back
    facts: Any  # int64[4]: KEY, SCORED triangles, COUNT of drawn segments, TOP of the stack


@lru_cache(maxsize=16)
def net_of(words: tuple[int, ...]) -> Net:
    """The net of the board with this table."""
    import numpy as np

    count = words[SEGMENTS]
    triangles: dict[tuple[int, ...], int] = {}
    at_side: list[list[int]] = []
    cross: list[list[int]] = []
    others: list[int] = []
    for e in range(count):
        at = HEAD + RECORD * e
        pairs = [words[i] for i in range(words[at + 4], words[at + 9])]
        corners = [tuple(sorted((e, pair & 255, pair >> 8))) for pair in pairs]
        at_side.append([triangles.setdefault(sides, len(triangles)) for sides in corners])
        others += pairs
        ruled_out = words[at : at + 4]
        cross.append([f for f in range(count) if f != e and has(ruled_out, f)])  # type: ignore[arg-type]
    codes = np.random.default_rng(20_11).integers(1, 1 << 62, size=count + len(triangles), dtype=np.int64)
    sides = np.array(list(triangles), dtype=np.int64).reshape(-1, 3)
    hull = np.array([int(_one_sided(words, e)) for e in range(count)], dtype=np.int64)
    pairs_of_sides = np.array(others, dtype=np.int64)
    return Net(
        *_flat(at_side), pairs_of_sides & 255, pairs_of_sides >> 8, sides, *_flat(cross), hull,
        codes[:count].copy(), codes[count:].copy(),
        np.array([words[MOVES], words[TRIANGLES]], dtype=np.int64),
    )  # fmt: skip


def _flat(lists: list[list[int]]) -> tuple[Any, Any]:
    import numpy as np

    starts = np.cumsum([0] + [len(own) for own in lists], dtype=np.int64)
    return starts, np.array([i for own in lists for i in own], dtype=np.int64)


def _one_sided(words: tuple[int, ...], e: int) -> bool:
    """Do all points lie on one side of this segment (or on its line)?"""
    from hansu.games.triangles.geometry import orientation
    from hansu.games.triangles.rules import ENDS_AT, POINTS, POINTS_AT

    at = words[POINTS_AT]
    points = [(words[at + 2 * i], words[at + 2 * i + 1]) for i in range(words[POINTS])]
    ends = words[words[ENDS_AT] + e]
    turns = [orientation(points[ends & 255], points[ends >> 8], p) for p in points]
    return min(turns) >= 0 or max(turns) <= 0


def new_drawing(net: Net) -> Drawing:
    """Nothing is drawn."""
    import numpy as np

    segments, triangles = len(net.on_hull), len(net.sides)

    def zeros(n: int) -> Any:
        return np.zeros(n, dtype=np.int64)

    drawing = Drawing(
        zeros(segments), zeros(segments), zeros(segments), zeros(segments), zeros(triangles), zeros(triangles),
        zeros(segments + 1), zeros(segments + 1), zeros(2 * segments + 2), zeros(segments), zeros(4),
    )  # fmt: skip
    clear(net, drawing)
    draw.precompile(net, drawing, 0)  # at the first position already, where nothing is drawn: later ones may be timed
    take_back.precompile(net, drawing, 0)
    return drawing


def drawing_of(s: Triangles) -> tuple[Net, Drawing]:
    """A state laid out for searching."""
    net = net_of(table(s.board))
    drawing = new_drawing(net)
    for e in range(len(net.on_hull)):
        if has(s.drawn, e):
            draw(net, drawing, e)
    return net, drawing


@kernel
def clear(net: Net, drawing: Drawing) -> None:
    """Nothing is drawn."""
    segments = len(net.on_hull)
    for e in range(segments + 1):
        drawing.after[e] = e + 1 if e < segments else 0
        drawing.before[e] = e - 1 if e > 0 else segments
    key = 0
    for e in range(segments):
        key ^= net.free_code[e]
        drawing.code[e] = net.free_code[e]
    for t in range(len(net.sides)):
        key ^= net.live_code[t]
        for k in range(3):
            drawing.code[net.sides[t, k]] += net.live_code[t]
    drawing.facts[KEY] = key


@kernel
def draw(net: Net, drawing: Drawing, e: int) -> int:
    """Draw a free segment; gives the triangles it completes."""
    # 1. It leaves the ring.
    drawing.status[e] = DRAWN
    drawing.after[drawing.before[e]] = drawing.after[e]
    drawing.before[drawing.after[e]] = drawing.before[e]
    key = drawing.facts[KEY] ^ net.free_code[e]

    # 2. Its triangles have one more side.
    gained = 0
    for i in range(net.triangle_start[e], net.triangle_start[e + 1]):
        t = net.triangle_list[i]
        if drawing.sides_blocked[t] > 0:
            continue
        drawing.sides_drawn[t] += 1
        if drawing.sides_drawn[t] == 3:
            gained += 1
            key ^= net.live_code[t]
        else:
            x, y = net.second[i], net.third[i]
            if drawing.sides_drawn[t] == 1:
                drawing.risk[x] += 1
                drawing.risk[y] += 1
            else:
                f = y if drawing.status[x] == DRAWN else x
                drawing.risk[f] -= 1
                drawing.gain[f] += 1

    # 3. What it crosses is blocked, with every triangle on it.
    top = drawing.facts[TOP]
    bottom = top
    for i in range(net.cross_start[e], net.cross_start[e + 1]):
        f = net.cross_list[i]
        if drawing.status[f] != FREE:
            continue
        drawing.status[f] = BLOCKED
        drawing.after[drawing.before[f]] = drawing.after[f]
        drawing.before[drawing.after[f]] = drawing.before[f]
        key ^= net.free_code[f]
        drawing.blocked[top] = f
        top += 1
        for j in range(net.triangle_start[f], net.triangle_start[f + 1]):
            t = net.triangle_list[j]
            drawing.sides_blocked[t] += 1
            if drawing.sides_blocked[t] == 1:
                key ^= net.live_code[t]
                x, y = net.second[j], net.third[j]
                drawing.code[x] -= net.live_code[t]
                drawing.code[y] -= net.live_code[t]
                if drawing.sides_drawn[t] == 1:
                    drawing.risk[y if drawing.status[x] == DRAWN else x] -= 1
    drawing.blocked[top] = top - bottom
    drawing.facts[TOP] = top + 1
    drawing.facts[KEY] = key
    drawing.facts[SCORED] += gained
    drawing.facts[COUNT] += 1
    return gained


@kernel
def take_back(net: Net, drawing: Drawing, e: int) -> None:
    """Undo `draw`, in reverse order."""
    key = drawing.facts[KEY]
    top = drawing.facts[TOP] - 1
    for _ in range(drawing.blocked[top]):
        top -= 1
        f = drawing.blocked[top]
        for j in range(net.triangle_start[f], net.triangle_start[f + 1]):
            t = net.triangle_list[j]
            drawing.sides_blocked[t] -= 1
            if drawing.sides_blocked[t] == 0:
                key ^= net.live_code[t]
                x, y = net.second[j], net.third[j]
                drawing.code[x] += net.live_code[t]
                drawing.code[y] += net.live_code[t]
                if drawing.sides_drawn[t] == 1:
                    drawing.risk[y if drawing.status[x] == DRAWN else x] += 1
        key ^= net.free_code[f]
        drawing.after[drawing.before[f]] = f
        drawing.before[drawing.after[f]] = f
        drawing.status[f] = FREE
    drawing.facts[TOP] = top

    gained = 0
    for i in range(net.triangle_start[e], net.triangle_start[e + 1]):
        t = net.triangle_list[i]
        if drawing.sides_blocked[t] > 0:
            continue
        drawing.sides_drawn[t] -= 1
        if drawing.sides_drawn[t] == 2:
            gained += 1
            key ^= net.live_code[t]
        else:
            x, y = net.second[i], net.third[i]
            if drawing.sides_drawn[t] == 0:
                drawing.risk[x] -= 1
                drawing.risk[y] -= 1
            else:
                f = y if drawing.status[x] == DRAWN else x
                drawing.risk[f] += 1
                drawing.gain[f] -= 1
    drawing.facts[KEY] = key ^ net.free_code[e]
    drawing.facts[SCORED] -= gained
    drawing.facts[COUNT] -= 1
    drawing.after[drawing.before[e]] = e
    drawing.before[drawing.after[e]] = e
    drawing.status[e] = FREE
