"""Alpha-beta over a Desk: exact where it reaches the end of the game, else with a guess at the leaves.

Values are triangles still to come, the mover's less the opponent's. What makes it fast:

1.  What is left is bounded: with r triangles to come, the value lies between -r and r and has the parity of r.
2.  Twins cancel. A closed quadrilateral is worth 2 to whoever draws its diagonal, and nothing else comes of it; so is, with
    1, an edge of the hull whose triangle is ready. Two of a kind are worth nothing: whoever takes one, the other player
    answers with its twin, and both are where they were (in *any* rest of the game, since both players have the same
    moves). So of each kind only an odd one counts, and it is one move, not many.
3.  The table is asked with the key of what is left (see `desk`), twins taken out: drawings of different pasts meet.

The table, a slot of two words:   keys int64[size]
                                  notes int64[size]: bound kind 2 bits | depth 8 | move 8 | value + 64 from bit 18 on
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hansu.core import kernel, pick
from hansu.core.control import EVALUATIONS, NODE_LIMIT, NODES
from hansu.games.triangles.desk import COUNT, FREE, KEY, SCORED, Desk, Net, draw, take_back
from hansu.games.triangles.parts import PLIES, ROOM, Names, gather, mixed, new_names, part_slot
from hansu.search.watch import raised

EXACT, LOWER, UPPER = 1, 2, 3
COMPLETE = 255  # as a depth: no guess below
NO_MOVE = 255
INFINITY = 1000
TO_THE_END = 200  # as a depth: more than any game has plies
UNIT = 4
OFFSET = 1024


class Memory(NamedTuple):
    """What a search keeps between its iterations, and a player between its moves."""

    keys: Any  # int64[size], size a power of two
    notes: Any  # int64[size]
    history: Any  # int64[ROOM]: how often a segment was the best one
    moves: Any  # int64[PLIES, ROOM]: the moves of the node in hand, ply by ply
    ranks: Any  # int64[PLIES, ROOM]
    starts: Any
    names: Any
    triangles: Any
    seed: Any  # int64[1]


def ring(net: Net, desk: Desk) -> list[int]:
    """The free segments in order."""
    found = []
    e = int(desk.after[-1])
    while e != len(net.on_hull):
        found.append(e)
        e = int(desk.after[e])
    return found


def new_memory(slots: int) -> Memory:
    import numpy as np

    size = 1 << max(slots - 1, 1).bit_length()
    return Memory(
        np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(ROOM, np.int64),
        np.zeros((PLIES, ROOM), np.int64), *(np.zeros((PLIES, ROOM), np.int64) for _ in range(4)), np.ones(2, np.int64),
    )  # fmt: skip


@kernel
def halted(words: Any) -> bool:
    return raised(words) or 0 < words[NODE_LIMIT] <= words[NODES]


@kernel
def static_value(desk: Desk, moves: Any, count: int, left: int) -> int:
    """A guess for the mover: what it can complete at once; where nothing, and no segment is safe, half a triangle less."""
    most = 0
    safe = False
    for i in range(count):
        most = max(most, desk.gain[moves[i]])
        if desk.gain[moves[i]] == 0 and desk.risk[moves[i]] == 0:
            safe = True
    if most == 0 and not safe:
        return max(-UNIT // 2, -left)
    return min(UNIT * most, left)


@kernel
def search(net: Net, desk: Desk, depth: int, alpha: int, beta: int, ply: int, memory: Memory, names: Names, words: Any) -> int:
    """The value for the mover if it lies between alpha and beta, else a bound on it."""
    words[NODES] += 1
    left = net.totals[1] - desk.facts[SCORED]
    if left == 0:
        return 0

    # 1. The parts; twins cancel.
    head = len(net.on_hull)
    moves = memory.moves[ply]
    ranks = memory.ranks[ply]
    row = names.segments[ply]
    starts = memory.starts[ply]
    part_names = memory.names[ply]
    part_triangles = memory.triangles[ply]
    names.stamp[0] += 1
    stamp = names.stamp[0]
    parts = 0
    tail = 0
    e = desk.after[head]
    while e != head:
        if names.mark[e] != stamp:
            starts[parts] = tail
            tail = gather(net, desk, e, row, tail, names)
            parts += 1
        e = desk.after[e]
    starts[parts] = tail
    key = 0
    coins = 0
    ones = 0
    twos = 0
    for i in range(parts):
        slot = part_slot(net, desk, starts[i], starts[i + 1], ply, names)
        part_names[i] = names.names[slot]
        part_triangles[i] = names.triangles[slot]
        if 0 <= part_names[i] < 3:
            coins ^= part_names[i]
            if part_names[i] == 2:
                twos += 1
            else:
                ones += 1
        else:
            key += part_names[i]
    left -= 4 * (twos >> 1) + 2 * (ones >> 1)
    left *= UNIT
    count = 0
    for i in range(parts):
        if part_names[i] == 2:
            if twos & 1 == 0:
                continue
            twos = 2
        if part_names[i] == 1:
            if ones & 1 == 0:
                continue
            ones = 2
        for at in range(starts[i], starts[i + 1]):
            e = row[at]
            moves[count] = e
            ranks[count] = 4096 * (4 * desk.gain[e] - desk.risk[e])
            count += 1
            if desk.gain[e] == 2:
                break
    if count == 0:
        return 0
    key = mixed(key + coins)

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
                    words[EVALUATIONS] += 1
                return value
    if depth <= 0:
        words[EVALUATIONS] += 1
        return static_value(desk, moves, count, left)
    for i in range(count):
        ranks[i] += min(memory.history[moves[i]], 4095)
        if moves[i] == known:
            ranks[i] = 1 << 40

    # 3. Search them, the likely ones first.
    guesses = words[EVALUATIONS]
    low = alpha
    best = -INFINITY
    best_move = NO_MOVE
    for i in range(count):
        top = i
        for j in range(i + 1, count):
            if ranks[j] > ranks[top]:
                top = j
        e = moves[top]
        moves[top] = moves[i]
        ranks[top] = ranks[i]
        moves[i] = e
        gained = UNIT * draw(net, desk, e)
        if i == 0:
            value = gained - search(net, desk, depth - 1, gained - beta, gained - low, ply + 1, memory, names, words)
        else:
            value = gained - search(net, desk, depth - 1, gained - low - 1, gained - low, ply + 1, memory, names, words)
            if low < value < beta:
                value = gained - search(net, desk, depth - 1, gained - beta, gained - value, ply + 1, memory, names, words)
        take_back(net, desk, e)
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
    searched = COMPLETE if words[EVALUATIONS] == guesses else min(depth, COMPLETE - 1)
    memory.keys[slot] = key
    memory.notes[slot] = kind | searched << 2 | best_move << 10 | (best + OFFSET) << 18
    return best
