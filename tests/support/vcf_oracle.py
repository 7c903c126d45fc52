"""A slow and literal search for wins by continuous fours (VCF) and other wins.

It shares no code with the package. A set of cells is an int with bit y * size + x; colours are 0 black, 1 white. A
five fills a *window* of five cells in a row, and a four all of it but one: so fives, fours and their answers are read
off the windows of the board. Black's forbidden moves come from renju_oracle.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from support.renju_oracle import DIRECTIONS, Oracle

Plan = Callable[[int, int], int | None]


@cache
def windows(size: int) -> tuple[tuple[int, int], ...]:
    """(the five cells, the cells just beyond both ends) of every window."""
    result = []
    for x in range(size):
        for y in range(size):
            for dx, dy in DIRECTIONS:
                cells = [(x + n * dx, y + n * dy) for n in range(-1, 6)]
                inside = [0 <= a < size and 0 <= b < size for a, b in cells]
                if all(inside[1:6]):
                    five = sum(1 << b * size + a for a, b in cells[1:6])
                    ends = sum(1 << b * size + a for (a, b), on in zip(cells, inside, strict=True) if on) & ~five
                    result.append((five, ends))
    return tuple(result)


def cells_of(bits: int) -> Iterator[int]:
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


class Board:
    """A rule and a size. Stones are passed as two sets of cells, `mine` and `theirs`."""

    def __init__(self, rule: str, size: int) -> None:
        self.rule, self.size = rule, size
        self.nodes = 0

    def exact(self, side: int) -> bool:
        return self.rule == "standard" or (self.rule == "renju" and side == 0)

    def five_points(self, mine: int, theirs: int, side: int) -> int:
        """Where `side` makes five: `mine` are its stones."""
        result = 0
        for five, ends in windows(self.size):
            left = five & ~mine
            if left & (left - 1) == 0 and left and not left & theirs and not (self.exact(side) and ends & mine):
                result |= left
        return result

    def fours(self, mine: int, theirs: int, side: int) -> int:
        """Where a stone makes a four: a window with three stones, two free cells, and no sixth stone at its end."""
        result = 0
        for five, ends in windows(self.size):
            left = five & ~mine
            if left.bit_count() == 2 and not left & theirs and not (self.exact(side) and ends & mine):
                result |= left
        return result

    def legal(self, mine: int, theirs: int, side: int, cell: int) -> bool:
        if (mine | theirs) >> cell & 1:
            return False
        if side == 1 or self.rule != "renju":
            return True
        points = [frozenset((c % self.size, c // self.size) for c in cells_of(bits)) for bits in (mine, theirs)]
        return not Oracle(self.size, points[1]).kinds(points[0], (cell % self.size, cell // self.size))

    def line_wins(self, mine: int, theirs: int, side: int, line: Sequence[int]) -> bool:
        """Does this line win by fours? It ends with a five, or with a four that has no answer. Every answer in it must
        be the only one."""
        for i in range(0, len(line), 2):
            last = i + 1 == len(line)
            if not self.legal(mine, theirs, side, line[i]):
                return False
            if self.five_points(mine, theirs, side) >> line[i] & 1:
                return last
            mine |= 1 << line[i]
            answers = self.five_points(mine, theirs, side)
            if not answers or self.five_points(theirs, mine, 1 - side):
                return False
            if answers & (answers - 1) or not self.legal(theirs, mine, 1 - side, next(cells_of(answers))):
                return last
            if last or answers != 1 << line[i + 1]:
                return False
            theirs |= answers
        return False

    def win_by_fours(self, mine: int, theirs: int, side: int, plies: int, nodes: int) -> list[int] | None:
        """The shortest line that wins within `plies` plies (including the five); None if none was found within `nodes`
        nodes. (`self.nodes` has the number of nodes searched.)"""
        self.nodes = 0
        for most in range(1, plies + 1, 2):
            line = self._win(mine, theirs, side, most, nodes, {})
            if line is not None or self.nodes >= nodes:
                return line
        return None

    def _win(
        self, mine: int, theirs: int, side: int, plies: int, nodes: int, failed: dict[tuple[int, int], int]
    ) -> list[int] | None:
        self.nodes += 1
        fives = self.five_points(mine, theirs, side)
        if fives:
            return [next(cells_of(fives))]
        if plies < 3 or self.nodes >= nodes or failed.get((mine, theirs), 0) >= plies:
            return None
        candidates = self.fours(mine, theirs, side)
        threat = self.five_points(theirs, mine, 1 - side)
        if threat:
            candidates = 0 if threat & (threat - 1) else candidates & threat
        for cell in cells_of(candidates):
            if not self.legal(mine, theirs, side, cell):
                continue
            after = mine | 1 << cell
            answer = self.five_points(after, theirs, side)
            if answer & (answer - 1) or not self.legal(theirs, after, 1 - side, next(cells_of(answer))):
                return [cell]
            rest = self._win(after, theirs | answer, side, plies - 2, nodes, failed)
            if rest is not None:
                return [cell, next(cells_of(answer)), *rest]
        if self.nodes < nodes:
            failed[mine, theirs] = plies
        return None

    def plan_wins(self, mine: int, theirs: int, side: int, plan: Plan, moves: int) -> bool:
        """Does `side`, to move, win within `moves` own moves against every legal answer if it follows the plan? The
        plan is (mine, theirs) -> cell; open fours are made without consulting it."""
        if self.five_points(mine, theirs, side):
            return True
        cell = plan(mine, theirs) if moves > 1 else None
        if cell is None or not self.legal(mine, theirs, side, cell):
            return False
        mine |= 1 << cell
        if self.five_points(theirs, mine, 1 - side):
            return False
        answers = self.five_points(mine, theirs, side)
        if answers & (answers - 1):
            return True
        answers = answers or (1 << self.size * self.size) - 1 & ~mine & ~theirs
        return all(
            self._open_four(mine, theirs | 1 << answer, side)
            or self.plan_wins(mine, theirs | 1 << answer, side, plan, moves - 1)
            for answer in cells_of(answers)
            if self.legal(theirs, mine, 1 - side, answer)
        )

    def _open_four(self, mine: int, theirs: int, side: int) -> bool:
        """Can `side` make an open four, while the opponent has no five?"""
        if self.five_points(theirs, mine, 1 - side):
            return False
        for cell in cells_of(self.fours(mine, theirs, side)):
            fives = self.five_points(mine | 1 << cell, theirs, side)
            if fives & (fives - 1) and self.legal(mine, theirs, side, cell):
                return True
        return False

    def value(self, mine: int, theirs: int, side: int, known: dict[tuple[int, int], int]) -> int:
        """The result for `side`, to move: 1, 0 or -1, by exhaustive search. A side without a legal move draws."""
        if (mine, theirs) not in known:
            best = 1 if self.five_points(mine, theirs, side) else -2
            for cell in cells_of((1 << self.size * self.size) - 1 & ~mine & ~theirs):
                if best < 1 and self.legal(mine, theirs, side, cell):
                    best = max(best, -self.value(theirs, mine | 1 << cell, 1 - side, known))
            known[mine, theirs] = 0 if best == -2 else best
        return known[mine, theirs]

    def plies(self, mine: int, theirs: int, side: int, line: Sequence[int]) -> int:
        """The number of plies of a winning line, including the five."""
        for i, cell in enumerate(line[:-1]):
            mine, theirs = (mine, theirs | 1 << cell) if i % 2 else (mine | 1 << cell, theirs)
        return len(line) if self.five_points(mine, theirs, side) >> line[-1] & 1 else len(line) + 2


def bits_of(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in set(cells))
