"""Pacman: a maze, dots, and ghosts that take turns; the course's game of several agents.

Agent 0 is Pacman and maximises the score; agents 1.. are the ghosts. Where there are two seats (`hansu play`), the
second one moves every ghost. docs/pacman.md tells the whole story.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansu.core import Game, Option, Player, Position, said
from hansu.core.game import Commands
from hansu.games.pacman.evaluation import EVALUATIONS
from hansu.games.pacman.layout import names as layout_names
from hansu.games.pacman.layout import start
from hansu.games.pacman.rules import legal
from hansu.games.pacman.state import DIRECTIONS, EAST, MOST_GHOSTS, NORTH, SOUTH, STOP, WEST, WON, Pacman
from hansu.scene import Scene

SPELLINGS = {
    "w": WEST, "west": WEST, "left": WEST, "←": WEST,
    "e": EAST, "east": EAST, "right": EAST, "→": EAST,
    "n": NORTH, "north": NORTH, "up": NORTH, "↑": NORTH,
    "s": SOUTH, "south": SOUTH, "down": SOUTH, "↓": SOUTH,
    "stop": STOP, "x": STOP,
}  # fmt: skip


def move_text(s: Pacman, a: int) -> str:
    return DIRECTIONS[a]


def read_move(s: Pacman, text: str) -> int | None:
    a = SPELLINGS.get(text.lower())
    return a if a is not None and legal(s, a) else None


def look(position: Position) -> Scene:
    from hansu.games.pacman.look import maze_scene

    return maze_scene(position.state)


def touch(s: Pacman, a: int) -> tuple[tuple[float, float], ...]:
    from hansu.games.pacman.look import step_place

    return (step_place(s, a),)


def result_text(s: Pacman) -> str:
    if s.ended == WON:
        return said(f"Pacman wins with {s.points} points", f"팩맨 승리, {s.points}점")
    return said(f"Pacman is caught: {s.points} points", f"팩맨이 잡혔습니다, {s.points}점")


def players() -> Mapping[str, type[Player]]:
    from hansu.games.pacman.agents import Directional, Reflex

    return {player.kind: player for player in (Reflex, Directional)}


def adapt_agent(module: Any, found: Any) -> Any:
    from hansu.games.pacman.classic import adapt

    return adapt(found, {})


def commands(line: Commands) -> None:
    from hansu.games.pacman.command import add_to

    add_to(line)


GAME = Game(
    name="pacman",
    title={"en": "Pacman", "ko": "팩맨"},
    about={
        "en": "eat every dot of the maze; up to 8 ghosts, each an agent of its own",
        "ko": "미로의 먹이를 모두 먹는 게임. 유령마다 하나의 에이전트입니다",
    },
    state=Pacman,
    start=start,
    options=(
        Option(
            "layout",
            str,
            "smallClassic",
            said("a layout's name, or the path of a .lay file", "미로의 이름, 또는 .lay 파일의 경로"),
            known=layout_names(),
        ),
        Option("ghosts", int, 4, said("ghosts at most", "유령의 최대 수"), low=0, high=MOST_GHOSTS),
        Option("stop", bool, False, said("may Pacman stand still?", "팩맨이 제자리에 있어도 되는지")),
        Option(
            "evaluation",
            str,
            "better",
            said("what searches see in an unfinished game", "끝나지 않은 게임을 탐색이 평가하는 방법"),
            choices=EVALUATIONS,
        ),
    ),
    move_text=move_text,
    keys={"left": "West", "right": "East", "up": "North", "down": "South", "stop": "Stop"},
    tones=("yellow", "first"),
    read_move=read_move,
    look=look,
    touch=touch,
    seats=(said("Pacman", "팩맨"), said("Ghosts", "유령")),
    score_text=result_text,
    score_range=2000.0,
    default_depth=6,
    opening_plies=0,
    players=players,
    opponent="directional",
    commands=commands,
    adapt_agent=adapt_agent,
    shims={name: f"{__name__}.shims.{name}" for name in ("game", "util", "pacman")},
)
