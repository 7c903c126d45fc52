"""The engine's search: what is Renju in the machine of `hansu.search.pvs`.

Where somebody has a four, there is nothing to choose; where the other threatens an open four, only what stops it, and
fours, are searched; everywhere else a win by fours (VCF) is sought first, so that the leaves are quiet. Where the other
would have one if the mover passed, only what may stop it is searched: everything else has lost.
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
from hansu.games.renju.engine.network import NETWORK_FIELDS, announce, network_order, network_value, refresh, take_back
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
    find_parries,
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
FOURS_DEPTH, LEAF_FOURS, INNER_FOURS = 34, 13, 50  # how far, and for how many nodes, a node looks for a win by fours
DEEP = 4  # below this depth only where a 4-3 is to be had: else it seldom finds anything
LATE = 1 << 31  # off the order of a four that only puts off what threatens
BEYOND = 3  # plies past the horizon that open fours are still stopped

# What follows, and the numbers of `negamax`, were tuned together, by games (docs/lab/renju_engine.md).
# Of reductions, in hundredths of a ply: less of them in the expected line, where somebody makes something of note, and
# for moves with a history (so much for 1024 of it); more where the position gets worse.
IN_LINE, NOTED, HISTORY, WORSENED = 130, 100, 75, 45

MEMORY = np.dtype(
    [
        *NETWORK_FIELDS,  # first, so that each of its rows is one cache line
        *memory_fields(MAX_PLY, MOST_MOVES, POINTS),
        *BOARD_FIELDS,
        *THREAT_FIELDS,
        ("statics", np.int64, MAX_PLY + 4),  # what the positions of the line in hand were thought to be worth, by ply
    ],
    align=True,
)


def new_memory(rule: str, size: int) -> Any:
    """A record for one searching thread."""
    memory = pvs.new_memory(MEMORY, window=40, step=40, from_score=False, shortest=False, reductions=(1.12, 0.58))
    set_up(memory, rule, size)
    return memory


@kernel
def key_for(stones: int, side: int) -> int:
    """The key of a position whose stones have this hash, with `side` to move."""
    return stones ^ side * 0x2545F4914F6CDD1D


@kernel
def make(mem: Any, table: Any, point: int, side: int) -> None:
    """Place a stone that the network is to follow. (Searches for threats ask for no evaluation: they only place.)"""
    ask_for_entry(table, key_for(mem.hash ^ mem.zobrist[side, point], 1 - side))
    place(mem, point, side)
    announce(mem, point, side)


@kernel
def unmake(mem: Any, point: int, side: int) -> None:
    lift(mem, point)
    take_back(mem)


@kernel
def static_score(mem: Any, side: int) -> int:
    return int(max(min(network_value(mem, side), SURE - 1), 1 - SURE))


@kernel
def order_of(mem: Any, side: int, point: int) -> int:
    """How early a move is tried, above 0."""
    return int(network_order(mem, side, point) + 65536)


@kernel
def is_idle(mem: Any, point: int) -> bool:
    """Has neither colour a stone within reach that is of use here?"""
    for d in range(4):
        pair = mem.pairs[d, along(d, point)]
        if pair & 15 > ONE or pair >> 4 > ONE:
            return False
    return True


@kernel
def list_moves(mem: Any, side: int, ply: int, table_point: int, in_zone: bool) -> int:
    """Every point that touches a stone's lines, or every one in zone[0], with its order."""
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
            order = order_of(mem, side, point) + history[point] // 2
            if point == table_point:
                order += 1 << 24
            elif point in (killer, killer_2):
                order += KILLER
            moves[count] = order << 10 | point
            count += 1
    return count


@kernel
def list_all(mem: Any, side: int, ply: int, table_point: int, threatened: bool, in_zone: bool) -> int:
    """Fill moves[ply]; where the other threatens an open four, only with what may stop it, and fours that lie elsewhere
    LATE; where he threatens to win by fours, only with what lies in the zone."""
    if threatened:
        moves = mem.moves[ply]
        count = list_defences(mem, side, moves, np.int64(0))
        for i in range(count):
            point = moves[i] & 1023
            order = order_of(mem, side, point)
            if point == table_point:
                order += 1 << 24
            elif not mem.zone[0, point >> 5] >> (point & 31) & 1:
                order -= LATE
            moves[i] = order << 10 | point
    else:
        count = list_moves(mem, side, ply, table_point, in_zone)
    return int(leave_out(mem, count) if ply == 0 else count)


