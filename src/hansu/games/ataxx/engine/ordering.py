"""In which order the engine looks at moves: a guess at each, by what it does on the board and by what was good before.

The weights are those of a logistic regression, rounded: of 2,656 positions inside searches, which move did a search
with an open window find best? On average it stood at place 2.9 when gain in pieces, killers and history ordered the
moves, and at 2.0 by the regression (at 1.3 by the evaluation after each move, which takes some forty evaluations).
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
MOST = 4096  # that a history can say

# In the measure of the histories.
TURNED, CLONED, BESIDE, ON_EDGE, OPENED = 4600, 2800, 1100, 2600, -2000
CLOSED = 3  # pieces around the square that is left: from so many on, leaving it is bad
FROM_TABLE = 1 << 22
LOWEST = 1 << 16  # no guess is below -LOWEST


def ordering_fields(plies: int) -> list[Any]:
    """What a searching thread remembers of moves, beside the history of each."""
    return [
        ("went", np.int64, plies + 3),  # [ply + 2]: the square that the move of that ply went to
        # [plies between less 1, side, where an earlier move went, action]: how good the action was after it
        ("followed", np.int16, (2, 2, SQUARES + 1, PASS + 1)),
    ]


def list_moves(mem: Any, mine: int, theirs: int, empty: int, ply: int, table_action: int, least: int) -> int:
    """Fill moves[ply] with guess << 10 | action and return their number: the table's move, which goes first, and those
    that gain `least` pieces or more (one that turns counts twice)."""
    moves, side = mem.moves[ply], ply & 1
    history = mem.history[side]
    answer, plan = mem.followed[0, side, mem.went[ply + 1]], mem.followed[1, side, mem.went[ply]]
    entered = reach(theirs)
    count = 0
    for d in range(17):
        landings = targets(mine, empty, d)
        while landings:
            target = lowest(landings)
            landings &= landings - 1
            action = SQUARES * d + target
            turned = popcount(NEIGHBOURS[target] & theirs)
            if 2 * turned + (d == 0) < least and action != table_action:
                continue
            guess = history[action] + answer[action] + plan[action] + TURNED * turned
            guess += BESIDE * popcount(NEIGHBOURS[target] & mine) + ON_EDGE * (EDGE >> target & 1)
            if d == 0:
                guess += CLONED
            else:
                source = target - STEP[d]
                guess -= ON_EDGE * (EDGE >> source & 1)
                if entered >> source & 1:
                    guess += OPENED * (popcount(NEIGHBOURS[source] & mine) - CLOSED)
            if action == table_action:
                guess += FROM_TABLE
            moves[count] = (guess + LOWEST) << 10 | action
            count += 1
    return leave_out(mem, count) if ply == 0 else count


def learn(history: Any, action: int, bonus: int) -> None:
    history[action] += bonus - history[action] * abs(bonus) // MOST


def remember(mem: Any, ply: int, tried: int, bonus: int) -> None:
    """A move refuted its parent: the histories are for it, and against the `tried` moves before it."""
    moves, side = mem.moves[ply], ply & 1
    history = mem.history[side]
    answer, plan = mem.followed[0, side, mem.went[ply + 1]], mem.followed[1, side, mem.went[ply]]
    for i in range(tried + 1):
        other = moves[i] & 1023
        worth = bonus if i == tried else -bonus
        learn(history, other, worth)
        learn(answer, other, worth)
        learn(plan, other, worth)
