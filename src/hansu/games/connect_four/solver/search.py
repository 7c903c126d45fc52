"""Connect Four solved exactly: null-window alpha-beta over bitboards, compiled by Numba.

A position is two words, the mover's stones and all stones. A column has seven bits; the seventh is
always empty, so that shifted lines never run into the next column:

     6 13 20 27 34 41 48      row 7: always empty
     5 12 19 26 33 40 47      row 6 (even)
     4 11 18 25 32 39 46      row 5 (odd)
     3 10 17 24 31 38 45      row 4 (even)
     2  9 16 23 30 37 44      row 3 (odd)
     1  8 15 22 29 36 43      row 2 (even)
     0  7 14 21 28 35 42      row 1 (odd)

Scores are for the mover: 22 - (the winner's stones at the end), negative for a loss, 0 for a draw.
`search` decides whether the score is at least `goal`; `solve` narrows the range to one score.

The techniques, most important first:

* **Only moves that do not lose at once**, ordered by the winning squares they create, and null windows:
  Pascal Pons, "Solving Connect 4: how to build a perfect AI" (2015-2019).
* **A history of good squares for each stage of the game**: a move that caused a cutoff in one position is
  tried early in its cousins. John Tromp's Fhourstones (1996-2008) has one table; here, one table for every
  four plies reduces the nodes of hard positions to a fifth.
* **Two strategies as static bounds** (Victor Allis, "A knowledge-based approach of Connect-Four", 1988;
  the rules "claimeven", "baseinverse" and the odd threat). See `answer_above` and `odd_threat`.
* **Enhanced transposition cutoffs** (Schaeffer and Plaat, 1996): all children are looked up in the table
  and get static bounds before the first child is searched.
* **No table near the end**: searching the last plies costs less than a cache miss.
* **Mirror images** share an entry, if both can arise from the root.
"""

from __future__ import annotations

from hansu.compile import kernel
from hansu.core import popcount
from hansu.games.connect_four.rules import four, winning_cells
from hansu.games.connect_four.solver.intrinsics import bit_length, peek, poke, prefetch, square_of
from hansu.games.connect_four.solver.standard_board import BOARD, BOTTOM, mirror

ODD = BOTTOM * 0b010101
EVEN = BOTTOM * 0b101010
COLUMN = 0b111111

KEY_BITS = 49
KEY_MASK = (1 << KEY_BITS) - 1
MIXER = 0x13593CC9E2D51  # odd, so that multiplying by it is one-to-one on 49 bits
WAYS = 4  # entries per bucket: half a cache line

LAST_TABLE_PLY = 31  # from here on, a table look-up costs more than it saves
STAGE = 4  # plies per history table

# The memory of a search thread, an int64 array.
NODES, STOP, TASTE, MIRRORS, TAG_BITS, EPOCH = range(6)
HISTORY = 8  # [stage][side][square]
STAGES = 42 // STAGE + 1
FRAMES = HISTORY + STAGES * 128  # [ply][move][score, move, threats, replies, hash]
FIELDS = 5
MEMORY_SIZE = FRAMES + 43 * 7 * FIELDS

NONE = 99  # no bound; larger than every score
DECIDED = 100  # from here on, the result of `list_children` is a bound


# --- Lines --------------------------------------------------------------------------------------


def wins(stones: int) -> int:
    """The squares, occupied ones included, where one more stone completes four."""
    return winning_cells(stones, 6, BOARD)


def lined(stones: int) -> bool:
    """Are there four in a line?"""
    return four(stones, 6)


def above(squares: int) -> int:
    """All squares above the given ones."""
    squares = squares << 1 & BOARD
    squares |= squares << 1 & BOARD
    squares |= squares << 2 & BOTTOM * 0b111100
    return squares | squares << 4 & BOTTOM * 0b110000


def safe_moves(mask: int, threats: int) -> int:
    """The moves that do not lose at once; the opponent wins on the squares `threats`."""
    moves = mask + BOTTOM & BOARD
    forced = moves & threats
    if forced:
        if forced & forced - 1:
            return 0
        moves = forced
    return moves & ~(threats >> 1)


# --- Static bounds ------------------------------------------------------------------------------
# X moves first, O second. In a column with an even number of free squares, the side that moves there
# first gets the odd rows if the other side always replies directly above.


