"""Alpha-beta over a Drawing: exact where it reaches the end of the game, else with a guess at the leaves.

Values are what is still to come, the mover's triangles less the opponent's, in half triangles (UNIT), so that a guess
can lie between two results. What makes it fast:

1.  What is left is bounded: with r triangles to come the value lies between -r and r.
2.  The table is asked with the sum of the names of the components (see `components`): drawings of different pasts meet
    in it, equal struggles in different places too, and of two equal coins there is nothing left to search.

The table, two words a slot:  keys   the position
                              notes  bound kind 2 bits | depth 8 | best segment 8 | value + OFFSET from bit 18 on
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hansu.compile import kernel
from hansu.core import Control
from hansu.core.control import EVALUATIONS, NODES
from hansu.games.triangles.board import SCORED, Drawing, Net, draw, take_back
from hansu.games.triangles.components import MOST_WORTH, PLIES, ROOM, Names, component_slot, gather, mixed
from hansu.search.watch import halted, set_word, word

EXACT, LOWER, UPPER = 1, 2, 3
COMPLETE = 255  # as a depth: no guess below
NO_MOVE = 255
INFINITY = 1000
TO_THE_END = 200  # as a depth: more than any game has plies
UNIT = 2  # of a triangle
OFFSET = 1024  # makes values in the table positive


class TrianglesMemory(NamedTuple):
    """What a search keeps between its iterations, and a player between its moves."""

    keys: Any  # int64[size], size a power of two
    notes: Any  # int64[size]
    history: Any  # int64[ROOM]: how often a segment was the best one
    moves: Any  # int64[PLIES, ROOM]: the moves of the node in hand, ply by ply
    ranks: Any  # int64[PLIES, ROOM]
    starts: Any  # int64[PLIES, ROOM]: where each component begins
    component_names: Any  # int64[PLIES, ROOM]


def ring(net: Net, drawing: Drawing) -> list[int]:
    """The free segments in order."""
    found = []
    e = int(drawing.after[-1])
    while e != len(net.on_hull):
        found.append(e)
        e = int(drawing.after[e])
    return found


def best_line(
    net: Net, drawing: Drawing, value: int, memory: TrianglesMemory, names: Names, control: Control
) -> tuple[int, ...]:
    """Best play to the end from a position with a known exact value: always the first move in order that keeps it.
    Shorter where the search is stopped."""
    line: list[int] = []
    while not control.halted:
        for e in ring(net, drawing):
            gained = UNIT * draw(net, drawing, e)
            wanted = gained - value
            rest = search(net, drawing, TO_THE_END, wanted, wanted + 1, 0, memory, names, control.address)
            if rest <= wanted and not control.halted:
                line.append(e)
                value = wanted
                break
            take_back(net, drawing, e)
        else:
            break
    for e in reversed(line):
        take_back(net, drawing, e)
    return tuple(line)


def new_memory(slots: int) -> TrianglesMemory:
    import numpy as np

    def rows() -> Any:
        return np.zeros((PLIES, ROOM), np.int64)

    size = 1 << max(slots - 1, 1).bit_length()
    return TrianglesMemory(
        np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(ROOM, np.int64), rows(), rows(), rows(), rows()
    )


@kernel
def static_value(drawing: Drawing, moves: Any, count: int, left: int) -> int:
    """A guess for the mover: what it can complete at once; or minus half a triangle where no segment is safe."""
    most = 0
    safe = False
    for i in range(count):
        most = max(most, drawing.gain[moves[i]])
        if drawing.gain[moves[i]] == 0 and drawing.risk[moves[i]] == 0:
            safe = True
    if most == 0 and not safe:
        return max(-UNIT // 2, -left)
    return min(UNIT * most, left)


@kernel
def list_components(net: Net, drawing: Drawing, ply: int, memory: TrianglesMemory, names: Names) -> int:
    """Fill the ply's rows of segments, starts and component_names; gives the number of components."""
    head = len(net.on_hull)
    row, starts = names.segments[ply], memory.starts[ply]
    names.stamp[0] += 1
    stamp = names.stamp[0]
    components = 0
    tail = 0
    e = drawing.after[head]
    while e != head:
        if names.mark[e] != stamp:
            starts[components] = tail
            tail = gather(net, drawing, e, row, tail, names)
            components += 1
        e = drawing.after[e]
    starts[components] = tail
    for i in range(components):
        slot = component_slot(net, drawing, starts[i], starts[i + 1], ply, names)
        memory.component_names[ply, i] = names.names[slot]
    return components


