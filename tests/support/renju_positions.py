"""Boards made to be hard for a forbidden-move test: crowded with black threes and fours that cross, some of them
planted through the very points that extend others, near edges, on one line, on small boards."""

from __future__ import annotations

import random
from collections.abc import Iterator

from support.renju_oracle import DIRECTIONS, Oracle, Point

# Stones along a line through a point 0 that is left empty: threes, fours and near misses in the making.
SHAPES = (
    (1, 2), (-1, 1), (1, 3), (2, 3), (-1, 2), (-2, 1), (-2, -1), (-1, 3), (-3, -1), (-2, 2), (-3, 3), (1, 2, 3),
    (-1, 1, 2), (-2, -1, 1), (1, 2, 4), (1, 3, 4), (-1, 1, 3), (-4, -3, -1), (2, 3, 4), (-3, -1, 1, 3), (-1, 1, 2, 3),
    (-2, -1, 1, 2), (-3, -2, 2, 3), (-4, -3, -2, 2, 3, 4), (1, 2, 3, 5), (-5, 1, 2), (1, 2, 5), (-4, 1, 2), (1, 2, 6),
    (-1, 2, 3), (1, 2, 3, 4, 5), (-3, -2, -1, 1, 2), (1, 2, 3, 4),
)  # fmt: skip


class Position:
    """A board and the points that it is about."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.black: set[Point] = set()
        self.white: set[Point] = set()
        self.points: list[Point] = []

    def free(self, p: Point) -> bool:
        inside = 0 <= p[0] < self.size and 0 <= p[1] < self.size
        return inside and p not in self.black and p not in self.white

    def put(self, chance: random.Random, count: int, colour: set[Point], middle: Point, reach: int) -> None:
        """Some stones around a point."""
        for _ in range(count):
            p = (middle[0] + chance.randint(-reach, reach), middle[1] + chance.randint(-reach, reach))
            if self.free(p) and p not in self.points:
                colour.add(p)

    def plant(self, chance: random.Random, p: Point, lines: int, depth: int) -> None:
        """Shapes through p on some lines, and more through a point of one of those lines."""
        if not self.free(p):
            return
        self.points.append(p)
        for dx, dy in chance.sample(DIRECTIONS, lines):
            sign = chance.choice((1, -1))
            shape = chance.choice(SHAPES)
            for n in shape:
                q = (p[0] + sign * n * dx, p[1] + sign * n * dy)
                if self.free(q) and q not in self.points:
                    self.black.add(q)
            if depth and chance.random() < 0.7:
                n = chance.choice([n for n in (-4, -3, -2, -1, 1, 2, 3, 4) if n not in shape])
                self.plant(chance, (p[0] + sign * n * dx, p[1] + sign * n * dy), chance.choice((1, 2, 2, 3)), depth - 1)

    @property
    def flat(self) -> list[int]:
        """As the package has it: 0 empty, 1 black, 2 white, rows from the top."""
        places = ((x, y) for y in range(self.size) for x in range(self.size))
        return [1 if p in self.black else 2 if p in self.white else 0 for p in places]


def crossing(chance: random.Random) -> Position:
    """Planted shapes, up to three levels deep."""
    made = Position(chance.choice((15, 15, 15, 11, 19, 20)))
    edge = chance.random() < 0.3
    middle = [chance.randint(0, 4) if edge else chance.randint(3, made.size - 4) for _ in range(2)]
    made.plant(chance, (middle[0], middle[1]), chance.choice((2, 2, 3, 4)), chance.randint(0, 3))
    made.put(chance, chance.choice((0, 0, 1, 3, 8)), made.white, (middle[0], middle[1]), 6)
    made.put(chance, chance.choice((0, 0, 1, 2)), made.black, (middle[0], middle[1]), 5)
    return made


def cluster(chance: random.Random) -> Position:
    """A crowd of black stones with a few white ones."""
    made = Position(chance.choice((7, 9, 15, 20)))
    middle = (chance.randrange(made.size), chance.randrange(made.size))
    reach = chance.randint(2, 5)
    made.put(chance, chance.randint(5, 22), made.black, middle, reach)
    made.put(chance, chance.choice((0, 1, 2, 5, 10)), made.white, middle, reach + 1)
    return made


def scattered(chance: random.Random) -> Position:
    """Stones all over the board, as after random play or denser in black."""
    made = Position(chance.randint(5, 20))
    black, white = chance.choice(((0.1, 0.05), (0.2, 0.2), (0.3, 0.1), (0.4, 0.4), (0.25, 0.02)))
    for x in range(made.size):
        for y in range(made.size):
            drawn = chance.random()
            if drawn < black:
                made.black.add((x, y))
            elif drawn < black + white:
                made.white.add((x, y))
    return made


def one_line(chance: random.Random) -> Position:
    """Nearly everything happens on one line, which may lie at the edge."""
    made = Position(chance.choice((9, 15, 17)))
    dx, dy = chance.choice(DIRECTIONS)
    start = chance.randint(0, 3)
    x, y = (0 if dx else start), ((made.size - 1 if dy < 0 else 0) if dy else start)
    if dx and dy:
        x += start
    density = chance.choice((0.4, 0.55, 0.7))
    while 0 <= x < made.size and 0 <= y < made.size:
        drawn = chance.random()
        if drawn < density:
            made.black.add((x, y))
        elif drawn < density + 0.06:
            made.white.add((x, y))
        else:
            made.points.append((x, y))
        x, y = x + dx, y + dy
    return made


def bred(chance: random.Random, steps: int) -> Iterator[tuple[Position, set[str]]]:
    """Boards around one point, each a small change of the one before that goes at least as deep: how deep the question
    whether a three may be extended leads to the same question. With what the oracle says of the point."""
    at = crossing(chance)
    point = at.points[0]
    deepest = 0
    for _ in range(steps):
        tried = Position(at.size)
        tried.black, tried.white, tried.points = set(at.black), set(at.white), [point]
        for _ in range(chance.randint(1, 3)):
            p = (point[0] + chance.randint(-6, 6), point[1] + chance.randint(-6, 6))
            tried.black.discard(p)
            tried.white.discard(p)
            if tried.free(p) and p != point:
                drawn = chance.random()
                (tried.black if drawn < 0.6 else tried.white if drawn < 0.7 else set()).add(p)
        oracle = Oracle(tried.size, frozenset(tried.white))
        kinds = oracle.kinds(frozenset(tried.black), point)
        yield tried, kinds
        if oracle.deepest >= deepest:
            at, deepest = tried, oracle.deepest


KINDS = (crossing, crossing, crossing, cluster, cluster, scattered, one_line)


def hard_position(chance: random.Random, points: int = 10) -> Position:
    """A board, with the points worth asking about: those planted, and those with most black stones around."""
    made = chance.choice(KINDS)(chance)
    empty = [(x, y) for x in range(made.size) for y in range(made.size) if made.free((x, y))]
    chance.shuffle(empty)

    def crowd(p: Point) -> int:
        return sum((p[0] + n * d[0], p[1] + n * d[1]) in made.black for d in DIRECTIONS for n in range(-4, 5))

    empty.sort(key=crowd, reverse=True)
    planted = [p for p in made.points if made.free(p)]
    rest = [p for p in empty if p not in planted]
    made.points = planted + rest[: max(points - len(planted), 2)]
    return made
