"""Triangles ("gaining territory"): rules, boards, and the players that only make sense here. docs/games/triangles.md tells
how they work and how strong they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansu.core import Game, Lesson, Option, Phrase, Player
from hansu.core.game import Commands
from hansu.games.triangles.boards import DEFAULT_POINTS, start
from hansu.games.triangles.notation import count_text, move_text, read_move
from hansu.games.triangles.rules import MOST_POINTS, Triangles
from hansu.games.triangles.scene import look, touch


def players() -> Mapping[str, type[Player]]:
    from hansu.games.triangles.players import Engine, Parity, Rule

    return {player.kind: player for player in (Rule, Parity, Engine)}


def commands(line: Commands) -> None:
    from hansu.games.triangles.commands import add_to

    add_to(line)


def adapt_agent(module: Any, found: Any) -> Any:
    from hansu.games.triangles.course import adapt

    return adapt(module, found)


FIVE = {"points": "0 0,6 0,3 5,3 2,0 5", "size": "7"}
LESSONS = (
    Lesson(
        Phrase("Join two points by a segment that crosses no other and passes no point between."),
        moves="A-B B-C",
        settings=FIVE,
    ),
    Lesson(
        Phrase("Who draws the third side of a triangle with no point inside scores it. It does not move again."),
        moves="A-B A-D B-D",
        settings=FIVE,
    ),
    Lesson(Phrase("When no segment is left, who has scored more triangles wins.")),
)

GAME = Game(
    name="triangles",
    title=Phrase("Triangles"),
    about=Phrase("join points; the third side of an empty triangle scores it"),
    state=Triangles,
    start=start,
    options=(
        Option(
            "points",
            str,
            DEFAULT_POINTS,
            Phrase("how many (3 to {most}) by chance, or a list: 0 0,3 1,5 6", most=MOST_POINTS),
            title=Phrase("points of the board"),
            plain=True,
        ),
        Option(
            "file",
            str,
            "",
            Phrase("a board from a CSV or text file, one point a line"),
            title=Phrase("file"),
        ),
        Option("seed", int, 1, Phrase("which random board"), title=Phrase("number of the board"), low=0, high=1 << 62),
        Option("size", int, 7, Phrase("the grid is size x size"), title=Phrase("grid size"), low=2, high=100),
    ),
    move_text=move_text,
    read_move=read_move,
    look=look,
    touch=touch,
    colours=(Phrase("Red"), Phrase("Blue")),
    count_text=count_text,
    unit=Phrase("triangles"),
    score_range=2 * MOST_POINTS - 5,  # the triangles of 20 points inside a triangle
    default_depth=3,
    opening_plies=2,
    players=players,
    levels=(
        "casual:plies=1,care=2",
        "casual:plies=1,care=1",
        "casual:plies=1,care=0.6",
        "casual:plies=2,care=0.6",
        "casual:plies=2,care=0.2",
        "parity",
        "engine@nodes=100",
        "engine@nodes=300",
        "engine@nodes=3000",
        "engine@nodes=30000",
    ),
    lessons=LESSONS,
    commands=commands,
    adapt_agent=adapt_agent,
)