@kernel
def list_moves(components: int, left: int, ply: int, memory: TrianglesMemory, names: Names) -> tuple[int, int, int]:
    """Fill moves[ply]; of equal coins only an odd one counts. Gives the number of moves, the key of the position, and
    how many triangles are left to play for."""
    moves, row, starts = memory.moves[ply], names.segments[ply], memory.starts[ply]
    component_names = memory.component_names[ply]
    key = 0
    coins = 0
    for i in range(components):
        if not 0 < component_names[i] <= MOST_WORTH:
            key += component_names[i]
        else:
            if coins & component_names[i]:
                left -= 2 * component_names[i]
            coins ^= component_names[i]
    key = mixed(key + coins)
    count = 0
    for i in range(components):
        if 0 < component_names[i] <= MOST_WORTH:
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
    """Swap the move with the greatest rank to place `start`."""
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
    net: Net,
    drawing: Drawing,
    depth: int,
    alpha: int,
    beta: int,
    ply: int,
    memory: TrianglesMemory,
    names: Names,
    words: Any,
) -> int:
    """The value for the mover if it lies between alpha and beta, else a bound on it."""
    set_word(words, NODES, word(words, NODES) + 1)
    left = net.totals[1] - drawing.facts[SCORED]
    if left == 0:
        return 0

    # 1. The components and their moves.
    moves = memory.moves[ply]
    ranks = memory.ranks[ply]
    components = list_components(net, drawing, ply, memory, names)
    count, key, left = list_moves(components, left, ply, memory, names)
    left *= UNIT
    if count == 0:
        return 0

    # 2. What is known.
    alpha = max(alpha, -left)
    beta = min(beta, left)
    if alpha >= beta:
        return alpha
    slot = key & (len(memory.keys) - 1)
    known = NO_MOVE
    if memory.keys[slot] == key:
        note = memory.notes[slot]
        known = note >> 10 & 255
        if note >> 2 & 255 >= depth:
            value = (note >> 18) - OFFSET
            kind = note & 3
            if kind == EXACT or (kind == LOWER and value >= beta) or (kind == UPPER and value <= alpha):
                if note >> 2 & 255 != COMPLETE:
                    set_word(words, EVALUATIONS, word(words, EVALUATIONS) + 1)
                return value  # type: ignore[no-any-return]
    if depth <= 0:
        set_word(words, EVALUATIONS, word(words, EVALUATIONS) + 1)
        return static_value(drawing, moves, count, left)
    for i in range(count):
        e = moves[i]
        ranks[i] = 4096 * (4 * drawing.gain[e] - drawing.risk[e]) + min(memory.history[e], 4095)
        if e == known:
            ranks[i] = 1 << 40

    # 3. Search them, the likely ones first.
    guesses = word(words, EVALUATIONS)
    low = alpha
    best = -INFINITY
    best_move = NO_MOVE
    for i in range(count):
        e = bring_best(moves, ranks, i, count)
        gained = UNIT * draw(net, drawing, e)
        if i == 0:
            value = gained - search(net, drawing, depth - 1, gained - beta, gained - low, ply + 1, memory, names, words)
        else:
            value = gained - search(
                net, drawing, depth - 1, gained - low - 1, gained - low, ply + 1, memory, names, words
            )
            if low < value < beta:
                value = gained - search(
                    net, drawing, depth - 1, gained - beta, gained - value, ply + 1, memory, names, words
                )
        take_back(net, drawing, e)
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

    # 4. Remember.
    kind = EXACT
    if best <= alpha:
        kind = UPPER
    elif best >= beta:
        kind = LOWER
    searched = COMPLETE if word(words, EVALUATIONS) == guesses else min(depth, COMPLETE - 1)
    memory.keys[slot] = key
    memory.notes[slot] = kind | searched << 2 | best_move << 10 | (best + OFFSET) << 18
    return best
