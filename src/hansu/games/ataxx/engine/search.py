"""The engine's search: Ataxx on top of the principal variation search `hansu.search.pvs`. Scores are in hundredths of a
piece."""

from __future__ import annotations

from typing import Any

import numpy as np

from hansu.compile import kernel
from hansu.core import popcount
from hansu.games.ataxx.engine.evaluation import HIDDEN, PHASES, ROWS, advance, handmade, output, phase, refresh
from hansu.games.ataxx.engine.ordering import NOWHERE, list_moves, ordering_fields, remember
from hansu.games.ataxx.rules import (
    CLOCK_LIMIT,
    CONTEST_TURNS,
    FULL,
    PASS,
    SQUARES,
    STEP,
    Ataxx,
    balance,
    counted,
    moved,
    next_action,
    reach,
    targets,
)
from hansu.search import pvs
from hansu.search.pvs import (
    INFINITE,
    MAX_DEPTH,
    NO_ACTION,
    PLY,
    SURE,
    WIN,
    ask_for_entry,
    bring_best,
    deepening,
    entry_action,
    entry_decides,
    entry_depth,
    entry_of,
    entry_score,
    keep,
    memory_fields,
    out_of_time,
    prefer,
    reduction,
    short_line,
    slot_of,
)
from hansu.search.pvs import begin as begin_search

MAX_PLY = 100
MOST_MOVES = 512
WORSE = 100  # a move is searched one ply less for each WORSE that the evaluation after it is below alpha

# Techniques that can be switched off, to compare with plain negamax. (Without aspiration: memory["window"] = 0.)
TABLE, NULL_MOVE, REDUCTIONS, FUTILITY, LATE_MOVES, FORTRESSES = 1, 2, 4, 8, 16, 32
ALL_IDEAS = 63

WEIGHTS = ("weights", "bias", "heads", "offsets")  # the fields of the network

MEMORY = np.dtype(
    [
        # Arrays that are summed in rows of 64 bytes come first, so that each row is one cache line: 10 % faster.
        ("sums", np.int16, (MAX_PLY + 1, 2, HIDDEN)),  # each side's accumulator, the root's mover first
        ("weights", np.int16, (ROWS, HIDDEN)),
        ("bias", np.int16, HIDDEN),
        ("heads", np.int16, (PHASES, 2, HIDDEN)),
        ("offsets", np.int64, PHASES),
        *memory_fields(MAX_PLY, MOST_MOVES, PASS + 1),
        ("ideas", np.int64),  # the sum of the enabled techniques
        ("learned", np.int64),  # 1: learned evaluation, 0: hand-made evaluation
        ("gaps", np.int64),
        ("contest", np.int64),
        ("turns", np.int64),  # at the root
        ("boards", np.int64, (MAX_PLY + 1, 2)),  # pieces and gaps, the root's mover first
        ("changes", np.int64, (4, 36)),  # see evaluation.advance
        *ordering_fields(MAX_PLY),
    ],
    align=True,
)


def new_memory(network: tuple[Any, ...] | None = None) -> Any:
    """A record for one search thread. `network` is the result of `evaluation.read_weights`."""
    memory = pvs.new_memory(MEMORY, window=60, step=180, from_score=True, shortest=True, reductions=(0.9, 1 / 1.2))
    memory["ideas"] = ALL_IDEAS
    if network is not None:
        memory["learned"] = 1
        for name, array in zip(WEIGHTS, network, strict=True):
            memory[name] = array
    return memory


def position_key(mine: int, theirs: int, gaps: int, halfmove: int, contest: int, turns: int) -> int:
    key = mine * 0x1E3779B97F4A7C15 + theirs * 0x42B2AE3D27D4EB4F + gaps * 0x165667B19E3779F9
    if halfmove > 70:  # near the draw by the clock, the clock is part of the position
        key += halfmove * 0x27D4EB2F165667C5
    if contest:
        key += (turns if turns > CONTEST_TURNS - MAX_PLY else 1) * 0x2127599BF4325C37
    key ^= key >> 32
    key *= 0x5851F42D4C957F2D
    return key ^ key >> 29


