"""Generates boards that are hard for forbidden-move code: black threes and fours that cross, some through the points
that extend others, near edges, on one line, on small boards."""

from __future__ import annotations

import random
from collections.abc import Iterator

from support.renju_oracle import DIRECTIONS, Oracle, Point

# Stones along a line through an empty point 0: threes, fours and near misses.
SHAPES = (
    (1, 2), (-1, 1), (1, 3), (2, 3), (-1, 2), (-2, 1), (-2, -1), (-1, 3), (-3, -1), (-2, 2), (-3, 3), (1, 2, 3),
    (-1, 1, 2), (-2, -1, 1), (1, 2, 4), (1, 3, 4), (-1, 1, 3), (-4, -3, -1), (2, 3, 4), (-3, -1, 1, 3), (-1, 1, 2, 3),
    (-2, -1, 1, 2), (-3, -2, 2, 3), (-4, -3, -2, 2, 3, 4), (1, 2, 3, 5), (-5, 1, 2), (1, 2, 5), (-4, 1, 2), (1, 2, 6),
    (-1, 2, 3), (1, 2, 3, 4, 5), (-3, -2, -1, 1, 2), (1, 2, 3, 4),
)  # fmt: skip


class Position:
    """A board and the points to test."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.black: set[Point] = set()
        self.white: set[Point] = set()
        self.points: list[Point] = []

    def free(self, p: Point) -> bool:
        inside = 0 <= p[0] < self.size and 0 <= p[1] < self.size
        return inside and p not in self.black and p not in self.white

    def put(self, generator: random.Random, count: int, colour: set[Point], middle: Point, reach: int) -> None:
        """Add random stones around a point."""
        for _ in range(count):
            p = (middle[0] + generator.randint(-reach, reach), middle[1] + generator.randint(-reach, reach))
            if self.free(p) and p not in self.points:
                colour.add(p)

    def plant(self, generator: random.Random, p: Point, lines: int, depth: int) -> None:
        """Add shapes through p on some lines, and recursively through a point of one of these lines."""
        if not self.free(p):
            return
        self.points.append(p)
        for dx, dy in generator.sample(DIRECTIONS, lines):
            sign = generator.choice((1, -1))
            shape = generator.choice(SHAPES)
            for n in shape:
                q = (p[0] + sign * n * dx, p[1] + sign * n * dy)
                if self.free(q) and q not in self.points:
                    self.black.add(q)
            if depth and generator.random() < 0.7:
                n = generator.choice([n for n in (-4, -3, -2, -1, 1, 2, 3, 4) if n not in shape])
                self.plant(
                    generator, (p[0] + sign * n * dx, p[1] + sign * n * dy), generator.choice((1, 2, 2, 3)), depth - 1
                )

    @property
    def flat(self) -> list[int]:
        """The board in the package's format: 0 empty, 1 black, 2 white, rows from the top."""
        places = ((x, y) for y in range(self.size) for x in range(self.size))
        return [1 if p in self.black else 2 if p in self.white else 0 for p in places]


def crossing(generator: random.Random) -> Position:
    """Planted shapes, up to three levels deep."""
    position = Position(generator.choice((15, 15, 15, 11, 19, 20)))
    edge = generator.random() < 0.3
    middle = [generator.randint(0, 4) if edge else generator.randint(3, position.size - 4) for _ in range(2)]
    position.plant(generator, (middle[0], middle[1]), generator.choice((2, 2, 3, 4)), generator.randint(0, 3))
    position.put(generator, generator.choice((0, 0, 1, 3, 8)), position.white, (middle[0], middle[1]), 6)
    position.put(generator, generator.choice((0, 0, 1, 2)), position.black, (middle[0], middle[1]), 5)
    return position


def cluster(generator: random.Random) -> Position:
    """A crowd of black stones with a few white ones."""
    position = Position(generator.choice((7, 9, 15, 20)))
    middle = (generator.randrange(position.size), generator.randrange(position.size))
    reach = generator.randint(2, 5)
    position.put(generator, generator.randint(5, 22), position.black, middle, reach)
    position.put(generator, generator.choice((0, 1, 2, 5, 10)), position.white, middle, reach + 1)
    return position


def scattered(generator: random.Random) -> Position:
    """Stones all over the board, as after random play or with more black stones."""
    position = Position(generator.randint(5, 20))
    black, white = generator.choice(((0.1, 0.05), (0.2, 0.2), (0.3, 0.1), (0.4, 0.4), (0.25, 0.02)))
    for x in range(position.size):
        for y in range(position.size):
            number = generator.random()
            if number < black:
                position.black.add((x, y))
            elif number < black + white:
                position.white.add((x, y))
    return position


def one_line(generator: random.Random) -> Position:
    """Nearly all stones on one line, which may lie at the edge."""
    position = Position(generator.choice((9, 15, 17)))
    dx, dy = generator.choice(DIRECTIONS)
    start = generator.randint(0, 3)
    x, y = (0 if dx else start), ((position.size - 1 if dy < 0 else 0) if dy else start)
    if dx and dy:
        x += start
    density = generator.choice((0.4, 0.55, 0.7))
    while 0 <= x < position.size and 0 <= y < position.size:
        number = generator.random()
        if number < density:
            position.black.add((x, y))
        elif number < density + 0.06:
            position.white.add((x, y))
        else:
            position.points.append((x, y))
        x, y = x + dx, y + dy
    return position


def bred(generator: random.Random, steps: int) -> Iterator[tuple[Position, set[str]]]:
    """Yield boards around one point with the oracle's kinds of the point. Each board is a small change of the deepest
    so far, where depth is that of the oracle's recursion."""
    at = crossing(generator)
    point = at.points[0]
    deepest = 0
    for _ in range(steps):
        candidate = Position(at.size)
        candidate.black, candidate.white, candidate.points = set(at.black), set(at.white), [point]
        for _ in range(generator.randint(1, 3)):
            p = (point[0] + generator.randint(-6, 6), point[1] + generator.randint(-6, 6))
            candidate.black.discard(p)
            candidate.white.discard(p)
            if candidate.free(p) and p != point:
                number = generator.random()
                (candidate.black if number < 0.6 else candidate.white if number < 0.7 else set()).add(p)
        oracle = Oracle(candidate.size, frozenset(candidate.white))
        kinds = oracle.kinds(frozenset(candidate.black), point)
        yield candidate, kinds
        if oracle.deepest >= deepest:
            at, deepest = candidate, oracle.deepest


KINDS = (crossing, crossing, crossing, cluster, cluster, scattered, one_line)


def hard_position(generator: random.Random, points: int = 10) -> Position:
    """A board with points to test: those with planted shapes, and those with most black stones around."""
    position = generator.choice(KINDS)(generator)
    empty = [(x, y) for x in range(position.size) for y in range(position.size) if position.free((x, y))]
    generator.shuffle(empty)

    def crowd(p: Point) -> int:
        return sum((p[0] + n * d[0], p[1] + n * d[1]) in position.black for d in DIRECTIONS for n in range(-4, 5))

    empty.sort(key=crowd, reverse=True)
    planted = [p for p in position.points if position.free(p)]
    rest = [p for p in empty if p not in planted]
    position.points = planted + rest[: max(points - len(planted), 2)]
    return position