def answer_above(x: int, o: int, mask: int, o_wins: int, goal: int) -> int:
    """An upper bound of X's score with X to move, if O replies above X in every column.

    Columns with an odd number of free squares form pairs: when X takes the lowest free square of one, O takes
    that of the other. So X gets the free odd squares, and one of each pair of lowest squares (all even). The
    bound gives X both, because examining the pairings saves 3 % of the nodes and no time. X gets nothing above
    an even square where O wins. The bound is computed only until it falls below `goal`.
    """
    free = BOARD ^ mask
    lowest_even = mask + BOTTOM & EVEN
    evens = free & EVEN & ~lowest_even
    if lined(x | lowest_even | free & ODD & ~above(o_wins & evens)):
        return NONE
    if goal > 0:
        return 0
    # X cannot win. At the end O has all even squares; two stones before the end those up to row 4; four
    # stones before those of row 2, because X plays that column last.
    bound = 0
    rows = EVEN
    while bound >= goal and rows and lined(o | evens & rows):
        bound -= 1
        rows &= rows >> 2
    return bound


def odd_threat(x: int, o: int, mask: int, x_wins: int) -> int:
    """A lower bound of X's score with O to move, if X wins on an odd square that cannot be played yet.

    X replies above O in all other columns (pairing the odd ones as in `answer_above`), so O finally has to play
    below the threat. O gets the odd squares of the other columns, the even squares below the threat, and one of
    each pair. X uses a threat in row 3 with the 39th stone, in row 5 with the 41st.
    """
    free = BOARD ^ mask
    moves = mask + BOTTOM & BOARD
    threats = x_wins & free & ODD & ~moves
    bound = -NONE
    while threats:
        threat = threats & -threats
        column = COLUMN << square_of(threat) // 7 * 7
        threats &= ~column
        pairs = moves & (EVEN & ~column | ODD & column)
        reach = ODD & ~column & ~above(x_wins & free & EVEN & ~moves) | EVEN & column & threat - 1
        if not lined(o | pairs | free & reach):
            bound = max(bound, 2 if threat & BOTTOM << 2 else 1)
    return bound


# --- Table --------------------------------------------------------------------------------------
# An entry is one word, so threads can share a table without locks:
#
#     epoch | tag (the hash bits below the bucket index) | effort 6 | move 3 | lower 6 | upper 6
#
# The hash is one-to-one, so an equal tag means the same position. Entries of other epochs are ignored:
# a new epoch clears the table.

EFFORT, MOVE, LOWER, PLACE = 15, 12, 6, 21
ZERO = 32  # the stored form of score 0


def hashed(mover: int, mask: int, mirrors: int) -> int:
    """The hash of a position: 49 well-mixed bits."""
    key = mover + mask
    if mirrors:
        key = min(key, mirror(key))
    return key * MIXER & KEY_MASK


def look_up(table: int, memory: int, hash: int) -> int:
    """The position's entry, or 0."""
    tag_bits = peek(memory, TAG_BITS)
    bucket = (hash >> tag_bits) * WAYS
    tag_word = peek(memory, EPOCH) << tag_bits | hash & (1 << tag_bits) - 1
    for i in range(WAYS):
        entry: int = peek(table, bucket + i)
        if entry >> PLACE == tag_word:
            return entry
    return 0


def enter(table: int, memory: int, hash: int, lower: int, upper: int, move: int, nodes: int) -> None:
    """Writes an entry. It replaces the position's own entry, else one of another epoch, else the one of least
    effort."""
    tag_bits = peek(memory, TAG_BITS)
    epoch = peek(memory, EPOCH)
    bucket = (hash >> tag_bits) * WAYS
    tag_word = epoch << tag_bits | hash & (1 << tag_bits) - 1
    slot = bucket
    least = 64
    for i in range(WAYS):
        entry = peek(table, bucket + i)
        if entry >> PLACE == tag_word:
            slot = bucket + i
            break
        effort = entry >> EFFORT & 63 if entry >> PLACE + tag_bits == epoch else -1
        if effort < least:
            least = effort
            slot = bucket + i
    value = move << MOVE | lower + ZERO << LOWER | upper + ZERO
    poke(table, slot, tag_word << PLACE | bit_length(nodes) << EFFORT | value)


# --- Search -------------------------------------------------------------------------------------


