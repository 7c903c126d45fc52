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
from hansu.search.watch import raised

EXACT, LOWER, UPPER = 1, 2, 3
COMPLETE = 255  # as a depth: no guess below
NO_MOVE = 255
INFINITY = 1000
PLIES = 64
ROOM = 192
ODD_QUAD = 0x1234_5678_9ABC_DEF1
ODD_EDGE = 0x0FED_CBA9_8765_4321


class Memory(NamedTuple):
    """What a search keeps between its iterations, and a player between its moves."""

    keys: Any  # int64[size], size a power of two
    notes: Any  # int64[size]
    history: Any  # int64[ROOM]: how often a segment was the best one
    moves: Any  # int64[PLIES, ROOM]: the moves of the node in hand, ply by ply
    ranks: Any  # int64[PLIES, ROOM]
    seed: Any  # int64[1]


def new_memory(slots: int) -> Memory:
    import numpy as np

    size = 1 << max(slots - 1, 1).bit_length()
    return Memory(
        np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(ROOM, np.int64),
        np.zeros((PLIES, ROOM), np.int64), np.zeros((PLIES, ROOM), np.int64), np.ones(1, np.int64),
    )  # fmt: skip


@kernel
def halted(words: Any) -> bool:
    return raised(words) or 0 < words[NODE_LIMIT] <= words[NODES]


@kernel
def twin_of(net: Net, desk: Desk, e: int) -> int:
    """The other free diagonal of the closed quadrilateral that e divides, or -1."""
    for i in range(net.cross_start[e], net.cross_start[e + 1]):
        if desk.status[net.cross_list[i]] == FREE:
            return net.cross_list[i]
    return -1


@kernel
def live_codes(net: Net, desk: Desk, e: int) -> int:
    """What e and its live triangles add to the key."""
    key = net.free_code[e]
    for i in range(net.triangle_start[e], net.triangle_start[e + 1]):
        if desk.sides_blocked[net.triangle_list[i]] == 0:
            key ^= net.live_code[net.triangle_list[i]]
    return key


@kernel
def playout(net: Net, desk: Desk, seed: Any) -> int:
    """The result of a game in which both take what they can, else draw a safe segment, else give away little."""
    head = len(net.on_hull)
    value = 0
    sign = 1
    depth = 0
    base = desk.facts[COUNT]
    line = desk.line
    while desk.after[head] != head:
        best = -1
        best_rank = -1000
        ties = 0
        e = desk.after[head]
        while e != head:
            rank = 8 * desk.gain[e] - desk.risk[e]
            if rank > best_rank:
                best_rank = rank
                best = e
                ties = 1
            elif rank == best_rank:
                ties += 1
                if pick(seed, ties) == 0:
                    best = e
            e = desk.after[e]
        value += sign * draw(net, desk, best)
        sign = -sign
        line[base + depth] = best
        depth += 1
    for i in range(depth - 1, -1, -1):
        take_back(net, desk, line[base + i])
    return value


@kernel
def search(net: Net, desk: Desk, depth: int, alpha: int, beta: int, ply: int, memory: Memory, words: Any) -> int:
    """The value for the mover if it lies between alpha and beta, else a bound on it."""
    words[NODES] += 1
    left = net.totals[1] - desk.facts[SCORED]
    if left == 0:
        return 0

    # 1. The moves; twins cancel.
    head = len(net.on_hull)
    moves = memory.moves[ply]
    ranks = memory.ranks[ply]
    count = 0
    quads = 0
    quad = -1
    edges = 0
    edge = -1
    key = desk.facts[KEY]
    e = desk.after[head]
    while e != head:
        if desk.gain[e] == 2:
            key ^= live_codes(net, desk, e)
            twin = twin_of(net, desk, e)
            if twin < 0 or twin > e:
                quads += 1
                quad = e
        elif desk.gain[e] == 1 and net.on_hull[e] == 1:
            key ^= live_codes(net, desk, e)
            edges += 1
            edge = e
        else:
            moves[count] = e
            ranks[count] = 4096 * (4 * desk.gain[e] - desk.risk[e])
            count += 1
        e = desk.after[e]
    left -= 4 * (quads >> 1) + 2 * (edges >> 1)
    if quads & 1:
        key ^= ODD_QUAD
    if edges & 1:
        key ^= ODD_EDGE
    if count == 0:  # at most one of each kind is left: the larger first
        if quads & 1 and edges & 1:
            return 1
        return left

    # 2. What is known.
    alpha = max(alpha, -left)
    beta = min(beta, left)
    if alpha >= beta:
        return alpha
    slot = (key ^ key >> 32) & (len(memory.keys) - 1)
    known = NO_MOVE
    if memory.keys[slot] == key:
        note = memory.notes[slot]
        known = note >> 10 & 255
        if note >> 2 & 255 >= depth:
            value = (note >> 18) - 64
            kind = note & 3
            if kind == EXACT or (kind == LOWER and value >= beta) or (kind == UPPER and value <= alpha):
                if note >> 2 & 255 != COMPLETE:
                    words[EVALUATIONS] += 1
                return value
    if depth <= 0:
        words[EVALUATIONS] += 1
        return playout(net, desk, memory.seed)
    if quads & 1:
        moves[count] = quad
        ranks[count] = 4096 * 8
        count += 1
    if edges & 1:
        moves[count] = edge
        ranks[count] = 4096 * 4
        count += 1
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
        gained = draw(net, desk, e)
        if i == 0:
            value = gained - search(net, desk, depth - 1, gained - beta, gained - low, ply + 1, memory, words)
        else:
            value = gained - search(net, desk, depth - 1, gained - low - 1, gained - low, ply + 1, memory, words)
            if low < value < beta:
                value = gained - search(net, desk, depth - 1, gained - beta, gained - value, ply + 1, memory, words)
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
    memory.notes[slot] = kind | searched << 2 | best_move << 10 | (best + 64) << 18
    return best
