"""The course's own players: `rule`, as its report means it, and `parity`, the report's improvement.

`rule` takes the most triangles it can; while there are safe segments it heads for saturation (no safe segment left) on the
shortest way it finds; at saturation it looks six plies ahead, three moves a position. `parity` does not take every
triangle: it asks first what that opens for the opponent. docs/triangles.md says where the report leaves a choice.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar

from hansu.core import Control, Decision, Limit, Player, Position, kernel
from hansu.games.triangles.desk import Desk, Net, desk_of, draw, take_back
from hansu.games.triangles.search import ring

PLIES = 6
CHILDREN = 3
WAYS = 12  # to saturation, the best of which is kept
MOST_STEPS = 200_000  # of the search for ways; never met on boards of the 7 x 7 grid in play, a guard for others
NOWHERE = 1_000_000


@kernel
def best_gain(net: Net, desk: Desk) -> int:
    """The most triangles that one segment completes now."""
    head = len(net.on_hull)
    best = 0
    e = desk.after[head]
    while e != head:
        best = max(best, desk.gain[e])
        e = desk.after[e]
    return best


@kernel
def shortest_way(net: Net, desk: Desk, length: int, line: Any, best: Any, tally: Any) -> None:
    """Depth-first over safe segments; branches longer than the best are cut.

    line  int64[]: the way in hand     best  int64[]: the shortest found     tally  int64[3]: its length, found, steps
    """
    tally[2] += 1
    head = len(net.on_hull)
    saturated = True
    e = desk.after[head]
    while e != head:
        if desk.gain[e] == 0 and desk.risk[e] == 0:
            saturated = False
            break
        e = desk.after[e]
    if saturated:
        tally[1] += 1
        if length < tally[0]:
            tally[0] = length
            for i in range(length):
                best[i] = line[i]
        return
    e = desk.after[head]
    while e != head and length < tally[0] and tally[1] < WAYS and tally[2] < MOST_STEPS:
        if desk.gain[e] == 0 and desk.risk[e] == 0:
            line[length] = e
            draw(net, desk, e)
            shortest_way(net, desk, length + 1, line, best, tally)
            take_back(net, desk, e)
        e = desk.after[e]


@kernel
def look_ahead(net: Net, desk: Desk, plies: int, alpha: int, beta: int, chosen: Any) -> int:
    """Alpha-beta over the three likeliest moves; `chosen[plies]` is the best one at this node."""
    head = len(net.on_hull)
    if plies == 0 or desk.after[head] == head:
        return 0

    # 1. The three moves with the highest h = 3 * triangles - next, next = 0, 2, 1 for none, one, more left open.
    moves = (-1, -1, -1)
    worth = (-NOWHERE, -NOWHERE, -NOWHERE)
    e = desk.after[head]
    while e != head:
        gained = draw(net, desk, e)
        opened = 0
        f = desk.after[head]
        while f != head:
            opened += desk.gain[f]
            f = desk.after[f]
        take_back(net, desk, e)
        h = 3 * gained - (0 if opened == 0 else 2 if opened == 1 else 1)
        if h > worth[0]:
            moves = (e, moves[0], moves[1])
            worth = (h, worth[0], worth[1])
        elif h > worth[1]:
            moves = (moves[0], e, moves[1])
            worth = (worth[0], h, worth[1])
        elif h > worth[2]:
            moves = (moves[0], moves[1], e)
            worth = (worth[0], worth[1], h)
        e = desk.after[e]

    # 2. What they lead to.
    best = -NOWHERE
    for e in moves:
        if e < 0:
            continue
        gained = draw(net, desk, e)
        given = best_gain(net, desk)
        step = (45 if gained == 2 else 15 * gained) - (30 if given == 2 else 10 * given)
        value = step - look_ahead(net, desk, plies - 1, step - beta, step - max(alpha, best), chosen)
        take_back(net, desk, e)
        if value > best:
            best = value
            chosen[plies] = e
        if best >= beta:
            break
    return best


@dataclass
class Rule(Player):
    """The course report's player."""

    kind: ClassVar[str] = "rule"
    about: ClassVar[str] = "the course report's player: takes triangles, runs for saturation, then looks 6 plies ahead"

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        started = time.perf_counter()
        net, desk = desk_of(position.state)
        action, why = self._triangle(net, desk, position) or _safe(net, desk) or _at_saturation(net, desk)
        return Decision(action, why=why, line=(action,), seconds=time.perf_counter() - started)

    def _triangle(self, net: Net, desk: Desk, position: Position) -> tuple[int, str] | None:
        """The segment that completes most."""
        best = max(position.actions, key=lambda e: int(desk.gain[e]))
        return (best, takes(int(desk.gain[best]))) if desk.gain[best] else None


@dataclass
class Parity(Rule):
    """`rule` that looks at a gift before it takes it."""

    kind: ClassVar[str] = "parity"
    about: ClassVar[str] = "rule, but takes a triangle only where that leaves the opponent nothing, or an odd chain"

    def _triangle(self, net: Net, desk: Desk, position: Position) -> tuple[int, str] | None:
        ready = [e for e in position.actions if desk.gain[e]]
        for e in sorted(ready, key=lambda e: -int(desk.gain[e])):
            length = chain_length(net, desk, e)
            if length == 1:
                return e, takes(int(desk.gain[e])) + " and opens none"
            if length % 2 == 1:
                return e, takes(int(desk.gain[e])) + f" in a chain of {length}, odd"
        return None


def takes(triangles: int) -> str:
    return f"takes {triangles} triangle{'s' if triangles > 1 else ''}"


def chain_length(net: Net, desk: Desk, e: int) -> int:
    """How many moves follow each other from e on, each completing what the one before opened; 0 where one opens a move that
    completes two: the chain ends in a closed quadrilateral, and the opponent of whoever opened it has the better end."""
    drawn = []
    opened = [e]
    length = 0
    while opened:
        e = opened[0]
        before = desk.gain.copy()
        draw(net, desk, e)
        drawn.append(e)
        length += 1
        opened = [int(f) for f in ring(net, desk) if desk.gain[f] > before[f]]
        if length == 1 and any(desk.gain[f] == 2 for f in opened):
            length = 0
            break
    for e in reversed(drawn):
        take_back(net, desk, e)
    return length


def _safe(net: Net, desk: Desk) -> tuple[int, str] | None:
    """A segment of the shortest way to saturation that was found."""
    import numpy as np

    free = ring(net, desk)
    if any(desk.gain[e] for e in free) or all(desk.risk[e] for e in free):
        return None  # the opponent could complete a triangle whatever is drawn
    line, best = np.zeros(len(net.on_hull), np.int64), np.zeros(len(net.on_hull), np.int64)
    tally = np.array([NOWHERE, 0, 0], dtype=np.int64)
    shortest_way(net, desk, 0, line, best, tally)
    way = [int(e) for e in best[: tally[0]]]
    if net.totals[0] == 2 * int(net.on_hull.sum()) - 3:  # every point is on the hull
        way.sort(key=lambda e: int(net.on_hull[e]))
    kept = len(way) - 1
    return way[0], f"keeps {kept} safe segment{'' if kept == 1 else 's'}, {'odd' if kept % 2 else 'even'}"


def _at_saturation(net: Net, desk: Desk) -> tuple[int, str]:
    import numpy as np

    chosen = np.zeros(PLIES + 1, dtype=np.int64)
    value = look_ahead(net, desk, PLIES, -NOWHERE, NOWHERE, chosen)
    return int(chosen[PLIES]), f"no safe segment is left: {value:+d} in the report's points, {PLIES} plies ahead"
