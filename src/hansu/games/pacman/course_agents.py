"""Runs agents that were written for the course framework: its `GameState`, and an adapter for agents.

As in the framework, y grows upwards and positions are (x, y) pairs. A `GameState` wraps a state of hansu. An agent is
any class or object with `getAction(gameState)`. The adapter sets its `index`, `depth` and `evaluationFunction` if it
has none."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from hansu.core import HansuError, Position, labels, table
from hansu.games.pacman.drawing import ghost_place, place, things
from hansu.games.pacman.evaluation import EVALUATIONS, evaluate
from hansu.games.pacman.rules import open_directions, play
from hansu.games.pacman.shims.game import AgentState, Configuration, Grid
from hansu.games.pacman.state import (
    CELL,
    DIRECTION_AT,
    DIRECTIONS,
    EAST,
    GHOST_HOMES,
    GHOSTS,
    GOES_ON,
    HEIGHT,
    HOME,
    LOST,
    NORTH,
    SCARED_AT,
    SOUTH,
    STOP,
    WEST,
    WIDTH,
    WON,
    Pacman,
    ghost_of,
)

Spot = tuple[int, int]
ORDER = (WEST, STOP, EAST, NORTH, SOUTH)  # the framework's order; agents break ties by it


class GameState:
    """A state with the framework's interface."""

    def __init__(self, state: Pacman) -> None:
        self.state = state

    # Moves.

    def getLegalActions(self, agentIndex: int = 0) -> list[str]:
        if self.state.ended != GOES_ON:
            return []
        mask = open_directions(self._turn(agentIndex))
        return [DIRECTIONS[a] for a in ORDER if mask >> a & 1]

    def generateSuccessor(self, agentIndex: int, action: str) -> GameState:
        if self.state.ended != GOES_ON:
            raise Exception("Can't generate a successor of a terminal state.")
        if action not in self.getLegalActions(agentIndex):
            raise Exception(f"Illegal action {action} for agent {agentIndex}")
        return GameState(play(self._turn(agentIndex), DIRECTIONS.index(action)))

    def getLegalPacmanActions(self) -> list[str]:
        return self.getLegalActions(0)

    def generatePacmanSuccessor(self, action: str) -> GameState:
        return self.generateSuccessor(0, action)

    def _turn(self, agentIndex: int) -> Pacman:
        if not 0 <= agentIndex < self.getNumAgents():
            raise Exception(f"there is no agent {agentIndex}")
        return self.state._replace(turn=agentIndex)

    # Agents.

    def getNumAgents(self) -> int:
        return 1 + table(self.state.maze)[GHOSTS]

    def getPacmanPosition(self) -> Spot:
        return self._spot(self.state.me & CELL)

    def getPacmanState(self) -> AgentState:
        here = Configuration(self.getPacmanPosition(), DIRECTIONS[self.state.me >> DIRECTION_AT])
        home = Configuration(self._spot(table(self.state.maze)[HOME]), DIRECTIONS[STOP])
        return AgentState(here, True, 0, home)

    def getGhostState(self, agentIndex: int) -> AgentState:
        if not 1 <= agentIndex < self.getNumAgents():
            raise Exception(f"there is no ghost {agentIndex}")
        ghost = ghost_of(self.state.ghosts, agentIndex - 1)
        here = Configuration(self.getGhostPosition(agentIndex), DIRECTIONS[ghost >> DIRECTION_AT & 7])
        home = Configuration(self._spot(table(self.state.maze)[GHOST_HOMES + agentIndex - 1]), DIRECTIONS[STOP])
        return AgentState(here, False, ghost >> SCARED_AT, home)

    def getGhostStates(self) -> list[AgentState]:
        return [self.getGhostState(i) for i in range(1, self.getNumAgents())]

    def getGhostPosition(self, agentIndex: int) -> tuple[float, float]:
        x, y = ghost_place(self.state, agentIndex - 1)
        return x, self._height - 1 - y

    def getGhostPositions(self) -> list[tuple[float, float]]:
        return [self.getGhostPosition(i) for i in range(1, self.getNumAgents())]

    # The maze.

    def getFood(self) -> Grid:
        return self._grid([(x, y) for x, y, capsule in things(self.state) if not capsule])

    def getCapsules(self) -> list[Spot]:
        return [(x, self._height - 1 - y) for x, y, capsule in things(self.state) if capsule]

    def getWalls(self) -> Grid:
        rows = labels(self.state.maze)[1:]
        return self._grid([(x, y) for y, row in enumerate(rows) for x, char in enumerate(row) if char == "%"])

    def getNumFood(self) -> int:
        return self.state.left

    def hasFood(self, x: int, y: int) -> bool:
        return self.getFood()[x][y]

    def hasWall(self, x: int, y: int) -> bool:
        return labels(self.state.maze)[1 + self._height - 1 - y][x] == "%"

    @property
    def _height(self) -> int:
        return table(self.state.maze)[HEIGHT]

    def _spot(self, cell: int) -> Spot:
        x, y = place(self.state, cell)
        return x, self._height - 1 - y

    def _grid(self, spots: list[Spot]) -> Grid:
        grid = Grid(table(self.state.maze)[WIDTH], self._height)
        for x, y in spots:
            grid[x][self._height - 1 - y] = True
        return grid

    # The result.

    def getScore(self) -> float:
        return float(self.state.points)

    def isWin(self) -> bool:
        return self.state.ended == WON

    def isLose(self) -> bool:
        return self.state.ended == LOST

    def deepCopy(self) -> GameState:
        return GameState(self.state)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GameState) and self.state == other.state

    def __hash__(self) -> int:
        return hash(self.state)


