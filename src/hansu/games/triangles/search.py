"""Alpha-beta over a SearchBoard: exact if it reaches the end of the game, else with a static evaluation of leaves.

A value is the mover's triangles minus the opponent's in the rest of the game, in half triangles (UNIT), so that a
static value can lie between two results. Two facts make the search fast:

1.  With r triangles left, the value is between -r and r.
2.  The key of a position is the sum of the names of its components (see `components`). So positions with different
    histories share an entry, and so do equal components in different places. Pairs of equal coins need no search.

The table has two words per slot:  keys   the position
                                   notes  kind of bound 2 bits | depth 8 | best segment 8 | value + OFFSET from bit 18
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hansu.compile import kernel
from hansu.core import Control
from hansu.core.control import EVALUATIONS, NODES
from hansu.games.triangles.components import MOST_COIN, MOST_SEGMENTS, PLIES, Names, component_slot, gather, mixed
from hansu.games.triangles.search_board import SCORED, BoardGraph, SearchBoard, draw, undo
from hansu.search.watch import halted, set_word, word

EXACT, LOWER, UPPER = 1, 2, 3
COMPLETE = 255  # as a depth: searched to the end
NO_MOVE = 255
INFINITY = 1000
TO_THE_END = 200  # as a depth: more than any game has plies
UNIT = 2  # units per triangle
OFFSET = 1024  # makes values in the table positive


class TrianglesMemory(NamedTuple):
    """The transposition table, the history and buffers of a search."""

    keys: Any  # int64[size], a power of two
    notes: Any  # int64[size]
    history: Any  # int64[MOST_SEGMENTS]: history of segments that caused a cutoff
    moves: Any  # int64[PLIES, MOST_SEGMENTS]: the moves of the current node of each ply
    ranks: Any  # int64[PLIES, MOST_SEGMENTS]
    starts: Any  # int64[PLIES, MOST_SEGMENTS]: the start of each component
    component_names: Any  # int64[PLIES, MOST_SEGMENTS]


def ring(graph: BoardGraph, board: SearchBoard) -> list[int]:
    """The free segments in order."""
    segments = []
    e = int(board.after[-1])
    while e != len(graph.on_hull):
        segments.append(e)
        e = int(board.after[e])
    return segments


def best_line(
    graph: BoardGraph, board: SearchBoard, value: int, memory: TrianglesMemory, names: Names, control: Control
) -> tuple[int, ...]:
    """Best play to the end from a position with a known exact value: always the first move that keeps it. Shorter
    if the search is stopped."""
    line: list[int] = []
    while not control.halted:
        for e in ring(graph, board):
            gained = UNIT * draw(graph, board, e)
            target = gained - value
            rest = search(graph, board, TO_THE_END, target, target + 1, 0, memory, names, control.address)
            if rest <= target and not control.halted:
                line.append(e)
                value = target
                break
            undo(graph, board, e)
        else:
            break
    for e in reversed(line):
        undo(graph, board, e)
    return tuple(line)


def new_memory(slots: int) -> TrianglesMemory:
    """The memory of a search with a table of at least this many slots."""
    import numpy as np

    def rows() -> Any:
        return np.zeros((PLIES, MOST_SEGMENTS), np.int64)

    size = 1 << max(slots - 1, 1).bit_length()
    return TrianglesMemory(
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(MOST_SEGMENTS, np.int64),
        rows(),
        rows(),
        rows(),
        rows(),
    )


@kernel
def static_value(board: SearchBoard, moves: Any, count: int, left: int) -> int:
    """The static value for the mover: the triangles it can complete at once, or minus half a triangle if no segment is
    safe."""
    most = 0
    safe = False
    for i in range(count):
        most = max(most, board.gain[moves[i]])
        if board.gain[moves[i]] == 0 and board.risk[moves[i]] == 0:
            safe = True
    if most == 0 and not safe:
        return max(-UNIT // 2, -left)
    return min(UNIT * most, left)


@kernel
def list_components(graph: BoardGraph, board: SearchBoard, ply: int, memory: TrianglesMemory, names: Names) -> int:
    """Fill the ply's rows of segments, starts and component_names; returns the number of components."""
    head = len(graph.on_hull)
    row, starts = names.segments[ply], memory.starts[ply]
    names.stamp[0] += 1
    stamp = names.stamp[0]
    components = 0
    tail = 0
    e = board.after[head]
    while e != head:
        if names.mark[e] != stamp:
            starts[components] = tail
            tail = gather(graph, board, e, row, tail, names)
            components += 1
        e = board.after[e]
    starts[components] = tail
    for i in range(components):
        slot = component_slot(graph, board, starts[i], starts[i + 1], ply, names)
        memory.component_names[ply, i] = names.names[slot]
    return components