def static_score(mem: Any, mine: int, theirs: int, empty: int, ply: int) -> int:
    """The evaluation. The learned one updates the accumulators of this ply from those of the previous ply."""
    if not mem.learned:
        return handmade(mine, theirs, empty)
    mover = ply & 1
    first = (theirs if mover else mine) | mem.gaps
    second = (mine if mover else theirs) | mem.gaps
    if ply == 0:
        refresh(mem.sums[0], mem.weights, mem.bias, first, second)
    else:
        old_first, old_second = mem.boards[ply - 1, 0], mem.boards[ply - 1, 1]
        advance(mem.sums[ply], mem.sums[ply - 1], mem.weights, mem.changes, old_first, old_second, first, second)
    mem.boards[ply, 0] = first
    mem.boards[ply, 1] = second
    return output(mem.sums[ply], mem.heads, mem.offsets, mover, phase(mine, theirs))


@kernel
def root_score(mem: Any, mine: int, theirs: int, empty: int) -> int:
    """The static score of a root."""
    return static_score(mem, mine, theirs, empty, 0)


def final_score(mem: Any, mine: int, theirs: int, empty: int, ply: int) -> int:
    """The score of a game that ended by counting pieces."""
    ahead = balance(mine, theirs, empty, mem.contest)
    return WIN - ply if ahead > 0 else ply - WIN if ahead < 0 else 0


@kernel
def shut_out(mine: int, theirs: int, empty: int) -> bool:
    """Does the opponent of a mover without moves have a fortress: a piece that can jump back and forth for ever?
    Neither the piece nor its target is in the mover's reach, so the mover still has no moves and loses no piece."""
    free = theirs & ~reach(mine)
    for d in range(1, len(STEP)):
        if targets(free, empty, d):
            return True
    return False


