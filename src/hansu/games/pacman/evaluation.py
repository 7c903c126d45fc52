"""How good a position is for Pacman: the score so far, or `better`, a linear evaluation over named features.

    evaluate(s) = points + sum of weight * feature(s)

The weights lie in the maze's table, so that other weights need nothing compiled; `hansu train pacman better` found
those below. Distances
are steps in the maze (city blocks where the maze is too large for a table of distances).
"""

from __future__ import annotations

from hansu.core import HansuError, item, lowest, table
from hansu.games.pacman.state import (
    BITS,
    CAPSULES,
    CELL,
    CELLS,
    DIRECTION_AT,
    DISTANCES_AT,
    DOTS,
    EXITS,
    GHOSTS,
    HALF,
    KNOWS_DISTANCES,
    NEAREST_AT,
    PLACE,
    PLACES,
    ROW_AT,
    SCARED_AT,
    STRIDE,
    THINGS_AT,
    WEIGHED,
    WEIGHTS,
    Pacman,
    ghost_directions,
    ghost_of,
)

MILLI = 1000
MOST_DOTS = 60
NEAR = 6
PINCER = 8
RANGE = 12  # a scared ghost nearer than this is hunted
CLOSE = 5  # an active ghost within so many steps is a danger

FEATURES = {
    "unfinished": "1, so that a won or a lost game can be compared with one that goes on",
    "food_left": "dots that are left (60 at most, so that no maze is so large that being caught looks better)",
    "food_distance": "steps to the nearest dot",
    "food_near": "how many steps less than 6 that is",
    "danger": "for each active ghost less than 5 steps away (it cannot turn round), how much less",
    "pincer": "for each two active ghosts less than 8 steps away, the product of how much less",
    "doom": "active ghosts that can be here in one step",
    "cornered": "1 if active ghosts can be at every next junction before Pacman",
    "scared": "scared ghosts that can be reached in time, one after the other",
    "prey": "how many steps less than 12 the nearest of these is away",
    "more_prey": "the same for the others, together",
    "capsules": "capsules that are left",
    "capsule_distance": "steps to the nearest capsule",
    "ambush": "with a capsule left: steps from Pacman to all active ghosts together",
}

BETTER = {
    "unfinished": 478.83,
    "food_left": -3.0,
    "food_distance": -0.5,
    "food_near": 1.0,
    "danger": -1.95,
    "pincer": -2.0,
    "doom": -30.0,
    "cornered": -60.0,
    "scared": 59.68,
    "prey": 12.0,
    "more_prey": 1.0,
    "capsules": 110.0,
    "capsule_distance": -0.37,
    "ambush": 0.72,
}

EVALUATIONS = ("better", "score")


def weights_of(evaluation: str) -> dict[str, float] | None:
    """The weights of an evaluation by its name; None: the score alone."""
    if evaluation not in EVALUATIONS:
        raise HansuError(f"pacman: there is no evaluation {evaluation!r}", f"one of: {', '.join(EVALUATIONS)}")
    return BETTER if evaluation == "better" else None


def weight_words(weights: dict[str, float] | None) -> list[int]:
    """What the maze's table says of the evaluation: is there one, and the weights."""
    words = [0 if weights is None else 1, *(round(MILLI * (weights or {}).get(name, 0.0)) for name in FEATURES)]
    return words + [0] * (THINGS_AT - WEIGHED - len(words))


def distance(maze: int, a: int, b: int) -> int:
    """Steps between two cells."""
    t = table(maze)
    if t[KNOWS_DISTANCES]:
        return t[t[DISTANCES_AT] + a * t[CELLS] + b]
    p, q = t[PLACES + STRIDE * a + PLACE], t[PLACES + STRIDE * b + PLACE]
    return abs((p & CELL) - (q & CELL)) + abs((p >> ROW_AT & CELL) - (q >> ROW_AT & CELL))


def there(s: Pacman, thing: int) -> bool:
    """Has nobody eaten this dot or capsule yet?"""
    word = thing // BITS
    return item(s.things, word) >> (thing - word * BITS) & 1 == 1


def place_of(maze: int, thing: int) -> int:
    """The cell of a dot or capsule."""
    t = table(maze)
    return t[t[THINGS_AT] + thing]


def nearest_dot(s: Pacman, cell: int) -> int:
    """Steps from a cell to the nearest dot; 0 where there is none."""
    t = table(s.maze)
    dots = t[DOTS]
    if t[KNOWS_DISTANCES]:
        row = t[NEAREST_AT] + cell * dots
        for i in range(dots):
            entry = t[row + i]
            if there(s, entry & CELL):
                return entry >> 16
        return 0
    best = -1
    for dot in range(dots):
        if there(s, dot):
            steps = distance(s.maze, cell, place_of(s.maze, dot))
            if best < 0 or steps < best:
                best = steps
    return max(best, 0)


