"""The node of the main search: the part of `hansu.search.pvs` that is specific to Renju.

- If a side has a four, the move is forced.
- If the opponent threatens an open four, only defences and own fours are searched.
- Otherwise a win by fours (VCF) is searched first, so the leaves are quiet.
- If the opponent would have a VCF after a pass, only moves that may stop it are searched. All others lose.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hansu.compile import kernel
from hansu.games.renju.engine.board import (
    BOARD_FIELDS,
    MARGIN,
    POINTS,
    STRIDE,
    along,
    first_of,
    forbidden,
    lift,
    place,
    set_up,
    stuck,
)
from hansu.games.renju.engine.network import (
    NETWORK_FIELDS,
    network_order,
    network_value,
    pop_stone,
    push_stone,
    refresh,
)
from hansu.games.renju.engine.patterns import (
    K_FIVE,
    K_FORBIDDEN,
    K_FOUR,
    K_FOUR_THREE,
    K_OPEN_FOUR,
    K_QUIET,
    K_RISKY,
    ONE,
)
from hansu.games.renju.engine.threats import (
    MOST_MOVES,
    THREAT_FIELDS,
    find_defence_zone,
    legal_for,
    list_defences,
    vcf,
    vct,
)
from hansu.search import pvs
from hansu.search.pvs import (
    AT_LEAST,
    EXACT,
    INFINITE,
    NO_ACTION,
    SURE,
    WIN,
    ask_for_entry,
    bring_best,
    deepening,
    entry_action,
    entry_decides,
    entry_depth,
    entry_of,
    entry_proves,
    entry_score,
    keep,
    keep_best,
    leave_out,
    memory_fields,
    out_of_time,
    prefer,
    reduction,
    remember,
    short_line,
    slot_of,
    store,
)
from hansu.search.pvs import begin as begin_search

MAX_PLY = 90
HISTORY_LIMIT = 2048
KILLER = 160
FOURS_DEPTH, LEAF_FOURS, INNER_FOURS = 34, 13, 50  # a node's VCF search: plies, nodes at a leaf, nodes elsewhere
QUIET_FOURS_DEPTH = 4  # below this depth only if a 4-3 is available, because it seldom finds a win otherwise
DELAYING_FOUR = 1 << 31  # order penalty of a four that only delays the threat
EXTRA_PLIES = 3  # plies below depth 0 in which open fours are still answered

# These and the numbers in `negamax` were tuned together by games (docs/lab/renju_engine.md). Late move reductions, in
# hundredths of a ply: less in the principal variation, for moves that are not quiet, and for each 1024 of history; more
# if the evaluation is getting worse.
LESS_IN_PV, LESS_IF_TACTICAL, LESS_BY_HISTORY, MORE_IF_WORSENING = 130, 100, 75, 45

MEMORY = np.dtype(
    [
        *NETWORK_FIELDS,  # first, so that its rows are aligned to cache lines
        *memory_fields(MAX_PLY, MOST_MOVES, POINTS),
        *BOARD_FIELDS,
        *THREAT_FIELDS,
        ("static_scores", np.int64, MAX_PLY + 4),  # of the current line, by ply
    ],
    align=True,
)


def new_memory(rule: str, size: int) -> Any:
    """The record of one searching thread."""
    memory = pvs.new_memory(MEMORY, window=40, step=40, from_score=False, shortest=False, reductions=(1.12, 0.58))
    set_up(memory, rule, size)
    return memory


@kernel
def key_for(stones: int, side: int) -> int:
    """The table key of a position: the hash of its stones, and the side to move."""
    return stones ^ side * 0x2545F4914F6CDD1D


@kernel
def make_move(mem: Any, table: Any, point: int, side: int) -> None:
    """Place a stone, prefetch the table entry and push the stone to the network. (Threat searches need no evaluation
    and only call `place`.)"""
    ask_for_entry(table, key_for(mem.hash ^ mem.zobrist[side, point], 1 - side))
    place(mem, point, side)
    push_stone(mem, point, side)


@kernel
def unmake_move(mem: Any, point: int, side: int) -> None:
    """Undo `make_move`."""
    lift(mem, point)
    pop_stone(mem)


@kernel
def static_score(mem: Any, side: int) -> int:
    """The static evaluation for `side`, who is to move, clipped below the scores of proven wins."""
    return int(max(min(network_value(mem, side), SURE - 1), 1 - SURE))


@kernel
def move_order(mem: Any, side: int, point: int) -> int:
    """The policy of a move as a positive number; higher moves are tried first."""
    return int(network_order(mem, side, point) + 65536)


@kernel
def is_idle(mem: Any, point: int) -> bool:
    """Does neither colour have a useful stone on the lines through this point?"""
    for d in range(4):
        pair = mem.pairs[d, along(d, point)]
        if pair & 15 > ONE or pair >> 4 > ONE:
            return False
    return True


@kernel
def list_moves(mem: Any, side: int, ply: int, table_point: int, in_zone: bool) -> int:
    """Fill moves[ply] with every legal point that is not idle, or with every legal point of zone[0]; each with its
    order."""
    moves = mem.moves[ply]
    history = mem.history[side]
    killer, killer_2 = mem.killers[ply, 0], mem.killers[ply, 1]
    count = 0
    for y in range(mem.size):
        first = STRIDE * (y + MARGIN) + MARGIN
        for point in range(first, first + mem.size):
            if mem.stones[point] or (in_zone and not mem.zone[0, point >> 5] >> (point & 31) & 1):
                continue
            if not in_zone and is_idle(mem, point):
                continue
            if side == 0 and mem.restricted and mem.kinds[0, point] in (K_FORBIDDEN, K_RISKY) and forbidden(mem, point):
                continue
            order = move_order(mem, side, point) + history[point] // 2
            if point == table_point:
                order += 1 << 24
            elif point in (killer, killer_2):
                order += KILLER
            moves[count] = order << 10 | point
            count += 1
    return count


@kernel
def list_all(mem: Any, side: int, ply: int, table_point: int, threatened: bool, in_zone: bool) -> int:
    """Fill moves[ply]. If the opponent threatens an open four, only with moves that may stop it and own fours; fours
    that merely delay come last. If the opponent threatens to win by fours, only with points of zone[0]."""
    if threatened:
        moves = mem.moves[ply]
        count = list_defences(mem, side, moves, np.int64(0))
        for i in range(count):
            point = moves[i] & 1023
            order = move_order(mem, side, point)
            if point == table_point:
                order += 1 << 24
            elif not mem.zone[0, point >> 5] >> (point & 31) & 1:
                order -= DELAYING_FOUR
            moves[i] = order << 10 | point
    else:
        count = list_moves(mem, side, ply, table_point, in_zone)
    return int(leave_out(mem, count) if ply == 0 else count)


@kernel
def decided(mem: Any, side: int, ply: int) -> int:
    """The score of a position that needs no search, or INFINITE. (A single five of the opponent that can be stopped
    needs a search.)"""
    other = 1 - side
    if mem.totals[side, K_FIVE]:
        short_line(mem, ply, first_of(mem, side, K_FIVE))
        return WIN - ply - 1
    if ply >= MAX_PLY - 2:
        return int(static_score(mem, side))
    if stuck(mem, side):
        return 0
    if mem.totals[other, K_FIVE]:
        point = first_of(mem, other, K_FIVE)
        lost = mem.totals[other, K_FIVE] > 1 or not legal_for(mem, side, point)
        return ply + 2 - WIN if lost else INFINITE
    if mem.totals[side, K_OPEN_FOUR]:
        short_line(mem, ply, first_of(mem, side, K_OPEN_FOUR))
        return WIN - ply - 3
    return INFINITE


@kernel
def find_fours(mem: Any, side: int, depth: int) -> int:
    """Plies to a win by fours of `side`, if it were to move, or 0. Only searched if such a win is likely."""
    promising = mem.totals[side, K_FOUR_THREE] + mem.totals[side, K_RISKY]
    if not promising and (depth < QUIET_FOURS_DEPTH or not mem.totals[side, K_FOUR]):
        return 0
    mem.gave_up = 0
    mem.threat_limit = mem.nodes + (LEAF_FOURS if depth <= 0 else INNER_FOURS)
    return int(vcf(mem, side, np.int64(FOURS_DEPTH), np.int64(0)))


@kernel
def win_by_fours(mem: Any, side: int, depth: int, ply: int) -> int:
    """Plies to a win by fours of `side`, who is to move, or 0. Its line becomes the line of this ply."""
    fours = find_fours(mem, side, depth)
    if fours and not mem.stop:
        i = 0
        while mem.threat_line[i] != NO_ACTION and ply + i <= MAX_PLY:
            mem.line[ply, ply + i] = mem.threat_line[i]
            i += 1
        mem.line[ply, ply + i] = NO_ACTION
        if ply == 0:
            keep_best(mem, WIN - fours)
    return int(fours)


@kernel
def is_quiet(mem: Any, point: int) -> bool:
    """Is the move quiet for both colours?"""
    return bool(mem.kinds[0, point] == K_QUIET and mem.kinds[1, point] == K_QUIET)


@kernel
def without_quiet(mem: Any, moves: Any, start: int, count: int) -> int:
    """Remove the quiet moves of the list, from index `start` on. Returns the number of moves left."""
    left = start
    for i in range(start, count):
        if not is_quiet(mem, moves[i] & 1023):
            moves[left] = moves[i]
            left += 1
    return left


@kernel
def late_move_reduction(
    mem: Any, side: int, point: int, depth: int, number: int, pv_node: bool, improving: bool
) -> int:
    """The late move reduction, in plies."""
    less = mem.history[side, point] * LESS_BY_HISTORY // 1024
    if pv_node:
        less += LESS_IN_PV
    if not is_quiet(mem, point):
        less += LESS_IF_TACTICAL
    if not improving:
        less -= MORE_IF_WORSENING
    return int(reduction(mem, depth, number, less))


@kernel
def is_futile(depth: int, number: int, static: int, alpha: int, improving: bool) -> bool:
    """Can quiet move `number` be pruned (late move pruning and futility pruning)?"""
    if depth > 8:
        return False
    most = (300 + 80 * depth + 50 * depth * depth) // 100
    if number >= (most if improving else most * 72 // 100):
        return True
    return depth <= 3 and static + 130 + 100 * depth <= alpha and number > 3


@kernel
def negamax(mem: Any, table: Any, side: int, alpha: int, beta: int, depth: int, ply: int) -> int:
    """The score of a position for `side`, who is to move, in the window (alpha, beta); 0 when stopped."""
    mem.line[ply, ply] = NO_ACTION
    if out_of_time(mem):
        return 0
    mem.nodes += 1
    other = 1 - side
    mem.seldepth = max(mem.seldepth, ply)

    # 1. Fives and fours force the move.
    score = decided(mem, side, ply)
    if score != INFINITE:
        return int(score)
    if mem.totals[other, K_FIVE]:
        point = first_of(mem, other, K_FIVE)
        make_move(mem, table, point, side)
        value = -negamax(mem, table, other, -beta, -alpha, depth, ply + 1)
        unmake_move(mem, point, side)
        if not mem.stop:
            prefer(mem, ply, point, value, True)
        return int(value)
    if ply > 0:
        alpha = max(alpha, ply + 2 - WIN)
        beta = min(beta, WIN - ply - 5)
        if alpha >= beta:
            return int(alpha)
    threatened = mem.totals[other, K_OPEN_FOUR] > 0
    pv_node = beta - alpha > 1

    # 2. The transposition table.
    key = key_for(mem.hash, side)
    slot = slot_of(table, key)
    table_point, vcf_searched = NO_ACTION, False
    data = entry_of(table, slot, key)
    if data:
        table_point = entry_action(data)
        known = entry_score(data, ply)
        decides = entry_decides(data, known, alpha, beta)
        if decides and ply > 0 and not pv_node and (entry_depth(data) >= depth or entry_proves(data, known)):
            return int(known)
        vcf_searched = entry_depth(data) >= depth - 1 and abs(known) < SURE

    # 3. A win by fours.
    if not vcf_searched:
        fours = win_by_fours(mem, side, depth, ply)
        if mem.stop:
            return 0
        if fours:
            first = np.int64(mem.threat_line[0])
            store(table, slot, key, WIN - ply - fours, first, np.int64(AT_LEAST), np.int64(100), mem.age, ply)
            return int(WIN - ply - fours)

    # 4. The horizon: the static evaluation, unless an open four must be stopped first.
    static = static_score(mem, side)
    if depth <= 0 and (not threatened or depth <= -EXTRA_PLIES):
        store(table, slot, key, static, np.int64(NO_ACTION), np.int64(EXACT), depth, mem.age, ply)
        return int(static)

    # 5. Would the opponent win by fours after a pass?
    lost_in, in_zone = 0, False
    if ply > 0 and not threatened:
        lost_in = find_fours(mem, other, depth)
        if mem.stop:
            return 0
        if lost_in:
            in_zone = find_defence_zone(mem, other, np.int64(0))

    # 6. Internal iterative reduction, reverse futility pruning, futility pruning, null move.
    quiet = not threatened and not pv_node and abs(beta) < SURE and lost_in == 0
    mem.static_scores[ply] = static
    improving = ply < 2 or static > mem.static_scores[ply - 2]
    if depth >= 4 and ply > 0 and table_point == NO_ACTION and not threatened:
        depth -= 1  # without a table move the search is less efficient; the next iteration will have one
    if quiet and ply > 0:
        if depth <= 8 and static - 56 * (depth - int(improving)) >= beta:
            return int(static)
        if depth <= 4 and static + 100 + 120 * depth <= alpha:
            return int(static)
        if depth >= 3 and not mem.given[ply] and static >= beta:
            mem.given[ply + 1] = 1
            less = (330 + 58 * depth) // 100 + min((static - beta) // 100, 2)
            value = -negamax(mem, table, other, -beta, 1 - beta, depth - less, ply + 1)
            mem.given[ply + 1] = 0
            if mem.stop:
                return 0
            if value >= beta:
                return int(min(value, SURE - 1))

    # 7. The moves, best first.
    moves = mem.moves[ply]
    count = list_all(mem, side, ply, table_point, threatened, in_zone)
    if count == 0 and ply == 0 and mem.left_out[0] != NO_ACTION:
        return -INFINITE
    if threatened and count == 0:
        return ply + 4 - WIN
    best, best_point, floor = -INFINITE, table_point, alpha
    if in_zone:
        best = ply + 1 + lost_in - WIN  # the score of all moves outside the zone
        if best >= beta:
            return int(best)
        alpha = max(alpha, best)
    number = -1
    while number + 1 < count:
        number += 1
        point = bring_best(moves, number, count) & 1023
        if depth <= 0 and best > -SURE and moves[number] < 0:
            break  # below depth 0 one sufficient defence is enough
        if quiet and best > -SURE and is_quiet(mem, point) and is_futile(depth, number, static, alpha, improving):
            count = without_quiet(mem, moves, number, count)  # later quiet moves can be pruned, too
            number -= 1
            continue
        reduced = 0
        if depth >= 2 and number >= 2:
            if threatened:
                reduced = min(4 if number >= 5 else 2, depth - 1)
            else:
                reduced = late_move_reduction(mem, side, point, depth, number, pv_node, improving)
        make_move(mem, table, point, side)

        # 8. The first move with the full window; later moves first with a null window and a reduced depth.
        value = alpha + 1
        after = depth - 1
        if (threatened or (lost_in and number == 0)) and depth > 0 and ply < 7 * mem.iteration // 5:
            after = depth  # a threat and its answer count as one step
        if number > 0:
            value = -negamax(mem, table, other, -alpha - 1, -alpha, after - reduced, ply + 1)
            if value > alpha and reduced:
                value = -negamax(mem, table, other, -alpha - 1, -alpha, after, ply + 1)
        if number == 0 or (value > alpha and pv_node):
            value = -negamax(mem, table, other, -beta, -alpha, after, ply + 1)
        unmake_move(mem, point, side)
        if mem.stop:
            return 0

        # 9. A new best move, perhaps a beta cutoff.
        if value > best:
            best = value
            if value > alpha:
                alpha = value
                best_point = point
                prefer(mem, ply, point, value, pv_node)
                if alpha >= beta:
                    if not threatened:
                        bonus, tried = min(11 * depth * depth, 480), min(number, 64)
                        remember(mem.killers[ply], mem.history[side], moves, point, tried, bonus, HISTORY_LIMIT)
                    break

    # 10. Store the result.
    if count == 0 and not in_zone:
        best = 0  # all empty points are idle
    if ply > 0 or mem.left_out[0] == NO_ACTION:
        keep(mem, table, slot, key, best, best_point, floor, beta, depth, ply)
    return best


@kernel
def begin(mem: Any) -> int:
    """Prepare the record for a search. The caller has set the board and a legal `best`."""
    begin_search(mem)
    refresh(mem)
    return 0


deepen = deepening(negamax)


@kernel
def threat_win(mem: Any, side: int, depth: int, threes: int, limit: int) -> int:
    """Plies to a win of `side` by fours (`threes` 0) or by fours and threes (1), within `depth` plies and `limit` more
    nodes; 0 if none was found. Its line is in threat_line."""
    mem.gave_up = 0
    mem.threat_limit = mem.nodes + limit
    root_ply = np.int64(0)
    if threes:
        return int(vct(mem, side, depth, root_ply))
    return int(vcf(mem, side, depth, root_ply))
