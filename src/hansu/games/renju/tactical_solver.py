"""Proves wins and losses by fours in many positions at once, for the nodes of `puct`'s tree.

A position is won if the mover has a win by fours (VCF). If the opponent would have one after a pass, every move that
does not stop it loses. If no move stops it, the position is lost. All marks are proofs. A quiet position takes a few
microseconds, a position with such a threat some hundred.
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

DEPTH = 31  # maximum plies of a win by fours
NODES = 300  # of the search for a win of either side
NODES_AFTER = 100  # of the search for the opponent's win after each move
ROOT_NODES = 30_000  # of each search in the position on the board


@kernel
def vcf_plies(mem: Any, side: int, nodes: int) -> int:
    """Plies to a win of `side`, to move, by fours; 0 if none was found. (np.int64 instead of literals: Numba gives a
    literal its own type, would compile the recursive search twice, and could not load it from the cache.)"""
    return int(threat_win(mem, side, np.int64(DEPTH), np.int64(0), np.int64(nodes)))


@kernel
def mark_proven_moves(mem: Any, states: Any, marks: Any) -> None:
    """Fill marks, int8[states, actions], for states int64[states, words]."""
    mem.nodes, mem.look_at, mem.stop = 0, 0, 0
    for i in range(len(states)):
        if in_opening(mem, states[i]):
            continue
        lay(mem, states[i])
        side = side_of(mem, states[i])
        if vcf_plies(mem, side, NODES):
            point = mem.threat_line[0]
            marks[i, (point // STRIDE - MARGIN) * mem.size + point % STRIDE - MARGIN] = WINS
        elif vcf_plies(mem, 1 - side, NODES):
            mark_losing_moves(mem, side, marks[i])


@kernel
def mark_losing_moves(mem: Any, side: int, marks: Any) -> None:
    """Mark the moves after which the opponent wins by fours. If all moves lose, mark the one that loses last (LASTS);
    of equals, a move that stops a five."""
    other = 1 - side
    most, last, saved = 0, -1, False
    for y in range(mem.size):
        for x in range(mem.size):
            point = STRIDE * (y + MARGIN) + x + MARGIN
            if mem.stones[point] == 0 and legal_for(mem, side, point):
                stops = int(mem.kinds[other, point] == K_FIVE)
                place(mem, point, side)
                plies = vcf_plies(mem, other, NODES_AFTER)
                lift(mem, point)
                cell = y * mem.size + x
                if plies == 0:
                    saved = True
                else:
                    marks[cell] = LOSES
                    if 2 * plies + stops > most:
                        most, last = 2 * plies + stops, cell
    if last >= 0 and not saved:
        marks[last] = LASTS


class RenjuTacticalSolver:
    """Renju's `TacticalSolver`, for boards like a position's. Not thread-safe."""

    def __init__(self, position: Position) -> None:
        self._leaves, self._root = searcher_for(position), searcher_for(position)
        self._control = Control()
        self._leaves.memory["flag"], self._leaves.memory["node_limit"] = self._control.address, 1 << 62

    def precompile(self) -> None:
        """Compile before a clock starts."""
        mark_proven_moves.precompile(self._leaves.memory, np.zeros((1, 1), np.int64), np.zeros((1, 1), np.int8))
        threat_win.precompile(self._root.memory, 0, 5, 0, 1)

    def marks(self, states: Any, actions: int) -> Any:
        """int8[states, actions]: WINS, LOSES or LASTS for proven moves of states int64[states, words], else 0."""
        marks = np.zeros((len(states), actions), np.int8)
        mark_proven_moves(self._leaves.memory, states, marks)
        return marks

    def win(self, position: Position, control: Control) -> Decision | None:
        """A win by fours, or by fours and threes, in the position on the board."""
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