def capsules_left(s: Pacman, cell: int) -> tuple[int, int]:
    """How many capsules are left, and the steps from a cell to the nearest of them (0 where there is none)."""
    t = table(s.maze)
    count, best = 0, 0
    for thing in range(t[DOTS], t[DOTS] + t[CAPSULES]):
        if there(s, thing):
            steps = distance(s.maze, cell, place_of(s.maze, thing))
            if count == 0 or steps < best:
                best = steps
            count += 1
    return count, best


def ghost_cell(maze: int, ghost: int) -> int:
    """The cell a ghost is on, or halfway to."""
    cell = ghost & CELL
    if ghost & HALF:
        cell = table(maze)[PLACES + STRIDE * cell + (ghost >> DIRECTION_AT & 7)]
    return cell


def threat(maze: int, ghost: int, cell: int) -> int:
    """Steps after which an active ghost can be on a cell, seeing that it cannot turn round in its next one."""
    t = table(maze)
    at = PLACES + STRIDE * (ghost & CELL)
    best = t[CELLS]
    mask = ghost_directions(maze, ghost)
    while mask:
        steps = distance(maze, t[at + lowest(mask)], cell)
        if steps < best:
            best = steps
        mask &= mask - 1
    return best + 1


def cornered(s: Pacman, cell: int) -> int:
    """1 if active ghosts can be at every next junction before Pacman, else 0."""
    t = table(s.maze)
    hunted = 0
    for direction in range(4):
        way = t[PLACES + STRIDE * cell + EXITS + direction]
        if way >= 0:
            first = True
            for i in range(t[GHOSTS]):
                ghost = ghost_of(s.ghosts, i)
                if ghost >> SCARED_AT == 0 and threat(s.maze, ghost, way & CELL) <= way >> ROW_AT:
                    first = False
            if first:
                return 0
            hunted = 1
    return hunted


def features(s: Pacman) -> tuple[int, ...]:
    """The features in the order of FEATURES."""
    t = table(s.maze)
    cell = s.me & CELL
    danger, pincer, pressure, doom, ambush = 0, 0, 0, 0, 0
    nearest, scared_distance = -1, 0
    for i in range(t[GHOSTS]):
        ghost = ghost_of(s.ghosts, i)
        steps = distance(s.maze, cell, ghost_cell(s.maze, ghost))
        time = ghost >> SCARED_AT
        if time == 0:
            ambush += steps
            if steps < PINCER:
                steps = threat(s.maze, ghost, cell)
                if steps < PINCER:
                    pincer += pressure * (PINCER - steps)
                    pressure += PINCER - steps
                if steps < CLOSE:
                    danger += CLOSE - steps
                if steps <= 1:
                    doom += 1
        elif in_time(steps, time) and (nearest < 0 or steps < scared_distance):
            nearest = i
            scared_distance = steps
    scared, prey, more_prey = 0, 0, 0
    if nearest >= 0:
        scared = 1
        prey = max(RANGE - scared_distance, 0)
        there = ghost_cell(s.maze, ghost_of(s.ghosts, nearest))
        for i in range(t[GHOSTS]):
            ghost = ghost_of(s.ghosts, i)
            if i != nearest and ghost >> SCARED_AT:
                at = ghost_cell(s.maze, ghost)
                if in_time(scared_distance + distance(s.maze, there, at), ghost >> SCARED_AT):
                    scared += 1
                    more_prey += max(RANGE - distance(s.maze, cell, at), 0)
    food_distance = nearest_dot(s, cell)
    capsules, capsule_distance = capsules_left(s, cell)
    if capsules == 0:
        ambush = 0
    return (
        1, min(s.left, MOST_DOTS), food_distance, max(NEAR - food_distance, 0), danger, pincer, doom, cornered(s, cell),
        scared, prey, more_prey, capsules, capsule_distance, ambush,
    )  # fmt: skip


def in_time(steps: int, time: int) -> bool:
    """Can a scared ghost be caught? It runs at half speed, so two thirds of its time must do."""
    return steps * 3 <= time * 2


def evaluate(s: Pacman) -> float:
    t = table(s.maze)
    if t[WEIGHED] == 0:
        return float(s.points)
    total = 0
    found = features(s)
    for i in range(len(found)):
        total += t[WEIGHTS + i] * item(found, i)
    return s.points + total / MILLI
