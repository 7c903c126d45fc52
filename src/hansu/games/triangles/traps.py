"""Play against somebody who takes triangles: alpha-beta in which the opponent is bound by habits.

Both players have the same moves, so on most boards the last mover, known from the start, cannot be beaten by right play.
People and simple programs are not right players: they take what they can. Here the opponent's moves are those a habit allows:

    TAKES      completes as many triangles as one segment can, wherever one can be completed
    CAREFUL    completes one only if that opens none, or an odd chain of one after the other (else any move)

and either draws safe segments while there are any. Where a habit leaves several moves the opponent is taken to find the
best, so a result that is proved here is certain against everyone who has the habit.
"""

from __future__ import annotations

from typing import Any

from hansu.core import kernel
from hansu.core.control import EVALUATIONS, NODES
from hansu.games.triangles.desk import DRAWN, KEY, SCORED, Desk, Net, draw, take_back
from hansu.games.triangles.search import (
    COMPLETE, EXACT, INFINITY, LOWER, NO_MOVE, OFFSET, UNIT, UPPER, Memory, halted, static_value,
)  # fmt: skip

TAKES, CAREFUL = 1, 2
HABIT_CODE = 0x2545_F491_4F6C_DD1D
TURN_CODE = 0x1F83_D9AB_FB41_BD6B


@kernel
def opened_by(net: Net, desk: Desk, e: int) -> int:
    """The first segment that completes a triangle on the drawn segment e, or -1; one that completes two comes first."""
    found = -1
    for i in range(net.triangle_start[e], net.triangle_start[e + 1]):
        t = net.triangle_list[i]
        if desk.sides_blocked[t] == 0 and desk.sides_drawn[t] == 2:
            f = net.third[i] if desk.status[net.second[i]] == DRAWN else net.second[i]
            if found < 0 or desk.gain[f] > desk.gain[found] or (desk.gain[f] == desk.gain[found] and f < found):
                found = f
    return found


@kernel
def chain_length(net: Net, desk: Desk, e: int) -> int:
    """How many moves follow each other from e on, each completing what the one before opened; 0 where e opens a
    segment that completes two (a closed quadrilateral)."""
    draw(net, desk, e)
    f = opened_by(net, desk, e)
    length = 1
    if f >= 0:
        length = 0 if desk.gain[f] == 2 else 1 + chain_length(net, desk, f)
        if length == 1:  # what follows ends in a quadrilateral: one more move, and it is taken
            length = 3
    take_back(net, desk, e)
    return length


@kernel
def habitual(net: Net, desk: Desk, habit: int, moves: Any) -> int:
    """Write the moves that the habit allows; gives their number."""
    head = len(net.on_hull)
    count = 0
    most = 0
    safe = 0
    e = desk.after[head]
    while e != head:
        moves[count] = e
        count += 1
        most = max(most, desk.gain[e])
        if desk.gain[e] == 0 and desk.risk[e] == 0:
            safe += 1
        e = desk.after[e]
    if most == 0:
        if safe == 0:
            return count
        kept = 0
        for i in range(count):
            if desk.risk[moves[i]] == 0:
                moves[kept] = moves[i]
                kept += 1
        return kept
    level = 0  # the highest gain at which a careful player takes
    if habit == CAREFUL:
        for i in range(count):
            if desk.gain[moves[i]] > level and chain_length(net, desk, moves[i]) % 2 == 1:
                level = desk.gain[moves[i]]
        if level == 0:
            return count
    kept = 0
    for i in range(count):
        gain = desk.gain[moves[i]]
        if gain == most or (gain == level and gain > 0 and chain_length(net, desk, moves[i]) % 2 == 1):
            moves[kept] = moves[i]
            kept += 1
    return kept


@kernel
def trap(
    net: Net, desk: Desk, depth: int, alpha: int, beta: int, ply: int, habit: int, mine: bool, memory: Memory, words: Any
) -> int:  # fmt: skip
    """The value for the mover (we are, if `mine`) if it lies between alpha and beta, else a bound on it."""
    words[NODES] += 1
    left = UNIT * (net.totals[1] - desk.facts[SCORED])
    alpha = max(alpha, -left)
    beta = min(beta, left)
    if left == 0 or alpha >= beta:
        return alpha

    # 1. What is known.
    key = desk.facts[KEY] ^ (habit * HABIT_CODE) ^ (TURN_CODE if mine else 0)
    slot = (key ^ key >> 29) & (len(memory.keys) - 1)
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

    # 2. The moves.
    moves = memory.moves[ply]
    ranks = memory.ranks[ply]
    if mine or depth <= 0:
        head = len(net.on_hull)
        count = 0
        e = desk.after[head]
        while e != head:
            moves[count] = e
            count += 1
            e = desk.after[e]
    else:
        count = habitual(net, desk, habit, moves)
    if depth <= 0:
        words[EVALUATIONS] += 1
        return static_value(desk, moves, count, left)
    for i in range(count):
        e = moves[i]
        ranks[i] = 4096 * (4 * desk.gain[e] - desk.risk[e]) + min(memory.history[e], 4095)
        if e == known:
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
        value = gained - trap(
            net, desk, depth - 1, gained - beta, gained - low, ply + 1, habit, not mine, memory, words
        )
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