@kernel
def first_depth(mem: Any, depth: int, number: int, in_line: bool, missing: int) -> int:
    """The depth of a later move's first search: smaller for later moves, and for moves whose evaluation is further
    below alpha (`missing`). Below 0: the move is skipped."""
    if not mem.ideas & REDUCTIONS:
        return depth - 1
    late = reduction(mem, depth, number, PLY * int(in_line)) if depth >= 2 and number >= 2 else 0
    return int(depth - 1 - late - max(missing, 0) // WORSE)


@kernel
def negamax(
    mem: Any, table: Any, mine: int, theirs: int, halfmove: int, static: int, alpha: int, beta: int, depth: int,
    ply: int,
) -> int:  # fmt: skip
    """The score of a position for the mover, within (alpha, beta); 0 if stopped. `static` is its evaluation."""
    # 1. Stopped, finished, or at the horizon.
    mem.line[ply, ply] = NO_ACTION
    if out_of_time(mem):
        return 0
    empty = FULL ^ (mine | theirs | mem.gaps)
    if counted(mine, theirs, empty, mem.contest, mem.turns + ply):
        return final_score(mem, mine, theirs, empty, ply)
    if halfmove >= CLOCK_LIMIT:
        return 0
    if depth <= 0 or ply >= MAX_PLY - 1:
        mem.seldepth = max(mem.seldepth, ply)
        return static
    ideas = mem.ideas
    in_line = beta - alpha > 1

    # 2. Transposition table.
    key = position_key(mine, theirs, mem.gaps, halfmove, mem.contest, mem.turns + ply)
    slot = slot_of(table, key)
    table_action = NO_ACTION
    data = entry_of(table, slot, key) if ideas & TABLE else 0
    if data:
        table_action = entry_action(data)
        stored = entry_score(data, ply)
        if ply > 0 and not in_line and entry_depth(data) >= depth and entry_decides(data, stored, alpha, beta):
            return int(stored)

    # 3. The only move is a pass. Against a fortress the result is at most a draw by the clock.
    if reach(mine) & empty == 0:
        most = INFINITE
        if ideas & FORTRESSES and beta > 0 and not mem.contest and shut_out(mine, theirs, empty):
            if alpha >= 0:
                return 0
            beta = most = 0
        short_line(mem, ply, PASS)
        mem.went[ply + 2] = NOWHERE
        mem.nodes += 1
        after = static_score(mem, theirs, mine, empty, ply + 1)
        value = -negamax(mem, table, theirs, mine, halfmove + 1, after, -beta, -alpha, depth - 1, ply + 1)
        return int(min(value, most))

    # 4. Cut if the evaluation is far above beta, or if a null move still fails high.
    if not in_line and abs(beta) < SURE:
        if ideas & FUTILITY and depth <= 4 and static - 120 * depth >= beta:
            return static
        if ideas & NULL_MOVE and not mem.given[ply] and depth >= 3 and static >= beta and popcount(empty) > 8:
            shallow = depth - 3 - depth // 4
            mem.given[ply + 1] = 1
            mem.went[ply + 2] = NOWHERE
            after = static_score(mem, theirs, mine, empty, ply + 1)
            value = -negamax(mem, table, theirs, mine, halfmove + 1, after, -beta, 1 - beta, shallow, ply + 1)
            mem.given[ply + 1] = 0
            if mem.stop:
                return 0
            if value >= beta:
                return int(min(value, SURE))

    # 5. The moves, best first. Near the horizon, only moves that gain enough pieces.
    least = 0
    if ideas & FUTILITY and depth <= 3 and not in_line and abs(alpha) < SURE:
        least = (alpha - static + 120 - 80 * depth) // 35 + 1
    count = list_moves(mem, mine, theirs, empty, ply, table_action, least)
    if count == 0 and least > 0:
        return min(static, alpha)
    moves = mem.moves[ply]
    best, best_action, floor = -INFINITE, table_action, alpha
    for number in range(count):
        action = bring_best(moves, number, count) & 1023
        if ideas & LATE_MOVES and depth <= 6 and not in_line and best > -SURE and number >= 4 + 2 * depth * depth:
            break
        new_mine, new_theirs = moved(mine, theirs, action)
        clock = 0 if action < SQUARES else halfmove + 1
        mem.went[ply + 2] = action % SQUARES
        if mem.nodes >= mem.node_limit:
            mem.stop = 1
            return 0
        mem.nodes += 1  # a move made and evaluated, as other engines count
        if depth > 1:
            turns = mem.turns + ply + 1
            ask_for_entry(table, position_key(new_theirs, new_mine, mem.gaps, clock, mem.contest, turns))
        after = static_score(mem, new_theirs, new_mine, FULL ^ (new_mine | new_theirs | mem.gaps), ply + 1)

        # 6. The first move is searched with the full window, later moves first with a null window and reduced depth.
        value = alpha + 1
        if number > 0:
            shallow = first_depth(mem, depth, number, in_line, alpha + after)
            if shallow < 0 and best > -SURE:
                continue
            value = -negamax(mem, table, new_theirs, new_mine, clock, after, -alpha - 1, -alpha, shallow, ply + 1)
            if value > alpha and shallow < depth - 1:
                value = -negamax(mem, table, new_theirs, new_mine, clock, after, -alpha - 1, -alpha, depth - 1, ply + 1)
        if number == 0 or (value > alpha and in_line):
            value = -negamax(mem, table, new_theirs, new_mine, clock, after, -beta, -alpha, depth - 1, ply + 1)
        if mem.stop:
            return 0

        # 7. Update the best move.
        if value > best:
            best = value
            if value > alpha:
                alpha = value
                best_action = action
                prefer(mem, ply, action, value, in_line)
                if alpha >= beta:
                    remember(mem, ply, number, min(16 * depth * depth, 1024))
                    break

    # 8. Store the result. With unlisted moves, a loss is not proven.
    if least > 0:
        best = max(best, -SURE)
    if ideas & TABLE and (ply > 0 or mem.left_out[0] == NO_ACTION):
        keep(mem, table, slot, key, best, best_action, floor, beta, depth, ply)
    return best


@kernel
def begin(mem: Any, s: Ataxx) -> int:
    """Prepare the record for a position that is not finished."""
    begin_search(mem)
    mem.gaps, mem.contest, mem.turns = s.gaps, s.contest, s.turns
    mem.best = next_action(s, -1)
    mem.went[:] = NOWHERE
    return 0


@kernel
def search_root(mem: Any, table: Any, s: Ataxx, low: int, high: int, depth: int, ply: int) -> int:
    static = static_score(mem, s.mine, s.theirs, FULL ^ (s.mine | s.theirs | s.gaps), 0)
    return int(negamax(mem, table, s.mine, s.theirs, s.halfmove, static, low, high, depth, ply))


deepen = deepening(search_root)


@kernel
def think(mem: Any, table: Any, s: Ataxx, max_depth: int) -> int:
    """The best action of an iterative deepening within the limits. For compiled callers."""
    begin(mem, s)
    for depth in range(1, min(max_depth, MAX_DEPTH) + 1):
        if not deepen(mem, table, s, depth):
            break
    return int(mem.best)
