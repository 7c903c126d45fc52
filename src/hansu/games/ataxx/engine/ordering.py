"""Move ordering: an estimate for each move from its effect on the board and from the history tables.

The weights are rounded from a logistic regression. The data are 2,656 positions inside searches and the best move of a
search with an open window. The regression ranks that move at 2.0 on average; gain in pieces, killers and history rank
it at 2.9. (The evaluation after each move ranks it at 1.3, but costs some forty evaluations.)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hansu.core import lowest, popcount
from hansu.games.ataxx.engine.evaluation import EDGE
from hansu.games.ataxx.rules import PASS, SQUARES, STEP, reach, spread, targets
from hansu.search.pvs import leave_out

NEIGHBOURS = np.array([spread(1 << square) & ~(1 << square) for square in range(SQUARES)])
NOWHERE = SQUARES  # where a pass goes
MOST = 4096  # the largest history value

# In units of the history values.
FLIPPED, CLONED, ADJACENT, ON_EDGE, OPENED = 4600, 2800, 1100, 2600, -2000
CLOSED = 3  # from this many own pieces around the square that is left, leaving it is bad
FROM_TABLE = 1 << 22
LOWEST = 1 << 16  # no estimate is below -LOWEST


def ordering_fields(plies: int) -> list[Any]:
    """The ordering tables of a search thread, in addition to the history of each move."""
    return [
        ("went", np.int64, plies + 3),  # [ply + 2]: the target square of the move at that ply
        # [0: one ply, 1: two plies before; side; target of that earlier move; action]: continuation history
        ("followed", np.int16, (2, 2, SQUARES + 1, PASS + 1)),
    ]


def list_moves(mem: Any, mine: int, theirs: int, empty: int, ply: int, table_action: int, least: int) -> int:
    """Fill moves[ply] with estimate << 10 | action and return their number: the table's move, which comes first, and
    all moves that gain at least `least` pieces (a flipped piece counts twice)."""
    moves, side = mem.moves[ply], ply & 1
    history = mem.history[side]
    reply, plan = mem.followed[0, side, mem.went[ply + 1]], mem.followed[1, side, mem.went[ply]]
    reachable = reach(theirs)
    count = 0
    for d in range(17):
        landings = targets(mine, empty, d)
        while landings:
            target = lowest(landings)
            landings &= landings - 1
            action = SQUARES * d + target
            flipped = popcount(NEIGHBOURS[target] & theirs)
            if 2 * flipped + (d == 0) < least and action != table_action:
                continue
            estimate = history[action] + reply[action] + plan[action] + FLIPPED * flipped
            estimate += ADJACENT * popcount(NEIGHBOURS[target] & mine) + ON_EDGE * (EDGE >> target & 1)
            if d == 0:
                estimate += CLONED
            else:
                source = target - STEP[d]
                estimate -= ON_EDGE * (EDGE >> source & 1)
                if reachable >> source & 1:
                    estimate += OPENED * (popcount(NEIGHBOURS[source] & mine) - CLOSED)
            if action == table_action:
                estimate += FROM_TABLE
            moves[count] = (estimate + LOWEST) << 10 | action
            count += 1
    return leave_out(mem, count) if ply == 0 else count


def learn(history: Any, action: int, bonus: int) -> None:
    """Add a bonus that shrinks as the value approaches its maximum."""
    history[action] += bonus - history[action] * abs(bonus) // MOST


def remember(mem: Any, ply: int, tried: int, bonus: int) -> None:
    """Raise the histories of a move that caused a cutoff, and lower those of the `tried` moves before it."""
    moves, side = mem.moves[ply], ply & 1
    history = mem.history[side]
    reply, plan = mem.followed[0, side, mem.went[ply + 1]], mem.followed[1, side, mem.went[ply]]
    for i in range(tried + 1):
        other = moves[i] & 1023
        change = bonus if i == tried else -bonus
        learn(history, other, change)
        learn(reply, other, change)
        learn(plan, other, change)
