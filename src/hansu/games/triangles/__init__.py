"""Triangles ("gaining territory"): rules, boards, and the players that only make sense here. docs/triangles.md tells
how they work and how strong they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hansu.core import Game, Option, Player, said
from hansu.core.game import Commands
from hansu.games.triangles.boards import DEFAULT_POINTS, start
from hansu.games.triangles.look import look, touch
from hansu.games.triangles.notation import move_text, read_move, score_text
from hansu.games.triangles.rules import MOST_POINTS, Triangles


def players() -> Mapping[str, type[Player]]:
    from hansu.games.triangles.players import Engine, Parity, Rule

    return {player.kind: player for player in (Rule, Parity, Engine)}


def commands(line: Commands) -> None:
    from hansu.games.triangles.commands import add_to

    add_to(line)


def adapt_agent(module: Any, found: Any) -> Any:
    from hansu.games.triangles.course import adapt

    return adapt(module, found)


GAME = Game(
    name="triangles",
    title={"en": "Triangles", "ko": "삼각형 땅따먹기"},
    about={
        "en": "join points; the third side of an empty triangle scores it",
        "ko": "점을 이어 빈 삼각형을 완성하면 1점",
    },
    state=Triangles,
    start=start,
    options=(
        Option(
            "points",
            str,
            DEFAULT_POINTS,
            said(
                f"how many (3 to {MOST_POINTS}) by chance, or a list: 0 0,3 1,5 6",
                f"무작위 점의 수 (3~{MOST_POINTS}), 또는 점의 목록: 0 0,3 1,5 6",
            ),
            plain=True,
        ),
        Option(
            "file",
            str,
            "",
            said("a board from a CSV or text file, one point a line", "CSV나 텍스트 파일의 판, 한 줄에 점 하나"),
        ),
        Option("seed", int, 1, said("which random board", "무작위 판의 번호"), low=0, high=1 << 62),
        Option("size", int, 7, said("the grid is size x size", "격자의 한 변"), low=2, high=100),
    ),
    move_text=move_text,
    read_move=read_move,
    look=look,
    touch=touch,
    score_text=score_text,
    score_range=2 * MOST_POINTS - 5,  # the triangles of 20 points inside a triangle
    default_depth=3,
    opening_plies=2,
    players=players,
    opponent="rule",
    commands=commands,
    adapt_agent=adapt_agent,
)
