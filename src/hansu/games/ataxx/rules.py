"""The rules of Ataxx on 49-bit boards, and the input planes of networks.

Bit 7*x + y of a board is the square in column x (a = 0) and row y (row 1 = 0):

    7 |  6 13 20 27 34 41 48
    6 |  5 12 19 26 33 40 47
    5 |  4 11 18 25 32 39 46
    4 |  3 10 17 24 31 38 45
    3 |  2  9 16 23 30 37 44
    2 |  1  8 15 22 29 36 43
    1 |  0  7 14 21 28 35 42
         a  b  c  d  e  f  g

Actions are numbered as in the policy of the original AlphaZero player: 49*d + target. d = 0 is a single move (a clone),
d = 1..16 a double move (a jump) with the displacement drawn around the origin `*`. 833 is the pass.

     3  2  1 16 15
     4  .  .  . 14
     5  .  *  . 13
     6  .  .  . 12
     7  8  9 10 11

Columns are seven bits apart. Steps along y could enter the next column, so masks remove those. Steps along x leave the
board at its ends, where `& empty` removes them. A bit moved by two columns stays below bit 63.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hansu.core import lowest, mix, next_bit, pick, popcount, rules

SQUARES = 49
PASS = 833
CLOCK_LIMIT = 100  # halfmoves without a single
CONTEST_TURNS = 512
FULL = (1 << 49) - 1
ROW_1 = sum(1 << 7 * x for x in range(7))
NOT_LOW = FULL & ~ROW_1  # squares that a step up can reach
NOT_HIGH = FULL & ~(ROW_1 << 6)
NOT_LOW_2 = NOT_LOW & ~(ROW_1 << 1)  # ... that a step up by two can reach
NOT_HIGH_2 = NOT_HIGH & ~(ROW_1 << 5)

DISPLACEMENTS = (
    (0, 0), (0, 2), (-1, 2), (-2, 2), (-2, 1), (-2, 0), (-2, -1), (-2, -2), (-1, -2),
    (0, -2), (1, -2), (2, -2), (2, -1), (2, 0), (2, 1), (2, 2), (1, 2),
)  # fmt: skip
STEP = tuple(7 * dx + dy for dx, dy in DISPLACEMENTS)  # target = source + STEP[d]
TARGETS = tuple(
    {2: NOT_LOW_2, 1: NOT_LOW, 0: FULL, -1: NOT_HIGH, -2: NOT_HIGH_2}[dy] for _, dy in DISPLACEMENTS
)  # targets that are not in the wrong column


class Ataxx(NamedTuple):
    mine: int  # the mover's pieces
    theirs: int
    gaps: int  # blocked squares
    halfmove: int  # moves since the last single
    turns: int  # moves since the start; x moves when even
    contest: int  # 1: contest rules


def start(gaps: str = "", contest: bool = False) -> Ataxx:
    from hansu.games.ataxx.notation import read_gaps

    return Ataxx(1 << 6 | 1 << 42, 1 | 1 << 48, read_gaps(gaps), 0, 0, int(contest))


def spread(board: int) -> int:
    """The squares of a board and all their neighbours."""
    column = board | (board << 1 & NOT_LOW) | (board >> 1 & NOT_HIGH)
    return (column | column << 7 | column >> 7) & FULL


def reach(board: int) -> int:
    """All squares within distance two of a board."""
    column = board | (board << 1 & NOT_LOW) | (board >> 1 & NOT_HIGH)
    column |= (board << 2 & NOT_LOW_2) | (board >> 2 & NOT_HIGH_2)
    return (column | column << 7 | column >> 7 | column << 14 | column >> 14) & FULL


def targets(mine: int, empty: int, d: int) -> int:
    """The targets of singles (d = 0) or of doubles with displacement d."""
    if d == 0:
        return spread(mine) & empty
    step = STEP[d]
    return (mine << step if step > 0 else mine >> -step) & TARGETS[d] & empty


def moved(mine: int, theirs: int, a: int) -> tuple[int, int]:
    """The mover's and the opponent's pieces (in this order) after a move that is not a pass."""
    d = a // SQUARES
    target = a - SQUARES * d
    turned = spread(1 << target) & theirs
    mine |= turned | 1 << target
    if d:
        mine ^= 1 << (target - STEP[d])
    return mine, theirs ^ turned


def empties(s: Ataxx) -> int:
    """The empty squares."""
    return FULL ^ (s.mine | s.theirs | s.gaps)


def counted(mine: int, theirs: int, empty: int, contest: int, turns: int) -> bool:
    """Does the game end by counting pieces? It does if a side has no pieces or neither side can move; by contest rules
    also if the mover cannot move, or after 512 turns."""
    if mine == 0 or theirs == 0 or reach(mine | theirs) & empty == 0:
        return True
    return contest != 0 and (turns >= CONTEST_TURNS or reach(mine) & empty == 0)


def balance(mine: int, theirs: int, empty: int, contest: int) -> int:
    """The mover's pieces minus the opponent's in a game that ends by counting. By contest rules, if one side cannot
    move, the empty squares count for the other side, if that can move or has the only pieces."""
    count = popcount(mine) - popcount(theirs)
    if contest:
        if reach(mine) & empty == 0 and theirs != 0:
            if mine == 0 or reach(theirs) & empty != 0:
                count -= popcount(empty)
        elif theirs == 0 and mine != 0:
            count += popcount(empty)
    return count


def over(s: Ataxx) -> bool:
    return counted(s.mine, s.theirs, empties(s), s.contest, s.turns) or s.halfmove >= CLOCK_LIMIT


def may_end(s: Ataxx) -> bool:
    """Can the next move end the game? A move flips eight pieces at most. Only a single into the last reachable square
    leaves neither side a move, because a double leaves an empty square."""
    if s.contest or s.halfmove + 1 >= CLOCK_LIMIT or popcount(s.theirs) <= 8:
        return True
    return popcount(reach(s.mine | s.theirs) & empties(s)) <= 1


def mover(s: Ataxx) -> int:
    return s.turns & 1


def score(s: Ataxx) -> int:
    """1, 0 or -1 for x. Counting takes precedence over the clock, which is a draw."""
    empty = empties(s)
    if not counted(s.mine, s.theirs, empty, s.contest, s.turns):
        return 0
    count = balance(s.mine, s.theirs, empty, s.contest)
    result = 1 if count > 0 else -1 if count < 0 else 0
    return -result if s.turns & 1 else result


def evaluate(s: Ataxx) -> float:
    """The pieces of x minus those of o, divided by 50."""
    count = popcount(s.mine) - popcount(s.theirs)
    return (-count if s.turns & 1 else count) / 50


def legal(s: Ataxx, a: int) -> bool:
    if a < 0 or a > PASS or over(s):
        return False
    empty = empties(s)
    if a == PASS:
        return reach(s.mine) & empty == 0
    d = a // SQUARES
    return targets(s.mine, empty, d) >> (a - SQUARES * d) & 1 == 1


def play(s: Ataxx, a: int) -> Ataxx:
    if a == PASS:
        return Ataxx(s.theirs, s.mine, s.gaps, s.halfmove + 1, s.turns + 1, s.contest)
    mine, theirs = moved(s.mine, s.theirs, a)
    return Ataxx(theirs, mine, s.gaps, s.halfmove + 1 if a >= SQUARES else 0, s.turns + 1, s.contest)


def next_action(s: Ataxx, after: int) -> int:
    """Singles, then doubles by displacement; the pass if there are none."""
    empty = empties(s)
    d = (after + 1) // SQUARES
    before = after - SQUARES * d
    while d < 17:
        target = next_bit(targets(s.mine, empty, d), before)
        if target >= 0:
            return SQUARES * d + target
        before = -1
        d += 1
    return PASS if after < 0 else -1


def action_total(s: Ataxx) -> int:
    """The number of legal actions of an unfinished game."""
    empty = empties(s)
    count = 0
    for d in range(17):
        count += popcount(targets(s.mine, empty, d))
    return count if count else 1


def nth_action(s: Ataxx, n: int) -> int:
    """Legal action number n (from 0) in the order of `next_action`."""
    empty = empties(s)
    for d in range(17):
        landings = targets(s.mine, empty, d)
        count = popcount(landings)
        if n < count:
            while n > 0:
                landings &= landings - 1
                n -= 1
            return SQUARES * d + lowest(landings)
        n -= count
    return PASS


def random_action(s: Ataxx, seed: Any) -> int:
    return nth_action(s, pick(seed, action_total(s)))


def key(s: Ataxx) -> int:
    """Ignores the turn number, except by contest rules."""
    return mix((s.mine, s.theirs, s.gaps, s.halfmove, s.contest, s.turns if s.contest else s.turns & 1))


def perft(s: Ataxx, depth: int) -> int:
    """The number of lines of `depth` plies; every move is played."""
    if depth == 0:
        return 1
    if over(s):
        return 0
    empty = empties(s)
    if reach(s.mine) & empty == 0:
        return perft(play(s, PASS), depth - 1)
    lines = 0
    for d in range(17):
        landings = targets(s.mine, empty, d)
        while landings:
            lines += perft(play(s, SQUARES * d + lowest(landings)), depth - 1)
            landings &= landings - 1
    return lines


def perft_bulk(s: Ataxx, depth: int) -> int:
    """As `perft`, but the moves of the last ply are counted, not played."""
    if depth == 0:
        return 1
    if over(s):
        return 0
    if depth == 1:
        return action_total(s)
    empty = empties(s)
    if reach(s.mine) & empty == 0:
        return perft_bulk(play(s, PASS), depth - 1)
    lines = 0
    for d in range(17):
        landings = targets(s.mine, empty, d)
        while landings:
            lines += perft_bulk(play(s, SQUARES * d + lowest(landings)), depth - 1)
            landings &= landings - 1
    return lines


# The board's symmetries. Number k mirrors x if k & 1, then y if k & 2, then swaps x and y if k & 4. A swap does not
# commute with the mirrors, so 5 and 6 undo each other; every other symmetry undoes itself.

SYMMETRIES = 8
INVERSE = (0, 1, 2, 3, 4, 6, 5, 7)


def turned_square(square: int, k: int) -> int:
    x, y = square // 7, square % 7
    if k & 1:
        x = 6 - x
    if k & 2:
        y = 6 - y
    return 7 * y + x if k & 4 else 7 * x + y


def turned_board(board: int, k: int) -> int:
    image = 0
    for square in range(SQUARES):
        image |= (board >> square & 1) << turned_square(square, k)
    return image


def symmetric(s: Ataxx, k: int) -> Ataxx:
    return Ataxx(
        turned_board(s.mine, k), turned_board(s.theirs, k), turned_board(s.gaps, k), s.halfmove, s.turns, s.contest
    )


CENTRE = 24


def displacement(step: int) -> int:
    """The d of a double with this step. The steps of the sixteen displacements are all different."""
    for d in range(1, 17):
        if STEP[d] == step:
            return d
    return 0


def symmetric_action(s: Ataxx, a: int, k: int) -> int:
    if k == 0 or a == PASS:
        return a
    d = a // SQUARES
    target = turned_square(a - SQUARES * d, k)
    if d == 0:
        return target
    # Symmetries keep the centre, so the displacement maps like its target square from the centre.
    return SQUARES * displacement(turned_square(CENTRE + STEP[d], k) - CENTRE) + target


def planes(s: Ataxx, out: Any) -> None:
    """Fills out float32[3, 7, 7]: the mover's pieces, the opponent's (row 0 is row 1), the turn number / 512."""
    for square in range(SQUARES):
        x, y = square // 7, square % 7
        out[0, y, x] = s.mine >> square & 1
        out[1, y, x] = s.theirs >> square & 1
        out[2, y, x] = s.turns / CONTEST_TURNS


rules(
    Ataxx, legal=legal, next_action=next_action, play=play, over=over, score=score, mover=mover, evaluate=evaluate,
    key=key, random_action=random_action, symmetric=symmetric, symmetric_action=symmetric_action, planes=planes,
    action_count=PASS + 1, may_end=may_end,
)  # fmt: skip
