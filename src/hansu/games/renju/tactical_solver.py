"""What the threat search knows of many positions at once: the move that wins by fours, and the moves that lose to
fours.

Won is where the mover has a win by fours (VCF). Where the other would have one if the mover passed, a move loses after
which he still has it: the few that stop it are left, and where there is none the position is lost. All of it is proved.
A quiet position takes a few microseconds, one with such a threat some hundred.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hansu.compile import kernel
from hansu.core import Control, Decision, Message, Position, Report, Value
from hansu.core.game_extensions import LASTS, LOSES, WINS
from hansu.games.renju.engine.board import MARGIN, STRIDE, lift, place
from hansu.games.renju.engine.packed_states import in_opening, lay, side_of
from hansu.games.renju.engine.patterns import K_FIVE
from hansu.games.renju.engine.search import threat_win
from hansu.games.renju.engine.threats import legal_for
from hansu.games.renju.state import step_of
from hansu.games.renju.tactics import Tactics, searcher_for

DEPTH = 31  # plies of a win by fours
NODES = 300  # for one that is sought,
NODES_AFTER = 100  # and for what is left of the other's after a move
ROOT_NODES = 30_000  # for a win by fours and threes in the position on the board


@kernel
def plies_by_fours(mem: Any, side: int, nodes: int) -> int:
    """Plies to a win of `side`, who is to move, by fours; 0 if none was found. (Constants are types of their own to
    Numba: with them, the recursive search would be compiled twice, and could not be loaded from the cache.)"""
    return int(threat_win(mem, side, np.int64(DEPTH), np.int64(0), np.int64(nodes)))


@kernel
def foresee(mem: Any, states: Any, marks: Any) -> None:
    """Mark the actions of each state, int64[states, words], in int8[states, actions]."""
    mem.nodes, mem.look_at, mem.stop = 0, 0, 0
    for i in range(len(states)):
        if in_opening(mem, states[i]):
            continue
        lay(mem, states[i])
        side = side_of(mem, states[i])
        if plies_by_fours(mem, side, NODES):
            point = mem.threat_line[0]
            marks[i, (point // STRIDE - MARGIN) * mem.size + point % STRIDE - MARGIN] = WINS
        elif plies_by_fours(mem, 1 - side, NODES):
            mark_losses(mem, side, marks[i])


@kernel
def mark_losses(mem: Any, side: int, marks: Any) -> None:
    """Mark the moves after which the other wins by fours. Where all do, the one that takes him longest is told apart;
    of several, one that stops a five."""
    other = 1 - side
    most, last, holds = 0, -1, False
    for y in range(mem.size):
        for x in range(mem.size):
            point = STRIDE * (y + MARGIN) + x + MARGIN
            if mem.stones[point] == 0 and legal_for(mem, side, point):
                stops = int(mem.kinds[other, point] == K_FIVE)
                place(mem, point, side)
                plies = plies_by_fours(mem, other, NODES_AFTER)
                lift(mem, point)
                cell = y * mem.size + x
                if plies == 0:
                    holds = True
                else:
                    marks[cell] = LOSES
                    if 2 * plies + stops > most:
                        most, last = 2 * plies + stops, cell
    if last >= 0 and not holds:
        marks[last] = LASTS


class Threats:
    """The foresight of Renju (`core.game.Foresight`), for boards like a position's. One thread uses it."""

    def __init__(self, position: Position) -> None:
        self._leaves, self._root = searcher_for(position), searcher_for(position)
        self._control = Control()
        self._leaves.memory["flag"], self._leaves.memory["node_limit"] = self._control.address, 1 << 62

    def precompile(self) -> None:
        foresee.precompile(self._leaves.memory, np.zeros((1, 1), np.int64), np.zeros((1, 1), np.int8))
        threat_win.precompile(self._root.memory, 0, 5, 0, 1)

    def marks(self, states: Any, actions: int) -> Any:
        marks = np.zeros((len(states), actions), np.int8)
        foresee(self._leaves.memory, states, marks)
        return marks

    def win(self, position: Position, control: Control) -> Decision | None:
        """By fours, or by fours and threes."""
        if step_of(position.state):
            return None
        tactics = Tactics.of(position, self._root)
        fours = tactics.win_by_fours(tactics.side, ROOT_NODES, control)
        line = fours or tactics.win_by_threats(tactics.side, ROOT_NODES, control)
        if not line:
            return None
        move, texts = position.move_text(line[0]), " ".join(position.line_text(line))
        if fours:
            why = Message("{move} wins by fours: {line}", move=move, line=texts)
        else:
            why = Message("{move} wins by fours and threes: {line}", move=move, line=texts)
        value = Value.seen_from(position.team, 1.0, proved=True)
        return Decision(action=line[0], why=why, report=Report(value=value, line=line, nodes=control.nodes))
