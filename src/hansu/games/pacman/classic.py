"""The course framework's view of a game: its `GameState`, and agents written against it.

Here y grows upwards and positions are (x, y) pairs, as students know them. Nothing is simulated twice: a GameState
holds a state of ours and asks the rules. An agent is any class (or object) with `getAction(gameState)`; it finds
`self.index`, `self.depth` and `self.evaluationFunction` even where it does not set them itself.
"""

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
ORDER = (WEST, STOP, EAST, NORTH, SOUTH)  # the framework's: agents that take the first of equals depend on it


class GameState:
    """A moment of the game under the framework's names."""

    def __init__(self, state: Pacman) -> None:
        self.state = state

    # moving

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

    # who and where

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

    # the maze

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
        made = Grid(table(self.state.maze)[WIDTH], self._height)
        for x, y in spots:
            made[x][self._height - 1 - y] = True
        return made

    # the result

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
    return state.getScore()


def better_evaluation(state: GameState) -> float:
    """The game's own evaluation (what it sees is set by the game's `evaluation` option)."""
    s = state.state
    return float(s.points) if s.ended != GOES_ON else float(evaluate(s))


def evaluation_name(text: str) -> str:
    """`better`, `betterEvaluationFunction`, `score`, ...: the framework's habit of a long name is understood."""
    short = text.removesuffix("EvaluationFunction")
    if short not in EVALUATIONS:
        raise HansuError(f"evalFn={text} is unknown", f"one of: {', '.join(EVALUATIONS)}")
    return short


def adapt(found: Any, settings: Mapping[str, str]) -> Callable[[Position], int] | None:
    """A function of a position for a classic agent; None where this is no such agent."""
    if not callable(getattr(found, "getAction", None)):
        return None
    agent = _made(found, settings) if inspect.isclass(found) else found
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
        answer = agent.getAction(GameState(s))
        if answer not in DIRECTIONS or not open_directions(s) >> DIRECTIONS.index(answer) & 1:
            legal = ", ".join(GameState(s).getLegalActions(s.turn))
            raise HansuError(f"getAction answered {answer!r}, which is not legal", f"legal: {legal}")
        return DIRECTIONS.index(answer)

    return choose


def _depth(settings: Mapping[str, str]) -> int:
    try:
        return int(settings.get("depth", "2"))
    except ValueError:
        raise HansuError(f"depth={settings['depth']} is not a whole number") from None


def _made(found: Any, settings: Mapping[str, str]) -> Any:
    """An agent of that class: it gets the settings its constructor names (as text, the framework's way)."""
    parameters = inspect.signature(found).parameters
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    unknown = [key for key in settings if key not in parameters and key not in ("depth", "evalFn")]
    if unknown and not takes_all:
        raise HansuError(
            f"{found.__name__} has no option {unknown[0]!r}", f"it takes: {', '.join(parameters) or 'none'}"
        )
    given: dict[str, Any] = {key: value for key, value in settings.items() if takes_all or key in parameters}
    for name, parameter in parameters.items():  # a ghost's constructor wants to be told its index
        if name == "index" and parameter.default is parameter.empty:
            given["index"] = 0
    return found(**given)
