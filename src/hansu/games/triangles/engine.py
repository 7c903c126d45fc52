"""The engine as Python sees it: alpha-beta with iterative deepening (see `search`), and the planner beside it.

From some number of moves on it goes for the end at once, so that results near the end are proved.
"""

from __future__ import annotations

from collections.abc import Iterable

from hansu.core import Control, MoveValue, Report, Value, popcount
from hansu.core.control import EVALUATIONS
from hansu.core.report import AT_MOST, EXACT
from hansu.games.triangles.board import Drawing, draw, drawing_of, net_of, new_drawing, take_back
from hansu.games.triangles.components import new_names
from hansu.games.triangles.planner import Planner
from hansu.games.triangles.rules import Triangles
from hansu.games.triangles.search import INFINITY, TO_THE_END, UNIT, best_line, new_memory, ring, search
from hansu.search.engine import Tell

END_FROM = 22  # moves left from which a search to the end is tried
SHALLOW = 3  # plies searched before that, for an order of the moves and something to fall back on
NAME_SLOTS = 1 << 18


class TrianglesSearcher:
    """One searching thread with its tables, for one board."""

    def __init__(self, board: tuple[int, ...], slots: int) -> None:
        self.net = net_of(board)
        self.planner = Planner(self.net)
        self._slots = slots
        self.new_game()

    def new_game(self) -> None:
        self._memory, self._names = new_memory(self._slots), new_names(NAME_SLOTS)
        self.planner.new_game()

    def precompile(self) -> None:
        """Compile, or load what was compiled, so that a clock can start afterwards."""
        drawing = new_drawing(self.net)
        search.precompile(self.net, drawing, 1, 0, 1, 1, self._memory, self._names, Control().address)
        self.planner.precompile(drawing)

    def moves_left(self, s: Triangles) -> int:
        return int(self.net.totals[0]) - sum(popcount(word) for word in s.drawn)

    def search(self, s: Triangles, deepest: int | None, control: Control, tell: Tell) -> Report:
        """Depth 1, 2, ...: the last depth that was finished counts, or an unfinished one that judged the best move. The
        Control's limits are set, its counters are clear."""
        _, drawing = drawing_of(s)
        words, left = control.words, self.moves_left(s)
        order = sorted(ring(self.net, drawing), key=lambda e: int(drawing.risk[e] - 8 * drawing.gain[e]))
        report = Report(line=(order[0],))
        for depth in self._depths(left, deepest or TO_THE_END):
            words[EVALUATIONS] = 0
            moves = self._root(drawing, order, depth, control)
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
        """Best play to the end from a position whose value is proved, as far as there is time."""
        net, drawing = drawing_of(s)
        to_come = round(UNIT * (value.to(s.turn) - lead_of(s)))
        return best_line(net, drawing, to_come, self._memory, self._names, control)

    @staticmethod
    def _depths(left: int, deepest: int) -> Iterable[int]:
        if left <= END_FROM and deepest >= left:
            return [*range(1, min(SHALLOW, left - 1) + 1), TO_THE_END]
        return range(1, min(deepest, left) + 1)

    def _root(self, drawing: Drawing, order: list[int], depth: int, control: Control) -> dict[int, tuple[int, bool]]:
        """Every move's value at this depth, and whether it is more than a bound: moves that are no better than one
        before are not looked at closely. Fewer where stopped."""
        net, address = self.net, control.address
        moves: dict[int, tuple[int, bool]] = {}
        low = -INFINITY

        def below(gained: int, alpha: int, beta: int) -> int:
            alpha, beta = gained - beta, gained - alpha
            return gained - int(search(net, drawing, depth - 1, alpha, beta, 1, self._memory, self._names, address))

        for e in order:
            gained = UNIT * int(draw(net, drawing, e))
            value = below(gained, low, INFINITY if not moves else low + 1)
            if moves and value > low:
                value = below(gained, low, INFINITY)
            take_back(net, drawing, e)
            if control.halted:
                break
            moves[e] = value, value > low
            low = max(low, value)
        return moves


def lead_of(s: Triangles) -> int:
    """The mover's."""
    return -s.lead if s.turn else s.lead


def _value(s: Triangles, to_come: int, *, proved: bool = False, bound: str = EXACT) -> Value:
    """Of what is to come for the mover, in units of the search."""
    return Value.seen_from(s.turn, lead_of(s) + to_come / UNIT, proved=proved, bound=bound)
