"""Mazes as text: `%` wall, `.` food, `o` capsule, `G` ghost, `P` Pacman, space empty; any size.

A layout is named after a file in `layouts/`, or by the path of a `.lay` file. Lines may differ in length, because many
files have trailing spaces or a line that is too long. Errors name line and column.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from hansu.core import HansuError, Message, Table
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
MOST_CELLS_WITH_DISTANCES = 1500  # larger mazes have no table of distances

Spot = tuple[int, int]  # column and row, from 0 at the top left


@dataclass(frozen=True)
class Layout:
    """A maze as text."""

    name: str
    rows: tuple[str, ...]

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def height(self) -> int:
        return len(self.rows)

    def spots(self, char: str) -> list[Spot]:
        """The places of a character."""
        return [(x, y) for y, row in enumerate(self.rows) for x, c in enumerate(row) if c == char]

    @property
    def ghosts(self) -> list[Spot]:
        """The ghosts in the framework's order: left to right, then bottom to top."""
        return sorted(self.spots("G"), key=lambda spot: (spot[0], -spot[1]))


def names() -> tuple[str, ...]:
    """The names of the package's layouts."""
    return tuple(sorted(file.stem for file in FOLDER.glob("*.lay")))


def find(name: str) -> Layout:
    """The layout with this name, or in the file with this path."""
    named = FOLDER / f"{name.removesuffix('.lay')}.lay"
    path = named if "/" not in name and named.is_file() else Path(name).expanduser()
    if "\0" not in name and (path.suffix == ".lay" or "/" in name or path.exists()):
        try:
            text = read_whole(path)
        except HansuError as error:
            raise HansuError("layout: {error}", error.hint, error=error.what) from None
    else:
        hint = Message("{hint} - or a path to a .lay file", hint=did_you_mean(name, names(), "layouts"))
        raise HansuError("there is no layout {name!r}", hint, name=name)
    return read(text, name)


def read(text: str, name: str) -> Layout:
    """The layout in a text. Errors name their place."""
    rows = [row.rstrip() for row in text.rstrip().splitlines()]
    if not rows:
        raise HansuError("layout {name} is empty", name=name)
    width = _width(rows)
    pacman: Message | None = None
    ghosts = 0
    for line, row in enumerate(rows, 1):
        for column, char in enumerate(row, 1):
            place = Message("layout {name}, line {line}, column {column}", name=name, line=line, column=column)
            if char not in KNOWN:
                raise HansuError(
                    "{place}: unknown character {char!r}",
                    "known: % wall, . food, o capsule, G, P, space",
                    place=place,
                    char=char,
                )
            if char == "P" and pacman:
                raise HansuError(
                    "{place}: a second Pacman; the first is in {first}", "keep one P", place=place, first=pacman
                )
            if char == "P":
                pacman = Message("line {line}, column {column}", line=line, column=column)
            ghosts += char == "G"
            if char == "G" and ghosts > MOST_GHOSTS:
                raise HansuError("{place}: more than {most} ghosts", place=place, most=MOST_GHOSTS)
    if pacman is None:
        raise HansuError("layout {name}: there is no Pacman", "put a P where Pacman starts", name=name)
    if not any("." in row for row in rows):
        raise HansuError("layout {name}: there is no food", "a game needs at least one dot to be won", name=name)
    if width * len(rows) - sum(row.count("%", 0, width) for row in rows) > CELL:
        raise HansuError("layout {name}: more than {most:,} open cells", name=name, most=CELL)
    return Layout(name, tuple(row[:width].ljust(width) for row in rows))


def _width(rows: list[str]) -> int:
    """The length of the longest line; of the shortest if all lines have only walls from its last column on."""
    shortest = min(map(len, rows))
    only_walls = shortest > 0 and not any(row[shortest - 1 :].strip("%") for row in rows)
    return shortest if only_walls else max(map(len, rows))


def start(layout: str, ghosts: int, stop: bool, evaluation: str) -> tuple[Pacman, Table]:
    """The first state of a game and the table of its maze, which must be kept alive."""
    maze = maze_of(find(layout), ghosts, stop, evaluation)
    return first_state(maze), maze


def first_state(maze: Table) -> Pacman:
    """The first state of a game in a maze."""
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
    """The maze's table (`state` describes its words), with the layout's name and rows as labels."""
    cells, places = places_of(layout)
    homes = [cells.index(spot) for spot in layout.ghosts[:ghosts]]
    dots, capsules = len(layout.spots(".")), len(layout.spots("o"))
    has_distances = len(cells) <= MOST_CELLS_WITH_DISTANCES
    words = [len(cells), len(homes), dots, capsules, int(stop), layout.width, layout.height, int(has_distances)]
    words += homes + [0] * (MOST_GHOSTS - len(homes)) + [cells.index(layout.spots("P")[0])] + weight_words(weights)
    things_at = PLACES + STRIDE * len(cells)
    nearest_at = things_at + dots + capsules
    words += [things_at, nearest_at, nearest_at + len(cells) * dots]
    return Table([*words, *places], (layout.name, *layout.rows))


@lru_cache(maxsize=32)
def places_of(layout: Layout) -> tuple[list[Spot], list[int]]:
    """The open cells, and the part of the table that depends only on the layout."""
    cells = [(x, y) for y in range(layout.height) for x in range(layout.width) if layout.rows[y][x] != "%"]
    number = {spot: i for i, spot in enumerate(cells)}
    dots, capsules = layout.spots("."), layout.spots("o")
    if len(dots) + len(capsules) > SIZES[-1][1] * BITS:
        raise HansuError(
            "layout {name}: more than {most:,} dots and capsules", name=layout.name, most=SIZES[-1][1] * BITS
        )
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
    """Steps from one cell to all cells. For unreachable cells, the number of cells."""
    far = len(near)
    steps = [far] * far
    steps[start] = 0
    queue = deque([start])
    while queue:
        cell = queue.popleft()
        for neighbour in near[cell]:
            if steps[neighbour] == far:
                steps[neighbour] = steps[cell] + 1
                queue.append(neighbour)
    return steps


def exits(rows: list[list[int]], cell: int) -> list[int]:
    """For each direction, the first junction that way | steps to it << 16; -1 for a dead end."""
    junctions = []
    for following in rows[cell]:
        before, at, steps = cell, following, 1
        while at >= 0 and at != cell:
            ways = [n for n in rows[at] if n >= 0]
            if len(ways) != 2:
                break
            before, at, steps = at, ways[ways[0] == before], steps + 1
        is_junction = at >= 0 and at != cell and sum(n >= 0 for n in rows[at]) > 2
        junctions.append(at | steps << ROW_AT if is_junction else -1)
    return junctions