@kernel
def list_moves(components: int, left: int, ply: int, memory: TrianglesMemory, names: Names) -> tuple[int, int, int]:
    """Fill moves[ply], without pairs of equal coins. Returns the number of moves, the key of the position, and the
    number of triangles left."""
    moves, row, starts = memory.moves[ply], names.segments[ply], memory.starts[ply]
    component_names = memory.component_names[ply]
    key = 0
    coins = 0
    for i in range(components):
        if not 0 < component_names[i] <= MOST_COIN:
            key += component_names[i]
        else:
            if coins & component_names[i]:
                left -= 2 * component_names[i]
            coins ^= component_names[i]
    key = mixed(key + coins)
    count = 0
    for i in range(components):
        if 0 < component_names[i] <= MOST_COIN:
            if coins & component_names[i] == 0:
                continue
            coins ^= component_names[i]
            moves[count] = row[starts[i]]
            count += 1
            continue
        for at in range(starts[i], starts[i + 1]):
            moves[count] = row[at]
            count += 1
    return count, key, left


@kernel
def bring_best(moves: Any, ranks: Any, start: int, count: int) -> int:
    """Swap the move with the highest rank to index `start`."""
    top = start
    for i in range(start + 1, count):
        if ranks[i] > ranks[top]:
            top = i
    e = moves[top]
    moves[top] = moves[start]
    ranks[top] = ranks[start]
    moves[start] = e
    return e  # type: ignore[no-any-return]


@kernel
def search(
    graph: BoardGraph,
    board: SearchBoard,
    depth: int,
    alpha: int,
    beta: int,
    ply: int,
    memory: TrianglesMemory,
    names: Names,
    words: Any,
) -> int:
    """The value for the mover if it is between alpha and beta, else a bound."""
    set_word(words, NODES, word(words, NODES) + 1)
    left = graph.totals[1] - board.facts[SCORED]
    if left == 0:
        return 0

    # 1. The components and their moves.
    moves = memory.moves[ply]
    ranks = memory.ranks[ply]
    components = list_components(graph, board, ply, memory, names)
    count, key, left = list_moves(components, left, ply, memory, names)
    left *= UNIT
    if count == 0:
        return 0

    # 2. Bounds, transposition table, leaves.
    alpha = max(alpha, -left)
    beta = min(beta, left)
    if alpha >= beta:
        return alpha
    slot = key & (len(memory.keys) - 1)
    table_move = NO_MOVE
    if memory.keys[slot] == key:
        note = memory.notes[slot]
        table_move = note >> 10 & 255
        if note >> 2 & 255 >= depth:
            value = (note >> 18) - OFFSET
            kind = note & 3
            if kind == EXACT or (kind == LOWER and value >= beta) or (kind == UPPER and value <= alpha):
                if note >> 2 & 255 != COMPLETE:
                    set_word(words, EVALUATIONS, word(words, EVALUATIONS) + 1)
                return value  # type: ignore[no-any-return]
    if depth <= 0:
        set_word(words, EVALUATIONS, word(words, EVALUATIONS) + 1)
        return static_value(board, moves, count, left)
    for i in range(count):
        e = moves[i]
        ranks[i] = 4096 * (4 * board.gain[e] - board.risk[e]) + min(memory.history[e], 4095)
        if e == table_move:
            ranks[i] = 1 << 40

    # 3. Search the moves, best first.
    evaluations = word(words, EVALUATIONS)
    low = alpha
    best = -INFINITY
    best_move = NO_MOVE
    for i in range(count):
        e = bring_best(moves, ranks, i, count)
        gained = UNIT * draw(graph, board, e)
        if i == 0:
            value = gained - search(graph, board, depth - 1, gained - beta, gained - low, ply + 1, memory, names, words)
        else:
            value = gained - search(
                graph, board, depth - 1, gained - low - 1, gained - low, ply + 1, memory, names, words
            )
            if low < value < beta:
                value = gained - search(
                    graph, board, depth - 1, gained - beta, gained - value, ply + 1, memory, names, words
                )
        undo(graph, board, e)
        if halted(words):
            return best
        if value > best:
            best = value
            best_move = e
            if value > low:
                low = value
                if low >= beta:
                    memory.history[e] += depth
                    break

    # 4. Store the result.
    kind = EXACT
    if best <= alpha:
        kind = UPPER
    elif best >= beta:
        kind = LOWER
    searched = COMPLETE if word(words, EVALUATIONS) == evaluations else min(depth, COMPLETE - 1)
    memory.keys[slot] = key
    memory.notes[slot] = kind | searched << 2 | best_move << 10 | (best + OFFSET) << 18
    return best