@kernel
def decided(mem: Any, side: int, ply: int) -> int:
    """The score of a position in which `side` need not choose, or INFINITE; a single five of the other's that can be
    stopped is no decision."""
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
    """Plies to a win by fours of `side`, if it were to move, or 0; looked for only where there is hope of one."""
    promising = mem.totals[side, K_FOUR_THREE] + mem.totals[side, K_RISKY]
    if not promising and (depth < DEEP or not mem.totals[side, K_FOUR]):
        return 0
    mem.gave_up = 0
    mem.threat_limit = mem.nodes + (LEAF_FOURS if depth <= 0 else INNER_FOURS)
    return int(vcf(mem, side, np.int64(FOURS_DEPTH), np.int64(0)))


@kernel
def win_by_fours(mem: Any, side: int, depth: int, ply: int) -> int:
    """Plies to a win by fours of `side`, who is to move, or 0; its line is this ply's."""
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
def is_calm(mem: Any, point: int) -> bool:
    """Would neither colour make anything of note here?"""
    return bool(mem.kinds[0, point] == K_QUIET and mem.kinds[1, point] == K_QUIET)


@kernel
def without_calm(mem: Any, moves: Any, start: int, count: int) -> int:
    """Take calm moves out of the list, from place `start` on; how many are left."""
    left = start
    for i in range(start, count):
        if not is_calm(mem, moves[i] & 1023):
            moves[left] = moves[i]
            left += 1
    return left


@kernel
def reduced_by(mem: Any, side: int, point: int, depth: int, number: int, in_line: bool, improving: bool) -> int:
    """How many plies shallower a late move is searched first."""
    less = mem.history[side, point] * HISTORY // 1024
    if in_line:
        less += IN_LINE
    if not is_calm(mem, point):
        less += NOTED
    if not improving:
        less -= WORSENED
    return int(reduction(mem, depth, number, less))