def bound_after(x_moved: bool, mine: int, theirs: int, mask: int, threats: int, goal: int) -> int:
    """A static lower bound of the score for the side that just moved and wins on `threats`."""
    if x_moved:
        return odd_threat(mine, theirs, mask, threats) if goal <= 2 else -NONE
    return -answer_above(theirs, mine, mask, threats, 1 - goal) if goal <= 3 else -NONE


def learn(memory: int, history: int, frame: int, cut: int) -> None:
    """Updates the history after move number `cut` caused a cutoff: the move gains what the moves before it lose."""
    for i in range(cut + 1):
        square = history + square_of(peek(memory, frame + i * FIELDS + 1))
        poke(memory, square, peek(memory, square) + (cut if i == cut else -1))


def list_children(
    mover: int,
    mask: int,
    ply: int,
    moves: int,
    goal: int,
    hint: int,
    frame: int,
    history: int,
    table: int,
    memory: int,
) -> int:
    """Writes the children into the frame, most promising first. Returns their number; or DECIDED + ZERO + a lower bound
    of the score if a child reaches `goal` without a search."""
    opponent = mover ^ mask
    mirrors = peek(memory, MIRRORS)
    count = 0
    while moves:
        move = moves & -moves
        moves ^= move
        after = mask | move
        mine = wins(mover | move)
        replies = safe_moves(after, mine)
        if replies == 0:
            return DECIDED + ZERO + (41 - ply >> 1)
        child = 0
        if ply + 1 < LAST_TABLE_PLY:
            child = hashed(opponent, after, mirrors)
            prefetch(table, (child >> peek(memory, TAG_BITS)) * WAYS)
        bound = bound_after(ply & 1 == 0, mover | move, opponent, after, mine, goal)
        if bound >= goal:
            return DECIDED + ZERO + bound
        square = square_of(move)
        score = peek(memory, history + square) + 64 * popcount(mine & ~after) - 8 * popcount(replies)
        if square // 7 == hint:
            score += 1 << 40
        i = frame + count * FIELDS
        while i > frame and peek(memory, i - FIELDS) < score:
            for field in range(FIELDS):
                poke(memory, i + field, peek(memory, i + field - FIELDS))
            i -= FIELDS
        poke(memory, i, score)
        poke(memory, i + 1, move)
        poke(memory, i + 2, mine)
        poke(memory, i + 3, replies)
        poke(memory, i + 4, child)
        count += 1
    return count