def score_evaluation(state: GameState) -> float:
    """The score."""
    return state.getScore()


def better_evaluation(state: GameState) -> float:
    """The evaluation that the game's option `evaluation` selects."""
    s = state.state
    return float(s.points) if s.ended != GOES_ON else float(evaluate(s))


def evaluation_name(text: str) -> str:
    """The evaluation of a name like `better`, `score` or (as in the framework) `betterEvaluationFunction`."""
    short = text.removesuffix("EvaluationFunction")
    if short not in EVALUATIONS:
        raise HansuError("{given} is unknown", "one of: {names}", given=f"evalFn={text}", names=", ".join(EVALUATIONS))
    return short


def adapt(agent_or_class: Any, settings: Mapping[str, str]) -> Callable[[Position], int] | None:
    """A function that chooses an agent's action in a position; None if the object is not an agent."""
    if not callable(getattr(agent_or_class, "getAction", None)):
        return None
    agent = _new_agent(agent_or_class, settings) if inspect.isclass(agent_or_class) else agent_or_class
    if not hasattr(agent, "depth"):
        agent.depth = _depth(settings)
    if not hasattr(agent, "index"):
        agent.index = 0
    if not hasattr(agent, "evaluationFunction"):
        name = evaluation_name(settings.get("evalFn", "score"))
        agent.evaluationFunction = better_evaluation if name == "better" else score_evaluation

    def choose(position: Position) -> int:
        s: Pacman = position.state
        if s.turn > 0 or agent.index != 0:
            agent.index = s.turn
        direction = agent.getAction(GameState(s))
        if direction not in DIRECTIONS or not open_directions(s) >> DIRECTIONS.index(direction) & 1:
            legal = ", ".join(GameState(s).getLegalActions(s.turn))
            raise HansuError(
                "getAction returned {direction!r}, which is not legal",
                "legal: {legal}",
                direction=direction,
                legal=legal,
            )
        return DIRECTIONS.index(direction)

    return choose


def _depth(settings: Mapping[str, str]) -> int:
    try:
        return int(settings.get("depth", "2"))
    except ValueError:
        raise HansuError("{given} is not an integer", given=f"depth={settings['depth']}") from None


def _new_agent(agent_class: Any, settings: Mapping[str, str]) -> Any:
    """An agent of this class. Its constructor gets the settings that it has parameters for, as texts."""
    parameters = inspect.signature(agent_class).parameters
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    unknown = [key for key in settings if key not in parameters and key not in ("depth", "evalFn")]
    if unknown and not takes_all:
        raise HansuError(
            "{owner} has no option {key!r}",
            "its options: {names}",
            owner=agent_class.__name__,
            key=unknown[0],
            names=", ".join(parameters) or "none",
        )
    arguments: dict[str, Any] = {key: value for key, value in settings.items() if takes_all or key in parameters}
    for name, parameter in parameters.items():  # the constructor of a ghost requires its index
        if name == "index" and parameter.default is parameter.empty:
            arguments["index"] = 0
    return agent_class(**arguments)
