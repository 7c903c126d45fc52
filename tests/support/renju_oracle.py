"""Black's forbidden moves, a slow and literal implementation of the definition on sets of points.

It shares no code with the package. A point is (x, y); `black` and `white` are sets of points.
"""

from __future__ import annotations

Point = tuple[int, int]
Stones = frozenset[Point]
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


class Oracle:
    """Judges moves on a board of one size with these white stones."""

    def __init__(self, size: int, white: Stones) -> None:
        self.size = size
        self.white = white
        self.depth = 0  # the current depth of the recursion
        self.deepest = 0

    def empty(self, black: Stones, p: Point) -> bool:
        return 0 <= p[0] < self.size and 0 <= p[1] < self.size and p not in black and p not in self.white

    def row(self, black: Stones, p: Point, direction: Point) -> Stones:
        """The unbroken row of black stones through p."""
        result = {p}
        for sign in (1, -1):
            x, y = p
            while (x, y) in black:
                result.add((x, y))
                x, y = x + sign * direction[0], y + sign * direction[1]
        return frozenset(result)

    def on_line(self, black: Stones, p: Point, direction: Point) -> list[Point]:
        """Empty points of the line through p within five steps."""
        steps = [n for n in range(-5, 6) if n]
        around = [(p[0] + n * direction[0], p[1] + n * direction[1]) for n in steps]
        return [q for q in around if self.empty(black, q)]

    def five(self, black: Stones, p: Point) -> bool:
        """Does black's stone on p make exactly five?"""
        return any(len(self.row(black | {p}, p, d)) == 5 for d in DIRECTIONS)

    def overline(self, black: Stones, p: Point) -> bool:
        return any(len(self.row(black | {p}, p, d)) >= 6 for d in DIRECTIONS)

    def fours(self, black: Stones, p: Point, direction: Point) -> dict[Stones, set[Point]]:
        """Every four on a line that contains p, and the points that turn it into a five."""
        black |= {p}
        result: dict[Stones, set[Point]] = {}
        for q in self.on_line(black, p, direction):
            five = self.row(black | {q}, q, direction)
            if len(five) == 5 and p in five:
                result.setdefault(five - {q}, set()).add(q)
        return result

    def double_four(self, black: Stones, p: Point) -> bool:
        return sum(len(self.fours(black, p, d)) for d in DIRECTIONS) >= 2

    def threes(self, black: Stones, p: Point) -> set[Stones]:
        """Every three that contains p."""
        black |= {p}
        result = set()
        for direction in DIRECTIONS:
            for q in self.on_line(black, p, direction):
                if len(self.row(black | {q}, q, direction)) != 4:
                    continue  # a straight four is an unbroken row
                for four, ends in self.fours(black, q, direction).items():
                    if len(ends) == 2 and p in four and not self.five(black, q) and not self.kinds(black, q):
                        result.add(four - {q})
        return result

    def kinds(self, black: Stones, p: Point) -> set[str]:
        """The kinds for which the empty point p is forbidden for black; empty if p is legal."""
        if self.five(black, p):
            return set()
        self.depth += 1
        self.deepest = max(self.depth, self.deepest)
        result = set()
        if self.overline(black, p):
            result.add("overline")
        if self.double_four(black, p):
            result.add("double_four")
        if len(self.threes(black, p)) >= 2:
            result.add("double_three")
        self.depth -= 1
        return result