def search(
    mover: int, mask: int, ply: int, threats: int, moves: int, goal: int, hash: int, table: int, memory: int
) -> int:
    """A lower bound of the score if the score is at least `goal`, else an upper bound.

    The opponent wins on the squares `threats`; `moves` are the safe moves (at least one). Callers make sure that
    the mover cannot win at once.
    """
    most = 41 - ply >> 1
    if most < goal:
        return most
    least = -(40 - ply >> 1)
    if least >= goal:
        return least
    opponent = mover ^ mask
    if ply > 20 and not lined((mover if goal > 0 else opponent) | BOARD ^ mask):
        return 0
    nodes = peek(memory, NODES) + 1
    poke(memory, NODES, nodes)
    if peek(memory, STOP):
        return 0

    if moves & moves - 1 == 0:
        mine = wins(mover | moves)
        replies = safe_moves(mask | moves, mine)
        if replies == 0:
            return most
        mask |= moves
        hash = hashed(opponent, mask, peek(memory, MIRRORS)) if ply + 1 < LAST_TABLE_PLY else 0
        return max(least, -search(opponent, mask, ply + 1, mine, replies, 1 - goal, hash, table, memory))

    lower, upper, hint = least, most, 7
    if ply < LAST_TABLE_PLY:
        entry = look_up(table, memory, hash)
        if entry:
            lower = (entry >> LOWER & 63) - ZERO
            if lower >= goal:
                return lower
            upper = (entry & 63) - ZERO
            if upper < goal:
                return upper
            hint = entry >> MOVE & 7  # wrong for mirror images, but correcting it does not pay

    # List the children, most promising first. A child that reaches the goal without a search ends the node.
    history = HISTORY + (ply // STAGE * 2 + (ply & 1)) * 64
    frame = FRAMES + ply * 7 * FIELDS
    count = list_children(mover, mask, ply, moves, goal, hint, frame, history, table, memory)
    if count >= DECIDED:
        return count - DECIDED - ZERO
    if ply + 1 < LAST_TABLE_PLY:
        for i in range(count):
            entry = look_up(table, memory, peek(memory, frame + i * FIELDS + 4))
            if entry and ZERO - (entry & 63) >= goal:
                return ZERO - (entry & 63)

    best = least
    for i in range(count):
        at = frame + i * FIELDS
        move = peek(memory, at + 1)
        score = -search(
            opponent,
            mask | move,
            ply + 1,
            peek(memory, at + 2),
            peek(memory, at + 3),
            1 - goal,
            peek(memory, at + 4),
            table,
            memory,
        )
        best = max(best, score)
        if best >= goal:
            hint = square_of(move) // 7
            if i > 0:
                learn(memory, history, frame, i)
            break
    if ply < LAST_TABLE_PLY and not peek(memory, STOP):
        if best >= goal:
            lower = best
        else:
            upper = best
        enter(table, memory, hash, lower, upper, hint, peek(memory, NODES) - nodes + 1)
    return best


def next_goal(lower: int, upper: int) -> int:
    """The goal of the next search, with `lower` < goal <= `upper`.

    Extreme scores come first: a quick win is a shallow tree, so these searches are cheap, and their table entries
    order the moves of the next search. Then the sign, then outwards.
    """
    if lower >= 0:
        return lower + max(1, (upper - lower + 1) // 3)
    if upper <= 0:
        return upper + 1 - max(1, (upper - lower + 1) // 3)
    if upper > 12 and upper >= -lower:
        return (upper + 1) // 2
    if lower < -12:
        return lower // 2 + 1
    return 1


@kernel
def solve(mover: int, mask: int, weak: bool, table: int, memory: int) -> int:
    """The exact score of an unfinished position for the mover; if `weak`, only its sign.

    Adds the nodes to memory[NODES]. Setting memory[STOP] ends the search with a meaningless score.
    """
    ply = popcount(mask)
    if wins(mover) & mask + BOTTOM & BOARD:
        return 1 if weak else 43 - ply >> 1
    threats = wins(mover ^ mask)
    moves = safe_moves(mask, threats)
    if ply >= 41:
        return 0
    if moves == 0:
        return -1 if weak else -(42 - ply >> 1)
    clear_history(ply, memory)
    mirrors = both_images(mover, mask)
    poke(memory, MIRRORS, mirrors)
    lower, upper = -(40 - ply >> 1), 41 - ply >> 1
    if weak:
        lower, upper = max(lower, -1), min(upper, 1)
    hash = hashed(mover, mask, mirrors)
    while lower < upper and not peek(memory, STOP):
        goal = next_goal(lower, upper)
        score = search(mover, mask, ply, threats, moves, goal, hash, table, memory)
        if score >= goal:
            lower = min(score, upper)
        else:
            upper = max(score, lower)
    return lower


@kernel
def reaches(mover: int, mask: int, goal: int, table: int, memory: int) -> bool:
    """Is the score at least `goal`? Uses the history of the last `solve`."""
    ply = popcount(mask)
    if wins(mover) & mask + BOTTOM & BOARD:
        return 43 - ply >> 1 >= goal
    if ply >= 41:
        return goal <= 0
    threats = wins(mover ^ mask)
    moves = safe_moves(mask, threats)
    if moves == 0:
        return -(42 - ply >> 1) >= goal
    hash = hashed(mover, mask, peek(memory, MIRRORS))
    return search(mover, mask, ply, threats, moves, goal, hash, table, memory) >= goal


@kernel
def known_column(mover: int, mask: int, table: int, memory: int) -> int:
    """The column in the table for a position (or for its mirror image), or 7."""
    entry = look_up(table, memory, hashed(mover, mask, peek(memory, MIRRORS)))
    return entry >> MOVE & 7 if entry else 7


def both_images(mover: int, mask: int) -> int:
    """1 if both images of later positions can arise: no stone has an enemy stone at its mirrored square."""
    return 1 if mover & mirror(mover ^ mask) == 0 else 0


def clear_history(ply: int, memory: int) -> None:
    """Resets the history to prefer squares on many lines. TASTE varies the order between threads that search the same
    position."""
    for stage in range(ply // STAGE * 2, STAGES * 2):
        for square in range(49):
            column, row = square // 7, square % 7
            central = 2 * min(column, 6 - column) + min(row, 5 - row)
            poke(memory, HISTORY + stage * 64 + square, 16 * central + peek(memory, TASTE) * square % 61)
