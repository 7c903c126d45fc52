"""The evaluation of a position: the score so far, or `better`, a linear evaluation with named features.

    evaluate(s) = points + sum of weight * feature(s)

The weights are in the maze's table, so that other weights need no compilation. Those below are from
`hansu train pacman better`. Distances are steps in the maze, or Manhattan distances in mazes that are too large for a
table of distances.
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
    HAS_DISTANCES,
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
RANGE = 12  # scared ghosts nearer than this count as prey
CLOSE = 5  # active ghosts nearer than this are a danger

FEATURES = {
    "unfinished": "1 (a bonus, because won and lost games have no features)",
    "food_left": "remaining dots (at most 60, so that being caught never looks better)",
    "food_distance": "steps to the nearest dot",
    "food_near": "6 minus that distance, at least 0",
    "danger": "sum of 5 minus the distance over active ghosts nearer than 5 (ghosts cannot turn round)",
    "pincer": "sum over pairs of active ghosts nearer than 8: product of 8 minus their distances",
    "doom": "active ghosts that can catch Pacman in one step",
    "cornered": "1 if active ghosts can reach every next junction before Pacman",
    "scared": "scared ghosts that can be caught in time, one after the other",
    "prey": "12 minus the distance of the nearest of these, at least 0",
    "more_prey": "sum of the same over the others",
    "capsules": "remaining capsules",
    "capsule_distance": "steps to the nearest capsule",
    "ambush": "sum of the distances of active ghosts, while a capsule is left",
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
    """The weights of an evaluation by name; None for the score."""
    if evaluation not in EVALUATIONS:
        given = f"evaluation={evaluation}"
        raise HansuError("{given} is unknown", "one of: {names}", given=given, names=", ".join(EVALUATIONS))
    return BETTER if evaluation == "better" else None


def weight_words(weights: dict[str, float] | None) -> list[int]:
    """The words of the maze's table for the evaluation: whether there are weights, and the weights."""
    words = [0 if weights is None else 1, *(round(MILLI * (weights or {}).get(name, 0.0)) for name in FEATURES)]
    return words + [0] * (THINGS_AT - WEIGHED - len(words))


def distance(maze: int, a: int, b: int) -> int:
    """Steps between two cells."""
    t = table(maze)
    if t[HAS_DISTANCES]:
        return t[t[DISTANCES_AT] + a * t[CELLS] + b]
    p, q = t[PLACES + STRIDE * a + PLACE], t[PLACES + STRIDE * b + PLACE]
    return abs((p & CELL) - (q & CELL)) + abs((p >> ROW_AT & CELL) - (q >> ROW_AT & CELL))


def there(s: Pacman, thing: int) -> bool:
    """Is this dot or capsule still there?"""
    word = thing // BITS
    return item(s.things, word) >> (thing - word * BITS) & 1 == 1


def place_of(maze: int, thing: int) -> int:
    """The cell of a dot or capsule."""
    t = table(maze)
    return t[t[THINGS_AT] + thing]


def nearest_dot(s: Pacman, cell: int) -> int:
    """Steps from a cell to the nearest dot; 0 if there is none."""
    t = table(s.maze)
    dots = t[DOTS]
    if t[HAS_DISTANCES]:
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
    """The number of remaining capsules and the steps from a cell to the nearest one (0 if there is none)."""
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
    """Steps after which an active ghost can be on a cell, given that it cannot turn round in its next step."""
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
    """1 if active ghosts can reach every next junction before Pacman, else 0."""
    t = table(s.maze)
    has_exit = 0
    for direction in range(4):
        way = t[PLACES + STRIDE * cell + EXITS + direction]
        if way >= 0:
            free = True
            for i in range(t[GHOSTS]):
                ghost = ghost_of(s.ghosts, i)
                if ghost >> SCARED_AT == 0 and threat(s.maze, ghost, way & CELL) <= way >> ROW_AT:
                    free = False
            if free:
                return 0
            has_exit = 1
    return has_exit


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
    """Can Pacman catch a scared ghost in time? It runs at half speed, so Pacman has two thirds of its time."""
    return steps * 3 <= time * 2


def evaluate(s: Pacman) -> float:
    t = table(s.maze)
    if t[WEIGHED] == 0:
        return float(s.points)
    total = 0
    values = features(s)
    for i in range(len(values)):
        total += t[WEIGHTS + i] * item(values, i)
    return s.points + total / MILLI
