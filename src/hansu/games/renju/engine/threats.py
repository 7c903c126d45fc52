"""Wins that leave no choice: VCF (by fours alone) and VCT (by fours and threes), each with its line.

A four must be answered at the one point that makes five; a three at the points that stop the open four, or by a four
of one's own. So both are searches in which the defender has few replies, exact when they say "won". A position that was
searched in vain to some depth is remembered.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hansu.compile import kernel
from hansu.core import lowest
from hansu.games.renju.engine.board import (
    LARGEST,
    MARGIN,
    ROWS,
    STEPS,
    STRIDE,
    first_of,
    forbidden,
    key_of,
    lift,
    place,
    stuck,
)
from hansu.games.renju.engine.pattern_scores import CLASS_WORTH
from hansu.games.renju.engine.patterns import (
    FOUR,
    K_FIVE,
    K_FORBIDDEN,
    K_FOUR,
    K_FOUR_THREE,
    K_OPEN_FOUR,
    K_RISKY,
    K_THREE,
    K_THREES,
    OPEN_FOUR,
    TWO_FOURS,
)
from hansu.search.pvs import NO_ACTION, bring_best, out_of_time

THREAT_PLIES = 100
MOST_MOVES = LARGEST * LARGEST
VAIN = 1 << 16  # entries of searches that found nothing

THREAT_FIELDS = [
    ("threat_limit", np.int64),  # the number of nodes at which a threat search gives up
    ("gave_up", np.int64),  # 1: it did
    ("threat_line", np.int16, THREAT_PLIES + 2),  # NO_ACTION ends it
    ("threat_moves", np.int64, (THREAT_PLIES + 2, MOST_MOVES)),
    ("replies", np.int64, (THREAT_PLIES + 2, MOST_MOVES)),
    ("zone", np.int64, (THREAT_PLIES + 2, ROWS)),  # points as bits of a row
    ("vain", np.int64, VAIN),  # by fours: the hash without its low 7 bits | depth
    ("vain_threes", np.int64, VAIN),  # by fours and threes
]


@kernel
def legal_for(mem: Any, side: int, point: int) -> bool:
    return side == 1 or not mem.restricted or not forbidden(mem, point)


@kernel
def worth_at(mem: Any, side: int, point: int) -> int:
    """What a move of `side` is worth at a glance."""
    key, worth = key_of(mem, side, point), 0
    for d in range(4):
        worth += CLASS_WORTH[key >> 4 * d & 15]
    return worth


@kernel
def list_kind(mem: Any, side: int, kind: int, moves: Any, count: int, rank: int) -> int:
    """Append the points of a kind as order << 10 | point, the more promising ones with the greater order."""
    for row in range(MARGIN, MARGIN + mem.size):
        bits = mem.rows[side, kind, row]
        while bits:
            point = STRIDE * row + lowest(bits)
            bits &= bits - 1
            order = worth_at(mem, side, point) + (rank << 20)
            moves[count] = order << 10 | point
            count += 1
    return count


@kernel
def makes_four(mem: Any, side: int, point: int) -> bool:
    key = key_of(mem, side, point)
    for d in range(4):
        if key >> 4 * d & 15 in (FOUR, OPEN_FOUR, TWO_FOURS):
            return True
    return False


@kernel
def list_fours(mem: Any, side: int, moves: Any) -> int:
    """Every move of `side` that makes a four and may be played, with its order."""
    count = list_kind(mem, side, K_FOUR_THREE, moves, np.int64(0), np.int64(2))
    count = list_kind(mem, side, K_FOUR, moves, count, np.int64(1))
    if mem.restricted and side == 0:
        end = list_kind(mem, side, K_RISKY, moves, count, np.int64(2))
        for i in range(count, end):
            point = moves[i] & 1023
            if makes_four(mem, side, point) and not forbidden(mem, point):
                moves[count] = moves[i]
                count += 1
    return int(count)


@kernel
def vcf(mem: Any, side: int, depth: int, ply: int) -> int:
    """Plies to a win of `side`, who is to move, by fours within `depth` plies; 0 if there is none (or no time). The
    line is in threat_line[ply:]."""
    other = 1 - side
    if mem.totals[side, K_FIVE]:
        mem.threat_line[ply] = first_of(mem, side, K_FIVE)
        mem.threat_line[ply + 1] = NO_ACTION
        return 1
    if mem.nodes >= mem.threat_limit or out_of_time(mem):
        mem.gave_up = 1
        return 0
    if depth < 3 or ply >= THREAT_PLIES - 4:
        return 0
    # 1. The other's four must be stopped by a four of one's own.
    moves = mem.threat_moves[ply]
    if mem.totals[other, K_FIVE]:
        if mem.totals[other, K_FIVE] > 1:
            return 0
        point = first_of(mem, other, K_FIVE)
        if not makes_four(mem, side, point) or not legal_for(mem, side, point):
            return 0
        moves[0] = point
        count = 1
    elif mem.totals[side, K_OPEN_FOUR]:
        mem.threat_line[ply] = first_of(mem, side, K_OPEN_FOUR)
        mem.threat_line[ply + 1] = NO_ACTION
        return 3
    else:
        if mem.totals[side, K_FOUR] + mem.totals[side, K_FOUR_THREE] + mem.totals[side, K_RISKY] == 0:
            return 0
        count = 0

    # 2. Tried in vain before?
    mark = (mem.hash ^ side * 0x2545F4914F6CDD1D) & ~127
    slot = mark >> 7 & VAIN - 1
    if mem.vain[slot] & ~127 == mark and mem.vain[slot] & 127 >= depth:
        return 0
    if count == 0:
        count = list_fours(mem, side, moves)

    # 3. Each four, its only answer, and on from there.
    for i in range(count):
        point = bring_best(moves, i, count) & 1023
        mem.nodes += 1
        place(mem, point, side)
        won = 0
        if mem.totals[other, K_FIVE] == 0 and not stuck(mem, other):
            if mem.totals[side, K_FIVE] > 1:
                won = 3
                mem.threat_line[ply + 1] = NO_ACTION
            elif mem.totals[side, K_FIVE] == 1:
                answer = first_of(mem, side, K_FIVE)
                if not legal_for(mem, other, answer):
                    won = 3
                    mem.threat_line[ply + 1] = NO_ACTION
                else:
                    mem.nodes += 1
                    place(mem, answer, other)
                    won = vcf(mem, side, depth - 2, ply + 2)
                    lift(mem, answer)
                    if won:
                        won += 2
                        mem.threat_line[ply + 1] = answer
        lift(mem, point)
        if won:
            mem.threat_line[ply] = point
            return won
        if mem.stop or mem.gave_up:
            return 0
    mem.vain[slot] = mark | min(depth, 127)
    return 0


@kernel
def include(zone: Any, point: int) -> None:
    zone[point >> 5] |= 1 << (point & 31)


@kernel
def include_fours(mem: Any, zone: Any, side: int) -> None:
    """Wherever a stone of `side` may make a four, or more. (A loop over the kinds would take Numba 5 s to compile.)"""
    rows = mem.rows[side]
    for row in range(MARGIN, MARGIN + mem.size):
        fours = rows[K_FOUR, row] | rows[K_FOUR_THREE, row] | rows[K_OPEN_FOUR, row] | rows[K_FIVE, row]
        zone[row] |= fours | rows[K_FORBIDDEN, row] | rows[K_RISKY, row]


@kernel
def find_parries(mem: Any, attacker: int, ply: int) -> bool:
    """zone[0]: the points of which one must be taken to stop the win by fours in threat_line, which the attacker has
    if the other passes; wherever else the other plays, the same line wins. False: that is not certain. (`ply` is 0; the
    function calls itself for the rest of the line.)

    A stone stops a line where it lies on one of its points, on a five at its end, or gives the defender a four on the
    way, alone or together with answers of the line. Farther off it may matter to black's forbidden points only: so
    lines are left alone in which black plays where that must be looked at, or that end with an answer he may not give.
    """
    zone, side = mem.zone[0], attacker ^ (ply & 1)
    if ply == 0:
        zone[:] = 0
    if mem.threat_line[ply] == NO_ACTION:
        for row in range(MARGIN, MARGIN + mem.size):
            zone[row] |= mem.rows[attacker, K_FIVE, row]
        return bool(mem.totals[attacker, K_FIVE] != 1)
    point = np.int64(mem.threat_line[ply])  # as all points are: of its own kind `place` would be compiled once more
    risky = side == attacker == 0 and mem.restricted and mem.kinds[0, point] == K_RISKY
    if side == attacker:
        include_fours(mem, zone, 1 - attacker)
    include(zone, point)
    place(mem, point, side)
    certain = find_parries(mem, attacker, ply + 1)
    lift(mem, point)
    return bool(certain and not risky)


@kernel
def defences(mem: Any, attacker: int, ply: int) -> None:
    """zone[ply]: the points that touch every open four the attacker threatens to make; any defence but a four of the
    defender's own is among them. (A white stone elsewhere cannot make such a point of black's forbidden: the other's
    stone never lifts the class of a line nor makes a three of anything else, and so few threes need no second look.)"""
    zone = mem.zone[ply]
    first = True
    for row in range(MARGIN, MARGIN + mem.size):
        bits = mem.rows[attacker, K_OPEN_FOUR, row]
        while bits:
            point = STRIDE * row + lowest(bits)
            bits &= bits - 1
            star = mem.zone[ply + 1]
            star[:] = 0
            include(star, point)
            key = key_of(mem, attacker, point)
            for d in range(4):
                if key >> 4 * d & 15 in (FOUR, OPEN_FOUR):
                    for sign in (-1, 1):
                        step = STEPS[d] * sign
                        q = point
                        for _ in range(5):
                            q += step
                            if mem.stones[q] == 0:
                                include(star, q)
                            elif mem.stones[q] != attacker + 1:
                                break
            for r in range(ROWS):
                zone[r] = star[r] if first else zone[r] & star[r]
            first = False


@kernel
def list_defences(mem: Any, defender: int, moves: Any, ply: int) -> int:
    """What may stop the open fours that threaten: the zone's points and the defender's fours."""
    defences(mem, 1 - defender, ply)
    count = list_fours(mem, defender, moves)
    fours = count
    zone = mem.zone[ply]
    for row in range(MARGIN, MARGIN + mem.size):
        bits = zone[row]
        while bits:
            point = STRIDE * row + lowest(bits)
            bits &= bits - 1
            known = False
            for i in range(fours):
                if moves[i] & 1023 == point:
                    known = True
            if not known and legal_for(mem, defender, point):
                order = worth_at(mem, defender, point) + worth_at(mem, 1 - defender, point)
                moves[count] = order << 10 | point
                count += 1
    return int(count)


@kernel
def vct(mem: Any, side: int, depth: int, ply: int) -> int:
    """Plies to a win of `side`, who is to move, by fours and threes within `depth` plies against every defence; 0 if
    none was found. threat_line[ply:] is one line of it."""
    other = 1 - side
    mem.gave_up = 0
    fours = vcf(mem, side, min(depth, 24), ply)
    if fours or mem.stop:
        return int(fours)
    if mem.nodes >= mem.threat_limit or depth < 5 or ply >= THREAT_PLIES - 4:
        mem.gave_up = mem.nodes >= mem.threat_limit
        return 0
    mem.gave_up = 0
    mark = (mem.hash ^ side * 0x2545F4914F6CDD1D) & ~127
    slot = mark >> 7 & VAIN - 1
    if mem.vain_threes[slot] & ~127 == mark and mem.vain_threes[slot] & 127 >= depth:
        return 0

    # 1. The moves: a forced block, or fours and threes. Threes do not force while the other has one.
    moves = mem.threat_moves[ply]
    if mem.totals[other, K_FIVE]:
        if mem.totals[other, K_FIVE] > 1:
            return 0
        point = first_of(mem, other, K_FIVE)
        if not legal_for(mem, side, point):
            return 0
        moves[0] = point
        count = 1
    else:
        count = list_fours(mem, side, moves)
        if mem.totals[other, K_OPEN_FOUR] == 0:
            count = list_kind(mem, side, K_THREES, moves, count, np.int64(3))
            count = list_kind(mem, side, K_THREE, moves, count, np.int64(0))
            if mem.restricted and side == 0:
                end = list_kind(mem, side, K_RISKY, moves, count, np.int64(3))
                for i in range(count, end):
                    point = moves[i] & 1023
                    if not makes_four(mem, side, point) and not forbidden(mem, point):
                        moves[count] = moves[i]
                        count += 1

    # 2. Each move wins if every defence loses.
    for i in range(count):
        point = bring_best(moves, i, count) & 1023
        mem.nodes += 1
        place(mem, point, side)
        longest = 0
        refuted = mem.totals[other, K_FIVE] > 0 or stuck(mem, other)
        if not refuted:
            replies = mem.replies[ply]
            number = 0
            if mem.totals[side, K_FIVE]:
                longest = 2
                mem.threat_line[ply + 1] = NO_ACTION
                if mem.totals[side, K_FIVE] == 1:
                    answer = first_of(mem, side, K_FIVE)
                    if legal_for(mem, other, answer):
                        replies[0] = answer
                        number = 1
            elif mem.totals[side, K_OPEN_FOUR] and mem.totals[other, K_OPEN_FOUR] == 0:
                longest = 4
                mem.threat_line[ply + 1] = NO_ACTION
                number = list_defences(mem, other, replies, ply)
            else:
                refuted = True
            for j in range(number):
                reply = bring_best(replies, j, number) & 1023
                mem.nodes += 1
                place(mem, reply, other)
                won = vct(mem, side, depth - 2, ply + 2)
                lift(mem, reply)
                if won == 0:
                    refuted = True
                    break
                if won + 1 > longest:
                    longest = won + 1
                mem.threat_line[ply + 1] = reply
        lift(mem, point)
        if mem.stop:
            return 0
        if not refuted:
            mem.threat_line[ply] = point
            return longest + 1
        if mem.nodes >= mem.threat_limit:
            mem.gave_up = 1
            return 0
    mem.vain_threes[slot] = mark | min(depth, 127)
    return 0
