"""A game, move by move, for everything that is watched, recorded, or played by somebody from outside; and recordings.

A recording is a JSON file: the maze's rows, the options, and for each game its moves as letters (W, E, N, S; X stops)
with the score they led to, and whether somebody left in the middle. Replaying plays these moves again by the rules and
checks the score.

`quick` plays the same games faster where nobody looks: the same seed gives the same game.
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
from hansu.games.pacman.layout import first_state, maze_of, read
from hansu.games.pacman.players import CHANCES, directional_action
from hansu.games.pacman.quick import MOST_PLIES, Haunting, stirred
from hansu.games.pacman.rules import random_action
from hansu.games.pacman.state import GHOSTS, GOES_ON, LOST, MAY_STOP, WON, Pacman
from hansu.search.players import Minimax

LETTERS = "WENSX"
FORMAT = 1

Choose = Callable[[Position], tuple[int, str]]
"""Pacman's choice in a position, and why."""

Watch = Callable[[Position, str], None]
"""Is shown the position after each round, with the reason for Pacman's move."""


class Left(Exception):
    """The person has had enough."""


@dataclass(frozen=True)
class ContestGame:
    """One game that is over (or was given up)."""

    points: int
    ended: int
    actions: tuple[int, ...]
    nodes: int = 0
    seconds: float = 0.0
    fault: str = ""  # why the agent forfeited
    left: bool = False  # a person did not play it to its end

    @property
    def won(self) -> bool:
        return self.ended == WON and not self.fault


class Ghosts:
    """Chooses for every ghost of one game."""

    def __init__(self, haunting: Haunting, seed: int) -> None:
        self._attack, self._flee = round(haunting.attack * CHANCES), round(haunting.flee * CHANCES)
        self._hunter = None if haunting.depth is None else Minimax(rounds=haunting.depth)
        self._seed = [stirred(seed)]

    def choose(self, position: Position) -> int:
        if self._hunter is not None:
            return int(self._hunter.decide(position).action)
        if self._attack == 0:
            return random_action(position.state, self._seed)
        return directional_action(position.state, self._attack, self._flee, self._seed)


def play_game(position: Position, choose: Choose, ghosts: Ghosts, watch: Watch | None = None) -> ContestGame:
    """One game. A PlayerFault of `choose` forfeits it; whoever has Left keeps what was played."""
    why = ""
    actions: list[int] = []
    if watch is not None:
        watch(position, why)
    while not position.over and len(actions) < MOST_PLIES - 1:
        if position.mover == 0:
            try:
                action, why = choose(position)
            except PlayerFault as fault:
                return ContestGame(position.state.points, LOST, tuple(actions), fault=fault.what)
            except Left:
                return ContestGame(position.state.points, GOES_ON, tuple(actions), left=True)
        else:
            action = ghosts.choose(position)
        actions.append(action)
        position = position.play(action)
        if watch is not None and (position.mover == 0 or position.over):
            watch(position, why)
        # A watched game forgets its past, or the positions of a long one would pile up.
        position = Position(position.game, position.state, position.tables)
    s: Pacman = position.state
    return ContestGame(s.points, s.ended, tuple(actions))


def save(path: Path, s: Pacman, games: Iterable[ContestGame]) -> None:
    """Write a recording."""
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
        raise HansuError(f"--record: cannot write {path}: {error.strerror}") from None


def load(path: Path, game: Game) -> tuple[Position, list[ContestGame]]:
    """A recording's first position and its games."""
    try:
        data = json.loads(read_whole(path))
        if data["game"] != "pacman" or data["format"] != FORMAT:
            raise ValueError("another kind of recording")
        layout = read("\n".join(data["rows"]), str(data["layout"]))
        maze = maze_of(layout, int(data["ghosts"]), bool(data["stop"]), "score")
        games = [
            ContestGame(
                int(each["score"]), WON if each["won"] else LOST, tuple(LETTERS.index(c) for c in each["moves"]),
                left=each.get("left") is True,
            )
            for each in data["games"]
        ]  # fmt: skip
    except HansuError as error:
        raise HansuError(f"--replay: {error.what}", error.hint) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise HansuError(f"--replay: {path} is not a recording of Pacman: {error}") from None
    return Position(game, first_state(maze), maze), games


def replay(position: Position, played: ContestGame) -> Iterator[Position]:
    """The positions of a recorded game, each after a whole round."""
    first = position
    yield position
    for number, action in enumerate(played.actions, 1):
        if position.over or action not in position.actions:
            raise HansuError(f"--replay: move {number} of the recording is not legal")
        position = Position(first.game, position.play(action).state, first.tables)
        if position.mover == 0 or position.over:
            yield position
    if position.state.points != played.points:
        raise HansuError(f"--replay: the moves lead to {position.state.points} points, not to {played.points}")


def as_choice(decide: Callable[[Position], Any]) -> Choose:
    """A player's `decide` as a Choose."""

    def choose(position: Position) -> tuple[int, str]:
        decision = decide(position)
        return int(decision.action), str(decision.why)

    return choose
