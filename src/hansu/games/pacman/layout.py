"""Mazes as text: `%` wall, `.` food, `o` capsule, `G` ghost, `P` Pacman, space empty; any size.

A layout is found by name among those in `layouts/`, or by the path of a `.lay` file. Lines need not be equally long:
people's files have spaces after a line, or a line that is too long. What is broken is told with its line and column.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from hansu.core import HansuError, Table
from hansu.core.options import did_you_mean
from hansu.core.reading import read_whole
from hansu.games.pacman.evaluation import weight_words, weights_of
from hansu.games.pacman.state import (
    BITS,
    CELL,
    DIRECTION_AT,
    GHOST_HOMES,
    GOES_ON,
    HOME,
    MOST_GHOSTS,
    PLACES,
    ROW_AT,
    SIZES,
    STEPS,
    STOP,
    STRIDE,
    Pacman,
    with_ghost,
)

FOLDER = Path(__file__).parent / "layouts"
KNOWN = "% .oGP"
MOST_CELLS_WITH_DISTANCES = 1500  # beyond this the square table of distances would be larger than it is worth

Spot = tuple[int, int]  # column and row, from 0 at the top left


@dataclass(frozen=True)
class Layout:
    """A maze as it was read."""

    name: str
    rows: tuple[str, ...]

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def height(self) -> int:
        return len(self.rows)

    def spots(self, char: str) -> list[Spot]:
        return [(x, y) for y, row in enumerate(self.rows) for x, c in enumerate(row) if c == char]

    @property
    def ghosts(self) -> list[Spot]:
        """Numbered from left to right, in one column from the bottom up, as the course framework does."""
        return sorted(self.spots("G"), key=lambda spot: (spot[0], -spot[1]))


def names() -> tuple[str, ...]:
    return tuple(sorted(file.stem for file in FOLDER.glob("*.lay")))


def find(name: str) -> Layout:
    """The layout of that name, or in the file at that path."""
    named = FOLDER / f"{name.removesuffix('.lay')}.lay"
    path = named if "/" not in name and named.is_file() else Path(name).expanduser()
    if "\0" not in name and (path.suffix == ".lay" or "/" in name or path.exists()):
        try:
            text = read_whole(path)
        except HansuError as error:
            raise HansuError(f"layout: {error.what}") from None
    else:
        hint = did_you_mean(name, names(), "layouts") + " - or a path to a .lay file"
        raise HansuError(f"there is no layout {name!r}", hint)
    return read(text, name)


def read(text: str, name: str) -> Layout:
    """A layout from its text; every fault names its place."""
    rows = [row.rstrip() for row in text.rstrip().splitlines()]
    if not rows:
        raise HansuError(f"layout {name} is empty")
    width = _width(rows)
    pacman = ""
    ghosts = 0
    for line, row in enumerate(rows, 1):
        for column, char in enumerate(row, 1):
            at = f"layout {name}, line {line}, column {column}"
            if char not in KNOWN:
                raise HansuError(f"{at}: unknown character {char!r}", "known: % wall, . food, o capsule, G, P, space")
            if char == "P" and pacman:
                raise HansuError(f"{at}: a second Pacman; the first is at {pacman}", "keep one P")
            if char == "P":
                pacman = f"line {line}, column {column}"
            ghosts += char == "G"
            if char == "G" and ghosts > MOST_GHOSTS:
                raise HansuError(f"{at}: more than {MOST_GHOSTS} ghosts")
    area = f"line 1, column 1 to line {len(rows)}, column {width}"
    if not pacman:
        raise HansuError(f"layout {name}: there is no Pacman ({area})", "put a P where Pacman starts")
    if not any("." in row for row in rows):
        raise HansuError(f"layout {name}: there is no food ({area})", "a game needs at least one dot to be won")
    if width * len(rows) - sum(row.count("%", 0, width) for row in rows) > CELL:
        raise HansuError(f"layout {name}: more than {CELL:,} open cells")
    return Layout(name, tuple(row[:width].ljust(width) for row in rows))


def _width(rows: list[str]) -> int:
    """That of the longest line; of the shortest one where all lines have a wall there and only walls behind it."""
    shortest = min(map(len, rows))
    sticks_out = shortest > 0 and not any(row[shortest - 1 :].strip("%") for row in rows)
    return shortest if sticks_out else max(map(len, rows))


def start(layout: str, ghosts: int, stop: bool, evaluation: str) -> tuple[Pacman, Table]:
    """The first state of a game, and the table that must live as long as it does."""
    maze = maze_of(find(layout), ghosts, stop, evaluation)
    return first_state(maze), maze


def first_state(maze: Table) -> Pacman:
    words = maze.words
    _, ghosts, dots, capsules = words[:4]
    count = dots + capsules
    pairs, size = next(sizes for sizes in SIZES if 2 * sizes[0] >= ghosts and BITS * sizes[1] >= count)
    things = tuple((1 << min(max(count - BITS * w, 0), BITS)) - 1 for w in range(size))
    homes: tuple[int, ...] = (0,) * pairs
    for i in range(ghosts):
        homes = with_ghost(homes, i, words[GHOST_HOMES + i] | STOP << DIRECTION_AT)
    return Pacman(maze.handle, words[HOME] | STOP << DIRECTION_AT, homes, things, dots, 0, 0, GOES_ON)


@lru_cache(maxsize=32)
def maze_of(layout: Layout, ghosts: int, stop: bool, evaluation: str) -> Table:
    """The maze's table for a game with these options."""
    return table_of(layout, ghosts, stop, weights_of(evaluation))


