"""The games of `hansu pacman`, move by move, and their recordings.

A recording is a JSON file with the maze's rows, the options and the games. A game has its moves as letters (W, E, N, S;
X is Stop), its score, and whether a person quit it. A replay plays the moves by the rules and checks the score.

`compiled_games` plays the same games faster without display: the same seed gives the same game.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hansu.core import Game, HansuError, Position, labels, table
from hansu.core.errors import PlayerFault
from hansu.core.reading import read_whole
from hansu.games.pacman.compiled_games import MOST_PLIES, GhostPolicy, mixed_seed
from hansu.games.pacman.layout import first_state, maze_of, read
from hansu.games.pacman.players import CHANCES, directional_action
from hansu.games.pacman.rules import random_action
from hansu.games.pacman.state import GHOSTS, GOES_ON, LOST, MAY_STOP, WON, Pacman
from hansu.search.players import Minimax

LETTERS = "WENSX"
FORMAT = 1

Choose = Callable[[Position], tuple[int, str]]
"""Chooses Pacman's action in a position; returns the action and an explanation."""

Watch = Callable[[Position, str], None]
"""Receives the position after each round, with the explanation of Pacman's move."""


class Quit(Exception):
    """The person quits the game."""


@dataclass(frozen=True)
class CourseGame:
    """The result of a game."""

    points: int
    ended: int
    actions: tuple[int, ...]
    nodes: int = 0
    seconds: float = 0.0
    fault: str = ""  # why the agent forfeited
    left: bool = False  # a person quit the game

    @property
    def won(self) -> bool:
        return self.ended == WON and not self.fault


class Ghosts:
    """Chooses the moves of all ghosts in one game."""

    def __init__(self, policy: GhostPolicy, seed: int) -> None:
        self._attack, self._flee = round(policy.attack * CHANCES), round(policy.flee * CHANCES)
        self._hunter = None if policy.depth is None else Minimax(rounds=policy.depth)
        self._seed = [mixed_seed(seed)]

    def choose(self, position: Position) -> int:
        if self._hunter is not None:
            return int(self._hunter.decide(position).action)
        if self._attack == 0:
            return random_action(position.state, self._seed)
        return directional_action(position.state, self._attack, self._flee, self._seed)


def play_game(position: Position, choose: Choose, ghosts: Ghosts, watch: Watch | None = None) -> CourseGame:
    """Plays one game. A PlayerFault of `choose` forfeits it; after Quit the result has the moves so far."""
    why = ""
    actions: list[int] = []
    if watch is not None:
        watch(position, why)
    while not position.over and len(actions) < MOST_PLIES - 1:
        if position.mover == 0:
            try:
                action, why = choose(position)
            except PlayerFault as fault:
                return CourseGame(position.state.points, LOST, tuple(actions), fault=fault.what)
            except Quit:
                return CourseGame(position.state.points, GOES_ON, tuple(actions), left=True)
        else:
            action = ghosts.choose(position)
        actions.append(action)
        position = position.play(action)
        if watch is not None and (position.mover == 0 or position.over):
            watch(position, why)
        # Drop the history: the positions of a long game would use too much memory.
        position = Position(position.game, position.state, position.tables)
    s: Pacman = position.state
    return CourseGame(s.points, s.ended, tuple(actions))


def save(path: Path, s: Pacman, games: Iterable[CourseGame]) -> None:
    """Writes a recording."""
    name, *rows = labels(s.maze)
    t = table(s.maze)
    data = {
        "game": "pacman", "format": FORMAT, "layout": name, "rows": rows, "ghosts": t[GHOSTS],
        "stop": bool(t[MAY_STOP]),
        "games": [
            {"score": played.points, "won": played.won, "left": played.left,
             "moves": "".join(LETTERS[a] for a in played.actions)}
            for played in games
        ],
    }  # fmt: skip
    try:
        path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise HansuError("cannot write {path}: {strerror}", path=path, strerror=error.strerror) from None


def load(path: Path, game: Game) -> tuple[Position, list[CourseGame]]:
    """A recording's first position and its games."""
    try:
        data = json.loads(read_whole(path))
        if data["game"] != "pacman" or data["format"] != FORMAT:
            raise ValueError("unknown format")
        layout = read("\n".join(data["rows"]), str(data["layout"]))
        maze = maze_of(layout, int(data["ghosts"]), bool(data["stop"]), "score")
        games = [
            CourseGame(
                int(each["score"]), WON if each["won"] else LOST, tuple(LETTERS.index(c) for c in each["moves"]),
                left=each.get("left") is True,
            )
            for each in data["games"]
        ]  # fmt: skip
    except HansuError as error:
        raise HansuError("{file}: {error}", error.hint, file=path, error=error.what) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise HansuError("{path} is not a recording of Pacman: {error}", path=path, error=error) from None
    return Position(game, first_state(maze), maze), games


def replay(position: Position, played: CourseGame) -> Iterator[Position]:
    """Yields the positions of a recorded game after each round."""
    first = position
    yield position
    for number, action in enumerate(played.actions, 1):
        if position.over or action not in position.actions:
            raise HansuError("move {number} of the recording is not legal", number=number)
        position = Position(first.game, position.play(action).state, first.tables)
        if position.mover == 0 or position.over:
            yield position
    if position.state.points != played.points:
        raise HansuError(
            "the moves of the recording lead to {points} points, not to {recorded}",
            points=position.state.points,
            recorded=played.points,
        )


def as_choice(decide: Callable[[Position], Any]) -> Choose:
    """A player's `decide` as a Choose."""

    def choose(position: Position) -> tuple[int, str]:
        decision = decide(position)
        return int(decision.action), str(decision.why)

    return choose
