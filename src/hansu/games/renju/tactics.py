"""Tactics as a library: who can make what where, wins by fours and by threes with their lines, and the moves that
need no thought.

    tactics = Tactics.of(position)
    tactics.fives(BLACK)               points where black makes five
    tactics.win_by_fours(WHITE)        the line of a VCF, or ()
    tactics.override()                 the original's rules of thumb: a move and the reason, or None

All points are cells, y * size + x; colours are BLACK and WHITE of state.py. Points where black may not play are left
out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from hansu.core import Control, ForcedMove, Limit, Message, Position
from hansu.games.renju.engine.board import cell_of
from hansu.games.renju.engine.forced_moves import override_point
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
REASONS = {  # in the order of engine/override.py
    "five": Message("makes five"),
    "stops five": Message("stops the other's five"),
    "open four": Message("makes an open four: two points make five"),
    "four-four": Message("makes two fours at once"),
    "four-three": Message("makes a four and a three at once"),
}


def played_stones(position: Position) -> Stones:
    """The stones as (cell, colour), as far as is known in the order of play."""
    flat = board(position.state)
    here = {cell: int(flat[cell]) - 1 for cell in range(len(flat)) if flat[cell]}
    played = [cell for cell in dict.fromkeys(position.history) if cell in here]
    before = [cell for cell in here if cell not in set(played)]
    return [(cell, here[cell]) for cell in before + played]


def searcher_for(position: Position, kept: RenjuSearcher | None = None) -> RenjuSearcher:
    """A searcher with a small table for a position's board: the one that is kept, where it fits."""
    rule, size = RULES[rule_of(position.state)], size_of(position.state)
    if kept is not None and (kept.rule, kept.size) == (rule, size):
        return kept
    return RenjuSearcher(rule, size, 1, network=False)


class Tactics:
    """The tactics of one position. `searcher` may be shared: it is set to this position whenever it is asked."""

    def __init__(self, stones: Stones, side: int, searcher: RenjuSearcher) -> None:
        self.stones, self.side = stones, side
        self.gave_up = False  # the last search for a win ended at its limit
        self._searcher = searcher

    @classmethod
    def of(cls, position: Position, searcher: RenjuSearcher | None = None) -> Tactics:
        return cls(played_stones(position), colour(position.state), searcher or searcher_for(position))

    def points(self, side: int, wanted: Callable[[Classes], bool]) -> list[int]:
        """The legal empty cells where what a stone makes on the four lines fits: a three at least on one of them."""
        self._searcher.set_board(self.stones)
        found = self._searcher.urgent(side)
        return [cell for cell, made in found.items() if wanted(made) and self._searcher.legal(cell, side)]

    def fives(self, side: int) -> list[int]:
        return self.points(side, lambda made: FIVE in made)

    def open_fours(self, side: int) -> list[int]:
        """Where a stone makes a four that two points turn into five."""
        return self.points(side, lambda made: OPEN_FOUR in made)

    def fours(self, side: int) -> list[int]:
        """Where a stone makes a four of any kind."""
        return self.points(side, lambda made: any(line in FOURS for line in made))

    def double_fours(self, side: int) -> list[int]:
        """4-4: forbidden to black in Renju, so there are none for him."""
        return self.points(side, lambda made: sum(line in FOURS for line in made) >= 2)

    def threes(self, side: int) -> list[int]:
        """Where a stone makes a three: the next makes an open four (black's in Renju: and is not forbidden)."""
        return self._with_three(self.points(side, lambda made: any(line in THREES for line in made)), side)

    def four_threes(self, side: int) -> list[int]:
        """4-3."""
        both = self.points(side, lambda made: any(c in FOURS for c in made) and any(c in THREES for c in made))
        return self._with_three(both, side)

    def _with_three(self, cells: list[int], side: int) -> list[int]:
        return [cell for cell in cells if self._searcher.threes(cell, side)]

    def win_by_fours(self, side: int, nodes: int = 1_000_000, control: Control | None = None) -> tuple[int, ...]:
        """VCF: the line of a win in which every move makes a four, the shortest depth first; () if none was found. It
        ends with the move after which two points make five, or the answer is forbidden."""
        return self._win(side, False, VCF_DEPTHS, nodes, control)

    def win_by_threats(self, side: int, nodes: int = 1_000_000, control: Control | None = None) -> tuple[int, ...]:
        """VCT: the same with fours and threes. The line is one of those that the defence may choose."""
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

    def override(self) -> tuple[int, str] | None:
        """What the mover plays without thinking: make five; stop the other's five; make an open four, a 4-4 or
        a 4-3. (The original's order; an open three of the other's is `must_answer`.)"""
        self._searcher.set_board(self.stones)
        return override_of(self._searcher, self.side)

    def must_answer(self) -> list[int]:
        """Where the other would make an open four next: a move of the mover's is good only if it stops them all, or
        makes a four."""
        return self.open_fours(1 - self.side)

    def answers(self, threatened: list[int]) -> set[int]:
        """The moves that are good then: fours, and the cells near the threats after which no open four is left."""
        found = set(self.fours(self.side))
        searcher, size = self._searcher, self._searcher.size
        near = {
            (y + d * dy) * size + x + d * dx
            for y, x in (divmod(cell, size) for cell in threatened)
            for dy, dx in ((0, 0), (0, 1), (1, 0), (1, 1), (1, -1))
            for d in range(-4, 5)
            if 0 <= y + d * dy < size and 0 <= x + d * dx < size
        }
        taken = {cell for cell, _ in self.stones}
        for cell in sorted(near - taken - found):
            if searcher.legal(cell, self.side):
                after = Tactics([*self.stones, (cell, self.side)], 1 - self.side, searcher)
                if not after.open_fours(1 - self.side):
                    found.add(cell)
                searcher.set_board(self.stones)
        return found


def override_of(searcher: RenjuSearcher, side: int) -> tuple[int, str] | None:
    """The same, of the board as the searcher has it."""
    found = override_point(searcher.memory, side)
    return None if found == 0 else (cell_of(found & 1023, searcher.size), tuple(REASONS)[found >> 10])


class Overrides:
    """The moves that need no thought, for searches that ask before they look: see `Game.tactics`."""

    def __init__(self) -> None:
        self._searcher: RenjuSearcher | None = None

    def __call__(self, position: Position) -> ForcedMove | None:
        if step_of(position.state):
            return None
        self._searcher = searcher_for(position, self._searcher)
        lay(self._searcher.memory, packed([position.state])[0])
        found = override_of(self._searcher, colour(position.state))
        return None if found is None else ForcedMove(found[0], REASONS[found[1]], found[1] != "stops five")
