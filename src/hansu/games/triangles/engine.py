"""The Python interface of the engine: iterative deepening with `search`, and a `Planner`.

Near the end of the game it searches to the end at once, to prove the result.
"""

from __future__ import annotations

from collections.abc import Iterable

from hansu.core import Control, MoveValue, Report, Value, popcount
from hansu.core.control import EVALUATIONS
from hansu.core.report import AT_MOST, EXACT
from hansu.games.triangles.components import new_names
from hansu.games.triangles.planner import Planner
from hansu.games.triangles.rules import Triangles
from hansu.games.triangles.search import INFINITY, TO_THE_END, UNIT, best_line, new_memory, ring, search
from hansu.games.triangles.search_board import SearchBoard, draw, graph_of, new_search_board, search_board_of, undo
from hansu.search.engine import Tell

END_FROM = 22  # with at most this many moves left, search to the end
SHALLOW = 3  # plies searched before that, for move ordering and a fallback
NAME_SLOTS = 1 << 18


class TrianglesSearcher:
    """The search with its tables, for one board."""

    def __init__(self, words: tuple[int, ...], slots: int) -> None:
        self.graph = graph_of(words)
        self.planner = Planner(self.graph)
        self._slots = slots
        self.new_game()

    def new_game(self) -> None:
        self._memory, self._names = new_memory(self._slots), new_names(NAME_SLOTS)
        self.planner.new_game()

    def precompile(self) -> None:
        """Compile the kernels, or load them from the cache, before a clock starts."""
        board = new_search_board(self.graph)
        search.precompile(self.graph, board, 1, 0, 1, 1, self._memory, self._names, Control().address)
        self.planner.precompile(board)

    def moves_left(self, s: Triangles) -> int:
        """The number of moves until the end of the game."""
        return int(self.graph.totals[0]) - sum(popcount(word) for word in s.drawn)

    def search(self, s: Triangles, deepest: int | None, control: Control, tell: Tell) -> Report:
        """Iterative deepening. Returns the last finished depth, or an unfinished one that evaluated the best move. The
        control's limits are set and its counters are clear."""
        _, board = search_board_of(s)
        words, left = control.words, self.moves_left(s)
        order = sorted(ring(self.graph, board), key=lambda e: int(board.risk[e] - 8 * board.gain[e]))
        report = Report(line=(order[0],))
        for depth in self._depths(left, deepest or TO_THE_END):
            words[EVALUATIONS] = 0
            moves = self._root(board, order, depth, control)
            stopped = control.halted
            if moves:
                best = max(moves, key=lambda e: (moves[e][1], moves[e][0]))
                report = Report(
                    value=_value(s, moves[best][0], proved=bool(not stopped and words[EVALUATIONS] == 0)),
                    line=(best,),
                    moves=tuple(
                        MoveValue(action=e, value=_value(s, value, bound=EXACT if exact else AT_MOST))
                        for e, (value, exact) in moves.items()
                    ),
                    depth=report.depth if stopped else min(depth, left),
                    nodes=control.nodes,
                )  # fmt: skip
            if stopped:
                break
            tell(report)
            if report.proved:
                break
            order.sort(key=lambda e: (e != best, -moves[e][0]))
        return report

    def best_line(self, s: Triangles, value: Value, control: Control) -> tuple[int, ...]:
        """Best play to the end from a position with a proven value; shorter if time runs out."""
        graph, board = search_board_of(s)
        remaining = round(UNIT * (value.to(s.turn) - lead_of(s)))
        return best_line(graph, board, remaining, self._memory, self._names, control)

    @staticmethod
    def _depths(left: int, deepest: int) -> Iterable[int]:
        if left <= END_FROM and deepest >= left:
            return [*range(1, min(SHALLOW, left - 1) + 1), TO_THE_END]
        return range(1, min(deepest, left) + 1)

    def _root(self, board: SearchBoard, order: list[int], depth: int, control: Control) -> dict[int, tuple[int, bool]]:
        """The value of every move at this depth, and whether it is exact: moves that are no better than an earlier one
        have only a bound. If stopped, only the moves so far."""
        graph, address = self.graph, control.address
        moves: dict[int, tuple[int, bool]] = {}
        low = -INFINITY

        def below(gained: int, alpha: int, beta: int) -> int:
            alpha, beta = gained - beta, gained - alpha
            return gained - int(search(graph, board, depth - 1, alpha, beta, 1, self._memory, self._names, address))

        for e in order:
            gained = UNIT * int(draw(graph, board, e))
            value = below(gained, low, INFINITY if not moves else low + 1)
            if moves and value > low:
                value = below(gained, low, INFINITY)
            undo(graph, board, e)
            if control.halted:
                break
            moves[e] = value, value > low
            low = max(low, value)
        return moves


def lead_of(s: Triangles) -> int:
    """The mover's lead."""
    return -s.lead if s.turn else s.lead


def _value(s: Triangles, remaining: int, *, proved: bool = False, bound: str = EXACT) -> Value:
    """The value of a position; `remaining` is the mover's gain in the rest of the game, in units of the search."""
    return Value.seen_from(s.turn, lead_of(s) + remaining / UNIT, proved=proved, bound=bound)
