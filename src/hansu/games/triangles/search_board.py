"""A board for searches, with `draw` and `undo`.

    BoardGraph    what never changes: a board's segments, their crossings and their empty triangles
    SearchBoard   the position: for each segment whether it is drawn, free or blocked, and

        gain      the triangles that drawing it completes (both other sides are drawn)
        risk      the triangles that drawing it makes completable (one other side is drawn, the third is free)

A free segment with no gain and no risk is *safe* if no triangle can be completed: then the opponent cannot complete one
either. Free segments are linked in a ring (Knuth's dancing links), so `undo` restores their order at no cost.

The key depends only on what matters for the rest of the game: the free segments and the live triangles (not complete,
no side blocked).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from hansu.compile import kernel
from hansu.core.tables import table
from hansu.games.triangles.rules import HEAD, MOVES, RECORD, SEGMENTS, TRIANGLES, Triangles, has

FREE, DRAWN, BLOCKED = 0, 1, 2
KEY, SCORED, COUNT, TOP = range(4)  # words of SearchBoard.facts


class BoardGraph(NamedTuple):
    """The segments, triangles and crossings of a board."""

    triangle_start: Any  # int64[segments + 1]
    triangle_list: Any  # int64[]: the triangles of segment e are from triangle_start[e] to triangle_start[e + 1]
    second: Any  # int64[], parallel to triangle_list: another side of the triangle
    third: Any  # int64[], parallel to triangle_list: its last side
    sides: Any  # int64[triangles, 3]
    cross_start: Any  # int64[segments + 1]
    cross_list: Any  # int64[]
    on_hull: Any  # int64[segments]: 1 for an edge of the hull
    free_code: Any  # int64[segments]: random bits for the key
    live_code: Any  # int64[triangles]
    totals: Any  # int64[2]: moves and triangles of a whole game


class SearchBoard(NamedTuple):
    """A position for searches, as mutable arrays."""

    status: Any  # int64[segments]
    gain: Any  # int64[segments]
    risk: Any  # int64[segments]
    code: Any  # int64[segments]: the segment's random bits plus those of its live triangles
    sides_drawn: Any  # int64[triangles]
    sides_blocked: Any  # int64[triangles]
    after: Any  # int64[segments + 1]: the ring of free segments; the last entry is its head
    before: Any  # int64[segments + 1]
    blocked: Any  # int64[]: stack of the segments that each drawn segment blocked, and their number
    line: Any  # int64[segments]: buffer for a line that is drawn and undone
    facts: Any  # int64[4]: KEY, SCORED triangles, COUNT of drawn segments, TOP of the stack


@lru_cache(maxsize=16)
def graph_of(words: tuple[int, ...]) -> BoardGraph:
    """The graph of the board with this table."""
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
        excluded = words[at : at + 4]
        cross.append([f for f in range(count) if f != e and has(excluded, f)])  # type: ignore[arg-type]
    codes = np.random.default_rng(20_11).integers(1, 1 << 62, size=count + len(triangles), dtype=np.int64)
    sides = np.array(list(triangles), dtype=np.int64).reshape(-1, 3)
    hull = np.array([int(_one_sided(words, e)) for e in range(count)], dtype=np.int64)
    pairs_of_sides = np.array(others, dtype=np.int64)
    return BoardGraph(
        *_flat(at_side), pairs_of_sides & 255, pairs_of_sides >> 8, sides, *_flat(cross), hull,
        codes[:count].copy(), codes[count:].copy(),
        np.array([words[MOVES], words[TRIANGLES]], dtype=np.int64),
    )  # fmt: skip


def _flat(lists: list[list[int]]) -> tuple[Any, Any]:
    import numpy as np

    starts = np.cumsum([0] + [len(own) for own in lists], dtype=np.int64)
    return starts, np.array([i for own in lists for i in own], dtype=np.int64)


def _one_sided(words: tuple[int, ...], e: int) -> bool:
    """Are all points on one side of this segment or on its line?"""
    from hansu.games.triangles.geometry import orientation
    from hansu.games.triangles.rules import ENDS_AT, POINTS, POINTS_AT

    at = words[POINTS_AT]
    points = [(words[at + 2 * i], words[at + 2 * i + 1]) for i in range(words[POINTS])]
    ends = words[words[ENDS_AT] + e]
    turns = [orientation(points[ends & 255], points[ends >> 8], p) for p in points]
    return min(turns) >= 0 or max(turns) <= 0


def new_search_board(graph: BoardGraph) -> SearchBoard:
    """The empty position of a board."""
    import numpy as np

    segments, triangles = len(graph.on_hull), len(graph.sides)

    def zeros(n: int) -> Any:
        return np.zeros(n, dtype=np.int64)

    board = SearchBoard(
        zeros(segments), zeros(segments), zeros(segments), zeros(segments), zeros(triangles), zeros(triangles),
        zeros(segments + 1), zeros(segments + 1), zeros(2 * segments + 2), zeros(segments), zeros(4),
    )  # fmt: skip
    clear(graph, board)
    draw.precompile(graph, board, 0)  # now, on the empty board: later positions may be timed
    undo.precompile(graph, board, 0)
    return board


def search_board_of(s: Triangles) -> tuple[BoardGraph, SearchBoard]:
    """The graph and the search board of a state."""
    graph = graph_of(table(s.board))
    board = new_search_board(graph)
    for e in range(len(graph.on_hull)):
        if has(s.drawn, e):
            draw(graph, board, e)
    return graph, board


@kernel
def clear(graph: BoardGraph, board: SearchBoard) -> None:
    """Set up the empty position."""
    segments = len(graph.on_hull)
    for e in range(segments + 1):
        board.after[e] = e + 1 if e < segments else 0
        board.before[e] = e - 1 if e > 0 else segments
    key = 0
    for e in range(segments):
        key ^= graph.free_code[e]
        board.code[e] = graph.free_code[e]
    for t in range(len(graph.sides)):
        key ^= graph.live_code[t]
        for k in range(3):
            board.code[graph.sides[t, k]] += graph.live_code[t]
    board.facts[KEY] = key


@kernel
def draw(graph: BoardGraph, board: SearchBoard, e: int) -> int:
    """Draw a free segment; returns the number of triangles it completes."""
    # 1. Remove the segment from the ring.
    board.status[e] = DRAWN
    board.after[board.before[e]] = board.after[e]
    board.before[board.after[e]] = board.before[e]
    key = board.facts[KEY] ^ graph.free_code[e]

    # 2. Update its triangles.
    gained = 0
    for i in range(graph.triangle_start[e], graph.triangle_start[e + 1]):
        t = graph.triangle_list[i]
        if board.sides_blocked[t] > 0:
            continue
        board.sides_drawn[t] += 1
        if board.sides_drawn[t] == 3:
            gained += 1
            key ^= graph.live_code[t]
        else:
            x, y = graph.second[i], graph.third[i]
            if board.sides_drawn[t] == 1:
                board.risk[x] += 1
                board.risk[y] += 1
            else:
                f = y if board.status[x] == DRAWN else x
                board.risk[f] -= 1
                board.gain[f] += 1

    # 3. Block the segments that it crosses, with all their triangles.
    top = board.facts[TOP]
    bottom = top
    for i in range(graph.cross_start[e], graph.cross_start[e + 1]):
        f = graph.cross_list[i]
        if board.status[f] != FREE:
            continue
        board.status[f] = BLOCKED
        board.after[board.before[f]] = board.after[f]
        board.before[board.after[f]] = board.before[f]
        key ^= graph.free_code[f]
        board.blocked[top] = f
        top += 1
        for j in range(graph.triangle_start[f], graph.triangle_start[f + 1]):
            t = graph.triangle_list[j]
            board.sides_blocked[t] += 1
            if board.sides_blocked[t] == 1:
                key ^= graph.live_code[t]
                x, y = graph.second[j], graph.third[j]
                board.code[x] -= graph.live_code[t]
                board.code[y] -= graph.live_code[t]
                if board.sides_drawn[t] == 1:
                    board.risk[y if board.status[x] == DRAWN else x] -= 1
    board.blocked[top] = top - bottom
    board.facts[TOP] = top + 1
    board.facts[KEY] = key
    board.facts[SCORED] += gained
    board.facts[COUNT] += 1
    return gained


@kernel
def undo(graph: BoardGraph, board: SearchBoard, e: int) -> None:
    """Undo `draw`, in reverse order."""
    key = board.facts[KEY]
    top = board.facts[TOP] - 1
    for _ in range(board.blocked[top]):
        top -= 1
        f = board.blocked[top]
        for j in range(graph.triangle_start[f], graph.triangle_start[f + 1]):
            t = graph.triangle_list[j]
            board.sides_blocked[t] -= 1
            if board.sides_blocked[t] == 0:
                key ^= graph.live_code[t]
                x, y = graph.second[j], graph.third[j]
                board.code[x] += graph.live_code[t]
                board.code[y] += graph.live_code[t]
                if board.sides_drawn[t] == 1:
                    board.risk[y if board.status[x] == DRAWN else x] += 1
        key ^= graph.free_code[f]
        board.after[board.before[f]] = f
        board.before[board.after[f]] = f
        board.status[f] = FREE
    board.facts[TOP] = top

    gained = 0
    for i in range(graph.triangle_start[e], graph.triangle_start[e + 1]):
        t = graph.triangle_list[i]
        if board.sides_blocked[t] > 0:
            continue
        board.sides_drawn[t] -= 1
        if board.sides_drawn[t] == 2:
            gained += 1
            key ^= graph.live_code[t]
        else:
            x, y = graph.second[i], graph.third[i]
            if board.sides_drawn[t] == 0:
                board.risk[x] -= 1
                board.risk[y] -= 1
            else:
                f = y if board.status[x] == DRAWN else x
                board.risk[f] += 1
                board.gain[f] -= 1
    board.facts[KEY] = key ^ graph.free_code[e]
    board.facts[SCORED] -= gained
    board.facts[COUNT] -= 1
    board.after[board.before[e]] = e
    board.before[board.after[e]] = e
    board.status[e] = FREE
