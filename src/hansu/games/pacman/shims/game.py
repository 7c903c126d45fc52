"""The framework's module `game`: directions, grids, agents."""

from __future__ import annotations

from typing import Any


class Directions:
    NORTH = "North"
    SOUTH = "South"
    EAST = "East"
    WEST = "West"
    STOP = "Stop"
    LEFT = {NORTH: WEST, SOUTH: EAST, EAST: NORTH, WEST: SOUTH, STOP: STOP}
    RIGHT = {after: before for before, after in LEFT.items()}
    REVERSE = {NORTH: SOUTH, SOUTH: NORTH, EAST: WEST, WEST: EAST, STOP: STOP}


VECTORS = {
    Directions.WEST: (-1, 0), Directions.EAST: (1, 0), Directions.NORTH: (0, 1), Directions.SOUTH: (0, -1),
    Directions.STOP: (0, 0),
}  # fmt: skip


class Agent:
    """The base class of agents. `index` is the agent's number."""

    def __init__(self, index: int = 0) -> None:
        self.index = index

    def getAction(self, state: Any) -> str:
        raise NotImplementedError(f"{type(self).__name__} has no getAction")


class Configuration:
    """A position and a direction."""

    def __init__(self, pos: tuple[float, float], direction: str) -> None:
        self.pos = pos
        self.direction = direction

    def getPosition(self) -> tuple[float, float]:
        return self.pos

    def getDirection(self) -> str:
        return self.direction

    def isInteger(self) -> bool:
        return all(x == int(x) for x in self.pos)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Configuration) and (self.pos, self.direction) == (other.pos, other.direction)

    def __hash__(self) -> int:
        return hash((self.pos, self.direction))

    def __str__(self) -> str:
        return f"(x,y)={self.pos}, {self.direction}"


class AgentState:
    """The position, start and scared timer of an agent."""

    def __init__(self, configuration: Configuration, isPacman: bool, scaredTimer: int, start: Configuration) -> None:
        self.configuration = configuration
        self.isPacman = isPacman
        self.scaredTimer = scaredTimer
        self.start = start

    def getPosition(self) -> tuple[float, float]:
        return self.configuration.getPosition()

    def getDirection(self) -> str:
        return self.configuration.getDirection()

    def copy(self) -> AgentState:
        return AgentState(self.configuration, self.isPacman, self.scaredTimer, self.start)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AgentState) and (self.configuration, self.scaredTimer) == (
            other.configuration, other.scaredTimer,
        )  # fmt: skip

    def __hash__(self) -> int:
        return hash((self.configuration, self.scaredTimer))

    def __str__(self) -> str:
        return f"{'Pacman' if self.isPacman else 'Ghost'}: {self.configuration}"


class Grid:
    """Booleans as `grid[x][y]`, with (0, 0) at the bottom left."""

    def __init__(self, width: int, height: int, initialValue: bool = False) -> None:
        self.width = width
        self.height = height
        self.data = [[initialValue] * height for _ in range(width)]

    def __getitem__(self, x: int) -> list[bool]:
        return self.data[x]

    def __setitem__(self, x: int, column: list[bool]) -> None:
        self.data[x] = column

    def count(self, item: bool = True) -> int:
        return sum(column.count(item) for column in self.data)

    def asList(self, key: bool = True) -> list[tuple[int, int]]:
        return [(x, y) for x in range(self.width) for y in range(self.height) if self.data[x][y] == key]

    def copy(self) -> Grid:
        copy = Grid(self.width, self.height)
        copy.data = [list(column) for column in self.data]
        return copy

    deepCopy = copy
    shallowCopy = copy

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grid) and self.data == other.data

    def __hash__(self) -> int:
        return hash(tuple(map(tuple, self.data)))

    def __str__(self) -> str:
        rows = (("F", "T")[self.data[x][y]] for y in reversed(range(self.height)) for x in range(self.width))
        text = "".join(rows)
        return "\n".join(text[i : i + self.width] for i in range(0, len(text), self.width))


class Actions:
    """Helpers for directions and vectors."""

    @staticmethod
    def reverseDirection(action: str) -> str:
        return Directions.REVERSE[action]

    @staticmethod
    def vectorToDirection(vector: tuple[float, float]) -> str:
        dx, dy = vector
        if dy:
            return Directions.NORTH if dy > 0 else Directions.SOUTH
        if dx:
            return Directions.WEST if dx < 0 else Directions.EAST
        return Directions.STOP

    @staticmethod
    def directionToVector(direction: str, speed: float = 1.0) -> tuple[float, float]:
        dx, dy = VECTORS[direction]
        return dx * speed, dy * speed

    @staticmethod
    def getPossibleActions(config: Configuration, walls: Grid) -> list[str]:
        if not config.isInteger():
            return [config.getDirection()]
        x, y = (int(c) for c in config.pos)
        return [d for d, (dx, dy) in VECTORS.items() if not walls[x + dx][y + dy]]

    @staticmethod
    def getLegalNeighbors(position: tuple[float, float], walls: Grid) -> list[tuple[int, int]]:
        x, y = int(position[0] + 0.5), int(position[1] + 0.5)
        around = [(x + dx, y + dy) for dx, dy in VECTORS.values()]
        return [(i, j) for i, j in around if 0 <= i < walls.width and 0 <= j < walls.height and not walls[i][j]]

    @staticmethod
    def getSuccessor(position: tuple[float, float], action: str) -> tuple[float, float]:
        dx, dy = VECTORS[action]
        return position[0] + dx, position[1] + dy