@kernel
def hopeless(depth: int, number: int, static: int, alpha: int, improving: bool) -> bool:
    """Is a calm move, the so manieth, not worth a search?"""
    if depth > 8:
        return False
    most = (300 + 80 * depth + 50 * depth * depth) // 100
    if number >= (most if improving else most * 72 // 100):
        return True
    return depth <= 3 and static + 130 + 100 * depth <= alpha and number > 3


@kernel
def negamax(mem: Any, table: Any, side: int, alpha: int, beta: int, depth: int, ply: int) -> int:
    """The score of a position within (alpha, beta), to `side`, who moves; 0 when stopped."""
    mem.line[ply, ply] = NO_ACTION
    if out_of_time(mem):
        return 0
    mem.nodes += 1
    other = 1 - side
    mem.seldepth = max(mem.seldepth, ply)

    # 1. Fives and fours leave no choice.
    score = decided(mem, side, ply)
    if score != INFINITE:
        return int(score)
    if mem.totals[other, K_FIVE]:
        point = first_of(mem, other, K_FIVE)
        make(mem, table, point, side)
        value = -negamax(mem, table, other, -beta, -alpha, depth, ply + 1)
        unmake(mem, point, side)
        if not mem.stop:
            prefer(mem, ply, point, value, True)
        return int(value)
    if ply > 0:
        alpha = max(alpha, ply + 2 - WIN)
        beta = min(beta, WIN - ply - 5)
        if alpha >= beta:
            return int(alpha)
    threatened = mem.totals[other, K_OPEN_FOUR] > 0
    in_line = beta - alpha > 1

    # 2. What the table knows.
    key = key_for(mem.hash, side)
    slot = slot_of(table, key)
    table_point, searched_fours = NO_ACTION, False
    data = entry_of(table, slot, key)
    if data:
        table_point = entry_action(data)
        found = entry_score(data, ply)
        decides = entry_decides(data, found, alpha, beta)
        if decides and ply > 0 and not in_line and (entry_depth(data) >= depth or entry_proves(data, found)):
            return int(found)
        searched_fours = entry_depth(data) >= depth - 1 and abs(found) < SURE

    # 3. A win by fours.
    if not searched_fours:
        fours = win_by_fours(mem, side, depth, ply)
        if mem.stop:
            return 0
        if fours:
            first = np.int64(mem.threat_line[0])
            store(table, slot, key, WIN - ply - fours, first, np.int64(AT_LEAST), np.int64(100), mem.age, ply)
            return int(WIN - ply - fours)

    # 4. The horizon: quiet, unless an open four must be stopped first.
    static = static_score(mem, side)
    if depth <= 0 and (not threatened or depth <= -BEYOND):
        store(table, slot, key, static, np.int64(NO_ACTION), np.int64(EXACT), depth, mem.age, ply)
        return int(static)

    # 5. Would the other win by fours, if one passed?
    lost_in, in_zone = 0, False
    if ply > 0 and not threatened:
        lost_in = find_fours(mem, other, depth)
        if mem.stop:
            return 0
        if lost_in:
            in_zone = find_parries(mem, other, np.int64(0))

    # 6. So good, or so bad, that it stays so.
    quiet = not threatened and not in_line and abs(beta) < SURE and lost_in == 0
    mem.statics[ply] = static
    improving = ply < 2 or static > mem.statics[ply - 2]
    if depth >= 4 and ply > 0 and table_point == NO_ACTION and not threatened:
        depth -= 1  # what the table does not know is looked at less closely: it will know more next time
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
        best = ply + 1 + lost_in - WIN  # what all other moves come to
        if best >= beta:
            return int(best)
        alpha = max(alpha, best)
    number = -1
    while number + 1 < count:
        number += 1
        point = bring_best(moves, number, count) & 1023
        if depth <= 0 and best > -SURE and moves[number] < 0:
            break  # beyond the horizon, a defence that holds is enough
        if quiet and best > -SURE and is_calm(mem, point) and hopeless(depth, number, static, alpha, improving):
            count = without_calm(mem, moves, number, count)  # those that come later are so, too
            number -= 1
            continue
        reduced = 0
        if depth >= 2 and number >= 2:
            if threatened:
                reduced = min(4 if number >= 5 else 2, depth - 1)
            else:
                reduced = reduced_by(mem, side, point, depth, number, in_line, improving)
        make(mem, table, point, side)

        # 8. The first move in full; later ones must first beat alpha in a narrow, perhaps shallower search.
        value = alpha + 1
        after = depth - 1
        if (threatened or (lost_in and number == 0)) and depth > 0 and ply < 7 * mem.iteration // 5:
            after = depth  # a threat and its defence are one step of an attack
        if number > 0:
            value = -negamax(mem, table, other, -alpha - 1, -alpha, after - reduced, ply + 1)
            if value > alpha and reduced:
                value = -negamax(mem, table, other, -alpha - 1, -alpha, after, ply + 1)
        if number == 0 or (value > alpha and in_line):
            value = -negamax(mem, table, other, -beta, -alpha, after, ply + 1)
        unmake(mem, point, side)
        if mem.stop:
            return 0

        # 9. Better than all before?
        if value > best:
            best = value
            if value > alpha:
                alpha = value
                best_point = point
                prefer(mem, ply, point, value, in_line)
                if alpha >= beta:
                    if not threatened:
                        bonus, tried = min(11 * depth * depth, 480), min(number, 64)
                        remember(mem.killers[ply], mem.history[side], moves, point, tried, bonus, HISTORY_LIMIT)
                    break

    # 10. Keep it.
    if count == 0 and not in_zone:
        best = 0  # no point is left where a stone would do anything
    if ply > 0 or mem.left_out[0] == NO_ACTION:
        keep(mem, table, slot, key, best, best_point, floor, beta, depth, ply)
    return best


@kernel
def begin(mem: Any) -> int:
    """Make the record ready for a search. The caller has set the board and a legal `best`."""
    begin_search(mem)
    refresh(mem)
    return 0


deepen = deepening(negamax)


@kernel
def threat_win(mem: Any, side: int, depth: int, threes: int, limit: int) -> int:
    """Plies to a win of `side` by fours, or with `threes` not 0 by fours and threes, within `depth` plies and `limit`
    more nodes; its line is threat_line."""
    mem.gave_up = 0
    mem.threat_limit = mem.nodes + limit
    root_ply = np.int64(0)
    if threes:
        return int(vct(mem, side, depth, root_ply))
    return int(vcf(mem, side, depth, root_ply))
