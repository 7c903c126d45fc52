"""Threat searches: wins by fours (VCF) and by fours and threes (VCT), each with its line.

A four must be answered at the one point that makes five; a three at a point that stops the open four, or by a four. So
the defender has few replies, and a win that is found is exact. Failed searches are cached with their depth.
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
from hansu.games.renju.engine.pattern_scores import CLASS_SCORES
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
FAILED_SEARCHES = 1 << 16  # entries of each cache of failed searches

THREAT_FIELDS = [
    ("threat_limit", np.int64),  # the number of nodes at which a threat search gives up
    ("gave_up", np.int64),  # 1: the last threat search reached its limit
    ("threat_line", np.int16, THREAT_PLIES + 2),  # NO_ACTION ends it
    ("threat_moves", np.int64, (THREAT_PLIES + 2, MOST_MOVES)),
    ("replies", np.int64, (THREAT_PLIES + 2, MOST_MOVES)),
    ("zone", np.int64, (THREAT_PLIES + 2, ROWS)),  # points as bits of a row
    ("failed_vcf", np.int64, FAILED_SEARCHES),  # failed VCF searches: the hash without its low 7 bits | depth
    ("failed_vct", np.int64, FAILED_SEARCHES),  # failed VCT searches, likewise
]


@kernel
def legal_for(mem: Any, side: int, point: int) -> bool:
    """May `side` play on this empty point?"""
    return side == 1 or not mem.restricted or not forbidden(mem, point)


@kernel
def pattern_score_at(mem: Any, side: int, point: int) -> int:
    """The pattern score of a move of `side` (pattern_scores.py)."""
    key, score = key_of(mem, side, point), 0
    for d in range(4):
        score += CLASS_SCORES[key >> 4 * d & 15]
    return score


@kernel
def list_kind(mem: Any, side: int, kind: int, moves: Any, count: int, rank: int) -> int:
    """Append the points of a kind to `moves` as order << 10 | point. Moves are tried by descending order; `rank` comes
    first, the pattern score second."""
    for row in range(MARGIN, MARGIN + mem.size):
        bits = mem.rows[side, kind, row]
        while bits:
            point = STRIDE * row + lowest(bits)
            bits &= bits - 1
            order = pattern_score_at(mem, side, point) + (rank << 20)
            moves[count] = order << 10 | point
            count += 1
    return count


@kernel
def makes_four(mem: Any, side: int, point: int) -> bool:
    """Would a stone of `side` make a four here?"""
    key = key_of(mem, side, point)
    for d in range(4):
        if key >> 4 * d & 15 in (FOUR, OPEN_FOUR, TWO_FOURS):
            return True
    return False


@kernel
def list_fours(mem: Any, side: int, moves: Any) -> int:
    """Fill `moves` with every legal move of `side` that makes a four, with its order."""
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
    """VCF: plies to a win of `side`, who is to move, by fours within `depth` plies; 0 if none was found. The line is in
    threat_line[ply:]."""
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
    # 1. A four of the opponent must be stopped by an own four.
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

    # 2. Has this search failed before?
    mark = (mem.hash ^ side * 0x2545F4914F6CDD1D) & ~127
    slot = mark >> 7 & FAILED_SEARCHES - 1
    if mem.failed_vcf[slot] & ~127 == mark and mem.failed_vcf[slot] & 127 >= depth:
        return 0
    if count == 0:
        count = list_fours(mem, side, moves)

    # 3. Each four, its only answer, and the search after both.
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
    mem.failed_vcf[slot] = mark | min(depth, 127)
    return 0


@kernel
def include(zone: Any, point: int) -> None:
    """Add a point to a zone, int64[ROWS] of bits."""
    zone[point >> 5] |= 1 << (point & 31)


@kernel
def include_fours(mem: Any, zone: Any, side: int) -> None:
    """Add to a zone every point where a stone of `side` may make a four or more. (A loop over the kinds would take
    Numba 5 s to compile.)"""
    rows = mem.rows[side]
    for row in range(MARGIN, MARGIN + mem.size):
        fours = rows[K_FOUR, row] | rows[K_FOUR_THREE, row] | rows[K_OPEN_FOUR, row] | rows[K_FIVE, row]
        zone[row] |= fours | rows[K_FORBIDDEN, row] | rows[K_RISKY, row]


@kernel
def find_defence_zone(mem: Any, attacker: int, ply: int) -> bool:
    """Fill zone[0] with the points that may stop the attacker's win by fours in threat_line, found after a pass of the
    defender. If the defender plays anywhere else, the same line wins. Returns False if that is not certain. (Call with
    `ply` 0; the function calls itself for the rest of the line.)

    A stone may stop a line if it lies on a point of the line, lies on a five at its end, or gives the defender a four
    on the way, alone or together with the line's answers. Other stones can only change black's forbidden points. So the
    result is uncertain for lines in which black plays a point of kind RISKY, or whose last answer is forbidden.
    """
    zone, side = mem.zone[0], attacker ^ (ply & 1)
    if ply == 0:
        zone[:] = 0
    if mem.threat_line[ply] == NO_ACTION:
        for row in range(MARGIN, MARGIN + mem.size):
            zone[row] |= mem.rows[attacker, K_FIVE, row]
        return bool(mem.totals[attacker, K_FIVE] != 1)
    point = np.int64(mem.threat_line[ply])  # int64 like all points; `place` would be compiled again for int16
    risky = side == attacker == 0 and mem.restricted and mem.kinds[0, point] == K_RISKY
    if side == attacker:
        include_fours(mem, zone, 1 - attacker)
    include(zone, point)
    place(mem, point, side)
    certain = find_defence_zone(mem, attacker, ply + 1)
    lift(mem, point)
    return bool(certain and not risky)


@kernel
def open_four_defences(mem: Any, attacker: int, ply: int) -> None:
    """Fill zone[ply] with the points that touch every open four the attacker threatens to make. All defences except the
    defender's own fours are among them. (A white stone elsewhere cannot make such a point forbidden for black: an enemy
    stone never raises the class of a line and never creates a three.)"""
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
    """Fill `moves` with the legal moves that may stop the attacker's open fours: the points of zone[ply] and the
    defender's fours."""
    open_four_defences(mem, 1 - defender, ply)
    count = list_fours(mem, defender, moves)
    fours = count
    zone = mem.zone[ply]
    for row in range(MARGIN, MARGIN + mem.size):
        bits = zone[row]
        while bits:
            point = STRIDE * row + lowest(bits)
            bits &= bits - 1
            listed = False
            for i in range(fours):
                if moves[i] & 1023 == point:
                    listed = True
            if not listed and legal_for(mem, defender, point):
                order = pattern_score_at(mem, defender, point) + pattern_score_at(mem, 1 - defender, point)
                moves[count] = order << 10 | point
                count += 1
    return int(count)


@kernel
def vct(mem: Any, side: int, depth: int, ply: int) -> int:
    """VCT: plies to a win of `side`, who is to move, by fours and threes within `depth` plies against every defence; 0
    if none was found. threat_line[ply:] is a line of the win."""
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
    slot = mark >> 7 & FAILED_SEARCHES - 1
    if mem.failed_vct[slot] & ~127 == mark and mem.failed_vct[slot] & 127 >= depth:
        return 0

    # 1. The moves: a forced block, or fours and threes. Threes do not force if the opponent threatens an open four.
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

    # 2. A move wins if every defence loses.
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
    mem.failed_vct[slot] = mark | min(depth, 127)
    return 0
