"""The course's own players: `rule`, as its report means it, and `parity`, the report's improvement.

`rule` takes the most triangles it can; while there are safe segments it heads for saturation (no safe segment left) on
the shortest way it finds; at saturation it looks six plies ahead, three moves a position. `parity` does not take every
triangle: it asks first what that opens for the opponent. docs/triangles.md says where the report leaves a choice.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar

from hansu.core import Control, Decision, Limit, Phrase, Player, Position, Report, kernel
from hansu.games.triangles.desk import DRAWN, FREE, Desk, Net, desk_of, draw, take_back

PLIES = 6
CHILDREN = 3
WAYS = 12  # to saturation, the best of which is kept
MOST_STEPS = 200_000  # of the search for ways; never met on boards of the 7 x 7 grid in play, a guard for others
NOWHERE = 1_000_000
ALPHA, BETA, BEST, AT, STEP, CHOSEN = range(CHILDREN, CHILDREN + 6)  # words of a frame, after its moves
FRAME = CHILDREN + 6


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
def opened_by(net: Net, desk: Desk, e: int) -> int:
    """The segment that completes a triangle on the drawn segment e, or -1; one that completes two comes first."""
    found = -1
    for i in range(net.triangle_start[e], net.triangle_start[e + 1]):
        t = net.triangle_list[i]
        if desk.sides_blocked[t] == 0 and desk.sides_drawn[t] == 2:
            f = net.third[i] if desk.status[net.second[i]] == DRAWN else net.second[i]
            if found < 0 or desk.gain[f] > desk.gain[found] or (desk.gain[f] == desk.gain[found] and f < found):
                found = f
    return found


@kernel
def chain_length(net: Net, desk: Desk, e: int) -> int:
    """How many moves follow each other from e on, each completing what the one before opened; 0 where e hands over two
    triangles at once (the rest of a closed polygon)."""
    length = 0
    two = False
    while e >= 0:
        draw(net, desk, e)
        desk.line[length] = e
        length += 1
        e = opened_by(net, desk, e)
        if length == 1:
            two = e >= 0 and desk.gain[e] == 2
    for i in range(length - 1, -1, -1):
        take_back(net, desk, desk.line[i])
    return 0 if two else length


@kernel
def triangle_move(net: Net, desk: Desk, careful: bool) -> int:
    """The first segment that completes most, or -1; a careful player passes over those that do not end well."""
    head = len(net.on_hull)
    for wanted in (2, 1):
        e = desk.after[head]
        while e != head:
            if desk.gain[e] == wanted and (not careful or chain_length(net, desk, e) % 2 == 1):
                return e  # type: ignore[no-any-return]
            e = desk.after[e]
    return -1


@kernel
def any_safe(net: Net, desk: Desk) -> bool:
    head = len(net.on_hull)
    e = desk.after[head]
    while e != head:
        if desk.gain[e] == 0 and desk.risk[e] == 0:
            return True
        e = desk.after[e]
    return False


@kernel
def shortest_way(net: Net, desk: Desk, line: Any, best: Any) -> int:
    """Depth-first over safe segments until none is left, branches longer than the best cut; gives the best length.

    line  int64[]: the way in hand     best  int64[]: the shortest found
    """
    # (Not recursive: Numba 0.67 cannot always load a recursive function that another one calls from its cache.)
    head = len(net.on_hull)
    length = found = steps = 0
    shortest = NOWHERE
    e = desk.after[head]
    while True:
        while e != head and (desk.gain[e] > 0 or desk.risk[e] > 0):
            e = desk.after[e]
        if e == head or length >= shortest or found >= WAYS or steps >= MOST_STEPS:
            if length == 0:
                return shortest
            length -= 1
            e = line[length]
            take_back(net, desk, e)
            e = desk.after[e]
            continue
        line[length] = e
        length += 1
        steps += 1
        draw(net, desk, e)
        e = desk.after[head]
        if not any_safe(net, desk):
            found += 1
            e = head
            if length < shortest:
                shortest = length
                for i in range(length):
                    best[i] = line[i]


@kernel
def likely_moves(net: Net, desk: Desk, moves: Any) -> None:
    """The three moves with the highest h = 3 * triangles - next, next = 0, 2, 1 where none, one, more are left open."""
    head = len(net.on_hull)
    ready = 0
    e = desk.after[head]
    while e != head:
        ready += desk.gain[e]
        e = desk.after[e]
    worth = (-NOWHERE, -NOWHERE, -NOWHERE)
    moves[:CHILDREN] = -1
    e = desk.after[head]
    while e != head:
        gained = desk.gain[e]
        opened = ready - gained + desk.risk[e]
        if ready > gained:  # what e crosses can no longer be completed
            for i in range(net.cross_start[e], net.cross_start[e + 1]):
                if desk.status[net.cross_list[i]] == FREE:
                    opened -= desk.gain[net.cross_list[i]]
        h = 3 * gained - (0 if opened == 0 else 2 if opened == 1 else 1)
        if h > worth[0]:
            moves[2], moves[1], moves[0] = moves[1], moves[0], e
            worth = (h, worth[0], worth[1])
        elif h > worth[1]:
            moves[2], moves[1] = moves[1], e
            worth = (worth[0], h, worth[1])
        elif h > worth[2]:
            moves[2] = e
            worth = (worth[0], worth[1], h)
        e = desk.after[e]


@kernel
def look_ahead(net: Net, desk: Desk, frames: Any) -> int:
    """Alpha-beta over the likely moves, with a stack of frames; gives the value, frames[0, CHOSEN] is the move."""
    frame = frames[0]
    frame[ALPHA], frame[BETA], frame[BEST], frame[AT] = -NOWHERE, NOWHERE, -NOWHERE, 0
    likely_moves(net, desk, frame)
    ply = 0
    while True:
        frame = frames[ply]
        at = frame[AT]
        if at < CHILDREN and frame[at] >= 0 and frame[BEST] < frame[BETA]:  # down
            gained = draw(net, desk, frame[at])
            given = best_gain(net, desk)
            frame[STEP] = (45 if gained == 2 else 15 * gained) - (30 if given == 2 else 10 * given)
            ply += 1
            below = frames[ply]
            below[ALPHA] = frame[STEP] - frame[BETA]
            below[BETA] = frame[STEP] - max(frame[ALPHA], frame[BEST])
            below[AT] = 0
            if ply == PLIES or desk.after[len(net.on_hull)] == len(net.on_hull):
                below[BEST] = 0
                below[0] = -1
            else:
                below[BEST] = -NOWHERE
                likely_moves(net, desk, below)
        elif ply == 0:
            return frame[BEST]  # type: ignore[no-any-return]
        else:  # up
            ply -= 1
            above = frames[ply]
            take_back(net, desk, above[above[AT]])
            if above[STEP] - frame[BEST] > above[BEST]:
                above[BEST] = above[STEP] - frame[BEST]
                above[CHOSEN] = above[above[AT]]
            above[AT] += 1


@kernel
def safe_move(net: Net, desk: Desk, work: Any) -> int:
    """A segment of the shortest way to saturation that was found, or -1; work[2, 0] is the length of the way."""
    head = len(net.on_hull)
    some = False
    e = desk.after[head]
    while e != head:
        if desk.gain[e] > 0:
            return -1  # the opponent could complete it, whatever else is drawn
        if desk.risk[e] == 0:
            some = True
        e = desk.after[e]
    if not some:
        return -1
    best = work[1]
    length = shortest_way(net, desk, work[0], best)
    work[2, 0] = length
    hull_edges = 0
    for e in range(head):
        hull_edges += net.on_hull[e]
    if net.totals[0] == 2 * hull_edges - 3:  # every point is on the hull
        for i in range(length):
            if net.on_hull[best[i]] == 0:
                return best[i]  # type: ignore[no-any-return]
    return best[0]  # type: ignore[no-any-return]


@kernel
def report_move(net: Net, desk: Desk, careful: bool, work: Any) -> int:
    """What the report's player draws here. work: see `new_work`."""
    e = triangle_move(net, desk, careful)
    if e >= 0:
        return e  # type: ignore[no-any-return]
    e = safe_move(net, desk, work)
    if e >= 0:
        return e  # type: ignore[no-any-return]
    look_ahead(net, desk, work[3:])
    return work[3, CHOSEN]  # type: ignore[no-any-return]


