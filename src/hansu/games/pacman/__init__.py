"""Pacman: the course's multi-agent maze game.

Agent 0 is Pacman and maximises the score; agents 1 to n are the ghosts. In games with two seats (`hansu play`), the
second seat moves every ghost. docs/games/pacman.md describes the game, docs/lab/pacman_evaluation.md its evaluation.

state.py           the state and the maze's table         rules.py           moves, points, ends
layout.py          mazes as text                          evaluation.py      `better` and its features
drawing.py         the maze as a scene                    players.py         `reflex`, `directional`
commands.py        `hansu pacman`                         terminal.py        screen and keyboard
course_games.py    games move by move, recordings         compiled_games.py  whole games in one call
course_agents.py   agents written for the course          agent_faults.py    crashes and timeouts of agents
display.py         output of `hansu pacman`               shims/             the course framework's modules
training/          weights of `better`                    layouts/           the mazes
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hansu.core import Controls, Framework, Game, Lesson, Message, Option, Player, Position
from hansu.core.game_extensions import Commands
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
    from hansu.games.pacman.drawing import maze_scene

    return maze_scene(position.state)


def touch(s: Pacman, a: int) -> tuple[tuple[float, float], ...]:
    from hansu.games.pacman.drawing import step_place

    return (step_place(s, a),)


def result_text(s: Pacman) -> str:
    if s.ended == WON:
        return Message("Pacman wins with {points} points", points=s.points)
    return Message("Pacman is caught: {points} points", points=s.points)


def players() -> Mapping[str, type[Player]]:
    from hansu.games.pacman.players import Directional, Reflex

    return {player.kind: player for player in (Reflex, Directional)}


def adapt_agent(module: Any, agent: Any) -> Any:
    from hansu.games.pacman.course_agents import adapt

    return adapt(agent, {})


def commands(line: Commands) -> None:
    from hansu.games.pacman.commands import add_to

    add_to(line)


def training() -> Sequence[type[Any]]:
    from hansu.games.pacman.training.recipes import RECIPES

    return RECIPES


GAME = Game(
    name="pacman",
    title=Message("Pacman"),
    about=Message("eat every dot of a maze with up to 8 ghosts; each ghost is an agent"),
    state=Pacman,
    start=start,
    options=(
        Option(
            "layout",
            str,
            "smallClassic",
            Message("name of a layout, or path of a .lay file"),
            title=Message("maze"),
            known=layout_names(),
        ),
        Option("ghosts", int, 4, Message("maximum number of ghosts"), title=Message("ghosts"), low=0, high=MOST_GHOSTS),
        Option("stop", bool, False, Message("Pacman may stand still"), title=Message("standing still")),
        Option(
            "evaluation",
            str,
            "better",
            Message("evaluation of unfinished games"),
            title=Message("evaluation"),
            choices=EVALUATIONS,
            choice_titles=(Message("food, ghosts and score"), Message("score only")),
        ),
    ),
    move_text=move_text,
    controls=Controls(keys={"left": "West", "right": "East", "up": "North", "down": "South", "stop": "Stop"}),
    tones=("yellow", "first"),
    read_move=read_move,
    look=look,
    touch=touch,
    seats=(Message("Pacman"), Message("Ghosts")),
    score_text=result_text,
    score_range=2000.0,
    default_depth=6,
    opening_plies=0,
    sample="e s s e e s w s e w e e w e e w e e s e e w n e w e e n n e w e n w n n w n n w e n s e w s s w",
    players=players,
    levels=(
        "casual:plies=1,temperature=2",
        "casual:plies=1,temperature=1",
        "casual:plies=1,temperature=0.5",
        "casual:plies=3,temperature=0.5",
        "casual:plies=3,temperature=0.2",
        "casual:plies=4,temperature=0.15",
        "casual:plies=5,temperature=0.1",
        "casual:plies=6,temperature=0.05",
        "casual:plies=7,temperature=0.03",
        "iterative@nodes=300",
    ),
    lessons=(
        Lesson(
            Message("Steer Pacman through the maze: a dot is 10 points, and each step costs one."),
            settings={"layout": "testClassic"},
        ),
        Lesson(
            Message("The last dot wins and is worth 500 points; being caught by a ghost costs 500."),
            settings={"layout": "smallClassic"},
        ),
        Lesson(Message("A large capsule scares the ghosts for a while: then Pacman can eat them for 200 points each.")),
    ),
    commands=commands,
    training=training,
    framework=Framework(adapt_agent, {name: f"{__name__}.shims.{name}" for name in ("game", "util", "pacman")}),
)