def table_of(layout: Layout, ghosts: int, stop: bool, weights: dict[str, float] | None) -> Table:
    """The maze's table (its words are described in `state`), with the layout's name and rows as labels."""
    cells, places = places_of(layout)
    homes = [cells.index(spot) for spot in layout.ghosts[:ghosts]]
    dots, capsules = len(layout.spots(".")), len(layout.spots("o"))
    knows = len(cells) <= MOST_CELLS_WITH_DISTANCES
    words = [len(cells), len(homes), dots, capsules, int(stop), layout.width, layout.height, int(knows)]
    words += homes + [0] * (MOST_GHOSTS - len(homes)) + [cells.index(layout.spots("P")[0])] + weight_words(weights)
    things_at = PLACES + STRIDE * len(cells)
    nearest_at = things_at + dots + capsules
    words += [things_at, nearest_at, nearest_at + len(cells) * dots]
    return Table([*words, *places], (layout.name, *layout.rows))


@lru_cache(maxsize=32)
def places_of(layout: Layout) -> tuple[list[Spot], list[int]]:
    """The open cells, and the part of the table that tells of them: it depends on the layout alone."""
    cells = [(x, y) for y in range(layout.height) for x in range(layout.width) if layout.rows[y][x] != "%"]
    number = {spot: i for i, spot in enumerate(cells)}
    dots, capsules = layout.spots("."), layout.spots("o")
    if len(dots) + len(capsules) > SIZES[-1][1] * BITS:
        raise HansuError(f"layout {layout.name}: more than {SIZES[-1][1] * BITS:,} dots and capsules")
    thing = {spot: i for i, spot in enumerate(dots + capsules)}
    words = []
    ways = [[number.get((x + dx, y + dy), -1) for dx, dy in STEPS[:4]] for x, y in cells]
    for cell, (x, y) in enumerate(cells):
        mask = sum(1 << d for d in range(4) if ways[cell][d] >= 0)
        words += [*ways[cell], cell, mask, thing.get((x, y), -1), x | y << ROW_AT, *exits(ways, cell)]
    words += [number[spot] for spot in thing]
    if len(cells) <= MOST_CELLS_WITH_DISTANCES:
        near = [[n for n in row if n >= 0] for row in ways]
        rows = [distances(near, cell) for cell in range(len(cells))]
        at = [number[spot] for spot in dots]
        for row in rows:
            words += sorted(row[cell] << 16 | dot for dot, cell in enumerate(at))
        for row in rows:
            words += row
    return cells, words


def distances(near: list[list[int]], start: int) -> list[int]:
    """Steps from one cell to each; a cell that cannot be reached is as far as there are cells."""
    far = len(near)
    steps = [far] * far
    steps[start] = 0
    waiting = deque([start])
    while waiting:
        cell = waiting.popleft()
        for neighbour in near[cell]:
            if steps[neighbour] == far:
                steps[neighbour] = steps[cell] + 1
                waiting.append(neighbour)
    return steps


def exits(rows: list[list[int]], cell: int) -> list[int]:
    """For each direction, the first junction that way | steps to it << 16; -1 where there is none."""
    found = []
    for following in rows[cell]:
        before, at, steps = cell, following, 1
        while at >= 0 and at != cell:
            ways = [n for n in rows[at] if n >= 0]
            if len(ways) != 2:
                break
            before, at, steps = at, ways[ways[0] == before], steps + 1
        junction = at >= 0 and at != cell and sum(n >= 0 for n in rows[at]) > 2
        found.append(at | steps << ROW_AT if junction else -1)
    return found