def new_work(net: Net) -> Any:
    """Rows: the way in hand, the best way, [its length], then a frame for each ply."""
    import numpy as np

    return np.zeros((4 + PLIES, len(net.on_hull) + FRAME), dtype=np.int64)


@dataclass
class Rule(Player):
    """The course report's player."""

    kind: ClassVar[str] = "rule"
    about: ClassVar[str] = Phrase(
        "the course report's player: takes triangles, runs for saturation, then looks 6 plies ahead"
    )
    heeds: ClassVar[frozenset[str]] = frozenset()
    careful: ClassVar[bool] = False

    def decide(self, position: Position, limit: Limit | None = None, control: Control | None = None) -> Decision:
        net, desk = desk_of(position.state)
        work = new_work(net)
        triangle_move.prepare(net, desk, self.careful)
        safe_move.prepare(net, desk, work)
        look_ahead.prepare(net, desk, work[3:])
        chain_length.prepare(net, desk, 0)
        started = time.perf_counter()
        e = int(triangle_move(net, desk, self.careful))
        if e >= 0:
            why = self._taking(net, desk, e)
        elif (e := int(safe_move(net, desk, work))) >= 0:
            kept = int(work[2, 0]) - 1
            if kept == 1:
                why = Phrase("keeps 1 safe segment, odd")
            elif kept % 2:
                why = Phrase("keeps {kept} safe segments, odd", kept=kept)
            else:
                why = Phrase("keeps {kept} safe segments, even", kept=kept)
        else:
            value = look_ahead(net, desk, work[3:])
            e = int(work[3, CHOSEN])
            why = Phrase(
                "no segment is safe: {value:+d} in the report's points, {plies} plies ahead", value=value, plies=PLIES
            )
        report = Report(line=(e,), seconds=time.perf_counter() - started)
        return Decision(action=e, why=why, report=report)

    def _taking(self, net: Net, desk: Desk, e: int) -> Phrase:
        gain = desk.gain[e]
        return Phrase("takes {gain} triangles", gain=gain) if gain > 1 else Phrase("takes 1 triangle")


@dataclass
class Parity(Rule):
    """`rule` that looks at a gift before it takes it."""

    kind: ClassVar[str] = "parity"
    about: ClassVar[str] = Phrase(
        "rule, but takes a triangle only where that leaves the opponent nothing, or an odd chain"
    )
    careful: ClassVar[bool] = True

    def _taking(self, net: Net, desk: Desk, e: int) -> Phrase:
        length = chain_length(net, desk, e)
        end = Phrase("the chain of {length} is odd", length=length)
        if length == 1:
            end = Phrase("opens none")
        taking = super()._taking(net, desk, e)
        return Phrase("{taking}: {end}", taking=taking, end=end)
