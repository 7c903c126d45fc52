"""The state of a game: plain words, and a table for the maze.

Open cells are numbered in reading order, directions in the order West, East, North, South, Stop (so `d ^ 1` is the
opposite direction). Dots and capsules (*things*) share one row of bits: the dots first, then the capsules, 63 per
word.

    me           bits 0-15 cell, 16-18 Pacman's direction
    a ghost      bits 0-15 cell, 16-18 direction (STOP: none yet), 19 halfway from the cell to the next, 20-25 moves
                 for which it stays scared
    ghosts[w]    two ghosts: bits 0-30 ghost 2 * w, 31-61 ghost 2 * w + 1
    things[w]    bit b: dot or capsule 63 * w + b is still there

    the maze's table (one per layout, number of ghosts, Stop rule and weights)
    0 cells   1 ghosts   2 dots   3 capsules   4 may Pacman stop?   5 width   6 height   7 has it distances?
    8-15      cells where the ghosts start
    16        cell where Pacman starts       17 has it weights? (0: the evaluation is the score)
    18-36     the weights of the evaluation's features, in thousandths
    37-39     offsets of the things' cells, the nearest dots and the distances
    40..      12 words per cell: its neighbours W E N S and itself, the mask of open directions, its thing or -1,
              x | y << 16, and for each direction the first junction that way | steps to it << 16 (-1: a dead end)
    then      the cell of every thing
    then      with distances, for every cell: the dots from near to far (distance << 16 | dot), and the distance
              to every cell

The weights are in the table so that another evaluation needs no compilation. Layouts of all sizes share one state
class. The tuples `ghosts` and `things` have one of a few SIZES, each compiled separately: a state is copied at every
node, and moves in a small maze (8 words in all) are 3 times as fast as with 12 words.
"""

from __future__ import annotations

from typing import NamedTuple

from hansu.core import item, table, with_item

WEST, EAST, NORTH, SOUTH, STOP = range(5)
DIRECTIONS = ("West", "East", "North", "South", "Stop")
STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1), (0, 0))  # y grows downwards, as in a text

MOST_GHOSTS = 8
BITS = 63
SIZES = ((1, 1), (2, 2), (4, 8), (4, 32), (4, 128), (4, 512))  # words of ghosts and of things; the first that fits

SCARED_MOVES = 40
STEP_COST, DOT_WORTH, GHOST_WORTH, WIN_WORTH, LOSS_WORTH = 1, 10, 200, 500, 500
GOES_ON, WON, LOST = 0, 1, 2

CELL = (1 << 16) - 1
GHOST_BITS = 31
GHOST = (1 << GHOST_BITS) - 1
DIRECTION_AT, HALF_AT, SCARED_AT = 16, 19, 20
HALF = 1 << HALF_AT

CELLS, GHOSTS, DOTS, CAPSULES, MAY_STOP, WIDTH, HEIGHT, HAS_DISTANCES = range(8)
GHOST_HOMES, HOME, WEIGHED, WEIGHTS = 8, 16, 17, 18
THINGS_AT, NEAREST_AT, DISTANCES_AT, PLACES = 37, 38, 39, 40
STRIDE, OPEN, THING, PLACE, EXITS = 12, 5, 6, 7, 8
ROW_AT = 16


class Pacman(NamedTuple):
    maze: int  # handle of the maze's table
    me: int
    ghosts: tuple[int, ...]
    things: tuple[int, ...]
    left: int  # remaining dots
    points: int
    turn: int  # 0 Pacman, 1.. the ghosts
    ended: int  # GOES_ON, WON or LOST


def ghost_of(ghosts: tuple[int, ...], i: int) -> int:
    """Ghost `i`, from 0."""
    return item(ghosts, i >> 1) >> GHOST_BITS * (i & 1) & GHOST


def with_ghost(ghosts: tuple[int, ...], i: int, ghost: int) -> tuple[int, ...]:
    """The ghosts with ghost `i` replaced."""
    shift = GHOST_BITS * (i & 1)
    return with_item(ghosts, i >> 1, item(ghosts, i >> 1) & ~(GHOST << shift) | ghost << shift)


def ghost_directions(maze: int, ghost: int) -> int:
    """The mask of a ghost's legal directions: straight on between two cells; no turning round except in a dead end;
    STOP only between four walls."""
    direction = ghost >> DIRECTION_AT & 7
    if ghost & HALF:
        return 1 << direction
    mask = table(maze)[PLACES + STRIDE * (ghost & CELL) + OPEN]
    if direction != STOP and mask & ~(1 << (direction ^ 1)):
        mask &= ~(1 << (direction ^ 1))
    return mask if mask else 1 << STOP
