"""The rules, as in the public course framework.

A capsule scares every ghost for 40 of its moves. A scared ghost moves half a cell at a time. If its time ends between
two cells, it is put on the eastern or northern one, as the framework's rounding does. Contact is a distance of 0.7 or
less: the same cell, or half a cell apart. A loss costs 500 once, however many ghosts Pacman meets.
"""

from __future__ import annotations

from collections.abc import Iterator

from hansu.core import item, lowest, mix, next_bit, pick, popcount, rules, table, with_item
from hansu.games.pacman.evaluation import evaluate
from hansu.games.pacman.state import (
    BITS,
    CELL,
    DIRECTION_AT,
    DOT_WORTH,
    DOTS,
    EAST,
    GHOST_HOMES,
    GHOST_WORTH,
    GHOSTS,
    GOES_ON,
    HALF,
    HALF_AT,
    LOSS_WORTH,
    LOST,
    MAY_STOP,
    NORTH,
    OPEN,
    PLACES,
    SCARED_AT,
    SCARED_MOVES,
    STEP_COST,
    STOP,
    STRIDE,
    THING,
    WIN_WORTH,
    WON,
    Pacman,
    ghost_directions,
    ghost_of,
    with_ghost,
)


def open_directions(s: Pacman) -> int:
    """The mask of the mover's legal directions. An agent between four walls can only stop."""
    t = table(s.maze)
    if s.turn == 0:
        mask = t[PLACES + STRIDE * (s.me & CELL) + OPEN]
        return mask | 1 << STOP if t[MAY_STOP] or mask == 0 else mask
    return ghost_directions(s.maze, ghost_of(s.ghosts, s.turn - 1))


def legal(s: Pacman, a: int) -> bool:
    return 0 <= a <= STOP and open_directions(s) >> a & 1 == 1


def next_action(s: Pacman, after: int) -> int:
    return next_bit(open_directions(s), after)


def actions(s: Pacman) -> Iterator[int]:
    """Same as repeated `next_action`, but computes the mask only once."""
    mask = open_directions(s)
    while mask:
        yield lowest(mask)
        mask &= mask - 1


def random_action(s: Pacman, seed: list[int]) -> int:
    mask = open_directions(s)
    for _ in range(pick(seed, popcount(mask))):
        mask &= mask - 1
    return lowest(mask)


def touches(maze: int, ghost: int, cell: int) -> bool:
    """Is the ghost within 0.7 of a cell?"""
    at = ghost & CELL
    if at == cell:
        return True
    return ghost & HALF != 0 and table(maze)[PLACES + STRIDE * at + (ghost >> DIRECTION_AT & 7)] == cell


def at_home(maze: int, i: int) -> int:
    """The word of ghost `i` at its start: no direction, not scared."""
    return table(maze)[GHOST_HOMES + i] | STOP << DIRECTION_AT


def stepped(maze: int, ghost: int, a: int) -> int:
    """The ghost's word after its move: one cell, or half a cell while scared."""
    t = table(maze)
    cell = ghost & CELL
    scared = ghost >> SCARED_AT
    half = 0
    if a == STOP:
        return cell | a << DIRECTION_AT | max(scared - 1, 0) << SCARED_AT
    if scared and not ghost & HALF:
        half = 1
    else:
        cell = t[PLACES + STRIDE * cell + a]
    if scared == 1 and half:
        half = 0
        if a in (EAST, NORTH):
            cell = t[PLACES + STRIDE * cell + a]
    return cell | a << DIRECTION_AT | half << HALF_AT | max(scared - 1, 0) << SCARED_AT


def play(s: Pacman, a: int) -> Pacman:
    return pacman_moves(s, a) if s.turn == 0 else ghost_moves(s, a)


def pacman_moves(s: Pacman, a: int) -> Pacman:
    t = table(s.maze)
    ghosts, things, left, points, ended = s.ghosts, s.things, s.left, s.points - STEP_COST, s.ended
    cell = t[PLACES + STRIDE * (s.me & CELL) + a]
    facing = s.me >> DIRECTION_AT if a == STOP else a

    # 1. Eat a dot or capsule.
    thing = t[PLACES + STRIDE * cell + THING]
    if thing >= 0:
        word = thing // BITS
        bit = 1 << (thing - word * BITS)
        if item(things, word) & bit:
            things = with_item(things, word, item(things, word) ^ bit)
            if thing < t[DOTS]:
                left -= 1
                points += DOT_WORTH
                if left == 0:
                    points += WIN_WORTH
                    ended = WON
            else:
                ghosts = all_scared(s.maze, ghosts)

    # 2. Meet the ghosts. After a win Pacman cannot be caught, but can still eat scared ghosts.
    for i in range(t[GHOSTS]):
        ghost = ghost_of(ghosts, i)
        if ended != LOST and touches(s.maze, ghost, cell):
            if ghost >> SCARED_AT:
                points += GHOST_WORTH
                ghosts = with_ghost(ghosts, i, at_home(s.maze, i))
            elif ended == GOES_ON:
                points -= LOSS_WORTH
                ended = LOST
    turn = 1 if t[GHOSTS] else 0
    return Pacman(s.maze, cell | facing << DIRECTION_AT, ghosts, things, left, points, turn, ended)


def all_scared(maze: int, ghosts: tuple[int, ...]) -> tuple[int, ...]:
    for i in range(table(maze)[GHOSTS]):
        calm = ghost_of(ghosts, i) & ((1 << SCARED_AT) - 1)
        ghosts = with_ghost(ghosts, i, calm | SCARED_MOVES << SCARED_AT)
    return ghosts


def ghost_moves(s: Pacman, a: int) -> Pacman:
    i = s.turn - 1
    points, ended = s.points, s.ended
    ghost = stepped(s.maze, ghost_of(s.ghosts, i), a)
    if touches(s.maze, ghost, s.me & CELL):
        if ghost >> SCARED_AT:
            points += GHOST_WORTH
            ghost = at_home(s.maze, i)
        else:
            points -= LOSS_WORTH
            ended = LOST
    turn = s.turn + 1 if s.turn < table(s.maze)[GHOSTS] else 0
    ghosts = with_ghost(s.ghosts, i, ghost)
    return Pacman(s.maze, s.me, ghosts, s.things, s.left, points, turn, ended)


def over(s: Pacman) -> bool:
    return s.ended != GOES_ON


def score(s: Pacman) -> int:
    return s.points


def mover(s: Pacman) -> int:
    return s.turn


def agents(s: Pacman) -> int:
    return 1 + table(s.maze)[GHOSTS]


def key(s: Pacman) -> int:
    """Ignores Pacman's direction, which has no effect."""
    return mix((s.me & CELL, s.ghosts, s.things, s.points, s.turn))


rules(
    Pacman, legal=legal, next_action=next_action, play=play, over=over, score=score, mover=mover, agents=agents,
    evaluate=evaluate, key=key, actions=actions, random_action=random_action, action_count=STOP + 1,
)  # fmt: skip
