"""Principal variation search with iterative deepening: the parts that the alpha-beta engines of all games share.

A game brings its moves, its evaluation and its `negamax`. Its kernels call these plain functions over arrays, and
`deepening` builds the loop over the iterations. `engine.py` is the Python side.

Scores are the mover's; WIN - n is a win n plies from the root. A table entry is two words, `key ^ data` and `data`, so
that an entry torn by another thread fails verification (Hyatt and Mann 2002). Fields of `data`, from the lowest bit:

    action 10 | bound 2 | depth + 16: 8 | age 6 | score + 32768: 16

In the table, plies to a win are counted from the entry's own position, not from the root.

Everything else that a search thread writes is its *memory*: one record, which compiled code receives as a pointer and
Python reads and writes directly. `memory_fields` lists the fields that every game has.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

from hansu.compile import kernel
from hansu.core.bits import greatest, monotonic_ns, prefetch
from hansu.core.control import DEADLINE, NODES
from hansu.search.watch import raised, set_word, word

WIN = 30000
SURE = WIN - 1000  # a score beyond this is a win or loss with its distance in plies
INFINITE = 32000
EXACT, AT_LEAST, AT_MOST = 1, 2, 3
MAX_DEPTH = 60
NO_ACTION = 1023
PLY = 100  # reductions are in hundredths of a ply
MOST_LINES = 32  # limit of multi-PV
CACHE_LINE = 64  # bytes
CLOCK_NODES = 256  # nodes between two readings of the clock and updates of the node count


def plies_to_end(score: int) -> int | None:
    """Plies to the end of a decided game: positive if the mover wins, negative if it loses; None if undecided."""
    if abs(score) <= SURE:
        return None
    return WIN - score if score > 0 else -WIN - score


# Memory.


def memory_fields(plies: int, moves: int, actions: int) -> list[Any]:
    """The fields of a memory record, given the maximum plies, the maximum moves in a position and the action count."""
    return [
        ("flag", np.int64),  # the address of the Control's words: stop flag, deadline, node count
        ("stop", np.int64),  # not 0: return at once
        ("nodes", np.int64),
        ("nodes_before", np.int64),  # nodes that the Control counted before this search
        ("node_limit", np.int64),
        ("look_at", np.int64),  # node count at which the clock is read next
        ("age", np.int64),  # incremented with each search, so that old entries are replaced
        ("seldepth", np.int64),
        ("left_out", np.int16, MOST_LINES),  # excluded root actions (multi-PV), terminated by NO_ACTION
        ("best", np.int64),  # the best root action so far; always legal
        ("so_far", np.int64),  # its score when it became the best
        ("expected", np.int16, plies + 2),  # its line, terminated by NO_ACTION
        ("iteration", np.int64),  # the current depth of the root search
        ("completed", np.int64),  # the last completed iteration; its results:
        ("score", np.int64),
        ("reached", np.int64),  # seldepth
        ("found", np.int16, plies + 2),  # principal variation, terminated by NO_ACTION
        ("window", np.int64),  # of the aspiration search, see `deepen`; 0: none
        ("step", np.int64),
        ("from_score", np.int64),
        ("shortest", np.int64),
        ("line", np.int16, (plies + 2, plies + 2)),  # the triangular table of principal variations
        ("moves", np.int64, (plies + 1, moves)),  # the moves of each ply, order << 10 | action
        ("given", np.int64, plies + 2),  # 1: the move before was a null move (two in a row prove nothing)
        ("killers", np.int64, (plies + 2, 2)),
        ("history", np.int64, (2, actions)),  # [side]
        ("reductions", np.int64, (MAX_DEPTH + 1, 64)),  # [depth - 1, move number], in hundredths of a ply
    ]


def empty_memory(layout: Any) -> Any:
    """A record of zeros, aligned to a cache line."""
    buffer = np.zeros(layout.itemsize + CACHE_LINE, np.uint8)
    start = -buffer.ctypes.data % CACHE_LINE
    return buffer[start : start + layout.itemsize].view(layout)[0]


def new_memory(
    layout: Any, *, window: int, step: int, from_score: bool, shortest: bool, reductions: tuple[float, float]
) -> Any:
    """A memory record for one search thread.

    `layout` is a dtype with the fields above. With `reductions` (a, b), late moves are searched
    a + log(depth) * log(number) * b plies shallower.
    """
    memory = empty_memory(layout)
    memory["left_out"] = NO_ACTION
    memory["window"], memory["step"], memory["from_score"], memory["shortest"] = window, step, from_score, shortest
    depth, number = np.ogrid[1 : MAX_DEPTH + 2, 1:65]
    memory["reductions"] = (PLY * (reductions[0] + np.log(depth) * np.log(number) * reductions[1])).astype(np.int64)
    return memory


def begin(mem: Any) -> None:
    """Prepare the record for a search. The caller sets flag, nodes_before, node_limit and a legal `best`."""
    mem.nodes, mem.look_at, mem.seldepth, mem.completed, mem.stop = 0, 0, 0, 0, 0
    mem.age += 1
    mem.killers[:] = NO_ACTION
    for side in range(len(mem.history)):  # (operations on whole arrays would add 3 s of compile time)
        for action in range(len(mem.history[side])):
            mem.history[side, action] //= 4


def out_of_time(mem: Any) -> bool:
    """Whether the search must stop. Called at each node; the clock is read at few of them."""
    if mem.nodes >= mem.node_limit or raised(mem.flag):
        mem.stop = 1
    elif mem.nodes >= mem.look_at:  # the count may grow by 2, so it may skip any multiple
        mem.look_at = mem.nodes + CLOCK_NODES
        set_word(mem.flag, NODES, mem.nodes_before + mem.nodes)
        if 0 < word(mem.flag, DEADLINE) < monotonic_ns():
            mem.stop = 1
    return bool(mem.stop != 0)


def deepening(search_root: kernel[Any]) -> kernel[Any]:
    """`deepen` for a game. `search_root(mem, table, root, low, high, depth, 0)` returns the score in a window."""
    own = types.FunctionType(deepen.__code__, {**globals(), "search_root": search_root}, deepen.__name__)
    own.__module__, own.__doc__ = search_root.plain.__module__, deepen.__doc__
    return kernel(own)


def deepen(mem: Any, table: Any, root: Any, depth: int) -> bool:
    """One iteration. Returns False if it was stopped or proved the result of the game.

    This is an aspiration search: the score is expected within `window` of the last one. If it is not, that side of the
    window moves away by `step`, then by three times as much, and so on; from its old place or, with `from_score`, from
    the score. With `shortest`, a win ends the search only when all shorter wins are ruled out.
    """
    score = mem.score if depth > 1 else 0
    mem.seldepth = 0
    low, high = -INFINITE, INFINITE
    if mem.window and depth >= 4 and abs(score) < SURE:
        low, high = score - mem.window, score + mem.window
    step = mem.step
    mem.iteration = depth
    ply = np.int64(0)  # Numba gives a literal 0 its own type, which would compile the search twice
    while True:
        score = search_root(mem, table, root, low, high, depth, ply)  # type: ignore[name-defined]  # noqa: F821
        if mem.stop or score == -INFINITE:  # every move is excluded
            return False
        if low < score < high:
            break
        if score <= low:
            low = max((score if mem.from_score else low) - step, -INFINITE)
        else:
            high = min((score if mem.from_score else high) + step, INFINITE)
        step *= 3
    mem.completed, mem.score, mem.reached = depth, score, mem.seldepth
    for i in range(len(mem.found)):
        mem.found[i] = mem.line[0, i]
    if mem.line[0, 0] != NO_ACTION:  # empty if the root was decided without searching its moves
        mem.best = mem.line[0, 0]
    if mem.shortest:
        return not (abs(score) > SURE and WIN - abs(score) <= depth)
    return bool(abs(score) < SURE)


# The table.


def new_table(megabytes: int = 16) -> Any:
    """An empty table, int64[a power of two]."""
    return np.zeros(1 << (megabytes * 2**20 // 8).bit_length() - 1, np.int64)


def slot_of(table: Any, key: int) -> int:
    """The index of a key's entry."""
    return (key & (len(table) // 2 - 1)) * 2


def ask_for_entry(table: Any, key: int) -> None:
    """Prefetch the entry of a position."""
    prefetch(table, slot_of(table, key))


def entry_of(table: Any, slot: int, key: int) -> int:
    """The data of a position's entry, or 0."""
    data = table[slot + 1]
    return int(data) if table[slot] ^ data == key else 0


def entry_action(data: int) -> int:
    """The action of an entry."""
    return data & 1023


def entry_depth(data: int) -> int:
    """The depth of an entry."""
    return (data >> 12 & 255) - 16


def entry_score(data: int, ply: int) -> int:
    """The score of an entry, with plies to a win counted from the root."""
    score = (data >> 26) - 32768
    return score - (ply if score > SURE else -ply if score < -SURE else 0)


def entry_decides(data: int, score: int, alpha: int, beta: int) -> bool:
    """Whether the entry gives a cutoff in this window."""
    bound = data >> 10 & 3
    return bound == EXACT or (bound == AT_LEAST and score >= beta) or (bound == AT_MOST and score <= alpha)


def entry_proves(data: int, score: int) -> bool:
    """Whether the entry proves a win or a loss at least this quick. Such a score holds at any depth."""
    return abs(score) > SURE and data >> 10 & 3 != (AT_MOST if score > 0 else AT_LEAST)


def store(table: Any, slot: int, key: int, score: int, action: Any, bound: Any, depth: Any, age: int, ply: int) -> None:
    """Store an entry. It replaces another position's entry that is older or not much deeper."""
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


def keep(
    mem: Any, table: Any, slot: int, key: int, score: int, action: int, floor: int, beta: int, depth: int, ply: int
) -> None:
    """Store the result of a search in the window from floor to beta."""
    bound = AT_LEAST if score >= beta else EXACT if score > floor else AT_MOST
    store(table, slot, key, score, action, bound, depth, mem.age, ply)


# Lines and moves.


def short_line(mem: Any, ply: int, action: int) -> None:
    """Set the line of this ply to the action alone."""
    mem.line[ply, ply] = action
    mem.line[ply, ply + 1] = NO_ACTION


def extend_line(line: Any, ply: int, action: int) -> None:
    """Set the line of this ply to the action and the line of the next ply. (A triangular table.)"""
    line[ply, ply] = action
    i = ply + 1
    while line[ply + 1, i] != NO_ACTION:
        line[ply, i] = line[ply + 1, i]
        i += 1
    line[ply, i] = NO_ACTION


def prefer(mem: Any, ply: int, action: int, score: int, in_line: bool) -> None:
    """Record the action as the best of its ply so far."""
    if in_line:
        extend_line(mem.line, ply, action)
    if ply == 0:
        keep_best(mem, score)


def keep_best(mem: Any, score: int) -> None:
    """Record the line of the root as the best so far. (The next search of the root starts with an empty line.)"""
    mem.best, mem.so_far = mem.line[0, 0], score
    for i in range(len(mem.expected)):
        mem.expected[i] = mem.line[0, i]


def leave_out(mem: Any, count: int) -> int:
    """Remove the excluded root actions (multi-PV) from the move list. Returns the new count."""
    moves = mem.moves[0]
    i = 0
    while mem.left_out[i] != NO_ACTION:
        for j in range(count):
            if moves[j] & 1023 == mem.left_out[i]:
                count -= 1
                moves[j] = moves[count]
                break
        i += 1
    return count


def bring_best(moves: Any, start: int, count: int) -> int:
    """Swap the move with the highest order to place `start` and return it. `moves` is int64[n]."""
    place, eights = start, (count - start) >> 3
    if eights:
        place = greatest(moves, start, eights)
    for i in range(start + 8 * eights, count):
        if moves[i] > moves[place]:
            place = i
    best = moves[place]
    moves[place] = moves[start]
    moves[start] = best
    return int(best)


def reduction(mem: Any, depth: int, number: int, less: int) -> int:
    """The late move reduction of move `number`, in plies, less `less` hundredths of a ply for promising moves."""
    plies = (mem.reductions[min(depth, MAX_DEPTH) - 1, min(number, 63)] - less) // PLY
    return int(max(min(plies, depth - 1), 0))


def remember(killers: Any, history: Any, moves: Any, action: int, tried: int, bonus: int, most: int) -> None:
    """Update killers and history (bounded by `most`) after a cutoff by `action`; the `tried` moves before it lose
    history."""
    if killers[0] != action:
        killers[1] = killers[0]
        killers[0] = action
    history[action] += bonus - history[action] * bonus // most
    for i in range(tried):
        other = moves[i] & 1023
        history[other] -= bonus + history[other] * bonus // most
