"""The maze as a scene: walls, dots, capsules, Pacman, and ghosts (blue and small while scared)."""

from __future__ import annotations

from collections.abc import Iterator

from hansu.core import Message, labels, table
from hansu.core.message import joined
from hansu.games.pacman.evaluation import place_of, there
from hansu.games.pacman.state import (
    CAPSULES,
    CELL,
    DIRECTION_AT,
    DOTS,
    GHOSTS,
    HALF,
    HEIGHT,
    LOST,
    PLACE,
    PLACES,
    ROW_AT,
    SCARED_AT,
    STEPS,
    STRIDE,
    WIDTH,
    WON,
    Pacman,
    ghost_of,
)
from hansu.scene import Cell, Group, Scene, Stone, Text

MOUTHS = "><v^C"  # the mouth opens in Pacman's direction
FORMS = ("left", "right", "up", "down", "right")
GHOST_TONES = ("first", "chance", "good", "last", "bad", "heat", "black", "line")


def place(s: Pacman, cell: int) -> tuple[int, int]:
    """Column and row of a cell."""
    word = table(s.maze)[PLACES + STRIDE * cell + PLACE]
    return word & CELL, word >> ROW_AT & CELL


def ghost_place(s: Pacman, i: int) -> tuple[float, float]:
    """Column and row of a ghost; halves between two cells."""
    ghost = ghost_of(s.ghosts, i)
    x, y = place(s, ghost & CELL)
    if not ghost & HALF:
        return x, y
    dx, dy = STEPS[ghost >> DIRECTION_AT & 7]
    return x + dx / 2, y + dy / 2


def step_place(s: Pacman, a: int) -> tuple[float, float]:
    """The centre of the cell that the mover goes to, in the scene."""
    mover = s.me if s.turn == 0 else ghost_of(s.ghosts, s.turn - 1)
    x, y = place(s, table(s.maze)[PLACES + STRIDE * (mover & CELL) + a])
    return x + 0.5, y + 0.5


def things(s: Pacman) -> Iterator[tuple[int, int, bool]]:
    """Yields column and row of every dot and capsule that is left, and whether it is a capsule."""
    t = table(s.maze)
    for thing in range(t[DOTS] + t[CAPSULES]):
        if there(s, thing):
            yield (*place(s, place_of(s.maze, thing)), thing >= t[DOTS])


def maze_scene(s: Pacman, before: Pacman | None = None, share: float = 1.0) -> Scene:
    """The scene. With `before`, all agents are drawn at `share` of the way from that state, for smooth movement."""
    t = table(s.maze)
    width, height = t[WIDTH], t[HEIGHT]
    rows = labels(s.maze)[1:]
    shapes: list[Cell | Stone | Text | Group] = [Cell(0, 0, "board", width, height)]
    for y, row in enumerate(rows):
        shapes += [Cell(x, y, "wall") for x, char in enumerate(row) if char == "%"]
    for x, y, capsule in things(s):
        if capsule:
            shapes.append(Stone(x + 0.5, y + 0.5, "white", "o", 0.25))
        else:
            shapes.append(Stone(x + 0.5, y + 0.5, "quiet", "·", 0.1))
    for i in range(t[GHOSTS]):
        scared = ghost_of(s.ghosts, i) >> SCARED_AT
        at = ghost_place(s, i)
        gx, gy = at if before is None else _between(ghost_place(before, i), at, share)
        tone = "second" if scared else GHOST_TONES[i]
        ghost = Stone(gx + 0.5, gy + 0.5, tone, "g" if scared else "G", 0.3 if scared else 0.4, form="ghost")
        shapes.append(Group(f"ghost{i + 1}", (ghost,)))
    here = place(s, s.me & CELL)
    px, py = here if before is None else _between(place(before, before.me & CELL), here, share)
    direction = s.me >> DIRECTION_AT
    if s.ended != LOST:
        pacman = Stone(px + 0.5, py + 0.5, "yellow", MOUTHS[direction], form=FORMS[direction])
    else:
        pacman = Stone(px + 0.5, py + 0.72, "bad", "X", 0.14)  # below the eyes of the ghost
    shapes.append(Group("pacman", (pacman,)))
    scared_for = max((ghost_of(s.ghosts, i) >> SCARED_AT for i in range(t[GHOSTS])), default=0)
    shapes.append(Text(0.5, height + 0.5, headline(s, scared_for), size=0.5, bold=True, anchor="start"))
    return Scene(max(width, 12), height + 1, tuple(shapes), f"Pacman: {labels(s.maze)[0]}", grain=(2, 1))


def headline(s: Pacman, scared_for: int) -> Message:
    """The score, scared ghosts and the result."""
    parts = [Message("score {points}", points=s.points)]
    if scared_for:
        parts.append(Message("ghosts scared: {scared_for}", scared_for=scared_for))
    if s.ended == WON:
        parts.append(Message("Pacman wins!"))
    elif s.ended == LOST:
        parts.append(Message("caught!"))
    return joined("   ", parts)


def _between(a: tuple[float, float], b: tuple[float, float], share: float) -> tuple[float, float]:
    """A point on the way from a to b. An eaten ghost appears at home without moving there."""
    if abs(a[0] - b[0]) + abs(a[1] - b[1]) > 1:
        return b
    return a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share
