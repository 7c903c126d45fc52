"""Triangles ("gaining territory"): join points by segments and score empty triangles.

rules.py         the state and its moves            boards.py        random boards, lists of points, files
geometry.py      exact integer geometry             notation.py      moves and results as text
scene.py         the board as a scene               commands.py      `hansu solve triangles`
players.py       `rule`, `parity`, `engine`         rule_moves.py    the moves of `rule` and `parity`
search_board.py  a board for searches               components.py    independent parts of a position
search.py        alpha-beta                         engine.py        iterative deepening on top of it
solver.py        exact values                       planner.py       plans against simple opponents
rollouts.py      the search for such plans          course.py        players of the course's framework
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansu.core import Framework, Game, Lesson, Message, Option, Player
from hansu.core.game_extensions import Commands
from hansu.games.triangles.boards import DEFAULT_POINTS, start
from hansu.games.triangles.notation import count_text, move_text, read_move
from hansu.games.triangles.rules import MOST_POINTS, Triangles
from hansu.games.triangles.scene import look, touch


def players() -> Mapping[str, type[Player]]:
    from hansu.games.triangles.players import Parity, TrianglesEnginePlayer, TrianglesRulePlayer

    return {player.kind: player for player in (TrianglesRulePlayer, Parity, TrianglesEnginePlayer)}


def commands(line: Commands) -> None:
    from hansu.games.triangles.commands import add_to

    add_to(line)


def adapt_agent(module: Any, agent: Any) -> Any:
    from hansu.games.triangles.course import adapt

    return adapt(module, agent)


FIVE = {"points": "0 0,6 0,3 5,3 2,0 5", "size": "7"}
LESSONS = (
    Lesson(
        Message("Join two points by a segment. It may not cross another segment or pass through another point."),
        moves="A-B B-C",
        settings=FIVE,
    ),
    Lesson(
        Message("Draw the third side of a triangle without points inside to score it. Scoring gives no extra turn."),
        moves="A-B A-D B-D",
        settings=FIVE,
    ),
    Lesson(Message("When no segment can be drawn, the player with more triangles wins.")),
)

GAME = Game(
    name="triangles",
    title=Message("Triangles"),
    about=Message("join points; the third side of an empty triangle scores a point"),
    state=Triangles,
    start=start,
    options=(
        Option(
            "points",
            str,
            DEFAULT_POINTS,
            Message("number of random points (3 to {most}), or a list: 0 0,3 1,5 6", most=MOST_POINTS),
            title=Message("points of the board"),
            plain=True,
        ),
        Option(
            "file",
            str,
            "",
            Message("CSV or text file with one point per line"),
            title=Message("file"),
        ),
        Option(
            "seed", int, 1, Message("number of the random board"), title=Message("board number"), low=0, high=1 << 62
        ),
        Option("size", int, 7, Message("side length of the grid"), title=Message("grid size"), low=2, high=100),
    ),
    move_text=move_text,
    read_move=read_move,
    look=look,
    touch=touch,
    colours=(Message("Red"), Message("Blue")),
    count_text=count_text,
    unit=Message("triangles"),
    score_range=2 * MOST_POINTS - 5,  # the triangles of 20 points inside a triangle
    default_depth=3,
    opening_plies=2,
    players=players,
    levels=(
        "casual:plies=1,temperature=2",
        "casual:plies=1,temperature=1",
        "casual:plies=1,temperature=0.6",
        "casual:plies=2,temperature=0.6",
        "casual:plies=2,temperature=0.2",
        "parity",
        "engine@nodes=100",
        "engine@nodes=300",
        "engine@nodes=3000",
        "engine@nodes=30000",
    ),
    lessons=LESSONS,
    commands=commands,
    framework=Framework(adapt_agent),
)
