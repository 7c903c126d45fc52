"""What engines with a principal variation search share: scores, table entries, the growing line, moves in order.

Scores are the mover's; WIN - n is a win n plies from the root. A table entry is two words, `key ^ data` and `data`, so
that an entry torn by another thread does not verify (Hyatt and Mann 2002). The fields of `data`, from the lowest bit:

    action 10 | bound 2 | depth + 16: 8 | age 6 | score + 32768: 16

Wins in the table are counted from its own position, not from the root. These are plain functions over arrays, for
kernels to call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

WIN = 30000
SURE = WIN - 1000  # beyond this a score counts plies to the end
INFINITE = 32000
EXACT, AT_LEAST, AT_MOST = 1, 2, 3


def plies_to_end(score: int) -> int | None:
    """Of a game that is decided: positive where the mover wins, negative where it loses."""
    if abs(score) <= SURE:
        return None
    return WIN - score if score > 0 else -WIN - score


def new_table(megabytes: int = 16) -> Any:
    """An empty table; its size is a power of two."""
    return np.zeros(1 << (megabytes * 2**20 // 8).bit_length() - 1, np.int64)


def slot_of(table: Any, key: int) -> int:
    return (key & (len(table) // 2 - 1)) * 2


def entry_action(data: int) -> int:
    return data & 1023


def entry_depth(data: int) -> int:
    return (data >> 12 & 255) - 16


def entry_score(data: int, ply: int) -> int:
    """The score, with wins counted from the root."""
    score = (data >> 26) - 32768
    return score - (ply if score > SURE else -ply if score < -SURE else 0)


def entry_decides(data: int, score: int, alpha: int, beta: int) -> bool:
    """Is the score all one needs to know in this window?"""
    bound = data >> 10 & 3
    return bound == EXACT or (bound == AT_LEAST and score >= beta) or (bound == AT_MOST and score <= alpha)


def store(table: Any, slot: int, key: int, score: int, action: int, bound: int, depth: int, age: int, ply: int) -> None:
    """Entries of other positions give way when older, or not much deeper."""
    old = table[slot + 1]
    same = table[slot] ^ old == key
    if not same and old >> 20 & 63 == age & 63 and entry_depth(old) > depth + 3:
        return
    if same and bound != EXACT and entry_depth(old) > depth + 3:
        return
    score += ply if score > SURE else -ply if score < -SURE else 0
    data = action | bound << 10 | (depth + 16) << 12 | (age & 63) << 20 | (score + 32768) << 26
    table[slot] = key ^ data
    table[slot + 1] = data


def extend_line(line: Any, ply: int, action: int, end: int) -> None:
    """The line of this ply is the action and the line of the next; `end` ends each. (A triangular table.)"""
    line[ply, ply] = action
    i = ply + 1
    while line[ply + 1, i] != end:
        line[ply, i] = line[ply + 1, i]
        i += 1
    line[ply, i] = end


def bring_best(moves: Any, start: int, count: int) -> int:
    """Swap the entry with the greatest order to place `start`."""
    best, place = moves[start], start
    for i in range(start + 1, count):
        if moves[i] > best:
            best, place = moves[i], i
    moves[place] = moves[start]
    moves[start] = best
    return int(best)


def remember(killers: Any, history: Any, moves: Any, action: int, tried: int, bonus: int, most: int) -> None:
    """A move refuted its parent: killers, and history (at most `most`) for it and against the `tried` before it."""
    if killers[0] != action:
        killers[1] = killers[0]
        killers[0] = action
    history[action] += bonus - history[action] * bonus // most
    for i in range(tried):
        other = moves[i] & 1023
        history[other] -= bonus + history[other] * bonus // most
