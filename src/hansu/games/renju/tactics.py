"""Tactics as a library: threats of either colour, wins by fours (VCF) and by fours and threes (VCT), forced moves.

    tactics = Tactics.of(position)
    tactics.fives(BLACK)               cells where black makes five
    tactics.win_by_fours(WHITE)        the line of a VCF, or ()
    tactics.forced_move()              an urgent move and its reason, or None

Cells are y * size + x; colours are BLACK and WHITE of state.py. Black's forbidden points are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hansu.core import Control, ForcedMove, Limit, Message, Position
from hansu.games.renju.engine.board import cell_of
from hansu.games.renju.engine.forced_moves import find_forced_move
from hansu.games.renju.engine.packed_states import lay
from hansu.games.renju.engine.patterns import FIVE, FOUR, OPEN_FOUR, THREE_1, THREE_2, TWO_FOURS
from hansu.games.renju.engine.search import begin, threat_win
from hansu.games.renju.engine.searcher import VCF_DEPTHS, VCT_DEPTHS, RenjuSearcher
from hansu.games.renju.state import RULES, board, colour, rule_of, size_of, step_of
from hansu.search.trees import packed

if TYPE_CHECKING:
    from hansu.games.renju.engine.board import Stones

THREES = (THREE_1, THREE_2)
FOURS = (FOUR, OPEN_FOUR, TWO_FOURS)
Classes = tuple[int, int, int, int]
REASONS = {  # in the order of engine/forced_moves.py
    "five": Message("makes five"),
    "stops five": Message("stops the opponent's five"),
    "open four": Message("makes an open four"),
    "four-four": Message("makes two fours at once"),
    "four-three": Message("makes a four and a three at once"),
}


def played_stones(position: Position) -> Stones:
    """The stones as (cell, colour), in the order of play where it is known."""
    flat = board(position.state)
    here = {cell: int(flat[cell]) - 1 for cell in range(len(flat)) if flat[cell]}
    played = [cell for cell in dict.fromkeys(position.history) if cell in here]
    before = [cell for cell in here if cell not in set(played)]
    return [(cell, here[cell]) for cell in before + played]


def searcher_for(position: Position, reuse: RenjuSearcher | None = None) -> RenjuSearcher:
    """A searcher with a small table and no network for a position's board; `reuse` itself if it fits."""
    rule, size = RULES[rule_of(position.state)], size_of(position.state)
    if reuse is not None and (reuse.rule, reuse.size) == (rule, size):
        return reuse
    return RenjuSearcher(rule, size, 1, network=False)


