"""The machine of the alpha-beta engines: principal variation search with iterative deepening, less the game.

A game brings its moves, its evaluation and its `negamax`; what follows is plain functions over arrays for its kernels
to call, and `deepening`, which makes the loop around them. `engine.py` is the same machine as Python sees it.

Scores are the mover's; WIN - n is a win n plies from the root. A table entry is two words, `key ^ data` and `data`, so
that an entry torn by another thread does not verify (Hyatt and Mann 2002). The fields of `data`, from the lowest bit:

    action 10 | bound 2 | depth + 16: 8 | age 6 | score + 32768: 16

Wins in the table are counted from its own position, not from the root.

All else that a searching thread writes is its *memory*, one record: compiled code gets it as one pointer, Python reads
and writes the same bytes. `memory_fields` is the part of it that every game has.
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
SURE = WIN - 1000  # beyond this a score counts plies to the end
INFINITE = 32000
EXACT, AT_LEAST, AT_MOST = 1, 2, 3
MAX_DEPTH = 60
NO_ACTION = 1023
PLY = 100  # reductions are in hundredths of a ply
MOST_LINES = 32  # that a search can be asked for
CACHE_LINE = 64  # bytes
CLOCK_NODES = 256  # the clock is read, and the nodes are told, once in so many


def plies_to_end(score: int) -> int | None:
    """Of a game that is decided: positive where the mover wins, negative where it loses."""
    if abs(score) <= SURE:
        return None
    return WIN - score if score > 0 else -WIN - score


# Memory.


def memory_fields(plies: int, moves: int, actions: int) -> list[Any]:
    """The fields of a record for searches of so many plies, with so many moves in a position and so many actions."""
    return [
        ("flag", np.int64),  # the address of the Control's words: its stop flag, its deadline, its count of nodes
        ("stop", np.int64),  # not 0: come back at once
        ("nodes", np.int64),
        ("nodes_before", np.int64),  # what the Control had counted before this search
        ("node_limit", np.int64),
        ("look_at", np.int64),  # the number of nodes at which the clock is looked at next
        ("age", np.int64),  # grows by one a search, so that old entries give way
        ("seldepth", np.int64),
        ("left_out", np.int16, MOST_LINES),  # root actions that are not looked at, which NO_ACTION ends
        ("best", np.int64),  # the best root action so far, legal from the beginning
        ("so_far", np.int64),  # what it came to when it was found to be the best,
        ("expected", np.int16, plies + 2),  # and what is expected then, from it on, which NO_ACTION ends
        ("iteration", np.int64),  # the depth that the root is searched to
        ("completed", np.int64),  # iterations finished; of the last one:
        ("score", np.int64),
        ("reached", np.int64),  # its seldepth
        ("found", np.int16, plies + 2),  # its principal variation, which NO_ACTION ends
        ("window", np.int64),  # see `deepen`; 0: always the widest
        ("step", np.int64),
        ("from_score", np.int64),
        ("shortest", np.int64),
        ("line", np.int16, (plies + 2, plies + 2)),  # the triangular table in which lines grow
        ("moves", np.int64, (plies + 1, moves)),  # a ply's moves, order << 10 | action
        ("given", np.int64, plies + 2),  # 1: the move before was given away (two in a row prove nothing)
        ("killers", np.int64, (plies + 2, 2)),
        ("history", np.int64, (2, actions)),  # [side]
        ("reductions", np.int64, (MAX_DEPTH + 1, 64)),  # [depth - 1, number of the move], in hundredths of a ply
    ]


def empty_memory(layout: Any) -> Any:
    """A record of zeros, begun at a cache line."""
    room = np.zeros(layout.itemsize + CACHE_LINE, np.uint8)
    start = -room.ctypes.data % CACHE_LINE
    return room[start : start + layout.itemsize].view(layout)[0]


def new_memory(
    layout: Any, *, window: int, step: int, from_score: bool, shortest: bool, reductions: tuple[float, float]
) -> Any:
    """A record for one searching thread. `layout` is a dtype with the fields above; late moves
    are searched a + log(depth) * log(number) * b plies shallower where `reductions` is (a, b)."""
    memory = empty_memory(layout)
    memory["left_out"] = NO_ACTION
    memory["window"], memory["step"], memory["from_score"], memory["shortest"] = window, step, from_score, shortest
    depth, number = np.ogrid[1 : MAX_DEPTH + 2, 1:65]
    memory["reductions"] = (PLY * (reductions[0] + np.log(depth) * np.log(number) * reductions[1])).astype(np.int64)
    return memory


def begin(mem: Any) -> None:
    """Make the record ready for a search. The caller sets flag, nodes_before, node_limit and a legal `best`."""
    mem.nodes, mem.look_at, mem.seldepth, mem.completed, mem.stop = 0, 0, 0, 0, 0
    mem.age += 1
    mem.killers[:] = NO_ACTION
    for side in range(len(mem.history)):  # (whole arrays at once would take Numba 3 s more to compile)
        for action in range(len(mem.history[side])):
            mem.history[side, action] //= 4


def out_of_time(mem: Any) -> bool:
    """Shall everything stop? Asked at each node; the clock is read at few of them."""
    if mem.nodes >= mem.node_limit or raised(mem.flag):
        mem.stop = 1
    elif mem.nodes >= mem.look_at:  # nodes come in twos in places, so that no multiple need ever be met
        mem.look_at = mem.nodes + CLOCK_NODES
        set_word(mem.flag, NODES, mem.nodes_before + mem.nodes)
        if 0 < word(mem.flag, DEADLINE) < monotonic_ns():
            mem.stop = 1
    return bool(mem.stop != 0)


def deepening(search_root: kernel[Any]) -> kernel[Any]:
    """`deepen` for a game: `search_root(mem, table, root, low, high, depth, 0)` is the score of a root in a window."""
    own = types.FunctionType(deepen.__code__, {**globals(), "search_root": search_root}, deepen.__name__)
    own.__module__, own.__doc__ = search_root.plain.__module__, deepen.__doc__
    return kernel(own)


def deepen(mem: Any, table: Any, root: Any, depth: int) -> bool:
    """One iteration, after those before it. False: stopped, or the end of the game is proved.

    The score is expected within `window` of the last one (an aspiration search). Where it is not, that side of the
    window moves away by `step`, then by three times as much, and so on, from where it was or, with `from_score`, from
    the score. With `shortest`, a win does not end the search before all shorter ones are ruled out.
    """
    score = mem.score if depth > 1 else 0
    mem.seldepth = 0
    low, high = -INFINITE, INFINITE
    if mem.window and depth >= 4 and abs(score) < SURE:
        low, high = score - mem.window, score + mem.window
    step = mem.step
    mem.iteration = depth
    ply = np.int64(0)  # a bare 0 is a type of its own to Numba: what is searched would be compiled twice
    while True:
        score = search_root(mem, table, root, low, high, depth, ply)  # type: ignore[name-defined]  # noqa: F821
        if mem.stop or score == -INFINITE:  # no move is left that is not left out
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
    if mem.line[0, 0] != NO_ACTION:  # not every root looks among its moves
        mem.best = mem.line[0, 0]
    if mem.shortest:
        return not (abs(score) > SURE and WIN - abs(score) <= depth)
    return bool(abs(score) < SURE)


# The table.


def new_table(megabytes: int = 16) -> Any:
    """int64[a power of two]: an empty table."""
    return np.zeros(1 << (megabytes * 2**20 // 8).bit_length() - 1, np.int64)


def slot_of(table: Any, key: int) -> int:
    return (key & (len(table) // 2 - 1)) * 2


def ask_for_entry(table: Any, key: int) -> None:
    """What the table has of a position will be asked for soon."""
    prefetch(table, slot_of(table, key))


def entry_of(table: Any, slot: int, key: int) -> int:
    """The data that the table has of a position, or 0."""
    data = table[slot + 1]
    return int(data) if table[slot] ^ data == key else 0


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


def entry_proves(data: int, score: int) -> bool:
    """Is it a win that is at least so quick, or a loss that is at least so quick? That holds however deep it was
    searched."""
    return abs(score) > SURE and data >> 10 & 3 != (AT_MOST if score > 0 else AT_LEAST)


def store(table: Any, slot: int, key: int, score: int, action: Any, bound: Any, depth: Any, age: int, ply: int) -> None:
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


def keep(
    mem: Any, table: Any, slot: int, key: int, score: int, action: int, floor: int, beta: int, depth: int, ply: int
) -> None:
    """Store what a search in the window from floor to beta has found."""
    bound = AT_LEAST if score >= beta else EXACT if score > floor else AT_MOST
    store(table, slot, key, score, action, bound, depth, mem.age, ply)


# Lines and moves.


def short_line(mem: Any, ply: int, action: int) -> None:
    """The line of this ply is the action alone."""
    mem.line[ply, ply] = action
    mem.line[ply, ply + 1] = NO_ACTION


def extend_line(line: Any, ply: int, action: int) -> None:
    """The line of this ply is the action and the line of the next. (A triangular table.)"""
    line[ply, ply] = action
    i = ply + 1
    while line[ply + 1, i] != NO_ACTION:
        line[ply, i] = line[ply + 1, i]
        i += 1
    line[ply, i] = NO_ACTION


def prefer(mem: Any, ply: int, action: int, score: int, in_line: bool) -> None:
    """The action is the best of its ply so far."""
    if in_line:
        extend_line(mem.line, ply, action)
    if ply == 0:
        keep_best(mem, score)


def keep_best(mem: Any, score: int) -> None:
    """The line of the root is the best so far. (The next search of the root begins with none.)"""
    mem.best, mem.so_far = mem.line[0, 0], score
    for i in range(len(mem.expected)):
        mem.expected[i] = mem.line[0, i]


def leave_out(mem: Any, count: int) -> int:
    """Take the root's moves that other lines are about out of its list; how many are left."""
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
    """Swap the entry with the greatest order to place `start`."""
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
    """How many plies shallower move `number` is searched first; `less` hundredths of one for what deserves a closer
    look."""
    wanted = (mem.reductions[min(depth, MAX_DEPTH) - 1, min(number, 63)] - less) // PLY
    return int(max(min(wanted, depth - 1), 0))


def remember(killers: Any, history: Any, moves: Any, action: int, tried: int, bonus: int, most: int) -> None:
    """A move refuted its parent: killers, and history (at most `most`) for it and against the `tried` before it."""
    if killers[0] != action:
        killers[1] = killers[0]
        killers[0] = action
    history[action] += bonus - history[action] * bonus // most
    for i in range(tried):
        other = moves[i] & 1023
        history[other] -= bonus + history[other] * bonus // most
