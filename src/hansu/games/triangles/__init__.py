"""Triangles ("gaining territory"): rules, boards, and its own players (docs/games/triangles.md)."""

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


def adapt_agent(module: Any, found: Any) -> Any:
    from hansu.games.triangles.course import adapt

    return adapt(module, found)


FIVE = {"points": "0 0,6 0,3 5,3 2,0 5", "size": "7"}
LESSONS = (
    Lesson(
        Message("Join two points by a segment that crosses no other and passes no point between."),
        moves="A-B B-C",
        settings=FIVE,
    ),
    Lesson(
        Message("Who draws the third side of a triangle with no point inside scores it. It does not move again."),
        moves="A-B A-D B-D",
        settings=FIVE,
    ),
    Lesson(Message("When no segment is left, who has scored more triangles wins.")),
)

GAME = Game(
    name="triangles",
    title=Message("Triangles"),
    about=Message("join points; the third side of an empty triangle scores it"),
    state=Triangles,
    start=start,
    options=(
        Option(
            "points",
            str,
            DEFAULT_POINTS,
            Message("how many (3 to {most}) by chance, or a list: 0 0,3 1,5 6", most=MOST_POINTS),
            title=Message("points of the board"),
            plain=True,
        ),
        Option(
            "file",
            str,
            "",
            Message("a board from a CSV or text file, one point a line"),
            title=Message("file"),
        ),
        Option(
            "seed", int, 1, Message("which random board"), title=Message("number of the board"), low=0, high=1 << 62
        ),
        Option("size", int, 7, Message("the grid is size x size"), title=Message("grid size"), low=2, high=100),
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
