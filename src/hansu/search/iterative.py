"""Iterative deepening: alpha-beta to depth 1, 2, 3, ..., with a transposition table.

The table has one slot per key and always replaces. A slot holds three words:

    keys    int64[size]    the position's key
    values  float64[size]  a value or bound
    notes   int64[size]    bits 0-1 bound kind, 2-9 depth searched (COMPLETE: no estimate below), 10.. best action + 1

Move order: the table's move, the two killer moves of the ply, then the game's order.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any, NamedTuple

from hansu.core.bits import compiled_as
from hansu.core.control import EVALUATIONS
from hansu.core.generic import CHANCE, Action, State, actions, key, legal, over, play, probability, score, team
from hansu.search.watch import Watch, enter, estimate, halted, leave, record_move, set_word, update_line, word

EXACT, LOWER, UPPER = 1, 2, 3
COMPLETE = 255
KILLER_PLIES = 128


class IterativeMemory(NamedTuple):
    """The table and killer moves, kept between iterations and between the moves of a game."""

    keys: Any  # int64[size], size a power of two
    values: Any  # float64[size]
    notes: Any  # int64[size]
    killers: Any  # int64[2 * KILLER_PLIES]


def new_memory(slots: int) -> IterativeMemory:
    """An empty table of at least `slots` slots."""
    import numpy as np

    size = 1 << max(slots - 1, 1).bit_length()
    return IterativeMemory(
        np.zeros(size, np.int64), np.zeros(size), np.zeros(size, np.int64), np.full(2 * KILLER_PLIES, -1, np.int64)
    )


def _evaluations_words(words: int) -> int:
    return word(words, EVALUATIONS)


@compiled_as(_evaluations_words)
def evaluations(watch: Watch) -> int:
    """Estimates so far. If the number did not change during a subtree, its value is exact."""
    return watch.evaluations


def _count_estimate_words(words: int) -> None:
    set_word(words, EVALUATIONS, word(words, EVALUATIONS) + 1)


@compiled_as(_count_estimate_words)
def count_estimate(watch: Watch) -> None:
    """Count a table value that depends on an estimate."""
    watch.evaluations += 1


def ordered(s: State, first: Action, second: Action, third: Action) -> Iterator[Action]:
    """Every legal action, starting with up to three promising ones (-1: none)."""
    if first >= 0:
        yield first
    if second >= 0 and second != first and legal(s, second):
        yield second
    if third >= 0 and third != first and third != second and legal(s, third):
        yield third
    for a in actions(s):
        if a != first and a != second and a != third:
            yield a


def deepen(s: State, depth: int, alpha: float, beta: float, ply: int, memory: IterativeMemory, watch: Any) -> float:
    """V(s) to `depth` plies if it lies between alpha and beta, otherwise a bound."""
    enter(watch, s, ply)
    if over(s):
        return leave(watch, float(score(s)))
    if depth == 0 or halted(watch):
        return leave(watch, estimate(watch, s))

    # 1. Look up the table.
    k = key(s)
    slot = k & (len(memory.keys) - 1)
    table_move = -1
    if memory.keys[slot] == k:
        note = memory.notes[slot]
        table_move = int(note >> 10) - 1
        stored = float(memory.values[slot])
        kind = note & 3
        if table_move >= 0 and not legal(s, table_move):
            table_move = -1  # another position with the same key: ignore the entry
        elif ply > 0 and note >> 2 & 255 >= depth:
            if kind == EXACT or (kind == LOWER and stored >= beta) or (kind == UPPER and stored <= alpha):
                if note >> 2 & 255 < COMPLETE:
                    count_estimate(watch)
                return leave(watch, stored)

    # 2. Search the moves.
    estimates = evaluations(watch)
    who = team(s)
    low, high = alpha, beta
    best = -inf if who == 0 else inf
    best_action = -1
    mean = 0.0
    row = 2 * ply if ply < KILLER_PLIES else 0
    for a in ordered(s, table_move, int(memory.killers[row]), int(memory.killers[row + 1])):
        if who == CHANCE:
            v = deepen(play(s, a), depth - 1, -inf, inf, ply + 1, memory, watch)
            mean += probability(s, a) * v
        else:
            v = deepen(play(s, a), depth - 1, low, high, ply + 1, memory, watch)
        if halted(watch):
            return leave(watch, best)  # `v` is incomplete; `best` comes from complete moves
        record_move(watch, ply, a, v)
        if who == 0 and v > best:
            best = v
            best_action = a
            low = max(low, v)
            update_line(watch, ply, a)
        elif who > 0 and v < best:
            best = v
            best_action = a
            high = min(high, v)
            update_line(watch, ply, a)
        if high <= low:
            if memory.killers[row] != a:
                memory.killers[row + 1] = memory.killers[row]
                memory.killers[row] = a
            break
    if who == CHANCE:
        best = mean

    # 3. Store.
    kind = EXACT
    if best <= alpha:
        kind = UPPER
    elif best >= beta:
        kind = LOWER
    searched = min(depth, COMPLETE - 1) if evaluations(watch) > estimates else COMPLETE
    memory.keys[slot] = k
    memory.values[slot] = best
    memory.notes[slot] = kind | searched << 2 | (best_action + 1) << 10
    return leave(watch, best)