class Tactics:
    """The tactics of one position. Several objects may share a searcher; each call sets it to its own position."""

    def __init__(self, stones: Stones, side: int, searcher: RenjuSearcher) -> None:
        self.stones, self.side = stones, side
        self.gave_up = False  # the last search for a win reached its limit
        self._searcher = searcher

    @classmethod
    def of(cls, position: Position, searcher: RenjuSearcher | None = None) -> Tactics:
        """The tactics of a position; `side` is the colour to move."""
        return cls(played_stones(position), colour(position.state), searcher or searcher_for(position))

    def points(self, side: int, accepts: Callable[[Classes], bool]) -> list[int]:
        """The legal empty cells whose four line classes (patterns.py) are accepted. Only cells with a three or more on
        some line are tried."""
        self._searcher.set_board(self.stones)
        urgent = self._searcher.urgent(side)
        return [cell for cell, classes in urgent.items() if accepts(classes) and self._searcher.legal(cell, side)]

    def fives(self, side: int) -> list[int]:
        """Cells where a stone makes five."""
        return self.points(side, lambda classes: FIVE in classes)

    def open_fours(self, side: int) -> list[int]:
        """Cells where a stone makes a four that becomes a five at two points."""
        return self.points(side, lambda classes: OPEN_FOUR in classes)

    def fours(self, side: int) -> list[int]:
        """Cells where a stone makes a four of any kind."""
        return self.points(side, lambda classes: any(c in FOURS for c in classes))

    def double_fours(self, side: int) -> list[int]:
        """Cells where a stone makes a double four (4-4). Black has none in Renju, where it is forbidden."""
        return self.points(side, lambda classes: sum(c in FOURS for c in classes) >= 2)

    def threes(self, side: int) -> list[int]:
        """Cells where a stone makes a three, which one more stone turns into an open four. (For black in Renju that
        stone must be legal.)"""
        return self._with_three(self.points(side, lambda classes: any(c in THREES for c in classes)), side)

    def four_threes(self, side: int) -> list[int]:
        """Cells where a stone makes a four and a three (4-3)."""
        both = self.points(side, lambda classes: any(c in FOURS for c in classes) and any(c in THREES for c in classes))
        return self._with_three(both, side)

    def _with_three(self, cells: list[int], side: int) -> list[int]:
        return [cell for cell in cells if self._searcher.threes(cell, side)]

    def win_by_fours(self, side: int, nodes: int = 1_000_000, control: Control | None = None) -> tuple[int, ...]:
        """VCF: the line of a win in which every move makes a four, by iterative deepening; () if none was found. The
        line ends with a five, or with a four that has no answer: two points make five, or black's answer is
        forbidden."""
        return self._win(side, False, VCF_DEPTHS, nodes, control)

    def win_by_threats(self, side: int, nodes: int = 1_000_000, control: Control | None = None) -> tuple[int, ...]:
        """VCT: the same with fours and threes. The line shows one of the possible defences."""
        return self._win(side, True, VCT_DEPTHS, nodes, control)

    def _win(
        self, side: int, threes: bool, depths: Sequence[int], nodes: int, control: Control | None
    ) -> tuple[int, ...]:
        control = control or Control()
        searcher, memory = self._searcher, self._searcher.memory
        searcher.set_board(self.stones)
        self.gave_up = False
        with searcher.thinking(side, Limit(nodes=nodes), control):
            begin(memory)
            for depth in depths:
                if threat_win(memory, side, depth, int(threes), nodes):
                    return searcher.actions(memory["threat_line"])
                if memory["stop"]:
                    self.gave_up = True
                    break
        return ()

    def forced_move(self) -> tuple[int, str] | None:
        """The mover's urgent move and its reason (a key of REASONS): make five, stop five, make an open four, a 4-4 or
        a 4-3, in this order. None if there is none."""
        self._searcher.set_board(self.stones)
        return forced_move_on(self._searcher, self.side)

    def open_four_threats(self) -> list[int]:
        """Cells where the opponent makes an open four next. The mover must stop all of them or make a four."""
        return self.open_fours(1 - self.side)

    def defences(self, threats: list[int]) -> set[int]:
        """The mover's answers to `open_four_threats`: its own fours, and cells near the threats that leave no open
        four."""
        cells = set(self.fours(self.side))
        searcher, size = self._searcher, self._searcher.size
        near = {
            (y + d * dy) * size + x + d * dx
            for y, x in (divmod(cell, size) for cell in threats)
            for dy, dx in ((0, 0), (0, 1), (1, 0), (1, 1), (1, -1))
            for d in range(-4, 5)
            if 0 <= y + d * dy < size and 0 <= x + d * dx < size
        }
        taken = {cell for cell, _ in self.stones}
        for cell in sorted(near - taken - cells):
            if searcher.legal(cell, self.side):
                after = Tactics([*self.stones, (cell, self.side)], 1 - self.side, searcher)
                if not after.open_fours(1 - self.side):
                    cells.add(cell)
                searcher.set_board(self.stones)
        return cells


def forced_move_on(searcher: RenjuSearcher, side: int) -> tuple[int, str] | None:
    """`Tactics.forced_move` for the board that the searcher has."""
    move = find_forced_move(searcher.memory, side)
    return None if move == 0 else (cell_of(move & 1023, searcher.size), tuple(REASONS)[move >> 10])


class ForcedMoveFinder:
    """Finds the forced move of a position, for players that play it without a search (see `Game.tactics`)."""

    def __init__(self) -> None:
        self._searcher: RenjuSearcher | None = None

    def __call__(self, position: Position) -> ForcedMove | None:
        if step_of(position.state):
            return None
        self._searcher = searcher_for(position, self._searcher)
        lay(self._searcher.memory, packed([position.state])[0])
        forced = forced_move_on(self._searcher, colour(position.state))
        if forced is None:
            return None
        cell, reason = forced
        return ForcedMove(cell, REASONS[reason], wins=reason != "stops five")
